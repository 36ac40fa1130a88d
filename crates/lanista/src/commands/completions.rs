//! Completions and manual pages, made from the same definitions as the commands.

use anyhow::{Context as _, Result};

use crate::Ending;
use crate::cli::{Completions, Man};
use crate::cli::{help, value_completions};
use crate::terminal::say_file;

pub(crate) fn completions(args: &Completions) -> Result<Ending> {
    // The generator panics when it cannot write; a vector takes everything.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "lanista", &mut script);
    say_file(&(String::from_utf8(script)? + &value_completions::values(args.shell)))?;
    Ok(Ending::Done)
}

pub(crate) fn man(args: &Man) -> Result<Ending> {
    match &args.dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(help::command()).render(&mut page)?;
            say_file(&String::from_utf8(page)?)?;
        }
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("cannot make {}", dir.display()))?;
            clap_mangen::generate_to(help::command(), dir)
                .with_context(|| format!("cannot write manual pages to {}", dir.display()))?;
        }
    }
    Ok(Ending::Done)
}
