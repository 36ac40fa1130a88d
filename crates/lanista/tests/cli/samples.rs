//! Replays of every format version that was ever written can still be read and verified.

use serde_json::json;

use crate::common::{Folder, json_lines, run, stderr, stdout};

#[test]
fn old_replays_still_verify() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/tests-data/replays");
    let folder = Folder::new("samples");
    let mut count = 0;
    for sample in std::fs::read_dir(samples).expect("the samples are there").flatten() {
        let path = sample.path().display().to_string();
        let output = run(&folder, &["replay", &path, "--verify"]);
        assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
        count += 1;
    }
    assert!(count > 0, "there are samples");
}

#[test]
fn how_old_games_ended_follows_from_their_moves() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/tests-data/replays");
    let folder = Folder::new("endings");
    let left = |fault: &str| json!([{"seat": 0, "fault": fault, "by": "rule"}]);
    let endings = [
        ("gomoku-v1", json!({"by": "rules", "why": "five", "forfeits": []})),
        (
            "gomoku-forfeit-v1",
            json!({"by": "forfeit", "why": "refused", "forfeits": left("refused")}),
        ),
        ("jedna-forfeit-v1", json!({"by": "rules", "why": "shed", "forfeits": left("crash")})),
        ("pyrat-forfeit-v1", json!({"by": "forfeit", "why": "crash", "forfeits": left("crash")})),
        ("pyrat-adjudicated-v1", json!({"by": "adjudication", "why": "turns", "forfeits": []})),
        ("ants-forfeit-v1", json!({"by": "rules", "why": "max-turns", "forfeits": left("crash")})),
        ("petri-crash-v1", json!({"by": "rules", "why": "last-species", "forfeits": []})),
    ];
    for (name, ending) in endings {
        let steps =
            json_lines(&run(&folder, &["replay", &format!("{samples}/{name}.lrz"), "--json"]));
        assert_eq!(steps.last().expect("there is an outcome")["ending"], ending, "{name}");
    }
    let path = format!("{samples}/gomoku-forfeit-v1.lrz");
    let sgf = stdout(&run(&folder, &["replay", &path, "--export", "sgf"]));
    assert!(sgf.contains("RE[W+F]"), "{sgf}");
}
