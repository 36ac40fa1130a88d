//! Where a game begins: the ground and the ants on it, as rows of letters.

use game::{SetupError, count};

use super::land::{Content, Direction, Land, Point};
use super::setup::{Config, LONGEST_SIDE, MOST_PLAYERS};

/// The letters of the players' ants in a map.
const LETTERS: [char; MOST_PLAYERS as usize] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];

/// The letter of a player.
pub(super) fn letter(player: usize) -> char {
    LETTERS[player]
}

/// The ground and the starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) land: Land,
    /// By player and ant.
    pub(super) starts: Vec<Vec<Point>>,
}

/// How the sides of a map are made alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// Not at all: there is no turn that fits the number of players.
    None,
    /// Two players: turned by 180°.
    HalfTurn,
    /// Four players on a square: turned by 90°.
    QuarterTurn,
    /// Four players on another rectangle, which a quarter turn does not fit: mirrored left to
    /// right and top to bottom.
    Mirrors,
}

impl Symmetry {
    pub(super) fn of(players: usize, width: u16, height: u16) -> Symmetry {
        match players {
            2 => Symmetry::HalfTurn,
            4 if width == height => Symmetry::QuarterTurn,
            4 => Symmetry::Mirrors,
            _ => Symmetry::None,
        }
    }

    /// How many sides are alike.
    pub(super) fn sides(self) -> usize {
        match self {
            Symmetry::None => 1,
            Symmetry::HalfTurn => 2,
            Symmetry::QuarterTurn | Symmetry::Mirrors => 4,
        }
    }

    /// The cell that is to the player on `side` what `point` is to the first player.
    pub(super) fn image(self, side: usize, point: Point, width: u16, height: u16) -> Point {
        let Point { x, y } = point;
        let (right, bottom) = (width - 1, height - 1);
        match (self, side) {
            (Symmetry::None, _) | (_, 0) => point,
            (Symmetry::HalfTurn, _) => Point::new(right - x, bottom - y),
            (Symmetry::QuarterTurn, 1) => Point::new(right - y, x),
            (Symmetry::QuarterTurn, 2) => Point::new(right - x, bottom - y),
            (Symmetry::QuarterTurn, _) => Point::new(y, bottom - x),
            (Symmetry::Mirrors, 1) => Point::new(right - x, y),
            (Symmetry::Mirrors, 2) => Point::new(x, bottom - y),
            (Symmetry::Mirrors, _) => Point::new(right - x, bottom - y),
        }
    }

    /// The cell of the first player's side whose image is `point`.
    fn original(self, side: usize, point: Point, width: u16, height: u16) -> Point {
        let back = match (self, side) {
            (Symmetry::QuarterTurn, 1) => 3,
            (Symmetry::QuarterTurn, 3) => 1,
            (_, side) => side,
        };
        self.image(back, point, width, height)
    }

    /// Where a player's ants look at the start.
    pub(super) fn facing(self, player: usize) -> Direction {
        match self {
            Symmetry::HalfTurn | Symmetry::Mirrors => {
                [Direction::East, Direction::West][player % 2]
            }
            Symmetry::QuarterTurn | Symmetry::None => Direction::ALL[player % 4],
        }
    }
}

impl Layout {
    /// Puts each player's ants in order: row by row as seen from the player's own side, so that
    /// the same ids stand at the same places.
    pub(super) fn new(land: Land, mut starts: Vec<Vec<Point>>) -> Layout {
        let (width, height) = (land.width(), land.height());
        let symmetry = Symmetry::of(starts.len(), width, height);
        for (player, ants) in starts.iter_mut().enumerate() {
            ants.sort_by_key(|&at| symmetry.original(player, at, width, height));
        }
        Layout { land, starts }
    }

    /// The symmetry that goes with the number of players and the size.
    pub(super) fn symmetry(&self) -> Symmetry {
        Symmetry::of(self.starts.len(), self.land.width(), self.land.height())
    }

    /// Reads a map that was given.
    pub(super) fn parse(config: &Config, players: u16) -> Result<Layout, SetupError> {
        let wrong = |what: String| SetupError::new(format!("the map is not sound: {what}"));
        let mut starts = vec![Vec::new(); players.into()];
        let mut ground = String::new();
        let rows = config.map.lines().map(str::trim).filter(|row| !row.is_empty());
        for (y, row) in rows.enumerate() {
            if y >= LONGEST_SIDE.into() || row.chars().count() > LONGEST_SIDE.into() {
                return Err(wrong(format!("it is larger than {LONGEST_SIDE}x{LONGEST_SIDE}")));
            }
            for (x, letter) in row.chars().enumerate() {
                let player = LETTERS.iter().position(|other| *other == letter);
                match player {
                    Some(player) if player < starts.len() => {
                        starts[player].push(Point::new(x as u16, y as u16));
                        ground.push(Content::Grass.letter());
                    }
                    Some(_) => {
                        return Err(wrong(format!("{letter} stands for one player too many")));
                    }
                    None => ground.push(letter),
                }
            }
            ground.push('\n');
        }
        for (ants, letter) in starts.iter().zip(LETTERS) {
            if ants.len() != usize::from(config.ants) {
                return Err(wrong(format!(
                    "it has {} {letter}, but the set-up says ants = {}",
                    count(ants.len() as u64, "ant"),
                    config.ants
                )));
            }
        }
        Ok(Layout::new(Land::try_from(ground).map_err(wrong)?, starts))
    }

    /// The map as [`Layout::parse`] reads it.
    pub(super) fn text(&self) -> String {
        let mut rows: Vec<Vec<char>> = self.land.rows().map(|row| row.chars().collect()).collect();
        for (ants, letter) in self.starts.iter().zip(LETTERS) {
            for at in ants {
                rows[usize::from(at.y)][usize::from(at.x)] = letter;
            }
        }
        rows.into_iter().map(|row| row.into_iter().chain(['\n']).collect::<String>()).collect()
    }
}
