//! What a person who commands ants is shown and offered: an order for each ant, then the end of the turn.

use game::ActorId;
use table::desk::{Desk, DeskView, Offer, OwnViews};
use table::scene::{CELL, Key, Mark};

use super::colony::Ant;
use super::land::{Content, Direction, Point};
use super::orders::{Order, Orders, STRENGTH};
use super::scene::{known, place};
use super::state::Ants;
use super::view::View;

/// What is sprayed at once, unless it is all.
const SPRAY: u16 = 20;

pub(super) fn desk(own: &OwnViews<'_, Ants>, picks: &[String]) -> Desk<Orders> {
    let view = own.views.first().map_or(own.public, |(_, view)| view);
    let plan = Plan::of(own, view, picks);
    let mut scene = known(view, own.player, own.players, None);
    for shape in &mut scene.shapes {
        let Key::Number(id) = shape.key else { continue };
        let id = id as u8;
        if plan.held == Some(id) {
            shape.mark = Some(Mark::Held);
        }
        if let Some((_, order)) = plan.given.iter().find(|(ant, _)| *ant == id) {
            shape.text = Some(sign(*order).to_owned());
            let label = shape.label.take().unwrap_or_default();
            shape.label = Some(format!("{label}: {order}"));
        }
    }
    let answers = plan.end.map(|rest| plan.answers(own, rest));
    let offers = match plan.end {
        None => plan.offers(view),
        Some(_) => Vec::new(),
    };
    let prompt = match plan.held {
        Some(id) => {
            let told = format!("{} of {}", plan.given.len() + 1, plan.ids.len());
            let ant = view.own.get(usize::from(id));
            format!(
                "{}: what does it do? {told}",
                ant.map_or(String::new(), |ant| where_is(id, ant, view))
            )
        }
        None if plan.ids.is_empty() => "you have no ants any more".to_owned(),
        None => "all ants have their orders: end the turn".to_owned(),
    };
    let rules = [
        "Every turn each ant goes forward, turns, rests or attacks with acid, all at the same time. Food is eaten by walking on it.",
        "Every turn costs an ant 1 energy, and a step 1 more. An ant without energy dies. Resting restores acid.",
        "Acid takes as much energy from the ant ahead, friend or foe. Energy and food eaten count in the end.",
    ];
    let rules = rules.map(str::to_owned);
    Desk { view: DeskView { scene, rules, prompt, offers }, answers }
}

/// An ant, where it is and what it looks at.
fn where_is(id: u8, ant: &Ant, view: &View) -> String {
    let way = match ant.facing {
        Direction::East => "east",
        Direction::South => "south",
        Direction::West => "west",
        Direction::North => "north",
    };
    let (dx, dy) = ant.facing.vector();
    let next = |at: u16, by: i8| at.checked_add_signed(by.into());
    let ahead = next(ant.at.x, dx).zip(next(ant.at.y, dy)).map(|(x, y)| Point { x, y });
    let own = |at: Point| view.own.iter().any(|other| other.alive() && other.at == at);
    let ahead = match ahead {
        None => "the edge",
        Some(at) if own(at) => "one of yours",
        Some(at) if view.foreign.iter().any(|other| other.at == at) => "a foreign ant",
        Some(at) => match view.map.at(at).map(|sight| sight.content) {
            None => "unknown land",
            Some(Content::Grass) => "grass",
            Some(Content::Rock) => "rock",
            Some(Content::Water) => "water",
            Some(Content::Food(_) | Content::Corpse) => "food",
        },
    };
    let Point { x, y } = ant.at;
    format!("ant {id} at {x},{y} looks {way} at {ahead}, energy {}", ant.energy)
}

/// What an ant with this order is marked with.
fn sign(order: Order) -> &'static str {
    match order {
        Order::Rest => "·",
        Order::Left => "↶",
        Order::Right => "↷",
        Order::Forward => "↑",
        Order::Attack(_) => "✶",
    }
}

/// The orders so far.
struct Plan {
    /// The ants that can be told something.
    ids: Vec<u8>,
    /// Who has been told what.
    given: Vec<(u8, Order)>,
    /// Who is told next.
    held: Option<u8>,
    /// What all others do, if the turn is to end.
    end: Option<Order>,
}

impl Plan {
    fn of(own: &OwnViews<'_, Ants>, view: &View, picks: &[String]) -> Plan {
        let due = own.views.iter().filter(|(actor, _)| own.due.contains(actor));
        let alive = |id: &u8| view.own.get(usize::from(*id)).is_some_and(Ant::alive);
        let ids: Vec<u8> = due.flat_map(|(_, view)| view.ids.clone()).filter(alive).collect();
        let mut plan = Plan { held: ids.first().copied(), ids, given: Vec::new(), end: None };
        for pick in picks {
            match (pick.as_str(), pick.parse::<u8>(), Order::parse(pick.as_bytes())) {
                ("go", ..) => plan.end = Some(Order::Rest),
                ("march", ..) => plan.end = Some(Order::Forward),
                (_, Ok(id), _) if plan.ids.contains(&id) => plan.held = Some(id),
                (_, _, Ok(order)) => plan.give(order),
                (_, Ok(_) | Err(_), Err(_)) => {}
            }
        }
        plan
    }

