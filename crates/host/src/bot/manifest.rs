//! Manifests: what a `bot.toml` says about its bot, checked and turned into a [`BotSpec`].

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use game::printable;
use serde::Deserialize;
use table::LineEnd;

use crate::bot::build::Build;
use crate::bot::command_line::find;
use crate::bot::limits::{AskedLimits, Limits, within};
use crate::bot::script;
use crate::bot::spec::{BotError, BotSpec, Grants, Keeps, Program, Reuse};
use crate::cage::OwnDir;

/// A `bot.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    name: Option<String>,
    game: Option<String>,
    command: Vec<String>,
    #[serde(default)]
    team: Vec<Vec<String>>,
    build: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<_, _, 1, MOST_BUILD_SECONDS>")]
    build_s: Option<u64>,
    #[serde(default)]
    reuse: Reuse,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    options: BTreeMap<String, toml::Value>,
    line_end: Option<LineEnd>,
    #[serde(default)]
    limits: AskedLimits,
    #[serde(default)]
    cage: CageSection,
}

/// A day.
const MOST_BUILD_SECONDS: u64 = 86_400;

/// Seconds that a build may take, where nothing else is said.
const BUILD_SECONDS: u64 = 300;

/// What a manifest asks for; relative to the manifest's folder.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CageSection {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
}

/// The manifest that a path names, if it names one: the file itself, or its folder.
pub(crate) fn manifest_at(path: &Path) -> Option<PathBuf> {
    let inside = path.join("bot.toml");
    if inside.is_file() {
        return Some(inside);
    }
    (path.extension().is_some_and(|ext| ext == "toml") && path.is_file()).then(|| path.to_owned())
}

/// Reads the manifest in a file.
pub(crate) fn read_manifest(path: &Path) -> Result<BotSpec, BotError> {
    let wrong = |why: String| BotError::Manifest { path: path.display().to_string(), why };
    let failed = |error: std::io::Error| wrong(error.to_string());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().map_err(failed)?;
    if !path.canonicalize().map_err(failed)?.starts_with(folder) {
        return Err(wrong("it is a symbolic link that leads out of its folder".to_owned()));
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(LONGEST_MANIFEST + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LONGEST_MANIFEST {
        return Err(wrong(format!("it is longer than {LONGEST_MANIFEST} bytes")));
    }
    from_manifest(&text, path)
}

/// A longer manifest is refused.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// Reads a manifest that would be at this path.
pub(crate) fn from_manifest(text: &str, path: &Path) -> Result<BotSpec, BotError> {
    let wrong = |why: String| BotError::Manifest { path: path.display().to_string(), why };
    let manifest: ManifestFile =
        toml::from_str(text).map_err(|error| wrong(game::wanted(&error.to_string())))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let named = std::path::absolute(folder).map_err(|error| wrong(error.to_string()))?;
    // Without links: what lies in it is what lies below this path.
    let dir = named.canonicalize().unwrap_or_else(|_| named.clone());
    let program = |command: &[String], is_built: IsBuilt| {
        let Some((exe, args)) = command.split_first() else {
            return Err(wrong("a command is empty".to_owned()));
        };
        let shown = command.join(" ");
        let named = |error: BotError| wrong(error.to_string());
        let found = match is_built {
            // It may not be there yet.
            IsBuilt::Yes if exe.contains('/') => dir.join(exe),
            IsBuilt::Yes => find(exe, &dir, &shown).map_err(named)?,
            IsBuilt::No => {
                let found = find(exe, &dir, &shown).map_err(named)?;
                script::check(exe, &found, args, &dir, &shown).map_err(named)?;
                found
            }
        };
        Ok(Program::Command {
            exe: found,
            args: args.to_vec(),
            dir: dir.clone(),
            env: manifest.env.clone(),
            shown,
        })
    };
    let is_built = if manifest.build.is_some() { IsBuilt::Yes } else { IsBuilt::No };
    let team = manifest.team.iter().map(|command| program(command, is_built));
    let team = team.collect::<Result<_, _>>()?;
    let build = manifest.build.as_ref().map(|command| program(command, IsBuilt::No)).transpose()?;
    let limit = Duration::from_secs(manifest.build_s.unwrap_or(BUILD_SECONDS));
    let build = build.map(|program| Build { program, limit });
    let program = program(&manifest.command, is_built)?;
    // Names are printed wherever results are.
    if manifest.name.as_ref().is_some_and(|name| printable(name.as_bytes(), name.len()) != *name) {
        return Err(wrong("its name has characters in it that cannot be shown".to_owned()));
    }
    let folder_name = named.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut options = Vec::new();
    for (name, value) in manifest.options {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(truth) => truth.to_string(),
            toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => {
                return Err(wrong(format!("option {name} must be text, a number, true or false")));
            }
        };
        options.push((name, text));
    }
    Ok(BotSpec {
        name: manifest.name.or(folder_name).unwrap_or_else(|| manifest.command.join(" ")),
        game: manifest.game,
        reuse: manifest.reuse,
        keeps: Keeps::Folder,
        options,
        line_end: manifest.line_end,
        limits: Limits::new(&manifest.limits, &AskedLimits::default()),
        asked: manifest.limits,
        set: AskedLimits::default(),
        program,
        team,
        build,
        grants: Grants {
            own_dir: OwnDir::Yes,
            asked_read: manifest.cage.read,
            asked_write: manifest.cage.write,
            ..Grants::default()
        },
    })
}

/// Whether a command is made by the manifest's own build.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsBuilt {
    Yes,
    No,
}
