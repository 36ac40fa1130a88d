//! Ratings of a field, with what can be said about differences.

use std::f64::consts::LN_10;

use crate::evidence::TableLayout;
use crate::field::{Field, Player};
use crate::fit::{Fit, Prior, Problem};
use crate::normal::cumulative;
use crate::notes::{self, Note};
use crate::summary::Z;

/// A value and half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The likeliest value.
    pub value: f64,
    /// Half the width of the interval.
    pub error: f64,
}

/// The rating of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// In Elo; the mean of all who are linked by games is 1500.
    pub elo: Estimate,
    /// How many games it played.
    pub games: u64,
}

/// What is peculiar to games with one number of seats.
#[derive(Clone, Debug, PartialEq)]
pub struct TableEffects {
    /// How many seats.
    pub seats: usize,
    /// How many games.
    pub games: u64,
    /// What each seat is worth in Elo, above the mean of the seats; none if nobody changed seats.
    pub advantage: Option<Vec<Estimate>>,
    /// With two seats Davidson's ν: two equals draw ν times as often as either wins.
    pub draw_nu: Option<f64>,
    /// With two seats the share of draws between equals in equal seats, ν / (2 + ν).
    pub draw_rate: Option<f64>,
}

/// Ratings of a field and their covariance.
#[derive(Clone, Debug)]
pub struct Ratings {
    players: Vec<Rating>,
    tables: Vec<TableEffects>,
    first_seat: Option<Estimate>,
    notes: Vec<Note>,
    /// Covariance of the strengths inside their groups, in Elo², row by row.
    covariance: Vec<f64>,
    /// For each player the group it belongs to.
    group: Vec<usize>,
    /// For each group how much its mean might lie elsewhere, in Elo²; nothing but the prior knows.
    afloat: Vec<f64>,
}

/// The mean of ratings.
const MEAN: f64 = 1500.0;
/// Elo per natural unit of strength.
const ELO: f64 = 400.0 / LN_10;
/// Weak priors: a rating is within 1000 of the mean in two cases of three, a seat worth 400 at
/// most, and a draw 20 natural units from being as common as a win.
pub(crate) const PRIOR: Prior = Prior { strength: 1000.0 / ELO, seat: 400.0 / ELO, tie: 20.0 };

impl Estimate {
    /// The lower end of the interval.
    pub fn low(&self) -> f64 {
        self.value - self.error
    }

    /// The upper end of the interval.
    pub fn high(&self) -> f64 {
        self.value + self.error
    }

    fn new(value: f64, variance: f64) -> Estimate {
        Estimate { value, error: Z * variance.max(0.0).sqrt() }
    }
}

impl Ratings {
    pub(crate) fn of(field: &Field) -> Ratings {
        Ratings::with_prior(field, PRIOR)
    }

    pub(crate) fn with_prior(field: &Field, prior: Prior) -> Ratings {
        let groups = notes::groups(field);
        let mut notes = notes::notes(field, &groups);
        let mut problem = Problem::new(field, &groups, &[], prior);
        let confounded = problem.confounded();
        if !confounded.is_empty() {
            problem = Problem::new(field, &groups, &confounded, prior);
            notes.retain(|note| {
                !matches!(note, Note::SeatWonAll { seats, .. } if confounded.contains(seats))
            });
            notes.extend(confounded.iter().map(|&seats| Note::SeatsConfounded { seats }));
        }
        let fit = problem.fit();
        let count = field.players();
        let mut covariance = Vec::with_capacity(count * count);
        for one in 0..count {
            covariance.extend((0..count).map(|other| fit.covariance.at(one, other) * ELO * ELO));
        }
        let mut group = vec![0; count];
        for (index, members) in groups.iter().enumerate() {
            members.iter().for_each(|member| group[member.0] = index);
        }
        let afloat: Vec<f64> = groups
            .iter()
            .map(|members| (prior.strength * ELO).powi(2) / members.len() as f64)
            .collect();
        let games = games(field);
        let players = (0..count)
            .map(|at| {
                let alone = groups[group[at]].len() == 1;
                let variance = if alone { afloat[group[at]] } else { covariance[at * count + at] };
                let elo = Estimate::new(MEAN + fit.values[at] * ELO, variance);
                Rating { elo, games: games[at] }
            })
            .collect();
        let tables = tables(field, &problem, &fit);
        let first_seat = problem.tables.get(&2).and_then(|table| table.seats).map(|first| {
            let (value, second) = (fit.values[first] - fit.values[first + 1], first + 1);
            Estimate::new(value * ELO, spread(&fit, first, second) * ELO * ELO)
        });
        Ratings { players, tables, first_seat, notes, covariance, group, afloat }
    }

