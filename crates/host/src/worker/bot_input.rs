//! The pipe to a bot: what waits to be written, and whether the bot has read its first question.

use std::ops::Range;
use std::os::fd::OwnedFd;

use game::{Fault, FaultKind};
use rustix::io::{Errno, ioctl_fionread};
use rustix::param::page_size;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice, tee};

use crate::worker::poller::{PollSource, Poller};

/// How much may wait to be read by a bot.
const UNREAD_CAP: usize = 64 << 20;
/// The capacity of an ordinary pipe.
const WIDE: usize = 64 << 10;

/// What a bot is sent.
#[derive(Debug)]
pub(crate) struct BotInput {
    /// `None` after the bot or the host has closed it. The bot may still play on.
    pipe: Option<OpenPipe>,
    queued: Queued,
    /// Where the queued bytes are in the table's outputs, as long as they lie together. They go out
    /// after what is unsent, and are copied only if the pipe does not take them: among very many
    /// bots every copy would be out of the cache when it is written.
    fresh: Range<usize>,
    first_question: FirstQuestion,
}

/// The host's end of the pipe, and the bytes that have not gone out.
#[derive(Debug)]
struct OpenPipe {
    fd: OwnedFd,
    /// Bytes for the bot, of which so many have been written.
    unsent: Vec<u8>,
    written: usize,
    polling: Polling,
    width: Width,
}

/// What has been queued since the last flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Queued {
    /// Nothing.
    #[default]
    Nothing,
    /// Bytes that start no clock.
    Message,
    /// Among others a question: its clock starts when these bytes are first offered.
    Question,
}

/// When the clock of a question starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockStart {
    /// With its first byte.
    FirstByte,
    /// When the bot reads it.
    FirstRead,
}

/// How far a bot is with its first question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstQuestion {
    /// Its clock starts like that of every other question.
    Ordinary,
    /// The bot gave no sign of being ready: the clock of its first question waits for it.
    Cold,
    /// The question is in the pipe, and its clock starts when the bot begins to read: when fewer
    /// bytes are unread than this. They are counted as they are written, not looked up in the pipe
    /// afterwards, when the bot may have read some of them.
    Unread(u64),
}

/// Whether the poller reports that the pipe can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polling {
    Off,
    On,
}

/// How much the pipe holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// As much as the system gave it.
    Wide,
    /// One page: it is full as long as anything is in it, so that the system says when all of it has been
    /// read. Or two, if the first byte of a question is apart: then it says when that has been read.
    Narrow,
}

/// The bot has closed its input.
#[derive(Debug)]
struct PipeClosed;

impl BotInput {
    pub(crate) fn new(fd: OwnedFd) -> BotInput {
        let (polling, width) = (Polling::Off, Width::Wide);
        BotInput {
            pipe: Some(OpenPipe { fd, unsent: Vec::new(), written: 0, polling, width }),
            queued: Queued::Nothing,
            fresh: 0..0,
            first_question: FirstQuestion::Ordinary,
        }
    }

    /// Queues these bytes of the table's outputs for the bot. Returns what had been queued before.
    pub(crate) fn queue(&mut self, outputs: &[u8], bytes: Range<usize>, kind: Queued) -> Queued {
        if self.fresh.is_empty() {
            self.fresh = bytes;
        } else if self.fresh.end == bytes.start {
            self.fresh.end = bytes.end;
        } else if let Some(pipe) = &mut self.pipe {
            // Others were told something in between.
            pipe.unsent.extend_from_slice(&outputs[std::mem::take(&mut self.fresh)]);
            pipe.unsent.extend_from_slice(&outputs[bytes]);
        }
        let before = self.queued;
        self.queued = before.max(kind);
        before
    }

    /// What is queued.
    pub(crate) fn queued(&self) -> Queued {
        self.queued
    }

    /// What was queued has been offered. Returns what it was.
    pub(crate) fn take_queued(&mut self) -> Queued {
        std::mem::take(&mut self.queued)
    }

    /// The bot gave no sign of being ready: the clock of its first question is to wait for it.
    pub(crate) fn expect_cold_start(&mut self) {
        self.first_question = FirstQuestion::Cold;
    }

