//! Handles what has happened while a worker waited: answers, standard error, exits.

use std::time::Instant;

use game::{Fault, FaultKind, Tick};
use table::{Input, SeatId, SeatStatus};

use crate::worker::bot_output::{EndVerdict, ReadOutcome};
use crate::worker::built_in::ThoughtResult;
use crate::worker::connection::{Connection, ConnectionState, Departure};
use crate::worker::cpu_meter::Metered;
use crate::worker::current_match::CurrentMatch;
use crate::worker::match_loop::{AHEAD, Worker};
use crate::worker::pacing::{BotTurn, When, portion};
use crate::worker::poller::PollSource;

/// With so many seats, reading a clock for each of them costs too much.
const CROWD: usize = 64;

/// The order in which events of one wait are dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EventOrder {
    /// What leads to nothing.
    Notes,
    /// What is said by a bot that was not asked.
    OutOfTurn,
    /// Answers, which lead to questions.
    Answers,
    /// What can wait until answers have been heard.
    Room,
    /// The last, so that everything said before is heard.
    Exits,
}

impl EventOrder {
    /// `awaited` says whether an answer is due on a connection.
    fn new(source: PollSource, awaited: impl FnOnce(u32) -> bool) -> EventOrder {
        match source {
            PollSource::Stderr(_) | PollSource::Interrupt | PollSource::Watched => {
                EventOrder::Notes
            }
            PollSource::Stdout(connection) if awaited(connection) => EventOrder::Answers,
            PollSource::Stdout(_) => EventOrder::OutOfTurn,
            PollSource::Thought | PollSource::Person => EventOrder::Answers,
            PollSource::Stdin(_) | PollSource::Started => EventOrder::Room,
            PollSource::Exit(_) => EventOrder::Exits,
        }
    }
}

/// Who has said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// The bot that was asked last, and whose answer is due.
    AskedLast,
    /// Another bot whose answer is due.
    Asked,
    NotAsked,
}

/// How the processor time of an answer is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CpuReading {
    /// Asked of the system.
    Exact,
    /// Asked of the system once for several answers.
    Sampled,
    /// Taken for the time since the question, if that was short.
    Estimated,
}

impl CpuReading {
    fn new(sender: Sender, metered: Metered, seated: usize) -> CpuReading {
        match (metered, sender) {
            (Metered::Everything, _) | (Metered::Process, Sender::NotAsked) => CpuReading::Exact,
            (Metered::Process, Sender::AskedLast | Sender::Asked) if seated >= CROWD => {
                CpuReading::Sampled
            }
            (Metered::Process, Sender::AskedLast) => CpuReading::Estimated,
            (Metered::Process, Sender::Asked) => CpuReading::Exact,
        }
    }
}

