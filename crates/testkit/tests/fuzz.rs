//! The fuzz targets on a stable toolchain: everything in the corpus, and so many changes of it.
//!
//! `LANISTA_FUZZ_ROUNDS=100000` does more of them, `LANISTA_FUZZ_ROUNDS=4711..4712` does one again.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use game::Seed;
use games::GAMES;

#[path = "../../../fuzz/src/lib.rs"]
mod targets;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The inputs that are kept for a target, in a fixed order.
fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let files = std::fs::read_dir(folder().join("corpus").join(name)).expect("it has a corpus");
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read(&path).expect("it can be read"));
    files.into_iter().map(read).collect()
}

fn rounds(usual: u64) -> Range<u64> {
    let Ok(text) = std::env::var("LANISTA_FUZZ_ROUNDS") else { return 0..usual };
    let number = |text: &str| text.parse::<u64>().expect("LANISTA_FUZZ_ROUNDS takes N or FROM..TO");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

/// What takes longer is worth a look; see it with `-- --nocapture`.
const SLOW: Duration = Duration::from_secs(1);

/// Tries one input, and keeps it if something is wrong.
fn attempt(name: &str, target: fn(&[u8]), what: &str, bytes: &[u8]) {
    let began = Instant::now();
    let ended = catch_unwind(AssertUnwindSafe(|| target(bytes)));
    if began.elapsed() > SLOW {
        eprintln!("{name}, {what}: {} bytes took {:?}", bytes.len(), began.elapsed());
    }
    if let Err(panic) = ended {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
        std::fs::write(&file, bytes).expect("the folder for tests can be written to");
        eprintln!("{name}, {what}: the input is in {}", file.display());
        std::panic::resume_unwind(panic);
    }
}

fn survives(name: &str, usual: u64) {
    let (_, target) = targets::TARGETS.into_iter().find(|(other, _)| *other == name).expect(name);
    let kept = corpus(name);
    assert!(!kept.is_empty(), "there is nothing to begin with");
    for (path, bytes) in &kept {
        attempt(name, target, &path.display().to_string(), bytes);
    }
    let inputs: Vec<Vec<u8>> = kept.into_iter().map(|(_, bytes)| bytes).collect();
    for round in rounds(usual) {
        let bytes = testkit::fuzz::mutated(&mut Seed(round).rng(name), &inputs);
        attempt(name, target, &format!("round {round}"), &bytes);
    }
}

/// Changes of what nobody understands would test little.
#[test]
fn what_is_kept_is_understood() {
    let all = |name: &str, understood: &dyn Fn(&[u8]) -> bool| {
        for (path, bytes) in corpus(name) {
            assert!(understood(&bytes), "{} means nothing", path.display());
        }
    };
    all("table", &|bytes| testkit::fuzz::any_table(GAMES, bytes));
    all("replay", &|bytes| testkit::fuzz::replay(GAMES, bytes) > 0);
    all("setup", &|bytes| testkit::fuzz::setup(GAMES, bytes) > 0);
    all("program", &|bytes| testkit::fuzz::program(GAMES, bytes) > 0);
    all("order", &host::understands);
    all("database", &targets::look_at_run);
    all("pack", &|bytes| targets::rebuild_from_pack(bytes) > 0);
    all("terms", &|bytes| targets::rebuild_from_terms(bytes) > 0);
    let path = Path::new("/nonexistent/file.toml");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it is text");
    all("manifest", &|bytes| host::BotSpec::from_manifest(&text(bytes), path).is_ok());
    all("cup", &|bytes| league::TournamentFile::parse(text(bytes), path, GAMES).is_ok());
}

/// Every game on the list gets its share, whether anything is kept for it or not.
#[test]
fn every_game_survives_any_bytes() {
    let inputs: Vec<Vec<u8>> = corpus("table").into_iter().map(|(_, bytes)| bytes).collect();
    std::thread::scope(|scope| {
        for game in GAMES {
            let inputs = &inputs;
            scope.spawn(move || testkit::fuzz::survives(*game, inputs, rounds(120)));
        }
    });
}

/// A test for every target, with its usual number of rounds: a second or two for each.
macro_rules! targets {
    ($($name:ident: $rounds:literal,)*) => {
        $(#[test] fn $name() { survives(stringify!($name), $rounds); })*

        #[test]
        fn every_target_is_tested_and_has_its_file() {
            assert_eq!(targets::TARGETS.map(|(name, _)| name), [$(stringify!($name)),*]);
            let manifest = std::fs::read_to_string(folder().join("Cargo.toml")).expect("it is there");
            for (name, _) in targets::TARGETS {
                let path = format!("fuzz_targets/{name}.rs");
                let text = std::fs::read_to_string(folder().join(&path)).expect(&path);
                assert!(text.contains(&format!("lanista_fuzz::{name}(bytes)")), "{path}: {text}");
                let bin = format!("[[bin]]\nname = \"{name}\"\npath = \"{path}\"\n");
                assert!(manifest.contains(&bin), "{name} is not in the manifest");
            }
            let files = std::fs::read_dir(folder().join("fuzz_targets")).expect("it is there");
            assert_eq!(files.count(), targets::TARGETS.len());
        }
    };
}

targets! {
    command: 2000,
    cup: 500,
    database: 300,
    manifest: 2000,
    order: 5000,
    pack: 30,
    program: 400,
    replay: 200,
    setup: 200,
    table: 250,
    terms: 30,
}
