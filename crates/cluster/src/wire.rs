//! What coordinators and workers say to each other: MessagePack behind a byte that is the version.
//!
//! | subject | who speaks | what |
//! | --- | --- | --- |
//! | `lanista.runs.RUN` | the coordinator of a run, to all | [`Announcement`] |
//! | `lanista.RUN.ask.WORKER` | a worker, to the coordinator of a run | [`Ask`], answered with an [`CoordinatorAnswer`] |
//! | `lanista.RUN.watch.WORKER` | the coordinator of a run, to a worker | [`Attention`] |
//! | `lanista.RUN.live.WORKER` | a worker, to the coordinator of a run | [`LiveNews`]; it may be lost |
//! | `lanista.status` | anybody who may look | nothing, answered with a status in JSON |
//!
//! Names come from strangers: whatever becomes a part of a subject or of a path is checked.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use table::live::LiveEnd;
use table::{Raw, Report};
use thiserror::Error;

use crate::bots::TravellingBot;

/// How often a run says that it is there.
pub(crate) const ANNOUNCE: Duration = Duration::from_secs(1);

/// The version of all messages.
const VERSION: u8 = 1;

/// Bytes of content in one message, and of results in one `Done`: below what servers take.
pub const PIECE: usize = 256 << 10;

/// A message that cannot be understood.
#[derive(Debug, Error)]
pub enum WireError {
    /// Of another version.
    #[error("it speaks version {0} of the cluster's language, this program version {VERSION}")]
    Version(u8),
    /// Not one of ours.
    #[error("it is not a message of the cluster: {0}")]
    Broken(String),
}

/// A message as it is sent.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_struct_map();
    message.serialize(&mut serializer).expect("names, numbers and bytes serialise");
    bytes
}

/// Reads a message.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    match bytes.split_first() {
        Some((&VERSION, rest)) => {
            rmp_serde::from_slice(rest).map_err(|error| WireError::Broken(error.to_string()))
        }
        Some((&other, _)) => Err(WireError::Version(other)),
        None => Err(WireError::Broken("it is empty".to_owned())),
    }
}

/// The place of a game in the schedule of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GamePlace {
    /// Which event, from 0.
    pub event: u32,
    /// Which game of its schedule.
    pub key: String,
    /// Which try; earlier ones were void.
    pub attempt: u32,
    /// What it is played for.
    #[serde(default)]
    pub purpose: PlayedFor,
}

/// What a game is played for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum PlayedFor {
    /// Its result counts.
    #[default]
    Result,
    /// It has a result of another worker, with which this one is compared.
    Repeat,
}

/// What is said of a run, again and again while it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    /// The tournament's name, for people.
    pub name: String,
    /// The program that coordinates it.
    pub lanista: String,
    /// Which process it is.
    pub epoch: u64,
    /// Whether it takes workers.
    pub stage: RunStage,
    /// How long a worker may be silent, in milliseconds.
    pub lease_ms: u64,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunStage {
    /// There are or may be games to play.
    Playing,
    /// All results have come: whoever still has something of it may forget it.
    Over,
}

/// What a worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Which process of its name it is.
    pub session: u64,
    /// The number of what it says, from 1.
    pub number: u64,
    /// What it says.
    pub what: WorkerRequest,
}

/// What a worker may say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WorkerRequest {
    /// It has room for so many games.
    Want {
        /// Games at a time for which it has nothing to do.
        free: u32,
        /// What it is.
        card: WorkerCard,
    },
    /// It has exactly these games.
    Hold {
        /// All of them, first those that it plays at this moment.
        games: Vec<GamePlace>,
        /// How many of them it plays at this moment.
        playing: u32,
    },
    /// These games are over. It keeps them until it hears that they are kept.
    Done(Vec<ResultLine>),
    /// It does not play these games after all.
    GiveBack {
        /// Which.
        games: Vec<GamePlace>,
        /// The bot that it cannot run, if that is why.
        cannot: Option<Inability>,
    },
    /// A part of a replay that is too long for a message.
    Upload {
        /// The SHA-256 of the whole, in hexadecimal.
        digest: String,
        /// Where the part begins.
        at: u64,
        /// The part.
        bytes: Raw,
    },
    /// A piece of something of this SHA-256.
    Blob {
        /// In hexadecimal.
        digest: String,
        /// Which piece of [`PIECE`] bytes, from 0.
        piece: u32,
    },
    /// It leaves.
    Bye,
}

