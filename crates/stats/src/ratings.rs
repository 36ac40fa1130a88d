//! Ratings of a field, with what can be said about differences.

use std::collections::BTreeMap;
use std::f64::consts::LN_10;

use crate::evidence::TableLayout;
use crate::field::{Field, Player};
use crate::fit::{Fit, Prior, Problem};
use crate::matrix::{Matrix, dot};
use crate::normal::cumulative;
use crate::notes::{self, RatingNote};
use crate::scale::{self, ScaleBasis, Scaled, TableKind};
use crate::summary::{self, Z};
use crate::superiority::Densities;

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
    /// In Elo, by expected scores; the mean of all who are linked by games is 1500, unless one of
    /// them is anchored.
    pub elo: Estimate,
    /// The model's own parameter, as 1500 and 400 / ln 10 for each natural unit: differences are
    /// odds of winning to losing, whatever draws and seats make of them.
    pub strength: Estimate,
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
    /// What each seat is worth in Elo, by the expected scores of equals, above the mean of the
    /// seats; none if nobody changed seats.
    pub advantage: Option<Vec<Estimate>>,
    /// The model's own parameters of the seats, as those of players.
    pub strengths: Option<Vec<Estimate>>,
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
    notes: Vec<RatingNote>,
    /// Covariance of the ratings inside their groups, in Elo², row by row.
    covariance: Vec<f64>,
    /// For each player the group it belongs to.
    group: Vec<usize>,
    /// For each group how much its mean might lie elsewhere, in Elo²; nothing but the prior knows.
    afloat: Vec<f64>,
    problem: Problem,
    fit: Fit,
}

/// The mean of ratings.
const MEAN: f64 = 1500.0;
/// Elo per natural unit of strength.
pub(crate) const ELO: f64 = 400.0 / LN_10;
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

/// So often strengths of anchored players are adjusted to what a difference in Elo is.
const ANCHOR_ROUNDS: usize = 6;

impl Ratings {
    pub(crate) fn of(field: &Field) -> Ratings {
        Ratings::with_prior(field, PRIOR)
    }

    pub(crate) fn with_prior(field: &Field, prior: Prior) -> Ratings {
        let groups = notes::groups(field);
        let mut notes = notes::notes(field, &groups);
        let mut given: BTreeMap<Player, f64> =
            field.anchors().iter().map(|(&player, elo)| (player, (elo - MEAN) / ELO)).collect();
        let mut problem = Problem::new(field, &groups, &[], &given, prior);
        let confounded = problem.confounded();
        if !confounded.is_empty() {
            problem = Problem::new(field, &groups, &confounded, &given, prior);
            notes.retain(|note| {
                !matches!(note, RatingNote::SeatWonAll { seats, .. } if confounded.contains(seats))
            });
            notes.extend(confounded.iter().map(|&seats| RatingNote::SeatsConfounded { seats }));
        }
        let games = table_games(field);
        let mut fit = problem.fit();
        // How far apart two strengths have to be for a given distance in Elo depends on draws and
        // seats, which depend on the fit.
        for _ in 0..if given.len() > 1 { ANCHOR_ROUNDS } else { 0 } {
            let kinds = TableKind::all(&problem.tables, &games, &fit.values);
            for group in &groups {
                let anchors: Vec<(Player, f64)> = group
                    .iter()
                    .filter_map(|player| {
                        Some((*player, (field.anchors().get(player)? - MEAN) / ELO))
                    })
                    .collect();
                let Some(&(first, first_elo)) = anchors.first() else { continue };
                for &(player, elo) in &anchors[1..] {
                    given.insert(player, given[&first] + strength_of(&kinds, elo - first_elo));
                }
            }
            problem = Problem::new(field, &groups, &confounded, &given, prior);
            fit = problem.fit();
        }
        let scaled = scaled(field, &groups, &problem, &games, &fit);
        let count = field.players();
        let mut covariance: Vec<f64> = sandwich(&scaled.slopes, &fit.covariance, ELO * ELO);
        let own = |at: usize| fit.covariance.at(at, at) * ELO * ELO;
        for at in 0..count {
            // Draws and seats bring scores together. Anything else is rounding, where expected
            // scores are next to zero.
            let variance = &mut covariance[at * count + at];
            *variance = variance.min(own(at));
        }
        let played = games_of_players(field);
        let tied = notes::only_ties(field);
        if tied {
            // Nothing is known of how rare decided games are but that there were none.
            covariance.fill(0.0);
            for (at, games) in played.iter().enumerate() {
                let fixed = field.anchors().contains_key(&Player(at));
                covariance[at * count + at] = if fixed { 0.0 } else { variance_of_ties(*games) };
            }
        }
        let mut group = vec![0; count];
        for (index, members) in groups.iter().enumerate() {
            members.iter().for_each(|member| group[member.0] = index);
        }
        let afloat: Vec<f64> = groups
            .iter()
            .map(|members| match members.iter().any(|player| given.contains_key(player)) {
                true => 0.0,
                false => (prior.strength * ELO).powi(2) / members.len() as f64,
            })
            .collect();
        let players = (0..count)
            .map(|at| {
                let alone = groups[group[at]].len() == 1;
                let variance = |own: f64| if alone { afloat[group[at]] } else { own };
                let elo = scaled.values[at];
                Rating {
                    elo: Estimate::new(MEAN + elo * ELO, variance(covariance[at * count + at])),
                    strength: Estimate::new(MEAN + fit.values[at] * ELO, variance(own(at))),
                    games: played[at],
                }
            })
            .collect();
        let tables = tables(&problem, &games, &fit, field);
        let first_seat = problem.tables.get(&2).and_then(|table| {
            let scaled = seats_scaled(2, table, &problem, &games, &fit)?;
            let apart: Vec<f64> =
                scaled.slopes[0].iter().zip(&scaled.slopes[1]).map(|(a, b)| a - b).collect();
            let variance = match tied {
                true => variance_of_ties(games[&2]),
                false => sandwich(&[apart], &fit.covariance, ELO * ELO)[0],
            };
            Some(Estimate::new((scaled.values[0] - scaled.values[1]) * ELO, variance))
        });
        Ratings { players, tables, first_seat, notes, covariance, group, afloat, problem, fit }
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
        let strength = |player: &Player| self.players[player.0].strength.value;
        order.sort_by(|one, other| strength(other).total_cmp(&strength(one)));
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
        self.superior(&self.densities(), one, other)
    }

