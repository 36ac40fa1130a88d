//! Statistics of results: Elo, likelihood of superiority, sequential tests; ratings of
//! a whole field.
//!
//! Pure formulas, the published ones, regularised so that nothing is ever infinite or undefined.
//! `docs/statistics.md` has them all.

mod choice;
mod counts;
mod evidence;
mod field;
mod fit;
mod homogeneity;
mod lanes;
mod log_likelihood;
mod matrix;
mod normal;
mod normalized;
mod notes;
mod posterior;
mod ratings;
mod scale;
mod sprt;
mod sprt_progress;
mod stopped_estimate;
mod summary;
mod superiority;

pub use counts::{Counts, CountsError};
pub use field::{Field, FieldError, PairResults, Player};
pub use homogeneity::{Deviation, Moments, Stratum, deviation};
pub use normal::cumulative;
pub use notes::RatingNote;
pub use ratings::{Estimate, Rating, Ratings, TableEffects};
pub use sprt::{Bounds, EloModel, ModelError, Sprt, SprtError, SprtVerdict};
pub use sprt_progress::{Overshoot, SprtProgress};
pub use stopped_estimate::StoppedEstimate;
pub use summary::{Interval, Summary, elo_of};
