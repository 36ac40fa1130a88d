//! The entries that come with every ply, packed by hand: the same bytes as Serde's, without a copy
//! of what was said and in a fraction of the time.

use std::time::Duration;

use game::Tick;

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

/// A variant of an enum is a map of its name to the list of its fields.
fn entry(packed: &mut Vec<u8>, name: &[u8], fields: u8) {
    packed.extend_from_slice(&[0x81, 0xa0 | name.len() as u8]);
    packed.extend_from_slice(name);
    packed.push(0x90 | fields);
}

fn time(packed: &mut Vec<u8>, time: Duration) {
    packed.push(0x92);
    number(packed, time.as_secs());
    number(packed, time.subsec_nanos().into());
}

/// A number in the shortest form that holds it.
fn number(packed: &mut Vec<u8>, number: u64) {
    match number {
        0..=0x7f => packed.push(number as u8),
        0x80..=0xff => packed.extend_from_slice(&[0xcc, number as u8]),
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
}
