//! What the table wants done: seats opened and closed, bytes written, built-in bots asked to think.

use std::time::Duration;

use game::{Fault, PlayerId, Tick};
use table::{Fresh, Input, Output, Parting, SeatId, SeatStatus};

use crate::os::sys::{interrupted, thread_cpu};
use crate::process::private_file::PromisedFile;
use crate::run::Watcher;
use crate::worker::bot_input::{ClockStart, Queued};
use crate::worker::built_in::think;
use crate::worker::connection::ConnectionState;
use crate::worker::current_match::CurrentMatch;
use crate::worker::io_events::feed_decision;
use crate::worker::match_loop::{AHEAD, Worker};
use crate::worker::seating::{Crowding, Starter};
use crate::worker::slow_writes::EndedWrite;

/// Where a built-in bot thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThinksOn {
    /// On the worker's thread, which does nothing else meanwhile.
    Worker,
    /// On another thread: the answers of programs and people must be read when they come, not when
    /// this bot is done.
    OwnThread,
}

/// What a built-in bot thinks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThinksAbout {
    /// Its move.
    Move,
    /// The game to come, while programs shake hands.
    Preparation,
}

impl ThinksOn {
    /// `awaited` programs and people have been asked, and `seated` programs are there.
    fn new(what: ThinksAbout, awaited: usize, seated: usize) -> ThinksOn {
        let waiting = match what {
            ThinksAbout::Move => awaited,
            ThinksAbout::Preparation => awaited + seated,
        };
        if waiting > 0 { ThinksOn::OwnThread } else { ThinksOn::Worker }
    }
}

/// Whether a process could take part in another game of this worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnotherGame {
    Possible,
    /// It has ended a pipe, has not read everything, or its bot needs a new process for every game.
    Impossible,
}

/// What becomes of a process when its seat is closed.
#[derive(Debug, PartialEq, Eq)]
enum AfterSeat {
    /// It waits for another game. The words and the time are for when it is not needed any more.
    Stays {
        farewell: Vec<u8>,
        grace: Duration,
    },
    /// It is told to leave, and has so much time for it.
    Leaves {
        farewell: Vec<u8>,
        grace: Duration,
    },
    Killed,
}

impl AfterSeat {
    fn new(parting: Parting, another: AnotherGame) -> AfterSeat {
        match (parting, another) {
            (Parting::Keep { farewell, grace }, AnotherGame::Possible) => {
                AfterSeat::Stays { farewell, grace }
            }
            (Parting::Keep { farewell, grace }, AnotherGame::Impossible)
            | (Parting::Leave { farewell, grace }, _) => AfterSeat::Leaves { farewell, grace },
            (Parting::Kill, _) => AfterSeat::Killed,
        }
    }
}

