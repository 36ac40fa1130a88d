//! `lanista replay`.

use std::fs::File;
use std::io::{IsTerminal as _, Read as _, stdin, stdout};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use game::PlayerId;
use league::{Folder, Store};
use table::{AnyReplay, Knowledge, Record, Room};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::ReplayArgs;
use crate::commands::analyse::analyse;
use crate::finished_games;
use crate::output::chart;
use crate::output::text::count;
use crate::terminal::{
    complain, is_live, json, remark, room, say, say_file, say_lines, say_painted,
};
use crate::terminal::{panel, player, player_view};
use crate::user_files;

/// The format in which a replay is exported as it is.
const ITSELF: &str = "lrz";

pub(crate) fn replay(args: &ReplayArgs, catalogue: Catalogue) -> Result<Exit> {
    if args.json && args.analyse.is_none() && (args.eyes.is_some() || args.at.is_some()) {
        bail!("--json prints the whole game as it was: leave out --eyes and --at");
    }
    let (shown, bytes) = match args.number {
        None if args.file == Path::new("-") => ("standard input".to_owned(), from_input()?),
        None if args.file.is_dir() && args.export.is_some() => return export_run(args, catalogue),
        None if args.file.is_dir() => bail!(
            "{} is a folder; which of its games? `lanista results` numbers them",
            args.file.display()
        ),
        None => (args.file.display().to_string(), named(&args.file)?),
        Some(number) => finished_games::replay_of(&args.file, args.event.as_deref(), number)?,
    };
    let mut replay = match open(&bytes, catalogue) {
        Ok(replay) => replay,
        // For somebody who wants to know whether it can be trusted, a broken file cannot.
        Err(error) if args.verify => {
            complain(&format!("{shown} does not verify: {error:#}"));
            return Ok(Exit::Unverified);
        }
        Err(error) => return Err(error.context(format!("cannot read replay {shown}"))),
    };
    if args.verify {
        return Ok(match replay.verify() {
            Ok(()) => {
                let steps = count(replay.len() as u64, "step");
                say(&format!("{shown}: {steps} verified"))?;
                Exit::Done
            }
            Err(mismatch) => {
                complain(&format!("{shown} does not verify: {mismatch}"));
                Exit::Unverified
            }
        });
    }
    if let Some(bot) = &args.analyse {
        return analyse(args, bot, &mut *replay, catalogue);
    }
    let out = args.out.as_deref();
    if args.json {
        let header = json(replay.header())?;
        let steps = replay.steps().map(|step| json(&step).expect("a value serialises"));
        print(out, std::iter::once(header).chain(steps))?;
    } else if args.film {
        print(out, replay.film(eyes(args, &*replay)?))?;
    } else if args.html {
        share(args, &*replay)?;
    } else if args.chart {
        let players = chart::players(&*replay, eyes(args, &*replay)?);
        let text = chart::chart(&chart::samples(&*replay)?, &players);
        print(out, text.lines().map(str::to_owned))?;
    } else if let Some(path) = &args.csv {
        let players = chart::players(&*replay, eyes(args, &*replay)?);
        chart::write_csv(path, &chart::samples(&*replay)?, &players)?;
    } else if args.lines {
        print(out, replay.lines().into_iter())?;
    } else if let Some(format) = &args.export {
        match (exported(&*replay, &bytes, format)?, out) {
            (file, Some(path)) => user_files::write(path, &file)?,
            (_, None) if format == ITSELF => {
                bail!("a replay is not text: name a file with --out FILE")
            }
            (file, None) => say_file(&String::from_utf8_lossy(&file))?,
        }
    } else {
        let eyes = eyes(args, &*replay)?;
        if let Some(eyes) = eyes
            && replay.draw_for(0, eyes, Room::ENDLESS).is_none()
        {
            return Err(player_view::nothing_hidden(&replay.header().game));
        }
        let last = replay.len();
        match args.at {
            Some(step) => show(&mut *replay, step, eyes)?,
            None if is_live(&stdout()) && stdin().is_terminal() => {
                player::run(&mut *replay, eyes)?;
            }
            None => show(&mut *replay, last, eyes)?,
        }
    }
    Ok(Exit::Done)
}

/// Writes the game as a page of one file.
fn share(args: &ReplayArgs, replay: &dyn AnyReplay) -> Result<()> {
    let shared = web::share::game(replay, eyes(args, replay)?)?;
    let path = match (&args.out, args.number) {
        (Some(path), _) => path.clone(),
        (None, Some(number)) => format!("game-{number}.html").into(),
        (None, None) => Path::new(args.file.file_name().unwrap_or_default()).with_extension("html"),
    };
    if args.out.is_none() && path.exists() {
        bail!("{} is there already; name another file with --out FILE", path.display());
    }
    user_files::write(&path, &shared.html)?;
    for what in &shared.left_out {
        remark(&format!("left out: {what}"));
    }
    say(&format!(
        "{}: the game as a page, {} kB; open it in a browser, or send it to somebody",
        path.display(),
        shared.html.len().div_ceil(1000)
    ))?;
    Ok(())
}

