//! What the arena knows of this game: its card, its bots, its pictures.

use std::num::NonZeroU32;
use std::time::Duration;

use game::{ActorId, Bot, Clock, Eye, Game as _, PlayerId, Protocol, Seed, Told};
use serde_json::{Map, Value, json};
use table::desk::{Desk, OwnViews};
use table::scene::Scene;
use table::{
    ActorName, BotCard, BotProgram, Card, Chair, Hosted, KeyKind, Knowledge, Picture, Room,
    Scoring, SetupKey, Shown,
};

use super::event::Event;
use super::rules::{Action, Config};
use super::seats::{SEATS, Seat};
use super::state::{Drawn, Jedna};
use super::{bots, checks, desk, draw, hand, program, protocol};

const KEYS: &[SetupKey] = &[
    SetupKey {
        name: "war",
        kind: KeyKind::Value,
        about: "which cards answer a +2 or a wild draw four: seed (the same card only) or house \
                (also reverses, and a wild draw four on a +2) (default seed)",
    },
    SetupKey {
        name: "double_play",
        kind: KeyKind::Value,
        about: "two identical cards may be played at once; needs war=house (default false)",
    },
    SetupKey {
        name: "wild_code",
        kind: KeyKind::Value,
        about: "how a wild card is written to bots: wd or w; both are understood (default wd)",
    },
    SetupKey {
        name: "max_turns",
        kind: KeyKind::Value,
        about: "the game ends after so many turns, fewest points win (default 1000)",
    },
    SetupKey {
        name: "tries",
        kind: KeyKind::Value,
        about: "wrong answers to one request before the host draws or passes (default 3)",
    },
];

const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "any legal action, evenly" },
    BotCard { name: "simple", about: "the first playable card; draws only if there is none" },
    BotCard {
        name: "counter",
        about: "counts cards, deals the unseen ones at random and plays these games to their end",
    },
];

/// Each of them is `tries` wrong answers: the host would go on drawing and passing for it, a
/// thousand turns long.
const MAX_FAULTS: Option<NonZeroU32> = NonZeroU32::new(20);

impl Hosted for Jedna {
    fn card() -> Card {
        Card {
            players: (*SEATS.start(), *SEATS.end()),
            knowledge: Knowledge::Hidden,
            clock: Clock::per_turn(Duration::from_secs(5)),
            max_faults: MAX_FAULTS,
            keys: KEYS,
            bots: BOTS,
            score: Scoring::Count {
                one: "point in hand",
                many: "points in hand",
                about: "what is left in a hand, fewer are better: numbers their value, action \
                        cards 20, wilds 50",
            },
            checks: checks::checks,
            ..Card::new("jedna", "shedding cards as in UNO, with JSON messages")
        }
    }

    fn protocol(config: &Config, chair: &Chair) -> Box<dyn Protocol<Jedna>> {
        Box::new(protocol::Dealer::new(config, chair))
    }

    fn bot(name: &str, _: &Config, chair: &Chair) -> Option<Box<dyn Bot<Jedna>>> {
        // Two bots of one kind must not have the same thoughts.
        let mut rng = chair.seed.rng(&format!("jedna bot {}", chair.player.0));
        bots::bot(name, Seed(rng.next_u64()))
    }

    fn program(name: &'static str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        Some(Box::new(program::AgentProgram::new(name, seed)?))
    }

    /// Every `request_action` holds the whole state that a player sees.
    fn shows_positions() -> Result<(), &'static str> {
        Ok(())
    }

    fn desk(own: &OwnViews<'_, Jedna>, picks: &[String]) -> Option<Desk<Action>> {
        Some(desk::desk(own, picks))
    }
}

impl Shown for Jedna {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        ActorName::Only(Seat::of(actor).map_or_else(|| actor.to_string(), |seat| seat.to_string()))
    }

    fn plain(&self) -> Value {
        let wild = self.config.wild_code;
        let codes = |hand: &hand::Hand| -> Value {
            hand.iter().map(|card| card.code(wild)).collect::<Vec<_>>().into()
        };
        let pile = |pile: &hand::Pile| -> Value {
            pile.cards().iter().map(|card| card.code(wild)).collect::<Vec<_>>().into()
        };
        let seats = (0..self.players() as u8).map(Seat);
        let hands: Map<String, Value> =
            seats.map(|seat| (seat.to_string(), codes(self.hand(seat)))).collect();
        json!({
            "turn": self.turn,
            "mover": self.mover(),
            "hands": hands,
            "top_card": self.top.code(wild),
            "top_color": self.top.colour,
            "direction": self.direction,
            "game_state": self.war,
            "stacked_cards": self.stack,
            "already_picked": self.drawn != Drawn::No,
            "order": self.circle(),
            "left": self.gone,
            "draw_pile": pile(&self.draw_pile),
            "discard_pile": pile(&self.discard),
        })
    }

    fn scene(&self, eyes: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        self.to_scene(eyes, news)
    }

    fn draw(&self, names: &[String], room: Room) -> Picture {
        draw::draw(&self.view(Eye::All), self.outcome().as_ref(), names, room)
    }

    /// The hands of others are their own affair, as they are to the players.
    fn draw_for(&self, player: PlayerId, names: &[String], room: Room) -> Option<Picture> {
        let actor = ActorId(player.0.into());
        let view = || self.view(Eye::Actor(actor));
        (player.index() < self.players())
            .then(|| draw::draw(&view(), self.outcome().as_ref(), names, room))
    }
}
