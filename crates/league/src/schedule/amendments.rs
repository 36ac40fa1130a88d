//! What was decided about an event after it was drawn up: bots that take part no longer, and games
//! that are played once more.
//!
//! A stage that has begun stays as it was drawn up. So a decision names the first stage that is
//! drawn up with it, and every earlier one is drawn up from what counted before.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{BotId, Fixture, Format, GameKey, Plan, Results, Stage, halves};

/// What was decided about an event; by default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amendments {
    /// Those who take part no longer.
    pub left: HashMap<BotId, Left>,
    /// What becomes of their open games.
    pub open_games: OpenGames,
    /// Games whose first result does not count.
    pub replayed: Vec<Replayed>,
}

/// A bot takes part no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The first stage without it, where stages are drawn up from results.
    pub since: u32,
    /// What becomes of the games that it has played.
    pub how: Leaving,
}

/// Why a bot takes part no longer, as far as its games are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaving {
    /// The games that it has played stay.
    Withdrawn,
    /// They are annulled.
    Disqualified,
}

/// What becomes of the games that a bot was to play when it left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenGames {
    /// Nobody plays them.
    #[default]
    Unplayed,
    /// The others have won them.
    Lost,
}

/// A game that is played once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Which one.
    pub key: GameKey,
    /// The first stage that is drawn up without its first result.
    pub since: u32,
    /// What that was.
    pub ranks: Vec<u16>,
}

/// Points for games that were not played, or that do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walkovers {
    /// How many games.
    pub games: u64,
    /// What they are worth, in halves of a rival.
    pub halves: u64,
}

/// How games of disqualified bots are annulled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Annulled {
    /// As if they had not been scheduled: everybody loses as many.
    ForAll,
    /// The others have won them: only they have met the bot.
    AsWins,
    /// What is decided stays decided.
    Never,
}

impl Amendments {
    /// Whether nothing was decided.
    pub fn are_none(&self) -> bool {
        self.left.is_empty() && self.replayed.is_empty()
    }

    /// Whether a bot has left before this stage is drawn up.
    pub(super) fn has_left(&self, bot: BotId, stage: u32) -> bool {
        self.left.get(&bot).is_some_and(|left| left.since <= stage)
    }

    fn is_disqualified(&self, bot: BotId, stage: u32) -> bool {
        let left = self.left.get(&bot).filter(|left| left.since <= stage);
        left.is_some_and(|left| left.how == Leaving::Disqualified)
    }
}

impl Plan {
    /// Whether a bot takes part no longer.
    pub fn has_left(&self, bot: BotId) -> bool {
        self.amendments.left.contains_key(&bot)
    }

    /// Whether one of these takes part no longer. Their game is not played any more.
    pub fn is_off(&self, bots: &[BotId]) -> bool {
        !self.amendments.left.is_empty() && bots.iter().any(|bot| self.has_left(*bot))
    }

    /// Whether a result of these counts for nothing: one of them was disqualified.
    pub fn is_annulled(&self, bots: &[BotId]) -> bool {
        let out = |bot: &BotId| self.amendments.is_disqualified(*bot, u32::MAX);
        !self.amendments.left.is_empty() && self.annuls() != Annulled::Never && bots.iter().any(out)
    }

    /// Those whose games are annulled.
    pub fn annulled_bots(&self) -> Vec<BotId> {
        let bots = (0..self.joined.len() as u32).map(BotId);
        bots.filter(|bot| self.is_annulled(&[*bot])).collect()
    }

    /// How a bot has left, if it has.
    pub fn leaving(&self, bot: BotId) -> Option<Leaving> {
        self.amendments.left.get(&bot).map(|left| left.how)
    }

    /// Whether a game is one of those that are played and count, now or later.
    pub fn counts(&self, game: &Fixture, results: &Results) -> bool {
        let there = || results.has(game);
        !self.is_off(&game.group) || (!self.is_annulled(&game.group) && there())
    }

    /// Whether nothing more comes of a game before this stage is drawn up.
    pub(super) fn is_settled(&self, game: &Fixture, results: &Results, stage: u32) -> bool {
        results.has(game) || game.group.iter().any(|bot| self.amendments.has_left(*bot, stage))
    }

