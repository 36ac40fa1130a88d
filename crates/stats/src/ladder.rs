//! Ladders: ratings that follow the games one by one, for fields that come and go.
//!
//! The systems themselves are those of `skillratings`; here is one way to feed them all. Where all
//! results are at hand, `Field` says more: it forgets nothing and knows how ratings hang together.

use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};
use skillratings::trueskill::{TrueSkillConfig, TrueSkillRating, trueskill_multi_team};
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use skillratings::{MultiTeamOutcome, Outcomes};

use crate::field::{FieldError, Finish, Player};

/// How a ladder rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Glickman's, for two seats; games of more count as all their pairs. 1500 ± 350 at first.
    Glicko2,
    /// Microsoft's, for any number of seats. 25 ± 25/3 at first.
    TrueSkill,
    /// The approximation of Weng and Lin (Bradley–Terry, all pairs), for any number of seats.
    /// 25 ± 25/3 at first.
    WengLin,
}

/// A player's place on a ladder, on the scale of its system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The rating.
    pub rating: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Standing {
    /// What the player is worth at least, three deviations below the rating: newcomers begin at the
    /// bottom and climb as they prove themselves.
    pub fn low(&self) -> f64 {
        self.rating - 3.0 * self.deviation
    }
}

/// One game: who sat where, and the rank of each; lower is better, equal is a tie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderGame {
    /// The players.
    pub seating: Vec<Player>,
    /// The rank of each.
    pub ranks: Vec<u32>,
}

/// Ratings that follow the games.
#[derive(Clone, Debug)]
pub struct Ladder {
    rungs: Rungs,
}

#[derive(Clone, Debug)]
enum Rungs {
    Glicko2(Vec<Glicko2Rating>),
    TrueSkill(Vec<TrueSkillRating>),
    WengLin(Vec<WengLinRating>),
}

impl Ladder {
    /// A ladder of so many newcomers.
    pub fn new(system: System, players: usize) -> Ladder {
        let rungs = match system {
            System::Glicko2 => Rungs::Glicko2(vec![Glicko2Rating::new(); players]),
            System::TrueSkill => Rungs::TrueSkill(vec![TrueSkillRating::new(); players]),
            System::WengLin => Rungs::WengLin(vec![WengLinRating::new(); players]),
        };
        Ladder { rungs }
    }

    /// How many players there are.
    pub fn players(&self) -> usize {
        match &self.rungs {
            Rungs::Glicko2(ratings) => ratings.len(),
            Rungs::TrueSkill(ratings) => ratings.len(),
            Rungs::WengLin(ratings) => ratings.len(),
        }
    }

    /// Lets a newcomer in.
    pub fn join(&mut self) -> Player {
        let player = Player(self.players());
        match &mut self.rungs {
            Rungs::Glicko2(ratings) => ratings.push(Glicko2Rating::new()),
            Rungs::TrueSkill(ratings) => ratings.push(TrueSkillRating::new()),
            Rungs::WengLin(ratings) => ratings.push(WengLinRating::new()),
        }
        player
    }

    /// Where a player stands.
    pub fn standing(&self, player: Player) -> Standing {
        let (rating, deviation) = match &self.rungs {
            Rungs::Glicko2(ratings) => (ratings[player.0].rating, ratings[player.0].deviation),
            Rungs::TrueSkill(ratings) => (ratings[player.0].rating, ratings[player.0].uncertainty),
            Rungs::WengLin(ratings) => (ratings[player.0].rating, ratings[player.0].uncertainty),
        };
        Standing { rating, deviation }
    }

    /// Counts games, all or none of them. For Glicko-2 they are one rating period, at the end of
    /// which those who did not play have become less certain; ten to fifteen games a player are
    /// advised. The other systems take them one by one.
    pub fn play(&mut self, games: &[LadderGame]) -> Result<(), FieldError> {
        let players = self.players();
        let games: Result<Vec<Finish>, FieldError> =
            games.iter().map(|game| Finish::new(players, &game.seating, &game.ranks)).collect();
        let games = games?;
        match &mut self.rungs {
            Rungs::Glicko2(ratings) => *ratings = glicko2(ratings, &games),
            Rungs::TrueSkill(ratings) => games.iter().for_each(|game| true_skill(ratings, game)),
            Rungs::WengLin(ratings) => games.iter().for_each(|game| weng_lin(ratings, game)),
        }
        Ok(())
    }
}

/// The ratings after a period.
fn glicko2(ratings: &[Glicko2Rating], games: &[Finish]) -> Vec<Glicko2Rating> {
    let mut results = vec![Vec::new(); ratings.len()];
    for game in games {
        let entrants = || game.seating.iter().zip(&game.places);
        for (one, place) in entrants() {
            for (other, beside) in entrants().filter(|(other, _)| *other != one) {
                let outcome = match place.cmp(beside) {
                    std::cmp::Ordering::Less => Outcomes::WIN,
                    std::cmp::Ordering::Equal => Outcomes::DRAW,
                    std::cmp::Ordering::Greater => Outcomes::LOSS,
                };
                results[one.0].push((ratings[other.0], outcome));
            }
        }
    }
    let config = Glicko2Config::new();
    let next = |(rating, results): (&Glicko2Rating, &Vec<_>)| {
        let next = glicko2_rating_period(rating, results, &config);
        let sound = [next.rating, next.deviation, next.volatility].iter().all(|x| x.is_finite());
        if sound { next } else { *rating }
    };
    ratings.iter().zip(&results).map(next).collect()
}

