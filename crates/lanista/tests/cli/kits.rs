//! `lanista new`, and every kit: it is made, built, holds the conversations of its game and plays.
//!
//! Languages whose compilers or interpreters are missing are left out, and `./test` names them;
//! with `LANISTA_KITS=all` (`./test kits`) they are failures. `./test` tries every language with one
//! game, and every game with several languages; `./test kits` tries each with all, and `lanista check`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::Value;

use crate::common::{Folder, json_lines, run, stderr, stdout};

fn kits() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kits")
}

/// Everybody who is not root builds and plays with their own files; what root makes is given away.
fn give_away(folder: &Path) {
    if rustix::process::geteuid().is_root() {
        let given = Command::new("chown").args(["-R", "12345:12345"]).arg(folder).status();
        assert!(given.expect("chown can be started").success());
    }
}

#[test]
fn a_new_bot_plays_and_nothing_is_overwritten() {
    let folder = Folder::new("new");
    let output = run(&folder, &["new", "gomoku", "lucky", "--lang", "py"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let first = "  lanista play gomoku lucky builtin:random --watch\n";
    let second = "  lanista play gomoku lucky builtin:greedy --games 10\n";
    for next in [first, second, "  lucky/check\n"] {
        assert!(text.contains(next), "{text}");
    }
    let own = folder.path().join("lucky");
    let mode = |name: &str| {
        std::fs::metadata(own.join(name)).expect("it was made").permissions().mode() & 0o111
    };
    assert_ne!(mode("check"), 0, "it is executable");
    assert_eq!(mode("strategy.py"), 0);
    let strategy = std::fs::read_to_string(own.join("strategy.py")).expect("it was made");
    assert!(strategy.contains("\"lucky\"") && !strategy.contains("mybot"), "{strategy}");
    let readme = std::fs::read_to_string(own.join("README.md")).expect("it was made");
    assert!(readme.contains(first.trim()) && !readme.contains("mybot"), "{readme}");

    // A changed strategy stays as it is; so does whatever else is in the way.
    std::fs::write(own.join("strategy.py"), "mine").expect("writable");
    let refused = |args: &[&str], words: &[&str]| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        let text = stderr(&output);
        assert!(words.iter().all(|word| text.contains(word)), "{args:?}: {text}");
    };
    refused(&["new", "gomoku", "lucky", "--lang", "python"], &["strategy.py", "nothing was made"]);
    assert_eq!(std::fs::read_to_string(own.join("strategy.py")).expect("it is there"), "mine");
    let other = folder.path().join("other");
    std::fs::create_dir(&other).expect("writable");
    std::os::unix::fs::symlink("/nowhere", other.join("bot.toml")).expect("writable");
    refused(&["new", "pyrat", "other", "--lang", "python"], &["bot.toml is in the way"]);
    assert_eq!(std::fs::read_dir(&other).expect("it is there").count(), 1);
    std::fs::write(folder.path().join("file"), "").expect("writable");
    refused(&["new", "pyrat", "file", "--lang", "python"], &["file is a file"]);
    // Beside other files there is room.
    std::fs::create_dir(folder.path().join("roomy")).expect("writable");
    std::fs::write(folder.path().join("roomy/notes"), "").expect("writable");
    let output = run(&folder, &["new", "pyrat", "roomy", "--lang", "python"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn what_cannot_be_made_is_refused_with_what_can() {
    let folder = Folder::new("new-refused");
    let refused = |args: &[&str], words: &[&str]| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        let text = stderr(&output);
        assert!(words.iter().all(|word| text.contains(word)), "{args:?}: {text}");
    };
    // Nobody can be asked here.
    refused(&["new"], &["say which game", "gomoku, pyrat", "lanista new GAME DIR --lang LANG"]);
    refused(&["new", "gomoku"], &["say which language", "python"]);
    refused(&["new", "gomoku", "--lang", "python"], &["say which folder"]);
    refused(&["new", "gomuku", "x", "--lang", "python"], &["did you mean", "gomoku"]);
    refused(&["new", "gomoku", "x", "--lang", "cobol"], &["cobol", "python"]);
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 0);
    let output = stdout(&run(&folder, &["new", "--list"]));
    assert!(output.contains("python") && output.contains("petri"), "{output}");
}

#[test]
fn the_readme_shows_the_strategy_of_the_kit() {
    let strategy = std::fs::read_to_string(kits().join("gomoku/python/strategy.py"));
    let readme = std::fs::read_to_string(kits().join("../README.md")).expect("it is there");
    assert!(readme.contains(&format!("```python\n{}```", strategy.expect("it is there"))));
}

/// A kit that has been made and built.
struct Kit {
    folder: PathBuf,
    command: Vec<String>,
}

/// What a game's set-up adds, so that a match with a slow start is short.
fn setup(game: &str) -> &'static [&'static str] {
    match game {
        "ants" => &["--set", "max_turns=40"],
        "pyrat" => &["--set", "preset=tiny"],
        "petri" => &["--set", "max_ticks=8", "--set", "initial_agents=2"],
        _ => &[],
    }
}

#[test]
fn every_kit_is_made_built_and_plays_without_a_fault() {
    let folder = Folder::new("kits");
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("it is ours");
    let all = all_languages();
    let mut work = Vec::new();
    for (place, language) in
        json_lines(&run(&folder, &["new", "--list", "--json"])).into_iter().enumerate()
    {
        let found = language["found"] == true;
        assert!(found || !all, "{} is missing: {}", language["language"], language["packages"]);
        let games = language["games"].as_array().expect("a list");
        let python = language["language"] == "python";
        for (number, game) in games.iter().enumerate().filter(|_| found) {
            if all || python || number == place % games.len() {
                work.push((game.as_str().expect("a name").to_owned(), language.clone()));
            }
        }
    }
    assert!(work.len() >= 5, "Python is there");
    work.reverse();
    let (work, wrong) = (Mutex::new(work), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let turn = || {
            loop {
                let next = work.lock().expect("nobody panics").pop();
                let Some((game, language)) = next else { break };
                if let Err(why) = try_kit(&folder, &game, &language) {
                    let kit = format!("{game} in {}", language["title"]);
                    wrong.lock().expect("nobody panics").push(format!("{kit}: {why}"));
                }
            }
        };
        (0..2).for_each(|_| drop(scope.spawn(turn)));
    });
    let wrong = wrong.into_inner().expect("nobody panics");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Whether languages that are not installed are failures.
fn all_languages() -> bool {
    std::env::var("LANISTA_KITS").is_ok_and(|kits| kits == "all")
}

fn try_kit(folder: &Folder, game: &str, language: &Value) -> Result<(), String> {
    let name = language["language"].as_str().expect("a name");
    let bot = format!("{game}-{name}/mybot");
    let made = run(folder, &["new", game, &bot, "--lang", name]);
    if !made.status.success() {
        return Err(stderr(&made));
    }
    let own = folder.path().join(&bot);
    let strategy = own.join(language["strategy"].as_str().expect("a name"));
    let text = std::fs::read_to_string(&strategy).expect("it was made");
    let readme = std::fs::read_to_string(own.join("README.md")).expect("it was made");
    std::fs::write(&strategy, with_debug_lines(&text, &readme)?).expect("writable");
    give_away(&own);
    let args = ["play", game, &bot, "builtin:random", "--games", "2", "--json", "--no-replay"];
    let output = run(folder, &[&args[..], setup(game)].concat());
    if !output.status.success() {
        return Err(stderr(&output));
    }
    for report in json_lines(&output) {
        let players = report["players"].as_array().expect("a list");
        let kit = players.iter().find(|player| player["name"] == "mybot").expect("it has played");
        if kit["faults"] != serde_json::json!([]) {
            return Err(kit["faults"].to_string());
        }
    }
    // Those in Python are always tried, in the tests of `lanista check`.
    if all_languages() {
        check(folder, game, &bot)?;
    }
    let words = language["command"].as_array().expect("a list").iter();
    let command = words.map(|word| word.as_str().expect("a word").to_owned()).collect();
    let kit = Kit { folder: own, command };
    let prefix = format!("{game}.");
    let other = format!("{game}-");
    for entry in std::fs::read_dir(kits().join("conversations")).expect("they are there").flatten()
    {
        let file = entry.file_name().into_string().expect("a plain name");
        if file.starts_with(&prefix) || file.starts_with(&other) {
            let text = std::fs::read_to_string(entry.path()).expect("it can be read");
            for line_end in ["\n", "\r\n"] {
                converse(&kit, &text, line_end)
                    .map_err(|why| format!("{file}, lines that end in {line_end:?}: {why}"))?;
            }
        }
    }
    Ok(())
}

/// A strategy that begins with the lines for debugging that README has.
fn with_debug_lines(strategy: &str, readme: &str) -> Result<String, String> {
    let mut blocks = readme.split("\n```").skip(1).step_by(2);
    let debug = blocks.find(|block| !block.starts_with("console"));
    let (_, debug) = debug.and_then(|block| block.split_once('\n')).ok_or("no lines to debug")?;
    let lines: Vec<&str> = strategy.lines().collect();
    let declares = |line: &&str| {
        let starts = ["def ", "function ", "local function ", "fn ", "func ", "sub ", "static "];
        let names = [" move(", " Move(", " next_move(", " move {"];
        starts.iter().any(|start| line.trim_start().starts_with(start))
            && names.iter().any(|name| line.contains(name))
    };
    let at = lines.iter().position(declares).ok_or("no move")?;
    let body = at + if lines.get(at + 1).is_some_and(|line| line.trim() == "{") { 2 } else { 1 };
    let first = lines.get(body).ok_or("an empty move")?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let debug = debug.lines().map(|line| format!("{indent}{line}"));
    let before = lines[..body].iter().map(|line| (*line).to_owned());
    let after = lines[body..].iter().map(|line| (*line).to_owned());
    Ok(before.chain(debug).chain(after).collect::<Vec<String>>().join("\n") + "\n")
}

/// What `lanista check` says about a kit.
fn check(folder: &Folder, game: &str, bot: &str) -> Result<(), String> {
    let output = run(folder, &["check", game, bot]);
    if output.status.success() { Ok(()) } else { Err(stdout(&output) + &stderr(&output)) }
}

/// Says what the lines with `>` say, and compares the answers with those of the lines with `<`.
fn converse(kit: &Kit, text: &str, line_end: &str) -> Result<(), String> {
    let thoughts = kit.folder.with_extension("stderr");
    let mut bot = Command::new(&kit.command[0])
        .args(&kit.command[1..])
        .current_dir(&kit.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&thoughts).map_err(|error| error.to_string())?)
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut input = bot.stdin.take().expect("it is a pipe");
    let mut output = BufReader::new(bot.stdout.take().expect("it is a pipe"));
    let pid = rustix::process::Pid::from_child(&bot);
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    // The limit only bounds a failing test: a bot that does not answer is ended.
    std::thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    });
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(said) = line.strip_prefix('>') {
            let said = said.strip_prefix(' ').unwrap_or(said).to_owned() + line_end;
            // It may leave before it has read everything: after the last message of a game.
            let _ = input.write_all(said.as_bytes());
        } else if let Some(wanted) = line.strip_prefix('<').map(str::trim) {
            let mut answer = String::new();
            let read = output.read_line(&mut answer);
            let answer = answer.trim_end();
            if !matches!(read, Ok(1..)) {
                wrong.push(format!("line {number}: nothing instead of {wanted:?}"));
                break;
            }
            if !is_same(answer, wanted) {
                wrong.push(format!("line {number}: {answer:?} instead of {wanted:?}"));
            }
        }
    }
    drop(input);
    let mut rest = String::new();
    let _ = output.read_to_string(&mut rest);
    if !rest.is_empty() {
        wrong.push(format!("it goes on: {rest}"));
    }
    let status = bot.wait().map_err(|error| error.to_string())?;
    drop(done);
    if !status.success() {
        wrong.push(status.to_string());
    }
    if std::fs::metadata(&thoughts).is_ok_and(|about| about.len() == 0) {
        wrong.push("the lines for debugging that README has say nothing".to_owned());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Whether an answer is what the conversation has: `…` stands for the rest of a line, and JSON is compared as JSON.
fn is_same(line: &str, wanted: &str) -> bool {
    if let Some(beginning) = wanted.strip_suffix('…') {
        return line.starts_with(beginning);
    }
    if !wanted.starts_with('{') {
        return line == wanted;
    }
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    parsed(line).is_some() && parsed(line) == parsed(wanted)
}

#[test]
fn a_conversation_is_compared_line_by_line() {
    assert!(is_same("ERROR no", "ERROR…") && !is_same("OK", "ERROR…"));
    assert!(is_same("7,7", "7,7") && !is_same("7,7 ", "7,8"));
    assert!(is_same("{\"b\": 1, \"a\":2}", "{\"a\":2,\"b\":1}"));
    assert!(!is_same("{\"a\":2", "{\"a\":2}"));
}

/// On a terminal what is missing is asked for.
#[test]
fn on_a_terminal_it_asks() {
    let folder = Folder::new("new-asks");
    let mut asked = Command::new("python3");
    asked
        .args(["-c", ON_A_TERMINAL, crate::common::LANISTA])
        .current_dir(folder.path())
        .env("NO_COLOR", "1");
    let output = asked.output().expect("python3 can be started");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in ["which game?", "there is no game \"chess\"", "in which language?", "its name?"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(folder.path().join("lucky/strategy.py").exists(), "{text}");
}

/// Types answers as they are asked for, on a terminal, and prints what the program says.
const ON_A_TERMINAL: &str = r#"
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "new"])
answers = [("game?", "chess"), ("game?", "2"), ("language?", "Py"), ("name?", "lucky")]
text = ""
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    text += data.decode()
    if answers and answers[0][0] in text.splitlines()[-1]:
        os.write(terminal, (answers.pop(0)[1] + "\n").encode())
        text += "\n"
print(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;
