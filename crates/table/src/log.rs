//! The event log of a match: everything that happened, in order.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use game::{About, ActorId, Choice, Clock, Fault, Moves, Note, Outcome, PlayerId, Seed, Tick};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::pieces::{LogPart, LogPosition, Pieces};
use crate::{Adjudication, SeatId, packing};

/// The first line of a log: what was played, by whom, under which terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the log format.
    pub v: u32,
    /// The game's name.
    pub game: String,
    /// The version of Lanista that wrote it.
    pub lanista: String,
    /// The match's own id.
    #[serde(rename = "match")]
    pub id: String,
    /// The set-up, whole.
    pub config: serde_json::Value,
    /// Where chance came from.
    pub seed: Seed,
    /// The players, by seat.
    pub players: Vec<PlayerLine>,
    /// The time control.
    pub clock: Clock,
    /// When the match was to be ended before its rules did.
    #[serde(default, skip_serializing_if = "Adjudication::is_none")]
    pub adjudication: Adjudication,
}

/// One player in a header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerLine {
    /// Its name in this run.
    pub name: String,
    /// The command line or `builtin:NAME`.
    pub bot: String,
    /// How it describes itself, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// Its own time control, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
}

/// The latest version of the log format.
///
/// 2: an outcome has its ending, and who forfeits the kind of the fault, not only words.
/// 3: a step may take a move back.
pub(crate) const VERSION: u32 = 3;

/// The version of a log in which no move is taken back: what reads the second format reads it.
pub(crate) const VERSION_WITHOUT_TAKE_BACK: u32 = 2;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry<A> {
    /// A process or built-in bot took a seat.
    Seated {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// Whom it plays.
        actor: ActorId,
        /// Whose it is.
        player: PlayerId,
    },
    /// Bytes went to a bot.
    Sent {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// What.
        bytes: Raw,
    },
    /// A line came from a bot.
    Got {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// What, without its line end, but for a CR. Older versions dropped that, too.
        line: Raw,
    },
    /// A bot wrote to its standard error.
    Stderr {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// What.
        bytes: Raw,
    },
    /// An answer was accepted as given, in this time.
    Answered {
        /// The seat.
        seat: SeatId,
        /// From the first byte of the question to the last of the answer.
        wall: Duration,
        /// Processor time the process used in between.
        cpu: Duration,
        /// How long the game had waited for the host before the question went out.
        delay: Duration,
    },
    /// A bot said something beside its answers.
    Noted {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// What.
        note: Note,
    },
    /// A bot misbehaved.
    Faulted {
        /// When.
        at: Tick,
        /// Who.
        actor: ActorId,
        /// Whose.
        player: PlayerId,
        /// In which turn, counted from 1.
        turn: u32,
        /// What it did.
        fault: Fault,
        /// What followed.
        ruling: Cost,
    },
    /// The game moved on.
    Stepped {
        /// When.
        at: Tick,
        /// The number of this step, counted from 1.
        turn: u32,
        /// What everybody did.
        moves: Moves<A>,
        /// The digest of the state that followed.
        digest: u64,
    },
    /// A seat was given up.
    Left {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// How, in words.
        how: String,
    },
    /// The match is over; `None` when it is void.
    Over {
        /// When.
        at: Tick,
        /// How the game ended.
        outcome: Option<Outcome>,
        /// Why a void match is void.
        void: Option<String>,
    },
    /// The log grew over its cap: lines after this are missing, steps are not.
    Truncated,
    /// A bot had begun a line when it was given up, and this is what there was of it.
    Unfinished {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// What.
        bytes: Raw,
    },
    /// A process left, and this was in the file that the game had promised to it.
    Kept {
        /// When.
        at: Tick,
        /// The seat.
        seat: SeatId,
        /// What.
        bytes: Raw,
    },
    /// A player's bots said more than is kept of one player: what they say after this is missing,
    /// what they do is not.
    Cut {
        /// When.
        at: Tick,
        /// Whose.
        player: PlayerId,
    },
}

