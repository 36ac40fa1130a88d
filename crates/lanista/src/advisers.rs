//! Bots that can be asked what they would play: the built-in ones of a game, and programs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use host::{
    Advisers, BotSpec, CageTerms, Placement, Pondering, Program, Reuse, Run, Scratch, unique_names,
};
use table::desk::AnyDesk;
use table::{BotAdvice, BotQuestion, Card, Entrant};

use crate::options::bots;

/// How long a bot may think about a hint for a person.
const HINT: Duration = Duration::from_secs(1);

/// A bot that can be asked, with what its programs need.
pub(crate) struct Adviser {
    run: Run,
    /// The bot as a player.
    pub(crate) entrant: Entrant,
}

impl Adviser {
    /// A bot that is asked so many questions at a time. A bot that has to be built is built now.
    pub(crate) fn new(
        bot: BotSpec,
        cage: CageTerms,
        exe: PathBuf,
        at_a_time: usize,
    ) -> Result<Adviser> {
        let roster = vec![bot];
        let scratch: Option<Scratch> = league::scratch_for(&roster)?;
        let entrants = league::entrants(&roster, scratch.as_ref(), Reuse::Auto)?;
        let entrant = entrants.into_iter().next().context("there is one bot")?;
        let run = Run {
            roster,
            concurrency: at_a_time,
            placement: Placement::None,
            exe: Some(exe),
            pondering: Pondering::Stopped,
            scratch,
            cage,
            live: None,
            people: None,
        };
        bots::build(&run)?;
        Ok(Adviser { run, entrant })
    }

    /// Asks these questions, one after another or several at a time.
    pub(crate) fn ask(
        &self,
        questions: impl Iterator<Item = BotQuestion> + Send,
        each: impl FnMut(u64, BotAdvice) -> ControlFlow<()>,
    ) -> Result<()> {
        Ok(self.run.ask(questions, each)?)
    }
}

/// The bots that people at a table may ask.
pub(crate) struct TableAdvisers {
    bots: Vec<BotSpec>,
    cage: CageTerms,
    exe: PathBuf,
    /// One is asked at a time: hints must not take the processor from a match.
    busy: Mutex<()>,
}

impl TableAdvisers {
    /// The built-in bots of the game, the programs of the roster, and these.
    pub(crate) fn new(
        card: &Card,
        roster: &[BotSpec],
        more: &[String],
        cage: CageTerms,
        exe: PathBuf,
    ) -> Result<TableAdvisers> {
        let is_program = |bot: &&BotSpec| match bot.program {
            Program::Command { .. } => true,
            Program::BuiltIn(_) | Program::Person => false,
        };
        let read = |text: &String| {
            let limits = host::AskedLimits::default();
            BotSpec::read(text, None, Path::new("."), card, &limits)
        };
        let programs = roster.iter().filter(is_program).cloned();
        let mut bots: Vec<BotSpec> = programs.collect();
        bots.extend(more.iter().map(read).collect::<Result<Vec<_>, _>>()?);
        let built_in = card.bots.iter().map(|bot| read(&format!("builtin:{}", bot.name)));
        bots.extend(built_in.collect::<Result<Vec<_>, _>>()?);
        unique_names(&mut bots);
        Ok(TableAdvisers { bots, cage, exe, busy: Mutex::default() })
    }

    fn find(&self, name: &str) -> Result<&BotSpec, String> {
        let found = self.bots.iter().find(|bot| bot.name == name);
        found.ok_or_else(|| {
            let names = self.names().join(", ");
            format!("\"{name}\" cannot be asked for a hint; these bots can: {names}")
        })
    }

    fn adviser(&self, name: &str) -> Result<Adviser> {
        let bot = self.find(name).map_err(anyhow::Error::msg)?;
        Adviser::new(bot.clone(), self.cage.clone(), self.exe.clone(), 1)
    }
}

impl Advisers for TableAdvisers {
    fn names(&self) -> Vec<String> {
        self.bots.iter().map(|bot| bot.name.clone()).collect()
    }

    fn question(&self, bot: &str, desk: &dyn AnyDesk) -> Result<BotQuestion, String> {
        let bot = self.find(bot)?;
        let entrants = league::entrants(std::slice::from_ref(bot), None, Reuse::Never);
        let entrants = entrants.map_err(|error| error.to_string())?;
        desk.question(&entrants[0], HINT)
    }

    fn ask(&self, bot: &str, question: BotQuestion) -> String {
        let _one = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = None;
        let asked = self.adviser(bot).and_then(|adviser| {
            adviser.ask(std::iter::once(question), |_, advice| {
                words = Some(advice.words(bot));
                ControlFlow::Continue(())
            })
        });
        match (asked, words) {
            (Err(error), _) => format!("{bot} cannot be asked: {error:#}"),
            (Ok(()), Some(words)) => words,
            (Ok(()), None) => format!("{bot} did not answer"),
        }
    }
}
