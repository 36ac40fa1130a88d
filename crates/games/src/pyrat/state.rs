//! The rules of a turn, on a state that is small and quick to step.

use std::fmt;

use game::{Digest, SetupError};
use serde::{Deserialize, Serialize};

use super::{Cell, Maze, Point};

/// What a player may do in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Move {
    /// To y+1.
    Up,
    /// To y-1.
    Down,
    /// To x-1.
    Left,
    /// To x+1.
    Right,
    /// Nowhere.
    Stay,
}

impl Move {
    /// How many moves there are.
    pub const COUNT: usize = 5;
    /// Every move.
    pub const ALL: [Move; Move::COUNT] =
        [Move::Up, Move::Down, Move::Left, Move::Right, Move::Stay];
    /// The moves that lead to another cell.
    pub const STEPS: [Move; 4] = [Move::Up, Move::Down, Move::Left, Move::Right];

    /// The name in the protocol and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Move::Up => "UP",
            Move::Down => "DOWN",
            Move::Left => "LEFT",
            Move::Right => "RIGHT",
            Move::Stay => "STAY",
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Player 1.
    Rat,
    /// Player 2.
    Python,
}

impl Side {
    /// Both, the rat first.
    pub const BOTH: [Side; 2] = [Side::Rat, Side::Python];

    /// The place of this side in per-player lists.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    #[inline]
    pub const fn other(self) -> Side {
        match self {
            Side::Rat => Side::Python,
            Side::Python => Side::Rat,
        }
    }

    /// The name in the protocol and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Rat => "rat",
            Side::Python => "python",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A score, counted in half points because shared cheese is worth half. Shown as `1.5` or `2`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "f64", into = "f64")]
pub struct Score {
    /// Twice the points.
    pub halves: u32,
}

impl Score {
    /// The points, for people and files.
    pub fn points(self) -> f64 {
        f64::from(self.halves) / 2.0
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> f64 {
        score.points()
    }
}

impl TryFrom<f64> for Score {
    type Error = SetupError;
    fn try_from(points: f64) -> Result<Score, SetupError> {
        let halves = points * 2.0;
        if (0.0..=f64::from(u32::MAX)).contains(&halves) && halves.fract() == 0.0 {
            return Ok(Score { halves: halves as u32 });
        }
        Err(SetupError::new(format!("score {points} is not a number of half points")))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.halves % 2 == 1 { ".5" } else { "" };
        write!(f, "{}{half}", self.halves / 2)
    }
}

/// A player on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// Where it is. A player in mud has not left yet.
    pub at: Cell,
    /// Where it will be once it is free; the same as `at` when it is.
    pub to: Cell,
    /// Turns until it is free again; zero is free.
    pub mud: u16,
    /// What it has collected.
    pub score: Score,
}

impl Player {
    /// A player at its start.
    pub fn new(at: Cell) -> Player {
        Player { at, to: at, mud: 0, score: Score::default() }
    }

    /// Moves, or struggles on in the mud without regard to `by`.
    #[inline]
    fn advance(&mut self, maze: &Maze, by: Move) {
        if self.mud == 0 {
            let exit = maze.exit(self.at, by);
            self.to = exit.to;
            self.mud = exit.mud;
        } else {
            self.mud -= 1;
        }
        // In the turn of entering the counter is set and does not fall yet, so that the
        // crossing of mud N takes N+1 turns.
        if self.mud == 0 {
            self.at = self.to;
        }
    }
}

/// The cheese that is left: a bit for each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cheese(Box<[u64]>);

impl Cheese {
    fn none(cells: usize) -> Cheese {
        Cheese(vec![0; cells.div_ceil(64)].into_boxed_slice())
    }

    #[inline]
    fn has(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] >> (cell.index() % 64) & 1 == 1
    }

    fn add(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    #[inline]
    fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
    }
}

/// The places of the bits that are set.
#[inline]
pub(super) fn ones(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.into_iter().enumerate().flat_map(|(at, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(64 * at + bit)
        })
    })
}

