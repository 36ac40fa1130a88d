//! Comma-separated values: the one place that writes them.

use game::text;

/// A table that is being written. Every row has as many fields as there are titles.
pub(crate) struct Csv {
    text: String,
    columns: usize,
}

impl Csv {
    /// A table that has its titles and no rows yet.
    pub(crate) fn new<'a>(titles: impl IntoIterator<Item = &'a str>) -> Csv {
        let titles: Vec<String> = titles.into_iter().map(str::to_owned).collect();
        let mut csv = Csv { text: String::new(), columns: titles.len() };
        csv.row(titles);
        csv
    }

    /// Adds a row. Fields are escaped here; numbers are written as they are.
    pub(crate) fn row(&mut self, fields: impl IntoIterator<Item = String>) {
        let fields: Vec<String> = fields.into_iter().map(|text| field(&text)).collect();
        assert_eq!(fields.len(), self.columns, "a row has a field for every title");
        self.text += &fields.join(",");
        self.text.push('\n');
    }

    /// The whole table.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// Text as a field of CSV. Nothing in it ends the field or the row, and a spreadsheet takes it for
/// text: what would begin a formula has an apostrophe before it. Numbers stay numbers.
fn field(text: &str) -> String {
    let mut field = text::one_line(text).into_owned();
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula && text.parse::<f64>().is_err() {
        field.insert(0, '\'');
    }
    match field.contains([',', '"', ';', '\'']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_of_csv_is_a_formula_and_numbers_stay_numbers() {
        for formula in ["=1+1", "+cmd", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "-"] {
            let shown = field(formula);
            assert!(shown.starts_with("\"'"), "{shown}");
        }
        assert_eq!(field("-12.5"), "-12.5");
        assert_eq!(field("plain"), "plain");
        assert_eq!(field("a,\"b\"\n"), "\"a,\"\"b\"\"\\n\"");
    }

    #[test]
    fn rows_follow_their_titles_and_every_field_is_escaped() {
        let mut csv = Csv::new(["name", "rating"]);
        csv.row(["a,b".to_owned(), "-3.25".to_owned()]);
        csv.row(["=1".to_owned(), String::new()]);
        assert_eq!(csv.finish(), "name,rating\n\"a,b\",-3.25\n\"'=1\",\n");
    }
}
