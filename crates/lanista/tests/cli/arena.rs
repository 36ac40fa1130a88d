//! Where programs that mean harm meet innocent ones. After each fight: the verdict, the victim's
//! game, and that nothing of the villain is left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;

use crate::common::{
    Folder, json_lines, lanista, lanista_of_ordinary_user, processes_with, run, stdout, wait_until,
};
use crate::tiers::{ORDINARY_USERS_HAVE_NAMESPACES, python, tiers};

/// What is to come of it.
#[derive(Clone, Copy)]
pub enum Verdict {
    /// It loses by a fault of this kind, whose words hold these.
    Loses(&'static str, &'static str),
    /// It loses for a fault of one of these kinds: which, is a matter of time.
    LosesEither([&'static str; 2]),
    /// It plays to the end without a fault.
    PlaysOn,
    /// It plays to the end, and a fault of this kind is on record.
    Recorded(&'static str),
    /// It plays to the end without a fault, and what it tried came to one of these.
    Tries(&'static [(&'static str, &'static [&'static str])]),
    /// It plays to the end, unless somebody has taken a look and found this kind of fault.
    Perhaps(&'static str),
}
pub use Verdict::{Loses, LosesEither, Perhaps, PlaysOn, Recorded, Tries};

/// One way to do harm.
pub struct Attack {
    mode: &'static str,
    /// Where the promise holds.
    tiers: &'static str,
    limits: &'static str,
    verdict: Verdict,
    host: HostUser,
}

/// Who runs the program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum HostUser {
    /// Whoever runs the tests.
    Tester,
    /// Somebody without rights.
    Ordinary,
}

pub const fn attack(mode: &'static str, tiers: &'static str, verdict: Verdict) -> Attack {
    Attack { mode, tiers, limits: "", verdict, host: HostUser::Tester }
}

pub const fn within(attack: Attack, limits: &'static str) -> Attack {
    Attack { limits, ..attack }
}

/// Where root is told more than others are.
pub const fn by_ordinary_user(attack: Attack) -> Attack {
    Attack { host: HostUser::Ordinary, ..attack }
}

/// A number that no other fight of these tests has. The same attack may be fought by several at once.
fn number() -> u32 {
    static FIGHTS: AtomicU32 = AtomicU32::new(0);
    FIGHTS.fetch_add(1, Ordering::Relaxed)
}

/// A word that is in the command lines of one fight's processes and nowhere else.
pub fn word(mode: &str, tier: &str) -> String {
    format!("villain-{}-{}-{mode}-{tier}", std::process::id(), number())
}

/// Makes a bot: a folder with a copy of its program and a manifest.
pub fn enlist(folder: &Folder, name: &str, script: &str, words: &[&str], more: &str) {
    let home = folder.path().join(name);
    std::fs::create_dir_all(&home).expect("writable");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots").join(script);
    std::fs::copy(source, home.join(script)).expect("it can be copied");
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let manifest = format!(
        "name = '{name}'\ncommand = ['{}', '-S', '-E', '{script}', {}]\n{more}\n",
        python(),
        words.join(", ")
    );
    std::fs::write(home.join("bot.toml"), manifest).expect("writable");
}

/// What a fight came to.
pub struct Fought {
    pub report: Value,
    pub lines: String,
}

/// Plays a game with these words and looks whether anything of it is left.
pub fn fight(folder: &Folder, tier: &str, word: &str, args: &[&str]) -> Result<Fought, String> {
    fight_with(lanista(folder), folder, tier, word, args)
}

fn fight_with(
    mut lanista: Command,
    folder: &Folder,
    tier: &str,
    word: &str,
    args: &[&str],
) -> Result<Fought, String> {
    // If anybody could leave a core, it would be left.
    let cores = getrlimit(Resource::Core);
    setrlimit(Resource::Core, Rlimit { current: cores.maximum, ..cores }).expect("it is allowed");
    // Somebody may have killed a host and its guard on this machine, and numbers come again.
    let before = passing_files();
    let host = lanista
        .args(args)
        .args(["--json", "--seed", "1", "--start-ms", "60000", "--tier", tier])
        .env("LANISTA_SECRET", "secret-of-test")
        .env("SECRET", "secret-of-test")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let run_mark = format!("{:x}.", host.id());
    let output = host.wait_with_output().expect("it ends");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(0) {
        return Err(format!("the host ended with {}: {complaint}", output.status));
    }
    nothing_left(folder, &before, &run_mark, word)?;
    let report = json_lines(&output).pop().ok_or(format!("no report: {complaint}"))?;
    if report["tier"] != tier {
        return Err(format!("it was played on another tier: {report}"));
    }
    let replay = report["replay"].as_str().ok_or("no replay")?.to_owned();
    let lines = stdout(&run(folder, &["replay", &replay, "--lines"]));
    if run(folder, &["replay", &replay, "--verify"]).status.code() != Some(0) {
        return Err(format!("its replay does not verify: {report}"));
    }
    Ok(Fought { report, lines })
}

