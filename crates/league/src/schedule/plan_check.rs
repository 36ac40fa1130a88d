//! Whether a plan can be played: enough bots for its format, and not too many games.

use game::count;

use super::{Format, Plan, PlanError, System, round_robin};

/// More groups than this are refused as a mistake.
pub(super) const MOST_GROUPS: u64 = 500_000;

/// More games than this, too.
const MOST_GAMES: u64 = 5_000_000;

impl Plan {
    /// Whether it can be played.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_format()?;
        let games = self.most_games();
        match games > MOST_GAMES {
            true => Err(PlanError(format!(
                "that makes {games} games, and a tournament has at most {MOST_GAMES}"
            ))),
            false => Ok(()),
        }
    }

    /// How many games there are at most: all of them, or of a ladder those of one stage.
    fn most_games(&self) -> u64 {
        let (bots, tables) = (self.joined.len(), (self.joined.len() / self.seats) as u64);
        match self.format {
            Format::RoundRobin { rounds } | Format::Gauntlet { rounds, .. } => {
                round_robin::groups_of(bots, self.seats).saturating_mul(rounds.into())
            }
            Format::Swiss { rounds, games } => {
                tables.saturating_mul(rounds.into()).saturating_mul(games.into())
            }
            Format::Knockout { games, extra, system, .. } => {
                let meetings = match system {
                    System::Single => bots as u64,
                    System::Double => 2 * bots as u64,
                    // A group is no larger than the field.
                    System::Groups { rounds, .. } => {
                        round_robin::groups_of(bots, 2).saturating_mul(rounds.into())
                    }
                };
                meetings.saturating_mul(u64::from(games) + 2 * u64::from(extra))
            }
            Format::Ladder { games } => tables.saturating_mul(games.into()),
        }
    }

    fn check_format(&self) -> Result<(), PlanError> {
        let wrong = |text: String| Err(PlanError(text));
        let (bots, seats) = (self.joined.len(), self.seats);
        if seats < 2 {
            return wrong(format!("a game has at least 2 seats, not {seats}"));
        }
        if bots < seats {
            let (bots, are) = (count(bots as u64, "bot"), if bots == 1 { "is" } else { "are" });
            return wrong(format!("{bots} {are} too few for games of {seats} seats"));
        }
        match self.format {
            Format::RoundRobin { rounds: 0 } | Format::Gauntlet { rounds: 0, .. } => {
                wrong("rounds must be at least 1".to_owned())
            }
            Format::Swiss { rounds: 0, .. } => wrong("rounds must be at least 1".to_owned()),
            Format::Swiss { games: 0, .. }
            | Format::Knockout { games: 0, .. }
            | Format::Ladder { games: 0 } => wrong("games must be at least 1".to_owned()),
            Format::Gauntlet { challengers, .. }
                if challengers == 0 || bots < challengers as usize + seats - 1 =>
            {
                wrong(format!(
                    "a gauntlet of {challengers} challengers at {seats} seats needs {} other bots; \
                     there are {bots} bots in all",
                    seats - 1
                ))
            }
            Format::RoundRobin { .. } | Format::Gauntlet { .. }
                if round_robin::groups_of(bots, seats) > MOST_GROUPS =>
            {
                wrong(format!(
                    "{bots} bots make more than {MOST_GROUPS} groups of {seats}; use swiss or \
                     ladder"
                ))
            }
            Format::Knockout { .. } if seats != 2 => {
                wrong(format!("a knockout is played by two at a time, not by {seats}"))
            }
            Format::Knockout { system: System::Groups { groups, rounds, through }, .. } => {
                let smallest = bots.checked_div(groups as usize).unwrap_or(0);
                match () {
                    () if rounds == 0 => wrong("rounds must be at least 1".to_owned()),
                    () if through == 0 => wrong("through must be at least 1".to_owned()),
                    () if smallest < 2 || smallest < through as usize => wrong(format!(
                        "{bots} bots in {groups} groups leave {smallest} in the smallest, and {} are \
                         needed",
                        through.max(2)
                    )),
                    () if groups * through < 2 => {
                        wrong("at least 2 have to come out of the groups".to_owned())
                    }
                    () => Ok(()),
                }
            }
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Swiss { .. }
            | Format::Knockout { .. }
            | Format::Ladder { .. } => Ok(()),
        }
    }
}
