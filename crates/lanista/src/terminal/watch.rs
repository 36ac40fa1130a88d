//! Draws games while they are played: `play --watch`, and the progress of a single game.

use std::io::{Write as _, stdout};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use game::{Note, PlayerId, Topic};
use host::Watcher;
use table::picture::cut;
use table::{AnyTable, FaultLine, Ink, Line, Room, Snapshot, Style};

use crate::terminal::{ink, is_live, room};

/// So many lines below the picture are for what just happened.
const BELOW: usize = 6;
/// How soon a changed size of the terminal is noticed.
const LOOK: Duration = Duration::from_millis(100);

/// A moment of a game, ready to be drawn in any room.
pub(crate) struct Moment {
    snapshot: Box<dyn Snapshot>,
    eyes: Option<PlayerId>,
    /// What just happened and what was said, the most important first.
    below: Vec<Line>,
}

impl Moment {
    /// The game as it is now, for all to see or as the player of this name sees it.
    fn of(table: &dyn AnyTable, eyes: Option<&str>) -> Moment {
        let names = table.names();
        let seat = eyes.and_then(|eyes| names.iter().position(|name| name == eyes));
        let eyes = seat.map(|seat| PlayerId(seat as u16));
        let mut below = Vec::new();
        let turn = table.turns();
        let mine = |player: usize| eyes.is_none_or(|eyes| eyes.index() == player);
        for (player, faults) in
            table.faults().iter().enumerate().filter(|(player, _)| mine(*player))
        {
            if let Some(FaultLine { kind, detail, .. }) =
                faults.last().filter(|f| f.turn + 1 >= turn)
            {
                let text = format!("! {} {kind}: {detail}", names[player]);
                below.push(Line::painted(Style::ALARM, &text));
            }
        }
        let happened = table.happened().into_iter();
        let happened = happened.filter(|(who, _)| eyes.is_none() || *who == eyes);
        let happened: Vec<String> = happened.map(|(_, words)| words).collect();
        if !happened.is_empty() {
            below.push(Line::plain(&happened.join("   ")));
        }
        below.extend(talk(table, mine));
        Moment { snapshot: table.snapshot(), eyes, below }
    }

    /// The lines of this moment, no more and no wider than there is room for.
    pub(crate) fn lines(&self, room: Room) -> Vec<Line> {
        let below = &self.below[..self.below.len().min(BELOW).min(room.rows / 3)];
        let above = room.without(0, below.len());
        let seen = self.eyes.and_then(|player| self.snapshot.draw_for(player, above));
        let picture = seen.unwrap_or_else(|| self.snapshot.draw(above));
        let mut lines = picture.lines(above);
        lines.extend(below.iter().map(|line| line.clone().fit(room.columns)));
        lines
    }
}

/// The last thing that each bot said for people to read, a line each. Bots that have said
/// nothing yet have an empty line once anybody has, so that pictures do not jump.
fn talk(table: &dyn AnyTable, mine: impl Fn(usize) -> bool) -> Vec<Line> {
    let for_people = |note: &&Note| match note.topic {
        Topic::Info | Topic::Message | Topic::Debug => true,
        Topic::About | Topic::Remark => false,
    };
    let notes = table.notes().into_iter().enumerate().filter(|(player, _)| mine(*player));
    let said: Vec<(usize, Option<Note>)> = notes
        .map(|(player, notes)| (player, notes.iter().rev().find(for_people).cloned()))
        .collect();
    if said.iter().all(|(_, note)| note.is_none()) {
        return Vec::new();
    }
    let names = table.names();
    let line = |(player, note): (usize, Option<Note>)| match note {
        Some(note) => Line::plain(&format!("{}: {}", names[player], note.text)),
        None => Line::new(),
    };
    said.into_iter().map(line).collect()
}

/// Draws the game on the terminal while it is played, and again when the terminal changes its size.
/// On anything else every picture follows the one before.
pub(crate) struct WatchScreen {
    /// Whose eyes to look through, by name: seats rotate.
    eyes: Option<String>,
    pace: Duration,
    shown: Option<Instant>,
    live: Option<Live>,
}

