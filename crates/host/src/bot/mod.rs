//! What a bot is and what it needs, before anything of it is started.

pub(crate) mod access;
pub(crate) mod build;
pub(crate) mod command_line;
pub(crate) mod fit;
pub(crate) mod limits;
pub(crate) mod manifest;
pub(crate) mod missing;
pub(crate) mod script;
pub(crate) mod spec;

pub use build::Build;
pub use command_line::split;
pub use limits::{AskedLimits, Limits};
pub use spec::{BotError, BotSpec, Grants, Keeps, Program, Reuse, unique_names};
