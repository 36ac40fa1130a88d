//! People at the table: what they are shown, and what becomes of what they say.

use std::collections::VecDeque;
use std::time::Duration;

use game::{ActorId, Choice, Fault, FaultKind, PlayerId, Said, Tick, Told};

use crate::Hosted;
use crate::desk::{Answer, Answered, AnyDesk, DeskMove, DeskTerms, GameDesk};
use crate::happening::{in_words, listed_as};
use crate::hosted::Knowledge;
use crate::named::with_names;
use crate::parts::{Due, Mind};
use crate::seat::{Contestant, Output, Outputs, SeatId};
use crate::table::Table;
use crate::wishes::{OpenWish, PersonWish};

/// What a person says to the table.
#[derive(Debug)]
pub enum PersonSaid {
    /// The answer to what was asked.
    Answer(Answer),
    /// It leaves the game.
    Resigns,
    /// It asks for something that others have to agree to.
    Wishes(PersonWish),
    /// It agrees to what another person asks.
    Agrees,
    /// It does not.
    Declines,
    /// It lets the clocks run again.
    Resumes,
}

/// The people at a table.
pub(crate) struct SeatedPeople {
    /// Who of the players is a person.
    pub(crate) players: Vec<PlayerId>,
    /// Something has happened that they have not been shown.
    pub(crate) unshown: bool,
    /// What one of them asks of the others.
    pub(crate) wish: Option<OpenWish>,
    /// Their clocks are stopped.
    pub(crate) paused: bool,
    /// Why what they said was not done; told with what they are shown next.
    pub(crate) news: Vec<(PlayerId, String)>,
    /// What each of them may know of the last moves.
    moves: Vec<VecDeque<DeskMove>>,
}

/// So many of the last moves are listed for a person.
const MOVES_LISTED: usize = 100;
/// So many events of one step are listed.
const EVENTS_LISTED: usize = 12;

/// What a person may know of a step: the moves, before it is played, and who of its actors may hear of it.
pub(crate) struct StepForPerson {
    actors: Vec<ActorId>,
    moves: Vec<DeskMove>,
}

impl SeatedPeople {
    pub(crate) fn new<'a>(contestants: impl Iterator<Item = &'a Contestant>) -> SeatedPeople {
        let players = (0..).map(PlayerId).zip(contestants).filter_map(|(player, one)| match one {
            Contestant::Person => Some(player),
            Contestant::Program { .. } | Contestant::BuiltIn(_) => None,
        });
        let players: Vec<PlayerId> = players.collect();
        let moves = vec![VecDeque::new(); players.len()];
        let (wish, news) = (None, Vec::new());
        SeatedPeople { players, unshown: false, wish, paused: false, news, moves }
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
    pub(crate) fn asked(&self, player: PlayerId) -> Vec<(ActorId, SeatId)> {
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
        let terms = DeskTerms {
            config: self.config.clone(),
            player,
            names: self.terms.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            due: asked.iter().map(|(actor, _)| *actor).collect(),
            step: self.steps,
            time,
            table: self.desk_table(player),
            news: self.news_for(player),
            moves: self.moves_for(player),
        };
        Some(Box::new(GameDesk::new(&self.game, terms)?))
    }

    fn moves_for(&self, player: PlayerId) -> Vec<DeskMove> {
        let place = self.people.players.iter().position(|other| *other == player);
        place.map_or_else(Vec::new, |place| self.people.moves[place].iter().cloned().collect())
    }

    /// What each person may know of a step that is about to be played.
    pub(crate) fn step_for_people(
        &self,
        moves: &[(ActorId, Choice<G::Action>)],
    ) -> Vec<StepForPerson> {
        let owner = |actor: ActorId| Some(self.cast.actors[self.actor_index(actor)?].player);
        // People know the players by their names; several actors of a player have names of their own.
        let name = |actor: ActorId| match (self.game.actor_name(actor).one_of_many(), owner(actor))
        {
            (Some(name), _) => name,
            (None, Some(player)) => self.terms.entrants[player.index()].name.clone(),
            (None, None) => actor.to_string(),
        };
        let step = |&player: &PlayerId| {
            let own = self.cast.actors.iter().filter(|actor| actor.player == player);
            let seen: Vec<_> = match G::card().knowledge {
                Knowledge::Open => moves.to_vec(),
                Knowledge::Hidden => {
                    let own = moves.iter().filter(|(actor, _)| owner(*actor) == Some(player));
                    own.cloned().collect()
                }
            };
            let listed = match seen.is_empty() {
                true => Vec::new(),
                false => listed_as(&seen, name),
            };
            let moves = listed.into_iter().map(|(actor, text)| DeskMove {
                seat: actor.and_then(owner).map(|player| player.0),
                text,
            });
            StepForPerson { actors: own.map(|actor| actor.id).collect(), moves: moves.collect() }
        };
        self.people.players.iter().map(step).collect()
    }

    /// The step has been played, and this was told.
    pub(crate) fn list_step(&mut self, steps: Vec<StepForPerson>, told: &[Told<G::Event>]) {
        if steps.is_empty() {
            return;
        }
        let names: Vec<&str> =
            self.terms.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        for (list, StepForPerson { actors, moves }) in self.people.moves.iter_mut().zip(steps) {
            list.extend(moves);
            if G::card().knowledge == Knowledge::Hidden {
                let heard =
                    |news: &&Told<G::Event>| actors.iter().any(|actor| news.to.includes(*actor));
                for news in told.iter().filter(heard).take(EVENTS_LISTED) {
                    let text = with_names(&in_words(&news.event), &names);
                    list.push_back(DeskMove { seat: None, text });
                }
            }
            while list.len() > MOVES_LISTED {
                list.pop_front();
            }
        }
    }

    fn news_for(&mut self, player: PlayerId) -> Option<String> {
        let place = self.people.news.iter().position(|(other, _)| *other == player)?;
        Some(self.people.news.remove(place).1)
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
                if let Some(why) = self.no_answer() {
                    return self.tell_person(player, why.to_owned());
                }
                let asked = self.asked(player);
                for (actor, action) in answers {
                    if let Some((_, seat)) = asked.iter().find(|(other, _)| *other == actor) {
                        self.queue.push_back((*seat, Said::Answer(action)));
                    }
                }
            }
            PersonSaid::Wishes(wish) => self.wishes(now, player, wish, out),
            PersonSaid::Agrees => self.agreed(now, player, Ok(())),
            PersonSaid::Declines => self.agreed(now, player, Err("refused".to_owned())),
            PersonSaid::Resumes => self.resume(now, player),
            PersonSaid::Resigns => {
                let own = |id: &SeatId| {
                    let seat = &self.seats[*id];
                    seat.player == player && matches!(seat.mind, Mind::Person)
                };
                let seats: Vec<SeatId> = self.seats.live.iter().copied().filter(own).collect();
                if !seats.is_empty() && self.asked(player).is_empty() {
                    self.tell_of_resigning(player);
                }
                for seat in seats {
                    self.lost(now, seat, Fault::new(FaultKind::Refused, "resigned"), out);
                }
            }
        }
    }

    /// Whoever leaves while others are on turn is out of the game when its turn comes.
    fn tell_of_resigning(&mut self, player: PlayerId) {
        let name = self.terms.entrants[player.index()].name.clone();
        for other in self.people.players.clone() {
            let words = match other == player {
                true => "you have resigned: it counts when your turn comes".to_owned(),
                false => format!("{name} has resigned: it counts when the turn of {name} comes"),
            };
            self.tell_person(other, words);
        }
    }
}
