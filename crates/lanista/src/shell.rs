//! Completions and manual pages, made from the same definitions as the commands.

use std::io::stdout;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;

use crate::Ending;
use crate::cli::{Cli, Completions, Man};

pub(crate) fn completions(args: &Completions) -> Result<Ending> {
    clap_complete::generate(args.shell, &mut Cli::command(), "lanista", &mut stdout());
    Ok(Ending::Done)
}

pub(crate) fn man(args: &Man) -> Result<Ending> {
    match &args.dir {
        None => clap_mangen::Man::new(Cli::command()).render(&mut stdout())?,
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("cannot make {}", dir.display()))?;
            clap_mangen::generate_to(Cli::command(), dir)
                .with_context(|| format!("cannot write manual pages to {}", dir.display()))?;
        }
    }
    Ok(Ending::Done)
}
