//! The operating system: calls that no safe library offers, and small tools for files and cores.

pub(crate) mod no_links;
pub(crate) mod os_limits;
pub(crate) mod placement;
pub(crate) mod remove_tree;
pub(crate) mod sys;
