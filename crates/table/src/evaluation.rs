//! How good a bot says that a position is, found in its own words. Engines print it in many ways: `ev 35`, `Eval: -12`,
//! `score cp 40`, `winrate 54.2%`, `Eval +M7`.

/// Words that stand before the figure.
const WORDS: [&str; 7] = ["ev", "eval", "evaluation", "score", "value", "winrate", "val"];

/// What stands for a win that the bot has found, whatever its unit is.
pub const FOUND_WIN: f64 = 10_000.0;

/// The last evaluation in a line; for the side that the bot plays, in its own unit.
pub(crate) fn evaluation(line: &str) -> Option<f64> {
    let part_of_word = |sign: char| sign.is_alphanumeric() || "+-.%".contains(sign);
    let words: Vec<&str> =
        line.split(|sign: char| !part_of_word(sign)).filter(|word| !word.is_empty()).collect();
    let names_it = |word: &str| WORDS.iter().any(|name| word.eq_ignore_ascii_case(name));
    let found = words.iter().enumerate().rev().filter(|(_, word)| names_it(word));
    found.filter_map(|(place, _)| figure(&words[place + 1..])).next()
}

/// The figure that these words begin with.
fn figure(words: &[&str]) -> Option<f64> {
    match words {
        ["cp" | "CP", rest @ ..] => figure(rest),
        ["mate", plies, ..] => Some(if plies.starts_with('-') { -FOUND_WIN } else { FOUND_WIN }),
        [word, ..] => number(word),
        [] => None,
    }
}

fn number(word: &str) -> Option<f64> {
    let plain = word.trim_end_matches(['%', '.']);
    let (sign, rest) = match plain.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, plain.strip_prefix('+').unwrap_or(plain)),
    };
    // A forced win: M7, or #7.
    if let Some(plies) = rest.strip_prefix(['M', 'm'])
        && plies.parse::<u32>().is_ok()
    {
        return Some(sign * FOUND_WIN);
    }
    let begins = rest.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let found = rest.parse::<f64>().ok().filter(|found| begins && found.is_finite())?;
    Some(sign * found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_the_words_of_engines() {
        for (line, found) in [
            ("depth 9 ev 35 n 12000", Some(35.0)),
            ("Depth 12-20 | Eval -45 | Node 1.2M | 7,7 8,8", Some(-45.0)),
            ("info depth 3 score cp 40 pv UP", Some(40.0)),
            ("score 2.5", Some(2.5)),
            ("winrate: 54.2%", Some(54.2)),
            ("Eval +M7", Some(10_000.0)),
            ("eval=-M3", Some(-10_000.0)),
            ("score mate -2", Some(-10_000.0)),
            ("ev 1 then ev 2", Some(2.0)),
            ("Value: 3.", Some(3.0)),
            ("every value counts", None),
            ("ev nan", None),
            ("ev inf", None),
            ("never 5", None),
            ("", None),
        ] {
            assert_eq!(evaluation(line), found, "{line}");
        }
    }
}
