//! The pure match: a game, its protocols and its clocks; lines and ticks in, lines and events out.
//!
//! A [`Table`] never does I/O. The host feeds it what the bots said and what the clock shows, and
//! carries out what it asks for. Everything that happens goes into its [`Log`], from which replays,
//! live views and statistics are made.

mod adjudication;
mod any;
mod caption;
pub mod check;
mod clocks;
mod compress;
pub mod desk;
mod evaluation;
mod fault_streaks;
pub mod film;
mod happening;
mod heard;
mod hosted;
mod judging;
pub mod live;
mod log;
mod named;
mod packing;
mod parts;
mod people;
pub mod picture;
mod pieces;
mod playback;
mod program;
mod question;
mod record;
mod recount;
mod replay;
mod report;
pub mod scene;
mod seat;
mod seating;
mod shown;
mod table;
pub mod talk;
mod turns;
mod watched;
mod wishes;

pub use adjudication::{Adjudication, AskedAdjudication};
pub use any::{AnyGame, AnyTable, Erased, named};
pub use caption::agents_in_words;
pub use clocks::{BIRTH, START_FOR_EACH};
pub use compress::compressed;
pub use evaluation::FOUND_WIN;
pub use happening::{Happening, HappeningKind};
pub use hosted::{
    ActorProcess, BotCard, Card, Chair, Dummy, DummyParent, Hosted, KeyKind, Knowledge, LineEnd,
    Needs, Occasion, PrivateFile, Scoring, SetupKey, TurnOrder,
};
pub use log::{Cost, Entry, Header, Log, PlayerLine, Raw, Recording};
pub use named::with_names;
pub use parts::{Entrant, Fresh, Terms};
pub use people::PersonSaid;
pub use picture::{Ink, Line, Picture, Room, Style};
pub use pieces::{LogPart, LogPosition};
pub use playback::Mismatch;
pub use program::{BotProgram, Meanwhile, ProgramReply};
pub use question::{AdviceSlot, BotAdvice, BotQuestion, question};
pub use record::{ReadError, Record};
pub use replay::{AnyReplay, Replay, TEXT};
pub use report::{FaultLine, PlayerReport, Report, WorkerLine, mean_ms};
pub use seat::{
    Contestant, Input, Known, Output, Outputs, Parting, SeatId, SeatStatus, Thinker, Thought, Void,
};
pub use shown::{ActorName, Export, FinishedGame, Measure, Shown};
pub use table::Table;
pub use watched::{Snapshot, ViewedMatch};
pub use wishes::PersonWish;
