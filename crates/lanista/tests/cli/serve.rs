//! `lanista serve` beside a tournament that was played.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::common::{Folder, json_lines, lanista, run, stderr};

/// A server that ends with its test.
pub(crate) struct Served {
    child: Child,
    host: String,
    cookie: String,
}

impl Served {
    pub(crate) fn new(folder: &Folder, dir: &str) -> Served {
        let mut command = lanista(folder);
        command.args(["serve", dir, "--beside", "--no-open"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("ours");
        let mut url = String::new();
        let output = child.stdout.as_mut().expect("it is a pipe");
        BufReader::new(output).read_line(&mut url).expect("it prints its address");
        let rest = url.trim().strip_prefix("http://").expect("an address");
        let (host, query) = rest.split_once('/').expect("a path");
        let mut served = Served { child, host: host.to_owned(), cookie: String::new() };
        let reply = served.ask(&format!("/{query}"));
        let cookie = reply.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.expect("the token is exchanged").split(';').next().expect("a pair");
        served.cookie = cookie.to_owned();
        served
    }

    fn ask(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it can be set");
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\nconnection: close\r\n\r\n",
            self.host, self.cookie
        );
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).expect("it answers");
        String::from_utf8_lossy(&reply).into_owned()
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let reply = self.ask(path);
        let (head, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {reply}");
        serde_json::from_str(body).expect("JSON")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It ends with its standard input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn a_tournament_is_shown_as_standings_and_results_have_it() {
    let folder = Folder::new("serve-run");
    let game = games::GAMES[0].card();
    let bots = [game.bots[0].name, game.bots[1].name];
    let cup = format!(
        "name = \"spring <b>cup\"\ngame = \"{}\"\nrounds = 2\nseed = 1\nbots = [{{bot = \"builtin:{}\"}}, \
         {{bot = \"builtin:{}\"}}]\n",
        game.id, bots[0], bots[1]
    );
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let played = run(&folder, &["run", "cup.toml", "--dir", "runs/cup", "--quiet", "--tier", "E"]);
    assert!(played.status.success(), "{}", stderr(&played));
    let served = Served::new(&folder, ".");
    let index = served.json("/api/index");
    let listed = &index["runs"][0];
    assert_eq!((&listed["name"], &listed["state"]), (&"spring <b>cup".into(), &"finished".into()));
    let id = listed["id"].as_str().expect("an id");
    let data = served.json(&format!("/api/run/{id}"));
    let standings = &json_lines(&run(&folder, &["standings", "runs/cup", "--json"]))[0];
    assert_eq!(data["events"][0]["rows"], standings["rows"]);
    assert_eq!(data["schedule"]["left"], 0);
    // Every game of the results is in the list, and leads to its replay.
    let results = json_lines(&run(&folder, &["results", "runs/cup", "--json"]));
    let all = served.json(&format!("/api/run/{id}/games?limit=1000"));
    assert_eq!(all["total"].as_u64(), Some(results.len() as u64));
    for game in all["games"].as_array().expect("a list") {
        let number = game["number"].as_u64().expect("a number");
        let result =
            results.iter().find(|result| result["index"] == number - 1).expect("it is there");
        assert_eq!(game["turns"], result["turns"]);
        let about = served.json(&format!("/api/r/{id}/{}/about", game["n"]));
        assert_eq!(about["match"], result["match"]);
        assert_eq!(about["verified"]["state"], "yes");
    }
    // In pages, and filtered.
    let page = served.json(&format!("/api/run/{id}/games?limit=1"));
    let next = page["next"].as_u64().expect("there are more");
    let second = served.json(&format!("/api/run/{id}/games?limit=1&after={next}"));
    assert_eq!(second["games"][0], all["games"][1]);
    let won = served.json(&format!("/api/run/{id}/games?bot={}&result=win", bots[0]));
    let row = standings["rows"].as_array().expect("rows").iter().find(|row| row["name"] == bots[0]);
    assert_eq!(won["total"], row.expect("it takes part")["wins"]);
    let bot = served.json(&format!("/api/run/{id}/bot/{}", bots[0]));
    assert_eq!(Some(&bot["row"]), row);
    assert_eq!(bot["opponents"][0]["name"], bots[1]);
    assert!(served.ask(&format!("/api/run/{id}/bot/nobody")).starts_with("HTTP/1.1 404 "));
    assert!(served.ask(&format!("/api/r/{id}/99999/about")).starts_with("HTTP/1.1 404 "));
    assert!(served.ask(&format!("/api/run/{id}/games?result=x")).starts_with("HTTP/1.1 400 "));
}
