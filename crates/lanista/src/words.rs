//! Numbers with their words, and the nearest word to one that was mistyped.

/// So many of something that takes an s: `1 game`, `2 games`.
pub(crate) fn count(number: u64, of: &str) -> String {
    match number {
        1 => format!("1 {of}"),
        _ => format!("{number} {of}s"),
    }
}

/// So many players, fewest and most.
pub(crate) fn players((least, most): (u16, u16)) -> String {
    match least == most {
        true => count(least.into(), "player"),
        false => format!("{least} to {most} players"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|n| count(n, "turn")), ["0 turns", "1 turn", "2 turns"]);
        assert_eq!(players((2, 2)), "2 players");
        assert_eq!(players((1, 1000)), "1 to 1000 players");
    }
}
