//! The rounds of an event for people to look at: who meets whom, how that went, who waits for whom.
//!
//! Brackets are shown whole, with the places that are still open. What is played is not decided
//! here but by the formats themselves; a test compares the two.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::duels::Duels;
use super::knockout::{MeetingRules, decided, order};
use super::{BotId, Fixture, Format, GameKey, Plan, Results, Stage, System, groups, halves};

/// A round, or one of the groups that a bracket begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRound {
    /// What it is called.
    pub title: RoundTitle,
    /// Who meets, from top to bottom. In a bracket the winners of two meetings that stand together
    /// meet in the next round.
    pub meetings: Vec<RoundMeeting>,
}

/// What a round is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundTitle {
    /// So many have been played before, from 0.
    Number(u32),
    /// A group, from 0.
    Group(u32),
    /// A round of a bracket with so many places.
    Places(u32),
    /// The losers of the semi-finals meet.
    ThirdPlace,
    /// A round of those who have not lost, from 0.
    Upper(u32),
    /// A round of those who have lost once, from 0.
    Lower(u32),
    /// The last who has not lost meets the last who has lost once.
    GrandFinal,
    /// The same once more, where each has lost once by then.
    SecondGrandFinal,
}

impl fmt::Display for RoundTitle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoundTitle::Number(round) => write!(f, "Round {}", round + 1),
            RoundTitle::Group(group) => match char::from_u32('A' as u32 + group) {
                Some(letter) if *group < 26 => write!(f, "Group {letter}"),
                Some(_) | None => write!(f, "Group {}", group + 1),
            },
            RoundTitle::Places(2) => f.write_str("Final"),
            RoundTitle::Places(4) => f.write_str("Semi-finals"),
            RoundTitle::Places(8) => f.write_str("Quarter-finals"),
            RoundTitle::Places(places) => write!(f, "Round of {places}"),
            RoundTitle::ThirdPlace => f.write_str("Third place"),
            RoundTitle::Upper(round) => write!(f, "Upper round {}", round + 1),
            RoundTitle::Lower(round) => write!(f, "Lower round {}", round + 1),
            RoundTitle::GrandFinal => f.write_str("Final"),
            RoundTitle::SecondGrandFinal => f.write_str("Second final"),
        }
    }
}

/// A meeting of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundMeeting {
    /// Who meets.
    pub places: Vec<BracketPlace>,
    /// What each of them has scored in it; [`points`](super::points) says what that is worth.
    pub halves: Vec<u64>,
    /// Who goes on, once that is decided.
    pub winner: Option<BotId>,
    /// Its games that have been played.
    pub games: Vec<GameKey>,
}

/// A place in a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BracketPlace {
    /// This bot.
    Bot(BotId),
    /// Whoever wins, or loses, another meeting.
    Open,
    /// Nobody: the other one goes on without a game.
    Nobody,
}

