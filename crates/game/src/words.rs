//! Words of messages: numbers with their nouns, and what somebody who mistyped a word may have
//! meant.

/// So many of something that takes an s: `1 game`, `2 games`.
pub fn count(number: u64, of: &str) -> String {
    match number {
        1 => format!("1 {of}"),
        _ => format!("{number} {of}s"),
    }
}

/// The nearest of these words, if one is near: a letter or two too many, too few or wrong, one in
/// three at most.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let near = known.into_iter().map(|known| (distance(&lower, &known.to_lowercase()), known));
    let (distance, known) = near.min_by_key(|(distance, _)| *distance)?;
    let letters = word.chars().count().max(known.chars().count());
    (distance <= (letters / 3).max(1) && distance < letters).then_some(known)
}

/// What to add to the message that there is no such word: a question, or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, known) {
        Some(near) => format!(" (did you mean \"{near}\"?)"),
        None => String::new(),
    }
}

/// How many letters have to be added, left out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Long words are no slips of each other, and are not worth the time.
    if a.len().abs_diff(b.len()) > 8 {
        return usize::MAX;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = rows[i][j] + usize::from(x != y);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|n| count(n, "turn")), ["0 turns", "1 turn", "2 turns"]);
    }

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let words = ["rounds", "seats", "size", "max_moves"];
        let near = |word: &str| nearest(word, words);
        assert_eq!(near("round"), Some("rounds"));
        assert_eq!(near("Seats"), Some("seats"));
        assert_eq!(near("szie"), Some("size"));
        assert_eq!(near("max-move"), Some("max_moves"));
        assert_eq!(near("colour"), None);
        assert_eq!(near(""), None);
        assert_eq!(near(&"x".repeat(100_000)), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("a", []), None);
        assert_eq!(did_you_mean("siz", words), " (did you mean \"size\"?)");
        assert_eq!(did_you_mean("colour", words), "");
    }
}
