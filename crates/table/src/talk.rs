//! What bots were told and said, step by step and a page at a time: a log may hold hundreds of megabytes of it.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use game::{ActorId, PlayerId, Tick, text::visible};
use serde::Serialize;

use crate::caption::StderrLines;
use crate::happening::entries_of;
use crate::hosted::Hosted;
use crate::log::Entry;
use crate::seat::SeatId;

/// So many bytes of text are on a page; it ends with the step that reaches them.
const PAGE: usize = 256 << 10;
/// So many lines of a step are kept, and so many letters of a line.
const LINES: usize = 500;
const LETTERS: usize = 4000;

/// A page of talk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Talk {
    /// Steps in which anything was said, in order.
    pub steps: Vec<StepTalk>,
    /// Whether the page ends before the last step that was asked for. The next page begins with the step after
    /// [`Talk::last`].
    pub more: bool,
    /// The last step that was looked at.
    pub last: usize,
}

/// What was said in a step: what led to the state of this number, or came after the last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepTalk {
    /// The step.
    pub step: usize,
    /// In order.
    pub lines: Vec<TalkLine>,
    /// How many more lines there were.
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: usize,
}

/// One line. Text from bots is made visible but is theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TalkLine {
    /// Whose bot.
    pub seat: u16,
    /// Which of the player's actors, where it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Which way it went.
    pub dir: Way,
    /// The line.
    pub text: String,
    /// When, since the match began.
    pub us: u64,
}

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The bot was told.
    To,
    /// The bot said.
    From,
    /// The bot wrote to its standard error.
    Err,
    /// What a protocol understood as being for people: progress, messages.
    Info,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The talk of these steps, as far as it fits a page, of all players or of one.
pub(crate) fn talk<G: Hosted>(
    game: &G,
    entries: &[Entry<G::Action>],
    places: &[usize],
    steps: RangeInclusive<usize>,
    eyes: Option<PlayerId>,
) -> Talk {
    let seated = entries.iter().filter_map(|entry| match entry {
        Entry::Seated { seat, actor, player, .. } => Some((*seat, (*actor, *player))),
        _ => None,
    });
    let seats: HashMap<SeatId, (ActorId, PlayerId)> = seated.collect();
    let (mut page, mut bytes) = (Talk::default(), 0);
    let last = *steps.end().min(&places.len());
    for step in *steps.start()..=last {
        if bytes >= PAGE {
            page.more = true;
            break;
        }
        page.last = step;
        // Nothing leads to the first state, unless there is no other.
        let range = match places.is_empty() {
            true => 0..entries.len(),
            false => entries_of(places, step, entries.len()),
        };
        let mut said = TalkReader { game, seats: &seats, eyes, lines: Vec::new(), left_out: 0 };
        said.read(&entries[range]);
        bytes += said.lines.iter().map(|line| line.text.len()).sum::<usize>();
        if !said.lines.is_empty() {
            let TalkReader { lines, left_out, .. } = said;
            page.steps.push(StepTalk { step, lines, left_out });
        }
    }
    page
}

struct TalkReader<'a, G> {
    game: &'a G,
    seats: &'a HashMap<SeatId, (ActorId, PlayerId)>,
    eyes: Option<PlayerId>,
    lines: Vec<TalkLine>,
    left_out: usize,
}

impl<G: Hosted> TalkReader<'_, G> {
    fn read(&mut self, entries: &[Entry<G::Action>]) {
        let mut stderr = StderrLines::default();
        for entry in entries {
            match entry {
                Entry::Sent { at, seat, bytes } => {
                    for line in bytes.0.split(|&byte| byte == b'\n').filter(|l| !l.is_empty()) {
                        self.add(*seat, *at, Way::To, line);
                    }
                }
                Entry::Got { at, seat, line } => self.add(*seat, *at, Way::From, &line.0),
                Entry::Unfinished { at, seat, bytes } => self.add(*seat, *at, Way::From, &bytes.0),
                Entry::Stderr { at, seat, bytes } => {
                    for line in stderr.read(*seat, *at, &bytes.0) {
                        self.add(*seat, *at, Way::Err, &line);
                    }
                }
                Entry::Noted { at, seat, note } => {
                    self.add(*seat, *at, Way::Info, note.text.as_bytes());
                }
                Entry::Seated { .. }
                | Entry::Answered { .. }
                | Entry::Faulted { .. }
                | Entry::Stepped { .. }
                | Entry::Left { .. }
                | Entry::Over { .. }
                | Entry::Truncated
                | Entry::Kept { .. }
                | Entry::Cut { .. } => {}
            }
        }
        for (seat, at, line) in stderr.unfinished() {
            self.add(seat, at, Way::Err, &line);
        }
    }

    fn add(&mut self, seat: SeatId, at: Tick, dir: Way, line: &[u8]) {
        let Some((actor, player)) = self.seats.get(&seat) else { return };
        if self.eyes.is_some_and(|eyes| eyes != *player) {
            return;
        }
        if self.lines.len() == LINES {
            self.left_out += 1;
            return;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut text = visible(&line[..line.len().min(LETTERS)]);
        if line.len() > LETTERS {
            text.push_str(&format!("… ({} bytes)", line.len()));
        }
        let actor = self.game.actor_name(*actor).one_of_many();
        self.lines.push(TalkLine { seat: player.0, actor, dir, text, us: at.0.as_micros() as u64 });
    }
}
