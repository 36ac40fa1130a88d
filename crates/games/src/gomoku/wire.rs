//! The words of the protocol, in both directions. Nowhere else are they spelled.

use std::fmt;
use std::io::Write as _;

use game::printable;

use super::board::{Cell, Rule, Size};
use crate::digits::pair_of_digits;

/// What a manager says to a brain. Displayed without the line end; [`ToBrain::Board`] and
/// [`ToBrain::Swap2Board`] take several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToBrain<'a> {
    Start(Size),
    Restart,
    About,
    End,
    Begin,
    Turn(Cell),
    Play(i64, i64),
    TakeBack(Cell),
    /// Stones in the order played, and whether each is the receiver's own.
    Board(&'a [(Cell, bool)]),
    Swap2Board(&'a [Cell]),
    Info(Info<'a>),
}

/// What a brain is told about the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Info<'a> {
    TimeoutTurn(u128),
    TimeoutMatch(u128),
    TimeLeft(u128),
    MaxMemory(u64),
    GameType(GameType),
    Rule(Rule),
    Folder(&'a str),
}

/// The kinds of game a host can announce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameType {
    AgainstBrain,
    Tournament,
}

impl ToBrain<'_> {
    /// Appends the message with its line end. The one that is sent for every ply goes the short
    /// way.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            ToBrain::Turn(cell) => {
                bytes.extend_from_slice(b"TURN ");
                bytes.extend_from_slice(pair_of_digits(cell.x, cell.y, &mut [0; 7]));
                bytes.extend_from_slice(b"\r\n");
            }
            message => {
                write!(bytes, "{message}\r\n").expect("writing to memory does not fail");
            }
        }
    }
}

impl fmt::Display for ToBrain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToBrain::Start(size) if size.width == size.height => write!(f, "START {}", size.width),
            ToBrain::Start(size) => write!(f, "RECTSTART {},{}", size.width, size.height),
            ToBrain::Restart => f.write_str("RESTART"),
            ToBrain::About => f.write_str("ABOUT"),
            ToBrain::End => f.write_str("END"),
            ToBrain::Begin => f.write_str("BEGIN"),
            ToBrain::Turn(cell) => write!(f, "TURN {cell}"),
            ToBrain::Play(x, y) => write!(f, "PLAY {x},{y}"),
            ToBrain::TakeBack(cell) => write!(f, "TAKEBACK {cell}"),
            ToBrain::Board(stones) => {
                f.write_str("BOARD")?;
                for (cell, own) in *stones {
                    write!(f, "\r\n{cell},{}", if *own { 1 } else { 2 })?;
                }
                f.write_str("\r\nDONE")
            }
            ToBrain::Swap2Board(stones) => {
                f.write_str("SWAP2BOARD")?;
                for cell in *stones {
                    write!(f, "\r\n{cell}")?;
                }
                f.write_str("\r\nDONE")
            }
            ToBrain::Info(info) => write!(f, "INFO {info}"),
        }
    }
}

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Info::TimeoutTurn(ms) => write!(f, "timeout_turn {ms}"),
            Info::TimeoutMatch(ms) => write!(f, "timeout_match {ms}"),
            Info::TimeLeft(ms) => write!(f, "time_left {}", ms.min(&UNLIMITED)),
            Info::MaxMemory(bytes) => write!(f, "max_memory {bytes}"),
            Info::GameType(GameType::AgainstBrain) => f.write_str("game_type 1"),
            Info::GameType(GameType::Tournament) => f.write_str("game_type 2"),
            Info::Rule(rule) => write!(f, "rule {}", rule_bits(*rule)),
            Info::Folder(path) => write!(f, "folder {path}"),
        }
    }
}

/// The words of `INFO` lines by which a brain's complaint can be told to be about one. `rule` and
/// `folder` are left out: they mean too much else.
pub(super) const INFO_WORDS: [&str; 6] =
    ["INFO", "time_left", "timeout_turn", "timeout_match", "max_memory", "game_type"];

/// How much of a brain's free text is kept.
pub(super) const TEXT_KEPT: usize = 1000;

/// The most that `time_left` says, which stands for an unlimited match.
pub(super) const UNLIMITED: u128 = 2_147_483_647;

/// What a brain is told before every move of an unlimited match.
pub(super) const UNLIMITED_TIME_LEFT: &[u8] = b"INFO time_left 2147483647\r\n";

