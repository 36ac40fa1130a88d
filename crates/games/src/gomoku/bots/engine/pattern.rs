//! What a stone makes on one line: every neighbourhood of a cell, classified once per rule.
//!
//! A cell looks [`REACH`] cells each way along a line. The ten neighbours, two bits each,
//! are its *view*; [`LineTable`] turns a view into the [`Pattern`] either colour would make
//! by playing on the cell.

use std::sync::OnceLock;

use crate::gomoku::board::Rule;

/// How far a stone matters along a line: four cells for the five itself and one more, because
/// what stands at its ends decides overlines and blocked fives.
pub(super) const REACH: usize = 5;

/// What a stone on a cell makes on one line through it, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Pattern {
    /// No five can ever run through the cell.
    Dead,
    /// Six or more where only exactly five count.
    Overline,
    /// Four more moves and an answer at each would still make a five.
    One,
    /// One move from a free two.
    FreeOne,
    /// One move from a three.
    Two,
    /// One move from a free three.
    FreeTwo,
    /// A free two with room on both sides.
    WideTwo,
    /// One move from a four.
    Three,
    /// One move from a straight four, at one place.
    FreeThree,
    /// One move from a straight four, at two places or more.
    WideThree,
    /// One move from a five, and one answer stops it.
    Four,
    /// Two separate fours on the same line.
    PairOfFours,
    /// Four in a row that can be completed at both ends: no single answer stops it.
    StraightFour,
    /// Wins.
    Five,
}

impl Pattern {
    /// Every pattern; its position is its number.
    pub(super) const ALL: [Pattern; 14] = [
        Pattern::Dead,
        Pattern::Overline,
        Pattern::One,
        Pattern::FreeOne,
        Pattern::Two,
        Pattern::FreeTwo,
        Pattern::WideTwo,
        Pattern::Three,
        Pattern::FreeThree,
        Pattern::WideThree,
        Pattern::Four,
        Pattern::PairOfFours,
        Pattern::StraightFour,
        Pattern::Five,
    ];

    /// The pattern with this number.
    #[inline]
    pub(super) fn numbered(number: u8) -> Pattern {
        Pattern::ALL[usize::from(number)]
    }

    /// Whether this is a three that threatens a straight four.
    pub(super) fn is_free_three(self) -> bool {
        matches!(self, Pattern::FreeThree | Pattern::WideThree)
    }

    /// Whether this threatens a five on the next move.
    pub(super) fn is_four(self) -> bool {
        matches!(self, Pattern::Four | Pattern::PairOfFours | Pattern::StraightFour)
    }
}

/// What a five needs for one colour.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Winning {
    /// Six or more do not count.
    exact: bool,
    /// Opposing stones at both ends undo it.
    open_end: bool,
}

/// The two bits of a neighbour, seen by the colour that is classified.
const OWN: u32 = 1;
const OPPOSING: u32 = 2;
const EDGE: u32 = 3;

/// Where the neighbour at `offset` (never zero) stands in a view. Near neighbours come first,
/// so that rules which look less far have small views and a small table.
pub(super) const fn shift(offset: isize) -> u32 {
    let near = offset.unsigned_abs() as u32 - 1;
    4 * near + if offset > 0 { 2 } else { 0 }
}

/// How many views there are, possible or not.
const VIEWS: usize = 1 << (4 * REACH);

/// The patterns of both colours for every view.
pub(super) struct LineTable {
    /// Low half: Black's pattern, high half: White's.
    both: Box<[u8; VIEWS]>,
    /// How far a stone matters under this rule.
    pub(super) reach: usize,
}