impl Worker<'_> {
    pub(crate) fn handle_events(
        &mut self,
        game: &mut CurrentMatch<'_>,
        found: &mut Vec<PollSource>,
    ) {
        // Output out of turn is read before an answer leads to the next question. Otherwise it
        // could be taken for the answer to that question.
        if found.len() > 1 {
            let order = |source: &PollSource| {
                EventOrder::new(*source, |connection| {
                    let seat = self.at(connection).and_then(Connection::seat);
                    seat.is_some_and(|seat| game.table.seat(seat) == SeatStatus::Awaited)
                })
            };
            // Usually all of them are answers.
            if !found.is_sorted_by_key(order) {
                found.sort_by_cached_key(order);
            }
        }
        for (index, &source) in found.iter().enumerate() {
            if let Some(&PollSource::Stdout(next)) = found.get(index + AHEAD) {
                self.fetch_soon(Some(next));
            }
            match source {
                PollSource::Stdout(connection) => {
                    // All there is, before the next question. What is written meanwhile has to
                    // wait: a bot that floods must not keep the worker from its clocks.
                    if self.read_stdout(game, connection) {
                        let bytes = self.at(connection).map_or(0, |there| there.output.unread());
                        let rounds = bytes.div_ceil(self.buffer.len());
                        (0..rounds).all(|_| self.read_stdout(game, connection));
                    }
                }
                PollSource::Stderr(connection) => self.read_stderr(game, connection),
                PollSource::Exit(connection) => self.handle_exit(game, connection),
                PollSource::Stdin(connection) => self.handle_writable(game, connection),
                PollSource::Started => self.seat_started(game),
                PollSource::Thought => {
                    for decision in self.bot_threads.decisions() {
                        feed_decision(game, decision);
                    }
                }
                PollSource::Person => self.hear_people(game),
                PollSource::Interrupt => {}
                PollSource::Watched => self.hear_watchers(),
            }
        }
        found.clear();
    }

    /// A bot can be written to again, or has taken its first question.
    pub(crate) fn handle_writable(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        self.note_first_read(game, connection);
        if let Some(there) = &mut self.connections[connection as usize] {
            let _ = there.input.flush(&game.out.bytes, &self.poller, connection);
        }
    }

    /// Tells the table if a bot has just taken its first question.
    pub(crate) fn note_first_read(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = &mut self.connections[connection as usize] else { return };
        if let Some(seat) = there.seat()
            && there.input.has_read_question()
        {
            let cpu = there.read_cpu();
            game.table.feed(game.woke, Input::Taken { seat, cpu }, &mut game.out);
        }
    }

    /// A bot that has read a part of its first question knows what it is asked.
    pub(crate) fn check_first_reads(&mut self, game: &mut CurrentMatch<'_>) {
        let mut unread = std::mem::take(&mut game.unread_questions);
        unread.retain(|&connection| {
            self.note_first_read(game, connection);
            self.at(connection).is_some_and(|there| there.input.question_is_unread())
        });
        game.unread_questions.append(&mut unread);
    }

    /// Tells the table how much processor time the bots have used that are asked or get ready.
    pub(crate) fn report_cpu(&mut self, game: &mut CurrentMatch<'_>) {
        for seat in game.seats.ids() {
            if let Some(connection) = game.seats.connection(seat)
                && game.table.seat(seat).is_metered()
                && let Some(there) = &mut self.connections[connection as usize]
            {
                let cpu = there.read_cpu();
                game.feed(Input::Used { seat, cpu });
            }
        }
    }

    /// Reads once. True if there may be more, and it is to be read now.
    pub(crate) fn read_stdout(&mut self, game: &mut CurrentMatch<'_>, connection: u32) -> bool {
        let Some(there) = self.connections.get_mut(connection as usize).and_then(Option::as_mut)
        else {
            return false;
        };
        let status = there.seat().map(|seat| game.table.seat(seat));
        let portion = portion(when(status, there), self.buffer.len());
        let heard = there.output.read(&mut self.buffer[..portion]);
        self.handle_read(game, connection, heard)
    }

    /// Reads everything that a bot has said so far.
    pub(crate) fn read_all_stdout(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
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
            self.handle_read(game, connection, heard);
        }
    }

    /// What a look at a bot's output has shown. True if there may be more.
    pub(crate) fn handle_read(
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
        self.handle_output(game, connection, seat, count);
        count == self.buffer.len()
    }

    /// The bot in a seat has said what is in the buffer.
    pub(crate) fn handle_output(
        &mut self,
        game: &mut CurrentMatch<'_>,
        connection: u32,
        seat: SeatId,
        count: usize,
    ) {
        self.note_first_read(game, connection);
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let now = game.woke;
        let status = game.table.seat(seat);
        let awaited = status == SeatStatus::Awaited;
        let sender = match awaited {
            true if connection == game.asked => Sender::AskedLast,
            true => Sender::Asked,
            false => Sender::NotAsked,
        };
        let cpu = match CpuReading::new(sender, game.metered, game.seats.filled()) {
            CpuReading::Sampled => there.cpu_in_crowd(),
            CpuReading::Estimated => there.cpu_after(now),
            CpuReading::Exact => there.read_cpu(),
        };
        let when = when(Some(status), there);
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
            self.note_answer(game, connection);
        }
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let stops = there.scheduling.stops_after_answer(self.shared.pondering);
        if when == When::OutOfTurn {
            there.output.note_out_of_turn(&self.poller);
        }
        if stops && game.table.seat(seat) == SeatStatus::Waiting {
            there.stop();
        }
        if let Some(fault) = fault {
            game.feed(Input::Lost { seat, fault });
        }
    }

    pub(crate) fn read_stderr(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = self.connections.get_mut(connection as usize).and_then(Option::as_mut)
        else {
            return;
        };
        let seat = there.seat();
        let now = game.now();
        there.read_stderr(&mut self.buffer, &self.poller, |bytes| {
            if let Some(seat) = seat {
                game.table.feed(now, Input::Stderr { seat, bytes }, &mut game.out);
            }
        });
    }

    /// A process has ended. What it wrote before is read first.
    pub(crate) fn handle_exit(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = self.at(connection) else { return };
        if there.seat().is_none() {
            match there.state {
                ConnectionState::Idle { .. } => self.drop_idle(connection),
                ConnectionState::Leaving(_) | ConnectionState::Dying(_) => {
                    self.remove_connection(connection)
                }
                ConnectionState::Seated(_) => unreachable!("it has no seat"),
            }
            return;
        }
        // To its end, or as much as a pipe can hold: a process left behind may go on writing.
        game.wake();
        for _ in 0..32 {
            self.read_stdout(game, connection);
            if self.at(connection).is_none_or(|there| there.output.has_ended()) {
                break;
            }
        }
        self.report_lost(game, connection);
    }

    /// Tells the table of a process that has ended, or whose output has.
    pub(crate) fn report_lost(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        self.read_stderr(game, connection);
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

    /// Reports bots whose output has ended and whose process has not exited soon after.
    pub(crate) fn report_silent_bots(&mut self, game: &mut CurrentMatch<'_>) {
        if game.ended.is_empty() {
            return;
        }
        let now = Instant::now();
        for connection in std::mem::take(&mut game.ended) {
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            match there.judge_end(now) {
                EndVerdict::Wait => game.ended.push(connection),
                EndVerdict::Report => self.report_lost(game, connection),
                EndVerdict::NothingToReport => {}
            }
        }
    }
}

