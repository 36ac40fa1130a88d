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

    fn longest(config: &Config) -> usize {
        config.max_ticks as usize
    }
}

#[test]
fn petri_obeys_the_laws() {
    law::all::<Petri>();
}
