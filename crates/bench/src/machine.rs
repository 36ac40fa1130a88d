//! The machine on which figures were measured: without it they mean nothing.

use serde_json::{Value, json};

/// The machine at this moment.
pub struct MachineInfo {
    cores: usize,
    processor: String,
    kernel: String,
    tier: String,
    load: String,
}

impl MachineInfo {
    pub(crate) fn here() -> MachineInfo {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let processor = read("/proc/cpuinfo")
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
            .map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.trim().to_owned());
        let load = read("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned();
        MachineInfo {
            cores: host::cores().len(),
            processor,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            tier: tier(),
            load,
        }
    }

    pub(crate) fn json(&self) -> Value {
        let MachineInfo { cores, processor, kernel, tier, load } = self;
        json!({
            "cores": cores, "processor": processor, "kernel": kernel, "tier": tier, "load": load,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

impl std::fmt::Display for MachineInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MachineInfo { cores, processor, kernel, tier, load } = self;
        write!(f, "{cores} cores, {processor}, Linux {kernel}, tier {tier}, load {load}")
    }
}

/// The protection that bots have here unless less is asked for.
fn tier() -> String {
    let exe = std::env::current_exe();
    exe.map_or_else(|_| "unknown".to_owned(), |exe| host::found(&exe).tier.name().to_owned())
}
