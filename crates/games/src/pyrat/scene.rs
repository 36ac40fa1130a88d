//! The maze as a scene.

use game::{PlayerId, Told};
use table::scene::{
    CELL, CellKind, Fact, Grid, Mark, Path, Scene, SeatLine, Shape, ShapeForm, Sprite, Tint, ending,
};

use super::{Event, Maze, Point, Pyrat, Side};

/// The margin on the left and below, for coordinates.
const MARGIN: i32 = 60;
/// Larger mazes have no coordinates: nobody could read them.
const MOST_NUMBERED: u8 = 40;

const MUD: i8 = 1;
const WALLS: i8 = 2;
const CHEESE: i8 = 3;
const PLAYERS: i8 = 4;

pub(super) const SPRITES: &[Sprite] = &[
    Sprite {
        name: "rat",
        side: 100,
        paths: &[
            Path("M30 22a14 14 0 1 0 0.1 0zM70 22a14 14 0 1 0 0.1 0z", None),
            Path(
                "M50 20C74 20 84 44 80 64C76 82 62 92 50 92C38 92 24 82 20 64C16 44 26 20 50 20z",
                None,
            ),
            Path("M31 30a6 6 0 1 0 0.1 0zM69 30a6 6 0 1 0 0.1 0z", Some("shade")),
            Path("M38 52a5 5 0 1 0 0.1 0zM62 52a5 5 0 1 0 0.1 0z", Some("eye")),
            Path("M50 74a7 6 0 1 0 0.1 0z", Some("nose")),
        ],
    },
    Sprite {
        name: "python",
        side: 100,
        paths: &[
            Path(
                "M50 8C66 8 76 20 76 34C76 46 68 52 58 54C74 58 84 66 84 76C84 88 70 94 50 94C30 94 16 88 16 76\
                 C16 68 24 62 36 62C46 62 52 66 52 72C52 76 48 78 44 78C40 78 38 76 38 74C34 75 34 82 50 82\
                 C64 82 70 80 70 76C70 68 50 66 40 56C30 50 24 44 24 34C24 20 34 8 50 8z",
                None,
            ),
            Path("M40 26a5 6 0 1 0 0.1 0zM60 26a5 6 0 1 0 0.1 0z", Some("eye")),
            Path("M48 42h4v8l4 6h-3l-3-4l-3 4h-3l4-6z", Some("nose")),
        ],
    },
    Sprite {
        name: "cheese",
        side: 100,
        paths: &[
            Path("M10 58L72 24C84 28 90 40 90 50L90 58z", Some("cheese-light")),
            Path("M10 58H90V82H10z", Some("cheese")),
            Path(
                "M34 64a6 6 0 1 0 0.1 0zM60 66a8 7 0 1 0 0.1 0zM66 38a5 4 0 1 0 0.1 0zM80 62a4 4 0 1 0 0.1 0z",
                Some("cheese-dark"),
            ),
        ],
    },
];

/// The centre of a cell; (0,0) is at the bottom left.
pub(super) fn place(maze: &Maze, at: Point) -> [i32; 2] {
    let row = i32::from(maze.height()) - 1 - i32::from(at.y);
    [MARGIN + i32::from(at.x) * CELL + CELL / 2, row * CELL + CELL / 2]
}

fn floor(scene: &mut Scene, maze: &Maze) {
    let (columns, rows) = (u16::from(maze.width()), u16::from(maze.height()));
    let cell = |index: u32| ((index / u32::from(columns) + index % u32::from(columns)) % 2) as u8;
    let cells = (0..u32::from(columns) * u32::from(rows)).map(cell).collect();
    let kinds =
        ["floor", "floor-dark"].map(|tint| CellKind(Tint::Named(tint), "floor", None)).into();
    let grid = Grid { columns, rows, cells, kinds };
    scene.add(Shape::new("floor", ShapeForm::Grid(grid), [MARGIN, 0]));
    if maze.width().max(maze.height()) > MOST_NUMBERED {
        return;
    }
    let bottom = i32::from(rows) * CELL + MARGIN / 2;
    let number = |key: String, number: u8, at| {
        let text = Shape::new(key, ShapeForm::Text(30), at).text(number.to_string());
        text.fill(Tint::Named("faint-ink"))
    };
    for x in 0..maze.width() {
        let [centre, _] = place(maze, Point::new(x, 0));
        scene.add(number(format!("x{x}"), x, [centre, bottom]));
    }
    for y in 0..maze.height() {
        let [_, centre] = place(maze, Point::new(0, y));
        scene.add(number(format!("y{y}"), y, [MARGIN / 2, centre]));
    }
}

