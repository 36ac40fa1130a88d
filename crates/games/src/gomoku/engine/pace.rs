//! When to stop thinking.

use std::time::Duration;

use game::Budget;

/// Nodes searched when nothing else limits the search: about two seconds.
const DEFAULT_NODES: u64 = 1_500_000;
/// Nodes between two looks at the clock: well under a millisecond.
const BETWEEN_LOOKS: u64 = 128;
/// A budget may be a whole match's bank rather than one turn's limit; no move is worth more.
const LONGEST: Duration = Duration::from_secs(30);

/// The limits of one search. It ends by nodes or by time, whichever comes first.
pub(super) struct Pace<'a> {
    budget: &'a dyn Budget,
    /// The node count at which the search ends.
    nodes: u64,
    /// The node count at which the clock is looked at next.
    next_look: u64,
    /// What the budget said at the start, and how much of it may be used.
    time: Option<(Duration, Duration)>,
    over: bool,
    /// Nodes searched so far.
    spent: u64,
}

impl<'a> Pace<'a> {
    pub(super) fn new(budget: &'a dyn Budget, nodes: Option<u64>) -> Pace<'a> {
        let time = budget.left().map(|left| (left, allowance(left)));
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

    /// A share of the remaining nodes, for a search that comes before the main one.
    pub(super) fn nodes_for_prelude(&self) -> u64 {
        (self.nodes / 8).min(200_000)
    }

    fn used(&self) -> Duration {
        match self.time {
            None => Duration::ZERO,
            Some((first, _)) => first.saturating_sub(self.budget.left().unwrap_or(first)),
        }
    }
}

/// The part of a limit that may be used; the rest pays for the way of the answer.
fn allowance(left: Duration) -> Duration {
    let way = Duration::from_millis(3).min(left.mul_f64(0.4));
    left.mul_f64(0.85).saturating_sub(way).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_kept_of_every_limit() {
        for (limit, most) in [(5, 3), (50, 40), (1000, 850), (10_000_000, 30_000)] {
            let allowed = allowance(Duration::from_millis(limit));
            assert!(allowed <= Duration::from_millis(most), "{limit} ms: {allowed:?}");
            assert!(allowed >= Duration::from_millis(limit.min(30_000) / 3));
        }
    }
}
