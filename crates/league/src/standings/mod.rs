//! Standings: tables, cross tables, ratings.

pub(crate) mod import;
pub(crate) mod json;
pub(crate) mod overall;
pub(crate) mod pool;
pub(crate) mod ranking;
pub(crate) mod remarks;
pub(crate) mod summary;
pub(crate) mod totals;
pub(crate) mod workers;

use std::collections::BTreeMap;

use game::About;
use stats::{Estimate, Field, Player, Ratings};

use crate::schedule::{
    BotId, ByOrder, Format, Leaving, Plan, Reached, Results, Stage, TieBreak, points,
};
use crate::standings::ranking::{Ranked, order};
use crate::standings::summary::scheduled;
use crate::standings::totals::{
    BotTotals, ResultCounts, TierScore, Totals, paces, played, repeats_note, times, totals, voids,
};
use crate::standings::workers::WorkerComparison;
use crate::store::event_rows::{EventTerms, StoredEvent};
use crate::store::journal::JournalEntry;
use crate::store::{Store, StoreError};
use crate::tournament::sequential_test::TestProgress;

/// How all events of a tournament stand.
pub struct Standings {
    /// The tournament's name.
    pub name: String,
    /// Its events.
    pub events: Vec<EventStandings>,
    /// What was decided while it went on.
    pub journal: Vec<JournalEntry>,
}

/// How one event stands.
pub struct EventStandings {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// Its format.
    pub format: Format,
    /// Where its chance comes from.
    pub seed: u64,
    /// Games finished.
    pub games: u64,
    /// How many of them are not the same as one before.
    pub different: u64,
    /// Games there will be, if that can be told.
    pub scheduled: Option<u64>,
    /// Rounds that are complete and rounds there are, of a swiss tournament.
    pub rounds: Option<(u32, u32)>,
    /// What decides between equal points, the first first.
    pub tie_breaks: Vec<TieBreak>,
    /// Meetings of a knockout that stayed tied, so that the order of the file decided them.
    pub by_order: Vec<Decided>,
    /// What it is played with.
    pub terms: EventTerms,
    /// How its question stands, if it is a test.
    pub trial: Option<TestProgress>,
    /// When its first and its last game were kept, as `2026-03-01T12:00:00Z`, if anybody knows.
    pub played: Option<[String; 2]>,
    /// The names of the bots, in the order in which they were entered.
    pub entered: Vec<String>,
    /// The bots, the best first.
    pub rows: Vec<StandingsRow>,
    /// Every pair that met, in the order of the rows.
    pub cross_table: Vec<CrossTableEntry>,
    /// The probability that the bot of a row is stronger than that of another.
    pub superiority: Vec<Vec<f64>>,
    /// What each seat scored.
    pub seats: Vec<SeatShare>,
    /// Games under each protection of the bots.
    pub tiers: Vec<(String, u64)>,
    /// Bots that scored differently under different protections.
    pub gaps: Vec<TierGap>,
    /// What the workers of a cluster have played, and whether they agree.
    pub workers: WorkerComparison,
    /// Games that were void and played again.
    pub voids: u64,
    /// What the reader must know about the ratings.
    pub notes: Vec<String>,
    /// Share of draws between equal bots, for two seats.
    pub draw_rate: Option<f64>,
}

/// A meeting that stayed tied and was decided by the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// In which round, from 0.
    pub round: u32,
    /// Who went on.
    pub winner: String,
    /// Who did not.
    pub loser: String,
}

/// One bot in the table.
#[derive(Clone, Debug)]
pub struct StandingsRow {
    /// Its place; equal ones share it.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// Its command line or `builtin:NAME`.
    pub bot: String,
    /// How it describes itself, if it does.
    pub about: Option<About>,
    /// Its games.
    pub games: u64,
    /// First alone.
    pub wins: u64,
    /// Shared first place.
    pub draws: u64,
    /// All others.
    pub losses: u64,
    /// Share of rivals left behind, added up, byes included.
    pub points: f64,
    /// Rounds it sat out.
    pub byes: u32,
    /// Games that it won because another has left.
    pub walkovers: u64,
    /// How it has left, if it has.
    pub left: Option<Leaving>,
    /// What decides between equal points, in the order of [`EventStandings::tie_breaks`].
    pub tie_breaks: Vec<f64>,
    /// How far it came in a knockout.
    pub reached: Option<Reached>,
    /// Its rating in Elo, by expected scores.
    pub rating: f64,
    /// Half the width of the 95 % interval.
    pub rating_error: f64,
    /// Whether its rating is given.
    pub anchored: bool,
    /// What it did wrong, by kind.
    pub faults: BTreeMap<String, u64>,
    /// How it used its time.
    pub times: Times,
}

