//! The land as a scene: all of it, or what one player knows.

use game::{ActorId, Eye, Game as _, PlayerId, Told};
use table::scene::{
    CELL, CellKind, Fact, Grid, Mark, Path, Scene, SeatLine, Shape, ShapeForm, Sprite, Tint, ending,
};

use super::colony::Ant;
use super::event::{Event, Who};
use super::land::{Content, Direction, Point};
use super::state::Ants;
use super::view::{Foreign, View};

/// With more ants, labels say only which ant it is: figures that change in every turn are half of a film.
const MOST_FIGURES: usize = 24;
/// So many keys are for the ants of one player.
const KEYS_OF_PLAYER: u32 = 64;
/// The picture of a known land grows by so many cells at a time.
const GROWTH: u16 = 8;

const VEIL: i8 = 1;
const ANTS: i8 = 2;
const ACID: i8 = 3;

pub(super) const SPRITES: &[Sprite] = &[
    // Looks east.
    Sprite {
        name: "ant",
        side: 100,
        paths: &[
            Path(
                "M36 51L24 21L28 20L40 49zM36 49L24 79L28 80L40 51zM48 50V19H52V50zM48 50V81H52V50z\
                 M58 49L70 20L74 21L62 51zM58 51L70 80L74 79L62 49zM82 45L94 31L97 34L85 47z\
                 M82 55L94 69L97 66L85 53z",
                None,
            ),
            Path(
                "M22 50m-18 0a18 13 0 1 0 36 0a18 13 0 1 0 -36 0zM52 50m-12 0a12 10 0 1 0 24 0a12 10 0 1 0 -24 0z\
                 M78 50m-14 0a14 12 0 1 0 28 0a14 12 0 1 0 -28 0z",
                None,
            ),
            Path("M84 43a3 3 0 1 0 0.1 0zM84 51a3 3 0 1 0 0.1 0z", Some("white")),
        ],
    },
    Sprite {
        name: "sugar",
        side: 100,
        paths: &[
            Path("M26 38L50 52L74 38L50 24z", Some("sugar-light")),
            Path("M50 52V80L26 66V38z", Some("sugar")),
            Path("M50 52V80L74 66V38z", Some("sugar-dark")),
        ],
    },
    Sprite {
        name: "mill",
        side: 100,
        paths: &[
            Path("M48 64h4v28h-4z", Some("stalk")),
            Path("M50 18C62 34 62 50 50 62C38 50 38 34 50 18z", Some("grain-light")),
            Path(
                "M30 40C46 44 54 56 50 74C34 70 26 56 30 40zM70 40C54 44 46 56 50 74C66 70 74 56 70 40z",
                Some("grain"),
            ),
        ],
    },
    Sprite {
        name: "meat",
        side: 100,
        paths: &[
            Path("M62 68L70 60L88 78A6 6 0 0 1 80 88z", Some("bone")),
            Path("M24 54C24 30 46 20 62 26C80 32 84 54 70 68C56 82 24 80 24 54z", Some("meat")),
            Path(
                "M36 52C36 40 48 36 56 40C66 44 66 56 58 62C50 68 36 66 36 52z",
                Some("meat-light"),
            ),
        ],
    },
    Sprite {
        name: "corpse",
        side: 100,
        paths: &[
            Path(
                "M30 20L50 40L70 20L80 30L60 50L80 70L70 80L50 60L30 80L20 70L40 50L20 30z",
                Some("shade"),
            ),
            Path("M24 54C24 34 46 26 60 32C76 38 78 54 66 66C54 78 24 76 24 54z", Some("meat")),
        ],
    },
];

/// By [`Content::code`], then what has no code of its own.
const KINDS: [CellKind; 8] = [
    CellKind(Tint::Named("grass"), "grass", None),
    CellKind(Tint::Named("grass"), "sugar", Some("sugar")),
    CellKind(Tint::Named("rock"), "rock", None),
    CellKind(Tint::Named("grass"), "mill", Some("mill")),
    CellKind(Tint::Named("water"), "water", None),
    CellKind(Tint::Named("grass"), "meat", Some("meat")),
    CellKind(Tint::Named("grass"), "dead ant", Some("corpse")),
    CellKind(Tint::Named("unknown"), "unknown", None),
];
const CORPSE: u8 = 6;
const UNKNOWN: u8 = 7;

fn degrees(facing: Direction) -> i16 {
    match facing {
        Direction::East => 0,
        Direction::South => 90,
        Direction::West => 180,
        Direction::North => 270,
    }
}

pub(super) fn place(at: Point) -> [i32; 2] {
    [i32::from(at.x) * CELL + CELL / 2, i32::from(at.y) * CELL + CELL / 2]
}

fn sprite(key: impl Into<table::scene::Key>, at: Point, facing: Direction) -> Shape {
    Shape::new(key, ShapeForm::Sprite("ant", 96), place(at)).layer(ANTS).turn(degrees(facing))
}

impl Ants {
    pub(super) fn to_scene(&self, eyes: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        let mut scene = match eyes {
            None => self.whole(news),
            Some(player) => {
                let first = ActorId((player.index() * self.blocks.len()) as u32);
                let view = self.view(Eye::Actor(first));
                known(&view, player, self.colonies.len() as u16, Some(self.rules.energy))
            }
        };
        scene.caption = match self.outcome() {
            Some(outcome) => ending(&outcome, eyes),
            None if eyes.is_some() => scene.caption,
            None => format!("turn {} of {}", self.turn, self.rules.max_turns),
        };
        scene.seats =
            (0..).map(PlayerId).take(self.colonies.len()).map(|p| self.seat(p, eyes)).collect();
        scene
    }

