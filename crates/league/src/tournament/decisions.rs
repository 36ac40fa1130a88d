//! What is decided about a tournament while it is played: by order, or by a rule of its file.

use super::{RunningEvent, Tournament, TournamentError, TournamentState};
use crate::schedule::{BotId, Fixture, GameKey};
use crate::store::Store;
use crate::store::journal::Decision;
use crate::tournament::failing_bots::{FailingBot, Failures};
use crate::tournament::requests::Subject;

impl Tournament {
    /// Counts the failures of games that are there already.
    pub(super) fn count_failures(&self, store: &mut Store) -> Result<(), TournamentError> {
        let _no_orders = self.write_access.for_results();
        let mut state = self.state();
        if state.stop.faults.is_none() {
            return Ok(());
        }
        for (id, event) in state.events.iter_mut().enumerate() {
            event.failures = Failures::read(store, id).map_err(TournamentError::NotKept)?;
        }
        state.forbid(store)
    }
}

impl TournamentState {
    /// The events, as orders are about them.
    pub(crate) fn subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects = Vec::new();
        for event in &self.events {
            let bots = event.bots.iter().map(|bot| bot.spec.name.as_str()).collect();
            subjects.push(Subject { event: &event.name, bots, progress: &event.progress });
        }
        subjects
    }

    /// Does what was decided and has been entered.
    pub(crate) fn apply(&mut self, decision: &Decision) {
        if let Some((event, bot, left)) = decision.leaver() {
            let Some(running) = self.event(event) else { return };
            if let Some(id) = running.bots.iter().position(|entry| entry.spec.name == bot) {
                running.progress.leave(BotId(id as u32), left);
            }
        }
        match decision {
            Decision::Concurrency { games } => {
                self.concurrency = usize::from(*games);
                self.changing = true;
            }
            Decision::Priority { event, priority } => {
                if let Some(running) = self.event(event) {
                    running.priority = *priority;
                }
            }
            Decision::Void { event, key, .. } => {
                if let Some(running) = self.event(event) {
                    running.progress.replay(&GameKey(key.clone()));
                }
            }
            Decision::Reinstate { event, bot } => {
                let Some(running) = self.event(event) else { return };
                if let Some(id) = running.bots.iter().position(|entry| entry.spec.name == *bot) {
                    running.progress.reinstate(BotId(id as u32));
                }
            }
            Decision::Withdraw { .. }
            | Decision::Disqualify { .. }
            | Decision::Forbid { .. }
            | Decision::Add { .. }
            | Decision::Accept { .. } => {}
        }
    }

    /// Lets those take part no longer who have failed too often.
    pub(super) fn forbid(&mut self, store: &mut Store) -> Result<(), TournamentError> {
        let Some(limit) = self.stop.faults else { return Ok(()) };
        let mut decisions = Vec::new();
        for event in &self.events {
            for FailingBot { bot, since, games } in event.failures.forbidden(&event.progress, limit)
            {
                let bot = event.bots[bot.index()].spec.name.clone();
                let event = event.name.clone();
                decisions.push(Decision::Forbid { event, bot, since, games });
            }
        }
        let reason = format!("[stop] faults = {limit}");
        store.decide(&decisions, &reason).map_err(TournamentError::NotKept)?;
        decisions.iter().for_each(|decision| self.apply(decision));
        Ok(())
    }

    fn event(&mut self, name: &str) -> Option<&mut RunningEvent> {
        self.events.iter_mut().find(|event| event.name == name)
    }

    /// Whether a bot that is to play now is not what it was.
    pub(crate) fn changed(&mut self, event: usize, game: &Fixture) -> Option<TournamentError> {
        let running = &mut self.events[event];
        for bot in &game.group {
            let entry = &mut running.bots[bot.index()];
            if let Some(what) = entry.files.changed() {
                let (event, bot) = (running.name.clone(), entry.spec.name.clone());
                return Some(TournamentError::Changed { event, bot, what });
            }
        }
        None
    }
}
