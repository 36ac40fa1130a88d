//! Games a second between given bots, beside the cost of starting them alone.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Result, bail};
use game::Verdict;
use host::{CageTerms, Run};
use league::{SeedSource, Series};

use crate::rounds::median;

/// Bots to be measured: what plays them, and the games of a round.
pub struct GivenBots {
    /// The bots and how they are started.
    pub run: Run,
    /// The games of a round. Every round has other seeds, the same ones whenever it is measured.
    pub series: Series,
    /// How many rounds.
    pub rounds: u32,
}

/// How fast games were played.
pub struct Rates {
    /// Games a second.
    pub games: f64,
    /// Games a second if their processes were only started.
    pub starts: f64,
    /// How long games took for every second that starting their processes took: the median of all
    /// rounds, the least and the most.
    pub ratio: [f64; 3],
    /// The same beside processes that nothing shuts in: what they cost by themselves.
    pub bare_ratio: [f64; 3],
}

impl GivenBots {
    /// Measures; none if it is interrupted. `told` gets the number of each round, counted from 1,
    /// and the seconds that its games and its starts took.
    pub fn measure(&mut self, mut told: impl FnMut(u32, f64, f64)) -> Result<Option<Rates>> {
        let (mut played, mut started) = (Vec::new(), Vec::new());
        let (mut ratios, mut bare_ratios) = (Vec::new(), Vec::new());
        for round in 1..=self.rounds {
            // The same games in every run, so that runs can be compared.
            self.series.seeds = SeedSource::Run(round.into());
            let playing = self.play()?;
            // In the same round, so that a slow moment of the machine hits both.
            let starting = self.run.start_only(self.series.games)?.as_secs_f64();
            let bare = self.start_bare()?;
            if host::interrupted() {
                return Ok(None);
            }
            told(round, playing, starting);
            played.push(playing);
            started.push(starting);
            ratios.push(playing / starting);
            bare_ratios.push(playing / bare);
        }
        let games = self.series.games as f64;
        Ok(Some(Rates {
            games: games / median(&mut played),
            starts: games / median(&mut started),
            ratio: spread(&mut ratios),
            bare_ratio: spread(&mut bare_ratios),
        }))
    }

    /// Seconds to start the processes of a round without cages.
    fn start_bare(&mut self) -> Result<f64> {
        let cage = std::mem::replace(&mut self.run.cage, CageTerms::none());
        let bare = self.run.start_only(self.series.games);
        self.run.cage = cage;
        Ok(bare?.as_secs_f64())
    }

    /// Seconds for all games of a round.
    fn play(&self) -> Result<f64> {
        let mut wrong = None;
        let began = Instant::now();
        self.run.play(self.series.jobs(), None, |finished| {
            match finished.result {
                Ok((report, _)) if report.outcome == Verdict::Void => wrong = Some(report.reason),
                Ok(_) => return ControlFlow::Continue(()),
                Err(error) => wrong = Some(error.to_string()),
            }
            ControlFlow::Break(())
        })?;
        match wrong {
            Some(reason) if !host::interrupted() => bail!("a game could not be played: {reason}"),
            _ => Ok(began.elapsed().as_secs_f64()),
        }
    }
}

/// The median, the least and the most.
fn spread(figures: &mut [f64]) -> [f64; 3] {
    let middle = median(figures);
    [middle, figures[0], figures[figures.len() - 1]]
}
