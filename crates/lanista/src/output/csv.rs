//! Comma-separated values.

use game::text;

/// Text as a field of CSV. Nothing in it ends the field or the row, and a spreadsheet takes it for
/// text: what would begin a formula has an apostrophe before it. Numbers stay numbers.
pub(crate) fn field(text: &str) -> String {
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
    #[test]
    fn no_field_of_csv_is_a_formula_and_numbers_stay_numbers() {
        for formula in ["=1+1", "+cmd", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "-"] {
            let field = super::field(formula);
            assert!(field.starts_with("\"'"), "{field}");
        }
        assert_eq!(super::field("-12.5"), "-12.5");
        assert_eq!(super::field("plain"), "plain");
        assert_eq!(super::field("a,\"b\"\n"), "\"a,\"\"b\"\"\\n\"");
    }
}