    /// The rating of one player.
    pub fn player(&self, player: Player) -> Rating {
        self.players[player.0]
    }

    /// All ratings, in the order of the field.
    pub fn players(&self) -> &[Rating] {
        &self.players
    }

    /// The players, best first; equals in the order of the field.
    pub fn order(&self) -> Vec<Player> {
        let mut order: Vec<Player> = (0..self.players.len()).map(Player).collect();
        let elo = |player: &Player| self.players[player.0].elo.value;
        order.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
        order
    }

    /// How far `one` is above `other`, in Elo. Its interval is that of the difference, which is
    /// not to be had from the intervals of the two.
    pub fn difference(&self, one: Player, other: Player) -> Estimate {
        let value = self.players[one.0].elo.value - self.players[other.0].elo.value;
        Estimate::new(value, self.variance(one, other))
    }

    /// The probability that `one` is stronger than `other`.
    pub fn superiority(&self, one: Player, other: Player) -> f64 {
        let value = self.players[one.0].elo.value - self.players[other.0].elo.value;
        let variance = self.variance(one, other);
        if variance > 0.0 { cumulative(value / variance.sqrt()) } else { 0.5 }
    }

    /// What is peculiar to each number of seats, fewest first.
    pub fn tables(&self) -> &[TableEffects] {
        &self.tables
    }

    /// With two seats how much the first is worth above the second, in Elo; none if nobody changed
    /// seats.
    pub fn first_seat_advantage(&self) -> Option<Estimate> {
        self.first_seat
    }

    /// What a reader must know.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The variance of a difference.
    fn variance(&self, one: Player, other: Player) -> f64 {
        if one == other {
            return 0.0;
        }
        let count = self.players.len();
        let at = |one: Player, other: Player| self.covariance[one.0 * count + other.0];
        let inside = at(one, one) + at(other, other) - at(one, other) - at(other, one);
        let (group, other_group) = (self.group[one.0], self.group[other.0]);
        if group == other_group {
            inside
        } else {
            inside + self.afloat[group] + self.afloat[other_group]
        }
    }
}

/// The variance of the difference of two parameters.
fn spread(fit: &Fit, one: usize, other: usize) -> f64 {
    let at = |one, other| fit.covariance.at(one, other);
    at(one, one) + at(other, other) - 2.0 * at(one, other)
}

/// How many games each player played.
fn games(field: &Field) -> Vec<u64> {
    let mut games = vec![0_u64; field.players()];
    for (finish, count) in field.results() {
        for player in &finish.seating {
            games[player.0] = games[player.0].saturating_add(count);
        }
    }
    games
}

