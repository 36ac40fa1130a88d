//! What the arena knows of this game: its card, its bots, its pictures.

use std::num::NonZeroU32;

use game::{ActorId, Bot, Game as _, PlayerId, Protocol, Seed, SetupError, Told};
use serde_json::{Value, json};
use table::desk::{Desk, OwnViews};
use table::scene::{Scene, Sprite};
use table::{
    ActorName, ActorProcess, BotProgram, Card, Chair, Hosted, KeyKind, Knowledge, Needs, Picture,
    Room, Scoring, SetupKey, Shown, TurnOrder,
};

use super::event::Event;
use super::orders::Orders;
use super::setup::{Config, MOST_PLAYERS};
use super::state::Ants;
use super::{bots, checks, desk, draw, program, protocol, scene};

const fn key(name: &'static str, about: &'static str) -> SetupKey {
    SetupKey { name, kind: KeyKind::Value, about }
}

const KEYS: &[SetupKey] = &[
    key("version", "how bots are spoken to: seed or 2, which shows foreign ants (default seed)"),
    key("width", "columns, up to 300 (default 40)"),
    key("height", "rows, up to 300 (default 30)"),
    SetupKey {
        name: "map",
        kind: KeyKind::TextFile,
        about: "a file with the whole map: .#~135 are ground, A, B, … the players' ants (default \
                generated)",
    },
    key("ants", "ants of each player, 1 to 42 (default 5)"),
    key(
        "programs",
        "the ants of each of a player's programs, as [3,2], or the number of programs (default 1)",
    ),
    key("restarts", "how often a program that fails is started anew (default 0)"),
    key("max_turns", "turns after which the game ends at the latest (default 200)"),
    key("energy", "energy at the start, 1 to 1000; the most is twice that (default 100)"),
    key("acid", "acid at the start, 1 to 1000; also the most (default 100)"),
    key("sight", "how far an ant sees to each side, 1 to 10 (default 1: 3x3 cells)"),
    key("upkeep", "energy that a turn costs (default 1)"),
    key("stride", "energy that forward costs beside it (default 1)"),
    key("recovery", "acid that rest restores (default 1)"),
    key("sugar_energy", "what sugar gives (default 10)"),
    key("mill_energy", "what mill gives (default 20)"),
    key("meat_energy", "what meat gives (default 40)"),
    key("rock", "share of rock in a generated map (default 0.06)"),
    key("water", "share of water in a generated map (default 0.04)"),
    key("sugar", "share of cells with sugar in a generated map (default 0.04)"),
    key("mill", "share of cells with mill in a generated map (default 0.02)"),
    key("meat", "share of cells with meat in a generated map (default 0.01)"),
];

/// A program that has failed for so long will not find its way back. Nothing changes for the
/// others: its ants rest as they have rested, but nobody waits for it any more.
const MAX_FAULTS: Option<NonZeroU32> = NonZeroU32::new(20);

impl Hosted for Ants {
    fn card() -> Card {
        Card {
            players: (2, MOST_PLAYERS),
            turn_order: TurnOrder::Simultaneous,
            knowledge: Knowledge::Hidden,
            max_faults: MAX_FAULTS,
            keys: KEYS,
            bots: bots::BOTS,
            score: Scoring::Count {
                one: "point",
                many: "points",
                about: "the energy of all living ants, and that of all food eaten",
            },
            checks: checks::checks,
            ..Card::new(
                Ants::ID,
                "colonies look for food on a map they see only in part, with the ants protocol",
            )
        }
    }

    /// Spells the map out, so that replays show it and outlive the generator.
    fn settle(config: &mut Config, players: u16, seed: Seed) -> Result<(), SetupError> {
        config.check(players)?;
        let layout = Ants::layout(config, players, seed)?;
        config.map = layout.text();
        config.width = layout.land.width();
        config.height = layout.land.height();
        Ok(())
    }

    fn protocol(config: &Config, _: &Chair) -> Box<dyn Protocol<Ants>> {
        Box::new(protocol::Nest::new(config))
    }

    fn bot(name: &str, config: &Config, chair: &Chair) -> Option<Box<dyn Bot<Ants>>> {
        // The numbers of the set-up are public, its map is not. Two bots of one kind must not
        // have the same thoughts.
        let mut rng = chair.seed.rng(&format!("ants bot {}", chair.actor.0));
        bots::bot(name, config.rules(), Seed(rng.next_u64()))
    }

    fn program(name: &'static str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        Some(Box::new(program::ColonyProgram::new(name, seed)?))
    }

    fn desk(own: &OwnViews<'_, Ants>, picks: &[String]) -> Option<Desk<Orders>> {
        Some(desk::desk(own, picks))
    }

    fn needs(config: &Config, players: u16) -> Needs {
        let blocks = config.programs.blocks(config.ants).map_or(1, |blocks| blocks.len());
        Needs { most_actors: u32::from(players) * blocks as u32, preparation: None }
    }

    fn process(&self, actor: ActorId) -> ActorProcess {
        let program = self.post(actor).map_or(0, |(_, block)| block as u16);
        ActorProcess { program, private_file: None }
    }
}

impl Shown for Ants {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        let several = self.blocks.len() > 1;
        let name = match self.post(actor) {
            Some((PlayerId(player), block)) if several => {
                format!("player{}.{}", player + 1, block + 1)
            }
            Some((PlayerId(player), _)) => format!("player{}", player + 1),
            None => actor.to_string(),
        };
        if several { ActorName::OneOfMany(name) } else { ActorName::Only(name) }
    }

    fn plain(&self) -> Value {
        let mut ants = Vec::new();
        for (player, colony) in self.colonies.iter().enumerate() {
            for (id, ant) in colony.ants.iter().enumerate() {
                ants.push(json!({
                    "player": player,
                    "id": id,
                    "at": ant.at,
                    "direction": ant.facing.vector(),
                    "energy": ant.energy,
                    "acid": ant.acid,
                    "brain": if ant.alive() { 1 } else { 3 },
                }));
            }
        }
        let scores: Vec<u32> = self.colonies.iter().map(|colony| colony.score()).collect();
        let eaten: Vec<u32> = self.colonies.iter().map(|colony| colony.eaten).collect();
        json!({
            "turn": self.turn,
            "scores": scores,
            "eaten": eaten,
            "ants": ants,
            "map": self.land.rows().collect::<Vec<String>>(),
        })
    }

    fn scene(&self, eyes: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        self.to_scene(eyes, news)
    }

    fn sprites() -> &'static [Sprite] {
        scene::SPRITES
    }

    fn draw(&self, names: &[String], room: Room) -> Picture {
        draw::draw(self, names, room)
    }

    fn draw_for(&self, player: PlayerId, names: &[String], room: Room) -> Option<Picture> {
        (player.index() < self.colonies.len()).then(|| draw::draw_for(self, player, names, room))
    }
}
