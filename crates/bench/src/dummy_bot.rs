//! A game's simplest bot as a process: this program, started with a hidden first argument.

use std::ffi::OsStr;
use std::io::Write as _;
use std::time::Duration;

use league::GameList;
use rustix::time::{ClockId, clock_gettime};
use table::Dummy;

/// The hidden first argument with which the program becomes a dummy.
pub(crate) const COMMAND: &str = "__dummy";

/// The same for a dummy that has children.
pub(crate) const PARENT: &str = "__parent";

/// Answers at once until the end of its input. Plain reads and writes: what is measured is the
/// host, not this. Writes the time of its first byte into the file `stamp`, unless another has.
pub(crate) fn dummy(games: GameList, game: &OsStr, stamp: Option<&OsStr>) {
    play(games, game, stamp, || ());
}

/// The same, with something to do before every answer.
pub(crate) fn play(games: GameList, game: &OsStr, stamp: Option<&OsStr>, before: impl Fn()) {
    if let Some(dummy) = dummy_of(games, game) {
        answer((dummy.make)(), stamp, before);
    }
}

/// Has a child with its first answer and leaves with its second one.
pub(crate) fn parent(games: GameList, game: &OsStr) {
    if let Some(parent) = dummy_of(games, game).and_then(|dummy| dummy.parent) {
        answer((parent.make)(), None, || ());
    }
}

fn dummy_of(games: GameList, game: &OsStr) -> Option<Dummy> {
    let game = games.iter().find(|known| OsStr::new(known.card().id) == game);
    game.and_then(|game| game.card().dummy)
}

fn answer(mut bot: Box<dyn FnMut(&[u8], &mut Vec<u8>)>, stamp: Option<&OsStr>, before: impl Fn()) {
    let (mut heard, mut answers) = (Vec::new(), Vec::new());
    let mut buffer = [0; 4096];
    let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    let mut stamp = stamp;
    while let Ok(count @ 1..) = rustix::io::read(stdin, &mut buffer) {
        if let Some(file) = stamp.take() {
            let now = monotonic().as_secs_f64();
            let file = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
            let _ = file.and_then(|mut file| writeln!(file, "{now:.9}"));
        }
        heard.extend_from_slice(&buffer[..count]);
        let mut from = 0;
        while let Some(length) = heard[from..].iter().position(|&byte| byte == b'\n') {
            bot(&heard[from..from + length], &mut answers);
            from += length + 1;
        }
        heard.drain(..from);
        if !answers.is_empty() {
            before();
        }
        if !answers.is_empty() && rustix::io::write(stdout, &answers).is_err() {
            return;
        }
        answers.clear();
    }
}

/// A clock that all processes of this machine share.
pub(crate) fn monotonic() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
