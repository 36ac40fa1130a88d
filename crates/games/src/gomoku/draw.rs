//! The board as a picture for a terminal.

use std::fmt::Write as _;

use game::PlayerId;
use table::Ink;

use super::board::{Cell, Stone};
use super::lines::winning_line;
use super::state::{Gomoku, Phase};

const LAST: &str = "\x1b[1;33m";
const BLACK: &str = "\x1b[36m";
const WHITE: &str = "\x1b[97m";
const FAINT: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

impl Gomoku {
    /// The board with coordinates, the last move marked, and who plays what.
    pub(super) fn picture(&self, names: &[String], ink: Ink) -> String {
        let size = self.board().size();
        let last = self.stones().last().copied();
        let line = last
            .filter(|_| self.outcome().is_some())
            .and_then(|cell| winning_line(self.board(), self.rule_name(), cell))
            .unwrap_or_default();
        let paint = |style: &str, text: &str| match ink {
            Ink::Colour => format!("{style}{text}{RESET}"),
            Ink::Plain => text.to_owned(),
        };
        let mut picture = String::new();
        let header: String = (0..size.width).map(|x| format!("{x:>2}")).collect();
        picture.push_str(&paint(FAINT, &format!("   {header}")));
        picture.push('\n');
        for y in 0..size.height {
            picture.push_str(&paint(FAINT, &format!("{y:>2} ")));
            for x in 0..size.width {
                let cell = Cell { x, y };
                let marked = Some(cell) == last || line.contains(&cell);
                let text = match self.board().at(cell) {
                    Some(Stone::Black) => paint(if marked { LAST } else { BLACK }, "●"),
                    Some(Stone::White) => paint(if marked { LAST } else { WHITE }, "○"),
                    None => paint(FAINT, "·"),
                };
                // The last stone is bracketed too, for those who see no colours.
                let lead = if Some(cell) == last { ">" } else { " " };
                let _ = write!(picture, "{}{text}", paint(LAST, lead));
            }
            picture.push('\n');
        }
        let name = |stone: Stone| {
            let PlayerId(index) = self.player(stone);
            names.get(usize::from(index)).map_or("?", String::as_str)
        };
        let _ = write!(picture, "● {}   ○ {}", name(Stone::Black), name(Stone::White));
        let status = match self.phase() {
            Phase::Over(outcome) => outcome.reason.clone(),
            Phase::Three => "swap2: the first three stones".to_owned(),
            Phase::Choose | Phase::ChooseLast => "swap2: choosing a colour".to_owned(),
            Phase::Play => {
                let stone = if self.next_stone() == Stone::Black { "●" } else { "○" };
                format!("move {}, {stone} to play", self.stones().len() + 1)
            }
        };
        let _ = writeln!(picture, "   {status}");
        picture
    }
}
