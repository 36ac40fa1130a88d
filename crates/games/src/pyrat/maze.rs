//! The maze of a game: which cells are neighbours, and how much mud lies between them.

use std::fmt;
use std::sync::Arc;

use game::{Digest, SetupError};
use serde::{Deserialize, Serialize};

use super::Move;

/// A place on the board as people write it: (0,0) is the bottom-left cell, UP is y+1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u8, u8)", into = "(u8, u8)")]
pub struct Point {
    /// Column, counted from the left.
    pub x: u8,
    /// Row, counted from the bottom.
    pub y: u8,
}

impl Point {
    /// The point in column `x` and row `y`.
    pub const fn new(x: u8, y: u8) -> Point {
        Point { x, y }
    }
}

impl From<(u8, u8)> for Point {
    fn from((x, y): (u8, u8)) -> Point {
        Point { x, y }
    }
}

impl From<Point> for (u8, u8) {
    fn from(point: Point) -> (u8, u8) {
        (point.x, point.y)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x, self.y)
    }
}

/// A cell of one particular maze, by number: row after row from the bottom-left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// The cell of this number, which must be below the number of cells.
    #[inline]
    pub(super) fn numbered(number: usize) -> Cell {
        Cell(number as u16)
    }

    /// The place of this cell in per-cell lists.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The cell beyond; the same cell if a wall or the edge is in the way.
    pub to: Cell,
    /// Mud on the passage: the turns that follow the turn of entering. Zero is dry.
    pub mud: u16,
}

impl Exit {
    /// Turns that the whole crossing takes.
    #[inline]
    pub fn cost(self) -> u32 {
        1 + u32::from(self.mud)
    }
}

/// What is between two neighbouring cells: a number, because generation has no time to branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Between(u16);

impl Between {
    /// A dry passage, or nothing decided yet.
    pub(super) const NOTHING: Between = Between(0);
    // Mud is at least 2, so that 1 is free to stand for a wall.
    pub(super) const WALL: Between = Between(1);

    /// A passage with mud, which must be at least 2.
    pub(super) fn mud(turns: u16) -> Between {
        debug_assert!(turns >= 2, "one turn of mud would be a wall");
        Between(turns)
    }

    #[inline]
    fn is_open(self) -> bool {
        self != Between::WALL
    }
}

/// An immutable maze. Copies share their memory, so that copying is cheap.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "MazeRecord", into = "MazeRecord")]
pub struct Maze(Arc<Inner>);

struct Inner {
    width: u8,
    height: u8,
    /// For every cell, where each move leads, in the order of [`Move::ALL`].
    exits: Box<[[Exit; Move::COUNT]]>,
    digest: u64,
}

/// A maze in plain words, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MazeRecord {
    width: u8,
    height: u8,
    walls: Vec<(Point, Point)>,
    mud: Vec<(Point, Point, u16)>,
}

impl Maze {
    /// The smallest width and height.
    pub const MIN_SIDE: u8 = 2;

    /// A maze from its size and everything that stands or lies between cells.
    ///
    /// Fails if a side is below [`Maze::MIN_SIDE`], a wall or mud is off the board, not between
    /// neighbours or given twice, if mud is below 2, or if mud lies in a wall.
    pub fn new(
        width: u8,
        height: u8,
        walls: &[(Point, Point)],
        mud: &[(Point, Point, u16)],
    ) -> Result<Maze, SetupError> {
        let mut blueprint = Blueprint::new(width, height)?;
        for &(a, b) in walls {
            blueprint.set("wall", a, b, Between::WALL)?;
        }
        for &(a, b, turns) in mud {
            blueprint.set_mud(a, b, u32::from(turns))?;
        }
        Ok(blueprint.build())
    }

    /// Number of columns.
    #[inline]
    pub fn width(&self) -> u8 {
        self.0.width
    }

    /// Number of rows.
    #[inline]
    pub fn height(&self) -> u8 {
        self.0.height
    }

