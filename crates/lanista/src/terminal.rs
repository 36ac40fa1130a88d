//! What we know about the terminal, and how we write to it.

use std::io::{IsTerminal as _, Write as _, stderr, stdout};

use table::Ink;

/// Whether colours are wanted on standard output.
pub(crate) fn ink() -> Ink {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && stdout().is_terminal() { Ink::Colour } else { Ink::Plain }
}

/// Writes a line to standard output. A closed pipe is an error that ends the program quietly.
pub(crate) fn say(text: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")
}

/// Tells the user what went wrong.
pub(crate) fn complain(text: &str) {
    remark(&format!("lanista: {text}"));
}

/// Writes a line to standard error; if that fails, there is nobody to tell.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(stderr().lock(), "{text}");
}