impl LineTable {
    /// The table of a rule, computed when first asked for and then shared.
    pub(super) fn of(rule: Rule) -> &'static LineTable {
        static FREESTYLE: OnceLock<LineTable> = OnceLock::new();
        static STANDARD: OnceLock<LineTable> = OnceLock::new();
        static RENJU: OnceLock<LineTable> = OnceLock::new();
        static CARO: OnceLock<LineTable> = OnceLock::new();
        static CARO_EXACT: OnceLock<LineTable> = OnceLock::new();
        let table = match rule {
            Rule::Freestyle => &FREESTYLE,
            Rule::Standard => &STANDARD,
            Rule::Renju => &RENJU,
            Rule::Caro => &CARO,
            Rule::CaroExact => &CARO_EXACT,
        };
        table.get_or_init(|| LineTable::computed(rule))
    }

    /// Both colours' patterns, packed as in the table, for a view.
    #[inline]
    pub(super) fn both(&self, view: u32) -> u8 {
        self.both[view as usize % VIEWS]
    }

    fn computed(rule: Rule) -> LineTable {
        let any = Winning { exact: false, open_end: false };
        let exact = Winning { exact: true, ..any };
        let (black, white) = match rule {
            Rule::Freestyle => (any, any),
            Rule::Standard => (exact, exact),
            Rule::Renju => (exact, any),
            Rule::Caro => (Winning { open_end: true, ..any }, Winning { open_end: true, ..any }),
            Rule::CaroExact => {
                (Winning { open_end: true, ..exact }, Winning { open_end: true, ..exact })
            }
        };
        let reach = if rule == Rule::Freestyle { REACH - 1 } else { REACH };
        let size = 1 << (4 * reach);
        let mut blacks = Classifier { winning: black, reach, known: vec![UNKNOWN; size] };
        let mut whites = Classifier { winning: white, reach, known: vec![UNKNOWN; size] };
        let mut both = vec![0; VIEWS];
        // Each half of a view is stripped once rather than with every other half.
        let halves = |sign| -> Vec<(u32, u32, u32)> {
            let stripped = |half| (half, blacks.stripped(half), whites.stripped(swapped(half)));
            halves(reach, sign).into_iter().map(stripped).collect()
        };
        let (lefts, rights) = (halves(-1), halves(1));
        for &(left, left_of_black, left_of_white) in &lefts {
            for &(right, right_of_black, right_of_white) in &rights {
                let of_black = blacks.pattern_of_stripped(left_of_black | right_of_black);
                let of_white = whites.pattern_of_stripped(left_of_white | right_of_white);
                both[(left | right) as usize] = of_black as u8 | (of_white as u8) << 4;
            }
        }
        let both = both.into_boxed_slice().try_into().expect("every view has an entry");
        LineTable { both, reach }
    }
}

/// A view with the colours exchanged.
fn swapped(view: u32) -> u32 {
    (view & 0x5_5555) << 1 | view >> 1 & 0x5_5555
}

/// Every half of a view that can occur on one side: whatever lies beyond an edge is edge too.
fn halves(reach: usize, sign: isize) -> Vec<u32> {
    let mut halves = Vec::new();
    for room in 0..=reach {
        let beyond: u32 = (room + 1..=reach).map(|step| EDGE << shift(sign * step as isize)).sum();
        for stones in 0..3_u32.pow(room as u32) {
            let mut rest = stones;
            let mut half = beyond;
            for step in 1..=room {
                half |= (rest % 3) << shift(sign * step as isize);
                rest /= 3;
            }
            halves.push(half);
        }
    }
    halves
}

const UNKNOWN: u8 = u8::MAX;

/// Classifies the views of one colour, remembering what it has found: a pattern is defined by
/// the patterns one more stone would make.
struct Classifier {
    winning: Winning,
    reach: usize,
    known: Vec<u8>,
}

impl Classifier {
    fn pattern(&mut self, view: u32) -> Pattern {
        self.pattern_of_stripped(self.stripped(view))
    }

    fn pattern_of_stripped(&mut self, view: u32) -> Pattern {
        // Nor does it matter which side is which.
        let view = view.min((view & 0x3_3333) << 2 | view >> 2 & 0x3_3333);
        let known = self.known[view as usize];
        if known != UNKNOWN {
            return Pattern::numbered(known);
        }
        let found = self.classify(view);
        self.known[view as usize] = found as u8;
        found
    }

