//! A state in plain words: what every player sees, what replays show and what is stored.

use game::{SetupError, count};
use serde::{Deserialize, Serialize};

use super::state::Figures;
use super::{Cell, Maze, Move, Player, Point, Score, Side, State};

/// Everything there is to see; PyRat hides nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Whose eyes these are; `None` for somebody who watches.
    pub you: Option<Side>,
    /// Turns played so far.
    pub turn: u32,
    /// The turn after which the game ends at the latest.
    pub max_turns: u32,
    /// Player 1.
    pub rat: PlayerView,
    /// Player 2.
    pub python: PlayerView,
    /// The cheese that is left, in order of cells.
    pub cheese: Vec<Point>,
    /// How much cheese there was at the start.
    pub cheese_total: u32,
    /// Walls and mud.
    pub maze: Maze,
    /// The moves of every turn so far, by [`Side::index`]; a bare [`State`] does not know them.
    pub history: Vec<[Move; 2]>,
}

/// One player as everybody sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerView {
    /// Where it is. A player in mud has not left yet.
    pub at: Point,
    /// Where it will be once it is free; the same as `at` when it is.
    pub to: Point,
    /// Turns until it is free again; zero is free.
    pub mud: u16,
    /// What it has collected.
    pub score: Score,
}

/// What happened in a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The number of the turn, counted from 1.
    pub turn: u32,
    /// What the rat did.
    pub rat: Deed,
    /// What the python did.
    pub python: Deed,
    /// The cells that lost their cheese.
    pub taken: Vec<Point>,
}

/// What one player did in a turn, and where that left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deed {
    /// The move that was executed: what the player submitted, even if it bumped into a wall
    /// or stuck in mud, and STAY if it submitted nothing that counts.
    pub by: Move,
    /// The player afterwards.
    pub now: PlayerView,
}

impl View {
    /// What somebody sees of a state.
    pub fn of(state: &State, you: Option<Side>) -> View {
        View {
            you,
            turn: state.turn(),
            max_turns: state.max_turns(),
            rat: PlayerView::of(state, Side::Rat),
            python: PlayerView::of(state, Side::Python),
            cheese: state.cheese().map(|cell| state.maze().point(cell)).collect(),
            cheese_total: state.cheese_total(),
            maze: state.maze().clone(),
            history: Vec::new(),
        }
    }

    /// One of the players.
    pub fn player(&self, side: Side) -> &PlayerView {
        match side {
            Side::Rat => &self.rat,
            Side::Python => &self.python,
        }
    }

    /// The state seen, to think about. Fails if the view cannot be one of a game.
    pub fn state(&self) -> Result<State, SetupError> {
        let cell = |what: &str, point: Point| {
            self.maze
                .cell(point)
                .ok_or_else(|| SetupError::new(format!("{what} {point} is off the board")))
        };
        let player = |side: Side| {
            let PlayerView { at, to, mud, score } = *self.player(side);
            let player =
                Player { at: cell(side.name(), at)?, to: cell(side.name(), to)?, mud, score };
            // A free player is where it is; one in mud crosses some muddy passage.
            let crosses = |(_, exit): (Move, super::Exit)| exit.to == player.to && mud <= exit.mud;
            let possible = match mud {
                0 => at == to,
                _ => self.maze.exits(player.at).any(crosses),
            };
            if possible {
                return Ok(player);
            }
            let mud = count(mud.into(), "turn");
            Err(SetupError::new(format!("{side} cannot be at {at} with {mud} of mud")))
        };
        let players = [player(Side::Rat)?, player(Side::Python)?];
        let left = self
            .cheese
            .iter()
            .map(|&point| cell("cheese", point))
            .collect::<Result<Vec<Cell>, SetupError>>()?;
        if !left.is_sorted_by(|a, b| a < b) {
            return Err(SetupError::new("cheese must be in order of cells, each once"));
        }
        let taken = 2 * (u64::from(self.cheese_total)).saturating_sub(left.len() as u64);
        let scored: u64 = players.iter().map(|player| u64::from(player.score.halves)).sum();
        if self.cheese_total < left.len() as u32 || scored != taken {
            return Err(SetupError::new("the scores do not add up to the cheese taken"));
        }
        let figures = Figures {
            players,
            cheese_total: self.cheese_total,
            turn: self.turn,
            max_turns: self.max_turns,
        };
        Ok(State::new(self.maze.clone(), &left, figures))
    }
}

impl PlayerView {
    fn of(state: &State, side: Side) -> PlayerView {
        let Player { at, to, mud, score } = *state.player(side);
        PlayerView { at: state.maze().point(at), to: state.maze().point(to), mud, score }
    }
}

impl Event {
    /// The event of the turn that led to `state`.
    pub(super) fn of(state: &State, moves: [Move; 2], taken: super::Taken) -> Event {
        let deed = |side: Side| Deed { by: moves[side.index()], now: PlayerView::of(state, side) };
        Event {
            turn: state.turn(),
            rat: deed(Side::Rat),
            python: deed(Side::Python),
            taken: taken.cells().map(|cell| state.maze().point(cell)).collect(),
        }
    }

    /// What one of the players did.
    pub fn deed(&self, side: Side) -> &Deed {
        match side {
            Side::Rat => &self.rat,
            Side::Python => &self.python,
        }
    }
}

impl Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        View::of(self, None).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<State, D::Error> {
        View::deserialize(deserializer)?.state().map_err(serde::de::Error::custom)
    }
}
