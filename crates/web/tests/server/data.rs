//! What the server says of what there is.

use crate::common::{Own, Served, sample};

#[test]
fn replays_below_the_folder_are_listed_with_who_played_and_how_it_ended() {
    let own = Own::new("index").with_replay("one.lrz");
    std::fs::write(own.0.join("broken.lrz"), "no replay").expect("writable");
    let served = Served::new(&own.0);
    let index = served.json("/api/index");
    assert_eq!(index["replays"].as_array().map(Vec::len), Some(2), "{index}");
    let replay = |path: &str| {
        let list = index["replays"].as_array().expect("a list");
        list.iter().find(|replay| replay["path"] == path).expect("it is listed").clone()
    };
    let good = replay("one.lrz");
    assert!(good["game"].is_string() && !good["bots"].as_array().expect("names").is_empty());
    assert!(good["result"].as_str().is_some_and(|result| !result.is_empty()), "{good}");
    let broken = replay("broken.lrz");
    assert!(broken["error"].as_str().is_some_and(|why| why.contains("replay")), "{broken}");
    let id = broken["id"].as_str().expect("an id");
    assert_eq!(served.get(&format!("/api/f/{id}/about")).status, 500);
}

#[test]
fn a_game_says_what_it_is_whether_it_verifies_and_can_be_downloaded() {
    let own = Own::new("about").with_replay("one.lrz");
    let served = Served::new(&own.0);
    let index = served.json("/api/index");
    let id = index["replays"][0]["id"].as_str().expect("an id").to_owned();
    let about = served.json(&format!("/api/f/{id}/about"));
    assert_eq!(about["game"], index["replays"][0]["game"]);
    assert_eq!(about["bots"], index["replays"][0]["bots"]);
    assert_eq!(about["verified"]["state"], "yes", "{about}");
    let formats = about["downloads"].as_array().expect("a list").clone();
    assert!(formats.len() >= 4, "{formats:?}");
    for format in formats {
        let format = format.as_str().expect("a word");
        let file = served.get(&format!("/api/f/{id}/download/{format}"));
        // Not every game can be written in every format of its kind; then the reason is said.
        assert!(file.status == 200 || file.text().contains("error"), "{format}: {}", file.text());
        if file.status == 200 {
            let kept = file.header("content-disposition").expect("it is a file to keep");
            assert!(kept.starts_with("attachment; filename=\""), "{kept}");
        }
    }
    let file = served.get(&format!("/api/f/{id}/download/lrz"));
    assert_eq!(file.body, std::fs::read(sample()).expect("it is there"));
    assert_eq!(served.get(&format!("/api/f/{id}/download/nothing")).status, 404);
    assert_eq!(served.get("/api/f/0000000000000000/about").status, 404);
}

/// The lines of a gzipped film.
fn film(served: &Served, path: &str) -> Vec<serde_json::Value> {
    let reply = served.get(path);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let mut text = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(&reply.body[..]);
    std::io::Read::read_to_string(&mut unpacked, &mut text).expect("it is gzipped text");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn a_film_comes_whole_the_first_time_and_from_memory() {
    let own = Own::new("film").with_replay("one.lrz");
    let served = Served::new(&own.0);
    let id = served.json("/api/index")["replays"][0]["id"].as_str().expect("an id").to_owned();
    let steps = served.json(&format!("/api/f/{id}/about"))["steps"].as_u64().expect("a number");
    let first = film(&served, &format!("/api/f/{id}/film"));
    assert_eq!(first[0]["film"], 1);
    assert_eq!(first.len() as u64, steps + 2, "a head, a line for every step, and the end");
    assert_eq!(first[first.len() - 1]["verified"], true);
    assert_eq!(film(&served, &format!("/api/f/{id}/film")), first);
    assert_eq!(served.get(&format!("/api/f/{id}/film?eyes=99")).status, 400);
    assert_eq!(served.get(&format!("/api/f/{id}/film?eyes=x")).status, 400);
    let talk = served.json(&format!("/api/f/{id}/talk?from=0&to=3"));
    assert!(talk["steps"].is_array() && talk["more"].is_boolean(), "{talk}");
}

#[test]
fn eyes_see_their_own_and_only_where_something_is_hidden() {
    let own = Own::new("eyes");
    let samples = sample().parent().expect("a folder").to_owned();
    for file in std::fs::read_dir(samples).expect("it is there").flatten() {
        std::fs::copy(file.path(), own.0.join(file.file_name())).expect("writable");
    }
    let served = Served::new(&own.0);
    let index = served.json("/api/index");
    let (mut hidden, mut open) = (0, 0);
    for replay in index["replays"].as_array().expect("a list") {
        let id = replay["id"].as_str().expect("an id");
        let about = served.json(&format!("/api/f/{id}/about"));
        match about["hidden"].as_bool().expect("it says so") {
            true => {
                hidden += 1;
                let seen = film(&served, &format!("/api/f/{id}/film?eyes=0"));
                assert_eq!(seen[0]["eyes"], 0);
                let foreign = |line: &serde_json::Value| {
                    let moves = line["moves"].as_array().into_iter().flatten();
                    moves.filter(|of| of["seat"] != 0).count()
                };
                assert_eq!(seen.iter().map(foreign).sum::<usize>(), 0, "{}", replay["path"]);
                let talk = served.json(&format!("/api/f/{id}/talk?from=0&to=1000&eyes=0"));
                let steps = talk["steps"].as_array().expect("a list").iter();
                let lines = steps.flat_map(|step| step["lines"].as_array().expect("a list"));
                assert!(lines.into_iter().all(|line| line["seat"] == 0), "{}", replay["path"]);
            }
            false => {
                open += 1;
                let reply = served.get(&format!("/api/f/{id}/film?eyes=0"));
                assert_eq!(reply.status, 400, "{}", replay["path"]);
            }
        }
    }
    assert!(hidden > 0 && open > 0, "there are games of both sorts");
}

#[test]
fn two_games_are_compared_to_their_first_difference() {
    let own = Own::new("diff").with_replay("one.lrz").with_replay("two.lrz");
    let other = sample().with_file_name("other");
    let samples = std::fs::read_dir(other.parent().expect("a folder")).expect("it is there");
    let mut files: Vec<_> = samples.flatten().map(|file| file.path()).collect();
    files.sort();
    std::fs::copy(files.pop().expect("there are some"), own.0.join("z.lrz")).expect("writable");
    let served = Served::new(&own.0);
    let index = served.json("/api/index");
    let id = |path: &str| {
        let list = index["replays"].as_array().expect("a list");
        let found = list.iter().find(|replay| replay["path"] == path).expect("it is listed");
        found["id"].as_str().expect("an id").to_owned()
    };
    let diff = |a: &str, b: &str| served.json(&format!("/api/diff?a=f/{}&b=f/{}", id(a), id(b)));
    assert_eq!(diff("one.lrz", "two.lrz")["first"], serde_json::Value::Null);
    assert_eq!(diff("one.lrz", "z.lrz")["first"], 0, "they are different games");
    assert_eq!(served.get("/api/diff?a=f/0&b=x").status, 404);
    assert_eq!(served.get("/api/diff?a=x").status, 400);
}
