//! Winning by continuous fours: every move threatens a five, so every answer is forced.

use super::cells::{At, Places};
use super::duty::stops_of_fives;
use super::pace::Pace;
use super::position::Position;
use super::worth::Threat;
use crate::gomoku::board::Stone;

/// Positions remembered as having no win by fours.
const REMEMBERED: usize = 1 << 15;
/// Fours in a row after which the search gives up.
const DEEPEST: usize = 60;

/// The search for wins by continuous fours.
pub(super) struct FourSearch {
    /// Keys of positions without such a win.
    barren: Vec<u64>,
    /// The node count at which the present search gives up.
    limit: u64,
    gave_up: bool,
    /// The winning moves and answers, last first.
    line: Vec<At>,
}

/// A win by fours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WinByFours {
    /// Moves and answers, up to and including the move after which nothing helps.
    pub(super) line: Vec<At>,
    /// Plies until the five is on the board.
    pub(super) plies: i32,
}

impl FourSearch {
    pub(super) fn new() -> FourSearch {
        FourSearch { barren: vec![0; REMEMBERED], limit: 0, gave_up: false, line: Vec::new() }
    }

    /// Looks for a win by fours for `stone`, which is to move. The number of plies to the five.
    pub(super) fn win_in(
        &mut self,
        position: &mut Position,
        stone: Stone,
        nodes: u64,
        pace: &mut Pace,
    ) -> Option<i32> {
        self.limit = pace.spent() + nodes;
        self.gave_up = false;
        self.line.clear();
        self.attack(position, stone, 0, pace)
    }

    /// The same, with the moves.
    pub(super) fn win(
        &mut self,
        position: &mut Position,
        stone: Stone,
        nodes: u64,
        pace: &mut Pace,
    ) -> Option<WinByFours> {
        let plies = self.win_in(position, stone, nodes, pace)?;
        Some(WinByFours { line: self.line.iter().rev().copied().collect(), plies })
    }

    fn attack(
        &mut self,
        position: &mut Position,
        stone: Stone,
        fours: usize,
        pace: &mut Pace,
    ) -> Option<i32> {
        let other = stone.other();
        if position.count(stone, Threat::Five) > 0 {
            self.line.extend(position.cells_with(stone, Threat::Five).iter().next());
            return Some(1);
        }
        let own = position.count(stone, Threat::Four) + position.count(stone, Threat::FourThree);
        let best = position.count(stone, Threat::Unstoppable);
        if own + best == 0 {
            return None;
        }
        if pace.count_node() || pace.spent() >= self.limit || fours >= DEEPEST {
            self.gave_up = true;
            return None;
        }
        let must_stop = position.count(other, Threat::Five) > 0;
        if !must_stop && best > 0 {
            let cells = *position.cells_with(stone, Threat::Unstoppable);
            if let Some(at) = cells.iter().find(|&at| position.allows(at, stone)) {
                self.line.push(at);
                return Some(3);
            }
        }
        let key = position.key(stone) | 1;
        let memory = (key >> 40) as usize % REMEMBERED;
        if self.barren[memory] == key {
            return None;
        }
        let mut places = position
            .cells_with(stone, Threat::FourThree)
            .or(position.cells_with(stone, Threat::Four));
        if must_stop {
            // The opponent's answer made a four: ours must stop it and go on.
            let own = places.or(position.cells_with(stone, Threat::Unstoppable));
            places = stops_of_fives(position, other).and(&own);
        }
        let mut moves: Vec<(i16, At)> =
            places.iter().map(|at| (-position.worth(at, stone).urge, at)).collect();
        moves.sort_unstable();
        for (_, at) in moves {
            if !position.allows(at, stone) {
                continue;
            }
            let line = self.line.len();
            position.place(at, stone);
            let answered = self.every_answer_loses(position, stone, fours, pace);
            position.undo();
            if let Some(plies) = answered {
                self.line.push(at);
                return Some(plies + 1);
            }
            self.line.truncate(line);
            if self.gave_up {
                return None;
            }
        }
        self.barren[memory] = key;
        None
    }

    /// The plies the longest answer lasts, if `stone` wins after each.
    fn every_answer_loses(
        &mut self,
        position: &mut Position,
        stone: Stone,
        fours: usize,
        pace: &mut Pace,
    ) -> Option<i32> {
        let other = stone.other();
        if position.count(other, Threat::Five) > 0 {
            return None;
        }
        let answers: Places = stops_of_fives(position, stone);
        // Nothing stops two fives, and Black may not stop one on a forbidden point.
        let mut longest = 2;
        let start = self.line.len();
        for at in answers.iter() {
            if !position.allows(at, other) {
                continue;
            }
            let line = self.line.len();
            position.place(at, other);
            let win = self.attack(position, stone, fours + 1, pace);
            position.undo();
            let plies = win? + 1;
            if plies > longest {
                // Keep the line of the longest resistance only.
                self.line.drain(start..line);
                self.line.push(at);
                longest = plies;
            } else {
                self.line.truncate(line);
            }
        }
        Some(longest)
    }
}
