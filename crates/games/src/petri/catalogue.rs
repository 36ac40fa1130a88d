//! What the arena knows of this game: its card, its bots, its pictures.

use game::{ActorId, Bot, PlayerId, Protocol, Seed, Told};
use serde_json::{Value, json};
use table::desk::{Desk, OwnViews};
use table::scene::Scene;
use table::{
    ActorName, ActorProcess, BotCard, BotProgram, Card, Chair, Hosted, KeyKind, Knowledge, Measure,
    Needs, Picture, PrivateFile, Room, Scoring, SetupKey, Shown, TurnOrder,
};

use super::action::{Action, Event};
use super::bots::dummy;
use super::setup::{Config, PLAYERS};
use super::state::Petri;
use super::tag::Tag;
use super::{bots, checks, desk, draw, program, protocol};

const fn key(name: &'static str, about: &'static str) -> SetupKey {
    SetupKey { name, kind: KeyKind::Value, about }
}

const KEYS: &[SetupKey] = &[
    key("width", "columns of the world, 1 to 1000 (default 20)"),
    key("height", "rows of the world, 1 to 1000 (default 15)"),
    key("initial_agents", "agents each player begins with (default 4)"),
    key("initial_energy", "what they begin with (default 10)"),
    key("decay", "what every agent loses in every tick but its first (default 1)"),
    key("rest_gain", "what resting brings; with the default and a decay of 1, nothing (default 1)"),
    key("attack_damage", "what an attack takes from its target (default 3)"),
    key("attack_gain", "what it brings the attacker, if it hits (default 1)"),
    key("replicate_cost", "what a child costs its parent (default 5)"),
    key("replicate_min", "the energy a parent must have (default: replicate_cost)"),
    key("child_energy", "what a child begins with (default 10)"),
    key(
        "order",
        "in which order agents act: shuffled anew every tick, or row by row (default shuffled)",
    ),
    key("max_agents", "how many agents may live at a time, all players together (default 256)"),
    key("max_ticks", "the game ends after so many ticks, most energy wins (default 200)"),
    key("keep_memory", "the replay holds agents' memory files as they left them (default false)"),
];

const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "any action, evenly" },
    BotCard {
        name: "simple",
        about: "the document's example: attacks a neighbour with more than 5 energy, else rests",
    },
    BotCard {
        name: "colony",
        about: "replicates where there is room, knows its own agents by a signal, attacks all others",
    },
];

/// "Each agent can write to a single JSON file: `/tmp/agents/{agent_id}.json`".
const MEMORY: &str = "/tmp/agents";
const MOST_MEMORY: u64 = 1 << 20;

impl Hosted for Petri {
    fn card() -> Card {
        Card {
            players: PLAYERS,
            turn_order: TurnOrder::Simultaneous,
            knowledge: Knowledge::Hidden,
            keys: KEYS,
            bots: BOTS,
            score: Scoring::Count {
                one: "energy",
                many: "energy",
                about: "the energy of all living agents",
            },
            dummy: Some(dummy::DUMMY),
            checks: checks::checks,
            ..Card::new(
                "petri",
                "agents on an energy grid, a process each, that attack, rest and replicate",
            )
        }
    }

    fn protocol(_: &Config, _: &Chair) -> Box<dyn Protocol<Petri>> {
        Box::new(protocol::Keeper::default())
    }

    fn bot(name: &str, config: &Config, chair: &Chair) -> Option<Box<dyn Bot<Petri>>> {
        bots::bot(name, config, chair.player, chair.actor, chair.seed)
    }

    fn program(name: &'static str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        Some(Box::new(program::AgentProgram::new(name, seed)))
    }

    /// Every question holds all that an agent sees.
    fn shows_positions() -> Result<(), &'static str> {
        Ok(())
    }

    fn desk(own: &OwnViews<'_, Petri>, picks: &[String]) -> Option<Desk<Action>> {
        Some(desk::desk(own, picks))
    }

    fn needs(config: &Config, _: u16) -> Needs {
        Needs { most_actors: config.max_agents, preparation: None }
    }

    fn process(&self, actor: ActorId) -> ActorProcess {
        let tag = Tag::of(self.seed, actor);
        let private_file = Some(PrivateFile {
            path: format!("{MEMORY}/{tag}.json"),
            // Agents of the original program write ID/ID.json.
            alias: Some(tag.to_string()),
            variable: "AGENT_MEMORY",
            env: vec![("AGENT_ID", tag.to_string())],
            most: MOST_MEMORY,
            keep: self.config.keep_memory,
        });
        ActorProcess { program: 0, private_file }
    }
}

impl Shown for Petri {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        ActorName::OneOfMany(Tag::of(self.seed, actor).to_string())
    }

    fn plain(&self) -> Value {
        let agents = self.agents().iter().map(|agent| {
            json!({
                "id": agent.tag,
                "player": agent.player,
                "at": [agent.at.x, agent.at.y],
                "energy": agent.energy,
                "generation": agent.generation,
            })
        });
        json!({ "tick": self.ticks(), "agents": agents.collect::<Vec<Value>>() })
    }

    fn scene(&self, eyes: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        self.to_scene(eyes, news)
    }

    fn draw(&self, names: &[String], room: Room) -> Picture {
        draw::draw(self, names, room)
    }

    fn draw_for(&self, player: PlayerId, names: &[String], room: Room) -> Option<Picture> {
        (player.index() < self.species().len()).then(|| draw::draw_for(self, player, names, room))
    }

    fn measures(&self) -> Vec<Measure> {
        let population = self.species().iter().map(|species| f64::from(species.agents)).collect();
        let energy = self.energies().into_iter().map(|energy| energy as f64).collect();
        vec![
            Measure { name: "population", values: population },
            Measure { name: "energy", values: energy },
        ]
    }
}
