//! Matches as bytes: whatever the bytes are, they mean something.
//!
//! ```text
//! {"game":"NAME","seats":["wire","kept","builtin:NAME"],"setup":{…},"seed":1,"clock":{…},"adjudication":{…}}
//! 0<7,7          the bot in seat 0 says a line
//! 1&noise        … writes to its standard error
//! 1K…            … leaves this in its file
//! 0S             one of the seats that wait is filled, by a fresh process (0s: by one that has played)
//! 0T             the bot in seat 0 has taken its first question
//! 0!4            seat 0 is lost by the fault of this number
//! 0U50           the bot in seat 0 has used so many milliseconds of processor time
//! 0+50           so many milliseconds pass
//! 0.             a tick, at the moment the table asked for
//! 0,             a tick at once
//! 0B             a built-in bot comes to its decision
//! 0Z50           the host has stalled for so long
//! 0A             the host gives up
//! ```
//!
//! What does not begin with one of these signs is a line of a bot.

use std::time::Duration;

use game::{Clock, Fault, FaultKind, ProcessHistory, Seed};
use serde::Deserialize;
use serde_json::{Map, Value};
use table::{
    Adjudication, AnyGame, AnyTable, Contestant, Entrant, Input, Occasion, Recording, Terms,
};

use super::fuzzed_table::FuzzedTable;
use crate::transcript::after_match;

/// A match with more actors than this tells nothing new and takes long.
const MOST_ACTORS: u32 = 256;

/// What is played and by whom.
pub struct ScriptedMatch {
    players: u16,
    first: FirstLine,
}

/// The first line of a script.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FirstLine {
    setup: Map<String, Value>,
    seats: Vec<String>,
    seed: u64,
    clock: Option<Clock>,
    adjudication: Adjudication,
    options: Map<String, Value>,
    tournament: bool,
}

/// The game that the first line of a script names, if it names any.
pub(super) fn game_of(line: &[u8]) -> Option<String> {
    let first: Value = serde_json::from_slice(line).ok()?;
    Some(first.get("game")?.as_str()?.to_owned())
}

impl ScriptedMatch {
    /// A match between programs.
    pub fn new(setup: Map<String, Value>, players: u16, seed: Seed) -> ScriptedMatch {
        ScriptedMatch { players, first: FirstLine { setup, seed: seed.0, ..FirstLine::default() } }
    }

    /// The same with another time control.
    #[must_use]
    pub fn timed(mut self, clock: Clock) -> ScriptedMatch {
        self.first.clock = Some(clock);
        self
    }

    /// The same, ended early.
    #[must_use]
    pub fn adjudicated(mut self, adjudication: Adjudication) -> ScriptedMatch {
        self.first.adjudication = adjudication;
        self
    }

    /// What the first line of a script says, or the usual match.
    pub fn parse(game: &dyn AnyGame, line: &[u8]) -> ScriptedMatch {
        let first: FirstLine = serde_json::from_slice(line).unwrap_or_default();
        let players = match first.seats.len() {
            0 => game.card().usual_players,
            seats => u16::try_from(seats).unwrap_or(u16::MAX),
        };
        ScriptedMatch { players, first }
    }

    /// Whether it is a match of few actors.
    pub fn is_small(&self, game: &dyn AnyGame) -> bool {
        let needs = game.needs(&self.first.setup, self.players);
        needs.is_ok_and(|needs| needs.most_actors <= MOST_ACTORS)
    }

    /// The table, if such a match can be set up.
    pub fn table(&self, game: &dyn AnyGame) -> Option<Box<dyn AnyTable>> {
        let card = game.card();
        let entrant = |index: u16| {
            let seat = self.first.seats.get(usize::from(index)).map_or("kept", String::as_str);
            let built_in = seat.strip_prefix("builtin:");
            let known = built_in.and_then(|name| card.bots.iter().find(|bot| bot.name == name));
            let contestant = match known {
                Some(bot) => Contestant::BuiltIn(bot.name.to_owned()),
                None => Contestant::Program { then: after_match(seat) },
            };
            let options = self.first.options.iter();
            let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
            Entrant {
                options: options.map(|(name, value)| (name.clone(), text(value))).collect(),
                ..Entrant::new(format!("player{index}"), contestant)
            }
        };
        let terms = Terms {
            id: "fuzz".to_owned(),
            seed: Seed(self.first.seed),
            entrants: (0..self.players).map(entrant).collect(),
            clock: self.first.clock.unwrap_or(card.clock),
            adjudication: self.first.adjudication,
            occasion: match self.first.tournament {
                true => Occasion::Tournament,
                false => Occasion::SingleMatch,
            },
            recording: Recording::On,
        };
        game.table(&self.first.setup, terms).ok()
    }
}

/// The lines of a script.
pub struct Lines<'a>(&'a [u8]);

/// One line of a script: a seat, a sign and the rest.
pub struct ScriptLine<'a> {
    seat: usize,
    sign: u8,
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Bytes as lines.
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines(bytes)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = ScriptLine<'a>;

    fn next(&mut self) -> Option<ScriptLine<'a>> {
        if self.0.is_empty() {
            return None;
        }
        let (line, rest) = super::split_line(self.0);
        self.0 = rest;
        Some(match line {
            [] => ScriptLine { seat: 0, sign: b'.', rest: line },
            [seat] => ScriptLine { seat: usize::from(*seat), sign: b'.', rest: &[] },
            [seat, sign, rest @ ..] => {
                ScriptLine { seat: usize::from(seat.wrapping_sub(b'0')), sign: *sign, rest }
            }
        })
    }
}

impl ScriptLine<'_> {
    /// Does what the line says.
    pub fn carry_out(&self, fuzzed: &mut FuzzedTable) {
        match self.sign {
            b'S' => return fuzzed.fill(self.seat, ProcessHistory::Fresh),
            b's' => return fuzzed.fill(self.seat, ProcessHistory::Reused),
            b'+' => return fuzzed.pass(self.time()),
            b'.' => return fuzzed.tick(),
            b',' => return fuzzed.feed(Input::Tick),
            b'B' => return fuzzed.deliver(self.seat),
            b'Z' => return fuzzed.feed(Input::Stalled { late: self.time() }),
            b'A' => return fuzzed.feed(Input::Abort { reason: "the script says so" }),
            _ => {}
        }
        // Now and then somebody speaks who is long gone.
        let seat = match self.seat.is_multiple_of(7) && self.seat > 0 {
            true => fuzzed.seat(self.seat),
            false => fuzzed.living(self.seat),
        };
        let Some(seat) = seat else { return };
        let rest = self.rest;
        match self.sign {
            b'&' => fuzzed.feed(Input::Stderr { seat, bytes: rest }),
            b'K' => fuzzed.feed(Input::Kept { seat, content: rest }),
            b'T' => fuzzed.feed(Input::Taken { seat, cpu: self.time() }),
            b'U' => fuzzed.feed(Input::Used { seat, cpu: self.time() }),
            b'!' => {
                let kind = FaultKind::ALL[self.number() as usize % FaultKind::ALL.len()];
                fuzzed.feed(Input::Lost { seat, fault: Fault::new(kind, "the script says so") });
            }
            _ => fuzzed.feed(Input::Line { seat, line: rest, cpu: Duration::ZERO }),
        }
    }

    fn number(&self) -> u64 {
        std::str::from_utf8(self.rest).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.number())
    }
}
