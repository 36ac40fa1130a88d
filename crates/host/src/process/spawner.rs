//! Threads that start processes, so that no worker stops listening meanwhile.
//!
//! Starting a process takes up to milliseconds. A worker that did it in the middle of a game would
//! charge them to the bots it should be listening to. Each process is started on the cores it is
//! to run on: it inherits them, and so does everything it starts.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, eventfd};

use crate::os::placement::place_this_thread;
use crate::panics::catch;
use crate::process::child::Spawned;

/// A process to be started.
struct SpawnRequest<T> {
    errand: T,
    /// Where it is to run.
    cores: Vec<usize>,
    start: Box<dyn FnOnce() -> io::Result<Spawned> + Send>,
}

/// Threads that start processes, and the processes they have started. What each is wanted for
/// is its errand.
pub(crate) struct Spawner<T> {
    /// Taken when the threads are to end.
    orders: Option<Sender<SpawnRequest<T>>>,
    here: Receiver<(T, io::Result<Spawned>)>,
    waker: Arc<OwnedFd>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Spawner<T> {
    /// So many threads that wait for orders.
    pub(crate) fn new(threads: usize) -> io::Result<Spawner<T>> {
        let waker = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (orders, taken) = channel::<SpawnRequest<T>>();
        let taken = Arc::new(Mutex::new(taken));
        let (to_here, here) = channel();
        let work = |_| {
            let (taken, to_here, waker) = (taken.clone(), to_here.clone(), waker.clone());
            let work = move || {
                loop {
                    let order = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(SpawnRequest { errand, cores, start }) = order else { return };
                    place_this_thread(&cores);
                    // A thread that panicked would be waited for.
                    let started = catch(start).unwrap_or_else(|panic| Err(io::Error::other(panic)));
                    if to_here.send((errand, started)).is_err() {
                        return;
                    }
                    let _ = rustix::io::write(&*waker, &1_u64.to_ne_bytes());
                }
            };
            std::thread::Builder::new().name("spawner".to_owned()).spawn(work)
        };
        let threads = (0..threads.max(1)).map(work).collect::<io::Result<_>>()?;
        Ok(Spawner { orders: Some(orders), here, waker, threads })
    }

    /// Has a process started on these cores.
    pub(crate) fn order(
        &self,
        errand: T,
        cores: Vec<usize>,
        start: impl FnOnce() -> io::Result<Spawned> + Send + 'static,
    ) {
        let orders = self.orders.as_ref().expect("orders are taken until the end");
        let order = SpawnRequest { errand, cores, start: Box::new(start) };
        assert!(orders.send(order).is_ok(), "the threads wait for orders until the end");
    }

    /// Becomes readable when a process has been started.
    pub(crate) fn waker(&self) -> BorrowedFd<'_> {
        self.waker.as_fd()
    }

    /// A process that has been started, or why it could not be.
    pub(crate) fn started(&self) -> Option<(T, io::Result<Spawned>)> {
        // Cleared first: what is sent from now on wakes again.
        let _ = rustix::io::read(&*self.waker, &mut [0_u8; 8]);
        self.here.try_recv().ok()
    }

    /// Waits for the next process.
    pub(crate) fn next(&self) -> Option<(T, io::Result<Spawned>)> {
        self.here.recv().ok()
    }
}

impl<T> Drop for Spawner<T> {
    fn drop(&mut self) {
        // The threads end with their orders. Processes nobody has taken are ended when dropped.
        self.orders = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