/// The number that stands for a rule in `INFO rule`: 1 exactly five, 4 renju, 8 caro.
pub(super) fn rule_bits(rule: Rule) -> u8 {
    match rule {
        Rule::Freestyle => 0,
        Rule::Standard => 1,
        Rule::Renju => 4,
        Rule::Caro => 8,
        Rule::CaroExact => 9,
    }
}

/// The rule that a number in `INFO rule` stands for.
pub(super) fn rule_of_bits(bits: u64) -> Rule {
    // Bit 2 ("continuous") speaks of the next game and does not matter to the rule.
    match (bits & 4 != 0, bits & 8 != 0, bits & 1 != 0) {
        (true, _, _) => Rule::Renju,
        (false, true, true) => Rule::CaroExact,
        (false, true, false) => Rule::Caro,
        (false, false, true) => Rule::Standard,
        (false, false, false) => Rule::Freestyle,
    }
}

/// What a brain says. Coordinates are as it gave them, on the board or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FromBrain {
    /// `OK`, whatever follows it.
    Ok,
    /// `ERROR` and why.
    Error(String),
    /// `UNKNOWN` and what.
    Unknown(String),
    /// `MESSAGE` and its text.
    Message(String),
    /// `DEBUG` and its text.
    Debug(String),
    /// `SUGGEST x,y`.
    Suggest(i64, i64),
    /// One or more `x,y`; after a single one, anything may follow.
    Cells(Cells),
    /// `SWAP`.
    Swap,
    /// An empty line.
    Nothing,
    /// Anything else, as it was.
    Other(Vec<u8>),
}

/// A few pairs of coordinates: no message has more than three, and a move is read for every ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    pairs: [(i64, i64); 3],
    count: usize,
    tail: bool,
}

impl Cells {
    pub(super) fn pairs(&self) -> &[(i64, i64)] {
        &self.pairs[..self.count]
    }

    /// Whether something follows that does not belong to a move.
    pub(super) fn have_tail(&self) -> bool {
        self.tail
    }
}

impl FromBrain {
    /// Reads a line. Every line has a meaning, if only [`FromBrain::Other`].
    pub(super) fn parse(line: &[u8]) -> FromBrain {
        if let Some(cells) = cells(line) {
            return FromBrain::Cells(cells);
        }
        let line = line.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        let text = || printable(rest.trim_ascii(), TEXT_KEPT);
        match word.to_ascii_uppercase().as_slice() {
            b"" => FromBrain::Nothing,
            b"OK" => FromBrain::Ok,
            b"ERROR" => FromBrain::Error(text()),
            b"UNKNOWN" => FromBrain::Unknown(text()),
            b"MESSAGE" => FromBrain::Message(text()),
            b"DEBUG" => FromBrain::Debug(text()),
            b"SWAP" if rest.trim_ascii().is_empty() => FromBrain::Swap,
            b"SUGGEST" => match cells(rest).as_ref().map(Cells::pairs) {
                Some(&[(x, y)]) => FromBrain::Suggest(x, y),
                _ => FromBrain::Other(line.to_vec()),
            },
            _ => FromBrain::Other(line.to_vec()),
        }
    }
}

/// Pairs `x,y` with blanks anywhere around the numbers; `None` if it does not begin with one.
///
/// What follows a single pair is no part of it ("10,10 Value: 3"), as in the original manager.
/// Numbers too large for an `i64` are cut to its limits: they are off every board anyway.
fn cells(text: &[u8]) -> Option<Cells> {
    let mut rest = text;
    let mut cells = Cells { pairs: [one_pair(&mut rest)?, (0, 0), (0, 0)], count: 1, tail: false };
    loop {
        let before = rest.len();
        blanks(&mut rest);
        if rest.is_empty() {
            return Some(cells);
        }
        let next = if rest.len() < before { one_pair(&mut rest) } else { None };
        match next {
            Some(pair) => {
                *cells.pairs.get_mut(cells.count)? = pair;
                cells.count += 1;
            }
            None if cells.count == 1 => return Some(Cells { tail: true, ..cells }),
            None => return None,
        }
    }
}

/// Takes `x,y` from the front, if it is there.
fn one_pair(rest: &mut &[u8]) -> Option<(i64, i64)> {
    let x = number(rest)?;
    blanks(rest);
    *rest = rest.strip_prefix(b",")?;
    Some((x, number(rest)?))
}

