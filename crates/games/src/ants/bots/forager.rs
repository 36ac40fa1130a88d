//! The strong built-in bot: a colony that works together.

use game::{Bot, Budget};

use super::routes::{Edges, Way, around, ways};
use super::{commanded, occupied};
use crate::ants::colony::Ant;
use crate::ants::land::Point;
use crate::ants::orders::{Order, Orders};
use crate::ants::setup::{LONGEST_SIDE, Rules};
use crate::ants::state::Ants;
use crate::ants::view::View;

/// Less acid is not worth a turn.
const LEAST_ACID: u32 = 10;
/// With so much acid an ant turns towards a foreign one at its side.
const BOLD_ACID: u32 = 60;
/// What seeing a new cell is worth, in hundredths of energy.
const NEWS: u64 = 90;
/// What it is worth to see a cell again that has not been seen for a long time: food may have
/// appeared there.
const NEWS_AGAIN: u64 = 30;
/// A long time, in turns.
const LONG: u32 = 40;
/// Two ants do not explore closer to each other than this.
const ELBOW_ROOM: u16 = 5;

/// Shares food and unknown land among its ants.
#[derive(Clone, Debug)]
pub struct Forager {
    rules: Rules,
    edges: Edges,
    /// When cells were last seen, by row and column of a map that is so long on a side.
    seen: Vec<u32>,
    side: u16,
}

/// Something an ant could do.
struct Plan {
    /// Which of the ants at work.
    worker: usize,
    way: Way,
    /// Gain per turn, in hundredths.
    rate: u64,
    errand: Errand,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Errand {
    Eat,
    Explore,
}

impl Forager {
    /// A bot for a game with these rules.
    pub fn new(rules: Rules) -> Forager {
        let mut forager = Forager { rules, edges: Edges::default(), seen: Vec::new(), side: 0 };
        forager.make_room(LONGEST_SIDE);
        forager
    }

    /// Other hosts may have larger maps than this one: then it forgets when cells were seen.
    fn make_room(&mut self, side: u16) {
        if side > self.side {
            self.side = side;
            self.seen = vec![0; usize::from(side) * usize::from(side)];
        }
    }

    /// The place of a known cell in what it has seen.
    fn place(&self, cell: Point) -> usize {
        usize::from(cell.y) * usize::from(self.side) + usize::from(cell.x)
    }

    /// What there is to see from a cell, in hundredths of energy.
    fn news(&self, view: &View, from: Point) -> u64 {
        let unseen = u64::from(self.edges.unseen(&view.map, from));
        let stale: u64 = around(from)
            .filter(|&cell| view.map.at(cell).is_some_and(|sight| !sight.content.blocks()))
            .map(|cell| u64::from(view.turn.saturating_sub(self.seen[self.place(cell)]).min(LONG)))
            .sum();
        unseen * NEWS + stale * NEWS_AGAIN / u64::from(LONG)
    }

    /// All that is worth doing for one ant.
    fn plans(&self, view: &View, worker: usize, ant: &Ant, plans: &mut Vec<Plan>) {
        let left = self.rules.max_turns.saturating_sub(view.turn);
        for way in ways(&view.map, ant, |at| occupied(view, at)) {
            let Some(sight) = view.map.at(way.to).filter(|_| way.turns <= left) else { continue };
            let cost = way.turns * self.rules.upkeep + way.strides * self.rules.stride;
            if way.turns == 0 || cost >= ant.energy {
                continue;
            }
            if let Some(food) = sight.content.food() {
                let worth = self.rules.worth(food);
                let room =
                    self.rules.most_energy() - (ant.energy - cost).min(self.rules.most_energy());
                let gain =
                    (worth + worth.min(room)).saturating_sub(way.strides * self.rules.stride);
                let rate = u64::from(gain) * 100 / u64::from(way.turns);
                if gain > 0 {
                    plans.push(Plan { worker, way, rate, errand: Errand::Eat });
                }
            } else {
                let news = self.news(view, way.to);
                let cost = u64::from(way.strides * self.rules.stride) * 100;
                // What is found shortly before the end cannot be fetched any more.
                if news > cost / 4 && way.turns + 3 < left {
                    let rate = news / u64::from(way.turns + 1);
                    plans.push(Plan { worker, way, rate, errand: Errand::Explore });
                }
            }
        }
    }

    /// What a foreign ant nearby calls for, if anything.
    fn fight(&self, view: &View, ant: &Ant) -> Option<Order> {
        let foreign = |at: Option<Point>| {
            let at = at?;
            let place = view.foreign.binary_search_by_key(&at, |other| other.at).ok()?;
            Some(view.foreign[place])
        };
        // An ant in front is hit whatever it does: attacks come before moves.
        if ant.acid >= LEAST_ACID && foreign(ant.at.next(ant.facing)).is_some() {
            return Some(Order::Attack(u16::try_from(ant.acid).unwrap_or(1000).min(1000)));
        }
        let sides = [(ant.facing.left(), Order::Left), (ant.facing.right(), Order::Right)];
        let at_side = sides.into_iter().find(|(side, _)| foreign(ant.at.next(*side)).is_some());
        at_side.filter(|_| ant.acid >= BOLD_ACID).map(|(_, turn)| turn)
    }
}

impl Bot<Ants> for Forager {
    fn act(&mut self, view: &View, budget: &dyn Budget) -> Orders {
        self.edges.learn(&view.map, view.own.iter().filter(|ant| ant.alive()));
        self.make_room(view.map.width().max(view.map.height()));
        for (cell, _) in view.map.known().filter(|(_, sight)| sight.now) {
            let place = self.place(cell);
            self.seen[place] = view.turn;
        }
        let mut orders = Orders::REST;
        let mut workers: Vec<(u8, &Ant)> = Vec::new();
        let mut plans = Vec::new();
        for (id, ant) in commanded(view) {
            if budget.stopped() {
                break;
            }
            match self.fight(view, ant) {
                Some(order) => orders.give(id, order),
                None => {
                    self.plans(view, workers.len(), ant, &mut plans);
                    workers.push((id, ant));
                }
            }
        }
        // The best errand of all goes first; it takes its ant and its goal off the list.
        plans.sort_by_key(|plan| std::cmp::Reverse(plan.rate));
        let mut busy = vec![false; workers.len()];
        let mut goals: Vec<(Point, Errand)> = Vec::new();
        let mut claimed: Vec<Point> = Vec::new();
        for plan in &plans {
            let clash = |&(goal, errand): &(Point, Errand)| match (plan.errand, errand) {
                (Errand::Explore, Errand::Explore) => near(goal, plan.way.to),
                (Errand::Eat, Errand::Eat)
                | (Errand::Eat, Errand::Explore)
                | (Errand::Explore, Errand::Eat) => goal == plan.way.to,
            };
            if busy[plan.worker] || goals.iter().any(clash) {
                continue;
            }
            let (id, ant) = workers[plan.worker];
            let ahead = ant.at.next(ant.facing).filter(|_| plan.way.first == Order::Forward);
            if ahead.is_some_and(|to| claimed.contains(&to)) {
                continue;
            }
            claimed.extend(ahead);
            busy[plan.worker] = true;
            goals.push((plan.way.to, plan.errand));
            orders.give(id, plan.way.first);
        }
        orders
    }
}

fn near(a: Point, b: Point) -> bool {
    a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) < ELBOW_ROOM
}
