//! How a transcript sets its match up: the lines before the first message.

use std::time::Duration;

use game::{Afterwards, Clock, Seed};
use serde_json::{Map, Value};
use table::{
    Adjudication, AnyGame, AnyTable, Contestant, Entrant, Occasion, Recording, SeatId, Terms,
};

/// The lines that set a match up.
pub(super) const NAMES: [&str; 11] = [
    "setup",
    "seats",
    "clock",
    "clock1",
    "clock2",
    "adjudication",
    "starts",
    "seed",
    "reused",
    "options",
    "unstarted",
];

/// What the line of this name says.
fn setting<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ').map(str::trim))
}

/// The table that the lines ask for.
pub(super) fn table(game: &dyn AnyGame, text: &str) -> Box<dyn AnyTable> {
    let setup: Map<String, Value> = setting(text, "setup").map_or_else(Map::new, |text| {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("setup: {error}"))
    });
    let mut clock = game.card().clock;
    for pair in setting(text, "clock").unwrap_or("").split_whitespace() {
        let (name, ms) = pair.split_once('=').expect("clock takes name=ms");
        set_clock(&mut clock, name, ms);
    }
    let starts = setting(text, "starts").unwrap_or("").split_whitespace();
    let starts: Vec<_> = starts.map(|ms| ms.parse().ok().map(Duration::from_millis)).collect();
    let entrants = setting(text, "seats").unwrap_or("wire wire").split_whitespace().enumerate();
    // `clock2 move=100`: the second player has its own.
    let own_clock = |index: usize| {
        let own = setting(text, &format!("clock{}", index + 1))?;
        let mut clock = clock;
        for pair in own.split_whitespace() {
            let (name, ms) = pair.split_once('=').expect("clock takes name=ms");
            set_clock(&mut clock, name, ms);
        }
        Some(clock)
    };
    let entrants = entrants.map(|(index, seat)| Entrant {
        clock: own_clock(index),
        options: options(text, index),
        start: starts.get(index).copied().flatten(),
        ..Entrant::new(
            format!("player{}", index + 1),
            match seat.strip_prefix("builtin:") {
                Some(name) => Contestant::BuiltIn(name.to_owned()),
                None => Contestant::Program { then: after_match(seat) },
            },
        )
    });
    let terms = Terms {
        id: "transcript".to_owned(),
        seed: Seed(setting(text, "seed").map_or(1, |seed| seed.parse().expect("a number"))),
        entrants: entrants.collect(),
        clock,
        adjudication: setting(text, "adjudication").map_or(Adjudication::NONE, |text| {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("adjudication: {error}"))
        }),
        occasion: Occasion::SingleMatch,
        recording: Recording::On,
    };
    game.table(&setup, terms).unwrap_or_else(|error| panic!("setup: {error}"))
}

/// The seats that the line of this name lists.
pub(super) fn seats(text: &str, name: &str) -> Vec<SeatId> {
    let seats = setting(text, name).unwrap_or("").split_whitespace();
    seats.map(|seat| SeatId(seat.parse().expect("a seat"))).collect()
}

/// What the line `options PLAYER {…}` says, if there is one.
fn options(text: &str, player: usize) -> Vec<(String, String)> {
    let prefix = format!("options {player} ");
    let Some(json) = text.lines().find_map(|line| line.strip_prefix(&prefix)) else {
        return Vec::new();
    };
    let options: Map<String, Value> =
        serde_json::from_str(json).unwrap_or_else(|error| panic!("options: {error}"));
    let value = |value: Value| value.as_str().expect("options are texts").to_owned();
    options.into_iter().map(|(name, given)| (name, value(given))).collect()
}

fn set_clock(clock: &mut Clock, name: &str, ms: &str) {
    let time = (ms != "none").then(|| Duration::from_millis(ms.parse().expect("milliseconds")));
    match name {
        "move" => clock.turn = time,
        "match" => clock.bank = time,
        "start" => clock.start = time.expect("a start limit"),
        "margin" => clock.margin = time.expect("a margin"),
        other => panic!("no clock {other}"),
    }
}

/// Whether the process in a seat of this name may stay for another game.
pub(crate) fn after_match(seat: &str) -> Afterwards {
    match seat {
        "kept" => Afterwards::MayStay,
        _ => Afterwards::Leave,
    }
}
