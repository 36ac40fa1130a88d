//! Promises that bots keep in a game's protocol, and how each is tried, as data: matches and scripts.
//!
//! A game lists its own ([`crate::Card::checks`]); the crate `check` tries them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::hosted::{ActorProcess, LineEnd};

/// One promise that bots keep.
#[derive(Debug)]
pub struct Check {
    /// Its name, which says what is promised: `answers-start-with-ok`.
    pub name: &'static str,
    /// How much depends on it.
    pub level: CheckLevel,
    /// What the protocol says, a sentence or two.
    pub rule: &'static str,
    /// Where it says so: a page in `docs` and a section of it, `games/NAME.md#rules`.
    pub section: &'static str,
    /// What usually causes a failure.
    pub hint: &'static str,
    /// What follows for the other checks if this one fails.
    pub otherwise: Otherwise,
    /// How it is tried.
    pub method: CheckMethod,
}

/// How much depends on a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckLevel {
    /// Matches are lost by whoever does not keep it.
    Must,
    /// Something is lost in some matches, or with other managers.
    Should,
    /// It is good to know.
    May,
}

/// What follows for the other checks if one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Nothing.
    GoOn,
    /// Lines to the bot end with a line feed from then on, as the host falls back to it in a match.
    UseLf,
    /// From then on the set-up has this key with this value.
    Set(&'static str, &'static str),
    /// They cannot be tried.
    SkipOthers,
}

/// How a promise is tried.
#[derive(Debug)]
pub enum CheckMethod {
    /// By playing matches, with the game's own protocol.
    Match(CheckedMatch),
    /// By lines that are written to one process of the bot, and what comes back.
    Script(fn() -> Script),
    /// The same, where the lines depend on the set-up.
    ScriptFor(fn(&Map<String, Value>) -> Script),
}

/// A match that tries a promise.
#[derive(Clone, Debug)]
pub struct CheckedMatch {
    /// The set-up, a JSON object.
    pub setup: Cow<'static, str>,
    /// How many play.
    pub players: u16,
    /// Where the bot sits, from 0.
    pub seat: u16,
    /// The built-in bot in all other seats.
    pub opponent: &'static str,
    /// Where chance comes from.
    pub seed: u64,
    /// How many games, one after another, in one process if the protocol allows.
    pub games: u8,
    /// The time for each answer, in milliseconds.
    pub turn_ms: u64,
    /// What is looked at.
    pub judged: JudgedBy,
}

/// What is looked at in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedBy {
    /// The bot's faults.
    Faults,
    /// Whether it has used more than its limits allow.
    Limits,
    /// How long its slowest answer took.
    Time,
    /// Whether it plays the same match the same way again.
    Repetition,
}

/// A conversation with one process.
pub struct Script {
    /// What is done, one after another.
    pub steps: Vec<ScriptStep>,
    /// How the lines end that are written, unless they are written raw.
    pub line_end: LineEnd,
    /// Whether a line of the bot says nothing that counts: a message, a comment.
    pub is_aside: fn(&[u8]) -> bool,
    /// What is special about the process.
    pub process: ActorProcess,
    /// The time for an answer that the bot is told of, or should know.
    pub turn: Option<Duration>,
}

/// One step of a script.
pub enum ScriptStep {
    /// Lines are written, each ended by a line feed here. Steps of this kind that follow one another
    /// are one write.
    Lines(Text),
    /// Bytes are written as they are, a piece at a time: the bot has read each before the next.
    Pieces(Vec<Vec<u8>>),
    /// The next line is the answer to what was written.
    Answer {
        /// What is expected, in words: `a free cell`.
        what: &'static str,
        /// What a line means.
        read: Box<dyn Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync>,
    },
    /// Nothing is written for so long, counted from when what was written last has left.
    Wait {
        /// How long.
        time: Duration,
        /// What a line means that comes meanwhile: only an aside is right.
        read: Box<dyn Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync>,
    },
    /// The bot's input is closed.
    CloseInput,
    /// The process ends by itself and says nothing any more.
    Leaves {
        /// Who takes longer is killed in a match.
        within: Duration,
    },
}

/// Text to be written.
pub enum Text {
    /// Always the same.
    Fixed(String),
    /// It depends on what has been said.
    Made(Box<dyn Fn(&ScriptSoFar) -> String + Send + Sync>),
}

/// What has been said in a script.
#[derive(Clone, Debug, Default)]
pub struct ScriptSoFar {
    /// The bot's answers, one for each [`ScriptStep::Answer`], without their line ends.
    pub answers: Vec<Vec<u8>>,
    /// Its lines that were no answers, in order: messages, descriptions of itself.
    pub asides: Vec<Vec<u8>>,
    /// The folder that the bot may keep files in, if it has one.
    pub folder: Option<String>,
}

/// What a line of a bot means where an answer is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It is the answer.
    Answer,
    /// It is the answer, in a form that is understood but not right, in these words.
    Odd(String),
    /// It is not: why.
    Wrong(String),
    /// It says nothing that counts here; the answer may still come.
    Aside,
    /// It is the answer, and nothing more needs to be tried.
    Last,
    /// It is an answer after which the promise cannot be tried: why.
    Skip(String),
}

