//! The set-up: every number of the rules, with the original simulator's values as defaults.

use game::{SetupError, count};
use serde::{Deserialize, Serialize};

use super::grid::Size;

/// Fewest and most players.
pub const PLAYERS: (u16, u16) = (1, 1000);

/// Everything that can be chosen before the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Columns of the world.
    pub width: u16,
    /// Rows of the world.
    pub height: u16,
    /// Agents each player begins with.
    pub initial_agents: u32,
    /// What they begin with.
    pub initial_energy: i32,
    /// What every agent loses in every tick but its first.
    pub decay: i32,
    /// What resting brings.
    pub rest_gain: i32,
    /// What an attack takes from its target.
    pub attack_damage: i32,
    /// What it brings the attacker, if there was a target.
    pub attack_gain: i32,
    /// What a child costs its parent.
    pub replicate_cost: i32,
    /// What a parent must have; its cost unless set.
    pub replicate_min: Option<i32>,
    /// What a child begins with.
    pub child_energy: i32,
    /// In which order the actions of a tick are carried out.
    pub order: Order,
    /// How many agents may live at a time, of all players together.
    pub max_agents: u32,
    /// After so many ticks the game ends.
    pub max_ticks: u32,
    /// Whether the replay is to hold what an agent's memory file says when the agent leaves.
    pub keep_memory: bool,
}

/// In which order the actions of a tick are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Another one every tick, drawn from the seed.
    Shuffled,
    /// Row by row from the north-west, as the original simulator does.
    Row,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            width: 20,
            height: 15,
            initial_agents: 4,
            initial_energy: 10,
            decay: 1,
            rest_gain: 1,
            attack_damage: 3,
            attack_gain: 1,
            replicate_cost: 5,
            replicate_min: None,
            child_energy: 10,
            order: Order::Shuffled,
            max_agents: 256,
            max_ticks: 200,
            keep_memory: false,
        }
    }
}

/// The widest and highest world.
const LONGEST_SIDE: i64 = 1000;
/// More ticks or more agents than this are a slip of the pen.
const MOST: i64 = 1_000_000;
/// Energies stay far from what an `i32` holds: so much a tick, in so many ticks.
const MOST_A_TICK: i64 = 1000;

impl Config {
    /// The size of the world.
    pub fn size(&self) -> Size {
        Size { width: self.width, height: self.height }
    }

    /// The energy that a parent must have.
    #[inline]
    pub fn replicate_min(&self) -> i32 {
        self.replicate_min.unwrap_or(self.replicate_cost)
    }

    /// Whether a game of so many players can be set up like this.
    pub fn check(&self, players: u16) -> Result<(), SetupError> {
        let (fewest, most) = PLAYERS;
        if !(fewest..=most).contains(&players) {
            return Err(SetupError::new(format!(
                "petri is for {fewest} to {most} players, not {players}"
            )));
        }
        let bounds = [
            ("width", i64::from(self.width), 1, LONGEST_SIDE),
            ("height", i64::from(self.height), 1, LONGEST_SIDE),
            ("initial_agents", i64::from(self.initial_agents), 1, MOST),
            ("initial_energy", i64::from(self.initial_energy), 1, MOST),
            ("decay", i64::from(self.decay), 0, MOST_A_TICK),
            ("rest_gain", i64::from(self.rest_gain), 0, MOST_A_TICK),
            ("attack_damage", i64::from(self.attack_damage), 0, MOST),
            ("attack_gain", i64::from(self.attack_gain), 0, MOST_A_TICK),
            ("replicate_cost", i64::from(self.replicate_cost), 0, MOST),
            ("replicate_min", i64::from(self.replicate_min()), 0, MOST),
            ("child_energy", i64::from(self.child_energy), 1, MOST),
            ("max_agents", i64::from(self.max_agents), 1, MOST),
            ("max_ticks", i64::from(self.max_ticks), 1, MOST),
        ];
        for (name, value, least, most) in bounds {
            if !(least..=most).contains(&value) {
                return Err(SetupError::new(format!(
                    "{name} goes from {least} to {most}, not {value}"
                )));
            }
        }
        if self.replicate_min() < self.replicate_cost {
            return Err(SetupError::new(format!(
                "replicate_min = {} is less than replicate_cost = {}: a parent pays with what it has",
                self.replicate_min(),
                self.replicate_cost
            )));
        }
        // Numbers of agents are never used again, and every agent may have a child every tick.
        if u64::from(self.max_agents) * u64::from(self.max_ticks) >= u64::from(u32::MAX) {
            return Err(SetupError::new(format!(
                "max_agents = {} and max_ticks = {} allow more births than there are numbers for",
                self.max_agents, self.max_ticks
            )));
        }
        self.check_room(players)
    }

    fn check_room(&self, players: u16) -> Result<(), SetupError> {
        let agents = u64::from(self.initial_agents) * u64::from(players);
        let cells = self.size().cells() as u64;
        let wish =
            format!("{players} × {} at the start", count(self.initial_agents.into(), "agent"));
        if agents > cells {
            let (width, height) = (self.width, self.height);
            return Err(SetupError::new(format!(
                "{wish} are more than the {cells} cells of a {width}×{height} world; \
                 set initial_agents, width or height"
            )));
        }
        if agents > u64::from(self.max_agents) {
            return Err(SetupError::new(format!(
                "{wish} are more than max_agents = {} allows",
                self.max_agents
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_up_that_makes_no_world_is_refused_with_the_reason() {
        let usual = Config::default;
        let refused = |config: Config, players: u16, words: &str| {
            let error = config.check(players).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        };
        refused(usual(), 0, "1 to 1000 players, not 0");
        refused(usual(), 1001, "1 to 1000 players, not 1001");
        refused(Config { width: 0, ..usual() }, 2, "width goes from 1 to 1000, not 0");
        refused(Config { height: 1001, ..usual() }, 2, "height goes from 1 to 1000, not 1001");
        refused(Config { decay: -1, ..usual() }, 2, "decay goes from 0 to 1000, not -1");
        refused(Config { child_energy: 0, ..usual() }, 2, "child_energy goes from 1");
        refused(Config { max_ticks: 0, ..usual() }, 2, "max_ticks goes from 1");
        refused(Config { replicate_min: Some(4), ..usual() }, 2, "less than replicate_cost = 5");
        refused(Config { max_agents: 5000, max_ticks: 1_000_000, ..usual() }, 2, "more births");
        refused(
            Config { initial_agents: 151, ..usual() },
            2,
            "2 × 151 agents at the start are more than the 300 cells of a 20×15 world",
        );
        refused(Config { initial_agents: 150, ..usual() }, 2, "more than max_agents = 256 allows");
        let full = Config { initial_agents: 150, max_agents: 300, ..usual() };
        assert_eq!(full.check(2), Ok(()));
        assert_eq!(usual().check(1), Ok(()));
    }

    #[test]
    fn what_a_child_needs_is_what_it_costs_unless_set() {
        assert_eq!(Config::default().replicate_min(), 5);
        let dear = Config { replicate_cost: 8, ..Config::default() };
        assert_eq!((dear.replicate_min(), dear.check(2)), (8, Ok(())));
        assert_eq!(Config { replicate_min: Some(20), ..dear }.replicate_min(), 20);
    }
}
