//! The user ids that bots get when the host is root: unused ones, a different one for each bot.

use std::fs;

/// The user that a bot of this process's run of this number becomes; none if the host is an ordinary user, whose
/// bots stay that user.
pub(crate) fn for_bot(run: u32, index: usize) -> Option<u32> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    // Runs side by side shall not share users; that they could is no harm on the better tiers.
    let run = std::process::id().wrapping_add(run.wrapping_mul(NEXT_RUN)) % 10_000;
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    Some(match all_users(&map) {
        // Far above what distributions hand out, even to containers.
        true => 1_800_000_000 + run * 10_000 + (index as u32) % 10_000,
        // Inside a container that has few: the range that systems keep for passing users.
        false => 61_184 + (run * 64 + index as u32) % 4_000,
    })
}

/// So far apart are the users of two runs of one process, in runs: far from those of the next processes.
const NEXT_RUN: u32 = 4_999;

/// Whether every number stands for a user.
fn all_users(map: &str) -> bool {
    map.split_whitespace().nth(2).and_then(|count| count.parse::<u64>().ok())
        >= Some(u32::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_may_have_few_users() {
        assert!(all_users("         0          0 4294967295\n"));
        assert!(!all_users("         0     100000      65536\n"));
        assert!(!all_users(""));
    }
}
