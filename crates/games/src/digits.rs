//! Numbers in messages, written without the machinery of formatting: some go out for every ply.

/// Writes a number in digits.
pub(crate) fn digits(bytes: &mut Vec<u8>, number: i64) {
    if let Ok(digit @ 0..10) = u8::try_from(number) {
        return bytes.push(b'0' + digit);
    }
    let mut digits = [0; 20];
    let mut from = digits.len();
    let mut rest = number.unsigned_abs();
    while rest > 0 {
        from -= 1;
        digits[from] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if number < 0 {
        bytes.push(b'-');
    }
    bytes.extend_from_slice(&digits[from..]);
}

/// Two small numbers with a comma between them, as text.
pub(crate) fn pair(x: u8, y: u8, text: &mut [u8; 7]) -> &str {
    std::str::from_utf8(pair_of_digits(x, y, text)).expect("digits and a comma")
}

/// Two small numbers with a comma between them, written into `text`.
#[inline]
pub(crate) fn pair_of_digits(x: u8, y: u8, text: &mut [u8; 7]) -> &[u8] {
    let mut length = 0;
    let mut push = |wanted: bool, byte: u8| {
        if wanted {
            text[length] = byte;
            length += 1;
        }
    };
    for (number, ends) in [(x, false), (y, true)] {
        push(number >= 100, b'0' + number / 100);
        push(number >= 10, b'0' + number / 10 % 10);
        push(true, b'0' + number % 10);
        push(!ends, b',');
    }
    &text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_written_as_everywhere() {
        for (x, y) in [(0, 0), (9, 10), (10, 9), (14, 99), (100, 255), (255, 7)] {
            assert_eq!(pair(x, y, &mut [0; 7]), format!("{x},{y}"));
        }
    }

    #[test]
    fn numbers_are_written_as_everywhere() {
        for value in [0, 7, 9, 10, -1, -10, 1000, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            digits(&mut bytes, value);
            assert_eq!(bytes, value.to_string().into_bytes());
        }
    }
}
