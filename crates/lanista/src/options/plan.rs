//! What is to be played: the bots, and the games they meet in.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use game::{Charge, Clock, Seed};
use host::{AskedLimits, BotSpec, Job, Program, Reuse, Run, Scratch, unique_names};
use serde_json::{Map, Value};
use table::{Adjudication, AnyGame, AskedAdjudication, Card, Entrant, Terms};

use crate::cli::{Adjudicate, Manner, TimeCharged, TimeControl};
use crate::output::text;
use crate::terminal::remark;

/// A folder for the bots' files, if there are programs among them.
pub(crate) fn scratch(roster: &[BotSpec]) -> Result<Option<Scratch>> {
    match roster.iter().any(|bot| matches!(bot.program, Program::Command { .. })) {
        true => Ok(Some(Scratch::new()?)),
        false => Ok(None),
    }
}

/// What the command line sets of the limits of programs.
pub(crate) fn limits(time: &TimeControl) -> AskedLimits {
    AskedLimits::default().starting_within(time.start_ms)
}

/// The bots, checked against the game; they may use no more than these limits say.
pub(crate) fn roster(bots: &[String], card: &Card, limits: &AskedLimits) -> Result<Vec<BotSpec>> {
    let mut roster = Vec::new();
    for text in bots {
        let mut bot = BotSpec::parse(text, Path::new("."))?;
        bot.set_limits(limits);
        roster.push(bot.for_game(card)?);
    }
    let (least, most) = card.players;
    let count = roster.len();
    if !(usize::from(least)..=usize::from(most)).contains(&count) {
        let (wanted, given) = (text::players(card.players), text::count(count as u64, "bot"));
        bail!("{} is for {wanted}, not for {given}", card.id);
    }
    unique_names(&mut roster);
    Ok(roster)
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
        Program::BuiltIn(_) => 1,
        Program::Command { .. } => bot.limits.cores as usize,
    };
    let needed: usize = match card.alternating {
        true => roster.iter().map(wanted).max().unwrap_or(1),
        false => roster.iter().map(wanted).sum(),
    };
    (host::cores().len() / needed.max(1)).max(1)
}

/// Refuses a set-up that needs more processes than the system allows.
pub(crate) fn room(game: &dyn AnyGame, config: &Map<String, Value>, run: &Run) -> Result<()> {
    if run.roster.iter().all(|bot| matches!(bot.program, Program::BuiltIn(_))) {
        return Ok(());
    }
    let actors = game.needs(config, run.roster.len() as u16)?.most_actors;
    let processes = u64::from(actors) * run.concurrency as u64;
    // In a cage there is a first process beside the bot, and for a moment the launcher. Whether
    // there is a cage is only waited for if it matters.
    match host::check_room(processes, 3) {
        Err(_) if run.tier() == host::Tier::E => Ok(host::check_room(processes, 1)?),
        result => Ok(result?),
    }
}

/// Builds the bots that have to be built, before anything of them is looked at.
pub(crate) fn build(run: &Run) -> Result<()> {
    match &run.exe {
        Some(exe) => run.roster.iter().try_for_each(|bot| build_bot(bot, &run.cage, exe)),
        None => Ok(()),
    }
}

/// Builds one bot, if it has to be built.
pub(crate) fn build_bot(bot: &BotSpec, cage: &host::CageTerms, exe: &Path) -> Result<()> {
    bot.build(cage, exe, |command| remark(&format!("building {}: {command}", bot.name)))?;
    Ok(())
}

pub(crate) fn reuse(manner: &Manner) -> Reuse {
    match manner.fresh {
        true => Reuse::Never,
        false => Reuse::Auto,
    }
}

pub(crate) fn entrants(run: &Run, reuse: Reuse) -> Result<Vec<Entrant>> {
    Ok(league::entrants(&run.roster, run.scratch.as_ref(), reuse)?)
}

/// The time control, as asked on the command line.
pub(crate) fn clock(asked: &TimeControl, usual: Clock) -> Clock {
    let ms = Duration::from_millis;
    Clock {
        turn: match asked.timeout_ms {
            None => usual.turn,
            Some(0) => None,
            Some(limit) => Some(ms(limit)),
        },
        bank: asked.match_ms.map(ms).or(usual.bank),
        start: asked.start_ms.map_or(usual.start, ms),
        margin: asked.margin_ms.map_or(usual.margin, ms),
        charge: match asked.clock {
            TimeCharged::Wall => Charge::Wall,
            TimeCharged::Cpu => Charge::Cpu,
        },
    }
}

/// When matches of this set-up are ended early, as asked on the command line.
pub(crate) fn adjudication(
    asked: &Adjudicate,
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    players: usize,
) -> Result<Adjudication> {
    let Adjudicate { turns, lead, lead_turns, max_faults } = *asked;
    let adjudication = AskedAdjudication { turns, lead, lead_turns, max_faults }
        .settle(game.card().max_faults)
        .and_then(|asked| game.check_adjudication(asked, config, players as u16).map(|()| asked));
    adjudication.context("--adjudicate-turns, --adjudicate-lead and --max-faults")
}

/// Where the chance of many games comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Luck {
    /// From the seed of the run, from which every round of games gets one of its own.
    Run(u64),
    /// From this seed, all of them.
    Game(u64),
}

impl Luck {
    /// The seed of a round.
    fn of(self, round: u64) -> Seed {
        match self {
            Luck::Run(seed) => Seed(seed).of_round(round),
            Luck::Game(seed) => Seed(seed),
        }
    }

    /// The seed that all rounds come from.
    pub(crate) fn run_seed(self) -> Option<u64> {
        match self {
            Luck::Run(seed) => Some(seed),
            Luck::Game(_) => None,
        }
    }
}

/// What is to be played.
pub(crate) struct Plan {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) config: Arc<Map<String, Value>>,
    pub(crate) luck: Luck,
    pub(crate) clock: Clock,
    pub(crate) adjudication: Adjudication,
    pub(crate) games: u64,
    pub(crate) record: bool,
    pub(crate) entrants: Vec<Entrant>,
    /// What else makes these games different from others, in words.
    pub(crate) circumstances: String,
}

impl Plan {
    pub(crate) fn jobs(&self) -> impl Iterator<Item = Job> + Send {
        (0..self.games).map(|index| self.job(index))
    }

    /// Seats rotate from game to game; all rotations of a round have the same seed.
    fn job(&self, index: u64) -> Job {
        let players = self.entrants.len();
        let rotation = (index % players as u64) as usize;
        let bots: Vec<usize> = (0..players).map(|seat| (seat + rotation) % players).collect();
        let entrants: Vec<Entrant> = bots.iter().map(|&bot| self.entrants[bot].clone()).collect();
        let terms = Terms {
            id: String::new(),
            seed: self.luck.of(index / players as u64),
            entrants,
            clock: self.clock,
            adjudication: self.adjudication,
            tournament: false,
            record: self.record,
        };
        let (game, config) = (self.game, self.config.clone());
        let card = game.card();
        let place = format!("{index} {}", self.circumstances);
        let terms = terms.identified(card.id, &config, &place);
        let alternating = card.alternating;
        Job {
            index,
            bots,
            alternating,
            table: Box::new(move || game.table(&config, terms.clone())),
        }
    }
}