/// How a bot used its time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Answers given.
    pub moves: u64,
    /// Mean time of an answer in milliseconds.
    pub mean_ms: f64,
    /// 99 of 100 answers took no longer; up to a tenth too high.
    pub p99_ms: f64,
    /// The slowest.
    pub slowest_ms: f64,
    /// Mean processor time of an answer in milliseconds.
    pub cpu_ms: f64,
}

/// What two bots scored against each other. With more seats: who was ahead.
#[derive(Clone, Debug)]
pub struct CrossTableEntry {
    /// The row of the higher bot.
    pub a: usize,
    /// The row of the lower one.
    pub b: usize,
    /// How often the higher bot was ahead.
    pub wins: u64,
    /// How often they were equal.
    pub draws: u64,
    /// How often it was behind.
    pub losses: u64,
}

/// What one seat scored.
#[derive(Clone, Debug)]
pub struct SeatShare {
    /// The seat, from 0.
    pub seat: usize,
    /// Share of points.
    pub score: f64,
    /// What it is worth in Elo by the expected scores of equals, with its error, if that can be
    /// told: of two seats above the other, of more above the mean of all.
    pub elo: Option<(f64, f64)>,
}

/// A bot whose score differs between protections more than chance explains.
#[derive(Clone, Debug)]
pub struct TierGap {
    /// The bot's name.
    pub name: String,
    /// Under which protection most games were played, and its score there.
    pub usual: (String, f64),
    /// Another, and its score there.
    pub other: (String, f64),
    /// How likely such a difference is by chance.
    pub chance: f64,
}

/// Differences that chance explains once in a hundred times are reported.
const SUSPICIOUS: f64 = 0.01;

impl EventStandings {
    /// The name of the way in which bots meet.
    pub fn format_name(&self) -> &'static str {
        match self.trial {
            Some(_) => "test",
            None => self.format.name(),
        }
    }

    /// The new bot and the old one of a test.
    pub fn tested(&self) -> Option<[&str; 2]> {
        self.trial.as_ref()?;
        let [new, old, ..] = &self.entered[..] else { return None };
        Some([new, old])
    }
}

impl Standings {
    /// Reads the standings of a run.
    pub fn of(store: &Store) -> Result<Standings, StoreError> {
        Standings::anchored(store, &Anchors::new())
    }

    /// The same with ratings given to some bots, beside those that the file gives.
    pub fn anchored(store: &Store, anchors: &Anchors) -> Result<Standings, StoreError> {
        // Somebody may be playing: all that is read is of one moment.
        let _moment = store.with_path(store.db.unchecked_transaction())?;
        let known = store.events()?;
        let mut events = Vec::new();
        for (id, event) in known.iter().enumerate() {
            let totals = totals(store, id, &event.plan().annulled_bots())?;
            let mut given = event.plan.anchors.clone();
            given.extend(anchors.clone());
            events.push(stand(store, id, event, &totals, &given)?);
        }
        Ok(Standings { name: store.name()?, events, journal: store.journal()? })
    }
}

/// Ratings that bots are given, by name; everybody else's are relative to them.
pub type Anchors = BTreeMap<String, f64>;

/// The ratings of these bots after these games.
pub(crate) fn rate(names: &[&str], counted: &ResultCounts, anchors: &Anchors) -> Ratings {
    let bots = names.len();
    let mut field = Field::new(bots);
    for ((seating, ranks), count) in counted {
        let seating: Vec<Player> = seating.iter().map(|bot| Player(*bot as usize)).collect();
        let ranks: Vec<u32> = ranks.iter().map(|rank| u32::from(*rank)).collect();
        field.add(&seating, &ranks, *count).expect("those who play are in the field, each once");
    }
    for (player, name) in names.iter().enumerate() {
        if let Some(&elo) = anchors.get(*name) {
            field.anchor(Player(player), elo).expect("it is in the field");
        }
    }
    field.rate()
}

