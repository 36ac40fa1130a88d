//! What a bot can do in its cage, on the tiers of this machine: real programs that try.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{
    Folder, LANISTA, brain, json_lines, lanista_of_ordinary_user, processes_with, run, stderr,
    stdout, wait_until,
};
use crate::tiers::{BEST, ORDINARY_USERS_HAVE_NAMESPACES, python, tiers};

/// Tiers with namespaces.
fn walled() -> Vec<&'static str> {
    tiers("ABC")
}

/// What came of a game with a prisoner.
struct Tried {
    report: Value,
    lines: String,
}

impl Tried {
    /// What it said came of an attempt.
    fn said(&self, what: &str) -> &str {
        let start = format!("! {what}: ");
        let line = self.lines.lines().find_map(|line| line.split_once(&start));
        line.unwrap_or_else(|| panic!("no word about {what}: {}\n{}", self.report, self.lines)).1
    }
    fn faults(&self) -> Vec<(&str, &str)> {
        let faults = self.report["players"][0]["faults"].as_array().expect("a list");
        let word = |fault: &Value, key: &str| fault[key].as_str().expect("a word").to_owned();
        let leak = |text: String| -> &'static str { text.leak() };
        faults.iter().map(|f| (leak(word(f, "kind")), leak(word(f, "detail")))).collect()
    }
}

/// A folder with the prisoner in it, and a manifest.
fn prison(folder: &Folder, act: &str, limits: &str) {
    let bot = folder.path().join("bot");
    std::fs::create_dir_all(&bot).expect("writable");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/prisoner.py");
    std::fs::copy(script, bot.join("prisoner.py")).expect("it can be copied");
    let words: Vec<String> = act.split(' ').map(|word| format!("'{word}'")).collect();
    let manifest = format!(
        "name = 'prisoner'\ncommand = ['{}', 'prisoner.py', {}]\n{limits}\n",
        python(),
        words.join(", ")
    );
    std::fs::write(bot.join("bot.toml"), manifest).expect("writable");
}

/// Plays a short game with a prisoner that tries something.
fn tried(tier: &str, act: &str, limits: &str) -> Tried {
    let folder = Folder::new(&format!("cage-{tier}-{}", act.split('/').next().unwrap_or(act)));
    prison(&folder, act, limits);
    play(&folder, tier)
}

fn play(folder: &Folder, tier: &str) -> Tried {
    let args = ["play", "gomoku", "bot", "builtin:random", "--json", "--tier", tier];
    let more = ["--set", "max_moves=6", "--start-ms", "30000", "--timeout-ms", "20000"];
    let output = run(folder, &[&args[..], &more].concat());
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    assert_eq!(report["tier"], tier, "{report}");
    let replay = report["replay"].as_str().expect("a replay was written").to_owned();
    let lines = stdout(&run(folder, &["replay", &replay, "--lines"]));
    Tried { report, lines }
}

#[test]
fn sockets_are_refused_but_pairs_work() {
    for tier in tiers("ABCD") {
        let tried = tried(tier, "network", "");
        for family in ["AF_INET", "AF_INET6", "AF_UNIX", "AF_VSOCK", "AF_NETLINK", "AF_PACKET"] {
            assert_eq!(tried.said(family), "EPERM", "{tier} {family}");
        }
        assert_eq!(tried.said("pair"), "done 2");
        assert_eq!(tried.faults(), [], "it plays on");
    }
}

#[test]
fn calls_that_reach_beyond_the_cage_are_refused() {
    for tier in tiers("ABCD") {
        let tried = tried(tier, "calls", "");
        let refused = [
            "ptrace",
            "unshare",
            "mount",
            "keyctl",
            "io_uring",
            "bpf",
            "setns",
            "chroot",
            "userfaultfd",
            "perf",
            "settime",
            "affinity",
            "nice",
            "realtime",
            "bind",
            "listen",
            "accept",
            "connect",
            "interfaces",
            "lifetime hint",
        ];
        for call in refused {
            assert_eq!(tried.said(call), "EPERM", "{tier} {call}");
        }
        for unknown in ["aio", "landlock"] {
            assert_eq!(tried.said(unknown), "ENOSYS", "{tier} {unknown}");
        }
        assert_eq!(tried.said("cookie"), "ENOPROTOOPT", "{tier}");
        if tier != "D" {
            assert_eq!(tried.said("device times"), "EROFS", "{tier}");
        }
        assert!(["EPERM", "EINVAL"].contains(&tried.said("root")), "{tier}");
        assert_eq!(tried.faults(), [], "it plays on");
    }
}

