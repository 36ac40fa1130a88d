//! A picture of a game for the terminal.

use std::fmt::Write;

use table::Ink;

use super::{Cell, Maze, Move, PlayerView, Point, Side, View};

/// Something in the picture that has a colour of its own.
#[derive(Clone, Copy)]
enum Paint {
    Rat,
    Python,
    Cheese,
    Mud,
    Wall,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Rat => "1;36",
            Paint::Python => "1;32",
            Paint::Cheese => "33",
            Paint::Mud => "31",
            Paint::Wall => "2",
        }
    }
}

/// Draws a game: the score, then the board with (0,0) at the bottom-left. `names` are the
/// players' by seat.
///
/// Each cell is three letters wide: `R` and `P` are the players (small when in mud), `●` is
/// cheese. Between cells, lines are walls and digits are the turns of mud (`+` is ten or more).
pub fn draw(view: &View, names: &[String], ink: Ink) -> String {
    let mut cheese = vec![false; view.maze.len()];
    for cell in view.cheese.iter().filter_map(|&at| view.maze.cell(at)) {
        cheese[cell.index()] = true;
    }
    let mut picture = Picture { text: String::new(), ink, view, cheese };
    picture.heading(names);
    for y in (0..view.maze.height()).rev() {
        picture.line_above(y);
        picture.row(y);
    }
    picture.bottom();
    picture.text
}

struct Picture<'a> {
    text: String,
    ink: Ink,
    view: &'a View,
    /// Whether there is cheese, by cell.
    cheese: Vec<bool>,
}

impl Picture<'_> {
    fn paint(&mut self, paint: Paint, text: &str) {
        // Writing to a string cannot fail.
        let _ = match self.ink {
            Ink::Plain => write!(self.text, "{text}"),
            Ink::Colour => write!(self.text, "\x1b[{}m{text}\x1b[0m", paint.code()),
        };
    }

    fn heading(&mut self, names: &[String]) {
        let View { turn, max_turns, cheese, .. } = self.view;
        let _ = write!(self.text, "turn {turn}/{max_turns}  ");
        for (side, paint) in [(Side::Rat, Paint::Rat), (Side::Python, Paint::Python)] {
            let PlayerView { score, mud, .. } = self.view.player(side);
            let name = names.get(side.index()).map_or("", String::as_str);
            let gap = if name.is_empty() { "" } else { " " };
            self.paint(paint, &format!("{side}{gap}{name} {score}"));
            if *mud > 0 {
                self.paint(Paint::Mud, &format!(" (mud {mud})"));
            }
            self.text.push_str("  ");
        }
        let _ = writeln!(self.text, "cheese {}", cheese.len());
    }

    fn cell(&self, x: u8, y: u8) -> Cell {
        self.view.maze.cell(Point::new(x, y)).expect("only cells of the board are drawn")
    }

    /// The line between row `y` and the one above.
    fn line_above(&mut self, y: u8) {
        for x in 0..self.view.maze.width() {
            self.crossing(x, y + 1);
            match barrier(&self.view.maze, self.cell(x, y), Move::Up) {
                Barrier::Wall => self.paint(Paint::Wall, "───"),
                Barrier::None => self.text.push_str("   "),
                Barrier::Mud(turns) => self.paint(Paint::Mud, &format!(" {} ", digit(turns))),
            }
        }
        self.crossing(self.view.maze.width(), y + 1);
        self.text.push('\n');
    }

    fn row(&mut self, y: u8) {
        self.paint(Paint::Wall, "│");
        for x in 0..self.view.maze.width() {
            let at = Point::new(x, y);
            self.player(Side::Rat, at, Paint::Rat, ["R", "r"]);
            if self.cheese[self.cell(x, y).index()] {
                self.paint(Paint::Cheese, "●");
            } else {
                self.text.push(' ');
            }
            self.player(Side::Python, at, Paint::Python, ["P", "p"]);
            match barrier(&self.view.maze, self.cell(x, y), Move::Right) {
                Barrier::Wall => self.paint(Paint::Wall, "│"),
                Barrier::None => self.text.push(' '),
                Barrier::Mud(turns) => self.paint(Paint::Mud, &digit(turns)),
            }
        }
        self.text.push('\n');
    }

    fn player(&mut self, side: Side, at: Point, paint: Paint, [free, stuck]: [&str; 2]) {
        let player = self.view.player(side);
        if player.at == at {
            self.paint(paint, if player.mud == 0 { free } else { stuck });
        } else {
            self.text.push(' ');
        }
    }

    fn bottom(&mut self) {
        for x in 0..self.view.maze.width() {
            self.crossing(x, 0);
            self.paint(Paint::Wall, "───");
        }
        self.crossing(self.view.maze.width(), 0);
        self.text.push('\n');
    }

    /// The corner at the lower left of cell (x,y), joined to the walls that meet there.
    fn crossing(&mut self, x: u8, y: u8) {
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
        self.paint(Paint::Wall, JOINTS[joint]);
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

    #[test]
    fn the_picture_shows_walls_mud_cheese_players_and_score() {
        let expected = "\
turn 0/60  rat Remy 0  python Kaa 0  cheese 3
┌───────────────┐
│         ●    P│
│       ╶───┐   │
│   3 ●     │   │
│   ┌───╴   ╵ + │
│R● │           │
└───┴───────────┘
";
        assert_eq!(draw(&view(), &names(), Ink::Plain), expected);
    }

    #[test]
    fn a_player_in_mud_is_small_and_its_turns_are_told() {
        let mut state = view().state().expect("a fine view");
        state.step(Move::Up, Move::Stay);
        state.step(Move::Right, Move::Stay);
        let picture = draw(&View::of(&state, None), &names(), Ink::Plain);
        assert!(
            picture.starts_with("turn 2/60  rat Remy 0 (mud 3)  python Kaa 0  cheese 3\n"),
            "{picture}"
        );
        assert!(picture.contains("│r  3 ●"), "{picture}");
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let mut coloured = draw(&view(), &names(), Ink::Colour);
        assert!(coloured.contains("\x1b[33m●\x1b[0m"));
        while let Some(start) = coloured.find('\x1b') {
            let length = coloured[start..].find('m').expect("sequences end");
            coloured.replace_range(start..=start + length, "");
        }
        assert_eq!(coloured, draw(&view(), &names(), Ink::Plain));
    }
}
