//! A picture of a game for the terminal.

use std::ops::Range;

use game::Outcome;
use table::picture::{cut, window};
use table::{Line, Picture, Room, Style};

use super::{Cell, Maze, Move, PlayerView, Point, Side, View};

const RAT: Style = Style("1;36");
const PYTHON: Style = Style("1;32");
const CHEESE: Style = Style("33");
const MUD: Style = Style("31");
const WALL: Style = Style("2");

/// How large a cell is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Four columns and two rows: walls are lines of their own.
    Full,
    /// Three columns and a row: who is there, what is below, what is to the right.
    Small,
    /// Two columns and a row: who is there or what is below, what is to the right.
    Tiny,
}

impl Scale {
    /// Columns and rows that a cell takes.
    const fn cell(self) -> (usize, usize) {
        match self {
            Scale::Full => (4, 2),
            Scale::Small => (3, 1),
            Scale::Tiny => (2, 1),
        }
    }

    /// What the signs mean.
    const fn legend(self) -> [&'static str; 2] {
        let who = "R rat, P python, X both, small: in mud; ● cheese";
        match self {
            Scale::Full => [
                "R rat, P python, small: in mud; ● cheese",
                "2 between cells: turns of mud, + 10 or more",
            ],
            Scale::Small | Scale::Tiny => {
                [who, "│ ▁ walls, 2 turns of mud (+ 10 or more): to the right, below"]
            }
        }
    }
}

/// Draws a game: the score, then the board with (0,0) at the bottom-left. `names` are the
/// players' by seat.
///
/// Each cell is three letters wide: `R` and `P` are the players (small when in mud), `●` is cheese.
/// Between cells, lines are walls and digits are the turns of mud (`+` is ten or more). Where that
/// has no room cells are smaller, and in the end only those around the players are shown, or around
/// the one whose view it is.
pub fn draw(view: &View, outcome: Option<&Outcome>, names: &[String], room: Room) -> Picture {
    let head = heading(view, outcome, names, room.columns);
    let inside = room.without(1, head.len() + 1);
    let (width, height) = (usize::from(view.maze.width()), usize::from(view.maze.height()));
    let fits = |scale: &Scale| {
        let (columns, rows) = scale.cell();
        width * columns <= inside.columns && height * rows <= inside.rows
    };
    let scales = [Scale::Full, Scale::Small, Scale::Tiny];
    let scale = scales.into_iter().find(fits).unwrap_or(Scale::Tiny);
    let (columns, rows) = scale.cell();
    let sides = [Side::Rat, Side::Python].into_iter();
    let shown = sides.filter(|side| view.you.is_none_or(|own| own == *side));
    let players: Vec<Point> = shown.map(|side| view.player(side).at).collect();
    let across = window(width, inside.columns / columns, players.iter().map(|at| at.x.into()));
    let up = window(height, inside.rows / rows, players.iter().map(|at| at.y.into()));
    let clipped = across.len() < width || up.len() < height;
    let mut cheese = vec![false; view.maze.len()];
    for cell in view.cheese.iter().filter_map(|&at| view.maze.cell(at)) {
        cheese[cell.index()] = true;
    }
    let painter = Painter { view, cheese, across: narrow(across) };
    let mut board = Vec::new();
    for y in narrow(up.clone()).rev() {
        match scale {
            Scale::Full => {
                board.push(painter.line_above(y));
                board.push(painter.row(y));
            }
            Scale::Small | Scale::Tiny => {
                if board.is_empty() && up.end == height {
                    board.push(painter.edge(scale));
                }
                board.push(painter.small_row(y, scale));
            }
        }
    }
    if scale == Scale::Full {
        board.push(painter.bottom());
    }
    let legend = scale.legend().map(|line| Line::painted(Style::FAINT, line)).to_vec();
    Picture { head, board, legend, clipped }
}

fn narrow(range: Range<usize>) -> Range<u8> {
    range.start as u8..range.end as u8
}

fn heading(view: &View, outcome: Option<&Outcome>, names: &[String], columns: usize) -> Vec<Line> {
    let View { turn, max_turns, cheese, .. } = view;
    let mut status = format!("turn {turn}/{max_turns}  cheese {}", cheese.len());
    if let Some(outcome) = outcome {
        status.push_str(&format!("  {}", outcome.reason));
    }
    let longest = (columns.saturating_sub(30) / 2).max(6);
    let mut players = Line::new();
    for (side, style) in [(Side::Rat, RAT), (Side::Python, PYTHON)] {
        let PlayerView { score, mud, .. } = view.player(side);
        let name = cut(names.get(side.index()).map_or("", String::as_str), longest);
        let gap = if name.is_empty() { "" } else { " " };
        let start = if side == Side::Rat { "" } else { "   " };
        players.push(start).paint(style, &format!("{side}{gap}{name} {score}"));
        if *mud > 0 {
            players.paint(MUD, &format!(" (mud {mud})"));
        }
    }
    vec![Line::painted(Style::STRONG, &status), players]
}

