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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_everywhere() {
        for value in [0, 7, 9, 10, -1, -10, 1000, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            digits(&mut bytes, value);
            assert_eq!(bytes, value.to_string().into_bytes());
        }
    }
}
