//! Processes that are started ahead of the match they will play in.
//!
//! Bots that leave when a game ends must be started anew for every game, and starting an
//! interpreter takes longer than many a game. The next match's processes are therefore started
//! while this one is played: on a thread of their own, and only on cores where no match is played,
//! so that nobody's clock pays for it.

use std::collections::{HashMap, HashSet};
use std::io;

use table::ActorProcess;

use crate::bot::spec::{Program, Reuse};
use crate::process::child::Spawned;
use crate::process::spawner::Spawner;
use crate::run::Shared;

/// Starts processes ahead and keeps them until they are needed. Ends those that never were.
pub(crate) struct Prestarted {
    /// Where no match is played.
    cores: Vec<usize>,
    /// Bots that leave when a game ends, so that the next one needs a new process.
    leavers: HashSet<usize>,
    spawner: Spawner<usize>,
    stock: Stock<Spawned>,
}

/// Processes that have been ordered, by bot.
struct Stock<T> {
    /// Those that wait for a seat.
    warm: HashMap<usize, Vec<T>>,
    /// How many are not here yet.
    coming: HashMap<usize, usize>,
}

impl<T> Stock<T> {
    fn new() -> Stock<T> {
        Stock { warm: HashMap::new(), coming: HashMap::new() }
    }

    /// Whether a process of this bot has to be started for a match of these bots.
    fn lacks(&self, bot: usize, bots: &[usize]) -> bool {
        let needed = bots.iter().filter(|other| **other == bot).count();
        let here = self.warm.get(&bot).map_or(0, Vec::len);
        here + self.coming(bot) < needed
    }

    /// How many processes of a bot are on their way.
    fn coming(&self, bot: usize) -> usize {
        self.coming.get(&bot).copied().unwrap_or(0)
    }

    fn ordered(&mut self, bot: usize) {
        *self.coming.entry(bot).or_default() += 1;
    }

    /// One has been started. What cannot be started now fails again when it is needed, and is
    /// reported then.
    fn arrived(&mut self, bot: usize, process: io::Result<T>) {
        if let Some(coming) = self.coming.get_mut(&bot) {
            *coming -= 1;
        }
        self.warm.entry(bot).or_default().extend(process);
    }

    fn take(&mut self, bot: usize) -> Option<T> {
        self.warm.get_mut(&bot).and_then(Vec::pop)
    }
}

impl Prestarted {
    /// A thread that starts processes on these cores.
    pub(crate) fn new(shared: &Shared<'_>, cores: Vec<usize>) -> io::Result<Prestarted> {
        let never = shared.roster.iter().enumerate().filter(|(_, bot)| bot.reuse == Reuse::Never);
        Ok(Prestarted {
            cores,
            leavers: never.map(|(index, _)| index).collect(),
            spawner: Spawner::new(1)?,
            stock: Stock::new(),
        })
    }

    /// This bot has left at the end of a game, and will do so again.
    pub(crate) fn leaves(&mut self, bot: usize) {
        self.leavers.insert(bot);
    }

    /// Whether there are bots that have to be started for every game.
    pub(crate) fn is_useful(&self) -> bool {
        !self.leavers.is_empty()
    }

    /// These bots play the next match: has those started that cannot be kept from this one.
    pub(crate) fn expect(&mut self, shared: &Shared<'_>, bots: &[usize]) {
        self.take_in();
        for &bot in bots {
            if let Program::Command { .. } = &shared.roster[bot].program
                && self.leavers.contains(&bot)
                && self.stock.lacks(bot, bots)
            {
                self.spawner.order(
                    bot,
                    self.cores.clone(),
                    shared.start(bot, &ActorProcess::default()),
                );
                self.stock.ordered(bot);
            }
        }
    }

    /// A process of this bot, if one was ordered. One that is just being started is waited for:
    /// it is here sooner than another one would be.
    pub(crate) fn take(&mut self, bot: usize) -> Option<Spawned> {
        self.take_in();
        loop {
            if let Some(process) = self.stock.take(bot) {
                return Some(process);
            }
            if self.stock.coming(bot) == 0 {
                return None;
            }
            let (bot, process) = self.spawner.next()?;
            self.stock.arrived(bot, process);
        }
    }

    fn take_in(&mut self) {
        while let Some((bot, process)) = self.spawner.started() {
            self.stock.arrived(bot, process);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_is_started_as_often_as_it_plays_in_the_next_match() {
        let mut stock = Stock::<&str>::new();
        let bots = [3, 5, 3];
        for _ in 0..2 {
            assert!(stock.lacks(3, &bots));
            stock.ordered(3);
        }
        assert!(!stock.lacks(3, &bots), "those that are coming count");
        stock.arrived(3, Ok("one"));
        assert!(!stock.lacks(3, &bots), "and those that are here");
        assert!(stock.lacks(5, &bots));
        assert!(!stock.lacks(7, &bots), "it does not play");
    }

    #[test]
    fn a_process_is_handed_out_once() {
        let mut stock = Stock::new();
        stock.ordered(3);
        assert_eq!((stock.take(3), stock.coming(3)), (None, 1));
        stock.arrived(3, Ok("one"));
        assert_eq!((stock.take(3), stock.coming(3)), (Some("one"), 0));
        assert_eq!(stock.take(3), None);
    }

    #[test]
    fn nobody_waits_for_a_process_that_could_not_be_started() {
        let mut stock = Stock::<&str>::new();
        stock.ordered(3);
        stock.arrived(3, Err(io::Error::other("it does not start")));
        assert_eq!((stock.take(3), stock.coming(3)), (None, 0));
        assert!(stock.lacks(3, &[3]), "it is tried again");
    }
}
