//! Inputs and outputs of a table: what the host tells it, and what it asks the host to do.

use crate::parts::Fresh;
use std::any::Any;
use std::ops::Range;
use std::time::Duration;

use game::{About, Afterwards, Budget, Fault, PlayerId, ProcessHistory, TimeLeft};
use serde::{Deserialize, Serialize};

use crate::hosted::ActorProcess;
use crate::people::PersonSaid;

/// One process or built-in bot at a table. A program that is started anew gets a new seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeatId(pub u32);

/// How far a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatStatus {
    /// The host has been asked for a process.
    Opening,
    /// The protocol shakes hands, or a built-in bot prepares.
    Handshake,
    /// It plays, and it is not its turn.
    Waiting,
    /// Its turn has come and its bot has been spoken to, but the clock does not run yet.
    OnMove,
    /// An answer is due from it, and its clock runs.
    Awaited,
    /// It has been told that the game is over.
    Leaving,
    /// It has been closed.
    Closed,
}

impl SeatStatus {
    /// Whether its turn has come and its bot has been spoken to.
    pub fn is_on_move(self) -> bool {
        match self {
            SeatStatus::OnMove | SeatStatus::Awaited => true,
            SeatStatus::Opening
            | SeatStatus::Handshake
            | SeatStatus::Waiting
            | SeatStatus::Leaving
            | SeatStatus::Closed => false,
        }
    }

    /// Whether the table wants to know at its ticks how much processor time the process has used.
    pub fn is_metered(self) -> bool {
        match self {
            SeatStatus::Awaited | SeatStatus::Handshake => true,
            SeatStatus::Opening
            | SeatStatus::Waiting
            | SeatStatus::OnMove
            | SeatStatus::Leaving
            | SeatStatus::Closed => false,
        }
    }
}

/// Why a match is void. Each holds the reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Void {
    /// The host stalled: whoever was overdue may have answered in time.
    HostStalled(String),
    /// A bot cannot be set up as it was entered.
    Misfit(String),
    /// The host gave up on it.
    GivenUp(String),
}

impl Void {
    /// The reason in words.
    pub fn reason(&self) -> &str {
        match self {
            Void::HostStalled(reason) | Void::Misfit(reason) | Void::GivenUp(reason) => reason,
        }
    }
}

/// Who plays for a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// A program behind pipes.
    Program {
        /// Whether its process may stay for another game.
        then: Afterwards,
    },
    /// A built-in bot of the game, by name.
    BuiltIn(String),
    /// A person.
    Person,
}

/// What the host tells a table.
#[derive(Debug)]
pub enum Input<'a> {
    /// The process for a seat is there.
    Seated {
        /// Which seat.
        seat: SeatId,
        /// Whether it has played before.
        process: ProcessHistory,
        /// What the host knows of it.
        known: Known,
    },
    /// The bot has taken the first question it was asked, after [`Output::Cold`].
    Taken {
        /// Which seat.
        seat: SeatId,
        /// Processor time the process has used so far.
        cpu: Duration,
    },
    /// What was in the file that the game had promised to the process, when it left.
    Kept {
        /// Which seat.
        seat: SeatId,
        /// The file.
        content: &'a [u8],
    },
    /// The bot said a line.
    Line {
        /// Which seat.
        seat: SeatId,
        /// The line, without the LF of its end. A CR is kept for the log; protocols do not get it.
        line: &'a [u8],
        /// Processor time the process has used so far.
        cpu: Duration,
    },
    /// The bot has begun a line, and this is what there is of it so far.
    Unfinished {
        /// Which seat.
        seat: SeatId,
        /// The beginning of the line.
        bytes: &'a [u8],
    },
    /// The bot wrote to its standard error.
    Stderr {
        /// Which seat.
        seat: SeatId,
        /// What it wrote.
        bytes: &'a [u8],
    },
    /// A built-in bot has come to a decision.
    Thought {
        /// Which seat.
        seat: SeatId,
        /// What its [`Thinker`] returned.
        thought: Thought,
        /// Processor time used for it.
        cpu: Duration,
    },
    /// A person has said something.
    Person {
        /// Who.
        player: PlayerId,
        /// What.
        said: PersonSaid,
    },
    /// The seat is lost: the process ended or has to be ended.
    Lost {
        /// Which seat.
        seat: SeatId,
        /// Why.
        fault: Fault,
    },
    /// The bot, which has not answered yet, has used so much processor time so far.
    Used {
        /// Which seat.
        seat: SeatId,
        /// Processor time the process has used.
        cpu: Duration,
    },
    /// The host was stopped or held up: it comes later than the table had asked for. To be told
    /// before anything that happened meanwhile.
    Stalled {
        /// By how much.
        late: Duration,
    },
    /// Time has passed.
    Tick,
    /// The host gives up on the match.
    Abort {
        /// Why.
        reason: &'a str,
    },
}

