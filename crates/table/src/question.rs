//! Questions to a bot: what would it play in a position of a match that others play or have played?
//!
//! A question is a table of its own that begins with the position. The bot that is asked has the seats of one player and
//! sees what that player's actors see; at the other seats nobody answers. It ends when the bot has answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game::{
    ActorId, Choice, Clock, Ending, Note, Outcome, PlayerId, Seed, SetupError, Tick, Topic, Turn,
};
use serde::Serialize;

use crate::Adjudication;
use crate::any::AnyTable;
use crate::evaluation::{FOUND_WIN, evaluation};
use crate::happening::in_words;
use crate::hosted::{Hosted, Occasion, TurnOrder};
use crate::log::Recording;
use crate::parts::{Due, Entrant, Mind, Terms};
use crate::seat::{Contestant, Outputs};
use crate::table::Table;

/// Nothing is at stake: a bot may be so much later than it was told.
const MARGIN: Duration = Duration::from_secs(5);

/// What a bot would play, and what it says to that.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BotAdvice {
    /// What it would do, for each actor that has to act; with the name of the actor where there are several.
    pub moves: Vec<String>,
    /// What it said meanwhile, in its own words.
    pub notes: Vec<String>,
    /// What it did wrong.
    pub faults: Vec<String>,
    /// How good the position is for the player in whose place it was asked, as it said last, in its own unit.
    pub evaluation: Option<f64>,
    /// How long it thought, in milliseconds.
    pub wall_ms: f64,
}

impl BotAdvice {
    /// What it would play, or why it has not said that.
    pub fn words(&self, bot: &str) -> String {
        match (&self.moves[..], self.faults.last()) {
            ([], Some(fault)) => format!("{bot} did not answer: {fault}"),
            ([], None) => format!("{bot} did not answer"),
            (moves, _) => {
                let worth = match self.evaluation {
                    None => String::new(),
                    Some(FOUND_WIN) => "; it sees a forced win".to_owned(),
                    Some(worth) if worth == -FOUND_WIN => "; it sees a forced loss".to_owned(),
                    Some(worth) => format!("; it says {worth} for this position"),
                };
                format!("{bot} would play {}{worth}", moves.join(", "))
            }
        }
    }
}

/// Where the answer to a question is put.
pub type AdviceSlot = Arc<Mutex<Option<BotAdvice>>>;

type MakeTable = dyn Fn() -> Result<Box<dyn AnyTable>, SetupError> + Send;

/// A question to a bot, to be put to it by a host.
pub struct BotQuestion {
    /// In whose place the bot is asked.
    pub player: PlayerId,
    /// How many players there are.
    pub players: usize,
    /// Whether they move one after another.
    pub turn_order: TurnOrder,
    /// What was played in this position, if it is one of a replay.
    pub played: Vec<String>,
    /// Makes the table.
    pub table: Box<MakeTable>,
    /// Where the answer will be.
    pub advice: AdviceSlot,
}

/// The question that a table has been made for.
pub(crate) struct OpenQuestion {
    player: PlayerId,
    advice: AdviceSlot,
}

/// A question about this position, to a bot in the place of `player`; or why it cannot be asked.
pub fn question<G: Hosted>(
    position: &G,
    config: &G::Config,
    players: usize,
    player: PlayerId,
    bot: &Entrant,
    think: Duration,
) -> Result<BotQuestion, String> {
    match &bot.contestant {
        Contestant::BuiltIn(_) => {}
        Contestant::Person => return Err("a person cannot be asked like a bot".to_owned()),
        Contestant::Program { .. } => G::shows_positions()
            .map_err(|why| format!("{} cannot be asked: {why}; built-in bots can", bot.name))?,
    }
    if due(position, player).is_empty() {
        return Err("nothing is to be decided for this player now".to_owned());
    }
    let clock = Clock { margin: MARGIN, ..Clock::per_turn(think) };
    let entrants = (0..players).map(|seat| match seat == player.index() {
        true => bot.clone(),
        false => Entrant {
            clock: Some(Clock { turn: None, bank: None, ..clock }),
            ..Entrant::new(format!("seat {}", seat + 1), Contestant::Person)
        },
    });
    let terms = Terms {
        id: "question".to_owned(),
        // A bot must not learn what the dice will say, nor anything else of the state.
        seed: Seed(0),
        entrants: entrants.collect(),
        clock,
        adjudication: Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::Off,
    };
    let advice = AdviceSlot::default();
    let (position, config, slot) = (position.clone(), config.clone(), advice.clone());
    let table = move || -> Result<Box<dyn AnyTable>, SetupError> {
        let mut table = Table::at(position.clone(), config.clone(), terms.clone())?;
        table.question = Some(OpenQuestion { player, advice: slot.clone() });
        Ok(Box::new(table))
    };
    let turn_order = G::card().turn_order;
    let played = Vec::new();
    Ok(BotQuestion { player, players, turn_order, played, table: Box::new(table), advice })
}

