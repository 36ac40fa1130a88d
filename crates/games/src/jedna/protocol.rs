//! The host's side of the protocol for one bot.

use std::time::Duration;

use game::{ActorId, Command, Fault, FaultKind, Out, Outcome, Protocol, Said, Seen, Tick, quote};
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

/// Speaks to one bot.
///
/// Replies carry no number. One is owed per request, whatever it looks like: a malformed line is
/// the reply, and what comes when none is owed is never kept for the next request. Late
/// replies need no count, for a bot that is late forfeits and is ended.
pub(super) struct Dealer {
    actor: ActorId,
    wild: WildCode,
    stage: Stage,
    /// Whether the bot has ever been asked.
    asked_before: bool,
    /// What an error message about the last answer begins with.
    complaint: &'static str,
}

/// What the bot is expected to say next.
enum Stage {
    /// Nothing.
    Idle,
    /// The reply to a request about this view.
    Asked(Box<View>),
    /// The game is over.
    Over,
}

impl Dealer {
    pub(super) fn new(config: &Config, chair: &Chair) -> Dealer {
        Dealer {
            actor: chair.actor,
            wild: config.wild_code,
            stage: Stage::Idle,
            asked_before: false,
            complaint: "",
        }
    }

    fn ask(&mut self, seen: Seen<'_, Jedna>, out: &mut Out<Action>) {
        let view = seen.view();
        ToBot::request(&view).expect("whoever is asked plays").write(&mut out.bytes);
        self.stage = Stage::Asked(Box::new(view));
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
        self.stage = Stage::Over;
        if let Some(outcome) = outcome {
            let winner = outcome.winner().and_then(|seat| u8::try_from(seat).ok()).map(Seat);
            ToBot::GameEnd { winner, scores: Scores(&outcome.scores) }.write(&mut out.bytes);
        }
        // Bots leave when the game ends, so that none is ever idle.
        out.said.push(Said::Done { idle: false, farewell: Vec::new(), grace: LEAVE });
    }

    fn answer(&mut self, view: &View, reply: FromBot, out: &mut Out<Action>) {
        let (action, complaint) = match reply {
            FromBot::Play { card, colour: Named::Wrong(word), .. } if card.is_wild() => {
                self.complaint = "Invalid color";
                let detail = format!("{word} is no color; there are red, blue, green and yellow");
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
            FromBot::Unreadable(why) => {
                self.complaint = "Invalid answer";
                return out.fault(FaultKind::BadInput, why);
            }
        };
        self.complaint = complaint;
        let (action, mended) = view.mend(action);
        self.warn(view, action, mended, out);
        out.said.push(Said::Answer(action));
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
    fn command(&mut self, _: Tick, command: Command<'_, Jedna>, out: &mut Out<Action>) {
        match command {
            // There is no handshake: the first word is a notification or a request.
            Command::Begin { reused: true, .. } => out.said.push(Said::Unfit),
            Command::Begin { reused: false, .. } | Command::Resume { .. } => {
                out.said.push(Said::Ready);
            }
            Command::Notify(event) => self.notify(event, out),
            Command::Ask { seen, .. } => self.ask(seen, out),
            Command::Refused(why) => {
                let message = format!("{}: {why}", self.complaint);
                ToBot::Error { message: &message }.write(&mut out.bytes);
            }
            Command::Hurry | Command::TimeUp => {}
            Command::End { outcome, .. } => self.end(outcome, out),
        }
    }

    fn line(&mut self, _: Tick, line: &[u8], out: &mut Out<Action>) {
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Asked(view) => self.answer(&view, FromBot::parse(line), out),
            Stage::Idle => {
                let (kind, when) = match self.asked_before {
                    true => (FaultKind::Extra, "although no answer was owed"),
                    false => (FaultKind::Early, "before it was asked for the first time"),
                };
                out.fault(kind, format!("{} {when}", quote(line)));
            }
            Stage::Over => self.stage = Stage::Over,
        }
    }

    fn early_line(&mut self, _: Tick, line: &[u8], out: &mut Out<Action>) {
        out.fault(FaultKind::Early, format!("{} before the request was sent", quote(line)));
    }
}
