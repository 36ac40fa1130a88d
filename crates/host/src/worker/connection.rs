//! A connection: one process, its pipes, and what it is used for. Lines are not interpreted here.

use std::io;
use std::time::{Duration, Instant};

use game::{About, Fault, FaultKind, Tick, quote};
use table::{Known, SeatId};

use crate::bot::spec::BotSpec;
use crate::cage::HOW_TO_SHOW;
use crate::process::child::{Child, EndCause, ProcessExit, Spawned};
use crate::worker::bot_input::BotInput;
use crate::worker::bot_output::{BotOutput, EndVerdict, Stream};
use crate::worker::bot_stderr::BotStderr;
use crate::worker::cpu_meter::{CpuMeter, Metered};
use crate::worker::pacing::When;
use crate::worker::poller::{PollSource, Poller};
use crate::worker::slow_writes::SlowInARow;
use crate::worker::stopping::Scheduling;

/// A process and its pipes.
///
/// What every question and answer needs comes first, in the order of this list: among very many
/// processes none of it is in the cache, and what lies together is fetched together.
#[repr(C)]
pub(crate) struct Connection {
    pub(crate) state: ConnectionState,
    pub(crate) input: BotInput,
    pub(crate) output: BotOutput,
    pub(crate) meter: CpuMeter,
    pub(crate) scheduling: Scheduling,
    pub(crate) slow_writes: SlowInARow,
    /// Which bot of the roster it is.
    pub(crate) bot: usize,
    pub(crate) child: Child,
    pub(crate) stderr: BotStderr,
    /// How it has described itself in an earlier game.
    pub(crate) about: Option<About>,
}

/// What a process is there for.
#[derive(Debug)]
pub(crate) enum ConnectionState {
    /// It plays.
    Seated(SeatId),
    /// It may play again. `farewell` is sent when it is not needed any more.
    Idle { farewell: Vec<u8>, grace: Duration },
    /// It has been told to leave. It is killed at this moment.
    Leaving(Instant),
    /// It has been killed. It is given up if it is still there at this moment.
    Dying(Instant),
}

/// Why a process is not there any more.
#[derive(Debug)]
pub(crate) enum Departure {
    /// For a reason of its own.
    Fault(Fault),
    /// The machine ran out of memory and ended it, although it used no more than it may.
    MachineOutOfMemory,
}

/// How a process came to say nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessEnd {
    /// It has ended, and its output with it.
    Exited(ProcessExit),
    /// It has ended, but another process still holds its output.
    LeftOthers(ProcessExit),
    /// Its output has ended, but it has not.
    Silent,
}

impl ProcessEnd {
    fn new(exit: Option<ProcessExit>, output: Stream) -> ProcessEnd {
        match (exit, output) {
            (Some(exit), Stream::Ended) => ProcessEnd::Exited(exit),
            (Some(exit), Stream::Open) => ProcessEnd::LeftOthers(exit),
            (None, Stream::Ended | Stream::Open) => ProcessEnd::Silent,
        }
    }

    /// What the bot has done wrong, with a hint for its author.
    fn fault(self, hint: &str) -> Fault {
        match self {
            ProcessEnd::Exited(exit) => {
                Fault::new(FaultKind::Crash, format!("its process {exit}{hint}"))
            }
            ProcessEnd::LeftOthers(exit) => Fault::new(
                FaultKind::EndOfOutput,
                format!("its process {exit}, but left a process behind that holds its output"),
            ),
            ProcessEnd::Silent => {
                Fault::new(FaultKind::EndOfOutput, "closed its output but keeps running")
            }
        }
    }
}

/// Processor time of a bot's process, or of all its processes.
fn cpu(child: &Child, metered: Metered) -> Duration {
    match metered {
        Metered::Process => child.cpu(),
        Metered::Everything => child.cpu_of_all(),
    }
}

impl Connection {
    /// So many bytes at its beginning are needed for every question and answer.
    pub(crate) const NEEDED_OFTEN: usize = std::mem::offset_of!(Connection, child);

    /// A connection to a new process, which sits in this seat, and whose processor time is
    /// `metered`.
    pub(crate) fn new(process: Spawned, bot: usize, seat: SeatId, metered: Metered) -> Connection {
        let Spawned { child, pipes } = process;
        Connection {
            child,
            bot,
            about: None,
            state: ConnectionState::Seated(seat),
            input: BotInput::new(pipes.stdin),
            output: BotOutput::new(pipes.stdout),
            stderr: BotStderr::new(pipes.stderr),
            scheduling: Scheduling::default(),
            slow_writes: SlowInARow::default(),
            meter: CpuMeter::new(metered),
        }
    }

    /// Starts polling its pipes and its end.
    pub(crate) fn listen(&self, poller: &Poller, connection: u32) -> io::Result<()> {
        self.output.listen(poller, connection)?;
        self.stderr.listen(poller, connection)?;
        poller.readable(self.child.pidfd(), PollSource::Exit(connection))
    }

    /// Stops polling its pipes and closes its input.
    pub(crate) fn ignore(&mut self, poller: &Poller) {
        self.output.ignore(poller);
        self.stderr.ignore(poller);
        self.input.close(poller);
    }

