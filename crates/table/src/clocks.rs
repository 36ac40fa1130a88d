//! The clocks of a match: when they start, what they show, and when an answer is late (time-outs).

use std::time::Duration;

use game::{Charge, Command, Fault, FaultKind, PATIENCE, PlayerId, Said, Tick};

use crate::Hosted;
use crate::parts::{Due, Mind, Phase, Running, Seat, Settling, Spent, Startup};
use crate::seat::{Outputs, Parting, SeatId, Void};
use crate::table::{Table, command};

/// A process that starts together with many others is given so much longer for each of them.
pub const START_FOR_EACH: Duration = Duration::from_millis(100);

/// A process that is born in mid-game has so long in any case; what it takes beyond that comes out
/// of an allowance of its player for the whole game.
pub const BIRTH: Duration = Duration::from_millis(200);

/// How long a process that is born in mid-game may take to its first question: everybody waits for
/// it. `start` is the time to start, which is also the allowance; `used` is what has been used of
/// that.
fn time_for_newborn(start: Duration, used: Duration, newcomers: u32) -> Duration {
    let crowd = START_FOR_EACH * newcomers;
    start.min(BIRTH.saturating_add(start.saturating_sub(used))).saturating_add(crowd)
}
/// Where nothing else shows that a bot is ready: how long it must rest, and how little processor
/// time is rest. A bot that waits uses none; one that gets a small part of a busy core works.
const REST: Duration = Duration::from_millis(250);
const RESTING: Duration = Duration::from_millis(15);

impl<G: Hosted> Table<G> {
    /// The question's first byte is about to be written, or a process without a handshake has
    /// taken its first question.
    pub(crate) fn clock_started(&mut self, id: SeatId, at: Tick, cpu: Duration) {
        self.note_cpu(id, cpu);
        let seat = &mut self.seats[id];
        let Some(running) = seat.running.as_mut().filter(|clock| !clock.sent) else { return };
        // Time that a process needs to start is nobody's delay.
        let delay = match running.start {
            Some(_) => {
                let births = &mut self.players[seat.player.index()].births;
                if self.turns > 0 {
                    let late = at.since(running.since).saturating_sub(BIRTH);
                    *births = births.saturating_add(late);
                }
                Duration::ZERO
            }
            None => at.since(running.since),
        };
        running.delay = running.delay.saturating_add(delay);
        running.since = at;
        running.cpu = seat.cpu;
        running.sent = true;
        let running = *running;
        self.clocks.host_delay = self.clocks.host_delay.saturating_add(delay);
        self.warmed(id);
        self.expect_by(self.deadline(&running));
    }

    /// How long a program of a player may take until it is ready.
    pub(crate) fn time_to_start(&self, player: PlayerId) -> Duration {
        self.terms.entrants[player.index()].start.unwrap_or(self.terms.clock.start)
    }

    /// How long a process of a player that has given no sign yet may take to its first question.
    fn time_to_take(&self, player: PlayerId) -> Duration {
        let start = self.time_to_start(player);
        let newcomers = self.silent_starts.newcomers;
        match self.turns {
            0 => start.saturating_add(START_FOR_EACH * newcomers),
            _ => time_for_newborn(start, self.players[player.index()].births, newcomers),
        }
    }

    /// The bot in a seat has used so much processor time until now.
    pub(crate) fn note_cpu(&mut self, id: SeatId, cpu: Duration) {
        let seat = &mut self.seats[id];
        // What was guessed may be more than is read later, and is not counted again.
        seat.cpu = seat.cpu.max(cpu);
    }

    /// A seat's clock begins to run, though its question has not left the host yet.
    pub(crate) fn run_clock(&mut self, now: Tick, id: SeatId) {
        let seat = &self.seats[id];
        let limit = self.time_left(seat.actor).limit();
        let start = seat.startup.is_silent().then(|| self.time_to_take(seat.player));
        let seat = &mut self.seats[id];
        seat.heard.asked();
        let wire = matches!(seat.mind, Mind::Wire(_));
        let (cpu, delay, sent) = (Duration::ZERO, Duration::ZERO, false);
        let running = Running { since: now, cpu, limit, start, delay, sent, look: None };
        if seat.running.replace(running).is_none() && wire {
            self.clocks.programs_awaited += 1;
        }
        self.expect_by(self.deadline(&running));
    }

    /// Stops a seat's clock without charging anybody.
    pub(crate) fn drop_clock(&mut self, id: SeatId) -> Option<Running> {
        let seat = &mut self.seats[id];
        let running = seat.running.take()?;
        if let Mind::Wire(_) = seat.mind {
            self.clocks.programs_awaited -= 1;
        }
        Some(running)
    }

