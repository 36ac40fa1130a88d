//! Games, folders and events for tests of the store, and these tests.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use game::{Clock, Seed};
use host::{BotSpec, Placement, Run};
use table::{Contestant, Entrant, Occasion, Recording, Terms};

use super::*;
use crate::schedule::Format;
use crate::store::event_rows::{Arrival, PlanLine, StoredBot, StoredEvent};
use crate::store::lock::Lock;

/// A folder of this test's own, removed when dropped.
pub(crate) struct TestFolder(pub(crate) PathBuf);

impl TestFolder {
    pub(crate) fn new(name: &str) -> TestFolder {
        let name = format!("lanista-store-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written to");
        TestFolder(path)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A real game of the first kind there is, between two of its built-in bots.
pub(crate) fn played(key: &str) -> Played {
    let game = games::GAMES[0];
    let name = game.card().bots[0].name.to_owned();
    let entrant = |bot: &str| Entrant::new(bot, Contestant::BuiltIn(name.clone()));
    let terms = Terms {
        id: key.bytes().map(|byte| format!("{byte:02x}")).collect(),
        seed: Seed(1),
        entrants: vec![entrant("a"), entrant("b")],
        clock: Clock::per_turn(Duration::from_secs(60)),
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::Tournament,
        recording: Recording::On,
    };
    let bot = BotSpec::parse(&format!("builtin:{name}"), Path::new("")).expect("it is a bot");
    let job = crate::job(0, vec![0, 0], game, Default::default(), terms);
    let run = Run {
        roster: vec![bot],
        concurrency: 1,
        placement: Placement::None,
        exe: None,
        scratch: None,
        pondering: host::Pondering::Stopped,
        cage: host::CageTerms::none(),
        live: None,
        people: None,
    };
    let mut found = None;
    let each = |finished: host::Finished| {
        found = finished.result.ok();
        ControlFlow::Continue(())
    };
    run.play(std::iter::once(job), None, each).expect("it can be played");
    let (report, log) = found.expect("it is finished");
    let key = GameKey(key.to_owned());
    Played { event: 0, key, attempt: 0, seating: vec![BotId(0), BotId(1)], report, log }
}

/// An event of two bots at the same game.
pub(crate) fn event() -> StoredEvent {
    let bot = |name: &str| StoredBot {
        name: name.to_owned(),
        text: String::new(),
        shown: String::new(),
        identity: String::new(),
        joined: 0,
        added: None,
    };
    let format = Format::RoundRobin { rounds: 1 };
    StoredEvent {
        name: "event".to_owned(),
        game: games::GAMES[0].card().id.to_owned(),
        terms: "{}".to_owned(),
        plan: PlanLine {
            format,
            seats: 2,
            seed: 0,
            variants: 1,
            weights: Vec::new(),
            pairing: Default::default(),
            tiebreaks: None,
            most: None,
            open_games: None,
            anchors: Default::default(),
        },
        amendments: Default::default(),
        bots: vec![bot("a"), bot("b")],
    }
}

#[test]
fn games_are_not_written_to_files_that_were_removed() {
    for removed in ["run.db", "replays"] {
        let folder = TestFolder::new(&format!("removed-{removed}"));
        let mut store = Store::open(&folder.0).expect("it can be made");
        store.set_terms("cup", "", &[event()]).expect("it can be written");
        store.save(&[played("0.0.0:0-1")]).expect("it can be kept");
        let path = folder.0.join(removed);
        match path.is_dir() {
            true => std::fs::remove_dir_all(&path),
            false => std::fs::remove_file(&path),
        }
        .expect("it was there");
        let refused = store.save(&[played("0.0.1:0-1")]).expect_err("nobody would find it");
        assert!(matches!(&refused, StoreError::Removed(what) if what.ends_with(removed)));
    }
}

#[test]
fn a_game_is_kept_whole_and_counted_once() {
    let folder = TestFolder::new("once");
    let mut store = Store::open(&folder.0).expect("it can be made");
    let event = event();
    store.set_terms("cup", "", std::slice::from_ref(&event)).expect("it can be written");
    assert_eq!(store.events().expect("it can be read"), [event]);
    let game = played("0.0.0:0-1");
    store.save(std::slice::from_ref(&game)).expect("it can be kept");
    store.save(&[played("0.0.0:0-1"), played("0.0.1:0-1")]).expect("it can be kept");
    assert_eq!(store.games().expect("it can be read"), 2);
    let reports = store.reports(0).expect("they can be read");
    let mut report = game.report.clone();
    report.replay = Some(format!("replays/{}.lrz", report.id));
    report.run_seed = Some(0);
    assert_eq!(reports[&game.key], report, "what is read is what was written");
    let bytes = store.replay(&report.id).expect("it is there");
    let same = bytes == game.log.to_file().expect("it can be packed");
    assert!(same, "the replay is that of the game that counts");
    let paces: u64 = store
        .db
        .query_row("SELECT SUM(answers) FROM paces", [], |row| row.get(0))
        .expect("there are times");
    let moves: u32 = report.players.iter().map(|player| player.moves).sum();
    assert_eq!(paces, u64::from(2 * moves), "times are counted once a game");
}

#[test]
fn one_plays_and_others_look() {
    let folder = TestFolder::new("lock");
    assert!(matches!(Store::open_to_read(&folder.0), Err(StoreError::NoRun(_))));
    let lock = Lock::take(&folder.0).expect("nobody is there");
    let error = Lock::take(&folder.0).err().expect("somebody is there").to_string();
    assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
    drop(lock);
    Lock::take(&folder.0).expect("whoever waited in vain keeps nothing");
}

#[test]
fn a_run_of_the_first_version_goes_on() {
    let folder = TestFolder::new("first-version");
    let store = Store::open(&folder.0).expect("it can be made");
    let make = "DROP TABLE result_sums; DROP TABLE time_sums; DROP TABLE fault_sums;
                DROP TABLE worker_sums; DROP TABLE worker_time_sums;
                ALTER TABLE games DROP COLUMN worker; ALTER TABLE games DROP COLUMN speed;
                ALTER TABLE games DROP COLUMN time_scale; DROP TABLE arrivals; DROP TABLE abouts; DROP TABLE journal; ALTER TABLE faults DROP COLUMN count; ALTER TABLE faults DROP COLUMN agent;
                ALTER TABLE games DROP COLUMN ending; ALTER TABLE games DROP COLUMN kept;
                ALTER TABLE games DROP COLUMN pack; ALTER TABLE games DROP COLUMN place;
                INSERT INTO run VALUES ('old', ''); PRAGMA user_version = 1";
    store.db.execute_batch(make).expect("it can be made older");
    drop(store);
    assert_eq!(
        Store::open_to_read(&folder.0).and_then(|store| store.name()).expect("it is read"),
        "old"
    );
    let mut store = Store::open(&folder.0).expect("it can be played on");
    let words = |text: &str| text.to_owned();
    let arrival = Arrival { event: words("event"), text: words("a=./a"), base: words("/b") };
    store.add_arrival(&arrival, "c").expect("it can be written");
    assert_eq!(store.arrivals().expect("they can be read"), [arrival]);
    assert_eq!(store.name().expect("it is read"), "old");
}

#[test]
fn a_run_is_read_where_nothing_can_be_written() {
    // A name that is no address as it is.
    let folder = TestFolder::new("read only?mode=rwc#50%41ü");
    let mut store = Store::open(&folder.0).expect("it can be made");
    store.set_terms("cup", "", &[]).expect("it can be written");
    // Whoever plays has not put everything into the database yet.
    let opened = Folder::open(&folder.0).expect("it is there");
    assert!(Store::open_unwritable(&opened).is_none());
    drop(store);
    let name = |store: Store| store.name().expect("it can be read");
    let opened = Folder::open(&folder.0).expect("it is there");
    let still = Store::open_unwritable(&opened).expect("all of it is there");
    assert_eq!(name(still.expect("it can be opened")), "cup");
    let may = |mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&folder.0, permissions).expect("it is ours");
    };
    may(0o555);
    let found = Store::open_to_read(&folder.0).map(name);
    may(0o755);
    assert_eq!(found.expect("it can be opened"), "cup");
    assert!(!folder.0.join("run.db-shm").exists(), "nothing is left behind");
}

#[test]
fn a_later_version_is_left_alone() {
    let folder = TestFolder::new("later");
    let store = Store::open(&folder.0).expect("it can be made");
    store.db.execute_batch("PRAGMA user_version = 99").expect("it can be set");
    drop(store);
    assert!(matches!(Store::open(&folder.0), Err(StoreError::Later { found: 99, .. })));
}
