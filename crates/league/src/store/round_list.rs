//! The rounds of an event with names, points and games, for people who look at a run.

use std::collections::HashMap;

use crate::schedule::{BotId, BracketPlace, EventRound, GameKey, RoundMeeting, RoundTitle, points};
use crate::store::event_rows::StoredEvent;
use crate::store::{Store, StoreError};

/// A round of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRound {
    /// What it is called.
    pub title: RoundTitle,
    /// Who meets; see [`EventRound::meetings`].
    pub meetings: Vec<ListedMeeting>,
}

/// A meeting of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedMeeting {
    /// Who meets, and what each has scored in it.
    pub places: Vec<(ListedPlace, f64)>,
    /// Who goes on, once that is decided.
    pub winner: Option<String>,
    /// Its games that have been played, by [`ListedGame::id`](crate::ListedGame::id).
    pub games: Vec<u64>,
}

/// A place in a meeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedPlace {
    /// The bot of this name.
    Bot(String),
    /// Whoever wins, or loses, another meeting.
    Open,
    /// Nobody: the other one goes on without a game.
    Nobody,
}

impl Store {
    /// The rounds of an event that is played in rounds; none in other formats.
    pub fn round_list(&self, event: usize) -> Result<Vec<ListedRound>, StoreError> {
        let _moment = self.with_path(self.db.unchecked_transaction())?;
        let events = self.events()?;
        let Some(known) = events.get(event) else { return Ok(Vec::new()) };
        let plan = known.plan();
        if !plan.has_rounds() {
            return Ok(Vec::new());
        }
        let results = self.results(event)?;
        let rounds = plan.round_list(&plan.stages(&results), &results);
        let ids = self.with_path(self.game_ids(event))?;
        let listed = |round: EventRound| ListedRound {
            title: round.title,
            meetings: round
                .meetings
                .into_iter()
                .map(|meeting| listed(known, plan.seats, &ids, meeting))
                .collect(),
        };
        Ok(rounds.into_iter().map(listed).collect())
    }

    fn game_ids(&self, event: usize) -> rusqlite::Result<HashMap<GameKey, u64>> {
        let mut query = self.db.prepare("SELECT key, id FROM games WHERE event = ?1")?;
        let ids = query.query_map([event], |row| Ok((GameKey(row.get(0)?), row.get(1)?)))?;
        ids.collect()
    }
}

fn listed(
    event: &StoredEvent,
    seats: usize,
    ids: &HashMap<GameKey, u64>,
    meeting: RoundMeeting,
) -> ListedMeeting {
    let name = |bot: BotId| event.bots[bot.index()].name.clone();
    let place = |place: &BracketPlace| match place {
        BracketPlace::Bot(bot) => ListedPlace::Bot(name(*bot)),
        BracketPlace::Open => ListedPlace::Open,
        BracketPlace::Nobody => ListedPlace::Nobody,
    };
    let scored = meeting.halves.iter().map(|halves| points(*halves, seats));
    ListedMeeting {
        places: meeting.places.iter().map(place).zip(scored).collect(),
        winner: meeting.winner.map(name),
        games: meeting.games.iter().filter_map(|key| ids.get(key).copied()).collect(),
    }
}
