//! Write access to the store: held by the thread that keeps games, or by a request.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets games be kept and orders be entered one after the other. Orders come first: there are few
/// of them, and the thread that keeps games would take the lock again before anybody else could.
#[derive(Default)]
pub(crate) struct WriteAccess {
    lock: Mutex<()>,
    orders: Mutex<usize>,
    no_orders: Condvar,
}

/// The right to enter an order.
pub(crate) struct DecisionGuard<'k> {
    write_access: &'k WriteAccess,
    lock: Option<MutexGuard<'k, ()>>,
}

impl WriteAccess {
    fn orders(&self) -> MutexGuard<'_, usize> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Games are kept as long as this is held.
    pub(crate) fn for_results(&self) -> MutexGuard<'_, ()> {
        let waited = self.no_orders.wait_while(self.orders(), |orders| *orders > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No game is kept as long as this is held.
    pub(crate) fn for_decision(&self) -> DecisionGuard<'_> {
        *self.orders() += 1;
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        DecisionGuard { write_access: self, lock: Some(lock) }
    }
}

impl Drop for DecisionGuard<'_> {
    fn drop(&mut self) {
        self.lock = None;
        *self.write_access.orders() -= 1;
        self.write_access.no_orders.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;

    #[test]
    fn an_order_gets_through_to_a_thread_that_never_rests() {
        let (write_access, over, kept) =
            (WriteAccess::default(), AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let _kept = write_access.for_results();
                    kept.fetch_add(1, Ordering::Relaxed);
                }
            });
            for _ in 0..100 {
                let order = write_access.for_decision();
                let before = kept.load(Ordering::Relaxed);
                std::thread::yield_now();
                assert_eq!(kept.load(Ordering::Relaxed), before, "nothing is kept meanwhile");
                drop(order);
            }
            over.store(true, Ordering::Relaxed);
        });
    }
}
