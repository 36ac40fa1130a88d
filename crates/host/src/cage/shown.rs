//! Where the kernel shows what a process has.

use std::fs;

/// The folder of a process in `/proc`, and what `status` in it says. If its main thread has ended, that
/// of another thread: the main one shows nothing any more. None if the process has ended.
pub(super) fn shown_at(pid: i32) -> Option<(String, String)> {
    let with_memory = |folder: String| {
        let status = fs::read_to_string(format!("{folder}/status")).ok()?;
        // Who has ended has no memory.
        status.contains("\nVmSize:").then_some((folder, status))
    };
    with_memory(format!("/proc/{pid}")).or_else(|| {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
        threads.map(|thread| thread.path().display().to_string()).find_map(with_memory)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_shown_as_long_as_it_lives() {
        let own = std::process::id() as i32;
        let (folder, status) = shown_at(own).expect("it lives");
        assert_eq!(folder, format!("/proc/{own}"));
        assert!(status.starts_with("Name:"));
        assert_eq!(shown_at(i32::MAX), None);
    }
}
