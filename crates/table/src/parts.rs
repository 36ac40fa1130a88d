//! What a match is made of: its terms, its actors, its seats and their clocks.

use crate::hosted::Occasion;
use crate::log::Recording;
use std::collections::VecDeque;
use std::ops::{Index, IndexMut};
use std::time::Duration;

use game::{
    ActorId, Bot, Choice, Clock, Digest, Fault, Note, Out, Outcome, Past, PlayerId, ProcessHistory,
    Protocol, Role, Seed, Tick, Told,
};
use serde_json::{Map, Value};

use crate::adjudication::Umpire;
use crate::fault_streaks::FaultStreaks;
use crate::heard::Heard;
use crate::report::FaultLine;
use crate::seat::{Contestant, SeatId, Void};
use crate::{Adjudication, Hosted, LineEnd};

/// What a match is played for and by whom.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The match's own id; see [`Terms::identified`].
    pub id: String,
    /// Where chance comes from.
    pub seed: Seed,
    /// The players, by seat.
    pub entrants: Vec<Entrant>,
    /// The time control.
    pub clock: Clock,
    /// When it is ended before its rules do.
    pub adjudication: Adjudication,
    /// What it is part of.
    pub occasion: Occasion,
    /// Whether a log is kept.
    pub recording: Recording,
}

impl Terms {
    /// Gives the match its id: the same whenever it is played, another one for any other match.
    /// `place` tells it from the others of its run.
    pub fn identified(mut self, game: &str, setup: &Map<String, Value>, place: &str) -> Terms {
        let occasion = match self.occasion {
            Occasion::SingleMatch => 0,
            Occasion::Tournament => 1,
        };
        let mut digest = Digest::new(game);
        digest.bytes(place.as_bytes()).word(self.seed.0).word(occasion);
        digest.word(setup.len() as u64);
        for (key, value) in setup {
            digest.bytes(key.as_bytes()).bytes(value.to_string().as_bytes());
        }
        let text = |value: serde_json::Result<String>| value.expect("numbers and names serialise");
        digest.bytes(text(serde_json::to_string(&self.clock)).as_bytes());
        digest.bytes(text(serde_json::to_string(&self.adjudication)).as_bytes());
        for entrant in &self.entrants {
            let Entrant { name, bot, manifest, contestant, memory, start, options, .. } = entrant;
            digest.bytes(name.as_bytes()).bytes(bot.as_bytes()).word(*manifest).word(*memory);
            digest.bytes(format!("{contestant:?} {start:?} {options:?}").as_bytes());
            if let Some(clock) = &entrant.clock {
                digest.bytes(text(serde_json::to_string(clock)).as_bytes());
            }
        }
        self.id = format!("{:016x}", digest.finish());
        self
    }
}

/// One player of a match.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// Its command line, for the record.
    pub bot: String,
    /// A digest of all that its command line or manifest says.
    pub manifest: u64,
    /// What plays for it.
    pub contestant: Contestant,
    /// Memory it may use, in bytes.
    pub memory: u64,
    /// How long a program of it may take until it is ready, if not as long as the clock says.
    pub start: Option<Duration>,
    /// Its own time control, if it is not that of the match: time for a move and for all of them.
    /// The rest is as in the match.
    pub clock: Option<Clock>,
    /// A folder of its own.
    pub folder: Option<String>,
    /// Options of its protocol.
    pub options: Vec<(String, String)>,
    /// How the lines end that it is told, if not as its protocol has them.
    pub line_end: Option<LineEnd>,
}

impl Entrant {
    /// A player with nothing but a name and something that plays for it.
    pub fn new(name: impl Into<String>, contestant: Contestant) -> Entrant {
        let name = name.into();
        let bot = name.clone();
        let (manifest, memory, start, folder) = (0, 1 << 30, None, None);
        let (options, line_end, clock) = (Vec::new(), None, None);
        Entrant { name, bot, manifest, contestant, memory, start, clock, folder, options, line_end }
    }
}

/// How far the match is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MatchStage {
    /// Seats are being filled and hands shaken.
    Opening,
    /// Turns are played.
    Playing,
    /// The result is final; bots are told that the game is over.
    Ending {
        result: Result<Outcome, Void>,
        /// When those are killed who still have not left.
        by: Option<Tick>,
    },
}

impl MatchStage {
    /// When those are killed who still have not left, if the match is over.
    pub(crate) fn ends_by(&self) -> Option<Tick> {
        match self {
            MatchStage::Opening | MatchStage::Playing => None,
            MatchStage::Ending { by, .. } => *by,
        }
    }
}