struct Painter<'a> {
    view: &'a View,
    /// Whether there is cheese, by cell.
    cheese: Vec<bool>,
    /// The columns of cells that are shown.
    across: Range<u8>,
}

impl Painter<'_> {
    fn cell(&self, x: u8, y: u8) -> Cell {
        self.view.maze.cell(Point::new(x, y)).expect("only cells of the board are drawn")
    }

    /// The line between row `y` and the one above.
    fn line_above(&self, y: u8) -> Line {
        let mut line = Line::new();
        for x in self.across.clone() {
            self.crossing(x, y + 1, &mut line);
            match barrier(&self.view.maze, self.cell(x, y), Move::Up) {
                Barrier::Wall => line.paint(WALL, "───"),
                Barrier::None => line.push("   "),
                Barrier::Mud(turns) => line.paint(MUD, &format!(" {} ", digit(turns))),
            };
        }
        self.crossing(self.across.end, y + 1, &mut line);
        line
    }

    fn row(&self, y: u8) -> Line {
        let mut line = Line::painted(WALL, "│");
        for x in self.across.clone() {
            let at = Point::new(x, y);
            self.player(Side::Rat, at, &mut line);
            match self.cheese[self.cell(x, y).index()] {
                true => line.paint(CHEESE, "●"),
                false => line.push(" "),
            };
            self.player(Side::Python, at, &mut line);
            self.right(x, y, &mut line);
        }
        line
    }

    /// What is to the right of a cell.
    fn right(&self, x: u8, y: u8, line: &mut Line) {
        match barrier(&self.view.maze, self.cell(x, y), Move::Right) {
            Barrier::Wall => line.paint(WALL, "│"),
            Barrier::None => line.push(" "),
            Barrier::Mud(turns) => line.paint(MUD, &digit(turns)),
        };
    }

    /// The letter of a player, small in mud.
    fn letter(&self, side: Side) -> (&'static str, Style) {
        let letters = match side {
            Side::Rat => ["R", "r"],
            Side::Python => ["P", "p"],
        };
        let style = if side == Side::Rat { RAT } else { PYTHON };
        (letters[usize::from(self.view.player(side).mud > 0)], style)
    }

    fn player(&self, side: Side, at: Point, line: &mut Line) {
        let (letter, style) = self.letter(side);
        match self.view.player(side).at == at {
            true => line.paint(style, letter),
            false => line.push(" "),
        };
    }

    fn bottom(&self) -> Line {
        let mut line = Line::new();
        for x in self.across.clone() {
            self.crossing(x, 0, &mut line);
            line.paint(WALL, "───");
        }
        self.crossing(self.across.end, 0, &mut line);
        line
    }

    /// The upper edge of the board in small scales.
    fn edge(&self, scale: Scale) -> Line {
        let columns = self.across.len() * scale.cell().0;
        Line::painted(WALL, &format!(" {}", "▁".repeat(columns - 1)))
    }

    fn small_row(&self, y: u8, scale: Scale) -> Line {
        let mut line = Line::painted(WALL, if self.across.start == 0 { "│" } else { " " });
        for x in self.across.clone() {
            let at = Point::new(x, y);
            let below = barrier(&self.view.maze, self.cell(x, y), Move::Down);
            let here = [Side::Rat, Side::Python].map(|side| self.view.player(side).at == at);
            let floor = |line: &mut Line| {
                match below {
                    Barrier::Wall => line.paint(WALL, "▁"),
                    Barrier::None => line.push(" "),
                    Barrier::Mud(turns) => line.paint(MUD, &digit(turns)),
                };
            };
            match here {
                [true, true] => {
                    line.paint(Style::STRONG, "X");
                }
                [true, false] | [false, true] => {
                    let side = if here[0] { Side::Rat } else { Side::Python };
                    let (letter, style) = self.letter(side);
                    line.paint(style, letter);
                }
                [false, false] if self.cheese[self.cell(x, y).index()] => {
                    line.paint(CHEESE, "●");
                }
                [false, false] => match (scale, &below) {
                    (Scale::Tiny, _) | (_, Barrier::Wall) => floor(&mut line),
                    (Scale::Full | Scale::Small, Barrier::None | Barrier::Mud(_)) => {
                        line.push(" ");
                    }
                },
            }
            if scale == Scale::Small {
                floor(&mut line);
            }
            self.right(x, y, &mut line);
        }
        line
    }

    /// The corner at the lower left of cell (x,y), joined to the walls that meet there.
    fn crossing(&self, x: u8, y: u8, line: &mut Line) {
        let (width, height) = (self.view.maze.width(), self.view.maze.height());
        let wall =
            |x: u8, y: u8, by: Move| barrier(&self.view.maze, self.cell(x, y), by) == Barrier::Wall;
        // The edge of the board is a wall all around.
        let on_side = x == 0 || x == width;
        let on_end = y == 0 || y == height;
        let up = y < height && (on_side || wall(x - 1, y, Move::Right));
        let down = y > 0 && (on_side || wall(x - 1, y - 1, Move::Right));
        let left = x > 0 && (on_end || wall(x - 1, y - 1, Move::Up));
        let right = x < width && (on_end || wall(x, y - 1, Move::Up));
        const JOINTS: [&str; 16] =
            [" ", "╵", "╷", "│", "╴", "┘", "┐", "┤", "╶", "└", "┌", "├", "─", "┴", "┬", "┼"];
        let joint =
            [up, down, left, right].iter().rev().fold(0, |sum, &is| 2 * sum + usize::from(is));
        line.paint(WALL, JOINTS[joint]);
    }
}

