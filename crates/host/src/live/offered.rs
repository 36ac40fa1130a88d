//! A game that is played elsewhere and can be watched here: its log comes in parts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use table::live::LiveEnd;
use table::{Header, LogPart};

use super::{From, LiveGames, MOST_WAITING, NewListing, OfferedListing};

/// A game that is played elsewhere. It leaves the list when this is dropped.
#[derive(Debug)]
pub struct OfferedGame {
    listed: OfferedListing,
    /// How much of its log has come since somebody watches.
    length: u64,
}

impl LiveGames {
    /// Offers a game that a worker of this name plays, the one of this number.
    pub fn offer(
        self: &Arc<Self>,
        index: u64,
        header: Arc<Header>,
        began: SystemTime,
        worker: &str,
    ) -> OfferedGame {
        let (recorded, worker) = (true, Some(worker.to_owned()));
        let new = NewListing { index, header, began, recorded, waker: None, worker };
        OfferedGame { listed: self.list_game(new), length: 0 }
    }
}

impl OfferedGame {
    /// How much of its log is here, if more is wanted: somebody watches, and what has come before is
    /// fetched.
    pub fn wanted(&mut self) -> Option<u64> {
        let game = &self.listed.game;
        if !game.watched.load(Ordering::Relaxed) {
            return None;
        }
        let mut waiting = game.waiting();
        if std::mem::replace(&mut waiting.from, From::WhereItIs) == From::Beginning {
            self.length = 0;
        }
        let bytes: usize = waiting.parts.iter().map(|part| part.bytes().len()).sum();
        (bytes <= MOST_WAITING).then_some(self.length)
    }

    /// Whether somebody watches it.
    pub fn is_watched(&self) -> bool {
        self.listed.game.watched.load(Ordering::Relaxed)
    }

    /// How much of its log has come.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What follows so many bytes of its log. What is here already is left out, and what does not
    /// follow is not taken.
    pub fn add(&mut self, at: u64, bytes: &[u8]) {
        let mut waiting = self.listed.game.waiting();
        // Somebody who has just come wants it from its beginning.
        if waiting.from == From::Beginning || !self.is_watched() {
            return;
        }
        let known = self.length.checked_sub(at).and_then(|known| usize::try_from(known).ok());
        let Some(new) = known.and_then(|known| bytes.get(known..)) else { return };
        if !new.is_empty() {
            self.length += new.len() as u64;
            waiting.parts.push(LogPart::Copied(new.to_vec()));
        }
    }

    /// A bot has described itself since.
    pub fn set_header(&self, header: Arc<Header>) {
        self.listed.game.waiting().header = header;
    }

    /// Nothing more comes.
    pub fn end(self, why: LiveEnd) {
        self.listed.game.waiting().end.get_or_insert(why);
    }
}

#[cfg(test)]
mod tests {
    use game::{Clock, Seed};
    use table::{Adjudication, Contestant, Entrant, Occasion, Recording, Terms};

    use super::*;

    fn header() -> Arc<Header> {
        let game = games::GAMES[0];
        let bot = game.card().bots[0].name;
        let entrant = |name: &str| Entrant::new(name, Contestant::BuiltIn(bot.to_owned()));
        let terms = Terms {
            id: "1".to_owned(),
            seed: Seed(1),
            entrants: vec![entrant("a"), entrant("b")],
            clock: Clock::per_turn(std::time::Duration::from_secs(1)),
            adjudication: Adjudication::NONE,
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        let table = game.table(&serde_json::Map::new(), terms).expect("the set-up is sound");
        table.log().shared_header().clone()
    }

    #[test]
    fn a_game_that_is_played_elsewhere_is_given_out_from_its_beginning_and_only_while_it_is_watched()
     {
        let games = Arc::<LiveGames>::default();
        let mut offered = games.offer(3, header(), SystemTime::now(), "w1");
        assert_eq!(offered.wanted(), None, "nobody watches");
        offered.add(0, b"nobody wanted it");
        let mut log = games.watch(games.listed()[0].id).expect("it is under way");
        assert_eq!(offered.wanted(), Some(0));
        offered.add(0, b"abc");
        offered.add(1, b"bcd");
        offered.add(7, b"a part is missing before this");
        assert_eq!(offered.wanted(), Some(4));
        log.fetch();
        assert_eq!((log.after(0), log.after(4), log.end()), (&b"abcd"[..], &b""[..], None));
        drop(log);
        assert_eq!(offered.wanted(), None);
        // Whoever comes later gets all of it.
        let mut log = games.watch(games.listed()[0].id).expect("it is under way");
        offered.add(4, b"efg");
        assert_eq!(offered.wanted(), Some(0));
        offered.add(0, b"abcdefg");
        offered.end(LiveEnd::Over);
        log.fetch();
        assert_eq!((log.after(0), log.end()), (&b"abcdefg"[..], Some(LiveEnd::Over)));
        assert_eq!(games.listed(), []);
    }
}
