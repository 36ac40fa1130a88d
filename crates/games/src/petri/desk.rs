//! What a person who breeds agents is shown and offered: an action for each agent, then the end of the tick.

use std::collections::BTreeMap;

use game::ActorId;
use table::desk::{Desk, DeskView, Offer, OwnViews};
use table::scene::{CELL, Key, Mark};

use super::action::Action;
use super::grid::{Direction, Size};
use super::scene::{known, place};
use super::state::Petri;
use super::view::Own;

/// The keys for attacks, in the order of [`Direction::ALL`]: they lie around the S.
const KEYS: [&str; 8] = ["q", "w", "e", "a", "d", "z", "x", "c"];

pub(super) fn desk(own: &OwnViews<'_, Petri>, picks: &[String]) -> Desk<Action> {
    let agents = own.views.iter().filter_map(|(actor, view)| Some((*actor, view.own?)));
    let agents: Vec<(ActorId, Own)> = agents.collect();
    let (size, ticks) = (own.public.size, own.public.tick.saturating_sub(1));
    let plan = Plan::of(&agents, own.due, picks);
    let all: Vec<Own> = agents.iter().map(|(_, agent)| *agent).collect();
    let mut scene = known(size, ticks, &all, own.player, own.players.into());
    let held = plan.held.map(|actor| plan.agents[&actor]);
    for shape in &mut scene.shapes {
        let Key::Name(name) = &shape.key else { continue };
        if held.is_some_and(|agent| agent.tag.to_string() == *name) {
            shape.mark = Some(Mark::Held);
        }
        let told = plan.given.iter().find(|(actor, _)| plan.agents[actor].tag.to_string() == *name);
        if let Some((_, action)) = told {
            let label = shape.label.take().unwrap_or_default();
            shape.label = Some(format!("{label}: {action}"));
            shape.text = Some(sign(*action).to_owned());
        }
    }
    let answers = plan.end.map(|rest| {
        let action = |actor: &ActorId| plan.given.get(actor).copied().unwrap_or(rest);
        plan.agents.keys().map(|actor| (*actor, action(actor))).collect()
    });
    let offers = match plan.end {
        None => plan.offers(size),
        Some(_) => Vec::new(),
    };
    let prompt = match held {
        Some(Own { tag, at, energy, .. }) => {
            let (number, all) = (plan.given.len() + 1, plan.agents.len());
            let agent = format!("your agent {tag} at {},{} has {energy} energy", at.x, at.y);
            format!("{agent}: what does it do? {number} of {all}")
        }
        None if plan.agents.is_empty() => "you have no agents any more".to_owned(),
        None => "all agents know what to do: end the tick".to_owned(),
    };
    let rules = [
        "Each of your agents attacks a neighbour, rests, replicates or dies. Agents never move; they see only their neighbours, not whose they are.",
        "The number on an agent is its energy. Every tick costs some, resting gains some, an attack takes it from the other, a child costs its parent some.",
        "An agent without energy dies. In the end the species that live are ranked by their energy.",
    ];
    let rules = rules.map(str::to_owned);
    Desk { view: DeskView { scene, rules, prompt, offers }, answers }
}

/// What an agent that knows what to do is marked with.
fn sign(action: Action) -> &'static str {
    match action {
        Action::Attack(_) => "✶",
        Action::Rest => "–",
        Action::Replicate => "+",
        Action::Die => "†",
    }
}

/// What the agents do, as far as it has been said.
struct Plan {
    /// The agents that have to act.
    agents: BTreeMap<ActorId, Own>,
    given: BTreeMap<ActorId, Action>,
    /// Who is told next.
    held: Option<ActorId>,
    /// What all others do, if the tick is to end.
    end: Option<Action>,
}

impl Plan {
    fn of(agents: &[(ActorId, Own)], due: &[ActorId], picks: &[String]) -> Plan {
        let due = agents.iter().filter(|(actor, _)| due.contains(actor)).copied();
        let agents: BTreeMap<ActorId, Own> = due.collect();
        let by_place: BTreeMap<String, ActorId> =
            agents.iter().map(|(actor, agent)| (pick_of(agent), *actor)).collect();
        let held = agents.keys().next().copied();
        let mut plan = Plan { agents, given: BTreeMap::new(), held, end: None };
        for pick in picks {
            match pick.as_str() {
                "go" => plan.end = Some(Action::Rest),
                "breed" => plan.end = Some(Action::Replicate),
                word => match (by_place.get(word), action(word)) {
                    (Some(actor), _) => plan.held = Some(*actor),
                    (None, Some(action)) => plan.give(action),
                    (None, None) => {}
                },
            }
        }
        plan
    }

