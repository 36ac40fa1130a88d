//! Reads books of openings: one opening a line, in *offset* or in *pos* notation.
//!
//! *Offset* lines, `8,-3, 6,-4`, give columns and rows as steps from the middle of the board;
//! *pos* lines, `d3e5f6`, as letter and number counted from the top left. A line with a letter
//! in it is a pos line; a book may mix them. Whatever follows a `#` is a comment.

use game::quote;

use super::board::{Cell, Size};

/// The openings of a book, in its order, each with its stones in the order played.
///
/// # Errors
/// A sentence that names the first bad line by number and text, and what is wrong with it.
pub fn parse_book(text: &str, size: Size) -> Result<Vec<Vec<Cell>>, String> {
    let mut book = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let opening = parse_opening(line, size).map_err(|reason| {
            format!("line {}, {}: {reason}", index + 1, quote(line.as_bytes()))
        })?;
        book.push(opening);
    }
    Ok(book)
}

fn parse_opening(line: &str, size: Size) -> Result<Vec<Cell>, String> {
    let is_pos = line.chars().any(char::is_alphabetic);
    let cells = if is_pos { parse_pos(line, size)? } else { parse_offsets(line, size)? };
    let twice = cells.iter().enumerate().find(|(index, cell)| cells[..*index].contains(cell));
    match twice {
        Some((_, cell)) => Err(format!("the cell {cell} occurs twice")),
        None => Ok(cells),
    }
}

/// `8,-3, 6,-4`: cell = offset + ⌊n/2⌋, each axis with its own n.
fn parse_offsets(line: &str, size: Size) -> Result<Vec<Cell>, String> {
    // Some books end every line with a comma.
    let numbers = line.strip_suffix(',').unwrap_or(line).split(',').map(|text| {
        let text = text.trim();
        text.parse::<i32>().map_err(|_| format!("{} is not an offset", quote(text.as_bytes())))
    });
    let numbers = numbers.collect::<Result<Vec<i32>, String>>()?;
    if numbers.len() % 2 == 1 {
        return Err(format!("{} numbers do not make pairs of x,y", numbers.len()));
    }
    let from_middle = |side: u8, offset: i32| i64::from(side / 2) + i64::from(offset);
    numbers
        .chunks_exact(2)
        .map(|pair| {
            size.cell(from_middle(size.width, pair[0]), from_middle(size.height, pair[1]))
                .ok_or_else(|| format!("{},{} is off the board of {size}", pair[0], pair[1]))
        })
        .collect()
}

/// `d3e5f6`: letter = x, number = y + 1. Blanks and commas may stand between the cells.
fn parse_pos(line: &str, size: Size) -> Result<Vec<Cell>, String> {
    let is_gap = |sign: char| sign == ',' || sign.is_whitespace();
    let mut cells = Vec::new();
    let mut rest = line.trim_start_matches(is_gap);
    while let Some(letter) = rest.chars().next() {
        let column = match letter.to_ascii_lowercase() {
            letter @ 'a'..='z' => letter as i64 - 'a' as i64,
            _ => return Err(format!("{} should begin with a column a to z", shown(rest))),
        };
        let number = &rest[1..];
        if number.starts_with(|sign: char| sign.is_ascii_alphabetic()) {
            // "aa" would be two columns or the 27th.
            return Err(format!(
                "{} has two letters in a row: a column is one letter, and columns beyond z can \
                 only be given as offsets",
                shown(rest)
            ));
        }
        let digits = number.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(number.len());
        if digits == 0 {
            return Err(format!("{} lacks the number of its row", shown(rest)));
        }
        // A number too long to be read is certainly off the board.
        let row = number[..digits].parse::<i64>().unwrap_or(i64::MAX);
        let cell = size.cell(column, row - 1);
        let text = &rest[..=digits];
        cells.push(cell.ok_or_else(|| format!("{} is off the board of {size}", shown(text)))?);
        rest = number[digits..].trim_start_matches(is_gap);
    }
    Ok(cells)
}

