//! Bots that are asked what they would play: questions as matches of a run of their own.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use table::desk::AnyDesk;
use table::{AdviceSlot, BotAdvice, BotQuestion};

use crate::run::{Finished, Job, Run, RunError};

/// Bots that people may ask what they would play.
pub trait Advisers: Send + Sync {
    /// Their names, the one that is asked first last.
    fn names(&self) -> Vec<String>;
    /// The question to the bot of this name about what is on a desk, or why it cannot be asked.
    fn question(&self, bot: &str, desk: &dyn AnyDesk) -> Result<BotQuestion, String>;
    /// Asks, and says in words what came of it. Takes as long as the bot needs.
    fn ask(&self, bot: &str, question: BotQuestion) -> String;
}

impl Run {
    /// Puts questions to the first bot of the roster, in a process of its own if it is a program. `each` gets the number
    /// of a question and its answer, in the order in which they are there.
    pub fn ask(
        &self,
        questions: impl Iterator<Item = BotQuestion> + Send,
        mut each: impl FnMut(u64, BotAdvice) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        let open: Arc<Mutex<BTreeMap<u64, AdviceSlot>>> = Arc::default();
        let slots = open.clone();
        let jobs = (0..).zip(questions).map(move |(index, question)| {
            let BotQuestion { players, turn_order, table, advice, .. } = question;
            slots.lock().unwrap_or_else(PoisonError::into_inner).insert(index, advice);
            Job { index, bots: vec![0; players], turn_order, table }
        });
        self.play(jobs, None, |Finished { index, result }| {
            let slot = open.lock().unwrap_or_else(PoisonError::into_inner).remove(&index);
            let found =
                slot.and_then(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
            let why = match result {
                Ok((report, _)) => report.reason,
                Err(error) => error.to_string(),
            };
            each(
                index,
                found.unwrap_or_else(|| BotAdvice { faults: vec![why], ..BotAdvice::default() }),
            )
        })
    }
}