    /// Stops polling it altogether, before it is dropped.
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

    /// It is about to be asked: what it writes from now on is for the answer.
    pub(crate) fn begin_answer(&mut self) {
        self.output.quota.begin_answer();
        self.scheduling.begin_answer();
    }

    /// Counts output against the caps.
    pub(crate) fn count(&mut self, bytes: usize, when: When) -> Result<(), Fault> {
        let idle_cap = (self.child.limits.stdout_mb << 20) as usize;
        self.output.quota.count(bytes, when, idle_cap)
    }

    /// Processor time it has used until now.
    pub(crate) fn read_cpu(&mut self) -> Duration {
        self.meter.read(|metered| cpu(&self.child, metered))
    }

    /// Notes its processor time when it is about to be asked.
    pub(crate) fn note_cpu(&mut self) {
        self.meter.before_question(|metered| cpu(&self.child, metered));
    }

    /// Processor time it has used when it has answered.
    pub(crate) fn cpu_after(&mut self, now: Tick) -> Duration {
        self.meter.after_answer(now, |metered| cpu(&self.child, metered))
    }

    /// Processor time it has used when it has answered among very many.
    pub(crate) fn cpu_in_crowd(&mut self) -> Duration {
        self.meter.after_answer_in_crowd(|metered| cpu(&self.child, metered))
    }

    /// Reads the standard error; what is to be kept is handed to `keep`.
    pub(crate) fn read_stderr(
        &mut self,
        buffer: &mut [u8],
        poller: &Poller,
        keep: impl FnMut(&[u8]),
    ) {
        self.stderr.read(buffer, self.child.limits.stderr_mb, poller, keep);
    }

    /// What a table should know of it.
    pub(crate) fn known(&self) -> Known {
        let folder = self.child.folder_inside.map(str::to_owned);
        Known { folder, about: self.about.clone() }
    }

    /// Whether it can take part in another game.
    pub(crate) fn can_play_again(&self) -> bool {
        !self.output.has_ended() && !self.stderr.is_closed() && self.input.is_clear()
    }

    /// Whether the end of its output is to be reported now, without an exit.
    pub(crate) fn judge_end(&mut self, now: Instant) -> EndVerdict {
        self.output.judge_end(now, || self.child.is_exiting())
    }

    /// Why a process is not there any more, or has closed its output.
    pub(crate) fn departure(&mut self, bot: &BotSpec) -> Departure {
        let exit = self.child.exit();
        match self.child.end_cause() {
            EndCause::Overrun(fault) => return Departure::Fault(fault),
            EndCause::MachineOutOfMemory => return Departure::MachineOutOfMemory,
            EndCause::None => {}
        }
        let end = ProcessEnd::new(exit, self.output.stream());
        let hint = match end {
            ProcessEnd::Exited(exit) => self.hint(exit, bot),
            ProcessEnd::LeftOthers(_) | ProcessEnd::Silent => String::new(),
        };
        Departure::Fault(end.fault(&hint))
    }

    /// What may help a bot that has ended because a file is not there, or its cage does not show
    /// it.
    fn hint(&self, exit: ProcessExit, bot: &BotSpec) -> String {
        // The codes with which shells and `env` say that there is no such program.
        let no_program = matches!(exit, ProcessExit::Code(126 | 127));
        let missing = self.stderr.missing_file();
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

    /// Tells the process to leave and closes its input.
    pub(crate) fn send_farewell(&mut self, farewell: &[u8], grace: Duration, poller: &Poller) {
        self.resume();
        self.input.send_last(farewell, poller);
        // What it still writes is ignored, and must not wake the worker.
        self.output.ignore(poller);
        self.stderr.ignore(poller);
        self.state = ConnectionState::Leaving(Instant::now() + grace);
    }

    /// It takes part in another game, in which this processor time is read.
    pub(crate) fn seat_again(&mut self, seat: SeatId, metered: Metered) {
        self.resume();
        self.scheduling.next_match();
        self.state = ConnectionState::Seated(seat);
        self.begin_answer();
        self.stderr.next_match();
        self.meter.next_match(metered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_with_the_end_of_output_is_a_crash() {
        let end = ProcessEnd::new(Some(ProcessExit::Code(3)), Stream::Ended);
        let fault = end.fault("; there is no file bot.py");
        assert_eq!(fault.kind, FaultKind::Crash);
        assert_eq!(fault.detail, "its process exited with code 3; there is no file bot.py");
    }

    #[test]
    fn an_exit_without_the_end_of_output_left_a_process_behind() {
        let end = ProcessEnd::new(Some(ProcessExit::Signal(libc::SIGKILL)), Stream::Open);
        assert_eq!(end, ProcessEnd::LeftOthers(ProcessExit::Signal(libc::SIGKILL)));
        assert_eq!(end.fault("").kind, FaultKind::EndOfOutput);
    }

    #[test]
    fn without_an_exit_the_bot_goes_on_running() {
        for output in [Stream::Open, Stream::Ended] {
            let end = ProcessEnd::new(None, output);
            assert_eq!(end.fault("").detail, "closed its output but keeps running");
        }
    }
}
