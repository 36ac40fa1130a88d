//! How a cluster run goes, for people, scripts and Prometheus.

use serde_json::{Value, json};

use super::CoordinatorState;
use super::repeats::Difference;

/// How a cluster run goes.
#[derive(Clone, Debug, Default)]
pub struct ClusterStatus {
    /// What the run is called in subjects.
    pub run: String,
    /// The tournament's name.
    pub name: String,
    /// Whether the server can be reached.
    pub is_connected: bool,
    /// The workers.
    pub workers: Vec<WorkerStatus>,
    /// Workers that are not believed, and why.
    pub excluded: Vec<(String, String)>,
    /// Games that workers hold.
    pub held: usize,
    /// Games whose worker fell silent.
    pub expired: u64,
    /// Sets that nobody who is there can play.
    pub waiting_sets: usize,
    /// Games that nobody plays yet, if that can be told.
    pub left: Option<u64>,
    /// Games that workers have finished since the coordinator began.
    pub kept: u64,
    /// Bots that no worker can run, in sentences.
    pub unplayable: Vec<String>,
    /// The speed of the first machine that played, where others are measured by it.
    pub reference: Option<f64>,
    /// Games that were repeated on another worker, and how many of them went differently.
    pub repeated: (u64, u64),
    /// How many times as long answers took in repetitions.
    pub repeat_times: Option<f64>,
    /// Games that went differently, in sentences: the first of them.
    pub differences: Vec<String>,
}

/// One worker.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// Games at a time.
    pub slots: u32,
    /// Games that it holds.
    pub held: usize,
    /// Games that it has finished since the coordinator began.
    pub games: u64,
    /// How well it shuts bots in.
    pub tier: String,
    /// Its architecture.
    pub arch: String,
    /// Its speed, in millions of steps of a fixed workload a second.
    pub speed: f64,
    /// Games a second since it came.
    pub rate: f64,
}

impl ClusterStatus {
    pub(super) fn new(run: &str, name: &str) -> ClusterStatus {
        let (run, name) = (run.to_owned(), name.to_owned());
        ClusterStatus { run, name, is_connected: true, ..ClusterStatus::default() }
    }

    pub(super) fn update(&mut self, state: &CoordinatorState) {
        let CoordinatorState { workers, leases, pool, repeats, speeds, .. } = state;
        let held: std::collections::HashMap<_, usize> = leases.workers().collect();
        let status =
            |(id, worker): (&crate::WorkerId, &super::workers::KnownWorker)| WorkerStatus {
                name: id.name.clone(),
                slots: worker.card.slots,
                held: held.get(id).copied().unwrap_or(0),
                games: worker.games,
                tier: worker.card.tier.clone(),
                arch: worker.card.arch.clone(),
                speed: worker.card.speed,
                rate: worker.games as f64 / worker.since.elapsed().as_secs_f64().max(1e-3),
            };
        self.workers = workers.iter().map(status).collect();
        self.workers.sort_by(|a, b| a.name.cmp(&b.name));
        let excluded = workers.excluded().iter();
        self.excluded = excluded.map(|(name, why)| (name.clone(), why.clone())).collect();
        (self.held, self.expired, self.waiting_sets) = (leases.held(), leases.expired, pool.len());
        (self.kept, self.unplayable) = (workers.kept(), workers.unplayable_bots().to_vec());
        let summary = &repeats.summary;
        self.reference = speeds.reference();
        self.repeated = (summary.games, summary.different);
        self.repeat_times = summary.time_ratio();
        if self.differences.len() != summary.differences.len() {
            self.differences = summary.differences.iter().map(Difference::sentence).collect();
        }
    }

    /// Games at a time of all workers.
    pub fn slots(&self) -> u32 {
        self.workers.iter().map(|worker| worker.slots).sum()
    }

    /// As scripts read it.
    pub fn to_json(&self) -> Value {
        let worker = |worker: &WorkerStatus| {
            json!({
                "name": worker.name,
                "slots": worker.slots,
                "held": worker.held,
                "games": worker.games,
                "tier": worker.tier,
                "arch": worker.arch,
                "speed": worker.speed,
                "rate": worker.rate,
            })
        };
        let excluded = self.excluded.iter().map(|(name, why)| json!({ "name": name, "why": why }));
        json!({
            "v": 1,
            "run": self.run,
            "name": self.name,
            "workers": self.workers.iter().map(worker).collect::<Vec<Value>>(),
            "excluded": excluded.collect::<Vec<Value>>(),
            "held": self.held,
            "expired": self.expired,
            "waiting_sets": self.waiting_sets,
            "left": self.left,
            "kept": self.kept,
            "unplayable": self.unplayable,
            "reference_speed": self.reference,
            "repeats": {
                "games": self.repeated.0,
                "different": self.repeated.1,
                "time_ratio": self.repeat_times,
                "differences": self.differences,
            },
        })
    }
}
