//! How much memory all processes of a cage use together, seen from inside.

use std::fs;

/// Whether all processes that this one can see, but for itself, use more than so many bytes.
///
/// A quick look first, which counts what processes share several times. Only if that is too much
/// the exact figure is asked for.
pub(crate) fn exceeds(most: u64) -> bool {
    most < u64::MAX
        && sum(quick) > most
        && sum(|folder| exact(folder).or_else(|| quick(folder))) > most
}

fn sum(of: impl Fn(&str) -> Option<u64>) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let own = std::process::id().to_string();
    let names = processes.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let others = names.filter(|name| name.bytes().all(|b| b.is_ascii_digit()) && *name != own);
    others.filter_map(|name| of(&format!("/proc/{name}"))).sum()
}

/// Pages in memory, those of files included, as the kernel counts them anyway.
fn quick(folder: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("{folder}/statm")).ok()?;
    let resident: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(resident * rustix::param::page_size() as u64)
}

/// The same for a process of this number.
pub(crate) fn exact_memory(pid: i32) -> Option<u64> {
    exact(&format!("/proc/{pid}"))
}

/// What is shared is divided among those who share it. The kernel has to walk all pages for that.
fn exact(folder: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("{folder}/smaps_rollup")).ok()?;
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let anonymous = kib("Pss_Anon:").or_else(|| kib("Pss:"))?;
    Some((anonymous + kib("Pss_Shmem:").unwrap_or(0)) << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_uses_what_it_has_touched() {
        const MUCH: usize = 32 << 20;
        let before = quick("/proc/self").expect("it lives");
        let touched = vec![1_u8; MUCH];
        let after = quick("/proc/self").expect("it lives");
        assert!(after >= before + (MUCH as u64) * 9 / 10, "{before} {after}");
        let exact = exact("/proc/self").expect("the kernel is recent enough");
        assert!(exact >= MUCH as u64, "{exact}");
        drop(touched);
    }
}
