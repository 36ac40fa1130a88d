//! Results as text, tables, charts, CSV and pages. Nothing here writes to a terminal or a file.

pub(crate) mod chart;
pub(crate) mod check_text;
pub(crate) mod csv;
pub(crate) mod curve;
pub(crate) mod game_summary;
pub(crate) mod number;
pub(crate) mod setup_text;
pub(crate) mod standings_text;
pub(crate) mod statistics;
pub(crate) mod test_summary;
pub(crate) mod text;
pub(crate) mod text_table;