/// What lies where everybody may leave something for a while.
fn passing_files() -> BTreeSet<PathBuf> {
    let temp = std::env::temp_dir();
    let places = [&temp, Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")];
    let entries = places.into_iter().filter_map(|place| std::fs::read_dir(place).ok()).flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Nothing is left of a run: no process, no folder, no control group.
fn nothing_left(
    folder: &Folder,
    before: &BTreeSet<PathBuf>,
    run_mark: &str,
    word: &str,
) -> Result<(), String> {
    // The launcher and all that it has made; it ends with the host, but a moment later.
    let launched = format!("__launch\0{run_mark}");
    wait_until("the end of the launcher", || processes_with(&launched).is_empty());
    for mark in &[word.to_owned(), format!("LANISTA_SEAT={run_mark}")] {
        let left = processes_with(mark);
        if !left.is_empty() {
            return Err(format!("processes {left:?} with {mark:?} are left"));
        }
    }
    for path in passing_files() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ours = ["lanista-run-", "lanista-memory-"]
            .iter()
            .any(|start| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(run_mark)));
        let theirs = name.contains(word) && path != folder.path();
        if (ours || theirs) && !before.contains(&path) {
            return Err(format!("{} is left", path.display()));
        }
    }
    let prefix = format!("lanista-{run_mark}");
    let mut below = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(group) = below.pop() {
        for entry in std::fs::read_dir(group).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                return Err(format!("the control group {} is left", entry.path().display()));
            }
            below.push(entry.path());
        }
    }
    Ok(())
}

