//! What has happened while a worker waited: answers, errors, ends.

use std::time::Instant;

use game::{Fault, FaultKind, Tick};
use table::{Input, SeatId};

use crate::worker::bot_output::{EndVerdict, ReadOutcome};
use crate::worker::built_in::Decision;
use crate::worker::connection::{Connection, ConnectionState, Departure};
use crate::worker::cpu_meter::Metered;
use crate::worker::match_loop::{CurrentMatch, Worker};
use crate::worker::pacing::{When, portion};
use crate::worker::poller::PollSource;

/// Where so many sit, a look at a clock for each of them is felt.
const CROWD: usize = 64;

impl Worker<'_> {
    pub(crate) fn take_in(&mut self, game: &mut CurrentMatch<'_>, found: &mut Vec<PollSource>) {
        // What a bot says out of turn is heard before an answer leads to the next question, so
        // that it is never taken for the answer to that.
        if found.len() > 1 {
            found.sort_by_cached_key(|source| match source {
                PollSource::Stderr(_) | PollSource::Interrupt => 0,
                PollSource::Stdout(connection) => {
                    let seat = self.at(*connection).and_then(Connection::seat);
                    if seat.is_some_and(|seat| game.table.awaits(seat)) { 2 } else { 1 }
                }
                PollSource::Thought => 2,
                PollSource::Stdin(_) | PollSource::Started => 3,
                PollSource::Exit(_) => 4,
            });
        }
        for source in found.drain(..) {
            match source {
                PollSource::Stdout(connection) => {
                    // All there is, before anybody is asked anything. What is written meanwhile has
                    // to wait: a bot that floods must not keep us from looking at the clock.
                    if self.stdout(game, connection) {
                        let bytes = self.at(connection).map_or(0, |there| there.output.unread());
                        let rounds = bytes.div_ceil(self.buffer.len());
                        (0..rounds).all(|_| self.stdout(game, connection));
                    }
                }
                PollSource::Stderr(connection) => self.stderr(game, connection),
                PollSource::Exit(connection) => self.exit(game, connection),
                PollSource::Stdin(connection) => self.room(game, connection),
                PollSource::Started => self.take_in_started(game),
                PollSource::Thought => {
                    for decision in self.bot_threads.decisions() {
                        decided(game, decision);
                    }
                }
                PollSource::Interrupt => {}
            }
        }
    }

    /// A bot can be written to again, or has taken its first question.
    pub(crate) fn room(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        self.note_taken(game, connection);
        if let Some(there) = &mut self.connections[connection as usize] {
            let _ = there.flush(&self.poller, connection);
        }
    }

    /// Tells the table if a bot has just taken its first question.
    pub(crate) fn note_taken(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = &mut self.connections[connection as usize] else { return };
        if let Some(seat) = there.seat()
            && there.input.has_read_question()
        {
            let cpu = there.read_cpu();
            game.table.feed(game.woke, Input::Taken { seat, cpu }, &mut game.out);
        }
    }

    /// A bot that has read a part of its first question knows what it is asked.
    pub(crate) fn look_for_takers(&mut self, game: &mut CurrentMatch<'_>) {
        let mut taking = std::mem::take(&mut game.taking);
        taking.retain(|&connection| {
            self.note_taken(game, connection);
            self.at(connection).is_some_and(|there| there.input.question_is_unread())
        });
        game.taking.append(&mut taking);
    }

    /// Tells the table how much processor time the bots have used that are asked or get ready.
    pub(crate) fn tell_used(&mut self, game: &mut CurrentMatch<'_>) {
        for index in 0..game.connections.len() {
            let seat = SeatId(index as u32);
            if let Some(connection) = game.connections[index]
                && game.table.watches(seat)
                && let Some(there) = &mut self.connections[connection as usize]
            {
                let cpu = there.read_cpu();
                game.feed(Input::Used { seat, cpu });
            }
        }
    }

    /// Reads once. True if there may be more, and it is to be read now.
    pub(crate) fn stdout(&mut self, game: &mut CurrentMatch<'_>, connection: u32) -> bool {
        let Some(there) = self.connections.get_mut(connection as usize).and_then(Option::as_mut)
        else {
            return false;
        };
        let portion = portion(when(game, there), self.buffer.len());
        let heard = there.output.read(&mut self.buffer[..portion]);
        self.heard(game, connection, heard)
    }

    /// Reads everything that a bot has said so far.
    pub(crate) fn hear_out(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let mut unheard = self.at(connection).map_or(0, |there| there.output.unread());
        while unheard > 0 {
            let Some(there) =
                self.connections.get_mut(connection as usize).and_then(Option::as_mut)
            else {
                return;
            };
            let heard = there.output.read(&mut self.buffer);
            let ReadOutcome::Bytes(count) = heard else { return };
            unheard = unheard.saturating_sub(count);
            self.heard(game, connection, heard);
        }
    }

    /// What a look at a bot's output has shown. True if there may be more.
    pub(crate) fn heard(
        &mut self,
        game: &mut CurrentMatch<'_>,
        connection: u32,
        heard: ReadOutcome,
    ) -> bool {
        if let ReadOutcome::Nothing = heard {
            return false;
        }
        let Some(there) = &mut self.connections[connection as usize] else { return false };
        let Some(seat) = there.seat() else {
            // An idle process has nothing to say; one that ends or talks is of no use.
            self.drop_idle(connection);
            return false;
        };
        let count = match heard {
            ReadOutcome::Nothing => return false,
            ReadOutcome::End => {
                there.output.end(&self.poller);
                game.ended.push(connection);
                return false;
            }
            ReadOutcome::Bytes(count) => count,
        };
        self.said(game, connection, seat, count);
        count == self.buffer.len()
    }

    /// The bot in a seat has said what is in the buffer.
    pub(crate) fn said(
        &mut self,
        game: &mut CurrentMatch<'_>,
        connection: u32,
        seat: SeatId,
        count: usize,
    ) {
        self.note_taken(game, connection);
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let now = game.woke;
        let awaited = game.table.awaits(seat);
        let cpu = match awaited && game.metered == Metered::Process {
            true if game.seated >= CROWD => there.cpu_in_crowd(),
            true if connection == game.asked => there.cpu_after(now),
            true | false => there.read_cpu(),
        };
        let when = when(game, there);
        let (table, out) = (&mut *game.table, &mut game.out);
        let read = there.output.lines.take(&self.buffer[..count], |line| {
            table.feed(now, Input::Line { seat, line, cpu }, out);
        });
        let fault = match read {
            Ok(()) => there.count(count, when).err(),
            Err(too_long) => Some(Fault::new(FaultKind::LineTooLong, too_long.0)),
        };
        if !there.output.lines.begun().is_empty() {
            game.table.feed(
                now,
                Input::Unfinished { seat, bytes: there.output.lines.begun() },
                &mut game.out,
            );
        }
        if awaited {
            self.enter_fast_path(game, connection);
        }
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let stops = there.scheduling.stops_after_answer(self.shared.pondering);
        if when == When::OutOfTurn {
            there.output.note_out_of_turn(&self.poller);
        }
        if stops && game.table.plays(seat) && !game.table.on_move(seat) {
            there.freeze();
        }
        if let Some(fault) = fault {
            game.feed(Input::Lost { seat, fault });
        }
    }

    pub(crate) fn stderr(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = self.connections.get_mut(connection as usize).and_then(Option::as_mut)
        else {
            return;
        };
        let seat = there.seat();
        let now = game.now();
        there.hear_stderr(&mut self.buffer, &self.poller, |bytes| {
            if let Some(seat) = seat {
                game.table.feed(now, Input::Stderr { seat, bytes }, &mut game.out);
            }
        });
    }

    /// A process has ended. What it said before is heard first.
    pub(crate) fn exit(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = self.at(connection) else { return };
        if there.seat().is_none() {
            match there.state {
                ConnectionState::Idle { .. } => self.drop_idle(connection),
                ConnectionState::Leaving(_) | ConnectionState::Dying(_) => {
                    self.departed(connection)
                }
                ConnectionState::Seated(_) => unreachable!("it has no seat"),
            }
            return;
        }
        // To its end, or as much as a pipe can hold: a process left behind may go on writing.
        game.wake();
        for _ in 0..32 {
            self.stdout(game, connection);
            if self.at(connection).is_none_or(|there| there.output.has_ended()) {
                break;
            }
        }
        self.gone(game, connection);
    }

    /// Reports a process that has ended or will never speak again.
    pub(crate) fn gone(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        self.stderr(game, connection);
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let Some(seat) = there.seat() else { return };
        let cpu = there.read_cpu();
        game.table.feed(game.woke, Input::Used { seat, cpu }, &mut game.out);
        let bot = &self.shared.roster[there.bot];
        let departure = there.departure(bot);
        there.output.report_end();
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
    pub(crate) fn believe_ends(&mut self, game: &mut CurrentMatch<'_>) {
        if game.ended.is_empty() {
            return;
        }
        let now = Instant::now();
        for connection in std::mem::take(&mut game.ended) {
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            match there.judge_end(now) {
                EndVerdict::Wait => game.ended.push(connection),
                EndVerdict::Report => self.gone(game, connection),
                EndVerdict::NothingToReport => {}
            }
        }
    }
}

/// When a bot has written what is read from it now.
fn when(game: &CurrentMatch<'_>, there: &Connection) -> When {
    match there.seat() {
        // Its question is still here: what it says is not for that.
        Some(seat) if game.table.plays(seat) && there.input.holds_question() => When::OutOfTurn,
        Some(seat) if game.table.on_move(seat) => When::OnMove,
        Some(seat) if game.table.plays(seat) => When::OutOfTurn,
        Some(_) | None => When::NotPlaying,
    }
}

pub(crate) fn decided(game: &mut CurrentMatch<'_>, decision: Decision) {
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
