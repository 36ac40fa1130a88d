//! Which line of ours a brain's `ERROR` or `UNKNOWN` is about.
//!
//! "`ERROR`/`UNKNOWN` to a move request is a loss", and "a brain may answer INFO with
//! ERROR/UNKNOWN: recorded, harmless". `INFO time_left` and the question go out in one write, so
//! that only the words, the brain's habits and what it says next can tell the two apart.

use std::time::Duration;

use game::Tick;

/// How long a brain that has complained may be silent before the complaint was its answer.
const GRACE: Duration = Duration::from_secs(5);
/// How many of a brain's complaints are remembered.
const USUAL: usize = 16;

/// What is known of a brain's complaints.
#[derive(Default)]
pub(super) struct Complaints {
    /// `INFO` lines that were sent before the first question.
    informed: u32,
    /// Complaints that were heard about them.
    heard: u32,
    /// Whether it complains about `INFO time_left`.
    habit: Habit,
    /// Complaints that may be about something else than the question in hand.
    spare: u32,
    /// What it has complained in since it was last asked.
    said: Vec<Words>,
    /// What it usually complains in: about the lines before the game, later about `time_left`.
    usual: Vec<Words>,
    /// Whether complaints since it was last asked may be about older lines.
    behind: bool,
    /// Until when a complaint may be followed by an answer that counts.
    last: Option<Tick>,
    held: Option<Held>,
}

/// Whether a brain complains about `INFO time_left`, which it gets with every question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Habit {
    /// It has not answered a question yet.
    #[default]
    Unknown,
    Complains,
    Silent,
}

/// The words of a complaint without its numbers, which may be times.
#[derive(PartialEq)]
struct Words(String);

impl Words {
    fn of(text: &str) -> Words {
        Words(text.chars().filter(|sign| !sign.is_ascii_digit()).collect())
    }
}

/// A complaint that is the answer if the brain says nothing else.
struct Held {
    text: String,
    by: Tick,
}

/// What a complaint turns out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// It is about something else than the question.
    Harmless,
    /// That will be seen.
    Open,
    /// The brain refuses to answer.
    Answer,
}

impl Complaints {
    /// An `INFO` line goes out before the first question.
    pub(super) fn informed(&mut self) {
        self.informed += 1;
    }

    /// The brain has complained before the first question.
    pub(super) fn before_the_game(&mut self, text: &str) {
        self.heard += 1;
        if self.usual.len() < USUAL {
            self.usual.push(Words::of(text));
        }
    }

    /// A question goes out, together with `INFO time_left`. `unread` are lines before it of which
    /// nobody knows whether the brain has read them; `last` is the end of its time.
    pub(super) fn asked(&mut self, unread: Unread, last: Option<Tick>) {
        let before = match unread {
            Unread::Nothing => 0,
            Unread::About => self.informed.saturating_sub(self.heard) + 1,
        };
        self.spare = before + u32::from(self.habit != Habit::Silent);
        self.behind = before > 0;
        self.said.clear();
        self.held = None;
        self.last = last;
    }

    /// The brain has described itself, so that it has read all that was sent before.
    pub(super) fn caught_up(&mut self) {
        self.spare = self.spare.min(u32::from(self.habit != Habit::Silent));
    }

    /// The brain complains while an answer is due.
    pub(super) fn hear(&mut self, now: Tick, text: &str) -> Finding {
        let named = names_information(text);
        if self.spare == 0 && !named {
            return Finding::Answer;
        }
        self.spare = self.spare.saturating_sub(1);
        let words = Words::of(text);
        let due = self.is_due(&words);
        if self.said.len() < USUAL {
            self.said.push(words);
        }
        if named || due {
            return Finding::Harmless;
        }
        let by = self.patience(now);
        if by <= now {
            return Finding::Answer;
        }
        self.held = Some(Held { text: text.to_owned(), by });
        Finding::Open
    }

    /// Whether a complaint about `time_left` had to come in these words.
    fn is_due(&self, words: &Words) -> bool {
        let expected = match self.habit {
            Habit::Complains => true,
            Habit::Unknown => self.heard >= self.informed,
            Habit::Silent => false,
        };
        expected && self.usual.contains(words)
    }

    fn patience(&self, now: Tick) -> Tick {
        let by = now + GRACE;
        self.last.map_or(by, |last| last.min(by))
    }

    /// The brain talks, so that it is still at work.
    pub(super) fn talk(&mut self, now: Tick) {
        let by = self.patience(now);
        if let Some(held) = &mut self.held {
            held.by = by;
        }
    }

    /// The brain has said something else, so that its complaint was not the answer.
    pub(super) fn released(&mut self) {
        self.held = None;
    }

    /// The brain has answered: whoever complained on the way will do so again.
    pub(super) fn answered(&mut self) {
        self.held = None;
        if self.said.is_empty() {
            self.habit = Habit::Silent;
        } else if !self.behind {
            self.habit = Habit::Complains;
            self.usual = std::mem::take(&mut self.said);
        }
    }

    /// When a complaint becomes the answer.
    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.held.as_ref().map(|held| held.by)
    }

    /// The complaint that is the answer because nothing else will come.
    pub(super) fn last(&mut self) -> Option<String> {
        self.held.take().map(|held| held.text)
    }

    /// The complaint that is the answer by now.
    pub(super) fn due(&mut self, now: Tick) -> Option<String> {
        self.held.take_if(|held| held.by <= now).map(|held| held.text)
    }

    /// Whether the brain complains about things that it is told in every game.
    pub(super) fn any(&self) -> bool {
        self.heard > 0 || self.habit == Habit::Complains
    }
}

/// What a brain may not have read yet when a question goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    Nothing,
    /// `ABOUT`, which has not been answered, and the `INFO` lines before it.
    About,
}

/// Whether a complaint says itself that it is about `INFO time_left`.
fn names_information(text: &str) -> bool {
    let mut words = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
    words.any(|word| word.eq_ignore_ascii_case("INFO") || word.eq_ignore_ascii_case("time_left"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_the_information_are_about_it() {
        for text in
            ["ERROR time_left", "UNKNOWN INFO time_left 100", "ERROR (info)", "UNKNOWN Info"]
        {
            assert!(names_information(text), "{text}");
        }
        for text in ["ERROR out of memory", "UNKNOWN", "ERROR no information", "ERROR time"] {
            assert!(!names_information(text), "{text}");
        }
    }

    #[test]
    fn who_never_complained_is_believed_at_once() {
        let mut complaints = Complaints::default();
        complaints.informed();
        complaints.asked(Unread::Nothing, None);
        complaints.answered();
        complaints.asked(Unread::Nothing, None);
        assert_eq!(complaints.hear(Tick::ZERO, "ERROR out of memory"), Finding::Answer);
    }

    #[test]
    fn a_complaint_waits_no_longer_than_the_brain_has_time() {
        let last = Tick::ZERO + Duration::from_secs(1);
        let mut complaints = Complaints::default();
        complaints.asked(Unread::Nothing, Some(last));
        assert_eq!(complaints.hear(Tick::ZERO, "ERROR"), Finding::Open);
        complaints.talk(Tick::ZERO + Duration::from_millis(500));
        assert_eq!(complaints.next_tick(), Some(last));
        complaints.asked(Unread::Nothing, Some(last));
        assert_eq!(complaints.hear(last, "ERROR"), Finding::Answer);
    }
}
