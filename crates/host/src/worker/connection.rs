//! A connection: one process, its pipes, and what it is there for. What is said on it is not understood here.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use game::{About, Fault, FaultKind, Tick, quote};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, ioctl_fionread};
use rustix::pipe::fcntl_setpipe_size;
use table::{Known, SeatId};

use crate::bot::missing::missing_file;
use crate::bot::spec::BotSpec;
use crate::cage::HOW_TO_SHOW;
use crate::os::sys::read_at_once;
use crate::process::child::{Child, Exit};
use crate::worker::lines::Lines;
use crate::worker::poller::{PollSource, Poller};

/// How much of a bot's standard error a match keeps.
const STDERR_KEPT: usize = 256 << 10;
/// How much may wait to be read by a bot.
const UNREAD_CAP: usize = 64 << 20;
/// The room in a pipe that holds one message only, and that in an ordinary one.
const NARROW: usize = 4 << 10;
const WIDE: usize = 64 << 10;
/// A process that has closed its output is usually about to end; so long it is given.
const LAST_BREATH: Duration = Duration::from_millis(100);
/// The same for one that is about to end, and for which the system needs longer.
const BUSY_END: Duration = Duration::from_secs(5);

/// A process and its pipes.
pub(crate) struct Connection {
    pub(crate) child: Child,
    /// Which bot of the roster it is.
    pub(crate) bot: usize,
    /// How it has described itself in an earlier game.
    pub(crate) about: Option<About>,
    pub(crate) state: ConnectionState,
    pub(crate) lines: Lines,
    /// Bytes for the bot, and how many of them it has taken.
    unsent: Vec<u8>,
    taken: usize,
    /// The clock starts when these bytes are first offered.
    pub(crate) starts_clock: bool,
    waits_for_room: bool,
    /// It gave no sign of being ready: the clock of its first question waits for it.
    pub(crate) cold: bool,
    /// It has been sent its first question and the clock starts when it has taken it.
    pub(crate) taking: bool,
    /// How much was in the pipe to it after the last write.
    offered: u64,
    /// The pipe to it has room for one message only.
    narrow: bool,
    /// Since when it is stopped, because it is not on move.
    pub(crate) frozen: Option<Instant>,
    /// It has taken the processor from others while it was not on move: it is stopped at once when
    /// it has answered.
    pub(crate) restless: bool,
    /// Processor time it had used when it was on move and was last looked at.
    pub(crate) looked: Option<(Tick, Duration)>,
    /// It is on the list of those that have something to be sent.
    pub(crate) dirty: bool,
    /// Output for the answer due, or until it is ready; and while none was due.
    pub(crate) on_turn: usize,
    pub(crate) out_of_turn: usize,
    /// How often it was read from out of turn.
    pub(crate) portions: usize,
    /// It has said so much out of turn that its output has to wait for its turn.
    pub(crate) put_off: bool,
    stderr: usize,
    /// The standard error is not listened to any more.
    deaf: bool,
    /// It has complained about a file that is not there.
    missing_file: Option<String>,
    /// Plain reads from its output wait until there is something.
    waits: bool,
    /// Its output has ended; the exit is believed by then.
    pub(crate) ended: Option<Instant>,
    /// That moment has been put off.
    given_longer: bool,
    /// When it was last asked, or heard of since.
    pub(crate) asked_at: Tick,
    /// Whose processor time is read.
    pub(crate) meter: Meter,
    /// Processor time it has used, as far as is known, and answering time since that was read.
    pub(crate) cpu: Duration,
    unread: Duration,
    answers: u32,
}

/// Whose processor time is read for a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meter {
    /// That of its own process, which is cheap.
    Process,
    /// That of all its processes, where it is charged.
    Everything,
}

/// What a process is there for.
#[derive(Debug)]
pub(crate) enum ConnectionState {
    /// It plays.
    Seated(SeatId),
    /// It may play again; this is said when it is not needed any more.
    Idle { farewell: Vec<u8>, grace: Duration },
    /// It has been told to go and is killed then.
    Leaving(Instant),
    /// It has been killed, and is given up if it is still there then.
    Dying(Instant),
}

/// What a look at a bot's output has shown.
pub(crate) enum ReadOutcome {
    /// So many bytes are in the buffer.
    Bytes(usize),
    /// Nothing at the moment.
    Nothing,
    /// Its output has ended.
    End,
}

