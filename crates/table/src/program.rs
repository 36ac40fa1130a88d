//! A built-in bot as a program of its own: the bot's side of a protocol. Lines go in and lines come
//! out; nothing here does I/O or reads a clock. `lanista bot` gives it standard input and output.

use std::time::Duration;

use game::Budget;

use crate::hosted::LineEnd;

/// A built-in bot between two lines of a host.
pub trait BotProgram: Send {
    /// Takes a line of the host, without its end.
    fn line(&mut self, line: &[u8]) -> ProgramReply;

    /// Thinks about what was asked last and says what came of it: one line or several. Called
    /// after each [`ProgramReply::Think`].
    fn think(&mut self, budget: &dyn Budget) -> String;

    /// How long it may think about what was asked last; `None` is as long as it likes.
    fn time(&self) -> Option<Duration>;

    /// How the lines end that it says.
    fn line_end(&self) -> LineEnd {
        LineEnd::Lf
    }

    /// What a line means while the bot thinks. It depends on the line alone, because another
    /// thread asks.
    fn meanwhile(&self) -> fn(&[u8]) -> Meanwhile {
        |_| Meanwhile::Wait
    }
}

/// What a bot does about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramReply {
    /// Nothing.
    Silent,
    /// It says this: one line or several.
    Say(String),
    /// It thinks: call [`BotProgram::think`].
    Think,
    /// It leaves.
    Leave,
}

/// What a line means while the bot thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile {
    /// It waits until the bot has answered.
    Wait,
    /// The bot answers at once with the best it has; then the line is taken like any other.
    Hurry,
    /// Nobody wants to know the answer any more; then the line is taken like any other.
    Forget,
    /// This is said at once, and the line is never taken.
    Say(&'static str),
}