/// What a worker is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerCard {
    /// Its program's version.
    pub lanista: String,
    /// Its processor's architecture.
    pub arch: String,
    /// How well it shuts bots in: `A` to `E`.
    pub tier: String,
    /// Games at a time.
    pub slots: u32,
    /// Cores.
    pub cores: u32,
    /// How fast it is, in millions of steps of a fixed workload a second.
    pub speed: f64,
}

/// A bot that a worker cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inability {
    /// In which event, from 0.
    pub event: u32,
    /// Which bot of it, from 0.
    pub bot: u32,
    /// Why.
    pub why: String,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultLine {
    /// Which game.
    pub place: GamePlace,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The speed that the worker has measured.
    pub speed: f64,
    /// What its time limits were multiplied by.
    pub time_scale: f64,
    /// Its result.
    pub report: Report,
    /// Its replay.
    pub replay: ReplayLine,
}

/// The replay of a finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReplayLine {
    /// The bytes of its file.
    Here(Raw),
    /// It was uploaded before, and has this SHA-256.
    Uploaded(String),
}

/// What a coordinator answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CoordinatorAnswer {
    /// These games, whole sets.
    Games {
        /// The SHA-256 of the [`Brief`] that they belong to.
        brief: String,
        /// What time limits are multiplied by.
        time_scale: f64,
        /// The games.
        games: Vec<RemoteGame>,
    },
    /// Nothing now, or too much to take results in; ask again after so many milliseconds.
    Wait(u32),
    /// It is not welcome, and why.
    Refused(String),
    /// What it said it holds is taken for that, but for these games, which others play or nobody
    /// wants.
    Held {
        /// To be forgotten.
        lost: Vec<GamePlace>,
    },
    /// All is in the store.
    Kept,
    /// These uploads are not known here; send them again.
    Missing(Vec<String>),
    /// A piece of content.
    Piece {
        /// How many pieces there are.
        pieces: u32,
        /// This one.
        bytes: Raw,
    },
    /// Nothing has this SHA-256 here.
    NoSuchBlob,
    /// It was heard.
    Heard,
}

/// A game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteGame {
    /// Its place in the schedule.
    pub place: GamePlace,
    /// Which set of those that came together: all its games are played here, and their results are
    /// sent together.
    pub set: u32,
    /// The match's own id.
    pub id: String,
    /// Where chance comes from.
    pub seed: u64,
    /// Which set-up of its event.
    pub variant: u32,
    /// The bots of its event by seat.
    pub bots: Vec<u32>,
}

/// Everything about a run that does not change from game to game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The events.
    pub events: Vec<BriefEvent>,
    /// How processes are kept and placed.
    pub manner: BriefManner,
}

/// What all games of an event have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BriefEvent {
    /// The game's name.
    pub game: String,
    /// The set-ups that take turns.
    pub setups: Vec<serde_json::Map<String, serde_json::Value>>,
    /// The time control.
    pub clock: game::Clock,
    /// When matches are ended before their rules do.
    pub adjudication: table::Adjudication,
    /// Those who take part.
    pub bots: Vec<TravellingBot>,
}

/// How processes are kept and placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BriefManner {
    /// Whether a process may serve several games.
    pub reuse: host::Reuse,
    /// Whether bots may think while they are not on move.
    pub pondering: host::Pondering,
    /// Which cores they use.
    pub placement: host::Placement,
}

