//! Whether a bot speaks the protocol of a game: every promise of the game is tried with real
//! processes, through the same host and the same protocols as a match.
//!
//! A *script* is a conversation with one process: `machine` says what is written and what the
//! bot's lines mean, `script_table` seats it in the host like a match. A *match* is played as
//! always and judged by its log. [`Checker`] tries one promise after another.

mod causes;
mod checker;
mod general;
mod load;
mod machine;
mod match_trial;
mod script_table;
mod trial;

pub use checker::{CheckError, CheckResult, CheckStatus, Checker, PlayJobs, roster};
pub use general::checks;
pub use trial::{Finding, FindingAbout, Harm, SaidLine, Side, Trial};
