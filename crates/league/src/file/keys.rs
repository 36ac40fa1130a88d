//! The words of a tournament file, and what they come to.

use std::path::{Path, PathBuf};

use game::{AskedClock, OwnClock};
use host::{AskedLimits, Placement, Pondering, Reuse};
use serde::Deserialize;
use serde_json::{Map, Value};
use table::{AskedAdjudication, Card};

use crate::file::cluster::ClusterSection;
use crate::file::setup::{SetupFileError, read_text};
use crate::file::{EventError, ProcessOptions, Stop};
use crate::schedule::{Format, OpenGames, System, TieBreak};
use crate::tournament::sequential_test::{Correction, Hypotheses, TestModel};

/// A tournament file, or one of its events: what an event does not say is as at the top of the
/// file.
///
/// One type for both, since all keys of an event may stand at the top. (Types that share their keys
/// by
/// `flatten` would not notice a typo.) Those that belong to the top alone come last.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) name: Option<String>,
    pub(crate) game: Option<String>,
    pub(crate) format: Option<FormatName>,
    pub(crate) rounds: Option<u32>,
    pub(crate) games: Option<u32>,
    pub(crate) seats: Option<usize>,
    pub(crate) challengers: Option<u32>,
    pub(crate) extra_pairs: Option<u32>,
    pub(crate) third_place: Option<bool>,
    pub(crate) groups: Option<u32>,
    pub(crate) through: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) setup: Option<Map<String, Value>>,
    pub(crate) variants: Option<Vec<Map<String, Value>>>,
    pub(crate) clock: Option<AskedClock>,
    pub(crate) adjudication: Option<AskedAdjudication>,
    pub(crate) bots: Option<Vec<BotLine>>,
    pub(crate) open_games: Option<OpenGames>,
    pub(crate) tiebreaks: Option<Vec<TieBreak>>,
    pub(crate) priority: Option<i32>,
    // Of a test.
    pub(crate) elo0: Option<f64>,
    pub(crate) elo1: Option<f64>,
    pub(crate) alpha: Option<f64>,
    pub(crate) beta: Option<f64>,
    pub(crate) model: Option<TestModel>,
    pub(crate) overshoot: Option<Correction>,
    pub(crate) max_games: Option<u32>,
    // Of the whole file.
    pub(crate) concurrency: Option<u16>,
    pub(crate) fresh: Option<bool>,
    pub(crate) freeze: Option<bool>,
    pub(crate) placement: Option<Placement>,
    pub(crate) limits: Option<AskedLimits>,
    pub(crate) stop: Option<Stop>,
    pub(crate) cluster: Option<ClusterSection>,
    pub(crate) events: Option<Vec<Section>>,
    pub(crate) tests: Option<Vec<TestLine>>,
}

/// A test of a new bot against an old one: an event that ends when the answer is known.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestLine {
    new: String,
    old: String,
    name: Option<String>,
    game: Option<String>,
    seats: Option<usize>,
    seed: Option<u64>,
    setup: Option<Map<String, Value>>,
    variants: Option<Vec<Map<String, Value>>>,
    clock: Option<AskedClock>,
    adjudication: Option<AskedAdjudication>,
    elo0: Option<f64>,
    elo1: Option<f64>,
    alpha: Option<f64>,
    beta: Option<f64>,
    model: Option<TestModel>,
    overshoot: Option<Correction>,
    max_games: Option<u32>,
}

/// A test is given up after so many games.
pub(crate) const MOST_GAMES_OF_TEST: u32 = 100_000;

impl TestLine {
    /// The game, if it says so itself.
    pub(crate) fn game(&self) -> Option<&str> {
        self.game.as_deref()
    }

