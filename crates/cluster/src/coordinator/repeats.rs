//! Games that are played again on another worker, and compared: deterministic bots make the same
//! moves everywhere, and times should be alike.

use std::collections::{HashMap, VecDeque};

use league::LentGame;
use serde::{Deserialize, Serialize};
use table::{Record, Report};

use crate::verify::ExpectedGame;
use crate::wire::{GamePlace, PlayedFor};

/// More do not wait to be repeated.
const MOST_WAITING: usize = 1000;
/// A repetition that others have given up so often is given up.
const TRIES: u32 = 3;
/// So many differences are kept in full.
const MOST_KEPT: usize = 100;

/// What repetitions have shown; kept in the run's folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RepeatSummary {
    /// Games that were repeated.
    pub(crate) games: u64,
    /// How many of them went differently.
    pub(crate) different: u64,
    /// The logarithms of how many times as long answers took in the repetition, added up, and of how
    /// many bots.
    pub(crate) time_logs: f64,
    pub(crate) times: u64,
    /// The first games that went differently.
    pub(crate) differences: Vec<Difference>,
}

/// A game that went differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Difference {
    pub(crate) event: String,
    pub(crate) key: String,
    pub(crate) bots: Vec<String>,
    /// The worker whose result counts, and the one that repeated it.
    pub(crate) workers: [String; 2],
    /// The first step that differs, from 1; none if one of them is longer or ended otherwise.
    pub(crate) step: Option<u64>,
}

impl Difference {
    /// In a sentence.
    pub(crate) fn sentence(&self) -> String {
        let Difference { event, key, bots, workers: [first, second], step } = self;
        let at = match step {
            Some(step) => format!("from step {step} on"),
            None => "at its end".to_owned(),
        };
        format!(
            "game {key} of {event} ({}) went differently on {first} and {second} {at}: either a bot is \
             not deterministic, or one of them did not play it",
            bots.join(", ")
        )
    }
}

impl RepeatSummary {
    /// How many times as long answers took in repetitions, typically.
    pub(crate) fn time_ratio(&self) -> Option<f64> {
        (self.times > 0).then(|| (self.time_logs / self.times as f64).exp())
    }
}

/// A game that is to be repeated, and how it went.
struct RepeatedGame {
    game: LentGame,
    event: String,
    expected: ExpectedGame,
    worker: String,
    digests: Vec<u64>,
    report: Report,
    tries: u32,
}

/// Games to be repeated.
pub(super) struct RepeatedGames {
    share: f64,
    waiting: VecDeque<(GamePlace, RepeatedGame)>,
    lent: HashMap<GamePlace, RepeatedGame>,
    pub(super) summary: RepeatSummary,
}

impl RepeatedGames {
    pub(super) fn new(share: f64, summary: RepeatSummary) -> RepeatedGames {
        RepeatedGames { share, waiting: VecDeque::new(), lent: HashMap::new(), summary }
    }

    /// Whether this game is one of those that are repeated: drawn when its result is there, so that
    /// nobody who plays it can know.
    pub(super) fn draws(&self) -> bool {
        self.share > 0.0 && self.waiting.len() < MOST_WAITING && chance() < self.share
    }

    /// A game is to be repeated by another worker.
    pub(super) fn add(
        &mut self,
        game: LentGame,
        event: String,
        expected: ExpectedGame,
        report: Report,
        record: &Record,
    ) {
        let worker = report.worker.as_ref().map_or(String::new(), |line| line.name.clone());
        let place = GamePlace { purpose: PlayedFor::Repeat, ..super::place_of(&game) };
        let digests = record.digests();
        let repeat = RepeatedGame { game, event, expected, worker, digests, report, tries: 0 };
        self.waiting.push_back((place, repeat));
    }

    /// The next game for this worker, of which `can` says whether it can run its bots.
    pub(super) fn lend(
        &mut self,
        worker: &str,
        can: impl Fn(&LentGame) -> bool,
    ) -> Option<(GamePlace, LentGame)> {
        let fits =
            |(_, repeat): &(GamePlace, RepeatedGame)| repeat.worker != worker && can(&repeat.game);
        let at = self.waiting.iter().position(fits)?;
        let (place, repeat) = self.waiting.remove(at)?;
        let game = repeat.game.clone();
        self.lent.insert(place.clone(), repeat);
        Some((place, game))
    }

    /// A worker does not play a game after all.
    pub(super) fn give_back(&mut self, place: &GamePlace) {
        if let Some(mut repeat) = self.lent.remove(place) {
            repeat.tries += 1;
            if repeat.tries < TRIES {
                self.waiting.push_back((place.clone(), repeat));
            }
        }
    }

    /// What is expected of a repetition that is lent.
    pub(super) fn expected(&self, place: &GamePlace) -> Option<(&LentGame, &ExpectedGame)> {
        self.lent.get(place).map(|repeat| (&repeat.game, &repeat.expected))
    }

    /// Whether somebody plays a repetition, or `could` says that somebody else than a worker of this
    /// name could play a game.
    pub(super) fn are_open(&self, could: impl Fn(&str, &LentGame) -> bool) -> bool {
        let is_open = |(_, repeat): &(GamePlace, RepeatedGame)| could(&repeat.worker, &repeat.game);
        !self.lent.is_empty() || self.waiting.iter().any(is_open)
    }

    /// A repetition is over. What is to be said, if it went differently.
    pub(super) fn compare(
        &mut self,
        place: &GamePlace,
        report: &Report,
        record: &Record,
    ) -> Option<String> {
        let repeat = self.lent.remove(place)?;
        // A void game has shown nothing.
        if report.outcome == game::Verdict::Void {
            return None;
        }
        let summary = &mut self.summary;
        summary.games += 1;
        for (first, again) in repeat.report.players.iter().zip(&report.players) {
            if let (Some(first), Some(again)) = (first.mean_ms(), again.mean_ms()) {
                summary.time_logs += ((again + 0.001) / (first + 0.001)).ln();
                summary.times += 1;
            }
        }
        let digests = record.digests();
        let ranks = |report: &Report| report.players.iter().map(|one| one.rank).collect::<Vec<_>>();
        if digests == repeat.digests && ranks(report) == ranks(&repeat.report) {
            return None;
        }
        summary.different += 1;
        let differs = digests.iter().zip(&repeat.digests).position(|(one, other)| one != other);
        let again = report.worker.as_ref().map_or(String::new(), |line| line.name.clone());
        let difference = Difference {
            event: repeat.event,
            key: place.key.clone(),
            bots: report.players.iter().map(|player| player.name.clone()).collect(),
            workers: [repeat.worker, again],
            step: differs.map(|step| step as u64 + 1),
        };
        let sentence = difference.sentence();
        if summary.differences.len() < MOST_KEPT {
            summary.differences.push(difference);
        }
        Some(sentence)
    }
}

/// A number between 0 and 1 that nobody can know before.
pub(super) fn chance() -> f64 {
    (host::random_seed() >> 11) as f64 / (1_u64 << 53) as f64
}
