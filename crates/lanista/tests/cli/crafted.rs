//! Folders of runs that a stranger has prepared: links where files are written, and databases that
//! somebody has tampered with.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::common::{Folder, LANISTA, json_lines, run, stderr, stdout};

const KEPT: &str = "alias ll='ls -l'\n";

/// A file of the user's, and a folder.
struct Victim {
    folder: Folder,
}

impl Victim {
    fn new(name: &str) -> Victim {
        let victim = Victim { folder: Folder::new(&format!("victim-{name}")) };
        std::fs::write(victim.file(), KEPT).expect("writable");
        std::fs::create_dir_all(victim.home()).expect("writable");
        victim
    }
    fn file(&self) -> PathBuf {
        self.folder.path().join("bashrc")
    }
    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }
    fn is_unharmed(&self, what: &str) {
        assert_eq!(std::fs::read_to_string(self.file()).expect("it is there"), KEPT, "{what}");
        let left = std::fs::read_dir(self.home()).expect("it is there").count();
        assert_eq!(left, 0, "{what}: something was left in the user's folder");
    }
}

/// A small cup between built-in bots.
fn cup(folder: &Folder) {
    let text = "name = 'cup'\ngame = 'gomoku'\nrounds = 2\nseed = 1\n[setup]\nmax_moves = 4\n\
                [[bots]]\nname = 'a'\nbot = 'builtin:random'\n\
                [[bots]]\nname = 'b'\nbot = 'builtin:random'\n";
    std::fs::write(folder.path().join("cup.toml"), text).expect("writable");
}

/// The words of a refusal that name this path.
fn refused(folder: &Folder, args: &[&str], path: &str) {
    let output = run(folder, args);
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {words}");
    assert!(words.contains(path) && words.contains("symbolic link"), "{args:?}: {words}");
}

#[test]
fn a_run_writes_through_no_link() {
    for name in ["run.lock", "run.db", "run.db-wal", "run.db-shm", "run.db-journal"] {
        let (folder, victim) = (Folder::new(&format!("links-{name}")), Victim::new(name));
        cup(&folder);
        std::fs::create_dir_all(folder.path().join("runs/cup")).expect("writable");
        symlink(victim.file(), folder.path().join("runs/cup").join(name)).expect("writable");
        refused(&folder, &["run", "cup.toml", "--quiet"], &format!("runs/cup/{name}"));
        refused(&folder, &["run", "cup.toml", "--quiet", "--dir", "runs/cup"], name);
        victim.is_unharmed(name);
    }
    // What is written anew takes the place of a link.
    let (folder, victim) = (Folder::new("links-new"), Victim::new("new"));
    cup(&folder);
    std::fs::create_dir_all(folder.path().join("runs/cup")).expect("writable");
    for name in ["cup.toml", "cup.toml.tmp", "control.sock"] {
        symlink(victim.file(), folder.path().join("runs/cup").join(name)).expect("writable");
    }
    let output = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    victim.is_unharmed("cup.toml");
    // Nobody is asked but whoever plays there.
    symlink(victim.file(), folder.path().join("runs/cup/control.sock")).expect("writable");
    assert_eq!(run(&folder, &["ctl", "runs/cup", "status"]).status.code(), Some(2));
    victim.is_unharmed("control.sock");
}

#[test]
fn folders_that_nobody_has_named_are_no_links() {
    let (folder, victim) = (Folder::new("links-folders"), Victim::new("folders"));
    cup(&folder);
    let at = |name: &str| folder.path().join(name);
    symlink(victim.home(), at("runs")).expect("writable");
    refused(&folder, &["run", "cup.toml", "--quiet"], "runs");
    std::fs::remove_file(at("runs")).expect("ours");
    std::fs::create_dir_all(at("runs")).expect("writable");
    symlink(victim.home(), at("runs/cup")).expect("writable");
    refused(&folder, &["run", "cup.toml", "--quiet"], "runs/cup");
    std::fs::remove_file(at("runs/cup")).expect("ours");
    std::fs::create_dir_all(at("runs/cup")).expect("writable");
    symlink(victim.home(), at("runs/cup/replays")).expect("writable");
    refused(&folder, &["run", "cup.toml", "--quiet"], "runs/cup/replays");
    symlink(victim.home(), at("replays")).expect("writable");
    let play = ["play", "gomoku", "builtin:random", "builtin:random", "--seed", "1", "--json"];
    refused(&folder, &play, "replays");
    victim.is_unharmed("folders");
    // Where replays go, somebody may have guessed their names.
    std::fs::remove_file(at("replays")).expect("ours");
    assert_eq!(run(&folder, &play).status.code(), Some(0));
    let replay = std::fs::read_dir(at("replays")).expect("it is there").next();
    let replay = replay.expect("there is one").expect("it can be read").path();
    std::fs::remove_file(&replay).expect("ours");
    symlink(victim.file(), &replay).expect("writable");
    symlink(victim.file(), replay.with_extension("lrz.tmp")).expect("writable");
    assert_eq!(run(&folder, &play).status.code(), Some(0));
    victim.is_unharmed("replays");
}