/// The beginning of a text, for a message.
fn shown(text: &str) -> String {
    const MOST: usize = 12;
    let cut = text.char_indices().nth(MOST).map_or(text.len(), |(at, _)| at);
    quote(&text.as_bytes()[..cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIFTEEN: Size = Size { width: 15, height: 15 };
    const TWENTY: Size = Size { width: 20, height: 20 };

    fn at(cells: &[(u8, u8)]) -> Vec<Cell> {
        cells.iter().map(|&(x, y)| Cell { x, y }).collect()
    }

    #[test]
    fn offsets_count_from_the_middle() {
        let book = "8,-3, 6,-4, 9,0\n";
        assert_eq!(parse_book(book, TWENTY), Ok(vec![at(&[(18, 7), (16, 6), (19, 10)])]));
        assert_eq!(parse_book("0,0, -7,7,", FIFTEEN), Ok(vec![at(&[(7, 7), (0, 14)])]));
    }

    #[test]
    fn each_axis_has_its_own_middle() {
        let size = Size { width: 9, height: 20 };
        assert_eq!(parse_book("-4,9", size), Ok(vec![at(&[(0, 19)])]));
    }

    #[test]
    fn pos_counts_letters_and_numbers_from_the_corner() {
        let expected = Ok(vec![at(&[(3, 2), (4, 4), (14, 14), (0, 0)])]);
        for line in ["d3e5o15a1", "D3E5O15A1", "d3 e5, o15 a1"] {
            assert_eq!(parse_book(line, FIFTEEN), expected, "{line}");
        }
        let widest = Size { width: 32, height: 32 };
        assert_eq!(parse_book("z32", widest), Ok(vec![at(&[(25, 31)])]));
    }

    #[test]
    fn comments_and_empty_lines_are_left_out_and_notations_may_mix() {
        let book = "\u{feff}# a book\r\n\r\n  h8i9  # two stones\r\n1,1\r\n   \r\n#end";
        assert_eq!(parse_book(book, FIFTEEN), Ok(vec![at(&[(7, 7), (8, 8)]), at(&[(8, 8)])]));
        assert_eq!(parse_book("", FIFTEEN), Ok(vec![]));
    }

    #[test]
    fn errors_name_the_line_its_text_and_the_reason() {
        for (line, reason) in [
            ("0,0, 8,0", "8,0 is off the board of 15×15"),
            ("0,0, 0,-8", "0,-8 is off the board of 15×15"),
            ("0,2147483647", "0,2147483647 is off the board of 15×15"),
            ("1,2, 3", "3 numbers do not make pairs of x,y"),
            ("1,2, 1,2", "the cell 8,9 occurs twice"),
            ("1;2", "\"1;2\" is not an offset"),
            ("1,,2", "\"\" is not an offset"),
            ("1,99999999999999999999", "\"99999999999999999999\" is not an offset"),
            ("p1", "\"p1\" is off the board of 15×15"),
            ("h8a16", "\"a16\" is off the board of 15×15"),
            ("a0", "\"a0\" is off the board of 15×15"),
            // Only the beginning of a long text is shown.
            ("a99999999999999999999", "\"a99999999999\" is off the board of 15×15"),
            ("h8H8", "the cell 7,7 occurs twice"),
            ("h8i", "\"i\" lacks the number of its row"),
            ("h8-i9", "\"-i9\" should begin with a column a to z"),
            ("é5", "\"é5\" should begin with a column a to z"),
            ("h8,7", "\"7\" should begin with a column a to z"),
        ] {
            let error = parse_book(&format!("# book\n\n{line}\n"), FIFTEEN).unwrap_err();
            assert_eq!(error, format!("line 3, \"{line}\": {reason}"));
        }
    }

    #[test]
    fn columns_beyond_z_are_refused_with_the_way_out() {
        let error = parse_book("aa1", Size { width: 32, height: 32 }).unwrap_err();
        assert!(error.starts_with("line 1, \"aa1\":") && error.contains("offsets"), "{error}");
    }
}