    fn whole(&self, news: &[Told<Event>]) -> Scene {
        let (columns, rows) = (self.land.width(), self.land.height());
        let kind = |content: &Content| match content {
            Content::Corpse => CORPSE,
            Content::Grass | Content::Rock | Content::Water | Content::Food(_) => content.code(),
        };
        let mut scene = Scene::new(columns.into(), rows.into());
        let cells = self.land.cells().iter().map(kind).collect();
        let grid = Grid { columns, rows, cells, kinds: KINDS.into() };
        scene.add(Shape::new("land", ShapeForm::Grid(grid), [0, 0]));
        let mut hurt = Vec::new();
        for told in news {
            if let Event::Hit { by, victim, acid } = &told.event {
                scene.add(self.spray(*by, *victim, *acid));
                hurt.push(*victim);
            }
        }
        let figures = self.living().count() <= MOST_FIGURES;
        for (who, ant) in self.living() {
            let key = u32::from(who.player.0) * KEYS_OF_PLAYER + u32::from(who.ant);
            let shape = sprite(key, ant.at, ant.facing).fill(who.player.into());
            let name = format!("ant {} of §{}", who.ant, who.player.0);
            let label = if figures { format!("{name}, {}", in_figures(ant)) } else { name };
            let mark = (figures && hurt.contains(&who)).then_some(Mark::Hurt);
            scene.add(shape.label(label).mark(mark).faint(faintness(ant, self.rules.energy)));
        }
        scene
    }

    fn seat(&self, player: PlayerId, eyes: Option<PlayerId>) -> SeatLine {
        let role = format!("colony {}", player.0 + 1);
        if eyes.is_some_and(|eyes| eyes != player) {
            return SeatLine { role, ..SeatLine::default() };
        }
        let colony = &self.colonies[player.index()];
        let alive = colony.living().count();
        let gone = alive == 0 || colony.gone.iter().all(Option::is_some);
        let facts = vec![
            Fact("score", f64::from(colony.score())),
            Fact("ants", alive as f64),
            Fact("eaten", f64::from(colony.eaten)),
        ];
        SeatLine { to_act: !gone && !self.over(), gone, role, facts, tint: None }
    }

    fn spray(&self, by: Who, victim: Who, acid: u32) -> Shape {
        let at = |who: Who| place(self.colonies[who.player.index()].ants[usize::from(who.ant)].at);
        let key = format!("h{}.{}", by.player.0, by.ant);
        let line = Shape::new(key, ShapeForm::Line(at(victim), 14), at(by)).layer(ACID);
        line.edge(Tint::Named("danger")).label(format!("{acid} acid"))
    }
}

/// What one player has ever seen, with a veil over what it does not see now. How much energy an ant has at the start,
/// a view does not say.
pub(super) fn known(view: &View, player: PlayerId, players: u16, energy: Option<u32>) -> Scene {
    let map = &view.map;
    // How large the rest is, nobody has told it.
    let [columns, rows] =
        [map.width(), map.height()].map(|side| side.max(1).div_ceil(GROWTH) * GROWTH);
    let mut scene = Scene::new(columns.into(), rows.into());
    scene.caption = match view.over {
        true => "the game is over".to_owned(),
        false => format!("turn {}", view.turn),
    };
    let area = usize::from(columns) * usize::from(rows);
    let (mut land, mut veil) = (vec![UNKNOWN; area], vec![0; area]);
    for (at, sight) in map.known() {
        let index = usize::from(at.y) * usize::from(columns) + usize::from(at.x);
        land[index] = sight.content.code();
        veil[index] = u8::from(!sight.now);
    }
    let grid = Grid { columns, rows, cells: land, kinds: KINDS.into() };
    scene.add(Shape::new("land", ShapeForm::Grid(grid), [0, 0]));
    let kinds = vec![
        CellKind(Tint::Named("clear"), "in sight or unknown", None),
        CellKind(Tint::Named("veil"), "remembered", None),
    ];
    let grid = Grid { columns, rows, cells: veil, kinds };
    scene.add(Shape::new("veil", ShapeForm::Grid(grid), [0, 0]).layer(VEIL));
    let own = (0_u32..).zip(&view.own).filter(|(_, ant)| ant.alive());
    for (id, ant) in own {
        let shape = sprite(id, ant.at, ant.facing).fill(player.into());
        let label = format!("ant {id}, {}", in_figures(ant));
        let faint = energy.map_or(0, |energy| faintness(ant, energy));
        scene.add(shape.label(label).faint(faint));
    }
    // They have no names: one that moves is another one.
    for Foreign { at, facing } in &view.foreign {
        let shape = sprite(format!("{},{}", at.x, at.y), *at, *facing);
        scene.add(shape.fill(Tint::Named("stranger")).label("a foreign ant"));
    }
    let alive: Vec<&Ant> = view.own.iter().filter(|ant| ant.alive()).collect();
    let seat = |seat: u16| {
        let role = format!("colony {}", seat + 1);
        if seat != player.0 {
            return SeatLine { role, ..SeatLine::default() };
        }
        let energy: u32 = alive.iter().map(|ant| ant.energy).sum();
        let facts = vec![Fact("ants", alive.len() as f64), Fact("energy", f64::from(energy))];
        let gone = alive.is_empty();
        SeatLine { to_act: !gone && !view.over, gone, role, facts, tint: None }
    };
    scene.seats = (0..players).map(seat).collect();
    scene
}

/// Hungry ants are pale, in steps.
fn faintness(ant: &Ant, energy: u32) -> u8 {
    match 4 * ant.energy / energy.max(1) {
        0 => 45,
        1 => 20,
        2.. => 0,
    }
}

fn in_figures(ant: &Ant) -> String {
    format!("energy {}, acid {}", ant.energy, ant.acid)
}
