//! The games that a program knows. Commands get this list as a value, so that a test can run them
//! with one game more.

use anyhow::{Result, anyhow};
use table::{AnyGame, AnyReplay, Card, Record};

/// A list of games.
#[derive(Clone, Copy)]
pub(crate) struct Catalogue(&'static [&'static dyn AnyGame]);

impl Catalogue {
    /// These games, at least one.
    pub(crate) fn new(games: &'static [&'static dyn AnyGame]) -> Catalogue {
        assert!(!games.is_empty(), "there is at least one game");
        Catalogue(games)
    }

    /// All games.
    pub(crate) fn games(self) -> &'static [&'static dyn AnyGame] {
        self.0
    }

    /// The game that examples are about.
    pub(crate) fn first(self) -> &'static dyn AnyGame {
        self.0[0]
    }

    /// What is written on the card of the game of this name, if there is one.
    pub(crate) fn card(self, name: &str) -> Option<Card> {
        self.0.iter().map(|game| game.card()).find(|card| card.id == name)
    }

    /// The game of this name.
    pub(crate) fn find(self, name: &str) -> Result<&'static dyn AnyGame> {
        let found = self.0.iter().copied().find(|game| game.card().id == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|game| game.card().id).collect();
            let near = game::did_you_mean(name, names.iter().copied());
            anyhow!("there is no game \"{name}\"{near}; the games are {}", names.join(", "))
        })
    }

    /// The game of this name, or all of them.
    pub(crate) fn named(self, name: Option<&str>) -> Result<Vec<&'static dyn AnyGame>> {
        match name {
            Some(name) => Ok(vec![self.find(name)?]),
            None => Ok(self.0.to_vec()),
        }
    }

    /// A record as a match of its game.
    pub(crate) fn replay(self, record: &Record) -> Result<Box<dyn AnyReplay>> {
        let game = table::named(self.0, &record.header).ok_or_else(|| {
            anyhow!("it is a game of \"{}\", which is not known", record.header.game)
        })?;
        Ok(game.replay(record)?)
    }
}