    /// The agent in hand does this, and the next one that knows nothing is in hand.
    fn give(&mut self, action: Action) {
        let Some(actor) = self.held else { return };
        self.given.insert(actor, action);
        let later = self.agents.range(actor..).chain(self.agents.range(..actor));
        self.held = later.map(|(actor, _)| *actor).find(|actor| !self.given.contains_key(actor));
    }

    fn offers(&self, size: Size) -> Vec<Offer> {
        let mut offers = Vec::new();
        if let Some(agent) = self.held.map(|actor| self.agents[&actor]) {
            offers.push(Offer::new("rest", "rest").key("r"));
            let offer = Offer::new("replicate", "replicate: a child beside it").key("b");
            offers.push(match agent.free(size).next() {
                Some(_) => offer,
                None => offer.unwise("there is no free cell beside it"),
            });
            for (way, other) in agent.neighbours() {
                let key = KEYS[Direction::ALL.iter().position(|one| *one == way).unwrap_or(0)];
                let own = self.agents.values().any(|one| one.tag == other.tag);
                let Some(cell) = size.neighbour(agent.at, way) else { continue };
                let label = format!("attack {} in the {}", other.tag, way.name().replace('_', " "));
                let offer = Offer::new(way.name(), label).key(key);
                offers.push(match own {
                    true => offer.unwise("it is one of your own"),
                    false => offer.place(place(cell), [CELL, CELL]),
                });
            }
            offers.push(Offer::new("die", "die").key("Delete").unwise("it leaves the world"));
        }
        for (_, agent) in self.agents.iter().filter(|(actor, _)| self.held != Some(**actor)) {
            let Own { tag, at, energy, .. } = agent;
            let label = format!("tell {tag} at {},{} next, energy {energy}", at.x, at.y);
            offers.push(Offer::new(pick_of(agent), label).place(place(*at), [CELL, CELL]));
        }
        let some_left = self.given.len() < self.agents.len();
        let others = match some_left {
            true => "end the tick: all others rest",
            false => "end the tick",
        };
        offers.push(Offer::new("go", others).key("Enter"));
        if some_left {
            let breed = Offer::new("breed", "end the tick: all others replicate");
            offers.push(breed.key("m"));
        }
        offers
    }
}

/// An agent is picked by its place.
fn pick_of(agent: &Own) -> String {
    format!("{},{}", agent.at.x, agent.at.y)
}

fn action(word: &str) -> Option<Action> {
    match word.parse::<Direction>() {
        Ok(way) => Some(Action::Attack(way)),
        Err(_) => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use game::{Game as _, PlayerId, Seed};
    use table::desk::views;

    use super::super::setup::Config;
    use super::*;

    #[test]
    fn agents_are_told_one_after_another_and_the_rest_does_what_is_said_for_all() {
        let config = Config { width: 9, height: 7, initial_agents: 3, ..Config::default() };
        let world = Petri::start(&config, 2, Seed(3)).expect("a sound set-up");
        let (views, public) = views(&world, PlayerId(1));
        let due: Vec<ActorId> = views.iter().map(|(actor, _)| *actor).collect();
        let own =
            OwnViews { player: PlayerId(1), players: 2, views: &views, due: &due, public: &public };
        let said = |picks: &[&str]| {
            let picks: Vec<String> = picks.iter().map(|pick| (*pick).to_owned()).collect();
            let answers = desk(&own, &picks).answers?;
            Some(answers.iter().map(|(_, action)| action.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(said(&["replicate"]), None);
        assert_eq!(said(&["replicate", "go"]).unwrap(), ["replicate", "rest", "rest"]);
        let last = pick_of(&views[2].1.own.expect("an agent sees itself"));
        let all = said(&[&last, "north", "breed"]).unwrap();
        assert_eq!(all, ["replicate", "replicate", "attack north"]);
    }
}
