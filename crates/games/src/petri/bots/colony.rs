//! The strongest built-in bot: breeds, knows its kin, and clears the rest away.

use game::{Bot, Budget, PlayerId};

use crate::petri::action::Action;
use crate::petri::setup::Config;
use crate::petri::state::Petri;
use crate::petri::tag::Tag;
use crate::petri::view::{Neighbour, Own, View};

/// Every so many ticks kin give the sign.
const PERIOD: u32 = 16;
/// No sign is given when so few ticks are left: what it tells would not pay any more.
const TOO_LATE: u32 = 8;
/// After a birth that failed the next is tried so many ticks later at most.
const LONGEST_PAUSE: u32 = 32;

/// One agent of a colony.
///
/// A child is worth more than it costs, so that an agent replicates whenever it can. What it cannot
/// see is whose its neighbours are. Agents of one colony therefore give a *sign*: in certain ticks,
/// which differ from player to player, whoever has a neighbour that it does not know wastes its
/// action, and loses one energy that a resting or fighting agent would not have lost. Two who see
/// that of each other are kin for life. Who does not do it is not, and is attacked: that costs
/// nothing, since an attack brings as much as resting does.
#[derive(Clone, Debug)]
pub struct Colony {
    rules: Rules,
    /// In which tick of a period the sign is given.
    phase: u32,
    /// Those around whose side is known.
    known: Vec<(Tag, Side)>,
    /// What was seen and done in the tick before.
    before: Option<Memory>,
    /// No child is tried before this tick, and how long the next pause is.
    again: u32,
    pause: u32,
}

/// As much of the set-up as matters here.
#[derive(Clone, Copy, Debug)]
struct Rules {
    replicate_min: i32,
    replicate_cost: i32,
    child_energy: i32,
    decay: i32,
    rest_gain: i32,
    attack_gain: i32,
    attack_damage: i32,
    max_ticks: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Kin,
    Foe,
}

#[derive(Clone, Copy, Debug)]
struct Memory {
    own: Own,
    did: Deed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Sign,
    Birth,
    Other,
}

impl Colony {
    /// An agent of this player.
    pub fn new(config: &Config, player: PlayerId) -> Colony {
        Colony {
            rules: Rules {
                replicate_min: config.replicate_min(),
                replicate_cost: config.replicate_cost,
                child_energy: config.child_energy,
                decay: config.decay,
                rest_gain: config.rest_gain,
                attack_gain: config.attack_gain,
                attack_damage: config.attack_damage,
                max_ticks: config.max_ticks,
            },
            // Neighbouring players are far apart, and all of a small number differ.
            phase: u32::from(player.0) * 7 % PERIOD,
            known: Vec::new(),
            before: None,
            again: 0,
            pause: 1,
        }
    }

    fn side(&self, tag: Tag) -> Option<Side> {
        self.known.iter().find(|(other, _)| *other == tag).map(|(_, side)| *side)
    }

    /// Draws conclusions from what has changed since the tick before.
    fn learn(&mut self, tick: u32, own: &Own) {
        self.known.retain(|(tag, _)| own.neighbours().any(|(_, other)| other.tag == *tag));
        let Some(Memory { own: before, did }) = self.before else { return };
        if did == Deed::Birth {
            // Nobody pays for a birth that failed: the world is full, or the cell was taken.
            let paid = before.energy - own.energy >= self.rules.replicate_cost;
            self.pause = if paid { 1 } else { (self.pause * 2).min(LONGEST_PAUSE) };
            self.again = if paid { tick } else { tick + self.pause };
        }
        let pairs = before.around.iter().zip(&own.around).filter_map(|(then, now)| {
            let (then, now) = ((*then)?, (*now)?);
            (then.tag == now.tag).then_some((now.tag, then.energy - now.energy))
        });
        let learnt: Vec<(Tag, Side)> = match did {
            Deed::Sign => pairs
                .filter(|(tag, _)| self.side(*tag).is_none())
                .filter_map(|(tag, lost)| Some((tag, self.rules.judge(lost)?)))
                .collect(),
            Deed::Birth | Deed::Other => self.culprit(&before, own).into_iter().collect(),
        };
        self.known.extend(learnt);
    }

    /// Who has attacked, if it can only have been one.
    fn culprit(&self, before: &Own, own: &Own) -> Option<(Tag, Side)> {
        let most = self.rules.decay + self.rules.replicate_cost;
        if before.energy - own.energy < most.min(self.rules.attack_damage) {
            return None;
        }
        let mut strangers =
            before.neighbours().filter(|(_, other)| self.side(other.tag) != Some(Side::Kin));
        match (strangers.next(), strangers.next()) {
            (Some((_, one)), None) if self.side(one.tag).is_none() => Some((one.tag, Side::Foe)),
            _ => None,
        }
    }

    fn choose(&self, tick: u32, own: &Own, view: &View) -> (Action, Deed) {
        let rules = &self.rules;
        let room = own.free(view.size).next().is_some();
        let pays = rules.child_energy > rules.replicate_cost + rules.decay.min(own.energy);
        if room && pays && own.energy >= rules.replicate_min && tick >= self.again {
            return (Action::Replicate, Deed::Birth);
        }
        let stranger = own.neighbours().any(|(_, other)| self.side(other.tag).is_none());
        let time = tick % PERIOD == self.phase && tick + TOO_LATE <= rules.max_ticks;
        if stranger && time && own.energy > rules.decay && rules.sign_is_readable() {
            // Whatever has no effect will do: an attack on nobody, else a birth without room.
            let nobody = crate::petri::Direction::ALL
                .into_iter()
                .find(|way| view.size.neighbour(own.at, *way).is_none());
            return (nobody.map_or(Action::Replicate, Action::Attack), Deed::Sign);
        }
        let foes = own.neighbours().filter(|(_, other)| self.side(other.tag) == Some(Side::Foe));
        match foes.max_by_key(|(_, other)| rules.worth(other)) {
            Some((way, _)) if rules.attack_gain >= rules.rest_gain || own.energy > rules.decay => {
                (Action::Attack(way), Deed::Other)
            }
            Some(_) | None => (Action::Rest, Deed::Other),
        }
    }
}

impl Rules {
    /// Whether the loss of one who gives the sign differs from everybody else's.
    fn sign_is_readable(&self) -> bool {
        self.rest_gain % self.attack_damage.max(1) != 0
            && self.attack_gain % self.attack_damage.max(1) != 0
    }

    /// What the energy lost in a tick of signs tells. Attacks come on top of it in any number.
    fn judge(&self, lost: i32) -> Option<Side> {
        let damage = self.attack_damage.max(1);
        if (lost - self.decay).rem_euclid(damage) == 0 {
            // A birth may look the same, and then both sides are possible.
            return (lost < self.decay + self.replicate_cost).then_some(Side::Kin);
        }
        (lost < self.decay + self.replicate_cost).then_some(Side::Foe)
    }

    /// The best target has the highest: one that dies, else one that is nearest to it.
    fn worth(&self, other: &Neighbour) -> (bool, i32) {
        match other.energy <= self.attack_damage {
            true => (true, other.energy),
            false => (false, -other.energy),
        }
    }
}

impl Bot<Petri> for Colony {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Action {
        let Some(own) = &view.own else { return Action::Rest };
        self.learn(view.tick, own);
        let (action, did) = self.choose(view.tick, own, view);
        self.before = Some(Memory { own: *own, did });
        action
    }
}
