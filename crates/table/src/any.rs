//! Games and tables with their types erased, so that a host can drive any of them.

use std::marker::PhantomData;
use std::time::Duration;

use game::{About, PlayerId, Seed, SetupError, Tick, did_you_mean, wanted};
use serde_json::{Map, Value};

use crate::desk::{AnyDesk, OwnViews, views};
use crate::film::{AnyFilm, FilmMaker};
use crate::hosted::{Card, Hosted, Needs};
use crate::log::{Header, Log};
use crate::parts::{MatchStage, Terms};
use crate::program::BotProgram;
use crate::replay::{AnyReplay, Replay};
use crate::report::Report;
use crate::seat::{Input, Outputs, SeatId, SeatStatus, Thinker, Void};
use crate::table::Table;
use crate::watched::ViewedMatch;
use crate::{Adjudication, ReadError, Record};

/// A match of any game, driven by a host. What viewers may know: [`ViewedMatch`].
pub trait AnyTable: ViewedMatch + Send {
    /// Starts the match.
    fn open(&mut self, now: Tick, out: &mut Outputs);
    /// Tells the table something; what it wants done is appended to `out`.
    fn feed(&mut self, now: Tick, input: Input<'_>, out: &mut Outputs);
    /// A question's first byte is about to be written, or a built-in bot is about to think.
    fn clock_started(&mut self, seat: SeatId, at: Tick, cpu: Duration);
    /// When the table next wants an [`Input::Tick`].
    fn next_tick(&self) -> Option<Tick>;
    /// Takes a built-in bot out for one decision, after [`crate::Output::Think`].
    fn thinker(&mut self, seat: SeatId) -> Option<Thinker>;
    /// What a person is shown, after [`crate::Output::Show`]. Its clock starts. `None` in a game that people cannot play.
    fn desk(&mut self, player: PlayerId, now: Tick) -> Option<Box<dyn AnyDesk>> {
        let _ = (player, now);
        None
    }
    /// How many people have been asked and have not answered yet.
    fn people_awaited(&self) -> usize {
        0
    }
    /// How far a seat is.
    fn seat(&self, seat: SeatId) -> SeatStatus;
    /// How many programs have been asked and have not answered yet.
    fn programs_awaited(&self) -> usize;
    /// Whether the match is over and every seat has been closed.
    fn closed(&self) -> bool;
    /// Whether processor time is charged: then it is read at every question, too.
    fn charges_cpu(&self) -> bool;
    /// How a player's bot has described itself, if it has.
    fn about(&self, player: PlayerId) -> Option<About>;
    /// Ends the match as void without asking the game, a protocol or a bot anything: one of them
    /// has panicked. A match that was over before keeps its result.
    fn abandon(&mut self, now: Tick, reason: &str);
    /// Why the match is void, if it is.
    fn void(&self) -> Option<&Void>;
    /// The result, once it stands.
    fn report(&self, index: u64) -> Option<Report>;
    /// The log so far.
    fn log(&self) -> &Log;
    /// The log, when nothing more will happen.
    fn take_log(self: Box<Self>) -> Log;
}

impl<G: Hosted> AnyTable for Table<G> {
    fn open(&mut self, now: Tick, out: &mut Outputs) {
        Table::open(self, now, out);
    }
    fn feed(&mut self, now: Tick, input: Input<'_>, out: &mut Outputs) {
        Table::feed(self, now, input, out);
    }
    fn clock_started(&mut self, seat: SeatId, at: Tick, cpu: Duration) {
        Table::clock_started(self, seat, at, cpu);
    }
    fn next_tick(&self) -> Option<Tick> {
        Table::next_tick(self)
    }
    fn thinker(&mut self, seat: SeatId) -> Option<Thinker> {
        Table::thinker(self, seat)
    }
    fn desk(&mut self, player: PlayerId, now: Tick) -> Option<Box<dyn AnyDesk>> {
        Table::desk(self, player, now)
    }
    fn people_awaited(&self) -> usize {
        Table::people_awaited(self)
    }
    fn seat(&self, seat: SeatId) -> SeatStatus {
        Table::seat_status(self, seat)
    }
    fn programs_awaited(&self) -> usize {
        self.clocks.programs_awaited
    }
    fn closed(&self) -> bool {
        Table::closed(self)
    }
    fn charges_cpu(&self) -> bool {
        self.terms.clock.charge == game::Charge::Cpu
    }
    fn about(&self, player: PlayerId) -> Option<About> {
        self.log.header.players[player.index()].about.clone()
    }
    fn abandon(&mut self, now: Tick, reason: &str) {
        Table::abandon(self, now, reason);
    }
    fn void(&self) -> Option<&Void> {
        match &self.stage {
            MatchStage::Ending { result: Err(void), .. } => Some(void),
            MatchStage::Opening | MatchStage::Playing | MatchStage::Ending { .. } => None,
        }
    }
    fn report(&self, index: u64) -> Option<Report> {
        Table::report(self, index)
    }
    fn log(&self) -> &Log {
        &self.log
    }
    fn take_log(self: Box<Self>) -> Log {
        self.log
    }
}

/// So many seeds a set-up is tried with before it is accepted, at most.
const SEEDS_CHECKED: u64 = 64;

/// Fewer where the first states are large, so many bytes together: a world of a million cells takes
/// a while to make.
const BYTES_CHECKED: u64 = 1 << 20;

/// A game in the catalogue, with its type erased.
pub trait AnyGame: Send + Sync {
    /// Name, players, set-up keys and bots.
    fn card(&self) -> Card;
    /// The default set-up.
    fn defaults(&self) -> Map<String, Value>;
    /// Checks a set-up without playing it.
    fn check(&self, setup: &Map<String, Value>, players: u16) -> Result<(), SetupError>;
    /// Checks whether matches of this set-up can be ended early like this.
    fn check_adjudication(
        &self,
        adjudication: Adjudication,
        setup: &Map<String, Value>,
        players: u16,
    ) -> Result<(), SetupError>;
    /// Sets a match up.
    fn table(
        &self,
        setup: &Map<String, Value>,
        terms: Terms,
    ) -> Result<Box<dyn AnyTable>, SetupError>;
    /// What a match of this set-up needs of the host.
    fn needs(&self, setup: &Map<String, Value>, players: u16) -> Result<Needs, SetupError>;
    /// A built-in bot as a program of its own. `None` if no bot has this name, or if it cannot be
    /// run outside the host.
    fn program(&self, name: &str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        let _ = (name, seed);
        None
    }
    /// Whether people can play it.
    fn has_desk(&self, setup: &Map<String, Value>, players: u16) -> Result<bool, SetupError>;
    /// Formats that a finished game can be exported to.
    fn exports(&self) -> Vec<&'static str>;
    /// Prepares a recorded match for looking at.
    fn replay(&self, record: &Record) -> Result<Box<dyn AnyReplay>, ReadError>;
    /// Begins a film of a match whose log may still grow, through one player's eyes or everybody's.
    fn film(&self, header: &Header, eyes: Option<PlayerId>) -> Result<Box<dyn AnyFilm>, ReadError>;
}

/// A game type as a value.
pub struct Erased<G>(PhantomData<fn() -> G>);

impl<G> Erased<G> {
    /// The only value of this type.
    pub const fn new() -> Erased<G> {
        Erased(PhantomData)
    }
}

impl<G> Default for Erased<G> {
    fn default() -> Self {
        Erased::new()
    }
}

impl<G: Hosted> Erased<G> {
    fn config(setup: &Map<String, Value>) -> Result<G::Config, SetupError> {
        let known = G::card().keys;
        if let Some(wrong) = setup.keys().find(|name| known.iter().all(|key| key.name != **name)) {
            let names: Vec<&str> = known.iter().map(|key| key.name).collect();
            return Err(SetupError::new(format!(
                "{} has no key \"{wrong}\"{}; its keys are {}",
                G::ID,
                did_you_mean(wrong, names.iter().copied()),
                names.join(", ")
            )));
        }
        // One at a time, so that the message can name the key.
        for (name, value) in setup {
            let one = Map::from_iter([(name.clone(), value.clone())]);
            if let Err(error) = serde_json::from_value::<G::Config>(Value::Object(one)) {
                let why = wanted(&error.to_string());
                return Err(SetupError::new(format!(
                    "{} cannot take {name} = {value}: {why}",
                    G::ID
                )));
            }
        }
        serde_json::from_value(Value::Object(setup.clone()))
            .map_err(|error| SetupError::new(wanted(&error.to_string())))
    }
}

impl<G: Hosted> AnyGame for Erased<G> {
    fn card(&self) -> Card {
        G::card()
    }