    /// The ant in hand is told this, and the next one without an order is in hand.
    fn give(&mut self, order: Order) {
        let Some(id) = self.held else { return };
        self.given.retain(|(ant, _)| *ant != id);
        self.given.push((id, order));
        let told = |ant: &u8| self.given.iter().any(|(other, _)| other == ant);
        let place = self.ids.iter().position(|ant| *ant == id).unwrap_or(0);
        let after = self.ids[place..].iter().chain(&self.ids[..place]);
        self.held = after.copied().find(|ant| !told(ant));
    }

    fn order(&self, id: u8, rest: Order) -> Order {
        let given = self.given.iter().find(|(ant, _)| *ant == id);
        given.map_or(rest, |(_, order)| *order)
    }

    fn answers(&self, own: &OwnViews<'_, Ants>, rest: Order) -> Vec<(ActorId, Orders)> {
        let answer = |actor: &ActorId| {
            let view = own.views.iter().find(|(other, _)| other == actor);
            let ids = view.map_or(0..0, |(_, view)| view.ids.clone());
            let mut orders = Orders::REST;
            for id in self.ids.iter().filter(|id| ids.contains(id)) {
                orders.give(*id, self.order(*id, rest));
            }
            (*actor, orders)
        };
        own.due.iter().map(answer).collect()
    }

    fn offers(&self, view: &View) -> Vec<Offer> {
        let mut offers = Vec::new();
        let ant = |id: u8| view.own.get(usize::from(id));
        if let Some(ant) = self.held.and_then(ant) {
            for (order, label, key) in [
                (Order::Forward, "go forward", "ArrowUp"),
                (Order::Left, "turn left", "ArrowLeft"),
                (Order::Right, "turn right", "ArrowRight"),
                (Order::Rest, "rest", "ArrowDown"),
            ] {
                offers.push(Offer::new(order.to_string(), label).key(key));
            }
            let all = u16::try_from(ant.acid).unwrap_or(u16::MAX).min(*STRENGTH.end());
            let some = SPRAY.min(all);
            for (acid, key) in [(some, "x"), (all, "a")] {
                let order = Order::Attack(acid).to_string();
                let known = offers.iter().any(|offer| offer.pick == order);
                if STRENGTH.contains(&acid) && !known {
                    let label = format!("spray {acid} acid ahead");
                    offers.push(Offer::new(order, label).key(key));
                }
            }
        }
        for &id in self.ids.iter().filter(|id| self.held != Some(**id)) {
            if let Some(ant) = ant(id) {
                let told = match self.given.iter().any(|(other, _)| *other == id) {
                    true => format!("change what ant {id} is told"),
                    false => format!("tell ant {id} next"),
                };
                offers.push(Offer::new(id.to_string(), told).place(place(ant.at), [CELL, CELL]));
            }
        }
        let others = match self.given.len() < self.ids.len() {
            true => "end the turn: ants without an order rest",
            false => "end the turn",
        };
        offers.push(Offer::new("go", others).key("Enter"));
        if self.given.len() < self.ids.len() {
            let march = "end the turn: ants without an order go forward";
            offers.push(Offer::new("march", march).key("m"));
        }
        offers
    }
}

#[cfg(test)]
mod tests {
    use game::{Game as _, PlayerId, Seed};
    use table::desk::views;

    use super::super::setup::Config;
    use super::*;

    fn answers(picks: &[&str]) -> Option<String> {
        let config = Config { ants: 4, ..Config::default() };
        let game = Ants::start(&config, 2, Seed(1)).expect("a sound set-up");
        let (views, public) = views(&game, PlayerId(0));
        let due = [ActorId(0)];
        let own =
            OwnViews { player: PlayerId(0), players: 2, views: &views, due: &due, public: &public };
        let picks: Vec<String> = picks.iter().map(|pick| (*pick).to_owned()).collect();
        let answers = desk(&own, &picks).answers?;
        assert_eq!(answers.len(), 1);
        Some(answers[0].1.to_string())
    }

    #[test]
    fn orders_go_from_ant_to_ant_and_those_who_rest_are_not_named() {
        assert_eq!(answers(&["forward", "left"]), None);
        assert_eq!(answers(&["forward", "left", "go"]), Some("0:forward,1:left".to_owned()));
        assert_eq!(answers(&["2", "right", "0", "rest", "go"]), Some("2:right".to_owned()));
        assert_eq!(answers(&["go"]), Some(String::new()));
        let all = "0:attack@20,1:forward,2:forward,3:forward".to_owned();
        assert_eq!(answers(&["attack@20", "march"]), Some(all));
    }
}
