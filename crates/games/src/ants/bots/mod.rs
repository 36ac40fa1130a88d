//! Simple built-in bots, and all of them by name.

pub(super) mod forager;
pub(super) mod routes;

use game::{Bot, Budget, Rng, Seed};
use table::BotCard;

use self::forager::Forager;
use self::routes::{Edges, Way, ways};
use crate::ants::colony::Ant;
use crate::ants::land::Point;
use crate::ants::orders::{Order, Orders};
use crate::ants::setup::Rules;
use crate::ants::state::Ants;
use crate::ants::view::View;

pub(super) const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "every ant does anything, evenly" },
    BotCard { name: "simple", about: "every ant goes to the nearest food it knows, or explores" },
    BotCard {
        name: "forager",
        about: "assigns food and unknown cells to its ants, and attacks whatever ant is in front",
    },
];

/// The built-in bot with this name. Bots of the same seed play the same.
pub fn bot(name: &str, rules: Rules, seed: Seed) -> Option<Box<dyn Bot<Ants>>> {
    match name {
        "random" => Some(Box::new(Random::new(seed))),
        "simple" => Some(Box::new(Simple::new(seed))),
        "forager" => Some(Box::new(Forager::new(rules))),
        _ => None,
    }
}

/// The living ants that a program commands, with their ids.
pub(super) fn commanded(view: &View) -> impl Iterator<Item = (u8, &Ant)> {
    let ants = view.own.iter().zip(0_u8..).map(|(ant, id)| (id, ant));
    ants.filter(|(id, ant)| view.ids.contains(id) && ant.alive())
}

/// Whether a living ant that can be seen is in a cell.
pub(super) fn occupied(view: &View, at: Point) -> bool {
    view.own.iter().any(|ant| ant.alive() && ant.at == at)
        || view.foreign.binary_search_by_key(&at, |ant| ant.at).is_ok()
}

/// Does anything.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// A bot whose choices come from `seed`.
    pub fn new(seed: Seed) -> Random {
        Random { rng: seed.rng("random bot") }
    }
}

impl Bot<Ants> for Random {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Orders {
        let mut orders = Orders::REST;
        for (id, _) in commanded(view) {
            let order = match self.rng.below(5) {
                0 => Order::Left,
                1 => Order::Right,
                2 => Order::Forward,
                3 => Order::Attack(1 + self.rng.below(20) as u16),
                _ => Order::Rest,
            };
            orders.give(id, order);
        }
        orders
    }
}

/// Turning round and one step take three turns: whoever stands longer is in a jam.
const JAMMED: u32 = 3;
/// How far an ant goes out of the way then, in turns.
const DETOUR: u32 = 6;

/// Sends every ant to the nearest food, or to the nearest place from which it sees something new.
///
/// No two of its ants step into the same cell, where both would be stopped. An ant that is in a jam
/// all the same, with foreign ants or in a narrow place, goes to some cell nearby first.
#[derive(Clone, Debug)]
pub struct Simple {
    rng: Rng,
    edges: Edges,
    walkers: Vec<Walker>,
}

/// What is remembered of one ant.
#[derive(Clone, Copy, Debug, Default)]
struct Walker {
    at: Option<Point>,
    /// How many turns it has stood there.
    stood: u32,
    /// Where it goes to get out of a jam, and until which turn.
    detour: Option<(Point, u32)>,
}

impl Simple {
    /// A bot whose detours come from `seed`.
    pub fn new(seed: Seed) -> Simple {
        Simple { rng: seed.rng("simple bot"), edges: Edges::default(), walkers: Vec::new() }
    }

    /// Where an ant goes, if there is anything to go to.
    fn way(&mut self, view: &View, id: usize, ant: &Ant, ways: &[Way]) -> Option<Way> {
        let walker = &mut self.walkers[id];
        walker.stood = if walker.at == Some(ant.at) { walker.stood + 1 } else { 0 };
        walker.at = Some(ant.at);
        walker.detour = walker.detour.filter(|(to, until)| *to != ant.at && view.turn < *until);
        let aims =
            ways.iter().any(|way| self.edges.unseen(&view.map, way.to) > 0 || feeds(view, way));
        if walker.detour.is_none() && (walker.stood >= JAMMED || !aims) {
            let near: Vec<&Way> =
                ways.iter().filter(|way| way.strides > 0 && way.turns <= DETOUR).collect();
            walker.detour = self.rng.pick(&near).map(|way| (way.to, view.turn + DETOUR));
        }
        if let Some((to, _)) = walker.detour {
            return ways.iter().find(|way| way.to == to).copied();
        }
        let new = |way: &&Way| self.edges.unseen(&view.map, way.to) > 0;
        ways.iter().find(|way| feeds(view, way)).or_else(|| ways.iter().find(new)).copied()
    }
}

/// Whether there is food at the end of a way.
fn feeds(view: &View, way: &Way) -> bool {
    view.map.at(way.to).is_some_and(|sight| sight.content.food().is_some())
}

impl Bot<Ants> for Simple {
    fn act(&mut self, view: &View, budget: &dyn Budget) -> Orders {
        self.edges.learn(&view.map, view.own.iter().filter(|ant| ant.alive()));
        self.walkers.resize(view.own.len(), Walker::default());
        let mut orders = Orders::REST;
        let mut claimed: Vec<Point> = Vec::new();
        for (id, ant) in commanded(view) {
            if budget.stopped() {
                break;
            }
            let taken = |at: Point| occupied(view, at) || claimed.contains(&at);
            let ways = ways(&view.map, ant, taken);
            if let Some(way) = self.way(view, id.into(), ant, &ways) {
                claimed.extend(ant.at.next(ant.facing).filter(|_| way.first == Order::Forward));
                orders.give(id, way.first);
            }
        }
        orders
    }
}
