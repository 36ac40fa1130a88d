//! The entries that come with every ply, packed by hand: the same bytes as Serde's, without a copy
//! of what was said and in a fraction of the time.

use std::time::Duration;

use game::{Choice, Moves, Tick};
use serde::Serialize;

use crate::SeatId;

/// Packs `Entry::Sent`.
pub(crate) fn sent(packed: &mut Vec<u8>, at: Tick, seat: SeatId, said: &[u8]) {
    entry(packed, b"Sent", 3);
    time(packed, at.0);
    number(packed, seat.0.into());
    bytes(packed, said);
}

/// Packs `Entry::Got`.
pub(crate) fn got(packed: &mut Vec<u8>, at: Tick, seat: SeatId, line: &[u8]) {
    entry(packed, b"Got", 3);
    time(packed, at.0);
    number(packed, seat.0.into());
    bytes(packed, line);
}

/// Packs `Entry::Answered`.
pub(crate) fn answered(packed: &mut Vec<u8>, seat: SeatId, times: [Duration; 3]) {
    entry(packed, b"Answered", 4);
    number(packed, seat.0.into());
    for one in times {
        time(packed, one);
    }
}

/// Packs `Entry::Stepped`. How an action is packed is up to the game.
pub(crate) fn stepped<A: Serialize>(
    packed: &mut Vec<u8>,
    at: Tick,
    turn: u32,
    moves: &Moves<A>,
    digest: u64,
) {
    entry(packed, b"Stepped", 4);
    time(packed, at.0);
    number(packed, turn.into());
    list(packed, moves.0.len());
    for (actor, choice) in &moves.0 {
        list(packed, 2);
        number(packed, actor.0.into());
        match choice {
            Choice::Act(action) => {
                packed.extend_from_slice(b"\x81\xa3Act");
                by_serde(packed, action);
            }
            Choice::Forfeit(_) => by_serde(packed, choice),
        }
    }
    number(packed, digest);
}

/// Packs anything else.
pub(crate) fn by_serde(packed: &mut Vec<u8>, value: &impl Serialize) {
    rmp_serde::encode::write(packed, value)
        .expect("entries serialise and memory does not fail to write");
}

/// A variant of an enum is a map of its name to the list of its fields.
fn entry(packed: &mut Vec<u8>, name: &[u8], fields: u8) {
    packed.extend_from_slice(&[0x81, 0xa0 | name.len() as u8]);
    packed.extend_from_slice(name);
    packed.push(0x90 | fields);
}

/// The beginning of a list of so many things.
fn list(packed: &mut Vec<u8>, length: usize) {
    match length {
        0..=15 => packed.push(0x90 | length as u8),
        16..=0xffff => {
            let [a, b] = (length as u16).to_be_bytes();
            packed.extend_from_slice(&[0xdc, a, b]);
        }
        _ => {
            let [a, b, c, d] = (length as u32).to_be_bytes();
            packed.extend_from_slice(&[0xdd, a, b, c, d]);
        }
    }
}

fn time(packed: &mut Vec<u8>, time: Duration) {
    list(packed, 2);
    number(packed, time.as_secs());
    number(packed, time.subsec_nanos().into());
}

/// A number in the shortest form that holds it.
#[inline]
fn number(packed: &mut Vec<u8>, number: u64) {
    match number {
        0..=0x7f => packed.push(number as u8),
        _ => large_number(packed, number),
    }
}

fn large_number(packed: &mut Vec<u8>, number: u64) {
    match number {
        0..=0xff => packed.extend_from_slice(&[0xcc, number as u8]),
        0x100..=0xffff => {
            let [a, b] = (number as u16).to_be_bytes();
            packed.extend_from_slice(&[0xcd, a, b]);
        }
        0x1_0000..=0xffff_ffff => {
            let [a, b, c, d] = (number as u32).to_be_bytes();
            packed.extend_from_slice(&[0xce, a, b, c, d]);
        }
        _ => {
            packed.push(0xcf);
            packed.extend_from_slice(&number.to_be_bytes());
        }
    }
}

fn bytes(packed: &mut Vec<u8>, bytes: &[u8]) {
    match bytes.len() {
        length @ 0..=0xff => packed.extend_from_slice(&[0xc4, length as u8]),
        length @ 0x100..=0xffff => {
            let [a, b] = (length as u16).to_be_bytes();
            packed.extend_from_slice(&[0xc5, a, b]);
        }
        length => {
            let [a, b, c, d] = (length as u32).to_be_bytes();
            packed.extend_from_slice(&[0xc6, a, b, c, d]);
        }
    }
    packed.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Fault, FaultKind, Forfeit};

    use super::*;
    use crate::log::{Entry, Raw};

    #[test]
    fn entries_are_packed_as_serde_packs_them() {
        let by_serde = |entry: &Entry<()>| rmp_serde::to_vec(entry).expect("it can be packed");
        let numbers = [0, 1, 127, 128, 255, 256, 65_535, 65_536, 999_999_999];
        let lengths = [0, 1, 31, 32, 255, 256, 65_535, 65_536];
        for (index, nanos) in numbers.into_iter().enumerate() {
            for seconds in [0, 127, 128, 300, 70_000, u64::from(u32::MAX) + 1] {
                let (mut first, mut second, mut third) = (Vec::new(), Vec::new(), Vec::new());
                let (moment, seat) = (Duration::new(seconds, nanos), SeatId(nanos));
                let said = vec![b'x'; lengths[index % lengths.len()]];
                sent(&mut first, Tick(moment), seat, &said);
                got(&mut second, Tick(moment), seat, &said);
                let [wall, cpu, delay] = [moment, Duration::ZERO, Duration::from_nanos(seconds)];
                answered(&mut third, seat, [wall, cpu, delay]);
                let (at, raw) = (Tick(moment), Raw(said));
                assert_eq!(first, by_serde(&Entry::Sent { at, seat, bytes: raw.clone() }));
                assert_eq!(second, by_serde(&Entry::Got { at, seat, line: raw }));
                assert_eq!(third, by_serde(&Entry::Answered { seat, wall, cpu, delay }));
            }
        }
    }

    #[test]
    fn steps_are_packed_as_serde_packs_them() {
        let act = |actor: u32| (ActorId(actor), Choice::Act(format!("{actor},7")));
        let why = Forfeit::by_rule(Fault::new(FaultKind::Crash, "left"));
        for count in [0, 1, 2, 15, 16, 300, 65_535, 65_536] {
            let mut moves = Moves((0..count).map(act).collect());
            if count == 2 {
                moves.0[1].1 = Choice::Forfeit(why.clone());
            }
            let (at, turn, digest) = (Tick(Duration::from_micros(7)), count, u64::MAX / 3);
            let mut by_hand = Vec::new();
            stepped(&mut by_hand, at, turn, &moves, digest);
            let entry = Entry::Stepped { at, turn, moves, digest };
            assert_eq!(by_hand, rmp_serde::to_vec(&entry).expect("it can be packed"), "{count}");
        }
    }
}
