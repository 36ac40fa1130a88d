//! Small and large changes to inputs, for want of a fuzzer that sees what they lead to.

use game::Rng;

/// Numbers at which something may tip over.
const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "10",
    "42",
    "64",
    "127",
    "128",
    "255",
    "256",
    "999",
    "32767",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "-2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "0.5",
];

/// Bytes at which something may tip over.
const SNIPPETS: [&[u8]; 16] = [
    b"\n",
    b"",
    b"\r",
    b"\0",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b"\"\"",
    b",",
    b"=",
    b"nan",
    b"inf",
    "é".as_bytes(),
];

/// One of the inputs, changed a little or a lot.
pub fn mutated(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = rng.pick(inputs).cloned().unwrap_or_default();
    for _ in 0..=rng.below(8) {
        change(rng, &mut bytes, inputs);
    }
    bytes
}

/// A random range within so many bytes, mostly short.
fn range(rng: &mut Rng, len: usize) -> std::ops::Range<usize> {
    let from = rng.index(len + 1);
    let most = if rng.chance(1, 4) { len - from } else { (len - from).min(16) };
    from..from + rng.index(most + 1)
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>, inputs: &[Vec<u8>]) {
    let at = rng.index(bytes.len() + 1);
    match rng.below(16) {
        0 | 1 if !bytes.is_empty() => {
            let at = rng.index(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
        }
        2 if !bytes.is_empty() => {
            let at = rng.index(bytes.len());
            bytes[at] = rng.next_u32() as u8;
        }
        3 => drop(bytes.drain(range(rng, bytes.len()))),
        4 => {
            let copy = bytes[range(rng, bytes.len())].to_vec();
            drop(bytes.splice(at..at, copy));
        }
        5 => {
            let snippet = *rng.pick(&SNIPPETS).expect("there are some");
            drop(bytes.splice(at..at, snippet.iter().copied()));
        }
        6..=9 => new_number(rng, bytes),
        10 | 11 => lines(rng, bytes, inputs),
        12 => {
            if let Some(other) = rng.pick(inputs) {
                let part = other[range(rng, other.len())].to_vec();
                drop(bytes.splice(at..at, part));
            }
        }
        // Rarely something very long, or very deep.
        13 if rng.chance(1, 16) => {
            let what = *rng.pick(b"[{(a0 ,-\"\\").expect("there are some");
            let many = 1_usize << rng.below(17);
            drop(bytes.splice(at..at, std::iter::repeat_n(what, many)));
        }
        14 => bytes.truncate(at),
        _ => {}
    }
}

/// Puts another number in the place of one that is there.
fn new_number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    let Some(&from) = rng.pick(&starts) else { return };
    let end = bytes[from..].iter().position(|byte| !byte.is_ascii_digit());
    let to = end.map_or(bytes.len(), |end| from + end);
    let number = match rng.chance(1, 2) {
        true => rng.below(24).to_string(),
        false => (*rng.pick(&NUMBERS).expect("there are some")).to_owned(),
    };
    drop(bytes.splice(from..to, number.into_bytes()));
}

/// Doubles, moves, drops or borrows whole lines.
fn lines(rng: &mut Rng, bytes: &mut Vec<u8>, inputs: &[Vec<u8>]) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (from, to) = (rng.index(lines.len()), rng.index(lines.len()));
    match rng.below(4) {
        0 => lines.insert(to, lines[from].clone()),
        1 => lines.swap(from, to),
        2 => drop(lines.remove(from)),
        _ => {
            let other = rng.pick(inputs).map_or(&[][..], Vec::as_slice);
            let others: Vec<&[u8]> = other.split(|&byte| byte == b'\n').collect();
            let borrowed = rng.pick(&others).map_or(&[][..], |line| *line);
            lines.insert(to, borrowed.to_vec());
        }
    }
    *bytes = lines.join(&b'\n');
}
