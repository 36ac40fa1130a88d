//! Simple built-in bots, and all of them by name.

use game::{Bot, Budget, Rng, Seed};
use table::BotCard;

use super::colony::Ant;
use super::forager::Forager;
use super::land::Point;
use super::orders::{Order, Orders};
use super::routes::{Edges, Way, ways};
use super::setup::Rules;
use super::state::Ants;
use super::view::View;

pub(super) const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "every ant does anything, evenly" },
    BotCard { name: "simple", about: "every ant goes to the nearest food it knows, or explores" },
    BotCard {
        name: "forager",
        about: "shares food and unknown land among its ants, and sprays whoever is in front",
    },
];

/// The built-in bot with this name. Bots of the same seed play the same.
pub fn bot(name: &str, rules: Rules, seed: Seed) -> Option<Box<dyn Bot<Ants>>> {
    match name {
        "random" => Some(Box::new(Random::new(seed))),
        "simple" => Some(Box::new(Simple::default())),
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

/// Sends every ant to the nearest food, or to the nearest place from which it sees something new.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    edges: Edges,
}

impl Bot<Ants> for Simple {
    fn act(&mut self, view: &View, budget: &dyn Budget) -> Orders {
        self.edges.learn(&view.map, view.own.iter().filter(|ant| ant.alive()));
        let mut orders = Orders::REST;
        for (id, ant) in commanded(view) {
            if budget.stopped() {
                break;
            }
            let ways = ways(&view.map, ant, |at| occupied(view, at));
            let feeds = |way: &&Way| {
                view.map.at(way.to).is_some_and(|sight| sight.content.food().is_some())
            };
            let new = |way: &&Way| self.edges.unseen(&view.map, way.to) > 0;
            if let Some(way) = ways.iter().find(feeds).or_else(|| ways.iter().find(new)) {
                orders.give(id, way.first);
            }
        }
        orders
    }
}
