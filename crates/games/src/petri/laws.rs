//! Laws that hold in every state of every game.

use game::{ActorId, PlayerId, Rng, Seed};
use testkit::law::{self, Lawful};

use super::*;

impl Lawful for Petri {
    fn setups() -> Vec<(Config, u16)> {
        let small = || Config { width: 6, height: 5, max_ticks: 25, ..Config::default() };
        vec![
            (small(), 2),
            (Config { order: Order::Row, rest_gain: 2, ..small() }, 3),
            (Config { initial_agents: 1, max_agents: 9, keep_memory: true, ..small() }, 1),
            (Config { width: 1, height: 1, initial_agents: 1, ..small() }, 1),
            (Config { decay: 0, attack_damage: 0, replicate_cost: 0, ..small() }, 5),
        ]
    }

    fn legal(&self, _: ActorId) -> Vec<Action> {
        Action::ALL.to_vec()
    }

    fn illegal(&self, _: ActorId) -> Vec<Action> {
        // What cannot be done is allowed, and has no effect.
        Vec::new()
    }

    /// Whose the others are, how much the distant have, and all chance to come.
    fn disguised(&self, actor: ActorId, rng: &mut Rng) -> Option<Petri> {
        let mut other = self.clone();
        let own = *self.agent(actor)?;
        let players = self.species.len();
        for agent in &mut other.agents {
            if agent.id == actor {
                continue;
            }
            agent.player = PlayerId(rng.index(players) as u16);
            let near = |a: u16, b: u16| a.abs_diff(b) <= 1;
            if !(near(agent.at.x, own.at.x) && near(agent.at.y, own.at.y)) {
                agent.energy = 1 + rng.below(50) as i32;
                agent.generation = rng.below(50);
            }
        }
        other.seed = Seed(rng.next_u64());
        Some(other)
    }

    /// Where those are whom none of its agents is near, what they have, whose all others are, and all chance to come.
    fn disguised_for(&self, player: PlayerId, rng: &mut Rng) -> Option<Petri> {
        let mut other = self.clone();
        let size = self.size();
        let own = || self.agents.iter().filter(|agent| agent.player == player);
        let is_seen = |cell: Cell| {
            let near = |a: u16, b: u16| a.abs_diff(b) <= 1;
            own().any(|agent| near(agent.at.x, cell.x) && near(agent.at.y, cell.y))
        };
        let unseen: Vec<Cell> =
            (0..size.cells()).map(|cell| size.cell(cell)).filter(|cell| !is_seen(*cell)).collect();
        let strangers = (0..self.species.len() as u16).map(PlayerId).filter(|one| *one != player);
        let strangers: Vec<PlayerId> = strangers.collect();
        for place in 0..other.agents.len() {
            if other.agents[place].player == player {
                continue;
            }
            other.agents[place].player = *rng.pick(&strangers)?;
            let from = other.agents[place].at;
            let (Some(to), false) = (rng.pick(&unseen).copied(), is_seen(from)) else { continue };
            if other.agent_at(to).is_none() {
                other.grid.swap(size.index(from), size.index(to));
                other.agents[place].at = to;
            }
            other.agents[place].energy = 1 + rng.below(50) as i32;
            other.agents[place].generation = rng.below(50);
        }
        other.seed = Seed(rng.next_u64());
        Some(other)
    }

    fn longest(config: &Config) -> usize {
        config.max_ticks as usize
    }
}

#[test]
fn petri_obeys_the_laws() {
    law::all::<Petri>();
}

/// The same for all agents of a player, with everything else changed that none of them sees.
fn with_other_secrets(world: &Petri, player: PlayerId, rng: &mut Rng) -> Petri {
    let mut other = world.clone();
    let near = |a: Cell, b: Cell| a.x.abs_diff(b.x) <= 1 && a.y.abs_diff(b.y) <= 1;
    let own: Vec<Cell> =
        world.agents().iter().filter(|one| one.player == player).map(|one| one.at).collect();
    let others: Vec<PlayerId> =
        (0..world.species.len() as u16).map(PlayerId).filter(|one| *one != player).collect();
    for agent in other.agents.iter_mut().filter(|agent| agent.player != player) {
        agent.player = *rng.pick(&others).expect("there are others");
        agent.generation = rng.below(50);
        if !own.iter().any(|at| near(*at, agent.at)) {
            agent.energy = 1 + rng.below(50) as i32;
        }
    }
    other
}

#[test]
fn what_no_agent_of_a_player_sees_is_neither_on_its_desk_nor_in_its_pictures() {
    let config = Config { width: 9, height: 8, ..Config::default() };
    let mut rng = Seed(7).rng("law");
    for seed in 0..20 {
        let world = Petri::start(&config, 3, Seed(seed)).expect("a sound set-up");
        for player in (0..3).map(PlayerId) {
            let other = with_other_secrets(&world, player, &mut rng);
            assert_ne!(world, other);
            let picture =
                |world: &Petri| table::Shown::draw_for(world, player, &[], table::Room::ENDLESS);
            assert_eq!(picture(&world), picture(&other));
            let scene = |world: &Petri| table::Shown::scene(world, Some(player), &[]);
            assert_eq!(scene(&world), scene(&other));
            let desk = |world: &Petri| {
                let (views, public) = table::desk::views(world, player);
                let due: Vec<ActorId> = views.iter().map(|(actor, _)| *actor).collect();
                let (views, due, public) = (&views[..], &due[..], &public);
                let own = table::desk::OwnViews { player, players: 3, views, due, public };
                desk::desk(&own, &[])
            };
            assert_eq!(desk(&world), desk(&other));
        }
    }
}
