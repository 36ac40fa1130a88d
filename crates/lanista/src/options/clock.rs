//! The time control that options ask for.

use anyhow::{Context as _, Result, bail};
use game::{AskedClock, Charge, Clock, OwnClock};

use crate::cli::{ClockOptions, TimeCharged};

/// The time control, as asked on the command line.
pub(crate) fn clock(options: &ClockOptions, usual: Clock) -> Result<Clock> {
    let asked = AskedClock {
        move_ms: options.timeout_ms,
        match_ms: options.match_ms,
        start_ms: options.start_ms,
        margin_ms: options.margin_ms,
        charge: Some(match options.clock {
            TimeCharged::Wall => Charge::Wall,
            TimeCharged::Cpu => Charge::Cpu,
        }),
    };
    Ok(asked.settle(usual)?)
}

/// The clocks of bots that have one of their own, by the order of their names.
pub(crate) fn own_clocks(
    options: &ClockOptions,
    all: Clock,
    names: &[&str],
) -> Result<Vec<Option<Clock>>> {
    let mut clocks = vec![None; names.len()];
    for text in &options.bot_clock {
        let (name, own) = own_clock(text)?;
        let Some(bot) = names.iter().position(|known| *known == name) else {
            let near = game::did_you_mean(name, names.iter().copied());
            bail!("--bot-clock: \"{name}\" is not one of the bots{near}");
        };
        let settled = own.settle(all).with_context(|| format!("--bot-clock {text}"))?;
        if clocks[bot].replace(settled).is_some() {
            bail!("--bot-clock gives \"{name}\" two clocks");
        }
    }
    Ok(clocks)
}

/// Understands `NAME=move_ms=500,match_ms=60000`. What follows the name is what a tournament file
/// has between the braces of `clock = { … }`.
fn own_clock(text: &str) -> Result<(&str, OwnClock)> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Line {
        clock: OwnClock,
    }
    let read = |text: &str| toml::from_str::<Line>(&format!("clock = {{ {text} }}")).ok();
    let found = text.split_once('=').filter(|(_, own)| !own.trim().is_empty());
    let (name, own) =
        found.and_then(|(name, own)| Some((name, read(own)?.clock))).with_context(|| {
            format!(
                "--bot-clock is NAME=move_ms=500,match_ms=60000 or one of the two, not \"{text}\""
            )
        })?;
    Ok((name, own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bots_own_clock_is_read_as_in_a_file() {
        let read = |text: &str| own_clock(text).ok().map(|(name, own)| (name.to_owned(), own));
        let own = |move_ms, match_ms| OwnClock { move_ms, match_ms };
        let wanted = |own| Some(("a".to_owned(), own));
        assert_eq!(read("a=move_ms=500"), wanted(own(Some(500), None)));
        assert_eq!(read("a=match_ms = 9, move_ms = 0"), wanted(own(Some(0), Some(9))));
        for wrong in ["a", "a=", "a=500", "a=start_ms=5", "a=move_ms=-1", "a=move_ms=1}\nx={", ""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