/// What a fault cost an actor. The names are those of the first format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cost {
    /// Nothing.
    #[serde(rename = "overlooked")]
    Nothing,
    /// Its answer: another was played.
    #[serde(rename = "a default is played")]
    Answer,
    /// A try: it was asked again.
    #[serde(rename = "asked again")]
    Try,
    /// Its process, and its answer: the program was started anew.
    #[serde(rename = "started anew")]
    Process,
    /// It left the game.
    #[serde(rename = "forfeits")]
    Game,
}

impl Cost {
    /// Whether another answer was played in the place of the one due.
    pub(crate) fn replaces_answer(self) -> bool {
        match self {
            Cost::Answer | Cost::Process => true,
            Cost::Nothing | Cost::Try | Cost::Game => false,
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cost::Nothing => "overlooked",
            Cost::Answer => "a default is played",
            Cost::Try => "asked again",
            Cost::Process => "started anew",
            // An agent among many leaves without anybody losing.
            Cost::Game => "leaves the game",
        })
    }
}

impl<A> Entry<A> {
    /// How much memory it takes, roughly.
    pub(crate) fn memory(&self) -> usize {
        let more = match self {
            Entry::Sent { bytes, .. }
            | Entry::Unfinished { bytes, .. }
            | Entry::Stderr { bytes, .. }
            | Entry::Kept { bytes, .. } => bytes.0.len(),
            Entry::Got { line, .. } => line.0.len(),
            Entry::Noted { note, .. } => note.text.len(),
            Entry::Faulted { fault, .. } => fault.detail.len(),
            Entry::Stepped { moves, .. } => moves.0.len() * size_of::<(ActorId, Choice<A>)>(),
            Entry::Left { how, .. } => how.len(),
            Entry::Seated { .. }
            | Entry::Answered { .. }
            | Entry::Over { .. }
            | Entry::Truncated
            | Entry::Cut { .. } => 0,
        };
        // A vector grows by doubling.
        2 * size_of::<Entry<A>>() + more
    }
}

