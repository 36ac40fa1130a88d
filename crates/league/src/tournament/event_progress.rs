//! How far an event is: what has been played, what is under way, and what comes next.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use stats::{Field, Player};

use crate::file::Stop;
use crate::schedule::{
    BotId, Fixture, Format, GameKey, Left, Next, Plan, Replayed, Results, Stage, Tally,
};
use crate::tournament::sequential_test::TestProgress;

/// The course of one event.
pub struct EventProgress {
    plan: Plan,
    stop: Stop,
    stages: Vec<Stage>,
    results: Results,
    attempts: HashMap<GameKey, u32>,
    /// Ratings that are given.
    anchors: BTreeMap<BotId, f64>,
    /// Where the next game is looked for: stage and place in it.
    cursor: (usize, u64),
    /// How many games before the cursor are played or were.
    passed: u64,
    again: VecDeque<Fixture>,
    under_way: HashSet<GameKey>,
    tally: Tally,
    total: Option<u64>,
    /// The question that ends it, if there is one.
    trial: Option<TestProgress>,
    /// Games that are finished and count.
    done: u64,
}

/// What an event has to offer to somebody who could play.
pub enum NextGame {
    /// This game, and the number of this attempt, from 0.
    Game(Fixture, u32),
    /// Nothing until games under way are finished.
    Wait,
    /// Nothing any more.
    Over,
}

impl EventProgress {
    /// An event with what has been played of it.
    pub fn new(
        plan: Plan,
        stop: Stop,
        results: Results,
        attempts: HashMap<GameKey, u32>,
    ) -> EventProgress {
        EventProgress::with_anchors(plan, stop, results, attempts, BTreeMap::new())
    }

    /// The same where the ratings of some bots are given, to which all others are relative.
    pub fn with_anchors(
        plan: Plan,
        stop: Stop,
        results: Results,
        attempts: HashMap<GameKey, u32>,
        anchors: BTreeMap<BotId, f64>,
    ) -> EventProgress {
        let bots = plan.joined.len();
        let mut progress = EventProgress {
            plan,
            stop,
            stages: Vec::new(),
            results,
            attempts,
            anchors,
            cursor: (0, 0),
            passed: 0,
            again: VecDeque::new(),
            under_way: HashSet::new(),
            tally: Tally::new(bots, &[], &Results::new()),
            total: None,
            trial: None,
            done: 0,
        };
        progress.trial = progress.begin_trial();
        progress.stages = progress.plan.stages(&progress.results);
        progress.count();
        if progress.stop.rating_error.is_some() {
            // The stop rule may hold before all of it is played.
            progress.stages.clear();
            while let Next::Stage(stage) = progress.draw() {
                let begun = stage.iter().any(|game| progress.results.has(&game));
                progress.stages.push(stage);
                if !begun {
                    break;
                }
            }
        }
        progress
    }

    /// The question that ends the event, with what has been played.
    fn begin_trial(&self) -> Option<TestProgress> {
        match (self.stop.test, self.plan.format) {
            (Some(hypotheses), Format::Gauntlet { rounds, .. }) => {
                let mut trial = TestProgress::new(hypotheses, &self.plan, rounds);
                trial.advance(&self.results);
                Some(trial)
            }
            (_, _) => None,
        }
    }

    /// How the question that ends the event stands, if there is one.
    pub fn trial(&self) -> Option<&TestProgress> {
        self.trial.as_ref()
    }

    /// The next game. The caller plays it and says [`EventProgress::finish`] or
    /// [`EventProgress::release`].
    pub fn next_game(&mut self) -> NextGame {
        if self.trial.as_ref().is_some_and(TestProgress::is_over) {
            // What is void now need not be played again.
            return NextGame::Over;
        }
        if let Some(fixture) = self.again.pop_front() {
            return self.give(fixture);
        }
        loop {
            let (stage, place) = self.cursor;
            let Some(games) = self.stages.get(stage) else {
                match self.draw() {
                    Next::Stage(games) => self.stages.push(games),
                    Next::Wait => return NextGame::Wait,
                    Next::Over => return self.nothing(),
                }
                continue;
            };
            let Some(fixture) = games.get(place) else {
                self.cursor = (stage + 1, 0);
                continue;
            };
            if !self.plan.counts(&fixture, &self.results) {
                self.cursor.1 += 1;
                continue;
            }
            if self.stop.games.is_some_and(|most| self.passed >= most) {
                return self.nothing();
            }
            self.cursor.1 += 1;
            self.passed += 1;
            if !self.results.has(&fixture) && !self.under_way.contains(&fixture.key()) {
                return self.give(fixture);
            }
        }
    }

