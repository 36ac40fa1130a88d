//! Figures that are measured in turn, round by round, until they are stable.

use std::fmt;

use anyhow::Result;

/// Something that is measured.
pub(crate) struct Measurement<'a> {
    pub(crate) name: String,
    /// What a figure stands for.
    pub(crate) unit: &'static str,
    /// The measure of the same group that this one is compared with.
    pub(crate) beside: Option<usize>,
    pub(crate) take: Box<dyn FnMut() -> Result<f64> + 'a>,
}

impl<'a> Measurement<'a> {
    pub(crate) fn new(
        name: impl Into<String>,
        unit: &'static str,
        take: impl FnMut() -> Result<f64> + 'a,
    ) -> Measurement<'a> {
        Measurement { name: name.into(), unit, beside: None, take: Box::new(take) }
    }

    /// The same, compared with another measure of its group.
    pub(crate) fn beside(self, other: usize) -> Measurement<'a> {
        Measurement { beside: Some(other), ..self }
    }
}

/// Something that has nothing to do with what is measured spoilt a measure: a game was void, say,
/// because the machine stood still. It is taken again.
#[derive(Debug)]
pub(crate) struct Disturbed(pub(crate) String);

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Disturbed {}

/// So often a measure is taken again before the disturbance counts as an error.
const TRIES_AGAIN: u32 = 2;

/// What came out of a measure.
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// What a figure stands for.
    pub unit: &'static str,
    /// The middle of all rounds.
    pub median: f64,
    /// The least of all rounds.
    pub least: f64,
    /// The most of all rounds.
    pub most: f64,
    /// The middle half of the figures lies within this part of the median.
    pub spread: f64,
    /// Median of the ratios to the measure beside it, round by round.
    pub ratio: Option<f64>,
}

/// A figure whose middle half lies within this part of its median is a result.
pub(crate) const STABLE: f64 = 0.10;

impl Figure {
    /// Whether rounds differ so little that it is a result.
    pub fn is_stable(&self) -> bool {
        self.spread <= STABLE
    }
}

/// Takes all measures in turn, at least `least` rounds and until all are stable, but no more than
/// `most` rounds. A slow moment of the machine hits all of a round.
pub(crate) fn rounds(
    measures: &mut [Measurement<'_>],
    least: u32,
    most: u32,
    mut told: impl FnMut(&str, u32) -> Result<()>,
) -> Result<Vec<Figure>> {
    let mut taken: Vec<Vec<f64>> = vec![Vec::new(); measures.len()];
    for round in 1..=most.max(least) {
        for (measure, taken) in measures.iter_mut().zip(&mut taken) {
            told(&measure.name, round)?;
            taken.push(undisturbed(&mut measure.take)?);
        }
        if host::interrupted() {
            break;
        }
        let figures = figures(measures, &taken);
        if round >= least && figures.iter().all(Figure::is_stable) {
            return Ok(figures);
        }
    }
    Ok(figures(measures, &taken))
}

/// A measure, taken again if it was disturbed.
fn undisturbed(take: &mut dyn FnMut() -> Result<f64>) -> Result<f64> {
    let mut tries_left = TRIES_AGAIN;
    loop {
        match take() {
            Err(error) if error.is::<Disturbed>() && tries_left > 0 => tries_left -= 1,
            taken => return taken,
        }
    }
}

fn figures(measures: &[Measurement<'_>], taken: &[Vec<f64>]) -> Vec<Figure> {
    let figure = |(index, measure): (usize, &Measurement<'_>)| {
        let mut sorted = taken[index].clone();
        let median = median(&mut sorted);
        let (least, most) = (quantile(&sorted, 0.0), quantile(&sorted, 1.0));
        let spread = (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / median;
        let ratio = measure.beside.map(|other| {
            let pairs = taken[index].iter().zip(&taken[other]);
            self::median(&mut pairs.map(|(this, that)| this / that).collect::<Vec<_>>())
        });
        let (name, unit) = (measure.name.clone(), measure.unit);
        Figure { name, unit, median, least, most, spread, ratio }
    };
    measures.iter().enumerate().map(figure).collect()
}

/// The middle of some figures, which are sorted by it; zero if there are none.
pub(crate) fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    quantile(figures, 0.5)
}

/// The figure above so large a part of sorted ones; zero if there are none.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.get((last * part).round() as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn rounds_go_on_until_the_figures_are_stable() {
        let mut wild = [1.0, 9.0, 3.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0].into_iter();
        let mut count = 0;
        let mut measures = [
            Measurement::new("steady", "µs", || Ok(2.0)),
            Measurement::new("wild", "µs", || {
                count += 1;
                Ok(wild.next().unwrap_or(5.0))
            })
            .beside(0),
        ];
        let figures = rounds(&mut measures, 3, 50, |_, _| Ok(())).expect("they can be taken");
        drop(measures);
        assert!(count > 3, "{count} rounds");
        assert!(figures.iter().all(Figure::is_stable));
        assert_eq!((figures[1].median, figures[1].least, figures[1].most), (5.0, 1.0, 9.0));
        assert_eq!((figures[0].ratio, figures[1].ratio), (None, Some(2.5)));
    }

    #[test]
    fn a_measure_that_was_disturbed_is_taken_again_but_not_for_ever() {
        let disturbed = || anyhow!(Disturbed("the machine stood still".into())).context("a game");
        let mut first = true;
        let mut once = || if std::mem::take(&mut first) { Err(disturbed()) } else { Ok(1.0) };
        assert_eq!(undisturbed(&mut once).ok(), Some(1.0));
        let mut count = 0;
        let mut always = || {
            count += 1;
            Err(disturbed())
        };
        let error = undisturbed(&mut always).expect_err("it is never measured");
        assert_eq!(format!("{error:#}"), "a game: the machine stood still");
        assert_eq!(count, 3);
        let mut count = 0;
        let mut wrong = || {
            count += 1;
            Err(anyhow!("the bot crashed"))
        };
        assert!(undisturbed(&mut wrong).is_err());
        assert_eq!(count, 1, "an error of what is measured is not hidden");
    }

    #[test]
    fn figures_that_never_settle_are_not_called_stable() {
        let mut wild = [1.0, 9.0].into_iter().cycle();
        let mut measures = [Measurement::new("wild", "µs", || Ok(wild.next().unwrap_or(0.0)))];
        let figures = rounds(&mut measures, 3, 8, |_, _| Ok(())).expect("they can be taken");
        assert!(!figures[0].is_stable());
    }
}
