//! The protocol of petri: reads what an agent sees, asks the bot for an action, and writes it.
//!
//! The bot gets a [`State`] and returns a [`Move`]. Every agent is a process of its own, from its
//! birth to its death: variables last as long as it does. Standard output belongs to the protocol:
//! print with `eprintln!`, which is kept in the replay.
#![allow(dead_code)] // A bot need not use everything.

use std::io::{self, BufRead, Write};

use crate::json::Json;

/// The eight directions, with their steps: north is y - 1.
pub const DIRECTIONS: [(&str, i64, i64); 8] = [
    ("north_west", -1, -1),
    ("north", 0, -1),
    ("north_east", 1, -1),
    ("west", -1, 0),
    ("east", 1, 0),
    ("south_west", -1, 1),
    ("south", 0, 1),
    ("south_east", 1, 1),
];

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Rest,
    Replicate,
    /// Any of [`DIRECTIONS`].
    Attack(&'static str),
    Die,
}

/// A cell beside the agent.
#[derive(Clone, Debug)]
pub struct Neighbor {
    pub direction: &'static str,
    pub energy: i64,
    /// None: nobody is there.
    pub agent_id: Option<String>,
    /// False: it lies outside of the world.
    pub inside: bool,
}

/// What an agent sees in a tick.
#[derive(Clone, Debug)]
pub struct State {
    pub tick: i64,
    pub agent_id: String,
    pub x: i64,
    pub y: i64,
    pub energy: i64,
    pub width: i64,
    pub height: i64,
    pub neighbors: Vec<Neighbor>,
    pub generation: i64,
    pub timeout_ms: i64,
}

impl State {
    fn new(message: &Json) -> State {
        let number = |key: &str| message.get(key).number().unwrap_or(0);
        let pair = |key: &str| {
            let list = message.get(key).list();
            let at = |place: usize| list.get(place).and_then(Json::number).unwrap_or(0);
            (at(0), at(1))
        };
        let ((x, y), (width, height)) = (pair("position"), pair("world_size"));
        let neighbors = DIRECTIONS.map(|(direction, dx, dy)| {
            let cell = message.get("neighbors").get(direction);
            Neighbor {
                direction,
                energy: cell.get("energy").number().unwrap_or(0),
                agent_id: cell.get("agent_id").text().map(str::to_owned),
                inside: (0..width).contains(&(x + dx)) && (0..height).contains(&(y + dy)),
            }
        });
        State {
            tick: number("tick"),
            agent_id: message.get("agent_id").text().unwrap_or("").to_owned(),
            energy: number("energy"),
            generation: number("generation"),
            timeout_ms: number("timeout_ms"),
            neighbors: neighbors.to_vec(),
            x,
            y,
            width,
            height,
        }
    }

    /// The cells in which there is room for a child.
    pub fn free(&self) -> impl Iterator<Item = &Neighbor> {
        self.neighbors.iter().filter(|cell| cell.inside && cell.agent_id.is_none())
    }

    /// The cells with another agent, friend or foe.
    pub fn others(&self) -> impl Iterator<Item = &Neighbor> {
        self.neighbors.iter().filter(|cell| cell.agent_id.is_some())
    }
}

/// Answers every tick until the agent dies or the game is over.
pub fn play(mut next_move: impl FnMut(&State) -> Move) {
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Some(message) = Json::parse(&line) else { continue };
        match next_move(&State::new(&message)) {
            Move::Rest => say("{\"action\":\"rest\"}"),
            Move::Replicate => say("{\"action\":\"replicate\"}"),
            Move::Die => say("{\"action\":\"die\"}"),
            Move::Attack(target) => {
                say(&format!("{{\"action\":\"attack\",\"target\":\"{target}\"}}"));
            }
        }
    }
}

/// This agent's file; it is gone when the agent is.
pub fn memory_path() -> String {
    let usual = |_| format!("/tmp/agents/{}.json", std::env::var("AGENT_ID").unwrap_or_default());
    std::env::var("AGENT_MEMORY").unwrap_or_else(usual)
}

/// What was written to the agent's file; nothing at first.
pub fn read_memory() -> String {
    std::fs::read_to_string(memory_path()).unwrap_or_default()
}

/// Keeps a text of up to 1 MiB in the agent's file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_memory(text: &str) -> io::Result<()> {
    std::fs::write(memory_path(), text)
}

/// Writes a line, which leaves at once. If nobody hears it any more, this is over.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
