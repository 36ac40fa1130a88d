//! How a bot describes itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::printable;

/// What a bot says about itself, as far as it does. The texts are short, on one line and safe to
/// print.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// What it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which version of it this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

impl About {
    /// How many bytes of each text are kept.
    const KEPT: usize = 100;

    /// A text as it may be kept; `None` if there is nothing in it.
    pub fn text(bytes: &[u8]) -> Option<String> {
        let bytes = bytes.trim_ascii();
        (!bytes.is_empty()).then(|| printable(bytes, About::KEPT))
    }

    /// Whether it says nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == About::default()
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = [&self.name, &self.version].into_iter().flatten();
        let title: Vec<&str> = title.map(String::as_str).collect();
        let author = self.author.as_ref().map(|author| format!("by {author}"));
        let country = self.country.as_ref().map(|country| format!("({country})"));
        let title = (!title.is_empty()).then(|| title.join(" "));
        let parts: Vec<String> = title.into_iter().chain(author).chain(country).collect();
        f.write_str(&parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_shown() {
        let text = |text: &str| Some(text.to_owned());
        let mut about = About { name: text("Five"), ..About::default() };
        assert_eq!(about.to_string(), "Five");
        about.version = text("1.2");
        about.author = text("A. B.");
        about.country = text("Nowhere");
        assert_eq!(about.to_string(), "Five 1.2 by A. B. (Nowhere)");
        assert_eq!(About::default().to_string(), "");
    }

    #[test]
    fn texts_are_short_and_safe() {
        assert_eq!(About::text(b" \x1b[31mred "), Some("\\x1b[31mred".to_owned()));
        assert_eq!(About::text(b" \t"), None);
        assert!(About::text(&[b'x'; 1000]).is_some_and(|text| text.len() < 120));
    }
}
