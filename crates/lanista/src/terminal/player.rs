//! Stepping through a recorded game on the terminal: what keys do, and what the screen shows.

use std::time::Duration;

use anyhow::Result;
use game::PlayerId;
use table::picture::cut;
use table::{AnyReplay, Line, Picture, Room, Style};

use crate::terminal::screen::{KeyPress, Screen, ScreenEvent};
use crate::terminal::{panel, player_view};

/// Beside the picture, what happened has at least so many columns.
const NARROWEST: usize = 34;
/// Below it, at least so many rows.
const LOWEST: usize = 5;

const KEYS: [(&str, &str); 11] = [
    ("→ n l", "a step forward"),
    ("← p h", "a step back"),
    ("g G", "to the beginning, to the end"),
    ("f F", "to the next fault, to the one before"),
    ("12 Enter", "to step 12"),
    ("space", "play, or pause"),
    ("+ -", "faster, slower"),
    ("e", "the next player's eyes; after the last, all"),
    ("↑ ↓", "scroll what was said"),
    ("?", "these keys"),
    ("q", "leave"),
];

/// What the player is doing.
struct ReplayView {
    eyes: Option<PlayerId>,
    players: u16,
    /// Whether the game has pictures of what one player sees.
    hides: bool,
    step: usize,
    last: usize,
    playing: bool,
    pause: Duration,
    typed: String,
    /// Steps with faults that the eyes may know of.
    faults: Vec<usize>,
    /// How many lines of what happened are above those shown.
    scrolled: usize,
    help: bool,
    /// What the last key could not do.
    remark: &'static str,
}

/// Lets the user walk through the game, as `eyes` see it or all of it.
pub(crate) fn run(replay: &mut dyn AnyReplay, eyes: Option<PlayerId>) -> Result<()> {
    let mut view = ReplayView::new(replay, eyes);
    let screen = Screen::new()?;
    loop {
        screen.show(&lines(replay, &mut view, screen.room()))?;
        match screen.wait(view.playing.then_some(view.pause))? {
            ScreenEvent::Keys(keys) => {
                for key in keys {
                    if key == KeyPress::Leave {
                        return Ok(());
                    }
                    view.press(&key, replay);
                }
            }
            ScreenEvent::Time => {
                view.go((view.step + 1).min(view.last));
                view.playing = view.step < view.last;
            }
            ScreenEvent::Resized => {}
            ScreenEvent::Gone => return Ok(()),
        }
    }
}

impl ReplayView {
    fn new(replay: &mut dyn AnyReplay, eyes: Option<PlayerId>) -> ReplayView {
        ReplayView {
            eyes,
            players: replay.header().players.len() as u16,
            hides: replay.draw_for(0, PlayerId(0), Room::ENDLESS).is_some(),
            step: 0,
            last: replay.len(),
            playing: false,
            pause: Duration::from_millis(500),
            typed: String::new(),
            faults: replay.faulty_steps(eyes),
            scrolled: 0,
            help: false,
            remark: "",
        }
    }

    fn go(&mut self, step: usize) {
        self.step = step;
        self.scrolled = 0;
    }

    fn press(&mut self, key: &KeyPress, replay: &dyn AnyReplay) {
        self.remark = "";
        // Any other key takes the list of keys away.
        let help = std::mem::take(&mut self.help);
        match key {
            KeyPress::Forward => self.go((self.step + 1).min(self.last)),
            KeyPress::Back => self.go(self.step.saturating_sub(1)),
            KeyPress::First => self.go(0),
            KeyPress::Last => self.go(self.last),
            KeyPress::NextFault => match self.faults.iter().find(|step| **step > self.step) {
                Some(step) => self.go(*step),
                None => self.remark = "no fault after this",
            },
            KeyPress::PreviousFault => match self.faults.iter().rfind(|step| **step < self.step) {
                Some(step) => self.go(*step),
                None => self.remark = "no fault before this",
            },
            KeyPress::Eyes if !self.hides => self.remark = "all see the same in this game",
            KeyPress::Eyes => {
                self.eyes = match self.eyes {
                    None => Some(PlayerId(0)),
                    Some(PlayerId(player)) if player + 1 < self.players => {
                        Some(PlayerId(player + 1))
                    }
                    Some(_) => None,
                };
                self.faults = replay.faulty_steps(self.eyes);
                self.scrolled = 0;
            }
            KeyPress::Up => self.scrolled = self.scrolled.saturating_sub(1),
            KeyPress::Down => self.scrolled += 1,
            KeyPress::Help => self.help = !help,
            KeyPress::PlayOrPause => {
                if !self.playing && self.step == self.last {
                    self.go(0);
                }
                self.playing = !self.playing;
            }
            KeyPress::Faster => self.pause = (self.pause / 2).max(Duration::from_millis(15)),
            KeyPress::Slower => self.pause = (self.pause * 2).min(Duration::from_secs(8)),
            KeyPress::Digit(digit) => {
                if self.typed.len() < 6 {
                    self.typed.push(*digit);
                }
            }
            KeyPress::Erase => drop(self.typed.pop()),
            KeyPress::Enter => {
                if let Ok(step) = self.typed.parse::<usize>() {
                    self.go(step.min(self.last));
                }
                self.typed.clear();
            }
            KeyPress::Leave | KeyPress::Other => {}
        }
    }

