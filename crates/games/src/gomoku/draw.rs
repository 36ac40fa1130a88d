//! The board as a picture for a terminal.

use game::PlayerId;
use table::picture::{cut, window};
use table::{Line, Picture, Room, Style};

use super::board::{Cell, Stone};
use super::lines::winning_line;
use super::state::{Gomoku, Phase};

/// The last stone.
const MARK: Style = Style("1;31;48;5;179");
/// Stones in their colours on a wooden board, and on the line that won.
const BLACK: Style = Style("1;38;5;16;48;5;179");
const WHITE: Style = Style("1;38;5;231;48;5;179");
const BLACK_WINS: Style = Style("1;38;5;16;48;5;114");
const WHITE_WINS: Style = Style("1;38;5;231;48;5;114");
const WOOD: Style = Style("38;5;94;48;5;179");

const fn sign(stone: Stone) -> &'static str {
    match stone {
        Stone::Black => "●",
        Stone::White => "○",
    }
}

impl Gomoku {
    /// The board with coordinates, the last move marked, and who plays what.
    pub(super) fn picture(&self, names: &[String], room: Room) -> Picture {
        let size = self.board().size();
        let last = self.stones().last().copied();
        let head = self.heading(names, room);
        // Three columns for coordinates, and a row, unless just that is missing for the whole
        // board.
        let tight = room.rows == head.len() + usize::from(size.height);
        let inside = room.without(3, head.len() + usize::from(!tight));
        let around = last.unwrap_or(Cell { x: size.width / 2, y: size.height / 2 });
        let columns = window(size.width.into(), inside.columns / 2, [usize::from(around.x)]);
        let rows = window(size.height.into(), inside.rows, [usize::from(around.y)]);
        let clipped =
            columns.len() < usize::from(size.width) || rows.len() < usize::from(size.height);
        let coordinates: String = columns.clone().map(|x| format!("{x:>2}")).collect();
        let mut board = Vec::new();
        if !tight {
            board.push(Line::painted(Style::FAINT, &format!("   {coordinates}")));
        }
        let won = last
            .filter(|_| self.outcome().is_some())
            .and_then(|cell| winning_line(self.board(), self.rule_name(), cell))
            .unwrap_or_default();
        for y in rows {
            let mut line = Line::painted(Style::FAINT, &format!("{y:>2} "));
            for x in columns.clone() {
                let cell = Cell { x: x as u8, y: y as u8 };
                // The last stone has a sign before it, for those who see no colours.
                line.paint(MARK, if Some(cell) == last { ">" } else { " " });
                match (self.board().at(cell), won.contains(&cell)) {
                    (Some(Stone::Black), false) => line.paint(BLACK, sign(Stone::Black)),
                    (Some(Stone::Black), true) => line.paint(BLACK_WINS, sign(Stone::Black)),
                    (Some(Stone::White), false) => line.paint(WHITE, sign(Stone::White)),
                    (Some(Stone::White), true) => line.paint(WHITE_WINS, sign(Stone::White)),
                    (None, _) => line.paint(WOOD, "·"),
                };
            }
            board.push(line);
        }
        let legend = vec![Line::painted(Style::FAINT, "> the last stone; columns and rows from 0")];
        Picture { head, board, legend, clipped }
    }

    fn heading(&self, names: &[String], room: Room) -> Vec<Line> {
        let longest = (room.columns.saturating_sub(9) / 2).max(8);
        let name = |stone: Stone| {
            let PlayerId(index) = self.player(stone);
            cut(names.get(usize::from(index)).map_or("?", String::as_str), longest)
        };
        let mut players = Line::painted(Style::STRONG, "● ");
        players.push(&name(Stone::Black)).push("   ").paint(Style::STRONG, "○ ");
        players.push(&name(Stone::White));
        let mut status = match self.phase() {
            Phase::Over(outcome) => {
                format!("after {} stones: {}", self.stones().len(), outcome.reason)
            }
            Phase::Three => "swap2: the first three stones".to_owned(),
            Phase::Choose | Phase::ChooseLast => "swap2: choosing a colour".to_owned(),
            Phase::Play => {
                format!("move {}, {} to play", self.stones().len() + 1, sign(self.next_stone()))
            }
        };
        if let Some(last) = self.stones().last() {
            let stone = self.board().at(*last).unwrap_or(Stone::Black);
            status.push_str(&format!("; last {} {},{}", sign(stone), last.x, last.y));
        }
        vec![Line::painted(Style::STRONG, &status), players]
    }
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Game as _, Moves, Seed};

    use super::super::setup::Config;
    use super::super::state::Action;
    use super::*;

    fn stones(size: u8, cells: &[(u8, u8)]) -> Gomoku {
        let config = Config { size: Some(size), ..Config::default() };
        let mut game = Gomoku::start(&config, 2, Seed(1)).expect("a sound set-up");
        for (index, &(x, y)) in cells.iter().enumerate() {
            let moves = Moves::one(ActorId(index as u32 % 2), Action::Put(Cell { x, y }));
            game.step(&moves, &mut Vec::new());
        }
        game
    }

    #[test]
    fn a_board_that_does_not_fit_is_shown_around_the_last_stone() {
        let game = stones(32, &[(0, 0), (31, 30)]);
        let picture = game.picture(&[], Room { columns: 33, rows: 12 });
        assert!(picture.clipped);
        let text = picture.text(table::Ink::Plain);
        assert!(text.starts_with("move 3, ● to play; last ○ 31,30\n"), "{text}");
        assert!(text.contains("\n30  ·"), "{text}");
        assert!(text.contains(">○\n31 "), "{text}");
        assert!(!text.contains("\n 0 "), "{text}");
    }

    #[test]
    fn stones_have_their_colours_and_the_winning_line_is_marked() {
        let line = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0)];
        let text = stones(15, &line).picture(&[], Room::ENDLESS).text(table::Ink::Colour);
        assert_eq!(text.matches(&format!("\x1b[{}m●", BLACK_WINS.0)).count(), 5, "{text}");
        assert_eq!(text.matches(&format!("\x1b[{}m○", WHITE.0)).count(), 4, "{text}");
    }
}
