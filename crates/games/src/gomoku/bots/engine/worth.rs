//! What an empty cell is worth to a colour, from the four patterns a stone there would make.

use std::sync::OnceLock;

use super::pattern::Pattern;
use super::weights::{MOVING, WAITING, Weights};

/// The four patterns of a cell for one colour, four bits each, by direction.
pub(super) type Code = u16;

/// The pattern of a code in one of the four directions.
#[inline]
pub(super) fn pattern_in(code: Code, direction: usize) -> Pattern {
    Pattern::numbered((code >> (4 * direction) & 15) as u8)
}

/// What playing on a cell threatens, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Threat {
    /// Nothing that must be answered.
    Quiet,
    /// A straight four.
    FreeThree,
    /// Straight fours on two lines.
    DoubleThree,
    /// A five, at one place.
    Four,
    /// A five, and a straight four on another line.
    FourThree,
    /// Fives at two places: won unless the opponent has a five.
    Unstoppable,
    /// Nothing more: the game is won.
    Five,
}

impl Threat {
    /// How many kinds there are.
    pub(super) const COUNT: usize = 7;
}

/// Whether Black may play a cell in renju, as far as its own lines tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ban {
    /// Allowed.
    None,
    /// Two threes, if both are real.
    IfThreesAreReal,
    /// An overline or two fours.
    Certain,
}

/// Everything that follows from a code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// Share of the evaluation while the cell is empty and its side is to move.
    pub(super) moving: i16,
    /// The same while the other side is to move.
    pub(super) waiting: i16,
    /// How early the move deserves to be tried.
    pub(super) urge: i16,
    /// What it threatens.
    pub(super) threat: Threat,
    /// Whether it may be played at all.
    pub(super) ban: Ban,
}

/// The worth of every code.
///
/// An array as large as there are codes needs no check when it is read.
pub(super) struct WorthTable(Box<[Worth; 1 << 16]>);

impl WorthTable {
    /// For a colour that may play anywhere.
    pub(super) fn free() -> &'static WorthTable {
        static TABLE: OnceLock<WorthTable> = OnceLock::new();
        TABLE.get_or_init(|| WorthTable::computed(judge))
    }

    /// For Black in renju.
    pub(super) fn restricted() -> &'static WorthTable {
        static TABLE: OnceLock<WorthTable> = OnceLock::new();
        TABLE.get_or_init(|| WorthTable::computed(judge_restricted))
    }

    #[inline]
    pub(super) fn of(&self, code: Code) -> Worth {
        self.0[usize::from(code)]
    }

    fn computed(judge: fn([Pattern; 4]) -> Worth) -> WorthTable {
        let known = |code: Code| (0..4).all(|d| (code >> (4 * d) & 15) < 14);
        let nothing =
            Worth { moving: 0, waiting: 0, urge: 0, threat: Threat::Quiet, ban: Ban::None };
        let worth = |code| {
            if known(code) { judge([0, 1, 2, 3].map(|d| pattern_in(code, d))) } else { nothing }
        };
        let all: Box<[Worth]> = (0..=Code::MAX).map(worth).collect();
        WorthTable(all.try_into().expect("every code has a worth"))
    }
}

fn count(patterns: [Pattern; 4], wanted: fn(Pattern) -> bool) -> usize {
    patterns.into_iter().filter(|&pattern| wanted(pattern)).count()
}

fn judge(mut patterns: [Pattern; 4]) -> Worth {
    patterns.sort_by(|a, b| b.cmp(a));
    let fours = count(patterns, Pattern::is_four);
    let threes = count(patterns, Pattern::is_free_three);
    let threat = match patterns[0] {
        Pattern::Five => Threat::Five,
        Pattern::StraightFour | Pattern::PairOfFours => Threat::Unstoppable,
        Pattern::Four if fours > 1 => Threat::Unstoppable,
        Pattern::Four if threes > 0 => Threat::FourThree,
        Pattern::Four => Threat::Four,
        Pattern::WideThree | Pattern::FreeThree if threes > 1 => Threat::DoubleThree,
        Pattern::WideThree | Pattern::FreeThree => Threat::FreeThree,
        Pattern::Three
        | Pattern::WideTwo
        | Pattern::FreeTwo
        | Pattern::Two
        | Pattern::FreeOne
        | Pattern::One
        | Pattern::Overline
        | Pattern::Dead => Threat::Quiet,
    };
    let urge = promise(patterns)
        + match threat {
            Threat::Quiet => 0,
            Threat::FreeThree => 20,
            Threat::Four => 30,
            Threat::DoubleThree => 150,
            Threat::FourThree => 400,
            Threat::Unstoppable => 1000,
            Threat::Five => 4000,
        };
    Worth {
        moving: value(patterns, &MOVING),
        waiting: value(patterns, &WAITING),
        urge,
        threat,
        ban: Ban::None,
    }
}

fn judge_restricted(patterns: [Pattern; 4]) -> Worth {
    let worth = judge(patterns);
    let fours = count(patterns, Pattern::is_four);
    if worth.threat == Threat::Five {
        // A five wins even where it would also be forbidden.
        worth
    } else if patterns.contains(&Pattern::Overline)
        || patterns.contains(&Pattern::PairOfFours)
        || fours > 1
    {
        Worth { moving: 0, waiting: 0, urge: 0, threat: Threat::Quiet, ban: Ban::Certain }
    } else if count(patterns, Pattern::is_free_three) > 1 {
        // Mostly forbidden, so worth little; but it may be allowed.
        Worth {
            moving: worth.moving / 4,
            waiting: worth.waiting / 4,
            urge: worth.urge / 4,
            ban: Ban::IfThreesAreReal,
            ..worth
        }
    } else {
        worth
    }
}

/// A cell's share of the evaluation. `patterns` are sorted, strongest first.
fn value(patterns: [Pattern; 4], weights: &Weights) -> i16 {
    let lines: i16 = patterns.iter().map(|&pattern| weights.line[pattern as usize]).sum();
    lines + weights.crossing[patterns[0] as usize][patterns[1] as usize]
}

/// How much a move is worth trying for its lines. `patterns` are sorted, strongest first.
fn promise(patterns: [Pattern; 4]) -> i16 {
    let lines: i32 = patterns.iter().map(|&pattern| alone(pattern)).sum();
    // Two good lines that cross are worth more than both: one move serves twice.
    let crossing = alone(patterns[0]) * alone(patterns[1]) / 12;
    (lines + crossing) as i16
}

fn alone(pattern: Pattern) -> i32 {
    match pattern {
        Pattern::Dead | Pattern::Overline => 0,
        Pattern::One => 1,
        Pattern::FreeOne => 3,
        Pattern::Two => 4,
        Pattern::FreeTwo => 9,
        Pattern::WideTwo => 12,
        Pattern::Three => 11,
        Pattern::FreeThree => 24,
        Pattern::WideThree => 28,
        Pattern::Four => 30,
        Pattern::PairOfFours => 60,
        Pattern::StraightFour => 70,
        Pattern::Five => 100,
    }
}