#[test]
fn what_is_printed_to_a_file_goes_to_no_other() {
    let (folder, victim) = (Folder::new("links-out"), Victim::new("out"));
    cup(&folder);
    let output = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    symlink(victim.file(), folder.path().join("page")).expect("writable");
    symlink(victim.home().join("new"), folder.path().join("none")).expect("writable");
    for out in ["page", "none"] {
        refused(&folder, &["standings", "runs/cup", "--html", "--out", out], out);
        refused(&folder, &["standings", "runs/cup", "--csv", "--out", out], out);
        for how in [&["--json"][..], &["--lines"], &["--export", "psq"]] {
            let args = [&["replay", "runs/cup", "1", "--out", out][..], how].concat();
            refused(&folder, &args, out);
        }
    }
    victim.is_unharmed("out");
    let to_system = run(&folder, &["standings", "runs/cup", "--json", "--out", "/dev/stdout"]);
    assert!(stdout(&to_system).contains("\"rows\""), "{}", stderr(&to_system));
}

/// A run that has been played, and its database.
fn played(name: &str) -> (Folder, PathBuf, Vec<u8>) {
    let folder = Folder::new(name);
    cup(&folder);
    let output = run(&folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = folder.path().join("runs/cup/run.db");
    let whole = std::fs::read(&file).expect("it is there");
    (folder, file, whole)
}

/// What reads the games of a run, one by one.
const GAMES_ARE_READ: [&[&str]; 4] = [
    &["standings", "runs/cup", "--html"],
    &["results", "runs/cup", "--json"],
    &["replay", "runs/cup", "1", "--verify"],
    &["run", "cup.toml", "--quiet"],
];

/// Whoever asks anything of the run hears that it is damaged.
fn damaged(folder: &Folder, file: &Path, what: &str) {
    let all = [&["standings", "runs/cup"][..]];
    refuse_as_damaged(folder, file, what, all.into_iter().chain(GAMES_ARE_READ));
}

/// These commands hear that it is damaged, and nothing is changed.
fn refuse_as_damaged<'a>(
    folder: &Folder,
    file: &Path,
    what: &str,
    commands: impl IntoIterator<Item = &'a [&'a str]>,
) {
    let before = std::fs::read(file).expect("it is there");
    for args in commands {
        let output = run(folder, args);
        let words = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{what}: {args:?}: {words}");
        assert!(words.contains("run.db") && !words.contains("panicked"), "{what}: {words}");
        assert!(!stdout(&output).contains("<script>"), "{what}: {args:?}");
    }
    assert_eq!(std::fs::read(file).expect("it is there"), before, "{what}: it was changed");
}

#[test]
fn a_damaged_database_is_exit_code_two_and_says_what_is_wrong() {
    let (folder, file, whole) = played("damaged");
    for sql in [
        "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
        "DROP TABLE voids; CREATE VIEW voids AS WITH RECURSIVE n(i) AS
         (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 0 event, 'k' key, i attempt, '' reason FROM n",
        "UPDATE bots SET event = 5",
        "UPDATE events SET plan = replace(plan, '\"seats\":2', '\"seats\":0')",
        "UPDATE events SET plan = replace(plan, '\"rounds\":2', '\"rounds\":4000000000')",
    ] {
        std::fs::write(&file, &whole).expect("writable");
        let db = rusqlite::Connection::open(&file).expect("it is a database");
        db.execute_batch(sql).expect(sql);
        drop(db);
        damaged(&folder, &file, sql);
    }
    std::fs::write(&file, &whole).expect("writable");
    let table = stdout(&run(&folder, &["standings", "runs/cup"]));
    for sql in [
        "UPDATE games SET match = '../../../secret'",
        "UPDATE seats SET bot = 9",
        "UPDATE games SET event = 3",
        "UPDATE games SET tier = '<script>alert(1)</script>'",
    ] {
        std::fs::write(&file, &whole).expect("writable");
        let db = rusqlite::Connection::open(&file).expect("it is a database");
        db.execute_batch(sql).expect(sql);
        drop(db);
        refuse_as_damaged(&folder, &file, sql, GAMES_ARE_READ);
        // The table is made of sums and reads no game.
        assert_eq!(stdout(&run(&folder, &["standings", "runs/cup"])), table, "{sql}");
    }
    for (what, bytes) in [
        ("cut", &whole[..whole.len() / 2]),
        ("no database", b"this is no database at all, whatever its name says; far from it"),
    ] {
        std::fs::write(&file, bytes).expect("writable");
        damaged(&folder, &file, what);
    }
}

/// Runs the program where it can have no more than a gigabyte and a half of addresses.
fn run_small(folder: &Folder, args: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -v 1500000; exec \"$@\"", "sh", LANISTA]).args(args);
    command.current_dir(folder.path()).output().expect("it can be started")
}