/// Why a process is not there any more.
#[derive(Debug)]
pub(crate) enum Departure {
    /// For a reason of its own.
    Fault(Fault),
    /// The machine ran out of memory and ended it, although it used no more than it may.
    MachineOutOfMemory,
}

impl Connection {
    pub(crate) fn new(child: Child, bot: usize, state: ConnectionState) -> Connection {
        Connection {
            child,
            bot,
            about: None,
            state,
            lines: Lines::default(),
            unsent: Vec::new(),
            taken: 0,
            starts_clock: false,
            waits_for_room: false,
            cold: false,
            taking: false,
            offered: 0,
            narrow: false,
            frozen: None,
            restless: false,
            looked: None,
            dirty: false,
            on_turn: 0,
            out_of_turn: 0,
            portions: 0,
            put_off: false,
            stderr: 0,
            deaf: false,
            missing_file: None,
            waits: false,
            ended: None,
            given_longer: false,
            asked_at: Tick::ZERO,
            meter: Meter::Process,
            cpu: Duration::ZERO,
            unread: Duration::ZERO,
            answers: 0,
        }
    }

    /// Starts listening to the process.
    pub(crate) fn listen(&self, poller: &Poller, connection: u32) -> io::Result<()> {
        poller.readable(&self.child.stdout, PollSource::Stdout(connection))?;
        poller.readable(&self.child.stderr, PollSource::Stderr(connection))?;
        poller.readable(self.child.pidfd(), PollSource::Exit(connection))
    }

    /// Stops listening to what it says.
    pub(crate) fn ignore(&mut self, poller: &Poller) {
        poller.remove(&self.child.stdout);
        poller.remove(&self.child.stderr);
        if let Some(stdin) = self.child.stdin.take() {
            poller.remove(stdin);
        }
    }

    /// Stops listening to it altogether, before it is let go.
    pub(crate) fn unlisten(&mut self, poller: &Poller) {
        self.ignore(poller);
        poller.remove(self.child.pidfd());
    }

    pub(crate) fn seat(&self) -> Option<SeatId> {
        match self.state {
            ConnectionState::Seated(seat) => Some(seat),
            ConnectionState::Idle { .. }
            | ConnectionState::Leaving(_)
            | ConnectionState::Dying(_) => None,
        }
    }

    /// Puts bytes into the queue for the bot.
    pub(crate) fn queue(&mut self, bytes: &[u8], starts_clock: bool) {
        self.unsent.extend_from_slice(bytes);
        self.starts_clock |= starts_clock;
    }

