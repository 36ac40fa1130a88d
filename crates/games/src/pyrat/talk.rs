//! What a bot says beside its answers, kept within bounds.

use game::{Note, Out, Said, Topic, count};

use super::Move;

/// How many notes are kept between one question and the next.
const MOST: u32 = 100;

/// Passes notes on, up to a limit. Of a flood the last one is kept too: it is usually the one
/// that tells most.
#[derive(Debug, Default)]
pub(super) struct Talk {
    kept: u32,
    left_out: u32,
    last: Option<Note>,
}

impl Talk {
    /// Notes something.
    pub(super) fn note(&mut self, topic: Topic, text: String, out: &mut Out<Move>) {
        let note = Note { topic, text };
        if self.kept < MOST {
            self.kept += 1;
            out.said.push(Said::Note(note));
        } else {
            self.left_out += 1;
            self.last = Some(note);
        }
    }

    /// The question is over: tells what has been left out, and starts anew.
    pub(super) fn settle(&mut self, out: &mut Out<Move>) {
        let Talk { left_out, last, .. } = std::mem::take(self);
        if let Some(Note { topic, text }) = last {
            if left_out > 1 {
                let lines = count((left_out - 1).into(), "line");
                out.note(Topic::Remark, format!("{lines} left out here"));
            }
            out.note(topic, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_the_first_and_the_last_are_kept() {
        let (mut talk, mut out) = (Talk::default(), Out::default());
        for number in 0..1000 {
            talk.note(Topic::Info, format!("depth {number}"), &mut out);
        }
        talk.settle(&mut out);
        assert_eq!(out.said.len(), 102);
        let text = |at: usize| match &out.said[at] {
            Said::Note(note) => note.text.clone(),
            other => panic!("{other:?} is no note"),
        };
        assert_eq!(text(99), "depth 99");
        assert_eq!(text(100), "899 lines left out here");
        assert_eq!(text(101), "depth 999");
        talk.settle(&mut out);
        assert_eq!(out.said.len(), 102);
    }
}