    fn status(&self, names: &[String]) -> Line {
        let sign = if self.playing { "▶" } else { "‖" };
        let mut line = Line::painted(Style::STRONG, &format!("{sign} {}/{}", self.step, self.last));
        if !self.typed.is_empty() {
            line.push(&format!("  go to {}", self.typed));
        }
        if let Some(name) = self.eyes.and_then(|eyes| names.get(eyes.index())) {
            line.paint(Style("1;36"), &format!("  as {} sees it", cut(name, 16)));
        }
        match self.faults.len() {
            0 => {}
            1 => drop(line.paint(Style::ALARM, "  1 fault")),
            many => drop(line.paint(Style::ALARM, &format!("  {many} faults"))),
        }
        match self.remark {
            "" => line.paint(Style::FAINT, "  ? keys  ←→ step  space play  f fault  q leave"),
            remark => line.push(&format!("  {remark}")),
        };
        line
    }

    /// Where we are in the game, and where the faults are.
    fn timeline(&self, columns: usize) -> Line {
        let columns = columns.max(3);
        let place = |step: usize| step * (columns - 1) / self.last.max(1);
        let mut signs = vec![("─", Style::FAINT); columns];
        for step in &self.faults {
            signs[place(*step).min(columns - 1)] = ("!", Style::ALARM);
        }
        let here = place(self.step).min(columns - 1);
        signs[here] = match signs[here].0 {
            "!" => ("◆", Style::ALARM),
            _ => ("●", Style::STRONG),
        };
        let mut line = Line::new();
        for (sign, style) in signs {
            line.paint(style, sign);
        }
        line
    }
}

/// What the screen shows, no more and no wider than there is room for.
fn lines(replay: &mut dyn AnyReplay, view: &mut ReplayView, room: Room) -> Vec<Line> {
    let names = panel::names(replay);
    let above = room.without(0, 2);
    let mut lines = if view.help { help() } else { game(replay, view, &names, above) };
    lines.truncate(above.rows);
    lines.resize(above.rows, Line::new());
    lines.push(view.timeline(room.columns));
    lines.push(view.status(&names));
    // On a screen that has no room for all of it the last lines are those that count.
    lines.drain(..lines.len().saturating_sub(room.rows));
    lines.into_iter().map(|line| line.fit(room.columns)).collect()
}

fn help() -> Vec<Line> {
    let key = |(keys, what): (&str, &str)| {
        let mut line = Line::painted(Style::STRONG, &format!("  {keys}"));
        line.pad_to(13).push(what);
        line
    };
    let signs =
        ["", "> was told   < said   ! standard error   = time   ! on the timeline: a fault"];
    KEYS.into_iter().map(key).chain(signs.map(Line::plain)).collect()
}

/// The picture, and what happened beside or below it.
fn game(
    replay: &mut dyn AnyReplay,
    view: &mut ReplayView,
    names: &[String],
    room: Room,
) -> Vec<Line> {
    let happened = replay.happenings(view.step, view.eyes);
    let words = |columns: usize| panel::lines(&happened, names, columns);
    let mut draw = |room: Room| player_view::draw(replay, view.step, view.eyes, room);
    let below = words(room.columns).len().clamp(1, (room.rows / 3).max(LOWEST));
    let low = room.without(0, below);
    let narrow = room.without(NARROWEST + 1, 0);
    // Beside the picture there is more room to read, if the picture does not suffer from it.
    let (left, right) = (draw(narrow), draw(low));
    let beside = room.columns >= 2 * NARROWEST && (!left.clipped || right.clipped);
    match beside && less_squeezed(&left, &right) {
        true => {
            let picture = left.lines(narrow);
            let wide = picture.iter().map(Line::width).max().unwrap_or(0) + 2;
            let words = words(room.columns.saturating_sub(wide));
            side_by_side(picture, wide, scrolled(words, &mut view.scrolled, room.rows))
        }
        false => {
            let mut lines = right.lines(low);
            let rest = room.rows.saturating_sub(lines.len());
            lines.extend(scrolled(words(room.columns), &mut view.scrolled, rest));
            lines
        }
    }
}

/// Whether the first picture shows as much as the second.
fn less_squeezed(first: &Picture, second: &Picture) -> bool {
    first.board.len() >= second.board.len() || !first.clipped
}

fn side_by_side(picture: Vec<Line>, wide: usize, happened: Vec<Line>) -> Vec<Line> {
    let rows = picture.len().max(happened.len());
    let (mut picture, mut happened) = (picture.into_iter(), happened.into_iter());
    let row = |_| {
        let mut line = picture.next().unwrap_or_default();
        if let Some(right) = happened.next() {
            line.pad_to(wide).append(right);
        }
        line
    };
    (0..rows).map(row).collect()
}

/// The lines from `above` on, no more than `rows`; the last one says how many are missing.
fn scrolled(lines: Vec<Line>, above: &mut usize, rows: usize) -> Vec<Line> {
    if lines.len() <= rows {
        *above = 0;
        return lines;
    }
    let shown = rows.saturating_sub(1);
    *above = (*above).min(lines.len() - shown);
    let (from, to) = (*above, *above + shown);
    let mut part = lines[from..to].to_vec();
    let more = format!("↑ {from} more, ↓ {} more", lines.len() - to);
    part.push(Line::painted(Style::FAINT, &more));
    part.truncate(rows);
    part
}

#[cfg(test)]
mod tests;
