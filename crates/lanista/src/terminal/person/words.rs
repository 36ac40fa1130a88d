//! What people at a terminal type and read: their words, and what they are told of the game in words.

use table::PersonWish;
use table::desk::{Answer, AnyDesk, DeskView, Offer, Picked};
use table::picture::width;

/// So many lines say what can be done.
const MOST_CHOICES: usize = 3;
/// So many places are named; there may be hundreds.
const MOST_PLACES: usize = 12;
/// So many of the last moves are listed.
const MOVES_LISTED: usize = 10;

/// What a line of the person asks for.
pub(super) enum Typed<'a> {
    Help,
    Undo,
    Resign,
    Hint(Option<&'a str>),
    Moves,
    Wish(PersonWish),
    Agree,
    Refuse,
    GoOn,
    Picks(Vec<&'a str>),
}

impl<'a> Typed<'a> {
    /// What the game offers comes first: a word may mean both.
    pub(super) fn of(line: &'a str, offers: &[Offer]) -> Typed<'a> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let offered = |word: &str| offers.iter().any(|offer| offer.pick == word);
        match words[..] {
            ["?" | "help"] => Typed::Help,
            ["undo" | "back"] if !offered(words[0]) => Typed::Undo,
            ["resign"] if !offered("resign") => Typed::Resign,
            ["hint"] if !offered("hint") => Typed::Hint(None),
            ["hint", bot] if !offered("hint") => Typed::Hint(Some(bot)),
            ["moves"] if !offered("moves") => Typed::Moves,
            ["takeback"] if !offered("takeback") => Typed::Wish(PersonWish::TakeBack),
            ["pause"] if !offered("pause") => Typed::Wish(PersonWish::Pause),
            ["resume"] if !offered("resume") => Typed::GoOn,
            ["agree"] if !offered("agree") => Typed::Agree,
            ["refuse"] if !offered("refuse") => Typed::Refuse,
            _ => Typed::Picks(words),
        }
    }
}

pub(super) fn help(view: &DeskView, hints: &[String]) -> String {
    let words = view.offers.iter().filter(|offer| is_word(offer));
    let all: Vec<String> = words.map(described).collect();
    let mut lines: Vec<String> = view.rules.to_vec();
    lines.extend(all);
    lines.push(format!("undo, resign, hint, hint BOT (of {}), Ctrl-C to stop", hints.join(", ")));
    lines.push("takeback: take your last move back · moves: the last moves".to_owned());
    lines.push("pause, resume: stop the clocks of the people, let them run again".to_owned());
    lines.join("\n")
}

/// What is to be done: beside the game, or in it.
pub(super) fn prompt(desk: &dyn AnyDesk) -> String {
    let table = desk.table();
    match (&table.asked, table.waits) {
        (Some((name, wish)), _) => format!("{name} asks to {}: agree or refuse", wish.words()),
        (None, Some(wish)) => format!("waiting for the others to {}", wish.words()),
        (None, None) if table.paused => "the clocks are stopped: resume lets them run".to_owned(),
        (None, None) => desk.view().prompt.clone(),
    }
}

/// The last moves.
pub(super) fn moves(desk: &dyn AnyDesk) -> String {
    let moves = desk.moves();
    let first = moves.len().saturating_sub(MOVES_LISTED);
    let lines: Vec<&str> = moves[first..].iter().map(|one| one.text.as_str()).collect();
    if lines.is_empty() { "nobody has moved yet".to_owned() } else { lines.join("\n") }
}

/// Picks one after another. The answer, if they make one; those before a wrong one stand.
pub(super) fn pick_all(desk: &mut dyn AnyDesk, words: &[&str]) -> Result<Option<Answer>, String> {
    // An empty line is the Enter key.
    let words = if words.is_empty() { &[""] } else { words };
    for word in words {
        let pick = meant(word, &desk.view().offers);
        match desk.pick(&pick)? {
            Picked::More => {}
            Picked::Answer(answer) => return Ok(Some(answer)),
        }
    }
    Ok(None)
}

/// The pick that a word stands for: itself, a key, or the only offer that begins like it.
fn meant(word: &str, offers: &[Offer]) -> String {
    if word.is_empty() {
        let enter = offers.iter().find(|offer| offer.key == Some("Enter"));
        return enter.map_or_else(String::new, |offer| offer.pick.clone());
    }
    if offers.iter().any(|offer| offer.pick == word) {
        return word.to_owned();
    }
    let key = offers.iter().find(|offer| offer.key == Some(word));
    let mut alike = offers.iter().filter(|offer| offer.is_open() && offer.pick.starts_with(word));
    match (key, alike.next(), alike.next()) {
        (Some(offer), ..) | (None, Some(offer), None) => offer.pick.clone(),
        (None, ..) => word.to_owned(),
    }
}

/// Whether an offer is known by a word, and not only by its place.
fn is_word(offer: &Offer) -> bool {
    offer.place.is_none() || offer.key.is_some()
}

/// An offer with its word and its key.
fn described(offer: &Offer) -> String {
    match offer.key {
        Some("Enter") => format!("{} or Enter: {}", offer.pick, offer.label),
        // Arrows cannot be typed on a line.
        Some(key) if key.len() == 1 => format!("{} or {key}: {}", offer.pick, offer.label),
        Some(_) | None => format!("{}: {}", offer.pick, offer.label),
    }
}

/// What can be done, in a few lines: words first, then places.
pub(super) fn choices(desk: &dyn AnyDesk, columns: usize) -> Vec<String> {
    let own = ["?", "hint", "resign"].iter().chain(&["undo"][..desk.picks().len().min(1)]);
    listed(&desk.view().offers, own.copied(), columns)
}

fn listed<'a>(offers: &[Offer], own: impl Iterator<Item = &'a str>, columns: usize) -> Vec<String> {
    let open = || offers.iter().filter(|offer| offer.is_open());
    let (words, places): (Vec<&Offer>, Vec<&Offer>) = open().partition(|offer| is_word(offer));
    let mut items: Vec<String> = words.iter().map(|offer| offer.pick.clone()).collect();
    match places.len() {
        0 => {}
        1..=MOST_PLACES => items.extend(places.iter().map(|offer| offer.pick.clone())),
        count => {
            // From the middle: the first ones are in a corner.
            let some = places.iter().skip(count / 2).take(3).map(|offer| offer.pick.as_str());
            items.push(format!("{} … ({count} places)", some.collect::<Vec<_>>().join(" ")));
        }
    }
    items.extend(own.map(str::to_owned));
    let mut lines = wrapped(&items.join(" · "), columns);
    if lines.len() > MOST_CHOICES {
        lines.truncate(MOST_CHOICES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines
}

/// A line as several, none wider than the screen.
pub(super) fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let most = columns.saturating_sub(2).max(10);
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is always one");
        if !last.is_empty() && width(last) + 1 + width(word) > most {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers() -> Vec<Offer> {
        vec![
            Offer::new("forward", "go forward").key("ArrowUp"),
            Offer::new("left", "turn left").key("ArrowLeft"),
            Offer::new("attack@20", "spray").key("x"),
            Offer::new("go", "end").key("Enter"),
            Offer::new("7,7", "there").place([50, 50], [100, 100]),
            Offer::new("8,8", "taken").place([50, 50], [100, 100]).barred("8,8 is taken"),
        ]
    }

    #[test]
    fn words_are_understood_by_name_key_and_beginning() {
        for (typed, pick) in [
            ("forward", "forward"),
            ("f", "forward"),
            ("l", "left"),
            ("x", "attack@20"),
            ("", "go"),
            ("g", "go"),
            ("7,7", "7,7"),
            ("8,8", "8,8"),
            ("8", "8"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(meant(typed, &offers()), pick, "{typed}");
        }
    }

    #[test]
    fn what_can_be_done_takes_a_few_lines_whatever_it_is() {
        let few = listed(&offers(), ["?"].into_iter(), 80);
        assert_eq!(few, ["forward · left · attack@20 · go · 7,7 · ?"]);
        let many: Vec<Offer> = (0..400)
            .map(|at| Offer::new(format!("{},{}", at % 20, at / 20), "put").place([0, 0], [1, 1]))
            .collect();
        let lines = listed(&many, ["?", "hint"].into_iter(), 40);
        assert!(lines[0].starts_with("0,10 1,10 2,10 … (400 places)"), "{lines:?}");
        assert!(lines.len() <= MOST_CHOICES && lines.iter().all(|line| width(line) <= 40));
    }
}
