//! A small reader of JSON, and what it takes to write a text.
#![allow(dead_code)] // A bot need not use everything.

use std::collections::HashMap;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(HashMap<String, Json>),
}

static NULL: Json = Json::Null;

impl Json {
    /// Reads a whole text; none if it is not JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        (reader.at == reader.bytes.len()).then_some(value)
    }

    /// A field of an object; null if there is none.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.get(key).unwrap_or(&NULL),
            _ => &NULL,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<i64> {
        match self {
            Json::Number(number) => Some(*number as i64),
            _ => None,
        }
    }

    pub fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }

    /// The values of a list; nothing if it is none.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(values) => values,
            _ => &[],
        }
    }

    /// The texts of a list.
    pub fn texts(&self) -> Vec<String> {
        self.list().iter().filter_map(|value| value.text().map(str::to_owned)).collect()
    }
}

/// A text as JSON writes it, with its quotation marks.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter < ' ' => quoted.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

const DEEPEST: u32 = 127;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn take(&mut self, expected: &str) -> Option<()> {
        self.bytes[self.at..].starts_with(expected.as_bytes()).then(|| self.at += expected.len())
    }

    fn value(&mut self, depth: u32) -> Option<Json> {
        if depth > DEEPEST {
            return None;
        }
        self.blanks();
        match self.peek()? {
            b'n' => self.take("null").map(|()| Json::Null),
            b't' => self.take("true").map(|()| Json::Bool(true)),
            b'f' => self.take("false").map(|()| Json::Bool(false)),
            b'"' => self.text().map(Json::Text),
            b'[' => {
                let mut values = Vec::new();
                self.items(b']', |reader| {
                    values.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Json::List(values))
            }
            b'{' => {
                let mut fields = HashMap::new();
                self.items(b'}', |reader| {
                    reader.blanks();
                    let key = reader.text()?;
                    reader.blanks();
                    reader.take(":")?;
                    fields.insert(key, reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Json::Object(fields))
            }
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = self.bytes[self.at..].iter().take_while(|byte| is_part(byte)).count();
                let text = std::str::from_utf8(&self.bytes[self.at..self.at + length]).ok()?;
                self.at += length;
                text.parse().ok().map(Json::Number)
            }
        }
    }

    /// What stands between brackets, with commas between.
    fn items(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.peek()? == end {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            self.blanks();
            let next = self.peek()?;
            self.at += 1;
            match next {
                b',' => {}
                next if next == end => return Some(()),
                _ => return None,
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut text = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(text).ok(),
                b'\\' => {
                    let escaped = self.peek()?;
                    self.at += 1;
                    let letter = match escaped {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'u' => self.unicode()?,
                        other => char::from(other),
                    };
                    text.extend(letter.encode_utf8(&mut [0; 4]).bytes());
                }
                byte => text.push(byte),
            }
        }
    }

    /// The letter of `\u00e9`, or of a pair such as `\ud83d\ude00`.
    fn unicode(&mut self) -> Option<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).or(Some('\u{fffd}'));
        }
        self.take("\\u")?;
        let second = self.hex()?.checked_sub(0xdc00)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = std::str::from_utf8(self.bytes.get(self.at..self.at + 4)?).ok()?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
