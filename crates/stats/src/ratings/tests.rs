//! Ratings of small fields, and what published and brute-force figures say of them.

use serde_json::Value;

use super::*;
use crate::field::PairResults;

const NO_PRIOR: Prior = Prior { strength: f64::INFINITY, seat: f64::INFINITY, tie: f64::INFINITY };

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
    let data: Value = serde_json::from_str(include_str!("../../tests-data/ratings.json"))
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
            near(rating.strength.value, *elo);
            near(rating.strength.error, *error);
        }
        let [one, other] = [0, 1].map(|at| ratings.players()[at].strength.value);
        let wanted = numbers(&case["difference_0_1"]);
        near(one - other, wanted[0]);
        near(Z * ratings.fit.spread(0, 1).sqrt() * ELO, wanted[1]);
        for table in ratings.tables() {
            let wanted = case["seats"][table.seats.to_string()].as_array().expect("a list");
            let found = table.strengths.as_ref().expect("seats were changed");
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
        ratings.players().iter().map(|rating| (rating.strength.value / ELO).exp()).collect();
    let sum: f64 = strengths.iter().sum();
    // Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
    let published = [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044];
    for (strength, published) in strengths.iter().zip(published) {
        assert!((strength / sum - published).abs() < 0.0005);
    }
    let seats = ratings.tables()[0].strengths.as_ref().expect("all played at home and away");
    assert!(((seats[0].value - seats[1].value) / ELO - 0.302).abs() < 0.0005);
    // Without draws a seat's strength is its Elo.
    let home = ratings.first_seat_advantage().expect("all played at home and away");
    near(home.value, seats[0].value - seats[1].value);
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
    let estimate = |estimate: Estimate| estimate.value.is_finite() && estimate.error.is_finite();
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
    many.add(&seating, &std::array::from_fn::<u32, 20, _>(|at| at as u32 / 7), 2).expect("sound");
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
    assert!(ratings.notes().contains(&RatingNote::NoGames { players: players(&[4]) }));
    let groups = vec![players(&[0, 1]), players(&[2, 3])];
    assert!(ratings.notes().contains(&RatingNote::Disconnected { groups }));
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
    assert!(ratings.notes().contains(&RatingNote::WonAll { player: Player(0) }));
    assert!(ratings.notes().contains(&RatingNote::LostAll { player: Player(3) }));
    assert_eq!(ratings.order()[0], Player(0));
    assert_eq!(ratings.order()[3], Player(3));
    let games = [(0, 1, pair(2, 0, 2)), (2, 3, pair(2, 0, 2)), (0, 2, pair(5, 0, 0))];
    let ratings = field(4, &games).rate();
    let tiers = vec![vec![Player(0), Player(1)], vec![Player(2), Player(3)]];
    assert!(ratings.notes().contains(&RatingNote::Separated { tiers }), "{:?}", ratings.notes());
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
    assert_eq!(ratings.notes(), [RatingNote::SeatsConfounded { seats: 2 }]);
    let swapped = [(0, 1, pair(300, 0, 200)), (1, 0, pair(300, 0, 200))];
    let ratings = field(2, &swapped).rate();
    let advantage = ratings.first_seat_advantage().expect("they changed seats");
    assert!((advantage.value - 400.0 * 1.5_f64.log10()).abs() < 0.5, "{advantage:?}");
    near(ratings.player(Player(0)).elo.value, 1500.0);
    let always = [(0, 1, pair(9, 0, 0)), (1, 0, pair(9, 0, 0))];
    assert_eq!(field(2, &always).rate().notes(), [RatingNote::SeatWonAll { seats: 2, seat: 0 }]);
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
    let strength = |player| ratings.player(Player(player)).strength.value;
    let difference = |one, other| strength(one) - strength(other);
    assert!((difference(0, 1) - 400.0 * 2_f64.log10()).abs() < 1.0, "{}", difference(0, 1));
    assert!((difference(1, 2) - 400.0 * 3_f64.log10()).abs() < 1.0, "{}", difference(1, 2));
    // In points they lie nearer together: who has not won is level with everybody else who has
    // not. The first scores 0.6 + 0.4 of halves against both others, and so on.
    let score = |one: usize, others: [usize; 2]| {
        let elo = |other| ratings.difference(Player(one), Player(other)).value;
        others.map(|other| 1.0 / (1.0 + 10_f64.powf(-elo(other) / 400.0))).iter().sum::<f64>()
    };
    // Of each pair: the share of games one won, and half of those the third won.
    for (one, others, wanted) in [(0, [1, 2], 1.4), (1, [0, 2], 0.95), (2, [0, 1], 0.65)] {
        let found = score(one, others);
        assert!((found - wanted).abs() < 0.005, "{one}: {found}, not {wanted}");
    }
}

