//! Pictures of games as lines of painted text, made to fit the room they are shown in.
//!
//! Games paint with [`Line`]s; what is in them is made safe to show ([`game::text`]) and measured
//! in columns, wide letters as two. Escape codes exist only in [`Line::text`], when a line leaves
//! for a terminal.

use std::borrow::Cow;
use std::ops::Range;

use game::text::one_line;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What a picture may be drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Letters only.
    Plain,
    /// With terminal colours.
    Colour,
}

/// How something is painted: the parameters of a terminal's "select graphic rendition".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(pub &'static str);

impl Style {
    /// As the terminal's own text.
    pub const PLAIN: Style = Style("");
    /// Of little importance.
    pub const FAINT: Style = Style("2");
    /// Of great importance.
    pub const STRONG: Style = Style("1");
    /// Something is wrong.
    pub const ALARM: Style = Style("1;31");
}

/// How many columns text takes on a terminal, as it is shown.
pub fn width(text: &str) -> usize {
    one_line(text).width()
}

/// Text as it is shown, in exactly so many columns or more if it is longer; it begins on the left.
pub fn pad(text: &str, columns: usize) -> String {
    let text = one_line(text);
    let gap = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(gap))
}

/// Text as it is shown in no more than so many columns; what is cut off ends in `…`.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    let text = one_line(text);
    if text.width() <= columns {
        return text;
    }
    let (mut cut, mut used) = (String::new(), 0);
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used >= columns {
            break;
        }
        cut.push(letter);
    }
    if columns > 0 {
        cut.push('…');
    }
    Cow::Owned(cut)
}

/// A line of painted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<(Style, String)>);

impl Line {
    /// A line with nothing in it.
    pub fn new() -> Line {
        Line::default()
    }

    /// A line of plain text.
    pub fn plain(text: &str) -> Line {
        Line::painted(Style::PLAIN, text)
    }

    /// A line of one style.
    pub fn painted(style: Style, text: &str) -> Line {
        let mut line = Line::new();
        line.paint(style, text);
        line
    }

    /// Adds plain text.
    pub fn push(&mut self, text: &str) -> &mut Line {
        self.paint(Style::PLAIN, text)
    }

    /// Adds painted text. Line ends and other controls in it are spelled out.
    pub fn paint(&mut self, style: Style, text: &str) -> &mut Line {
        let text = one_line(text);
        match self.0.last_mut() {
            Some((last, before)) if *last == style => before.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.0.push((style, text.into_owned())),
        }
        self
    }

    /// Adds another line to the right.
    pub fn append(&mut self, other: Line) -> &mut Line {
        self.0.extend(other.0);
        self
    }

    /// Adds spaces until it is so many columns wide.
    pub fn pad_to(&mut self, columns: usize) -> &mut Line {
        let gap = columns.saturating_sub(self.width());
        self.push(&" ".repeat(gap))
    }

    /// Its columns.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }

    /// The line in no more than so many columns; what is cut off ends in `…`.
    pub fn fit(self, columns: usize) -> Line {
        if self.width() <= columns {
            return self;
        }
        let mut fitted = Line::new();
        let mut left = columns;
        for (style, text) in self.0 {
            let wide = text.width();
            if wide < left {
                left -= wide;
                fitted.0.push((style, text));
                continue;
            }
            // This one, or one after it, does not fit: there must be room for the sign that says
            // so.
            let cut = cut(&(text + "  "), left).into_owned();
            fitted.0.push((style, cut));
            break;
        }
        fitted
    }

