//! Ends a bot's part in a match after too many faults in a row (`max_faults`).

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use game::{ActorId, Choice, ForfeitBy, Moves};

/// Counts for every actor the turns in a row in which its answer had to be replaced. The table and
/// the verification of replays count with the same hands, so that a replay proves who had to be
/// given up.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultStreaks {
    most: Option<NonZeroU32>,
    in_a_row: HashMap<ActorId, u32>,
    /// Those whose answer has been replaced in this turn.
    failed: HashSet<ActorId>,
}

impl FaultStreaks {
    pub(crate) fn new(most: Option<NonZeroU32>) -> FaultStreaks {
        FaultStreaks { most, ..FaultStreaks::default() }
    }

    /// Whether anything is counted.
    pub(crate) fn counts(&self) -> bool {
        self.most.is_some()
    }

    /// How many failures in a row it would be, if this actor failed in this turn and were to be
    /// given up for it.
    pub(crate) fn ends_with(&self, actor: ActorId) -> Option<u32> {
        let most = self.most?.get();
        let now = self.in_a_row.get(&actor).map_or(1, |before| before + 1);
        (now >= most).then_some(now)
    }

    /// The answer of an actor has been replaced in this turn.
    pub(crate) fn failed(&mut self, actor: ActorId) {
        if self.counts() {
            self.failed.insert(actor);
        }
    }

    /// The turn is settled. What is wrong with it, if somebody should have been given up and was
    /// not, or was and should not.
    pub(crate) fn settle<A>(&mut self, moves: &Moves<A>) -> Result<(), String> {
        if !self.counts() {
            let given_up = moves.0.iter().find(|(_, choice)| is_given_up(choice));
            return match given_up {
                Some((actor, _)) => {
                    Err(format!("{actor} is given up, but the terms allow any fault"))
                }
                None => Ok(()),
            };
        }
        for (actor, choice) in &moves.0 {
            let due = self.ends_with(*actor);
            match choice {
                Choice::Forfeit(_) if is_given_up(choice) && due.is_none() => {
                    return Err(format!("{actor} is given up too early"));
                }
                Choice::Forfeit(_) => {
                    self.in_a_row.remove(actor);
                }
                Choice::Act(_) if !self.failed.contains(actor) => {
                    self.in_a_row.remove(actor);
                }
                Choice::Act(_) if due.is_some() => {
                    return Err(format!("{actor} should have been given up"));
                }
                Choice::Act(_) => *self.in_a_row.entry(*actor).or_default() += 1,
            }
        }
        self.failed.clear();
        Ok(())
    }
}

fn is_given_up<A>(choice: &Choice<A>) -> bool {
    matches!(choice, Choice::Forfeit(why) if why.by == ForfeitBy::MaxFaults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Fault, FaultKind, Forfeit};

    const BOT: ActorId = ActorId(0);

    fn at_most(most: u32) -> FaultStreaks {
        FaultStreaks::new(NonZeroU32::new(most))
    }

    fn answers(streaks: &mut FaultStreaks) -> Result<(), String> {
        streaks.settle(&Moves::one(BOT, ()))
    }

    fn fails(streaks: &mut FaultStreaks) -> Result<(), String> {
        streaks.failed(BOT);
        streaks.settle(&Moves::one(BOT, ()))
    }

    fn gives_up(streaks: &mut FaultStreaks) -> Result<(), String> {
        let fault = Fault::new(FaultKind::Timeout, "late");
        let why = Forfeit { fault, by: ForfeitBy::MaxFaults };
        streaks.settle(&Moves::<()>(vec![(BOT, Choice::Forfeit(why))]))
    }

    #[test]
    fn a_good_answer_begins_the_count_anew() {
        let mut streaks = at_most(3);
        for turn in [fails, fails, answers, fails, fails] {
            assert_eq!(turn(&mut streaks), Ok(()));
        }
        assert_eq!(streaks.ends_with(BOT), Some(3));
        assert_eq!(gives_up(&mut streaks), Ok(()));
    }

    #[test]
    fn a_record_that_gives_up_too_early_or_not_at_all_is_wrong() {
        let mut early = at_most(3);
        assert_eq!(fails(&mut early), Ok(()));
        assert!(gives_up(&mut early).is_err_and(|why| why.contains("too early")));
        let mut late = at_most(2);
        assert_eq!(fails(&mut late), Ok(()));
        assert!(fails(&mut late).is_err_and(|why| why.contains("should have been")));
        assert!(gives_up(&mut FaultStreaks::default()).is_err_and(|why| why.contains("any fault")));
    }
}
