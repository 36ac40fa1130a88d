//! What a state knows, as far as it can be made without a conversation; the conversations of all
//! kits are in `kits/conversations`.

use lanista_bot::ants::{Ant, State, CONTROLLED, GRASS, ROCK, SUGAR};
use lanista_bot::gomoku;
use lanista_bot::jedna::{is_wild, points};
use lanista_bot::json::{quoted, Json};

#[test]
fn an_empty_board_is_free_and_has_no_rows() {
    let state = gomoku::State::new(5, 6);
    assert_eq!(state.free().len(), 30);
    assert_eq!(state.free()[1], (1, 0));
    assert_eq!(state.row(2, 2, gomoku::Stone::Mine), 1);
    assert_eq!(state.at(5, 0), gomoku::Stone::Forbidden, "it lies outside");
    assert_eq!(state.time_ms(), 2_147_483_647);
}

#[test]
fn the_time_of_a_move_is_the_lower_limit() {
    let mut state = gomoku::State::new(5, 5);
    state.info.insert("timeout_turn".to_owned(), "1000".to_owned());
    state.info.insert("time_left".to_owned(), "700".to_owned());
    assert_eq!(state.time_ms(), 700);
}

#[test]
fn cards_have_points() {
    let of = ["r0", "b9", "ys", "g+2", "wd", "wd4"].map(points);
    assert_eq!(of, [0, 9, 20, 20, 50, 50]);
    assert!(is_wild("w") && is_wild("wd4") && !is_wild("r4"));
}

#[test]
fn the_nearest_cell_is_found_round_rocks_and_ants() {
    let mut state = State::default();
    for (y, row) in (0..).zip(["...1", ".#..", "...."]) {
        for (x, letter) in (0..).zip(row.chars()) {
            let content = [('#', ROCK), ('1', SUGAR)].iter().find(|(sign, _)| *sign == letter);
            state.cells.insert((x, y), content.map_or(GRASS, |(_, content)| *content));
        }
    }
    let ant = Ant { id: 0, x: 0, y: 1, dx: 1, dy: 0, energy: 100, acid: 100, brain: CONTROLLED };
    state.ants = vec![ant];
    let found = state.nearest(&ant, |cell| state.is_food(cell));
    assert_eq!(found, Some(((3, 0), "left".to_owned())));
    state.ants.push(Ant { y: 0, ..ant });
    let found = state.nearest(&ant, |cell| state.is_food(cell));
    assert_eq!(found, Some(((3, 0), "right".to_owned())), "another ant is in the way");
    assert_eq!(state.nearest(&ant, |_| false), None);
}

#[test]
fn json_is_read_and_what_is_none_is_not() {
    let text = r#" {"a":[1,-2.5e1,true,null],"b\u00e9\ud83d\ude00\n":"\"x\\","c":{"d":{}}} "#;
    let value = Json::parse(text).expect("it is JSON");
    assert_eq!(value.get("a").list()[1].number(), Some(-25));
    assert!(value.get("a").list()[2].is_true());
    assert_eq!(value.get("bé😀\n").text(), Some("\"x\\"));
    assert_eq!(value.get("nothing").get("at all"), &Json::Null);
    for wrong in ["", "{", "[1,]", "{\"a\" 1}", "tru", "1 2", "\"", "{\"a\":1,}", "[1 2]"] {
        assert_eq!(Json::parse(wrong), None, "{wrong}");
    }
    assert_eq!(Json::parse(&"[".repeat(100_000)), None, "nor is it too deep for the stack");
    assert_eq!(quoted("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
}
