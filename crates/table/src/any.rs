//! Games and tables with their types erased, so that a host can drive any of them.

use std::marker::PhantomData;
use std::time::Duration;

use game::{About, Note, PlayerId, SetupError, Tick, TimeLeft, did_you_mean, wanted};
use serde_json::{Map, Value};

use crate::film::{AnyFilm, FilmMaker};
use crate::hosted::{Card, Hosted, Needs};
use crate::log::{Header, Log};
use crate::parts::{Due, Phase, Terms};
use crate::picture::{Picture, Room};
use crate::replay::{AnyReplay, Replay};
use crate::report::{FaultLine, Report};
use crate::seat::{Input, Outputs, SeatId, Thinker};
use crate::shown::Measure;
use crate::table::Table;
use crate::{Adjudication, ReadError, Record};

/// A match of any game, driven by a host.
pub trait AnyTable: Send {
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
    /// Time a built-in bot has for the decision it is about to make.
    fn time(&self, seat: SeatId) -> TimeLeft;
    /// Whether an answer is due from this seat, and its clock runs.
    fn awaits(&self, seat: SeatId) -> bool;
    /// Whether the table wants to know at its ticks how much processor time a seat's process has
    /// used.
    fn watches(&self, seat: SeatId) -> bool;
    /// How a player's bot has described itself, if it has.
    fn about(&self, player: PlayerId) -> Option<About>;
    /// Whether a seat's turn has come and its bot has been spoken to, though the clock may not run
    /// yet.
    fn on_move(&self, seat: SeatId) -> bool;
    /// Whether processor time is charged: then it is read at every question, too.
    fn charges_cpu(&self) -> bool;
    /// Whether the match is void because the host stalled.
    fn stood_still(&self) -> bool;
    /// Why the match is void because a bot cannot be set up as it was entered, if it is.
    fn misfit(&self) -> Option<&str>;
    /// Whether a seat's bot plays, and is neither shaking hands nor leaving.
    fn plays(&self, seat: SeatId) -> bool;
    /// Whether a seat has been closed.
    fn gone(&self, seat: SeatId) -> bool;
    /// How many programs have been asked and have not answered yet.
    fn programs_awaited(&self) -> usize;
    /// Whether the match is over and every seat has been closed.
    fn closed(&self) -> bool;
    /// Steps of the game so far.
    fn turns(&self) -> u32;
    /// What each player has done wrong so far.
    fn faults(&self) -> Vec<Vec<FaultLine>>;
    /// The names of the players, by seat.
    fn names(&self) -> Vec<String>;
    /// The last things that each player's bots said beside their answers, oldest first.
    fn notes(&self) -> Vec<Vec<Note>>;
    /// Ends the match as void without asking the game, a protocol or a bot anything: one of them
    /// has panicked. A match that was over before keeps its result.
    fn abandon(&mut self, now: Tick, reason: &str);
    /// From now on there is a viewer: [`AnyTable::happened`] is used.
    fn watch(&mut self);
    /// What everybody did in the last step, in words, and who it was; nothing unless somebody looks
    /// on.
    fn happened(&self) -> Vec<(Option<PlayerId>, String)>;
    /// The points of the players as it stands, in a game that counts any on the way.
    fn standing(&self) -> Option<Vec<f64>>;
    /// The state of the game as it is now, to be drawn later.
    fn snapshot(&self) -> Box<dyn Snapshot>;
    /// The result, once it stands.
    fn report(&self, index: u64) -> Option<Report>;
    /// What the game counts, as it stands; empty if it counts nothing.
    fn measures(&self) -> Vec<Measure>;
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
    fn time(&self, seat: SeatId) -> TimeLeft {
        let seat = &self.seats[seat.0 as usize];
        match seat.phase {
            Phase::Shaking => TimeLeft { turn: self.preparation(), bank: None },
            Phase::Opening | Phase::Ready | Phase::Leaving | Phase::Gone => {
                self.time_left(seat.actor)
            }
        }
    }
    fn awaits(&self, seat: SeatId) -> bool {
        self.seats[seat.0 as usize].running.is_some()
    }
    fn watches(&self, seat: SeatId) -> bool {
        let seat = &self.seats[seat.0 as usize];
        seat.running.is_some() || seat.phase == Phase::Shaking
    }
    fn about(&self, player: PlayerId) -> Option<About> {
        self.log.header.players[player.index()].about.clone()
    }
    fn on_move(&self, seat: SeatId) -> bool {
        let there = &self.seats[seat.0 as usize];
        let asked = |index: usize| {
            let actor = &self.actors[index];
            actor.seat == Some(seat) && matches!(actor.due, Due::Asked)
        };
        there.running.is_some() || self.actor_index(there.actor).is_some_and(asked)
    }
    fn charges_cpu(&self) -> bool {
        self.terms.clock.charge == game::Charge::Cpu
    }
    fn stood_still(&self) -> bool {
        self.stood_still
    }
    fn misfit(&self) -> Option<&str> {
        self.misfit.as_deref()
    }
    fn plays(&self, seat: SeatId) -> bool {
        self.seats[seat.0 as usize].phase == Phase::Ready
    }
    fn gone(&self, seat: SeatId) -> bool {
        self.seats[seat.0 as usize].phase == Phase::Gone
    }
    fn programs_awaited(&self) -> usize {
        self.programs_awaited
    }
    fn closed(&self) -> bool {
        Table::closed(self)
    }
    fn abandon(&mut self, now: Tick, reason: &str) {
        Table::abandon(self, now, reason);
    }
    fn turns(&self) -> u32 {
        self.turns
    }
    fn faults(&self) -> Vec<Vec<FaultLine>> {
        self.tallies.iter().map(|tally| tally.faults.clone()).collect()
    }
    fn names(&self) -> Vec<String> {
        self.terms.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }
    fn notes(&self) -> Vec<Vec<Note>> {
        self.notes.iter().map(|notes| notes.iter().cloned().collect()).collect()
    }
    fn watch(&mut self) {
        self.happened.get_or_insert_default();
    }
    fn happened(&self) -> Vec<(Option<PlayerId>, String)> {
        self.happened.clone().unwrap_or_default()
    }
    fn standing(&self) -> Option<Vec<f64>> {
        Some(self.game.standing()?.scores)
    }
    fn snapshot(&self) -> Box<dyn Snapshot> {
        Box::new(NamedState { game: self.game.clone(), names: AnyTable::names(self) })
    }
    fn report(&self, index: u64) -> Option<Report> {
        Table::report(self, index)
    }
    fn measures(&self) -> Vec<Measure> {
        self.game.measures()
    }
    fn log(&self) -> &Log {
        &self.log
    }
    fn take_log(self: Box<Self>) -> Log {
        self.log
    }
}

/// A state of any game that can be drawn, for any room and as often as need be.
pub trait Snapshot: Send {
    /// A picture of the game for a terminal.
    fn draw(&self, room: Room) -> Picture;
    /// The picture through one player's eyes, where the game can draw one.
    fn draw_for(&self, player: PlayerId, room: Room) -> Option<Picture>;
}

struct NamedState<G> {
    game: G,
    names: Vec<String>,
}

impl<G: Hosted> Snapshot for NamedState<G> {
    fn draw(&self, room: Room) -> Picture {
        self.game.draw(&self.names, room)
    }
    fn draw_for(&self, player: PlayerId, room: Room) -> Option<Picture> {
        self.game.draw_for(player, &self.names, room)
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
            G::settle(&mut config, players, game::Seed(seed))?;
            G::start(&config, players, game::Seed(seed))
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
        let (mut config, seed) = (Self::config(setup)?, game::Seed(0));
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
