//! How the processes of bots are kept and placed: whether they think while they are not on move, on
//! which cores, and how many games there are at a time.

use anyhow::{Result, bail};
use host::{BotSpec, Pondering, Program, Reuse};
use table::{Card, TurnOrder};

use crate::cli::{PlacementName, ProcessFlags};
use crate::output::text;
use crate::terminal::remark;

pub(crate) fn pondering(manner: &ProcessFlags) -> Pondering {
    match (manner.freeze, manner.ponder) {
        (true, _) => Pondering::Frozen,
        (false, true) => Pondering::Allowed,
        (false, false) => Pondering::Stopped,
    }
}

pub(crate) fn reuse(manner: &ProcessFlags) -> Reuse {
    match manner.fresh {
        true => Reuse::Never,
        false => Reuse::Auto,
    }
}

/// Bots that think at any time have cores of their own.
pub(crate) fn placement(manner: &ProcessFlags) -> Result<host::Placement> {
    Ok(match (manner.placement, manner.ponder) {
        (PlacementName::Auto, false) => host::Placement::Auto,
        (PlacementName::Apart, _) | (PlacementName::Auto, true) => host::Placement::Apart,
        (PlacementName::Together, false) => host::Placement::Together,
        (PlacementName::None, false) => host::Placement::None,
        (PlacementName::Together | PlacementName::None, true) => {
            bail!("--ponder gives every bot a core of its own: leave out --placement")
        }
    })
}

/// As many games at a time as there are cores for.
pub(crate) fn concurrency(given: Option<u16>, card: &Card, roster: &[BotSpec]) -> usize {
    if let Some(given) = given {
        let cores = host::cores().len();
        if usize::from(given) > cores {
            remark(&format!(
                "{given} games at a time on {}: bots will wait for each other, and \
                 tight clocks may run out",
                text::count(cores as u64, "core")
            ));
        }
        return usize::from(given);
    }
    let wanted = |bot: &BotSpec| match bot.program {
        Program::BuiltIn(_) | Program::Person => 1,
        Program::Command { .. } => bot.limits.cores as usize,
    };
    let needed: usize = match card.turn_order {
        TurnOrder::Alternating => roster.iter().map(wanted).max().unwrap_or(1),
        TurnOrder::Simultaneous => roster.iter().map(wanted).sum(),
    };
    (host::cores().len() / needed.max(1)).max(1)
}

/// The same, where bots may need cores of their own.
pub(crate) fn concurrency_with(
    given: Option<u16>,
    manner: &ProcessFlags,
    card: &Card,
    roster: &[BotSpec],
) -> usize {
    let games = concurrency(given, card, roster);
    match (manner.ponder, given) {
        (true, None) => games.min((host::cores().len() / cores_for(roster).max(1)).max(1)),
        (true, Some(_)) | (false, _) => games,
    }
}

/// Refuses to let bots think in the time of others where they share cores.
pub(crate) fn check_cores(
    roster: &[BotSpec],
    pondering: Pondering,
    concurrency: usize,
) -> Result<()> {
    let (cores, needed) = (host::cores().len(), cores_for(roster) * concurrency);
    if pondering == Pondering::Allowed && needed > cores {
        let games = match concurrency {
            1 => "a game".to_owned(),
            games => format!("{games} games at a time"),
        };
        bail!(
            "--ponder needs a core for every bot, {needed} for {games}, and there are {cores} here: \
             leave it out or play fewer games at a time"
        );
    }
    Ok(())
}

/// How many cores the bots of a game need, when each has its own.
fn cores_for(roster: &[BotSpec]) -> usize {
    let wanted = |bot: &BotSpec| match bot.program {
        Program::BuiltIn(_) | Program::Person => 1,
        Program::Command { .. } => bot.limits.cores.max(1) as usize,
    };
    roster.iter().map(wanted).sum()
}