/// The living actors, in ascending order.
pub(crate) struct Cast<A> {
    pub(crate) actors: Vec<Actor<A>>,
    /// Actors on turn whose choice has not been made.
    pub(crate) missing: usize,
}

/// Every seat there ever was; those that are closed keep nothing but their number.
pub(crate) struct SeatList<G: Hosted> {
    all: Vec<Seat<G>>,
    /// The seats that are not closed, in ascending order.
    pub(crate) live: Vec<SeatId>,
}

impl<G: Hosted> SeatList<G> {
    pub(crate) fn new() -> SeatList<G> {
        SeatList { all: Vec::new(), live: Vec::new() }
    }

    /// The number of the seat that is added next.
    pub(crate) fn next_id(&self) -> SeatId {
        SeatId(self.all.len() as u32)
    }

    pub(crate) fn add(&mut self, seat: Seat<G>) {
        self.live.push(self.next_id());
        self.all.push(seat);
    }
}

impl<G: Hosted> Index<SeatId> for SeatList<G> {
    type Output = Seat<G>;

    fn index(&self, id: SeatId) -> &Seat<G> {
        &self.all[id.0 as usize]
    }
}

impl<G: Hosted> IndexMut<SeatId> for SeatList<G> {
    fn index_mut(&mut self, id: SeatId) -> &mut Seat<G> {
        &mut self.all[id.0 as usize]
    }
}

/// What is kept of a player.
#[derive(Clone, Default)]
pub(crate) struct PlayerRecord {
    pub(crate) tally: AnswerTally,
    /// What its processes that were born in mid-game have taken to start, beyond what each of them
    /// may.
    pub(crate) births: Duration,
    pub(crate) faults: Vec<FaultLine>,
    /// The last notes of its bots.
    pub(crate) notes: VecDeque<Note>,
}

/// Who may end a match before its rules do.
pub(crate) struct Officials {
    pub(crate) umpire: Umpire,
    pub(crate) fault_streaks: FaultStreaks,
    /// How the umpire has ended the match.
    pub(crate) called: Option<Outcome>,
}

/// What the clocks of all seats add up to.
#[derive(Default)]
pub(crate) struct Clocks {
    /// Nothing is due before this moment.
    pub(crate) next_look: Option<Tick>,
    /// Programs whose clocks run.
    pub(crate) programs_awaited: usize,
    /// Time that questions spent in the host.
    pub(crate) host_delay: Duration,
}

/// Processes that give no sign when they have started.
#[derive(Default)]
pub(crate) struct SilentStarts {
    /// There are such processes: bots of this game are ready without having said a word.
    pub(crate) occur: bool,
    /// Processes that the turn waits for: they have not taken their first question yet.
    pub(crate) newcomers: u32,
    /// Somebody is not asked before the newcomers have started.
    pub(crate) holding: bool,
}

/// Memory that is kept between steps.
pub(crate) struct Buffers<G: Hosted> {
    /// What a protocol has just written and said.
    pub(crate) scratch: Out<G::Action>,
    pub(crate) moves: Vec<(ActorId, Choice<G::Action>)>,
    pub(crate) told: Vec<Told<G::Event>>,
    pub(crate) roles: Vec<Role>,
}

impl<G: Hosted> Default for Buffers<G> {
    fn default() -> Self {
        let (moves, told, roles) = (Vec::new(), Vec::new(), Vec::new());
        Buffers { scratch: Out::default(), moves, told, roles }
    }
}

/// A living actor.
pub(crate) struct Actor<A> {
    pub(crate) id: ActorId,
    pub(crate) player: PlayerId,
    pub(crate) seat: Option<SeatId>,
    /// Time for one answer, if it is limited.
    pub(crate) turn: Option<Duration>,
    /// Time that is left for all answers together, if it is limited.
    pub(crate) bank: Option<Duration>,
    pub(crate) past: Past,
    /// The turn in which it was last asked.
    pub(crate) asked_in: u32,
    /// Time used in this turn by answers that were refused.
    pub(crate) spent: Duration,
    pub(crate) due: Due<A>,
    /// Why the seat is lost, while nobody has been asked about it.
    pub(crate) lost: Option<Fault>,
    /// A new process is to be seated when the turn is settled.
    pub(crate) reseat: bool,
}

/// What is due from an actor.
#[derive(Debug)]
pub(crate) enum Due<A> {
    /// Nothing.
    Nothing,
    /// Its turn has come but its bot is not ready yet.
    Held,
    /// It has been asked.
    Asked,
    /// It has been decided.
    Chosen(Choice<A>),
}