#[test]
fn two_players_are_as_far_apart_as_their_score_says() {
    for (wins, draws, losses) in [(30, 60, 10), (50, 0, 50), (40, 20, 40), (70, 25, 5)] {
        let half = pair(wins, draws, losses);
        let ratings = field(2, &[(0, 1, half), (1, 0, pair(losses, draws, wins))]).rate();
        let counts = crate::Counts::new(&[2 * losses, 2 * draws, 2 * wins]).expect("three");
        let summary = crate::Summary::of(&counts);
        let found = ratings.difference(Player(0), Player(1));
        // The prior of 1000 Elo takes a little.
        assert!((found.value - summary.elo).abs() < 0.7, "{found:?} {summary:?}");
        assert!((found.error / summary.elo_error - 1.0).abs() < 0.05, "{found:?} {summary:?}");
        let superior = ratings.superiority(Player(0), Player(1));
        assert!((superior - summary.los).abs() < 0.005, "{superior} {summary:?}");
    }
}

#[test]
fn ratings_give_everybody_the_score_the_model_expects() {
    let games = [
        (0, 1, pair(30, 40, 5)),
        (1, 0, pair(22, 41, 12)),
        (1, 2, pair(60, 20, 5)),
        (2, 1, pair(9, 20, 31)),
        (2, 3, pair(15, 30, 20)),
        (3, 0, pair(2, 10, 30)),
    ];
    let ratings = field(4, &games).rate();
    let nu = ratings.tables()[0].draw_nu.expect("two seats");
    let seat = ratings.tables()[0].strengths.as_ref().expect("seats were changed");
    let seat = (seat[0].value - seat[1].value) / ELO;
    let strength = |player: usize| ratings.player(Player(player)).strength.value / ELO;
    for one in 0..4 {
        let (mut model, mut elo) = (0.0, 0.0);
        for other in (0..4).filter(|&other| other != one) {
            for seat in [seat, -seat] {
                let x = strength(one) - strength(other) + seat;
                let total = (x / 2.0).exp() + (-x / 2.0).exp() + nu;
                model += ((x / 2.0).exp() + nu / 2.0) / total / 2.0;
            }
            let apart = ratings.difference(Player(one), Player(other)).value;
            elo += 1.0 / (1.0 + 10_f64.powf(-apart / 400.0));
        }
        near(elo, model);
    }
    let mean = ratings.players().iter().map(|rating| rating.elo.value).sum::<f64>() / 4.0;
    near(mean, 1500.0);
    // The order is that of strengths.
    let mut by_elo: Vec<usize> = (0..4).collect();
    let elo = |at: &usize| ratings.players()[*at].elo.value;
    by_elo.sort_by(|a, b| elo(b).total_cmp(&elo(a)));
    assert_eq!(by_elo, ratings.order().iter().map(|player| player.0).collect::<Vec<_>>());
}

#[test]
fn a_field_of_draws_alone_is_as_uncertain_as_its_number_of_games() {
    for (games, within) in [(1, 200.0..600.0), (10, 20.0..70.0), (1000, 0.2..1.0)] {
        let draws = pair(0, games, 0);
        let all = [(0, 1, draws), (1, 0, draws), (1, 2, draws), (2, 0, draws)];
        let ratings = field(3, &all).rate();
        for rating in ratings.players() {
            near(rating.elo.value, 1500.0);
            assert!(within.contains(&rating.elo.error), "{games}: {rating:?}");
        }
        let seat = ratings.first_seat_advantage().expect("seats were changed");
        assert!(seat.error < 1000.0, "{seat:?}");
        assert_eq!(ratings.notes(), [RatingNote::OnlyTies { seats: 2 }]);
    }
}

