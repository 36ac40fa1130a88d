//! What an agent may do, and what happens in a world.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::grid::{Cell, Direction};
use super::tag::Tag;

/// What an agent may do in a tick. Written as in `attack north`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Take energy from the agent in this direction, if there is one.
    Attack(Direction),
    /// Gain energy.
    Rest,
    /// Have a child on a free neighbouring cell.
    Replicate,
    /// Leave the world.
    Die,
}

impl Action {
    /// Every action there is.
    pub const ALL: [Action; 11] = {
        let mut all = [Action::Rest; 11];
        let mut place = 0;
        while place < 8 {
            all[place] = Action::Attack(Direction::ALL[place]);
            place += 1;
        }
        all[9] = Action::Replicate;
        all[10] = Action::Die;
        all
    };
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Attack(way) => write!(f, "attack {way}"),
            Action::Rest => f.write_str("rest"),
            Action::Replicate => f.write_str("replicate"),
            Action::Die => f.write_str("die"),
        }
    }
}

impl FromStr for Action {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Action, &'static str> {
        match (text, text.strip_prefix("attack ")) {
            (_, Some(way)) => way.parse().map(Action::Attack),
            ("rest", None) => Ok(Action::Rest),
            ("replicate", None) => Ok(Action::Replicate),
            ("die", None) => Ok(Action::Die),
            (_, None) => Err("the actions are attack with a direction, rest, replicate and die"),
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Something that happened in a tick. Only viewers are told: an agent sees its
/// neighbours and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An attack that hit.
    Attacked {
        /// The attacker.
        by: Tag,
        /// Its target.
        target: Tag,
    },
    /// A child was born.
    Born {
        /// The child.
        agent: Tag,
        /// Its parent.
        parent: Tag,
        /// Where.
        at: Cell,
    },
    /// An agent is no more.
    Died {
        /// Who.
        agent: Tag,
        /// Of what.
        cause: Cause,
    },
}

/// What an agent died of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It was attacked.
    Killed,
    /// Its energy was used up.
    Starved,
    /// It wanted to.
    Choice,
    /// Its program ended.
    Lost,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_written_as_people_say_them_and_read_back() {
        for action in Action::ALL {
            assert_eq!(action.to_string().parse(), Ok(action));
        }
        assert_eq!(Action::Attack(Direction::NorthEast).to_string(), "attack north_east");
        for wrong in ["", "attack", "attack up", "Rest", "rest "] {
            assert!(wrong.parse::<Action>().is_err(), "{wrong}");
        }
    }
}
