//! The world as a scene: all of it, or what one player's agents see together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use game::{ActorId, PlayerId, Told};
use table::scene::{
    CELL, CellKind, Fact, Grid, Key, Mark, Scene, SeatLine, Shape, ShapeForm, Tint, ending,
};

use super::action::Event;
use super::grid::{Cell, Direction, Size};
use super::state::{Agent, Petri};
use super::tag::Tag;
use super::view::{Neighbour, Own};

/// In larger crowds nobody reads labels.
const MOST_LABELS: usize = 200;

const ATTACKS: i8 = 2;
const AGENTS: i8 = 1;

/// Steps of size, so that small changes need not be told.
fn radius(energy: i32) -> i32 {
    match energy {
        ..=3 => 20,
        4..=7 => 26,
        8..=15 => 32,
        16..=31 => 38,
        _ => 45,
    }
}

pub(super) fn place(cell: Cell) -> [i32; 2] {
    [i32::from(cell.x) * CELL + CELL / 2, i32::from(cell.y) * CELL + CELL / 2]
}

impl Petri {
    pub(super) fn to_scene(&self, eyes: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        match eyes {
            None => self.whole(news),
            Some(player) => self.seen_together(player),
        }
    }

    fn whole(&self, news: &[Told<Event>]) -> Scene {
        let mut scene = empty_scene(self.size(), vec![0; self.size().cells()]);
        let (agents, most) = (self.agents().len(), self.config().max_ticks);
        scene.caption = match self.outcome() {
            Some(outcome) => ending(&outcome, None),
            None => format!("tick {} of {most}, {agents} agents", self.ticks()),
        };
        let few = agents <= MOST_LABELS;
        let by_tag: HashMap<Tag, &Agent> = match news.is_empty() {
            true => HashMap::new(),
            false => self.agents().iter().map(|agent| (agent.tag, agent)).collect(),
        };
        let mut parents: HashMap<Tag, ActorId> = HashMap::new();
        let mut hurt: BTreeSet<ActorId> = BTreeSet::new();
        for told in news {
            match &told.event {
                Event::Attacked { by, target } => {
                    if let (Some(by), Some(target)) = (by_tag.get(by), by_tag.get(target)) {
                        scene.add(attack(by, target));
                        hurt.insert(target.id);
                    }
                }
                Event::Born { agent, parent, .. } => {
                    parents.extend(by_tag.get(parent).map(|parent| (*agent, parent.id)));
                }
                Event::Died { .. } => {}
            }
        }
        for agent in self.agents() {
            let mut shape =
                disc(Key::Number(agent.id.0), agent.at, agent.energy).fill(agent.player.into());
            if few {
                let Agent { tag, player, energy, generation, .. } = agent;
                shape = shape
                    .text(energy.to_string())
                    .label(format!(
                        "{tag} of §{}, energy {energy}, generation {generation}",
                        player.0
                    ))
                    .mark(hurt.contains(&agent.id).then_some(Mark::Hurt));
            }
            if let Some(parent) = parents.get(&agent.tag) {
                shape = shape.from(parent.0);
            }
            scene.add(shape);
        }
        let energies = self.energies();
        let line = |(player, energy): (usize, i64)| {
            let species = &self.species()[player];
            let mut line = seat(player, Some((species.agents, energy)));
            line.gone = species.extinct.is_some();
            line.to_act = !line.gone && !self.is_over();
            line
        };
        scene.seats = energies.into_iter().enumerate().map(line).collect();
        scene
    }

    /// An agent sees its neighbours, but not whose they are; nobody tells a player more than its agents see.
    fn seen_together(&self, player: PlayerId) -> Scene {
        let own = self.agents().iter().filter(|agent| agent.player == player);
        let own: Vec<Own> = own.map(|agent| self.seen_by(agent)).collect();
        let mut scene = known(self.size(), self.ticks(), &own, player, self.species().len());
        if let Some(outcome) = self.outcome() {
            scene.caption = ending(&outcome, Some(player));
            scene.seats[player.index()].to_act = false;
        }
        scene
    }
}

/// What one player's agents see together after so many ticks.
pub(super) fn known(
    size: Size,
    ticks: u32,
    own: &[Own],
    player: PlayerId,
    players: usize,
) -> Scene {
    let (mut cells, mut strangers) = (vec![1; size.cells()], BTreeMap::new());
    let tags: HashSet<Tag> = own.iter().map(|agent| agent.tag).collect();
    for agent in own {
        cells[size.index(agent.at)] = 0;
        for (way, other) in Direction::ALL.into_iter().zip(agent.around) {
            let Some(cell) = size.neighbour(agent.at, way) else { continue };
            cells[size.index(cell)] = 0;
            if let Some(other) = other.filter(|other| !tags.contains(&other.tag)) {
                strangers.insert(size.index(cell), other);
            }
        }
    }
    let mut scene = empty_scene(size, cells);
    scene.caption = format!("tick {ticks}");
    // A number would tell how many were born before.
    let key = |tag: Tag| Key::Name(tag.to_string());
    let few = own.len() <= MOST_LABELS;
    for Own { tag, at, energy, generation, .. } in own {
        let mut shape = disc(key(*tag), *at, *energy).fill(player.into());
        if few {
            let label = format!("{tag}, energy {energy}, generation {generation}");
            shape = shape.text(energy.to_string()).label(label);
        }
        scene.add(shape);
    }
    for (index, Neighbour { tag, energy }) in strangers {
        let mut shape = disc(key(tag), size.cell(index), energy).fill(Tint::Named("stranger"));
        if few {
            let label = format!("{tag}, energy {energy}; there is no telling whose");
            shape = shape.text(energy.to_string()).label(label);
        }
        scene.add(shape);
    }
    let energy = own.iter().map(|agent| i64::from(agent.energy)).sum();
    let line = |number: usize| match number == player.index() {
        true => {
            let alive = own.len() as u32;
            let line = seat(number, Some((alive, energy)));
            SeatLine { to_act: alive > 0, gone: alive == 0, ..line }
        }
        false => seat(number, None),
    };
    scene.seats = (0..players).map(line).collect();
    scene
}

fn empty_scene(size: Size, cells: Vec<u8>) -> Scene {
    let mut scene = Scene::new(size.width.into(), size.height.into());
    let kinds = vec![
        CellKind(Tint::Named("dish"), "in sight", None),
        CellKind(Tint::Named("fog"), "out of sight", None),
    ];
    let grid = Grid { columns: size.width, rows: size.height, cells, kinds };
    scene.add(Shape::new("dish", ShapeForm::Grid(grid), [0, 0]));
    scene
}

fn seat(player: usize, known: Option<(u32, i64)>) -> SeatLine {
    let facts = known.map(|(agents, energy)| {
        vec![Fact("agents", f64::from(agents)), Fact("energy", energy as f64)]
    });
    let role = format!("species {}", player + 1);
    SeatLine { role, facts: facts.unwrap_or_default(), ..SeatLine::default() }
}

fn disc(key: Key, at: Cell, energy: i32) -> Shape {
    Shape::new(key, ShapeForm::Disc(radius(energy)), place(at)).layer(AGENTS)
}

fn attack(by: &Agent, target: &Agent) -> Shape {
    let key = format!("a{}", by.id.0);
    let line = Shape::new(key, ShapeForm::Line(place(target.at), 8), place(by.at)).layer(ATTACKS);
    line.edge(Tint::Named("danger")).faint(30)
}