    /// Number of cells.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.exits.len()
    }

    /// Never: a maze has at least four cells.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where a move from a cell leads. Bumping into something leads back to the cell.
    #[inline]
    pub fn exit(&self, from: Cell, by: Move) -> Exit {
        self.0.exits[from.index()][by as usize]
    }

    /// The moves that lead out of a cell, and where to.
    pub fn exits(&self, from: Cell) -> impl Iterator<Item = (Move, Exit)> + use<> {
        let all = self.0.exits[from.index()];
        Move::STEPS
            .into_iter()
            .map(move |by| (by, all[by as usize]))
            .filter(move |e| e.1.to != from)
    }

    /// All cells, row after row from the bottom-left.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        (0..self.len() as u16).map(Cell)
    }

    /// The cell at a point, if it is on the board.
    #[inline]
    pub fn cell(&self, point: Point) -> Option<Cell> {
        let on_board = point.x < self.0.width && point.y < self.0.height;
        on_board.then(|| Cell(u16::from(point.y) * u16::from(self.0.width) + u16::from(point.x)))
    }

    /// Where a cell lies.
    #[inline]
    pub fn point(&self, cell: Cell) -> Point {
        let width = u16::from(self.0.width);
        Point { x: (cell.0 % width) as u8, y: (cell.0 / width) as u8 }
    }

    /// Every wall inside the board once: the lower or left cell first, in order of cells.
    pub fn walls(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
        self.inner_edges().filter(|(_, _, exit)| exit.is_none()).map(|(a, b, _)| (a, b))
    }

    /// Every muddy passage once, with its mud, in the same order as the walls.
    pub fn mud(&self) -> impl Iterator<Item = (Point, Point, u16)> + '_ {
        self.inner_edges()
            .filter_map(|(a, b, exit)| exit.filter(|e| e.mud > 0).map(|e| (a, b, e.mud)))
    }

    /// Every pair of neighbouring cells once, with the exit between them if there is no wall.
    fn inner_edges(&self) -> impl Iterator<Item = (Point, Point, Option<Exit>)> + '_ {
        self.cells().flat_map(move |cell| {
            let Point { x, y } = self.point(cell);
            [(Move::Up, x, y + 1), (Move::Right, x + 1, y)]
                .into_iter()
                .filter(|&(_, x, y)| x < self.width() && y < self.height())
                .map(move |(by, to_x, to_y)| {
                    let exit = self.exit(cell, by);
                    (Point { x, y }, Point::new(to_x, to_y), (exit.to != cell).then_some(exit))
                })
        })
    }

    /// A hash of the whole maze.
    pub fn digest(&self) -> u64 {
        self.0.digest
    }
}

impl PartialEq for Maze {
    fn eq(&self, other: &Maze) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.width == other.0.width && self.0.exits == other.0.exits)
    }
}

impl fmt::Debug for Maze {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The tables would fill screens; size and digest are enough to tell mazes apart.
        write!(f, "Maze({}x{} {:016x})", self.0.width, self.0.height, self.0.digest)
    }
}

impl From<Maze> for MazeRecord {
    fn from(maze: Maze) -> MazeRecord {
        MazeRecord {
            width: maze.width(),
            height: maze.height(),
            walls: maze.walls().collect(),
            mud: maze.mud().collect(),
        }
    }
}

impl TryFrom<MazeRecord> for Maze {
    type Error = SetupError;
    fn try_from(record: MazeRecord) -> Result<Maze, SetupError> {
        Maze::new(record.width, record.height, &record.walls, &record.mud)
    }
}

/// The two directions in which an edge leaves the lower or left one of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Up,
    Right,
}

/// A maze that is still being drawn. Edges are numbered: twice the cell, plus one for UP.
pub(super) struct Blueprint {
    width: u8,
    height: u8,
    /// The edges that lead off the board at the top and on the right are walls from the
    /// beginning.
    edges: Vec<Between>,
}

impl Blueprint {
    pub(super) fn new(width: u8, height: u8) -> Result<Blueprint, SetupError> {
        for (name, side) in [("width", width), ("height", height)] {
            if side < Maze::MIN_SIDE {
                return Err(SetupError::new(format!("{name} is {side} and must be 2 to 255")));
            }
        }
        let (columns, rows) = (usize::from(width), usize::from(height));
        let mut edges = vec![Between::NOTHING; 2 * columns * rows];
        for y in 0..rows {
            edges[Blueprint::edge(y * columns + columns - 1, Axis::Right)] = Between::WALL;
        }
        for x in 0..columns {
            edges[Blueprint::edge((rows - 1) * columns + x, Axis::Up)] = Between::WALL;
        }
        Ok(Blueprint { width, height, edges })
    }

    /// Number of cells.
    pub(super) fn cells(&self) -> usize {
        self.edges.len() / 2
    }

    /// The number of the cell at a point on the board.
    #[inline]
    pub(super) fn cell(&self, point: Point) -> usize {
        usize::from(point.y) * usize::from(self.width) + usize::from(point.x)
    }