fn walls(scene: &mut Scene, maze: &Maze) {
    for (number, (a, b, turns)) in maze.mud().enumerate() {
        let ([ax, ay], [bx, by]) = (place(maze, a), place(maze, b));
        let form = if ax == bx { ShapeForm::Box(80, 34, 17) } else { ShapeForm::Box(34, 80, 17) };
        let mud = Shape::new(format!("m{number}"), form, [(ax + bx) / 2, (ay + by) / 2]).layer(MUD);
        let label = format!("mud between {a} and {b}: {turns} turns");
        scene.add(mud.fill(Tint::Named("mud")).text(turns.to_string()).label(label));
    }
    let wall = |key: String, from: [i32; 2], to: [i32; 2], width: i32| {
        Shape::new(key, ShapeForm::Line(to, width), from).layer(WALLS).edge(Tint::Named("wall"))
    };
    for (number, (a, b)) in maze.walls().enumerate() {
        let ([ax, ay], [bx, by]) = (place(maze, a), place(maze, b));
        let [x, y] = [(ax + bx) / 2, (ay + by) / 2];
        let half = CELL / 2;
        let (from, to) = match ax == bx {
            true => ([x - half, y], [x + half, y]),
            false => ([x, y - half], [x, y + half]),
        };
        scene.add(wall(format!("w{number}"), from, to, 10));
    }
    let (right, bottom) =
        (MARGIN + i32::from(maze.width()) * CELL, i32::from(maze.height()) * CELL);
    let corners = [[MARGIN, 0], [right, 0], [right, bottom], [MARGIN, bottom]];
    for (number, from) in corners.into_iter().enumerate() {
        scene.add(wall(format!("r{number}"), from, corners[(number + 1) % 4], 14));
    }
}

impl Pyrat {
    /// The whole maze: nothing is hidden from anybody.
    pub(super) fn to_scene(&self, news: &[Told<Event>]) -> Scene {
        let (state, maze) = (self.state(), self.state().maze());
        let mut scene = Scene {
            size: [
                i32::from(maze.width()) * CELL + MARGIN,
                i32::from(maze.height()) * CELL + MARGIN,
            ],
            ..Scene::default()
        };
        scene.caption = match self.outcome() {
            Some(outcome) => ending(&outcome, None),
            None => format!(
                "turn {} of {}, {} cheese left",
                state.turn(),
                state.max_turns(),
                state.cheese_left()
            ),
        };
        floor(&mut scene, maze);
        walls(&mut scene, maze);
        for cell in state.cheese() {
            let at = maze.point(cell);
            let cheese =
                Shape::new(cell.index() as u32, ShapeForm::Sprite("cheese", 60), place(maze, at));
            scene.add(cheese.layer(CHEESE).label(format!("cheese at {at}")));
        }
        for side in Side::BOTH {
            scene.seats.push(self.seat(side));
            scene.add(self.animal(side, news));
        }
        scene
    }

    fn seat(&self, side: Side) -> SeatLine {
        let player = self.state().player(side);
        let mut facts = vec![Fact("cheese", player.score.points())];
        if player.mud > 0 {
            facts.push(Fact("more in mud", f64::from(player.mud)));
        }
        SeatLine {
            to_act: !self.is_gone(side) && self.outcome().is_none(),
            gone: self.is_gone(side),
            role: side.name().to_owned(),
            tint: None,
            facts,
        }
    }

    fn animal(&self, side: Side, news: &[Told<Event>]) -> Shape {
        let (state, maze) = (self.state(), self.state().maze());
        let (player, at) = (state.player(side), state.point_of(side));
        let [x, y] = place(maze, at);
        // Two on one cell stand side by side, and are smaller.
        let together = Side::BOTH.iter().all(|other| state.point_of(*other) == at);
        let (shift, size) = match side {
            Side::Rat if together => (-24, 52),
            Side::Python if together => (24, 52),
            Side::Rat | Side::Python => (0, 74),
        };
        let ate = news.iter().any(|told| told.event.taken.contains(&at));
        let mut label = format!("{side} at {at}, {} cheese", player.score.points());
        let animal = Shape::new(side.name(), ShapeForm::Sprite(side.name(), size), [x + shift, y])
            .layer(PLAYERS)
            .fill(PlayerId(side.index() as u16).into())
            .mark(ate.then_some(Mark::Last));
        match player.mud {
            0 => animal.label(label),
            mud => {
                label.push_str(&format!(", {} in mud", game::count(mud.into(), "more turn")));
                animal.label(label).faint(35).text(mud.to_string())
            }
        }
    }
}
