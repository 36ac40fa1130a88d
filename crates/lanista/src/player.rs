//! Stepping through a recorded game on the terminal.

use std::io::{Write as _, stdout};
use std::time::Duration;

use anyhow::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use table::AnyReplay;

use crate::terminal::ink;

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
    Enter,
    Leave,
    Other,
}

/// Lets the user walk through the game.
pub(crate) fn run(replay: &mut dyn AnyReplay) -> Result<()> {
    let mut view = View {
        step: 0,
        last: replay.len(),
        playing: false,
        pause: Duration::from_millis(500),
        typed: String::new(),
    };
    let _raw = RawMode::new()?;
    loop {
        draw(replay, &view)?;
        match key(view.playing.then_some(view.pause))? {
            Some(Key::Leave) => return Ok(()),
            Some(key) => view.press(&key),
            None => {
                view.step = (view.step + 1).min(view.last);
                view.playing = view.step < view.last;
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
    let mut text = replay.draw(view.step, ink());
    text.push('\n');
    for line in replay.caption(view.step) {
        text.push_str(&line);
        text.push('\n');
    }
    let state = if view.playing { "playing" } else { "paused" };
    text.push_str(&format!(
        "\nstep {}/{} ({state})  ←/→ step  space play  +/- speed  g/G first/last  \
         number Enter jump  q leave  {}",
        view.step, view.last, view.typed
    ));
    let text = text.replace('\n', "\x1b[K\r\n");
    write!(stdout(), "\x1b[H{text}\x1b[K\x1b[J")?;
    stdout().flush()?;
    Ok(())
}

/// The next key; `None` if none came in time.
fn key(timeout: Option<Duration>) -> Result<Option<Key>> {
    let timeout = timeout.map(|time| Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: time.subsec_nanos().into(),
    });
    let keyboard = stdin();
    let mut waits = [PollFd::new(&keyboard, PollFlags::IN)];
    if poll(&mut waits, timeout.as_ref())? == 0 {
        return Ok(None);
    }
    let mut bytes = [0; 8];
    let count = rustix::io::read(stdin(), &mut bytes)?;
    Ok(Some(meaning(&bytes[..count])))
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
        b"\r" | b"\n" => Key::Enter,
        // Nothing to read: the terminal is gone. Ctrl-C and Ctrl-D leave, too.
        b"" | b"q" | b"\x1b" | b"\x03" | b"\x04" => Key::Leave,
        [digit @ b'0'..=b'9'] => Key::Digit(char::from(*digit)),
        _ => Key::Other,
    }
}
