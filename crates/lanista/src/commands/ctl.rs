//! `lanista ctl`.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use league::{ControlError, Request, Store, add_to_stopped_run, ask, request_to_stopped_run};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::help;
use crate::cli::{self, CtlArgs};
use crate::options::{bots, cage};
use crate::terminal::{remark, say_json};

/// A longer reason is a document.
const LONGEST_REASON: usize = 1000;

pub(crate) fn ctl(args: &CtlArgs, catalogue: Catalogue) -> Result<Exit> {
    let (order, done) = match &args.order {
        cli::CtlOrder::Pause => (Request::Pause, "paused; games under way are finished"),
        cli::CtlOrder::Resume => (Request::Resume, "resumed"),
        cli::CtlOrder::Concurrency { games, reason } => (
            Request::Concurrency { games: *games, reason: checked(reason)? },
            "changed as soon as the games under way are finished",
        ),
        cli::CtlOrder::Priority { event, priority, reason } => {
            let (event, reason) = (event.clone(), checked(reason)?);
            (Request::Priority { event, priority: *priority, reason }, "changed")
        }
        cli::CtlOrder::Withdraw { bot, event, reason } => {
            let (bot, event, reason) = (bot.clone(), event.clone(), checked(reason)?);
            (
                Request::Withdraw { bot, event, reason },
                "withdrawn; what it is playing does not count",
            )
        }
        cli::CtlOrder::Disqualify { bot, event, reason } => {
            let (bot, event, reason) = (bot.clone(), event.clone(), checked(reason)?);
            (Request::Disqualify { bot, event, reason }, "disqualified; its games are annulled")
        }
        cli::CtlOrder::Reinstate { bot, event, reason } => {
            let (bot, event, reason) = (bot.clone(), event.clone(), checked(reason)?);
            (Request::Reinstate { bot, event, reason }, "it takes part again")
        }
        cli::CtlOrder::Void { game, event, reason } => {
            let (event, reason) = (event.clone(), checked(reason)?);
            (Request::Void { game: *game, event, reason }, "void; it is played again")
        }
        cli::CtlOrder::Entries => return entries(&args.run),
        cli::CtlOrder::Add { bot, event } => (
            Request::Add {
                bot: bot.clone(),
                base: std::env::current_dir().context("cannot find the working directory")?,
                event: event.clone(),
            },
            "added as soon as the games under way are finished",
        ),
        cli::CtlOrder::Stop => {
            (Request::Stop, "it ends as soon as the games under way are finished")
        }
        cli::CtlOrder::Status => (Request::Status, ""),
        cli::CtlOrder::Unknown(words) => return Err(unknown(words, catalogue)),
    };
    if let Request::Add { bot, base, .. } = &order
        && let Ok(bot) = host::BotSpec::parse(bot, base)
    {
        // Not by the run, which is busy playing.
        let exe = std::env::current_exe().context("cannot find the file of this program")?;
        bots::build_bot(&bot, &cage::terms(&cli::CageOptions::default(), &exe, None)?, &exe)?;
    }
    let status = match ask(&args.run, &order) {
        Err(nobody @ ControlError::Nobody(_)) => {
            return at_rest(&args.run, &order, nobody, catalogue);
        }
        answer => answer?,
    };
    match order {
        Request::Status | Request::Follow => say_json(&status)?,
        Request::Pause
        | Request::Resume
        | Request::Concurrency { .. }
        | Request::Priority { .. }
        | Request::Withdraw { .. }
        | Request::Disqualify { .. }
        | Request::Reinstate { .. }
        | Request::Void { .. }
        | Request::Add { .. }
        | Request::Stop => remark(done),
    }
    Ok(Exit::Done)
}

/// Nobody is playing: what can be decided all the same is entered, and holds when it goes on.
fn at_rest(
    run: &Path,
    order: &Request,
    nobody: ControlError,
    catalogue: Catalogue,
) -> Result<Exit> {
    match order {
        Request::Pause | Request::Resume | Request::Stop | Request::Status | Request::Follow => {
            Err(nobody.into())
        }
        Request::Add { bot, base, event } => {
            remark(&add_to_stopped_run(run, bot, base, event.as_deref(), catalogue.games())?);
            Ok(Exit::Done)
        }
        Request::Concurrency { .. }
        | Request::Priority { .. }
        | Request::Withdraw { .. }
        | Request::Disqualify { .. }
        | Request::Reinstate { .. }
        | Request::Void { .. } => {
            for sentence in request_to_stopped_run(run, order)? {
                remark(&sentence);
            }
            Ok(Exit::Done)
        }
    }
}

fn checked(reason: &str) -> Result<String> {
    match reason.chars().count() > LONGEST_REASON {
        true => bail!("a reason has at most {LONGEST_REASON} characters"),
        false => Ok(reason.trim().to_owned()),
    }
}

fn entries(run: &Path) -> Result<Exit> {
    for entry in Store::open_to_read(run)?.journal()? {
        say_json(&entry.to_json())?;
    }
    Ok(Exit::Done)
}

/// What is wrong with an order that there is not, with those that there are.
fn unknown(words: &[String], catalogue: Catalogue) -> anyhow::Error {
    let command = help::command(catalogue);
    let ctl = command.find_subcommand("ctl").expect("it has just been used");
    let orders: Vec<&str> = ctl.get_subcommands().map(clap::Command::get_name).collect();
    let order = words.first().map_or("", String::as_str);
    let near = game::did_you_mean(order, orders.iter().copied());
    anyhow!("there is no order \"{order}\"{near}; the orders are {}", orders.join(", "))
}
