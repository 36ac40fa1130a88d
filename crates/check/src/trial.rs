//! What came of trying a promise once.

use std::time::Duration;

use game::Tick;

use crate::load::Load;

/// So many lines of a conversation are kept, and so many bytes of a line.
const LINES_KEPT: usize = 2000;
pub(crate) const BYTES_KEPT: usize = 8 << 10;
/// So many lines of one write are kept, the first and the last.
pub(crate) const WRITE_KEPT: usize = 60;

/// What came of trying a promise once.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// What was not as promised.
    pub findings: Vec<Finding>,
    /// Why it could not be tried to its end, if it could not.
    pub skipped: Option<String>,
    /// What the host and the bot said, in order.
    pub said: Vec<SaidLine>,
    /// The slowest answer, if there was any whose time counts.
    pub slowest: Option<Duration>,
}

/// Something that was not as promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub harm: Harm,
    /// What it is, in words.
    pub text: String,
    /// What was expected, if anything in particular was.
    pub expected: Option<String>,
    /// The line that was not as expected, as it came.
    pub line: Option<Vec<u8>>,
    /// What it is about.
    pub about: FindingAbout,
    /// The usual cause, where what happened says more about it than the promise does.
    pub cause: Option<&'static str>,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingAbout {
    /// What the bot said or did.
    Words,
    /// When it did.
    Time,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// It is understood all the same.
    Harmless,
    /// It took too long. The machine may have been busy.
    Slow,
    /// The promise is broken.
    Broken,
}

/// A line of a conversation, or what there was of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidLine {
    /// When, since the process was asked for.
    pub at: Tick,
    /// Who said it.
    pub side: Side,
    /// The line. Of the host's lines also the line end; of the bot's a CR, if there was one.
    pub bytes: Vec<u8>,
}

/// Who said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The host, to the bot.
    Host,
    /// The bot.
    Bot,
    /// The bot, but the end of the line never came.
    Unfinished,
    /// The bot, to its standard error.
    Stderr,
    /// Nobody: what happened, in words.
    Fact,
}

impl Trial {
    /// Keeps a line of the conversation.
    pub(crate) fn say(&mut self, at: Tick, side: Side, bytes: &[u8]) {
        if self.said.len() < LINES_KEPT {
            let bytes = bytes[..bytes.len().min(BYTES_KEPT)].to_vec();
            self.said.push(SaidLine { at, side, bytes });
        }
    }

    /// Keeps what was written to the bot, line by line.
    pub(crate) fn say_sent(&mut self, now: Tick, bytes: &[u8]) {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let left_out = lines.len().saturating_sub(WRITE_KEPT);
        for (number, line) in lines.iter().enumerate() {
            match number.checked_sub(WRITE_KEPT / 2) {
                Some(0) if left_out > 0 => {
                    self.say(now, Side::Fact, format!("… {left_out} more lines").as_bytes());
                }
                Some(place) if place < left_out => {}
                Some(_) | None => self.say(now, Side::Host, line),
            }
        }
    }
}

impl Finding {
    /// Something that was not as promised, in words.
    pub(crate) fn new(harm: Harm, text: impl Into<String>) -> Finding {
        let (expected, line, cause) = (None, None, None);
        Finding { harm, text: text.into(), expected, line, about: FindingAbout::Words, cause }
    }

    /// The same with its usual cause.
    pub(crate) fn because(self, cause: Option<&'static str>) -> Finding {
        Finding { cause, ..self }
    }

    /// The same about when something was done.
    pub(crate) fn of_time(harm: Harm, text: impl Into<String>) -> Finding {
        Finding { about: FindingAbout::Time, ..Finding::new(harm, text) }
    }
}

/// What there is to say to the author of a bot that ended like this, too early.
pub(crate) fn advice_on_end(how: &str) -> &'static str {
    // Who ends without an error has read one line, say, without a loop around that.
    match how.contains("exited with code 0") {
        true => "; a bot reads on until it is told to leave or its input ends",
        false => "",
    }
}

/// Answers may exceed their limit by so much, as in a match.
const MARGIN: Duration = Duration::from_millis(20);
/// Beyond twice its limit and so much more, an answer is not late because of the machine.
const HOPELESS: Duration = Duration::from_millis(500);

/// What there is to say of an answer that took so long by the clock and used so much of the
/// processor, on a machine as busy as this.
pub(crate) fn late(limit: Duration, wall: Duration, cpu: Duration, load: Load) -> Option<Finding> {
    if wall <= limit + MARGIN {
        return None;
    }
    let [wall_ms, cpu_ms, limit_ms] = [wall, cpu, limit].map(|time| time.as_millis());
    let text = format!(
        "an answer took {wall_ms} ms, {cpu_ms} ms of them on the processor; the limit is {limit_ms} ms"
    );
    // A bot that was kept waiting has used less of the processor than its limit.
    let harm = match cpu > limit || wall > load.stretch(limit * 2 + HOPELESS) {
        true => Harm::Broken,
        false => Harm::Slow,
    };
    Some(Finding::of_time(harm, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_is_the_bots_fault_if_it_used_the_processor_or_was_much_too_late() {
        let ms = Duration::from_millis;
        let harm =
            |wall, cpu| late(ms(500), ms(wall), ms(cpu), Load::NONE).map(|finding| finding.harm);
        assert_eq!(harm(520, 500), None, "within the margin");
        assert_eq!(harm(600, 590), Some(Harm::Broken));
        assert_eq!(harm(600, 300), Some(Harm::Slow));
        assert_eq!(harm(1600, 0), Some(Harm::Broken), "it slept");
    }
}