    /// The same for all pairs, row by row in the order of the field.
    pub fn superiorities(&self) -> Vec<Vec<f64>> {
        let count = self.players.len();
        let densities = self.densities();
        let mut rows = vec![vec![0.5; count]; count];
        for (one, other) in scale::all_pairs(count) {
            let above = self.superior(&densities, Player(one), Player(other));
            (rows[one][other], rows[other][one]) = (above, 1.0 - above);
        }
        rows
    }

    fn densities(&self) -> Densities<'_> {
        Densities::new(&self.problem, &self.fit, self.players.len())
    }

    fn superior(&self, densities: &Densities<'_>, one: Player, other: Player) -> f64 {
        if one > other {
            return 1.0 - self.superior(densities, other, one);
        }
        let groups = [one, other].map(|player| self.group[player.0]);
        if groups[0] == groups[1] {
            return densities.superiority(one, other);
        }
        let apart = self.players[one.0].strength.value - self.players[other.0].strength.value;
        let own = |player: Player| self.fit.covariance.at(player.0, player.0) * ELO * ELO;
        let afloat = groups.map(|group| self.afloat[group]).iter().sum::<f64>();
        let variance = own(one) + own(other) + afloat;
        if variance > 0.0 { cumulative(apart / variance.sqrt()) } else { 0.5 }
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
    pub fn notes(&self) -> &[RatingNote] {
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
        let inside = inside.min(self.fit.spread(one.0, other.0) * ELO * ELO);
        let (group, other_group) = (self.group[one.0], self.group[other.0]);
        if group == other_group {
            inside
        } else {
            inside + self.afloat[group] + self.afloat[other_group]
        }
    }
}

/// How many games each player played.
fn games_of_players(field: &Field) -> Vec<u64> {
    let mut games = vec![0_u64; field.players()];
    for (finish, count) in field.results() {
        for player in &finish.seating {
            games[player.0] = games[player.0].saturating_add(count);
        }
    }
    games
}

/// How many games there were at each kind of table.
fn table_games(field: &Field) -> BTreeMap<usize, u64> {
    let mut games: BTreeMap<usize, u64> = BTreeMap::new();
    for (finish, count) in field.results() {
        let here = games.entry(finish.seating.len()).or_default();
        *here = here.saturating_add(count);
    }
    games
}

/// The variance of a rating after so many ties and nothing else, so that its 95 % interval is that
/// of so many draws (see `summary`).
fn variance_of_ties(games: u64) -> f64 {
    (summary::most_after_ties(games as f64) / Z).powi(2)
}

