//! `lanista bench`: the figures of the crate for measuring, as text and for scripts.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use bench::{Extent, GivenBots, News, Suite, SuitePart};
use host::{AskedLimits, Placement, Pondering, Program, Reuse, Run};
use league::{SeedSource, Series};
use serde_json::json;
use table::{Adjudication, Recording};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::BenchArgs;
use crate::options::{bots, cage, processes, setup};
use crate::terminal::{remark, say, say_json};

pub(crate) fn bench(args: &BenchArgs, catalogue: Catalogue) -> Result<Exit> {
    match &args.game {
        Some(game) => of_bots(game, args, catalogue),
        None => of_host(args, catalogue),
    }
}

/// The whole table, or parts of it.
fn of_host(args: &BenchArgs, catalogue: Catalogue) -> Result<Exit> {
    let wanted = |part: &SuitePart| args.only.is_empty() || args.only.contains(part);
    let suite = Suite {
        extent: if args.quick { Extent::Quick } else { Extent::Whole },
        rounds: args.rounds,
        parts: SuitePart::ALL.into_iter().filter(wanted).collect(),
    };
    host::catch_interrupts();
    let measured = suite.measure(catalogue.games(), |news| {
        match (args.json, news) {
            (true, _) => {}
            (false, News::Machine(machine)) => say(&machine.to_string())?,
            (false, News::Round { title, name, round }) => {
                remark(&format!("{title}: {name}, round {round}"));
            }
            (false, News::Group(group)) => say(&format!("\n{group}"))?,
        }
        Ok(())
    })?;
    let Some(report) = measured else { return Ok(Exit::Interrupted) };
    if args.json {
        say_json(&report.json())?;
    } else if !report.is_stable() {
        say("~ marks figures that did not settle: this machine is busy; do not use them.")?;
    }
    Ok(Exit::Done)
}

/// Games a second between given bots.
fn of_bots(name: &str, args: &BenchArgs, catalogue: Catalogue) -> Result<Exit> {
    let game = catalogue.find(name)?;
    let card = game.card();
    let setup = Arc::new(setup::read(game, &args.setup)?);
    let roster = bots::roster(&args.bots, &card, &AskedLimits::default())?;
    game.check(&setup, roster.len() as u16)?;
    let programs =
        roster.iter().filter(|bot| matches!(bot.program, Program::Command { .. })).count();
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let run = Run {
        concurrency: processes::concurrency(args.concurrency, &card, &roster),
        placement: Placement::Auto,
        cage: cage::terms(&args.cage, &exe, None)?,
        exe: Some(exe),
        scratch: league::scratch_for(&roster)?,
        pondering: Pondering::Stopped,
        roster,
        live: None,
        people: None,
    };
    bots::build(&run)?;
    let series = Series {
        adjudication: Adjudication::NONE,
        game,
        setup,
        seeds: SeedSource::Run(1),
        clock: card.clock,
        games: args.games,
        recording: Recording::On,
        entrants: league::entrants(&run.roster, run.scratch.as_ref(), Reuse::Auto)?,
        circumstances: String::new(),
    };
    host::catch_interrupts();
    let (at_a_time, rounds) = (run.concurrency, args.rounds.unwrap_or(5));
    let measured = GivenBots { run, series, rounds }.measure(|round, games, starts| {
        if !args.json {
            remark(&format!("round {round}: games {games:.2} s, starts {starts:.2} s"));
        }
    })?;
    let Some(rates) = measured else { return Ok(Exit::Interrupted) };
    let ([ratio, least, most], starts) = (rates.ratio, rates.starts);
    if args.json {
        say_json(&json!({
            "v": 1, "game": card.id, "games": args.games, "rounds": rounds,
            "concurrency": at_a_time, "games_per_second": rates.games,
            "starts_only_per_second": if programs > 0 { Some(starts) } else { None },
            "ratio": if programs > 0 { Some(ratio) } else { None },
            "bare_ratio": if programs > 0 { Some(rates.bare_ratio[0]) } else { None },
        }))?;
    } else {
        say(&format!("{:.1} games/s, {at_a_time} at a time, replays recorded", rates.games))?;
        if programs > 0 {
            say(&format!("{starts:.1} games/s if their {programs} processes were only started"))?;
            say(&format!("{ratio:.2} × the cost of starting them alone [{least:.2} – {most:.2}]"))?;
            let [ratio, least, most] = rates.bare_ratio;
            say(&format!("{ratio:.2} × the same without a cage [{least:.2} – {most:.2}]"))?;
        }
    }
    Ok(Exit::Done)
}