    /// The view without what does not matter: whatever lies behind an obstacle.
    fn stripped(&self, view: u32) -> u32 {
        let mut stripped = view;
        for sign in [-1, 1] {
            let mut obstructed = false;
            for step in 1..=self.reach as isize {
                let place = shift(sign * step);
                let code = view >> place & 3;
                // Only an opposing stone right at the end of a row may differ from an edge.
                if obstructed || code == OPPOSING && !self.winning.open_end {
                    stripped |= EDGE << place;
                }
                obstructed |= code >= OPPOSING;
            }
        }
        stripped
    }

    fn offsets(&self) -> impl Iterator<Item = isize> + use<> {
        let reach = self.reach as isize;
        (-reach..=reach).filter(|&offset| offset != 0)
    }

    fn free(&self, view: u32) -> impl Iterator<Item = isize> + use<> {
        self.offsets().filter(move |&offset| at(view, offset) == 0)
    }

    fn classify(&mut self, view: u32) -> Pattern {
        let run = Run::through_middle(view, self.reach as isize);
        if self.wins(run, view) {
            return Pattern::Five;
        }
        if run.length() > 5 && self.winning.exact {
            return Pattern::Overline;
        }
        if let Some(four) = self.four(view) {
            return four;
        }
        let mut nexts = [0; Pattern::ALL.len()];
        for offset in self.free(view) {
            nexts[self.pattern(view | OWN << shift(offset)) as usize] += 1;
        }
        let leads_to = |wanted: fn(Pattern) -> bool| {
            Pattern::ALL.into_iter().any(|next| nexts[next as usize] > 0 && wanted(next))
        };
        match nexts[Pattern::StraightFour as usize] {
            0 => {}
            1 => return Pattern::FreeThree,
            _ => return Pattern::WideThree,
        }
        if leads_to(Pattern::is_four) {
            Pattern::Three
        } else if nexts[Pattern::WideThree as usize] > 1 {
            Pattern::WideTwo
        } else if leads_to(Pattern::is_free_three) {
            Pattern::FreeTwo
        } else if leads_to(|next| next == Pattern::Three) {
            Pattern::Two
        } else if leads_to(|next| matches!(next, Pattern::FreeTwo | Pattern::WideTwo)) {
            Pattern::FreeOne
        } else if leads_to(|next| next == Pattern::Two) {
            Pattern::One
        } else {
            Pattern::Dead
        }
    }

    /// The kind of four, if one more stone makes a five.
    fn four(&self, view: u32) -> Option<Pattern> {
        // Most views have too few stones; the middle is the fourth.
        if (view & !(view >> 1) & 0x5_5555).count_ones() < 3 {
            return None;
        }
        let first = self.completions(view).next()?;
        // With blocked ends not counting, an answer elsewhere than on a completing cell may
        // stop two fives at once, so every answer is tried.
        let unstoppable = self.completions(view).nth(1).is_some()
            && self
                .free(view)
                .all(|answer| self.completions(view | OPPOSING << shift(answer)).next().is_some());
        Some(if !unstoppable {
            Pattern::Four
        } else if self.completions(view).any(|offset| offset == first + 5) {
            Pattern::StraightFour
        } else {
            Pattern::PairOfFours
        })
    }

    fn completions(&self, view: u32) -> impl Iterator<Item = isize> {
        self.free(view).filter(move |&offset| {
            let filled = view | OWN << shift(offset);
            self.wins(Run::through_middle(filled, self.reach as isize), filled)
        })
    }

    fn wins(&self, run: Run, view: u32) -> bool {
        let long_enough = if self.winning.exact { run.length() == 5 } else { run.length() >= 5 };
        // A run that leaves the view has no end in sight; such a run is longer than five.
        let blocked = |end: isize| end.unsigned_abs() <= self.reach && at(view, end) == OPPOSING;
        long_enough && !(self.winning.open_end && blocked(run.first - 1) && blocked(run.last + 1))
    }
}

