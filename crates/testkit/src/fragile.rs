//! A game that panics where it is told to: for tests of those who play games.

use game::{
    ActorId, Afterwards, Bot, Budget, Clock, Command, Digest, Ending, Eye, Fault, Game, Illegal,
    Moves, Out, Outcome, Past, PlayerId, Protocol, Role, Ruling, Said, Seed, SetupError, Tick,
    Told, Turn,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use table::{
    ActorName, BotCard, Card, Chair, Hosted, KeyKind, Line, Picture, Room, SetupKey, Shown,
};

/// What panics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weak {
    /// Nothing.
    #[default]
    Nothing,
    /// Setting the game up.
    Setup,
    /// The rules, at the third step of a game with an odd seed.
    Rules,
    /// The rules, at the third step of every game.
    RulesAlways,
    /// The protocol, when a bot answers.
    Wire,
    /// A built-in bot, when it is asked.
    BuiltIn,
    /// The picture.
    Drawing,
    /// The rules, and everything that is asked of them afterwards.
    Digest,
}

/// The set-up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What panics.
    pub weak: Weak,
}

/// Two players say a number in turn, six times; the last one wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fragile {
    weak: Weak,
    steps: u32,
    seed: Seed,
}

impl Game for Fragile {
    const ID: &'static str = "fragile";
    type Config = Config;
    type Action = u32;
    type View = u32;
    type Event = u32;

    fn start(config: &Config, _players: u16, seed: Seed) -> Result<Fragile, SetupError> {
        assert!(config.weak != Weak::Setup, "the set-up broke");
        Ok(Fragile { weak: config.weak, steps: 0, seed })
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        roles.clear();
        roles.extend((0..2).map(|n| Role { actor: ActorId(n), player: PlayerId(n as u16) }));
    }

    fn turn(&self) -> Turn {
        match self.steps {
            6 => Turn::Over(Outcome::win(1, 2, Ending::rules("last-word"), "said the last word")),
            steps => Turn::One(ActorId(steps % 2)),
        }
    }

    fn view(&self, _eye: Eye) -> u32 {
        self.steps
    }

    fn check(&self, _actor: ActorId, _action: &u32) -> Result<(), Illegal> {
        Ok(())
    }

    fn step(&mut self, _moves: &Moves<u32>, _told: &mut Vec<Told<u32>>) {
        let breaks = match self.weak {
            Weak::Rules => self.seed.0 % 2 == 1,
            Weak::RulesAlways | Weak::Digest => true,
            Weak::Nothing | Weak::Setup | Weak::Wire | Weak::BuiltIn | Weak::Drawing => false,
        };
        self.steps += 1;
        assert!(!breaks || self.steps != 3, "the rules broke");
    }

    fn rule(&self, _actor: ActorId, _fault: &Fault, _past: Past) -> Ruling<u32> {
        Ruling::Forfeit
    }

    fn digest(&self) -> u64 {
        assert!(self.weak != Weak::Digest || self.steps < 3, "there is no digest any more");
        Digest::new(Self::ID).word(u64::from(self.steps)).finish()
    }
}

impl Hosted for Fragile {
    fn card() -> Card {
        Card {
            clock: Clock::per_turn(std::time::Duration::from_secs(20)),
            keys: &[SetupKey { name: "weak", kind: KeyKind::Value, about: "what panics" }],
            bots: &[BotCard { name: "counter", about: "counts" }],
            ..Card::new(Self::ID, "panics where it is told to")
        }
    }

    fn protocol(config: &Config, _chair: &Chair) -> Box<dyn Protocol<Fragile>> {
        Box::new(Wire { weak: config.weak })
    }

    fn bot(name: &str, config: &Config, _chair: &Chair) -> Option<Box<dyn Bot<Fragile>>> {
        (name == "counter")
            .then(|| Box::new(Counter { weak: config.weak }) as Box<dyn Bot<Fragile>>)
    }
}

impl Shown for Fragile {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        ActorName::Only(actor.0.to_string())
    }

    fn plain(&self) -> Value {
        json!(self.steps)
    }

    fn draw(&self, _names: &[String], _room: Room) -> Picture {
        assert!(self.weak != Weak::Drawing, "the picture broke");
        Picture { head: vec![Line::plain(&self.steps.to_string())], ..Picture::default() }
    }
}

/// Asks with the number of the step; any line is an answer.
struct Wire {
    weak: Weak,
}

impl Protocol<Fragile> for Wire {
    fn command(&mut self, _now: Tick, command: Command<'_, Fragile>, out: &mut Out<u32>) {
        match command {
            Command::Begin { .. } | Command::Resume { .. } => out.said.push(Said::Ready),
            Command::Ask { seen, .. } => {
                out.bytes.extend(format!("{}\n", seen.view()).bytes());
                out.said.push(Said::Asked);
            }
            Command::End { .. } => out.said.push(Said::Done {
                then: Afterwards::MayStay,
                farewell: Vec::new(),
                grace: std::time::Duration::ZERO,
            }),
            Command::Notify(_)
            | Command::Hurry
            | Command::TimeUp
            | Command::Refused(_)
            | Command::TakeBack { .. } => {}
        }
    }

    fn line(&mut self, _now: Tick, _line: &[u8], out: &mut Out<u32>) {
        assert!(self.weak != Weak::Wire, "the protocol broke");
        out.said.push(Said::Answer(0));
    }
}

struct Counter {
    weak: Weak,
}

impl Bot<Fragile> for Counter {
    fn act(&mut self, view: &u32, _budget: &dyn Budget) -> u32 {
        assert!(self.weak != Weak::BuiltIn, "the bot broke");
        *view
    }
}
