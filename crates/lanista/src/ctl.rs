//! `lanista ctl`.

use anyhow::{Context as _, Result};
use league::{Order, ask};

use crate::Ending;
use crate::cli::{self, Ctl};
use crate::terminal::{remark, say_json};

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
    };
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
