//! Lines out of a stream of bytes, however it is cut.

use game::quote;

/// The longest line a bot may write.
pub(crate) const LONGEST: usize = 64 * 1024;

/// Collects bytes and gives out whole lines.
#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
    /// The last line ended with CR: an LF that follows belongs to it.
    after_cr: bool,
}

/// A line that is longer than allowed; its beginning, quoted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong(pub(crate) String);

impl LineSplitter {
    /// Takes bytes and calls `each` with every line they complete, without the LF of its end, but
    /// with the CR if it has one. LF, CR LF and CR end a line.
    pub(crate) fn take(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), TooLong> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|&byte| byte == b'\n' || byte == b'\r') else {
                self.begun.extend_from_slice(bytes);
                return self.check(self.begun.len());
            };
            self.check(self.begun.len() + end)?;
            self.after_cr = bytes[end] == b'\r';
            let line = &bytes[..end + usize::from(self.after_cr)];
            if self.begun.is_empty() {
                each(line);
            } else {
                self.begun.extend_from_slice(line);
                each(&self.begun);
                self.begun.clear();
            }
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// What has come of a line whose end has not.
    pub(crate) fn begun(&self) -> &[u8] {
        &self.begun
    }

    fn check(&self, length: usize) -> Result<(), TooLong> {
        if length <= LONGEST {
            return Ok(());
        }
        let shown = quote(&self.begun[..self.begun.len().min(40)]);
        Err(TooLong(format!("a line of more than {LONGEST} bytes; it begins {shown}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<String> {
        let mut lines = LineSplitter::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines
                .take(piece, |line| found.push(String::from_utf8_lossy(line).into_owned()))
                .expect("no line is too long");
        }
        found
    }

    #[test]
    fn a_line_may_come_in_pieces_and_many_in_one() {
        assert_eq!(lines(&[b"7", b",", b"7\n8,8\n", b"9"]), ["7,7", "8,8"]);
    }

    #[test]
    fn every_usual_line_end_ends_one_line() {
        assert_eq!(lines(&[b"a\nb\r\nc\rd\n"]), ["a", "b\r", "c\r", "d"]);
        assert_eq!(lines(&[b"a\r", b"\nb\r\n\n"]), ["a\r", "b\r", ""]);
    }

    #[test]
    fn a_line_without_end_is_too_long() {
        let mut lines = LineSplitter::default();
        let piece = [b'x'; 1000];
        let refused = (0..).find(|_| lines.take(&piece, |_| {}).is_err());
        assert_eq!(refused, Some(LONGEST / 1000));
    }

    #[test]
    fn a_whole_line_that_is_too_long_is_refused_too() {
        let mut long = vec![b'x'; LONGEST + 1];
        long.push(b'\n');
        assert!(
            LineSplitter::default().take(&long, |_| panic!("it must not be given out")).is_err()
        );
        long.remove(0);
        let mut count = 0;
        LineSplitter::default().take(&long, |_| count += 1).expect("this is just short enough");
        assert_eq!(count, 1);
    }
}
