//! The game itself: what a turn does, and who is ahead.

use std::ops::Range;

use game::{ActorId, Ending, Forfeited, Outcome, PlayerId, Rng, Seed, SetupError, count};
use serde::{Deserialize, Serialize};

use super::colony::{Ant, Colony, Knowledge};
use super::event::{Event, Who};
use super::generate::generate;
use super::land::{Content, Food, Land, Point};
use super::layout::Layout;
use super::orders::{Order, Orders};
use super::setup::{Config, Rules};

/// A game of ants. Every player has an actor for each of its programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ants {
    pub(super) rules: Rules,
    /// The ids of each program of a player.
    pub(super) blocks: Vec<Range<u8>>,
    pub(super) restarts: u32,
    pub(super) turn: u32,
    pub(super) land: Land,
    pub(super) colonies: Vec<Colony>,
    pub(super) chance: Rng,
    /// Food that was eaten and has found no free cell yet.
    pub(super) owed: Vec<Food>,
}

/// What every ant does in a turn, by player and ant.
pub(super) type Deeds = Vec<Vec<Order>>;

/// A living ant that is where others may want to be.
struct Body {
    at: Point,
    who: Who,
    /// Where it goes; `None` if it stays.
    to: Option<Point>,
}

impl Ants {
    /// Sets a game up.
    pub(super) fn new(config: &Config, players: u16, seed: Seed) -> Result<Ants, SetupError> {
        config.check(players)?;
        let layout = Ants::layout(config, players, seed)?;
        let rules = config.rules();
        let blocks = config.programs.blocks(config.ants)?;
        let symmetry = layout.symmetry();
        let Layout { land, starts } = layout;
        let colony = |(player, starts): (usize, Vec<Point>)| Colony {
            ants: starts
                .into_iter()
                .map(|at| Ant {
                    at,
                    facing: symmetry.facing(player),
                    energy: rules.energy,
                    acid: rules.acid,
                })
                .collect(),
            eaten: 0,
            extinct: None,
            gone: vec![None; blocks.len()],
            knowledge: Knowledge::new(&land),
        };
        let colonies = starts.into_iter().enumerate().map(colony).collect();
        let mut game = Ants {
            rules,
            blocks,
            restarts: config.restarts,
            turn: 0,
            land,
            colonies,
            chance: seed.rng("ants food"),
            owed: Vec::new(),
        };
        game.look();
        Ok(game)
    }

    /// The map that a set-up gives or makes.
    pub(super) fn layout(config: &Config, players: u16, seed: Seed) -> Result<Layout, SetupError> {
        match config.map.trim().is_empty() {
            true => generate(config, players, seed),
            false => Layout::parse(config, players),
        }
    }

    /// The ground.
    pub fn land(&self) -> &Land {
        &self.land
    }

    /// The players' ants.
    pub fn colonies(&self) -> &[Colony] {
        &self.colonies
    }

    /// Turns played so far.
    pub fn turn_number(&self) -> u32 {
        self.turn
    }

    /// The player and the block of ids that an actor commands, if it plays in this game at all.
    pub(super) fn post(&self, actor: ActorId) -> Option<(PlayerId, usize)> {
        let (index, blocks) = (actor.0 as usize, self.blocks.len());
        let player = index / blocks;
        (player < self.colonies.len()).then_some((PlayerId(player as u16), index % blocks))
    }