#[derive(PartialEq)]
enum Barrier {
    None,
    Mud(u16),
    Wall,
}

fn barrier(maze: &Maze, cell: Cell, by: Move) -> Barrier {
    let exit = maze.exit(cell, by);
    match exit.mud {
        _ if exit.to == cell => Barrier::Wall,
        0 => Barrier::None,
        turns => Barrier::Mud(turns),
    }
}

fn digit(turns: u16) -> String {
    if turns < 10 { turns.to_string() } else { "+".into() }
}

#[cfg(test)]
mod tests {
    use table::Ink;

    use super::super::Config;
    use super::*;

    const SETUP: &str = r#"{"width":4,"height":3,"walls":[[[0,0],[1,0]],[[1,0],[1,1]],[[2,1],[2,2]],[[2,1],[3,1]]],
        "mud":[[[0,1],[1,1],3],[[3,0],[3,1],12]],"cheese":[[2,2],[0,0],[1,1]],"max_turns":60}"#;

    fn names() -> [String; 2] {
        ["Remy".into(), "Kaa".into()]
    }

    fn view() -> View {
        let config: Config = serde_json::from_str(SETUP).expect("a set-up");
        View::of(&config.start(game::Seed(1)).expect("fine"), None)
    }

    fn text(view: &View, room: Room) -> String {
        Picture { legend: Vec::new(), ..draw(view, None, &names(), room) }.text(Ink::Plain)
    }

    #[test]
    fn smaller_pictures_show_the_same_and_the_smallest_what_is_around_the_players() {
        let tiny = text(&view(), Room { columns: 9, rows: 6 });
        assert!(tiny.lines().skip(2).all(|line| line.chars().count() <= 9), "{tiny}");
        assert!(tiny.contains('R') && tiny.contains('P'), "{tiny}");
        let picture = draw(&view(), None, &names(), Room { columns: 7, rows: 4 });
        assert!(picture.clipped);
        let small = "\
turn 0/60  cheese 3
rat Remy 0   python Kaa 0
 ▁▁▁▁▁▁▁▁▁▁▁
│      ●▁ P │
│  3●▁   │ +│
│R▁│▁▁ ▁▁ ▁▁│
";
        assert_eq!(text(&view(), Room { columns: 14, rows: 6 }), small);
    }

    #[test]
    fn whoever_plays_always_sees_its_own_player() {
        for (side, letter) in [(Side::Rat, 'R'), (Side::Python, 'P')] {
            let view = View { you: Some(side), ..view() };
            for rows in 4..8 {
                let seen = text(&view, Room { columns: 5, rows });
                assert!(seen.lines().skip(2).any(|line| line.contains(letter)), "{seen}");
            }
        }
    }

    #[test]
    fn the_picture_shows_walls_mud_cheese_players_and_score() {
        let expected = "\
turn 0/60  cheese 3
rat Remy 0   python Kaa 0
┌───────────────┐
│         ●    P│
│       ╶───┐   │
│   3 ●     │   │
│   ┌───╴   ╵ + │
│R● │           │
└───┴───────────┘
";
        assert_eq!(text(&view(), Room::ENDLESS), expected);
    }

    #[test]
    fn a_player_in_mud_is_small_and_its_turns_are_told() {
        let mut state = view().state().expect("a fine view");
        state.step(Move::Up, Move::Stay);
        state.step(Move::Right, Move::Stay);
        let picture = text(&View::of(&state, None), Room::ENDLESS);
        let head = "turn 2/60  cheese 3\nrat Remy 0 (mud 3)   python Kaa 0\n";
        assert!(picture.starts_with(head), "{picture}");
        assert!(picture.contains("│r  3 ●"), "{picture}");
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let all = draw(&view(), None, &names(), Room::ENDLESS);
        let mut coloured = all.clone().text(Ink::Colour);
        assert!(coloured.contains("\x1b[33m●\x1b[0m"));
        while let Some(start) = coloured.find('\x1b') {
            let length = coloured[start..].find('m').expect("sequences end");
            coloured.replace_range(start..=start + length, "");
        }
        assert_eq!(coloured, all.text(Ink::Plain));
    }
}