/// A process or built-in bot.
///
/// What every question and answer needs comes first, in the order of this list: among very many seats
/// none of it is in the cache, and what lies together is fetched together.
#[repr(C)]
pub(crate) struct Seat<G: Hosted> {
    pub(crate) mind: Mind<G>,
    pub(crate) actor: ActorId,
    pub(crate) player: PlayerId,
    pub(crate) phase: Phase,
    pub(crate) startup: Startup,
    /// How its lines end, if not as its protocol has them.
    pub(crate) line_end: Option<LineEnd>,
    /// Processor time the process had used when it was last heard of.
    pub(crate) cpu: Duration,
    pub(crate) running: Option<Running>,
    /// What it has written besides its answers.
    pub(crate) heard: Heard,
    /// It has been told all it needs, and is ready when it rests.
    pub(crate) settling: Option<Settling>,
    /// When the process was there.
    pub(crate) seated: Tick,
    pub(crate) process: ProcessHistory,
    pub(crate) resumes: Resumes,
}

/// A bot that may still be at work on what it was told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settling {
    /// Processor time it had used at the last look.
    pub(crate) cpu: Duration,
    /// The next look.
    pub(crate) look: Tick,
}

/// How far the process in a seat has started, as far as the table knows. A turn may wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Startup {
    /// Nothing has been heard of it yet: it may still be starting.
    Silent,
    /// Nothing has been heard of it yet, and the turn waits for it.
    Awaited,
    /// It has written something. The turn waits until its first question is settled.
    HeardAwaited,
    /// It is there, or gone, or no process.
    Started,
}

impl Startup {
    /// Whether nothing has been heard of it.
    pub(crate) fn is_silent(self) -> bool {
        match self {
            Startup::Silent | Startup::Awaited => true,
            Startup::HeardAwaited | Startup::Started => false,
        }
    }

    /// Whether the turn waits for it.
    pub(crate) fn is_awaited(self) -> bool {
        match self {
            Startup::Awaited | Startup::HeardAwaited => true,
            Startup::Silent | Startup::Started => false,
        }
    }

    /// The same process after it has written something.
    pub(crate) fn heard(self) -> Startup {
        match self {
            Startup::Silent | Startup::Started => Startup::Started,
            Startup::Awaited | Startup::HeardAwaited => Startup::HeardAwaited,
        }
    }
}

/// What sits in a seat.
pub(crate) enum Mind<G: Hosted> {
    /// A process, spoken to in its protocol.
    Wire(Box<dyn Protocol<G>>),
    /// A built-in bot; away while it thinks.
    BuiltIn { bot: Option<Box<dyn Bot<G>>>, events: Vec<G::Event> },
    /// A person, who is shown the game.
    Person,
    /// Nobody any more.
    Nobody,
}

/// What a built-in bot comes back with.
pub(crate) enum BuiltInDecision<A> {
    /// It is ready for the first turn.
    Prepared,
    /// It wants to do this, after so many steps.
    Act { step: u32, action: A },
}

/// How far a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The host has been asked for a process.
    Opening,
    /// The protocol is shaking hands.
    Shaking,
    /// It can be asked.
    Ready,
    /// The protocol is taking its leave.
    Leaving,
    /// The host has been told to close it.
    Gone,
}

/// A clock that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) since: Tick,
    pub(crate) cpu: Duration,
    pub(crate) limit: Option<Duration>,
    /// The clock waits until the process has started and taken the question, at most so long.
    pub(crate) start: Option<Duration>,
    pub(crate) delay: Duration,
    /// The bot has processor time left: when to look again.
    pub(crate) look: Option<Tick>,
    /// The question is on its way, and what comes now may be the answer.
    pub(crate) sent: bool,
}

/// What a clock showed when it was stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// That of the two which counts.
    pub(crate) charged: Duration,
    pub(crate) delay: Duration,
    pub(crate) limit: Option<Duration>,
}

/// What a player's answers add up to: those that counted. What a failed attempt took stands in its
/// fault, and in no sum, so that no mean is above the slowest.
///
/// Among very many players none of it is in the cache: it is fetched as one line, not as two.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct AnswerTally {
    pub(crate) moves: u32,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    pub(crate) slowest: Duration,
}

impl AnswerTally {
    /// An answer counts.
    #[inline]
    pub(crate) fn answered(&mut self, spent: Spent) {
        self.moves += 1;
        self.wall = self.wall.saturating_add(spent.wall);
        self.cpu = self.cpu.saturating_add(spent.cpu);
        self.slowest = self.slowest.max(spent.wall);
    }
}

/// Whether a seat needs a process that has not played before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// Only a new one will do.
    Yes,
    /// One that has played before will do.
    No,
}

/// Whether the process in a seat joins in mid-game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resumes {
    Yes,
    No,
}