#[test]
fn a_bot_has_no_rights_no_environment_and_no_descriptors_of_the_host() {
    for tier in tiers("ABCD") {
        let tried = tried(tier, "status", "[env]\nMINE = '1'");
        for capabilities in ["CapEff", "CapPrm", "CapInh", "CapAmb"] {
            assert_eq!(tried.said(capabilities), "0", "{tier}");
        }
        // Elsewhere it is that of a user namespace, or not ours to take away.
        if tier == "D" && rustix::process::geteuid().is_root() {
            assert_eq!(tried.said("CapBnd"), "0", "nothing that it executes can have one");
        }
        assert_eq!((tried.said("NoNewPrivs"), tried.said("Seccomp")), ("1", "2"), "{tier}");
        // One byte: less than any core has, and the value with which no other program is handed
        // one.
        assert_eq!(tried.said("core"), "1", "{tier}");
        // The fourth is the folder it is looking at.
        assert_eq!(tried.said("fds"), "[0, 1, 2, 3]", "{tier}");
        assert_eq!(tried.said("uid"), "no root", "{tier}");
        let env: Vec<&str> =
            tried.said("env").split(' ').filter(|name| *name != "LC_CTYPE").collect();
        let allowed = ["HOME", "LANG", "LANISTA_SEAT", "MINE", "PATH", "TMPDIR"];
        assert!(env.contains(&"MINE") && env.contains(&"HOME"), "{tier}: {env:?}");
        assert!(env.iter().all(|name| allowed.contains(name)), "{tier}: {env:?}");
        assert!(tier == "D" || !env.contains(&"LANISTA_SEAT"), "{tier}: {env:?}");
    }
}

#[test]
fn files_of_others_are_out_of_reach_and_its_own_are_read_only() {
    let secret = Folder::new("cage-secret");
    std::fs::write(secret.path().join("memory"), "secret").expect("writable");
    let home = std::env::var("HOME").expect("tests have a home");
    for tier in tiers("ABCD") {
        let paths = [secret.path().to_str().expect("plain"), &home, "/root", "/proc/1/root"];
        let file = secret.path().join("memory");
        let act = format!("files {}:{}", paths.join(":"), file.display());
        let tried = tried(tier, &act, "");
        for path in [&paths[..], &[file.to_str().expect("plain")]].concat() {
            let said = tried.said(&format!("read {path}"));
            // A folder on the way to something shown is there, with nothing else in it.
            let bare = ["ENOENT", "EACCES", "EPERM", "done []", "done ['.pyenv']"];
            assert!(bare.contains(&said), "{tier} {path}: {said}");
        }
        for line in tried.lines.lines().filter(|line| line.contains("! write ")) {
            assert!(line.ends_with(": EROFS") || line.ends_with(": EACCES"), "{tier}: {line}");
        }
        assert_eq!(tried.faults(), []);
    }
}

#[test]
fn replays_are_hidden_even_in_a_folder_that_is_shown() {
    let folder = Folder::new("cage-replays");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/prisoner.py");
    std::fs::copy(script, folder.path().join("prisoner.py")).expect("it can be copied");
    std::fs::create_dir_all(folder.path().join("replays")).expect("writable");
    std::fs::write(folder.path().join("replays/old.lrz"), "old").expect("writable");
    for tier in walled() {
        let replays = folder.path().join("replays");
        let bot = format!("{} prisoner.py files {}", python(), replays.display());
        let args = ["play", "gomoku", &bot, "builtin:random", "--json", "--tier", tier];
        let output = run(&folder, &[&args[..], &["--set", "max_moves=2"]].concat());
        let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
        let replay = report["replay"].as_str().expect("a replay was written").to_owned();
        let lines = stdout(&run(&folder, &["replay", &replay, "--lines"]));
        let tried = Tried { report, lines };
        assert_eq!(tried.said(&format!("read {}", replays.display())), "done []", "{tier}");
    }
}

