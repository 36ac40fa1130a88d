//! The full-screen mode of the terminal: a second screen without echo, the keys that are pressed,
//! and everything back as it was however we leave: by a key, a signal or a panic.

use std::io::{Write as _, stdout};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use anyhow::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use table::{Ink, Line, Room};

use crate::terminal;

/// What the terminal was like before, as long as it is ours.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Puts the terminal back in order, if it is ours.
fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        let _ = write!(stdout(), "\x1b[?25h\x1b[?1049l");
        let _ = stdout().flush();
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}

/// The terminal without echo and line editing, put back in order when dropped.
pub(crate) struct Screen {
    ink: Ink,
}

/// What we waited for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScreenEvent {
    Keys(Vec<KeyPress>),
    /// The time is up.
    Time,
    /// The terminal has another size.
    Resized,
    /// Somebody wants us to end, or the terminal is gone.
    Gone,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeyPress {
    Forward,
    Back,
    First,
    Last,
    NextFault,
    PreviousFault,
    Eyes,
    Up,
    Down,
    Help,
    PlayOrPause,
    Faster,
    Slower,
    Digit(char),
    Erase,
    Enter,
    Leave,
    Other,
}

impl Screen {
    pub(crate) fn new() -> Result<Screen> {
        // A panic is told on a screen that stays.
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let usual = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                usual(panic);
            }));
        });
        host::catch_interrupts();
        host::resize_waker();
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        let screen = Screen { ink: terminal::ink() };
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        // A second screen, so that the first one is as it was when we leave.
        write!(stdout(), "\x1b[?1049h\x1b[?25l")?;
        Ok(screen)
    }

    /// How large it is at this moment.
    pub(crate) fn room(&self) -> Room {
        terminal::room(&stdout())
    }

    /// Shows these lines and nothing else.
    pub(crate) fn show(&self, lines: &[Line]) -> Result<()> {
        let lines: Vec<String> = lines.iter().map(|line| line.text(self.ink)).collect();
        write!(stdout(), "\x1b[H{}\x1b[K\x1b[J", lines.join("\x1b[K\r\n"))?;
        stdout().flush()?;
        Ok(())
    }

    /// Waits for whatever comes first.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> Result<ScreenEvent> {
        let timeout = timeout.map(|time| Timespec {
            tv_sec: time.as_secs() as i64,
            tv_nsec: time.subsec_nanos().into(),
        });
        let (keyboard, interrupt, resize) =
            (stdin(), host::interrupt_waker(), host::resize_waker());
        let mut waits = [&keyboard, &interrupt, &resize].map(|fd| PollFd::new(fd, PollFlags::IN));
        match poll(&mut waits, timeout.as_ref()) {
            Ok(0) => return Ok(ScreenEvent::Time),
            // By a signal: what it was is to be read there.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if host::interrupted() {
            return Ok(ScreenEvent::Gone);
        }
        // That it can be read says that the size has changed.
        if rustix::io::read(resize, &mut [0; 8]).is_ok() {
            return Ok(ScreenEvent::Resized);
        }
        if waits[0].revents().is_empty() {
            return Ok(ScreenEvent::Keys(Vec::new()));
        }
        // Several keys may come at once: held down, pasted, over a slow line.
        let mut bytes = [0; 256];
        match rustix::io::read(keyboard, &mut bytes) {
            Ok(0) | Err(Errno::IO) => Ok(ScreenEvent::Gone),
            Ok(count) => Ok(ScreenEvent::Keys(keys(&bytes[..count]))),
            Err(Errno::INTR) => Ok(ScreenEvent::Keys(Vec::new())),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn keys(mut bytes: &[u8]) -> Vec<KeyPress> {
    let mut keys = Vec::new();
    while !bytes.is_empty() {
        let length = key_length(bytes);
        keys.push(meaning(&bytes[..length]));
        bytes = &bytes[length..];
    }
    keys
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

fn meaning(bytes: &[u8]) -> KeyPress {
    match bytes {
        b"\x1b[C" | b"\x1bOC" | b"n" | b"l" => KeyPress::Forward,
        b"\x1b[D" | b"\x1bOD" | b"p" | b"h" => KeyPress::Back,
        b"\x1b[A" | b"\x1bOA" | b"k" => KeyPress::Up,
        b"\x1b[B" | b"\x1bOB" | b"j" => KeyPress::Down,
        b"\x1b[H" | b"\x1bOH" | b"\x1b[1~" | b"g" => KeyPress::First,
        b"\x1b[F" | b"\x1bOF" | b"\x1b[4~" | b"G" => KeyPress::Last,
        b"f" => KeyPress::NextFault,
        b"F" => KeyPress::PreviousFault,
        b"e" => KeyPress::Eyes,
        b"?" => KeyPress::Help,
        b" " => KeyPress::PlayOrPause,
        b"+" | b"=" => KeyPress::Faster,
        b"-" => KeyPress::Slower,
        b"\x7f" | b"\x08" => KeyPress::Erase,
        b"\r" | b"\n" => KeyPress::Enter,
        // Ctrl-C and Ctrl-D leave, too.
        b"q" | b"\x1b" | b"\x03" | b"\x04" => KeyPress::Leave,
        [digit @ b'0'..=b'9'] => KeyPress::Digit(char::from(*digit)),
        _ => KeyPress::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_come_at_once_are_told_apart() {
        let keys = keys(b"\x1b[C\x1b[C15\r\x1b[1~fFeq");
        let wanted = [
            KeyPress::Forward,
            KeyPress::Forward,
            KeyPress::Digit('1'),
            KeyPress::Digit('5'),
            KeyPress::Enter,
        ];
        assert_eq!(keys[..5], wanted);
        let wanted = [
            KeyPress::First,
            KeyPress::NextFault,
            KeyPress::PreviousFault,
            KeyPress::Eyes,
            KeyPress::Leave,
        ];
        assert_eq!(keys[5..], wanted);
    }
}
