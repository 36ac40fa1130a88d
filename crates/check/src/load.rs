//! How busy the machine is. On a busy one a bot waits for the processor, and that is not its fault:
//! whatever is judged by the wall clock alone is given more time there.

use std::time::Duration;

/// How many programs share a core, at least one. So many times longer everything may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Load(u32);

/// Nobody waits longer for a bot that says nothing, however busy the machine is.
const MOST: u32 = 4;

impl Load {
    /// A machine that does nothing else.
    pub(crate) const NONE: Load = Load(1);

    /// The load of this machine over the last minute.
    pub(crate) fn now() -> Load {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::fs::read_to_string("/proc/loadavg").map_or(Load::NONE, |text| Load::of(&text, cores))
    }

    /// The load that a line of `/proc/loadavg` means with so many cores.
    pub(crate) fn of(line: &str, cores: usize) -> Load {
        let average = line.split_ascii_whitespace().next().and_then(|word| word.parse().ok());
        let share = average.unwrap_or(0.0_f64) / cores as f64;
        Load(share.ceil().clamp(1.0, f64::from(MOST)) as u32)
    }

    /// What a time comes to on a machine as busy as this.
    pub(crate) fn stretch(self, time: Duration) -> Duration {
        time.saturating_mul(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_programs_than_cores_stretch_time_within_reason() {
        let share = |average: &str| Load::of(&format!("{average} 0.5 0.1 3/900 4711\n"), 2).0;
        assert_eq!([share("0.00"), share("1.90"), share("2.10")], [1, 1, 2]);
        assert_eq!(share("88.44"), MOST);
        assert_eq!(Load::of("", 2), Load::NONE, "unknown is not busy");
    }
}
