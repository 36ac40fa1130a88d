//! What the arena knows of this game: its card, its bots and its pictures.

use game::{ActorId, Bot, Eye, Game as _, PlayerId, Protocol, Seed, SetupError, Told};
use serde_json::{Map, Value, json};
use table::desk::{Desk, OwnViews};
use table::scene::{Scene, Sprite};
use table::{
    ActorName, BotProgram, Card, Chair, Hosted, KeyKind, Needs, Picture, Room, Scoring, SetupKey,
    Shown, TurnOrder,
};

use super::{Config, Event, Move, Pyrat, Side, bots, checks, desk, draw, program, protocol, scene};

const fn key(name: &'static str, about: &'static str) -> SetupKey {
    SetupKey { name, kind: KeyKind::Value, about }
}

const KEYS: &[SetupKey] = &[
    key("preset", "tiny, small, medium, large, huge or open (default medium: 21x15, 41 cheese)"),
    key("width", "columns, 2 to 255 (default from the preset)"),
    key("height", "rows, 2 to 255 (default from the preset)"),
    key("cheese_count", "cheese to place (default from the preset, or 13 % of the cells)"),
    key("max_turns", "turns after which the game ends at the latest (default from the preset)"),
    key("open", "true for neither walls nor mud (default false)"),
    key("wall_density", "share of walls, 0 to 1; all cells stay joined (default 0.7)"),
    key("mud_density", "share of passages with mud, 0 to 1 (default 0.1)"),
    key("symmetric", "false for mazes that need not be fair (default true)"),
    key("walls", "all walls: [[[0,0],[1,0]],…] (default generated)"),
    key("mud", "all mud and its turns: [[[1,1],[1,2],3],…] (default generated)"),
    key("cheese", "all cheese: [[2,2],…] (default generated)"),
    key("rat", "where player 1 starts (default [0,0])"),
    key("python", "where player 2 starts (default the opposite corner)"),
    key("preprocessing_ms", "time before the first turn, 0 for none (default 3000)"),
    key("postprocessing_ms", "time after the last turn, 0 for none (default 1000)"),
    key("stop_margin_ms", "say stop so long before the time is up, 0 for never (default 0)"),
    key("restarts", "how often a program that fails is started anew (default 3)"),
    key("debug", "true or false: say debug on or debug off to the bots (default neither)"),
    key("isready_ms", "say isready after so much thinking, 0 for never (default 0)"),
];

/// Before the first turn there are usually three seconds, and then a maze for hundreds of turns.
fn quick() -> Map<String, Value> {
    let keys = [("preset", json!("small")), ("preprocessing_ms", json!(100))];
    keys.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

impl Hosted for Pyrat {
    fn card() -> Card {
        Card {
            turn_order: TurnOrder::Simultaneous,
            keys: KEYS,
            bots: bots::BOTS,
            score: Scoring::Count {
                one: "cheese",
                many: "cheese",
                about: "cheese collected; a shared one is a half",
            },
            quick,
            checks: checks::checks,
            ..Card::new(
                Pyrat::ID,
                "a rat and a python race for cheese in a maze, with the PyRat protocol",
            )
        }
    }

    /// Spells the maze out, so that replays show it and outlive the generator.
    fn settle(config: &mut Config, _: u16, seed: Seed) -> Result<(), SetupError> {
        *config = config.spelled_out(&config.start(seed)?);
        Ok(())
    }

    fn protocol(config: &Config, chair: &Chair) -> Box<dyn Protocol<Pyrat>> {
        Box::new(protocol::Engine::new(config, chair))
    }

    fn bot(name: &str, _: &Config, chair: &Chair) -> Option<Box<dyn Bot<Pyrat>>> {
        bots::bot(name, chair.seed.rng(&format!("pyrat bot {}", chair.player.0)))
    }

    fn program(name: &'static str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        Some(Box::new(program::PlayerProgram::new(name, seed)))
    }

    fn desk(own: &OwnViews<'_, Pyrat>, picks: &[String]) -> Option<Desk<Move>> {
        Some(desk::desk(own, picks))
    }

    fn needs(config: &Config, players: u16) -> Needs {
        let preparation = Some(config.preprocessing()).filter(|time| !time.is_zero());
        Needs { most_actors: players.into(), preparation }
    }
}

impl Shown for Pyrat {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        ActorName::Only(Side::of(actor).map_or_else(|| actor.to_string(), |side| side.to_string()))
    }

    fn plain(&self) -> Value {
        let view = self.view(Eye::All);
        let player = |side: Side| {
            let player = view.player(side);
            json!({ "at": player.at, "mud": player.mud, "score": player.score })
        };
        json!({
            "rat": player(Side::Rat),
            "python": player(Side::Python),
            "cheese": view.cheese,
        })
    }

    fn scene(&self, _: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        self.to_scene(news)
    }

    fn sprites() -> &'static [Sprite] {
        scene::SPRITES
    }

    fn draw(&self, names: &[String], room: Room) -> Picture {
        draw(&self.view(Eye::All), self.outcome().as_ref(), names, room)
    }

    fn draw_around(&self, player: PlayerId, names: &[String], room: Room) -> Picture {
        let own = self.view(Eye::Actor(ActorId(player.0.into())));
        draw(&own, self.outcome().as_ref(), names, room)
    }
}
