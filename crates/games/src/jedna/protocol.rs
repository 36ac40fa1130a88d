//! The host's side of the protocol for one bot.

use std::time::Duration;

use game::{
    ActorId, Afterwards, Command, Fault, FaultKind, Out, Outcome, ProcessHistory, Protocol, Said,
    Seen, Tick, TimeLeft, quote,
};
use table::Chair;

use super::cards::WildCode;
use super::event::Event;
use super::rules::{Action, Config};
use super::seats::Seat;
use super::state::Jedna;
use super::view::{Mended, View};
use super::wire::{FromBot, Named, Scores, ToBot, news};

/// How long a bot may take to leave after `game_end`.
const LEAVE: Duration = Duration::from_secs(1);

/// How long an answer may follow a line that is none before that line was the answer; less where
/// time is short, so that there is some for all tries.
const STRAY: Duration = Duration::from_millis(500);

/// Speaks to one bot.
///
/// Replies carry no number. One is owed per request, and what comes when none is owed is never
/// kept for the next request. Late replies need no count, for a bot that is late forfeits and
/// is ended. A line that does not even look like an answer is the reply only if no other follows:
/// asked again at once, a bot that prints such lines would answer twice and never catch up.
pub(super) struct Dealer {
    actor: ActorId,
    wild: WildCode,
    margin: Duration,
    /// How long a stray line is held.
    patience: Duration,
    state: ProtocolState,
    /// The last line since the request that looked like no answer.
    stray: Option<Stray>,
    /// The end of the bot's time.
    last: Option<Tick>,
    /// The request in hand is the one before it, asked again.
    repeated: bool,
    /// Whether the bot has ever been asked.
    asked_before: bool,
    /// What an error message about the last answer begins with.
    complaint: &'static str,
}

/// What the bot is expected to say next.
enum ProtocolState {
    /// Nothing.
    Idle,
    /// The reply to a request about this view.
    Asked(Box<View>),
    /// The game is over.
    Over,
}

/// A line that looks like no answer.
struct Stray {
    /// What is wrong with it.
    why: String,
    /// When it becomes the answer.
    by: Tick,
}

impl Dealer {
    pub(super) fn new(config: &Config, chair: &Chair) -> Dealer {
        Dealer {
            actor: chair.actor,
            wild: config.wild_code,
            margin: chair.clock.margin,
            patience: chair.clock.turn.map_or(STRAY, |turn| STRAY.min(turn / 10)),
            stray: None,
            last: None,
            repeated: false,
            state: ProtocolState::Idle,
            asked_before: false,
            complaint: "",
        }
    }

    fn ask(&mut self, now: Tick, seen: Seen<'_, Jedna>, time: TimeLeft, out: &mut Out<Action>) {
        let view = seen.view();
        self.stray = None;
        // A little before the table takes silence for an answer.
        let limit = time.turn.into_iter().chain(time.bank).min();
        self.last = limit.map(|limit| now + limit + self.margin / 2 - Duration::from_millis(1));
        ToBot::request(&view).expect("whoever is asked plays").write(&mut out.bytes);
        self.state = ProtocolState::Asked(Box::new(view));
        self.asked_before = true;
        out.said.push(Said::Asked);
    }

    fn notify(&self, event: &Event, out: &mut Out<Action>) {
        // Who has forfeited is being ended and hears no more.
        if matches!(event, Event::Forfeited { seat, .. } if seat.actor() == self.actor) {
            return;
        }
        if let Some(message) = news(event, self.wild) {
            ToBot::Notification { message: &message }.write(&mut out.bytes);
        }
    }

    fn end(&mut self, outcome: Option<&Outcome>, out: &mut Out<Action>) {
        self.state = ProtocolState::Over;
        if let Some(outcome) = outcome {
            let winner = outcome.winner().and_then(|seat| u8::try_from(seat).ok()).map(Seat);
            ToBot::GameEnd { winner, scores: Scores(&outcome.scores) }.write(&mut out.bytes);
        }
        // Bots leave when the game ends, so that none is ever idle.
        out.said.push(Said::Done { then: Afterwards::Leave, farewell: Vec::new(), grace: LEAVE });
    }

    fn answer(&mut self, view: &View, reply: FromBot, out: &mut Out<Action>) {
        let (action, complaint) = match reply {
            FromBot::Play { card, colour: Named::Wrong(word), .. } if card.is_wild() => {
                self.complaint = "Invalid color";
                let detail =
                    format!("{word} is not a color; there are red, blue, green and yellow");
                return out.fault(FaultKind::Illegal, detail);
            }
            FromBot::Play { card, colour, copies } => {
                let colour = match colour {
                    Named::Colour(colour) => Some(colour),
                    Named::Nothing | Named::Wrong(_) => None,
                };
                (Action::Play { card, colour, copies }, "Invalid card")
            }
            FromBot::Draw => (Action::Draw, "Invalid action"),
            FromBot::Pass => (Action::Pass, "Invalid action"),
            FromBot::Unreadable(why) => return self.unreadable(why, out),
        };
        self.complaint = complaint;
        let (action, mended) = view.mend(action);
        self.warn(view, action, mended, out);
        out.said.push(Said::Answer(action));
    }

