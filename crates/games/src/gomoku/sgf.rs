//! Games in the Smart Game Format, version 4, for the viewers and editors that read it.

use std::fmt;
use std::time::Duration;

use super::board::{Cell, Rule, Size, Stone};

/// A game to be written as SGF. `Display` gives the file's text, which is UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sgf {
    /// Width and height of the board.
    pub size: Size,
    /// The rule that was played by.
    pub rule: Rule,
    /// Who played Black, and who White.
    pub names: [String; 2],
    /// The moves, Black's first, with the time each took; zero is not mentioned.
    pub moves: Vec<(Cell, Duration)>,
    /// How the game ended.
    pub result: Score,
}

/// The result of a game, in the words SGF has for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Score {
    /// A colour won on the board.
    Win(Stone),
    /// A colour won because the other ran out of time.
    WinOnTime(Stone),
    /// A colour won because the other forfeited: an illegal move, a crash.
    WinByForfeit(Stone),
    /// Nobody won.
    Draw,
    /// The game does not count.
    Void,
    /// The game goes on, or its result is not known.
    #[default]
    Unknown,
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Win(stone) => write!(f, "{}+", letter(*stone)),
            Score::WinOnTime(stone) => write!(f, "{}+T", letter(*stone)),
            Score::WinByForfeit(stone) => write!(f, "{}+F", letter(*stone)),
            Score::Draw => f.write_str("0"),
            Score::Void => f.write_str("Void"),
            Score::Unknown => f.write_str("?"),
        }
    }
}

impl fmt::Display for Sgf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // GM[4] is gomoku and renju.
        write!(f, "(;FF[4]GM[4]CA[UTF-8]AP[Lanista:{}]", env!("CARGO_PKG_VERSION"))?;
        let Size { width, height } = self.size;
        // The format forbids the long form for a square board.
        if width == height {
            writeln!(f, "SZ[{width}]")?;
        } else {
            writeln!(f, "SZ[{width}:{height}]")?;
        }
        let [black, white] = &self.names;
        writeln!(f, "PB[{}]PW[{}]", Escaped(black), Escaped(white))?;
        writeln!(f, "RU[{}]RE[{}]", self.rule.name(), self.result)?;
        let colours = [Stone::Black, Stone::White].into_iter().cycle();
        for (colour, (cell, time)) in colours.zip(&self.moves) {
            write!(f, ";{}[{}{}]", letter(colour), coordinate(cell.x), coordinate(cell.y))?;
            if !time.is_zero() {
                write!(f, "C[{:.3} s]", time.as_secs_f64())?;
            }
            writeln!(f)?;
        }
        writeln!(f, ")")
    }
}

fn letter(stone: Stone) -> char {
    match stone {
        Stone::Black => 'B',
        Stone::White => 'W',
    }
}

/// A column from the left or a row from the top: `a` to `z`, then `A` to `Z`.
fn coordinate(at: u8) -> char {
    char::from(if at < 26 { b'a' + at } else { b'A' + (at - 26) })
}

/// Text of one line with the signs escaped that mean something to SGF.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for sign in self.0.chars() {
            match sign {
                ']' | '\\' => write!(f, "\\{sign}")?,
                _ if sign.is_control() => f.write_char(' ')?,
                _ => f.write_char(sign)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sgf {
        Sgf {
            size: Size { width: 15, height: 15 },
            rule: Rule::Renju,
            names: ["mine".to_owned(), "yours".to_owned()],
            moves: [((7, 7), 0), ((8, 6), 1250), ((14, 0), 3)]
                .map(|((x, y), ms)| (Cell { x, y }, Duration::from_millis(ms)))
                .to_vec(),
            result: Score::Win(Stone::Black),
        }
    }

    #[test]
    fn a_game_is_written_move_by_move() {
        let expected = format!(
            "(;FF[4]GM[4]CA[UTF-8]AP[Lanista:{}]SZ[15]\nPB[mine]PW[yours]\nRU[renju]RE[B+]\n\
             ;B[hh]\n;W[ig]C[1.250 s]\n;B[oa]C[0.003 s]\n)\n",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(sample().to_string(), expected);
    }

    #[test]
    fn a_rectangular_board_has_two_sides() {
        let sgf = Sgf { size: Size { width: 20, height: 15 }, ..sample() };
        assert!(sgf.to_string().contains("SZ[20:15]"));
    }

    #[test]
    fn coordinates_go_on_with_capitals_after_z() {
        assert_eq!([0, 25, 26, 31].map(coordinate), ['a', 'z', 'A', 'F']);
    }

    #[test]
    fn every_result_has_its_word() {
        for (result, word) in [
            (Score::Win(Stone::White), "RE[W+]"),
            (Score::WinOnTime(Stone::Black), "RE[B+T]"),
            (Score::WinByForfeit(Stone::White), "RE[W+F]"),
            (Score::Draw, "RE[0]"),
            (Score::Void, "RE[Void]"),
            (Score::Unknown, "RE[?]"),
        ] {
            assert!(Sgf { result, ..sample() }.to_string().contains(word), "{word}");
        }
    }

    #[test]
    fn names_cannot_break_out_of_their_brackets() {
        let names = ["a]b\\c:d".to_owned(), "one\r\ntwo\tthree".to_owned()];
        let text = Sgf { names, ..sample() }.to_string();
        assert!(text.contains(r"PB[a\]b\\c:d]PW[one  two three]"), "{text}");
    }
}