    /// Fails with a message that names `what` if the point is off the board.
    pub(super) fn on_board(&self, what: &str, point: Point) -> Result<(), SetupError> {
        if point.x < self.width && point.y < self.height {
            return Ok(());
        }
        let (width, height) = (self.width, self.height);
        Err(SetupError::new(format!("{what} {point} is off the {width}x{height} board")))
    }

    /// The edge that leaves a cell along an axis.
    #[inline]
    pub(super) fn edge(cell: usize, axis: Axis) -> usize {
        2 * cell + usize::from(axis == Axis::Up)
    }

    /// The two cells on either side of an edge.
    #[inline]
    pub(super) fn ends(&self, edge: usize) -> (usize, usize) {
        let step = if edge % 2 == 1 { usize::from(self.width) } else { 1 };
        (edge / 2, edge / 2 + step)
    }

    /// The edge that takes this one's place when the board is turned by 180°.
    #[inline]
    pub(super) fn turned(&self, edge: usize) -> usize {
        // The far end of this edge becomes the near end of the other.
        let (_, far) = self.ends(edge);
        2 * (self.cells() - 1 - far) + edge % 2
    }

    /// All edges, those around the board included: they are walls.
    pub(super) fn edges(&self) -> std::ops::Range<usize> {
        0..self.edges.len()
    }

    /// What is at an edge.
    #[inline]
    pub(super) fn between(&self, edge: usize) -> Between {
        self.edges[edge]
    }

    /// Puts something at an edge.
    #[inline]
    pub(super) fn put(&mut self, edge: usize, between: Between) {
        self.edges[edge] = between;
    }

    /// Puts something between two cells named by somebody else, who may be wrong.
    pub(super) fn set(
        &mut self,
        what: &str,
        a: Point,
        b: Point,
        between: Between,
    ) -> Result<(), SetupError> {
        let refuse = |why: &str| Err(SetupError::new(format!("{what} {a}-{b} {why}")));
        self.on_board(what, a)?;
        self.on_board(what, b)?;
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let axis = match (high.x.abs_diff(low.x), high.y.abs_diff(low.y)) {
            (1, 0) => Axis::Right,
            (0, 1) => Axis::Up,
            _ => return refuse("is not between neighbours"),
        };
        let edge = Blueprint::edge(self.cell(low), axis);
        match self.edges[edge] {
            Between::NOTHING => {
                self.edges[edge] = between;
                Ok(())
            }
            Between::WALL if between.is_open() => refuse("is where a wall stands"),
            _ => refuse("is given twice"),
        }
    }

    /// Puts mud between two cells named by somebody else, who may be wrong.
    pub(super) fn set_mud(&mut self, a: Point, b: Point, turns: u32) -> Result<(), SetupError> {
        match u16::try_from(turns) {
            Ok(turns @ 2..) => self.set("mud", a, b, Between::mud(turns)),
            Ok(_) | Err(_) => Err(SetupError::new(format!(
                "mud {a}-{b} has the value {turns} and must be 2 to {}",
                u16::MAX
            ))),
        }
    }

