//! Programs that take what others need: all memory of a small machine, all processes of a user.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arena::{enlist, fight, tried, word};
use crate::common::{Folder, LANISTA, json_lines, processes_with, stderr, wait_until};
use crate::tiers::{python, tiers};

/// A control group with little memory, in which a host and all its bots are; removed when dropped.
struct SmallMachine(PathBuf);

impl SmallMachine {
    /// None where groups of version 1 cannot be made.
    fn new(name: &str, bytes: u64) -> Option<SmallMachine> {
        let own = std::fs::read_to_string("/proc/self/cgroup").expect("it is there");
        let own = own.lines().find_map(|line| line.split_once(":memory:").map(|(_, path)| path))?;
        let around = Path::new("/sys/fs/cgroup/memory").join(own.trim_start_matches('/'));
        let group = around.join(format!("test-{}-{name}", std::process::id()));
        std::fs::create_dir(&group).ok()?;
        let machine = SmallMachine(group);
        for file in ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"] {
            // The second is there only where there may be swap.
            let set = std::fs::write(machine.0.join(file), bytes.to_string());
            assert!(set.is_ok() || file.contains("memsw"), "{set:?}");
        }
        Some(machine)
    }

    /// How many processes the kernel has ended here for want of memory.
    fn kills(&self) -> u64 {
        let text = std::fs::read_to_string(self.0.join("memory.oom_control")).expect("it is there");
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.parse().ok()).expect("the kernel counts them")
    }

    /// The program under test, on this machine.
    fn lanista(&self, folder: &Folder) -> Command {
        let mut command = self.run(LANISTA);
        command.current_dir(folder.path());
        command
    }

    /// Any program on this machine.
    fn run(&self, program: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        let script = "echo $$ > \"$0\"/cgroup.procs && exec \"$@\"";
        command.args(["-c", script]).arg(&self.0).arg(program);
        command
    }
}

impl Drop for SmallMachine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn who_takes_all_memory_of_a_small_machine_is_the_one_that_is_ended() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    for tier in tiers("BCD") {
        for (mode, limit) in [("balloon", "60000"), ("dropped-balloon", "60000"), ("brood", "3000")]
        {
            let name = format!("small-{mode}-{tier}");
            let Some(machine) = SmallMachine::new(&name, 200 << 20) else { return };
            let folder = Folder::new(&name);
            let word = word(&name, tier);
            // It uses far less than it may.
            enlist(&folder, "villain", "villain.py", &[mode, &word], "[limits]\nmemory_mb = 4096");
            enlist(&folder, "victim", "brain.py", &["stout"], "");
            let args = ["play", "gomoku", "villain", "victim", "--json", "--start-ms", "60000"];
            let output = machine
                .lanista(&folder)
                .args(args)
                .args(["--timeout-ms", limit, "--tier", tier])
                .output()
                .expect("the program can be started");
            let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
            // On B it is counted in the bot's own group.
            assert!(machine.kills() > 0 || tier == "B", "there was enough memory: {report}");
            let reason = report["reason"].as_str().unwrap_or_default();
            match mode {
                // The kernel ends one of its children, and it goes on: without a move. On B its cage ends.
                "brood" if tier != "B" => {
                    assert_eq!(report["players"][1]["rank"], 1, "{tier}: {report}");
                }
                _ => {
                    assert_eq!(report["outcome"], "void", "{mode} on {tier}: {report}");
                    // On B all cages hear of it, and end.
                    let guilty = if tier == "B" { "" } else { " and ended villain" };
                    let guilty = format!("the machine ran out of memory{guilty}");
                    assert!(reason.contains(&guilty), "{mode} on {tier}: {report}");
                    assert_eq!(output.status.code(), Some(1), "{report}");
                }
            }
            wait_until("its processes are gone", || processes_with(&word).is_empty());
            drop(machine);
        }
    }
}

