//! What a brain answers to `ABOUT`.

use game::About;

/// Reads `name="…", version="…", author="…", country="…"`, with double, single or no quotes and in
/// any order. Free text is a name.
pub(super) fn about(text: &[u8]) -> About {
    let mut about = About::default();
    let mut rest = text;
    while let Some((key, value, after)) = pair(rest) {
        let field = match key.to_ascii_lowercase().as_slice() {
            b"name" => Some(&mut about.name),
            b"version" => Some(&mut about.version),
            b"author" => Some(&mut about.author),
            b"country" => Some(&mut about.country),
            _ => None,
        };
        if let Some(field @ None) = field {
            *field = About::text(value);
        }
        rest = after;
    }
    if about.is_empty() {
        about.name = About::text(text);
    }
    about
}

/// The next `key=value`, and what follows it.
fn pair(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let equals = text.iter().position(|byte| *byte == b'=')?;
    let before = text[..equals].trim_ascii_end();
    let key = before.rsplit(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next()?;
    let value = text[equals + 1..].trim_ascii_start();
    let (value, after) = match value.first() {
        // Without the second quote it goes on to the end of the line.
        Some(quote @ (b'"' | b'\'')) => cut(&value[1..], *quote),
        Some(_) | None => cut(value, b','),
    };
    Some((key, value, after))
}

/// What is before a sign and after it.
fn cut(text: &[u8], sign: u8) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == sign) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> [Option<String>; 4] {
        let About { name, version, author, country } = about(text.as_bytes());
        [name, version, author, country]
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_documents_line_is_read() {
        let line = r#"name="SomeBrain", version="1.0, beta", author="Nymand", country="USA""#;
        let all = [some("SomeBrain"), some("1.0, beta"), some("Nymand"), some("USA")];
        assert_eq!(read(line), all);
    }

    #[test]
    fn other_quotes_orders_and_gaps_are_read_too() {
        let all = [some("A B"), some("2"), None, some("CZ")];
        assert_eq!(read("country = CZ, version=2 ,NAME='A B', email=\"x\", author=\"\""), all);
        assert_eq!(read("name=\"open"), [some("open"), None, None, None]);
        let twice = read("name=a, name=b");
        assert_eq!(twice, [some("a"), None, None, None]);
    }

    #[test]
    fn free_text_is_a_name() {
        let free = "Brain 1.0 by somebody";
        assert_eq!(read(free), [some(free), None, None, None]);
        assert_eq!(read("a=b"), [some("a=b"), None, None, None]);
        assert_eq!(read(""), [None, None, None, None]);
        assert_eq!(read("name=\"\x1b[2J\"")[0], some("\\x1b[2J"));
    }
}