/// What stands at an offset of a view; the middle itself is taken by the own stone.
fn at(view: u32, offset: isize) -> u32 {
    if offset == 0 { OWN } else { view >> shift(offset) & 3 }
}

/// The unbroken row of own stones through the middle.
#[derive(Clone, Copy)]
struct Run {
    first: isize,
    last: isize,
}

impl Run {
    fn through_middle(view: u32, reach: isize) -> Run {
        let mut run = Run { first: 0, last: 0 };
        while run.first > -reach && at(view, run.first - 1) == OWN {
            run.first -= 1;
        }
        while run.last < reach && at(view, run.last + 1) == OWN {
            run.last += 1;
        }
        run
    }

    fn length(self) -> isize {
        self.last - self.first + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::board::Stone;

    /// The pattern a stone makes at `*` in a drawn line; everything outside is edge.
    fn drawn(rule: Rule, stone: Stone, line: &str) -> Pattern {
        let middle = line.find('*').expect("the drawing has a middle") as isize;
        let table = LineTable::of(rule);
        let mut view = 0;
        for step in 1..=table.reach as isize {
            for offset in [-step, step] {
                let place = usize::try_from(middle + offset).ok();
                let code = match place.and_then(|at| line.as_bytes().get(at)) {
                    Some(b'.') => 0,
                    Some(b'x') => 1,
                    Some(b'o') => 2,
                    Some(other) => panic!("unknown mark {other}"),
                    None => 3,
                };
                view |= code << shift(offset);
            }
        }
        let both = table.both(view);
        Pattern::numbered(if stone == Stone::Black { both & 15 } else { both >> 4 })
    }

    #[test]
    fn lines_are_what_players_call_them() {
        use Pattern::*;
        use Rule::*;
        for (rule, line, expected) in [
            (Freestyle, ".xx*xx.", Five),
            (Freestyle, "xxx*xx.", Five),
            (Standard, "xxx*xx.", Overline),
            (Renju, "xxx*xx.", Overline),
            (Freestyle, ".xx*x.", StraightFour),
            (Freestyle, "oxx*x.", Four),
            (Freestyle, "oxx*xo", Dead),
            (Freestyle, "x.x*x.x", PairOfFours),
            (Freestyle, "..x*x..", WideThree),
            (Freestyle, ".x.*x.", FreeThree),
            (Freestyle, "ox*x..", Three),
            (Freestyle, "o.x*x.o", Three),
            (Freestyle, "..x*..", FreeTwo),
            (Freestyle, "...x*...", WideTwo),
            (Freestyle, "ox*...", Two),
            (Freestyle, "....*....", FreeOne),
            (Freestyle, "o*....", One),
            (Freestyle, "o*...o", Dead),
            // Overlines spoil fours that a row of exactly five needs.
            (Standard, "x.xx*x.", Four),
            (Standard, "x.xx*x.x", Dead),
            // Blocked ends spoil fives.
            (Caro, "oxx*xxo", Dead),
            (Caro, "oxx*xx.", Five),
            (Caro, "xx*xx", Five),
            (Caro, "o.xx*x.o", Four),
            (Caro, "..xx*x..", StraightFour),
            (Caro, ".xx*x.", StraightFour),
            (CaroExact, "xxx*xx..", Overline),
        ] {
            assert_eq!(drawn(rule, Stone::Black, line), expected, "{} {line}", rule.name());
        }
    }

    #[test]
    fn white_may_make_six_in_renju() {
        assert_eq!(drawn(Rule::Renju, Stone::White, "ooo*oo."), Pattern::Five);
        assert_eq!(drawn(Rule::Renju, Stone::White, "xoo*ox"), Pattern::Dead);
    }
}
