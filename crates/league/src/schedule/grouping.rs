//! Whether everybody can be seated at tables of more than two with nobody they have met: a search
//! with a bound, for no quick way is known.

/// So many looks at whether two may meet a search has at most, and all searches of a round
/// together. Counted, not timed: the same on every machine.
const LOOKS_A_SEARCH: u64 = 20_000_000;
const LOOKS: u64 = 3 * LOOKS_A_SEARCH;

/// What is left of the looks of a round.
pub(super) struct SearchBudget(u64);

impl SearchBudget {
    pub(super) fn new() -> SearchBudget {
        SearchBudget(LOOKS)
    }

    pub(super) fn is_over(&self) -> bool {
        self.0 == 0
    }
}

/// Whose table is filled next.
#[derive(Clone, Copy)]
enum NextTable {
    /// That of the first who is left: the best groups for those at the top.
    First,
    /// That of the one with the fewest others to meet: dead ends show early.
    Scarcest,
}

/// Groups of this size in which all may meet, of everybody up to `count`, which is a multiple of
/// the size: those near each other together if possible. None if there are none, or if patience
/// came to its end.
pub(super) fn groups(
    count: usize,
    size: usize,
    may: &dyn Fn(usize, usize) -> bool,
    patience: &mut SearchBudget,
) -> Option<Vec<Vec<usize>>> {
    let row = |a: usize| (0..count).map(|b| a != b && may(a, b)).collect();
    let may: Vec<Vec<bool>> = (0..count).map(row).collect();
    for head in [NextTable::First, NextTable::Scarcest] {
        let looks = patience.0.min(LOOKS_A_SEARCH);
        let (free, found) = (vec![true; count], Vec::new());
        let mut search = GroupSearch { size, may: &may, head, free, found, looks };
        let done = search.next_group();
        patience.0 -= looks - search.looks;
        if done {
            search.found.iter_mut().for_each(|group| group.sort_unstable());
            search.found.sort_unstable();
            return Some(search.found);
        }
        if search.looks > 0 {
            // It has seen everything.
            return None;
        }
    }
    None
}

struct GroupSearch<'a> {
    size: usize,
    may: &'a [Vec<bool>],
    head: NextTable,
    free: Vec<bool>,
    found: Vec<Vec<usize>>,
    looks: u64,
}

impl GroupSearch<'_> {
    /// Groups those who are left. False if that cannot be done, or not with so few looks.
    fn next_group(&mut self) -> bool {
        let left: Vec<usize> = (0..self.free.len()).filter(|&one| self.free[one]).collect();
        if left.is_empty() {
            return true;
        }
        if !self.look(left.len() * left.len()) {
            return false;
        }
        let others = |one: usize| left.iter().filter(|&&other| self.may[one][other]).count();
        let others: Vec<usize> = left.iter().map(|&one| others(one)).collect();
        if others.iter().any(|&others| others + 1 < self.size) {
            return false;
        }
        let place = match self.head {
            NextTable::First => 0,
            NextTable::Scarcest => (0..left.len()).min_by_key(|&at| others[at]).unwrap_or(0),
        };
        let head = left[place];
        self.free[head] = false;
        let done = self.fill(&mut vec![head], 0);
        self.free[head] = true;
        done
    }

    /// Fills up a group with those from this one on, and then groups the others.
    fn fill(&mut self, group: &mut Vec<usize>, from: usize) -> bool {
        if group.len() == self.size {
            self.found.push(group.clone());
            let done = self.next_group();
            if !done {
                self.found.pop();
            }
            return done;
        }
        for next in from..self.free.len() {
            if !self.look(group.len()) {
                return false;
            }
            if self.free[next] && group.iter().all(|&member| self.may[member][next]) {
                self.free[next] = false;
                group.push(next);
                let done = self.fill(group, next + 1);
                group.pop();
                self.free[next] = true;
                if done {
                    return true;
                }
            }
        }
        false
    }

    /// Takes so many looks, if they are left; none are afterwards if not.
    fn look(&mut self, looks: usize) -> bool {
        self.looks = self.looks.saturating_sub(looks as u64);
        self.looks > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen points of a plane, as four lines: what is on no line of these slopes may meet.
    fn off_lines(a: usize, b: usize, slopes: usize) -> bool {
        let (x, y) = ((a / 4) ^ (b / 4), (a % 4) ^ (b % 4));
        // The field of four elements: 2 · 2 = 3, 2 · 3 = 1, 3 · 3 = 2.
        let product = |s: usize| [[0; 4], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]][s][x];
        !(0..slopes).any(|slope| product(slope) == y)
    }

    #[test]
    fn the_only_groups_there_are_are_found_and_what_cannot_be_is_seen() {
        let groups_after = |slopes: usize| {
            groups(16, 4, &|a, b| off_lines(a, b, slopes), &mut SearchBudget::new())
        };
        for slopes in 0..4 {
            let found = groups_after(slopes).expect("another slope is left");
            assert_eq!(found.len(), 4);
        }
        let last = groups_after(4).expect("the upright lines are left");
        assert_eq!(last[1], [4, 5, 6, 7]);
        let all = |a: usize, b: usize| off_lines(a, b, 4) && a / 4 != b / 4;
        assert_eq!(groups(16, 4, &all, &mut SearchBudget::new()), None);
    }

    #[test]
    fn patience_has_an_end() {
        // Two halves of an odd number of tables each cannot be told from possible ones quickly.
        let mut patience = SearchBudget(1000);
        let may = |a: usize, b: usize| (a < 30) == (b < 30);
        assert_eq!(groups(60, 4, &may, &mut patience), None);
        assert!(patience.is_over());
    }
}
