//! What happened in a step of a recorded game, as lines beside or below its picture.

use game::PlayerId;
use table::picture::cut;
use table::{AnyReplay, Happening, Kind, Line, Style};

/// No name takes more columns than this.
const NAME: usize = 16;
/// `replay --at` shows so many things that bots said.
const SAID: usize = 3;

/// The style and the sign of each kind of thing, in the signs of `replay --lines`.
fn look(kind: Kind) -> (Style, &'static str) {
    match kind {
        Kind::Told => (Style::FAINT, " > "),
        Kind::Said => (Style::PLAIN, " < "),
        Kind::Stderr => (Style("33"), " ! "),
        Kind::Note => (Style("36"), " says "),
        Kind::Time => (Style::FAINT, " = "),
        Kind::Move => (Style::STRONG, ""),
        Kind::Fault => (Style::ALARM, " "),
        Kind::End => (Style("1;32"), ""),
    }
}

fn line(happening: &Happening, names: &[String]) -> Line {
    let Happening { kind, who, text } = happening;
    let (style, sign) = look(*kind);
    let name = who.and_then(|who: PlayerId| names.get(who.index()));
    match (kind, name) {
        // Moves name their actors, and an end is everybody's.
        (Kind::Move | Kind::End, _) | (_, None) => Line::painted(style, &format!("{sign}{text}")),
        (Kind::Fault, Some(name)) => {
            Line::painted(style, &format!("! {}{sign}{text}", cut(name, NAME)))
        }
        (Kind::Told | Kind::Said | Kind::Stderr | Kind::Note | Kind::Time, Some(name)) => {
            let mut line = Line::painted(Style::FAINT, &cut(name, NAME));
            line.paint(style, &format!("{sign}{text}"));
            line
        }
    }
}

/// Everything that happened: how it ended, faults and moves first, then what went over the pipes.
pub(crate) fn lines(happenings: &[Happening], names: &[String]) -> Vec<Line> {
    let of = |kinds: &'static [Kind]| {
        happenings.iter().filter(move |happening| kinds.contains(&happening.kind))
    };
    let first = of(&[Kind::End]).chain(of(&[Kind::Fault])).chain(of(&[Kind::Move]));
    let talk = of(&[Kind::Told, Kind::Said, Kind::Stderr, Kind::Note, Kind::Time]);
    first.chain(talk).map(|happening| line(happening, names)).collect()
}

/// The names of the players, by seat.
pub(crate) fn names(replay: &dyn AnyReplay) -> Vec<String> {
    replay.header().players.iter().map(|player| player.name.clone()).collect()
}

/// What is printed below a picture: times, moves, faults, the end, and the last things that were said.
pub(crate) fn caption(
    replay: &mut dyn AnyReplay,
    step: usize,
    eyes: Option<PlayerId>,
) -> Vec<Line> {
    let names = names(replay);
    let happenings = replay.happenings(step, eyes);
    let mut lines = Vec::new();
    for kind in [Kind::Time, Kind::Move, Kind::Fault, Kind::End] {
        let all = happenings.iter().filter(|happening| happening.kind == kind);
        lines.extend(all.map(|happening| line(happening, &names)));
    }
    let said = |happening: &&Happening| matches!(happening.kind, Kind::Note | Kind::Stderr);
    let said: Vec<&Happening> = happenings.iter().filter(said).collect();
    let hidden = said.len().saturating_sub(SAID);
    lines.extend(said[hidden..].iter().map(|happening| line(happening, &names)));
    lines
}