    fn defaults(&self) -> Map<String, Value> {
        match serde_json::to_value(G::Config::default()) {
            Ok(Value::Object(map)) => map,
            other => unreachable!("a set-up is an object, not {other:?}"),
        }
    }

    fn check(&self, setup: &Map<String, Value>, players: u16) -> Result<(), SetupError> {
        // Some set-ups hold a choice for the seed to make: a book of openings. Most faults show
        // with the first seed, the rest with these.
        let given = Self::config(setup)?;
        let start = |seed: u64| {
            let mut config = given.clone();
            G::settle(&mut config, players, Seed(seed))?;
            G::start(&config, players, Seed(seed))
        };
        let size = rmp_serde::to_vec(&start(0)?).map_or(0, |state| state.len() as u64);
        let seeds = (BYTES_CHECKED / size.max(1)).clamp(2, SEEDS_CHECKED);
        (1..seeds).try_for_each(|seed| start(seed).map(drop))
    }

    fn check_adjudication(
        &self,
        adjudication: Adjudication,
        setup: &Map<String, Value>,
        players: u16,
    ) -> Result<(), SetupError> {
        if !adjudication.needs_points() {
            return Ok(());
        }
        let (mut config, seed) = (Self::config(setup)?, Seed(0));
        G::settle(&mut config, players, seed)?;
        match G::start(&config, players, seed)?.standing() {
            Some(_) if players > 1 => Ok(()),
            Some(_) => Err(SetupError::new("lead needs at least two players")),
            None => Err(SetupError::new(format!(
                "{} counts no points on the way, so that nobody can have a lead; turns can end \
                 its matches (as draws)",
                G::ID
            ))),
        }
    }

