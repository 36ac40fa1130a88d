//! People who take a move back: with bots that can, and with each other.

use crate::common::{Folder, brain, json_lines, run, stderr, stdout};
use crate::people::{only_replay, through_pipe, verify};

#[test]
fn a_move_is_taken_back_with_a_brain_that_says_ok() {
    let folder = Folder::new("takeback-brain");
    let bot = brain("takeback");
    let args = ["play", "gomoku", "human", &bot, "--set", "size=9", "--json"];
    let typed = "takeback\n4,4\ntakeback\n3,3\nmoves\nresign\nresign\n";
    let output = through_pipe(&folder, typed, &args);
    let screen = stderr(&output);
    for words in [
        "there is no stone of yours that can be taken back",
        "human: 4,4\ntakeback: 1,0\nhuman: take back 2\nhuman: 3,3\ntakeback: 1,0",
    ] {
        assert!(screen.contains(words), "{words} in {screen}");
    }
    let report = json_lines(&output).remove(0);
    assert_eq!(report["players"][0]["moves"], 2, "taking back is no move: {report}");
    assert_eq!(report["players"][1]["faults"].as_array().map(Vec::len), Some(0), "{report}");
    verify(&folder);
    let replay = only_replay(&folder);
    let lines = stdout(&run(&folder, &["replay", &replay, "--lines"]));
    let told = lines.find("TAKEBACK 1,0").expect("its own stone goes first");
    assert!(lines[told..].contains("TAKEBACK 4,4"), "{lines}");
    let psq = stdout(&run(&folder, &["replay", &replay, "--export", "psq"]));
    let stones: Vec<&str> = psq.lines().filter(|line| line.matches(',').count() == 2).collect();
    assert_eq!(stones.len(), 3, "the first line and the two stones that are left: {psq}");
    assert!(stones[1].starts_with("4,4,") && stones[2].starts_with("2,1,"), "{psq}");
}

#[test]
fn a_brain_that_does_not_know_how_refuses_with_its_words() {
    let folder = Folder::new("takeback-refused");
    let bot = brain("good");
    let args = ["play", "gomoku", "human", &bot, "--set", "size=9"];
    let output = through_pipe(&folder, "4,4\ntakeback\n3,3\nresign\nresign\n", &args);
    let why = "does not take the last move back: it says UNKNOWN TAKEBACK";
    assert!(stderr(&output).contains(why), "{}", stderr(&output));
    verify(&folder);
    let lines = stdout(&run(&folder, &["replay", &only_replay(&folder), "--lines"]));
    let refused = lines.find("UNKNOWN TAKEBACK").expect("it is recorded");
    assert!(lines[refused..].contains("BOARD"), "it is shown the board anew: {lines}");
}

#[test]
fn two_people_have_to_agree_and_other_games_have_no_words_for_it() {
    let folder = Folder::new("takeback-people");
    let args = ["play", "gomoku", "ann=human", "bob=human", "--set", "size=9"];
    let typed = "4,4\n5,5\ntakeback\nrefuse\ntakeback\nagree\n3,3\nmoves\nresign\nresign\n";
    let screen = stderr(&through_pipe(&folder, typed, &args));
    for words in [
        "ann asks to take the last move back: agree or refuse",
        "bob does not take the last move back: refused",
        "ann: take back 2\nann: 3,3",
    ] {
        assert!(screen.contains(words), "{words} in {screen}");
    }
    verify(&folder);
    let other = ["play", "jedna", "human", "builtin:random", "--seed", "1", "--no-replay"];
    let screen = stderr(&through_pipe(&folder, "takeback\nresign\nresign\n", &other));
    assert!(screen.contains("no move can be taken back in this game"), "{screen}");
}

#[test]
fn clocks_stop_for_people_and_run_again() {
    let folder = Folder::new("person-pause");
    let args = ["play", "gomoku", "human", "builtin:random", "--human-timeout-ms", "600000"];
    let typed = "resume\npause\n4,4\nresume\n4,4\nresign\nresign\n";
    let screen = stderr(&through_pipe(&folder, typed, &args));
    for words in [
        "the clocks are not stopped",
        "the clocks are stopped: resume lets them run",
        "the clocks are stopped: go on first",
        "● to play",
    ] {
        assert!(screen.contains(words), "{words} in {screen}");
    }
    verify(&folder);
}