    /// Stops a seat's clock and charges the time; `Some` if it had been running.
    pub(crate) fn stop_clock(&mut self, now: Tick, id: SeatId) -> Option<Spent> {
        let running = self.drop_clock(id)?;
        let seat = &self.seats[id];
        // What passed before the clock was started was the process's start.
        let wall = match (running.sent, running.start) {
            (false, Some(_)) => Duration::ZERO,
            (true, _) | (false, None) => now.since(running.since),
        };
        let cpu = seat.cpu.saturating_sub(running.cpu);
        let charged = match self.terms.clock.charge {
            Charge::Wall => wall,
            Charge::Cpu => cpu,
        };
        let actor = seat.actor;
        if let Some(actor) = self.actor_mut(actor) {
            actor.spent = actor.spent.saturating_add(charged);
            if let Some(bank) = &mut actor.bank {
                *bank = bank.saturating_sub(charged);
            }
        }
        Some(Spent { wall, cpu, charged, delay: running.delay, limit: running.limit })
    }

    fn deadline(&self, running: &Running) -> Option<Tick> {
        match running {
            Running { sent: false, start: Some(start), since, .. } => Some(*since + *start),
            Running { look: Some(look), .. } => Some(*look),
            Running { limit, since, .. } => {
                limit.map(|limit| *since + limit + self.terms.clock.margin)
            }
        }
    }

    /// The host was to wake for the table and came so much later. Whoever is overdue now may
    /// have answered in time, or may have been stopped as well: nobody can say, and the match
    /// is void.
    pub(crate) fn stalled(&mut self, now: Tick, late: Duration, out: &mut Outputs) {
        let due = |seat: &Seat<G>| match (&seat.mind, seat.phase) {
            // A handshake has its limit in its protocol.
            (Mind::Wire(protocol), Phase::Shaking) => protocol.next_tick(),
            (_, Phase::Opening | Phase::Shaking | Phase::Ready) => {
                seat.running.as_ref().and_then(|running| self.deadline(running))
            }
            // The result stands.
            (_, Phase::Leaving | Phase::Gone) => None,
        };
        let mut seats = self.seats.live.iter().map(|id| &self.seats[*id]);
        let Some(seat) = seats.find(|seat| due(seat).is_some_and(|due| due <= now)) else { return };
        let name = &self.terms.entrants[seat.player.index()].name;
        let late = late.as_millis();
        let busy = match seat.phase {
            Phase::Shaking => "was starting",
            Phase::Opening | Phase::Ready | Phase::Leaving | Phase::Gone => "was on move",
        };
        let reason = format!("the host stalled for {late} ms while {name} {busy}");
        self.finish(now, Err(Void::HostStalled(reason)), out);
    }

    /// Where processor time is charged, a bot that has not used its own may go on.
    fn may_go_on(&mut self, now: Tick, id: SeatId, running: Running) -> bool {
        let (Charge::Cpu, Some(limit), true) =
            (self.terms.clock.charge, running.limit, running.sent)
        else {
            return false;
        };
        let seat = &mut self.seats[id];
        let allowed = limit.saturating_add(self.terms.clock.margin);
        let used = seat.cpu.saturating_sub(running.cpu);
        let last = running.since + allowed.saturating_mul(PATIENCE);
        if used >= allowed || now >= last {
            return false;
        }
        if let Some(running) = &mut seat.running {
            running.look = Some(last.min(now + (allowed - used)));
        }
        true
    }

    /// Something may be due at this moment. The earliest such moment is kept; it may turn out
    /// to be too early when clocks are stopped, which costs one check of all seats.
    pub(crate) fn expect_by(&mut self, moment: Option<Tick>) {
        self.clocks.next_look = match (self.clocks.next_look, moment) {
            (Some(before), Some(moment)) => Some(before.min(moment)),
            (before, moment) => before.or(moment),
        };
    }

    /// When everything has to be looked at again.
    pub(crate) fn next_tick(&self) -> Option<Tick> {
        self.clocks.next_look
    }

    pub(crate) fn tick(&mut self, now: Tick, out: &mut Outputs) {
        // Seats are closed and opened on the way; those that are opened are not due yet.
        let live = self.seats.live.clone();
        for id in live {
            let seat = &mut self.seats[id];
            if matches!(seat.phase, Phase::Gone | Phase::Opening) {
                continue;
            }
            if let Mind::Wire(protocol) = &mut seat.mind
                && protocol.next_tick().is_some_and(|wish| wish <= now)
            {
                protocol.tick(now, &mut self.buffers.scratch);
                self.collect(now, id, out);
            }
            self.look_for_rest(now, id);
            let running = self.seats[id].running;
            if let Some(running) = running
                && self.deadline(&running).is_some_and(|due| due <= now)
                && !self.may_go_on(now, id, running)
            {
                self.overdue(now, id, running, out);
            }
        }
        if self.stage.ends_by().is_some_and(|by| by <= now) {
            self.close_all(Parting::Kill, out);
        }
        self.clocks.next_look = None;
        self.expect_by(self.earliest());
    }