/// When a bot, whose seat is so far, has written what is read from it now.
fn when(status: Option<SeatStatus>, there: &Connection) -> When {
    let turn = match status {
        Some(SeatStatus::OnMove | SeatStatus::Awaited) => BotTurn::OnMove,
        Some(SeatStatus::Waiting) => BotTurn::Waits,
        Some(
            SeatStatus::Opening | SeatStatus::Handshake | SeatStatus::Leaving | SeatStatus::Closed,
        )
        | None => BotTurn::NotPlaying,
    };
    When::new(turn, there.input.queued())
}

pub(crate) fn feed_decision(game: &mut CurrentMatch<'_>, decision: ThoughtResult) {
    let now = Tick(decision.at.saturating_duration_since(game.began));
    game.table.feed(now, input_of(decision), &mut game.out);
}

/// What a table is told of a decision: a bot that has panicked is lost.
fn input_of(decision: ThoughtResult) -> Input<'static> {
    let ThoughtResult { seat, thought, cpu, .. } = decision;
    match thought {
        Ok(thought) => Input::Thought { seat, thought, cpu },
        Err(panic) => {
            let fault = Fault::new(FaultKind::Crash, format!("the built-in bot {panic}"));
            Input::Lost { seat, fault }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use table::SeatId;

    use super::*;
    use crate::panics::catch;

    #[test]
    fn what_is_said_out_of_turn_is_heard_before_an_answer() {
        let order = |source| EventOrder::new(source, |connection| connection == 1);
        assert!(order(PollSource::Stdout(0)) < order(PollSource::Stdout(1)));
        assert!(order(PollSource::Stdout(0)) < order(PollSource::Thought));
    }

    #[test]
    fn standard_error_comes_first_and_exits_come_last() {
        let order = |source| EventOrder::new(source, |_| true);
        let others =
            [PollSource::Stdout(0), PollSource::Thought, PollSource::Stdin(0), PollSource::Started];
        for other in others {
            assert!(order(PollSource::Stderr(0)) < order(other));
            assert!(order(other) < order(PollSource::Exit(0)));
        }
    }

    #[test]
    fn an_answer_leads_to_no_question_before_it_is_heard() {
        let order = |source| EventOrder::new(source, |_| true);
        assert!(order(PollSource::Stdout(0)) < order(PollSource::Stdin(1)));
        assert!(order(PollSource::Stdout(0)) < order(PollSource::Started));
    }

    #[test]
    fn processor_time_is_exact_where_it_is_charged_or_nobody_was_asked() {
        for sender in [Sender::AskedLast, Sender::Asked, Sender::NotAsked] {
            let reading = CpuReading::new(sender, Metered::Everything, CROWD);
            assert_eq!(reading, CpuReading::Exact, "{sender:?}");
        }
        let reading = CpuReading::new(Sender::NotAsked, Metered::Process, CROWD);
        assert_eq!(reading, CpuReading::Exact);
    }

    #[test]
    fn processor_time_is_estimated_for_the_bot_asked_last() {
        let reading = |sender, seated| CpuReading::new(sender, Metered::Process, seated);
        assert_eq!(reading(Sender::AskedLast, 2), CpuReading::Estimated);
        assert_eq!(reading(Sender::Asked, 2), CpuReading::Exact);
    }

    #[test]
    fn processor_time_is_sampled_in_a_crowd() {
        for sender in [Sender::AskedLast, Sender::Asked] {
            let reading = |seated| CpuReading::new(sender, Metered::Process, seated);
            assert_ne!(reading(CROWD - 1), CpuReading::Sampled);
            assert_eq!(reading(CROWD), CpuReading::Sampled);
        }
    }

    #[test]
    fn a_built_in_bot_that_panics_has_crashed() {
        let thought = Err(catch(|| panic!("no move")).expect_err("it panics"));
        let (at, wall, cpu) = (Instant::now(), Duration::ZERO, Duration::ZERO);
        let input = input_of(ThoughtResult { seat: SeatId(3), thought, at, wall, cpu });
        let Input::Lost { seat: SeatId(3), fault } = input else { panic!("it is lost: {input:?}") };
        assert_eq!(fault.kind, FaultKind::Crash);
        assert!(fault.detail.contains("no move"), "{}", fault.detail);
    }
}