fn stand(
    store: &Store,
    id: usize,
    event: &StoredEvent,
    totals: &Totals,
    anchors: &Anchors,
) -> Result<EventStandings, StoreError> {
    let bots = event.bots.len();
    let plan = event.plan();
    let totals_by_bot = BotTotals::new(bots, &totals.counted);
    let names: Vec<&str> = event.bots.iter().map(|bot| bot.name.as_str()).collect();
    let ratings = rate(&names, &totals.counted, anchors);
    let (stages, results) = drawn(store, id, &plan)?;
    let byes = plan.byes(&stages, &results);
    let walkovers = plan.walkovers(&stages, &results);
    let unplayed: Vec<u64> = (0..bots)
        .map(|bot| u64::from(byes[bot]) * plan.bye_halves() + walkovers[bot].halves)
        .collect();
    let reached = plan.reached(&stages, &results);
    let strengths: Vec<f64> =
        ratings.players().iter().map(|rating| rating.strength.value).collect();
    let placings = plan.placings(&stages, &results);
    let order = order(&plan, &totals_by_bot, &strengths, &unplayed, placings.as_deref());
    let faults = store.fault_sums(id, &plan.annulled_bots())?;
    let time_sums = store.time_sums(id, &plan.annulled_bots())?;
    let by_worker = store.worker_sums(id, &plan.annulled_bots())?;
    let paces = store.with_path(paces(store, id))?;
    let bot_descriptions = store.bot_descriptions(id)?;
    let place: BTreeMap<usize, usize> =
        order.iter().enumerate().map(|(row, ranked)| (ranked.bot, row)).collect();
    let mut rows = Vec::new();
    for ranked in &order {
        let bot = ranked.bot;
        let rating = ratings.players()[bot];
        let anchored = anchors.contains_key(names[bot]);
        let (games, wins, draws) =
            (totals_by_bot.games[bot], totals_by_bot.wins[bot], totals_by_bot.draws[bot]);
        rows.push(StandingsRow {
            rank: ranked.rank,
            name: event.bots[bot].name.clone(),
            bot: event.bots[bot].shown.clone(),
            about: bot_descriptions.get(&event.bots[bot].name).cloned(),
            games,
            wins,
            draws,
            losses: games - wins - draws,
            points: points(totals_by_bot.halves[bot] + unplayed[bot], plan.seats),
            byes: byes[bot],
            walkovers: walkovers[bot].games,
            left: plan.leaving(BotId(bot as u32)),
            tie_breaks: ranked.tie_breaks.clone(),
            reached: reached.as_ref().map(|reached| reached[bot]),
            rating: rating.elo.value,
            rating_error: if anchored { 0.0 } else { rating.elo.error },
            anchored,
            faults: faults.get(&(bot as u32)).cloned().unwrap_or_default(),
            times: times(time_sums.get(&(bot as u32)), paces.get(&bot)),
        });
    }
    let superiorities = ratings.superiorities();
    let superior = |a: &Ranked, b: &Ranked| superiorities[a.bot][b.bot];
    let superiority =
        order.iter().map(|a| order.iter().map(|b| superior(a, b)).collect()).collect();
    let terms = event.event_terms();
    let trial = trial_of(store, id, &plan, &terms)?;
    let name = |bot: BotId| event.bots[bot.index()].name.clone();
    let decided = |ByOrder { round, winner, loser }: ByOrder| Decided {
        round,
        winner: name(winner),
        loser: name(loser),
    };
    let games: u64 = totals.counted.values().sum();
    let scheduled = scheduled(event, &plan, &stages, &results, trial.as_ref(), games);
    let table = ratings.tables().iter().find(|table| table.seats == plan.seats);
    Ok(EventStandings {
        name: event.name.clone(),
        game: event.game.clone(),
        format: plan.format,
        seed: plan.seed,
        games,
        different: totals.different,
        scheduled,
        rounds: plan.rounds(&stages, &results),
        tie_breaks: match plan.format {
            // There they only say who comes out of a group.
            Format::Knockout { .. } => Vec::new(),
            Format::RoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Swiss { .. }
            | Format::Ladder { .. } => plan.tie_breaks.clone(),
        },
        by_order: plan.by_order(&stages, &results).into_iter().map(decided).collect(),
        terms,
        trial,
        entered: event.bots.iter().map(|bot| bot.name.clone()).collect(),
        played: store.with_path(played(store, id))?,
        cross_table: cross_table(&totals_by_bot, &place),
        superiority,
        seats: seats(&totals_by_bot, plan.seats, &ratings),
        tiers: totals.tier_games.iter().map(|(tier, games)| (tier.clone(), *games)).collect(),
        gaps: gaps(totals, event),
        workers: workers::compare(&by_worker.0, &by_worker.1, plan.seats, |bot| {
            event.bots[bot as usize].name.clone()
        }),
        voids: store.with_path(voids(store, id))?,
        notes: notes(&ratings, event, repeats_note(games, totals.different)),
        draw_rate: table.and_then(|table| table.draw_rate),
        rows,
    })
}

