//! What a game offers beyond its rules, so that a host can play it.

use std::num::NonZeroU32;
use std::time::Duration;

use game::{ActorId, Bot, Clock, PlayerId, Protocol, Seed, SetupError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::check::Check;
use crate::desk::{Desk, OwnViews};
use crate::program::BotProgram;
use crate::shown::Shown;

/// A game with all that a host needs to play it: a card, a protocol and built-in bots.
pub trait Hosted: Shown {
    /// Name, players, set-up keys and bots.
    fn card() -> Card;

    /// The host's side of the protocol for one seat.
    fn protocol(config: &Self::Config, chair: &Chair) -> Box<dyn Protocol<Self>>;

    /// The built-in bot of this name.
    fn bot(name: &str, config: &Self::Config, chair: &Chair) -> Option<Box<dyn Bot<Self>>>;

    /// The built-in bot of this name as a program of its own, which speaks the bot's side of the
    /// protocol. `None` in a game whose bots only live inside the host.
    fn program(name: &'static str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        let _ = (name, seed);
        None
    }

    /// What a person who plays for a player is shown and offered after these picks: made of what the player's actors
    /// see and of nothing else. Any picks may come, in any order. `None` in a game that people cannot play.
    fn desk(own: &OwnViews<'_, Self>, picks: &[String]) -> Option<Desk<Self::Action>> {
        let _ = (own, picks);
        None
    }

    /// Whether its protocol can show a program a position in the middle of a game, as a question of what it would play
    /// needs; or why not.
    fn shows_positions() -> Result<(), &'static str> {
        Err("the protocol of this game cannot show a program a position in mid-game")
    }

    /// The action of the one on turn that takes the last move of `player` back, or why there is none. The table asks
    /// everybody else before it is done ([`game::Command::TakeBack`]).
    fn take_back(&self, player: PlayerId) -> Result<Self::Action, String> {
        let _ = player;
        Err("no move can be taken back in this game: its protocol has no words for it".to_owned())
    }

    /// Whether an action takes a move back. Only replays of the third format may hold one.
    fn is_take_back(action: &Self::Action) -> bool {
        let _ = action;
        false
    }

    /// Narrows a set-up to what the game with this seed uses, so that replays stay small.
    fn settle(config: &mut Self::Config, players: u16, seed: Seed) -> Result<(), SetupError> {
        let _ = (config, players, seed);
        Ok(())
    }

    /// What a match of this set-up needs of the host.
    fn needs(config: &Self::Config, players: u16) -> Needs {
        let _ = config;
        Needs { most_actors: players.into(), preparation: None }
    }

    /// What is special about the process that plays an actor; nothing in most games.
    fn process(&self, actor: ActorId) -> ActorProcess {
        let _ = actor;
        ActorProcess::default()
    }
}

/// What a match needs of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// How many actors there may be at the same time.
    pub most_actors: u32,
    /// Time that built-in bots have to prepare before the first turn, if the game grants any.
    pub preparation: Option<Duration>,
}

/// What is special about the process that plays an actor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActorProcess {
    /// Which of its player's programs it runs, where several share the player's actors.
    pub program: u16,
    /// The file that the game promises to it, if it does.
    pub private_file: Option<PrivateFile>,
}

/// A bot that answers at once without thinking, and the questions it can be asked.
#[derive(Clone, Copy, Debug)]
pub struct Dummy {
    /// Makes the bot: it gets a line and appends what it answers.
    pub make: fn() -> Box<dyn FnMut(&[u8], &mut Vec<u8>)>,
    /// What it must be told first, if anything; it answers with one line.
    pub greeting: &'static [u8],
    /// A question that it answers with one line, again and again.
    pub question: &'static [u8],
    /// A set-up for so many players with so many of them each; `None` if there cannot be so many.
    pub setup: fn(players: u16, each: u32) -> Option<Value>,
    /// The same with children, where actors can be born in the middle of a game.
    pub parent: Option<DummyParent>,
}

/// A dummy whose actors are born and leave all the time. It is asked the same as [`Dummy`].
#[derive(Clone, Copy, Debug)]
pub struct DummyParent {
    /// Makes the bot: with its first answer it has a child, with its second one it leaves.
    pub make: fn() -> Box<dyn FnMut(&[u8], &mut Vec<u8>)>,
    /// A set-up for one player of whom so many are born in each of so many turns.
    pub setup: fn(births: u32, turns: u32) -> Option<Value>,
}

/// A game's entry in the catalogue.
#[derive(Clone, Debug)]
pub struct Card {
    /// The name on the command line.
    pub id: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Fewest and most players.
    pub players: (u16, u16),
    /// The usual number of players.
    pub usual_players: u16,
    /// Whether the players move one after another or all at once.
    pub turn_order: TurnOrder,
    /// Whether the players see everything.
    pub knowledge: Knowledge,
    /// The usual time control.
    pub clock: Clock,
    /// After how many faults in a row a bot is given up unless somebody says otherwise; never in
    /// a game whose rules promise that it goes on, or that ends with a fault anyway.
    pub max_faults: Option<NonZeroU32>,
    /// What can be set with `--set`.
    pub keys: &'static [SetupKey],
    /// The built-in bots, weakest first.
    pub bots: &'static [BotCard],
    /// What the score of a player counts.
    pub score: Scoring,
    /// Makes the set-up for those who want to see many games soon, where the usual one keeps them
    /// waiting.
    pub quick: fn() -> Map<String, Value>,
    /// The simplest bot that speaks the protocol, for measuring what everything else costs.
    pub dummy: Option<Dummy>,
    /// What bots promise in its protocol, and how that is tried. Without any, bots are checked for
    /// what every game asks of them.
    pub checks: fn() -> Vec<Check>,
}

