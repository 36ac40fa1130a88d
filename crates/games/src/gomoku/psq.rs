//! The saves of Piskvork, the usual gomoku manager: written for other tools, read to start from.
//!
//! What Piskvork itself does, and what is done here:
//! - The first line is `Piskvorky WIDTHxHEIGHT, LEVEL:LEVEL, STARTER`. A level is 0 for a human
//!   and otherwise one more than the place of the time for a turn in a table whose eleventh and
//!   last entry is a minute, so `11:11` is what tournaments write, and so do we. The starter, 0
//!   or 1, says which of the two named players moved first; we always name that one first.
//! - A line `x,y,ms` for each move, counted from 1. We read a missing time as zero.
//! - The names of the two players, a line each, only if a tournament or a command line started
//!   the game; `homo-1` and `homo-2` stand for humans.
//! - A code for how the game ended, see [`Ending`]. It does not say who won: that follows from
//!   the moves, or from whose turn it was.
//! - Archives of tournaments may have one more line, the winner and the rule (`1,Freestyle`).
//!   We neither write nor need it.
//! - Lines end in CR LF, as Piskvork is a Windows program. We read LF as well.

use std::fmt;
use std::time::Duration;

use game::quote;

use super::board::{Cell, Size};

/// A game as Piskvork saves it. `Display` gives the file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Psq {
    /// Width and height of the board.
    pub size: Size,
    /// The moves in their order, with the time each took; a file keeps whole milliseconds.
    pub moves: Vec<(Cell, Duration)>,
    /// Who moved first, and who second; empty where the file does not say.
    pub names: [String; 2],
    /// How the game ended.
    pub result: Ending,
}

/// How a saved game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The game goes on, or the file does not say; written as -1.
    #[default]
    Unknown,
    /// By the rules: a line, a forbidden move or a draw; written as 0.
    Regular,
    /// The player to move ran out of time; written as 15.
    Timeout,
    /// The player to move crashed, answered nonsense or made an illegal move; written as -2.
    Failure,
    /// Another code of some other program.
    Other(i32),
}

impl Ending {
    /// The ending that a code stands for.
    pub fn from_code(code: i32) -> Ending {
        match code {
            -1 => Ending::Unknown,
            0 => Ending::Regular,
            15 => Ending::Timeout,
            -2 => Ending::Failure,
            code => Ending::Other(code),
        }
    }

    /// The code in the file.
    pub fn code(self) -> i32 {
        match self {
            Ending::Unknown => -1,
            Ending::Regular => 0,
            Ending::Timeout => 15,
            Ending::Failure => -2,
            Ending::Other(code) => code,
        }
    }
}

impl fmt::Display for Psq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piskvorky {}x{}, 11:11, 0\r\n", self.size.width, self.size.height)?;
        for (cell, time) in &self.moves {
            // Piskvork keeps times in 32 bits.
            let ms = time.as_millis().min(i32::MAX as u128);
            write!(f, "{},{},{ms}\r\n", u16::from(cell.x) + 1, u16::from(cell.y) + 1)?;
        }
        for (name, nobody) in self.names.iter().zip(["homo-1", "homo-2"]) {
            write!(f, "{}\r\n", on_a_line(name, nobody))?;
        }
        write!(f, "{}\r\n", self.result.code())
    }
}

/// A name that cannot be taken for anything but a name.
fn on_a_line(name: &str, nobody: &str) -> String {
    let name: String =
        name.trim().chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    if name.is_empty() {
        nobody.to_owned()
    } else if name.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-' || sign == '+') {
        // Piskvork would read the number as a part of a move. Its names begin like this anyway.
        format!("pbrain-{name}")
    } else {
        name
    }
}

impl Psq {
    /// Reads a save, forgiving what real files lack: times, names, the code, the last line end.
    ///
    /// # Errors
    /// A sentence that names the line and what is wrong with it.
    pub fn parse(text: &str) -> Result<Psq, String> {
        let mut lines = text
            .trim_start_matches('\u{feff}')
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty());
        let (number, line) = lines.next().ok_or("the file is empty")?;
        let Header { size, starter } =
            Header::parse(line).map_err(|error| at(number, line, &error))?;
        let mut psq =
            Psq { size, moves: Vec::new(), names: Default::default(), result: Ending::Unknown };
        let mut names = psq.names.iter_mut();
        let mut moves_ended = false;
        for (number, line) in lines {
            match Line::parse(line) {
                Line::Move(_, _, _) if moves_ended => {
                    return Err(at(number, line, "a move after the end of the moves"));
                }
                Line::Move(x, y, ms) => {
                    let cell =
                        place(size, &psq.moves, x, y).map_err(|why| at(number, line, &why))?;
                    psq.moves.push((cell, Duration::from_millis(ms)));
                    continue;
                }
                Line::Code(code) => psq.result = Ending::from_code(code),
                Line::Winner => {}
                // Anything beyond two names is a remark of some other program.
                Line::Name => {
                    if let Some(name) = names.next() {
                        *name = line.to_owned();
                    }
                }
            }
            moves_ended = true;
        }
        if starter == Starter::Second {
            psq.names.swap(0, 1);
        }
        Ok(psq)
    }
}