impl Plan {
    /// Whether it is played in rounds that people look at one by one.
    pub fn has_rounds(&self) -> bool {
        match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Ladder { .. } => false,
            Format::Swiss { .. } | Format::Knockout { .. } => true,
        }
    }

    /// The rounds of an event that is played in rounds: those of a swiss tournament that have been
    /// drawn up, the groups, and all of a bracket. There are none in other formats.
    pub fn round_list(&self, stages: &[Stage], results: &Results) -> Vec<EventRound> {
        match self.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Ladder { .. } => {
                Vec::new()
            }
            Format::Swiss { .. } => self.swiss_rounds(stages, results),
            Format::Knockout { games, extra, third_place, system } => {
                let terms = MeetingRules { games, extra, third_place, system };
                self.knockout_rounds(terms, stages, results)
            }
        }
    }

    fn swiss_rounds(&self, stages: &[Stage], results: &Results) -> Vec<EventRound> {
        let played = PlayedMeetings::new(self, stages, self.counted(stages, results), Vec::new());
        let round = |(number, stage): (u32, &Stage)| {
            let mut meetings: Vec<RoundMeeting> =
                stage.groups().map(|group| played.meeting(stage.round(), group)).collect();
            let sits_out = |bot: &BotId| !stage.groups().any(|group| group.contains(bot));
            for bot in self.present(number).into_iter().filter(sits_out) {
                meetings.push(RoundMeeting {
                    places: vec![BracketPlace::Bot(bot), BracketPlace::Nobody],
                    halves: vec![self.bye_halves(), 0],
                    winner: Some(bot),
                    games: Vec::new(),
                });
            }
            EventRound { title: RoundTitle::Number(number), meetings }
        };
        (0..).zip(stages).map(round).collect()
    }

    fn knockout_rounds(
        &self,
        terms: MeetingRules,
        stages: &[Stage],
        results: &Results,
    ) -> Vec<EventRound> {
        let won = decided(self, terms, stages, results);
        let played = PlayedMeetings::new(self, stages, Cow::Borrowed(results), won);
        let bots = self.joined.len();
        let all = || (0..bots as u32).map(|bot| BracketPlace::Bot(BotId(bot))).collect::<Vec<_>>();
        match terms.system {
            System::Single => played.single(&all(), terms, 0),
            System::Double => played.double(&all()),
            System::Groups { groups, through, .. } => {
                let group = |(number, group): (u32, Vec<BotId>)| {
                    let pairs = super::round_robin::circle(&group);
                    let meetings = pairs.iter().map(|pair| played.meeting(0, pair)).collect();
                    EventRound { title: RoundTitle::Group(number), meetings }
                };
                let rounds = (0..).zip(groups::groups(bots, groups)).map(group);
                let open = vec![BracketPlace::Open; (groups * through) as usize];
                let seeds = self.out_of_groups(terms, stages, results).unwrap_or(open);
                rounds.chain(played.single(&seeds, terms, 1)).collect()
            }
        }
    }

    /// Those who come out of the groups, once all games there are played.
    fn out_of_groups(
        &self,
        terms: MeetingRules,
        stages: &[Stage],
        results: &Results,
    ) -> Option<Vec<BracketPlace>> {
        let System::Groups { groups, rounds, through } = terms.system else { return None };
        let first = stages.first()?;
        let settled = |game: Fixture| self.is_settled(&game, results, u32::MAX);
        first.iter().all(settled).then_some(())?;
        let first = std::slice::from_ref(first);
        let mut duels = Duels::new(self, terms.games, terms.extra, first, results);
        let mut placings = vec![super::Placing::In; self.joined.len()];
        let seeds = groups::walk(&mut duels, groups, rounds, through, &mut placings).ok()?;
        Some(seeds.into_iter().map(BracketPlace::Bot).collect())
    }
}

/// What has been played of an event, by meeting.
struct PlayedMeetings<'a> {
    plan: &'a Plan,
    results: Cow<'a, Results>,
    /// The games of each meeting of each round.
    meetings: HashMap<(u32, Vec<BotId>), Vec<Fixture>>,
    /// Who has won a meeting, as far as the formats have decided: round, winner and loser.
    won: Vec<(u32, BotId, BotId)>,
}

