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
