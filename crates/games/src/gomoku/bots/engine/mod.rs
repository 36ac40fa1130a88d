//! The built-in players: a searching engine, a greedy one-ply player and a random one.
//!
//! Nothing here reads a clock or starts a thread: time comes from [`game::Budget`], chance
//! from [`game::Rng`]. Reading order: `pattern` (one line), `worth` (one cell), `position`
//! (the board), `duty` (what is forced), `fours` and `search` (looking ahead).

mod cells;
mod duty;
mod fours;
mod greedy;
mod order;
mod pace;
mod pattern;
mod position;
mod search;
mod swap2;
mod table;
mod wanderer;
mod weights;
mod worth;

use game::Budget;

use crate::gomoku::board::{Cell, Rule, Size, Stone};
use cells::{At, Places};
use duty::Duty;
use fours::FourSearch;
use order::Experience;
use pace::Pace;
use position::Position;
use search::{Search, WIN};
use table::Table;
use worth::Threat;

pub use greedy::Greedy;
pub use swap2::{Swap2, swap2_choice, swap2_opening};
pub use wanderer::Wanderer;

/// What the engine came to think.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The move to play.
    pub cell: Cell,
    /// How good it is for the mover; about 100 is a clear advantage.
    pub score: i32,
    /// Plies until the five, positive if the mover wins, if the engine has proven it.
    pub forced: Option<i32>,
    /// The depth of the last finished search.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
    /// The expected continuation, the move itself first.
    pub line: Vec<Cell>,
}

/// A player that searches.
pub struct Engine {
    position: Position,
    table: Table,
    fours: FourSearch,
    experience: Experience,
    nodes: Option<u64>,
    /// Cells that are not played, whatever they are worth.
    barred: Places,
}

impl Engine {
    /// An engine for one board and rule, with this many bytes for its transposition table.
    ///
    /// The first player made for a rule computes the rule's tables, which takes some
    /// milliseconds: better done before a clock runs.
    pub fn new(size: Size, rule: Rule, memory: usize) -> Engine {
        let position = Position::new(size, rule);
        let experience = Experience::new(position.grid().len());
        Engine {
            position,
            table: Table::new(memory),
            fours: FourSearch::new(),
            experience,
            nodes: None,
            barred: Places::NONE,
        }
    }

    /// Limits every search to this many nodes. With no other limit in the way, the same
    /// searches in the same order then give the same thoughts on every machine.
    #[must_use]
    pub fn with_nodes(mut self, limit: u64) -> Engine {
        self.nodes = Some(limit);
        self
    }

    /// Sets the stones on the board, in the order they were played.
    ///
    /// Costs little if the previous position is a beginning of the new one, or the other way
    /// round. Later stones on a cell that is taken are left out.
    pub fn set_position(&mut self, stones: &[(Cell, Stone)]) {
        set_position(&mut self.position, stones);
    }

    /// Never plays on these cells from now on. At least one other must be free.
    pub fn bar(&mut self, cells: &[Cell]) {
        self.barred = Places::NONE;
        for &cell in cells {
            self.barred.insert(self.position.grid().at(cell));
        }
    }

    /// Chooses a move.
    ///
    /// Renju's forbidden points are chosen by Black only if nothing else is left.
    ///
    /// # Panics
    /// If the board is full.
    pub fn think(&mut self, to_move: Stone, budget: &dyn Budget) -> Thought {
        self.table.start_search();
        self.experience.fade();
        let pace = Pace::new(budget, self.nodes);
        let barred = self.barred;
        if let Some(at) = open_five(&self.position, to_move, &barred) {
            return self.thought(to_move, at, WIN - 1, 0, 0);
        }
        match duty::duty(&mut self.position, to_move) {
            Duty::WinByTwoFives(at) if !barred.contains(at) => {
                return self.thought(to_move, at, WIN - 3, 0, 0);
            }
            Duty::Win(_) | Duty::WinByTwoFives(_) => {}
            Duty::StopFive(_) | Duty::StopTwoFives(_) | Duty::Free => {}
        }
        let moves = root_moves(&mut self.position, to_move, &barred);
        if let [only] = moves[..] {
            let score = self.evaluate(to_move);
            return self.thought(to_move, only, score, 0, 0);
        }
        let mut search = Search {
            position: &mut self.position,
            table: &mut self.table,
            fours: &mut self.fours,
            experience: &mut self.experience,
            pace,
        };
        let nodes = search.pace.nodes_for_prelude();
        let win = search.fours.win(search.position, to_move, nodes, &mut search.pace);
        let grid = *search.position.grid();
        let barred_first = win.as_ref().is_some_and(|win| barred.contains(win.line[0]));
        if let Some(win) = win.filter(|_| !barred_first) {
            let nodes = search.pace.spent();
            let line: Vec<Cell> = win.line.iter().filter_map(|&at| grid.cell(at)).collect();
            return Thought {
                cell: line[0],
                score: WIN - win.plies,
                forced: Some(win.plies),
                depth: 0,
                nodes,
                line,
            };
        }
        let found = search.deepen(to_move, &moves);
        let nodes = search.pace.spent();
        self.thought(to_move, found.best, found.score, found.depth as u32, nodes)
    }

