//! The protocol of gomoku: hears the manager, keeps the board, and asks the bot for a cell.
//!
//! The bot gets a [`State`] and returns the cell to play. Standard output belongs to the protocol:
//! print with `eprintln!`, which is kept in the replay.
#![allow(dead_code)] // A bot need not use everything.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

/// The four directions of a row.
pub const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

const LEAST: i32 = 5;
const MOST: i32 = 32;

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stone {
    Empty,
    Mine,
    Theirs,
    /// Nobody may play there.
    Forbidden,
}

/// The position in which the bot has to move. Cells are (x, y), column and row from 0.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub width: i32,
    pub height: i32,
    /// All stones, in the order in which they were played.
    pub stones: Vec<(i32, i32, Stone)>,
    /// What INFO said: `timeout_turn`, `time_left`, `rule` and so on.
    pub info: HashMap<String, String>,
    cells: Vec<Stone>,
}

impl State {
    /// An empty board.
    pub fn new(width: i32, height: i32) -> State {
        let mut state = State { width, height, ..State::default() };
        state.clear();
        state
    }

    pub fn inside(&self, x: i32, y: i32) -> bool {
        (0..self.width).contains(&x) && (0..self.height).contains(&y)
    }

    /// What is in a cell; nobody can play outside of the board.
    pub fn at(&self, x: i32, y: i32) -> Stone {
        match self.inside(x, y) {
            true => self.cells[(y * self.width + x) as usize],
            false => Stone::Forbidden,
        }
    }

    pub fn is_free(&self, x: i32, y: i32) -> bool {
        self.at(x, y) == Stone::Empty
    }

    /// All cells without a stone, row by row.
    pub fn free(&self) -> Vec<(i32, i32)> {
        let cells = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        cells.filter(|&(x, y)| self.is_free(x, y)).collect()
    }

    /// How many stones in a row somebody would have through this cell by playing there.
    pub fn row(&self, x: i32, y: i32, who: Stone) -> i32 {
        let beside =
            |dx, dy| (1..).take_while(|i| self.at(x + i * dx, y + i * dy) == who).count() as i32;
        let rows = DIRECTIONS.map(|(dx, dy)| 1 + beside(dx, dy) + beside(-dx, -dy));
        rows.into_iter().max().unwrap_or(1)
    }

    /// How long this move may take, in milliseconds.
    pub fn time_ms(&self) -> u64 {
        let limits = ["timeout_turn", "time_left"].map(|key| self.info.get(key)?.parse().ok());
        limits.into_iter().flatten().filter(|ms| *ms > 0).min().unwrap_or(i32::MAX as u64)
    }

    fn clear(&mut self) {
        self.cells = vec![Stone::Empty; (self.width * self.height) as usize];
        self.stones.clear();
    }

    fn put(&mut self, x: i32, y: i32, who: Stone) {
        self.cells[(y * self.width + x) as usize] = who;
        self.stones.push((x, y, who));
    }

    fn take_back(&mut self, x: i32, y: i32) {
        self.cells[(y * self.width + x) as usize] = Stone::Empty;
        self.stones.retain(|stone| (stone.0, stone.1) != (x, y));
    }
}

/// Answers the manager until it says END or is gone.
///
/// # Panics
///
/// If the bot returns a cell that is not free.
pub fn play(mut next_move: impl FnMut(&State) -> (i32, i32), name: &str) {
    let mut lines = io::stdin().lock().lines().map_while(Result::ok);
    let mut state = State::new(0, 0);
    while let Some(line) = lines.next() {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let cell = numbers(rest);
        match word.to_uppercase().as_str() {
            command @ ("START" | "RECTSTART") => {
                let sides = if command == "START" { 1 } else { 2 };
                if cell.len() == sides && cell.iter().all(|side| (LEAST..=MOST).contains(side)) {
                    state = State::new(cell[0], cell[sides - 1]);
                    say("OK");
                } else {
                    say(&format!("ERROR boards have sides of {LEAST} to {MOST}"));
                }
            }
            "RESTART" => {
                state.clear();
                say("OK");
            }
            "INFO" => {
                let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                state.info.insert(key.to_lowercase(), value.trim().to_owned());
            }
            "BEGIN" => answer(&mut state, &mut next_move),
            "TURN" => match cell[..] {
                [x, y] if state.is_free(x, y) => {
                    state.put(x, y, Stone::Theirs);
                    answer(&mut state, &mut next_move);
                }
                _ => say(&format!("ERROR not a free cell: {rest}")),
            },
            "BOARD" => {
                state.clear();
                for stone in until_done(&mut lines) {
                    let [x, y, who] = stone[..] else { continue };
                    let who = match who {
                        1 => Stone::Mine,
                        2 => Stone::Theirs,
                        _ => Stone::Forbidden,
                    };
                    if state.is_free(x, y) {
                        state.put(x, y, who);
                    }
                }
                answer(&mut state, &mut next_move);
            }
            "SWAP2BOARD" => {
                state.clear();
                for (number, stone) in until_done(&mut lines).iter().enumerate() {
                    let [x, y, ..] = stone[..] else { continue };
                    // Whoever answers with one cell takes White: black stones are the other's then.
                    let who = if number % 2 == 0 { Stone::Theirs } else { Stone::Mine };
                    if state.is_free(x, y) {
                        state.put(x, y, who);
                    }
                }
                if state.stones.is_empty() {
                    let (x, y) = (state.width / 2, state.height / 2);
                    say(&format!("{x},{y} {},{y} {},{}", x + 1, x - 1, y + 2));
                } else {
                    answer(&mut state, &mut next_move);
                }
            }
            // Comes only after SUGGEST, which this bot never says.
            "PLAY" => match cell[..] {
                [x, y] if state.is_free(x, y) => {
                    state.put(x, y, Stone::Mine);
                    say(&format!("{x},{y}"));
                }
                _ => say(&format!("ERROR not a free cell: {rest}")),
            },
            "TAKEBACK" => match cell[..] {
                [x, y] if state.inside(x, y) => {
                    state.take_back(x, y);
                    say("OK");
                }
                _ => say(&format!("ERROR not a cell: {rest}")),
            },
            "ABOUT" => say(&format!("name=\"{name}\", version=\"1.0\", author=\"\", country=\"\"")),
            "END" => return,
            "" => {}
            unknown => say(&format!("UNKNOWN {unknown}")),
        }
    }
}

fn answer(state: &mut State, next_move: &mut impl FnMut(&State) -> (i32, i32)) {
    if state.free().is_empty() {
        return say("ERROR there is no free cell");
    }
    let (x, y) = next_move(state);
    assert!(state.is_free(x, y), "the bot plays {x},{y}, which is not a free cell");
    state.put(x, y, Stone::Mine);
    say(&format!("{x},{y}"));
}

/// The lines of a position as lists of numbers.
fn until_done(lines: &mut impl Iterator<Item = String>) -> Vec<Vec<i32>> {
    let lines = lines.take_while(|line| !line.trim().eq_ignore_ascii_case("DONE"));
    lines.map(|line| numbers(&line)).collect()
}

/// The numbers of `7,8` or `15`; nothing if it is something else.
fn numbers(text: &str) -> Vec<i32> {
    let numbers: Result<Vec<i32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    numbers.unwrap_or_default()
}

/// Writes a line, which leaves at once. If nobody hears it any more, this is over.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