/// Packs so many times these bytes between the first and the last ones.
fn bomb(first: &[u8], then: &[u8], times: usize, last: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("there is memory");
    encoder.write_all(first).expect("there is memory");
    let block = then.repeat((1 << 20) / then.len());
    for _ in 0..times.div_ceil(block.len() / then.len()) {
        encoder.write_all(&block).expect("there is memory");
    }
    encoder.write_all(last).expect("there is memory");
    encoder.finish().expect("there is memory")
}

#[test]
fn a_small_replay_cannot_fill_the_memory() {
    let folder = Folder::new("bombs");
    let play = ["play", "gomoku", "builtin:random", "builtin:random", "--set", "max_moves=4"];
    let output = run(&folder, &[&play[..], &["--json", "--seed", "1"]].concat());
    let report = json_lines(&output).remove(0);
    let replay = report["replay"].as_str().expect("a replay was written").to_owned();
    let packed = std::fs::read(folder.path().join(&replay)).expect("it is there");
    let plain = zstd::decode_all(&packed[..]).expect("it can be unpacked");
    let header = plain.iter().position(|byte| *byte == b'\n').expect("it has a header") + 1;
    let bombs = [
        ("unpacks to more than", bomb(&plain, b"\0", 1 << 30, b"")),
        ("more memory", bomb(&plain[..header], b"\xa9Truncated", 3_000_000, b"")),
        ("header is too long", bomb(b"{\"v\":1,\"config\":[", b"[],", 10_000_000, b"1]}\n")),
    ];
    for (words, bytes) in &bombs {
        assert!(bytes.len() < 1 << 20, "it is small: {}", bytes.len());
        std::fs::write(folder.path().join("bomb.lrz"), bytes).expect("writable");
        for (how, code) in [(&["--verify"][..], 3), (&["--lines"], 2), (&["--json"], 2), (&[], 2)] {
            let output = run_small(&folder, &[&["replay", "bomb.lrz"][..], how].concat());
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(code), "{words}: {said}");
            assert!(said.contains(words), "{words}: {said}");
        }
    }
    let output = run_small(&folder, &["replay", &replay, "--verify"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn what_is_far_too_large_is_refused_at_once_with_the_bound() {
    let folder = Folder::new("large");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writable");
    };
    let large = "# a line of a file that somebody has made too long\n".repeat(800_000);
    write("book", &large);
    write("large.toml", &large);
    std::fs::create_dir_all(folder.path().join("bot")).expect("writable");
    write("bot/bot.toml", &large);
    write(
        "cup.toml",
        "game = 'gomoku'\nconcurrency = 65535\nbots = [{ bot = 'builtin:random' }, { bot = 'builtin:random' }]\n",
    );
    let play = ["play", "gomoku", "builtin:random"];
    for (args, words) in [
        (&[&play[..], &["builtin:random", "--set", "openings=book"]].concat(), "4 MiB"),
        (&[&play[..], &["builtin:random", "--config", "large.toml"]].concat(), "16 MiB"),
        (&[&play[..], &["bot"]].concat(), "1048576 bytes"),
        (&[&play[..], &["builtin:random", "--concurrency", "65535"]].concat(), "1..=1000"),
        (&vec!["run", "large.toml"], "4 MiB"),
        (&vec!["run", "cup.toml"], "1 to 1000"),
    ] {
        let output = run_small(&folder, args);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
}
