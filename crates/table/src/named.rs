//! Players by their names, in words of rules that only know their numbers.

/// A text with the names of players in the place of `player 2` or, as in messages to bots,
/// `player2`.
pub fn with_names(text: &str, names: &[impl AsRef<str>]) -> String {
    const WORD: &str = "player";
    let part_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut named, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(WORD) {
        let (before, from) = rest.split_at(at);
        let after = &from[WORD.len()..];
        let blank = usize::from(after.starts_with(' '));
        let digits = after[blank..].bytes().take_while(u8::is_ascii_digit).count();
        let end = WORD.len() + blank + digits;
        let number = after[blank..blank + digits].parse::<usize>().ok();
        let whole = !before.ends_with(part_of_word) && !from[end..].starts_with(part_of_word);
        let name = number.filter(|_| whole).and_then(|number| names.get(number.checked_sub(1)?));
        named.push_str(before);
        match name {
            Some(name) => named.push_str(name.as_ref()),
            None => named.push_str(&from[..end]),
        }
        rest = &from[end..];
    }
    named + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_have_names_and_other_words_stay() {
        let named = |text: &str| with_names(text, &["ann", "player 1"]);
        assert_eq!(named("only player 1 is left"), "only ann is left");
        assert_eq!(named("player2 shed the last card"), "player 1 shed the last card");
        assert_eq!(named("player 1, player 2"), "ann, player 1");
        for other in
            ["player 3", "player 0", "players 1", "player", "xplayer1", "player12", "player1x"]
        {
            assert_eq!(named(other), other);
        }
        assert_eq!(
            named("player 99999999999999999999 é player1"),
            "player 99999999999999999999 é ann"
        );
    }
}