fn blanks(rest: &mut &[u8]) {
    *rest = rest.trim_ascii_start();
}

fn number(rest: &mut &[u8]) -> Option<i64> {
    blanks(rest);
    let (sign, digits) = match rest.strip_prefix(b"-") {
        Some(digits) => (-1, digits),
        None => (1, *rest),
    };
    let (mut value, mut end) = (0_i64, 0);
    while let Some(digit @ b'0'..=b'9') = digits.get(end) {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        end += 1;
    }
    if end == 0 {
        return None;
    }
    *rest = &digits[end..];
    Some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<(i64, i64)> {
        match FromBrain::parse(line.as_bytes()) {
            FromBrain::Cells(cells) => cells.pairs().to_vec(),
            other => panic!("{line} is {other:?}"),
        }
    }

    #[test]
    fn a_move_may_have_blanks_around_its_numbers() {
        for line in ["7,8", " 7 , 8 ", "\t7,8\r", "07,008"] {
            assert_eq!(read(line), [(7, 8)], "{line}");
        }
    }

    #[test]
    fn coordinates_never_wrap_around() {
        assert_eq!(read("256,259"), [(256, 259)]);
        assert_eq!(read("-1,3"), [(-1, 3)]);
        assert_eq!(read("99999999999999999999,1"), [(i64::MAX, 1)]);
    }

    #[test]
    fn what_is_almost_a_move_is_none() {
        for line in ["7", "7,", ",7", "1e3,5", "7.0,8", "+7,8", "7;8", "(7,8)", "7,8 9,9 x"] {
            let parsed = FromBrain::parse(line.as_bytes());
            assert_eq!(parsed, FromBrain::Other(line.as_bytes().to_vec()), "{line}");
        }
    }

    #[test]
    fn a_move_may_have_a_tail() {
        for line in ["10,10\tValue: 3", "10,10 x", "10,10;", "10,10,1", "10,10 9", "10,10\0"] {
            let FromBrain::Cells(cells) = FromBrain::parse(line.as_bytes()) else {
                panic!("{line} is not a move");
            };
            assert_eq!((cells.pairs(), cells.have_tail()), (&[(10, 10)][..], true), "{line}");
        }
        let FromBrain::Cells(cells) = FromBrain::parse(b" 10 , 10 \r") else { panic!("no move") };
        assert!(!cells.have_tail());
    }

    #[test]
    fn several_cells_are_read_for_swap2() {
        assert_eq!(read("7,7 8, 7  9 ,9"), [(7, 7), (8, 7), (9, 9)]);
        let four = FromBrain::parse(b"1,1 2,2 3,3 4,4");
        assert_eq!(four, FromBrain::Other(b"1,1 2,2 3,3 4,4".to_vec()));
        assert_eq!(FromBrain::parse(b"swap"), FromBrain::Swap);
    }

    #[test]
    fn words_are_known_in_any_case_and_keep_their_text() {
        assert_eq!(FromBrain::parse(b"OK - everything is good"), FromBrain::Ok);
        assert_eq!(FromBrain::parse(b"error too \"big\""), FromBrain::Error("too \"big\"".into()));
        assert_eq!(FromBrain::parse(b"DEBUG \x1b[31m"), FromBrain::Debug("\\x1b[31m".into()));
        assert_eq!(FromBrain::parse(b"SUGGEST 3 ,4"), FromBrain::Suggest(3, 4));
        assert_eq!(FromBrain::parse(b"OKAY"), FromBrain::Other(b"OKAY".to_vec()));
        assert_eq!(FromBrain::parse(b" \t"), FromBrain::Nothing);
    }

    #[test]
    fn rules_have_their_bits() {
        for rule in Rule::ALL {
            assert_eq!(rule_of_bits(rule_bits(rule).into()), rule);
        }
        assert_eq!(rule_of_bits(2), Rule::Freestyle);
    }

    #[test]
    fn boards_are_told_in_the_order_played() {
        let cell = |x, y| Cell { x, y };
        let board = ToBrain::Board(&[(cell(10, 10), true), (cell(10, 11), false)]);
        assert_eq!(board.to_string(), "BOARD\r\n10,10,1\r\n10,11,2\r\nDONE");
        let rect = ToBrain::Start(Size { width: 10, height: 20 });
        assert_eq!(rect.to_string(), "RECTSTART 10,20");
    }
}