#[test]
fn a_bot_sees_no_process_but_its_own() {
    for tier in walled() {
        let tried = tried(tier, "processes", "");
        assert_eq!(tried.said("processes"), "2", "{tier}");
        assert_eq!(tried.said("memory of the first"), "EACCES", "{tier}");
        assert_eq!(tried.said("environment of the first"), "EACCES", "{tier}");
    }
}

#[test]
fn killing_everybody_hits_nobody() {
    for tier in tiers("ABCD") {
        let tried = tried(tier, "kill", "");
        assert!(["done None", "EPERM", "ESRCH"].contains(&tried.said("kill the first")), "{tier}");
        assert!(["EPERM", "ESRCH", "done None"].contains(&tried.said("kill all")), "{tier}");
        assert_eq!(tried.faults(), [], "{tier}: it plays on, and so do we");
    }
}

#[test]
fn a_fork_bomb_is_refused_within_its_own_limit() {
    for tier in tiers("ABCD") {
        let tried = tried(tier, "fork", "[limits]\nprocesses = 20");
        assert_eq!(tried.said("fork"), "EAGAIN", "{tier}");
        let made: u32 = tried.said("made").parse().expect("a number");
        // Without namespaces an ordinary user's other processes count, too.
        let least = if tier == "D" { 0 } else { 15 };
        assert!((least..=20).contains(&made), "{tier}: {made}");
        assert_eq!(tried.faults(), [], "{tier}: it plays on");
    }
}

#[test]
fn a_memory_balloon_is_ended_and_the_reason_said() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    for tier in tiers("ABCD") {
        let tried = tried(tier, "balloon", "[limits]\nmemory_mb = 128");
        let faults = tried.faults();
        assert_eq!(faults[0].0, "memory", "{tier}: {faults:?}");
        assert!(faults[0].1.contains("128 MiB"), "{tier}: {faults:?}");
    }
}

/// Control groups are used again.
#[test]
fn a_process_is_not_blamed_for_the_memory_of_the_one_before() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    for tier in tiers("ABC") {
        let folder = Folder::new(&format!("cage-{tier}-once"));
        prison(&folder, "balloon_once 3", "[limits]\nmemory_mb = 128");
        let args = ["play", "gomoku", "bot", "builtin:random", "--json", "--fresh", "--games", "3"];
        let more = ["--tier", tier, "--concurrency", "1", "--timeout-ms", "20000"];
        let reports = json_lines(&run(&folder, &[&args[..], &more].concat()));
        let kind = |report: &Value| {
            let player = report["players"].as_array().expect("a list").iter();
            let prisoner = player.filter(|player| player["name"] == "prisoner");
            let faults = prisoner.flat_map(|player| player["faults"].as_array().expect("a list"));
            faults.map(|fault| fault["kind"].as_str().expect("a word").to_owned()).collect()
        };
        let kinds: Vec<Vec<String>> = reports.iter().map(kind).collect();
        assert_eq!(kinds, [["memory"], ["crash"], ["crash"]], "{tier}: {reports:?}");
    }
}

#[test]
fn memory_of_all_children_together_counts() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    // Control groups of version 1 end one process after another, never the whole.
    for tier in tiers("AC") {
        let tried = tried(tier, "brood", "[limits]\nmemory_mb = 200");
        let faults = tried.faults();
        assert_eq!(faults[0].0, "memory", "{tier}: {faults:?}");
    }
}

