//! People who play: at a terminal of 80 by 24, or through a pipe.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::{Folder, LANISTA, brain, json_lines, lanista, run, stderr, stdout};

const PERSON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/person.py");

/// A person at a terminal plays with these arguments; `script` says what is typed first.
fn at_terminal(folder: &Folder, script: &str, args: &[&str]) -> Value {
    let output = Command::new("python3")
        .arg(PERSON)
        .arg(script)
        .arg(LANISTA)
        .args(args)
        .current_dir(folder.path())
        .output()
        .expect("python is there");
    assert!(output.status.success(), "{}", stderr(&output));
    json_lines(&output).remove(0)
}

/// The program with a person who types this and leaves.
pub(crate) fn through_pipe(folder: &Folder, typed: &str, args: &[&str]) -> Output {
    let mut program = lanista(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut input = program.stdin.take().expect("it is a pipe");
    input.write_all(typed.as_bytes()).expect("it reads");
    drop(input);
    program.wait_with_output().expect("it ends")
}

/// The path of the only replay there is.
pub(crate) fn only_replay(folder: &Folder) -> String {
    let replays = folder.path().join("replays");
    let replay = std::fs::read_dir(replays).expect("there are replays").next();
    let replay = replay.expect("there is one").expect("it can be read").path();
    replay.display().to_string()
}

/// The only replay there is verifies.
pub(crate) fn verify(folder: &Folder) {
    let verified = run(folder, &["replay", &only_replay(folder), "--verify"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[test]
fn a_person_plays_every_game_to_its_end_at_80_by_24() {
    let quick: [(&str, &[&str]); 5] = [
        ("gomoku", &["--set", "size=15", "--set", "rule=renju", "--set", "opening=swap2"]),
        ("jedna", &["--set", "max_turns=60"]),
        ("pyrat", &["--set", "max_turns=30"]),
        ("petri", &["--set", "max_ticks=8"]),
        ("ants", &["--set", "max_turns=8"]),
    ];
    std::thread::scope(|games| {
        for (game, setup) in quick {
            games.spawn(move || plays_to_the_end(game, setup));
        }
    });
}

fn plays_to_the_end(game: &str, setup: &[&str]) {
    let folder = Folder::new(&format!("person-{game}"));
    let card = games::GAMES.iter().find(|one| one.card().id == game).expect("it is there").card();
    let weakest = format!("builtin:{}", card.bots[0].name);
    let args = ["play", game, "human", &weakest, "--seed", "3"];
    let seen = at_terminal(&folder, "seed=5", &[&args[..], setup].concat());
    let text = seen["text"].as_str().expect("a text");
    assert_eq!(seen["code"], 0, "{game}: {text}");
    assert!(seen["typed"].as_u64() > Some(2), "{game}: {text}");
    assert!(seen["tallest"].as_u64() <= Some(24), "{game}: {seen}");
    assert!(seen["widest"].as_u64() <= Some(80), "{game}: {seen}");
    assert!(text.contains("human"), "{game}: {text}");
    verify(&folder);
}

#[test]
fn rules_have_the_screen_for_themselves_and_it_is_drawn_anew_in_another_size() {
    let folder = Folder::new("person-rules");
    let args = ["play", "petri", "human", "builtin:random", "--seed", "3"];
    let seen = at_terminal(&folder, "first=|?||NARROW|resign|resign", &args);
    let text = seen["text"].as_str().expect("a text");
    let screens: Vec<&str> = text.split("\x1b[2J\x1b[3J\x1b[H").collect();
    let [rules, board, help, again, narrow] = [1, 2, 3, 4, 5].map(|screen| screens[screen]);
    for page in [rules, help] {
        assert!(page.contains("Enter shows the board") && !page.contains("tick 0"), "{page}");
        assert!(page.contains("An agent without energy dies"), "{page}");
    }
    assert!(help.contains("replicate or b: replicate: a child beside it"), "{help}");
    for page in [board, again, narrow] {
        // Enter was not meant for the game, in which it would have ended the tick.
        assert!(page.contains("tick 0") && page.contains("what does it do?"), "{page}");
    }
    assert!(seen["tallest"].as_u64() <= Some(18), "{seen}");
    assert!(seen["widest"].as_u64() <= Some(60), "{seen}");
    verify(&folder);
}

#[test]
fn a_refused_move_says_why_and_asks_again() {
    let folder = Folder::new("person-refused");
    let args = ["play", "gomoku", "human", "builtin:random", "--set", "size=9", "--seed", "1"];
    let typed = "4,4\n4,4\n9,9\nnonsense\nresign\nresign\n";
    let output = through_pipe(&folder, typed, &[&args[..], &["--json"]].concat());
    let screen = stderr(&output);
    for why in [
        "4,4 is taken by a black stone",
        "\"9,9\" is not offered here",
        "\"nonsense\" is not offered here",
        "type resign once more",
    ] {
        assert!(screen.contains(why), "{why} in {screen}");
    }
    let report = json_lines(&output).remove(0);
    assert_eq!(report["players"][0]["name"], "human");
    assert_eq!(report["players"][0]["faults"][0]["kind"], "refused");
    assert_eq!(report["players"][0]["moves"], 1);
    assert_eq!(report["ending"]["by"], "forfeit");
    assert!(report["players"][1]["faults"].as_array().is_some_and(Vec::is_empty));
    verify(&folder);
}

#[test]
fn a_hint_is_what_a_built_in_bot_would_play() {
    let folder = Folder::new("person-hint");
    let args = ["play", "gomoku", "human", "builtin:random", "--set", "size=9", "--no-replay"];
    let output = through_pipe(&folder, "hint greedy\nhint nobody\nresign\nresign\n", &args);
    let screen = stderr(&output);
    assert!(screen.contains("greedy would play 4,4"), "{screen}");
    assert!(screen.contains("\"nobody\" cannot be asked for a hint"), "{screen}");
}

#[test]
fn a_program_is_asked_in_a_process_of_its_own() {
    let folder = Folder::new("person-hint-program");
    let (rival, adviser) = (brain("good"), brain("suggest"));
    let args = ["play", "gomoku", "human", &rival, "--set", "size=9", "--no-replay"];
    let args = [&args[..], &["--hint-bot", &adviser]].concat();
    let typed = "4,4\nhint suggest\nhint good\nhint hunter\nresign\nresign\n";
    let screen = stderr(&through_pipe(&folder, typed, &args));
    // Both see White's stone at 1,0.
    assert!(screen.contains("suggest would play 2,0; it says 12 for this position"), "{screen}");
    assert!(screen.contains("good would play 2,0"), "{screen}");
    assert!(screen.contains("hunter would play"), "{screen}");
    let pyrat = ["play", "pyrat", "human", "builtin:random", "--hint-bot", &adviser, "--no-replay"];
    let screen = stderr(&through_pipe(&folder, "hint suggest\nresign\nresign\n", &pyrat));
    let why = "suggest cannot be asked: the protocol of this game cannot show a program a position";
    assert!(screen.contains(why), "{screen}");
    let nobody = run(&folder, &["play", "gomoku", &rival, &rival, "--hint-bot", &adviser]);
    assert!(stderr(&nobody).contains("--hint-bot is for people"), "{}", stderr(&nobody));
}

#[test]
fn a_person_who_is_gone_makes_the_game_void_and_not_lost() {
    let folder = Folder::new("person-gone");
    let args = ["play", "gomoku", "human", "builtin:random", "--json"];
    let output = through_pipe(&folder, "4,4\n", &args);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report = json_lines(&output).remove(0);
    assert_eq!(report["outcome"], "void");
    assert_eq!(report["reason"], "nobody is at the terminal any more");
    // What cannot be printed any more is an error of its own.
    for (script, code) in [("first=9,9|HANGUP", [130, 2]), ("first=9,9|INTERRUPT", [130, 130])] {
        let seen = at_terminal(&folder, script, &args[..4]);
        let ended = code.map(Value::from).contains(&seen["code"]);
        assert!(ended, "{script}: {seen}");
    }
}

#[test]
fn people_have_their_own_clock_or_none() {
    let folder = Folder::new("person-clock");
    let args = ["play", "gomoku", "human", "builtin:random", "--json", "--human-timeout-ms", "1"];
    // The pipe stays open: only the clock can end it.
    let mut program = lanista(&folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let input = program.stdin.take();
    let output = program.wait_with_output().expect("it ends");
    drop(input);
    let report = json_lines(&output).remove(0);
    assert_eq!(report["players"][0]["faults"][0]["kind"], "timeout", "{report}");
    assert_eq!(report["players"][1]["rank"], 1);
}

#[test]
fn two_people_share_a_terminal_without_seeing_each_others_cards() {
    let folder = Folder::new("person-two");
    let args = ["play", "jedna", "ann=human", "bob=human", "--seed", "1", "--no-replay"];
    let output = through_pipe(&folder, "\ndraw\n", &args);
    let screen = stderr(&output);
    let before = screen.split("ann: press Enter").next().expect("there is a beginning");
    let asked = "play a card that fits";
    assert!(screen.contains(asked) && !before.contains(asked), "{screen}");
    assert!(screen.contains("ann: press Enter when nobody else looks"), "{screen}");
    assert!(!screen.contains("bob: press Enter"), "ann has drawn and is asked again: {screen}");
}

#[test]
fn only_play_waits_for_people() {
    let folder = Folder::new("person-tournament");
    let cup = "game = \"gomoku\"\n[[bots]]\nbot = \"human\"\n[[bots]]\nbot = \"builtin:random\"\n";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("it can be written");
    for args in [
        &["run", "cup.toml"][..],
        &["test", "gomoku", "human", "builtin:random"],
        &["bench", "gomoku", "human", "builtin:random"],
    ] {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stdout(&output));
        let said = stderr(&output);
        assert!(said.contains("only `lanista play` waits for people"), "{args:?}: {said}");
    }
    let watched = run(&folder, &["play", "gomoku", "human", "builtin:random", "--watch"]);
    assert!(stderr(&watched).contains("leave out --watch"));
}

/// What a seat says next.
fn heard(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Value {
    let line = lines.next().expect("it says something").expect("it can be read");
    serde_json::from_str(&line).expect("it is JSON")
}

#[test]
fn a_seat_is_a_socket_that_only_its_token_leads_to() {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::net::UnixStream;
    let folder = Folder::new("person-seat");
    let mut program = lanista(&folder)
        .args(["play", "gomoku", "human", "builtin:random", "--seats", "--set", "size=7"])
        .args(["--seed", "1", "--no-replay"])
        .env("XDG_RUNTIME_DIR", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut first = String::new();
    let output = program.stdout.take().expect("it is a pipe");
    BufReader::new(output).read_line(&mut first).expect("it says where the seats are");
    let first: Value = serde_json::from_str(&first).expect("it is JSON");
    assert_eq!(first["seats"][0]["bot"], 0);
    let token = first["seats"][0]["token"].as_str().expect("a text");
    assert_eq!(token.len(), 32);
    let socket = folder.path().join("lanista").join(format!("seat-{token}.sock"));
    let sit = || {
        let stream = UnixStream::connect(&socket).expect("somebody listens");
        (stream.try_clone().expect("a descriptor"), BufReader::new(stream).lines())
    };
    let (mut screen, mut lines) = sit();
    let about = heard(&mut lines);
    assert_eq!(about["about"]["names"], serde_json::json!(["human", "random"]));
    let desk = heard(&mut lines);
    assert_eq!((&desk["due"], &desk["step"]), (&Value::from(true), &Value::from(0)));
    assert_eq!(desk["desk"]["offers"].as_array().map(Vec::len), Some(49));
    writeln!(screen, r#"{{"pick":"9,9","step":0}}"#).expect("it listens");
    assert_eq!(heard(&mut lines)["refused"], "\"9,9\" is not offered here");
    writeln!(screen, r#"{{"pick":"3,3","step":7}}"#).expect("it listens");
    assert_eq!(heard(&mut lines)["step"], 0, "meant for another question");
    writeln!(screen, r#"{{"hint":"greedy"}}"#).expect("it listens");
    assert_eq!(heard(&mut lines)["hint"], "greedy would play 3,3");
    writeln!(screen, r#"{{"pick":"3,3","step":0}}"#).expect("it listens");
    let asked_again = loop {
        let desk = heard(&mut lines);
        if desk["due"] == true {
            break desk;
        }
    };
    assert_eq!(asked_again["step"], 2);
    drop((screen, lines));
    // A lost connection is no lost game.
    let (mut screen, mut lines) = sit();
    assert_eq!(heard(&mut lines)["about"]["seat"], 0);
    assert_eq!(heard(&mut lines)["step"], 2);
    writeln!(screen, r#"{{"resign":2}}"#).expect("it listens");
    let over = loop {
        let word = heard(&mut lines);
        if word["over"].is_string() {
            break word;
        }
    };
    assert_eq!(over["over"], "random won, because others left");
    assert!(program.wait().expect("it ends").success());
    assert!(!socket.exists(), "the seat is gone with the program");
}

#[test]
fn games_with_seats_end_with_whoever_has_started_them() {
    let folder = Folder::new("person-seat-end");
    let mut program = lanista(&folder)
        .args(["play", "jedna", "human", "builtin:random", "--seats"])
        .env("XDG_RUNTIME_DIR", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    drop(program.stdin.take());
    let output = program.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
}
