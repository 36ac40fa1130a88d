//! What results say about strength: Elo, likelihood of superiority, sequential tests.
//!
//! Pure formulas, the published ones, regularised so that nothing is ever infinite or undefined.

mod counts;
mod likelihood;
mod normal;
mod summary;

pub use counts::{Counts, CountsError};
pub use likelihood::{Bounds, Model, ModelError, Test, Verdict};
pub use normal::cumulative;
pub use summary::{Summary, elo_of};
