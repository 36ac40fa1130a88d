//! What lines of a bot mean in a script, read as the engine reads them.

use game::quote;
use table::check::{Reading, ScriptSoFar};

use super::super::wire::{About, FromBot};

/// Progress and blank lines are never an answer.
pub(super) fn is_aside(line: &[u8]) -> bool {
    matches!(FromBot::parse(line), FromBot::Info(_) | FromBot::Nothing)
}

/// An answer if it is this one; what the engine does not know it ignores.
fn expect(line: &[u8], is_answer: impl Fn(&FromBot) -> bool) -> Reading {
    let said = FromBot::parse(line);
    match said {
        _ if is_answer(&said) => Reading::Answer,
        FromBot::Unknown(_) | FromBot::About(_) | FromBot::Info(_) | FromBot::Nothing => {
            Reading::Aside
        }
        FromBot::BareMove(_) => {
            Reading::Wrong(format!("{} is a move without the word move before it", quote(line)))
        }
        FromBot::NoMove(text) => {
            Reading::Wrong(format!("\"{text}\" is none of UP, DOWN, LEFT, RIGHT and STAY"))
        }
        FromBot::PyratReady
        | FromBot::ReadyOk
        | FromBot::PreprocessingDone
        | FromBot::Move(_)
        | FromBot::Ready
        | FromBot::PostprocessingDone => {
            Reading::Wrong(format!("it said {}, which nobody asked for here", quote(line)))
        }
    }
}

pub(super) fn shaken(_: &ScriptSoFar, line: &[u8]) -> Reading {
    expect(line, |said| *said == FromBot::PyratReady)
}

pub(super) fn done(_: &ScriptSoFar, line: &[u8]) -> Reading {
    expect(line, |said| *said == FromBot::PreprocessingDone)
}

pub(super) fn post_done(_: &ScriptSoFar, line: &[u8]) -> Reading {
    expect(line, |said| *said == FromBot::PostprocessingDone)
}

pub(super) fn ok(_: &ScriptSoFar, line: &[u8]) -> Reading {
    expect(line, |said| *said == FromBot::ReadyOk)
}

pub(super) fn moved(_: &ScriptSoFar, line: &[u8]) -> Reading {
    expect(line, |said| matches!(said, FromBot::Move(_)))
}

/// `ready`; a move before it belongs to the past.
pub(super) fn ready(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBot::parse(line) {
        FromBot::Move(_) => Reading::Aside,
        _ => expect(line, |said| *said == FromBot::Ready),
    }
}

/// One of two answers whose order does not matter, each once. They are named by their first words.
pub(super) fn any_of(
    first: &'static str,
    second: &'static str,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    let word = |line: &[u8]| {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        line.split_ascii_whitespace().next().unwrap_or_default().to_owned()
    };
    move |so_far, line| {
        let said = word(line);
        let before = so_far.answers.last().map(|line| word(line)).unwrap_or_default();
        if said != first && said != second {
            return expect(line, |_| false);
        }
        // Whoever says it twice is understood in a match, and told so by another check.
        if said == before { Reading::Aside } else { Reading::Answer }
    }
}

/// The same answer, where every line must be one that the protocol knows.
pub(super) fn known(
    read: fn(&ScriptSoFar, &[u8]) -> Reading,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    move |so_far, line| match FromBot::parse(line) {
        FromBot::Unknown(_) => Reading::Wrong(format!("{} is not known", quote(line))),
        _ => read(so_far, line),
    }
}

/// `pyratready`, after a name.
pub(super) fn named(so_far: &ScriptSoFar, line: &[u8]) -> Reading {
    let is_name = |line: &Vec<u8>| matches!(FromBot::parse(line), FromBot::About(About::Name(_)));
    match shaken(so_far, line) {
        Reading::Answer => {
            let named = so_far.asides.iter().any(is_name);
            let why = || "there was no id name TEXT before it".to_owned();
            Reading::answer_unless((!named).then(why))
        }
        other => other,
    }
}

/// `pyratready`, after options that can all be read.
pub(super) fn options(so_far: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBot::parse(line) {
        FromBot::Unknown(text) if text.to_ascii_lowercase().starts_with("option") => {
            Reading::Wrong(format!("\"{text}\" cannot be read"))
        }
        _ => shaken(so_far, line),
    }
}

/// `setoption` for every option that the bot has declared, with its own default.
pub(super) fn default_options(so_far: &ScriptSoFar) -> String {
    let lines = so_far.asides.iter().filter_map(|line| match FromBot::parse(line) {
        FromBot::About(About::Option(_)) => Some(String::from_utf8_lossy(line).into_owned()),
        _ => None,
    });
    let set = |line: String| -> Option<String> {
        // As the bot spells it: option name NAME type TYPE default VALUE …
        let (name, rest) = line.split_once("name ")?.1.split_once(" type ")?;
        if rest.trim().starts_with("button") {
            return Some(format!("setoption name {}", name.trim()));
        }
        let (_, value) = rest.split_once("default ")?;
        let end = [" min ", " max ", " var "].into_iter().filter_map(|word| value.find(word)).min();
        let value = &value[..end.unwrap_or(value.len())];
        Some(format!("setoption name {} value {}", name.trim(), value.trim()))
    };
    lines.filter_map(set).collect::<Vec<String>>().join("\n")
}

/// The last move among the answers, as a word.
pub(super) fn last_move(so_far: &ScriptSoFar) -> String {
    let moved = so_far.answers.iter().rev().find_map(|line| match FromBot::parse(line) {
        FromBot::Move(_) => {
            let text = String::from_utf8_lossy(line).to_ascii_uppercase();
            text.split_ascii_whitespace().nth(1).map(str::to_owned)
        }
        _ => None,
    });
    moved.unwrap_or_else(|| "STAY".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_to_what_the_bot_says_they_are() {
        let lines = [
            "id name me",
            "option name Search Depth type spin default 3 min 1 max 10",
            "option name Clear type button",
            "option name Book type string default my book.txt",
        ];
        let asides = lines.map(|line| line.as_bytes().to_vec()).to_vec();
        let so_far = ScriptSoFar { asides, ..ScriptSoFar::default() };
        assert_eq!(
            default_options(&so_far),
            "setoption name Search Depth value 3\nsetoption name Clear\nsetoption name Book value my book.txt"
        );
    }

    #[test]
    fn two_answers_come_in_any_order_and_one_of_them_twice_is_no_answer() {
        let read = any_of("readyok", "move");
        let mut so_far = ScriptSoFar::default();
        assert_eq!(read(&so_far, b"move UP"), Reading::Answer);
        so_far.answers.push(b"move UP".to_vec());
        assert_eq!(read(&so_far, b"readyok"), Reading::Answer);
        assert_eq!(read(&so_far, b"move UP"), Reading::Aside);
        assert_eq!(last_move(&so_far), "UP");
    }
}