#[test]
fn the_disk_cannot_be_filled() {
    for tier in tiers("ABCD") {
        let tried = tried(tier, "disk", "[limits]\ndisk_mb = 16");
        assert!(["ENOSPC", "EFBIG"].contains(&tried.said("full")), "{tier}");
        let written: u32 = tried.said("MiB").parse().expect("a number");
        assert!(written <= 16, "{tier}: {written}");
        assert_eq!(tried.faults(), [], "{tier}: it plays on");
    }
    for tier in walled() {
        let tried = tried(tier, "many_files", "[limits]\nfiles = 3000");
        assert_eq!(tried.said("full"), "ENOSPC", "{tier}");
        let made: u32 = tried.said("made").parse().expect("a number");
        assert!((3000..5000).contains(&made), "{tier}: {made}");
    }
}

#[test]
fn a_bot_that_hoards_files_in_its_folder_is_ended() {
    for tier in walled() {
        let tried = tried(tier, "hoard", "[limits]\ndisk_mb = 16");
        let faults = tried.faults();
        assert_eq!(faults[0].0, "disk", "{tier}: {faults:?}");
        assert!(faults[0].1.contains("16 MiB"), "{tier}: {faults:?}");
    }
}

#[test]
fn codes_and_signals_arrive_as_they_were() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    for tier in tiers("ABCDE") {
        for (act, words) in [
            ("exit 0", "its process exited with code 0"),
            ("exit 3", "its process exited with code 3"),
            ("exit 255", "its process exited with code 255"),
            ("signal 6", "its process was killed by signal 6 (SIGABRT, aborted)"),
            ("signal 9", "its process was killed by signal 9 (SIGKILL)"),
            ("signal 11", "its process was killed by signal 11 (SIGSEGV, segmentation fault)"),
            ("signal 15", "its process was killed by signal 15 (SIGTERM)"),
        ] {
            let tried = tried(tier, act, "");
            assert_eq!(tried.faults(), [("crash", words)], "{tier} {act}");
        }
    }
}

#[test]
fn what_a_bot_keeps_in_its_folder_is_there_in_the_next_game() {
    for tier in tiers("ABCD") {
        let folder = Folder::new(&format!("cage-{tier}-keep"));
        prison(&folder, "keep", "");
        let args = ["play", "gomoku", "bot", "builtin:random", "--json", "--fresh", "--games", "2"];
        let more = ["--tier", tier, "--set", "max_moves=2", "--concurrency", "1"];
        let reports = json_lines(&run(&folder, &[&args[..], &more].concat()));
        let said: Vec<String> = reports
            .iter()
            .map(|report| {
                let replay = report["replay"].as_str().expect("a replay was written");
                stdout(&run(&folder, &["replay", replay, "--lines"]))
            })
            .collect();
        assert!(said[0].contains("! kept: ENOENT"), "{tier}: {}", said[0]);
        assert!(said[0].contains("! keep: done 8"), "{tier}: {}", said[0]);
        assert!(said[1].contains("! kept: done remember"), "{tier}: {}", said[1]);
    }
}

