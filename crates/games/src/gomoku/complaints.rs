//! What a brain says instead of a move, and when that becomes its answer.
//!
//! Only a move answers a question. `ERROR`, `UNKNOWN` and other words may be about `INFO
//! time_left`, which goes out with the question, or about a part of a line of which the brain has
//! missed the beginning. So they are held: a move that follows counts. When none can come any more,
//! because the time is up or the brain has left, they are the reason.

use std::time::Duration;

use game::{Fault, Tick};

use super::wire::INFO_WORDS;

/// Where nothing limits a brain's time: how long it may be silent before its words were its answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many of a brain's complaints are remembered.
const REMEMBERED: usize = 16;

/// What a brain has said instead of moves.
#[derive(Default)]
pub(super) struct Complaints {
    /// What it has said before the game, or before moves that came all the same.
    habits: Vec<Words>,
    /// What it has said since it was last asked.
    said: Vec<Words>,
    /// The time it was told with the question.
    time_left: Option<u128>,
    time: Option<Time>,
    /// Why it does not move, unless it does.
    held: Option<Fault>,
    /// When that becomes its answer, where its time does not run out by itself.
    by: Option<Tick>,
}

/// Whether something else ends a brain's time to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    Limited,
    Unlimited,
}

/// The words of a complaint without its numbers, which may be times.
#[derive(PartialEq)]
struct Words(String);

impl Words {
    fn of(text: &str) -> Words {
        Words(text.chars().filter(|sign| !sign.is_ascii_digit()).collect())
    }
}

impl Complaints {
    /// The brain has complained before the first question, which is harmless.
    pub(super) fn before_the_game(&mut self, text: &str) {
        if !self.is_about_information(text) {
            remember(&mut self.habits, Words::of(text));
        }
    }

    /// A question goes out, together with `INFO time_left`.
    pub(super) fn asked(&mut self, time_left: u128, time: Time) {
        self.time_left = Some(time_left);
        self.time = Some(time);
        self.said.clear();
        self.released();
    }

    /// The brain has said something that is not a move while one is due.
    pub(super) fn hear(&mut self, now: Tick, fault: Fault) {
        if self.is_about_information(&fault.detail) {
            return;
        }
        let words = Words::of(&fault.detail);
        let usual = self.habits.contains(&words) && !self.said.contains(&words);
        remember(&mut self.said, words);
        if !usual {
            self.held = Some(fault);
            self.talk(now);
        }
    }

    /// Whether a complaint says itself that it is about an `INFO` line: by that word, a key or the
    /// value that was sent last.
    fn is_about_information(&self, text: &str) -> bool {
        let mut words = text.split(|sign: char| !sign.is_alphanumeric() && sign != '_');
        words.any(|word| {
            INFO_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
                || (self.time_left.is_some() && word.parse().ok() == self.time_left)
        })
    }

    /// The brain talks, so that it is still at work.
    pub(super) fn talk(&mut self, now: Tick) {
        if self.held.is_some() && self.time == Some(Time::Unlimited) {
            self.by = Some(now + PATIENCE);
        }
    }

    /// The brain goes on in another way, so that its words were not the answer.
    pub(super) fn released(&mut self) {
        self.held = None;
        self.by = None;
    }

    /// The brain has answered: whatever it said on the way is a habit of its.
    pub(super) fn answered(&mut self) {
        self.released();
        for words in self.said.drain(..) {
            if !self.habits.contains(&words) {
                remember(&mut self.habits, words);
            }
        }
    }

    /// When the words that are held become the answer.
    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.by
    }

    /// The words that are the answer by now.
    pub(super) fn due(&mut self, now: Tick) -> Option<Fault> {
        if self.by.is_some_and(|by| by <= now) { self.last() } else { None }
    }

    /// The words that are the answer because nothing else will come.
    pub(super) fn last(&mut self) -> Option<Fault> {
        self.by = None;
        self.held.take()
    }

    /// Whether the brain complains, in words that do not say so, about what it is told in every
    /// game.
    pub(super) fn any(&self) -> bool {
        !self.habits.is_empty()
    }
}

fn remember(list: &mut Vec<Words>, words: Words) {
    if list.len() < REMEMBERED {
        list.push(words);
    }
}

#[cfg(test)]
mod tests {
    use game::FaultKind;

    use super::*;

    fn fault(text: &str) -> Fault {
        Fault::new(FaultKind::Refused, text)
    }

    /// Whether words are the reason when a brain that was told 4711 ms is heard no more.
    fn is_held(complaints: &mut Complaints, text: &str) -> bool {
        complaints.asked(4711, Time::Limited);
        complaints.hear(Tick::ZERO, fault(text));
        complaints.last().is_some_and(|held| held.detail == text)
    }

    #[test]
    fn words_that_name_any_part_of_the_information_are_about_it() {
        for text in [
            "ERROR time_left",
            "UNKNOWN INFO time_left 100",
            "ERROR (info)",
            "ERROR Unknown command: TIME_LEFT",
            "ERROR Unknown command: 4711",
            "UNKNOWN max_memory",
        ] {
            assert!(!is_held(&mut Complaints::default(), text), "{text}");
        }
        for text in ["ERROR out of memory", "UNKNOWN", "ERROR no information", "ERROR 47110"] {
            assert!(is_held(&mut Complaints::default(), text), "{text}");
        }
    }

    #[test]
    fn a_habit_is_no_reason_but_its_repetition_is() {
        let mut complaints = Complaints::default();
        complaints.before_the_game("UNKNOWN max_memory");
        assert!(!complaints.any());
        complaints.before_the_game("UNKNOWN command 1");
        assert!(complaints.any());
        assert!(!is_held(&mut complaints, "UNKNOWN command 2"));
        complaints.hear(Tick::ZERO, fault("UNKNOWN command 3"));
        assert!(complaints.last().is_some());
    }

    #[test]
    fn words_before_a_move_are_a_habit_from_then_on() {
        let mut complaints = Complaints::default();
        assert!(is_held(&mut complaints, "ERROR what"));
        complaints.answered();
        assert!(!is_held(&mut complaints, "ERROR what"));
        assert!(is_held(&mut complaints, "ERROR out of memory"));
    }

    #[test]
    fn only_where_no_clock_runs_silence_after_words_is_an_answer() {
        let mut complaints = Complaints::default();
        complaints.asked(1, Time::Limited);
        complaints.hear(Tick::ZERO, fault("ERROR"));
        assert_eq!(complaints.next_tick(), None);
        complaints.asked(1, Time::Unlimited);
        assert_eq!(complaints.next_tick(), None);
        complaints.hear(Tick::ZERO, fault("ERROR"));
        let later = Tick::ZERO + Duration::from_secs(1);
        complaints.talk(later);
        assert_eq!(complaints.next_tick(), Some(later + PATIENCE));
        assert_eq!(complaints.due(later), None);
        assert_eq!(complaints.due(later + PATIENCE), Some(fault("ERROR")));
        assert_eq!(complaints.next_tick(), None);
    }
}
