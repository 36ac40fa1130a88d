//! The world and how a tick changes it.

use game::{
    ActorId, Audience, Choice, Digest, FaultKind, Moves, PlayerId, Rng, Seed, SetupError, Told,
};
use serde::{Deserialize, Serialize};

use super::action::{Action, Cause, Event};
use super::grid::{Cell, Direction, Size};
use super::setup::{Config, Order};
use super::tag::Tag;

/// A world of agents.
///
/// Chance in a tick depends on the seed and the tick's number alone, so that no generator has
/// to be kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Petri {
    pub(super) config: Config,
    pub(super) seed: Seed,
    /// Ticks that are over.
    pub(super) ticks: u32,
    /// The living, in the order of their births.
    pub(super) agents: Vec<Agent>,
    /// By cell: the place in `agents` of who is there, or [`EMPTY`].
    pub(super) grid: Vec<u32>,
    /// The number that the next child gets.
    pub(super) next: u32,
    /// By player.
    pub(super) species: Vec<Species>,
}

/// A living organism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Its number, which only the host knows.
    pub id: ActorId,
    /// Its name in messages.
    pub tag: Tag,
    /// Whose it is.
    pub player: PlayerId,
    /// Where it is. Agents never move.
    pub at: Cell,
    /// What it lives on.
    pub energy: i32,
    /// 0 for those who were there at the start; one more than its parent's for a child.
    pub generation: u32,
}

/// All agents of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Species {
    /// How many live.
    pub agents: u32,
    /// After how many ticks there were none, if there are none.
    pub extinct: Option<u32>,
    /// Its player has resigned.
    pub resigned: bool,
}

/// A cell where nobody is.
const EMPTY: u32 = u32::MAX;

/// The energy of somebody who has left the grid in the middle of a tick. Nobody gets so low by
/// decay.
const GONE: i32 = i32::MIN;

impl Petri {
    /// A world with everybody's first agents on random cells.
    pub fn new(config: Config, players: u16, seed: Seed) -> Result<Petri, SetupError> {
        config.check(players)?;
        let size = config.size();
        let count = config.initial_agents as usize * usize::from(players);
        let mut cells: Vec<u32> = (0..size.cells() as u32).collect();
        let mut rng = seed.rng("petri cells");
        for place in 0..count {
            let other = place + rng.index(cells.len() - place);
            cells.swap(place, other);
        }
        let mut world = Petri {
            seed,
            ticks: 0,
            agents: Vec::with_capacity(count),
            grid: vec![EMPTY; size.cells()],
            next: 0,
            species: vec![Species::default(); players.into()],
            config,
        };
        let owners = (0..players).flat_map(|p| (0..world.config.initial_agents).map(move |_| p));
        for (player, &cell) in owners.zip(&cells).collect::<Vec<_>>() {
            let energy = world.config.initial_energy;
            world.add(PlayerId(player), size.cell(cell as usize), energy, 0);
        }
        Ok(world)
    }

    /// The set-up.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The size of the world.
    #[inline]
    pub fn size(&self) -> Size {
        self.config.size()
    }

    /// How many ticks are over.
    pub fn ticks(&self) -> u32 {
        self.ticks
    }

    /// The living, in the order of their births.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// By player: how many live, or since when none do.
    pub fn species(&self) -> &[Species] {
        &self.species
    }

    /// Who lives on this cell.
    #[inline]
    pub fn agent_at(&self, cell: Cell) -> Option<&Agent> {
        self.agents.get(self.grid[self.size().index(cell)] as usize)
    }

    /// The living agent with this number.
    #[inline]
    pub fn agent(&self, id: ActorId) -> Option<&Agent> {
        self.place_of(id).map(|place| &self.agents[place])
    }

    fn place_of(&self, id: ActorId) -> Option<usize> {
        id.place_in(&self.agents, |agent| agent.id)
    }

    /// The energy of all agents of each player.
    pub fn energies(&self) -> Vec<i64> {
        let mut sums = vec![0; self.species.len()];
        for agent in &self.agents {
            sums[agent.player.index()] += i64::from(agent.energy);
        }
        sums
    }

    pub(super) fn add(&mut self, player: PlayerId, at: Cell, energy: i32, generation: u32) -> Tag {
        let id = ActorId(self.next);
        let tag = Tag::of(self.seed, id);
        let cell = self.size().index(at);
        self.grid[cell] = self.agents.len() as u32;
        self.agents.push(Agent { id, tag, player, at, energy, generation });
        self.next += 1;
        self.species[player.index()].agents += 1;
        tag
    }

    /// Takes an agent off the grid. It stays in the list until the tick is over.
    fn remove(&mut self, place: usize, cause: Cause, told: &mut Vec<Told<Event>>) {
        let Agent { tag, player, at, .. } = self.agents[place];
        let cell = self.size().index(at);
        self.agents[place].energy = GONE;
        self.grid[cell] = EMPTY;
        self.species[player.index()].agents -= 1;
        tell(told, Event::Died { agent: tag, cause });
    }

    /// A whole tick if everybody has chosen; otherwise some leave between two ticks.
    pub(super) fn advance(&mut self, moves: &Moves<Action>, told: &mut Vec<Told<Event>>) {
        self.tick(&moves.0, told);
        self.bury();
    }

