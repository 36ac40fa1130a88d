//! Processes that are born in the middle of a game, beside bare ones.

use anyhow::Result;
use league::GameList;

use crate::bare_pipes::Dummies;
use crate::parts::MeasureGroup;
use crate::rounds::Measurement;
use crate::through_host::{CageUse, HostedGames, HostedOptions, PLAIN};

/// In each of so many turns so many agents are born. Each answers twice and leaves.
pub(crate) fn groups(births: u32, turns: u32, games: GameList) -> Result<Vec<MeasureGroup>> {
    let has_births = |game: &&&'static dyn table::AnyGame| {
        game.card().dummy.is_some_and(|dummy| dummy.parent.is_some())
    };
    let Some(&game) = games.iter().find(has_births) else { return Ok(Vec::new()) };
    let name = game.card().id;
    let dummies = Dummies::new(name, game.card().dummy.expect("it was found by it"));
    // Those that the last turn bears are never asked.
    let all = births * (turns - 1);
    let born = |options| -> Result<_> {
        let mut playing = HostedGames::parents(game, births, turns, options)?;
        Ok(move || playing.births(births))
    };
    let caged = HostedOptions { caged: CageUse::Yes, ..PLAIN };
    Ok(vec![MeasureGroup {
        title: format!("births a second, {name}, {births} in every turn"),
        measures: vec![
            Measurement::new("bare, started and ended", "1/s", move || dummies.lives(all)),
            Measurement::new("in a running world", "1/s", born(PLAIN)?).beside(0),
            Measurement::new("and caged", "1/s", born(caged)?).beside(0),
        ],
    }])
}
