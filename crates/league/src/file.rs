//! The words of a tournament file, and what they come to.

use std::path::Path;
use std::time::Duration;

use game::Clock;
use host::Limits;
use serde::Deserialize;
use serde_json::{Map, Value};
use table::{Adjudication, Card};

use crate::cup::{EventError, Stop};
use crate::schedule::Format;
use crate::setup::{SetupFileError, read_text};

/// A tournament file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) name: Option<String>,
    pub(crate) game: Option<String>,
    pub(crate) format: Option<FormatName>,
    pub(crate) rounds: Option<u32>,
    pub(crate) games: Option<u32>,
    pub(crate) seats: Option<usize>,
    pub(crate) challengers: Option<u32>,
    pub(crate) extra_pairs: Option<u32>,
    pub(crate) third_place: Option<bool>,
    #[serde(default)]
    pub(crate) seed: u64,
    pub(crate) concurrency: Option<u16>,
    #[serde(default)]
    pub(crate) setup: Map<String, Value>,
    #[serde(default)]
    pub(crate) variants: Vec<Map<String, Value>>,
    #[serde(default)]
    pub(crate) clock: ClockFile,
    #[serde(default)]
    pub(crate) adjudication: Adjudication,
    pub(crate) limits: Option<Limits>,
    #[serde(default)]
    pub(crate) stop: Stop,
    #[serde(default)]
    pub(crate) bots: Vec<BotLine>,
    #[serde(default)]
    pub(crate) events: Vec<EventFile>,
}

/// An event; what it does not say is as at the top of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventFile {
    pub(crate) name: Option<String>,
    pub(crate) game: Option<String>,
    pub(crate) format: Option<FormatName>,
    pub(crate) rounds: Option<u32>,
    pub(crate) games: Option<u32>,
    pub(crate) seats: Option<usize>,
    pub(crate) challengers: Option<u32>,
    pub(crate) extra_pairs: Option<u32>,
    pub(crate) third_place: Option<bool>,
    pub(crate) seed: Option<u64>,
    pub(crate) setup: Option<Map<String, Value>>,
    pub(crate) variants: Option<Vec<Map<String, Value>>>,
    pub(crate) clock: Option<ClockFile>,
    pub(crate) adjudication: Option<Adjudication>,
    pub(crate) bots: Option<Vec<BotLine>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FormatName {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    Ladder,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClockFile {
    pub(crate) move_ms: Option<u64>,
    pub(crate) match_ms: Option<u64>,
    pub(crate) start_ms: Option<u64>,
    pub(crate) margin_ms: Option<u64>,
    pub(crate) charge: game::Charge,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotLine {
    pub(crate) bot: String,
    pub(crate) name: Option<String>,
}

/// The format and the number of seats. Keys that the format has no use for are refused: somebody
/// expects something of them.
pub(crate) fn format(
    file: &File,
    own: Option<&EventFile>,
    card: &Card,
    bots: usize,
) -> Result<(Format, usize), EventError> {
    let name = own.and_then(|own| own.format).or(file.format).unwrap_or(FormatName::RoundRobin);
    let seats = own.and_then(|own| own.seats).or(file.seats);
    let seats = match (seats, name) {
        (Some(seats), _) => seats,
        (None, FormatName::Knockout) => 2,
        (None, _) => {
            usize::from(card.usual_players).min(bots).max(usize::from(card.players.0)).max(2)
        }
    };
    let rounds = own.and_then(|own| own.rounds).or(file.rounds);
    let games = own.and_then(|own| own.games).or(file.games);
    let challengers = own.and_then(|own| own.challengers).or(file.challengers);
    let extra = own.and_then(|own| own.extra_pairs).or(file.extra_pairs);
    let third_place = own.and_then(|own| own.third_place).or(file.third_place);
    // At the top of a file with events a key may be meant for some of them only.
    let here = |top: bool, event: Option<bool>| match own {
        None => top,
        Some(_) => event.unwrap_or(false),
    };
    let refuse = |key: &str, given: bool, format: &str| match given {
        true => Err(EventError::Plain(format!("{key} means nothing for {format}"))),
        false => Ok(()),
    };
    let games_here = here(file.games.is_some(), own.map(|own| own.games.is_some()));
    let rounds_here = here(file.rounds.is_some(), own.map(|own| own.rounds.is_some()));
    let set = seats as u32;
    // Enough rounds to tell the first place among so many.
    let usual_rounds = (bots.max(2) as f64).log2().ceil() as u32 + 1;
    let format = match name {
        FormatName::RoundRobin => {
            refuse("games", games_here, "a round robin; rounds says how often all meet")?;
            Format::RoundRobin { rounds: rounds.unwrap_or(set) }
        }
        FormatName::Gauntlet => {
            refuse("games", games_here, "a gauntlet; rounds says how often they meet")?;
            let challengers = challengers.unwrap_or(1);
            Format::Gauntlet { rounds: rounds.unwrap_or(set), challengers }
        }
        FormatName::Swiss => {
            Format::Swiss { rounds: rounds.unwrap_or(usual_rounds), games: games.unwrap_or(set) }
        }
        FormatName::Knockout => {
            if games_here && rounds_here {
                let both = "a knockout gives rounds or games, which say the same, but not both";
                return Err(EventError::Plain(both.to_owned()));
            }
            let third_place = third_place.unwrap_or(false);
            let games = games.or(rounds).unwrap_or(2);
            Format::Knockout { games, extra: extra.unwrap_or(3), third_place }
        }
        FormatName::Ladder => {
            refuse("rounds", rounds_here, "a ladder, which has no end; see [stop]")?;
            Format::Ladder { games: games.unwrap_or(set) }
        }
    };
    if !matches!(name, FormatName::Gauntlet) {
        let given = here(file.challengers.is_some(), own.map(|own| own.challengers.is_some()));
        refuse("challengers", given, "this format; it is for a gauntlet")?;
    }
    if !matches!(name, FormatName::Knockout) {
        let given = here(file.extra_pairs.is_some(), own.map(|own| own.extra_pairs.is_some()));
        refuse("extra_pairs", given, "this format; it is for a knockout")?;
        let given = here(file.third_place.is_some(), own.map(|own| own.third_place.is_some()));
        refuse("third_place", given, "this format; it is for a knockout")?;
    }
    Ok((format, seats))
}

pub(crate) fn setups(
    file: &File,
    own: Option<&EventFile>,
    card: &Card,
    base: &Path,
) -> Result<Vec<Map<String, Value>>, SetupFileError> {
    let common = own.and_then(|own| own.setup.as_ref()).unwrap_or(&file.setup);
    let variants = own.and_then(|own| own.variants.as_ref()).unwrap_or(&file.variants);
    let mut setups: Vec<Map<String, Value>> = variants
        .iter()
        .map(|variant| {
            let mut setup = common.clone();
            setup.extend(variant.clone());
            setup
        })
        .collect();
    if setups.is_empty() {
        setups.push(common.clone());
    }
    for setup in &mut setups {
        for (name, value) in setup {
            read_text(card.keys, name, value, base)?;
        }
    }
    Ok(setups)
}

pub(crate) fn clock(file: ClockFile, usual: Clock) -> Clock {
    let ms = Duration::from_millis;
    Clock {
        turn: match file.move_ms {
            None => usual.turn,
            Some(0) => None,
            Some(limit) => Some(ms(limit)),
        },
        bank: file.match_ms.map(ms).or(usual.bank),
        start: file.start_ms.map_or(usual.start, ms),
        margin: file.margin_ms.map_or(usual.margin, ms),
        charge: file.charge,
    }
}
