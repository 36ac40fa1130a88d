//! Text from outside, made safe to show: no byte of it changes anything but its own place on a
//! screen.
//!
//! Whatever a bot, a file name, a replay or a run brings along is data. Control characters (the two
//! sets of them, line ends included) and characters that show nothing but move or hide others are
//! spelled out.

use std::borrow::Cow;

/// A bot's bytes, in quotation marks, safe to show anywhere and cut after 80.
pub fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 80;
    let rest = match bytes.len() {
        0..=MOST => String::new(),
        all => format!("… ({all} bytes)"),
    };
    format!("\"{}\"{rest}", printable(bytes, MOST))
}

/// Bytes as text of one line that is safe to show: control characters and bytes that are no UTF-8
/// are spelled `\x1b`, line ends `\n` and `\r`, letters that turn text around or hide it
/// `\u{202e}`. No more than `most` bytes are taken.
pub fn printable(bytes: &[u8], most: usize) -> String {
    let shown = &bytes[..bytes.len().min(most)];
    let mut text = String::with_capacity(shown.len());
    for chunk in shown.utf8_chunks() {
        spell(chunk.valid(), &mut text);
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// A whole line that a bot wrote or was sent, with everything invisible in it spelled out.
pub fn visible(line: &[u8]) -> String {
    printable(line, line.len())
}

/// Text as one line that is safe to show; most text is, and stays as it is.
pub fn one_line(text: &str) -> Cow<'_, str> {
    match text.chars().any(is_unsafe) {
        true => Cow::Owned(visible(text.as_bytes())),
        false => Cow::Borrowed(text),
    }
}

/// Text of several lines that is safe to show: as [`one_line`], but lines end where they did.
pub fn lines(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|letter| letter != '\n' && is_unsafe(letter)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split('\n').map(one_line).collect::<Vec<_>>().join("\n"))
}

/// Whether a character must not be shown as it is.
pub fn is_unsafe(letter: char) -> bool {
    letter.is_control() || is_invisible(letter)
}

fn spell(text: &str, spelled: &mut String) {
    for letter in text.chars() {
        match letter {
            '\n' => spelled.push_str("\\n"),
            '\r' => spelled.push_str("\\r"),
            '\t' => spelled.push_str("\\t"),
            _ if letter.is_control() => spelled.push_str(&format!("\\x{:02x}", letter as u32)),
            _ if is_invisible(letter) => spelled.extend(letter.escape_unicode()),
            _ => spelled.push(letter),
        }
    }
}

/// Whether a letter shows nothing itself but changes what others look like or where they stand.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_bytes_are_safe_to_print_and_bounded() {
        assert_eq!(quote(b"7,\x1b[2J\xff\""), r#""7,\x1b[2J\xff"""#);
        assert_eq!(quote("é\r\n".as_bytes()), "\"é\\r\\n\"");
        assert!(quote(&[b'x'; 100_000]).ends_with("… (100000 bytes)"));
        assert_eq!(quote("\u{feff}7\u{202e}".as_bytes()), "\"\\u{feff}7\\u{202e}\"");
    }

    #[test]
    fn one_line_has_neither_line_ends_nor_controls_of_either_set() {
        assert_eq!(one_line("日本 é"), "日本 é");
        assert_eq!(one_line("a\nb\u{9b}2J\x07\x7f"), "a\\nb\\x9b2J\\x07\\x7f");
        assert_eq!(one_line("x\u{202e}y\u{2066}"), "x\\u{202e}y\\u{2066}");
    }

    #[test]
    fn lines_keep_their_ends_and_nothing_else() {
        assert_eq!(lines("a\nb\r\n\x1b[1m"), "a\nb\\r\n\\x1b[1m");
        assert!(matches!(lines("a\nb"), Cow::Borrowed(_)));
    }
}
