//! The server's configuration that docs/cluster.md shows: everybody can do what they have to, and no more.

use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use table::live::ToReader;

use crate::cluster::{Started, free_port, is_installed, log, log_file, verify};
use crate::cluster_commands::certify_server;
use crate::common::{Folder, lanista, run, stderr, stdout, wait_until};
use crate::league::{FIVE, SHORT, cup, results};
use crate::live::Reader;

/// The configuration on the page.
fn shipped() -> String {
    let page = include_str!("../../../../docs/cluster.md");
    let (_, rest) = page.split_once("<!-- file: nats.conf -->\n```text\n").expect("it is there");
    rest.split_once("```").expect("it ends").0.to_owned()
}

#[test]
fn with_the_configuration_of_the_page_each_key_opens_its_own_subjects_alone() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("cluster-keys");
    let at = folder.path();
    // `./test` names this as not run where there is no openssl.
    if !certify_server(at) {
        return;
    }
    let port = free_port();
    let mut conf = shipped().replace("0.0.0.0:4222", &format!("127.0.0.1:{port}"));
    for (file, place) in
        [("coordinator.nk", "UCOORDINATOR…"), ("w1.nk", "UWORKER…"), ("status.nk", "USTATUS…")]
    {
        let made = run(&folder, &["cluster", "key", file]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        let public = stdout(&made).trim().to_owned();
        assert!(public.starts_with('U') && public.len() == 56, "{public}");
        assert!(conf.contains(place), "{conf}");
        conf = conf.replace(place, &public);
        let mode = std::fs::metadata(at.join(file)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let seed = std::fs::read_to_string(at.join(file)).expect("it is there");
        assert!(seed.starts_with("SU"));
        let again = run(&folder, &["cluster", "key", file]);
        assert_eq!(again.status.code(), Some(2), "no key is overwritten");
    }
    std::fs::write(at.join("nats.conf"), conf).expect("writable");
    let mut command = Command::new("nats-server");
    command.args(["-c", "nats.conf"]).current_dir(at);
    command.stdout(Stdio::null()).stderr(log_file(&folder, "nats"));
    let _server = Started(command.spawn().expect("it starts"));
    wait_until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let url = format!("tls://127.0.0.1:{port}");
    let started = |command: &[&str], key: &str, name: &str| {
        let mut process = lanista(&folder);
        process.args(command).args(["--nkey-file", key, "--tls-ca", "ca.pem"]);
        process.stdout(Stdio::null()).stderr(log_file(&folder, name));
        Started(process.spawn().expect("it starts"))
    };
    let slow = crate::common::brain("unhurried");
    let slow = format!("{} 20", slow.split_once('=').expect("it is renamed").1);
    cup(&folder, "cup", &format!("rounds = 4\nseed = 1\n{SHORT}"), &[FIVE[0], ("slow", &slow)]);
    let mut cup =
        started(&["run", "cup.toml", "--dir", "run", "--cluster", &url], "coordinator.nk", "run");
    let socket = at.join("run/live.sock");
    wait_until("it listens", || host::connect(&socket).is_ok());
    let mut reader = Reader::new(&socket, "run");
    let as_worker =
        |name: &'static str| ["worker", &url, "--name", name, "--cache", "cache", "--tier", "e"];
    // Under another name the key is good for nothing.
    let _other = started(&as_worker("w2"), "w1.nk", "w2");
    wait_until("the server refuses it", || log(&folder, "w2").contains("ermissions"));
    let _worker = started(&as_worker("w1"), "w1.nk", "w1");
    let watched = loop {
        match reader.next() {
            ToReader::Games { games } if !games.is_empty() => break games,
            _ => {}
        }
    };
    assert!(watched.iter().all(|game| game.worker.as_deref() == Some("w1")), "{watched:?}");
    let status = run(
        &folder,
        &["cluster", "status", &url, "--nkey-file", "status.nk", "--tls-ca", "ca.pem"],
    );
    assert!(stdout(&status).contains("cup: 1 worker"), "{}{}", stdout(&status), stderr(&status));
    let ended = cup.0.wait().expect("it ends");
    assert_eq!(ended.code(), Some(0), "{}", log(&folder, "run"));
    verify(&folder);
    let games = results(&folder, "run");
    assert!(games.len() == 4 && games.iter().all(|game| game["worker"]["name"] == "w1"));
    for name in ["run", "w1"] {
        let said = log(&folder, name);
        assert!(!said.contains("ermissions"), "{name}: {said}");
    }
}
