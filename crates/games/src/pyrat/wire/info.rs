//! What a bot tells about its thinking, read as leniently as possible.

use std::fmt;
use std::iter::Peekable;

use game::printable;

use super::super::{Move, Point};
use super::{TEXT_KEPT, first_token, named_move};

/// How many moves of a line are kept.
const MOVES_KEPT: usize = 100;

/// One `info` line. Displayed in one form, whatever blanks the bot used.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Info {
    pub(in super::super) facts: Vec<Fact>,
}

/// One thing in an `info` line.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Fact {
    Nodes(u64),
    Depth(u64),
    /// Milliseconds.
    Time(u64),
    CurrentMove(Move),
    CurrentLine(Vec<Move>),
    Score(f64),
    Variation(Vec<Move>),
    Target(Point),
    /// The rest of the line.
    Text(String),
    /// Words that mean nothing to us.
    Other(String),
}

impl Info {
    /// Reads what follows the word `info`. What cannot be understood is kept as it is.
    pub(super) fn parse(text: &str) -> Info {
        let mut info = Info::default();
        let mut rest = text;
        loop {
            let (word, after) = first_token(rest);
            if word.is_empty() {
                return info;
            }
            let (fact, after) = match word.to_ascii_lowercase().as_str() {
                "nodes" => number(after).map(|(n, rest)| (Fact::Nodes(n), rest)),
                "depth" => number(after).map(|(n, rest)| (Fact::Depth(n), rest)),
                "time" => number(after).map(|(n, rest)| (Fact::Time(n), rest)),
                "currmove" => {
                    let (word, rest) = first_token(after);
                    named_move(word).map(|by| (Fact::CurrentMove(by), rest))
                }
                "currline" => moves(after).map(|(line, rest)| (Fact::CurrentLine(line), rest)),
                "score" => score(after).map(|(score, rest)| (Fact::Score(score), rest)),
                "pv" => moves(after).map(|(line, rest)| (Fact::Variation(line), rest)),
                "target" => target(after).map(|(at, rest)| (Fact::Target(at), rest)),
                "string" => Some((Fact::Text(printable(after.as_bytes(), TEXT_KEPT)), "")),
                _ => None,
            }
            .unwrap_or_else(|| (Fact::Other(printable(word.as_bytes(), TEXT_KEPT)), after));
            info.facts.push(fact);
            rest = after;
        }
    }
}

fn number(text: &str) -> Option<(u64, &str)> {
    let (word, rest) = first_token(text);
    Some((word.parse().ok()?, rest))
}

fn score(text: &str) -> Option<(f64, &str)> {
    let (word, rest) = first_token(text);
    let score: f64 = word.parse().ok()?;
    score.is_finite().then_some((score, rest))
}

/// As many moves as there are.
fn moves(text: &str) -> Option<(Vec<Move>, &str)> {
    let mut line = Vec::new();
    let mut rest = text;
    loop {
        let (word, after) = first_token(rest);
        let Some(by) = named_move(word) else { break };
        if line.len() < MOVES_KEPT {
            line.push(by);
        }
        rest = after;
    }
    (!line.is_empty()).then_some((line, rest))
}

/// A place as `(5,3)`, `(5, 3)` or `5,3`.
fn target(text: &str) -> Option<(Point, &str)> {
    let mut letters = text.char_indices().peekable();
    let is_open = taken(&mut letters, '(');
    let x = coordinate(&mut letters)?;
    if !taken(&mut letters, ',') {
        return None;
    }
    let y = coordinate(&mut letters)?;
    if is_open && !taken(&mut letters, ')') {
        return None;
    }
    let end = letters.peek().map_or(text.len(), |&(at, _)| at);
    Some((Point::new(x, y), &text[end..]))
}

type Letters<'a> = Peekable<std::str::CharIndices<'a>>;

fn skip_blanks(letters: &mut Letters<'_>) {
    while letters.next_if(|(_, letter)| letter.is_ascii_whitespace()).is_some() {}
}

/// Whether this letter comes next, blanks aside; if so it is taken.
fn taken(letters: &mut Letters<'_>, wanted: char) -> bool {
    skip_blanks(letters);
    letters.next_if(|&(_, letter)| letter == wanted).is_some()
}

fn coordinate(letters: &mut Letters<'_>) -> Option<u8> {
    skip_blanks(letters);
    let mut digits = String::new();
    while let Some((_, digit)) = letters.next_if(|(_, letter)| letter.is_ascii_digit()) {
        digits.push(digit);
    }
    digits.parse().ok()
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fact) in self.facts.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{fact}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Nodes(count) => write!(f, "nodes {count}"),
            Fact::Depth(depth) => write!(f, "depth {depth}"),
            Fact::Time(ms) => write!(f, "time {ms}"),
            Fact::CurrentMove(by) => write!(f, "currmove {by}"),
            Fact::CurrentLine(line) => super::list(f, "currline", line.iter(), shown),
            Fact::Score(score) => write!(f, "score {score}"),
            Fact::Variation(line) => super::list(f, "pv", line.iter(), shown),
            Fact::Target(at) => write!(f, "target {at}"),
            Fact::Text(text) | Fact::Other(text) => f.write_str(text),
        }
    }
}

fn shown(f: &mut fmt::Formatter<'_>, by: &Move) -> fmt::Result {
    write!(f, "{by}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read() {
        let text = "nodes 12345 depth 3 time 150 currmove UP currline UP left score -2.5 \
            pv UP RIGHT RIGHT target (5,3) string Switching to  defence";
        let expected = [
            Fact::Nodes(12345),
            Fact::Depth(3),
            Fact::Time(150),
            Fact::CurrentMove(Move::Up),
            Fact::CurrentLine(vec![Move::Up, Move::Left]),
            Fact::Score(-2.5),
            Fact::Variation(vec![Move::Up, Move::Right, Move::Right]),
            Fact::Target(Point::new(5, 3)),
            Fact::Text("Switching to  defence".into()),
        ];
        assert_eq!(Info::parse(text).facts, expected);
    }

    #[test]
    fn a_target_may_have_blanks_and_lack_brackets() {
        for text in ["(5,3)", "(5, 3)", "5,3", "( 5 , 3 )", "5 ,3"] {
            let info = Info::parse(&format!("target {text} depth 2"));
            assert_eq!(info.facts, [Fact::Target(Point::new(5, 3)), Fact::Depth(2)], "{text}");
            assert_eq!(info.to_string(), "target (5,3) depth 2");
        }
    }

    #[test]
    fn what_is_not_understood_is_kept_and_the_rest_is_read() {
        for (text, shown) in [
            ("depth deep nodes 7", "depth deep nodes 7"),
            ("target (5;3) depth 2", "target (5;3) depth 2"),
            ("target (5,999)", "target (5,999)"),
            ("pv north", "pv north"),
            ("score inf", "score inf"),
            ("", ""),
            ("string", ""),
        ] {
            assert_eq!(Info::parse(text).to_string(), shown);
        }
        assert_eq!(Info::parse("hashfull 3 depth 2").facts[2], Fact::Depth(2));
    }
}