#[test]
fn the_anchored_have_the_rating_they_are_given() {
    let games = [
        (0, 1, pair(30, 40, 5)),
        (1, 0, pair(22, 41, 12)),
        (1, 2, pair(60, 20, 5)),
        (2, 0, pair(9, 20, 31)),
    ];
    let free = field(3, &games).rate();
    let mut one = field(3, &games);
    one.anchor(Player(1), 2000.0).expect("it is there");
    let one = one.rate();
    let player = |ratings: &Ratings, at| ratings.player(Player(at)).elo;
    near(player(&one, 1).value, 2000.0);
    assert!(player(&one, 1).error < 0.01);
    for other in [0, 2] {
        // Nothing but the place of the zero is different, the weak prior aside.
        let apart = free.difference(Player(other), Player(1));
        assert!((player(&one, other).value - 2000.0 - apart.value).abs() < 0.5);
        assert!((player(&one, other).error - apart.error).abs() < 0.5);
    }
    let mut two = field(3, &games);
    two.anchor(Player(1), 2000.0).expect("it is there");
    two.anchor(Player(2), 1900.0).expect("it is there");
    let two = two.rate();
    near(player(&two, 1).value, 2000.0);
    near(player(&two, 2).value, 1900.0);
    assert!(player(&two, 0).value > 2000.0 && player(&two, 0).error < player(&one, 0).error + 5.0);
    assert!(field(3, &games).anchor(Player(3), 0.0).is_err());
}

#[test]
fn superiority_is_that_of_the_exact_posterior() {
    // Two bots that changed seats; integrated over difference, seat and draws.
    let cases = [
        [pair(5, 0, 0), pair(0, 0, 5)],
        [pair(1, 0, 0), pair(0, 0, 1)],
        [pair(1, 1, 0), pair(0, 0, 2)],
        [pair(3, 0, 1), pair(1, 0, 3)],
        [pair(5, 0, 0), pair(1, 0, 4)],
        [pair(2, 5, 0), pair(0, 4, 2)],
        [pair(4, 0, 0), pair(3, 0, 1)],
        [pair(0, 3, 1), pair(0, 3, 0)],
    ];
    for [there, back] in cases {
        let ratings = field(2, &[(0, 1, there), (1, 0, back)]).rate();
        let found = ratings.superiority(Player(0), Player(1));
        let exact = integrated(there, back, ratings.tables()[0].draw_nu.unwrap_or(0.0));
        assert!((found - exact).abs() < 0.005, "{there:?} {back:?}: {found}, not {exact}");
    }
}

/// The share of the posterior with the first of two players above the second, by sums over a
/// grid. Without any draw their frequency is zero.
fn integrated(there: PairResults, back: PairResults, draw_nu: f64) -> f64 {
    let draws = draw_nu > 0.0;
    let two = std::f64::consts::SQRT_2;
    let (mut above, mut below) = (0.0, 0.0);
    let grid = |count: i32, width: f64| {
        (-count..count).map(move |at| (f64::from(at) + 0.5) / f64::from(count) * width)
    };
    let ties: Vec<f64> = if draws { grid(60, 60.0).collect() } else { vec![f64::NEG_INFINITY] };
    for apart in grid(100, 5.0 * two * PRIOR.strength) {
        for seat in grid(60, 5.0 * two * PRIOR.seat) {
            for &tie in &ties {
                let mut log = -0.5 * (apart / two / PRIOR.strength).powi(2)
                    - 0.5 * (seat / two / PRIOR.seat).powi(2);
                if draws {
                    log -= 0.5 * (tie / PRIOR.tie).powi(2);
                }
                for (u, games) in [(apart + seat, there), (seat - apart, back)] {
                    let logs = [u / 2.0, tie, -u / 2.0];
                    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let sum = top + logs.iter().map(|log| (log - top).exp()).sum::<f64>().ln();
                    let counts = [games.first_wins, games.draws, games.second_wins];
                    for (one, count) in logs.iter().zip(counts).filter(|(_, count)| *count > 0) {
                        log += count as f64 * (one - sum);
                    }
                }
                *if apart > 0.0 { &mut above } else { &mut below } += log.exp();
            }
        }
    }
    above / (above + below)
}

