//! Games a second between given bots, beside the cost of starting them alone.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use game::Verdict;
use host::{Placement, Program, Run};
use serde_json::json;

use super::rounds::median;
use crate::Ending;
use crate::catalogue::Catalogue;
use crate::cli::Bench;
use crate::options::plan::{self, Luck, Plan};
use crate::options::{cage, setup};
use crate::terminal::{remark, say, say_json};

pub(super) fn bench(name: &str, args: &Bench, catalogue: Catalogue) -> Result<Ending> {
    let game = catalogue.find(name)?;
    let card = game.card();
    let config = Arc::new(setup::read(game, &args.setup)?);
    let roster = plan::roster(&args.bots, &card, &host::AskedLimits::default())?;
    game.check(&config, roster.len() as u16)?;
    let programs =
        roster.iter().filter(|bot| matches!(bot.program, Program::Command { .. })).count();
    let exe = std::env::current_exe().context("cannot find this very program")?;
    let run = Run {
        concurrency: plan::concurrency(args.concurrency, &card, &roster),
        placement: Placement::Auto,
        cage: cage::terms(&args.cage, &exe, None)?,
        exe: Some(exe),
        scratch: plan::scratch(&roster)?,
        pondering: host::Pondering::Stopped,
        roster,
    };
    plan::build(&run)?;
    let mut plan = Plan {
        adjudication: table::Adjudication::NONE,
        game,
        config,
        luck: Luck::Run(1),
        clock: card.clock,
        games: args.games,
        record: true,
        entrants: plan::entrants(&run, host::Reuse::Auto)?,
        circumstances: String::new(),
    };
    host::catch_interrupts();
    let (mut played, mut started, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let rounds = args.rounds.unwrap_or(5);
    for round in 0..rounds {
        // The same games in every run, so that runs can be compared.
        plan.luck = Luck::Run(1 + u64::from(round));
        let playing = play(&run, &plan)?;
        // In the same round, so that a slow moment of the machine hits both.
        let starting = run.start_only(args.games)?.as_secs_f64();
        if host::interrupted() {
            return Ok(Ending::Interrupted);
        }
        if !args.json {
            remark(&format!("round {}: games {playing:.2} s, starts {starting:.2} s", round + 1));
        }
        played.push(playing);
        started.push(starting);
        ratios.push(playing / starting);
    }
    let games = args.games as f64;
    let rate = games / median(&mut played);
    let starts = games / median(&mut started);
    let ratio = median(&mut ratios);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    if args.json {
        let report = json!({
            "v": 1, "game": card.id, "games": args.games, "rounds": rounds,
            "concurrency": run.concurrency, "games_per_second": rate,
            "starts_only_per_second": if programs > 0 { Some(starts) } else { None },
            "ratio": if programs > 0 { Some(ratio) } else { None },
        });
        say_json(&report)?;
    } else {
        let at_a_time = run.concurrency;
        say(&format!("{rate:.1} games/s, {at_a_time} at a time, replays recorded"))?;
        if programs > 0 {
            say(&format!("{starts:.1} games/s if their {programs} processes were only started"))?;
            say(&format!("{ratio:.2} × the cost of starting them alone [{least:.2} – {most:.2}]"))?;
        }
    }
    Ok(Ending::Done)
}

/// Seconds for all games of a plan.
fn play(run: &Run, plan: &Plan) -> Result<f64> {
    let mut wrong = None;
    let began = Instant::now();
    run.play(plan.jobs(), None, |finished| {
        match finished.result {
            Ok((report, _)) if report.outcome == Verdict::Void => wrong = Some(report.reason),
            Ok(_) => return ControlFlow::Continue(()),
            Err(error) => wrong = Some(error.to_string()),
        }
        ControlFlow::Break(())
    })?;
    match wrong {
        Some(reason) if !host::interrupted() => bail!("a game could not be played: {reason}"),
        _ => Ok(began.elapsed().as_secs_f64()),
    }
}
