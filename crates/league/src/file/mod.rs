//! The tournament file.

pub(crate) mod cluster;
mod keys;
pub mod setup;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use game::{Clock, NoTimeError};
use host::{AskedLimits, BotSpec, Placement, Pondering, Program, Reuse, unique_names};
use serde::Deserialize;
use serde_json::{Map, Value};
use table::{AnyGame, AskedAdjudication, Card};
use thiserror::Error;

use crate::bots::program_files::BotFiles;
use crate::file::cluster::ClusterTerms;
use crate::file::keys::{Section, TestLine, format, open_games, setups, tie_breaks, weights};
use crate::file::setup::{SetupFileError, read_bounded};
use crate::schedule::{Amendments, Format, OpenGames, Pairing, Plan, PlanError, TieBreak};
use crate::store::event_rows::PlanLine;
use crate::tournament::sequential_test::Hypotheses;

/// More games at a time are refused as a mistake: each has a thread of its own.
pub const MOST_AT_A_TIME: u16 = 1000;

/// Ratings that somebody may be given.
pub const ANCHORS: std::ops::RangeInclusive<f64> = -10_000.0..=10_000.0;

/// A longer tournament file is refused.
const LONGEST_FILE: u64 = 4 << 20;

/// The games that can be played.
pub type GameList = &'static [&'static dyn AnyGame];

/// A tournament as it is to be played.
pub struct TournamentFile {
    /// Its name.
    pub name: String,
    /// How many games are played at a time, if the file says so.
    pub concurrency: Option<u16>,
    /// When to stop.
    pub stop: Stop,
    /// How the processes of bots are kept and placed.
    pub manner: ProcessOptions,
    /// How it is played on many machines, if it is.
    pub cluster: ClusterTerms,
    /// What is played; at least one.
    pub events: Vec<EventSpec>,
    /// The text of the file.
    pub text: String,
    /// The folder that paths start from.
    pub base: PathBuf,
    /// The file itself.
    pub path: PathBuf,
}

/// One game of a tournament, with its own table.
pub struct EventSpec {
    /// Its name; the game's if the file gives none.
    pub name: String,
    /// The game.
    pub game: &'static dyn AnyGame,
    /// Who meets whom.
    pub format: Format,
    /// Bots in one game.
    pub seats: usize,
    /// What decides between equal points, where the file says so.
    pub tiebreaks: Option<Vec<TieBreak>>,
    /// How a swiss tournament pairs: as its run began.
    pub pairing: Pairing,
    /// Where chance comes from, if the file says so; otherwise a run draws a seed and keeps it.
    pub seed: Option<u64>,
    /// The set-ups that take turns; one unless there are variants.
    pub setups: Vec<Map<String, Value>>,
    /// How often each of them has its turn; once where it does not say.
    pub weights: Vec<u32>,
    /// The time control.
    pub clock: Clock,
    /// When matches are ended before their rules do, as far as the file says.
    pub adjudication: AskedAdjudication,
    /// How the processes of bots are kept and placed.
    pub manner: ProcessOptions,
    /// What its programs may use at most, where the file says so.
    pub limits: AskedLimits,
    /// What becomes of the open games of a bot that leaves, if the file says so.
    pub open_games: Option<OpenGames>,
    /// Games of an event with a higher priority are played first.
    pub priority: i32,
    /// Those who take part.
    pub bots: Vec<BotEntry>,
    /// The question that ends it, if it is a test.
    pub test: Option<Hypotheses>,
}

/// A bot as it was entered.
#[derive(Clone)]
pub struct BotEntry {
    /// What it is.
    pub spec: BotSpec,
    /// How it was given.
    pub text: String,
    /// Its own time control, if the file gives it one.
    pub clock: Option<Clock>,
    /// Its files, as they were when it was admitted.
    pub(crate) files: BotFiles,
    /// The rating it is to have, to which all others are relative.
    pub anchor: Option<f64>,
}

