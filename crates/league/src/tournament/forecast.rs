//! The forecast of an event: how many games are left, between whom, and how long they may take.

use std::collections::{BTreeMap, HashMap};

use table::{Card, TurnOrder};

use crate::schedule::{BotId, Format};
use crate::store::{GameTables, Store, StoreError};
use crate::tournament::event_progress::EventProgress;

/// What is left of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Games that are finished.
    pub finished: u64,
    /// Games that will be played at least, those of `[stop]` and of tied meetings aside.
    pub least: u64,
    /// Games that will be played at most; none if nothing ends it.
    pub most: Option<u64>,
    /// Games that are drawn up and not finished.
    pub drawn: u64,
    /// Who meets whom in these, in the order in which they begin.
    pub meetings: Vec<Meeting>,
    /// What each bot has before it in these.
    pub bots: Vec<BotForecast>,
}

/// Bots that meet, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// In which round, from 0, where rounds are drawn up one after another.
    pub round: Option<u32>,
    /// Those who meet.
    pub group: Vec<BotId>,
    /// Games that are left of it.
    pub games: u64,
}

/// What a bot has before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotForecast {
    /// Its games.
    pub games: u64,
    /// Those in each seat.
    pub seats: Vec<u64>,
    /// Those with each set-up.
    pub variants: Vec<u64>,
    /// Those against each other bot.
    pub rivals: BTreeMap<BotId, u64>,
}

impl EventProgress {
    /// What is left of the event.
    pub fn forecast(&self) -> Forecast {
        let plan = self.plan();
        // Rounds that do not depend on results are all known: what counts is how often two meet.
        let by_round = match plan.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => false,
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => true,
        };
        let ahead = BotForecast {
            games: 0,
            seats: vec![0; plan.seats],
            variants: vec![0; plan.variants],
            rivals: BTreeMap::new(),
        };
        let mut bots = vec![ahead; plan.joined.len()];
        let mut meetings: Vec<Meeting> = Vec::new();
        let mut places: HashMap<(Option<u32>, Vec<BotId>), usize> = HashMap::new();
        let mut drawn = 0;
        for game in self.to_play() {
            drawn += 1;
            for (seat, bot) in game.seating.iter().enumerate() {
                let ahead = &mut bots[bot.index()];
                ahead.games += 1;
                ahead.seats[seat] += 1;
                ahead.variants[game.variant] += 1;
                for rival in game.seating.iter().filter(|rival| *rival != bot) {
                    *ahead.rivals.entry(*rival).or_default() += 1;
                }
            }
            let round = by_round.then_some(game.round);
            let place = *places.entry((round, game.group)).or_insert_with_key(|(round, group)| {
                meetings.push(Meeting { round: *round, group: group.clone(), games: 0 });
                meetings.len() - 1
            });
            meetings[place].games += 1;
        }
        // All that can be drawn up is: when none of it is left, it is over.
        let left = |total: u64| if drawn == 0 { 0 } else { total.saturating_sub(self.done()) };
        let least = self.total().map_or(drawn, left);
        let most = self.most().map(left);
        Forecast { finished: self.done(), least, most, drawn, meetings, bots }
    }
}

impl Store {
    /// How long the finished games of an event took, in seconds, on average: the time of those who
    /// answered one after another, or of the slowest where all answer at once. None without games.
    pub fn seconds_a_game(&self, event: usize, card: &Card) -> Result<Option<f64>, StoreError> {
        self.check_games(GameTables::Pages)?;
        let sum = match card.turn_order {
            TurnOrder::Alternating => "SUM",
            TurnOrder::Simultaneous => "MAX",
        };
        let sql = format!(
            "SELECT AVG(answers + delay) FROM (
                 SELECT {sum}(wall_ms) AS answers, delay_ms AS delay
                 FROM games JOIN seats ON game = id WHERE event = ?1 GROUP BY id)"
        );
        let mean: Option<f64> =
            self.with_path(self.db.query_row(&sql, [event], |row| row.get(0)))?;
        Ok(mean.map(|ms| ms / 1000.0))
    }
}