/// The actors of a player who have to act in a position.
fn due<G: Hosted>(position: &G, player: PlayerId) -> Vec<ActorId> {
    let on_turn = match position.turn() {
        Turn::One(actor) => vec![actor],
        Turn::All(actors) => actors,
        Turn::Over(_) => Vec::new(),
    };
    let mut roles = Vec::new();
    position.cast(&mut roles);
    let own = roles.iter().filter(|role| role.player == player).map(|role| role.actor);
    own.filter(|actor| on_turn.contains(actor)).collect()
}

/// The players who have to act in a position, in ascending order.
pub(crate) fn players_due<G: Hosted>(position: &G, players: usize) -> Vec<PlayerId> {
    let all = (0..players as u16).map(PlayerId);
    all.filter(|player| !due(position, *player).is_empty()).collect()
}

impl<G: Hosted> Table<G> {
    /// Whether this table was made for a question and the bot has answered it.
    pub(crate) fn question_is_answered(&self) -> bool {
        self.question.as_ref().is_some_and(|question| {
            let own = self.cast.actors.iter().filter(|actor| actor.player == question.player);
            !own.into_iter().any(|actor| matches!(actor.due, Due::Asked | Due::Held))
        })
    }

    /// The match is of no interest any more.
    pub(crate) fn end_question(&mut self, now: Tick, out: &mut Outputs) {
        let players = self.terms.entrants.len();
        let outcome = Outcome::draw(players, Ending::default(), "the question is answered");
        self.finish(now, Ok(outcome), out);
    }

    /// Puts down what the bot has said, if this table was made for a question.
    pub(crate) fn settle_question(&mut self) {
        let Some(OpenQuestion { player, advice }) = self.question.take() else { return };
        let own = self.cast.actors.iter().filter(|actor| actor.player == player);
        let moves = own.filter_map(|actor| match &actor.due {
            Due::Chosen(Choice::Act(action)) => {
                let (name, words) =
                    (self.game.actor_name(actor.id).one_of_many(), in_words(action));
                Some(name.map_or(words.clone(), |name| format!("{name}: {words}")))
            }
            Due::Chosen(Choice::Forfeit(_)) | Due::Nothing | Due::Held | Due::Asked => None,
        });
        let moves: Vec<String> = moves.collect();
        let record = &self.players[player.index()];
        let said = |note: &&Note| match note.topic {
            Topic::Message | Topic::Debug | Topic::Info => true,
            Topic::About | Topic::Remark => false,
        };
        let mut notes: Vec<String> =
            record.notes.iter().filter(said).map(|note| note.text.clone()).collect();
        for id in &self.seats.live {
            let seat = &self.seats[*id];
            if let (Mind::BuiltIn { bot: Some(bot), .. }, true) =
                (&seat.mind, seat.player == player)
            {
                notes.extend(bot.thoughts());
            }
        }
        let fault = |line: &crate::FaultLine| format!("{}: {}", line.kind, line.detail);
        let found = BotAdvice {
            evaluation: notes.iter().rev().find_map(|note| evaluation(note)),
            moves,
            notes,
            faults: record.faults.iter().map(fault).collect(),
            wall_ms: (record.tally.wall.as_secs_f64() * 1e6).round() / 1e3,
        };
        *advice.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }
}