    fn table(
        &self,
        setup: &Map<String, Value>,
        terms: Terms,
    ) -> Result<Box<dyn AnyTable>, SetupError> {
        Ok(Box::new(Table::<G>::new(Self::config(setup)?, terms)?))
    }

    fn needs(&self, setup: &Map<String, Value>, players: u16) -> Result<Needs, SetupError> {
        Ok(G::needs(&Self::config(setup)?, players))
    }

    fn program(&self, name: &str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        let listed = G::card().bots.iter().find(|bot| bot.name == name)?;
        G::program(listed.name, seed)
    }

    fn has_desk(&self, setup: &Map<String, Value>, players: u16) -> Result<bool, SetupError> {
        let (mut config, seed) = (Self::config(setup)?, Seed(0));
        G::settle(&mut config, players, seed)?;
        let player = PlayerId(0);
        let game = G::start(&config, players, seed)?;
        let (views, public) = views(&game, player);
        let own = OwnViews { player, players, views: &views, due: &[], public: &public };
        Ok(G::desk(&own, &[]).is_some())
    }

    fn exports(&self) -> Vec<&'static str> {
        crate::replay::formats::<G>()
    }

    fn replay(&self, record: &Record) -> Result<Box<dyn AnyReplay>, ReadError> {
        Ok(Box::new(Replay::<G>::new(record)?))
    }

    fn film(&self, header: &Header, eyes: Option<PlayerId>) -> Result<Box<dyn AnyFilm>, ReadError> {
        Ok(Box::new(FilmMaker::<G>::new(header, eyes)?))
    }
}

/// The header of a record names a game that must be found in the catalogue.
pub fn named<'a>(games: &'a [&'a dyn AnyGame], header: &Header) -> Option<&'a dyn AnyGame> {
    games.iter().copied().find(|game| game.card().id == header.game)
}
