//! What a bot can do wrong, as data. A game's rule decides what it costs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One piece of misbehaviour, with the facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What sort of misbehaviour it was.
    pub kind: FaultKind,
    /// The figures or the offending bytes, for people to read.
    pub detail: String,
}

/// The closed list of faults. Their names in output are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The program could not be started at all.
    NotStarted,
    /// The program started but was not ready within the start limit.
    NotReady,
    /// The bot itself said that it cannot play or go on.
    Refused,
    /// No answer within the time limit.
    Timeout,
    /// The process ended: by itself or by a signal.
    Crash,
    /// The process closed its output but lives.
    EndOfOutput,
    /// An answer was due and what came is not in the protocol's language.
    BadInput,
    /// An answer in the right form that the rules forbid.
    Illegal,
    /// A line longer than the cap.
    LineTooLong,
    /// More output than the cap allows.
    Flood,
    /// An answer before the question.
    Early,
    /// An answer although none was owed any more.
    Extra,
    /// An option of the bot could not be set as asked.
    BadOption,
    /// More memory than allowed.
    Memory,
    /// More processes than allowed.
    Processes,
    /// More processor time than allowed.
    Cpu,
    /// More disk space than allowed.
    Disk,
}

impl FaultKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [FaultKind; 17] = [
        FaultKind::NotStarted,
        FaultKind::NotReady,
        FaultKind::Refused,
        FaultKind::Timeout,
        FaultKind::Crash,
        FaultKind::EndOfOutput,
        FaultKind::BadInput,
        FaultKind::Illegal,
        FaultKind::LineTooLong,
        FaultKind::Flood,
        FaultKind::Early,
        FaultKind::Extra,
        FaultKind::BadOption,
        FaultKind::Memory,
        FaultKind::Processes,
        FaultKind::Cpu,
        FaultKind::Disk,
    ];

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name used in files and output.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::NotStarted => "not-started",
            FaultKind::NotReady => "not-ready",
            FaultKind::Refused => "refused",
            FaultKind::Timeout => "timeout",
            FaultKind::Crash => "crash",
            FaultKind::EndOfOutput => "end-of-output",
            FaultKind::BadInput => "bad-input",
            FaultKind::Illegal => "illegal",
            FaultKind::LineTooLong => "line-too-long",
            FaultKind::Flood => "flood",
            FaultKind::Early => "early",
            FaultKind::Extra => "extra",
            FaultKind::BadOption => "bad-option",
            FaultKind::Memory => "memory",
            FaultKind::Processes => "processes",
            FaultKind::Cpu => "cpu",
            FaultKind::Disk => "disk",
        }
    }

    /// Whether it stands in the place of the answer that was due.
    pub fn replaces_answer(self) -> bool {
        !matches!(self, FaultKind::Early | FaultKind::Extra)
    }

    /// Whether the process behind the seat is gone or must be ended.
    pub fn ends_seat(self) -> bool {
        match self {
            FaultKind::NotStarted
            | FaultKind::NotReady
            | FaultKind::Crash
            | FaultKind::EndOfOutput
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => true,
            FaultKind::Refused
            | FaultKind::Timeout
            | FaultKind::BadInput
            | FaultKind::Illegal
            | FaultKind::Early
            | FaultKind::Extra
            | FaultKind::BadOption => false,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Fault {
    /// More bytes of detail nobody reads; what a bot has written may be among them.
    const LONGEST: usize = 1000;

    /// A fault of this kind with these facts.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        let mut detail: String = detail.into();
        if detail.len() > Fault::LONGEST {
            let all = detail.len();
            let whole = (0..=Fault::LONGEST).rev().find(|&at| detail.is_char_boundary(at));
            detail.truncate(whole.unwrap_or(0));
            detail.push_str(&format!("… ({all} bytes)"));
        }
        Fault { kind, detail }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_serialised_ones() {
        for kind in FaultKind::ALL {
            assert_eq!(format!("{kind:?}").to_lowercase(), kind.name().replace('-', ""));
        }
    }

    #[test]
    fn what_a_fault_says_is_bounded() {
        let fault = Fault::new(FaultKind::Illegal, "é".repeat(60_000));
        assert_eq!(fault.detail, "é".repeat(500) + "… (120000 bytes)");
    }
}