/// A run of bytes, stored as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(pub Vec<u8>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Raw;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Raw, E> {
                Ok(Raw(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

/// A log while it is written: the header and the packed entries.
///
/// Talk (lines, notes, standard error) stops at a cap, so that a bot that floods cannot fill the
/// host's memory; steps, faults and the outcome are always kept. Every answer that counts raises
/// the cap: a world of many agents has much to say. What one player's bots say has a lower cap of
/// its own, so that no bot can cut off what is kept of the others, or make replays large by
/// talking.
#[derive(Clone, Debug)]
pub struct Log {
    /// Shared with those who watch. It changes when a bot describes itself.
    pub(crate) header: Arc<Header>,
    pub(crate) packed: Pieces,
    talk: ByteBudget,
    /// What the bots of each player say.
    said: Vec<ByteBudget>,
    recording: Recording,
}

/// Bytes that are kept, and how many may be.
#[derive(Clone, Copy, Debug)]
struct ByteBudget {
    used: usize,
    cap: usize,
}

/// What becomes of something that was said.
enum Kept {
    Whole,
    /// It is the first that is not kept.
    Cut,
    Not,
}

impl ByteBudget {
    fn new(cap: usize) -> ByteBudget {
        ByteBudget { used: 0, cap }
    }

    fn raise(&mut self, by: usize, most: usize) {
        self.cap = most.min(self.cap + by);
    }

    fn take(&mut self, bytes: usize) -> Kept {
        if self.used > self.cap {
            return Kept::Not;
        }
        self.used = self.used.saturating_add(bytes + ENTRY);
        if self.used <= self.cap {
            return Kept::Whole;
        }
        // For good: a log with holes would be worse than one with an end.
        self.used = usize::MAX;
        Kept::Cut
    }
}

/// How many bytes of talk a log keeps, how many more for each answer, and how many at most.
const TALK_CAP: usize = 16 << 20;
const TALK_PER_ANSWER: usize = 2 << 10;
const MOST_TALK: usize = 512 << 20;
/// The same for what one player's bots say.
const SAID_CAP: usize = 2 << 20;
const SAID_PER_ANSWER: usize = 1 << 10;
/// What an entry takes beside its bytes.
const ENTRY: usize = 32;

/// Whether a log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// It can be written as a replay.
    On,
    /// It stays empty.
    Off,
}

impl Log {
    pub(crate) fn new(header: Header, recording: Recording) -> Log {
        let said = vec![ByteBudget::new(SAID_CAP); header.players.len()];
        let header = Arc::new(header);
        Log { header, packed: Pieces::default(), talk: ByteBudget::new(TALK_CAP), said, recording }
    }

    /// The log of a conversation that is no match: nothing is kept in it.
    pub fn unrecorded(header: Header) -> Log {
        Log::new(header, Recording::Off)
    }

    /// A log that was read back.
    pub(crate) fn finished(header: Header, packed: Vec<u8>) -> Log {
        let mut log = Log::new(header, Recording::On);
        log.packed.append(|entries| *entries = packed);
        log
    }

    /// What was played, by whom, under which terms.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The same, to be kept. Another one takes its place when it changes.
    pub fn shared_header(&self) -> &Arc<Header> {
        &self.header
    }

    /// Gives out what there is after `position`, and moves that to the end. It takes no longer for a long
    /// log: what is old is shared, not copied.
    pub fn since(&self, position: &mut LogPosition, parts: &mut Vec<LogPart>) {
        self.packed.since(position, parts);
    }

    /// How many bytes its entries take.
    pub fn bytes(&self) -> usize {
        self.packed.iter().map(<[u8]>::len).sum()
    }

    /// Whether anything is kept at all.
    pub fn recording(&self) -> bool {
        self.recording == Recording::On
    }

    /// Adds something that must not be missing.
    pub(crate) fn add<A: Serialize>(&mut self, entry: &Entry<A>) {
        if self.recording() {
            self.packed.append(|packed| packing::by_serde(packed, entry));
        }
    }

    /// The game has taken a step.
    pub(crate) fn stepped<A: Serialize>(
        &mut self,
        at: Tick,
        turn: u32,
        moves: &Moves<A>,
        digest: impl FnOnce() -> u64,
    ) {
        if self.recording() {
            self.packed.append(|packed| packing::stepped(packed, at, turn, moves, digest()));
        }
    }

    /// An answer of a player counts; how long it took on the wall, on the processor, and to be
    /// asked for.
    pub(crate) fn answered(&mut self, seat: SeatId, player: PlayerId, times: [Duration; 3]) {
        if self.recording() {
            self.talk.raise(TALK_PER_ANSWER, MOST_TALK);
            self.said[player.index()].raise(SAID_PER_ANSWER, MOST_TALK);
            self.packed.append(|packed| packing::answered(packed, seat, times));
        }
    }

    /// A bot was told something.
    pub(crate) fn sent(&mut self, at: Tick, seat: SeatId, bytes: &[u8]) {
        if self.takes(bytes.len()) {
            self.packed.append(|packed| packing::sent(packed, at, seat, bytes));
        }
    }

    /// A bot of a player said something.
    pub(crate) fn got(&mut self, at: Tick, seat: SeatId, player: PlayerId, line: &[u8]) {
        if self.hears(at, player, line.len()) {
            self.packed.append(|packed| packing::got(packed, at, seat, line));
        }
    }

    /// Adds something else that a bot of a player said.
    pub(crate) fn heard(
        &mut self,
        at: Tick,
        player: PlayerId,
        bytes: usize,
        entry: impl FnOnce() -> Entry<()>,
    ) {
        if self.hears(at, player, bytes) {
            self.add(&entry());
        }
    }

    /// Whether so many bytes that a player's bot said are to be added.
    fn hears(&mut self, at: Tick, player: PlayerId, bytes: usize) -> bool {
        if !self.recording() {
            return false;
        }
        match self.said[player.index()].take(bytes) {
            Kept::Whole => self.takes(bytes),
            Kept::Cut => {
                self.add(&Entry::<()>::Cut { at, player });
                false
            }
            Kept::Not => false,
        }
    }

    /// Whether so many bytes of talk are to be added: not if the cap is reached.
    fn takes(&mut self, bytes: usize) -> bool {
        if !self.recording() {
            return false;
        }
        match self.talk.take(bytes) {
            Kept::Whole => true,
            Kept::Cut => {
                self.add(&Entry::<()>::Truncated);
                false
            }
            Kept::Not => false,
        }
    }
}