/// Who took a cheese in a turn, and where. Both at the same cell have shared it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The cheese that each side took or shared, by [`Side::index`].
    pub by: [Option<Cell>; 2],
}

impl Taken {
    /// The cells that lost their cheese, each once.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        let [rat, python] = self.by;
        rat.into_iter().chain(python.filter(|_| python != rat))
    }
}

/// Why a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A player has more than half of all cheese.
    Majority,
    /// There is nothing left to collect.
    NoCheese,
    /// The last turn has been played.
    TurnLimit,
}

impl End {
    /// The word for it in results.
    pub const fn word(self) -> &'static str {
        match self {
            End::Majority => "majority",
            End::NoCheese => "no-cheese",
            End::TurnLimit => "max-turns",
        }
    }

    /// The reason in words.
    pub const fn reason(self) -> &'static str {
        match self {
            End::Majority => "more than half of the cheese",
            End::NoCheese => "no cheese left",
            End::TurnLimit => "turn limit",
        }
    }
}

/// The whole state of a game: everything but the programs behind the players.
#[derive(Debug, PartialEq)]
pub struct State {
    maze: Maze,
    players: [Player; 2],
    cheese: Cheese,
    cheese_left: u32,
    cheese_total: u32,
    turn: u32,
    max_turns: u32,
}

impl Clone for State {
    fn clone(&self) -> State {
        State { maze: self.maze.clone(), cheese: self.cheese.clone(), ..*self }
    }

    /// Copies without allocating if the boards are of the same size.
    fn clone_from(&mut self, source: &State) {
        if self.maze != source.maze {
            self.maze = source.maze.clone();
        }
        self.cheese.0.clone_from(&source.cheese.0);
        self.players = source.players;
        self.cheese_left = source.cheese_left;
        self.cheese_total = source.cheese_total;
        self.turn = source.turn;
        self.max_turns = source.max_turns;
    }
}

/// The figures of a state that has not come about by playing.
pub(super) struct Figures {
    pub(super) players: [Player; 2],
    /// All cheese of the game, taken or not.
    pub(super) cheese_total: u32,
    pub(super) turn: u32,
    pub(super) max_turns: u32,
}

impl State {
    /// A state with this cheese left. Cells and figures must belong to the maze.
    pub(super) fn new(maze: Maze, left: &[Cell], figures: Figures) -> State {
        let Figures { players, cheese_total, turn, max_turns } = figures;
        let mut cheese = Cheese::none(maze.len());
        for &cell in left {
            cheese.add(cell);
        }
        let cheese_left = left.len() as u32;
        State { maze, players, cheese, cheese_left, cheese_total, turn, max_turns }
    }

    /// Plays a turn: both move, then both collect, then the turn is counted.
    ///
    /// Nothing stops a game from being stepped after its [`State::end`].
    #[inline]
    pub fn step(&mut self, rat: Move, python: Move) -> Taken {
        let [first, second] = &mut self.players;
        first.advance(&self.maze, rat);
        second.advance(&self.maze, python);

        // A player in mud is between cells: it neither collects nor contests.
        let finds = |player: &Player| player.mud == 0 && self.cheese.has(player.at);
        let (rat_finds, python_finds) = (finds(first), finds(second));
        let mut taken = Taken::default();
        if rat_finds || python_finds {
            if rat_finds && python_finds && first.at == second.at {
                first.score.halves += 1;
                second.score.halves += 1;
                self.cheese_left -= 1;
            } else {
                first.score.halves += 2 * u32::from(rat_finds);
                second.score.halves += 2 * u32::from(python_finds);
                self.cheese_left -= u32::from(rat_finds) + u32::from(python_finds);
            }
            for (slot, player, finds) in [(0, &*first, rat_finds), (1, &*second, python_finds)] {
                if finds {
                    taken.by[slot] = Some(player.at);
                    self.cheese.remove(player.at);
                }
            }
        }
        self.turn += 1;
        taken
    }

