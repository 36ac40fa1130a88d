//! What people do with tournaments on many machines: bots that are built and that are large, `ctl`,
//! TLS, a server for trying out, a look at how it goes.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::cluster::{
    Started, coordinator, ended, free_port, is_installed, log, log_file, server, verify, worker,
};
use crate::common::{Folder, brain, json_lines, lanista, run, stderr, stdout, wait_until};
use crate::league::{FIVE, SHORT, cup, results, standings};
use crate::serve::Served;

#[test]
fn a_bot_larger_than_a_message_travels_and_is_built_once_by_each_worker() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-build");
    let own = folder.path().join("bot");
    std::fs::create_dir_all(&own).expect("writable");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::copy(script, own.join("brain.py")).expect("writable");
    // It does not shrink, and its build needs the whole of it.
    let mut noise = game::Seed(1).rng("data");
    let data: Vec<u8> = (0..900_000).map(|_| noise.index(256) as u8).collect();
    std::fs::write(own.join("data"), &data).expect("writable");
    let build = "test $(wc -c < data) = 900000 || exit 7\n\
        printf '#!/bin/sh\\nexec /usr/bin/python3 brain.py good\\n' > mybot\nchmod 755 mybot\n";
    std::fs::write(own.join("build.sh"), build).expect("writable");
    let manifest = "command = ['./mybot']\nbuild = ['sh', 'build.sh']\n";
    std::fs::write(own.join("bot.toml"), manifest).expect("writable");
    cup(&folder, "cup", &format!("rounds = 6\nseed = 3\n{SHORT}"), &[("built", "bot"), FIVE[0]]);
    let port = free_port();
    let _server = server(port);
    let mut run = coordinator(&folder, port, &[]);
    let url = format!("nats://127.0.0.1:{port}");
    // A cache of its own each, as on machines of their own.
    let _workers = ["one", "two"].map(|name| {
        let mut command = lanista(&folder);
        let cache = format!("cache-{name}");
        command.args(["worker", &url, "--name", name, "--concurrency", "1", "--cache", &cache]);
        command.stdout(Stdio::null()).stderr(log_file(&folder, name));
        Started(command.spawn().expect("it starts"))
    });
    ended(&folder, &mut run);
    verify(&folder);
    assert!(!own.join("mybot").exists(), "nothing is built where nothing is played");
    let mut who: Vec<String> = Vec::new();
    for game in results(&folder, "run") {
        let faults = game["players"].as_array().into_iter().flatten();
        assert!(
            faults.into_iter().all(|player| player["faults"] == serde_json::json!([])),
            "{game}"
        );
        who.push(game["worker"]["name"].as_str().expect("a name").to_owned());
    }
    who.sort();
    who.dedup();
    for name in who {
        let said = log(&folder, &name);
        assert_eq!(said.matches("building built: sh build.sh").count(), 1, "{name}: {said}");
    }
}

