//! People who play: they are shown the game on threads of their own, and what they say comes back to the worker.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use game::PlayerId;
use rustix::event::{EventfdFlags, eventfd};
use table::desk::AnyDesk;
use table::{Input, PersonSaid};

use crate::worker::current_match::CurrentMatch;
use crate::worker::match_loop::Worker;

/// Whoever shows the game to the people among the bots of a run.
pub trait People: Send + Sync {
    /// A person, by its number in the roster, is to be shown this, in the place of what it was shown before. A
    /// worker calls this and must not be made to wait.
    fn show(&self, bot: usize, desk: Box<dyn AnyDesk>, voice: Voice);
}

/// How a person is heard by the match that it plays.
#[derive(Clone)]
pub struct Voice {
    game: u64,
    player: PlayerId,
    to_worker: Sender<VoiceMessage>,
    waker: Arc<OwnedFd>,
}

struct VoiceMessage {
    game: u64,
    player: PlayerId,
    word: VoiceWord,
}

enum VoiceWord {
    Said(PersonSaid),
    /// Nobody is there any more, for this reason.
    Absent(String),
}

impl Voice {
    /// Tells the match what the person says. Nobody listens once the match is over.
    pub fn say(&self, said: PersonSaid) {
        self.send(VoiceWord::Said(said));
    }

    /// The person cannot be reached any more: the match is void.
    pub fn give_up(&self, why: &str) {
        self.send(VoiceWord::Absent(why.to_owned()));
    }

    fn send(&self, word: VoiceWord) {
        let message = VoiceMessage { game: self.game, player: self.player, word };
        if self.to_worker.send(message).is_ok() {
            let _ = rustix::io::write(&*self.waker, &1_u64.to_ne_bytes());
        }
    }
}

/// A worker's ear for people.
pub(crate) struct Voices {
    waker: Arc<OwnedFd>,
    /// Which match of the worker it is: what was said in an earlier one is of no interest.
    game: u64,
    to_here: Sender<VoiceMessage>,
    here: Receiver<VoiceMessage>,
}

impl Voices {
    pub(crate) fn new() -> io::Result<Voices> {
        let waker = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (to_here, here) = channel();
        Ok(Voices { waker, game: 0, to_here, here })
    }

    pub(crate) fn next_match(&mut self) {
        self.game += 1;
    }

    /// Becomes readable when somebody has said something.
    pub(crate) fn waker(&self) -> BorrowedFd<'_> {
        self.waker.as_fd()
    }

    fn voice(&self, player: PlayerId) -> Voice {
        let (to_worker, waker) = (self.to_here.clone(), self.waker.clone());
        Voice { game: self.game, player, to_worker, waker }
    }

    /// What has been said in this match.
    fn words(&mut self) -> Vec<(PlayerId, VoiceWord)> {
        let _ = rustix::io::read(&*self.waker, &mut [0_u8; 8]);
        let current = self.here.try_iter().filter(|message| message.game == self.game);
        current.map(|message| (message.player, message.word)).collect()
    }
}

impl Worker<'_> {
    /// Shows a person how things stand.
    pub(crate) fn show(&mut self, game: &mut CurrentMatch<'_>, player: PlayerId) {
        let now = game.now();
        if let (Some(people), Some(desk)) = (&self.shared.people, game.table.desk(player, now)) {
            people.show(game.bots[player.index()], desk, self.voices.voice(player));
        }
    }

    /// Tells the table what people have said.
    pub(crate) fn hear_people(&mut self, game: &mut CurrentMatch<'_>) {
        for (player, word) in self.voices.words() {
            match word {
                VoiceWord::Said(said) => game.feed(Input::Person { player, said }),
                VoiceWord::Absent(why) => game.feed(Input::Abort { reason: &why }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_in_an_earlier_match_is_not_heard() {
        let mut voices = Voices::new().expect("an eventfd can be made");
        voices.next_match();
        let early = voices.voice(PlayerId(0));
        voices.next_match();
        let now = voices.voice(PlayerId(1));
        early.say(PersonSaid::Resigns);
        now.give_up("gone");
        let heard = voices.words();
        assert_eq!(heard.len(), 1);
        assert!(matches!(&heard[0], (PlayerId(1), VoiceWord::Absent(why)) if why == "gone"));
        drop(voices);
        now.say(PersonSaid::Resigns);
    }
}
