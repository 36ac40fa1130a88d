//! What stands in the place of the cluster where the program was built without it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use league::{RemotePlayers, TournamentFile};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::{CageOptions, ClusterArgs, ClusterRunOptions, WorkerArgs};

const MISSING: &str = "this lanista was built without the cluster; build it with the feature: cargo build --features cluster";

/// Nobody.
pub(crate) struct NoClusterRun;

pub(crate) use NoClusterRun as ClusterRun;

impl NoClusterRun {
    pub(crate) fn start(
        _: &ClusterRunOptions,
        _: &CageOptions,
        _: &TournamentFile,
        _: &Path,
        _: Catalogue,
        _: Option<Arc<host::LiveGames>>,
    ) -> Result<NoClusterRun> {
        bail!(MISSING)
    }

    pub(crate) fn players(&self) -> Arc<dyn RemotePlayers> {
        unreachable!("there is none")
    }

    pub(crate) fn line(&self) -> String {
        String::new()
    }

    pub(crate) fn finish(&self) {}
}

pub(crate) fn worker(_: &WorkerArgs, _: Catalogue) -> Result<Exit> {
    bail!(MISSING)
}

pub(crate) fn cluster(_: &ClusterArgs) -> Result<Exit> {
    bail!(MISSING)
}
