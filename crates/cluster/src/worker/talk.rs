//! What a worker says to the coordinator of one run: numbered questions, one at a time.

use std::time::Duration;

use crate::link::{Link, NoAnswer};
use crate::wire::{self, Ask, CoordinatorAnswer, PIECE, WorkerRequest};

/// A conversation.
pub(crate) struct Conversation<'l> {
    link: &'l Link,
    subject: String,
    /// The run.
    pub(crate) run: String,
    session: u64,
    number: u64,
    /// How long a worker may be silent.
    pub(crate) lease: Duration,
}

/// Why content could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("the coordinator does not answer")]
    NoAnswer,
    #[error("the coordinator does not have it")]
    NotThere,
    #[error("it is not what it should be")]
    Wrong,
}

impl<'l> Conversation<'l> {
    pub(crate) fn new(
        link: &'l Link,
        run: &str,
        name: &str,
        session: u64,
        number: u64,
        lease: Duration,
    ) -> Conversation<'l> {
        let (subject, run) = (wire::questions(run, name), run.to_owned());
        // Nobody lends for less, and an overflow of what a stranger says hurts nobody.
        let lease = lease.clamp(Duration::from_millis(500), Duration::from_secs(3600));
        Conversation { link, subject, run, session, number, lease }
    }

    /// The number of what was said last.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The longest message.
    pub(crate) fn longest(&self) -> usize {
        self.link.longest()
    }

    /// Asks, and waits for the answer. What cannot be understood is no answer.
    pub(crate) fn ask(&mut self, what: WorkerRequest) -> Result<CoordinatorAnswer, NoAnswer> {
        self.number += 1;
        let ask = Ask { session: self.session, number: self.number, what };
        let patience = (self.lease / 4).clamp(Duration::from_millis(500), Duration::from_secs(5));
        let answer = self.link.request(&self.subject, wire::pack(&ask), patience)?;
        wire::unpack(&answer).map_err(|_| NoAnswer::TooLate)
    }

    /// Fetches content by its SHA-256, a piece at a time.
    pub(crate) fn fetch(&mut self, digest: &str, most: u64) -> Result<Vec<u8>, FetchError> {
        let mut bytes = Vec::new();
        let mut failures = 0;
        for piece in 0.. {
            let (pieces, part) = loop {
                let digest = digest.to_owned();
                match self.ask(WorkerRequest::Blob { digest, piece }) {
                    Ok(CoordinatorAnswer::Piece { pieces, bytes }) => break (pieces, bytes.0),
                    Ok(_) => return Err(FetchError::NotThere),
                    Err(_) if failures < 5 && !host::interrupted() => failures += 1,
                    Err(_) => return Err(FetchError::NoAnswer),
                }
            };
            bytes.extend_from_slice(&part);
            if bytes.len() as u64 > most || part.len() > PIECE {
                return Err(FetchError::Wrong);
            }
            if piece + 1 >= pieces {
                break;
            }
        }
        match wire::digest(&bytes) == digest {
            true => Ok(bytes),
            false => Err(FetchError::Wrong),
        }
    }
}
