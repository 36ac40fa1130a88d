//! What lines of a brain mean in a script, read as the manager reads them.

use table::check::{Reading, ScriptSoFar};

use super::super::about;
use super::super::wire::FromBrain;
use super::unexpected;

/// Messages and blank lines are never an answer.
pub(super) fn is_aside(line: &[u8]) -> bool {
    match FromBrain::parse(line) {
        FromBrain::Message(_) | FromBrain::Debug(_) | FromBrain::Nothing => true,
        FromBrain::Ok
        | FromBrain::Error(_)
        | FromBrain::Unknown(_)
        | FromBrain::Suggest(..)
        | FromBrain::Cells(_)
        | FromBrain::Swap
        | FromBrain::Other(_) => false,
    }
}

/// `OK`; whatever comes before it is a banner.
pub(super) fn ok(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Ok => Reading::Answer,
        FromBrain::Error(_) | FromBrain::Unknown(_) => unexpected(line),
        _ => Reading::Aside,
    }
}

/// `OK`, and nothing before it.
pub(super) fn ok_alone(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Ok => Reading::Answer,
        _ => unexpected(line),
    }
}

/// `OK`, or an answer that says that the brain cannot do this.
pub(super) fn ok_or_skip(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Ok => Reading::Answer,
        FromBrain::Error(text) => Reading::Skip(format!("it says ERROR {text}")),
        FromBrain::Unknown(text) => Reading::Skip(format!("it says UNKNOWN {text}")),
        _ => unexpected(line),
    }
}

/// `OK` or `ERROR`.
pub(super) fn ok_or_error(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Ok | FromBrain::Error(_) | FromBrain::Unknown(_) => Reading::Answer,
        _ => unexpected(line),
    }
}

/// A line about the brain. Complaints about earlier lines may come before it.
pub(super) fn about(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Other(_) => Reading::Answer,
        FromBrain::Error(_) | FromBrain::Unknown(_) => Reading::Aside,
        _ => unexpected(line),
    }
}

/// A line about the brain, and nothing before it.
pub(super) fn about_alone(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Other(_) => Reading::Answer,
        _ => unexpected(line),
    }
}

/// A line about the brain with a name in it.
pub(super) fn named(so_far: &ScriptSoFar, line: &[u8]) -> Reading {
    match about(so_far, line) {
        Reading::Answer => {
            let text = String::from_utf8_lossy(line).to_lowercase();
            let named = text.contains("name") && about::about(line).name.is_some();
            Reading::answer_unless(
                (!named).then(|| "there is no name=\"…\" in its line about itself".to_owned()),
            )
        }
        other => other,
    }
}

/// A move on a board of this size that is not on one of the cells that are taken. Words instead of a
/// move are held, as the manager does: the move may still come.
pub(super) fn move_in(
    width: u8,
    height: u8,
    taken: impl Fn(&ScriptSoFar) -> Vec<(i64, i64)> + Send + Sync + 'static,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    move |so_far, line| match FromBrain::parse(line) {
        FromBrain::Cells(cells) if cells.pairs().len() == 1 => {
            let (x, y) = cells.pairs()[0];
            if !(0..i64::from(width)).contains(&x) || !(0..i64::from(height)).contains(&y) {
                return Reading::Wrong(format!(
                    "{x},{y} is not on the board of {width}x{height}: columns and rows are counted from 0"
                ));
            }
            if taken(so_far).contains(&(x, y)) {
                return Reading::Wrong(format!("{x},{y} is taken"));
            }
            match cells.have_tail() {
                true => Reading::Odd("something follows the move in its line".to_owned()),
                false => Reading::Answer,
            }
        }
        FromBrain::Error(_) | FromBrain::Unknown(_) | FromBrain::Other(_) | FromBrain::Ok => {
            Reading::Aside
        }
        FromBrain::Suggest(..) => {
            Reading::Skip("it answers with SUGGEST, which a manager answers with PLAY".to_owned())
        }
        _ => unexpected(line),
    }
}

/// Any move.
pub(super) fn any_move(line: &[u8]) -> Reading {
    match FromBrain::parse(line) {
        FromBrain::Cells(_) | FromBrain::Suggest(..) => Reading::Answer,
        FromBrain::Error(_) | FromBrain::Unknown(_) | FromBrain::Other(_) | FromBrain::Ok => {
            Reading::Aside
        }
        _ => unexpected(line),
    }
}

/// A move on one of these cells.
pub(super) fn cell_in(
    free: Vec<(i64, i64)>,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    let on_board = move_in(20, 20, |_| Vec::new());
    move |so_far, line| match on_board(so_far, line) {
        Reading::Answer | Reading::Odd(_) => {
            let cells = cells(line);
            let is_free = cells.iter().all(|cell| free.contains(cell));
            Reading::answer_unless((!is_free).then(|| {
                let (x, y) = cells.first().copied().unwrap_or_default();
                format!("{x},{y} is taken")
            }))
        }
        other => other,
    }
}

/// Asks for a move if the answer before was `OK`, and for something that is always known otherwise.
pub(super) fn begin_if_ok(so_far: &ScriptSoFar) -> String {
    match so_far.answers.last().map(|line| FromBrain::parse(line)) {
        Some(FromBrain::Ok) => "INFO timeout_turn 500\nBEGIN".to_owned(),
        Some(_) | None => "ABOUT".to_owned(),
    }
}

/// A move, if the answer before it was `OK`; anything otherwise, as nothing was started.
pub(super) fn move_if_ok(
    size: u8,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    let on_board = move_in(size, size, |_| Vec::new());
    move |so_far, line| match so_far.answers.last().map(|line| FromBrain::parse(line)) {
        Some(FromBrain::Ok) => on_board(so_far, line),
        Some(_) | None => Reading::Answer,
    }
}

/// What swap2 allows: three cells, at most two and `SWAP`, or one and `SWAP`.
pub(super) fn swap2(
    most: usize,
) -> impl Fn(&ScriptSoFar, &[u8]) -> Reading + Send + Sync + 'static {
    move |_, line| match FromBrain::parse(line) {
        FromBrain::Cells(cells) => {
            let count = cells.pairs().len();
            let right = if most == 3 { count == 3 } else { count <= most };
            Reading::answer_unless(
                (!right).then(|| format!("{count} cells are not what is asked for here")),
            )
        }
        FromBrain::Swap if most < 3 => Reading::Answer,
        FromBrain::Unknown(text) => Reading::Skip(format!("it says UNKNOWN {text}")),
        FromBrain::Error(text) => Reading::Skip(format!("it says ERROR {text}")),
        _ => unexpected(line),
    }
}

/// The moves among the answers so far.
pub(super) fn cells_of(so_far: &ScriptSoFar) -> Vec<(i64, i64)> {
    so_far.answers.iter().flat_map(|line| cells(line)).collect()
}

fn cells(line: &[u8]) -> Vec<(i64, i64)> {
    match FromBrain::parse(line) {
        FromBrain::Cells(cells) => cells.pairs().to_vec(),
        _ => Vec::new(),
    }
}
