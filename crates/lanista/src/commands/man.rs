//! `lanista man`: manual pages, made from the same definitions as the commands.

use anyhow::{Context as _, Result};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::{ManArgs, help};
use crate::terminal::say_file;

pub(crate) fn man(args: &ManArgs, catalogue: Catalogue) -> Result<Exit> {
    match &args.dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(help::command(catalogue)).render(&mut page)?;
            say_file(&String::from_utf8(page)?)?;
        }
        Some(dir) => {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("cannot make {}", dir.display()))?;
            clap_mangen::generate_to(help::command(catalogue), dir)
                .with_context(|| format!("cannot write manual pages to {}", dir.display()))?;
        }
    }
    Ok(Exit::Done)
}
