//! How fast a machine is, measured with a fixed workload while all places for games are busy.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Rounds a second of the reference: a core of the machine that the figure was first measured on.
const REFERENCE: f64 = 100_000.0;

/// How long is measured.
const WHILE: Duration = Duration::from_millis(300);

/// How fast each of so many threads is while all of them work: 1 is the reference.
pub fn measure(slots: usize) -> f64 {
    let until = Instant::now() + WHILE;
    let rounds: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..slots.max(1)).map(|_| scope.spawn(move || work(until))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(0.0)).collect()
    });
    let mean = rounds.iter().sum::<f64>() / rounds.len() as f64;
    mean / WHILE.as_secs_f64() / REFERENCE
}

/// Integer arithmetic, branches and memory of the size of a cache, as searches have them.
fn work(until: Instant) -> f64 {
    let mut table = vec![0_u64; 1 << 14];
    let (mut state, mut rounds) = (0x9e37_79b9_7f4a_7c15_u64, 0.0);
    while Instant::now() < until {
        for _ in 0..1000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let place = (state >> 40) as usize & (table.len() - 1);
            let old = table[place];
            table[place] = if old & 1 == 0 { old.wrapping_add(state) } else { old ^ state };
        }
        rounds += 1.0;
    }
    black_box(table);
    rounds
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_machine_has_a_speed() {
        let speed = super::measure(1);
        assert!(speed.is_finite() && speed > 0.0, "{speed}");
    }
}