    fn give(&mut self, fixture: Fixture) -> NextGame {
        let attempt = self.begin(&fixture);
        NextGame::Game(fixture, attempt)
    }

    /// A game is under way from now on. Returns the number of this attempt, from 0.
    fn begin(&mut self, fixture: &Fixture) -> u32 {
        let key = fixture.key();
        let attempt = self.attempt(&key);
        self.under_way.insert(key);
        attempt
    }

    /// How often a game has been tried in vain.
    pub(crate) fn attempt(&self, key: &GameKey) -> u32 {
        self.attempts.get(key).copied().unwrap_or(0)
    }

    /// The next game together with all other games of its set that can be played now; empty where
    /// [`EventProgress::next_game`] has none.
    pub(crate) fn next_set(&mut self) -> Vec<(Fixture, u32)> {
        let NextGame::Game(first, attempt) = self.next_game() else { return Vec::new() };
        let mut set = vec![(first.clone(), attempt)];
        while let Some(place) = self.again.iter().position(|game| game.shares_set(&first)) {
            let game = self.again.remove(place).expect("it was found there");
            let attempt = self.begin(&game);
            set.push((game, attempt));
        }
        // The games of a set follow each other in a stage.
        while self.stop.games.is_none_or(|most| self.passed < most)
            && let Some(game) = self.stages.get(self.cursor.0).and_then(|at| at.get(self.cursor.1))
            && game.shares_set(&first)
        {
            self.cursor.1 += 1;
            if !self.plan.counts(&game, &self.results) {
                continue;
            }
            self.passed += 1;
            if !self.results.has(&game) && !self.under_way.contains(&game.key()) {
                let attempt = self.begin(&game);
                set.push((game, attempt));
            }
        }
        set
    }

    /// The game with this key, if it is to be played: in the schedule, without a result, and
    /// nobody of it has left.
    pub(crate) fn open_game(&self, key: &GameKey) -> Option<Fixture> {
        if self.results.get(key).is_some() {
            return None;
        }
        let game = self.find(key)?;
        (!self.is_settled(&game)).then_some(game)
    }

    /// The game with this key, if it is finished.
    pub(crate) fn finished_game(&self, key: &GameKey) -> Option<Fixture> {
        self.results.get(key)?;
        self.find(key)
    }

    /// The game with this key, if it is in the schedule so far.
    fn find(&self, key: &GameKey) -> Option<Fixture> {
        self.plan.find(&self.stages, &key.parts()?)
    }

    /// Marks an open game as under way that was given out before this process began. False if it
    /// is under way already.
    pub(crate) fn resume(&mut self, game: &Fixture) -> bool {
        let key = game.key();
        if !self.under_way.insert(key.clone()) {
            return false;
        }
        self.again.retain(|other| other.key() != key);
        true
    }

    /// Games under way may turn out void, and then they are played again.
    fn nothing(&self) -> NextGame {
        if self.under_way.is_empty() { NextGame::Over } else { NextGame::Wait }
    }

    /// The next stage, unless all ratings are exact enough.
    fn draw(&mut self) -> Next {
        let Some(limit) = self.stop.rating_error else {
            return self.plan.next(&self.stages, &self.results);
        };
        // Judged by whole stages alone, the last one aside, so that nobody waits for it.
        let whole = &self.stages[..self.stages.len().saturating_sub(1)];
        let open = |game: Fixture| !self.results.has(&game) && !self.plan.is_off(&game.group);
        if whole.iter().flatten().any(open) {
            return Next::Wait;
        }
        if !whole.is_empty() && self.largest_error(whole) <= limit {
            return Next::Over;
        }
        self.plan.next(&self.stages, &self.results)
    }

    fn largest_error(&self, stages: &[Stage]) -> f64 {
        let mut field = Field::new(self.plan.joined.len());
        for fixture in stages.iter().flatten() {
            if let Some(ranks) = self.results.of(&fixture)
                && !self.plan.is_annulled(&fixture.group)
            {
                let seating: Vec<Player> =
                    fixture.seating.iter().map(|bot| Player(bot.index())).collect();
                let ranks: Vec<u32> = ranks.iter().map(|rank| u32::from(*rank)).collect();
                let added = field.add(&seating, &ranks, 1);
                added.expect("those who play are in the field, each once");
            }
        }
        for (bot, elo) in &self.anchors {
            field.anchor(Player(bot.index()), *elo).expect("it is in the field");
        }
        let ratings = field.rate();
        let free = ratings.players().iter().enumerate();
        let free = free.filter(|(bot, _)| !self.anchors.contains_key(&BotId(*bot as u32)));
        free.map(|(_, rating)| rating.elo.error).fold(0.0, f64::max)
    }

