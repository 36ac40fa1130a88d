//! `lanista ctl`.

use anyhow::{Context as _, Result, anyhow};
use league::{Order, ask};

use crate::cli::{self, Ctl};
use crate::terminal::{remark, say_json};
use crate::{Ending, cage, help, plan};

pub(crate) fn ctl(args: &Ctl) -> Result<Ending> {
    let (order, done) = match &args.order {
        cli::Order::Pause => (Order::Pause, "paused; games under way are finished"),
        cli::Order::Resume => (Order::Resume, "it goes on"),
        cli::Order::Concurrency { games } => (
            Order::Concurrency { games: *games },
            "changed as soon as the games under way are finished",
        ),
        cli::Order::Add { bot, event } => (
            Order::Add {
                bot: bot.clone(),
                base: std::env::current_dir().context("cannot tell where we are")?,
                event: event.clone(),
            },
            "added as soon as the games under way are finished",
        ),
        cli::Order::Stop => (Order::Stop, "it ends as soon as the games under way are finished"),
        cli::Order::Status => (Order::Status, ""),
        cli::Order::Unknown(words) => return Err(unknown(words)),
    };
    if let Order::Add { bot, base, .. } = &order
        && let Ok(bot) = host::BotSpec::parse(bot, base)
    {
        // Not by the run, which is busy playing.
        let exe = std::env::current_exe().context("cannot find this very program")?;
        plan::build_bot(&bot, &cage::terms(&cli::Cage::default(), &exe, None)?, &exe)?;
    }
    let status = ask(&args.run, &order)?;
    match order {
        Order::Status => say_json(&status)?,
        Order::Pause
        | Order::Resume
        | Order::Concurrency { .. }
        | Order::Add { .. }
        | Order::Stop => remark(done),
    }
    Ok(Ending::Done)
}

/// What is wrong with an order that there is not, with those that there are.
fn unknown(words: &[String]) -> anyhow::Error {
    let command = help::command();
    let ctl = command.find_subcommand("ctl").expect("it has just been used");
    let orders: Vec<&str> = ctl.get_subcommands().map(clap::Command::get_name).collect();
    let order = words.first().map_or("", String::as_str);
    let near = game::did_you_mean(order, orders.iter().copied());
    anyhow!("there is no order \"{order}\"{near}; the orders are {}", orders.join(", "))
}