/// How the question of a test stands.
fn trial_of(
    store: &Store,
    id: usize,
    plan: &Plan,
    terms: &EventTerms,
) -> Result<Option<TestProgress>, StoreError> {
    let (Some(hypotheses), Format::Gauntlet { rounds, .. }) = (terms.test, plan.format) else {
        return Ok(None);
    };
    let mut trial = TestProgress::new(hypotheses, plan, rounds);
    trial.advance(&store.results(id)?);
    Ok(Some(trial))
}

/// The stages of formats in which results decide what is played, with the results.
fn drawn(store: &Store, id: usize, plan: &Plan) -> Result<(Vec<Stage>, Results), StoreError> {
    match plan.format {
        Format::Swiss { .. } | Format::Knockout { .. } => {
            let results = store.results(id)?;
            Ok((plan.stages(&results), results))
        }
        // Games that are not played and points for them can be seen in the schedule alone.
        Format::RoundRobin { .. } | Format::Gauntlet { .. } if !plan.amendments.left.is_empty() => {
            let results = store.results(id)?;
            Ok((plan.stages(&results), results))
        }
        Format::RoundRobin { .. } | Format::Gauntlet { .. } | Format::Ladder { .. } => {
            Ok((Vec::new(), Results::new()))
        }
    }
}

fn cross_table(totals_by_bot: &BotTotals, place: &BTreeMap<usize, usize>) -> Vec<CrossTableEntry> {
    let mut cross_table = Vec::new();
    for (bot, rivals) in totals_by_bot.pairs.iter().enumerate() {
        for (rival, [wins, draws, losses]) in rivals.iter().enumerate() {
            let (a, b) = (place[&bot], place[&rival]);
            if a < b && wins + draws + losses > 0 {
                let (wins, draws, losses) = (*wins, *draws, *losses);
                cross_table.push(CrossTableEntry { a, b, wins, draws, losses });
            }
        }
    }
    cross_table.sort_by_key(|crossing| (crossing.a, crossing.b));
    cross_table
}

fn seats(totals_by_bot: &BotTotals, seats: usize, ratings: &Ratings) -> Vec<SeatShare> {
    let advantages = advantages(seats, ratings);
    let share = |(seat, (halves, games)): (usize, &(u64, u64))| SeatShare {
        seat,
        score: points(*halves, seats) / (*games).max(1) as f64,
        elo: advantages.get(seat).map(|elo| (elo.value, elo.error)),
    };
    totals_by_bot.seats.iter().enumerate().map(share).collect()
}

/// What each seat is worth: of two, above the other; of more, above their mean. Empty if that
/// cannot be told.
fn advantages(seats: usize, ratings: &Ratings) -> Vec<Estimate> {
    if seats == 2 {
        let first = ratings.first_seat_advantage();
        let second = first.map(|first| Estimate { value: -first.value, ..first });
        return first.into_iter().chain(second).collect();
    }
    let table = ratings.tables().iter().find(|table| table.seats == seats);
    table.and_then(|table| table.advantage.clone()).unwrap_or_default()
}

