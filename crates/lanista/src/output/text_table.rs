//! Columns of text, each as wide as what stands in it.

use table::picture::{cut, width};

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table of text with a line of titles.
pub(crate) struct Columns {
    sides: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// The widest that a name may get in a table; the rest of it is cut off.
const WIDEST_NAME: usize = 28;

/// A name that leaves room for the rest of its row.
pub(crate) fn short(name: &str) -> String {
    cut(name, WIDEST_NAME).into_owned()
}

impl Columns {
    /// A table with these titles.
    pub(crate) fn new<'a>(titles: impl IntoIterator<Item = (&'a str, Align)>) -> Columns {
        let (titles, sides) =
            titles.into_iter().map(|(title, side)| (title.to_owned(), side)).unzip();
        Columns { sides, rows: vec![titles] }
    }

    /// Adds a row, a cell for every title.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.sides.len(), "a cell for every title");
        self.rows.push(cells);
    }

    /// The table, two blanks between its columns and none at the ends of lines.
    pub(crate) fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.sides.len())
            .map(|column| self.rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let room = " ".repeat(widths[column] - width(cell));
                let gap = if column == 0 { "" } else { "  " };
                line += &match self.sides[column] {
                    Align::Left => format!("{gap}{cell}{room}"),
                    Align::Right => format!("{gap}{room}{cell}"),
                };
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect::<Vec<String>>().join("\n")
    }
}

/// A table that may have more columns than fit: cut into several, one below the other, each with
/// the columns on the left that all have in common.
pub(crate) fn in_blocks(
    left: &[(&str, Align, Vec<String>)],
    columns: &[(String, Vec<String>)],
    most: usize,
) -> String {
    let widest = |title: &str, cells: &[String]| {
        2 + cells.iter().map(|cell| width(cell)).max().unwrap_or(0).max(width(title))
    };
    let common: usize = left.iter().map(|(title, _, cells)| widest(title, cells)).sum();
    let mut blocks: Vec<String> = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let mut room = most.saturating_sub(common);
        let fits = rest.iter().take_while(|(title, cells)| {
            let needed = widest(title, cells);
            let fits = needed <= room;
            room = room.saturating_sub(needed);
            fits
        });
        // At least one, however narrow the terminal is.
        let (here, later) = rest.split_at(fits.count().max(1));
        let titles = left.iter().map(|(title, side, _)| (*title, *side));
        let mut table = Columns::new(
            titles.chain(here.iter().map(|(title, _)| (title.as_str(), Align::Right))),
        );
        for row in 0..here[0].1.len() {
            let cells = left.iter().map(|(_, _, cells)| cells[row].clone());
            table.row(cells.chain(here.iter().map(|(_, cells)| cells[row].clone())).collect());
        }
        blocks.push(table.text());
        rest = later;
    }
    blocks.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let mut table =
            Columns::new([("#", Align::Right), ("name", Align::Left), ("n", Align::Right)]);
        table.row(["1", "ann", "100"].map(str::to_owned).to_vec());
        table.row(["10", "b", "7"].map(str::to_owned).to_vec());
        assert_eq!(table.text(), " #  name    n\n 1  ann   100\n10  b       7");
        assert_eq!(width(&short(&"x".repeat(40))), WIDEST_NAME);
        // Letters that are two columns wide.
        let mut table = Columns::new([("name", Align::Left), ("n", Align::Right)]);
        table.row(["日本語", "1"].map(str::to_owned).to_vec());
        assert_eq!(table.text(), "name    n\n日本語  1");
    }

    #[test]
    fn what_does_not_fit_goes_below() {
        let cells = |text: &str| vec![text.to_owned(); 2];
        let left = [("name", Align::Left, vec!["ann".to_owned(), "bob".to_owned()])];
        let columns: Vec<(String, Vec<String>)> =
            (1..=5).map(|number| (number.to_string(), cells("3–1–0"))).collect();
        let text = in_blocks(&left, &columns, 24);
        assert!(text.lines().all(|line| width(line) <= 24), "{text}");
        assert_eq!(text.split("\n\n").count(), 3, "{text}");
        assert_eq!(text.matches("ann").count(), 3, "{text}");
        assert_eq!(text.matches("3–1–0").count(), 10, "{text}");
        // Too narrow for anything, it goes on all the same.
        assert_eq!(in_blocks(&left, &columns, 1).split("\n\n").count(), 5);
    }
}