    /// The line as a terminal takes it.
    pub fn text(&self, ink: Ink) -> String {
        let mut text = String::new();
        for (style, part) in &self.0 {
            match ink {
                Ink::Colour if *style != Style::PLAIN => {
                    text.push_str(&format!("\x1b[{}m{part}\x1b[0m", style.0));
                }
                Ink::Colour | Ink::Plain => text.push_str(part),
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// How much room there is for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Room {
    /// As much as anybody could want: a file, or a test.
    pub const ENDLESS: Room = Room { columns: 1000, rows: 1000 };

    /// The room that is left beside or below something.
    pub fn without(self, columns: usize, rows: usize) -> Room {
        Room { columns: self.columns.saturating_sub(columns), rows: self.rows.saturating_sub(rows) }
    }
}

/// A picture of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Turn, score, and what everybody wants to know: always shown.
    pub head: Vec<Line>,
    /// The board, or the part of it that has room.
    pub board: Vec<Line>,
    /// What the signs mean: shown where there is room for it.
    pub legend: Vec<Line>,
    /// Whether a part of the board is missing.
    pub clipped: bool,
}

impl Picture {
    /// The lines of the picture, no more and no wider than there is room for.
    pub fn lines(self, room: Room) -> Vec<Line> {
        let mut lines = self.head;
        lines.extend(self.board);
        if lines.len() + self.legend.len() <= room.rows {
            lines.extend(self.legend);
        }
        lines.truncate(room.rows);
        lines.into_iter().map(|line| line.fit(room.columns)).collect()
    }

    /// Columns and rows of what must be shown.
    pub fn size(&self) -> (usize, usize) {
        let all = || self.head.iter().chain(&self.board);
        (all().map(Line::width).max().unwrap_or(0), all().count())
    }

    /// The whole picture as text, with a line end after every line.
    pub fn text(self, ink: Ink) -> String {
        self.lines(Room::ENDLESS).iter().map(|line| line.text(ink) + "\n").collect()
    }
}

/// The part of `extent` rows or columns that is shown where only `room` have room: around the
/// middle of what is worth looking at, `from` the least to the greatest of `points`; all of it, if
/// all fits.
pub fn window(extent: usize, room: usize, points: impl IntoIterator<Item = usize>) -> Range<usize> {
    if extent <= room {
        return 0..extent;
    }
    let (mut least, mut most) = (usize::MAX, 0);
    for point in points {
        (least, most) = (least.min(point), most.max(point));
    }
    let middle = if least > most { extent / 2 } else { (least + most) / 2 };
    let start = middle.saturating_sub(room / 2).min(extent - room);
    start..start + room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_take_two_columns_and_line_ends_are_spelled() {
        assert_eq!([width("日本"), width("a\nb"), width("é")], [4, 4, 1]);
        assert_eq!(pad("日本", 6) + "|", "日本  |");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("abcd", 0), "");
    }

    #[test]
    fn a_line_is_never_wider_than_its_room() {
        let mut line = Line::plain("turn 3  ");
        line.paint(Style::ALARM, "名前\x1b[2J").push(" 12");
        for columns in 0..30 {
            let fitted = line.clone().fit(columns);
            assert!(fitted.width() <= columns, "{columns}: {fitted:?}");
            assert_eq!(
                fitted.text(Ink::Plain).contains('…'),
                columns > 0 && columns < line.width()
            );
        }
        assert!(line.text(Ink::Colour).contains("\x1b[1;31m名前\\x1b[2J\x1b[0m"));
    }

    #[test]
    fn a_picture_loses_its_legend_first_and_its_head_never() {
        let line = |text: &str| vec![Line::plain(text)];
        let board = vec![Line::plain("1"), Line::plain("2")];
        let picture = Picture { head: line("head"), board, legend: line("legend"), clipped: false };
        let shown = |rows| -> Vec<String> {
            let lines = picture.clone().lines(Room { columns: 80, rows });
            lines.iter().map(|line| line.text(Ink::Plain)).collect()
        };
        assert_eq!(shown(4), ["head", "1", "2", "legend"]);
        assert_eq!(shown(3), ["head", "1", "2"]);
        assert_eq!(shown(1), ["head"]);
    }

    #[test]
    fn a_window_stays_inside_and_around_what_moves() {
        assert_eq!(window(10, 20, [3]), 0..10);
        assert_eq!(window(20, 10, [0]), 0..10);
        assert_eq!(window(20, 10, [19, 18]), 10..20);
        assert_eq!(window(20, 10, [8, 12]), 5..15);
        assert_eq!(window(20, 10, []), 5..15);
    }
}
