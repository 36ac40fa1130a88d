//! When games are ended as they stand.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};
use table::{Adjudication, AnyGame, AskedAdjudication};

use crate::cli::AdjudicationOptions;

/// When matches of this set-up are ended early, as asked on the command line.
pub(crate) fn adjudication(
    asked: &AdjudicationOptions,
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    players: usize,
) -> Result<Adjudication> {
    let AdjudicationOptions { turns, lead, lead_turns, max_faults } = *asked;
    let adjudication = AskedAdjudication { turns, lead, lead_turns, max_faults }
        .settle(game.card().max_faults)
        .and_then(|asked| game.check_adjudication(asked, config, players as u16).map(|()| asked));
    adjudication.context("--adjudicate-turns, --adjudicate-lead and --max-faults")
}
