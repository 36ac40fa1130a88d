//! `lanista replay … --analyse BOT`: what a bot would play in the positions of a recorded game.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use game::PlayerId;
use host::BotSpec;
use serde::Serialize;
use table::{AnyReplay, BotAdvice, BotQuestion};

use crate::Exit;
use crate::advisers::Adviser;
use crate::catalogue::Catalogue;
use crate::cli::ReplayArgs;
use crate::options::{cage, processes};
use crate::output::curve;
use crate::terminal::{complain, player_view, say, say_json};

/// How long a bot thinks about a single position, unless somebody says otherwise, …
const ONE: Duration = Duration::from_secs(1);
/// … and about each position of a whole game.
const EACH: Duration = Duration::from_millis(200);

/// A position and what a bot said of it.
#[derive(Serialize)]
struct AnalysedPosition<'a> {
    v: u32,
    /// After so many steps.
    step: usize,
    /// In whose place the bot was asked.
    seat: u16,
    name: &'a str,
    /// What was played.
    played: &'a [String],
    #[serde(flatten)]
    advice: &'a BotAdvice,
}

/// What is known of a question before it is answered.
struct AskedPosition {
    step: usize,
    player: PlayerId,
    played: Vec<String>,
}

pub(crate) fn analyse(
    args: &ReplayArgs,
    bot: &str,
    replay: &mut dyn AnyReplay,
    catalogue: Catalogue,
) -> Result<Exit> {
    let game = catalogue.find(&replay.header().game)?;
    let card = game.card();
    let names: Vec<String> = replay.header().players.iter().map(|p| p.name.clone()).collect();
    let eyes = args.eyes.as_deref().map(|eyes| player_view::find(eyes, &names)).transpose()?;
    let bot = BotSpec::read(bot, None, Path::new("."), &card, &host::AskedLimits::default())?;
    let bot_name = bot.name.clone();
    let (steps, usual) = match args.at {
        Some(step) if step > replay.len() => {
            bail!("the game has {} steps, not {step}", replay.len())
        }
        Some(step) => (step..=step, ONE),
        None => (0..=replay.len(), EACH),
    };
    let think = args.think_ms.map_or(usual, Duration::from_millis);
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let at_a_time = match args.at {
        Some(_) => 1,
        None => processes::concurrency(None, &card, std::slice::from_ref(&bot)),
    };
    let adviser = Adviser::new(bot, cage::terms(&args.cage, &exe, None)?, exe, at_a_time)?;
    host::catch_interrupts();
    let mut shown = ShownAnalysis {
        args,
        names: &names,
        bot: &bot_name,
        rows: Vec::new(),
        next: 0,
        early: BTreeMap::new(),
    };
    let (asked, refused) = (Mutex::new(Vec::new()), Mutex::new(None));
    let questions = Questions {
        replay,
        steps,
        eyes,
        adviser: &adviser,
        think,
        asked: &asked,
        refused: &refused,
        open: Vec::new(),
    };
    let mut failed = None;
    adviser.ask(questions, |index, advice| match shown.take(index, advice, &asked) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(why) = refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(anyhow!("{why}"));
    }
    if host::interrupted() {
        complain("interrupted");
        return Ok(Exit::Interrupted);
    }
    if shown.next == 0 {
        bail!("nobody has to move there: the game is over, or it is not that player's turn");
    }
    shown.end()?;
    Ok(Exit::Done)
}

/// The questions of all positions, made one by one: all states together may be large.
struct Questions<'a> {
    replay: &'a mut dyn AnyReplay,
    steps: std::ops::RangeInclusive<usize>,
    eyes: Option<PlayerId>,
    adviser: &'a Adviser,
    think: Duration,
    asked: &'a Mutex<Vec<AskedPosition>>,
    /// Why the bot cannot be asked, if so.
    refused: &'a Mutex<Option<String>>,
    /// Those of the position that is being asked about, the next one last.
    open: Vec<(usize, BotQuestion)>,
}

impl Iterator for Questions<'_> {
    type Item = BotQuestion;

    fn next(&mut self) -> Option<BotQuestion> {
        while self.open.is_empty() {
            let step = self.steps.next()?;
            let Questions { replay, eyes, adviser, think, .. } = self;
            match replay.questions(step, *eyes, &adviser.entrant, *think) {
                Ok(questions) => {
                    self.open = questions.into_iter().rev().map(|one| (step, one)).collect()
                }
                Err(why) => {
                    *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                    return None;
                }
            }
        }
        let (step, mut question) = self.open.pop()?;
        let played = std::mem::take(&mut question.played);
        let asked = AskedPosition { step, player: question.player, played };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        Some(question)
    }
}

/// Shows answers in the order of the positions.
struct ShownAnalysis<'a> {
    args: &'a ReplayArgs,
    names: &'a [String],
    bot: &'a str,
    /// What has been shown, for the curve.
    rows: Vec<curve::CurvePoint>,
    next: u64,
    /// Answers that came before an earlier one.
    early: BTreeMap<u64, BotAdvice>,
}

impl ShownAnalysis<'_> {
    fn take(
        &mut self,
        index: u64,
        advice: BotAdvice,
        asked: &Mutex<Vec<AskedPosition>>,
    ) -> Result<()> {
        self.early.insert(index, advice);
        while let Some(advice) = self.early.remove(&self.next) {
            let asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(AskedPosition { step, player, played }) = asked.get(self.next as usize) else {
                break;
            };
            self.next += 1;
            self.show(*step, *player, played, &advice)?;
        }
        Ok(())
    }

    fn show(
        &mut self,
        step: usize,
        player: PlayerId,
        played: &[String],
        advice: &BotAdvice,
    ) -> Result<()> {
        let name = &self.names[player.index()];
        if let Some(value) = advice.evaluation {
            self.rows.push(curve::CurvePoint { seat: player.index(), value });
        }
        if self.args.json {
            let seat = player.0;
            return say_json(&AnalysedPosition { v: 1, step, seat, name, played, advice });
        }
        let played = match played {
            [] => String::new(),
            played => format!(" (played: {})", played.join(", ")),
        };
        say(&format!("step {step}, {name}: {}{played}", advice.words(self.bot)))?;
        if self.args.at.is_some() {
            for line in advice.notes.iter().chain(&advice.faults) {
                say(&format!("    {line}"))?;
            }
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        if self.args.json || self.args.at.is_some() {
            return Ok(());
        }
        for line in curve::lines(&self.rows, self.names) {
            say(&line)?;
        }
        Ok(())
    }
}
