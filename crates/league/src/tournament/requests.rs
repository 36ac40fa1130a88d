//! Requests about bots and games (`lanista ctl`), whether or not the run is being played.

use std::path::Path;

use crate::file::{GameList, Stop, enter};
use crate::schedule::{BotId, Format};
use crate::store::event_rows::Arrival;
use crate::store::journal::Decision;
use crate::store::lock::Lock;
use crate::store::{Store, StoreError};
use crate::tournament::control::Request;
use crate::tournament::event_progress::EventProgress;

/// An event as far as orders are concerned.
pub(crate) struct Subject<'a> {
    pub(crate) event: &'a str,
    /// The names of its bots.
    pub(crate) bots: Vec<&'a str>,
    pub(crate) progress: &'a EventProgress,
}

/// Whether a bot leaves of its own will.
#[derive(Clone, Copy)]
enum Why {
    Withdrawn,
    Disqualified,
}

/// What is to be entered in the journal for an order; nothing for one that is not entered.
pub(crate) fn decisions(
    order: &Request,
    subjects: &[Subject<'_>],
) -> Result<Vec<Decision>, String> {
    match order {
        Request::Withdraw { bot, event, .. } => {
            leave(bot, event.as_deref(), Why::Withdrawn, subjects)
        }
        Request::Disqualify { bot, event, .. } => {
            leave(bot, event.as_deref(), Why::Disqualified, subjects)
        }
        Request::Reinstate { bot, event, .. } => reinstate(bot, event.as_deref(), subjects),
        Request::Void { game, event, .. } => {
            void(*game, event.as_deref(), subjects).map(|decision| vec![decision])
        }
        Request::Concurrency { games, .. } => Ok(vec![Decision::Concurrency { games: *games }]),
        Request::Priority { event, priority, .. } => {
            let (event, priority) = (one_of(event, &names(subjects), "event")?, *priority);
            Ok(vec![Decision::Priority { event, priority }])
        }
        Request::Pause
        | Request::Resume
        | Request::Add { .. }
        | Request::Stop
        | Request::Status
        | Request::Follow => Ok(Vec::new()),
    }
}

fn names<'a>(subjects: &[Subject<'a>]) -> Vec<&'a str> {
    subjects.iter().map(|subject| subject.event).collect()
}

/// This one of those that there are.
fn one_of(name: &str, there: &[&str], what: &str) -> Result<String, String> {
    match there.contains(&name) {
        true => Ok(name.to_owned()),
        false => {
            let near = game::did_you_mean(name, there.iter().copied());
            Err(format!("\"{name}\" is not one of the {what}s{near}: {}", there.join(", ")))
        }
    }
}

/// The event that is meant: the one of this name, or the only one.
pub(crate) fn meant(event: Option<&str>, there: &[&str]) -> Result<usize, String> {
    match event {
        None if there.len() == 1 => Ok(0),
        None => Err(format!("choose an event with --event: {}", there.join(", "))),
        Some(event) => {
            let name = one_of(event, there, "event")?;
            Ok(there.iter().position(|other| *other == name).unwrap_or(0))
        }
    }
}