/// Cages are used again, by one process of a bot after another, and all of them have one root.
#[test]
fn a_cage_shows_nothing_of_the_one_before() {
    for (tier, at_once) in walled().into_iter().flat_map(|tier| [(tier, "1"), (tier, "2")]) {
        let folder = Folder::new(&format!("cage-{tier}-look-{at_once}"));
        prison(&folder, "look", "[limits]\nprocesses = 20");
        let args = ["play", "gomoku", "bot", "bot", "--json", "--fresh", "--games", "4"];
        let more = ["--tier", tier, "--set", "max_moves=2", "--concurrency", at_once];
        let reports = json_lines(&run(&folder, &[&args[..], &more].concat()));
        let mut looks: Vec<Vec<String>> = Vec::new();
        for report in &reports {
            let replay = report["replay"].as_str().expect("a replay was written");
            let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
            for player in ["0", "1"] {
                let said = lines.lines().filter(|line| line.contains(&format!("#{player} ! ")));
                let said = said.filter_map(|line| Some(line.split_once("! ")?.1.to_owned()));
                let (left, seen): (Vec<_>, _) = said.partition(|line| line.starts_with("left "));
                // It could leave something, or this says nothing.
                for done in [
                    "left pairs: 20",
                    "left in /tmp: done 1",
                    "left in /dev/shm: done 1",
                    "left a time on /proc/self: done None",
                    "left a time on /proc/thread-self: done None",
                    "left a time on /proc/sys/kernel/ns_last_pid: done None",
                ] {
                    assert!(left.iter().any(|line| line == done), "{tier} {done}: {left:?}");
                }
                looks.push(seen);
            }
        }
        assert!(looks.len() == 8 && looks[0].len() > 15, "{tier}: {looks:#?}");
        for look in &looks {
            assert_eq!(look, &looks[0], "{tier}");
        }
        // Without a control group that counts, there is one more, for the first process.
        let children = if tier == "A" { "done ('EAGAIN', 19)" } else { "done ('EAGAIN', 20)" };
        let as_new = [
            ("looked at before", "done False"),
            ("listed before: /proc", "done False"),
            ("listed before: /proc/sys/kernel", "done False"),
            ("touched before: /proc/self", "done False"),
            ("touched before: /proc/thread-self", "done False"),
            ("touched before: /proc/sys/kernel/ns_last_pid", "done False"),
            ("number", "done 2"),
            ("last number", "done 2"),
            ("others", "ESRCH"),
            ("waited for by the first", "done ['0', '0']"),
            ("sockets", "done 0"),
            ("group", "done"),
            ("room for processes", children),
        ];
        for (what, seen) in as_new {
            let seen = format!("{what}: {seen}");
            assert!(
                looks[0].iter().any(|line| line.starts_with(&seen)),
                "{tier} {seen}: {looks:#?}"
            );
        }
    }
}

/// In games that hide something nothing lasts from game to game. A bot can see how much the first process
/// of its cage has done.
#[test]
fn the_first_process_of_a_cage_does_nothing_that_depends_on_a_bot() {
    for tier in walled() {
        let folder = Folder::new(&format!("cage-{tier}-first"));
        let bot = folder.path().join("bot");
        std::fs::create_dir_all(&bot).expect("writable");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let scripts =
            ["crates/lanista/tests/bots/witness.py", "examples/bots/jedna/tidy-python/bot.py"];
        for script in scripts.map(|script| Path::new(root).join(script)) {
            let name = script.file_name().expect("a file");
            std::fs::copy(&script, bot.join(name)).expect("it can be copied");
        }
        let manifest = format!(
            "name = 'witness'\ncommand = ['{}', 'witness.py', 'bot.py']\n\
             [limits]\nmemory_mb = 256\n",
            python()
        );
        std::fs::write(bot.join("bot.toml"), manifest).expect("writable");
        let args = ["play", "jedna", "bot", "builtin:random", "--games", "5", "--json"];
        let more = ["--concurrency", "1", "--tier", tier, "--start-ms", "30000"];
        let reports = json_lines(&run(&folder, &[&args[..], &more].concat()));
        let mut seen: HashMap<String, HashSet<String>> = HashMap::new();
        let mut looks = 0;
        for report in &reports {
            let replay = report["replay"].as_str().expect("a replay was written");
            let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
            for line in lines.lines().filter_map(|line| line.split_once(" ! first process of ")) {
                let (cage, did) = line.1.split_once(' ').expect("two words");
                seen.entry(cage.to_owned()).or_default().insert(did.to_owned());
                looks += 1;
            }
        }
        assert!(looks >= 10, "{tier}: twice in every game: {reports:?}");
        assert!(seen.len() < reports.len(), "{tier}: no cage was used again: {seen:?}");
        assert!(seen.values().all(|did| did.len() == 1), "{tier}: {seen:?}");
    }
}