/// Fights every attack on its tiers, several at once.
pub fn fight_all(time: &str, moves: &str, attacks: &[Attack]) {
    let fights = attacks
        .iter()
        .flat_map(|attack| tiers(attack.tiers).into_iter().map(move |tier| (attack, tier)))
        .filter(|(attack, tier)| {
            attack.host == HostUser::Tester || *tier == "D" || *ORDINARY_USERS_HAVE_NAMESPACES
        });
    let fights = Mutex::new(fights);
    let wrong = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = fights.lock().expect("nobody panics").next();
                    let Some((attack, tier)) = next else { return };
                    if let Err(why) = duel(attack, tier, time, moves) {
                        let why = format!("{why} ({:?})", attack.host);
                        let line = format!("{} on tier {tier}: {why}", attack.mode);
                        wrong.lock().expect("nobody panics").insert(line);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("nobody panics");
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

/// The system counts the processes that it ended for want of memory, for the whole machine, and a bot that is
/// killed at such a moment is not blamed. So tests in which bots use up memory and those in which they kill themselves are
/// not run at the same time: each holds this.
pub fn nobody_else_uses_up_memory() -> MutexGuard<'static, ()> {
    static MEMORY: Mutex<()> = Mutex::new(());
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One game of gomoku of the villain and its victim.
fn duel(attack: &Attack, tier: &str, time: &str, moves: &str) -> Result<(), String> {
    let (mode, word) = (attack.mode, word(attack.mode, tier));
    let folder = Folder::new(&format!("attack-{mode}-{tier}-{}", number()));
    let outside = folder.path().join("outside");
    std::fs::create_dir_all(&outside).expect("writable");
    std::fs::write(outside.join("keep"), "secret-of-test").expect("writable");
    let socket = std::os::unix::net::UnixDatagram::bind(outside.join("socket")).expect("bound");
    socket.set_nonblocking(true).expect("it is a socket");
    let shown = folder.path().display();
    let targets =
        ["outside", "outside/keep", "victim", "replays"].map(|name| format!("{shown}/{name}"));
    // On D older kernels count all processes of an ordinary user, those of other fights as well.
    let room = if attack.limits.contains("processes") { "" } else { "processes = 2000\n" };
    let more = format!(
        "[env]\nVILLAIN = '{word}'\nOUTSIDE = '{shown}/outside'\nTARGETS = '{}'\n[limits]\n{room}{}",
        targets.join(":"),
        attack.limits
    );
    enlist(&folder, "villain", "villain.py", &[mode, &word], &more);
    enlist(&folder, "victim", "brain.py", &["good"], "");
    let moves = format!("max_moves={moves}");
    let args = [
        "play",
        "gomoku",
        "villain",
        "victim",
        "--timeout-ms",
        time,
        "--set",
        "size=15",
        "--set",
        &moves,
    ];
    let lanista = match attack.host {
        HostUser::Tester => lanista(&folder),
        HostUser::Ordinary => lanista_of_ordinary_user(&folder),
    };
    let fought = fight_with(lanista, &folder, tier, &word, &args)?;
    if socket.recv(&mut [0; 9]).is_ok() {
        return Err("it has reached a socket outside".to_owned());
    }
    let kept = std::fs::read_to_string(outside.join("keep")).unwrap_or_default();
    if kept != "secret-of-test" {
        return Err("it has changed a file outside".to_owned());
    }
    let left = [folder.path().to_owned(), folder.path().join("villain")];
    let left = left.iter().filter_map(|place| std::fs::read_dir(place).ok()).flatten().flatten();
    let is_core = |name: &str| name == "core" || name.starts_with("core.");
    if tier != "E" && left.into_iter().any(|file| is_core(&file.file_name().to_string_lossy())) {
        return Err("it has left a core".to_owned());
    }
    if tier != "E" && folder.path().join("villain").join(&word).exists() {
        return Err("it has written to its own folder".to_owned());
    }
    judge(attack.verdict, &fought).map_err(|why| format!("{why}: {}", fought.report))
}

fn judge(verdict: Verdict, fought: &Fought) -> Result<(), String> {
    let report = &fought.report;
    let (villain, victim) = (&report["players"][0], &report["players"][1]);
    if victim["faults"] != Value::Array(Vec::new()) {
        return Err("the victim has a fault".to_owned());
    }
    let faults = villain["faults"].as_array().ok_or("no faults")?;
    let has = |kind: &str| faults.iter().any(|fault| fault["kind"] == kind);
    let drawn = match report["outcome"] == "draw" {
        true => Ok(()),
        false => Err("it was not played to the end".to_owned()),
    };
    match verdict {
        LosesEither(kinds) => {
            let lost = report["outcome"] == "win" && victim["rank"] == 1;
            match lost && kinds.into_iter().any(has) {
                true => Ok(()),
                false => Err(format!("it has not lost for one of {kinds:?}")),
            }
        }
        Loses(kind, words) => {
            let last = faults.last().ok_or("it has no fault")?;
            let detail = last["detail"].as_str().unwrap_or_default();
            if report["outcome"] != "win" || victim["rank"] != 1 || villain["rank"] != 2 {
                return Err("the victim has not won".to_owned());
            }
            match last["kind"] == kind && detail.contains(words) {
                true => Ok(()),
                false => Err(format!("not {kind}: …{words}…")),
            }
        }
        PlaysOn if faults.is_empty() => drawn,
        Recorded(kind) if has(kind) => drawn,
        Perhaps(kind) if has(kind) => Ok(()),
        Perhaps(_) | Tries(_) if faults.is_empty() => {
            drawn?;
            let Tries(attempts) = verdict else { return Ok(()) };
            attempts.iter().try_for_each(|(what, allowed)| tried(&fought.lines, what, allowed))
        }
        PlaysOn | Recorded(_) | Perhaps(_) | Tries(_) => Err("other faults".to_owned()),
    }
}

/// Every result of an attempt is one of these, or begins with one that ends in a star.
pub fn tried(lines: &str, what: &str, allowed: &[&str]) -> Result<(), String> {
    let start = format!("! {what}: ");
    let mut said =
        lines.lines().filter_map(|line| line.split_once(&start)).map(|(_, said)| said).peekable();
    if said.peek().is_none() {
        return Err(format!("no word about {what}: {lines}"));
    }
    let fine = |said: &&str| {
        allowed.iter().any(|allowed| match allowed.strip_suffix('*') {
            Some(start) => said.starts_with(start),
            None => said == allowed,
        })
    };
    match said.find(|said| !fine(said)) {
        None => Ok(()),
        Some(other) => Err(format!("{what} came to {other}, not {allowed:?}")),
    }
}
