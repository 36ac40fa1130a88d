//! How long it takes to start: processes, bare and caged, and the program itself.

use std::cell::Cell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use host::{BotSpec, CageTerms, Placement, Pondering, Run, Tier};
use league::GameList;
use serde_json::json;

use crate::dummy_bot;
use crate::parts::{MeasureGroup, Size, alternating};
use crate::rounds::Measurement;

/// Processes that are started one after another for one figure. What their cages have in common is
/// made with the first, as in a run.
const STARTS: u64 = 100;

/// A program is started, reads the end of its input and leaves; and very many of them at once.
pub(crate) fn launch(size: &Size) -> Result<Vec<MeasureGroup>> {
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let best = host::found(&exe).tier;
    let caged = |tier| CageTerms { at_most: tier, ..CageTerms::none() };
    let name = |tier| format!("in a cage of tier {tier}");
    let one = |cage: &CageTerms| -> Result<_> {
        let run = starts(&exe, cage, 1)?;
        Ok(move || Ok(run.start_only(STARTS)?.as_secs_f64() * 1e3 / STARTS as f64))
    };
    let mut alone = vec![Measurement::new("bare", "ms", one(&CageTerms::none())?)];
    for tier in Tier::ALL {
        // Control groups are of one version or the other.
        let is_here = tier <= best && !(tier == Tier::B && best == Tier::A);
        if is_here && tier != Tier::E {
            alone.push(Measurement::new(name(tier), "ms", one(&caged(tier))?).beside(0));
        }
    }
    let name = name(best);
    let crowd = |cage: &CageTerms| -> Result<_> {
        let run = starts(&exe, cage, host::cores().len())?;
        let (count, last) = (size.crowd, Rc::new(Cell::new(0.0)));
        let down = Rc::clone(&last);
        let up = move || {
            let (up, down) = run.crowd(count)?;
            last.set(down.as_secs_f64() * 1e3);
            Ok(up.as_secs_f64() * 1e3)
        };
        Ok((up, move || Ok(down.get())))
    };
    let (bare_up, bare_down) = crowd(&CageTerms::none())?;
    let (caged_up, caged_down) = crowd(&caged(best))?;
    Ok(vec![
        MeasureGroup { title: "a process started and ended".to_owned(), measures: alone },
        MeasureGroup {
            title: format!("{} processes at the same time", size.crowd),
            measures: vec![
                Measurement::new("bare, up", "ms", bare_up),
                Measurement::new("bare, down", "ms", bare_down),
                Measurement::new(format!("{name}, up"), "ms", caged_up).beside(0),
                Measurement::new(format!("{name}, down"), "ms", caged_down).beside(1),
            ],
        },
    ])
}

/// Small processes: those that the system has, or our own.
fn starts(exe: &Path, cage: &CageTerms, concurrency: usize) -> Result<Run> {
    let own = || format!("{} {} none", exe.display(), dummy_bot::COMMAND);
    let bot = BotSpec::parse("cat", Path::new("/"));
    let bot = bot.or_else(|_| BotSpec::parse(&own(), Path::new("/")))?;
    Ok(Run {
        roster: vec![bot],
        concurrency,
        placement: Placement::None,
        exe: Some(exe.to_owned()),
        scratch: None,
        pondering: Pondering::Stopped,
        cage: cage.clone(),
        live: None,
        people: None,
    })
}

pub(crate) fn start_up(games: GameList) -> Result<Vec<MeasureGroup>> {
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let game = alternating(games)?.card().id;
    let run = |args: Vec<String>| {
        let exe = exe.clone();
        move || {
            let began = Instant::now();
            let mut child = Command::new(&exe);
            child.args(&args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let ended = child.status().context("cannot start this program again")?;
            ensure!(ended.success(), "{args:?} failed");
            Ok(began.elapsed().as_secs_f64() * 1e3)
        }
    };
    let version = run(vec!["--version".to_owned()]);
    let folder = Rc::new(StampFolder::new(game, &exe)?);
    let first_byte = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let (folder, exe) = (Rc::clone(&folder), exe.clone());
        move || {
            let stamp = folder.0.join(STAMP);
            let _ = std::fs::remove_file(&stamp);
            let began = dummy_bot::monotonic();
            let mut child = Command::new(&exe);
            child.args(&args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = child.spawn().context("cannot start this program again")?;
            // Something to read for a bot that is alone; nobody else looks at it.
            let _ = child.stdin.take().expect("it was asked for").write_all(b"\n");
            child.wait().context("cannot wait for this program")?;
            let stamped = std::fs::read_to_string(&stamp).context("no bot was asked")?;
            let stamped: f64 = stamped.trim().parse().context("a bot cannot tell the time")?;
            Ok((stamped - began.as_secs_f64()) * 1e3)
        }
    };
    let (bot, stamp) = (folder.0.to_string_lossy(), folder.0.join(STAMP));
    let alone = first_byte(&[dummy_bot::COMMAND, game, &stamp.to_string_lossy()]);
    // This program itself is the bot.
    let program = exe.to_string_lossy();
    let quiet = ["--no-replay", "--quiet", "--allow-read", &program];
    let played = first_byte(&[&["play", game, &bot, &bot], &quiet[..]].concat());
    Ok(vec![MeasureGroup {
        title: "start-up".to_owned(),
        measures: vec![
            Measurement::new("lanista --version", "ms", version),
            Measurement::new("a bot alone, until it reads a byte", "ms", alone),
            Measurement::new("play, until a bot reads a byte", "ms", played),
        ],
    }])
}

/// The file in which a bot writes down when it was first asked.
const STAMP: &str = "stamp";

/// A bot that may write down the time in its folder; gone when dropped.
struct StampFolder(PathBuf);

impl StampFolder {
    fn new(game: &str, exe: &Path) -> Result<StampFolder> {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = std::env::temp_dir().join(format!("lanista-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).context("cannot make a folder for a bot")?;
        // Started by root, bots are other users.
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777))?;
        let stamp = folder.join(STAMP);
        let command = json!([exe, dummy_bot::COMMAND, game, stamp]);
        let manifest = format!("command = {command}\n[cage]\nwrite = [{}]\n", json!(folder));
        std::fs::write(folder.join("bot.toml"), manifest).context("cannot write a manifest")?;
        Ok(StampFolder(folder))
    }
}

impl Drop for StampFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