fn tables(field: &Field, problem: &Problem, fit: &Fit) -> Vec<TableEffects> {
    let effects = |(&seats, table): (&usize, &TableLayout)| {
        let here = field.results().filter(|(finish, _)| finish.seating.len() == seats);
        let games = here.fold(0_u64, |sum, (_, count)| sum.saturating_add(count));
        let advantage = table.seats.map(|begin| {
            let seat = |at: usize| {
                Estimate::new(fit.values[at] * ELO, fit.covariance.at(at, at) * ELO * ELO)
            };
            (begin..begin + seats).map(seat).collect()
        });
        let nu = table.ties.get(&(2, 2)).map_or(0.0, |&at| fit.values[at].exp());
        let draw_nu = (seats == 2).then_some(nu);
        let draw_rate = draw_nu.map(|nu| nu / (2.0 + nu));
        TableEffects { seats, games, advantage, draw_nu, draw_rate }
    };
    problem.tables.iter().map(effects).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::field::PairResults;

    const NO_PRIOR: Prior =
        Prior { strength: f64::INFINITY, seat: f64::INFINITY, tie: f64::INFINITY };

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
    }

    fn field_of(case: &Value) -> Field {
        let mut field = Field::new(case["players"].as_u64().expect("a number") as usize);
        for result in case["results"].as_array().expect("a list") {
            let list = |name: &str| numbers(&result[name]);
            let seating: Vec<Player> =
                list("seating").iter().map(|&player| Player(player as usize)).collect();
            let ranks: Vec<u32> = list("ranks").iter().map(|&rank| rank as u32).collect();
            field.add(&seating, &ranks, result["count"].as_u64().expect("a count")).expect("sound");
        }
        field
    }

    fn cases() -> Vec<Value> {
        let data: Value = serde_json::from_str(include_str!("../tests-data/ratings.json"))
            .expect("the file is sound");
        data["cases"].as_array().expect("a list").clone()
    }

    fn rated(case: &Value) -> Ratings {
        let prior = if case["prior"] == true { PRIOR } else { NO_PRIOR };
        Ratings::with_prior(&field_of(case), prior)
    }

    #[track_caller]
    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-7 * wanted.abs().max(1.0), "{found}, not {wanted}");
    }

    #[test]
    fn figures_found_by_brute_force_are_reproduced() {
        for case in cases() {
            let ratings = rated(&case);
            let (elo, errors) = (numbers(&case["ratings"]), numbers(&case["errors"]));
            for (rating, (elo, error)) in ratings.players().iter().zip(elo.iter().zip(&errors)) {
                near(rating.elo.value, *elo);
                near(rating.elo.error, *error);
            }
            let difference = ratings.difference(Player(0), Player(1));
            let wanted = numbers(&case["difference_0_1"]);
            near(difference.value, wanted[0]);
            near(difference.error, wanted[1]);
            for table in ratings.tables() {
                let wanted = case["seats"][table.seats.to_string()].as_array().expect("a list");
                let found = table.advantage.as_ref().expect("seats were changed");
                assert_eq!(found.len(), wanted.len());
                for (found, wanted) in found.iter().zip(wanted) {
                    near(found.value, numbers(wanted)[0]);
                    near(found.error, numbers(wanted)[1]);
                }
                if let (Some(nu), 2) = (case["nu"].as_f64(), table.seats) {
                    near(table.draw_nu.expect("two seats"), nu);
                }
            }
        }
    }

    #[test]
    fn the_baseball_season_of_agresti_is_rated_as_published() {
        let case = &cases()[0];
        assert_eq!(case["name"], "baseball 1987");
        let ratings = rated(case);
        let strengths: Vec<f64> =
            ratings.players().iter().map(|rating| (rating.elo.value / ELO).exp()).collect();
        let sum: f64 = strengths.iter().sum();
        // Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
        let published = [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044];
        for (strength, published) in strengths.iter().zip(published) {
            assert!((strength / sum - published).abs() < 0.0005);
        }
        let home = ratings.first_seat_advantage().expect("all played at home and away");
        assert!((home.value / ELO - 0.302).abs() < 0.0005);
    }

    fn pair(first_wins: u64, draws: u64, second_wins: u64) -> PairResults {
        PairResults { first_wins, draws, second_wins }
    }

    fn field(players: usize, games: &[(usize, usize, PairResults)]) -> Field {
        let mut field = Field::new(players);
        for &(first, second, results) in games {
            field.add_pair(Player(first), Player(second), results).expect("they are in the field");
        }
        field
    }

    fn finite(ratings: &Ratings) {
        let estimate =
            |estimate: Estimate| estimate.value.is_finite() && estimate.error.is_finite();
        let players: Vec<Player> = (0..ratings.players().len()).map(Player).collect();
        for &one in &players {
            assert!(estimate(ratings.player(one).elo), "{ratings:?}");
            for &other in &players {
                assert!(estimate(ratings.difference(one, other)), "{ratings:?}");
                let sum = ratings.superiority(one, other) + ratings.superiority(other, one);
                assert!((sum - 1.0).abs() < 1e-12, "{ratings:?}");
            }
        }
        for table in ratings.tables() {
            assert!(table.advantage.iter().flatten().all(|seat| estimate(*seat)), "{ratings:?}");
            assert!(table.draw_rate.is_none_or(|rate| (0.0..=1.0).contains(&rate)));
        }
    }

    #[test]
    fn poor_fields_are_rated_too() {
        let huge = u64::MAX;
        let fields = [
            field(0, &[]),
            field(1, &[]),
            field(3, &[]),
            field(2, &[(0, 1, pair(1, 0, 0))]),
            field(2, &[(0, 1, pair(0, 1, 0))]),
            field(2, &[(0, 1, pair(0, 500, 0)), (1, 0, pair(0, 500, 0))]),
            field(2, &[(0, 1, pair(500, 0, 0)), (1, 0, pair(0, 0, 500))]),
            field(2, &[(0, 1, pair(500, 0, 0)), (1, 0, pair(500, 0, 0))]),
            field(2, &[(0, 1, pair(huge, 0, 0)), (1, 0, pair(0, 0, huge))]),
            field(2, &[(0, 1, pair(huge, huge, huge))]),
            field(3, &[(0, 1, pair(huge, 0, 0)), (1, 2, pair(1, 0, 0))]),
            field(4, &[(0, 1, pair(3, 0, 1)), (2, 3, pair(0, 2, 9))]),
        ];
        for field in &fields {
            finite(&field.rate());
        }
        let mut many = Field::new(20);
        let seating: Vec<Player> = (0..20).map(Player).collect();
        many.add(&seating, &[1; 20], 3).expect("sound");
        many.add(&seating, &std::array::from_fn::<u32, 20, _>(|at| at as u32 / 7), 2)
            .expect("sound");
        finite(&many.rate());
    }

    #[test]
    fn equal_results_give_equal_ratings() {
        let ratings =
            field(3, &[(0, 1, pair(5, 2, 5)), (1, 2, pair(5, 2, 5)), (2, 0, pair(5, 2, 5))]).rate();
        for rating in ratings.players() {
            near(rating.elo.value, 1500.0);
            near(rating.elo.error, ratings.players()[0].elo.error);
        }
        near(ratings.superiority(Player(0), Player(2)), 0.5);
        assert_eq!(ratings.superiority(Player(1), Player(1)), 0.5);
        let draws = ratings.tables()[0].draw_rate.expect("two seats");
        assert!((draws - 2.0 / 12.0).abs() < 1e-4, "{draws}");
    }

    #[test]
    fn the_interval_of_a_difference_is_not_that_of_two_bots_alone() {
        // Two who met each other often and a third only rarely.
        let games = [
            (0, 1, pair(400, 100, 390)),
            (1, 0, pair(380, 90, 410)),
            (1, 2, pair(2, 0, 1)),
            (2, 1, pair(1, 0, 2)),
        ];
        let ratings = field(3, &games).rate();
        let alone = ratings.player(Player(0)).elo.error.hypot(ratings.player(Player(1)).elo.error);
        assert!(ratings.difference(Player(0), Player(1)).error < alone / 3.0);
    }

    #[test]
    fn groups_that_never_met_are_named_and_not_compared() {
        let games = [(0, 1, pair(30, 5, 9)), (1, 0, pair(12, 5, 30)), (2, 3, pair(8, 1, 7))];
        let ratings = field(5, &games).rate();
        let players = |list: &[usize]| list.iter().map(|&at| Player(at)).collect::<Vec<_>>();
        assert!(ratings.notes().contains(&Note::NoGames { players: players(&[4]) }));
        let groups = vec![players(&[0, 1]), players(&[2, 3])];
        assert!(ratings.notes().contains(&Note::Disconnected { groups }));
        let mean =
            f64::midpoint(ratings.player(Player(0)).elo.value, ratings.player(Player(1)).elo.value);
        near(mean, 1500.0);
        assert!(ratings.superiority(Player(0), Player(1)) > 0.99);
        assert!((ratings.superiority(Player(0), Player(3)) - 0.5).abs() < 0.1);
        assert!(ratings.difference(Player(0), Player(3)).error > 1500.0);
        near(ratings.player(Player(4)).elo.error, 1000.0 * Z);
    }

    #[test]
    fn the_one_sided_are_named() {
        let games = [
            (0, 1, pair(9, 0, 0)),
            (1, 2, pair(4, 1, 3)),
            (2, 3, pair(7, 0, 0)),
            (3, 1, pair(0, 0, 2)),
        ];
        let ratings = field(4, &games).rate();
        assert!(ratings.notes().contains(&Note::WonAll { player: Player(0) }));
        assert!(ratings.notes().contains(&Note::LostAll { player: Player(3) }));
        assert_eq!(ratings.order()[0], Player(0));
        assert_eq!(ratings.order()[3], Player(3));
        let games = [(0, 1, pair(2, 0, 2)), (2, 3, pair(2, 0, 2)), (0, 2, pair(5, 0, 0))];
        let ratings = field(4, &games).rate();
        let tiers = vec![vec![Player(0), Player(1)], vec![Player(2), Player(3)]];
        assert!(ratings.notes().contains(&Note::Separated { tiers }), "{:?}", ratings.notes());
        let sound = [(0, 1, pair(3, 0, 2)), (1, 0, pair(3, 0, 3))];
        assert_eq!(field(2, &sound).rate().notes(), []);
    }

    #[test]
    fn a_seat_is_rated_only_if_players_changed_seats() {
        // Whoever is first in the alphabet sits first: that might be strength as well.
        let fixed = [(0, 1, pair(30, 0, 20)), (0, 2, pair(35, 0, 15)), (1, 2, pair(30, 0, 20))];
        // Here 0 − 1, 1 − 2 and 0 − 2 each contain the seat once, and cannot all be its doing.
        assert!(field(3, &fixed).rate().first_seat_advantage().is_some());
        let bound = [(0, 1, pair(30, 0, 20)), (2, 1, pair(35, 0, 15))];
        let ratings = field(3, &bound).rate();
        assert_eq!(ratings.first_seat_advantage(), None);
        assert_eq!(ratings.notes(), [Note::SeatsConfounded { seats: 2 }]);
        let swapped = [(0, 1, pair(300, 0, 200)), (1, 0, pair(300, 0, 200))];
        let ratings = field(2, &swapped).rate();
        let advantage = ratings.first_seat_advantage().expect("they changed seats");
        assert!((advantage.value - 400.0 * 1.5_f64.log10()).abs() < 0.5, "{advantage:?}");
        near(ratings.player(Player(0)).elo.value, 1500.0);
        let always = [(0, 1, pair(9, 0, 0)), (1, 0, pair(9, 0, 0))];
        assert_eq!(field(2, &always).rate().notes(), [Note::SeatWonAll { seats: 2, seat: 0 }]);
    }

    #[test]
    fn only_sound_results_are_taken() {
        let mut field = Field::new(3);
        let (one, other) = (Player(0), Player(1));
        for (seating, ranks) in [
            (&[one, Player(3)][..], &[1, 2][..]),
            (&[one, one], &[1, 2]),
            (&[one], &[1]),
            (&[one, other], &[1, 2, 3]),
        ] {
            assert!(field.add(seating, ranks, 1).is_err(), "{seating:?} {ranks:?}");
        }
        field.add(&[one, other], &[7, 900], 2).expect("gaps do not matter");
        field.add(&[one, other], &[1, 2], 3).expect("sound");
        assert_eq!((field.games(), field.results().count()), (5, 1));
    }

    #[test]
    fn who_alone_wins_is_enough_for_a_rating() {
        // Everybody but the winner is tied for second place: the prevalence of ties among those
        // left must not be taken for one of ties for the first place.
        let mut winners = Field::new(3);
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            for (winner, count) in [(0, 60), (1, 30), (2, 10)] {
                let ranks = order.map(|player| if player == winner { 1 } else { 2 });
                winners.add(&order.map(Player), &ranks, count).expect("sound");
            }
        }
        let ratings = winners.rate();
        // Luce: the strengths are as 6 to 3 to 1.
        let difference = |one, other| ratings.difference(Player(one), Player(other)).value;
        assert!((difference(0, 1) - 400.0 * 2_f64.log10()).abs() < 1.0, "{}", difference(0, 1));
        assert!((difference(1, 2) - 400.0 * 3_f64.log10()).abs() < 1.0, "{}", difference(1, 2));
    }
}
