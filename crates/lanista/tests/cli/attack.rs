//! Programs that mean harm, each in a game beside an innocent bot, on every tier of this machine.
//! After each fight: the verdict, the victim's game, and that nothing of the villain is left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

use serde_json::Value;

use crate::common::{Folder, json_lines, lanista, processes_with, run, stdout, wait_until};

/// What is to come of it.
#[derive(Clone, Copy)]
pub enum Verdict {
    /// It loses by a fault of this kind, whose words hold these.
    Loses(&'static str, &'static str),
    /// It plays to the end without a fault.
    PlaysOn,
    /// It plays to the end, and a fault of this kind is on record.
    Recorded(&'static str),
    /// It plays to the end without a fault, and what it tried came to one of these.
    Tries(&'static [(&'static str, &'static [&'static str])]),
    /// It plays to the end, unless somebody has taken a look and found this kind of fault.
    Perhaps(&'static str),
}
use Verdict::{Loses, Perhaps, PlaysOn, Recorded, Tries};

/// One way to do harm.
pub struct Attack {
    mode: &'static str,
    /// Where the promise holds.
    tiers: &'static str,
    limits: &'static str,
    verdict: Verdict,
}

const fn attack(mode: &'static str, tiers: &'static str, verdict: Verdict) -> Attack {
    Attack { mode, tiers, limits: "", verdict }
}

const fn within(attack: Attack, limits: &'static str) -> Attack {
    Attack { limits, ..attack }
}

/// The tiers of this machine, the best first. Where A can be had, B cannot.
pub fn tiers() -> Vec<char> {
    let folder = Folder::new("attack-doctor");
    let found = json_lines(&run(&folder, &["doctor", "--json"])).remove(0);
    let best = found["tier"].as_str().and_then(|tier| tier.chars().next()).expect("a letter");
    ('A'..='E').filter(|tier| *tier >= best && !(*tier == 'B' && best == 'A')).collect()
}

/// An interpreter that every user can reach: on tier D root's bots are somebody else.
pub fn python() -> &'static str {
    if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "python3" }
}

