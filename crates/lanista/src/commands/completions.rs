//! `lanista completions`: scripts for shells, made from the same definitions as the commands.

use anyhow::Result;

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::CompletionsArgs;
use crate::cli::{help, value_completions};
use crate::terminal::say_file;

pub(crate) fn completions(args: &CompletionsArgs, catalogue: Catalogue) -> Result<Exit> {
    // The generator panics when it cannot write; a vector takes everything.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(catalogue), "lanista", &mut script);
    say_file(&(String::from_utf8(script)? + &value_completions::values(args.shell, catalogue)))?;
    Ok(Exit::Done)
}
