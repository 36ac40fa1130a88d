//! The host's side of the protocol for one program.

use std::time::Duration;

use game::{
    Afterwards, Command, FaultKind, Out, ProcessHistory, Protocol, Said, Seen, Tick, Topic, quote,
};

use super::orders::Orders;
use super::setup::{Config, Version};
use super::state::Ants;
use super::wire::{self, FromBot, message};

/// How long a program may take to leave after the last message.
const LEAVE: Duration = Duration::from_secs(1);

/// Speaks to one program.
///
/// Replies carry no number, and a program that is late plays on. So every message that was not
/// answered in time is counted, and as many lines are thrown away when they come.
pub(super) struct Nest {
    version: Version,
    state: ProtocolState,
    /// Lines that are still to come for turns that are over.
    owed: u32,
    asked_before: bool,
}

/// What the program is expected to say next.
enum ProtocolState {
    /// Nothing.
    Idle,
    /// Orders for these ants.
    Asked(wire::Command),
    /// The game is over.
    Over,
}

impl Nest {
    pub(super) fn new(config: &Config) -> Nest {
        Nest { version: config.version, state: ProtocolState::Idle, owed: 0, asked_before: false }
    }

    fn ask(&mut self, seen: Seen<'_, Ants>, out: &mut Out<Orders>) {
        let view = seen.view();
        message(&view, self.version, &mut out.bytes);
        self.state = ProtocolState::Asked(wire::Command::of(&view));
        self.asked_before = true;
        out.said.push(Said::Asked);
    }

    fn answer(command: &wire::Command, line: &[u8], out: &mut Out<Orders>) {
        match FromBot::parse(line, command) {
            FromBot::Orders { orders, faults } => {
                out.said.extend(faults.into_iter().map(Said::Blemish));
                out.said.push(Said::Answer(orders));
            }
            FromBot::Unparsable(why) => out.fault(FaultKind::BadInput, why),
        }
    }

    /// Takes a line for one that was owed, if any is.
    fn settles_debt(&mut self, line: &[u8], out: &mut Out<Orders>) -> bool {
        if self.owed == 0 {
            return false;
        }
        self.owed -= 1;
        out.note(Topic::Remark, format!("{} came too late and is thrown away", quote(line)));
        true
    }
}

impl Protocol<Ants> for Nest {
    fn command(&mut self, _: Tick, command: Command<'_, Ants>, out: &mut Out<Orders>) {
        match command {
            // There is no handshake, so that nothing can prove an old process to be idle.
            Command::Begin { process: ProcessHistory::Reused, .. } => out.said.push(Said::Unfit),
            Command::Begin { process: ProcessHistory::Fresh, .. } | Command::Resume { .. } => {
                out.said.push(Said::Ready);
            }
            Command::Ask { seen, .. } => self.ask(seen, out),
            Command::TimeUp => {
                // An answer that came too late, yet before anybody noticed, is not owed any more.
                if let ProtocolState::Asked(_) = self.state {
                    self.state = ProtocolState::Idle;
                    self.owed += 1;
                }
            }
            Command::End { outcome, seen, .. } => {
                self.state = ProtocolState::Over;
                let mut view = seen.view();
                // A match may end before its rules say so.
                view.over |= outcome.is_some();
                message(&view, self.version, &mut out.bytes);
                out.said.push(Said::Done {
                    then: Afterwards::Leave,
                    farewell: Vec::new(),
                    grace: LEAVE,
                });
            }
            Command::Notify(_)
            | Command::Hurry
            | Command::Refused(_)
            | Command::TakeBack { .. } => {}
        }
    }

    fn line(&mut self, _: Tick, line: &[u8], out: &mut Out<Orders>) {
        if matches!(self.state, ProtocolState::Over) || self.settles_debt(line, out) {
            return;
        }
        match std::mem::replace(&mut self.state, ProtocolState::Idle) {
            ProtocolState::Asked(command) => Nest::answer(&command, line, out),
            ProtocolState::Idle | ProtocolState::Over => {
                let (kind, when) = match self.asked_before {
                    true => (FaultKind::Extra, "although no answer was owed"),
                    false => (FaultKind::Early, "before the first message"),
                };
                out.fault(kind, format!("{} {when}", quote(line)));
            }
        }
    }

    fn early_line(&mut self, _: Tick, line: &[u8], out: &mut Out<Orders>) {
        if !self.settles_debt(line, out) {
            out.fault(FaultKind::Early, format!("{} before the message was sent", quote(line)));
        }
    }
}