    /// Offers the bot what waits for it. Never blocks.
    pub(crate) fn flush(&mut self, poller: &Poller, connection: u32) -> Result<(), Fault> {
        let Some(stdin) = &self.child.stdin else {
            self.unsent.clear();
            self.taken = 0;
            return Ok(());
        };
        while self.taken < self.unsent.len() {
            match rustix::io::write(stdin, &self.unsent[self.taken..]) {
                Ok(count) => {
                    self.taken += count;
                    if self.taking {
                        self.offered = self.unread_by_bot().unwrap_or(0);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if self.narrow && !self.taking => {
                    // It gets its room back, if the system has any left.
                    self.narrow = false;
                    let _ = fcntl_setpipe_size(stdin, WIDE);
                }
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    // It has closed its input. It may still play on, deaf.
                    poller.remove(stdin);
                    self.unsent.clear();
                    self.taken = 0;
                    self.child.stdin = None;
                    self.waits_for_room = false;
                    return Ok(());
                }
            }
        }
        let left = self.unsent.len() - self.taken;
        if left == 0 {
            self.unsent.clear();
            self.taken = 0;
        }
        let waits = left > 0 || self.taking;
        if waits != self.waits_for_room {
            self.waits_for_room = waits;
            if waits {
                // If it cannot be waited for, the bot's time runs out instead.
                let _ = poller.writable(stdin, PollSource::Stdin(connection));
            } else {
                poller.remove(stdin);
            }
        }
        match left {
            0..=UNREAD_CAP => Ok(()),
            left => Err(Fault::new(
                FaultKind::Flood,
                format!("does not read its input: {left} bytes are waiting"),
            )),
        }
    }

    /// A question is about to be sent. Whether its clock waits until the bot has taken it.
    ///
    /// A pipe with room for a single page is full as long as anything is in it, so that the
    /// system says when all of it has been read.
    pub(crate) fn waits_to_be_taken(&mut self) -> bool {
        self.taking = std::mem::take(&mut self.cold)
            && self
                .child
                .stdin
                .as_ref()
                .is_some_and(|stdin| fcntl_setpipe_size(stdin, NARROW).is_ok());
        self.narrow |= self.taking;
        self.taking
    }

    /// Whether the bot has just taken its first question, or a part of it.
    pub(crate) fn has_taken(&mut self) -> bool {
        let taken = self.taking
            && self.unread_by_bot().is_none_or(|unread| unread == 0 || unread < self.offered);
        self.taking &= !taken;
        taken
    }

    /// How much is in the pipe to the bot; none if that is closed.
    fn unread_by_bot(&self) -> Option<u64> {
        self.child.stdin.as_ref().and_then(|stdin| ioctl_fionread(stdin).ok())
    }

    /// Reads what the bot has written, at most a buffer full.
    pub(crate) fn hear(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        loop {
            let read = match self.waits {
                true => read_at_once(self.child.stdout.as_fd(), buffer),
                false => rustix::io::read(&self.child.stdout, &mut *buffer),
            };
            match read {
                Ok(0) => return ReadOutcome::End,
                Ok(count) => return ReadOutcome::Bytes(count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return ReadOutcome::Nothing,
                Err(_) => return ReadOutcome::End,
            }
        }
    }

    /// Waits for what the bot will write next, until a signal interrupts the wait. Only where
    /// reads without waiting are known, so that all others are told from this one.
    pub(crate) fn await_answer(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        if !self.waits {
            self.waits = fcntl_setfl(&self.child.stdout, OFlags::empty()).is_ok();
        }
        match rustix::io::read(&self.child.stdout, buffer) {
            Ok(0) => ReadOutcome::End,
            Ok(count) => ReadOutcome::Bytes(count),
            Err(Errno::INTR | Errno::AGAIN) => ReadOutcome::Nothing,
            Err(_) => ReadOutcome::End,
        }
    }

    /// How many bytes the bot has said that nobody has read.
    pub(crate) fn unheard(&self) -> usize {
        ioctl_fionread(&self.child.stdout).map_or(0, |bytes| bytes as usize)
    }

    /// Whether nothing is on its way to the bot.
    pub(crate) fn all_sent(&self) -> bool {
        !self.waits_for_room
    }

    /// Processor time it has used until now.
    pub(crate) fn read_cpu(&mut self) -> Duration {
        self.unread = Duration::ZERO;
        self.cpu = match self.meter {
            Meter::Process => self.child.cpu(),
            // What ended processes had used may be lost to it.
            Meter::Everything => self.cpu.max(self.child.cpu_of_all()),
        };
        self.cpu
    }

    /// The same, noted when it is asked. What it uses between answers belongs to the next one, so
    /// that the last reading serves, unless processor time is `charged`.
    pub(crate) fn note_cpu(&mut self, charged: bool) {
        if charged || self.cpu.is_zero() {
            self.read_cpu();
        }
    }

    /// Processor time it has used when it has answered. In a quick exchange it is taken to have
    /// worked since it was asked: reading the clock costs a tenth of a ply, and what is guessed
    /// stays small.
    pub(crate) fn cpu_after(&mut self, now: Tick) -> Duration {
        const GUESSED: Duration = Duration::from_micros(100);
        // An answer may come in several parts.
        let wall = now.since(std::mem::replace(&mut self.asked_at, now));
        self.unread += wall;
        if self.unread >= GUESSED {
            return self.read_cpu();
        }
        self.cpu += wall;
        self.cpu
    }

    /// Processor time it has used when it has answered among very many. The next reading makes up
    /// for those that are left out.
    pub(crate) fn cpu_in_crowd(&mut self) -> Duration {
        const EACH: u32 = 8;
        self.answers = (self.answers + 1) % EACH;
        if self.answers == 0 { self.read_cpu() } else { self.cpu }
    }

    /// Reads the standard error; what is to be kept is handed to `keep`.
    pub(crate) fn hear_stderr(
        &mut self,
        buffer: &mut [u8],
        poller: &Poller,
        mut keep: impl FnMut(&[u8]),
    ) {
        if self.deaf {
            return;
        }
        // A few rounds, then others get their turn.
        for _ in 0..4 {
            match rustix::io::read(&self.child.stderr, &mut *buffer) {
                Ok(0) => return self.turn_deaf(poller),
                Ok(count) => {
                    if let Some(file) = missing_file(&buffer[..count]) {
                        self.missing_file = Some(file);
                    }
                    let room = STDERR_KEPT.saturating_sub(self.stderr);
                    if room > 0 {
                        keep(&buffer[..count.min(room)]);
                        if count >= room {
                            keep(b"\n[the rest is not kept]\n");
                        }
                    }
                    self.stderr += count;
                    if self.stderr as u64 > self.child.limits.stderr_mb << 20 {
                        return self.turn_deaf(poller);
                    }
                    if count < buffer.len() {
                        return;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return self.turn_deaf(poller),
            }
        }
    }

    fn turn_deaf(&mut self, poller: &Poller) {
        poller.remove(&self.child.stderr);
        self.deaf = true;
    }

    /// What a table should know of it.
    pub(crate) fn known(&self) -> Known {
        let folder = self.child.folder_inside.map(str::to_owned);
        Known { folder, about: self.about.clone() }
    }

    /// Whether it can take part in another game.
    pub(crate) fn fit(&self) -> bool {
        self.ended.is_none() && !self.deaf && self.child.stdin.is_some() && self.unsent.is_empty()
    }

    /// Its output has ended. It is given a moment to end itself.
    pub(crate) fn output_ended(&mut self, poller: &Poller) {
        poller.remove(&self.child.stdout);
        self.ended.get_or_insert_with(|| Instant::now() + LAST_BREATH);
    }

    /// Its output has ended and its exit should have come by then. If the system is busy with its end,
    /// it will say how that was, and is given longer, once: whose first thread has ended may go on.
    pub(crate) fn is_given_longer(&mut self, by: Instant) -> bool {
        let longer = !self.given_longer && self.child.is_exiting();
        if longer {
            self.given_longer = true;
            self.ended = Some(by + BUSY_END);
        }
        longer
    }

    /// Why a process is not there any more, or has closed its output.
    pub(crate) fn departure(&mut self, bot: &BotSpec) -> Departure {
        let exit = self.child.exit();
        if let Some(fault) = self.child.overrun() {
            return Departure::Fault(fault);
        }
        if self.child.was_out_of_memory() {
            return Departure::MachineOutOfMemory;
        }
        Departure::Fault(match (exit, self.ended) {
            (Some(exit @ (Exit::Code(_) | Exit::Signal(_))), Some(_)) => {
                let hint = self.hint(exit, bot);
                Fault::new(FaultKind::Crash, format!("its process {exit}{hint}"))
            }
            (Some(exit), None) => Fault::new(
                FaultKind::EndOfOutput,
                format!("its process {exit}, but left a process behind that holds its output"),
            ),
            (None, _) => {
                Fault::new(FaultKind::EndOfOutput, "closed its output but goes on running")
            }
        })
    }

    /// What may help a bot that has ended because a file is not there, or its cage does not show
    /// it.
    fn hint(&self, exit: Exit, bot: &BotSpec) -> String {
        // The codes with which shells and `env` say that there is no such program.
        let no_program = matches!(exit, Exit::Code(126 | 127));
        let missing = self.missing_file.as_ref();
        let absent = bot.absent_file().filter(|_| no_program || missing.is_some());
        match (absent, missing) {
            (Some(file), _) => format!("; there is no file {file}"),
            // Outside of the cage it is there.
            (None, Some(file)) if self.child.is_caged() && bot.sees(file) => {
                format!("; {} {HOW_TO_SHOW}", quote(file.as_bytes()))
            }
            (None, _) => String::new(),
        }
    }

    /// Tells the process to go and closes its input.
    pub(crate) fn send_off(&mut self, farewell: &[u8], grace: Duration, poller: &Poller) {
        self.thaw();
        if let Some(stdin) = self.child.stdin.take() {
            if self.unsent.is_empty() {
                // If it does not listen, it is killed when the grace is over.
                let _ = rustix::io::write(&stdin, farewell);
            }
            if self.waits_for_room {
                poller.remove(&stdin);
            }
        }
        // Whatever it still says is of no interest, and must not wake anybody.
        poller.remove(&self.child.stdout);
        poller.remove(&self.child.stderr);
        self.state = ConnectionState::Leaving(Instant::now() + grace);
    }

    /// It takes part in another game.
    pub(crate) fn seat_again(&mut self, seat: SeatId) {
        self.thaw();
        self.restless = false;
        self.state = ConnectionState::Seated(seat);
        self.begin_answer();
        self.stderr = 0;
        (self.cpu, self.unread) = (Duration::ZERO, Duration::ZERO);
    }
}
