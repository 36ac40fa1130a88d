//! Moments, and the time a match grants its bots.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment, as the time since the match began.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Tick(pub Duration);

impl Tick {
    /// The moment the match began.
    pub const ZERO: Tick = Tick(Duration::ZERO);

    /// The time from `earlier` to this moment; zero if it is not earlier.
    #[inline]
    pub fn since(self, earlier: Tick) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Tick {
    type Output = Tick;
    #[inline]
    fn add(self, rhs: Duration) -> Tick {
        Tick(self.0.saturating_add(rhs))
    }
}

impl Sub<Duration> for Tick {
    type Output = Tick;
    #[inline]
    fn sub(self, rhs: Duration) -> Tick {
        Tick(self.0.saturating_sub(rhs))
    }
}

/// The time control of a match, the same for every seat. Files give it in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ClockFile", into = "ClockFile")]
pub struct Clock {
    /// Time for one answer; `None` is unlimited.
    pub turn: Option<Duration>,
    /// Time for all answers of one actor together; `None` is unlimited.
    pub bank: Option<Duration>,
    /// Time from the start of a process until it has said that it is ready.
    pub start: Duration,
    /// Published tolerance: an answer counts as late only when it exceeds its limit by more.
    pub margin: Duration,
    /// What is charged.
    pub charge: Charge,
}

/// Which time is charged to a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Charge {
    /// Wall time: what people understand.
    #[default]
    Wall,
    /// The processor's: fair on a machine with more bots than cores. A bot that sleeps loses
    /// when it has taken [`PATIENCE`] times its limit by the clock on the wall.
    Cpu,
}

/// How much longer than its limit a bot may take by the clock on the wall, where the
/// processor's time is charged.
pub const PATIENCE: u32 = 10;

impl Clock {
    /// A turn limit and the usual start-up time and margin.
    pub const fn per_turn(turn: Duration) -> Clock {
        Clock {
            turn: Some(turn),
            bank: None,
            start: Duration::from_secs(10),
            margin: Duration::from_millis(20),
            charge: Charge::Wall,
        }
    }

    /// The same for a machine that needs so many times as long, to whole milliseconds. What is
    /// tolerated stays as it is.
    pub fn scaled(self, factor: f64) -> Clock {
        let times = |time: Duration| {
            let ms = (time.as_secs_f64() * 1000.0 * factor).round().max(1.0);
            Duration::from_millis(ms as u64)
        };
        match factor == 1.0 {
            true => self,
            false => Clock {
                turn: self.turn.map(times),
                bank: self.bank.map(times),
                start: times(self.start),
                ..self
            },
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turn {
            Some(turn) => write!(f, "{} ms a move", turn.as_millis())?,
            None => f.write_str("no limit for a move")?,
        }
        if let Some(bank) = self.bank {
            write!(f, ", {} ms for all moves", bank.as_millis())?;
        }
        let [start, margin] = [self.start, self.margin].map(|time| time.as_millis());
        write!(f, ", {start} ms to start, {margin} ms margin")?;
        match self.charge {
            Charge::Wall => Ok(()),
            Charge::Cpu => f.write_str(", processor time"),
        }
    }
}

/// A [`Clock`] as it stands in files.
#[derive(Serialize, Deserialize)]
struct ClockFile {
    move_ms: Option<u64>,
    match_ms: Option<u64>,
    start_ms: u64,
    margin_ms: u64,
    #[serde(default)]
    charge: Charge,
}

impl From<ClockFile> for Clock {
    fn from(file: ClockFile) -> Clock {
        Clock {
            turn: file.move_ms.map(Duration::from_millis),
            bank: file.match_ms.map(Duration::from_millis),
            start: Duration::from_millis(file.start_ms),
            margin: Duration::from_millis(file.margin_ms),
            charge: file.charge,
        }
    }
}

impl From<Clock> for ClockFile {
    fn from(clock: Clock) -> ClockFile {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        ClockFile {
            move_ms: clock.turn.map(ms),
            match_ms: clock.bank.map(ms),
            start_ms: ms(clock.start),
            margin_ms: ms(clock.margin),
            charge: clock.charge,
        }
    }
}

/// What an actor has when it is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLeft {
    /// The limit for this answer alone.
    pub turn: Option<Duration>,
    /// What is left for the rest of the match.
    pub bank: Option<Duration>,
}

impl TimeLeft {
    /// The nearer of the two limits.
    #[inline]
    pub fn limit(self) -> Option<Duration> {
        match (self.turn, self.bank) {
            (Some(turn), Some(bank)) => Some(turn.min(bank)),
            (turn, bank) => turn.or(bank),
        }
    }
}