#[test]
fn a_bot_that_spoils_a_cage_gets_no_old_one_any_more() {
    for tier in walled() {
        let folder = Folder::new(&format!("cage-{tier}-spoil"));
        crate::arena::enlist(&folder, "bot", "spoiler.py", &[], "");
        let args = ["play", "gomoku", "bot", "builtin:random", "--games", "24", "--json"];
        let more = ["--fresh", "--concurrency", "1", "--seed", "1", "--set", "max_moves=6"];
        let more = [&more[..], &["--tier", tier, "--start-ms", "30000"]].concat();
        let mut reports = json_lines(&run(&folder, &[&args[..], &more].concat()));
        reports.sort_by_key(|report| report["index"].as_u64());
        // The cage of every game, and whether its bot has killed itself.
        let games = reports.iter().map(|report| {
            let bot = report["players"].as_array().expect("a list");
            let bot = bot.iter().find(|player| player["name"] == "bot").expect("it has played");
            assert_eq!(bot["faults"], Value::Array(Vec::new()), "{tier}: {report}");
            let replay = report["replay"].as_str().expect("a replay was written");
            let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
            let cage = lines.lines().find_map(|line| line.split_once("! cage "));
            let cage = cage.unwrap_or_else(|| panic!("{tier}: {lines}")).1.to_owned();
            (cage, lines.contains("! kills itself"))
        });
        let games: Vec<(String, bool)> = games.collect();
        let is_old = |at: usize| games[..at].iter().any(|(cage, _)| *cage == games[at].0);
        let first_old = (0..games.len()).find(|at| is_old(*at)).expect("one was used again");
        let spoiled = (first_old..games.len()).find(|at| games[*at].1).expect("one was spoiled");
        // The processes of the next games may be there already.
        const AHEAD: usize = 2;
        assert!(spoiled + AHEAD + 3 < games.len(), "{tier}: {games:?}");
        let later = spoiled + AHEAD + 1..games.len();
        assert!(later.into_iter().all(|at| !is_old(at)), "{tier}: {spoiled} {games:?}");
    }
}

#[test]
fn programs_of_every_kind_find_what_they_need() {
    let folder = Folder::new("cage-kinds");
    let script = "const rl = require('readline').createInterface({ input: process.stdin });\n\
        let n = 0;\n\
        rl.on('line', line => {\n\
          if (line.startsWith('START')) console.log('OK');\n\
          else if (/^(BEGIN|TURN)/.test(line)) console.log(`${(n += 2)},${10 + n % 3}`);\n\
          else if (line === 'END') process.exit(0);\n\
        });\n";
    std::fs::write(folder.path().join("brain.js"), script).expect("writable");
    let source = "#include <stdio.h>\n#include <string.h>\nint main(void) { char line[99]; int n = 0;\n\
        while (fgets(line, 99, stdin)) {\n\
          if (!strncmp(line, \"START\", 5)) puts(\"OK\");\n\
          else if (line[0] == 'B' || line[0] == 'T') { n += 2; printf(\"%d,10\\n\", n); }\n\
          else if (!strncmp(line, \"END\", 3)) return 0;\n\
          fflush(stdout); } return 0; }\n";
    std::fs::write(folder.path().join("brain.c"), source).expect("writable");
    let brain = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::copy(brain, folder.path().join("brain.py")).expect("it can be copied");
    let make = |command: &str, args: &[&str]| {
        let mut command = Command::new(command);
        let done = command.args(args).current_dir(folder.path()).output();
        done.is_ok_and(|output| output.status.success())
    };
    let mut bots = vec!["python3 brain.py".to_owned()];
    for (bot, there) in [
        ("node brain.js", make("node", &["--version"])),
        ("./brain", make("gcc", &["-o", "brain", "brain.c"])),
        ("venv/bin/python brain.py", make("python3", &["-m", "venv", "--without-pip", "venv"])),
    ] {
        if there {
            bots.push(bot.to_owned());
        }
    }
    assert!(bots.len() > 1, "gcc is needed to build this program at all");
    for tier in walled() {
        for bot in &bots {
            let args = ["play", "gomoku", bot, "builtin:random", "--json", "--tier", tier];
            // One move each: these brains do not look at the board.
            let more = ["--set", "max_moves=2", "--start-ms", "30000", "--no-replay"];
            let output = run(&folder, &[&args[..], &more].concat());
            let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
            assert_eq!(report["players"][0]["faults"], Value::Array(Vec::new()), "{bot}: {report}");
        }
    }
}

