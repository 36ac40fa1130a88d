//! How fast a machine is: millions of steps of a fixed workload a second, on each of as many threads
//! as games are played at a time. The figure needs no reference: who compares machines divides.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Steps in a round.
const STEPS: u32 = 1000;

/// How long is measured.
const WHILE: Duration = Duration::from_millis(300);

/// Millions of steps a second of each of so many threads, while all of them work.
pub fn measure(slots: usize) -> f64 {
    let until = Instant::now() + WHILE;
    let rounds: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..slots.max(1)).map(|_| scope.spawn(move || work(until))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(0.0)).collect()
    });
    let mean = rounds.iter().sum::<f64>() / rounds.len() as f64;
    mean * f64::from(STEPS) / WHILE.as_secs_f64() / 1e6
}

/// Integer arithmetic, branches and memory of the size of a cache, as searches have them.
fn work(until: Instant) -> f64 {
    let mut table = vec![0_u64; 1 << 14];
    let (mut state, mut rounds) = (0x9e37_79b9_7f4a_7c15_u64, 0.0);
    while Instant::now() < until {
        for _ in 0..STEPS {
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
