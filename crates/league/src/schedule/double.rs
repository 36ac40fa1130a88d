//! Double elimination: a bot that loses twice is out. There is a bracket of those who have not
//! lost, and one of those who have once.

use super::duels::Duels;
use super::knockout::{Placing, met, order};
use super::{BotId, Stage};

/// Follows both brackets as far as games have been played, or says what is to be played.
pub(super) fn walk(
    duels: &mut Duels<'_>,
    seeds: &[BotId],
    placings: &mut [Placing],
) -> Result<(), Stage> {
    let mut upper = order(seeds);
    let mut lower: Vec<Option<BotId>> = Vec::new();
    let mut still_in = seeds.len() as u32;
    let mut round = 0;
    while upper.len() > 1 {
        // Those who have lost meet each other while the others play on.
        let (above, below) = (met(&upper), if round == 0 { Vec::new() } else { met(&lower) });
        let decided = duels.meet(&[&above[..], &below[..]].concat(), round)?;
        let (above, below) = decided.split_at(above.len());
        if round > 0 {
            lower = go_on(&lower, below, &mut still_in, placings).0;
        }
        let (winners, mut losers) = {
            let (winners, losers) = through(&upper, above);
            (winners, losers)
        };
        upper = winners;
        round += 1;
        if lower.is_empty() {
            lower = losers;
            continue;
        }
        // Those who have just lost come in from the other end, so that they meet others than
        // before.
        losers.reverse();
        let mixed: Vec<Option<BotId>> =
            lower.iter().zip(&losers).flat_map(|(one, other)| [*one, *other]).collect();
        let decided = duels.meet(&met(&mixed), round)?;
        lower = go_on(&mixed, &decided, &mut still_in, placings).0;
        round += 1;
    }
    let best = upper[0].expect("somebody has not lost");
    let Some(other) = lower.first().copied().flatten() else {
        placings[best.index()] = Placing::Out(1);
        return Ok(());
    };
    let (mut winner, mut loser) = duels.meet(&[[best, other]], round)?[0];
    if winner == other {
        // Both have lost once.
        (winner, loser) = duels.meet(&[[best, other]], round + 1)?[0];
    }
    placings[winner.index()] = Placing::Out(1);
    placings[loser.index()] = Placing::Out(2);
    Ok(())
}

/// Winners and losers by their places; whoever has nobody to meet goes on, and nobody loses there.
fn through(
    places: &[Option<BotId>],
    decided: &[(BotId, BotId)],
) -> (Vec<Option<BotId>>, Vec<Option<BotId>>) {
    let mut decided = decided.iter();
    let each = places.chunks(2).map(|pair| match pair[0].zip(pair[1]) {
        Some(_) => {
            let (winner, loser) = decided.next().expect("every meeting is decided");
            (Some(*winner), Some(*loser))
        }
        None => (pair[0].or(pair[1]), None),
    });
    each.unzip()
}

/// The same among those who have lost once: the losers are out, and share the place behind all who
/// are still in.
fn go_on(
    places: &[Option<BotId>],
    decided: &[(BotId, BotId)],
    still_in: &mut u32,
    placings: &mut [Placing],
) -> (Vec<Option<BotId>>, Vec<Option<BotId>>) {
    let (winners, losers) = through(places, decided);
    *still_in -= losers.iter().flatten().count() as u32;
    for loser in losers.iter().flatten() {
        placings[loser.index()] = Placing::Out(*still_in + 1);
    }
    (winners, losers)
}