impl BotEntry {
    /// A bot that was given like this.
    pub fn new(spec: BotSpec, text: String) -> BotEntry {
        BotEntry { spec, text, clock: None, files: BotFiles::default(), anchor: None }
    }
}

/// How the processes of bots are kept and placed, in all events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessOptions {
    /// Whether a process may serve several games.
    pub reuse: Reuse,
    /// Whether bots may think while they are not on move.
    pub pondering: Pondering,
    /// Which cores they use.
    pub placement: Placement,
}

/// When a tournament stops before its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stop {
    /// After so many games of each event.
    pub games: Option<u64>,
    /// After so many minutes; run it again to continue for as long.
    pub minutes: Option<f64>,
    /// When no rating's error is larger.
    pub rating_error: Option<f64>,
    /// A bot that has failed in so many games of an event is disqualified.
    pub faults: Option<u64>,
    /// When this is answered: an event's own.
    #[serde(skip)]
    pub test: Option<Hypotheses>,
}

/// Why a tournament file is refused.
#[derive(Debug, Error)]
pub enum TournamentFileError {
    /// It cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is not in the language of such files.
    #[error("{path} is not a tournament file: {why}")]
    Syntax {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// Something in it cannot be.
    #[error("{path}: {why}")]
    Wrong {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
}

/// Why one event cannot be played.
#[derive(Debug, Error)]
pub(crate) enum EventError {
    #[error("{0}")]
    Plain(String),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Setup(#[from] game::SetupError),
    #[error(transparent)]
    File(#[from] SetupFileError),
    #[error(transparent)]
    Clock(#[from] NoTimeError),
}

impl TournamentFile {
    /// Reads a tournament file.
    pub fn read(path: &Path, games: GameList) -> Result<TournamentFile, TournamentFileError> {
        let shown = path.display().to_string();
        let text = std::fs::File::open(path)
            .and_then(|file| read_bounded(file, LONGEST_FILE))
            .map_err(|error| TournamentFileError::Unreadable { path: shown.clone(), error })?;
        TournamentFile::parse(text, path, games)
    }

    /// Understands the text of a tournament file that is said to lie at `path`.
    pub fn parse(
        text: String,
        path: &Path,
        games: GameList,
    ) -> Result<TournamentFile, TournamentFileError> {
        let shown = &*path.display().to_string();
        let base = path.parent().filter(|base| !base.as_os_str().is_empty());
        let base = base.unwrap_or(Path::new(".")).to_owned();
        let stem = path.file_stem().map_or("cup".into(), |stem| stem.to_string_lossy());
        let wrong = |why: String| TournamentFileError::Wrong { path: shown.to_owned(), why };
        let file: Section = toml::from_str(&text).map_err(|error| TournamentFileError::Syntax {
            path: shown.to_owned(),
            why: game::wanted(error.to_string().trim_end()),
        })?;
        let mut events = Vec::new();
        let own_events = file.events.as_deref().unwrap_or_default();
        let tests = file.tests.as_deref().unwrap_or_default();
        if own_events.is_empty() && tests.is_empty() {
            let only = Section { name: None, ..file.clone() };
            let event = event(&only, &file, &base, games);
            events.push(event.map_err(|error| wrong(game::wanted(&error.to_string())))?);
        }
        for (index, own) in own_events.iter().enumerate() {
            let event = file.event(own).and_then(|whole| event(&whole, own, &base, games));
            let event = event.map_err(|error| wrong(format!("event {}: {error}", index + 1)))?;
            if events.iter().any(|other: &EventSpec| other.name == event.name) {
                return Err(wrong(format!(
                    "two events are called \"{}\"; give each a name of its own",
                    event.name
                )));
            }
            events.push(event);
        }
        for (index, line) in tests.iter().enumerate() {
            let test = test(line.clone(), &file, &base, games);
            let test = test.map_err(|error| wrong(format!("test {}: {error}", index + 1)))?;
            if events.iter().any(|other: &EventSpec| other.name == test.name) {
                let name = &test.name;
                return Err(wrong(format!(
                    "test {}: there is a \"{name}\" already; give each a name of its own",
                    index + 1
                )));
            }
            events.push(test);
        }
        let top = file.key_of_tests().filter(|_| tests.is_empty());
        if let Some(key) = own_events.iter().find_map(Section::key_of_tests).or(top) {
            return Err(wrong(format!("{key} belongs to a test: write it under [[tests]]")));
        }
        if file.concurrency.is_some_and(|games| !(1..=MOST_AT_A_TIME).contains(&games)) {
            return Err(wrong(format!("concurrency must be within 1 to {MOST_AT_A_TIME}")));
        }
        let manner = file.manner();
        let stop = file.stop.unwrap_or_default();
        let positive = |number: Option<f64>| number.is_none_or(|number| number > 0.0);
        if stop.games == Some(0)
            || stop.faults == Some(0)
            || !positive(stop.minutes)
            || !positive(stop.rating_error)
        {
            return Err(wrong("values under [stop] must be above zero".to_owned()));
        }
        let cluster = file.cluster.unwrap_or_default().terms().map_err(wrong)?;
        Ok(TournamentFile {
            cluster,
            name: named(file.name.unwrap_or_else(|| stem.into_owned())).map_err(wrong)?,
            concurrency: file.concurrency,
            stop,
            manner,
            events,
            text,
            base,
            path: path.to_owned(),
        })
    }
}

impl EventSpec {
    /// What the schedule depends on, with this seed, bots that joined at these times, and what was
    /// decided since.
    pub fn plan(&self, seed: u64, joined: Vec<u32>, amendments: Amendments) -> Plan {
        self.plan_line(seed).plan(joined, amendments, self.test.as_ref())
    }

    /// The same as it is stored, without what depends on the run and on who takes part.
    pub(crate) fn plan_line(&self, seed: u64) -> PlanLine {
        PlanLine {
            format: self.format,
            seats: self.seats,
            seed,
            variants: self.setups.len(),
            weights: self.weights.clone(),
            pairing: self.pairing,
            tiebreaks: self.tiebreaks.clone(),
            most: None,
            open_games: self.open_games,
            anchors: BTreeMap::new(),
        }
    }
}

/// The name of a tournament, if a folder can be called by it.
fn named(name: String) -> Result<String, String> {
    match name.trim() {
        "" | "." | ".." => Err(format!("no folder can be called \"{name}\"; give another name")),
        _ if name.contains('\0') => Err("no folder's name has a zero byte in it".to_owned()),
        _ => Ok(name),
    }
}

/// A bot for a game, with what the tournament grants it.
pub(crate) fn enter(
    text: &str,
    name: Option<&str>,
    base: &Path,
    card: &Card,
    limits: &AskedLimits,
) -> Result<BotEntry, String> {
    let spec = BotSpec::read(text, name, base, card, limits).map_err(|error| error.to_string())?;
    let text = match name {
        Some(name) => format!("{name}={text}"),
        None => text.to_owned(),
    };
    Ok(BotEntry::new(spec, text))
}

/// Files and folders that the file grants a bot. What is not there cannot be meant.
fn granted(paths: &[PathBuf], base: &Path) -> Result<Vec<PathBuf>, EventError> {
    let real = |path: &PathBuf| {
        let path = base.join(path);
        let real = path.canonicalize();
        real.map_err(|error| {
            EventError::Plain(format!("cannot show bots {}: {error}", path.display()))
        })
    };
    paths.iter().map(real).collect()
}

/// Whether a bot of several events can play in this one.
fn is_for(text: &str, base: &Path, card: &Card) -> bool {
    let Ok(spec) = BotSpec::parse(text, base) else { return true };
    match &spec.program {
        Program::BuiltIn(name) => card.bots.iter().any(|bot| bot.name == name),
        Program::Person => false,
        Program::Command { .. } => spec.game.is_none_or(|game| game == card.id),
    }
}

/// The event of a test.
fn test(
    line: TestLine,
    file: &Section,
    base: &Path,
    games: GameList,
) -> Result<EventSpec, EventError> {
    let game = line.game().or(file.game.as_deref());
    let card = games.iter().map(|game| game.card()).find(|card| Some(card.id) == game);
    let usual = card.map_or(2, |card| usize::from(card.usual_players).max(2));
    let own = line.event(file, usual);
    let mut whole = file.event(&own)?;
    let hypotheses = whole.hypotheses();
    hypotheses.test().map_err(|error| EventError::Plain(error.to_string()))?;
    // What a test needs not, a file may say for its events.
    (whole.games, whole.extra_pairs, whole.third_place) = (None, None, None);
    let mut event = event(&whole, &own, base, games)?;
    event.test = Some(hypotheses);
    if own.name.is_none() {
        event.name = match &event.bots[..] {
            [new, old, ..] => format!("{} vs {}", new.spec.name, old.spec.name),
            _ => event.name,
        };
    }
    Ok(event)
}

/// An event as its keys say, of which those of its own stand `here`.
fn event(
    keys: &Section,
    here: &Section,
    base: &Path,
    games: GameList,
) -> Result<EventSpec, EventError> {
    let plain = |text: String| Err(EventError::Plain(text));
    let names: Vec<&str> = games.iter().map(|game| game.card().id).collect();
    let Some(name) = &keys.game else {
        return plain(format!("it does not say which game; the games are {}", names.join(", ")));
    };
    let Some(game) = games.iter().copied().find(|game| game.card().id == name) else {
        let near = game::did_you_mean(name, names.iter().copied());
        return plain(format!(
            "there is no game \"{name}\"{near}; the games are {}",
            names.join(", ")
        ));
    };
    let card = game.card();
    let limits = keys.limits.unwrap_or_default();
    let limits = limits.starting_within(keys.clock.and_then(|clock| clock.start_ms));
    let time = keys.clock.unwrap_or_default().settle(card.clock)?;
    let mut bots = Vec::new();
    for line in keys.bots.as_deref().unwrap_or_default() {
        // Of the bots of the whole file only those for this game are meant.
        if here.bots.is_none() && !is_for(&line.bot, base, &card) {
            continue;
        }
        let entry = enter(&line.bot, line.name.as_deref(), base, &card, &limits);
        let mut entry = entry.map_err(EventError::Plain)?;
        entry.spec.grants.read = granted(&line.read, base)?;
        entry.spec.grants.write = granted(&line.write, base)?;
        entry.anchor = line.anchor;
        if line.anchor.is_some_and(|elo| !ANCHORS.contains(&elo)) {
            return plain(format!(
                "anchor of \"{}\" is a rating within {} to {}",
                entry.spec.name,
                ANCHORS.start(),
                ANCHORS.end()
            ));
        }
        entry.clock = line.clock.map(|own| own.settle(time)).transpose()?;
        bots.push(entry);
    }
    unique_names(bots.iter_mut().map(|entry| &mut entry.spec));
    let (format, seats) = format(keys, here, &card, bots.len())?;
    let (least, most) = (usize::from(card.players.0), usize::from(card.players.1));
    if !(least..=most).contains(&seats) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return plain(format!("{} is for {wanted} players, not for {seats}", card.id));
    }
    let event = EventSpec {
        name: keys.name.clone().unwrap_or_else(|| card.id.to_owned()),
        game,
        format,
        seats,
        pairing: Pairing::LeastRepeats,
        tiebreaks: tie_breaks(keys, here, format)?,
        seed: keys.seed,
        weights: weights(keys)?,
        setups: setups(keys, &card, base)?,
        clock: time,
        adjudication: keys.adjudication.unwrap_or_default(),
        manner: keys.manner(),
        limits,
        open_games: open_games(keys, here, format)?,
        priority: keys.priority.unwrap_or(0),
        bots,
        test: None,
    };
    event.plan(0, vec![0; event.bots.len()], Amendments::default()).check()?;
    let adjudication = event.adjudication.settle(card.max_faults)?;
    for setup in &event.setups {
        game.check(setup, seats as u16)?;
        game.check_adjudication(adjudication, setup, seats as u16)?;
    }
    Ok(event)
}
