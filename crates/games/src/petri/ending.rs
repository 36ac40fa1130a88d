//! How a game ends, and who is first.

use std::cmp::Reverse;

use game::{Ending, Outcome, PlayerId};

use super::state::{Petri, Species};

impl Petri {
    /// Why the game is over, if it is.
    fn reason(&self) -> Option<(&'static str, String)> {
        let alive = |(_, species): &(usize, &Species)| species.agents > 0;
        let mut living = self.species().iter().enumerate().filter(alive);
        let alone = self.species().len() == 1;
        match (living.next(), living.next()) {
            (None, _) => {
                Some(("nobody-left", format!("nobody is left after {}", self.ticks_in_words())))
            }
            (Some((player, _)), None) if !alone => {
                let player = PlayerId(player as u16);
                let ticks = self.ticks_in_words();
                Some(("last-species", format!("only agents of {player} are left after {ticks}")))
            }
            (Some(_), _) if self.ticks() >= self.config().max_ticks => {
                Some(("max-ticks", format!("the cap of {} was reached", self.ticks_in_words())))
            }
            (Some(_), _) => None,
        }
    }

    fn ticks_in_words(&self) -> String {
        match self.ticks() {
            1 => "1 tick".to_owned(),
            ticks => format!("{ticks} ticks"),
        }
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        let most = self.species.len().min(2);
        let living = self.species.iter().filter(|species| species.agents > 0).take(2).count();
        living < most || self.ticks >= self.config.max_ticks
    }

    /// Ranks and energies, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.reason().map(|(why, reason)| self.ended(Ending::rules(why), reason))
    }

    /// How it would end now, like this and for this reason.
    pub(super) fn ended(&self, ending: Ending, reason: String) -> Outcome {
        let energies = self.energies();
        // "Players alive at the end before extinct ones; the alive by total energy, then by
        // number of agents; the extinct by tick of extinction; equal is a draw."
        let worth: Vec<_> = self
            .species()
            .iter()
            .zip(&energies)
            .map(|(species, energy)| {
                let lasted = species.extinct.unwrap_or(u32::MAX);
                Reverse((lasted, *energy, species.agents))
            })
            .collect();
        let rank = |own| 1 + worth.iter().filter(|other| *other < own).count() as u16;
        Outcome {
            ranks: worth.iter().map(rank).collect(),
            scores: energies.iter().map(|energy| *energy as f64).collect(),
            reason,
            ending,
        }
    }
}