struct Live {
    latest: Arc<Latest>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Latest {
    moment: Mutex<Slot>,
    changed: Condvar,
}

struct Slot {
    moment: Option<Moment>,
    /// The room that the moment was last drawn in.
    drawn_in: Option<Room>,
    over: bool,
}

impl Slot {
    /// Draws the moment over the one before.
    fn draw(&mut self, room: Room) {
        let Some(moment) = &self.moment else { return };
        // The last line stays free for the cursor.
        let lines = moment.lines(room.without(0, 1));
        let clear = if self.drawn_in == Some(room) { "" } else { "\x1b[2J" };
        let ink = ink();
        let text: String = lines.iter().map(|line| line.text(ink) + "\x1b[K\n").collect();
        let mut out = stdout().lock();
        let _ = write!(out, "{clear}\x1b[H{text}\x1b[J").and_then(|()| out.flush());
        self.drawn_in = Some(room);
    }
}

impl Latest {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchScreen {
    pub(crate) fn new(pace: Duration, eyes: Option<String>) -> WatchScreen {
        let live = is_live(&stdout()).then(Live::new);
        WatchScreen { eyes, pace, shown: None, live }
    }
}

impl Live {
    fn new() -> Live {
        let slot = Mutex::new(Slot { moment: None, drawn_in: None, over: false });
        let latest = Arc::new(Latest { moment: slot, changed: Condvar::new() });
        let shared = latest.clone();
        let thread = std::thread::Builder::new().name("screen".to_owned());
        let thread = thread.spawn(move || draw_again(&shared)).ok();
        Live { latest, thread }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.latest.lock().over = true;
        self.latest.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Draws the moment again when the terminal has changed its size.
fn draw_again(latest: &Latest) {
    let mut slot = latest.lock();
    while !slot.over {
        let room = room(&stdout());
        if slot.drawn_in.is_some_and(|before| before != room) {
            slot.draw(room);
        }
        let waited = latest.changed.wait_timeout_while(slot, LOOK, |slot| !slot.over);
        slot = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Watcher for WatchScreen {
    fn begins(&mut self, table: &mut dyn AnyTable) {
        table.watch();
    }

    fn stepped(&mut self, table: &dyn AnyTable) {
        if let (Some(_), Some(shown)) = (&self.live, self.shown) {
            // People need a moment to see a picture.
            std::thread::sleep(self.pace.saturating_sub(shown.elapsed()));
        }
        let moment = Moment::of(table, self.eyes.as_deref());
        match &self.live {
            Some(live) => {
                // Here and not on the other thread: the result follows, and no picture may cover it.
                let mut slot = live.latest.lock();
                slot.moment = Some(moment);
                slot.draw(room(&stdout()));
            }
            None => {
                let lines = moment.lines(room(&stdout()));
                let text: String = lines.iter().map(|line| line.text(Ink::Plain) + "\n").collect();
                let mut out = stdout().lock();
                let _ = writeln!(out, "{text}").and_then(|()| out.flush());
            }
        }
        self.shown = Some(Instant::now());
    }
}

/// How far a single game is, for its progress line.
#[derive(Default)]
pub(crate) struct Score {
    turn: u32,
    names: Vec<String>,
    points: Option<Vec<f64>>,
    faults: u64,
}

impl Score {
    /// The line: turn, points and time, and that something is wrong.
    pub(crate) fn line(&self, took: Duration, room: Room) -> Line {
        let mut line = Line::plain(&format!("turn {}  {:.1} s  ", self.turn, took.as_secs_f64()));
        if self.faults > 0 {
            line.paint(
                Style::ALARM,
                &format!("{}  ", crate::output::text::count(self.faults, "fault")),
            );
        }
        let share = (room.columns.saturating_sub(line.width()) / self.names.len().max(1)).max(12);
        for (player, name) in self.names.iter().enumerate() {
            if player > 0 {
                line.push(" – ");
            }
            let points = self.points.as_ref().and_then(|points| points.get(player));
            let points = points
                .map_or(String::new(), |points| format!(" {}", (points * 100.0).round() / 100.0));
            line.push(&cut(name, share.saturating_sub(4 + points.len()))).push(&points);
        }
        line
    }
}

/// Keeps the score of a game while it is played.
pub(crate) struct Follower {
    pub(crate) score: Arc<Mutex<Score>>,
    pub(crate) looked: Option<Instant>,
}

impl Watcher for Follower {
    fn stepped(&mut self, table: &dyn AnyTable) {
        // Counting takes longer than a move of a fast game.
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return;
        }
        self.looked = Some(Instant::now());
        let faults = table.faults().iter().flatten().map(|fault| fault.count).sum();
        let score =
            Score { turn: table.turns(), names: table.names(), points: table.standing(), faults };
        *self.score.lock().unwrap_or_else(PoisonError::into_inner) = score;
    }
}
