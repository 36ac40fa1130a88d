//! The bots that a command names.

use std::path::Path;

use anyhow::{Result, bail};
use host::{AskedLimits, BotError, BotSpec, CageTerms, Run, unique_names};
use table::Card;

use crate::cli::ClockOptions;
use crate::output::text;
use crate::terminal::remark;

/// What the command line sets of the limits of programs.
pub(crate) fn limits(time: &ClockOptions) -> AskedLimits {
    AskedLimits::default().starting_within(time.start_ms)
}

/// The bots, checked against the game; they may use no more than these limits say.
pub(crate) fn roster(bots: &[String], card: &Card, limits: &AskedLimits) -> Result<Vec<BotSpec>> {
    let read = |text: &String| BotSpec::read(text, None, Path::new("."), card, limits);
    checked(bots, card, read)
}

/// The same with people among them.
pub(crate) fn roster_with_people(
    bots: &[String],
    card: &Card,
    limits: &AskedLimits,
) -> Result<Vec<BotSpec>> {
    let read = |text: &String| match BotSpec::person(text) {
        Some(person) => Ok(person),
        None => BotSpec::read(text, None, Path::new("."), card, limits),
    };
    checked(bots, card, read)
}

fn checked(
    bots: &[String],
    card: &Card,
    read: impl Fn(&String) -> Result<BotSpec, BotError>,
) -> Result<Vec<BotSpec>> {
    let mut roster = bots.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let (least, most) = card.players;
    let count = roster.len();
    if !(usize::from(least)..=usize::from(most)).contains(&count) {
        let (wanted, given) = (text::players(card.players), text::count(count as u64, "bot"));
        bail!("{} is for {wanted}, not for {given}", card.id);
    }
    unique_names(&mut roster);
    Ok(roster)
}

/// Builds the bots that have to be built, before anything of them is looked at.
pub(crate) fn build(run: &Run) -> Result<()> {
    match &run.exe {
        Some(exe) => run.roster.iter().try_for_each(|bot| build_bot(bot, &run.cage, exe)),
        None => Ok(()),
    }
}

/// Builds one bot, if it has to be built.
pub(crate) fn build_bot(bot: &BotSpec, cage: &CageTerms, exe: &Path) -> Result<()> {
    bot.build(cage, exe, |command| remark(&format!("building {}: {command}", bot.name)))?;
    Ok(())
}
