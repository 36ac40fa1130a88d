//! What results say about strength: Elo, likelihood of superiority, sequential tests; ratings of
//! a whole field.
//!
//! Pure formulas, the published ones, regularised so that nothing is ever infinite or undefined.
//! `docs/statistics.md` has them all.

mod choice;
mod counts;
mod evidence;
mod field;
mod fit;
mod lanes;
mod likelihood;
mod look;
mod matrix;
mod normal;
mod normalized;
mod notes;
mod posterior;
mod ratings;
mod scale;
mod sequence;
mod stopped;
mod summary;
mod superiority;

pub use counts::{Counts, CountsError};
pub use field::{Field, FieldError, PairResults, Player};
pub use likelihood::{Bounds, Model, ModelError, Test, TestError, Verdict};
pub use normal::cumulative;
pub use notes::Note;
pub use ratings::{Estimate, Rating, Ratings, TableEffects};
pub use sequence::{Overshoot, Sequence};
pub use stopped::Stopped;
pub use summary::{Interval, Summary, elo_of};
