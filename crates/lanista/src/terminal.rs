//! The terminal: what we know about it, and the only functions that print.
//!
//! Everything that is printed goes through here and is made safe here ([`game::text`]), whatever is
//! in names, reasons, paths and what bots said. Nobody else needs to think of it.

pub(crate) mod panel;
pub(crate) mod person;
pub(crate) mod player;
pub(crate) mod player_view;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod watch;

use std::io::{IsTerminal as _, Write as _, stderr, stdin, stdout};
use std::os::fd::AsFd;

use game::text;
use rustix::termios::tcgetwinsize;
use serde::Serialize;
use table::{Ink, Line, Room};

/// A picture that goes to a file or a pipe has so much room.
const PAPER: Room = Room { columns: 120, rows: 60 };
/// A terminal that does not say how large it is.
const USUAL: Room = Room { columns: 80, rows: 24 };

/// Whether what is written there can be drawn over: a terminal that understands more than plain
/// lines.
pub(crate) fn is_live(stream: &impl std::io::IsTerminal) -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    stream.is_terminal() && !dumb
}

/// Whether colours are wanted on standard output.
pub(crate) fn ink() -> Ink {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && is_live(&stdout()) { Ink::Colour } else { Ink::Plain }
}

/// How large the terminal is at this moment, or what a file has room for.
pub(crate) fn room(stream: &(impl AsFd + std::io::IsTerminal)) -> Room {
    if !stream.is_terminal() {
        return PAPER;
    }
    match tcgetwinsize(stream) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            Room { columns: size.ws_col.into(), rows: size.ws_row.into() }
        }
        Ok(_) | Err(_) => USUAL,
    }
}

/// How many columns a table may have: those of the terminal, and 80 where there is none.
pub(crate) fn columns() -> usize {
    let size = tcgetwinsize(stdout()).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Writes text of one or several lines, and a line end, to standard output. A closed pipe is an
/// error that ends the program quietly.
pub(crate) fn say(text: &str) -> std::io::Result<()> {
    put(&text::lines(text))
}

/// Writes lines to standard output. What looks like a line end in one of them is spelled out: it
/// came from outside.
pub(crate) fn say_lines(lines: impl IntoIterator<Item = impl AsRef<str>>) -> std::io::Result<()> {
    lines.into_iter().try_for_each(|line| put(&text::one_line(line.as_ref())))
}

/// Writes a value as one line of JSON to standard output.
pub(crate) fn say_json(value: &impl Serialize) -> anyhow::Result<()> {
    put(&json(value)?)?;
    Ok(())
}

/// A value as one line of JSON without any character that a terminal would obey. The strings in it
/// say the same: such characters stand in strings only, and are escaped there.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    if !text.chars().any(text::is_unsafe) {
        return Ok(text);
    }
    let mut units = [0; 2];
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match text::is_unsafe(letter) {
            true => {
                for unit in letter.encode_utf16(&mut units) {
                    escaped.push_str(&format!("\\u{unit:04x}"));
                }
            }
            false => escaped.push(letter),
        }
    }
    Ok(escaped)
}

/// Writes a file for another program to standard output: byte for byte, except on a terminal.
pub(crate) fn say_file(text: &str) -> std::io::Result<()> {
    match stdout().is_terminal() {
        true => write(text::lines(&text.replace("\r\n", "\n")).as_bytes()),
        false => write(text.as_bytes()),
    }
}

/// Writes painted lines.
pub(crate) fn say_painted(lines: &[Line]) -> std::io::Result<()> {
    let ink = ink();
    lines.iter().try_for_each(|line| put(&line.text(ink)))
}

fn put(text: &str) -> std::io::Result<()> {
    write(format!("{text}\n").as_bytes())
}

/// Writes bytes to standard output. When it returns they have left this program, so that a full
/// disk is noticed.
fn write(bytes: &[u8]) -> std::io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(unwritten)
}

/// Says that it was standard output that could not be written to.
fn unwritten(error: std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
}

/// Asks the user something, and reads the line that they type; none at the end of the input.
pub(crate) fn prompt(question: &str) -> std::io::Result<Option<String>> {
    write(text::one_line(question).as_bytes())?;
    let mut line = String::new();
    match stdin().read_line(&mut line)? {
        0 => Ok(None),
        _ => Ok(Some(line.trim().to_owned())),
    }
}

/// Tells the user what went wrong.
pub(crate) fn complain(text: &str) {
    remark(&format!("lanista: {text}"));
}

/// Writes text of one or several lines to standard error; if that fails, there is nobody to tell.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(stderr().lock(), "{}", text::lines(text));
}

#[cfg(feature = "cluster")]
/// The same while progress is shown, which is drawn anew below it.
pub(crate) fn note(text: &str) {
    let erased = if is_live(&stderr()) { "\r\x1b[J" } else { "" };
    let _ = writeln!(stderr().lock(), "{erased}{}", text::lines(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_without_a_character_that_a_terminal_obeys() {
        let name = "a\x1b[2J\u{9b}1m\u{202e}\u{e0041}é";
        let text = json(&serde_json::json!({ "name": name })).expect("it serialises");
        assert!(!text.chars().any(text::is_unsafe), "{text}");
        let back: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(back["name"], name);
    }
}