impl Reading {
    /// The answer, unless something is wrong with it.
    pub fn answer_unless(wrong: Option<String>) -> Reading {
        wrong.map_or(Reading::Answer, Reading::Wrong)
    }
}

impl Check {
    /// A promise that is tried by a script, without consequences for other checks.
    pub fn script(
        name: &'static str,
        level: CheckLevel,
        section: &'static str,
        [rule, hint]: [&'static str; 2],
        script: fn() -> Script,
    ) -> Check {
        let (otherwise, method) = (Otherwise::GoOn, CheckMethod::Script(script));
        Check { name, level, rule, section, hint, otherwise, method }
    }

    /// A promise that is tried by a script that depends on the set-up.
    pub fn script_for(
        name: &'static str,
        level: CheckLevel,
        section: &'static str,
        [rule, hint]: [&'static str; 2],
        script: fn(&Map<String, Value>) -> Script,
    ) -> Check {
        let (otherwise, method) = (Otherwise::GoOn, CheckMethod::ScriptFor(script));
        Check { name, level, rule, section, hint, otherwise, method }
    }

    /// A promise that is tried by a match.
    pub fn of_match(
        name: &'static str,
        level: CheckLevel,
        section: &'static str,
        [rule, hint]: [&'static str; 2],
        plan: CheckedMatch,
    ) -> Check {
        let (otherwise, method) = (Otherwise::GoOn, CheckMethod::Match(plan));
        Check { name, level, rule, section, hint, otherwise, method }
    }

    /// The same check, with this consequence for others if it fails.
    #[must_use]
    pub fn otherwise(self, otherwise: Otherwise) -> Check {
        Check { otherwise, ..self }
    }
}

impl CheckedMatch {
    /// A game of two with this set-up, the bot in the first seat, judged by its faults. Whatever is
    /// different replaces these fields.
    pub const fn of_two(setup: &'static str, opponent: &'static str) -> CheckedMatch {
        CheckedMatch {
            setup: Cow::Borrowed(setup),
            players: 2,
            seat: 0,
            opponent,
            seed: 1,
            games: 1,
            turn_ms: 1000,
            judged: JudgedBy::Faults,
        }
    }
}

impl CheckLevel {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CheckLevel::Must => "must",
            CheckLevel::Should => "should",
            CheckLevel::May => "may",
        }
    }
}

impl Script {
    /// A script without steps. Its lines end like this, and these lines of the bot are asides.
    pub fn new(line_end: LineEnd, is_aside: fn(&[u8]) -> bool) -> Script {
        let (steps, process, turn) = (Vec::new(), ActorProcess::default(), None);
        Script { steps, line_end, is_aside, process, turn }
    }

    /// Writes a line, or several.
    #[must_use]
    pub fn send(self, text: impl Into<String>) -> Script {
        let mut text = text.into();
        text.push('\n');
        self.then(ScriptStep::Lines(Text::Fixed(text)))
    }

    /// Writes lines that depend on what has been said; nothing if there are none.
    #[must_use]
    pub fn send_made(
        self,
        made: impl Fn(&ScriptSoFar) -> String + Send + Sync + 'static,
    ) -> Script {
        let made = move |so_far: &ScriptSoFar| match made(so_far) {
            nothing if nothing.is_empty() => nothing,
            lines => lines + "\n",
        };
        self.then(ScriptStep::Lines(Text::Made(Box::new(made))))
    }

    /// Writes bytes as they are, each piece when the one before has been read.
    #[must_use]
    pub fn send_raw(self, pieces: &[&[u8]]) -> Script {
        self.then(ScriptStep::Pieces(pieces.iter().map(|piece| piece.to_vec()).collect()))
    }

    /// Waits for an answer.
    #[must_use]
    pub fn answer(
        self,
        what: &'static str,
        read: impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static,
    ) -> Script {
        self.then(ScriptStep::Answer { what, read: Box::new(read) })
    }

    /// Writes nothing for a while. What the bot says meanwhile has to be an aside.
    #[must_use]
    pub fn wait(
        self,
        time: Duration,
        read: impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static,
    ) -> Script {
        self.then(ScriptStep::Wait { time, read: Box::new(read) })
    }

    /// Closes the bot's input.
    #[must_use]
    pub fn close_input(self) -> Script {
        self.then(ScriptStep::CloseInput)
    }

    /// Waits for the end of the process.
    #[must_use]
    pub fn leaves(self, within: Duration) -> Script {
        self.then(ScriptStep::Leaves { within })
    }

    /// Sets the time for an answer.
    #[must_use]
    pub fn within(self, turn: Duration) -> Script {
        Script { turn: Some(turn), ..self }
    }

    fn then(mut self, step: ScriptStep) -> Script {
        self.steps.push(step);
        self
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script of {} steps", self.steps.len())
    }
}