#[test]
fn ctl_pauses_adds_and_withdraws_while_workers_play() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-ctl");
    let unhurried = brain("unhurried");
    let unhurried = unhurried.split_once('=').expect("it is renamed").1;
    let unhurried = format!("{unhurried} 5");
    let bots = [FIVE[0], FIVE[1], ("slow", unhurried.as_str())];
    cup(&folder, "cup", &format!("rounds = 8\nseed = 4\n{SHORT}"), &bots);
    let port = free_port();
    let _server = server(port);
    let mut cup = coordinator(&folder, port, &[]);
    let _worker = worker(&folder, port, "one", &[]);
    let ctl = |order: &[&str]| -> Value {
        let output = run(&folder, &[&["ctl", "run"], order].concat());
        assert_eq!(output.status.code(), Some(0), "{order:?}: {}", stderr(&output));
        json_lines(&output).pop().unwrap_or(Value::Null)
    };
    wait_until("it plays", || {
        folder.path().join("run/run.db").exists()
            && run(&folder, &["ctl", "run", "status"]).status.success()
            && ctl(&["status"])["games"].as_u64() > Some(0)
    });
    ctl(&["pause"]);
    wait_until("games under way are finished", || {
        let status = ctl(&["status"]);
        status["state"] == "paused" && status["under_way"] == 0 && status["to_keep"] == 0
    });
    let games = ctl(&["status"])["games"].clone();
    ctl(&["withdraw", "b", "--reason", "its author asked for it"]);
    ctl(&["add", "late=builtin:greedy"]);
    assert_eq!(ctl(&["status"])["games"], games, "nothing was played meanwhile");
    ctl(&["resume"]);
    ended(&folder, &mut cup);
    verify(&folder);
    let table = standings(&folder, "run");
    let rows = table["rows"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("it takes part");
    assert_eq!(row("b")["left"], "withdrawn");
    assert_eq!(row("late")["games"], 16, "against the two that are left, eight times each");
    assert_eq!(table["games"], table["scheduled"]);
    let late = |game: &&Value| game["players"].to_string().contains("\"late\"");
    let games = results(&folder, "run");
    assert!(games.iter().filter(late).all(|game| game["worker"]["name"] == "one"));
}

/// A key and a certificate that vouches for itself or is vouched for; false without openssl.
fn openssl(folder: &Path, args: &str) -> bool {
    let mut command = Command::new("openssl");
    command.args(args.split(' ')).current_dir(folder);
    match command.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) => {
            assert!(status.success(), "openssl {args}");
            true
        }
        Err(_) => false,
    }
}

const AUTHORITY: &str = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";

/// An authority, `ca.pem`, and a server on this machine that it vouches for; false without openssl.
pub(crate) fn certify_server(at: &Path) -> bool {
    if !openssl(at, &format!("{AUTHORITY} -keyout ca.key -out ca.pem -subj /CN=authority")) {
        return false;
    }
    std::fs::write(at.join("names"), "subjectAltName=IP:127.0.0.1\n").expect("writable");
    let request = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(at, &format!("{request} -keyout server.key -out server.csr -subj /CN=server"));
    let sign = "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2";
    openssl(at, &format!("{sign} -extfile names -out server.pem"))
}

