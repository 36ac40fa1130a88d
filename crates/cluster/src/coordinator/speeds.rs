//! What becomes of workers of different speed, by `speed` under `[cluster]`.

use league::SpeedRule;
use table::Terms;

/// Machines of one class are at most so many times as fast as each other's reference.
const CLASS: f64 = 1.25;
/// Time limits are multiplied or divided by no more than this.
const MOST: f64 = 5.0;

/// The rule, and the machine that all are measured by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speeds {
    rule: SpeedRule,
    /// The speed of the first machine that played.
    reference: Option<f64>,
}

impl Speeds {
    pub(super) fn new(rule: SpeedRule, reference: Option<f64>) -> Speeds {
        Speeds { rule, reference: reference.filter(|speed| is_speed(*speed)) }
    }

    /// The speed of the first machine that played, where that matters.
    pub(super) fn reference(&self) -> Option<f64> {
        self.reference
    }

    /// A machine plays. True if it is the first, by which others are measured.
    pub(super) fn plays(&mut self, speed: f64) -> bool {
        let is_first = self.rule != SpeedRule::Any && self.reference.is_none();
        if is_first {
            self.reference = Some(speed);
        }
        is_first
    }

    /// Why a machine of this speed cannot be used, if it cannot.
    pub(super) fn refusal(&self, speed: f64) -> Option<String> {
        if !is_speed(speed) {
            return Some("its speed is not one that a machine can have".to_owned());
        }
        let reference = self.reference?;
        let ratio = speed / reference;
        let is_within = |most: f64| (1.0 / most..=most).contains(&ratio);
        match self.rule {
            SpeedRule::Any => None,
            SpeedRule::Class if is_within(CLASS) => None,
            SpeedRule::Class => Some(format!(
                "its speed is {speed:.0}, and this run is played on machines of {:.0} to {:.0}",
                reference / CLASS,
                reference * CLASS
            )),
            SpeedRule::Scale if is_within(MOST) => None,
            SpeedRule::Scale => Some(format!(
                "its speed is {speed:.0}, and time limits are scaled for machines of {:.0} to {:.0}",
                reference / MOST,
                reference * MOST
            )),
        }
    }

    /// What the time limits of a machine of this speed are multiplied by.
    pub(super) fn scale(&self, speed: f64) -> f64 {
        match (self.rule, self.reference) {
            (SpeedRule::Scale, Some(reference)) => {
                let scale = (reference / speed).clamp(1.0 / MOST, MOST);
                (100.0 * scale).round() / 100.0
            }
            (SpeedRule::Any | SpeedRule::Class | SpeedRule::Scale, _) => 1.0,
        }
    }
}

/// The terms of a game with time limits that are multiplied. It stays the same match.
pub(super) fn scaled(mut terms: Terms, scale: f64) -> Terms {
    terms.clock = terms.clock.scaled(scale);
    for entrant in &mut terms.entrants {
        entrant.clock = entrant.clock.map(|clock| clock.scaled(scale));
    }
    terms
}

/// Whether a machine can be so fast.
fn is_speed(speed: f64) -> bool {
    (1e-6..1e9).contains(&speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_machine_is_the_measure_of_all_others() {
        let mut class = Speeds::new(SpeedRule::Class, None);
        assert!(class.refusal(50.0).is_none() && class.plays(100.0) && !class.plays(110.0));
        assert_eq!(class.reference(), Some(100.0));
        assert!(class.refusal(90.0).is_none() && class.refusal(120.0).is_none());
        let why = class.refusal(60.0).expect("it is slower");
        assert!(why.contains("speed is 60") && why.contains("80 to 125"), "{why}");
        assert_eq!(class.scale(90.0), 1.0);
    }

    #[test]
    fn a_machine_that_is_half_as_fast_has_twice_the_time() {
        let scale = Speeds::new(SpeedRule::Scale, Some(100.0));
        assert_eq!([50.0, 100.0, 300.0].map(|speed| scale.scale(speed)), [2.0, 1.0, 0.33]);
        assert!(scale.refusal(50.0).is_none() && scale.refusal(10.0).is_some());
    }

    #[test]
    fn without_a_rule_nothing_is_scaled_but_a_speed_has_to_be_one() {
        let mut any = Speeds::new(SpeedRule::Any, None);
        assert!(!any.plays(100.0) && any.reference().is_none());
        assert!(any.refusal(1.0).is_none() && any.scale(1.0) == 1.0);
        for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(any.refusal(speed).is_some(), "{speed}");
        }
    }
}
