//! Games of a tournament that are played and kept, beside the same in memory.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use host::CageTerms;
use league::{Changes, EndReason, GameList, RunOptions, Store, Tournament, TournamentFile, admit};

use crate::parts::{MeasureGroup, alternating};
use crate::rounds::Measurement;

/// Flushes that are taken for one figure.
const FLUSHES: u32 = 20;

/// Games end after so many turns: the shorter they are, the more there is to keep.
const TURNS: u32 = 8;

/// Tournaments of about so many games: in memory, and on the disk of the folder for temporary
/// files.
pub(crate) fn groups(games: u64, list: GameList) -> Result<Vec<MeasureGroup>> {
    let game = alternating(list)?;
    let bot = game.card().bots.first().context("the game has no bots")?.name;
    // Every bot meets every other twice in a round: twelve games.
    let text = format!(
        "game = '{}'\nseed = 1\nrounds = {}\nbots = [{}]\nadjudication = {{ turns = {TURNS} }}\n",
        game.card().id,
        games.div_ceil(12),
        vec![format!("{{ bot = 'builtin:{bot}' }}"); 4].join(", "),
    );
    let kept = |place: PathBuf| {
        let text = text.clone();
        move || kept_a_second(&place, &text, list)
    };
    let (disk, memory) = (std::env::temp_dir(), PathBuf::from("/dev/shm"));
    let mut measures = Vec::new();
    if File::create_new(memory.join(name("try"))).is_ok() {
        let _ = std::fs::remove_file(memory.join(name("try")));
        measures.push(Measurement::new("in memory", "1/s", kept(memory)));
    }
    let on_disk = Measurement::new("on this disk", "1/s", kept(disk.clone()));
    measures.push(if measures.is_empty() { on_disk } else { on_disk.beside(0) });
    measures.push(Measurement::new("a flush of this disk", "ms", move || flush_ms(&disk)));
    let title = format!("short games played and kept a second, {}", game.card().id);
    Ok(vec![MeasureGroup { title, measures }])
}

fn name(what: &str) -> String {
    format!("lanista-bench-{what}-{}", std::process::id())
}

/// A folder that is gone when dropped.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new(place: &Path) -> Result<TemporaryFolder> {
        let folder = place.join(name("kept"));
        std::fs::create_dir(&folder).context("cannot make a folder for a tournament")?;
        Ok(TemporaryFolder(folder))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn kept_a_second(place: &Path, text: &str, list: GameList) -> Result<f64> {
    let folder = TemporaryFolder::new(place)?;
    let cup = TournamentFile::parse(text.to_owned(), Path::new("bench.toml"), list)?;
    let options = RunOptions {
        exe: std::env::current_exe().context("cannot find the file of this program")?,
        concurrency: host::cores().len(),
        stop: cup.stop,
        cage: CageTerms::none(),
        live: None,
        manner: cup.manner,
        remote: None,
    };
    let mut store = Store::open(&folder.0)?;
    let tournament = Tournament::new(admit(cup, &mut store, Changes::Refused)?, &options);
    let began = Instant::now();
    let end = tournament.play(&mut store, &options, &mut |_| {})?;
    let time = began.elapsed();
    ensure!(end.how == EndReason::Complete || host::interrupted(), "a tournament was not finished");
    Ok(tournament.status().kept as f64 / time.as_secs_f64())
}

fn flush_ms(place: &Path) -> Result<f64> {
    let folder = TemporaryFolder::new(place)?;
    let mut file = File::create(folder.0.join("flushed"))?;
    let began = Instant::now();
    for _ in 0..FLUSHES {
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
    }
    Ok(began.elapsed().as_secs_f64() * 1e3 / f64::from(FLUSHES))
}
