//! What a position demands of the side to move, and the moves that can meet it.

use super::cells::{At, Places};
use super::pattern::Pattern;
use super::position::Position;
use super::worth::{Threat, pattern_in};
use crate::gomoku::board::{Rule, Stone};

/// What the side to move has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// Nothing: it wins with this move.
    Win(At),
    /// It wins in three plies by making two fives possible with this move.
    WinByTwoFives(At),
    /// The opponent threatens a five; only these cells may stop it.
    StopFive(Places),
    /// The opponent threatens two fives at once. Only these cells may stop that, or a four of
    /// one's own may gain time; those are included.
    StopTwoFives(Places),
    /// Anything goes.
    Free,
}

/// What `stone`, which is to move, has to do.
#[inline]
pub(super) fn duty(position: &mut Position, stone: Stone) -> Duty {
    let other = stone.other();
    if position.count(stone, Threat::Five) > 0 {
        let at = position.cells_with(stone, Threat::Five).iter().next();
        return Duty::Win(at.expect("the count says there is one"));
    }
    if position.count(other, Threat::Five) > 0 {
        return Duty::StopFive(stops_of_fives(position, other));
    }
    if let Some(at) = allowed_unstoppable(position, stone) {
        return Duty::WinByTwoFives(at);
    }
    if allowed_unstoppable(position, other).is_some() {
        return Duty::StopTwoFives(stops_of_two_fives(position, stone));
    }
    Duty::Free
}

fn allowed_unstoppable(position: &mut Position, stone: Stone) -> Option<At> {
    if position.count(stone, Threat::Unstoppable) == 0 {
        return None;
    }
    let cells = *position.cells_with(stone, Threat::Unstoppable);
    cells.iter().find(|&at| position.allows(at, stone))
}

/// The cells that may stop all fives `attacker` can make with its next move.
pub(super) fn stops_of_fives(position: &Position, attacker: Stone) -> Places {
    let fives = position.cells_with(attacker, Threat::Five);
    match position.rule() {
        Rule::Freestyle | Rule::Standard | Rule::Renju => {
            if position.count(attacker, Threat::Five) == 1 { *fives } else { Places::NONE }
        }
        // Here a five can also be spoilt by blocking its ends.
        Rule::Caro | Rule::CaroExact => common(position, fives, |position, at| {
            on_lines(position, at, attacker, |pattern| pattern == Pattern::Five)
        }),
    }
}

/// The cells that may stop every move with which the opponent would threaten two fives, and
/// the own fours.
fn stops_of_two_fives(position: &mut Position, defender: Stone) -> Places {
    let attacker = defender.other();
    let mut threats = Places::NONE;
    let cells = *position.cells_with(attacker, Threat::Unstoppable);
    for at in cells.iter() {
        if position.allows(at, attacker) {
            threats.insert(at);
        }
    }
    common(position, &threats, |position, at| on_lines(position, at, attacker, Pattern::is_four))
        .or(position.cells_with(defender, Threat::Four))
        .or(position.cells_with(defender, Threat::FourThree))
}

/// What the places found for each threat have in common: one move has to stop them all.
fn common(
    position: &Position,
    threats: &Places,
    places: impl Fn(&Position, At) -> Places,
) -> Places {
    threats.iter().map(|at| places(position, at)).reduce(|a, b| a.and(&b)).unwrap_or(Places::NONE)
}

/// The free cells from which a stone could spoil what `attacker` makes at `at`: `at` itself
/// and the lines on which it makes something wanted, up to the defender's stones.
fn on_lines(
    position: &Position,
    at: At,
    attacker: Stone,
    wanted: impl Fn(Pattern) -> bool,
) -> Places {
    let mut places = Places::NONE;
    places.insert(at);
    let code = position.code(at, attacker);
    for direction in (0..4).filter(|&direction| wanted(pattern_in(code, direction))) {
        for sign in [-1, 1] {
            let mut there = at;
            for _ in 0..position.reach() {
                there = there.shifted(sign * position.steps()[direction]);
                if position.is_free(there) {
                    places.insert(there);
                } else if !position.is_own(there, attacker) {
                    break;
                }
            }
        }
    }
    places
}
