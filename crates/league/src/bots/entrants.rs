//! Bots as players of matches.

use game::Afterwards;
use std::time::Duration;

use host::{BotSpec, Program, Reuse, RunError, Scratch};
use table::{Contestant, Entrant};

/// The bots of a roster as players; `reuse` says whether processes may stay for another game.
pub fn entrants(
    roster: &[BotSpec],
    scratch: Option<&Scratch>,
    reuse: Reuse,
) -> Result<Vec<Entrant>, RunError> {
    let entrant = |(index, bot): (usize, &BotSpec)| -> Result<Entrant, RunError> {
        let (contestant, folder) = match &bot.program {
            Program::BuiltIn(name) => (Contestant::BuiltIn(name.clone()), None),
            Program::Person => (Contestant::Person, None),
            Program::Command { .. } => {
                let then = match (reuse, bot.reuse) {
                    (Reuse::Auto, Reuse::Auto) => Afterwards::MayStay,
                    (Reuse::Never, _) | (_, Reuse::Never) => Afterwards::Leave,
                };
                let folder = scratch.and_then(|scratch| scratch.kept_by(index, bot)).transpose()?;
                (Contestant::Program { then }, folder)
            }
        };
        Ok(Entrant {
            name: bot.name.clone(),
            bot: bot.shown(),
            manifest: bot.digest(),
            contestant,
            memory: bot.limits.memory_mb << 20,
            start: bot.limits.start_ms.map(Duration::from_millis),
            clock: None,
            folder: folder.map(|folder| folder.display().to_string()),
            options: bot.options.clone(),
            line_end: bot.line_end,
        })
    };
    roster.iter().enumerate().map(entrant).collect()
}
