//! The [`Protocol`] trait: how one seat is spoken to, line by line, without any I/O.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    About, ActorId, Eye, Fault, FaultKind, Game, Illegal, Outcome, PlayerId, Tick, TimeLeft,
};

/// The host's side of one bot's protocol: commands and lines in, lines and facts out.
///
/// A protocol sees only what its actor may know. It keeps no real time: moments are arguments,
/// and [`Protocol::next_tick`] says when it wants to be woken.
pub trait Protocol<G: Game>: Send {
    /// The table wants something said or done.
    fn command(&mut self, now: Tick, command: Command<'_, G>, out: &mut Out<G::Action>);

    /// The bot said a line (without its line end).
    fn line(&mut self, now: Tick, line: &[u8], out: &mut Out<G::Action>);

    /// The bot said a line before the question in hand had left the host, so that it cannot be
    /// the answer. Protocols in which a bot may be asked twice in a row must tell the two
    /// apart; for the others it is a line like any other.
    fn early_line(&mut self, now: Tick, line: &[u8], out: &mut Out<G::Action>) {
        self.line(now, line, out);
    }

    /// The answer due will not come: the time is up, or the process has ended or closed its output.
    /// The fault, if what the bot said last explains it better than that: a refusal, say.
    fn last_words(&mut self) -> Option<Fault> {
        None
    }

    /// The process is given up before the end of the game: it forfeits, or cannot be used again.
    /// How to part with it; without a farewell it is ended at once.
    fn farewell(&self) -> Option<Farewell> {
        None
    }

    /// The moment of [`Protocol::next_tick`] has come.
    fn tick(&mut self, now: Tick, out: &mut Out<G::Action>) {
        let _ = (now, out);
    }

    /// When this protocol next wants a tick, if at all.
    fn next_tick(&self) -> Option<Tick> {
        None
    }
}

/// What the table asks of a protocol.
pub enum Command<'a, G: Game> {
    /// A process has been seated: shake hands and set up the game.
    /// Answer with [`Said::Ready`], or with a fault.
    Begin {
        /// What the actor sees at the start.
        seen: Seen<'a, G>,
        /// Time for the handshake.
        limit: Duration,
        /// Whether it has played before.
        process: ProcessHistory,
    },
    /// A new process takes the seat of one that failed in mid-game.
    Resume {
        /// What the actor sees now.
        seen: Seen<'a, G>,
        /// Time for the handshake.
        limit: Duration,
    },
    /// Something happened that this actor may know.
    Notify(&'a G::Event),
    /// It is this actor's turn. The clock runs from [`Said::Asked`].
    Ask {
        /// What the actor sees.
        seen: Seen<'a, G>,
        /// The time it has.
        time: TimeLeft,
    },
    /// The soft deadline has come: ask for the best answer found so far.
    Hurry,
    /// The answer is overdue and has been replaced. It may still come, and is then stale.
    TimeUp,
    /// The answer was not accepted; the same question follows with [`Command::Ask`].
    Refused(&'a Illegal),
    /// Somebody wants to take a move back, which this action of the one on turn would do. The bot has
    /// not been asked for anything. [`Said::TakeBack`] says whether it goes along.
    TakeBack {
        /// What the actor sees now, the move still made.
        seen: Seen<'a, G>,
        /// The action that takes it back.
        action: &'a G::Action,
    },
    /// The game is over, or the actor has left it. Take leave and say [`Said::Done`].
    End {
        /// How it ended; `None` when the actor left before the end.
        outcome: Option<&'a Outcome>,
        /// What the actor sees at the end.
        seen: Seen<'a, G>,
        /// Whether the process may stay for another game.
        then: Afterwards,
    },
}

/// Whether a process has played before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessHistory {
    /// It has just been started.
    Fresh,
    /// It has played an earlier game and was left idle; the protocol proves that it still is. A protocol
    /// that cannot says [`Said::Unfit`].
    Reused,
}

/// What becomes of a process after its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// It leaves.
    Leave,
    /// It may stay for another game.
    MayStay,
}

/// One actor's eyes on a game: a view that is only computed when it is wanted.
pub struct Seen<'a, G: Game> {
    game: &'a G,
    actor: ActorId,
    player: PlayerId,
}

impl<G: Game> Clone for Seen<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<G: Game> Copy for Seen<'_, G> {}

impl<'a, G: Game> Seen<'a, G> {
    /// The eyes of `actor`, which belongs to `player`.
    pub fn new(game: &'a G, actor: ActorId, player: PlayerId) -> Seen<'a, G> {
        Seen { game, actor, player }
    }

    /// The state as this actor may know it.
    pub fn view(&self) -> G::View {
        self.game.view(Eye::Actor(self.actor))
    }

    /// Whose eyes these are.
    pub fn actor(&self) -> ActorId {
        self.actor
    }

    /// The player the actor belongs to.
    pub fn player(&self) -> PlayerId {
        self.player
    }
}

/// How to part with a process that may leave by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Farewell {
    /// Its last lines.
    pub words: Vec<u8>,
    /// How long it may take to exit.
    pub grace: Duration,
}

/// What a protocol found out or wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<A> {
    /// The bot is ready to be asked.
    Ready,
    /// The bot has been told all it needs and owes no answer to it, but may still be at work on
    /// it: it is ready when it rests. Its start limit ends the wait.
    Settling,
    /// The question is complete in the bytes written so far: the clock starts with them.
    Asked,
    /// The answer to the question.
    Answer(A),
    /// The bot misbehaved, and the game's rule is to decide what follows. Unless it is
    /// [`FaultKind::Early`] or [`FaultKind::Extra`], it stands in the place of the answer due.
    Fault(Fault),
    /// The bot misbehaved in a way that is only recorded: its answer, if any, still counts.
    Blemish(Fault),
    /// Something worth keeping or showing.
    Note(Note),
    /// The bot has described itself. It does so once, and what is said for every move is small.
    About(Box<About>),
    /// Whether the bot goes along with [`Command::TakeBack`], or why it does not.
    TakeBack(Result<(), String>),
    /// This process cannot be used again: put a fresh one into the seat.
    Unfit,
    /// The seat is finished with.
    Done {
        /// Whether the bot is idle and may be seated again, after a new handshake.
        then: Afterwards,
        /// What to say when it is not needed any more, then how long it may take to leave.
        farewell: Vec<u8>,
        /// How long the process may take to exit by itself.
        grace: Duration,
    },
}

/// Something a bot said beside its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is about.
    pub topic: Topic,
    /// The bot's words, already made safe to print.
    pub text: String,
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Topic {
    /// The bot's own description of itself.
    About,
    /// A message for the people watching.
    Message,
    /// A message for its author.
    Debug,
    /// Progress of its thinking.
    Info,
    /// A harmless deviation from the protocol.
    Remark,
}

/// Where a protocol puts its bytes and findings.
#[derive(Debug)]
pub struct Out<A> {
    /// Bytes for the bot.
    pub bytes: Vec<u8>,
    /// Findings, in order.
    pub said: Vec<Said<A>>,
}

impl<A> Default for Out<A> {
    fn default() -> Self {
        Out { bytes: Vec::new(), said: Vec::new() }
    }
}

impl<A> Out<A> {
    /// Records a fault.
    pub fn fault(&mut self, kind: FaultKind, detail: impl Into<String>) {
        self.said.push(Said::Fault(Fault::new(kind, detail)));
    }

    /// Records a note.
    pub fn note(&mut self, topic: Topic, text: impl Into<String>) {
        self.said.push(Said::Note(Note { topic, text: text.into() }));
    }
}
