//! An agent's side of the protocol: a built-in bot for any host.

use std::collections::HashMap;
use std::time::Duration;

use game::{ActorId, Bot, Budget, PlayerId, Seed};
use serde::Deserialize;
use table::{BotProgram, ProgramReply};

use super::action::Action;
use super::grid::{Cell, Direction, Size};
use super::setup::Config;
use super::state::Petri;
use super::tag::Tag;
use super::view::{Neighbour, Own, View};
use super::{bots, wire};

/// Bots count with energies and ticks: none of them is larger, whatever a host says.
const MOST_ENERGY: i32 = i32::MAX / 4;
const LAST_TICK: u32 = u32::MAX / 4;

/// The program of one agent.
pub(super) struct AgentProgram {
    name: &'static str,
    seed: Seed,
    /// Made at the first message: what it does depends on the agent's name.
    bot: Option<Box<dyn Bot<Petri>>>,
    view: Option<View>,
    time: Option<Duration>,
}

/// A message of the host. Fields that are missing in older versions of the original have a
/// value that is never wrong; others are ignored.
#[derive(Deserialize)]
struct Message {
    tick: u32,
    agent_id: String,
    position: [u16; 2],
    energy: i32,
    world_size: [u16; 2],
    neighbors: HashMap<String, Around>,
    #[serde(default)]
    generation: u32,
    #[serde(default)]
    timeout_ms: Option<u32>,
}

#[derive(Deserialize)]
struct Around {
    energy: i32,
    agent_id: Option<String>,
}

impl AgentProgram {
    /// The built-in bot of this name, which must be listed.
    pub(super) fn new(name: &'static str, seed: Seed) -> AgentProgram {
        AgentProgram { name, seed, bot: None, view: None, time: None }
    }
}

/// The name of an agent as a number; hosts may have other names than ours.
fn tag(name: &str) -> Tag {
    name.parse().unwrap_or_else(|_| Tag::of(Seed(0), actor(name)))
}

fn actor(name: &str) -> ActorId {
    ActorId(name.bytes().fold(0, |sum: u32, byte| sum.wrapping_mul(31).wrapping_add(byte.into())))
}

impl Message {
    fn view(&self) -> View {
        let energy = |said: i32| said.clamp(-MOST_ENERGY, MOST_ENERGY);
        let around = Direction::ALL.map(|way| {
            let there = self.neighbors.get(way.name())?;
            let energy = energy(there.energy);
            Some(Neighbour { tag: tag(there.agent_id.as_ref()?), energy })
        });
        let ([x, y], [width, height]) = (self.position, self.world_size);
        let own = Own {
            tag: tag(&self.agent_id),
            at: Cell { x, y },
            energy: energy(self.energy),
            generation: self.generation,
            around,
        };
        let size = Size { width, height };
        View { tick: self.tick.min(LAST_TICK), size, own: Some(own), agents: Vec::new() }
    }
}

impl BotProgram for AgentProgram {
    fn line(&mut self, line: &[u8]) -> ProgramReply {
        if line.trim_ascii().is_empty() {
            return ProgramReply::Silent;
        }
        // "Replies carry no number: one is owed for each message, whatever it looks like."
        self.view = None;
        if let Ok(message) = serde_json::from_slice::<Message>(line) {
            self.view = Some(message.view());
            let limit = message.timeout_ms.filter(|ms| *ms < wire::NO_LIMIT_MS);
            self.time = limit.map(|ms| Duration::from_millis(ms.into()));
            if self.bot.is_none() {
                let (config, actor) = (Config::default(), actor(&message.agent_id));
                self.bot = bots::bot(self.name, &config, PlayerId(0), actor, self.seed);
            }
        }
        ProgramReply::Think
    }

    fn think(&mut self, budget: &dyn Budget) -> String {
        let action = match (&mut self.bot, &self.view) {
            (Some(bot), Some(view)) => bot.act(view, budget),
            (Some(_) | None, _) => Action::Rest,
        };
        match action {
            Action::Attack(way) => {
                format!("{{\"action\":\"attack\",\"target\":\"{}\"}}", way.name())
            }
            Action::Rest => "{\"action\":\"rest\"}".to_owned(),
            Action::Replicate => "{\"action\":\"replicate\"}".to_owned(),
            Action::Die => "{\"action\":\"die\"}".to_owned(),
        }
    }

    fn time(&self) -> Option<Duration> {
        self.time
    }
}

#[cfg(test)]
mod tests {
    use game::{Eye, Game as _};
    use testkit::AtOnce;

    use super::*;

    #[test]
    fn what_is_told_is_what_is_seen() {
        let game = Petri::start(&Config::default(), 2, Seed(5)).expect("the usual game");
        for actor in 0..8 {
            let view = game.view(Eye::Actor(ActorId(actor)));
            let own = view.own.expect("the agent lives");
            let mut bytes = Vec::new();
            wire::write(&view, &own, Some(Duration::from_millis(700)), &mut bytes);
            let mut program = AgentProgram::new("simple", Seed(1));
            assert_eq!(program.line(&bytes), ProgramReply::Think);
            assert_eq!(program.view, Some(view));
            assert_eq!(program.time(), Some(Duration::from_millis(700)));
        }
    }

    #[test]
    fn bots_count_with_any_energy_that_a_host_says() {
        for bot in <Petri as table::Hosted>::card().bots {
            let mut program = AgentProgram::new(bot.name, Seed(1));
            for (tick, energy, other) in [(1, i32::MIN, i32::MAX), (u32::MAX, i32::MAX, i32::MIN)] {
                let line = serde_json::json!({
                    "tick": tick, "agent_id": "abc123", "position": [0, 65535], "energy": energy,
                    "world_size": [3, 1],
                    "neighbors": {"east": {"energy": other, "agent_id": "def456"}},
                });
                assert_eq!(program.line(line.to_string().as_bytes()), ProgramReply::Think);
                assert!(program.think(&AtOnce).starts_with("{\"action\""), "{}", bot.name);
            }
        }
    }
}