    /// The event of a test, with what it says itself. `usual` is how many play where nobody says
    /// so.
    pub(crate) fn event(self, top: &Section, usual: usize) -> Section {
        let seats = self.seats.or(top.seats).unwrap_or(usual);
        let line = |bot: String| BotLine {
            bot,
            name: None,
            read: Vec::new(),
            write: Vec::new(),
            anchor: None,
            clock: None,
        };
        // The new bot, and a copy of the old one for every other seat.
        let mut bots = vec![line(self.new)];
        bots.resize(seats.max(2), line(self.old));
        Section {
            name: self.name,
            game: self.game,
            seats: Some(seats),
            format: Some(FormatName::Gauntlet),
            rounds: Some(self.max_games.or(top.max_games).unwrap_or(MOST_GAMES_OF_TEST)),
            challengers: Some(1),
            seed: self.seed,
            setup: self.setup,
            variants: self.variants,
            clock: self.clock,
            adjudication: self.adjudication,
            bots: Some(bots),
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
            model: self.model,
            overshoot: self.overshoot,
            ..Section::default()
        }
    }
}

impl Section {
    /// How the processes of bots are kept and placed.
    pub(crate) fn manner(&self) -> ProcessOptions {
        ProcessOptions {
            reuse: match self.fresh {
                Some(true) => Reuse::Never,
                Some(false) | None => Reuse::Auto,
            },
            pondering: match self.freeze {
                Some(true) => Pondering::Frozen,
                Some(false) | None => Pondering::Stopped,
            },
            placement: self.placement.unwrap_or_default(),
        }
    }

    /// The hypotheses of a test; what is not said is as usual.
    pub(crate) fn hypotheses(&self) -> Hypotheses {
        let usual = Hypotheses::default();
        Hypotheses {
            elo0: self.elo0.unwrap_or(usual.elo0),
            elo1: self.elo1.unwrap_or(usual.elo1),
            alpha: self.alpha.unwrap_or(usual.alpha),
            beta: self.beta.unwrap_or(usual.beta),
            model: self.model.unwrap_or(usual.model),
            overshoot: self.overshoot.unwrap_or(usual.overshoot),
        }
    }