impl<'a> PlayedMeetings<'a> {
    fn new(
        plan: &'a Plan,
        stages: &[Stage],
        results: Cow<'a, Results>,
        won: Vec<(u32, BotId, BotId)>,
    ) -> PlayedMeetings<'a> {
        let mut meetings: HashMap<(u32, Vec<BotId>), Vec<Fixture>> = HashMap::new();
        for game in stages.iter().flatten() {
            meetings.entry((game.round, game.group.clone())).or_default().push(game);
        }
        PlayedMeetings { plan, results, meetings, won }
    }

    /// A meeting of these bots.
    fn meeting(&self, round: u32, group: &[BotId]) -> RoundMeeting {
        let games = self.meetings.get(&(round, group.to_vec())).map_or(&[][..], |games| games);
        let mut scored = vec![0; group.len()];
        let mut there = Vec::new();
        for game in games {
            let Some(ranks) = self.results.of(game) else { continue };
            for (seat, bot) in game.seating.iter().enumerate() {
                let place = group.iter().position(|known| known == bot);
                scored[place.expect("those who play are of the group")] += halves(ranks, seat);
            }
            there.push(game.key());
        }
        RoundMeeting {
            winner: self.winner(round, group, games, &scored),
            places: group.iter().map(|bot| BracketPlace::Bot(*bot)).collect(),
            halves: scored,
            games: there,
        }
    }

    /// Who has won a meeting: whom the format has let go on, or who is ahead when all its games are
    /// played, even if others of its round are not.
    fn winner(
        &self,
        round: u32,
        group: &[BotId],
        games: &[Fixture],
        halves: &[u64],
    ) -> Option<BotId> {
        let of_group = |known: &&(u32, BotId, BotId)| {
            known.0 == round && group.contains(&known.1) && group.contains(&known.2)
        };
        if let Some((_, winner, _)) = self.won.iter().find(of_group) {
            return Some(*winner);
        }
        let most = *halves.iter().max()?;
        let mut first = group.iter().zip(halves).filter(|(_, halves)| **halves == most);
        let (winner, alone) = (first.next()?.0, first.next().is_none());
        let whole = !games.is_empty() && games.iter().all(|game| self.results.has(game));
        (whole && alone && !self.plan.is_off(group)).then_some(*winner)
    }

    /// The meeting of two places of a bracket.
    fn of_places(&self, round: u32, places: [BracketPlace; 2]) -> RoundMeeting {
        let empty = |winner| RoundMeeting {
            places: places.to_vec(),
            halves: vec![0; 2],
            winner,
            games: Vec::new(),
        };
        match places {
            [BracketPlace::Bot(one), BracketPlace::Bot(other)] => {
                self.meeting(round, &[one, other])
            }
            [BracketPlace::Bot(bot), BracketPlace::Nobody]
            | [BracketPlace::Nobody, BracketPlace::Bot(bot)] => empty(Some(bot)),
            [BracketPlace::Open | BracketPlace::Nobody, _] | [_, BracketPlace::Open] => empty(None),
        }
    }

    /// A round of a bracket, with the places of those who win and of those who lose.
    fn round(&self, number: u32, title: RoundTitle, places: &[BracketPlace]) -> RoundCourse {
        let (mut winners, mut losers) = (Vec::new(), Vec::new());
        let mut meetings = Vec::new();
        for pair in places.chunks(2) {
            let meeting = self.of_places(number, [pair[0], pair[1]]);
            let (winner, loser) = match [pair[0], pair[1]] {
                [one, BracketPlace::Nobody] | [BracketPlace::Nobody, one] => {
                    (one, BracketPlace::Nobody)
                }
                [BracketPlace::Bot(one), BracketPlace::Bot(other)] => match meeting.winner {
                    Some(winner) => {
                        let loser = if winner == one { other } else { one };
                        (BracketPlace::Bot(winner), BracketPlace::Bot(loser))
                    }
                    None => (BracketPlace::Open, BracketPlace::Open),
                },
                [BracketPlace::Open, _] | [_, BracketPlace::Open] => {
                    (BracketPlace::Open, BracketPlace::Open)
                }
            };
            winners.push(winner);
            losers.push(loser);
            meetings.push(meeting);
        }
        RoundCourse { round: EventRound { title, meetings }, winners, losers }
    }

    /// Who loses is out.
    fn single(
        &self,
        seeds: &[BracketPlace],
        terms: MeetingRules,
        first_round: u32,
    ) -> Vec<EventRound> {
        let mut places = bracket(seeds);
        let mut rounds = Vec::new();
        let mut number = first_round;
        while places.len() > 1 {
            let title = RoundTitle::Places(places.len() as u32);
            let course = self.round(number, title, &places);
            rounds.push(course.round);
            number += 1;
            if let [one, other] = course.losers[..]
                && terms.third_place
                && ![one, other].contains(&BracketPlace::Nobody)
            {
                // It is played together with the final.
                let third = self.round(number, RoundTitle::ThirdPlace, &[one, other]);
                let last = self.round(number, RoundTitle::Places(2), &course.winners);
                rounds.extend([last.round, third.round]);
                break;
            }
            places = course.winners;
        }
        rounds
    }

    /// Who loses twice is out; the rounds as `double::walk` has them.
    fn double(&self, seeds: &[BracketPlace]) -> Vec<EventRound> {
        let mut upper = bracket(seeds);
        let mut lower: Vec<BracketPlace> = Vec::new();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut number = 0;
        while upper.len() > 1 {
            if number > 0 {
                let course = self.round(number, RoundTitle::Lower(below.len() as u32), &lower);
                below.push(course.round);
                lower = course.winners;
            }
            let course = self.round(number, RoundTitle::Upper(above.len() as u32), &upper);
            above.push(course.round);
            upper = course.winners;
            number += 1;
            if lower.is_empty() {
                lower = course.losers;
                continue;
            }
            let losers = course.losers.iter().rev();
            let mixed: Vec<BracketPlace> =
                lower.iter().zip(losers).flat_map(|(one, other)| [*one, *other]).collect();
            let course = self.round(number, RoundTitle::Lower(below.len() as u32), &mixed);
            below.push(course.round);
            lower = course.winners;
            number += 1;
        }
        let finalists = [upper[0], lower.first().copied().unwrap_or(BracketPlace::Nobody)];
        let last = self.round(number, RoundTitle::GrandFinal, &finalists);
        let again = last.winners[0] != BracketPlace::Open && last.winners[0] != finalists[0];
        let mut rounds = [above, below, vec![last.round]].concat();
        if again {
            rounds.push(self.round(number + 1, RoundTitle::SecondGrandFinal, &finalists).round);
        }
        rounds
    }
}

