//! Games of a cluster while they are played and after they were annulled: on the coordinator's machine
//! they are watched, voided and played again like all others.

use std::fs::File;
use std::io::Write as _;
use std::process::Command;

use serde_json::{Value, json};
use table::live::{FromReader, LiveEnd, LiveGame, ToReader};

use crate::cluster::{coordinator, ended, free_port, is_installed, server, verify, worker};
use crate::common::{Folder, brain, json_lines, run, stderr, wait_until};
use crate::league::{FIVE, SHORT, cup, results};
use crate::live::Reader;
use crate::serve::Served;

/// The games that are offered, as soon as this is so.
fn offered(reader: &mut Reader, wanted: impl Fn(&[LiveGame]) -> bool) -> Vec<LiveGame> {
    loop {
        match reader.next() {
            ToReader::Games { games } if wanted(&games) => return games,
            ToReader::Games { .. } => {}
            other => panic!("nothing else was asked for: {other:?}"),
        }
    }
}

/// Reads a log until there is so much of it, or to its end.
fn read(
    reader: &mut Reader,
    log: &mut Vec<u8>,
    header: &mut Value,
    least: usize,
) -> Option<LiveEnd> {
    while log.len() < least {
        match reader.next() {
            ToReader::Head { head, .. } => *header = json!(*head),
            ToReader::Log { at, log: part, .. } => {
                assert_eq!(at, log.len() as u64, "nothing is missing");
                log.extend_from_slice(&part.0);
            }
            ToReader::End { end, .. } => return Some(end),
            ToReader::Games { .. } => {}
            ToReader::Hello(_) => panic!("it has said who it is"),
        }
    }
    None
}

#[test]
fn a_game_on_a_worker_is_watched_from_its_beginning_also_by_those_who_come_later() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-live");
    // It moves when it is told to, through a pipe that a bot on tier E can open.
    let pipe = folder.path().join("gate");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/gated.py");
    let gated = format!("python3 {script} {}", pipe.display());
    let head =
        "rounds = 1\nseed = 6\nclock = { move_ms = 0 }\nsetup = { size = 15, max_moves = 12 }";
    cup(&folder, "cup", head, &[("gated", &gated), ("a", "builtin:random")]);
    let gate = File::options().read(true).write(true).open(pipe).expect("it is there");
    let moves = |count: usize| (&gate).write_all(&vec![b'x'; count]).expect("a pipe has room");
    let port = free_port();
    let _server = server(port);
    let mut cup = coordinator(&folder, port, &[]);
    let socket = folder.path().join("run/live.sock");
    wait_until("it listens", || host::connect(&socket).is_ok());
    let mut early = Reader::new(&socket, "run");
    let _worker = worker(&folder, port, "one", &["--tier", "e"]);
    let games = offered(&mut early, |games| games.len() == 1);
    assert!(games[0].worker.as_deref() == Some("one") && games[0].recorded);
    let id = games[0].id;
    early.say(&FromReader::Watch { watch: id, from: 0 });
    moves(4);
    let (mut begun, mut header) = (Vec::new(), Value::Null);
    read(&mut early, &mut begun, &mut header, 200);
    // The page lists it, and a page that watches is a reader like all others.
    let served = Served::new(&folder, ".");
    let index = served.json("/api/index");
    let run_id = index["runs"][0]["id"].as_str().expect("a run").to_owned();
    let under_way = served.json(&format!("/api/run/{run_id}"))["schedule"]["under_way"].clone();
    let on_worker = |game: &&Value| game["worker"] == "one" && game["live"].is_string();
    let listed = under_way.as_array().expect("a list");
    assert_eq!(listed.iter().filter(on_worker).count(), 1, "{under_way}");
    let mut late = Reader::new(&socket, "run");
    late.say(&FromReader::Watch { watch: id, from: 0 });
    let mut joined = Vec::new();
    read(&mut late, &mut joined, &mut header, begun.len());
    assert_eq!(joined[..begun.len()], begun, "what was before is there, too");
    // It is the last game: the run is over with it, however much of it the worker has not sent yet.
    moves(40);
    for (reader, log) in [(&mut early, &mut begun), (&mut late, &mut joined)] {
        let end = read(reader, log, &mut header, usize::MAX);
        assert_eq!(end, Some(LiveEnd::Over));
    }
    assert!(begun == joined, "both have seen the same");
    ended(&folder, &mut cup);
    // It is the game that counts.
    let file = zstd::encode_all(&[header.to_string().as_bytes(), b"\n", &begun].concat()[..], 1);
    let record = table::Record::read(&file.expect("memory")).expect("it is a replay");
    let all = results(&folder, "run");
    let kept = all.iter().find(|game| game["match"] == header["match"]).expect("it is kept");
    let last = record.digests().last().map(|digest| format!("{digest:016x}"));
    assert_eq!(kept["digest"].as_str(), last.as_deref());
    assert!(record.ending().is_some_and(|(outcome, _)| outcome.is_some()));
}

#[test]
fn games_that_are_annulled_are_played_again_wherever_they_were_played() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-void");
    let slow = brain("unhurried");
    let slow = format!("{} 5", slow.split_once('=').expect("it is renamed").1);
    let bots = [FIVE[0], FIVE[1], ("slow", slow.as_str())];
    cup(&folder, "cup", &format!("rounds = 12\nseed = 4\n{SHORT}"), &bots);
    let port = free_port();
    let _server = server(port);
    let mut cup = coordinator(&folder, port, &["--local", "1"]);
    let _worker = worker(&folder, port, "one", &[]);
    let ctl = |order: &[&str]| -> Value {
        let output = run(&folder, &[&["ctl", "run"], order].concat());
        assert_eq!(output.status.code(), Some(0), "{order:?}: {}", stderr(&output));
        json_lines(&output).pop().unwrap_or(Value::Null)
    };
    let played_by = |name: &str| -> Option<u64> {
        let games = run(&folder, &["results", "run", "--json"]);
        let games = json_lines(&games);
        let own = |game: &&Value| game["worker"]["name"] == name;
        games.iter().find(own).and_then(|game| game["index"].as_u64()).map(|index| index + 1)
    };
    wait_until("both have played", || {
        folder.path().join("run/run.db").exists()
            && played_by("one").is_some()
            && played_by("coordinator").is_some()
    });
    ctl(&["pause"]);
    wait_until("games under way are finished", || {
        let status = ctl(&["status"]);
        status["state"] == "paused" && status["under_way"] == 0 && status["to_keep"] == 0
    });
    let before = ctl(&["status"])["games"].as_u64().expect("a number");
    for name in ["one", "coordinator"] {
        let number = played_by(name).expect("it has played").to_string();
        ctl(&["void", &number, "--reason", "its machine was not in order"]);
    }
    assert_eq!(ctl(&["status"])["games"].as_u64(), Some(before - 2));
    ctl(&["resume"]);
    ended(&folder, &mut cup);
    verify(&folder);
    let games = results(&folder, "run");
    let mut ids: Vec<&str> = games.iter().filter_map(|game| game["match"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((games.len(), ids.len()), (36, 36), "none is missing, and none there twice");
}
