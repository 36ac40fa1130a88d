//! People among the bots of a command.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use game::{Charge, Clock};
use host::BotSpec;
use serde_json::{Map, Value};
use table::{AnyGame, Card, Contestant, Entrant};

use crate::cli::{PlayArgs, TimeCharged};
use crate::terminal::person::TerminalPeople;

/// Refuses what does not go together with people.
pub(crate) fn check(
    args: &PlayArgs,
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    roster: &[BotSpec],
) -> Result<()> {
    let own_time = args.human_timeout_ms.is_some() || args.human_match_ms.is_some();
    if !roster.iter().any(BotSpec::is_person) {
        if own_time {
            bail!("--human-timeout-ms and --human-match-ms are for people, and no BOT is human");
        }
        return Ok(());
    }
    if !game.has_desk(config, roster.len() as u16)? {
        bail!("people cannot play {}: it does not say what it offers them", args.game);
    }
    if args.watch {
        bail!("a person sees the game anyway: leave out --watch");
    }
    match args.time.clock {
        TimeCharged::Cpu if own_time => {
            bail!("people use no processor time: leave out --clock cpu, or their time limits")
        }
        TimeCharged::Cpu | TimeCharged::Wall => Ok(()),
    }
}

/// The people of a roster at this terminal, if there are any.
pub(crate) fn at_terminal(roster: &[BotSpec], card: &Card) -> Result<Option<Arc<TerminalPeople>>> {
    let people = roster.iter().enumerate().filter(|(_, bot)| bot.is_person());
    let names: BTreeMap<usize, String> =
        people.map(|(number, bot)| (number, bot.name.clone())).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let hints = card.bots.iter().map(|bot| bot.name).collect();
    let people = TerminalPeople::new(names, card.knowledge, hints);
    Ok(Some(Arc::new(people.context("cannot start a thread for the terminal")?)))
}

/// The players of a match; people have the time that is theirs, or as much as they like.
pub(crate) fn with_own_clocks(
    mut entrants: Vec<Entrant>,
    args: &PlayArgs,
    clock: Clock,
) -> Vec<Entrant> {
    let time = |ms: Option<u64>| ms.map(Duration::from_millis);
    let (turn, bank) = (time(args.human_timeout_ms), time(args.human_match_ms));
    for entrant in &mut entrants {
        if entrant.contestant == Contestant::Person {
            entrant.clock = Some(Clock { turn, bank, charge: Charge::Wall, ..clock });
        }
    }
    entrants
}
