//! The protocol of jedna: reads requests, asks the bot for a card, and writes the answer.
//!
//! The bot gets a [`State`] and returns a [`Move`], or `None` to draw a card (or to pass, where
//! drawing is not possible). Standard output belongs to the protocol: print with `eprintln!`, which
//! is kept in the replay.
#![allow(dead_code)] // A bot need not use everything.

use std::io::{self, BufRead, Write};

use crate::json::{quoted, Json};

const COLORS: [(char, &str); 4] = [('r', "red"), ('b', "blue"), ('g', "green"), ('y', "yellow")];

/// A card to play; a wild card also names the color to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub card: String,
    pub color: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Opponent {
    pub id: String,
    pub cards: i64,
}

/// What the bot knows when it has to act. Cards are `r5`, `bs` (skip), `gr` (reverse), `y+2`, `wd`, `wd4`.
#[derive(Clone, Debug)]
pub struct State {
    pub your_id: String,
    pub hand: Vec<String>,
    pub top_card: String,
    pub top_color: Option<String>,
    /// `normal`, `war_+2` or `war_wd4`.
    pub game_state: String,
    /// What passing in a war costs.
    pub stacked_cards: i64,
    pub already_picked: bool,
    pub picked_card: Option<String>,
    /// The next one first.
    pub other_players: Vec<Opponent>,
    pub available_actions: Vec<String>,
    pub playable_cards: Vec<String>,
    /// All since the game began: `player2 played b5`.
    pub notifications: Vec<String>,
}

impl State {
    fn new(state: &Json, notifications: &[String]) -> State {
        let text = |key: &str| state.get(key).text().map(str::to_owned);
        let number = |value: &Json| value.number().unwrap_or(0);
        let opponent = |player: &Json| Opponent {
            id: player.get("id").text().unwrap_or("").to_owned(),
            cards: number(player.get("cards")),
        };
        State {
            your_id: text("your_id").unwrap_or_default(),
            hand: state.get("hand").texts(),
            top_card: text("top_card").unwrap_or_default(),
            top_color: text("top_color"),
            game_state: text("game_state").unwrap_or_else(|| "normal".to_owned()),
            stacked_cards: number(state.get("stacked_cards")),
            already_picked: state.get("already_picked").is_true(),
            picked_card: text("picked_card"),
            other_players: state.get("other_players").list().iter().map(opponent).collect(),
            available_actions: state.get("available_actions").texts(),
            playable_cards: state.get("playable_cards").texts(),
            notifications: notifications.to_vec(),
        }
    }

    /// The color of most cards in the hand.
    pub fn favourite_color(&self) -> String {
        let count = |letter| self.hand.iter().filter(|card| card.starts_with(letter)).count();
        let best = COLORS.into_iter().rev().max_by_key(|(letter, _)| count(*letter));
        best.map_or("red", |(_, color)| color).to_owned()
    }
}

pub fn is_wild(card: &str) -> bool {
    card.starts_with('w')
}

/// What a card costs if it is still in the hand at the end.
pub fn points(card: &str) -> u32 {
    match card.get(1..).map(str::parse) {
        _ if is_wild(card) => 50,
        Some(Ok(figure)) if !card.contains('+') => figure,
        _ => 20,
    }
}

/// Answers the host until the game ends.
pub fn play(mut next_move: impl FnMut(&State) -> Option<Move>) {
    let mut notifications = Vec::new();
    let mut refused = false;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Some(message) = Json::parse(&line) else { continue };
        let text = message.get("message").text().unwrap_or("");
        match message.get("type").text() {
            Some("request_action") => {
                let state = State::new(message.get("state"), &notifications);
                // What was refused once would be refused again.
                let chosen = if refused { None } else { next_move(&state) };
                refused = false;
                say(&answer(&state, chosen));
            }
            Some("notification") => notifications.push(text.to_owned()),
            Some("error") => {
                refused = true;
                eprintln!("refused: {text}");
            }
            Some("game_end") => return,
            _ => {}
        }
    }
}

fn answer(state: &State, chosen: Option<Move>) -> String {
    let Some(Move { card, color }) = chosen else {
        let draws = state.available_actions.iter().any(|action| action == "draw");
        return format!("{{\"action\":\"{}\"}}", if draws { "draw" } else { "pass" });
    };
    let color = match is_wild(&card) {
        true => {
            let color = color.unwrap_or_else(|| state.favourite_color());
            format!(",\"wild_color\":{}", quoted(&color))
        }
        false => String::new(),
    };
    format!("{{\"action\":\"play\",\"card\":{}{color}}}", quoted(&card))
}

/// Writes a line, which leaves at once. If nobody hears it any more, this is over.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