/// How far apart two strengths around the mean are that are so far apart in expected scores.
fn strength_of(kinds: &[TableKind], elo: f64) -> f64 {
    let apart = |strength: f64| {
        let pair = scale::player_pairs(kinds, &[strength / 2.0, -strength / 2.0])[0];
        (pair.score / pair.against).ln()
    };
    let (mut low, mut high) = (-100.0, 100.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if apart(middle) < elo {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Everybody on the scale of scores, group by group.
fn scaled(
    field: &Field,
    groups: &[Vec<Player>],
    problem: &Problem,
    games: &BTreeMap<usize, u64>,
    fit: &Fit,
) -> Scaled {
    let (count, size) = (field.players(), fit.values.len());
    let mut all = Scaled { values: fit.values[..count].to_vec(), slopes: Vec::new() };
    let unit = |at: usize| (0..size).map(|other| if other == at { 1.0 } else { 0.0 }).collect();
    all.slopes = (0..count).map(unit).collect();
    let plain = TableKind::all(&problem.tables, games, &fit.values).iter().all(TableKind::plain);
    let others: Vec<usize> = (count..size).collect();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let members: Vec<usize> = group.iter().map(|player| player.0).collect();
        let anchor = |player: &Player| field.anchors().get(player).map(|elo| (elo - MEAN) / ELO);
        let fixed: Vec<Option<f64>> = group.iter().map(anchor).collect();
        if plain && fixed.iter().all(Option::is_none) {
            continue;
        }
        let pairs = |values: &[f64]| {
            let strengths: Vec<f64> = members.iter().map(|&at| values[at]).collect();
            scale::player_pairs(&TableKind::all(&problem.tables, games, values), &strengths)
        };
        let pairing =
            ScaleBasis { pairs: &pairs, members: &members, others: &others, fixed: &fixed };
        let scaled = pairing.scaled(&fit.values);
        for ((at, value), slopes) in members.iter().zip(scaled.values).zip(scaled.slopes) {
            (all.values[*at], all.slopes[*at]) = (value, slopes);
        }
    }
    all
}

/// The seats of one kind of table on the scale of scores, if they were fitted.
fn seats_scaled(
    seats: usize,
    table: &TableLayout,
    problem: &Problem,
    games: &BTreeMap<usize, u64>,
    fit: &Fit,
) -> Option<Scaled> {
    let begin = table.seats?;
    let members: Vec<usize> = (begin..begin + seats).collect();
    let others: Vec<usize> = table.ties.values().copied().collect();
    let kinds = |values: &[f64]| TableKind::all(&problem.tables, games, values);
    let at = problem.tables.keys().position(|key| *key == seats).expect("it is one of them");
    let pairs = |values: &[f64]| scale::seat_pairs(&kinds(values)[at]);
    let fixed = vec![None; seats];
    let pairing = ScaleBasis { pairs: &pairs, members: &members, others: &others, fixed: &fixed };
    Some(pairing.scaled(&fit.values))
}

/// The covariance of what depends on parameters with these slopes, row by row, times a factor.
fn sandwich(slopes: &[Vec<f64>], covariance: &Matrix, factor: f64) -> Vec<f64> {
    let with: Vec<Vec<f64>> = slopes.iter().map(|row| covariance.times(row)).collect();
    let cell = |one: &Vec<f64>, other: &Vec<f64>| factor * dot(one, other);
    slopes.iter().flat_map(|one| with.iter().map(move |other| cell(one, other))).collect()
}

fn tables(
    problem: &Problem,
    games: &BTreeMap<usize, u64>,
    fit: &Fit,
    field: &Field,
) -> Vec<TableEffects> {
    let tied = notes::only_ties(field);
    let effects = |(&seats, table): (&usize, &TableLayout)| {
        let strengths = table.seats.map(|begin| {
            let seat = |at: usize| {
                Estimate::new(fit.values[at] * ELO, fit.covariance.at(at, at) * ELO * ELO)
            };
            (begin..begin + seats).map(seat).collect()
        });
        let scaled = seats_scaled(seats, table, problem, games, fit).zip(table.seats);
        let advantage = scaled.map(|(scaled, begin)| {
            let covariance = sandwich(&scaled.slopes, &fit.covariance, ELO * ELO);
            let seat = |at: usize| {
                let strength = fit.covariance.at(begin + at, begin + at) * ELO * ELO;
                let own = covariance[at * seats + at].min(strength);
                let variance = if tied { variance_of_ties(games[&seats]) } else { own };
                Estimate::new(scaled.values[at] * ELO, variance)
            };
            (0..seats).map(seat).collect()
        });
        let nu = table.ties.get(&(2, 2)).map_or(0.0, |&at| fit.values[at].exp());
        let draw_nu = (seats == 2).then_some(nu);
        let draw_rate = draw_nu.map(|nu| nu / (2.0 + nu));
        let games = games.get(&seats).copied().unwrap_or(0);
        TableEffects { seats, games, advantage, strengths, draw_nu, draw_rate }
    };
    problem.tables.iter().map(effects).collect()
}

#[cfg(test)]
mod tests;
