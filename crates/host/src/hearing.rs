//! What has happened while a worker waited: answers, errors, ends.

use std::time::{Duration, Instant};

use game::{Fault, FaultKind, Tick};
use table::{Input, SeatId};

use crate::pacing::When;
use crate::play::{Game, Worker};
use crate::run::Pondering;
use crate::seats::{Departure, Heard, Place, Role};
use crate::sys::interrupted;
use crate::thinking::Decision;
use crate::waiting::Source;

/// Where so many sit, a look at a clock for each of them is felt.
const CROWD: usize = 64;

impl Worker<'_> {
    /// In a quick exchange of moves, waits for the one on move alone. Everything else gets a look
    /// at every beat of the metronome; what has happened there is put into `found`.
    pub(super) fn quick_answer(
        &mut self,
        game: &mut Game<'_>,
        found: &mut Vec<Source>,
    ) -> Option<Heard> {
        self.metronome.as_ref().filter(|metronome| metronome.runs())?;
        let there = self.places.get_mut(game.asked as usize).and_then(Option::as_mut);
        let alone = game.table.programs_awaited() == 1
            && self.coming == 0
            && self.going.is_empty()
            && game.ended.is_empty()
            && !self.beside.is_busy();
        let there = there.filter(|there| {
            let asked = there.seat().is_some_and(|seat| game.table.awaits(seat));
            alone && asked && there.all_sent() && there.ended.is_none()
        })?;
        game.one_eared = true;
        match there.await_answer(&mut self.buffer) {
            Heard::Nothing => {}
            heard => return Some(heard),
        }
        self.waiting.wait(Some(Duration::ZERO), found);
        game.one_eared = false;
        game.wake();
        let due = game.table.next_tick().is_some_and(|tick| tick <= game.woke);
        if !found.is_empty() || due || interrupted() {
            return None;
        }
        self.look(game);
        let metronome = self.metronome.as_mut()?;
        let there = self.places.get_mut(game.asked as usize).and_then(Option::as_mut)?;
        match there.await_answer(&mut self.buffer) {
            // Two beats without an answer: this is no quick exchange.
            Heard::Nothing => {
                metronome.stop();
                None
            }
            heard => {
                game.one_eared = true;
                Some(heard)
            }
        }
    }

    /// An answer has come. If it came soon, a quick exchange begins.
    pub(super) fn quicken(&mut self, game: &Game<'_>, place: u32) {
        const QUICK: Duration = Duration::from_micros(500);
        if let Some(metronome) = &mut self.metronome
            && !metronome.runs()
            && place == game.asked
            && game.woke.since(game.asked_at) < QUICK
        {
            metronome.start();
        }
    }

    pub(super) fn take_in(&mut self, game: &mut Game<'_>, found: &mut Vec<Source>) {
        // What a bot says out of turn is heard before an answer leads to the next question, so
        // that it is never taken for the answer to that.
        if found.len() > 1 {
            found.sort_by_cached_key(|source| match source {
                Source::Stderr(_) | Source::Interrupt => 0,
                Source::Stdout(place) => {
                    let seat = self.at(*place).and_then(Place::seat);
                    if seat.is_some_and(|seat| game.table.awaits(seat)) { 2 } else { 1 }
                }
                Source::Thought => 2,
                Source::Stdin(_) | Source::Started => 3,
                Source::Exit(_) => 4,
            });
        }
        for source in found.drain(..) {
            match source {
                Source::Stdout(place) => {
                    // All there is, before anybody is asked anything. What is written meanwhile has
                    // to wait: a bot that floods must not keep us from looking at the clock.
                    if self.stdout(game, place) {
                        let bytes = self.at(place).map_or(0, Place::unheard);
                        let rounds = bytes.div_ceil(self.buffer.len());
                        (0..rounds).all(|_| self.stdout(game, place));
                    }
                }
                Source::Stderr(place) => self.stderr(game, place),
                Source::Exit(place) => self.exit(game, place),
                Source::Stdin(place) => self.room(game, place),
                Source::Started => self.take_in_started(game),
                Source::Thought => {
                    for decision in self.beside.decisions() {
                        decided(game, decision);
                    }
                }
                Source::Interrupt => {}
            }
        }
    }

    /// A bot can be written to again, or has taken its first question.
    pub(super) fn room(&mut self, game: &mut Game<'_>, place: u32) {
        self.note_taken(game, place);
        if let Some(there) = &mut self.places[place as usize] {
            let _ = there.flush(&self.waiting, place);
        }
    }

    /// Tells the table if a bot has just taken its first question.
    pub(super) fn note_taken(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = &mut self.places[place as usize] else { return };
        if let Some(seat) = there.seat()
            && there.has_taken()
        {
            let cpu = there.read_cpu();
            game.table.feed(game.woke, Input::Taken { seat, cpu }, &mut game.out);
        }
    }

    /// A bot that has read a part of its first question knows what it is asked.
    pub(super) fn look_for_takers(&mut self, game: &mut Game<'_>) {
        let mut taking = std::mem::take(&mut game.taking);
        taking.retain(|&place| {
            self.note_taken(game, place);
            self.at(place).is_some_and(|there| there.taking)
        });
        game.taking.append(&mut taking);
    }

    /// Tells the table how much processor time the bots have used that are asked or get ready.
    pub(super) fn tell_used(&mut self, game: &mut Game<'_>) {
        for index in 0..game.places.len() {
            let seat = SeatId(index as u32);
            if let Some(place) = game.places[index]
                && game.table.watches(seat)
                && let Some(there) = &mut self.places[place as usize]
            {
                let cpu = there.read_cpu();
                game.feed(Input::Used { seat, cpu });
            }
        }
    }

    /// Reads once. True if there may be more, and it is to be read now.
    pub(super) fn stdout(&mut self, game: &mut Game<'_>, place: u32) -> bool {
        let Some(there) = self.places.get_mut(place as usize).and_then(Option::as_mut) else {
            return false;
        };
        let portion = there.portion(when(game, there), self.buffer.len());
        let heard = there.hear(&mut self.buffer[..portion]);
        self.heard(game, place, heard)
    }

    /// Reads everything that a bot has said so far.
    pub(super) fn hear_out(&mut self, game: &mut Game<'_>, place: u32) {
        let mut unheard = self.at(place).map_or(0, Place::unheard);
        while unheard > 0 {
            let Some(there) = self.places.get_mut(place as usize).and_then(Option::as_mut) else {
                return;
            };
            let heard = there.hear(&mut self.buffer);
            let Heard::Bytes(count) = heard else { return };
            unheard = unheard.saturating_sub(count);
            self.heard(game, place, heard);
        }
    }

    /// What a look at a bot's output has shown. True if there may be more.
    pub(super) fn heard(&mut self, game: &mut Game<'_>, place: u32, heard: Heard) -> bool {
        if let Heard::Nothing = heard {
            return false;
        }
        let Some(there) = &mut self.places[place as usize] else { return false };
        let Some(seat) = there.seat() else {
            // An idle process has nothing to say; one that ends or talks is of no use.
            self.drop_idle(place);
            return false;
        };
        let count = match heard {
            Heard::Nothing => return false,
            Heard::End => {
                there.output_ended(&self.waiting);
                game.ended.push(place);
                return false;
            }
            Heard::Bytes(count) => count,
        };
        self.said(game, place, seat, count);
        count == self.buffer.len()
    }

    /// The bot in a seat has said what is in the buffer.
    pub(super) fn said(&mut self, game: &mut Game<'_>, place: u32, seat: SeatId, count: usize) {
        self.note_taken(game, place);
        let Some(there) = &mut self.places[place as usize] else { return };
        let now = game.woke;
        let awaited = game.table.awaits(seat);
        let cpu = match awaited && !game.charges_cpu {
            true if game.seated >= CROWD => there.cpu_in_crowd(),
            true if place == game.asked => there.cpu_after(now),
            true | false => there.read_cpu(),
        };
        let when = when(game, there);
        let (table, out) = (&mut *game.table, &mut game.out);
        let read = there.lines.take(&self.buffer[..count], |line| {
            table.feed(now, Input::Line { seat, line, cpu }, out);
        });
        let fault = match read {
            Ok(()) => there.count(count, when).err(),
            Err(too_long) => Some(Fault::new(FaultKind::LineTooLong, too_long.0)),
        };
        if !there.lines.begun().is_empty() {
            game.table.feed(
                now,
                Input::Unfinished { seat, bytes: there.lines.begun() },
                &mut game.out,
            );
        }
        if awaited {
            self.quicken(game, place);
        }
        let Some(there) = &mut self.places[place as usize] else { return };
        let stops = match self.shared.pondering {
            Pondering::Frozen => true,
            Pondering::Stopped => there.restless,
            Pondering::Allowed => false,
        };
        if when == When::OutOfTurn {
            there.put_off(&self.waiting);
        }
        if stops && game.table.plays(seat) && !game.table.on_move(seat) {
            there.freeze();
        }
        if let Some(fault) = fault {
            game.feed(Input::Lost { seat, fault });
        }
    }

    pub(super) fn stderr(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = self.places.get_mut(place as usize).and_then(Option::as_mut) else {
            return;
        };
        let seat = there.seat();
        let now = game.now();
        there.hear_stderr(&mut self.buffer, &self.waiting, |bytes| {
            if let Some(seat) = seat {
                game.table.feed(now, Input::Stderr { seat, bytes }, &mut game.out);
            }
        });
    }

    /// A process has ended. What it said before is heard first.
    pub(super) fn exit(&mut self, game: &mut Game<'_>, place: u32) {
        let Some(there) = self.at(place) else { return };
        if there.seat().is_none() {
            match there.role {
                Role::Idle { .. } => self.drop_idle(place),
                Role::Leaving(_) | Role::Dying(_) => self.departed(place),
                Role::Seated(_) => unreachable!("it has no seat"),
            }
            return;
        }
        // To its end, or as much as a pipe can hold: a process left behind may go on writing.
        game.wake();
        for _ in 0..32 {
            self.stdout(game, place);
            if self.at(place).is_none_or(|there| there.ended.is_some()) {
                break;
            }
        }
        self.gone(game, place);
    }

    /// Reports a process that has ended or will never speak again.
    pub(super) fn gone(&mut self, game: &mut Game<'_>, place: u32) {
        self.stderr(game, place);
        let Some(there) = &mut self.places[place as usize] else { return };
        let Some(seat) = there.seat() else { return };
        let cpu = there.read_cpu();
        game.table.feed(game.woke, Input::Used { seat, cpu }, &mut game.out);
        let bot = &self.shared.roster[there.bot];
        let departure = there.departure(bot);
        there.ended = None;
        match departure {
            Departure::Fault(fault) => game.feed(Input::Lost { seat, fault }),
            Departure::MachineOutOfMemory => {
                let reason = format!(
                    "the machine ran out of memory and ended {}, which used no more than its \
                     {} MiB: lower memory_mb or --concurrency",
                    bot.name, bot.limits.memory_mb
                );
                game.feed(Input::Abort { reason: &reason });
            }
        }
    }

    /// Output that has ended without an exit following soon.
    pub(super) fn believe_ends(&mut self, game: &mut Game<'_>) {
        if game.ended.is_empty() {
            return;
        }
        let now = Instant::now();
        for place in std::mem::take(&mut game.ended) {
            let Some(there) = &mut self.places[place as usize] else { continue };
            let ended = there.ended;
            match ended {
                Some(by) if by > now || there.is_given_longer(by) => game.ended.push(place),
                Some(_) => self.gone(game, place),
                None => {}
            }
        }
    }
}

/// When a bot has written what is read from it now.
fn when(game: &Game<'_>, there: &Place) -> When {
    match there.seat() {
        // Its question is still here: what it says is not for that.
        Some(seat) if game.table.plays(seat) && there.starts_clock => When::OutOfTurn,
        Some(seat) if game.table.on_move(seat) => When::OnMove,
        Some(seat) if game.table.plays(seat) => When::OutOfTurn,
        Some(_) | None => When::NotPlaying,
    }
}

pub(super) fn decided(game: &mut Game<'_>, decision: Decision) {
    let now = Tick(decision.at.saturating_duration_since(game.began));
    let Decision { seat, thought, cpu, .. } = decision;
    let input = match thought {
        Ok(thought) => Input::Thought { seat, thought, cpu },
        Err(panic) => {
            let fault = Fault::new(FaultKind::Crash, format!("the built-in bot {panic}"));
            Input::Lost { seat, fault }
        }
    };
    game.table.feed(now, input, &mut game.out);
}