fn gaps(totals: &Totals, event: &StoredEvent) -> Vec<TierGap> {
    let usual = totals.tier_games.iter().max_by_key(|(_, games)| **games);
    let Some((usual, _)) = usual else { return Vec::new() };
    let mut gaps = Vec::new();
    for (tier, scores) in totals.tiers.iter().filter(|(tier, _)| *tier != usual) {
        for (bot, here) in scores {
            let Some(there) = totals.tiers[usual].get(bot) else { continue };
            let chance = chance_of_gap(here, there);
            if chance < SUSPICIOUS {
                gaps.push(TierGap {
                    name: event.bots[*bot as usize].name.clone(),
                    usual: (usual.clone(), there.sum / there.games),
                    other: (tier.clone(), here.sum / here.games),
                    chance,
                });
            }
        }
    }
    gaps
}

/// How likely two scores differ so much by chance, by the normal approximation.
fn chance_of_gap(a: &TierScore, b: &TierScore) -> f64 {
    let mean = |score: &TierScore| score.sum / score.games;
    // One half of a game each way, so that no spread is zero.
    let variance = |score: &TierScore| {
        let mean = (score.sum + 0.5) / (score.games + 1.0);
        let spread = (score.squares + 0.5) / (score.games + 1.0) - mean * mean;
        spread.max(0.01) / score.games
    };
    let z = (mean(a) - mean(b)) / (variance(a) + variance(b)).sqrt();
    2.0 * stats::cumulative(-z.abs())
}

/// What must be known about the ratings, with the bots' names.
fn notes(ratings: &Ratings, event: &StoredEvent, repeats: Option<String>) -> Vec<String> {
    let name = |player: Player| event.bots[player.0].name.clone();
    ratings.notes().iter().map(|note| note.sentence(name)).chain(repeats).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differences_beyond_chance_are_gaps_between_tiers() {
        let score = |games: f64, wins: f64| TierScore { games, sum: wins, squares: wins };
        assert!(chance_of_gap(&score(100.0, 50.0), &score(100.0, 55.0)) > 0.3);
        assert!(chance_of_gap(&score(100.0, 30.0), &score(100.0, 70.0)) < 1e-6);
        assert!(chance_of_gap(&score(1.0, 0.0), &score(1.0, 1.0)) > SUSPICIOUS);
        assert!(chance_of_gap(&score(50.0, 50.0), &score(50.0, 50.0)) > 0.99);
    }
    #[test]
    fn of_two_seats_the_first_is_worth_its_whole_distance_from_the_second() {
        let mut counted = ResultCounts::new();
        for seating in [vec![0, 1], vec![1, 0]] {
            counted.insert((seating.clone(), vec![1, 2]), 64_000);
            counted.insert((seating, vec![2, 1]), 36_000);
        }
        let ratings = rate(&["a", "b"], &counted, &Anchors::new());
        let seats = seats(&BotTotals::new(2, &counted), 2, &ratings);
        let [(first, error), (second, same)] = [0, 1].map(|seat| seats[seat].elo.expect("it is"));
        // 64 % of the points are 100 Elo.
        assert!((first - 100.0).abs() < 0.1 && second == -first, "{first} {second}");
        assert!(error == same && error > 1.0 && error < 3.0, "{error}");
        assert_eq!((seats[0].score, seats[1].score), (0.64, 0.36));
    }

    #[test]
    fn of_more_seats_each_is_measured_by_the_mean_of_all() {
        let mut counted = ResultCounts::new();
        for seating in [vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1]] {
            counted.insert((seating.clone(), vec![1, 2, 3]), 60);
            counted.insert((seating, vec![3, 2, 1]), 40);
        }
        let seats = seats(
            &BotTotals::new(3, &counted),
            3,
            &rate(&["a", "b", "c"], &counted, &Anchors::new()),
        );
        let sum: f64 = seats.iter().map(|seat| seat.elo.expect("it can be told").0).sum();
        assert!(sum.abs() < 1e-6, "{sum}");
        assert!(seats[0].elo > seats[2].elo);
    }
}
