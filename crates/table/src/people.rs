//! People at the table: what they are shown, and what becomes of what they say.

use std::time::Duration;

use game::{ActorId, Fault, FaultKind, PlayerId, Said, Seed, Tick};

use crate::desk::{Answer, Answered, AnyDesk, DeskTerms, GameDesk};
use crate::parts::{Due, Mind};
use crate::seat::{Contestant, Output, Outputs, SeatId};
use crate::table::Table;
use crate::{Chair, Hosted};

/// What a person says to the table.
#[derive(Debug)]
pub enum PersonSaid {
    /// The answer to what was asked.
    Answer(Answer),
    /// It leaves the game.
    Resigns,
}

/// The people at a table.
pub(crate) struct SeatedPeople {
    /// Who of the players is a person.
    players: Vec<PlayerId>,
    /// Something has happened that they have not been shown.
    pub(crate) unshown: bool,
}

impl SeatedPeople {
    pub(crate) fn new<'a>(contestants: impl Iterator<Item = &'a Contestant>) -> SeatedPeople {
        let players = (0..).map(PlayerId).zip(contestants).filter_map(|(player, one)| match one {
            Contestant::Person => Some(player),
            Contestant::Program { .. } | Contestant::BuiltIn(_) => None,
        });
        SeatedPeople { players: players.collect(), unshown: false }
    }
}

impl<G: Hosted> Table<G> {
    /// Asks the host to show people what has happened, if anything has.
    pub(crate) fn show_people(&mut self, out: &mut Outputs) {
        if std::mem::take(&mut self.people.unshown) {
            out.list.extend(self.people.players.iter().map(|&player| Output::Show { player }));
        }
    }

    /// How many people have been asked and have not answered yet.
    pub(crate) fn people_awaited(&self) -> usize {
        let asked = |player: &&PlayerId| !self.asked(**player).is_empty();
        self.people.players.iter().filter(asked).count()
    }

    /// The actors of a player whose answers are due, with their seats.
    fn asked(&self, player: PlayerId) -> Vec<(ActorId, SeatId)> {
        let due = self.cast.actors.iter().filter(|actor| actor.player == player);
        let due = due.filter(|actor| matches!(actor.due, Due::Asked));
        due.filter_map(|actor| Some((actor.id, actor.seat?))).collect()
    }

    /// What a person is shown now. Its clock starts, if anything is asked of it.
    pub(crate) fn desk(&mut self, player: PlayerId, now: Tick) -> Option<Box<dyn AnyDesk>> {
        let asked = self.asked(player);
        for (_, seat) in &asked {
            self.clock_started(*seat, now, Duration::ZERO);
        }
        let time = asked.first().and_then(|(actor, _)| self.time_left(*actor).limit());
        // A hint must not tell what the dice will say.
        let chair = Chair { seed: Seed(u64::from(self.steps)), ..self.chair(ActorId(0), player) };
        let terms = DeskTerms {
            config: self.config.clone(),
            chair,
            names: self.terms.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            due: asked.iter().map(|(actor, _)| *actor).collect(),
            step: self.steps,
            time,
        };
        Some(Box::new(GameDesk::new(&self.game, terms)?))
    }

    /// A person has said something.
    pub(crate) fn person_said(
        &mut self,
        now: Tick,
        player: PlayerId,
        said: PersonSaid,
        out: &mut Outputs,
    ) {
        match said {
            PersonSaid::Answer(Answer(answer)) => {
                let Ok(answered) = answer.downcast::<Answered<G::Action>>() else { return };
                let (step, answers) = *answered;
                // It was too late for an earlier turn, and this turn's question has been shown.
                if step != self.steps {
                    return;
                }
                let asked = self.asked(player);
                for (actor, action) in answers {
                    if let Some((_, seat)) = asked.iter().find(|(other, _)| *other == actor) {
                        self.queue.push_back((*seat, Said::Answer(action)));
                    }
                }
            }
            PersonSaid::Resigns => {
                let own = |id: &SeatId| {
                    let seat = &self.seats[*id];
                    seat.player == player && matches!(seat.mind, Mind::Person)
                };
                let seats: Vec<SeatId> = self.seats.live.iter().copied().filter(own).collect();
                for seat in seats {
                    self.lost(now, seat, Fault::new(FaultKind::Refused, "resigned"), out);
                }
            }
        }
    }
}