/// A bot leaves an event, or all that it takes part in.
fn leave(
    bot: &str,
    event: Option<&str>,
    why: Why,
    subjects: &[Subject<'_>],
) -> Result<Vec<Decision>, String> {
    let named = names(subjects);
    let only = event.map(|event| meant(Some(event), &named)).transpose()?;
    let chosen = subjects.iter().enumerate().filter(|(id, _)| only.is_none_or(|only| only == *id));
    let (mut decisions, mut others, mut gone) = (Vec::new(), Vec::new(), false);
    for (_, subject) in chosen {
        match subject.bots.iter().position(|name| *name == bot) {
            None => others.extend(subject.bots.iter().copied()),
            Some(id) if subject.progress.plan().has_left(BotId(id as u32)) => gone = true,
            Some(_) => {
                let (event, bot) = (subject.event.to_owned(), bot.to_owned());
                let since = subject.progress.next_stage();
                decisions.push(match why {
                    Why::Withdrawn => Decision::Withdraw { event, bot, since },
                    Why::Disqualified => Decision::Disqualify { event, bot, since },
                });
            }
        }
    }
    match decisions.is_empty() {
        true if gone => Err(format!("\"{bot}\" has already left")),
        true => {
            others.sort_unstable();
            others.dedup();
            one_of(bot, &others, "bot").map(|_| Vec::new())
        }
        false => Ok(decisions),
    }
}

/// A bot takes part again in an event, or in all that it has left.
fn reinstate(
    bot: &str,
    event: Option<&str>,
    subjects: &[Subject<'_>],
) -> Result<Vec<Decision>, String> {
    let named = names(subjects);
    let only = event.map(|event| meant(Some(event), &named)).transpose()?;
    let chosen = subjects.iter().enumerate().filter(|(id, _)| only.is_none_or(|only| only == *id));
    let (mut decisions, mut others, mut there) = (Vec::new(), Vec::new(), false);
    for (_, subject) in chosen {
        let Some(id) = subject.bots.iter().position(|name| *name == bot) else {
            others.extend(subject.bots.iter().copied());
            continue;
        };
        let id = BotId(id as u32);
        if !subject.progress.plan().has_left(id) {
            there = true;
        } else if subject.progress.may_reinstate(id) {
            let (event, bot) = (subject.event.to_owned(), bot.to_owned());
            decisions.push(Decision::Reinstate { event, bot });
        } else {
            return Err(format!(
                "\"{bot}\" cannot come back to {}: a round without it has begun",
                subject.event
            ));
        }
    }
    match decisions.is_empty() {
        true if there => Err(format!("\"{bot}\" has not left")),
        true => {
            others.sort_unstable();
            others.dedup();
            one_of(bot, &others, "bot").map(|_| Vec::new())
        }
        false => Ok(decisions),
    }
}

/// The result of a game is taken back.
pub(crate) fn void(
    number: u64,
    event: Option<&str>,
    subjects: &[Subject<'_>],
) -> Result<Decision, String> {
    let subject = &subjects[meant(event, &names(subjects))?];
    let progress = subject.progress;
    let Some(game) = progress.game(number) else {
        return Err(format!("there is no game {number}; `lanista results` lists them"));
    };
    let key = game.key();
    let Some(ranks) = progress.results().get(&key) else {
        return Err(format!("game {number} is not finished: it has no result to annul"));
    };
    if progress.plan().is_off(&game.group) {
        return Err(format!("game {number} cannot be played again: a bot of it has left"));
    }
    if !progress.may_replay(&key) {
        return Err(format!(
            "game {number} cannot be played again: the next round of the knockout has begun, and \
             it has decided who plays there"
        ));
    }
    Ok(Decision::Void {
        event: subject.event.to_owned(),
        game: number,
        key: key.0.clone(),
        ranks: ranks.to_vec(),
        since: progress.next_stage(),
    })
}

/// Enters an order in the journal of a run that nobody is playing, which is locked meanwhile. The
/// sentences say what was entered.
pub fn request_to_stopped_run(dir: &Path, order: &Request) -> Result<Vec<String>, StoppedRunError> {
    // Only what is a run is locked: that leaves a file.
    Store::open_to_read(dir)?;
    let _lock = Lock::take(dir)?;
    let mut store = Store::open(dir)?;
    let known = store.events()?;
    let mut progresses = Vec::new();
    for (id, event) in known.iter().enumerate() {
        let (results, attempts) = (store.results(id)?, store.attempts(id)?);
        progresses.push(EventProgress::new(event.plan(), Stop::default(), results, attempts));
    }
    let subjects: Vec<Subject<'_>> = known
        .iter()
        .zip(&progresses)
        .map(|(event, progress)| Subject {
            event: &event.name,
            bots: event.bots.iter().map(|bot| bot.name.as_str()).collect(),
            progress,
        })
        .collect();
    let decisions = decisions(order, &subjects).map_err(StoppedRunError::Refused)?;
    store.decide(&decisions, order.reason())?;
    Ok(decisions.iter().map(Decision::sentence).collect())
}

/// Adds a bot to a run that nobody is playing, which is locked meanwhile: it joins when the run
/// goes on. Says what was entered.
pub fn add_to_stopped_run(
    dir: &Path,
    bot: &str,
    base: &Path,
    event: Option<&str>,
    games: GameList,
) -> Result<String, StoppedRunError> {
    let refused = |why: String| StoppedRunError::Refused(why);
    Store::open_to_read(dir)?;
    let _lock = Lock::take(dir)?;
    let mut store = Store::open(dir)?;
    let known = store.events()?;
    let names: Vec<&str> = known.iter().map(|event| event.name.as_str()).collect();
    let id = meant(event, &names).map_err(refused)?;
    let event = &known[id];
    if let (Format::Knockout { .. }, true) = (event.plan.format, store.games()? > 0) {
        return Err(refused("bots cannot join a knockout that has begun".to_owned()));
    }
    let card = games.iter().map(|game| game.card()).find(|card| card.id == event.game);
    let card = card.ok_or_else(|| refused(format!("the game {} is not known", event.game)))?;
    let limits = host::AskedLimits::default();
    let entry = enter(bot, None, base, &card, &limits).map_err(refused)?;
    entry.spec.check_programs().map_err(|error| refused(error.to_string()))?;
    let name = entry.spec.name.clone();
    let waiting = store.arrivals()?;
    let waits = |arrival: &Arrival| {
        let other = enter(&arrival.text, None, Path::new(&arrival.base), &card, &limits);
        arrival.event == event.name && other.is_ok_and(|other| other.spec.name == name)
    };
    if event.bots.iter().any(|other| other.name == name) || waiting.iter().any(waits) {
        return Err(refused(format!(
            "a bot \"{name}\" takes part already; rename the new one: NAME={bot}"
        )));
    }
    let (event, base) = (event.name.clone(), base.display().to_string());
    store.add_arrival(&Arrival { event: event.clone(), text: entry.text, base }, &name)?;
    Ok(Decision::Add { event, bot: name }.sentence())
}

/// Why an order could not be carried out on a run that nobody is playing.
#[derive(Debug, thiserror::Error)]
pub enum StoppedRunError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It makes no sense.
    #[error("{0}")]
    Refused(String),
}