/// What a host knows of a process that it seats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Where the bot sees its own folder, if that is not where the host does.
    pub folder: Option<String>,
    /// How it has described itself in an earlier game.
    pub about: Option<About>,
}

/// What a table asks the host to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// Put a process into this seat and answer with [`Input::Seated`] or [`Input::Lost`].
    Open {
        /// The new seat.
        seat: SeatId,
        /// Whose program it is.
        player: PlayerId,
        /// Which of the player's programs it is, and what the game promises to it.
        process: Box<ActorProcess>,
        /// Whether a process that has played before will not do.
        fresh: Fresh,
    },
    /// The process in this seat gave no sign of being ready: let the clock of its first question
    /// start only when it has taken that question.
    Cold {
        /// Which seat.
        seat: SeatId,
    },
    /// Write bytes of [`Outputs::bytes`] to the bot.
    Write {
        /// Which seat.
        seat: SeatId,
        /// Where the bytes are.
        bytes: Range<usize>,
        /// Call [`crate::AnyTable::clock_started`] just before the first byte is written.
        starts_clock: bool,
    },
    /// Let a built-in bot think: take its [`Thinker`] and feed back the [`Thought`].
    Think {
        /// Which seat.
        seat: SeatId,
    },
    /// Close the bot's input when it has been offered all that was written. Its seat stays.
    CloseInput {
        /// Which seat.
        seat: SeatId,
    },
    /// Show a person how things stand and what can be done: take its desk and feed back what it says.
    Show {
        /// Who.
        player: PlayerId,
    },
    /// The seat is not needed any more.
    Close {
        /// Which seat.
        seat: SeatId,
        /// How to part with the process.
        parting: Parting,
    },
}

/// How to part with a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parting {
    /// It may be seated again; when it is not needed, say farewell and let it go.
    Keep {
        /// Its last line.
        farewell: Vec<u8>,
        /// How long it may take to exit.
        grace: Duration,
    },
    /// Say farewell, close its input and let it go.
    Leave {
        /// Its last line.
        farewell: Vec<u8>,
        /// How long it may take to exit.
        grace: Duration,
    },
    /// End it now.
    Kill,
}

/// The wishes of a table and the bytes they speak of; cleared by the host when carried out.
#[derive(Debug, Default)]
pub struct Outputs {
    /// What to do, in order.
    pub list: Vec<Output>,
    /// Bytes that [`Output::Write`] points into.
    pub bytes: Vec<u8>,
}

impl Outputs {
    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes.clear();
    }
}

/// A built-in bot and all it needs for one decision, to be run anywhere.
pub struct Thinker {
    /// Time that it has for the decision.
    pub time: TimeLeft,
    pub(crate) decide: Box<dyn FnOnce(&dyn Budget) -> Thought + Send>,
}

impl Thinker {
    /// Thinks. Takes as long as the bot needs.
    pub fn think(self, budget: &dyn Budget) -> Thought {
        (self.decide)(budget)
    }
}

/// A decision on its way back to the table.
pub struct Thought(pub(crate) Box<dyn Any + Send>);

impl std::fmt::Debug for Thought {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Thought")
    }
}