    /// Carries out the choices of all agents, which come in the order of `agents`.
    fn tick(&mut self, moves: &[(ActorId, Choice<Action>)], told: &mut Vec<Told<Event>>) {
        let mut rng = Seed(self.seed.0 ^ u64::from(self.ticks + 1) << 32).rng("petri tick");
        for place in self.order(&mut rng) {
            let place = place as usize;
            // "An agent killed earlier in the tick no longer acts."
            if let (Choice::Act(action), true) =
                (&moves[place].1, self.agents[place].energy != GONE)
            {
                self.act(place, *action, &mut rng, told);
            }
        }
        // Children do not decay in their first tick: they stand behind those who have chosen.
        for (place, (_, choice)) in moves.iter().enumerate() {
            let agent = &mut self.agents[place];
            // Nothing that a process can do is called this: a person has resigned.
            if let Choice::Forfeit(why) = choice
                && why.fault.kind == FaultKind::Refused
            {
                self.species[agent.player.index()].resigned = true;
            }
            if agent.energy == GONE {
                continue;
            }
            agent.energy -= self.config.decay;
            if agent.energy <= 0 {
                self.remove(place, Cause::Starved, told);
            } else if matches!(choice, Choice::Forfeit(_)) {
                self.remove(place, Cause::Lost, told);
            }
        }
        self.ticks += 1;
    }

    /// The places of all agents in the order in which they act.
    fn order(&self, rng: &mut Rng) -> Vec<u32> {
        match self.config.order {
            Order::Shuffled => {
                let mut order: Vec<u32> = (0..self.agents.len() as u32).collect();
                rng.shuffle(&mut order);
                order
            }
            Order::Row => {
                let size = self.size();
                let cell = |place: &u32| size.index(self.agents[*place as usize].at);
                let mut order: Vec<u32> = (0..self.agents.len() as u32).collect();
                order.sort_unstable_by_key(cell);
                order
            }
        }
    }

    fn act(&mut self, place: usize, action: Action, rng: &mut Rng, told: &mut Vec<Told<Event>>) {
        match action {
            Action::Attack(way) => self.attack(place, way, told),
            Action::Rest => self.agents[place].energy += self.config.rest_gain,
            Action::Replicate => self.replicate(place, rng, told),
            Action::Die => self.remove(place, Cause::Choice, told),
        }
    }

    fn attack(&mut self, place: usize, way: Direction, told: &mut Vec<Told<Event>>) {
        let Agent { at, tag, .. } = self.agents[place];
        let Some(cell) = self.size().neighbour(at, way) else { return };
        let other = self.grid[self.size().index(cell)];
        let Some(target) = self.agents.get_mut(other as usize) else { return };
        target.energy -= self.config.attack_damage;
        let killed = target.energy <= 0;
        tell(told, Event::Attacked { by: tag, target: target.tag });
        self.agents[place].energy += self.config.attack_gain;
        if killed {
            self.remove(other as usize, Cause::Killed, told);
        }
    }

    fn replicate(&mut self, place: usize, rng: &mut Rng, told: &mut Vec<Told<Event>>) {
        let Agent { at, tag, player, energy, generation, .. } = self.agents[place];
        let living: u32 = self.species.iter().map(|species| species.agents).sum();
        if energy < self.config.replicate_min() || living >= self.config.max_agents {
            return;
        }
        let size = self.size();
        let mut free = [at; 8];
        let mut count = 0;
        for way in Direction::ALL {
            if let Some(cell) = size.neighbour(at, way)
                && self.grid[size.index(cell)] == EMPTY
            {
                free[count] = cell;
                count += 1;
            }
        }
        let Some(&cell) = rng.pick(&free[..count]) else { return };
        self.agents[place].energy -= self.config.replicate_cost;
        let child = self.add(player, cell, self.config.child_energy, generation + 1);
        tell(told, Event::Born { agent: child, parent: tag, at: cell });
    }

    /// Drops from the list who has left the grid, and notes which species are no more.
    fn bury(&mut self) {
        let before = self.agents.len();
        self.agents.retain(|agent| agent.energy != GONE);
        if self.agents.len() == before {
            return;
        }
        let size = self.size();
        for (place, agent) in self.agents.iter().enumerate() {
            self.grid[size.index(agent.at)] = place as u32;
        }
        for species in &mut self.species {
            if species.agents == 0 {
                species.extinct.get_or_insert(self.ticks);
            }
        }
    }

    pub(super) fn digest_of_state(&self) -> u64 {
        // Every field by name, so that a new one cannot be forgotten. The grid follows from the
        // agents and the number of the living from the list.
        let Petri { config, seed, ticks, agents, grid: _, next, species } = self;
        let mut digest = Digest::new("petri");
        digest.word(seed.0).word(u64::from(*ticks) << 32 | u64::from(*next));
        digest.word(config.size().cells() as u64 | u64::from(config.width) << 32);
        for number in [
            config.decay,
            config.rest_gain,
            config.attack_damage,
            config.attack_gain,
            config.replicate_cost,
            config.replicate_min(),
            config.child_energy,
            config.order as i32,
        ] {
            digest.word(number as u64);
        }
        digest.word(u64::from(config.max_agents) << 32 | u64::from(config.max_ticks));
        for (Species { agents: _, extinct, resigned }, player) in species.iter().zip(1_u64..) {
            digest.word(extinct.map_or(0, |tick| 1 + u64::from(tick)));
            if *resigned {
                digest.word(player);
            }
        }
        for Agent { id, tag: _, player, at, energy, generation } in agents {
            digest.word(u64::from(id.0) << 32 | u64::from(at.x) << 16 | u64::from(at.y));
            digest.word(u64::from(*energy as u32) << 32 | u64::from(*generation));
            digest.word(u64::from(player.0));
        }
        digest.finish()
    }
}

fn tell(told: &mut Vec<Told<Event>>, event: Event) {
    told.push(Told { to: Audience::Watchers, event });
}