#[test]
fn a_file_that_is_not_shown_is_a_hint_and_can_be_shown() {
    let elsewhere = Folder::new("cage-elsewhere");
    std::fs::write(elsewhere.path().join("weights"), "1").expect("writable");
    let folder = Folder::new("cage-hint");
    let brain =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py"));
    let weights = elsewhere.path().join("weights");
    let script = format!("open('{}').read()\n{}", weights.display(), brain.expect("readable"));
    std::fs::write(folder.path().join("needy.py"), script).expect("writable");
    for tier in walled() {
        let play = |more: &[&str]| {
            let args = ["play", "gomoku", "python3 needy.py", "builtin:random", "--json"];
            let short = ["--no-replay", "--set", "max_moves=2", "--tier", tier];
            json_lines(&run(&folder, &[&args[..], &short, more].concat())).remove(0)
        };
        let refused = play(&[]);
        let detail = refused["players"][0]["faults"][0]["detail"].to_string();
        assert!(detail.contains("--allow-read PATH"), "{detail}");
        let shown = play(&["--allow-read", weights.to_str().expect("plain")]);
        assert_eq!(shown["players"][0]["faults"], Value::Array(Vec::new()), "{shown}");
    }
}

#[test]
fn a_tier_that_is_required_and_not_there_is_refused_with_the_next_step() {
    let folder = Folder::new("cage-require");
    let args = ["play", "gomoku", "builtin:random", "builtin:random", "--no-replay"];
    let refused = run(&folder, &[&args[..], &["--tier", "E", "--require-tier", "D"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let text = stderr(&refused);
    assert!(text.contains("tier E") && text.contains("tier D is required"), "{text}");
    let accepted = run(&folder, &[&args[..], &["--require-tier", "E"]].concat());
    assert_eq!(accepted.status.code(), Some(0), "{}", stderr(&accepted));
    if *BEST != "A" {
        let refused = run(&folder, &[&args[..], &["--require-tier", "A"]].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("Delegate=yes"), "{}", stderr(&refused));
    }
}

/// The first bot is tried in the best cage there could be.
#[test]
fn where_there_are_no_namespaces_the_first_bot_gets_the_next_best_cage() {
    if walled().is_empty() {
        // This machine is such a place, and every other test shows it.
        return;
    }
    let folder = Folder::new("cage-none");
    // A user without rights in a user namespace that can hold no other.
    let within = |args: &[&str]| {
        let no_more = "echo 1 > /proc/sys/user/max_user_namespaces && \
                       exec unshare -U --map-user=1000 --map-group=1000 \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["-Ur", "sh", "-c", no_more, "sh", LANISTA]).args(args);
        command.current_dir(folder.path()).output().expect("it can be started")
    };
    let found = json_lines(&within(&["doctor", "--json"])).remove(0);
    let tier = found["tier"].as_str().expect("a letter");
    assert!(["D", "E"].contains(&tier), "{found}");
    let args = ["play", "gomoku", &brain("good"), "builtin:random", "--json", "--no-replay"];
    let output = within(&[&args[..], &["--set", "max_moves=6"]].concat());
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    assert_eq!(report["tier"], tier, "{report}");
    assert_eq!(report["players"][0]["faults"], Value::Array(Vec::new()), "{report}");
}

#[test]
fn an_ordinary_user_has_cages_with_namespaces() {
    if !*ORDINARY_USERS_HAVE_NAMESPACES {
        // This machine keeps them to root.
        return;
    }
    let folder = Folder::new("cage-user");
    crate::arena::enlist(&folder, "good", "brain.py", &["good"], "");
    let lanista = |args: &[&str]| {
        lanista_of_ordinary_user(&folder).args(args).output().expect("it can be started")
    };
    let found = json_lines(&lanista(&["doctor", "--json"])).remove(0);
    let tier = found["tier"].as_str().expect("a letter");
    assert!(["A", "B", "C"].contains(&tier), "{found}");
    let args = ["play", "gomoku", "good", "builtin:random", "--json", "--set", "max_moves=6"];
    // The second process of a cage.
    let output = lanista(&[&args[..], &["--games", "2", "--fresh", "--concurrency", "1"]].concat());
    let reports = json_lines(&output);
    assert_eq!(reports.len(), 2, "{}", stderr(&output));
    for report in reports {
        assert_eq!(report["tier"], tier, "{report}");
        for player in report["players"].as_array().expect("a list") {
            assert_eq!(player["faults"], Value::Array(Vec::new()), "{report}");
        }
    }
}

/// Whatever the host makes for a bot, the bot can reach.
#[test]
fn a_host_whose_files_are_for_nobody_else_starts_its_bots() {
    for tier in tiers("ABCDE") {
        let folder = Folder::new(&format!("cage-{tier}-umask"));
        prison(&folder, "keep", "");
        let mut command = Command::new("sh");
        command.args(["-c", "umask 077; exec \"$@\"", "sh", LANISTA]).current_dir(folder.path());
        let args = ["play", "gomoku", "bot", "builtin:random", "--json", "--tier", tier];
        let more = ["--set", "max_moves=6", "--start-ms", "30000", "--timeout-ms", "20000"];
        let output = command.args(args).args(more).output().expect("it can be started");
        let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
        assert_eq!(report["tier"], tier, "{report}");
        assert_eq!(report["players"][0]["faults"], Value::Array(Vec::new()), "{report}");
        let replay = report["replay"].as_str().expect("a replay was written");
        let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
        assert!(lines.contains("! keep: done 8"), "{tier}: {lines}");
    }
}

/// As a service may be: whoever makes namespaces is killed there, and answers nothing.
#[test]
fn where_making_namespaces_is_deadly_bots_get_the_next_best_cage() {
    let folder = Folder::new("cage-service");
    let service = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/service.py");
    let within = |args: &[&str]| {
        let mut command = Command::new(python());
        command.args([service, LANISTA]).args(args).current_dir(folder.path());
        command.output().expect("it can be started")
    };
    let found = json_lines(&within(&["doctor", "--json"])).remove(0);
    let tier = found["tier"].as_str().expect("a letter");
    assert!(["D", "E"].contains(&tier), "{found}");
    assert!(found.to_string().contains("SystemCallFilter"), "{found}");
    crate::arena::enlist(&folder, "good", "brain.py", &["good"], "");
    let args = ["play", "gomoku", "good", "builtin:random", "--json", "--no-replay"];
    let output = within(&[&args[..], &["--set", "max_moves=6"]].concat());
    let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
    assert_eq!(report["tier"], tier, "{report}");
    assert_eq!(report["players"][0]["faults"], Value::Array(Vec::new()), "{report}");
    let refused = within(&[&args[..], &["--require-tier", "C"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("SystemCallFilter"), "{}", stderr(&refused));
}

#[test]
fn nothing_is_left_of_a_cage_when_the_host_is_killed() {
    for tier in walled() {
        let folder = Folder::new(&format!("cage-{tier}-killed"));
        prison(&folder, "fork word-for-cage", "[limits]\nprocesses = 9");
        let word = format!("cage-{tier}-killed");
        let mut host = crate::common::lanista(&folder)
            .args(["play", "gomoku", "bot", "builtin:random", "--tier", tier, "--no-replay"])
            .args(["--games", "100000", "--json", "--quiet"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the program can be started");
        let inside = || {
            let bots = processes_with("word-for-cage");
            bots.into_iter().filter(|pid| *pid != host.id() as i32).count()
        };
        wait_until("the bots are there", || inside() > 5);
        host.kill().expect("it runs");
        host.wait().expect("it ends");
        wait_until("all bots are gone", || processes_with("word-for-cage").is_empty());
        wait_until("its groups are gone", || {
            let groups = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
            let mounts = groups.lines().filter_map(|line| line.split(' ').nth(4));
            let left = mounts.filter(|path| path.starts_with("/sys/fs/cgroup")).flat_map(|path| {
                std::fs::read_dir(path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.file_name())
            });
            let prefix = format!("lanista-{:x}.", host.id());
            left.filter(|name| name.to_string_lossy().starts_with(&prefix)).count() == 0
        });
        assert!(folder.path().exists(), "{word}");
    }
}