    fn unreadable(&mut self, why: String, out: &mut Out<Action>) {
        self.complaint = "Invalid answer";
        out.fault(FaultKind::BadInput, why);
    }

    /// A line that looks like no answer: wait for one that does.
    fn hold(&mut self, now: Tick, why: String, out: &mut Out<Action>) {
        let by = match self.stray.take() {
            Some(Stray { why, by }) => {
                out.said.push(Said::Blemish(Fault::new(FaultKind::BadInput, why)));
                by
            }
            None => {
                let by = now + self.patience;
                self.last.map_or(by, |last| by.min(last))
            }
        };
        self.stray = Some(Stray { why, by });
    }

    /// Records what was made good in an answer that counts.
    fn warn(&self, view: &View, action: Action, mended: Option<Mended>, out: &mut Out<Action>) {
        let Action::Play { card, .. } = action else { return };
        let playable = view.own.as_ref().is_some_and(|own| own.playable.count(card) > 0);
        match mended {
            Some(Mended::ColourMissing(colour)) if playable => {
                let code = card.code(self.wild);
                let detail = format!("{code} without a color; {colour} was taken");
                out.said.push(Said::Blemish(Fault::new(FaultKind::BadInput, detail)));
            }
            Some(Mended::ColourMissing(_) | Mended::ColourNeedless | Mended::DoubleIgnored)
            | None => {}
        }
    }
}

impl Protocol<Jedna> for Dealer {
    fn command(&mut self, now: Tick, command: Command<'_, Jedna>, out: &mut Out<Action>) {
        match command {
            // There is no handshake: the first word is a notification or a request.
            Command::Begin { process: ProcessHistory::Reused, .. } => out.said.push(Said::Unfit),
            Command::Begin { process: ProcessHistory::Fresh, .. } | Command::Resume { .. } => {
                out.said.push(Said::Ready);
            }
            Command::Notify(event) => self.notify(event, out),
            Command::Ask { seen, time } => self.ask(now, seen, time, out),
            Command::Refused(why) => {
                self.repeated = true;
                let message = format!("{}: {why}", self.complaint);
                ToBot::Error { message: &message }.write(&mut out.bytes);
            }
            Command::Hurry | Command::TimeUp | Command::TakeBack { .. } => {}
            Command::End { outcome, .. } => self.end(outcome, out),
        }
    }

    fn line(&mut self, now: Tick, line: &[u8], out: &mut Out<Action>) {
        match std::mem::replace(&mut self.state, ProtocolState::Idle) {
            ProtocolState::Asked(view) => match FromBot::parse(line) {
                FromBot::Unreadable(why) if !looks_like_an_answer(line) => {
                    self.hold(now, why, out);
                    self.state = ProtocolState::Asked(view);
                }
                reply => {
                    if let Some(Stray { why, .. }) = self.stray.take() {
                        out.said.push(Said::Blemish(Fault::new(FaultKind::BadInput, why)));
                    }
                    self.repeated = false;
                    self.answer(&view, reply, out);
                }
            },
            ProtocolState::Idle => {
                let (kind, when) = match self.asked_before {
                    true => (FaultKind::Extra, "although no answer was owed"),
                    false => (FaultKind::Early, "before it was asked for the first time"),
                };
                out.fault(kind, format!("{} {when}", quote(line)));
            }
            ProtocolState::Over => self.state = ProtocolState::Over,
        }
    }

    fn early_line(&mut self, now: Tick, line: &[u8], out: &mut Out<Action>) {
        // A request that is only repeated is the same question: what the bot has said since the
        // first one answers it, whether it comes a moment before or after the second.
        if self.repeated {
            return self.line(now, line, out);
        }
        out.fault(FaultKind::Early, format!("{} before the request was sent", quote(line)));
    }

    fn tick(&mut self, now: Tick, out: &mut Out<Action>) {
        let Some(Stray { why, .. }) = self.stray.take_if(|stray| stray.by <= now) else { return };
        match std::mem::replace(&mut self.state, ProtocolState::Idle) {
            ProtocolState::Asked(_) => {
                self.repeated = false;
                self.unreadable(why, out);
            }
            state @ (ProtocolState::Idle | ProtocolState::Over) => self.state = state,
        }
    }

    fn next_tick(&self) -> Option<Tick> {
        match self.state {
            ProtocolState::Asked(_) => self.stray.as_ref().map(|stray| stray.by),
            ProtocolState::Idle | ProtocolState::Over => None,
        }
    }
}

/// Whether a line begins like an object, after what some languages put before every text.
fn looks_like_an_answer(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.trim_ascii_start().starts_with(b"{")
}