    /// The queued question is about to go out. Returns when its clock starts.
    pub(crate) fn begin_question(&mut self) -> ClockStart {
        let cold = self.first_question == FirstQuestion::Cold;
        self.first_question = FirstQuestion::Ordinary;
        if cold && self.pipe.as_mut().is_some_and(OpenPipe::narrow) {
            let before = self.pipe.as_ref().and_then(OpenPipe::unread).unwrap_or(0);
            self.first_question = FirstQuestion::Unread(before);
            self.queued = Queued::Message;
            return ClockStart::FirstRead;
        }
        ClockStart::FirstByte
    }

    /// Whether the first question is in the pipe and the bot has not begun to read it.
    pub(crate) fn question_is_unread(&self) -> bool {
        matches!(self.first_question, FirstQuestion::Unread(_))
    }

    /// Whether the bot has just begun to read its first question. True once.
    pub(crate) fn has_read_question(&mut self) -> bool {
        let FirstQuestion::Unread(offered) = self.first_question else { return false };
        let read = has_begun(self.pipe.as_ref().and_then(OpenPipe::unread), offered);
        if read {
            self.first_question = FirstQuestion::Ordinary;
        }
        read
    }

    /// Offers the bot what waits for it and what was queued of the table's outputs. Never blocks.
    pub(crate) fn flush(
        &mut self,
        outputs: &[u8],
        poller: &Poller,
        connection: u32,
    ) -> Result<(), Fault> {
        let fresh = &outputs[std::mem::take(&mut self.fresh)];
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        if let Err(PipeClosed) = pipe.write(fresh, &mut self.first_question) {
            self.close(poller);
            return Ok(());
        }
        let left = pipe.unsent.len() - pipe.written;
        let unread = matches!(self.first_question, FirstQuestion::Unread(_));
        let polling = if left > 0 || unread { Polling::On } else { Polling::Off };
        pipe.poll(polling, poller, connection);
        check_cap(left)
    }

    /// Whether nothing is on its way to the bot.
    pub(crate) fn all_sent(&self) -> bool {
        self.pipe.as_ref().is_none_or(|pipe| pipe.polling == Polling::Off)
    }

    /// Whether the bot can be sent more, and has taken all that there was.
    pub(crate) fn is_clear(&self) -> bool {
        self.pipe.as_ref().is_some_and(|pipe| pipe.unsent.is_empty())
    }

    /// Sends a last message, if the bot has taken everything before it, and closes the pipe.
    pub(crate) fn send_last(&mut self, farewell: &[u8], poller: &Poller) {
        if let Some(pipe) = &self.pipe
            && pipe.unsent.is_empty()
        {
            // If it does not listen, it is killed when the grace is over.
            let _ = rustix::io::write(&pipe.fd, farewell);
        }
        self.close(poller);
    }

    /// Closes the pipe. What has not been written is lost.
    pub(crate) fn close(&mut self, poller: &Poller) {
        if let Some(mut pipe) = self.pipe.take() {
            pipe.stop_polling(poller);
        }
    }
}

impl OpenPipe {
    /// Writes as much as the pipe takes of what is unsent and of these bytes. The rest is unsent.
    fn write(&mut self, bytes: &[u8], first: &mut FirstQuestion) -> Result<(), PipeClosed> {
        if self.unsent.is_empty() {
            let taken = self.offer(bytes, first)?;
            self.unsent.extend_from_slice(&bytes[taken..]);
            return Ok(());
        }
        let mut unsent = std::mem::take(&mut self.unsent);
        unsent.extend_from_slice(bytes);
        self.written += self.offer(&unsent[self.written..], first)?;
        if self.written == unsent.len() {
            unsent.clear();
            self.written = 0;
        }
        self.unsent = unsent;
        Ok(())
    }

