//! How much waits of what others say: nobody who speaks too much keeps others from being heard, or fills
//! our memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much may wait to be read. What is more is dropped: whoever said it says it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InboxLimits {
    /// Messages of one subject.
    pub(crate) messages: usize,
    /// Bytes of one message.
    pub(crate) longest: usize,
    /// Bytes of all messages.
    pub(crate) bytes: usize,
}

impl InboxLimits {
    /// Everything is taken.
    pub(crate) const NONE: InboxLimits =
        InboxLimits { messages: usize::MAX, longest: usize::MAX, bytes: usize::MAX };
}

#[derive(Debug, Default)]
struct WaitingMessages {
    /// How many there are, by subject.
    count: HashMap<String, usize>,
    bytes: usize,
}

/// Messages that wait to be read.
#[derive(Debug)]
pub(super) struct BoundedInbox {
    limits: InboxLimits,
    waiting: Arc<Mutex<WaitingMessages>>,
}

/// The place of a message that waits. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct InboxPlace {
    waiting: Arc<Mutex<WaitingMessages>>,
    subject: String,
    bytes: usize,
}

fn locked(waiting: &Mutex<WaitingMessages>) -> MutexGuard<'_, WaitingMessages> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BoundedInbox {
    pub(super) fn new(limits: InboxLimits) -> BoundedInbox {
        BoundedInbox { limits, waiting: Arc::default() }
    }

    /// A place for a message, if there is one.
    pub(super) fn place(&self, subject: &str, bytes: usize) -> Option<InboxPlace> {
        let InboxLimits { messages, longest, bytes: most } = self.limits;
        let mut waiting = locked(&self.waiting);
        let count = waiting.count.get(subject).copied().unwrap_or(0);
        if bytes > longest || count >= messages || waiting.bytes.saturating_add(bytes) > most {
            return None;
        }
        waiting.count.insert(subject.to_owned(), count + 1);
        waiting.bytes += bytes;
        Some(InboxPlace { waiting: self.waiting.clone(), subject: subject.to_owned(), bytes })
    }
}

impl Drop for InboxPlace {
    fn drop(&mut self) {
        let mut waiting = locked(&self.waiting);
        waiting.bytes -= self.bytes;
        if let Some(count) = waiting.count.get_mut(&self.subject) {
            *count -= 1;
            if *count == 0 {
                waiting.count.remove(&self.subject);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_floods_fills_its_own_places_alone() {
        let inbox = BoundedInbox::new(InboxLimits { messages: 2, longest: 10, bytes: 35 });
        let flood: Vec<_> = (0..100).filter_map(|_| inbox.place("liar", 10)).collect();
        assert_eq!(flood.len(), 2);
        assert!(inbox.place("other", 11).is_none(), "it is too long");
        let other = inbox.place("other", 10).expect("there is room for others");
        assert!(inbox.place("third", 10).is_none(), "all together would be too much");
        drop(flood);
        assert!(inbox.place("third", 10).is_some() && inbox.place("liar", 10).is_some());
        drop(other);
        let waiting = locked(&inbox.waiting);
        assert_eq!((waiting.bytes, waiting.count.len()), (0, 0), "nothing is left");
    }
}