/// A round, and what comes of its places.
struct RoundCourse {
    round: EventRound,
    winners: Vec<BracketPlace>,
    losers: Vec<BracketPlace>,
}

/// The places of a bracket, from top to bottom.
fn bracket(seeds: &[BracketPlace]) -> Vec<BracketPlace> {
    order(seeds).into_iter().map(|seed| seed.unwrap_or(BracketPlace::Nobody)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Next, Placing};
    use super::*;
    use game::Seed;

    fn knockouts() -> impl Iterator<Item = Plan> {
        let systems = [
            System::Single,
            System::Double,
            System::Groups { groups: 2, rounds: 2, through: 3 },
            System::Groups { groups: 3, rounds: 1, through: 1 },
        ];
        systems.into_iter().flat_map(|system| {
            let least = if system == System::Single || system == System::Double { 2 } else { 6 };
            (least..18).flat_map(move |bots| {
                [false, true].map(|third_place| {
                    let format = Format::Knockout { games: 2, extra: 1, third_place, system };
                    Plan::new(format, 2, 42, vec![0; bots])
                })
            })
        })
    }

    /// The meetings of rounds in which two bots sit, as the schedule counts rounds.
    fn meetings(rounds: &[EventRound]) -> Vec<Vec<BotId>> {
        let bots = |meeting: &RoundMeeting| {
            let bot = |place: &BracketPlace| match place {
                BracketPlace::Bot(bot) => Some(*bot),
                BracketPlace::Open | BracketPlace::Nobody => None,
            };
            meeting.places.iter().map(bot).collect::<Option<Vec<BotId>>>()
        };
        let all = rounds.iter().flat_map(|round| &round.meetings).filter_map(bots);
        let mut all: Vec<Vec<BotId>> = all.collect();
        all.sort();
        all
    }

    #[test]
    fn rounds_hold_every_meeting_of_the_schedule_and_its_games_at_every_moment() {
        for plan in knockouts() {
            let (mut stages, mut results) = (Vec::new(), Results::new());
            let mut rng = Seed(plan.joined.len() as u64).rng("results");
            loop {
                let rounds = plan.round_list(&stages, &results);
                let first = stages.iter().filter(|stage: &&Stage| stage.set() == 0);
                let mut drawn: Vec<Vec<BotId>> =
                    first.flat_map(|stage| stage.groups().map(<[BotId]>::to_vec)).collect();
                drawn.sort();
                let met = meetings(&rounds);
                // What is about to be drawn up may be known here already.
                for pair in &drawn {
                    let count = |list: &[Vec<BotId>]| list.iter().filter(|p| *p == pair).count();
                    assert!(count(&drawn) <= count(&met), "{:?} {pair:?}", plan.format);
                }
                let games = rounds.iter().flat_map(|round| &round.meetings);
                let games: usize = games.map(|meeting| meeting.games.len()).sum();
                assert_eq!(games, results.len(), "{:?}", plan.format);
                let Next::Stage(stage) = plan.next(&stages, &results) else { break };
                for game in &stage {
                    results.insert(
                        game.key(),
                        match rng.below(3) {
                            0 => vec![1, 1],
                            1 => vec![1, 2],
                            _ => vec![2, 1],
                        },
                    );
                }
                stages.push(stage);
            }
            let rounds = plan.round_list(&stages, &results);
            let first = stages.iter().filter(|stage| stage.set() == 0);
            assert_eq!(meetings(&rounds).len(), first.flat_map(Stage::groups).count());
            let open = |meeting: &&RoundMeeting| {
                meeting.places.contains(&BracketPlace::Open)
                    || meeting.winner.is_none() && meeting.places != [BracketPlace::Nobody; 2]
            };
            let bracket =
                rounds.iter().filter(|round| !matches!(round.title, RoundTitle::Group(_)));
            assert_eq!(bracket.flat_map(|round| &round.meetings).find(open), None);
            let placings = plan.placings(&stages, &results).expect("a knockout");
            let last = rounds.iter().rfind(|round| round.title != RoundTitle::ThirdPlace);
            let winner = last.expect("there is a final").meetings[0].winner.expect("somebody wins");
            assert_eq!(placings[winner.index()], Placing::Out(1), "{:?}", plan.format);
        }
    }

    #[test]
    fn a_bracket_is_there_before_anything_is_played() {
        let format =
            Format::Knockout { games: 1, extra: 0, third_place: true, system: System::Single };
        let plan = Plan::new(format, 2, 42, vec![0; 5]);
        let rounds = plan.round_list(&[], &Results::new());
        let titles: Vec<String> = rounds.iter().map(|round| round.title.to_string()).collect();
        assert_eq!(titles, ["Quarter-finals", "Semi-finals", "Final", "Third place"]);
        let sizes: Vec<usize> = rounds.iter().map(|round| round.meetings.len()).collect();
        assert_eq!(sizes, [4, 2, 1, 1]);
        // Three of five go on without a game.
        let byes = rounds[0].meetings.iter().filter(|meeting| meeting.winner.is_some()).count();
        assert_eq!(byes, 3);
        assert_eq!(rounds[1].meetings[0].places, [BracketPlace::Bot(BotId(0)), BracketPlace::Open]);
        assert_eq!(rounds[2].meetings[0].places, [BracketPlace::Open, BracketPlace::Open]);
    }

    #[test]
    fn a_meeting_is_won_before_the_others_of_its_round_are() {
        let format =
            Format::Knockout { games: 1, extra: 0, third_place: false, system: System::Single };
        let plan = Plan::new(format, 2, 42, vec![0; 4]);
        let mut results = Results::new();
        let stages = plan.stages(&results);
        let game = stages[0].get(0).expect("there is a game");
        results.insert(game.key(), vec![1, 2]);
        let rounds = plan.round_list(&stages, &results);
        assert_eq!(rounds[0].meetings[0].winner, Some(game.seating[0]));
        assert_eq!(
            rounds[1].meetings[0].places,
            [BracketPlace::Bot(game.seating[0]), BracketPlace::Open]
        );
        assert!(
            decided(&plan, MeetingRules::of(format).expect("one"), &stages, &results).is_empty()
        );
    }

    #[test]
    fn who_sits_out_a_swiss_round_is_listed_with_it() {
        let plan = Plan::new(Format::Swiss { rounds: 3, games: 2 }, 2, 42, vec![0; 5]);
        let stages = plan.stages(&Results::new());
        let rounds = plan.round_list(&stages, &Results::new());
        assert_eq!(rounds.len(), 1);
        let places: Vec<usize> = rounds[0].meetings.iter().map(|m| m.games.len()).collect();
        assert_eq!(places, [0, 0, 0]);
        let bye = &rounds[0].meetings[2];
        assert_eq!((bye.places[1], &bye.halves[..]), (BracketPlace::Nobody, &[4, 0][..]));
    }
}