fn at(number: usize, line: &str, reason: &str) -> String {
    format!("line {number}, {}: {reason}", quote(line.as_bytes()))
}

/// The free cell that a move's numbers, counted from 1, stand for.
fn place(size: Size, moves: &[(Cell, Duration)], x: i64, y: i64) -> Result<Cell, String> {
    let cell = size.cell(x.saturating_sub(1), y.saturating_sub(1));
    let cell = cell.ok_or_else(|| format!("{x},{y} is off the board of {size}"))?;
    match moves.iter().position(|(other, _)| *other == cell) {
        Some(index) => Err(format!("the cell was taken by move {}", index + 1)),
        None => Ok(cell),
    }
}

/// The first line of a file.
struct Header {
    size: Size,
    starter: Starter,
}

/// Which of the two named players moved first.
#[derive(PartialEq)]
enum Starter {
    First,
    Second,
}

impl Header {
    fn parse(line: &str) -> Result<Header, String> {
        let mut parts = line.split(',').map(str::trim);
        let (word, sides) = parts
            .next()
            .and_then(|part| part.split_once(char::is_whitespace))
            .filter(|(word, _)| word.eq_ignore_ascii_case("Piskvorky"))
            .ok_or("a save begins with \"Piskvorky WIDTHxHEIGHT\"")?;
        let (width, height) = sides
            .split_once(['x', 'X'])
            .ok_or_else(|| format!("the board's size is missing after {word}"))?;
        let side = |text: &str| match text.trim().parse::<u8>() {
            Ok(side @ Size::LEAST..=Size::MOST) => Ok(side),
            _ => Err(format!(
                "a side of {} is not possible: sides are {} to {}",
                quote(text.trim().as_bytes()),
                Size::LEAST,
                Size::MOST
            )),
        };
        let size = Size { width: side(width)?, height: side(height)? };
        let _levels = parts.next();
        let starter = match parts.next() {
            None | Some("0") => Starter::First,
            Some("1") => Starter::Second,
            Some(_) => return Err("the last number says which player started, 0 or 1".to_owned()),
        };
        Ok(Header { size, starter })
    }
}

/// What a line after the first can be.
enum Line {
    /// `x,y,ms` or `x,y`, still counted from 1.
    Move(i64, i64, u64),
    /// A number alone; some programs end the moves with `-1,-1,-1` instead.
    Code(i32),
    /// `1,Freestyle`.
    Winner,
    /// Anything else.
    Name,
}

