//! Processes that are started ahead of the match they will play in.
//!
//! Bots that leave when a game ends must be started anew for every game, and starting an
//! interpreter takes longer than many a game. The next match's processes are therefore started
//! while this one is played: on a thread of their own, and only on cores where no match is played,
//! so that nobody's clock pays for it.

use std::collections::{HashMap, HashSet};
use std::io;

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
    /// By bot: processes that wait for a seat.
    warm: HashMap<usize, Vec<Spawned>>,
    /// By bot: processes that have been ordered and are not here yet.
    coming: HashMap<usize, usize>,
}

impl Prestarted {
    /// A thread that starts processes on these cores.
    pub(crate) fn new(shared: &Shared<'_>, cores: Vec<usize>) -> io::Result<Prestarted> {
        let never = shared.roster.iter().enumerate().filter(|(_, bot)| bot.reuse == Reuse::Never);
        Ok(Prestarted {
            cores,
            leavers: never.map(|(index, _)| index).collect(),
            spawner: Spawner::new(1)?,
            warm: HashMap::new(),
            coming: HashMap::new(),
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
        for &bot in bots {
            let needed = bots.iter().filter(|other| **other == bot).count();
            if let Program::Command { .. } = &shared.roster[bot].program
                && self.leavers.contains(&bot)
                && self.count(bot) < needed
            {
                self.spawner.order(bot, self.cores.clone(), shared.start(bot, 0, None));
                *self.coming.entry(bot).or_default() += 1;
            }
        }
    }

    /// How many processes of a bot are there or on their way.
    fn count(&mut self, bot: usize) -> usize {
        self.take_in();
        let here = self.warm.get(&bot).map_or(0, Vec::len);
        here + self.coming.get(&bot).copied().unwrap_or(0)
    }

    /// A process of this bot, if one was ordered. One that is just being started is waited for:
    /// it is here sooner than another one would be.
    pub(crate) fn take(&mut self, bot: usize) -> Option<Spawned> {
        self.take_in();
        loop {
            if let Some(process) = self.warm.get_mut(&bot).and_then(Vec::pop) {
                return Some(process);
            }
            if self.coming.get(&bot).is_none_or(|&coming| coming == 0) {
                return None;
            }
            let (bot, process) = self.spawner.next()?;
            self.arrived(bot, process);
        }
    }

    fn take_in(&mut self) {
        while let Some((bot, process)) = self.spawner.started() {
            self.arrived(bot, process);
        }
    }

    fn arrived(&mut self, bot: usize, process: io::Result<Spawned>) {
        if let Some(coming) = self.coming.get_mut(&bot) {
            *coming -= 1;
        }
        // What cannot be started now fails again when it is needed, and is reported then.
        self.warm.entry(bot).or_default().extend(process);
    }
}
