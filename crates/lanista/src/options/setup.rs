//! Set-ups from files and `--set`.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use league::setup::{read_bounded, read_text};
use serde_json::{Map, Value};
use table::AnyGame;

use crate::cli::SetupOptions;

/// The set-up from a file and from `key=value` pairs, which win.
pub(crate) fn read(game: &dyn AnyGame, asked: &SetupOptions) -> Result<Map<String, Value>> {
    let keys = game.card().keys;
    let mut setup = match &asked.config {
        Some(file) => {
            let folder = file.parent().unwrap_or(Path::new("."));
            let mut setup = read_file(file)?;
            for (name, value) in &mut setup {
                read_text(keys, name, value, folder)?;
            }
            setup
        }
        None => Map::new(),
    };
    for pair in &asked.set {
        let (name, text) =
            pair.split_once('=').ok_or_else(|| anyhow!("--set takes KEY=VALUE, not \"{pair}\""))?;
        // A value that is no JSON is a word: rule=renju.
        let mut value =
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        read_text(keys, name, &mut value, Path::new("."))?;
        setup.insert(name.to_owned(), value);
    }
    Ok(setup)
}

/// A longer file is refused as a set-up.
const LONGEST: u64 = 16 << 20;

fn read_file(file: &Path) -> Result<Map<String, Value>> {
    let shown = file.display();
    let text = std::fs::File::open(file).and_then(|file| read_bounded(file, LONGEST));
    let text = text.with_context(|| format!("cannot read {shown}"))?;
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).with_context(|| format!("{shown} is not a set-up"));
    }
    toml::from_str(&text).with_context(|| format!("{shown} is not a set-up"))
}
