//! What is fuzzed, by name: each takes any bytes and must not panic, hang or eat memory.
//!
//! The fuzz targets call these, and so do the tests of the crate `testkit` on a stable toolchain.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use games::GAMES;
use testkit::fuzz;

/// A target's name and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target; each has a file in `fuzz_targets` and a folder in `corpus`.
pub const TARGETS: [Target; 11] = [
    ("command", command),
    ("cup", cup),
    ("database", database),
    ("manifest", manifest),
    ("order", order),
    ("pack", pack),
    ("program", program),
    ("replay", replay),
    ("setup", setup),
    ("table", table),
    ("terms", terms),
];

/// Nothing is there, so that no relative path leads anywhere.
const NOWHERE: &str = "/nonexistent/file.toml";

/// A table of the game that the bytes name, or of one that they choose by chance.
pub fn table(bytes: &[u8]) {
    fuzz::any_table(GAMES, bytes);
}

/// Replay files.
pub fn replay(bytes: &[u8]) {
    fuzz::replay(GAMES, bytes);
}

/// Set-ups of all games.
pub fn setup(bytes: &[u8]) {
    fuzz::setup(GAMES, bytes);
}

/// What hosts say to built-in bots that run as programs.
pub fn program(bytes: &[u8]) {
    fuzz::program(GAMES, bytes);
}

/// Manifests of bots.
pub fn manifest(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = host::BotSpec::from_manifest(text, Path::new(NOWHERE)).map(|bot| bot.shown());
    }
}

/// Bots as command lines.
pub fn command(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let folder = Path::new(NOWHERE);
        let bots = text.lines().filter_map(|line| host::BotSpec::parse(line, folder).ok());
        host::unique_names(&mut bots.collect::<Vec<_>>());
    }
}

/// Tournament files, and the first games that follow from them.
pub fn cup(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(cup) = league::TournamentFile::parse(text.to_owned(), Path::new(NOWHERE), GAMES) else {
        return;
    };
    for event in &cup.events {
        let plan =
            event.plan(event.seed.unwrap_or(0), vec![0; event.bots.len()], Default::default());
        let mut stages = Vec::new();
        if let league::schedule::Next::Stage(stage) = plan.next(&stages, &Default::default()) {
            stages.push(stage);
        }
        plan.total(&stages, &Default::default());
    }
}

/// Databases of runs.
pub fn database(bytes: &[u8]) {
    look_at_run(bytes);
}

/// Takes bytes for the database of a run, and asks everything of it; false if it is refused.
pub fn look_at_run(bytes: &[u8]) -> bool {
    in_folder(|dir| {
        std::fs::write(dir.join("run.db"), bytes).expect("the folder can be written to");
        look(dir).is_ok()
    })
}

/// Asks everything of a run.
fn look(dir: &Path) -> Result<(), league::StoreError> {
    let store = league::Store::open_to_read(dir)?;
    league::Standings::of(&store)?.overall();
    for (id, event) in store.events()?.iter().enumerate() {
        let (results, attempts) = (store.results(id)?, store.attempts(id)?);
        league::EventProgress::new(event.plan(), league::Stop::default(), results, attempts);
        let page = league::PageRequest { after: None, limit: 10, order: Default::default() };
        store.game_page(&league::GameFilter::default(), page)?;
        store.reports(id)?;
    }
    Ok(())
}

/// Does something in a folder of its own.
fn in_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("lanista-fuzz-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("the temporary folder can be written to");
    let done = work(&dir);
    std::fs::remove_dir_all(&dir).expect("it is ours");
    done
}

/// Packs of replays, from which a database is made; or the label of a record as text.
pub fn pack(bytes: &[u8]) {
    rebuild_from_pack(bytes);
}

/// Takes bytes for a pack, or for the label of a record of one; says how many games it holds.
pub fn rebuild_from_pack(bytes: &[u8]) -> u64 {
    let pack = match bytes.first() {
        Some(b'{') => fuzz::with_label(PACK, bytes),
        Some(_) | None => bytes.to_vec(),
    };
    rebuild(TERMS, &pack)
}

/// What is known of a run beside its games (`replays/run.json`), from which a database is made.
pub fn terms(bytes: &[u8]) {
    rebuild_from_terms(bytes);
}

/// Takes bytes for the terms of a run of some games; says how many games it has.
pub fn rebuild_from_terms(bytes: &[u8]) -> u64 {
    rebuild(bytes, PACK)
}

/// A run of a few games: what is known of it, and its replays.
const TERMS: &[u8] = include_bytes!("../corpus/terms/0");
const PACK: &[u8] = include_bytes!("../corpus/pack/0");

/// Makes a database from these, plays its games again and asks everything of it.
fn rebuild(terms: &[u8], pack: &[u8]) -> u64 {
    in_folder(|dir| {
        std::fs::create_dir_all(dir.join("replays")).expect("it is ours");
        std::fs::write(dir.join("replays/run.json"), terms).expect("it is ours");
        std::fs::write(dir.join("replays/0001.pack"), pack).expect("it is ours");
        let Ok(rebuilt) = league::rebuild(dir, &mut |_| {}) else { return 0 };
        // What was made here is sound, whatever it was made from.
        look(dir).expect("a database that was made anew can be read");
        let store = league::Store::open_to_read(dir).expect("it can be read");
        let events: Vec<usize> = (0..store.events().expect("they are there").len()).collect();
        let _ = league::verify(&store, &events, GAMES, &AtomicU64::new(0));
        rebuilt.games
    })
}

/// What a launcher is told, and what it answers.
pub fn order(bytes: &[u8]) {
    host::understands(bytes);
}