/// What is wanted of a worker while somebody watches: said again and again, and forgotten if it is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attention {
    /// To which process of the worker's name.
    pub session: u64,
    /// How often it may say which games it plays, in milliseconds.
    pub list_ms: u32,
    /// Games of which somebody wants the logs.
    pub games: Vec<WantedLog>,
}

/// A game of which somebody wants the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedLog {
    /// What the worker calls it.
    pub game: u64,
    /// How many bytes of it have come. The worker sends what follows, once.
    pub from: u64,
}

/// What a worker says of games while it plays them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveNews {
    /// Which process of its name it is.
    pub session: u64,
    /// All games that it plays, if that is due.
    pub games: Option<Vec<LiveLine>>,
    /// Parts of logs that somebody wants.
    pub parts: Vec<LivePart>,
}

/// A game that a worker plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveLine {
    /// What the worker calls it. A match that is begun anew has another number.
    pub game: u64,
    /// Its place in the schedule.
    pub place: GamePlace,
    /// How long it has been played, in milliseconds.
    pub for_ms: u64,
}

/// A part of the log of a game that is being played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LivePart {
    /// What the worker calls it.
    pub game: u64,
    /// How many bytes came before.
    pub at: u64,
    /// What follows them.
    pub log: Raw,
    /// How bots have described themselves, by seat.
    pub about: Vec<Option<game::About>>,
    /// Why nothing more comes, if that is so.
    pub end: Option<LiveEnd>,
}

/// So many games of a worker can be watched.
pub const MOST_LIVE: usize = 64;

/// A name as a part of a subject: letters, digits, `-` and `_`, and not too many of them.
pub fn token(name: &str) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '-' || letter == '_' => letter,
        _ => '-',
    };
    let token: String = name.chars().map(plain).take(48).collect();
    if token.is_empty() { "x".to_owned() } else { token }
}

/// Whether text is a SHA-256 in hexadecimal.
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The SHA-256 of bytes, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where all runs of a server are announced, or one of them.
pub fn announcements(run: Option<&str>) -> String {
    format!("lanista.runs.{}", run.unwrap_or("*"))
}

/// Where workers speak to the coordinator of a run.
pub fn questions(run: &str, worker: &str) -> String {
    format!("lanista.{run}.ask.{worker}")
}

/// Where workers say what happens in their games.
pub fn live_news(run: &str, worker: &str) -> String {
    format!("lanista.{run}.live.{worker}")
}

/// Where a worker is told what somebody watches, of one run or of all.
pub fn attention(run: Option<&str>, worker: &str) -> String {
    format!("lanista.{}.watch.{worker}", run.unwrap_or("*"))
}

/// Where anybody asks how runs go.
pub const STATUS: &str = "lanista.status";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_were_sent_and_others_are_refused() {
        let (key, purpose) = ("0.0.1:0-1".to_owned(), PlayedFor::Result);
        let place = GamePlace { event: 1, key, attempt: 2, purpose };
        let what = WorkerRequest::GiveBack { games: vec![place], cannot: None };
        let ask = Ask { session: u64::MAX, number: 3, what };
        let bytes = pack(&ask);
        assert_eq!(unpack::<Ask>(&bytes).expect("it is ours"), ask);
        let mut later = bytes.clone();
        later[0] = VERSION + 1;
        assert!(matches!(unpack::<Ask>(&later), Err(WireError::Version(2))));
        for end in 0..bytes.len() {
            assert!(unpack::<Ask>(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn what_becomes_a_part_of_a_subject_is_one_word() {
        assert_eq!(token("a.b *>c"), "a-b---c");
        assert_eq!(token(""), "x");
        assert_eq!(token(&"é".repeat(100)).len(), 48);
        assert!(is_digest(&digest(b"x")) && !is_digest("../../etc/passwd"));
    }
}