fn true_skill(ratings: &mut [TrueSkillRating], game: &Finish) {
    let alone: Vec<[TrueSkillRating; 1]> =
        game.seating.iter().map(|player| [ratings[player.0]]).collect();
    let teams: Vec<(&[TrueSkillRating], MultiTeamOutcome)> =
        alone.iter().zip(&game.places).map(|(one, place)| (&one[..], (*place).into())).collect();
    let next = trueskill_multi_team(&teams, &TrueSkillConfig::new(), None)
        .expect("weights cannot be wrong where none are given");
    for (player, next) in game.seating.iter().zip(next.iter().flatten()) {
        // An upset beyond all expectation can exceed what the factors can express.
        if next.rating.is_finite() && next.uncertainty.is_finite() {
            ratings[player.0] = *next;
        }
    }
}

fn weng_lin(ratings: &mut [WengLinRating], game: &Finish) {
    let alone: Vec<[WengLinRating; 1]> =
        game.seating.iter().map(|player| [ratings[player.0]]).collect();
    let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> =
        alone.iter().zip(&game.places).map(|(one, place)| (&one[..], (*place).into())).collect();
    let next = weng_lin_multi_team(&teams, &WengLinConfig::new());
    for (player, next) in game.seating.iter().zip(next.iter().flatten()) {
        if next.rating.is_finite() && next.uncertainty.is_finite() {
            ratings[player.0] = *next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEMS: [System; 3] = [System::Glicko2, System::TrueSkill, System::WengLin];

    fn game(seating: &[usize], ranks: &[u32]) -> LadderGame {
        LadderGame { seating: seating.iter().map(|&at| Player(at)).collect(), ranks: ranks.into() }
    }

    #[track_caller]
    fn stands(ladder: &Ladder, player: usize, rating: f64, deviation: f64) {
        let found = ladder.standing(Player(player));
        let near = |a: f64, b: f64| (a - b).abs() < 0.01;
        assert!(near(found.rating, rating) && near(found.deviation, deviation), "{found:?}");
    }

    #[test]
    fn glickmans_example_is_reproduced() {
        let player = |rating, deviation| Glicko2Rating { rating, deviation, volatility: 0.06 };
        let field = [(1500.0, 200.0), (1400.0, 30.0), (1550.0, 100.0), (1700.0, 300.0)];
        let mut ladder =
            Ladder { rungs: Rungs::Glicko2(field.map(|(rating, sd)| player(rating, sd)).to_vec()) };
        let games = [game(&[0, 1], &[1, 2]), game(&[0, 2], &[2, 1]), game(&[0, 3], &[2, 1])];
        ladder.play(&games).expect("sound");
        stands(&ladder, 0, 1464.06, 151.52);
    }

    #[test]
    fn the_published_first_games_of_trueskill_are_reproduced() {
        let mut ladder = Ladder::new(System::TrueSkill, 2);
        ladder.play(&[game(&[0, 1], &[1, 2])]).expect("sound");
        stands(&ladder, 0, 29.396, 7.171);
        stands(&ladder, 1, 20.604, 7.171);
        let mut ladder = Ladder::new(System::TrueSkill, 2);
        ladder.play(&[game(&[0, 1], &[1, 1])]).expect("sound");
        stands(&ladder, 0, 25.0, 6.458);
        let mut ladder = Ladder::new(System::TrueSkill, 4);
        ladder.play(&[game(&[3, 1, 0, 2], &[4, 2, 1, 3])]).expect("sound");
        stands(&ladder, 0, 33.207, 6.348);
        stands(&ladder, 1, 27.401, 5.787);
        stands(&ladder, 2, 22.599, 5.787);
        stands(&ladder, 3, 16.793, 6.348);
    }

    #[test]
    fn stronger_players_climb_in_every_system() {
        for system in SYSTEMS {
            let mut ladder = Ladder::new(system, 3);
            let newcomer = ladder.join();
            for _ in 0..20 {
                ladder.play(&[game(&[2, 0, 1], &[3, 1, 2])]).expect("sound");
            }
            let rating = |player| ladder.standing(Player(player)).rating;
            assert!(rating(0) > rating(1) && rating(1) > rating(2), "{system:?}");
            assert!(ladder.standing(Player(0)).low() > ladder.standing(newcomer).low());
            // Ties bring them together again.
            let before = rating(0) - rating(2);
            for _ in 0..20 {
                ladder.play(&[game(&[0, 1, 2], &[1, 1, 1])]).expect("sound");
            }
            let after = ladder.standing(Player(0)).rating - ladder.standing(Player(2)).rating;
            assert!(after < before, "{system:?}: {after} {before}");
        }
    }

    #[test]
    fn nothing_is_ever_infinite_or_undefined() {
        for system in SYSTEMS {
            let mut ladder = Ladder::new(system, 12);
            let all: Vec<usize> = (0..12).collect();
            let ranks: Vec<u32> = (0..12).collect();
            for _ in 0..300 {
                ladder.play(&[game(&[0, 1], &[1, 2]), game(&all, &ranks)]).expect("sound");
            }
            let upset: Vec<u32> = ranks.iter().map(|rank| 12 - rank).collect();
            ladder.play(&[game(&[0, 1], &[2, 1]), game(&all, &upset)]).expect("sound");
            for player in all {
                let Standing { rating, deviation } = ladder.standing(Player(player));
                assert!(rating.is_finite() && deviation > 0.0 && deviation.is_finite());
            }
        }
    }

    #[test]
    fn a_wrong_game_counts_for_nobody() {
        let mut ladder = Ladder::new(System::TrueSkill, 2);
        assert!(ladder.play(&[game(&[0, 1], &[1, 2]), game(&[0, 2], &[1, 2])]).is_err());
        stands(&ladder, 0, 25.0, 25.0 / 3.0);
    }
}