    /// A key of tests that stands here.
    pub(crate) fn key_of_tests(&self) -> Option<&'static str> {
        let keys = [
            ("elo0", self.elo0.is_some()),
            ("elo1", self.elo1.is_some()),
            ("alpha", self.alpha.is_some()),
            ("beta", self.beta.is_some()),
            ("model", self.model.is_some()),
            ("overshoot", self.overshoot.is_some()),
            ("max_games", self.max_games.is_some()),
        ];
        keys.into_iter().find(|(_, given)| *given).map(|(key, _)| key)
    }

    /// An event of this file, with all that it takes over from the top.
    pub(crate) fn event(&self, own: &Section) -> Result<Section, EventError> {
        let misplaced = [
            ("concurrency", own.concurrency.is_some()),
            ("fresh", own.fresh.is_some()),
            ("freeze", own.freeze.is_some()),
            ("placement", own.placement.is_some()),
            ("limits", own.limits.is_some()),
            ("stop", own.stop.is_some()),
            ("cluster", own.cluster.is_some()),
            ("events", own.events.is_some()),
            ("tests", own.tests.is_some()),
        ];
        if let Some((key, _)) = misplaced.into_iter().find(|(_, given)| *given) {
            let why = format!("{key} belongs at the top of the file: it is for all events");
            return Err(EventError::Plain(why));
        }
        let (own, top) = (own.clone(), self.clone());
        Ok(Section {
            name: own.name,
            game: own.game.or(top.game),
            format: own.format.or(top.format),
            rounds: own.rounds.or(top.rounds),
            games: own.games.or(top.games),
            seats: own.seats.or(top.seats),
            challengers: own.challengers.or(top.challengers),
            extra_pairs: own.extra_pairs.or(top.extra_pairs),
            third_place: own.third_place.or(top.third_place),
            groups: own.groups.or(top.groups),
            through: own.through.or(top.through),
            seed: own.seed.or(top.seed),
            setup: own.setup.or(top.setup),
            variants: own.variants.or(top.variants),
            clock: own.clock.or(top.clock),
            adjudication: own.adjudication.or(top.adjudication),
            bots: own.bots.or(top.bots),
            tiebreaks: own.tiebreaks.or(top.tiebreaks),
            open_games: own.open_games.or(top.open_games),
            priority: own.priority.or(top.priority),
            elo0: own.elo0.or(top.elo0),
            elo1: own.elo1.or(top.elo1),
            alpha: own.alpha.or(top.alpha),
            beta: own.beta.or(top.beta),
            model: own.model.or(top.model),
            overshoot: own.overshoot.or(top.overshoot),
            max_games: own.max_games.or(top.max_games),
            concurrency: top.concurrency,
            fresh: top.fresh,
            freeze: top.freeze,
            placement: top.placement,
            limits: top.limits,
            stop: top.stop,
            cluster: top.cluster,
            events: None,
            tests: None,
        })
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FormatName {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    DoubleElimination,
    Groups,
    Ladder,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotLine {
    pub(crate) bot: String,
    pub(crate) name: Option<String>,
    /// What it may read besides, and write to; relative to the file.
    #[serde(default)]
    pub(crate) read: Vec<PathBuf>,
    #[serde(default)]
    pub(crate) write: Vec<PathBuf>,
    /// The rating it is to have, to which all others are relative.
    pub(crate) anchor: Option<f64>,
    /// Its own time, where it is not that of all.
    pub(crate) clock: Option<OwnClock>,
}

/// What decides between equal points, if the file says so.
pub(crate) fn tie_breaks(
    event: &Section,
    here: &Section,
    format: Format,
) -> Result<Option<Vec<TieBreak>>, EventError> {
    if format.tie_breaks().is_empty() {
        return match here.tiebreaks.is_some() {
            true => {
                let why = format!(
                    "tiebreaks cannot be used with a {}: it is not ordered by points",
                    format.name()
                );
                Err(EventError::Plain(why))
            }
            false => Ok(None),
        };
    }
    let given = event.tiebreaks.as_deref().unwrap_or_default();
    let twice = given.iter().enumerate().find(|(place, one)| given[..*place].contains(one));
    match twice {
        Some((_, one)) => Err(EventError::Plain(format!("tiebreaks has {} twice", one.name()))),
        None => Ok(event.tiebreaks.clone()),
    }
}

/// What becomes of the open games of a bot that leaves, if the file says so.
pub(crate) fn open_games(
    event: &Section,
    here: &Section,
    format: Format,
) -> Result<Option<OpenGames>, EventError> {
    let never = match format {
        Format::Knockout { .. } => Some("a knockout: who leaves has lost its meeting"),
        Format::Ladder { .. } => Some("a ladder: ratings come of played games alone"),
        Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Swiss { .. } => None,
    };
    match never {
        Some(why) if here.open_games.is_some() => {
            Err(EventError::Plain(format!("open_games cannot be used with {why}")))
        }
        Some(_) => Ok(None),
        None => Ok(event.open_games),
    }
}

/// The format and the number of seats. Keys that the format has no use for are refused if they
/// stand `here`: somebody expects something of them. At the top of a file with events a key may be
/// meant for some of them only.
pub(crate) fn format(
    event: &Section,
    here: &Section,
    card: &Card,
    bots: usize,
) -> Result<(Format, usize), EventError> {
    let name = event.format.unwrap_or(FormatName::RoundRobin);
    let seats = match (event.seats, name) {
        (Some(seats), _) => seats,
        (None, FormatName::Knockout | FormatName::DoubleElimination | FormatName::Groups) => 2,
        (None, _) => {
            usize::from(card.usual_players).min(bots).max(usize::from(card.players.0)).max(2)
        }
    };
    let Section { rounds, games, challengers, extra_pairs, third_place, groups, through, .. } =
        *event;
    let refuse = |key: &str, given: bool, format: &str| match given {
        true => Err(EventError::Plain(format!("{key} cannot be used with {format}"))),
        false => Ok(()),
    };
    let (games_here, rounds_here) = (here.games.is_some(), here.rounds.is_some());
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
        FormatName::Knockout | FormatName::DoubleElimination => {
            if games_here && rounds_here {
                let both = "a knockout gives rounds or games, which say the same, but not both";
                return Err(EventError::Plain(both.to_owned()));
            }
            let system = match name {
                FormatName::DoubleElimination => System::Double,
                FormatName::Knockout
                | FormatName::Groups
                | FormatName::RoundRobin
                | FormatName::Gauntlet
                | FormatName::Swiss
                | FormatName::Ladder => System::Single,
            };
            let third_place = third_place.unwrap_or(false) && system == System::Single;
            let games = games.or(rounds).unwrap_or(2);
            Format::Knockout { games, extra: extra_pairs.unwrap_or(3), third_place, system }
        }
        FormatName::Groups => Format::Knockout {
            games: games.unwrap_or(2),
            extra: extra_pairs.unwrap_or(3),
            third_place: third_place.unwrap_or(false),
            system: System::Groups {
                groups: groups.unwrap_or(2),
                rounds: rounds.unwrap_or(2),
                through: through.unwrap_or(2),
            },
        },
        FormatName::Ladder => {
            refuse("rounds", rounds_here, "a ladder, which has no end; see [stop]")?;
            Format::Ladder { games: games.unwrap_or(set) }
        }
    };
    if !matches!(name, FormatName::Gauntlet) {
        refuse("challengers", here.challengers.is_some(), "this format; it is for a gauntlet")?;
    }
    if !matches!(format, Format::Knockout { .. }) {
        refuse("extra_pairs", here.extra_pairs.is_some(), "this format; it is for a knockout")?;
    }
    if !matches!(name, FormatName::Knockout | FormatName::Groups) {
        refuse("third_place", here.third_place.is_some(), "this format; it is for a knockout")?;
    }
    if !matches!(name, FormatName::Groups) {
        refuse("groups", here.groups.is_some(), "this format; it is for format = \"groups\"")?;
        refuse("through", here.through.is_some(), "this format; it is for format = \"groups\"")?;
    }
    Ok((format, seats))
}

/// How large a weight may be.
const HEAVIEST: u64 = 1000;

/// How often each variant has its turn, if one of them says so.
pub(crate) fn weights(event: &Section) -> Result<Vec<u32>, EventError> {
    let variants = event.variants.as_deref().unwrap_or_default();
    if variants.iter().all(|variant| !variant.contains_key("weight")) {
        return Ok(Vec::new());
    }
    let weight = |variant: &Map<String, Value>| match variant.get("weight").map(Value::as_u64) {
        None => Ok(1),
        Some(Some(weight @ 1..=HEAVIEST)) => Ok(weight as u32),
        Some(_) => {
            let why = format!("weight of a variant is a whole number from 1 to {HEAVIEST}");
            Err(EventError::Plain(why))
        }
    };
    variants.iter().map(weight).collect()
}

pub(crate) fn setups(
    event: &Section,
    card: &Card,
    base: &Path,
) -> Result<Vec<Map<String, Value>>, SetupFileError> {
    let common = event.setup.clone().unwrap_or_default();
    let variants = event.variants.as_deref().unwrap_or_default();
    let mut setups: Vec<Map<String, Value>> = variants
        .iter()
        .map(|variant| {
            let mut setup = common.clone();
            setup.extend(variant.clone());
            // That is not for the game.
            setup.remove("weight");
            setup
        })
        .collect();
    if setups.is_empty() {
        setups.push(common);
    }
    for setup in &mut setups {
        for (name, value) in setup {
            read_text(card.keys, name, value, base)?;
        }
    }
    Ok(setups)
}
