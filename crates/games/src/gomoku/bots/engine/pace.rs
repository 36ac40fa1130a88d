//! When to stop thinking.

use std::time::Duration;

use game::Budget;

/// Nodes searched when nothing else limits the search: about two seconds.
const DEFAULT_NODES: u64 = 1_500_000;
/// Nodes between two looks at the clock: well under a millisecond.
const BETWEEN_LOOKS: u64 = 128;
/// A match's time is shared out as if so many moves were still to come.
const MOVES_TO_COME: u32 = 20;
/// No move is worth more.
const LONGEST: Duration = Duration::from_secs(30);

/// The limits of one search. It ends by nodes or by time, whichever comes first.
pub(super) struct Pace<'a> {
    budget: &'a dyn Budget,
    /// The node count at which the search ends.
    nodes: u64,
    /// The node count at which the clock is looked at next.
    next_look: u64,
    /// What the clock said at the start, and how much may be used.
    time: Option<(Duration, Duration)>,
    over: bool,
    /// Nodes searched so far.
    spent: u64,
}

impl<'a> Pace<'a> {
    pub(super) fn new(budget: &'a dyn Budget, nodes: Option<u64>) -> Pace<'a> {
        let time = reading(budget).zip(allowance(budget));
        let nodes = nodes.unwrap_or(if time.is_none() { DEFAULT_NODES } else { u64::MAX });
        Pace { budget, nodes, next_look: 0, time, over: false, spent: 0 }
    }

    /// Counts a node. Whether the search must end now; once true, that stays true.
    #[inline]
    pub(super) fn count_node(&mut self) -> bool {
        self.spent += 1;
        if self.spent >= self.next_look || self.spent >= self.nodes {
            self.next_look = self.spent + BETWEEN_LOOKS;
            self.look();
        }
        self.over
    }

    /// Nodes searched so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// Whether the search has been told to end.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether it is worth starting another, deeper search: it usually takes longer than
    /// everything before it.
    pub(super) fn has_time_for_more(&mut self) -> bool {
        self.look();
        !self.over && self.time.is_none_or(|(_, allowed)| self.used() < allowed.mul_f64(0.6))
    }

    fn look(&mut self) {
        self.over = self.over
            || self.spent >= self.nodes
            || self.budget.stopped()
            || self.time.is_some_and(|(_, allowed)| self.used() >= allowed);
    }

    /// The nodes for a search that comes before the main one: about an eighth of the whole.
    pub(super) fn nodes_for_prelude(&self) -> u64 {
        const PER_MILLISECOND: u64 = 50;
        let timed = self
            .time
            .map_or(u64::MAX, |(_, allowed)| PER_MILLISECOND * (allowed.as_millis() as u64 + 1));
        timed.min(self.nodes / 8).min(200_000)
    }

    fn used(&self) -> Duration {
        match self.time {
            None => Duration::ZERO,
            Some((first, _)) => first.saturating_sub(reading(self.budget).unwrap_or(first)),
        }
    }
}

/// A clock that runs down while the bot thinks, if there is any.
fn reading(budget: &dyn Budget) -> Option<Duration> {
    budget.bank().or_else(|| budget.left())
}

/// The time that may be used, if it is limited. The rest pays for the way of the answer and,
/// if there is a bank, for later moves.
fn allowance(budget: &dyn Budget) -> Option<Duration> {
    let share = budget.bank().map(|bank| bank / MOVES_TO_COME);
    let left = match (budget.left(), share) {
        (Some(left), Some(share)) => left.min(share),
        (left, share) => left.or(share)?,
    };
    let way = Duration::from_millis(3).min(left.mul_f64(0.4));
    Some(left.mul_f64(0.85).saturating_sub(way).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given {
        left: Option<u64>,
        bank: Option<u64>,
    }

    impl Budget for Given {
        fn left(&self) -> Option<Duration> {
            self.left.map(Duration::from_millis)
        }

        fn bank(&self) -> Option<Duration> {
            self.bank.map(Duration::from_millis)
        }

        fn stopped(&self) -> bool {
            false
        }
    }

    fn allowed(left: Option<u64>, bank: Option<u64>) -> Option<Duration> {
        allowance(&Given { left, bank })
    }

    #[test]
    fn a_reserve_is_kept_of_every_limit() {
        for (limit, most) in [(5, 3), (50, 40), (1000, 850), (10_000_000, 30_000)] {
            let allowed = allowed(Some(limit), None).expect("there is a limit");
            assert!(allowed <= Duration::from_millis(most), "{limit} ms: {allowed:?}");
            assert!(allowed >= Duration::from_millis(limit.min(30_000) / 3));
        }
    }

    #[test]
    fn a_bank_is_shared_out_over_many_moves() {
        let most = Duration::from_secs(6);
        assert!(allowed(None, Some(120_000)).is_some_and(|allowed| allowed < most));
        assert!(allowed(Some(100_000), Some(120_000)).is_some_and(|allowed| allowed < most));
        assert_eq!(allowed(Some(100), Some(120_000)), allowed(Some(100), None));
    }

    #[test]
    fn no_limit_is_no_limit() {
        assert_eq!(allowed(None, None), None);
    }
}
