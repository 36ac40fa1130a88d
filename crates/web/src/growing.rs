//! Bytes that are made by one and read by any number, each at its own pace: whoever makes them never waits for a
//! reader, and a reader that comes later gets everything from the beginning.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use hyper::body::Bytes;

use crate::site::locked;

/// What is there so far.
#[derive(Default)]
struct Made {
    parts: Vec<Bytes>,
    bytes: usize,
    state: Growth,
    waiting: Vec<Waker>,
}

/// How far bytes are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Growth {
    /// More will come.
    #[default]
    Growing,
    /// That is all.
    Whole,
    /// Nothing more will come, though it is not all.
    Broken,
}

/// Bytes that may still grow.
#[derive(Clone, Default)]
pub(crate) struct Growing(Arc<Mutex<Made>>);

impl Growing {
    fn made(&self) -> MutexGuard<'_, Made> {
        locked(&self.0)
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.made().bytes
    }

    /// How far it is.
    pub(crate) fn state(&self) -> Growth {
        self.made().state
    }

    /// Reads from the beginning.
    pub(crate) fn reader(&self) -> Reader {
        Reader { of: self.clone(), next: 0 }
    }

    /// The one who makes it. There is to be only one.
    pub(crate) fn maker(&self) -> Maker {
        Maker(self.clone())
    }
}

/// The one who makes the bytes. Dropped before [`Maker::finish`], it leaves them broken.
pub(crate) struct Maker(Growing);

impl Maker {
    /// How many bytes there are.
    pub(crate) fn made(&self) -> usize {
        self.0.len()
    }

    /// Adds bytes at the end.
    pub(crate) fn add(&self, part: impl Into<Bytes>) {
        let part = part.into();
        if part.is_empty() {
            return;
        }
        let mut made = self.0.made();
        made.bytes += part.len();
        made.parts.push(part);
        made.waiting.drain(..).for_each(Waker::wake);
    }

    /// That was all.
    pub(crate) fn finish(self) {
        self.0.made().state = Growth::Whole;
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        let mut made = self.0.made();
        if made.state == Growth::Growing {
            made.state = Growth::Broken;
        }
        made.waiting.drain(..).for_each(Waker::wake);
    }
}

/// Somebody who reads.
pub(crate) struct Reader {
    of: Growing,
    next: usize,
}

impl Reader {
    /// The next bytes; none when all have been read and nothing more will come.
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Bytes>>> {
        let mut made = self.of.made();
        if let Some(part) = made.parts.get(self.next) {
            self.next += 1;
            return Poll::Ready(Some(Ok(part.clone())));
        }
        match made.state {
            Growth::Whole => Poll::Ready(None),
            Growth::Broken => {
                Poll::Ready(Some(Err(io::Error::other("it could not be made to its end"))))
            }
            Growth::Growing => {
                if !made.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                    made.waiting.push(context.waker().clone());
                }
                Poll::Pending
            }
        }
    }

    /// How many bytes are to come, once that is known.
    pub(crate) fn rest(&self) -> Option<u64> {
        let made = self.of.made();
        let rest =
            made.parts[self.next.min(made.parts.len())..].iter().map(Bytes::len).sum::<usize>();
        (made.state == Growth::Whole).then_some(rest as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reader: &mut Reader) -> Poll<Option<Vec<u8>>> {
        let next = reader.poll_next(&mut Context::from_waker(Waker::noop()));
        next.map(|next| next.map(|part| part.expect("it is not broken").to_vec()))
    }

    #[test]
    fn every_reader_gets_everything_in_order() {
        let growing = Growing::default();
        let maker = growing.maker();
        let mut early = growing.reader();
        assert_eq!(read(&mut early), Poll::Pending);
        maker.add(&b"ab"[..]);
        maker.add(&b""[..]);
        let mut late = growing.reader();
        for reader in [&mut early, &mut late] {
            assert_eq!(read(reader), Poll::Ready(Some(b"ab".to_vec())));
            assert_eq!(read(reader), Poll::Pending);
            assert_eq!(reader.rest(), None);
        }
        maker.add(&b"c"[..]);
        maker.finish();
        for reader in [&mut early, &mut late] {
            assert_eq!(reader.rest(), Some(1));
            assert_eq!(read(reader), Poll::Ready(Some(b"c".to_vec())));
            assert_eq!(read(reader), Poll::Ready(None));
        }
        assert_eq!((growing.len(), growing.state()), (3, Growth::Whole));
    }

    #[test]
    fn what_is_not_finished_is_never_taken_for_whole() {
        let growing = Growing::default();
        let mut reader = growing.reader();
        drop(growing.maker());
        let next = reader.poll_next(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(next, Poll::Ready(Some(Err(_)))), "{next:?}");
    }
}