    fn earliest(&self) -> Option<Tick> {
        let seats = self.seats.live.iter().flat_map(|id| {
            let seat = &self.seats[*id];
            let due = seat.running.and_then(|running| self.deadline(&running));
            let wish = match &seat.mind {
                Mind::Wire(protocol) if seat.phase != Phase::Opening => protocol.next_tick(),
                Mind::Wire(_) | Mind::BuiltIn { .. } | Mind::Person | Mind::Nobody => None,
            };
            let look = seat.settling.map(|settling| settling.look);
            due.into_iter().chain(wish).chain(look)
        });
        seats.chain(self.stage.ends_by()).min()
    }

    fn overdue(&mut self, now: Tick, id: SeatId, running: Running, out: &mut Outputs) {
        let actor = self.seats[id].actor;
        let waited = now.since(running.since);
        let detail = match running {
            Running { sent: false, start: Some(_), .. } => {
                let player = self.seats[id].player;
                let births = &mut self.players[player.index()].births;
                *births = births.saturating_add(waited.saturating_sub(BIRTH));
                format!("has not read its first question after {} ms", waited.as_millis())
            }
            Running { limit, .. } => match self.terms.clock.charge {
                Charge::Wall => timeout_detail(waited, limit),
                Charge::Cpu => {
                    let used = self.seats[id].cpu.saturating_sub(running.cpu);
                    let used = format!(", {} ms of processor time", used.as_millis());
                    timeout_detail(waited, limit) + &used
                }
            },
        };
        self.stop_clock(now, id);
        // It had its chance to start; from now on it is like any other.
        self.warmed(id);
        let fault = match self.last_words(id) {
            Some(fault) => fault,
            None => self.explain(now, id, Fault::new(FaultKind::Timeout, detail)),
        };
        let forfeits = self.judge(now, actor, fault, out);
        if !forfeits {
            command!(self, now, id, out, |_| Command::TimeUp);
        }
    }

    // ---- bots that may still be at work on what they were told ----

    /// A bot has been told all it needs, and is ready when it rests.
    pub(crate) fn await_rest(&mut self, now: Tick, id: SeatId) {
        let seat = &mut self.seats[id];
        let look = now + REST;
        seat.settling = Some(Settling { cpu: seat.cpu, look });
        self.expect_by(Some(look));
    }

    fn look_for_rest(&mut self, now: Tick, id: SeatId) {
        let seat = &mut self.seats[id];
        let Some(settling) = seat.settling.take_if(|settling| settling.look <= now) else { return };
        let (used, seated) = (seat.cpu.saturating_sub(settling.cpu), seat.seated);
        let limit = self.time_to_start(self.seats[id].player);
        if used <= RESTING || now >= seated + limit {
            self.queue.push_back((id, Said::Ready));
        } else {
            self.await_rest(now, id);
        }
    }

    // ---- processes without a handshake ----

    /// The process in a seat has shown that it is there, or is gone.
    pub(crate) fn warmed(&mut self, id: SeatId) {
        let seat = &mut self.seats[id];
        if std::mem::replace(&mut seat.startup, Startup::Started).is_awaited() {
            self.silent_starts.newcomers -= 1;
        }
    }

    /// Asks those who had to wait until everybody's process has started.
    pub(crate) fn ask_held(&mut self, now: Tick, out: &mut Outputs) {
        for index in 0..self.cast.actors.len() {
            let actor = &self.cast.actors[index];
            let ready = actor.seat.is_some_and(|id| self.seats[id].phase == Phase::Ready);
            if matches!(actor.due, Due::Held) && ready {
                self.ask(now, actor.id, out);
            }
        }
    }
}

/// In words how long an answer took that was too late or never came.
pub(crate) fn timeout_detail(waited: Duration, limit: Option<Duration>) -> String {
    let ms = waited.as_millis();
    match limit {
        Some(limit) => format!("no answer after {ms} ms (limit {} ms)", limit.as_millis()),
        None => format!("no answer after {ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn births_share_an_allowance_and_nobody_is_left_without_any_time() {
        let ms = Duration::from_millis;
        assert_eq!(time_for_newborn(ms(10_000), ms(0), 1), ms(10_100));
        assert_eq!(time_for_newborn(ms(10_000), ms(9_000), 1), ms(1_300));
        assert_eq!(time_for_newborn(ms(10_000), ms(60_000), 1), ms(300));
        assert_eq!(time_for_newborn(ms(10_000), ms(60_000), 20), ms(2_200));
        assert_eq!(time_for_newborn(ms(50), ms(0), 0), ms(50), "never more than any other");
    }
}