    /// The balance of the position for the side to move, without looking ahead.
    pub fn evaluate(&self, to_move: Stone) -> i32 {
        search::evaluate(&self.position, to_move)
    }

    fn thought(&mut self, to_move: Stone, best: At, score: i32, depth: u32, nodes: u64) -> Thought {
        let line = self.expected_line(to_move, best);
        let forced = (score.abs() > search::PROVEN).then(|| score.signum() * (WIN - score.abs()));
        Thought { cell: line[0], score, forced, depth, nodes, line }
    }

    /// Follows the best moves in the table.
    fn expected_line(&mut self, to_move: Stone, best: At) -> Vec<Cell> {
        const LONGEST: usize = 20;
        let start = self.position.len();
        let mut stone = to_move;
        let mut next = Some(best);
        let mut line = Vec::new();
        while let Some(at) = next {
            line.extend(self.position.grid().cell(at));
            self.position.place(at, stone);
            stone = stone.other();
            next = match duty::duty(&mut self.position, stone) {
                Duty::Win(at) => Some(at),
                Duty::WinByTwoFives(_) | Duty::StopFive(_) | Duty::StopTwoFives(_) | Duty::Free => {
                    self.table.get(self.position.key(stone)).and_then(|entry| entry.best)
                }
            };
            next = next.filter(|&at| line.len() < LONGEST && self.position.is_free(at));
        }
        while self.position.len() > start {
            self.position.undo();
        }
        line
    }
}

/// The moves worth considering at the root, most promising first. Never empty.
fn root_moves(position: &mut Position, stone: Stone, barred: &Places) -> Vec<At> {
    assert!(!position.is_full(), "a full board has no moves");
    if let Some(at) = open_five(position, stone, barred) {
        return vec![at];
    }
    let places = match duty::duty(position, stone) {
        Duty::WinByTwoFives(at) if !barred.contains(at) => return vec![at],
        Duty::StopFive(places) | Duty::StopTwoFives(places) => places,
        Duty::Win(_) | Duty::WinByTwoFives(_) | Duty::Free => *position.near(),
    };
    let open = |at: &At| !barred.contains(*at);
    let mut moves = legal(position, stone, places.iter().filter(open));
    if moves.is_empty() {
        // The position is lost, or there is no stone yet, or Black has few cells left.
        let near = *position.near();
        moves = legal(position, stone, near.iter().filter(open));
    }
    if moves.is_empty() {
        let grid = *position.grid();
        let cells = grid.size().cells().map(|cell| grid.at(cell));
        moves = legal(position, stone, cells.filter(open));
    }
    if moves.is_empty() {
        let grid = *position.grid();
        let cells = grid.size().cells().map(|cell| grid.at(cell));
        moves = cells.filter(|at| position.is_free(*at) && open(at)).collect();
    }
    let middle = middle(position);
    if position.len() == 0 && open(&middle) {
        return vec![middle];
    }
    let promise = |at: At| {
        i32::from(position.worth(at, stone).urge) * 2
            + i32::from(position.worth(at, stone.other()).urge)
    };
    moves.sort_by_key(|&at| -promise(at));
    moves
}

/// A cell that makes five and may be played.
fn open_five(position: &Position, stone: Stone, barred: &Places) -> Option<At> {
    position.cells_with(stone, Threat::Five).iter().find(|at| !barred.contains(*at))
}

fn legal(position: &mut Position, stone: Stone, places: impl Iterator<Item = At>) -> Vec<At> {
    places.filter(|&at| position.is_free(at) && position.allows(at, stone)).collect()
}

/// The cell in the middle of the board.
fn middle(position: &Position) -> At {
    let size = position.grid().size();
    position.grid().at(Cell { x: size.width / 2, y: size.height / 2 })
}

/// Makes `position` hold exactly these stones, keeping the part it already has.
fn set_position(position: &mut Position, stones: &[(Cell, Stone)]) {
    let grid = *position.grid();
    let mut wanted: Vec<(At, Stone)> = Vec::with_capacity(stones.len());
    let mut taken = Places::NONE;
    for &(cell, stone) in stones {
        let at = grid.at(cell);
        if !taken.contains(at) {
            taken.insert(at);
            wanted.push((at, stone));
        }
    }
    let same = position.stones().zip(&wanted).take_while(|&(a, &b)| a == b).count();
    while position.len() > same {
        position.undo();
    }
    for &(at, stone) in &wanted[same..] {
        position.place(at, stone);
    }
}

#[cfg(test)]
mod tests;
