//! What can be seen of a world.

use game::Eye;
use serde::{Deserialize, Serialize};

use super::grid::{Cell, Direction, Size};
use super::state::{Agent, Petri};
use super::tag::Tag;

/// What one pair of eyes sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The number of the tick to be decided, from 1.
    pub tick: u32,
    /// The size of the world.
    pub size: Size,
    /// For an agent: itself and its neighbours.
    pub own: Option<Own>,
    /// For those who see everything: all agents. Without memory for anybody else.
    pub agents: Vec<Agent>,
}

/// What an agent sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// Its name.
    pub tag: Tag,
    /// Where it is.
    pub at: Cell,
    /// Its energy.
    pub energy: i32,
    /// Its generation.
    pub generation: u32,
    /// Who is around, in the order of [`Direction::ALL`]. Outside the world is nobody.
    pub around: [Option<Neighbour>; 8],
}

/// What an agent sees of another: not whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Its name.
    pub tag: Tag,
    /// Its energy.
    pub energy: i32,
}

impl Own {
    /// The neighbours and the ways to them.
    pub fn neighbours(&self) -> impl Iterator<Item = (Direction, Neighbour)> {
        Direction::ALL.into_iter().zip(self.around).filter_map(|(way, who)| Some((way, who?)))
    }

    /// The ways to neighbouring cells of the world where nobody is.
    pub fn free(&self, size: Size) -> impl Iterator<Item = Direction> {
        let at = self.at;
        Direction::ALL
            .into_iter()
            .zip(self.around)
            .filter(move |(way, who)| who.is_none() && size.neighbour(at, *way).is_some())
            .map(|(way, _)| way)
    }
}

impl Petri {
    pub(super) fn seen_from(&self, eye: Eye) -> View {
        let (own, agents) = match eye {
            Eye::Actor(id) => (self.agent(id).map(|agent| self.seen_by(agent)), Vec::new()),
            // Everybody knows how big the world is and what time it is, and no more.
            Eye::Public => (None, Vec::new()),
            Eye::All => (None, self.agents.clone()),
        };
        View { tick: self.ticks + 1, size: self.size(), own, agents }
    }

    pub(super) fn seen_by(&self, agent: &Agent) -> Own {
        let size = self.size();
        let seen = |other: &Agent| Neighbour { tag: other.tag, energy: other.energy };
        let around =
            Direction::ALL.map(|way| self.agent_at(size.neighbour(agent.at, way)?).map(seen));
        let Agent { tag, at, energy, generation, .. } = *agent;
        Own { tag, at, energy, generation, around }
    }
}