    /// Writes bytes until the pipe takes no more. Returns how many it has taken.
    fn offer(
        &mut self,
        bytes: &[u8],
        first_question: &mut FirstQuestion,
    ) -> Result<usize, PipeClosed> {
        let mut taken = 0;
        if let (FirstQuestion::Unread(offered @ 0), false) =
            (&mut *first_question, bytes.is_empty())
        {
            taken = self.offer_apart(bytes);
            *offered = taken as u64;
        }
        while taken < bytes.len() {
            match rustix::io::write(&self.fd, &bytes[taken..]) {
                Ok(count) => {
                    taken += count;
                    if let FirstQuestion::Unread(offered) = first_question {
                        *offered += count as u64;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => match (self.width, &first_question) {
                    (Width::Narrow, FirstQuestion::Ordinary | FirstQuestion::Cold) => self.widen(),
                    (Width::Narrow, FirstQuestion::Unread(_)) | (Width::Wide, _) => break,
                },
                Err(_) => return Err(PipeClosed),
            }
        }
        Ok(taken)
    }

    /// Leaves room for one message only. False if the system refuses.
    fn narrow(&mut self) -> bool {
        // To two pages at first: of a user who has many pipes none may grow.
        let narrowed = self.has_pages(2) && (self.unread() == Some(0) || self.has_pages(1));
        if narrowed {
            self.width = Width::Narrow;
        }
        narrowed
    }

    /// Makes room for so many pages. False if the system refuses.
    fn has_pages(&self, count: usize) -> bool {
        fcntl_setpipe_size(&self.fd, count * page_size()).is_ok()
    }

    /// Puts the first bytes of a question into the empty pipe so that the first of them lies in a page of
    /// its own. Says how many; none if that cannot be.
    ///
    /// A read that fails halfway, because the memory it reads to has an end, shows the bot what is in a
    /// page and takes none of it. But before it sees anything of the second page it has taken the first.
    /// A plain read takes all at once, as always.
    fn offer_apart(&mut self, bytes: &[u8]) -> usize {
        let offered = match bytes {
            [] | [_] => Ok(0),
            _ => apart(&bytes[..bytes.len().min(page_size())])
                .and_then(|both| splice(&both, None, &self.fd, None, WIDE, SpliceFlags::NONBLOCK)),
        };
        match offered {
            Ok(count) if count > 1 => count,
            // As long as it is not full the system says that it can be written to.
            other => {
                self.has_pages(1);
                other.unwrap_or(0)
            }
        }
    }

    /// Gives the pipe its room back, if the system has any left.
    fn widen(&mut self) {
        self.width = Width::Wide;
        let _ = fcntl_setpipe_size(&self.fd, WIDE);
    }

    /// How many bytes are in the pipe; `None` if the system does not say.
    fn unread(&self) -> Option<u64> {
        ioctl_fionread(&self.fd).ok()
    }

    fn poll(&mut self, wanted: Polling, poller: &Poller, connection: u32) {
        match (self.polling, wanted) {
            (Polling::Off, Polling::On) => {
                self.polling = Polling::On;
                // If it cannot be waited for, the bot's time runs out instead.
                let _ = poller.writable(&self.fd, PollSource::Stdin(connection));
            }
            (Polling::On, Polling::Off) => self.stop_polling(poller),
            (Polling::Off, Polling::Off) | (Polling::On, Polling::On) => {}
        }
    }

    fn stop_polling(&mut self, poller: &Poller) {
        if std::mem::replace(&mut self.polling, Polling::Off) == Polling::On {
            poller.remove(&self.fd);
        }
    }
}

/// A pipe with these bytes in it, at most a page, the first of which lies in a page of its own.
fn apart(bytes: &[u8]) -> rustix::io::Result<OwnedFd> {
    let new = || pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK);
    let ((from, first), (both, rest)) = (new()?, new()?);
    rustix::io::write(&first, &bytes[..1])?;
    // Nothing is added to a page that two pipes share.
    tee(&from, &rest, 1, SpliceFlags::NONBLOCK)?;
    rustix::io::write(&rest, &bytes[1..])?;
    Ok(both)
}

/// Whether a bot has begun to read a question of which so many bytes were `offered` and so many are
/// left `unread`. One that has closed its input will read no more of it: its clock runs.
fn has_begun(unread: Option<u64>, offered: u64) -> bool {
    unread.is_none_or(|unread| unread == 0 || unread < offered)
}

/// A bot that leaves too much unread has failed.
fn check_cap(left: usize) -> Result<(), Fault> {
    match left {
        0..=UNREAD_CAP => Ok(()),
        left => Err(Fault::new(
            FaultKind::Flood,
            format!("does not read its input: {left} bytes are waiting"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::pipe::pipe;

    use super::*;

    /// A bot's input, what the table has put out, and the bot's end of the pipe.
    struct Fixture {
        input: BotInput,
        outputs: Vec<u8>,
        reading: OwnedFd,
        poller: Poller,
    }

    impl Fixture {
        fn new() -> Fixture {
            let (reading, writing) = pipe().expect("a pipe can be made");
            fcntl_setfl(&writing, OFlags::NONBLOCK).expect("it can be made non-blocking");
            let poller = Poller::new().expect("a poller can be made");
            Fixture { input: BotInput::new(writing), outputs: Vec::new(), reading, poller }
        }

        fn queue(&mut self, bytes: &[u8], kind: Queued) -> Queued {
            let from = self.outputs.len();
            self.outputs.extend_from_slice(bytes);
            self.input.queue(&self.outputs, from..self.outputs.len(), kind)
        }

        fn flush(&mut self) {
            let flushed = self.input.flush(&self.outputs, &self.poller, 0);
            flushed.expect("it is not too much, and a closed input is no fault");
            self.outputs.clear();
        }

        fn read(&self, most: usize) -> Vec<u8> {
            let mut buffer = vec![0; most];
            let count = rustix::io::read(&self.reading, &mut buffer).expect("there is something");
            buffer.truncate(count);
            buffer
        }
    }

    #[test]
    fn a_question_among_messages_is_a_question() {
        let mut bot = Fixture::new();
        assert_eq!(bot.queue(b"a\n", Queued::Message), Queued::Nothing);
        assert_eq!(bot.queue(b"b\n", Queued::Question), Queued::Message);
        assert_eq!(bot.queue(b"c\n", Queued::Message), Queued::Question);
        assert_eq!(bot.input.queued(), Queued::Question);
        assert_eq!(bot.input.take_queued(), Queued::Question);
        assert_eq!(bot.input.queued(), Queued::Nothing);
    }

    #[test]
    fn the_clock_of_a_question_starts_with_its_first_byte() {
        let mut bot = Fixture::new();
        bot.queue(b"go\n", Queued::Question);
        assert_eq!(bot.input.begin_question(), ClockStart::FirstByte);
        assert_eq!(bot.input.queued(), Queued::Question);
        assert!(!bot.input.question_is_unread());
    }

    #[test]
    fn the_first_clock_of_a_cold_bot_starts_when_it_reads() {
        let mut bot = Fixture::new();
        bot.input.expect_cold_start();
        bot.queue(b"board\n1,1\ngo\n", Queued::Question);
        assert_eq!(bot.input.begin_question(), ClockStart::FirstRead);
        assert_eq!(bot.input.queued(), Queued::Message, "the flush starts no clock");
        bot.flush();
        assert!(!bot.input.has_read_question() && bot.input.question_is_unread());
        assert!(!bot.input.all_sent(), "the poller watches for the read");
        assert_eq!(bot.read(1), b"b");
        assert!(bot.input.has_read_question(), "a part of it is enough");
        assert!(!bot.input.has_read_question(), "it is told once");
        // The next question is an ordinary one.
        bot.queue(b"go\n", Queued::Question);
        assert_eq!(bot.input.begin_question(), ClockStart::FirstByte);
    }

    /// What the system says of the host's end.
    fn is_writable(bot: &Fixture) -> bool {
        let pipe = bot.input.pipe.as_ref().expect("it is open");
        let mut ends = [PollFd::new(&pipe.fd, PollFlags::OUT)];
        poll(&mut ends, Some(&Timespec::default())).expect("it can be asked") == 1
    }

    #[test]
    fn the_first_byte_of_a_first_question_is_apart_and_read_with_the_rest() {
        let question = b"{\"hand\": [1, 2, 3]}\n";
        for length in [1, 2, question.len()] {
            let mut bot = Fixture::new();
            bot.input.expect_cold_start();
            bot.queue(&question[..length], Queued::Question);
            assert_eq!(bot.input.begin_question(), ClockStart::FirstRead);
            bot.flush();
            assert!(!is_writable(&bot) && !bot.input.has_read_question(), "{length}");
            assert_eq!(bot.read(64), &question[..length], "by one plain read");
            assert!(is_writable(&bot) && bot.input.has_read_question(), "{length}");
        }
        let mut bot = Fixture::new();
        bot.input.expect_cold_start();
        bot.queue(question, Queued::Question);
        bot.input.begin_question();
        bot.flush();
        assert_eq!(bot.read(1), b"{");
        assert!(is_writable(&bot), "the system says so at once");
        assert_eq!(bot.read(64), &question[1..]);
    }

    #[test]
    fn a_first_question_after_something_unread_is_offered_as_a_whole() {
        let mut bot = Fixture::new();
        bot.queue(b"hello\n", Queued::Message);
        bot.flush();
        bot.input.expect_cold_start();
        bot.queue(b"go\n", Queued::Question);
        assert_eq!(bot.input.begin_question(), ClockStart::FirstRead);
        bot.flush();
        assert!(!is_writable(&bot) && !bot.input.has_read_question());
        assert_eq!(bot.read(64), b"hello\ngo\n");
        assert!(is_writable(&bot) && bot.input.has_read_question());
    }

    #[test]
    fn a_byte_read_between_two_parts_of_a_long_first_question_is_noticed() {
        let mut bot = Fixture::new();
        bot.input.expect_cold_start();
        bot.queue(&vec![b'x'; page_size() + 10], Queued::Question);
        assert_eq!(bot.input.begin_question(), ClockStart::FirstRead);
        bot.flush();
        assert!(!bot.input.has_read_question());
        // Nobody looks before the second part follows.
        bot.read(page_size());
        bot.flush();
        assert!(bot.input.has_read_question());
    }

    #[test]
    fn a_cold_bot_that_closes_its_input_does_not_stop_its_clock() {
        let mut bot = Fixture::new();
        bot.input.expect_cold_start();
        bot.queue(b"go\n", Queued::Question);
        assert_eq!(bot.input.begin_question(), ClockStart::FirstRead);
        bot.flush();
        bot.reading = pipe().expect("a pipe can be made").0;
        bot.queue(b"more\n", Queued::Message);
        bot.flush();
        assert!(bot.input.has_read_question());
        assert!(!bot.input.is_clear(), "it takes part in no further game");
    }

    #[test]
    fn a_narrow_pipe_gets_its_room_back_after_the_first_question() {
        let mut bot = Fixture::new();
        bot.input.expect_cold_start();
        bot.queue(b"go\n", Queued::Question);
        bot.input.begin_question();
        bot.flush();
        bot.read(3);
        assert!(bot.input.has_read_question());
        bot.queue(&vec![b'x'; 2 * page_size()], Queued::Message);
        bot.flush();
        assert!(bot.input.is_clear() && bot.input.all_sent());
    }

    #[test]
    fn what_does_not_fit_waits_for_room() {
        let mut bot = Fixture::new();
        bot.queue(&[b'x'; WIDE + 10], Queued::Message);
        bot.flush();
        assert!(!bot.input.all_sent() && !bot.input.is_clear());
        bot.read(WIDE);
        bot.flush();
        assert!(bot.input.all_sent() && bot.input.is_clear());
    }

    #[test]
    fn bytes_go_out_in_the_order_in_which_they_were_queued() {
        let mut bot = Fixture::new();
        bot.queue(b"a\n", Queued::Message);
        bot.queue(b"b\n", Queued::Message);
        bot.outputs.extend_from_slice(b"for another bot\n");
        bot.queue(b"c\n", Queued::Message);
        bot.queue(b"d\n", Queued::Question);
        bot.flush();
        assert_eq!(bot.read(64), b"a\nb\nc\nd\n");
    }

    #[test]
    fn what_waits_goes_out_before_what_is_queued() {
        let mut bot = Fixture::new();
        bot.queue(&[b'x'; WIDE + 10], Queued::Message);
        bot.flush();
        bot.queue(b"a\n", Queued::Message);
        bot.outputs.extend_from_slice(b"for another bot\n");
        bot.queue(b"b\n", Queued::Message);
        bot.flush();
        assert_eq!(bot.read(WIDE), [b'x'; WIDE]);
        bot.queue(b"c\n", Queued::Message);
        bot.flush();
        assert_eq!(bot.read(64), b"xxxxxxxxxxa\nb\nc\n");
        assert!(bot.input.is_clear());
    }

    #[test]
    fn a_bot_that_never_reads_floods() {
        assert!(check_cap(UNREAD_CAP).is_ok());
        let fault = check_cap(UNREAD_CAP + 1).expect_err("it is one byte too much");
        assert_eq!(fault.kind, FaultKind::Flood);
    }

    #[test]
    fn a_question_is_begun_when_any_of_it_has_been_read() {
        assert!(!has_begun(Some(12), 12));
        assert!(has_begun(Some(11), 12));
        assert!(has_begun(Some(0), 0));
        assert!(has_begun(None, 12));
    }

    #[test]
    fn the_last_message_follows_no_unread_one() {
        let mut bot = Fixture::new();
        bot.input.send_last(b"end\n", &bot.poller);
        assert_eq!(bot.read(64), b"end\n");
        assert_eq!(bot.read(64), b"", "the pipe is closed");
        let mut bot = Fixture::new();
        bot.queue(&[b'x'; WIDE + 10], Queued::Message);
        bot.flush();
        bot.input.send_last(b"end\n", &bot.poller);
        assert_eq!(bot.read(2 * WIDE).len(), WIDE);
        assert_eq!(bot.read(64), b"");
    }
}
