//! The bots of a run on this machine: fetched by their hashes, unpacked once, built once, checked.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use host::{BotSpec, LiveGames, Run};
use league::{entrants, scratch_for};
use serde_json::{Map, Value};
use table::{AnyGame, Entrant};

use crate::archive::{Archive, MOST_BYTES};
use crate::bots::TravellingBot;
use crate::wire::{self, Brief, Inability};
use crate::worker::WorkerOptions;
use crate::worker::talk::{Conversation, FetchError};

/// The description of a run is no longer.
const LONGEST_BRIEF: u64 = 256 << 20;

/// When root works here, bots that are built belong to this user: nobody else has the number.
const OWNER: u32 = 61_111;

/// Everything that is needed to play games of a run.
pub(crate) struct PreparedRun {
    pub(crate) run: Run,
    pub(crate) events: Vec<PreparedEvent>,
    /// The bots that cannot be run here, and why.
    pub(crate) cannot: Vec<Inability>,
}

/// An event of the run.
pub(crate) struct PreparedEvent {
    /// The game; none if this program does not know it.
    pub(crate) game: Option<&'static dyn AnyGame>,
    pub(crate) setups: Vec<Arc<Map<String, Value>>>,
    pub(crate) clock: game::Clock,
    pub(crate) adjudication: table::Adjudication,
    /// Its bots: their places in the roster, and as players. None that cannot be run.
    pub(crate) bots: Vec<Option<(usize, Entrant)>>,
}

/// Why nothing can be played.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    #[error("cannot fetch the description of the run: {0}")]
    Fetch(#[from] FetchError),
    #[error("the description of the run: {0}")]
    Brief(#[from] wire::WireError),
    #[error(transparent)]
    Run(#[from] host::RunError),
}

impl PreparedRun {
    /// Fetches and prepares everything that a run describes.
    pub(crate) fn new(
        options: &WorkerOptions,
        talk: &mut Conversation<'_>,
        digest: &str,
        live: Arc<LiveGames>,
        mut beat: impl FnMut(&mut Conversation<'_>),
    ) -> Result<PreparedRun, PrepareError> {
        let brief: Brief = wire::unpack(&talk.fetch(digest, LONGEST_BRIEF)?)?;
        let mut roster = Vec::new();
        let mut places: Vec<Vec<Option<usize>>> = Vec::new();
        let mut cannot = Vec::new();
        let mut known: HashMap<Vec<u8>, Result<BotSpec, String>> = HashMap::new();
        for (number, event) in (0..).zip(&brief.events) {
            let mut own = Vec::new();
            for (bot, sent) in (0..).zip(&event.bots) {
                beat(talk);
                // The same bot in another event is the same.
                let ready = known
                    .entry(wire::pack(sent))
                    .or_insert_with(|| prepare(options, talk, sent).map_err(|why| why.to_string()));
                own.push(match ready {
                    Ok(spec) => {
                        roster.push(spec.clone());
                        Some(roster.len() - 1)
                    }
                    Err(why) => {
                        cannot.push(Inability { event: number, bot, why: why.clone() });
                        None
                    }
                });
            }
            places.push(own);
        }
        let scratch = scratch_for(&roster)?;
        let players = entrants(&roster, scratch.as_ref(), brief.manner.reuse)?;
        let run = Run {
            concurrency: options.slots,
            placement: brief.manner.placement,
            exe: Some(options.exe.clone()),
            scratch,
            pondering: brief.manner.pondering,
            cage: options.cage.clone(),
            roster,
            live: Some(live),
            people: None,
        };
        let mut events = Vec::new();
        for (event, places) in brief.events.into_iter().zip(places) {
            let game = options.games.iter().copied().find(|game| game.card().id == event.game);
            let clocks = event.bots.iter().map(TravellingBot::clock);
            let bot = |(place, clock): (Option<usize>, Option<game::Clock>)| {
                let place = place?;
                Some((place, Entrant { clock, ..players[place].clone() }))
            };
            events.push(PreparedEvent {
                game,
                setups: event.setups.into_iter().map(Arc::new).collect(),
                clock: event.clock,
                adjudication: event.adjudication,
                bots: places.into_iter().zip(clocks).map(bot).collect(),
            });
        }
        Ok(PreparedRun { run, events, cannot })
    }
}

/// Fetches, unpacks, builds and checks a bot.
fn prepare(
    options: &WorkerOptions,
    talk: &mut Conversation<'_>,
    sent: &TravellingBot,
) -> Result<BotSpec, Box<dyn Error>> {
    let folder = match &sent.archive {
        None => options.cache.clone(),
        Some(digest) if wire::is_digest(digest) => {
            // What a build makes is for one architecture.
            let folder = options.cache.join(format!("{digest}-{}", std::env::consts::ARCH));
            if !folder.is_dir() {
                let bytes = talk.fetch(digest, MOST_BYTES + (16 << 20))?;
                Archive::read(&bytes)?.unpack(&folder)?;
            }
            folder
        }
        Some(_) => return Err("its archive has no proper name".into()),
    };
    let spec = sent.arrive(&folder)?;
    spec.check_grants(&options.cage)?;
    if spec.build.is_some() {
        if rustix::process::geteuid().is_root() {
            give_away(&folder)?;
        }
        let name = game::printable(spec.name.as_bytes(), 60);
        let begins = |command: &str| {
            let command = game::printable(command.as_bytes(), 200);
            (options.notes)(&format!("building {name}: {command}"));
        };
        spec.build(&options.cage, &options.exe, begins)?;
    }
    spec.check_programs()?;
    spec.check_access(&options.cage, &options.exe)?;
    Ok(spec)
}

/// Gives a folder and everything in it to a user who may build in it.
fn give_away(folder: &Path) -> std::io::Result<()> {
    std::os::unix::fs::lchown(folder, Some(OWNER), Some(OWNER))?;
    for entry in fs::read_dir(folder)?.flatten() {
        match entry.file_type()?.is_dir() {
            true => give_away(&entry.path())?,
            false => std::os::unix::fs::lchown(entry.path(), Some(OWNER), Some(OWNER))?,
        }
    }
    Ok(())
}
