//! How a game ends, and who is first.

use std::cmp::Reverse;

use game::{Ending, FaultKind, ForfeitBy, Forfeited, Outcome, PlayerId};

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
        self.too_few_live() || self.ticks >= self.config.max_ticks
    }

    /// Ranks and energies, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        let (why, reason) = self.reason()?;
        let mut resigned: Vec<(Option<u32>, PlayerId)> = (0..)
            .map(PlayerId)
            .zip(self.species())
            .filter(|(_, species)| species.resigned)
            .map(|(player, species)| (species.extinct, player))
            .collect();
        resigned.sort_unstable();
        let last = resigned.last().and_then(|(extinct, _)| *extinct);
        let forfeits = resigned.iter().map(|(_, seat)| Forfeited {
            seat: *seat,
            fault: FaultKind::Refused,
            by: ForfeitBy::Rule,
        });
        // Too few were left because somebody resigned, not by what agents did to each other.
        let ending = match last == Some(self.ticks()) && self.too_few_live() {
            true => Ending::forfeit(forfeits.collect()),
            false => Ending::rules(why).after(forfeits),
        };
        Some(self.ended(ending, reason))
    }

    fn too_few_live(&self) -> bool {
        let most = self.species.len().min(2);
        self.species.iter().filter(|species| species.agents > 0).take(2).count() < most
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