impl Line {
    fn parse(line: &str) -> Line {
        let parts: Vec<&str> = line.split(',').map(str::trim).collect();
        // Too long a number is far off the board, and far beyond any time.
        let number = |text: &str| {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let huge = if text.starts_with('-') { i64::MIN } else { i64::MAX };
            is_number.then(|| text.parse::<i64>().unwrap_or(huge))
        };
        match (parts.as_slice(), number(parts[0])) {
            ([_], Some(code)) => Line::Code(code.clamp(i32::MIN.into(), i32::MAX.into()) as i32),
            ([_, ..], Some(-1)) => Line::Code(-1),
            ([_, y], Some(x)) => match number(y) {
                Some(y) => Line::Move(x, y, 0),
                None => Line::Winner,
            },
            ([_, y, ms], Some(x)) => match (number(y), number(ms)) {
                (Some(y), Some(ms)) => Line::Move(x, y, ms.clamp(0, i32::MAX.into()) as u64),
                _ => Line::Name,
            },
            (_, _) => Line::Name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Psq {
        let moves = [((9, 9), 0), ((0, 19), 12), ((19, 0), 60_000)];
        Psq {
            size: Size { width: 20, height: 20 },
            moves: moves.map(|((x, y), ms)| (Cell { x, y }, Duration::from_millis(ms))).to_vec(),
            names: ["pbrain-first.exe".to_owned(), "Žofie & co".to_owned()],
            result: Ending::Regular,
        }
    }

    #[test]
    fn a_save_looks_like_piskvorks_own() {
        let expected = "Piskvorky 20x20, 11:11, 0\r\n10,10,0\r\n1,20,12\r\n20,1,60000\r\n\
                        pbrain-first.exe\r\nŽofie & co\r\n0\r\n";
        assert_eq!(sample().to_string(), expected);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let endings = [-2, -1, 0, 15, 16, i32::MIN, i32::MAX].map(Ending::from_code);
        for result in endings {
            let saved = Psq { result, ..sample() };
            assert_eq!(Psq::parse(&saved.to_string()), Ok(saved));
        }
        let mut large = sample();
        large.size = Size { width: 32, height: 5 };
        large.moves = large.size.cells().map(|cell| (cell, Duration::from_millis(3))).collect();
        assert_eq!(Psq::parse(&large.to_string()), Ok(large));
        let empty = Psq { moves: vec![], ..sample() };
        assert_eq!(Psq::parse(&empty.to_string()), Ok(empty));
    }

    #[test]
    fn line_ends_blanks_and_a_mark_at_the_start_do_not_matter() {
        let text = sample().to_string();
        for text in [
            text.replace("\r\n", "\n"),
            text.replace("\r\n", "\n\n"),
            text.trim_end().to_owned(),
            format!("\u{feff}{text}"),
            text.replace(',', " , "),
        ] {
            assert_eq!(Psq::parse(&text), Ok(sample()), "{text:?}");
        }
    }

    #[test]
    fn the_trailer_may_be_missing_or_longer() {
        let moves = "Piskvorky 20x20, 11:11, 0\n10,10\n1,20,12\n20,1,60000\n";
        let nameless = |result| Psq { names: Default::default(), result, ..sample() };
        for (trailer, expected) in [
            ("", nameless(Ending::Unknown)),
            ("-1\n", nameless(Ending::Unknown)),
            ("-1,-1,-1\n", nameless(Ending::Unknown)),
            ("-1,-1\n", nameless(Ending::Unknown)),
            ("15\n", nameless(Ending::Timeout)),
            ("pbrain-first.exe\nŽofie & co\n", Psq { result: Ending::Unknown, ..sample() }),
            ("pbrain-first.exe\nŽofie & co\n0\n1,Freestyle\n", sample()),
            ("-1\npbrain-first.exe\nŽofie & co\n0\nsome remark\n", sample()),
        ] {
            assert_eq!(Psq::parse(&format!("{moves}{trailer}")), Ok(expected), "{trailer:?}");
        }
    }

    #[test]
    fn the_first_name_is_that_of_the_player_who_started() {
        let text = "Piskvorky 15x15, 0:6, 1\n8,8,5\nhomo-1\npbrain-x.exe\n-1\n";
        let psq = Psq::parse(text).unwrap();
        assert_eq!(psq.names, ["pbrain-x.exe", "homo-1"]);
    }

    #[test]
    fn names_cannot_be_taken_for_moves_or_codes() {
        for (name, read) in [
            ("1,2,3", "pbrain-1,2,3"),
            ("-1", "pbrain--1"),
            ("5inarow", "pbrain-5inarow"),
            ("two\r\nlines", "two  lines"),
            ("", "homo-1"),
            ("  ", "homo-1"),
        ] {
            let saved = Psq { names: [name.to_owned(), "other".to_owned()], ..sample() };
            let back = Psq::parse(&saved.to_string()).unwrap();
            assert_eq!(back.names, [read, "other"]);
            assert_eq!((back.moves, back.result), (saved.moves, saved.result));
        }
    }

    #[test]
    fn errors_name_the_line_and_the_reason() {
        for (text, error) in [
            ("", "the file is empty"),
            ("10,10,0\n", "line 1, \"10,10,0\": a save begins with \"Piskvorky WIDTHxHEIGHT\""),
            (
                "Piskvorky 20, 1:1, 0",
                "line 1, \"Piskvorky 20, 1:1, 0\": the board's size is missing after Piskvorky",
            ),
            (
                "Piskvorky 4x20",
                "line 1, \"Piskvorky 4x20\": a side of \"4\" is not possible: sides are 5 to 32",
            ),
            (
                "Piskvorky 20x80",
                "line 1, \"Piskvorky 20x80\": a side of \"80\" is not possible: sides are 5 to 32",
            ),
            (
                "Piskvorky 5x5, 1:1, 2",
                "line 1, \"Piskvorky 5x5, 1:1, 2\": the last number says which player started, 0 or 1",
            ),
            ("Piskvorky 5x5, 1:1, 0\n\n6,1,0", "line 3, \"6,1,0\": 6,1 is off the board of 5×5"),
            ("Piskvorky 5x5, 1:1, 0\n0,1,0", "line 2, \"0,1,0\": 0,1 is off the board of 5×5"),
            (
                "Piskvorky 5x5, 1:1, 0\n257,1,0",
                "line 2, \"257,1,0\": 257,1 is off the board of 5×5",
            ),
            (
                "Piskvorky 5x5, 1:1, 0\n2,1,0\n3,1,0\n2,1,0",
                "line 4, \"2,1,0\": the cell was taken by move 1",
            ),
            (
                "Piskvorky 5x5, 1:1, 0\n2,1,0\n-1\n3,1,0",
                "line 4, \"3,1,0\": a move after the end of the moves",
            ),
        ] {
            assert_eq!(Psq::parse(text), Err(error.to_owned()));
        }
        let huge = "Piskvorky 5x5\n99999999999999999999,1,0\n";
        assert!(Psq::parse(huge).unwrap_err().contains("off the board"));
    }

    #[test]
    fn odd_times_are_taken_as_near_as_possible() {
        let text = "Piskvorky 5x5\n1,1,-7\n2,1,99999999999999999999\n";
        let times: Vec<u128> =
            Psq::parse(text).unwrap().moves.iter().map(|(_, time)| time.as_millis()).collect();
        assert_eq!(times, [0, i32::MAX as u128]);
    }
}
