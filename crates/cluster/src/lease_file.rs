//! What a coordinator leaves behind for the one that continues its run: the run's name on servers,
//! who played what, who is excluded. It may be old or gone: then games are played again that need
//! not be, and an excluded worker is believed until it is found out again.

use std::io::Read as _;

use league::Folder;
use serde::{Deserialize, Serialize};

use crate::coordinator::RepeatSummary;
use crate::wire::{GamePlace, token};

const NAME: &str = "cluster.json";
/// A longer file is not one of ours.
const LONGEST: u64 = 64 << 20;

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LeaseFile {
    v: u32,
    /// What the run is called in subjects.
    pub(crate) run: String,
    /// Who plays what.
    pub(crate) leases: Vec<LeaseLine>,
    /// Workers of which nothing is believed.
    #[serde(default)]
    pub(crate) excluded: Vec<ExcludedWorker>,
    /// The speed of the first machine that played, where others are measured by it.
    #[serde(default)]
    pub(crate) reference: Option<f64>,
    /// What repetitions have shown.
    #[serde(default)]
    pub(crate) repeats: RepeatSummary,
    /// Whether an earlier process has left it.
    #[serde(skip)]
    is_old: bool,
}

/// The games of one worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaseLine {
    pub(crate) worker: String,
    pub(crate) session: u64,
    pub(crate) games: Vec<GamePlace>,
    /// Those that it played when it last said so; others wait there.
    #[serde(default)]
    pub(crate) playing: Vec<GamePlace>,
}

/// A worker of which nothing is believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExcludedWorker {
    pub(crate) name: String,
    pub(crate) why: String,
    /// Whether its games that are kept have been looked at.
    pub(crate) audit: Audit,
}

/// Whether the games of an excluded worker have been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Audit {
    /// Not yet.
    Due,
    /// They have been, or were when they came.
    Done,
}

impl LeaseFile {
    /// The one in a run's folder, or a new one for a tournament of this name.
    pub(crate) fn open(folder: &Folder, name: &str) -> LeaseFile {
        let new = || LeaseFile {
            v: 1,
            run: format!("{}-{:08x}", token(name), host::random_seed() as u32),
            leases: Vec::new(),
            excluded: Vec::new(),
            reference: None,
            repeats: RepeatSummary::default(),
            is_old: false,
        };
        let read = || {
            let mut text = String::new();
            folder.read(NAME).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
            let file: LeaseFile = serde_json::from_str(&text).ok()?;
            let file = LeaseFile { is_old: true, ..file };
            (file.v == 1 && token(&file.run) == file.run).then_some(file)
        };
        read().unwrap_or_else(new)
    }

    /// Whether an earlier process may have lent games.
    pub(crate) fn is_continued(&self) -> bool {
        self.is_old
    }

    /// Whether the games of an excluded worker are to be looked at.
    pub(crate) fn audit_is_due(&self) -> bool {
        self.excluded.iter().any(|excluded| excluded.audit == Audit::Due)
    }

    /// Writes it. What cannot be written is forgotten, and no result is lost by that.
    pub(crate) fn write(&mut self, folder: &Folder, leases: Vec<LeaseLine>) {
        self.leases = leases;
        if let Ok(text) = serde_json::to_vec(self) {
            let _ = folder.write_later(NAME, &text);
        }
    }
}
