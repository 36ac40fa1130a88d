//! What a set-up, a manifest or a tournament file must hold, in words for people: parsers speak of
//! types.

use crate::did_you_mean;

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

/// What a parser complains about, in plain words, with what could stand there instead.
pub fn wanted(complaint: &str) -> String {
    let complaint = complaint.split(" at line 1 column ").next().unwrap_or(complaint).trim_end();
    let (before, last) =
        complaint.rsplit_once('\n').map_or(("", complaint), |(before, last)| (before, last));
    let before = before.strip_prefix("TOML parse error at ").unwrap_or(before);
    let last = in_words(last).unwrap_or_else(|| last.to_owned());
    if before.is_empty() { last } else { format!("{before}\n{last}") }
}

/// One complaint in words, if it is known.
fn in_words(complaint: &str) -> Option<String> {
    if let Some(name) =
        complaint.strip_prefix("missing field `").and_then(|it| it.strip_suffix('`'))
    {
        return Some(format!("the key \"{name}\" is missing"));
    }
    let (found, expected) = complaint.rsplit_once(", expected ")?;
    let (kind, found) = found.split_once(' ').map(|(first, rest)| match rest.split_once(' ') {
        Some(("field", name)) if first == "unknown" => ("field", name),
        Some(("variant", name)) if first == "unknown" => ("variant", name),
        Some(_) | None => (first, rest),
    })?;
    let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let found = found.trim_matches('`');
    let near = did_you_mean(found, names.iter().copied());
    let names = names.join(", ");
    match kind {
        "field" => Some(format!("there is no key \"{found}\" here{near}; the keys are {names}")),
        "variant" => Some(format!("\"{found}\" is not valid here{near}; use one of {names}")),
        // The value itself is shown by whoever knows its key.
        "invalid" => {
            let known = TYPES.iter().find(|(name, _)| *name == expected);
            Some(format!("expected {}", known.map_or(expected, |(_, it)| it)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_parser_become_words() {
        for (complaint, words) in [
            ("invalid value: integer `300`, expected u8", "expected a whole number from 0 to 255"),
            ("invalid type: string \"abc, expected u8\", expected a sequence", "expected a list"),
            ("unknown field `x`, expected `a`", "there is no key \"x\" here; the keys are a"),
            (
                "unknown variant `swis`, expected one of `round-robin`, `swiss`",
                "\"swis\" is not valid here (did you mean \"swiss\"?); use one of round-robin, swiss",
            ),
            ("missing field `name` at line 1 column 2", "the key \"name\" is missing"),
            (
                "TOML parse error at line 2, column 1\n2 | x = \"x\"\n  |     ^\ninvalid type: string \"x\", expected u16",
                "line 2, column 1\n2 | x = \"x\"\n  |     ^\nexpected a whole number from 0 to 65535",
            ),
            ("lead must be above zero", "lead must be above zero"),
        ] {
            assert_eq!(wanted(complaint), words);
        }
    }
}