    /// A game is finished and kept.
    pub fn finish(&mut self, fixture: &Fixture, ranks: Vec<u16>) {
        let key = fixture.key();
        if !self.under_way.remove(&key) {
            // Its result came after it had been given up.
            self.again.retain(|other| other.key() != key);
        }
        self.tally.add(&fixture.seating, &ranks);
        self.results.insert(key, ranks);
        self.done += 1;
        if let Some(trial) = &mut self.trial {
            trial.advance(&self.results);
        }
        if !matches!(self.plan.format, Format::RoundRobin { .. } | Format::Gauntlet { .. }) {
            self.total = self.plan.total(&self.stages, &self.results);
        }
    }

    /// A game has to be played again.
    pub fn release(&mut self, fixture: Fixture, counts: Attempt) {
        let key = fixture.key();
        self.under_way.remove(&key);
        match counts {
            Attempt::Used => *self.attempts.entry(key).or_default() += 1,
            Attempt::Unused => {}
        }
        self.again.push_back(fixture);
    }

    /// Another bot takes part from now on; since when, in the words of [`Plan::joined`].
    pub fn join(&mut self) -> u32 {
        let since = self.next_join();
        match self.plan.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => {}
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
                self.forget(since as usize);
            }
        }
        self.plan.joined.push(since);
        self.count();
        since
    }

    /// Whether a game that is under way is still wanted: all its bots take part.
    pub fn is_wanted(&self, game: &Fixture) -> bool {
        !self.plan.is_off(&game.group)
    }

    /// Whether a game is finished, or will never be played.
    pub(crate) fn is_settled(&self, game: &Fixture) -> bool {
        self.results.has(game) || self.plan.is_off(&game.group)
    }

    /// A game under way is over, and nobody wants it any more.
    pub fn drop_game(&mut self, game: &Fixture) {
        self.under_way.remove(&game.key());
    }

    /// The first stage that is drawn up with what is decided now, where that matters.
    pub fn next_stage(&self) -> u32 {
        match self.plan.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => 0,
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
                self.begun() as u32
            }
        }
    }

    /// A bot takes part no longer.
    pub fn leave(&mut self, bot: BotId, left: Left) {
        self.plan.amendments.left.insert(bot, left);
        match (self.plan.format, self.stop.games) {
            // What comes next stays where it is.
            (Format::RoundRobin { .. } | Format::Gauntlet { .. }, None) => {
                let plan = &self.plan;
                self.again.retain(|game| !plan.is_off(&game.group));
                self.trial = self.begin_trial();
                self.count();
            }
            (
                Format::RoundRobin { .. }
                | Format::Gauntlet { .. }
                | Format::Swiss { .. }
                | Format::Knockout { .. }
                | Format::Ladder { .. },
                _,
            ) => self.look_again(),
        }
    }

    /// Whether a bot that has left can take part again: as long as nothing has begun that was drawn up
    /// without it.
    pub fn may_reinstate(&self, bot: BotId) -> bool {
        let left = self.plan.amendments.left.get(&bot);
        left.is_some_and(|left| self.next_stage() <= left.since)
    }

    /// A bot that has left takes part again, as if it had not. False if it cannot.
    pub fn reinstate(&mut self, bot: BotId) -> bool {
        if !self.may_reinstate(bot) {
            return false;
        }
        self.plan.amendments.left.remove(&bot);
        self.look_again();
        true
    }

    /// The result of a game counts no longer, and it is played once more. False if it has none, or
    /// if that has decided who meets whom in a knockout.
    pub fn replay(&mut self, key: &GameKey) -> bool {
        let since = self.next_stage();
        if !self.may_replay(key) {
            return false;
        }
        let Some(ranks) = self.results.remove(key) else { return false };
        self.plan.amendments.replayed.push(Replayed { key: key.clone(), since, ranks });
        *self.attempts.entry(key.clone()).or_default() += 1;
        self.look_again();
        true
    }

    /// Whether the result of a game can be taken back: in a knockout only as long as nobody plays
    /// who got there by it.
    pub fn may_replay(&self, key: &GameKey) -> bool {
        match self.plan.format {
            Format::Knockout { .. } => {
                let has = |stage: &Stage| stage.iter().any(|game| game.key() == *key);
                self.stages.iter().position(has).is_some_and(|stage| stage + 1 >= self.begun())
            }
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Swiss { .. }
            | Format::Ladder { .. } => self.results.contains_key(key),
        }
    }

    /// Draws up anew what has not begun, and looks for games from the first on.
    fn look_again(&mut self) {
        match self.plan.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => {}
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
                self.forget(self.begun());
            }
        }
        self.cursor = (0, 0);
        self.passed = 0;
        // Those are found again on the way.
        self.again.clear();
        self.trial = self.begin_trial();
        self.count();
    }

    /// Adds up what counts.
    fn count(&mut self) {
        let bots = self.plan.joined.len();
        let counted = self.plan.counted(&self.stages, &self.results);
        self.tally = Tally::new(bots, &self.stages, &counted);
        self.total = self.plan.total(&self.stages, &self.results);
        let annulled = match self.plan.amendments.left.is_empty() {
            true => 0,
            false => {
                let off = self.plan.played_off(&self.stages, &self.results);
                off.filter(|game| self.plan.is_annulled(&game.group)).count() as u64
            }
        };
        self.done = self.results.len() as u64 - annulled;
    }

    /// Since when a bot takes part that joins now.
    pub fn next_join(&self) -> u32 {
        match self.plan.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => {
                self.plan.joined.iter().max().map_or(0, |last| last + 1)
            }
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => {
                self.begun() as u32
            }
        }
    }

    /// How many stages have begun: a game of the last of them is under way or finished.
    fn begun(&self) -> usize {
        let played =
            |game: Fixture| self.results.has(&game) || self.under_way.contains(&game.key());
        self.stages.iter().rposition(|stage| stage.iter().any(played)).map_or(0, |last| last + 1)
    }

    /// Forgets all stages from this one on, none of which has begun: they are drawn up anew.
    fn forget(&mut self, from: usize) {
        self.stages.truncate(from);
        if self.cursor.0 >= from {
            self.cursor = (from, 0);
            let before = self.stages.iter().flatten();
            self.passed =
                before.filter(|game| self.plan.counts(game, &self.results)).count() as u64;
        }
        let stages = &self.stages;
        self.again.retain(|game| stages.iter().any(|stage| stage.place(game).is_some()));
    }

    /// All games that are known so far, in order.
    pub fn fixtures(&self) -> impl Iterator<Item = Fixture> {
        self.stages.iter().flatten()
    }

    /// Those of them that are not finished, as far as `[stop]` lets them be played.
    pub fn to_play(&self) -> impl Iterator<Item = Fixture> {
        let most = self.stop.games.unwrap_or(u64::MAX);
        let counted = self.fixtures().filter(|game| self.plan.counts(game, &self.results));
        let games = counted.zip(0..most).map(|(game, _)| game);
        games.filter(|game| !self.results.has(game))
    }

    /// The game of this number in the schedule, from 1.
    pub fn game(&self, number: u64) -> Option<Fixture> {
        let mut place = number.checked_sub(1)?;
        for stage in &self.stages {
            if place < stage.len() {
                return stage.get(place);
            }
            place -= stage.len();
        }
        None
    }

    /// The number of a game in the schedule, from 1.
    pub fn number(&self, game: &Fixture) -> u64 {
        let mut before = 0;
        for stage in &self.stages {
            if let Some(place) = stage.place(game) {
                return before + place + 1;
            }
            before += stage.len();
        }
        0
    }

    /// How many games are finished.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// How many games are under way.
    pub fn under_way(&self) -> u64 {
        self.under_way.len() as u64
    }

    /// How many games there will be, if that can be told.
    pub fn total(&self) -> Option<u64> {
        match &self.trial {
            Some(trial) if trial.is_over() => return Some(self.done()),
            Some(_) => return None,
            None => {}
        }
        match (self.total, self.stop.games) {
            (Some(total), Some(most)) => Some(total.min(most)),
            (total, most) => total.or(most),
        }
    }

    /// Which part of the games that it needs is played or under way, if it is an open test.
    pub(crate) fn share_of_test(&self) -> Option<f64> {
        let trial = self.trial.as_ref().filter(|trial| !trial.is_over())?;
        let begun = (self.done() + self.under_way()) as f64;
        Some(begun / (begun + trial.games_left()))
    }

    /// How many games there will be at most, if that can be told: all meetings may be tied.
    pub fn most(&self) -> Option<u64> {
        let all = self.plan.most(&self.stages, &self.results);
        all.into_iter().chain(self.stop.games).min()
    }

    /// Points and games so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The stages so far.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The results so far.
    pub fn results(&self) -> &Results {
        &self.results
    }
}

/// Whether a game that is released has used up a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It was void for a reason of its own.
    Used,
    /// It was broken off.
    Unused,
}

#[cfg(test)]
mod amended;

#[cfg(test)]
mod tests;
