//! How a bot declares an option.

use game::printable;

use super::super::options::{Declared, OptionKind};
use super::TEXT_KEPT;

/// Reads what follows the word `option`; `None` if it declares nothing.
///
/// Names and values may hold blanks, so that each runs up to the next word that can follow it.
pub(super) fn parse(text: &str) -> Option<Declared> {
    let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|t| t.eq_ignore_ascii_case(word));
    if !is(0, "name") {
        return None;
    }
    // The word may also occur in the name; then no type follows it.
    let mut types = (2..tokens.len()).filter(|&at| is(at, "type"));
    let (at, kind) = types.find_map(|at| Some((at, word_of(tokens.get(at + 1)?)?)))?;
    let name = joined(&tokens[1..at]);
    let rest = &tokens[at + 2..];
    let kind = match kind {
        Word::Check => OptionKind::Check { default: value(rest, "default", &[]) },
        Word::Spin => {
            let ends = ["default", "min", "max"];
            OptionKind::Spin {
                default: value(rest, "default", &ends),
                min: value(rest, "min", &ends).and_then(|text| text.parse().ok()),
                max: value(rest, "max", &ends).and_then(|text| text.parse().ok()),
            }
        }
        Word::Combo => {
            OptionKind::Combo { default: value(rest, "default", &["var"]), choices: choices(rest) }
        }
        Word::String => OptionKind::Text { default: value(rest, "default", &[]) },
        Word::Button => OptionKind::Button,
    };
    Some(Declared { name, kind })
}

enum Word {
    Check,
    Spin,
    Combo,
    String,
    Button,
}

fn word_of(token: &str) -> Option<Word> {
    match token.to_ascii_lowercase().as_str() {
        "check" => Some(Word::Check),
        "spin" => Some(Word::Spin),
        "combo" => Some(Word::Combo),
        "string" => Some(Word::String),
        "button" => Some(Word::Button),
        _ => None,
    }
}

/// What follows `word`, up to one of `ends`.
fn value(tokens: &[&str], word: &str, ends: &[&str]) -> Option<String> {
    let from = 1 + tokens.iter().position(|token| token.eq_ignore_ascii_case(word))?;
    let is_end = |token: &&str| ends.iter().any(|end| token.eq_ignore_ascii_case(end));
    let length = tokens[from..].iter().position(is_end).unwrap_or(tokens.len() - from);
    Some(joined(&tokens[from..from + length]))
}

/// Every value after a `var`.
fn choices(tokens: &[&str]) -> Vec<String> {
    let mut lists = tokens.split(|token| token.eq_ignore_ascii_case("var"));
    // What stands before the first one is the default.
    lists.next();
    lists.map(joined).collect()
}

fn joined(tokens: &[&str]) -> String {
    printable(tokens.join(" ").as_bytes(), TEXT_KEPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> (String, OptionKind) {
        let Declared { name, kind } = parse(text).expect("an option");
        (name, kind)
    }

    #[test]
    fn all_five_types_are_read() {
        let some = |text: &str| Some(text.to_owned());
        for (text, name, kind) in [
            (
                "name SearchDepth type spin default 3 min 1 max 10",
                "SearchDepth",
                OptionKind::Spin { default: some("3"), min: Some(1), max: Some(10) },
            ),
            (
                "name Strategy type combo default Balanced var Aggressive var Balanced",
                "Strategy",
                OptionKind::Combo {
                    default: some("Balanced"),
                    choices: vec!["Aggressive".into(), "Balanced".into()],
                },
            ),
            (
                "name Debug type check default false",
                "Debug",
                OptionKind::Check { default: some("false") },
            ),
            (
                "name Book type string default a b",
                "Book",
                OptionKind::Text { default: some("a b") },
            ),
            ("name Clear type button", "Clear", OptionKind::Button),
        ] {
            assert_eq!(declared(text), (name.to_owned(), kind));
        }
    }

    #[test]
    fn names_and_values_may_hold_blanks_and_the_words_of_the_protocol() {
        let (name, kind) = declared("name My  type of move type combo default a b var a b var c");
        assert_eq!(name, "My type of move");
        let choices = vec!["a b".to_owned(), "c".to_owned()];
        assert_eq!(kind, OptionKind::Combo { default: Some("a b".into()), choices });
    }

    #[test]
    fn what_declares_nothing_is_no_option() {
        for text in ["", "name", "name X", "name X type", "name X type slider", "X type check"] {
            assert_eq!(parse(text), None, "{text}");
        }
        let (_, kind) = declared("name X type spin");
        assert_eq!(kind, OptionKind::Spin { default: None, min: None, max: None });
    }
}
