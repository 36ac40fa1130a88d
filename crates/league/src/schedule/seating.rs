//! Who sits where: every bot of a group in every seat once, and as far as possible behind
//! everybody else once.

use super::BotId;

/// The seating of a group in one rotation of one set.
///
/// The rotations of a set are a Latin square. For an even number of seats it is one in which
/// everybody follows everybody else exactly once (in the order of seats); for odd numbers no such
/// square of this form exists, and every second set is mirrored instead. So it matters little
/// who moves after a weak player.
pub(super) fn seats(group: &[BotId], set: u32, rotation: u32) -> Vec<BotId> {
    let count = group.len();
    let mut row: Vec<usize> =
        (0..count).map(|seat| (zigzag(seat, count) + rotation as usize) % count).collect();
    if count > 2 && set % 2 == 1 {
        row.reverse();
    }
    row.into_iter().map(|place| group[place]).collect()
}

/// 0, 1, n−1, 2, n−2, …: the differences of neighbours are all different.
fn zigzag(seat: usize, count: usize) -> usize {
    match seat {
        0 => 0,
        odd if odd % 2 == 1 => odd.div_ceil(2),
        even => count - even / 2,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn group(count: usize) -> Vec<BotId> {
        (0..count as u32).map(BotId).collect()
    }

    #[test]
    fn everybody_sits_in_every_seat_once() {
        for count in 2..=10 {
            for set in 0..2 {
                for seat in 0..count {
                    let mut sat: Vec<BotId> = (0..count as u32)
                        .map(|rotation| seats(&group(count), set, rotation)[seat])
                        .collect();
                    sat.sort();
                    assert_eq!(sat, group(count), "seat {seat} of {count}, set {set}");
                }
            }
        }
    }

    #[test]
    fn everybody_follows_everybody_equally_often() {
        for count in 2..=10 {
            // Odd numbers need two sets for it.
            let sets = if count % 2 == 0 { 1 } else { 2 };
            let mut follows: HashMap<(BotId, BotId), u32> = HashMap::new();
            for set in 0..sets {
                for rotation in 0..count as u32 {
                    let row = seats(&group(count), set, rotation);
                    for pair in row.windows(2) {
                        *follows.entry((pair[0], pair[1])).or_default() += 1;
                    }
                }
            }
            assert_eq!(follows.len(), count * (count - 1), "{count}");
            assert!(follows.values().all(|&times| times == sets), "{count}: {follows:?}");
        }
    }

    #[test]
    fn two_players_simply_change_places() {
        assert_eq!(seats(&group(2), 3, 0), [BotId(0), BotId(1)]);
        assert_eq!(seats(&group(2), 3, 1), [BotId(1), BotId(0)]);
    }
}