#[test]
fn who_uses_all_its_processes_takes_none_from_others() {
    for tier in tiers("ABCD") {
        let folder = Folder::new(&format!("hoard-{tier}"));
        let word = word("hoard", tier);
        enlist(&folder, "villain", "villain.py", &["hoard", &word], "[limits]\nprocesses = 40");
        enlist(&folder, "victim", "brain.py", &["busy"], "[limits]\nprocesses = 8");
        let args = ["play", "gomoku", "villain", "victim", "--timeout-ms", "60000"];
        let args = [&args[..], &["--set", "max_moves=8"]].concat();
        let fought = fight(&folder, tier, &word, &args).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(fought.report["outcome"], "draw", "{tier}: {}", fought.report);
        tried(&fought.lines, "hoard", &["EAGAIN"]).unwrap_or_else(|why| panic!("{tier}: {why}"));
        // Neither more nor, because of others, less than it may.
        tried(&fought.lines, "hoarded", &["40", "39", "38"])
            .unwrap_or_else(|why| panic!("{tier}: {why}"));
    }
}

#[test]
fn who_kills_itself_after_others_ran_out_of_memory_has_crashed() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    // On C and D nothing tells this bot from those; on A there is no such machine.
    for tier in tiers("B") {
        let Some(machine) = SmallMachine::new("kill", 32 << 20) else { return };
        let folder = Folder::new(&format!("kill-{tier}"));
        let word = word("after-a-kill", tier);
        enlist(&folder, "villain", "villain.py", &["after-a-kill", &word], "");
        enlist(&folder, "victim", "brain.py", &["good"], "");
        let args = ["play", "gomoku", "villain", "victim", "--timeout-ms", "60000"];
        std::thread::scope(|scope| {
            let fought = scope.spawn(|| fight(&folder, tier, &word, &args));
            while !fought.is_finished() {
                let balloon = "b'x' * (200 << 20)";
                machine.run(python()).args(["-c", balloon]).output().expect("it is started");
            }
            assert!(machine.kills() > 0, "there was enough memory");
            let fought = fought.join().expect("it was played");
            let report = fought.unwrap_or_else(|why| panic!("{tier}: {why}")).report;
            assert_eq!(report["outcome"], "win", "{tier}: {report}");
            let fault = &report["players"][0]["faults"][0];
            assert_eq!(fault["kind"], "crash", "{tier}: {report}");
            assert!(fault["detail"].to_string().contains("signal 9 (SIGKILL)"), "{report}");
        });
    }
}

#[test]
fn memory_that_is_handed_from_process_to_process_counts() {
    let _alone = crate::arena::nobody_else_uses_up_memory();
    // On the others the kernel counts.
    for tier in tiers("CD") {
        let folder = Folder::new(&format!("relay-{tier}"));
        let word = word("relay", tier);
        let home = folder.path().join("villain");
        std::fs::create_dir_all(&home).expect("writable");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/relay.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(home.join("relay"));
        let compiled = compiler.arg(source).status();
        assert!(compiled.is_ok_and(|status| status.success()), "it compiles without a warning");
        let limits = "[limits]\nmemory_mb = 128\nprocesses = 2000";
        let manifest = format!("name = 'villain'\ncommand = ['./relay', '{word}']\n{limits}\n");
        std::fs::write(home.join("bot.toml"), manifest).expect("writable");
        enlist(&folder, "victim", "brain.py", &["good"], "");
        let args = ["play", "gomoku", "villain", "victim", "--timeout-ms", "60000"];
        let fought = fight(&folder, tier, &word, &args).unwrap_or_else(|why| panic!("{why}"));
        let loser = &fought.report["players"][0];
        assert_eq!(loser["rank"], 2, "{tier}: {}", fought.report);
        let fault = loser["faults"].as_array().and_then(|faults| faults.last());
        let fault = fault.expect("it has lost for something");
        assert_eq!(fault["kind"], "memory", "{tier}: {}", fought.report);
    }
}