/// A word that is in the command lines of one fight's processes and nowhere else.
pub fn word(mode: &str, tier: char) -> String {
    format!("villain-{}-{mode}-{tier}", std::process::id())
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
pub fn fight(folder: &Folder, tier: char, word: &str, args: &[&str]) -> Result<Fought, String> {
    let host = lanista(folder)
        .args(args)
        .args(["--json", "--seed", "1", "--start-ms", "60000", "--tier", &tier.to_string()])
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
    nothing_left(folder, &run_mark, word)?;
    let report = json_lines(&output).pop().ok_or(format!("no report: {complaint}"))?;
    if report["tier"] != tier.to_string() {
        return Err(format!("it was played on another tier: {report}"));
    }
    let replay = report["replay"].as_str().ok_or("no replay")?.to_owned();
    let lines = stdout(&run(folder, &["replay", &replay, "--lines"]));
    if run(folder, &["replay", &replay, "--verify"]).status.code() != Some(0) {
        return Err(format!("its replay does not verify: {report}"));
    }
    Ok(Fought { report, lines })
}

/// Nothing is left of a run: no process, no folder, no control group.
fn nothing_left(folder: &Folder, run_mark: &str, word: &str) -> Result<(), String> {
    let marks =
        [word.to_owned(), format!("LANISTA_SEAT={run_mark}"), format!("__guard\0{run_mark}")];
    for mark in &marks {
        let left = processes_with(mark);
        if !left.is_empty() {
            return Err(format!("processes {left:?} with {mark:?} are left"));
        }
    }
    let temp = std::env::temp_dir();
    for place in [&temp, Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")] {
        for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let ours = ["lanista-", "lanista-memory-"].iter().any(|start| {
                name.strip_prefix(start).is_some_and(|rest| rest.starts_with(run_mark))
            });
            if ours || (name.contains(word) && entry.path() != folder.path()) {
                return Err(format!("{} is left", entry.path().display()));
            }
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

/// Fights every attack on every tier that is named and that this machine has, several at once.
fn fight_all(time: &str, moves: &str, attacks: &[Attack]) {
    let here = tiers();
    let fights = attacks.iter().flat_map(|attack| {
        here.iter()
            .copied()
            .filter(|tier| attack.tiers.contains(*tier))
            .map(move |tier| (attack, tier))
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

/// One game of gomoku of the villain and its victim.
fn duel(attack: &Attack, tier: char, time: &str, moves: &str) -> Result<(), String> {
    let (mode, word) = (attack.mode, word(attack.mode, tier));
    let folder = Folder::new(&format!("attack-{mode}-{tier}"));
    let outside = folder.path().join("outside");
    std::fs::create_dir_all(&outside).expect("writable");
    std::fs::write(outside.join("keep"), "secret-of-test").expect("writable");
    let socket = std::os::unix::net::UnixDatagram::bind(outside.join("socket")).expect("bound");
    socket.set_nonblocking(true).expect("it is a socket");
    let shown = folder.path().display();
    let targets =
        ["outside", "outside/keep", "victim", "replays"].map(|name| format!("{shown}/{name}"));
    let more = format!(
        "[env]\nVILLAIN = '{word}'\nOUTSIDE = '{shown}/outside'\nTARGETS = '{}'\n[limits]\n{}",
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
    let fought = fight(&folder, tier, &word, &args)?;
    if socket.recv(&mut [0; 9]).is_ok() {
        return Err("it has reached a socket outside".to_owned());
    }
    let kept = std::fs::read_to_string(outside.join("keep")).unwrap_or_default();
    if kept != "secret-of-test" {
        return Err("it has changed a file outside".to_owned());
    }
    if tier != 'E' && folder.path().join("villain").join(&word).exists() {
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
fn tried(lines: &str, what: &str, allowed: &[&str]) -> Result<(), String> {
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

#[test]
fn those_that_do_not_answer_run_out_of_time() {
    const LATE: Verdict = Loses("timeout", "no answer after");
    fight_all(
        "2000",
        "12",
        &[
            attack("forever", "ABCDE", LATE),
            attack("spin", "ABCDE", LATE),
            attack("stop", "ABCDE", LATE),
            attack("stop-group", "ABCDE", LATE),
            attack("ignore", "ABCDE", LATE),
            attack("half", "ABCDE", LATE),
            attack("drip", "ABCDE", LATE),
            attack("messages", "ABCDE", LATE),
            attack("blank", "ABCDE", LATE),
            attack("carriage-returns", "ABCDE", LATE),
            attack("again", "ABCDE", LATE),
            attack("trailing-garbage", "ABCDE", LATE),
            within(attack("stderr-for-ever", "ABCDE", LATE), "stderr_mb = 1"),
            within(attack("fork-bomb", "ABCDE", LATE), "processes = 20"),
            within(attack("fork-tree", "ABCDE", LATE), "processes = 20"),
            within(attack("thread-bomb", "ABCDE", LATE), "processes = 20"),
        ],
    );
}

#[test]
fn wrong_answers_lose_and_are_quoted() {
    fight_all(
        "60000",
        "12",
        &[
            attack("nul", "ABCDE", Loses("bad-input", "\"\\x007,7\" is no move")),
            attack("nul-inside", "AC", Loses("bad-input", "\"7\\x00,7\" is no move")),
            attack("bad-utf8", "ABCDE", Loses("bad-input", "\"\\xff\\xfe7,7\" is no move")),
            attack("bom", "ABCDE", Loses("bad-input", "\"\\u{feff}7,7\" is no move")),
            attack("utf16", "AC", Loses("bad-input", "\"\\xff\\xfe7\\x00,\\x007\\x00\"")),
            attack("huge", "ABCDE", Loses("illegal", "99999999999999999999,1 is off the")),
            attack("minus", "ABCDE", Loses("illegal", "-1,3 is off the")),
            attack("exponent", "ABCDE", Loses("bad-input", "\"1e3,2\" is no move")),
            attack("wrap", "ABCDE", Loses("illegal", "256,259 is off the")),
            attack("wrap-32", "AC", Loses("illegal", "4294967296,4294967299 is off the")),
            attack("hex", "AC", Loses("bad-input", "\"0x7,7\" is no move")),
            attack("plus", "AC", Loses("bad-input", "\"+-7,7\" is no move")),
            attack("three", "AC", Loses("bad-input", "\"7,7,7\" is no move")),
            attack("digits", "AC", Loses("bad-input", "is no move")),
            attack("json", "AC", Loses("bad-input", "is no move")),
            attack(
                "ansi",
                "ABCDE",
                Loses("bad-input", "\"\\x1b[2J\\x1b]0;gotcha\\x07\\x9b2J\\u{202e}7,7\""),
            ),
            attack("long-number", "AC", Loses("illegal", "bytes)")),
            attack("spaces", "ABCDE", Loses("line-too-long", "more than 65536 bytes")),
            attack("endless-line", "ABCDE", Loses("line-too-long", "more than 65536 bytes")),
            attack("yes", "ABCDE", Loses("illegal", "7,7 is taken")),
            within(
                attack("banner-flood", "ABCDE", Loses("flood", "MiB of output out of turn")),
                "stdout_mb = 1",
            ),
        ],
    );
}

#[test]
fn ends_of_every_kind_have_their_reason() {
    const LEFT: Verdict = Loses("end-of-output", "left a process behind that holds its output");
    fight_all(
        "60000",
        "12",
        &[
            attack("abort", "ABCDE", Loses("crash", "signal 6 (SIGABRT, aborted)")),
            attack("segfault", "ABCDE", Loses("crash", "signal 11 (SIGSEGV, segmentation fault)")),
            attack("exit", "ABCDE", Loses("crash", "exited with code 0")),
            attack("exit-at-once", "ABCDE", Loses("crash", "exited with code 0")),
            attack("suicide", "ABCDE", Loses("crash", "signal 9 (SIGKILL)")),
            attack("group-suicide", "ABCDE", Loses("crash", "signal 9 (SIGKILL)")),
            attack("cpu-signal", "ABCDE", Loses("crash", "signal 24 (SIGXCPU")),
            attack("trace", "ABCDE", Loses("crash", "exited with code 1")),
            attack(
                "last-words",
                "ABCDE",
                Loses("crash", "code 3 after the unfinished line \"7,7\""),
            ),
            attack("answer-and-exit", "ABCDE", Loses("crash", "exited with code 0")),
            attack("close-all", "ABCDE", Loses("end-of-output", "closed its output but goes on")),
            attack(
                "close-output",
                "ABCDE",
                Loses("end-of-output", "closed its output but goes on"),
            ),
            attack(
                "close-at-once",
                "ABCDE",
                Loses("end-of-output", "closed its output but goes on"),
            ),
            attack("daemon", "ABCDE", LEFT),
            attack("daemon-answers", "ABCDE", LEFT),
            attack("leave-then-play", "ABCDE", LEFT),
            attack("nameless", "ABCDE", LEFT),
            attack("impostor", "ABCDE", LEFT),
        ],
    );
}

#[test]
fn odd_but_honest_ways_are_no_faults() {
    fight_all(
        "60000",
        "12",
        &[
            attack("by-child", "ABCDE", PlaysOn),
            attack("pieces", "ABCDE", PlaysOn),
            attack("padded", "ABCDE", PlaysOn),
            attack("many-lines", "ABCDE", PlaysOn),
            attack("stderr-first", "ABCDE", PlaysOn),
            attack("close-stderr", "ABCDE", PlaysOn),
            attack("reopened", "ABCDE", PlaysOn),
            attack("helper", "ABCDE", PlaysOn),
            attack("stay", "ABCDE", PlaysOn),
            attack("twice", "ABCDE", Recorded("extra")),
            attack("early", "ABCDE", Recorded("early")),
        ],
    );
    // Its last move: afterwards it could not hear what the other one plays.
    fight_all("60000", "4", &[attack("close-input", "ABCDE", PlaysOn)]);
}

#[test]
fn limits_hold_and_the_reason_is_said() {
    const FULL: Verdict = Tries(&[
        ("full", &["ENOSPC", "EFBIG"]),
        ("MiB", &["0", "1", "2", "3", "4", "5", "6", "7", "8"]),
        ("sparse", &["EFBIG"]),
        ("fallocate", &["EFBIG", "ENOSPC"]),
    ]);
    fight_all(
        "60000",
        "12",
        &[
            within(attack("balloon", "ABCD", Loses("memory", "128 MiB")), "memory_mb = 128"),
            // Control groups of version 1 end one process after another, never the whole; on D
            // every process has the limit for itself.
            within(attack("brood", "AC", Loses("memory", "200 MiB")), "memory_mb = 200"),
            within(attack("shared-balloon", "ABC", Loses("memory", "128 MiB")), "memory_mb = 128"),
            within(
                attack("folder-full", "ABC", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(attack("disk", "ABCD", FULL), "disk_mb = 8"),
            within(attack("many-files", "ABC", Tries(&[("files", &["ENOSPC"])])), "files = 2000"),
            attack("descriptors", "ABCD", Tries(&[("descriptors", &["EMFILE"])])),
            attack("reserve", "ABCD", PlaysOn),
            attack("file-signal", "ABCD", Loses("disk", "wrote a file")),
        ],
    );
}

#[test]
fn nothing_outside_can_be_seen_reached_or_changed() {
    const REFUSED: &[&str] = &["EPERM"];
    const HIDDEN: &[&str] = &["EACCES", "ENOENT", "EPERM"];
    const READ_ONLY: &[&str] = &["EROFS", "EACCES", "EPERM", "ENOENT"];
    fight_all(
        "60000",
        "12",
        &[
            attack(
                "calls",
                "ABCD",
                Tries(&[
                    ("ptrace", REFUSED),
                    ("unshare", REFUSED),
                    ("clone", REFUSED),
                    ("mount", REFUSED),
                    ("umount", REFUSED),
                    ("keyctl", REFUSED),
                    ("add_key", REFUSED),
                    ("io_uring", REFUSED),
                    ("bpf", REFUSED),
                    ("setns", REFUSED),
                    ("chroot", REFUSED),
                    ("userfaultfd", REFUSED),
                    ("perf", REFUSED),
                    ("settime", REFUSED),
                    ("settimeofday", REFUSED),
                    ("process_vm_readv", REFUSED),
                    ("process_vm_writev", REFUSED),
                    ("pidfd_getfd", REFUSED),
                    ("ioprio", REFUSED),
                    ("reboot", REFUSED),
                    ("module", REFUSED),
                    ("handle", REFUSED),
                    ("shm", REFUSED),
                    ("fanotify", REFUSED),
                    ("swapon", REFUSED),
                    ("quota", REFUSED),
                    ("acct", REFUSED),
                ]),
            ),
            attack(
                "network",
                "ABCD",
                Tries(&[
                    ("tcp", REFUSED),
                    ("tcp6", REFUSED),
                    ("udp", REFUSED),
                    ("unix", REFUSED),
                    ("vsock", REFUSED),
                    ("netlink", REFUSED),
                    ("packet", REFUSED),
                    ("alg", REFUSED),
                    ("raw", REFUSED),
                    ("abstract", REFUSED),
                    ("path", REFUSED),
                    // The other end of the pair is gone by then: it was there.
                    ("stream-pair", &["done 5", "EPIPE"]),
                ]),
            ),
            attack(
                "power",
                "ABCD",
                Tries(&[
                    ("nice", REFUSED),
                    ("realtime", REFUSED),
                    ("affinity", REFUSED),
                    ("core", &["ValueError", "EPERM"]),
                    ("mlockall", &["EPERM", "ENOMEM"]),
                    ("setuid", &["EPERM", "EINVAL"]),
                    ("setgroups", &["EPERM", "EINVAL"]),
                    ("set-uid", &["done no new privileges: 1", "done there is none"]),
                ]),
            ),
            attack(
                "kill",
                "ABCD",
                Tries(&[
                    ("kill-all", &["done None", "EPERM", "ESRCH"]),
                    // In a cage the parent is out of sight.
                    ("kill-parent", &["done nobody", "EPERM", "ESRCH"]),
                    // The kernel keeps the first process of a cage from its children's signals.
                    ("kill-first", &["done None", "EPERM", "ESRCH"]),
                    ("stop-first", &["done None", "EPERM", "ESRCH"]),
                    ("reached", &["0"]),
                ]),
            ),
            attack(
                "spy",
                "ABCD",
                Tries(&[
                    ("/proc/1/mem", HIDDEN),
                    ("/proc/1/environ", HIDDEN),
                    ("/proc/1/maps", HIDDEN),
                    ("/proc/1/root", HIDDEN),
                    ("/proc/1/cwd", HIDDEN),
                    ("/proc/1/fd", HIDDEN),
                    ("parent/mem", HIDDEN),
                    ("parent/environ", HIDDEN),
                    ("parent/root", HIDDEN),
                    ("environments", &["0"]),
                    ("target", HIDDEN),
                    ("secrets", &["0"]),
                ]),
            ),
            attack(
                "litter",
                "ABCD",
                Tries(&[
                    ("write /", READ_ONLY),
                    ("write /var/tmp", READ_ONLY),
                    ("write /etc", READ_ONLY),
                    ("write /usr", READ_ONLY),
                    ("write /run", READ_ONLY),
                    ("write here", READ_ONLY),
                    ("own-script", READ_ONLY),
                    ("own-script-write", READ_ONLY),
                    ("chmod", READ_ONLY),
                    ("sysctl", READ_ONLY),
                    ("oom", &["EACCES", "EPERM"]),
                ]),
            ),
            attack("folder-tricks", "ABCDE", Perhaps("disk")),
            attack("deep-folder", "ABCDE", Perhaps("disk")),
            attack("pipes", "ABCDE", PlaysOn),
            attack("lock", "ABCDE", PlaysOn),
            attack("rename", "ABCDE", PlaysOn),
            attack("trace-sibling", "ABCD", Tries(&[("attach", REFUSED)])),
        ],
    );
}

#[test]
fn a_stack_trace_is_in_the_replay_and_so_are_words_before_a_quick_answer() {
    let folder = Folder::new("attack-trace");
    for (mode, words) in [("trace", "! KeyError: 'this villain is broken'"), ("escapes", "evil")] {
        for tier in tiers() {
            let word = word(mode, tier);
            enlist(&folder, "villain", "villain.py", &[mode, &word], "");
            enlist(&folder, "victim", "brain.py", &["good"], "");
            let args = [
                "play",
                "gomoku",
                "villain",
                "victim",
                "--set",
                "max_moves=4",
                "--timeout-ms",
                "60000",
            ];
            let fought = fight(&folder, tier, &word, &args).unwrap_or_else(|why| panic!("{why}"));
            let said =
                fought.lines.lines().any(|line| line.contains(" ! ") && line.contains(words));
            assert!(said, "{mode} {tier}: {}", fought.lines);
        }
    }
}

#[test]
fn what_bots_say_cannot_play_tricks_with_the_terminal() {
    let folder = Folder::new("attack-terminal");
    enlist(&folder, "villain", "villain.py", &["escapes", "word"], "");
    enlist(&folder, "liar", "villain.py", &["ansi", "word"], "");
    enlist(&folder, "victim", "brain.py", &["good"], "");
    let clean = |args: &[&str], words: &str| {
        let output = run(&folder, args);
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            for letter in ['\x1b', '\x07', '\u{9b}', '\u{202e}'] {
                assert!(!text.contains(letter), "{args:?}: {text:?}");
            }
        }
        assert!(stdout(&output).contains(words), "{args:?}: {}", stdout(&output));
        output
    };
    let common = ["victim", "--seed", "1", "--set", "max_moves=6", "--timeout-ms", "60000"];
    for bot in ["villain", "liar"] {
        let words = if bot == "liar" { "gotcha" } else { "draw" };
        clean(&[&["play", "gomoku", bot], &common[..]].concat(), words);
        let watched = if bot == "liar" { "gotcha" } else { "evil" };
        clean(
            &[&["play", "gomoku", bot], &common[..], &["--watch", "--pace-ms", "0"]].concat(),
            watched,
        );
        let report = json_lines(&run(
            &folder,
            &[&["play", "gomoku", bot], &common[..], &["--json"]].concat(),
        ));
        let replay = report[0]["replay"].as_str().expect("a replay was written").to_owned();
        clean(&["replay", &replay, "--lines"], "gotcha");
        for step in 0..=report[0]["turns"].as_u64().expect("a number") {
            clean(&["replay", &replay, "--at", &step.to_string()], "");
        }
    }
    // The name in a manifest is the bot's word, too.
    let manifest = folder.path().join("villain/bot.toml");
    let text = std::fs::read_to_string(&manifest).expect("it was written");
    let text = text.replace("name = 'villain'", "name = \"\\u001b[2Jvillain\"");
    std::fs::write(&manifest, text).expect("writable");
    let refused = run(&folder, &["play", "gomoku", "villain", "victim"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot be shown"));
}

#[test]
fn a_bot_that_listens_to_itself_does_not_outlive_a_host_that_is_killed() {
    use std::io::{BufRead as _, BufReader};
    for tier in tiers() {
        let word = word("hold-stderr", tier);
        let folder = Folder::new(&format!("attack-hold-{tier}"));
        enlist(&folder, "villain", "villain.py", &["hold-stderr", &word], "");
        let letter = tier.to_string();
        let mut host = lanista(&folder)
            .args(["play", "gomoku", "villain", "builtin:random", "--games", "1000000", "--json"])
            .args(["--set", "max_moves=6", "--no-replay", "--concurrency", "1", "--tier", &letter])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let mut line = String::new();
        let mut output = BufReader::new(host.stdout.take().expect("it was asked for"));
        output.read_line(&mut line).expect("the program prints");
        assert!(!processes_with(&word).is_empty(), "{tier}: {line}");
        host.kill().expect("it runs");
        host.wait().expect("it ends");
        wait_until(&format!("on tier {tier} all bots are gone"), || {
            processes_with(&word).is_empty()
        });
    }
}