impl Card {
    /// The card of a game for two who move one after another, see everything and have a second for
    /// each move. Whatever is different, and the bots, replace these fields.
    pub const fn new(id: &'static str, about: &'static str) -> Card {
        Card {
            id,
            about,
            players: (2, 2),
            usual_players: 2,
            turn_order: TurnOrder::Alternating,
            knowledge: Knowledge::Open,
            clock: Clock::per_turn(Duration::from_secs(1)),
            max_faults: None,
            keys: &[],
            bots: &[],
            score: Scoring::Result,
            quick: Map::new,
            dummy: None,
            checks: Vec::new,
        }
    }
}

/// What the score of a player counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// Only who won: 1, ½ or 0.
    Result,
    /// So many of something.
    Count {
        /// The word for one of them.
        one: &'static str,
        /// The word for several.
        many: &'static str,
        /// What it is made of, and which scores are better if that is not plain.
        about: &'static str,
    },
}

impl Scoring {
    /// A score with the word for what it counts; nothing where it only says who won.
    pub fn of(self, score: f64) -> Option<String> {
        match self {
            Scoring::Result => None,
            Scoring::Count { one, .. } if score == 1.0 => Some(format!("{score} {one}")),
            Scoring::Count { many, .. } => Some(format!("{score} {many}")),
        }
    }
}

/// Whether the players of a game see everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// They do.
    Open,
    /// Something is hidden from some of them: cards, land, the world around an agent. Games of the
    /// same seed hide the same things, so that no bot may bring along anything from another game.
    Hidden,
}

/// One key of a game's set-up.
#[derive(Clone, Copy, Debug)]
pub struct SetupKey {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: KeyKind,
    /// What it does, with the default.
    pub about: &'static str,
}

/// What a set-up key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A value: number, word, list.
    Value,
    /// A path to a text file; the set-up holds what the file says.
    TextFile,
}

/// A built-in bot in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct BotCard {
    /// The name after `builtin:`.
    pub name: &'static str,
    /// How it plays.
    pub about: &'static str,
}

/// What a protocol or a built-in bot should know of its own seat.
#[derive(Clone, Debug)]
pub struct Chair {
    /// Whom it plays.
    pub actor: ActorId,
    /// Whose program it is.
    pub player: PlayerId,
    /// For bots that use chance.
    pub seed: Seed,
    /// The time control of the match, with the bot's own limit for its start.
    pub clock: Clock,
    /// Memory the bot may use, in bytes.
    pub memory: u64,
    /// A folder of the bot's own that lasts from game to game.
    pub folder: Option<String>,
    /// Options of the bot's protocol, from its manifest.
    pub options: Vec<(String, String)>,
    /// How its lines end, if its manifest says so. The table sees to it.
    pub line_end: Option<LineEnd>,
    /// What the match is part of.
    pub occasion: Occasion,
}

/// What a match is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Nothing else.
    SingleMatch,
    /// A tournament.
    Tournament,
}

/// In which order players move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOrder {
    /// One after another.
    Alternating,
    /// All at once.
    Simultaneous,
}

/// How the lines end that a bot is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineEnd {
    /// With a line feed.
    Lf,
    /// With a carriage return and a line feed.
    CrLf,
}

impl LineEnd {
    /// Makes every line of `bytes` end like this.
    pub fn apply(self, bytes: &mut Vec<u8>) {
        let mut lines = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match (line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")), self) {
                (Some(line), LineEnd::Lf) => lines.extend([line, b"\n"].concat()),
                (Some(line), LineEnd::CrLf) => lines.extend([line, b"\r\n"].concat()),
                (None, _) => lines.extend(line),
            }
        }
        *bytes = lines;
    }
}

/// A file of its own that a game promises to the process of an actor. Nobody else's process can
/// read it, it lasts from turn to turn, and it is gone when the actor is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateFile {
    /// Where the protocol says that it is. It really is there for a caged process.
    pub path: String,
    /// A folder of this name beside the file leads to the same place: some programs look for their
    /// file in a folder of their own.
    pub alias: Option<String>,
    /// The environment variable that holds its real path, for processes that are not caged.
    pub variable: &'static str,
    /// Other environment variables of the process.
    pub env: Vec<(&'static str, String)>,
    /// How long it may get, in bytes.
    pub most: u64,
    /// Whether the replay is to hold what was in it when the actor left.
    pub keep: bool,
}

#[cfg(test)]
mod tests {
    use super::LineEnd;

    #[test]
    fn lines_end_as_a_bot_wants_them() {
        let ended = |end: LineEnd, text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            end.apply(&mut bytes);
            String::from_utf8(bytes).expect("plain text")
        };
        for text in ["a\nb\r\n\nc", "a\r\nb\r\n\r\nc"] {
            assert_eq!(ended(LineEnd::Lf, text), "a\nb\n\nc");
            assert_eq!(ended(LineEnd::CrLf, text), "a\r\nb\r\n\r\nc");
        }
        assert_eq!(ended(LineEnd::Lf, "a\r"), "a\r");
    }
}
