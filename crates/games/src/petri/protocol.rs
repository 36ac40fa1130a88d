//! The host's side of the protocol for one agent.

use std::time::Duration;

use game::{
    Afterwards, Command, Fault, FaultKind, Out, ProcessHistory, Protocol, Said, Seen, Tick,
    TimeLeft, Topic, printable, quote,
};

use super::action::Action;
use super::state::Petri;
use super::wire::{self, FromBot, MOST_OF_A_MESSAGE};

/// How long a process may take to leave once its input is closed.
const LEAVE: Duration = Duration::from_secs(1);

/// Speaks to one agent.
///
/// Replies carry no number: one is owed for each message, whatever it looks like. What is
/// late is still owed, and is thrown away when it comes.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    /// The message that has been sent last has not been answered yet.
    asked: bool,
    /// Replies to earlier messages that have not come yet.
    late: u32,
    /// How often the agent has been asked.
    questions: u32,
}

impl Keeper {
    fn ask(&mut self, seen: Seen<'_, Petri>, time: TimeLeft, out: &mut Out<Action>) {
        let view = seen.view();
        let own = view.own.as_ref().expect("only the living are asked");
        wire::write(&view, own, time.limit(), &mut out.bytes);
        self.asked = true;
        self.questions += 1;
        out.said.push(Said::Asked);
    }

    /// Takes a line that is not the answer to the last message. It came after so many.
    fn discard(&mut self, line: &[u8], questions: u32, out: &mut Out<Action>) {
        if self.late > 0 {
            self.late -= 1;
            let text = format!("{} came after its time was up; it is thrown away", quote(line));
            return out.note(Topic::Remark, text);
        }
        let (kind, when) = match questions {
            0 => (FaultKind::Early, "before it was asked for the first time"),
            1.. => (FaultKind::Extra, "although no answer was owed"),
        };
        out.fault(kind, format!("{} {when}", quote(line)));
    }

    fn answer(&mut self, line: FromBot, out: &mut Out<Action>) {
        self.asked = false;
        match line {
            FromBot::Answer { action, message } => {
                if let Some(message) = message.filter(|message| !message.is_empty()) {
                    out.note(Topic::Message, printable(message.as_bytes(), MOST_OF_A_MESSAGE));
                }
                out.said.push(Said::Answer(action));
            }
            FromBot::Unreadable(why) => {
                out.said.push(Said::Fault(Fault::new(FaultKind::BadInput, why)));
            }
            FromBot::Blank => unreachable!("blank lines are no answers"),
        }
    }
}

impl Protocol<Petri> for Keeper {
    fn command(&mut self, _: Tick, command: Command<'_, Petri>, out: &mut Out<Action>) {
        match command {
            // There is no handshake, and a process has its agent's name in its environment.
            Command::Begin { process: ProcessHistory::Reused, .. } => out.said.push(Said::Unfit),
            Command::Begin { process: ProcessHistory::Fresh, .. } | Command::Resume { .. } => {
                out.said.push(Said::Ready);
            }
            Command::Ask { seen, time } => self.ask(seen, time, out),
            Command::TimeUp => {
                // What came too late, but came, is owed no more.
                self.late += u32::from(std::mem::take(&mut self.asked));
            }
            Command::Notify(_)
            | Command::Hurry
            | Command::Refused(_)
            | Command::TakeBack { .. } => {}
            Command::End { .. } => {
                out.said.push(Said::Done {
                    then: Afterwards::Leave,
                    farewell: Vec::new(),
                    grace: LEAVE,
                });
            }
        }
    }

    fn line(&mut self, _: Tick, line: &[u8], out: &mut Out<Action>) {
        let answers_last = self.asked && self.late == 0;
        match FromBot::parse(line) {
            // People put blank lines between things; nobody means them.
            FromBot::Blank => {}
            FromBot::Answer { .. } | FromBot::Unreadable(_) if !answers_last => {
                self.discard(line, self.questions, out);
            }
            said => self.answer(said, out),
        }
    }

    fn early_line(&mut self, _: Tick, line: &[u8], out: &mut Out<Action>) {
        if FromBot::parse(line) != FromBot::Blank {
            // The last question has not been sent yet.
            self.discard(line, self.questions.saturating_sub(1), out);
        }
    }
}

#[cfg(test)]
mod tests {
    use game::{Game as _, Seed};

    use super::super::setup::Config;
    use super::*;

    #[test]
    fn who_answers_past_its_time_before_the_clock_is_looked_at_owes_nothing() {
        let world = Petri::start(&Config::default(), 2, Seed(1)).expect("a sound set-up");
        let agent = world.agents()[0];
        let seen = Seen::new(&world, agent.id, agent.player);
        let ask = || Command::Ask { seen, time: TimeLeft::default() };
        let mut keeper = Keeper::default();
        let mut out = Out::default();
        for rest in [Action::Rest, Action::Rest] {
            out.said.clear();
            keeper.command(Tick::ZERO, ask(), &mut out);
            keeper.line(Tick::ZERO, b"{\"action\":\"rest\"}", &mut out);
            assert_eq!(out.said, [Said::Asked, Said::Answer(rest)]);
            // The table finds that this was too late, and says so.
            keeper.command(Tick::ZERO, Command::TimeUp, &mut out);
        }
    }

    #[test]
    fn what_is_said_before_the_first_question_is_early_and_blank_lines_are_nothing() {
        let mut out = Out::default();
        Keeper::default().early_line(Tick::ZERO, b" ", &mut out);
        Keeper::default().line(Tick::ZERO, b"", &mut out);
        assert_eq!(out.said, []);
        let when = "\"hello\" before it was asked for the first time";
        let early = Said::Fault(Fault::new(FaultKind::Early, when));
        Keeper::default().line(Tick::ZERO, b"hello", &mut out);
        // The first question is about to be sent.
        let mut keeper = Keeper { asked: true, questions: 1, ..Keeper::default() };
        keeper.early_line(Tick::ZERO, b"hello", &mut out);
        assert_eq!(out.said, [early.clone(), early]);
    }
}
