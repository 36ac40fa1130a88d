//! Paths and queries of requests: taken apart, decoded once, never used as paths of files.

use crate::refusal::Refusal;

/// No part of an address may be longer.
const LONGEST: usize = 4096;

/// The decoded segments of a path, without the empty one before the first slash.
pub(crate) fn segments(path: &str) -> Result<Vec<String>, Refusal> {
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() {
        return Ok(Vec::new());
    }
    path.split('/').map(decoded).collect()
}

/// The decoded pairs of a query.
#[derive(Debug)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(query: &str) -> Result<Query, Refusal> {
        let pair = |text: &str| -> Result<(String, String), Refusal> {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            Ok((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
        };
        let pairs = query.split('&').filter(|text| !text.is_empty()).map(pair);
        Ok(Query(pairs.collect::<Result<_, _>>()?))
    }

    /// The value of a name, if it is there and not empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The value of a name as a number.
    pub(crate) fn number<N: std::str::FromStr>(&self, name: &str) -> Result<Option<N>, Refusal> {
        let read = |text: &str| {
            text.parse().map_err(|_| Refusal::wrong(format!("{name} is not a number: \"{text}\"")))
        };
        self.text(name).map(read).transpose()
    }
}

fn decoded(text: &str) -> Result<String, Refusal> {
    let wrong = |what: &str| Refusal::wrong(format!("the address {what}"));
    if text.len() > LONGEST {
        return Err(wrong("is too long"));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match byte {
            b'%' => match (digit(rest.next()), digit(rest.next())) {
                (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
                (Some(_) | None, Some(_) | None) => {
                    return Err(wrong("holds a % that is not followed by two digits"));
                }
            },
            plain => bytes.push(plain),
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_before_they_are_decoded() {
        let read = |path: &str| segments(path).expect("it can be read");
        assert!(read("/").is_empty());
        assert_eq!(read("/a/b"), ["a", "b"]);
        assert_eq!(read("/a%2fb/%2E%2e//c"), ["a/b", "..", "", "c"]);
        assert_eq!(read("/%F0%9F%90%80"), ["🐀"]);
        for wrong in ["/%", "/%2", "/%zz", "/%ff", &format!("/{}", "x".repeat(LONGEST + 1))] {
            assert!(segments(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn queries_have_words_and_numbers() {
        let query = Query::parse("bot=a%26b+c&seat=1&empty=&alone").expect("it can be read");
        assert_eq!(query.text("bot"), Some("a&b c"));
        assert_eq!((query.text("empty"), query.text("alone"), query.text("x")), (None, None, None));
        assert_eq!(query.number::<u16>("seat").expect("a number"), Some(1));
        assert!(query.number::<u16>("bot").is_err());
        assert_eq!(query.number::<u16>("x").expect("not there"), None);
    }
}