/// The player whose eyes are asked for, in a game that hides something.
fn eyes(args: &ReplayArgs, replay: &dyn AnyReplay) -> Result<Option<PlayerId>> {
    let names: Vec<String> = replay.header().players.iter().map(|p| p.name.clone()).collect();
    let eyes = args.eyes.as_deref().map(|eyes| player_view::find(eyes, &names)).transpose()?;
    match replay.knowledge() {
        Knowledge::Open if eyes.is_some() => {
            Err(player_view::nothing_hidden(&replay.header().game))
        }
        Knowledge::Open | Knowledge::Hidden => Ok(eyes),
    }
}

/// Writes every finished game of a tournament in another format, a file each.
fn export_run(args: &ReplayArgs, catalogue: Catalogue) -> Result<Exit> {
    let format = args.export.as_deref().unwrap_or_default();
    let Some(folder) = &args.out else {
        bail!("a tournament has many games: name a folder with --out DIR");
    };
    let (store, kept) = finished_games::kept_games(&args.file, args.event.as_deref())?;
    for game in &kept {
        let formats = catalogue.find(&game.game)?.exports();
        if format != ITSELF && !formats.contains(&format) {
            let formats = [&formats[..], &[ITSELF]].concat().join(", ");
            bail!("{} has no format \"{format}\"; it has {formats}; --event chooses", game.event);
        }
    }
    let folder =
        Folder::make(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let ending = if format == table::TEXT { "txt" } else { format };
    let digits = kept.iter().map(|game| game.number).max().unwrap_or(0).to_string().len().max(4);
    let replay_of = store.replays()?;
    let mut failed = 0;
    for game in &kept {
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
        let event: String = game.event.chars().map(plain).collect();
        let name = format!("{event}-{:0digits$}.{ending}", game.number);
        let exported = || -> Result<()> {
            let bytes = replay_of(&game.id)?;
            Ok(folder.write_later(&name, &exported(&*open(&bytes, catalogue)?, &bytes, format)?)?)
        };
        if let Err(error) = exported() {
            // One that cannot be written in this format does not keep back the others.
            complain(&format!("{} game {}: {error:#}", game.event, game.number));
            failed += 1;
        }
    }
    let written = kept.len() - failed;
    remark(&format!("{} written to {}", count(written as u64, "game"), folder.path().display()));
    Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
}

/// A replay in another format, or as it is.
fn exported(replay: &dyn AnyReplay, bytes: &[u8], format: &str) -> Result<Vec<u8>> {
    match format {
        ITSELF => Ok(bytes.to_vec()),
        _ => Ok(replay.export(format).map_err(|error| anyhow!(error))?.into_bytes()),
    }
}

/// The bytes of a replay that the user has named: a file, or one that is in a pack of a tournament
/// and is named as in its results, `RUN/replays/MATCH.lrz`.
fn named(path: &Path) -> Result<Vec<u8>> {
    match File::open(path) {
        Ok(file) => read(file).with_context(|| format!("cannot read replay {}", path.display())),
        Err(error) => match in_pack(path) {
            Some((store, id)) => Ok(store.replay(&id)?),
            None => Err(error).with_context(|| format!("cannot open replay {}", path.display())),
        },
    }
}

fn from_input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = stdin().lock().take(Record::LONGEST_FILE).read_to_end(&mut bytes);
    read.context("cannot read a replay from standard input")?;
    Ok(bytes)
}

/// The tournament and the match that a path names.
fn in_pack(path: &Path) -> Option<(Store, String)> {
    let id = path.file_name()?.to_str()?.strip_suffix(".lrz")?;
    let replays = path.parent()?;
    let run = replays.parent().filter(|_| replays.ends_with("replays"))?;
    Some((Store::open_to_read(run).ok()?, id.to_owned()))
}

/// The bytes of a replay file.
pub(crate) fn read(file: File) -> Result<Vec<u8>> {
    user_files::read(file, Record::LONGEST_FILE)
}

pub(crate) fn open(bytes: &[u8], catalogue: Catalogue) -> Result<Box<dyn AnyReplay>> {
    catalogue.replay(&Record::read(bytes)?)
}

fn show(replay: &mut dyn AnyReplay, step: usize, eyes: Option<PlayerId>) -> Result<()> {
    let last = replay.len();
    if step > last {
        return Err(anyhow!("the game has {}, not {step}", count(last as u64, "step")));
    }
    let room = room(&stdout());
    let below = panel::caption(replay, step, eyes);
    // Where there is not enough room for both, the picture is the one that shrinks.
    let above = room.without(0, (below.len() + 1).min(room.rows / 2));
    say_painted(&player_view::draw(replay, step, eyes, above).lines(above))?;
    Ok(say_painted(&below)?)
}

fn print(out: Option<&Path>, lines: impl Iterator<Item = String>) -> Result<()> {
    match out {
        None => say_lines(lines)?,
        Some(path) => {
            let line = |line: String| game::text::one_line(&line).into_owned();
            user_files::write_lines(path, lines.map(line))?;
        }
    }
    Ok(())
}
