//! The board as a scene.

use game::PlayerId;
use table::scene::{CELL, Fact, Mark, Point, Scene, SeatLine, Shape, ShapeForm, Tint, ending};

use super::board::{Cell, Size, Stone};
use super::lines::winning_line;
use super::state::{BOTH, Gomoku, Phase};

/// What lies below the stones, and what lies on the board beside the lines.
const BOARD: i8 = -2;
const LINES: i8 = -1;

/// Coordinates are written this far from the rim.
const RIM: i32 = 34;

pub(super) fn tint(stone: Stone) -> Tint {
    Tint::Named(name(stone))
}

pub(super) fn name(stone: Stone) -> &'static str {
    match stone {
        Stone::Black => "black",
        Stone::White => "white",
    }
}

pub(super) fn place(cell: Cell) -> Point {
    [i32::from(cell.x) * CELL + CELL, i32::from(cell.y) * CELL + CELL]
}

/// The crossings with a dot: as on a printed board if the side is odd and large enough, the middle otherwise.
fn dots(size: Size) -> Vec<[u16; 2]> {
    let (width, height) = (u16::from(size.width), u16::from(size.height));
    let on_side = |side: u16| match side {
        13.. if side % 2 == 1 => vec![3, side / 2, side - 4],
        9.. if side % 2 == 1 => vec![2, side / 2, side - 3],
        _ if side % 2 == 1 => vec![side / 2],
        _ => Vec::new(),
    };
    let (columns, rows) = (on_side(width), on_side(height));
    let is_corner_or_middle = |[x, y]: &[u16; 2]| (*x == width / 2) == (*y == height / 2);
    let all = columns.iter().flat_map(|x| rows.iter().map(move |y| [*x, *y]));
    all.filter(is_corner_or_middle).collect()
}

fn board(scene: &mut Scene, size: Size) {
    let [width, height] = scene.size;
    let wood = ShapeForm::Box(width, height, 30);
    let middle = [width / 2, height / 2];
    scene.add(Shape::new("board", wood, middle).layer(BOARD).fill(Tint::Named("wood")));
    let lines = ShapeForm::Lattice(size.width.into(), size.height.into(), dots(size));
    let lattice = Shape::new("lines", lines, [CELL, CELL]).layer(LINES);
    scene.add(lattice.edge(Tint::Named("wood-line")));
    let number = |key: String, number: u8, at: Point| {
        let text = Shape::new(key, ShapeForm::Text(34), at).layer(LINES).text(number.to_string());
        text.fill(Tint::Named("wood-ink"))
    };
    for x in 0..size.width {
        scene.add(number(format!("x{x}"), x, [i32::from(x) * CELL + CELL, RIM]));
    }
    for y in 0..size.height {
        scene.add(number(format!("y{y}"), y, [RIM, i32::from(y) * CELL + CELL]));
    }
}

/// What is to be done next, or how it ended.
fn caption(game: &Gomoku) -> String {
    match game.phase() {
        Phase::Over(outcome) => ending(outcome, None),
        Phase::Three => "swap2: the first three stones".to_owned(),
        Phase::Choose | Phase::ChooseLast => "swap2: choosing a colour".to_owned(),
        Phase::Play => {
            format!("move {}, {} to play", game.stones().len() + 1, name(game.next_stone()))
        }
    }
}

fn seat(game: &Gomoku, player: PlayerId) -> SeatLine {
    let (stone, all) = (game.colour(player), game.stones().len());
    let own = match stone {
        Stone::Black => all.div_ceil(2),
        Stone::White => all / 2,
    };
    SeatLine {
        to_act: game.mover() == Some(player),
        gone: game.outcome().is_some_and(|outcome| outcome.ending.forfeit_of(player).is_some()),
        role: name(stone).to_owned(),
        tint: Some(tint(stone)),
        facts: vec![Fact("stones", own as f64)],
    }
}

impl Gomoku {
    /// The whole board: nothing is hidden from anybody.
    pub(super) fn to_scene(&self) -> Scene {
        let size = self.board().size();
        let mut scene = Scene::new(i32::from(size.width) + 1, i32::from(size.height) + 1);
        scene.caption = caption(self);
        scene.seats = BOTH.map(|player| seat(self, player)).into();
        board(&mut scene, size);
        let last = self.stones().last().copied();
        let line = last
            .filter(|_| self.outcome().is_some())
            .and_then(|cell| winning_line(self.board(), self.rule_name(), cell))
            .unwrap_or_default();
        for (number, &cell) in self.stones().iter().enumerate() {
            let stone = if number % 2 == 0 { Stone::Black } else { Stone::White };
            let mark = match line.contains(&cell) {
                true => Some(Mark::Win),
                false => (Some(cell) == last).then_some(Mark::Last),
            };
            let label = format!("{} {cell}, move {}", name(stone), number + 1);
            let disc = Shape::new(number as u32, ShapeForm::Disc(46), place(cell));
            scene.add(disc.fill(tint(stone)).mark(mark).label(label));
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Game as _, Moves, Seed};

    use super::super::setup::Config;
    use super::super::state::Action;
    use super::*;

    fn scene(cells: &[(u8, u8)]) -> Scene {
        let mut game = Gomoku::start(&Config::default(), 2, Seed(1)).expect("a sound set-up");
        for (index, &(x, y)) in cells.iter().enumerate() {
            let moves = Moves::one(ActorId(index as u32 % 2), Action::Put(Cell { x, y }));
            game.step(&moves, &mut Vec::new());
        }
        game.to_scene()
    }

    fn marked(scene: &Scene, mark: Mark) -> Vec<&str> {
        let shapes = scene.shapes.iter().filter(|shape| shape.mark == Some(mark));
        shapes.map(|shape| shape.label.as_deref().expect("stones have labels")).collect()
    }

    #[test]
    fn the_last_stone_is_marked_and_then_the_line_that_won() {
        let scene_of_two = scene(&[(7, 7), (8, 9)]);
        assert_eq!(marked(&scene_of_two, Mark::Last), ["white 8,9, move 2"]);
        assert_eq!(scene_of_two.caption, "move 3, black to play");
        assert!(scene_of_two.seats[0].to_act && !scene_of_two.seats[1].to_act);
        let won = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0)];
        let scene = scene(&won);
        assert_eq!(marked(&scene, Mark::Win).len(), 5);
        assert_eq!(marked(&scene, Mark::Last), [""; 0]);
        assert_eq!(scene.seats[0].facts, [Fact("stones", 5.0)]);
    }

    #[test]
    fn dots_are_where_they_are_printed() {
        let of = |width, height| dots(Size { width, height });
        assert_eq!(of(15, 15), [[3, 3], [3, 11], [7, 7], [11, 3], [11, 11]]);
        assert_eq!(of(9, 9), [[2, 2], [2, 6], [4, 4], [6, 2], [6, 6]]);
        assert_eq!(of(5, 7), [[2, 3]]);
        assert_eq!(of(20, 20), [[0; 2]; 0]);
    }
}