    /// Every program that has not left, in order.
    pub(super) fn present(&self) -> impl Iterator<Item = (ActorId, PlayerId)> + '_ {
        let blocks = self.blocks.len();
        self.colonies.iter().enumerate().flat_map(move |(player, colony)| {
            let here = (0..blocks).filter(|&block| colony.gone[block].is_none());
            here.map(move |block| {
                (ActorId((player * blocks + block) as u32), PlayerId(player as u16))
            })
        })
    }

    /// Plays a turn. "Order: turns (left/right) → attacks → deaths → moves → eating → upkeep →
    /// deaths."
    pub(super) fn play(&mut self, deeds: &Deeds, told: &mut impl FnMut(Event)) {
        self.turn += 1;
        self.rotate(deeds);
        self.attack(deeds, told);
        self.march(deeds);
        self.eat(told);
        self.keep_up(deeds, told);
        for colony in &mut self.colonies {
            if colony.extinct.is_none() && colony.living().next().is_none() {
                colony.extinct = Some(self.turn);
            }
        }
        self.look();
    }

    fn rotate(&mut self, deeds: &Deeds) {
        self.each_living(|who, ant| match deeds[who.player.index()][usize::from(who.ant)] {
            Order::Left => ant.facing = ant.facing.left(),
            Order::Right => ant.facing = ant.facing.right(),
            Order::Rest | Order::Forward | Order::Attack(_) => {}
        });
    }

    /// All at once: an ant that is killed has still attacked.
    fn attack(&mut self, deeds: &Deeds, told: &mut impl FnMut(Event)) {
        let mut sprayed: Vec<(Who, Point, u32)> = Vec::new();
        self.each_living(|who, ant| {
            if let Order::Attack(acid) = deeds[who.player.index()][usize::from(who.ant)] {
                let spent = u32::from(acid).min(ant.acid);
                ant.acid -= spent;
                if let (Some(ahead), true) = (ant.at.next(ant.facing), spent > 0) {
                    sprayed.push((who, ahead, spent));
                }
            }
        });
        if sprayed.is_empty() {
            return;
        }
        let bodies = self.bodies(deeds);
        let mut killed = Vec::new();
        for (by, at, acid) in sprayed {
            let Ok(hit) = bodies.binary_search_by_key(&at, |body| body.at) else { continue };
            let victim = bodies[hit].who;
            told(Event::Hit { by, victim, acid });
            let ant = &mut self.colonies[victim.player.index()].ants[usize::from(victim.ant)];
            if ant.alive() && acid >= ant.energy {
                killed.push(victim);
            }
            ant.energy = ant.energy.saturating_sub(acid);
        }
        killed.into_iter().for_each(|who| self.bury(who, told));
    }

    /// "An ant that dies becomes meat."
    fn bury(&mut self, who: Who, told: &mut impl FnMut(Event)) {
        let at = self.colonies[who.player.index()].ants[usize::from(who.ant)].at;
        self.land.set(at, Content::Corpse);
        told(Event::Died { who, at });
    }

    /// All living ants in the order of their places, and where those go that may try to.
    fn bodies(&self, deeds: &Deeds) -> Vec<Body> {
        let mut bodies = Vec::new();
        for (colony, (player, deeds)) in self.colonies.iter().zip((0..).zip(deeds)) {
            for (ant, (id, deed)) in colony.ants.iter().zip((0..).zip(deeds)) {
                if ant.alive() {
                    let to = match deed {
                        Order::Forward => self.land.open_ahead(ant.at, ant.facing),
                        Order::Rest | Order::Left | Order::Right | Order::Attack(_) => None,
                    };
                    let who = Who { player: PlayerId(player), ant: id };
                    bodies.push(Body { at: ant.at, who, to });
                }
            }
        }
        bodies.sort_unstable_by_key(|body| body.at);
        bodies
    }

    /// "An ant stays if its target cell is blocked, occupied by an ant that stays, or wanted by
    /// two ants; swaps are not possible."
    fn march(&mut self, deeds: &Deeds) {
        let mut bodies = self.bodies(deeds);
        let mut wanted: Vec<Point> = bodies.iter().filter_map(|body| body.to).collect();
        if wanted.is_empty() {
            return;
        }
        wanted.sort_unstable();
        let contested = |to: Point| {
            let first = wanted.partition_point(|other| *other < to);
            wanted.get(first + 1) == Some(&to)
        };
        // First everybody who stays whatever the others do, judged by what all of them wanted.
        let place = |bodies: &[Body], at: Point| bodies.binary_search_by_key(&at, |b| b.at).ok();
        let stays = |body: &Body| {
            let Some(to) = body.to else { return false };
            let swaps = place(&bodies, to).is_some_and(|other| bodies[other].to == Some(body.at));
            swaps || contested(to)
        };
        let stopped: Vec<usize> =
            bodies.iter().enumerate().filter(|(_, body)| stays(body)).map(|(at, _)| at).collect();
        stopped.into_iter().for_each(|body| bodies[body].to = None);
        // Then whoever stands behind one that stays, until nobody else is held up.
        loop {
            let held = |body: &Body| {
                let ahead = body.to.and_then(|to| place(&bodies, to));
                ahead.is_some_and(|other| bodies[other].to.is_none())
            };
            let Some(_) = bodies.iter().find(|body| held(body)) else { break };
            let stopped: Vec<usize> = (0..bodies.len()).filter(|&b| held(&bodies[b])).collect();
            stopped.into_iter().for_each(|body| bodies[body].to = None);
        }
        for Body { who, to, .. } in bodies {
            if let Some(to) = to {
                self.colonies[who.player.index()].ants[usize::from(who.ant)].at = to;
            }
        }
    }

    fn eat(&mut self, told: &mut impl FnMut(Event)) {
        let Ants { rules, land, colonies, owed, .. } = self;
        for (player, colony) in (0..).zip(&mut *colonies) {
            for (id, ant) in (0..).zip(&mut colony.ants) {
                if !ant.alive() {
                    continue;
                }
                let content = land.at(ant.at);
                let Some(food) = content.food() else { continue };
                ant.energy =
                    (ant.energy + rules.worth(food)).min(rules.most_energy()).max(ant.energy);
                colony.eaten += rules.worth(food);
                land.set(ant.at, Content::Grass);
                if content != Content::Corpse {
                    owed.push(food);
                }
                told(Event::Ate { who: Who { player: PlayerId(player), ant: id }, food });
            }
        }
        if !owed.is_empty() {
            self.grow(told);
        }
    }

    /// "New food appears elsewhere": the same kinds, on free grass, as far as there is any.
    fn grow(&mut self, told: &mut impl FnMut(Event)) {
        let mut taken: Vec<Point> = self.living().map(|(_, ant)| ant.at).collect();
        taken.sort_unstable();
        while let Some(&food) = self.owed.first() {
            let Some(at) = self.free_cell(&taken) else { return };
            self.owed.remove(0);
            self.land.set(at, Content::Food(food));
            told(Event::Grew { food, at });
        }
    }

    /// Grass without an ant on it, evenly drawn.
    fn free_cell(&mut self, taken: &[Point]) -> Option<Point> {
        const TRIES: usize = 64;
        let free = |land: &Land, point: Point| {
            land.at(point) == Content::Grass && taken.binary_search(&point).is_err()
        };
        for _ in 0..TRIES {
            let point = self.land.point(self.chance.index(self.land.area()));
            if free(&self.land, point) {
                return Some(point);
            }
        }
        // The map is crowded: look at every cell.
        let all: Vec<Point> = self.land.points().filter(|&point| free(&self.land, point)).collect();
        self.chance.pick(&all).copied()
    }

    fn keep_up(&mut self, deeds: &Deeds, told: &mut impl FnMut(Event)) {
        let rules = self.rules;
        let mut starved = Vec::new();
        self.each_living(|who, ant| {
            let deed = deeds[who.player.index()][usize::from(who.ant)];
            let more = match deed {
                Order::Forward => rules.stride,
                Order::Rest => {
                    ant.acid = (ant.acid + rules.recovery).min(rules.acid);
                    0
                }
                Order::Left | Order::Right | Order::Attack(_) => 0,
            };
            ant.energy = ant.energy.saturating_sub(rules.upkeep + more);
            if !ant.alive() {
                starved.push(who);
            }
        });
        starved.into_iter().for_each(|who| self.bury(who, told));
    }

    /// Everybody looks around.
    pub(super) fn look(&mut self) {
        for colony in &mut self.colonies {
            let places = colony.ants.iter().filter(|ant| ant.alive()).map(|ant| ant.at);
            colony.knowledge.look(&self.land, places, self.rules.sight);
        }
    }

    fn each_living(&mut self, mut act: impl FnMut(Who, &mut Ant)) {
        for (player, colony) in (0..).zip(&mut self.colonies) {
            for (id, ant) in (0..).zip(&mut colony.ants) {
                if ant.alive() {
                    act(Who { player: PlayerId(player), ant: id }, ant);
                }
            }
        }
    }

    /// Every living ant.
    pub(super) fn living(&self) -> impl Iterator<Item = (Who, &Ant)> {
        (0..).zip(&self.colonies).flat_map(|(player, colony)| {
            let ants = (0..).zip(&colony.ants).filter(|(_, ant)| ant.alive());
            ants.map(move |(id, ant)| (Who { player: PlayerId(player), ant: id }, ant))
        })
    }

    /// What everybody does, given what the programs chose.
    pub(super) fn deeds<'a>(&self, orders: impl Iterator<Item = (ActorId, &'a Orders)>) -> Deeds {
        let mut deeds: Deeds =
            self.colonies.iter().map(|colony| vec![Order::Rest; colony.ants.len()]).collect();
        for (actor, orders) in orders {
            let Some((player, _)) = self.post(actor) else { continue };
            for &(ant, order) in orders.list() {
                if let Some(deed) = deeds[player.index()].get_mut(usize::from(ant)) {
                    *deed = order;
                }
            }
        }
        deeds
    }

    /// How many players have living ants.
    fn survivors(&self) -> usize {
        self.colonies.iter().filter(|colony| colony.living().next().is_some()).count()
    }

    /// Whether the game has ended.
    pub fn over(&self) -> bool {
        self.turn >= self.rules.max_turns || self.survivors() <= 1
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.over() {
            return None;
        }
        let (why, reason) = match self.survivors() {
            0 => ("no-ants", "no ants are left".to_owned()),
            1 => {
                let last = self.colonies.iter().position(|colony| colony.extinct.is_none());
                let last = PlayerId(last.expect("one player has ants left") as u16);
                ("last-colony", format!("only {last} has ants left"))
            }
            _ => {
                let turns = count(self.rules.max_turns.into(), "turn");
                ("max-turns", format!("the last of {turns} has been played"))
            }
        };
        Some(self.ended(Ending::rules(why), reason))
    }

    /// How it would end now, like this and for this reason.
    pub(super) fn ended(&self, ending: Ending, reason: String) -> Outcome {
        // Whoever has ants comes before all who have none; those are in the order of their end.
        let merit = |colony: &Colony| match colony.extinct {
            None => (1, colony.score()),
            Some(turn) => (0, turn),
        };
        let merits: Vec<(u8, u32)> = self.colonies.iter().map(merit).collect();
        let better = |merit: &(u8, u32)| merits.iter().filter(|other| *other > merit).count();
        Outcome {
            ranks: merits.iter().map(|merit| 1 + better(merit) as u16).collect(),
            scores: self.colonies.iter().map(|colony| colony.score().into()).collect(),
            reason,
            ending: ending.after(self.forfeits()),
        }
    }

    /// The players of whose programs one or more have left.
    fn forfeits(&self) -> impl Iterator<Item = Forfeited> + '_ {
        let left = |(player, colony): (usize, &Colony)| {
            let why = colony.gone.iter().flatten().next()?;
            Some(why.of(PlayerId(player as u16)))
        };
        self.colonies.iter().enumerate().filter_map(left)
    }
}
