//! Programs that mean harm, each in a game beside an innocent bot, on every tier of this machine.

use crate::arena::Verdict;
use crate::arena::{Loses, LosesEither, Perhaps, PlaysOn, Recorded, Tries};
use crate::arena::{attack, by_ordinary_user, enlist, fight, fight_all, within, word};
use crate::common::{Folder, json_lines, run, stdout};
use crate::tiers::tiers;

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
fn words_instead_of_a_move_lose_when_the_time_is_up_and_are_quoted() {
    fight_all(
        "2000",
        "12",
        &[
            attack("nul", "ABCDE", Loses("bad-input", "\"\\x007,7\" is not a move")),
            attack("nul-inside", "AC", Loses("bad-input", "\"7\\x00,7\" is not a move")),
            attack("bad-utf8", "ABCDE", Loses("bad-input", "\"\\xff\\xfe7,7\" is not a move")),
            attack("bom", "ABCDE", Loses("bad-input", "\"\\u{feff}7,7\" is not a move")),
            attack("utf16", "AC", Loses("bad-input", "\"\\xff\\xfe7\\x00,\\x007\\x00\"")),
            attack("exponent", "ABCDE", Loses("bad-input", "\"1e3,2\" is not a move")),
            attack("hex", "AC", Loses("bad-input", "\"0x7,7\" is not a move")),
            attack("plus", "AC", Loses("bad-input", "\"+-7,7\" is not a move")),
            attack("digits", "AC", Loses("bad-input", "is not a move")),
            attack("json", "AC", Loses("bad-input", "is not a move")),
            attack(
                "ansi",
                "ABCDE",
                Loses("bad-input", "\"\\x1b[2J\\x1b]0;gotcha\\x07\\x9b2J\\u{202e}7,7\""),
            ),
        ],
    );
}

#[test]
fn wrong_moves_and_too_much_output_lose_at_once() {
    fight_all(
        "60000",
        "12",
        &[
            attack("huge", "ABCDE", Loses("illegal", "\"99999999999999999999,1\" is off the")),
            attack("minus", "ABCDE", Loses("illegal", "\"-1,3\" is off the")),
            attack("wrap", "ABCDE", Loses("illegal", "\"256,259\" is off the")),
            attack("wrap-32", "AC", Loses("illegal", "\"4294967296,4294967299\" is off the")),
            attack("long-number", "AC", Loses("illegal", "bytes)")),
            attack("spaces", "ABCDE", Loses("line-too-long", "more than 65536 bytes")),
            attack("endless-line", "ABCDE", Loses("line-too-long", "more than 65536 bytes")),
            attack("yes", "ABCDE", LosesEither(["illegal", "flood"])),
            within(
                attack("banner-flood", "ABCDE", Loses("flood", "MiB of output out of turn")),
                "stdout_mb = 1",
            ),
            // A move with a tail is a move.
            attack("three", "AC", PlaysOn),
        ],
    );
}

