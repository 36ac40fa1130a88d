//! What a set-up, a manifest or a tournament file must hold, in words for people: parsers speak of types.

/// The types of parsers and what they take.
const TYPES: [(&str, &str); 14] = [
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number of 0 or more"),
    ("usize", "a whole number of 0 or more"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a nonzero u32", "a whole number from 1 to 4294967295"),
    ("a nonzero u64", "a whole number of 1 or more"),
    ("a string", "a text"),
    ("a boolean", "true or false"),
    ("a sequence", "a list"),
    ("a map", "a table of keys and values"),
];

/// What a parser complains about, with what it expected in words.
pub fn wanted(complaint: &str) -> String {
    let complaint = complaint.split(" at line 1 column ").next().unwrap_or(complaint).trim_end();
    let Some((found, expected)) = complaint.rsplit_once(", expected ") else {
        return complaint.to_owned();
    };
    let expected = TYPES.iter().find(|(name, _)| *name == expected).map_or(expected, |(_, it)| it);
    // The value itself is shown by whoever knows its key.
    let (before, last) =
        found.rsplit_once('\n').map_or(("", found), |(before, last)| (before, last));
    let Some(("invalid type" | "invalid value", _)) = last.split_once(": ") else {
        return complaint.to_owned();
    };
    let line = format!("{expected} is wanted");
    if before.is_empty() { line } else { format!("{before}\n{line}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_parser_become_words() {
        for (complaint, words) in [
            ("invalid value: integer `300`, expected u8", "a whole number from 0 to 255 is wanted"),
            ("invalid type: string \"abc, expected u8\", expected a sequence", "a list is wanted"),
            ("unknown field `x`, expected `a`", "unknown field `x`, expected `a`"),
            ("missing field `name` at line 1 column 2", "missing field `name`"),
            (
                "2 | x = \"x\"\n  |     ^\ninvalid type: string \"x\", expected u16",
                "2 | x = \"x\"\n  |     ^\na whole number from 0 to 65535 is wanted",
            ),
            ("lead must be above zero", "lead must be above zero"),
        ] {
            assert_eq!(wanted(complaint), words);
        }
    }
}
