//! Processes that are started ahead of the match they will play in.
//!
//! Bots that leave when a game ends must be started anew for every game, and starting an
//! interpreter takes longer than many a game. The next match's processes are therefore started while
//! this one is played: on a thread of their own, and only on cores where no match is played, so
//! that nobody's clock pays for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use crate::bot::Reuse;
use crate::cage::Plan;
use crate::child::{Child, Start};
use crate::placement::place_this_thread;
use crate::run::Shared;

/// Starts processes ahead and keeps them until they are needed. Ends those that never were.
pub(crate) struct Ahead {
    /// Bots that leave when a game ends, so that the next one needs a new process.
    leavers: HashSet<usize>,
    /// Taken when the thread is to end.
    orders: Option<Sender<Order>>,
    started: Receiver<(usize, Option<Child>)>,
    /// By bot: processes that wait for a seat.
    warm: HashMap<usize, Vec<Child>>,
    /// By bot: processes that have been ordered and are not here yet.
    coming: HashMap<usize, usize>,
    thread: Option<JoinHandle<()>>,
}

/// A process to be started.
struct Order {
    bot: usize,
    plan: Arc<Plan>,
    mark: String,
}

impl Ahead {
    /// A thread that starts processes on these cores.
    pub(crate) fn new(shared: &Shared<'_>, cores: Vec<usize>) -> Ahead {
        let never = shared.roster.iter().enumerate().filter(|(_, bot)| bot.reuse == Reuse::Never);
        let (orders, taken) = channel::<Order>();
        let (to_here, started) = channel();
        let thread = std::thread::spawn(move || {
            place_this_thread(&cores);
            for Order { bot, plan, mark } in taken {
                let start = Start { plan: &plan, mark, binds: &[] };
                // What cannot be started now fails again when it is needed, and is reported then.
                if to_here.send((bot, Child::start(&start).ok())).is_err() {
                    return;
                }
            }
        });
        Ahead {
            leavers: never.map(|(index, _)| index).collect(),
            orders: Some(orders),
            started,
            warm: HashMap::new(),
            coming: HashMap::new(),
            thread: Some(thread),
        }
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
            if let Some(plan) = &shared.plans[bot]
                && self.leavers.contains(&bot)
                && self.count(bot) < needed
            {
                self.order(Order { bot, plan: plan.clone(), mark: shared.next_mark() });
            }
        }
    }

    /// How many processes of a bot are there or on their way.
    fn count(&mut self, bot: usize) -> usize {
        self.take_in();
        let here = self.warm.get(&bot).map_or(0, Vec::len);
        here + self.coming.get(&bot).copied().unwrap_or(0)
    }

    fn order(&mut self, order: Order) {
        let bot = order.bot;
        if self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok()) {
            *self.coming.entry(bot).or_default() += 1;
        }
    }

    /// A process of this bot, if one was ordered. One that is just being started is waited for:
    /// it is here sooner than another one would be.
    pub(crate) fn take(&mut self, bot: usize) -> Option<Child> {
        self.take_in();
        loop {
            if let Some(child) = self.warm.get_mut(&bot).and_then(Vec::pop) {
                return Some(child);
            }
            if self.coming.get(&bot).is_none_or(|&coming| coming == 0) {
                return None;
            }
            let (bot, child) = self.started.recv().ok()?;
            self.arrived(bot, child);
        }
    }

    fn take_in(&mut self) {
        while let Ok((bot, child)) = self.started.try_recv() {
            self.arrived(bot, child);
        }
    }

    fn arrived(&mut self, bot: usize, child: Option<Child>) {
        if let Some(coming) = self.coming.get_mut(&bot) {
            *coming -= 1;
        }
        self.warm.entry(bot).or_default().extend(child);
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // The thread ends with its orders. Processes nobody has taken are ended when dropped.
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
