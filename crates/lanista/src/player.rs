//! Stepping through a recorded game on the terminal.

use std::io::{Write as _, stdout};
use std::time::Duration;

use anyhow::Result;
use game::PlayerId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use table::AnyReplay;

use crate::eyes;

/// The terminal without echo and line editing, put back in order when dropped.
struct RawMode(Termios);

impl RawMode {
    fn new() -> Result<RawMode> {
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        // A second screen, so that the first one is as it was when we leave.
        write!(stdout(), "\x1b[?1049h\x1b[?25l")?;
        Ok(RawMode(before))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = write!(stdout(), "\x1b[?25h\x1b[?1049l");
        let _ = stdout().flush();
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}

/// What the player is doing.
struct View {
    eyes: Option<PlayerId>,
    step: usize,
    last: usize,
    playing: bool,
    pause: Duration,
    typed: String,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    Forward,
    Back,
    First,
    Last,
    PlayOrPause,
    Faster,
    Slower,
    Digit(char),
    Erase,
    Enter,
    Leave,
    Other,
}

/// Lets the user walk through the game, as `eyes` see it or all of it.
pub(crate) fn run(replay: &mut dyn AnyReplay, eyes: Option<PlayerId>) -> Result<()> {
    let mut view = View {
        eyes,
        step: 0,
        last: replay.len(),
        playing: false,
        pause: Duration::from_millis(500),
        typed: String::new(),
    };
    let _raw = RawMode::new()?;
    loop {
        draw(replay, &view)?;
        let keys = keys(view.playing.then_some(view.pause))?;
        if keys.is_empty() {
            view.step = (view.step + 1).min(view.last);
            view.playing = view.step < view.last;
        }
        for key in keys {
            match key {
                Key::Leave => return Ok(()),
                key => view.press(&key),
            }
        }
    }
}

impl View {
    fn press(&mut self, key: &Key) {
        match key {
            Key::Forward => self.step = (self.step + 1).min(self.last),
            Key::Back => self.step = self.step.saturating_sub(1),
            Key::First => self.step = 0,
            Key::Last => self.step = self.last,
            Key::PlayOrPause => {
                if !self.playing && self.step == self.last {
                    self.step = 0;
                }
                self.playing = !self.playing;
            }
            Key::Faster => self.pause = (self.pause / 2).max(Duration::from_millis(15)),
            Key::Slower => self.pause = (self.pause * 2).min(Duration::from_secs(8)),
            Key::Digit(digit) => {
                if self.typed.len() < 6 {
                    self.typed.push(*digit);
                }
            }
            Key::Erase => drop(self.typed.pop()),
            Key::Enter => {
                if let Ok(step) = self.typed.parse::<usize>() {
                    self.step = step.min(self.last);
                }
                self.typed.clear();
            }
            Key::Leave | Key::Other => {}
        }
    }
}

fn draw(replay: &mut dyn AnyReplay, view: &View) -> Result<()> {
    let mut text = eyes::draw(replay, view.step, view.eyes);
    text.push('\n');
    for line in replay.caption(view.step) {
        text.push_str(&line);
        text.push('\n');
    }
    let state = if view.playing { "▶" } else { "‖" };
    let (step, last, typed) = (view.step, view.last, &view.typed);
    text.push_str(&format!(
        "{state} {step}/{last}  ←→ step  space play  +- speed  g G ends  N⏎ jump  q leave  {typed}"
    ));
    // What does not fit scrolls away at the top, so that the words below stay in sight.
    let rows = tcgetwinsize(stdin()).map_or(24, |size| usize::from(size.ws_row)).max(4);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[lines.len().saturating_sub(rows)..].join("\x1b[K\r\n");
    write!(stdout(), "\x1b[H{shown}\x1b[K\x1b[J")?;
    stdout().flush()?;
    Ok(())
}

/// The keys that were pressed; none if none came in time.
fn keys(timeout: Option<Duration>) -> Result<Vec<Key>> {
    let timeout = timeout.map(|time| Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: time.subsec_nanos().into(),
    });
    let keyboard = stdin();
    let mut waits = [PollFd::new(&keyboard, PollFlags::IN)];
    if poll(&mut waits, timeout.as_ref())? == 0 {
        return Ok(Vec::new());
    }
    // Several keys may come at once: held down, pasted, over a slow line.
    let mut bytes = [0; 256];
    let count = rustix::io::read(stdin(), &mut bytes)?;
    // Nothing to read: the terminal is gone.
    if count == 0 {
        return Ok(vec![Key::Leave]);
    }
    let mut rest = &bytes[..count];
    let mut keys = Vec::new();
    while !rest.is_empty() {
        let length = key_length(rest);
        keys.push(meaning(&rest[..length]));
        rest = &rest[length..];
    }
    Ok(keys)
}

/// How many bytes the first key takes: one, or an escape sequence.
fn key_length(bytes: &[u8]) -> usize {
    match bytes {
        [0x1b, b'[' | b'O', more @ ..] => {
            let end = more.iter().position(|byte| byte.is_ascii_alphabetic() || *byte == b'~');
            2 + end.map_or(more.len(), |end| end + 1)
        }
        _ => 1,
    }
}

fn meaning(bytes: &[u8]) -> Key {
    match bytes {
        b"\x1b[C" | b"\x1bOC" | b"n" | b"l" => Key::Forward,
        b"\x1b[D" | b"\x1bOD" | b"p" | b"h" => Key::Back,
        b"\x1b[H" | b"\x1b[1~" | b"g" => Key::First,
        b"\x1b[F" | b"\x1b[4~" | b"G" => Key::Last,
        b" " => Key::PlayOrPause,
        b"+" | b"=" => Key::Faster,
        b"-" => Key::Slower,
        b"\x7f" | b"\x08" => Key::Erase,
        b"\r" | b"\n" => Key::Enter,
        // Ctrl-C and Ctrl-D leave, too.
        b"q" | b"\x1b" | b"\x03" | b"\x04" => Key::Leave,
        [digit @ b'0'..=b'9'] => Key::Digit(char::from(*digit)),
        _ => Key::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_come_at_once_are_told_apart() {
        let mut rest: &[u8] = b"\x1b[C\x1b[C15\r\x1b[1~q";
        let mut keys = Vec::new();
        while !rest.is_empty() {
            let length = key_length(rest);
            keys.push(meaning(&rest[..length]));
            rest = &rest[length..];
        }
        let wanted = [Key::Forward, Key::Forward, Key::Digit('1'), Key::Digit('5'), Key::Enter];
        assert_eq!(keys[..5], wanted);
        assert_eq!(keys[5..], [Key::First, Key::Leave]);
    }
}
