//! Usual causes that what happened shows better than the promise that was tried.

use game::FaultKind;
use table::check::ScriptSoFar;

use crate::trial::{Side, Trial};

const NO_LINE_END: &str = "the answer is written without the end of its line, or the end comes first: \
    write \\n after every answer, then flush; a prompt, as of input(\"> \"), has no place on standard output";

const NEVER_SAID: &str = "the answer stays in a buffer: flush after every line (Python: print(…, flush=True); \
    C: fflush(stdout); C++: std::endl; Java: System.out.flush(); Ruby: $stdout.sync = true; Perl: $| = 1); or \
    the program waits for more than a line, as it does when it reads its input to the end";

const FIRST_WORDS: &str = "the line itself: compare it with what was expected; if it is meant for people, \
    write it to standard error (Python: print(…, file=sys.stderr))";

const BYTE_ORDER_MARK: &str = "a byte order mark stands before the answer: write UTF-8 without it (C#: new \
    UTF8Encoding(false))";

const FAILED: &str = "the program itself has failed, and its lines with ! say where; if there are none, type \
    the lines with > to it by hand";

/// Of a bot that leaves with an error when it is to leave.
pub(crate) const FAILED_AT_END: &str = "the end of the input is taken for an error (Python: input() raises \
    EOFError there; for line in sys.stdin ends quietly); its lines with ! say where";

/// Of an end like this where the bot was asked.
pub(crate) fn of_end(kind: FaultKind, how: &str) -> Option<&'static str> {
    (kind == FaultKind::Crash && !how.contains("exited with code 0")).then_some(FAILED)
}

/// Of a line that is not the answer, if that would have been the first.
pub(crate) fn of_words(line: &[u8], so_far: &ScriptSoFar) -> Option<&'static str> {
    let cause = match line.starts_with("\u{feff}".as_bytes()) {
        true => BYTE_ORDER_MARK,
        false => FIRST_WORDS,
    };
    so_far.answers.is_empty().then_some(cause)
}

/// Of an answer that does not come. `unfinished` has come of it.
pub(crate) fn of_silence(
    unfinished: &[u8],
    trial: &Trial,
    so_far: &ScriptSoFar,
) -> Option<&'static str> {
    if !unfinished.is_empty() {
        return Some(NO_LINE_END);
    }
    if !trial.said.iter().any(|said| said.side == Side::Bot) {
        return Some(NEVER_SAID);
    }
    so_far.asides.last().and_then(|aside| of_words(aside, so_far))
}

#[cfg(test)]
mod tests {
    use game::Tick;

    use super::*;

    #[test]
    fn what_happened_shows_the_cause() {
        let (nothing, first) = (Trial::default(), ScriptSoFar::default());
        assert_eq!(of_silence(b"", &nothing, &first), Some(NEVER_SAID));
        assert_eq!(of_silence(b"> ", &nothing, &first), Some(NO_LINE_END));
        let mut spoken = Trial::default();
        spoken.say(Tick::ZERO, Side::Bot, b"Hello");
        let mut so_far = ScriptSoFar { asides: vec![b"Hello".to_vec()], ..ScriptSoFar::default() };
        assert_eq!(of_silence(b"", &spoken, &so_far), Some(FIRST_WORDS));
        assert_eq!(of_words(b"\xef\xbb\xbf{}", &so_far), Some(BYTE_ORDER_MARK));
        // Later the promise knows more.
        so_far.answers.push(b"OK".to_vec());
        assert_eq!(of_silence(b"", &spoken, &so_far), None);
        assert_eq!(of_words(b"Hello", &so_far), None);
    }

    #[test]
    fn only_an_error_is_the_programs_own() {
        assert_eq!(of_end(FaultKind::Crash, "its process exited with code 1"), Some(FAILED));
        assert_eq!(of_end(FaultKind::Crash, "its process exited with code 0"), None);
        assert_eq!(of_end(FaultKind::Memory, "its process was killed"), None);
    }
}
