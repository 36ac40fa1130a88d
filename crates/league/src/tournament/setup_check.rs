//! Whether bots can be set up as they were entered: found out before the first game.

use std::ops::ControlFlow;

use game::{Seed, SetupError};
use host::{Job, Program, Run, RunError};
use table::{Adjudication, Entrant, Occasion, Recording, Terms};

use crate::series::job;
use crate::tournament::{RunningEvent, TournamentError};

/// One turn of a game for every bot whose options may be wrong, by event. It plays against itself,
/// and the game counts for nothing: options are known when the bot declares them.
pub(crate) fn setup_checks(
    events: &[RunningEvent],
    places: &[usize],
    entrants: &[Entrant],
) -> Vec<(String, Vec<Job>)> {
    let jobs = |event: &RunningEvent, first: usize| {
        let doubtful = event.bots.iter().enumerate().filter(|(_, entry)| {
            let program = matches!(entry.spec.program, Program::Command { .. });
            program && !entry.spec.options.is_empty()
        });
        doubtful.filter_map(|(bot, _)| setup_check(event, first + bot, entrants)).collect()
    };
    let all = events.iter().zip(places);
    all.map(|(event, first)| (event.name.clone(), jobs(event, *first))).collect()
}

/// Finds out whether bots can be set up as they were entered.
pub(crate) fn check_setups(run: &Run, all: Vec<(String, Vec<Job>)>) -> Result<(), TournamentError> {
    for (event, jobs) in all.into_iter().filter(|(_, jobs)| !jobs.is_empty()) {
        if let Some(error) = first_error(run, jobs)? {
            return Err(TournamentError::Options { event, reason: error.to_string() });
        }
    }
    Ok(())
}

fn first_error(run: &Run, jobs: Vec<Job>) -> Result<Option<SetupError>, RunError> {
    let mut wrong = None;
    run.play(jobs.into_iter(), None, |finished| match finished.result {
        Ok(_) => ControlFlow::Continue(()),
        Err(error) => {
            wrong.get_or_insert(error);
            ControlFlow::Break(())
        }
    })?;
    Ok(wrong)
}

fn setup_check(event: &RunningEvent, bot: usize, entrants: &[Entrant]) -> Option<Job> {
    let (game, config) = (event.game, event.setups.first()?.clone());
    let seats = event.progress.plan().seats;
    let terms = Terms {
        id: "rehearsal".to_owned(),
        seed: Seed(0),
        entrants: vec![entrants[bot].clone(); seats],
        clock: event.clock,
        adjudication: Adjudication::new(Some(1), None, None).ok()?,
        occasion: Occasion::Tournament,
        recording: Recording::Off,
    };
    Some(job(bot as u64, vec![bot; seats], game, config, terms))
}