    /// Why the game is over, if it is.
    #[inline]
    pub fn end(&self) -> Option<End> {
        // Before the first turn nothing has been collected and no turn played, so that this
        // is `None` for every start; in half points, "more than half" is more than the total.
        let [rat, python] = &self.players;
        if rat.score.halves.max(python.score.halves) > self.cheese_total {
            Some(End::Majority)
        } else if self.cheese_left == 0 {
            Some(End::NoCheese)
        } else if self.turn >= self.max_turns {
            Some(End::TurnLimit)
        } else {
            None
        }
    }

    /// The maze it is played in.
    pub fn maze(&self) -> &Maze {
        &self.maze
    }

    /// One of the players.
    #[inline]
    pub fn player(&self, side: Side) -> &Player {
        &self.players[side.index()]
    }

    /// Where a player is, for people.
    pub fn point_of(&self, side: Side) -> Point {
        self.maze.point(self.player(side).at)
    }

    /// Whether there is cheese on a cell.
    #[inline]
    pub fn has_cheese(&self, cell: Cell) -> bool {
        self.cheese.has(cell)
    }

    /// The cells with cheese, in order.
    pub fn cheese(&self) -> impl Iterator<Item = Cell> + '_ {
        ones(self.cheese.0.iter().copied()).map(Cell::numbered)
    }

    /// How much cheese is left.
    pub fn cheese_left(&self) -> u32 {
        self.cheese_left
    }

    /// How much cheese there was at the start.
    pub fn cheese_total(&self) -> u32 {
        self.cheese_total
    }

    /// Turns played so far.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The turn after which the game ends at the latest.
    pub fn max_turns(&self) -> u32 {
        self.max_turns
    }

    /// Adds the whole state to a digest.
    pub fn digest(&self, digest: &mut Digest) {
        digest.word(self.maze.digest());
        for player in &self.players {
            digest.word((player.at.index() << 16 | player.to.index()) as u64);
            digest.word(u64::from(player.mud) << 32 | u64::from(player.score.halves));
        }
        for &word in &self.cheese.0 {
            digest.word(word);
        }
        digest.word(u64::from(self.cheese_left) << 32 | u64::from(self.cheese_total));
        digest.word(u64::from(self.turn) << 32 | u64::from(self.max_turns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(x: u8, y: u8) -> Point {
        Point::new(x, y)
    }

    /// A game on a 4x3 board with mud 2 above (1,1).
    fn state(rat: Point, python: Point, cheese: &[Point], max_turns: u32) -> State {
        let maze = Maze::new(4, 3, &[], &[(p(1, 1), p(1, 2), 2)]).expect("a fine maze");
        let cell = |point| maze.cell(point).expect("on the board");
        let left: Vec<Cell> = cheese.iter().map(|&at| cell(at)).collect();
        let players = [Player::new(cell(rat)), Player::new(cell(python))];
        let cheese_total = left.len() as u32;
        let figures = Figures { players, cheese_total, turn: 0, max_turns };
        State::new(maze.clone(), &left, figures)
    }

    fn halves(state: &State) -> [u32; 2] {
        Side::BOTH.map(|side| state.player(side).score.halves)
    }

    #[test]
    fn players_may_swap_cells_and_share_them() {
        let mut state = state(p(0, 0), p(1, 0), &[p(3, 2)], 9);
        state.step(Move::Right, Move::Left);
        assert_eq!((state.point_of(Side::Rat), state.point_of(Side::Python)), (p(1, 0), p(0, 0)));
        state.step(Move::Left, Move::Stay);
        assert_eq!((state.point_of(Side::Rat), state.point_of(Side::Python)), (p(0, 0), p(0, 0)));
    }

    #[test]
    fn crossing_mud_of_n_takes_n_plus_one_turns_and_ignores_input() {
        let mut state = state(p(1, 1), p(3, 0), &[p(1, 2), p(0, 1)], 9);
        let seen: Vec<_> = [Move::Up, Move::Left, Move::Left]
            .map(|by| {
                state.step(by, Move::Stay);
                (state.point_of(Side::Rat), state.player(Side::Rat).mud, halves(&state)[0])
            })
            .into();
        assert_eq!(seen, [(p(1, 1), 2, 0), (p(1, 1), 1, 0), (p(1, 2), 0, 2)]);
        state.step(Move::Left, Move::Stay);
        assert_eq!(state.point_of(Side::Rat), p(0, 2));
    }

    #[test]
    fn a_bump_is_stay() {
        let mut state = state(p(0, 0), p(3, 2), &[p(2, 0)], 9);
        state.step(Move::Left, Move::Up);
        assert_eq!((state.point_of(Side::Rat), state.point_of(Side::Python)), (p(0, 0), p(3, 2)));
    }

    #[test]
    fn cheese_reached_by_both_at_once_is_halved() {
        let mut state = state(p(0, 0), p(2, 0), &[p(1, 0), p(3, 2)], 9);
        let taken = state.step(Move::Right, Move::Left);
        assert_eq!(taken.cells().count(), 1);
        assert_eq!((halves(&state), state.cheese_left()), ([1, 1], 1));
        assert_eq!(state.player(Side::Rat).score.to_string(), "0.5");
        assert_eq!(state.end(), None);
    }

    #[test]
    fn both_may_collect_in_the_same_turn() {
        let mut state = state(p(0, 0), p(3, 0), &[p(1, 0), p(2, 0)], 9);
        let taken = state.step(Move::Right, Move::Left);
        assert_eq!(taken.cells().count(), 2);
        assert_eq!((halves(&state), state.end()), ([2, 2], Some(End::NoCheese)));
    }

    #[test]
    fn a_player_in_mud_does_not_contest() {
        // The rat is stuck on (1,1) on its way up when the python walks onto that cell.
        let mut state = state(p(1, 1), p(3, 1), &[p(1, 1), p(3, 2), p(0, 0)], 9);
        state.step(Move::Up, Move::Left);
        let taken = state.step(Move::Stay, Move::Left);
        assert_eq!(state.point_of(Side::Rat), state.point_of(Side::Python));
        assert_eq!((halves(&state), taken.by[0]), ([0, 2], None));
    }

    #[test]
    fn cheese_under_a_start_is_taken_in_the_first_turn_even_by_stay() {
        let mut state = state(p(0, 0), p(3, 2), &[p(0, 0), p(2, 0), p(2, 2)], 9);
        assert_eq!((halves(&state), state.end()), ([0, 0], None));
        state.step(Move::Stay, Move::Stay);
        assert_eq!(halves(&state), [2, 0]);
    }

    #[test]
    fn exactly_half_of_the_cheese_does_not_end_the_game() {
        let mut state = state(p(0, 0), p(3, 2), &[p(0, 0), p(1, 0), p(2, 2), p(3, 1)], 9);
        state.step(Move::Stay, Move::Stay);
        state.step(Move::Right, Move::Stay);
        assert_eq!((halves(&state)[0], state.end()), (4, None));
    }

    #[test]
    fn half_a_cheese_above_half_ends_the_game() {
        let mut state = state(p(0, 0), p(2, 0), &[p(1, 0), p(0, 0)], 9);
        state.step(Move::Right, Move::Left);
        state.step(Move::Left, Move::Stay);
        assert_eq!((halves(&state), state.end()), ([3, 1], Some(End::Majority)));
    }

    #[test]
    fn the_turn_limit_ends_the_game() {
        let mut state = state(p(0, 0), p(3, 2), &[p(2, 0)], 2);
        state.step(Move::Stay, Move::Stay);
        assert_eq!(state.end(), None);
        state.step(Move::Stay, Move::Stay);
        assert_eq!(state.end(), Some(End::TurnLimit));
    }

    #[test]
    fn a_copy_into_an_old_state_is_the_same_as_a_fresh_one() {
        let mut old = state(p(0, 0), p(3, 2), &[p(2, 0)], 2);
        let new = state(p(1, 0), p(3, 1), &[p(2, 0), p(3, 1)], 7);
        old.clone_from(&new);
        assert_eq!((&old, &new), (&new, &new.clone()));
    }
}