impl Worker<'_> {
    pub(crate) fn carry_out(
        &mut self,
        game: &mut CurrentMatch<'_>,
        mut watcher: Option<&mut (dyn Watcher + 'static)>,
    ) {
        loop {
            // Before the next question goes out: the viewer may take its time.
            if let Some(watcher) = watcher.as_deref_mut()
                && game.watched != game.table.turns()
            {
                game.watched = game.table.turns();
                watcher.stepped(game.table);
                game.latest = game.now();
            }
            while !game.out.list.is_empty() {
                std::mem::swap(&mut game.out.list, &mut game.list);
                let mut list = std::mem::take(&mut game.list);
                let opens =
                    list.iter().filter(|output| matches!(output, Output::Open { .. })).count();
                let starter = Starter::new(game.table.turns(), opens);
                if game.seats.filled() + self.coming + opens > self.cores.bots.len() {
                    game.crowding = game.crowding.max(Crowding::Crowded);
                }
                for output in list.drain(..) {
                    let opened = matches!(output, Output::Open { .. });
                    self.carry_out_one(game, output, starter);
                    if opened && starter == Starter::Worker {
                        self.begin_handshake(game);
                    }
                }
                game.list = list;
                self.flush(game);
                if game.out.list.is_empty() {
                    game.out.bytes.clear();
                }
            }
            // After programs have been asked: they must not wait for it.
            for player in std::mem::take(&mut game.unshown) {
                self.show(game, player);
            }
            // After an interruption nobody is asked to think any more: the match is void.
            if interrupted() {
                game.thinkers.clear();
            }
            match game.thinkers.pop() {
                Some(seat) => self.think(game, seat),
                None => return,
            }
        }
    }

    /// The process that has just been started starts up while the next one is being started.
    fn begin_handshake(&mut self, game: &mut CurrentMatch<'_>) {
        for output in std::mem::take(&mut game.out.list) {
            self.carry_out_one(game, output, Starter::Threads);
        }
        self.flush(game);
    }

    fn carry_out_one(&mut self, game: &mut CurrentMatch<'_>, output: Output, starter: Starter) {
        match output {
            // Given up before it was filled, because another one could not be.
            Output::Open { seat, .. } if game.table.seat(seat) == SeatStatus::Closed => {}
            Output::Open { seat, player, process, fresh } => {
                let bot = game.bots[player.index()];
                if fresh == Fresh::Yes && game.table.turns() == 0 {
                    self.leavers.insert(bot);
                }
                if fresh == Fresh::Yes || !self.seat_idle(game, seat, bot) {
                    let start = self.shared.start(bot, &process);
                    // Only the first program of a bot is started ahead.
                    let starter = if process.program == 0 { starter } else { Starter::Threads };
                    self.start(game, seat, bot, start, starter);
                }
            }
            Output::Write { seat, bytes, starts_clock } => {
                if let Some(connection) = game.seats.connection(seat)
                    && let Some(there) = &mut self.connections[connection as usize]
                {
                    let kind = if starts_clock { Queued::Question } else { Queued::Message };
                    if there.input.queue(&game.out.bytes, bytes, kind) == Queued::Nothing {
                        game.dirty.push(connection);
                    }
                }
            }
            Output::Cold { seat } => {
                if let Some(connection) = game.seats.connection(seat)
                    && let Some(there) = &mut self.connections[connection as usize]
                {
                    there.input.expect_cold_start();
                }
            }
            Output::CloseInput { seat } => {
                if let Some(connection) = game.seats.connection(seat)
                    && let Some(there) = &mut self.connections[connection as usize]
                {
                    let _ = there.input.flush(&game.out.bytes, &self.poller, connection);
                    there.input.close(&self.poller);
                }
            }
            Output::Think { seat } => game.thinkers.push(seat),
            Output::Show { player } => game.unshown.push(player),
            Output::Close { seat, parting } => self.close(game, seat, parting),
        }
    }

    fn close(&mut self, game: &mut CurrentMatch<'_>, seat: SeatId, parting: Parting) {
        let Some(connection) = game.seats.empty(seat) else { return };
        let Some(there) = &mut self.connections[connection as usize] else { return };
        if let Parting::Keep { .. } = &parting
            && let Some(player) = game.bots.iter().position(|bot| *bot == there.bot)
        {
            there.about = game.table.about(PlayerId(player as u16));
        }
        if let (Parting::Leave { .. }, Some(prestarted)) = (&parting, &mut self.prestarted) {
            prestarted.leaves(there.bot);
        }
        let cpu = there.read_cpu();
        if let Some(content) = there.child.private_file.as_ref().and_then(PromisedFile::content) {
            game.feed(Input::Kept { seat, content: &content });
        }
        // In a quick exchange nobody has listened to it for a moment.
        there.read_stderr(&mut self.buffer, &self.poller, |bytes| {
            let input = Input::Stderr { seat, bytes };
            game.table.feed(Tick(game.began.elapsed()), input, &mut game.out);
        });
        game.table.feed(game.latest, Input::Used { seat, cpu }, &mut game.out);
        there.resume();
        // What was said before the goodbye goes out before it.
        let _ = there.input.flush(&game.out.bytes, &self.poller, connection);
        let another = match there.can_play_again() && !self.leavers.contains(&there.bot) {
            true => AnotherGame::Possible,
            false => AnotherGame::Impossible,
        };
        match AfterSeat::new(parting, another) {
            AfterSeat::Stays { farewell, grace } => {
                there.output.listen_again(&self.poller, connection);
                there.state = ConnectionState::Idle { farewell, grace };
                self.idle.entry(there.bot).or_default().push(connection);
            }
            AfterSeat::Leaves { farewell, grace } => {
                there.send_farewell(&farewell, grace, &self.poller);
                self.add_going(connection);
            }
            AfterSeat::Killed => self.kill_connection(connection),
        }
    }

    /// Sends what has been queued. The clock of a question starts just before its first byte.
    ///
    /// Where many are asked at once the writes follow one another as fast as they can: an idle
    /// core falls asleep in the shortest pause, and to wake it costs the host as much as all the
    /// rest. Whatever can be done before or after them is.
    fn flush(&mut self, game: &mut CurrentMatch<'_>) {
        let dirty = std::mem::take(&mut game.dirty);
        for (index, &connection) in dirty.iter().enumerate() {
            self.fetch_soon(dirty.get(index + AHEAD).copied());
            self.prepare_write(game, connection);
        }
        let mut faults = Vec::new();
        // A single write keeps nobody else waiting.
        let timed = dirty.len() > 1;
        for (index, &connection) in dirty.iter().enumerate() {
            self.fetch_soon(dirty.get(index + AHEAD).copied());
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            let Some(seat) = there.seat() else { continue };
            let asks = there.input.queued() == Queued::Question;
            if asks || timed {
                let at = Tick(game.began.elapsed());
                if asks {
                    there.meter.asked_at = at;
                }
                if timed {
                    let to = (connection, there.bot);
                    let ended = game.slow_writes.begin(to, at, thread_cpu);
                    faults.extend(ended.and_then(|write| self.note_write(write)));
                }
            }
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            if let Err(fault) = there.input.flush(&game.out.bytes, &self.poller, connection) {
                faults.push((seat, fault));
            }
        }
        if timed {
            let ended = game.slow_writes.end(Tick(game.began.elapsed()), thread_cpu);
            faults.extend(ended.and_then(|write| self.note_write(write)));
        }
        for (index, &connection) in dirty.iter().enumerate() {
            self.fetch_soon(dirty.get(index + AHEAD).copied());
            let Some(there) = &mut self.connections[connection as usize] else { continue };
            let sent = there.input.take_queued();
            let Some(seat) = there.seat() else { continue };
            game.asked = connection;
            match sent {
                Queued::Question => {
                    let asked = there.meter.asked_at;
                    let at = asked + game.slow_writes.credit(there.bot, asked);
                    game.latest = at;
                    game.asked_at = at;
                    game.looks.asked(at);
                    game.table.clock_started(seat, at, there.meter.known());
                }
                Queued::Message | Queued::Nothing => {}
            }
        }
        game.dirty = dirty;
        game.dirty.clear();
        game.slow_writes.forget();
        for (seat, fault) in faults {
            game.feed(Input::Lost { seat, fault });
        }
    }

    /// A write of which the processor time is known is over. Too many slow ones are a fault.
    fn note_write(&mut self, write: EndedWrite) -> Option<(SeatId, Fault)> {
        let there = self.connections[write.connection as usize].as_mut()?;
        let fault = there.slow_writes.note(write.slow).err()?;
        Some((there.seat()?, fault))
    }

    /// What comes before a bot is written to.
    fn prepare_write(&mut self, game: &mut CurrentMatch<'_>, connection: u32) {
        let Some(there) = &mut self.connections[connection as usize] else { return };
        let Some(seat) = there.seat() else { return };
        let asks = there.input.queued() == Queued::Question;
        if asks || game.table.seat(seat) != SeatStatus::Waiting {
            there.resume();
        }
        if asks && (game.on_fast_path || there.output.is_put_off()) {
            // Before the question: it cannot be the answer.
            self.read_all_stdout(game, connection);
        }
        let Some(there) = &mut self.connections[connection as usize] else { return };
        there.output.listen_again(&self.poller, connection);
        if asks {
            there.begin_answer();
            match there.input.begin_question() {
                ClockStart::FirstByte => {}
                ClockStart::FirstRead => game.unread_questions.push(connection),
            }
            there.note_cpu();
        }
    }

    fn think(&mut self, game: &mut CurrentMatch<'_>, seat: SeatId) {
        let Some(thinker) = game.table.thinker(seat) else { return };
        let granted = thinker.time;
        game.table.clock_started(seat, game.now(), Duration::ZERO);
        let what = match game.table.seat(seat) == SeatStatus::Awaited {
            true => ThinksAbout::Move,
            false => ThinksAbout::Preparation,
        };
        let awaited = game.table.programs_awaited() + game.table.people_awaited();
        let seated = game.seats.filled();
        if ThinksOn::new(what, awaited, seated) == ThinksOn::OwnThread {
            let core = self.core_of(seat);
            if let Err(error) = self.bot_threads.think(seat, thinker, granted, core) {
                let reason = format!("cannot start a thread for a built-in bot: {error}");
                game.feed(Input::Abort { reason: &reason });
            }
        } else {
            let began = game.now();
            let decision = think(seat, thinker, granted);
            game.latest = game.now();
            self.check_starvation_after(game.latest.since(began), decision.cpu);
            if interrupted() {
                return;
            }
            game.notice_stall_of(&decision);
            // Meanwhile nobody listened: what programs have said out of turn comes first.
            if seated > 0 {
                let mut found = Vec::new();
                self.poller.wait(Some(Duration::ZERO), &mut found);
                game.wake();
                self.handle_events(game, &mut found);
            }
            feed_decision(game, decision);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_bot_does_not_keep_the_worker_from_reading_answers() {
        assert_eq!(ThinksOn::new(ThinksAbout::Move, 1, 1), ThinksOn::OwnThread);
        assert_eq!(ThinksOn::new(ThinksAbout::Move, 0, 1), ThinksOn::Worker);
        assert_eq!(ThinksOn::new(ThinksAbout::Preparation, 0, 1), ThinksOn::OwnThread);
        assert_eq!(ThinksOn::new(ThinksAbout::Preparation, 0, 0), ThinksOn::Worker);
    }

    #[test]
    fn only_a_process_that_may_stay_and_could_play_again_stays() {
        let (farewell, grace) = (b"bye\n".to_vec(), Duration::from_secs(1));
        let keep = Parting::Keep { farewell: farewell.clone(), grace };
        let leave = Parting::Leave { farewell: farewell.clone(), grace };
        let stays = AfterSeat::Stays { farewell: farewell.clone(), grace };
        let leaves = || AfterSeat::Leaves { farewell: farewell.clone(), grace };
        assert_eq!(AfterSeat::new(keep.clone(), AnotherGame::Possible), stays);
        assert_eq!(AfterSeat::new(keep, AnotherGame::Impossible), leaves());
        assert_eq!(AfterSeat::new(leave, AnotherGame::Possible), leaves());
        assert_eq!(AfterSeat::new(Parting::Kill, AnotherGame::Possible), AfterSeat::Killed);
    }
}
