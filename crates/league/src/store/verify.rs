//! Verifies that the table of a run follows from its replays: every game is played again, and what
//! the database says of it is compared.

use game::Afterwards;
use std::collections::{HashMap, HashSet};
use std::io;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use table::{Contestant, Entrant, Header, Occasion, Record, Recording, Report, Terms};

use crate::file::{GameList, Stop};
use crate::schedule::{Fixture, GameKey};
use crate::store::event_rows::{EventTerms, StoredEvent};
use crate::store::folder::Folder;
use crate::store::journal::Decision;
use crate::store::pack::{self, PackPosition};
use crate::store::pack_label::{Origin, PackLabel};
use crate::store::run_copy::RunCopy;
use crate::store::{GameTables, Store, StoreError};
use crate::tournament::event_progress::EventProgress;

/// What has come of looking at a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Games that were played again.
    pub games: u64,
    /// What is wrong, by event and number.
    pub wrong: Vec<WrongGame>,
}

/// Something that does not agree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WrongGame {
    /// In which event, if it is about one.
    pub event: Option<String>,
    /// The game's number in its schedule, from 1, if it is about one.
    pub number: Option<u64>,
    /// What does not agree.
    pub what: String,
}

/// One game of an event.
struct CheckedGame<'a> {
    event: &'a CheckedEvent,
    fixture: Option<(u64, Fixture)>,
    key: GameKey,
    report: Report,
    ranks: Vec<u16>,
    place: Option<PackPosition>,
}

/// An event that is looked at.
struct CheckedEvent {
    id: usize,
    known: StoredEvent,
    terms: EventTerms,
    /// Bots that changed on the way, which replays know by what they were.
    changed: HashSet<String>,
}