#[test]
fn superiority_is_that_of_the_exact_posterior_in_larger_fields() {
    // Everybody has met the first player alone: given its strength, the others are independent of
    // each other, and the posterior is an integral over one strength at a time. Nobody changed
    // seats.
    let records = [(0, 1), (1, 0), (2, 0), (0, 3), (1, 2), (2, 2), (5, 1), (0, 6), (4, 3), (10, 0)];
    let leaves: Vec<(u32, u32)> = records.iter().copied().cycle().take(24).collect();
    let games: Vec<(usize, usize, PairResults)> = leaves
        .iter()
        .enumerate()
        .map(|(at, &(won, lost))| (0, at + 1, pair(lost.into(), 0, won.into())))
        .collect();
    let ratings = field(leaves.len() + 1, &games).rate();
    let star = Star::new(&leaves);
    let mut worst = (0.0, String::new());
    for one in 0..records.len() {
        let check = |found: f64, exact: f64, against: String| {
            let error = (found - exact).abs();
            (error, format!("{:?} against {against}: {found}, not {exact}", records[one]))
        };
        let found = ratings.superiority(Player(one + 1), Player(0));
        let mut errors = vec![check(found, star.above_hub(one), "the hub".to_owned())];
        for other in (0..one).rev() {
            let found = ratings.superiority(Player(one + 1), Player(other + 1));
            let against = format!("{:?}", records[other]);
            errors.push(check(found, star.above(one, other), against));
        }
        for error in errors {
            if error.0 > worst.0 {
                worst = error;
            }
        }
    }
    assert!(worst.0 < 0.006, "{} by {}", worst.1, worst.0);
}

/// The exact posterior of a field in which everybody has met one player alone, on a grid.
struct Star {
    /// Strengths.
    grid: Vec<f64>,
    /// For each strength of the hub: the density of everything, the others integrated out.
    hub: Vec<f64>,
    /// For each other player, for each strength of the hub: the density of its strength.
    leaves: Vec<Vec<Vec<f64>>>,
}

impl Star {
    fn new(records: &[(u32, u32)]) -> Star {
        const HALF: i32 = 250;
        let grid: Vec<f64> =
            (-HALF..=HALF).map(|at| f64::from(at) / f64::from(HALF) * 25.0).collect();
        let prior = |at: f64| -0.5 * (at / PRIOR.strength).powi(2);
        let win = |x: f64| -(-x).exp().ln_1p();
        let mut log_hub: Vec<f64> = grid.iter().map(|&at| prior(at)).collect();
        let mut leaves = Vec::new();
        for &(won, lost) in records {
            let given_hub = |hub: usize| {
                let density = |&at: &f64| {
                    let x = at - grid[hub];
                    prior(at) + f64::from(won) * win(x) + f64::from(lost) * win(-x)
                };
                let values: Vec<f64> = grid.iter().map(|at| density(at).exp()).collect();
                let sum: f64 = values.iter().sum();
                (sum, values.iter().map(|value| value / sum).collect::<Vec<f64>>())
            };
            let mut of = Vec::new();
            for (hub, log) in log_hub.iter_mut().enumerate() {
                let (sum, density) = given_hub(hub);
                *log += sum.ln();
                of.push(density);
            }
            leaves.push(of);
        }
        let top = log_hub.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let hub: Vec<f64> = log_hub.iter().map(|log| (log - top).exp()).collect();
        let sum: f64 = hub.iter().sum();
        Star { hub: hub.iter().map(|value| value / sum).collect(), grid, leaves }
    }

    /// The share of a density above a place, the place itself by half.
    fn share_above(density: &[f64], place: usize) -> f64 {
        density[place + 1..].iter().sum::<f64>() + density[place] / 2.0
    }

    fn above_hub(&self, leaf: usize) -> f64 {
        (0..self.grid.len())
            .map(|hub| self.hub[hub] * Star::share_above(&self.leaves[leaf][hub], hub))
            .sum()
    }

    fn above(&self, one: usize, other: usize) -> f64 {
        let given_hub = |hub: usize| {
            let (mut above, mut share) = (1.0, 0.0);
            let (one, other) = (&self.leaves[one][hub], &self.leaves[other][hub]);
            for (mine, theirs) in one.iter().zip(other) {
                above -= mine;
                share += theirs * (above + mine / 2.0);
            }
            share
        };
        (0..self.grid.len()).map(|hub| self.hub[hub] * given_hub(hub)).sum()
    }
}
