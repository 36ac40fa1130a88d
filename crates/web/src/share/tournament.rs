//! A tournament in one file: all its pages, its list of games, and the films of those games that are asked for.
//!
//! It is made to be given away. So it holds no command line of a bot, which names folders of this machine, and of its games
//! nothing but the films: not what bots were told and wrote.

use std::io;

use league::{
    EventStandings, GameFilter, GameOrder, ListedGame, PageRequest, Standings, Store, StoreError,
};
use serde_json::{Value, json};
use table::AnyReplay;
use thiserror::Error;

use super::{PageData, film, page};
use crate::run_json::{self, RunActivity, Unshown};

/// Browsers are slow with larger files, and most mail servers refuse smaller ones.
const LARGEST: usize = 64 << 20;
/// So many games are listed, the last ones.
const LISTED: u32 = 100_000;
/// Which tournament it is, in addresses of the page.
const RUN: &str = "run";

/// Which games can be watched in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedGames {
    /// The last so many.
    Last(u32),
    /// All that are listed.
    All,
}

/// A page with a tournament in it.
pub struct SharedTournament {
    /// The file.
    pub html: String,
    /// How many games can be watched in it.
    pub watched: usize,
    /// What is not in it, in words.
    pub left_out: Vec<String>,
}

/// Why a tournament cannot be put into a file.
#[derive(Debug, Error)]
pub enum ShareError {
    /// The run cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something that it says it has is not there.
    #[error("{0}")]
    Absent(String),
    /// Packing failed.
    #[error("cannot pack the page: {0}")]
    Pack(#[from] io::Error),
    /// There is too much of it.
    #[error(
        "the page would be larger than {} MB with the films of {games} of its games; ask for fewer with --with-games N",
        LARGEST >> 20
    )]
    TooLarge {
        /// How many games were in it by then.
        games: usize,
    },
}

impl From<Unshown> for ShareError {
    fn from(unshown: Unshown) -> ShareError {
        match unshown {
            Unshown::Store(error) => ShareError::Store(error),
            Unshown::Absent(why) => ShareError::Absent(why),
        }
    }
}

/// Puts a tournament into a page. `all` may be a part of its events; `open` reads a replay.
pub fn tournament(
    store: &Store,
    all: &Standings,
    watched: WatchedGames,
    open: &dyn Fn(&[u8]) -> Result<Box<dyn AnyReplay>, String>,
) -> Result<SharedTournament, ShareError> {
    let mut file = File { parts: Vec::new(), size: 0, films: 0 };
    let mut left_out = Vec::new();
    let (games, total) = listed(store, all)?;
    if (games.len() as u64) < total {
        left_out.push(format!("{} of {total} games, the oldest", total - games.len() as u64));
    }
    let mut run = run_json::tournament(store, all, RunActivity::Resting)?;
    for event in run["events"].as_array_mut().into_iter().flatten() {
        event["rows"].as_array_mut().into_iter().flatten().for_each(forget_command);
    }
    file.add(format!("run/{RUN}"), &run)?;
    let rows: Vec<Value> = games.iter().map(run_json::game_in_list).collect();
    let list = json!({ "games": rows, "events": all.events.len() });
    file.add(format!("run/{RUN}/games"), &list)?;
    for event in &all.events {
        add_bots(&mut file, store, all, event)?;
        if event.trial.is_some() {
            let key = format!("run/{RUN}/test/{}", encoded(&event.name));
            file.add(key, &run_json::test(store, all, Some(&event.name))?)?;
        }
    }
    let wanted = match watched {
        WatchedGames::Last(count) => count as usize,
        WatchedGames::All => games.len(),
    };
    for game in games.iter().rev().take(wanted) {
        let bytes = store.replay(&game.match_id).map_err(|error| error.to_string());
        match bytes.and_then(|bytes| open(&bytes)) {
            Ok(replay) => file.add_film(game, &*replay)?,
            Err(why) => {
                let number = game.number.unwrap_or(game.id);
                left_out.push(format!("game {number} of {}: {why}", game.event));
            }
        }
    }
    Ok(SharedTournament { html: page(&file.parts), watched: file.films, left_out })
}

/// The games of these events, in the order in which they were kept, and how many there are in all.
fn listed(store: &Store, all: &Standings) -> Result<(Vec<ListedGame>, u64), StoreError> {
    let last = PageRequest { after: None, limit: LISTED, order: GameOrder::NewestFirst };
    let event = match &all.events[..] {
        [only] => Some(only.name.clone()),
        [] | [..] => None,
    };
    let found = store.game_page(&GameFilter { event, ..GameFilter::default() }, last)?;
    let mut games = found.games;
    games.reverse();
    Ok((games, found.total))
}

/// The pages of the bots of an event.
fn add_bots(
    file: &mut File,
    store: &Store,
    all: &Standings,
    event: &EventStandings,
) -> Result<(), ShareError> {
    for row in &event.rows {
        let mut bot = run_json::bot(store, all, &row.name, Some(&event.name))?;
        forget_command(&mut bot);
        forget_command(&mut bot["row"]);
        let key = format!("run/{RUN}/bot/{}", encoded(&row.name));
        // Without an event, the first one that the bot takes part in is meant.
        if !file.parts.iter().any(|part| part.key == key) {
            file.add(key.clone(), &bot)?;
        }
        file.add(format!("{key}?event={}", encoded(&event.name)), &bot)?;
    }
    Ok(())
}

/// A command line tells about the machine it was typed on; the name of a built-in bot does not.
fn forget_command(row: &mut Value) {
    let built_in = row["bot"].as_str().is_some_and(|bot| bot.starts_with("builtin:"));
    if let Some(fields) = row.as_object_mut()
        && !built_in
    {
        fields.remove("bot");
    }
}

/// What goes into the file.
struct File {
    parts: Vec<PageData>,
    size: usize,
    films: usize,
}

impl File {
    fn add(&mut self, key: String, data: &Value) -> Result<(), ShareError> {
        self.put(PageData::new(key, data.to_string().as_bytes())?)
    }

    fn add_film(&mut self, game: &ListedGame, replay: &dyn AnyReplay) -> Result<(), ShareError> {
        self.put(PageData::new(format!("r/{RUN}/{}/film", game.id), &film(replay, None))?)?;
        self.films += 1;
        Ok(())
    }

    fn put(&mut self, part: PageData) -> Result<(), ShareError> {
        self.size += part.data.len();
        self.parts.push(part);
        match self.size > LARGEST {
            true => Err(ShareError::TooLarge { games: self.films }),
            false => Ok(()),
        }
    }
}

/// A part of an address as `encodeURIComponent` of browsers writes it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_browsers_write_them() {
        assert_eq!(encoded("a\"<b>&é/?#%'()"), "a%22%3Cb%3E%26%C3%A9%2F%3F%23%25'()");
    }

    #[test]
    fn commands_are_left_out_unless_they_are_of_built_in_bots() {
        let mut own = json!({ "name": "a", "bot": "/home/me/bot --key=1" });
        forget_command(&mut own);
        assert_eq!(own, json!({ "name": "a" }));
        let mut ours = json!({ "bot": "builtin:greedy" });
        forget_command(&mut ours);
        assert_eq!(ours, json!({ "bot": "builtin:greedy" }));
    }
}
