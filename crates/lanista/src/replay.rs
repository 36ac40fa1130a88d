//! `lanista replay`.

use std::io::{IsTerminal as _, stdin, stdout};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use table::{AnyReplay, Record};

use crate::cli::Replay;
use crate::terminal::{complain, ink, say};
use crate::{Ending, player, tournament};

pub(crate) fn replay(args: &Replay) -> Result<Ending> {
    let file = match args.number {
        None if args.file.is_dir() => bail!(
            "{} is a folder; which of its games? `lanista results` numbers them",
            args.file.display()
        ),
        None => args.file.clone(),
        Some(number) => tournament::replay_of(&args.file, args.event.as_deref(), number)?,
    };
    let shown = file.display();
    let bytes = std::fs::read(&file).with_context(|| format!("cannot open replay {shown}"))?;
    let mut replay = match open(&bytes) {
        Ok(replay) => replay,
        // For somebody who wants to know whether it can be trusted, a broken file cannot.
        Err(error) if args.verify => {
            complain(&format!("{shown} does not verify: {error:#}"));
            return Ok(Ending::Unverified);
        }
        Err(error) => return Err(error.context(format!("cannot read replay {shown}"))),
    };
    if args.verify {
        return Ok(match replay.verify() {
            Ok(()) => {
                say(&format!("{shown}: {} steps verified", replay.len()))?;
                Ending::Done
            }
            Err(mismatch) => {
                complain(&format!("{shown} does not verify: {mismatch}"));
                Ending::Unverified
            }
        });
    }
    let out = args.out.as_deref();
    if args.json {
        let header = serde_json::to_string(replay.header())?;
        let steps = replay.steps().into_iter().map(|step| step.to_string());
        print(out, std::iter::once(header).chain(steps))?;
    } else if args.lines {
        print(out, replay.lines().into_iter())?;
    } else if let Some(format) = &args.export {
        let text = replay.export(format).map_err(|error| anyhow!(error))?;
        match out {
            Some(path) => std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?,
            None => std::io::Write::write_all(&mut stdout(), text.as_bytes())?,
        }
    } else if let Some(step) = args.at {
        show(&mut *replay, step)?;
    } else if stdout().is_terminal() && stdin().is_terminal() {
        player::run(&mut *replay)?;
    } else {
        let last = replay.len();
        show(&mut *replay, last)?;
    }
    Ok(Ending::Done)
}

pub(crate) fn open(bytes: &[u8]) -> Result<Box<dyn AnyReplay>> {
    let record = Record::read(bytes)?;
    let game = table::named(games::GAMES, &record.header)
        .ok_or_else(|| anyhow!("it is a game of \"{}\", which is not known", record.header.game))?;
    Ok(game.replay(&record)?)
}

fn show(replay: &mut dyn AnyReplay, step: usize) -> Result<()> {
    let last = replay.len();
    if step > last {
        return Err(anyhow!("the game has {last} steps, not {step}"));
    }
    say(replay.draw(step, ink()).trim_end())?;
    for line in replay.caption(step) {
        say(&line)?;
    }
    Ok(())
}

fn print(out: Option<&Path>, lines: impl Iterator<Item = String>) -> Result<()> {
    match out {
        None => {
            for line in lines {
                say(&line)?;
            }
        }
        Some(path) => {
            let text: String = lines.map(|line| line + "\n").collect();
            std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}