#[test]
fn with_tls_and_a_token_nobody_else_is_let_in_and_nothing_secret_is_said() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-tls");
    let at = folder.path();
    // `./test` names this as not run where there is no openssl.
    if !certify_server(at) {
        return;
    }
    openssl(at, &format!("{AUTHORITY} -keyout other.key -out other.pem -subj /CN=another"));
    let port = free_port();
    let secret = "a-token-that-nobody-guesses";
    std::fs::write(at.join("token"), format!("{secret}\n")).expect("writable");
    let conf = format!(
        "listen: \"127.0.0.1:{port}\"\ntls {{ cert_file: \"server.pem\", key_file: \"server.key\" }}\n\
         authorization {{ token: \"{secret}\" }}\n"
    );
    std::fs::write(at.join("nats.conf"), conf).expect("writable");
    let mut command = Command::new("nats-server");
    command.args(["-c", "nats.conf"]).current_dir(at).stdout(Stdio::null()).stderr(Stdio::null());
    let _server = Started(command.spawn().expect("it starts"));
    wait_until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let url = format!("tls://127.0.0.1:{port}");
    let status = |more: &[&str]| run(&folder, &[&["cluster", "status", &url], more].concat());
    let refused = [
        &["--tls-ca", "ca.pem"][..],
        &["--token-file", "token", "--tls-ca", "other.pem"],
        &["--token-file", "token"],
    ];
    for more in refused {
        let output = status(more);
        assert_ne!(output.status.code(), Some(0), "{more:?} is let in");
        assert!(stderr(&output).contains("cannot connect to tls://"), "{}", stderr(&output));
    }
    let let_in = ["--token-file", "token", "--tls-ca", "ca.pem"];
    let output = status(&let_in);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    cup(&folder, "cup", &format!("seed = 1\n{SHORT}"), &FIVE[..3]);
    let started = |command: &[&str], name: &str| {
        let mut process = lanista(&folder);
        process.args(command).args(let_in).stdout(Stdio::null()).stderr(log_file(&folder, name));
        Started(process.spawn().expect("it starts"))
    };
    let mut run = started(&["run", "cup.toml", "--dir", "run", "--cluster", &url], "run");
    let _worker = started(
        &["worker", &url, "--name", "one", "--concurrency", "1", "--cache", "cache"],
        "one",
    );
    ended(&folder, &mut run);
    assert_eq!(results(&folder, "run").len(), 6);
    let cluster = std::fs::read_to_string(at.join("run/cluster.json")).expect("it is there");
    for text in [log(&folder, "run"), log(&folder, "one"), cluster] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn cluster_up_starts_a_server_and_takes_it_along_when_it_ends() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-up");
    let port = free_port();
    let mut command = lanista(&folder);
    command.args(["cluster", "up", "--port", &port.to_string()]);
    command.stdout(Stdio::null()).stderr(log_file(&folder, "up"));
    let mut up = Started(command.spawn().expect("it starts"));
    let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    wait_until("it listens", listens);
    let status = run(&folder, &["cluster", "status", &format!("nats://127.0.0.1:{port}")]);
    assert_eq!(status.status.code(), Some(0), "{}", stderr(&status));
    assert!(stderr(&status).contains("nobody coordinates a run there"), "{}", stderr(&status));
    up.signal(Signal::TERM);
    let ended = up.0.wait().expect("it ends");
    assert_eq!(ended.code(), Some(0), "{}", log(&folder, "up"));
    assert!(!listens(), "the server is gone");
    let said = log(&folder, "up");
    assert!(said.contains(&format!("nats://127.0.0.1:{port} is for this machine alone")), "{said}");
    // Where it is not installed it says how to install it.
    let mut command = lanista(&folder);
    let output = command.args(["cluster", "up"]).env("PATH", "/nowhere").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("apt install nats-server"), "{}", stderr(&output));
}

#[test]
fn how_a_cluster_goes_fits_into_eighty_columns_and_is_on_the_page() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-status");
    let silent = brain("stop");
    let silent = silent.split_once('=').expect("it is renamed").1;
    let bots = [("silent", silent), ("a", "builtin:random")];
    cup(&folder, "cup", "rounds = 2\nclock = { move_ms = 0 }", &bots);
    let port = free_port();
    let _server = server(port);
    // A worker speaks four times in a lease.
    let _run = coordinator(&folder, port, &["--lease", "4"]);
    let name = "a-machine-with-quite-a-long-name-of-48-letters--";
    let _worker = worker(&folder, port, name, &[]);
    let url = format!("nats://127.0.0.1:{port}");
    let mut shown = String::new();
    wait_until("it plays", || {
        shown = stdout(&run(&folder, &["cluster", "status", &url]));
        shown.contains("2 games with them")
    });
    assert!(shown.starts_with("cup: 1 worker, 2 games with them, 0 finished"), "{shown}");
    assert!(shown.contains("worker") && shown.contains("speed"), "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // The page says which games are on which worker.
    let served = Served::new(&folder, ".");
    let index = served.json("/api/index");
    let id = index["runs"][0]["id"].as_str().expect("a run").to_owned();
    wait_until("the worker has said what it plays", || {
        let data = served.json(&format!("/api/run/{id}"));
        let worker = &data["schedule"]["workers"][0];
        let playing = worker["playing"].as_array().map_or(0, Vec::len);
        worker["name"] == name && worker["games"] == 2 && playing == 2
    });
    let data = served.json(&format!("/api/run/{id}"));
    let game = &data["schedule"]["workers"][0]["playing"][0];
    assert_eq!(*game, serde_json::json!({ "event": "gomoku", "bots": ["silent", "a"] }));
}