    /// The results that count when this stage is drawn up.
    pub(super) fn amended<'r>(
        &self,
        stages: &[Stage],
        results: &'r Results,
        stage: u32,
    ) -> Cow<'r, Results> {
        let mut amended = Cow::Borrowed(results);
        if self.amendments.are_none() {
            return amended;
        }
        // Decided last, undone first: what counted at that time is the oldest result.
        for Replayed { key, since, ranks } in self.amendments.replayed.iter().rev() {
            if stage < *since {
                amended.to_mut().insert(key.clone(), ranks.clone());
            }
        }
        let off: Vec<Fixture> = match self.may_walk_over() {
            true => stages.iter().flatten().filter(|game| self.is_off(&game.group)).collect(),
            false => self.played_off(stages, &amended).collect(),
        };
        for game in off {
            match self.instead(&game, amended.of(&game), stage) {
                Instead::Nothing => {}
                Instead::NoResult => drop(amended.to_mut().remove(&game.key())),
                Instead::Walkover(ranks) => {
                    amended.to_mut().insert(game.key(), ranks);
                }
            }
        }
        amended
    }

    /// The results that count now.
    pub fn counted<'r>(&self, stages: &[Stage], results: &'r Results) -> Cow<'r, Results> {
        self.amended(stages, results, u32::MAX)
    }

    /// Whether somebody may win games that are not played.
    fn may_walk_over(&self) -> bool {
        self.amendments.open_games == OpenGames::Lost || self.annuls() == Annulled::AsWins
    }

    /// Games that were played with somebody who has left. Most of a long schedule lies behind the
    /// last finished game, and is not looked at.
    pub(crate) fn played_off(
        &self,
        stages: &[Stage],
        results: &Results,
    ) -> impl Iterator<Item = Fixture> {
        let played = stages.iter().flatten().filter(|game| results.has(game));
        played.take(results.len()).filter(|game| self.is_off(&game.group))
    }

    /// How many of these games are played and count, now or later.
    pub(super) fn counted_games(&self, stages: &[Stage], results: &Results) -> u64 {
        if self.amendments.left.is_empty() {
            return stages.iter().map(Stage::len).sum();
        }
        let of_stage = |stage: &Stage| {
            let groups = stage.groups().filter(|group| !self.is_off(group)).count() as u64;
            groups * u64::from(stage.games_a_meeting())
        };
        let to_play: u64 = stages.iter().map(of_stage).sum();
        let played = self.played_off(stages, results);
        to_play + played.filter(|game| !self.is_annulled(&game.group)).count() as u64
    }

    /// What everybody has got without playing for it, by bot.
    pub fn walkovers(&self, stages: &[Stage], results: &Results) -> Vec<Walkovers> {
        let mut all = vec![Walkovers::default(); self.joined.len()];
        if self.amendments.left.is_empty() || !self.may_walk_over() {
            return all;
        }
        for game in stages.iter().flatten().filter(|game| self.is_off(&game.group)) {
            let result = results.of(&game);
            if let Instead::Walkover(ranks) = self.instead(&game, result, u32::MAX) {
                for (seat, bot) in game.seating.iter().enumerate() {
                    if !self.has_left(*bot) {
                        let walkovers = &mut all[bot.index()];
                        walkovers.games += 1;
                        walkovers.halves += halves(&ranks, seat);
                    }
                }
            }
        }
        all
    }

    /// What counts instead of the result of a game, if it has one, when this stage is drawn up.
    fn instead(&self, game: &Fixture, result: Option<&[u16]>, stage: u32) -> Instead {
        let left = |bot: &BotId| self.amendments.has_left(*bot, stage);
        let out = |bot: &BotId| self.amendments.is_disqualified(*bot, stage);
        if !game.group.iter().any(left) {
            return Instead::Nothing;
        }
        let annulled = game.group.iter().any(out);
        let lost = match (annulled, self.annuls(), result) {
            (true, Annulled::ForAll, _) => return Instead::NoResult,
            (true, Annulled::AsWins, _) => true,
            (true, Annulled::Never, Some(_)) | (false, _, Some(_)) => return Instead::Nothing,
            (true, Annulled::Never, None) | (false, _, None) => {
                self.amendments.open_games == OpenGames::Lost
            }
        };
        // Those who stay share the first place.
        let stay = game.seating.iter().filter(|bot| !left(bot)).count() as u16;
        let rank = |bot: &BotId| if left(bot) { stay + 1 } else { 1 };
        match lost {
            true => Instead::Walkover(game.seating.iter().map(rank).collect()),
            false => Instead::Nothing,
        }
    }

    fn annuls(&self) -> Annulled {
        match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Ladder { .. } => {
                Annulled::ForAll
            }
            Format::Swiss { .. } => Annulled::AsWins,
            Format::Knockout { .. } => Annulled::Never,
        }
    }
}

/// What takes the place of a result.
enum Instead {
    /// It counts as it is, if it is there.
    Nothing,
    NoResult,
    /// These ranks, by seat.
    Walkover(Vec<u16>),
}
