//! The tiers of this machine on which cages are tried.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use crate::common::{Folder, as_ordinary_user, json_lines, run};

/// The best tier of this machine.
pub static BEST: LazyLock<String> = LazyLock::new(|| {
    let folder = Folder::new("doctor");
    let found = json_lines(&run(&folder, &["doctor", "--json"])).remove(0);
    found["tier"].as_str().expect("a letter").to_owned()
});

/// Whether a user without rights can make what a cage of tier C is made of.
pub static ORDINARY_USERS_HAVE_NAMESPACES: LazyLock<bool> = LazyLock::new(|| {
    let mut probe = Command::new("unshare");
    probe.args(["-U", "-r", "-m", "-p", "-f", "--mount-proc", "true"]);
    let output = as_ordinary_user(&mut probe).output();
    output.is_ok_and(|output| output.status.success())
});

/// Where a promise is tried that holds on these tiers, a letter each: on the best and the last of them
/// that this machine has; on all with `LANISTA_TIERS=all`, as in `./test attacks`.
pub fn tiers(promised: &'static str) -> Vec<&'static str> {
    let letters = (0..promised.len()).map(|at| &promised[at..=at]);
    // Where A can be had, B cannot.
    let is_here = |tier: &&str| **tier >= **BEST && !(**tier == *"B" && *BEST == "A");
    let mut here: Vec<&str> = letters.filter(is_here).collect();
    match std::env::var("LANISTA_TIERS").as_deref() {
        Ok("all") => {}
        Ok(other) => panic!("LANISTA_TIERS={other}: it can only be all"),
        Err(_) if here.len() > 2 => drop(here.drain(1..here.len() - 1)),
        Err(_) => {}
    }
    here
}

/// An interpreter that every user can reach: on tier D root's bots are somebody else.
pub fn python() -> &'static str {
    if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "python3" }
}
