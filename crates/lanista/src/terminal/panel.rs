//! What happened in a step of a recorded game, as lines beside or below its picture.

use game::PlayerId;
use table::picture::{cut, width};
use table::{AnyReplay, Happening, HappeningKind, Ink, Line, Style};

/// No name takes more columns than this.
const NAME: usize = 16;
/// One thing takes no more rows than this, and all but the first begin a little to the right.
const MOST_ROWS: usize = 4;
const INDENT: usize = 2;
/// `replay --at` shows so many things that bots said.
const SAID: usize = 3;

/// The style and the sign of each kind of thing, in the signs of `replay --lines`.
fn look(kind: HappeningKind) -> (Style, &'static str) {
    match kind {
        HappeningKind::Told => (Style::FAINT, " > "),
        HappeningKind::Said => (Style::PLAIN, " < "),
        HappeningKind::Stderr => (Style("33"), " ! "),
        HappeningKind::Note => (Style("36"), " says "),
        HappeningKind::Time => (Style::FAINT, " = "),
        HappeningKind::Move => (Style::STRONG, ""),
        HappeningKind::Fault => (Style::ALARM, " "),
        HappeningKind::End => (Style("1;32"), ""),
    }
}

fn line(happening: &Happening, names: &[String]) -> Line {
    let Happening { kind, who, text } = happening;
    let (style, sign) = look(*kind);
    let name = who.and_then(|who: PlayerId| names.get(who.index()));
    match (kind, name) {
        // Moves name their actors, and an end is everybody's.
        (HappeningKind::Move | HappeningKind::End, _) | (_, None) => {
            Line::painted(style, &format!("{sign}{text}"))
        }
        (HappeningKind::Fault, Some(name)) => {
            Line::painted(style, &format!("! {}{sign}{text}", cut(name, NAME)))
        }
        (
            HappeningKind::Told
            | HappeningKind::Said
            | HappeningKind::Stderr
            | HappeningKind::Note
            | HappeningKind::Time,
            Some(name),
        ) => {
            let mut line = Line::painted(Style::FAINT, &cut(name, NAME));
            line.paint(style, &format!("{sign}{text}"));
            line
        }
    }
}

/// A line of at most so many columns, or a few: somebody wants to read what a fault was.
fn wrapped(happening: &Happening, names: &[String], columns: usize) -> Vec<Line> {
    let whole = line(happening, names);
    if whole.width() <= columns || columns <= INDENT {
        return vec![whole.fit(columns)];
    }
    let (style, _) = look(happening.kind);
    let mut rest = whole.text(Ink::Plain);
    let mut lines: Vec<Line> = Vec::new();
    while !rest.is_empty() {
        let indent = if lines.is_empty() { 0 } else { INDENT };
        let room = columns - indent;
        let last = lines.len() + 1 == MOST_ROWS;
        let (row, more) =
            if last { (cut(&rest, room).into_owned(), "") } else { split(&rest, room) };
        lines.push(Line::painted(style, &format!("{}{row}", " ".repeat(indent))));
        rest = more.to_owned();
    }
    lines
}

/// As much of a text as so many columns take, and the rest; between words, if there are short ones.
fn split(text: &str, columns: usize) -> (String, &str) {
    let (mut used, mut end, mut gap) = (0, 0, None);
    for (at, letter) in text.char_indices() {
        used += width(letter.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        end = at + letter.len_utf8();
        if letter == ' ' {
            gap = Some(end).filter(|gap| *gap > columns / 2);
        }
    }
    // A letter that is wider than all the room would be split off for ever.
    let first = text.chars().next().map_or(0, char::len_utf8);
    let at = if end == text.len() { end } else { gap.unwrap_or(end).max(first) };
    (text[..at].trim_end().to_owned(), &text[at..])
}

/// Everything that happened: how it ended, faults and moves first, then what went over the pipes.
pub(crate) fn lines(happenings: &[Happening], names: &[String], columns: usize) -> Vec<Line> {
    let of = |kinds: &'static [HappeningKind]| {
        happenings.iter().filter(move |happening| kinds.contains(&happening.kind))
    };
    let first = of(&[HappeningKind::End])
        .chain(of(&[HappeningKind::Fault]))
        .chain(of(&[HappeningKind::Move]));
    let talk = of(&[
        HappeningKind::Told,
        HappeningKind::Said,
        HappeningKind::Stderr,
        HappeningKind::Note,
        HappeningKind::Time,
    ]);
    first.chain(talk).flat_map(|happening| wrapped(happening, names, columns)).collect()
}

/// The names of the players, by seat.
pub(crate) fn names(replay: &dyn AnyReplay) -> Vec<String> {
    replay.header().players.iter().map(|player| player.name.clone()).collect()
}

/// What is printed below a picture: times, moves, faults, the end, and the last things that were
/// said.
pub(crate) fn caption(
    replay: &mut dyn AnyReplay,
    step: usize,
    eyes: Option<PlayerId>,
) -> Vec<Line> {
    let names = names(replay);
    let happenings = replay.happenings(step, eyes);
    let mut lines = Vec::new();
    for kind in [HappeningKind::Time, HappeningKind::Move, HappeningKind::Fault, HappeningKind::End]
    {
        let all = happenings.iter().filter(|happening| happening.kind == kind);
        lines.extend(all.map(|happening| line(happening, &names)));
    }
    let said = |happening: &&Happening| {
        matches!(happening.kind, HappeningKind::Note | HappeningKind::Stderr)
    };
    let said: Vec<&Happening> = happenings.iter().filter(said).collect();
    let hidden = said.len().saturating_sub(SAID);
    lines.extend(said[hidden..].iter().map(|happening| line(happening, &names)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_takes_a_few_rows_and_no_more() {
        let fault = |text: &str| Happening {
            kind: HappeningKind::Fault,
            who: Some(PlayerId(0)),
            text: text.to_owned(),
        };
        let names = ["日本".to_owned()];
        let shown = |text: &str, columns: usize| -> Vec<String> {
            let lines = lines(&[fault(text)], &names, columns);
            lines.iter().map(|line| line.text(Ink::Plain)).collect()
        };
        assert_eq!(shown("crash: KeyError", 40), ["! 日本 crash: KeyError"]);
        let rows = shown("illegal: \"100,100\" is off the board", 24);
        assert_eq!(rows, ["! 日本 illegal:", "  \"100,100\" is off the", "  board"]);
        for columns in 1..30 {
            let rows = shown(&"日本語".repeat(40), columns);
            assert!(rows.len() <= MOST_ROWS, "{columns}: {rows:?}");
            assert!(rows.iter().all(|row| width(row) <= columns.max(4)), "{columns}: {rows:?}");
        }
    }
}
