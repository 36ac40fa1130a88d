//! Jobs for workers: one match each, and series of matches between the same bots.

use std::sync::Arc;

use game::{Clock, Seed};
use host::{BotSpec, Job, NoRoom, Program, Run, RunError, Scratch, Tier};
use serde_json::{Map, Value};
use table::{Adjudication, AnyGame, Entrant, Occasion, Recording, Terms};

/// A match as workers play it. `bots` are the places of its players in the roster, by seat.
pub fn job(
    index: u64,
    bots: Vec<usize>,
    game: &'static dyn AnyGame,
    setup: Arc<Map<String, Value>>,
    terms: Terms,
) -> Job {
    Job {
        index,
        bots,
        turn_order: game.card().turn_order,
        table: Box::new(move || game.table(&setup, terms.clone())),
    }
}

/// Where the seeds of a series come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    /// From the seed of the run, from which every round of games gets one of its own.
    Run(u64),
    /// From this seed, all of them.
    Game(u64),
}

impl SeedSource {
    /// The seed of a round.
    fn of(self, round: u64) -> Seed {
        match self {
            SeedSource::Run(seed) => Seed(seed).of_round(round),
            SeedSource::Game(seed) => Seed(seed),
        }
    }

    /// The seed that all rounds come from.
    pub fn run_seed(self) -> Option<u64> {
        match self {
            SeedSource::Run(seed) => Some(seed),
            SeedSource::Game(_) => None,
        }
    }
}

/// Games between the same bots. Seats rotate from game to game; all rotations of a round have the
/// same seed.
pub struct Series {
    /// What is played.
    pub game: &'static dyn AnyGame,
    /// Its set-up.
    pub setup: Arc<Map<String, Value>>,
    /// Where chance comes from.
    pub seeds: SeedSource,
    /// The time control of those who have none of their own.
    pub clock: Clock,
    /// When games are ended before their rules do.
    pub adjudication: Adjudication,
    /// How many.
    pub games: u64,
    /// Whether they are recorded.
    pub recording: Recording,
    /// The players, in the order of the roster.
    pub entrants: Vec<Entrant>,
    /// What else makes these games different from others, in words.
    pub circumstances: String,
}

impl Series {
    /// The games, in order.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + Send {
        (0..self.games).map(|index| self.job(index))
    }

    /// What the match of a game is called.
    pub fn match_id(&self, index: u64) -> String {
        self.terms(index, &self.seating(index)).id
    }

    fn job(&self, index: u64) -> Job {
        let bots = self.seating(index);
        let terms = self.terms(index, &bots);
        job(index, bots, self.game, self.setup.clone(), terms)
    }

    fn seating(&self, index: u64) -> Vec<usize> {
        let players = self.entrants.len();
        let rotation = (index % players as u64) as usize;
        (0..players).map(|seat| (seat + rotation) % players).collect()
    }

    fn terms(&self, index: u64, bots: &[usize]) -> Terms {
        let terms = Terms {
            id: String::new(),
            seed: self.seeds.of(index / self.entrants.len() as u64),
            entrants: bots.iter().map(|&bot| self.entrants[bot].clone()).collect(),
            clock: self.clock,
            adjudication: self.adjudication,
            occasion: Occasion::SingleMatch,
            recording: self.recording,
        };
        let place = format!("{index} {}", self.circumstances);
        terms.identified(self.game.card().id, &self.setup, &place)
    }
}

/// A folder for the bots' files, if there are programs among them.
pub fn scratch_for(roster: &[BotSpec]) -> Result<Option<Scratch>, RunError> {
    match roster.iter().any(is_program) {
        true => Ok(Some(Scratch::new()?)),
        false => Ok(None),
    }
}

/// Refuses matches of so many actors each that need more processes than the system allows.
pub fn check_room(run: &Run, most_actors: u32) -> Result<(), NoRoom> {
    if !run.roster.iter().any(is_program) {
        return Ok(());
    }
    let processes = u64::from(most_actors) * run.concurrency as u64;
    // In a cage there is a first process beside the bot; every bot has a template, others only where
    // there is room, and there are the launcher and the guard. Whether there is a cage is only waited
    // for if it matters.
    let helpers = 2 + run.roster.iter().filter(|bot| is_program(bot)).count() as u64;
    match host::check_room(processes, 2, helpers) {
        Err(_) if run.tier() == Tier::E => host::check_room(processes, 1, 0),
        result => result,
    }
}

fn is_program(bot: &BotSpec) -> bool {
    match bot.program {
        Program::Command { .. } => true,
        Program::BuiltIn(_) | Program::Person => false,
    }
}