    /// The finished maze. What has not been decided is a dry passage.
    pub(super) fn build(self) -> Maze {
        let here = |cell: usize| Exit { to: Cell(cell as u16), mud: 0 };
        let mut exits: Box<[[Exit; Move::COUNT]]> =
            (0..self.cells()).map(|cell| [here(cell); Move::COUNT]).collect();
        let mut digest = Digest::new("maze");
        digest.word(u64::from(self.width)).word(u64::from(self.height));
        for (near, pair) in self.edges.chunks_exact(2).enumerate() {
            let mut word = 0;
            for (axis, &between) in [Axis::Right, Axis::Up].into_iter().zip(pair) {
                let is_open = between.is_open();
                let mud = if is_open { between.0 } else { 0 };
                word = word << 32 | u64::from(between.0);
                let (there, back) = match axis {
                    Axis::Right => (Move::Right, Move::Left),
                    Axis::Up => (Move::Up, Move::Down),
                };
                // A wall leads back on both sides. Writing that down once more is quicker than
                // asking whether there is one, which nobody can predict.
                let (_, far) = self.ends(Blueprint::edge(near, axis));
                let (beyond, behind) = if is_open { (far, near) } else { (near, far) };
                exits[near][there as usize] = Exit { mud, ..here(beyond) };
                if let Some(exits) = exits.get_mut(far) {
                    exits[back as usize] = Exit { mud, ..here(behind) };
                }
            }
            digest.word(word);
        }
        let digest = digest.finish();
        Maze(Arc::new(Inner { width: self.width, height: self.height, exits, digest }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(x: u8, y: u8) -> Point {
        Point::new(x, y)
    }

    #[test]
    fn up_is_a_larger_y_and_the_edge_leads_back() {
        let maze = Maze::new(3, 2, &[], &[]).expect("a plain board");
        let corner = maze.cell(p(0, 0)).expect("on the board");
        assert_eq!(maze.point(maze.exit(corner, Move::Up).to), p(0, 1));
        assert_eq!(maze.point(maze.exit(corner, Move::Right).to), p(1, 0));
        for bump in [Move::Down, Move::Left, Move::Stay] {
            assert_eq!(maze.exit(corner, bump), Exit { to: corner, mud: 0 });
        }
    }

    #[test]
    fn walls_and_mud_hold_in_both_directions() {
        let walls = [(p(1, 0), p(0, 0))];
        let mud = [(p(0, 1), p(0, 0), 3)];
        let maze = Maze::new(3, 3, &walls, &mud).expect("a fine maze");
        let [a, b, c] = [p(0, 0), p(1, 0), p(0, 1)].map(|at| maze.cell(at).expect("on the board"));
        assert_eq!(maze.exit(a, Move::Right).to, a);
        assert_eq!(maze.exit(b, Move::Left).to, b);
        assert_eq!(maze.exit(a, Move::Up), Exit { to: c, mud: 3 });
        assert_eq!(maze.exit(c, Move::Down), Exit { to: a, mud: 3 });
        assert_eq!(maze.exit(c, Move::Down).cost(), 4);
        assert_eq!(maze.walls().collect::<Vec<_>>(), [(p(0, 0), p(1, 0))]);
        assert_eq!(maze.mud().collect::<Vec<_>>(), [(p(0, 0), p(0, 1), 3)]);
    }

    #[test]
    fn the_largest_board_keeps_its_corners() {
        let maze = Maze::new(255, 255, &[], &[]).expect("the largest board");
        let far = maze.cell(p(254, 254)).expect("on the board");
        assert_eq!(far.index(), 255 * 255 - 1);
        assert_eq!(maze.point(maze.exit(far, Move::Down).to), p(254, 253));
        assert_eq!(maze.exit(far, Move::Up).to, far);
        assert_eq!(maze.cell(p(255, 0)), None);
        assert_eq!(maze.walls().count(), 0);
    }

    #[test]
    fn impossible_mazes_are_refused_by_name() {
        let refused = |walls: &[(Point, Point)], mud: &[(Point, Point, u16)]| {
            Maze::new(3, 3, walls, mud).expect_err("must be refused").to_string()
        };
        let wall = (p(0, 0), p(1, 0));
        assert_eq!(refused(&[(p(3, 0), p(2, 0))], &[]), "wall (3,0) is off the 3x3 board");
        assert_eq!(
            refused(&[(p(0, 0), p(1, 1))], &[]),
            "wall (0,0)-(1,1) is not between neighbours"
        );
        assert_eq!(refused(&[wall, (wall.1, wall.0)], &[]), "wall (1,0)-(0,0) is given twice");
        assert_eq!(
            refused(&[], &[(p(0, 0), p(0, 1), 1)]),
            "mud (0,0)-(0,1) has the value 1 and must be 2 to 65535"
        );
        assert_eq!(
            refused(&[wall], &[(wall.0, wall.1, 2)]),
            "mud (0,0)-(1,0) is where a wall stands"
        );
        let mud = (p(0, 0), p(0, 1), 2);
        assert_eq!(refused(&[], &[mud, mud]), "mud (0,0)-(0,1) is given twice");
        let thin = Maze::new(1, 3, &[], &[]).expect_err("too thin");
        assert_eq!(thin.to_string(), "width is 1 and must be 2 to 255");
    }

    #[test]
    fn turning_an_edge_twice_gives_the_edge() {
        let blueprint = Blueprint::new(4, 3).expect("a fine size");
        let edges = blueprint.edges().filter(|&edge| blueprint.between(edge) == Between::NOTHING);
        let edges: Vec<usize> = edges.collect();
        assert_eq!(edges.len(), 3 * 3 + 4 * 2);
        for &edge in &edges {
            assert!(edges.contains(&blueprint.turned(edge)));
            assert_eq!(blueprint.turned(blueprint.turned(edge)), edge);
        }
        // The middle edge of an even row is its own image.
        assert_eq!(edges.iter().filter(|&&edge| blueprint.turned(edge) == edge).count(), 1);
    }
}