#[test]
fn ends_of_every_kind_have_their_reason() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
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
            attack("last-words", "ABCDE", Loses("crash", "code 3; unfinished: \"7,7\"")),
            attack("answer-and-exit", "ABCDE", Loses("crash", "exited with code 0")),
            attack(
                "close-all",
                "ABCDE",
                Loses("end-of-output", "closed its output but keeps running"),
            ),
            attack(
                "close-output",
                "ABCDE",
                Loses("end-of-output", "closed its output but keeps running"),
            ),
            attack(
                "close-at-once",
                "ABCDE",
                Loses("end-of-output", "closed its output but keeps running"),
            ),
            attack("daemon", "ABCDE", LEFT),
            // Whose children go on in its place, and are faster than the news of its end.
            attack("daemon-answers", "ABCDE", Perhaps("end-of-output")),
            attack("leave-then-play", "ABCDE", Perhaps("end-of-output")),
            attack("nameless", "ABCDE", LEFT),
            attack("impostor", "ABCDE", LEFT),
            attack("own-namespace", "ABCDE", LEFT),
            attack("own-namespace-nameless", "ABCDE", LEFT),
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
    let _alone = crate::arena::nobody_else_uses_up_memory();
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
            within(attack("brood", "ABCD", Loses("memory", "200 MiB")), "memory_mb = 200"),
            within(attack("shared-balloon", "ABCD", Loses("memory", "128 MiB")), "memory_mb = 128"),
            within(
                attack("dropped-balloon", "ABCD", Loses("memory", "128 MiB")),
                "memory_mb = 128",
            ),
            within(attack("page-tables", "ABCD", Loses("memory", "128 MiB")), "memory_mb = 128"),
            within(attack("letter-boxes", "ABCD", Loses("memory", "128 MiB")), "memory_mb = 128"),
            within(
                attack("removed-files", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(
                attack("removed-maps", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(
                attack("hidden-files", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            by_ordinary_user(within(
                attack("hidden-files", "CD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            )),
            within(
                attack("own-descriptors", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(
                attack("headless-files", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(
                attack("headless-maps", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(
                attack("headless-balloon", "ABCD", Loses("memory", "128 MiB")),
                "memory_mb = 128",
            ),
            within(
                attack("folder-full", "ABCD", Loses("disk", "keeps more than 8 MiB")),
                "disk_mb = 8",
            ),
            within(
                attack("folder-files", "ABCD", Loses("disk", "or 1000 files in its folder")),
                "files = 1000",
            ),
            within(attack("disk", "ABCD", FULL), "disk_mb = 8"),
            within(attack("many-files", "ABC", Tries(&[("files", &["ENOSPC"])])), "files = 2000"),
            attack("descriptors", "ABCD", Tries(&[("descriptors", &["EMFILE"])])),
            attack("reserve", "ABCD", PlaysOn),
            // Signals of the kernel that it sends itself.
            attack("file-signal", "ABCD", Loses("crash", "signal 25 (SIGXFSZ")),
            within(
                attack("cpu-signal", "ABCD", Loses("crash", "signal 24 (SIGXCPU")),
                "cpu_s = 100",
            ),
            within(attack("spin", "ABCD", Loses("cpu", "more than 1 s of processor")), "cpu_s = 1"),
        ],
    );
}

#[test]
fn nothing_outside_can_be_seen_reached_or_changed() {
    const REFUSED: &[&str] = &["EPERM"];
    const HIDDEN: &[&str] = &["EACCES", "ENOENT", "EPERM"];
    const STAYS: &[&str] = &["done still there"];
    const READ_ONLY: &[&str] = &["EROFS", "EACCES", "EPERM", "ENOENT"];
    const NO_SIGNS: Verdict = Tries(&[
        ("mode", READ_ONLY),
        ("owner", READ_ONLY),
        ("times", READ_ONLY),
        ("note", READ_ONLY),
        ("no note", READ_ONLY),
        ("flags", &["EROFS", "EPERM", "ENOTTY"]),
        ("signs", &["none"]),
    ]);
    // Programs that copy a file set its mode and times as well, and fail if they cannot.
    const SAID_TO_BE_SIGNS: Verdict = Tries(&[
        ("mode", &["done None"]),
        ("owner", &["done None"]),
        ("times", &["done None"]),
        ("note", REFUSED),
        ("no note", REFUSED),
        ("flags", REFUSED),
        ("signs", &["none"]),
    ]);
    // The kernel counts the pages of a control group, wherever they are.
    const PIPED: Verdict = Tries(&[
        ("vmsplice", &["done 1"]),
        ("splice", &["done 1"]),
        ("sendfile", &["done 1"]),
        ("copy", &["done 4096"]),
    ]);
    const NOT_PIPED: Verdict = Tries(&[
        ("vmsplice", &["EINVAL"]),
        ("splice", &["EINVAL"]),
        ("sendfile", &["EINVAL"]),
        ("copy", &["done 4096"]),
    ]);
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
                    ("inotify", REFUSED),
                    ("swapon", REFUSED),
                    ("quota", REFUSED),
                    ("acct", REFUSED),
                    ("tee", &["EINVAL"]),
                    ("shmat", REFUSED),
                    ("shmctl", REFUSED),
                    ("semget", REFUSED),
                    ("semop", REFUSED),
                    ("semctl", REFUSED),
                    ("semtimedop", REFUSED),
                    ("msgget", REFUSED),
                    ("msgsnd", REFUSED),
                    ("msgrcv", REFUSED),
                    ("msgctl", REFUSED),
                    ("mq_unlink", REFUSED),
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
                    ("idle", REFUSED),
                    ("param", REFUSED),
                    ("attr", REFUSED),
                    ("core-limit", &["done 0", "done 1"]),
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
            attack(
                "lock",
                "ABCD",
                Tries(&[
                    ("lock", &["ENOLCK"]),
                    ("lease", REFUSED),
                    ("notify", REFUSED),
                    ("range", &["done None"]),
                ]),
            ),
            attack("parcel", "ABCD", Tries(&[("parcel", REFUSED)])),
            attack(
                "attributes",
                "ABCD",
                Tries(&[("attributes", &["EPERM", "ENOENT", "EACCES", "EROFS", "ENOSYS"])]),
            ),
            attack("signs", "ABC", NO_SIGNS),
            attack("signs", "D", SAID_TO_BE_SIGNS),
            by_ordinary_user(attack("signs", "D", SAID_TO_BE_SIGNS)),
            attack("into-pipes", "AB", PIPED),
            attack("into-pipes", "CD", NOT_PIPED),
            attack(
                "wake-up",
                "ABCD",
                Tries(&[
                    ("child", REFUSED),
                    ("parent", &["done 0"]),
                    ("of parent", &["done 0"]),
                    ("timer", &["ENOSYS"]),
                    ("file", REFUSED),
                ]),
            ),
            attack(
                "rename",
                "ABCD",
                Tries(&[
                    ("session", STAYS),
                    ("group", STAYS),
                    ("hide", &["done 0"]),
                    ("shown", &["done 1"]),
                ]),
            ),
            attack("rename", "E", PlaysOn),
            attack("give-away", "ABCD", Tries(&[("give away", REFUSED)])),
            attack("trace-sibling", "ABCD", Tries(&[("attach", REFUSED)])),
        ],
    );
}

#[test]
fn a_stack_trace_is_in_the_replay_and_so_are_words_before_a_quick_answer() {
    let folder = Folder::new("attack-trace");
    for (mode, words) in [("trace", "! KeyError: 'this villain is broken'"), ("escapes", "evil")] {
        for tier in tiers("ABCDE") {
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
fn talk_makes_no_large_replay_and_cuts_off_nobody_else() {
    let folder = Folder::new("attack-chatter");
    let word = word("chatter", "E");
    enlist(&folder, "villain", "villain.py", &["chatter", &word], "");
    enlist(&folder, "victim", "brain.py", &["good"], "");
    let args = ["play", "gomoku", "villain", "victim", "--timeout-ms", "60000"];
    let args = [&args[..], &["--set", "max_moves=12"]].concat();
    let fought = fight(&folder, "E", &word, &args).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(fought.report["outcome"], "draw", "{}", fought.report);
    let replay = fought.report["replay"].as_str().expect("a path");
    // 16 MB were said, of which a half is pure chance.
    let size = std::fs::metadata(folder.path().join(replay)).expect("it was written").len();
    assert!(size < 2 << 20, "{size}");
    let cut = "villain * has said more than a replay keeps of one player";
    assert!(fought.lines.contains(cut), "it is not said");
    let answers = fought.lines.lines().filter(|line| line.contains(" victim#1 < ")).count();
    assert_eq!(answers, 6 + 2, "six moves, OK and about itself");
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
    for bot in ["villain", "liar"] {
        // Words are no move: whoever says them loses when the time is up.
        let limit = if bot == "liar" { "1000" } else { "60000" };
        let common = ["victim", "--seed", "1", "--set", "max_moves=6", "--timeout-ms", limit];
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
fn a_bot_has_the_time_to_start_that_its_manifest_says() {
    let folder = Folder::new("attack-start");
    enlist(&folder, "sleeper", "brain.py", &["silent"], "[limits]\nstart_ms = 300");
    enlist(&folder, "victim", "brain.py", &["good"], "");
    let args = ["play", "gomoku", "sleeper", "victim", "--json", "--start-ms", "60000"];
    let report = json_lines(&run(&folder, &args)).remove(0);
    let (sleeper, victim) = (&report["players"][0], &report["players"][1]);
    let fault = &sleeper["faults"][0];
    assert_eq!(fault["kind"], "not-ready", "{report}");
    assert!(fault["detail"].as_str().is_some_and(|text| text.contains("300 ms")), "{report}");
    assert_eq!(victim["rank"], 1, "{report}");
}