/// Plays all games of these events again, on all cores. `done` counts them.
pub fn verify(
    store: &Store,
    events: &[usize],
    games: GameList,
    done: &AtomicU64,
) -> Result<Verified, StoreError> {
    store.check_games(GameTables::Rows)?;
    let mut verified = Verified::default();
    let replays = store.folder.inside("replays").ok();
    let before = replays.as_ref().map(RunCopy::read);
    // Somebody may be playing: all that is read is of one moment.
    let _moment = store.with_path(store.db.unchecked_transaction())?;
    let known = store.events()?;
    let places = store.with_path(crate::store::game_rows::places(&store.db))?;
    let copies = if places.is_empty() { RunCopies::NotYet } else { RunCopies::Made };
    if let Some(what) = odd_terms(store, before, replays.as_ref(), copies)? {
        verified.wrong.push(WrongGame { event: None, number: None, what });
    }
    if let Some(event) = store.wrong_sums()? {
        let event = known.get(event).map(|event| event.name.clone());
        let what = "the games do not add up to the sums in the database".to_owned();
        verified.wrong.push(WrongGame { event, number: None, what });
    }
    let mut looked = Vec::new();
    for &id in events {
        let (known, terms) = (known[id].clone(), known[id].event_terms());
        let changed = changed_bots(store, &known.name)?;
        looked.push(CheckedEvent { id, known, terms, changed });
    }
    let mut all = Vec::new();
    for event in &looked {
        all.extend(of_event(store, event, &places)?);
    }
    verified.games = all.len() as u64;
    let wrong = Mutex::new(&mut verified.wrong);
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(all.len().max(1)) {
            scope.spawn(|| {
                while let Some(game) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Rules that panic have not been followed.
                    let looked = host::catch(|| game.look(replays.as_ref(), games));
                    let found = looked.unwrap_or_else(|panic| Err(panic.to_string()));
                    if let Err(what) = found {
                        let number = game.fixture.as_ref().map(|(number, _)| *number);
                        let event = Some(game.event.known.name.clone());
                        let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                        wrong.push(WrongGame { event, number, what });
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    verified.wrong.sort();
    Ok(verified)
}

/// Bots of an event that changed on the way, which replays know by what they were.
fn changed_bots(store: &Store, event: &str) -> Result<HashSet<String>, StoreError> {
    let bot = |decision: Decision| match decision {
        Decision::Accept { event: of, bot } if of == event => Some(bot),
        Decision::Accept { .. }
        | Decision::Withdraw { .. }
        | Decision::Disqualify { .. }
        | Decision::Forbid { .. }
        | Decision::Reinstate { .. }
        | Decision::Void { .. }
        | Decision::Concurrency { .. }
        | Decision::Priority { .. }
        | Decision::Add { .. } => None,
    };
    Ok(store.journal()?.into_iter().filter_map(|entry| bot(entry.what)).collect())
}

/// Games that one worker of a cluster has played, of which their replays say something else than the
/// database: by event and key, with what is wrong.
pub fn verify_worker(
    store: &Store,
    worker: &str,
    games: GameList,
) -> Result<Vec<(usize, GameKey, String)>, StoreError> {
    let replays = store.folder.inside("replays").ok();
    let _moment = store.with_path(store.db.unchecked_transaction())?;
    let places = store.with_path(crate::store::game_rows::places(&store.db))?;
    let mut wrong = Vec::new();
    for (id, known) in store.events()?.into_iter().enumerate() {
        let (terms, changed) = (known.event_terms(), changed_bots(store, &known.name)?);
        let event = CheckedEvent { id, known, terms, changed };
        for game in of_event(store, &event, &places)? {
            if game.report.worker.as_ref().is_none_or(|played| played.name != worker) {
                continue;
            }
            let looked = host::catch(|| game.look(replays.as_ref(), games));
            if let Err(what) = looked.unwrap_or_else(|panic| Err(panic.to_string())) {
                wrong.push((id, game.key.clone(), what));
            }
        }
    }
    Ok(wrong)
}

/// Whether the version that made a run made copies of its terms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunCopies {
    Made,
    /// It was an early one, or nothing has been played yet.
    NotYet,
}

/// What the database and the copy beside the replays disagree about. The copy may be made anew
/// meanwhile: it is looked at before and after.
fn odd_terms(
    store: &Store,
    before: Option<io::Result<RunCopy>>,
    replays: Option<&Folder>,
    copies: RunCopies,
) -> Result<Option<String>, StoreError> {
    let terms = store.terms()?;
    let odd = |copy: Option<io::Result<RunCopy>>| match copy {
        Some(Ok(copy)) => {
            let what = terms.difference(&copy)?;
            Some(format!("{what}: the database and replays/run.json disagree"))
        }
        // Runs of earlier versions have none.
        Some(Err(_)) | None if copies == RunCopies::NotYet => None,
        Some(Err(error)) => Some(format!("replays/run.json: {error}")),
        None => Some("there are no replays".to_owned()),
    };
    Ok(odd(before).and_then(|_| odd(replays.map(RunCopy::read))))
}

/// The games of an event, as the database has them.
fn of_event<'a>(
    store: &Store,
    event: &'a CheckedEvent,
    places: &HashMap<String, PackPosition>,
) -> Result<Vec<CheckedGame<'a>>, StoreError> {
    let results = store.results(event.id)?;
    let progress =
        EventProgress::new(event.known.plan(), Stop::default(), results.clone(), HashMap::new());
    let mut reports = store.reports(event.id)?;
    let mut games = Vec::new();
    let mut add = |fixture: Option<(u64, Fixture)>, key: GameKey, report: Report| {
        let ranks = results.get(&key).map(<[u16]>::to_vec).unwrap_or_default();
        let place = places.get(&report.id).copied();
        games.push(CheckedGame { event, fixture, key, report, ranks, place });
    };
    for (number, fixture) in (1..).zip(progress.fixtures()) {
        // Most of a long schedule lies behind the last finished game.
        if reports.is_empty() {
            break;
        }
        let key = fixture.key();
        if let Some(report) = reports.remove(&key) {
            add(Some((number, fixture.clone())), key, report);
        }
    }
    for (key, report) in reports {
        add(None, key, report);
    }
    Ok(games)
}

impl CheckedGame<'_> {
    /// Plays a game again, and says what does not agree.
    fn look(&self, replays: Option<&Folder>, games: GameList) -> Result<(), String> {
        let Some((_, fixture)) = &self.fixture else {
            return Err(format!("game {} is not part of the schedule", self.key));
        };
        let replays = replays.ok_or("there are no replays")?;
        let read = |error: io::Error| format!("its replay cannot be read: {error}");
        let (bytes, origin) = match self.place {
            Some(place) => {
                let packed = pack::read(replays, place).map_err(read)?;
                let origin = self.look_at_label(&packed)?;
                (packed.replay, origin)
            }
            None => {
                let file = replays.read(format!("{}.lrz", self.report.id)).map_err(read)?;
                (crate::store::whole(file).map_err(read)?, Origin::File)
            }
        };
        let record = Record::read(&bytes).map_err(|error| format!("its replay: {error}"))?;
        let game = table::named(games, &record.header).ok_or("its game is not known")?;
        let replay = game.replay(&record).map_err(|error| format!("its replay: {error}"))?;
        replay.verify().map_err(|error| format!("its replay does not verify: {error}"))?;
        let outcome = replay.result().ok_or("its replay is of a void game")?;
        let ranks: Vec<u16> = self.report.players.iter().map(|player| player.rank).collect();
        if outcome.ranks != ranks || self.ranks != ranks {
            return Err(format!(
                "the places are {:?} in the replay, and {ranks:?} in the database",
                outcome.ranks
            ));
        }
        let scores: Vec<f64> = self.report.players.iter().map(|player| player.score).collect();
        if outcome.scores != scores || outcome.reason != self.report.reason {
            return Err("its points or reason differ in the replay".to_owned());
        }
        if self.report.ending.as_ref().is_some_and(|ending| *ending != outcome.ending) {
            return Err("its ending differs in the replay".to_owned());
        }
        self.look_at_header(&record.header, fixture, game, origin)
    }

    /// Compares the row with what was noted when the game was kept.
    fn look_at_label(&self, packed: &pack::PackRecord) -> Result<Origin, String> {
        let label: PackLabel = packed.about().map_err(|error| format!("its record: {error}"))?;
        let PackLabel::Game(label) = label;
        let header =
            Record::read(&packed.replay).map_err(|error| format!("its replay: {error}"))?;
        let noted = label.report(&header.header).ok_or("its record is of another game")?;
        let plain = |report: &Report| {
            let mut report = report.clone();
            (report.index, report.run_seed, report.replay) = (0, None, None);
            report.players.iter_mut().for_each(|player| player.about = None);
            report
        };
        if label.event != self.event.id || label.key != self.key.0 {
            return Err(format!("its record is of game {}", label.key));
        }
        match plain(&noted) == plain(&self.report) {
            true => Ok(label.origin),
            false => Err("the database and its record disagree".to_owned()),
        }
    }

    /// Compares who played what with the schedule.
    fn look_at_header(
        &self,
        header: &Header,
        fixture: &Fixture,
        game: &dyn table::AnyGame,
        origin: Origin,
    ) -> Result<(), String> {
        let CheckedEvent { known, terms, changed, .. } = self.event;
        let scale = self.report.worker.as_ref().map_or(1.0, |worker| worker.time_scale);
        if header.game != known.game {
            return Err(format!("the replay is of {}, not of {}", header.game, known.game));
        }
        if header.id != self.report.id {
            return Err(format!("the replay is of match {}", header.id));
        }
        let wanted = match origin {
            Origin::Pack => fixture.seed().0,
            Origin::File => self.report.seed,
        };
        if [header.seed.0, self.report.seed] != [wanted; 2] {
            return Err(format!("its seed is {}, not {wanted}", header.seed.0));
        }
        for (line, bot) in header.players.iter().zip(&fixture.seating) {
            let bot = &known.bots[bot.index()];
            if line.name != bot.name {
                return Err(format!("{} played in the place of {}", line.name, bot.name));
            }
            if line.bot != bot.shown && !changed.contains(&bot.name) {
                let (then, now) = (&line.bot, &bot.shown);
                return Err(format!("{} was {then} when it played, not {now}", bot.name));
            }
            let own = terms.clocks.get(&bot.name).map(|clock| clock.scaled(scale));
            if line.clock != own {
                return Err(format!("{} played with another clock", bot.name));
            }
        }
        let setup = terms.setups.get(fixture.variant).ok_or("its set-up is not known")?;
        let clock = terms.clock.ok_or("the clock is not known")?.scaled(scale);
        // A match of the same terms has the same header; who plays does not matter to that.
        let again = Terms {
            id: String::new(),
            seed: header.seed,
            entrants: header
                .players
                .iter()
                .map(|player| {
                    Entrant::new(&player.name, Contestant::Program { then: Afterwards::Leave })
                })
                .collect(),
            clock,
            adjudication: terms.adjudication,
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        let table = game.table(setup, again).map_err(|error| format!("its set-up: {error}"))?;
        let log = table.take_log();
        let wanted = log.header();
        match (wanted.config == header.config, wanted.clock == header.clock) {
            (false, _) => Err("it was played with another set-up".to_owned()),
            (true, false) => Err("it was played with another clock".to_owned()),
            (true, true) if wanted.adjudication != header.adjudication => {
                Err("it was played with another adjudication".to_owned())
            }
            (true, true) => Ok(()),
        }
    }
}
