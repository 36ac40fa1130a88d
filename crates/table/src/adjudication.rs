//! Ending a match before its rules do: after so many turns, or when somebody is far ahead.

use std::num::NonZeroU32;

use game::{Ending, Game, Outcome, PlayerId, SetupError, Turn};
use serde::{Deserialize, Serialize};

/// When a match is ended as it stands. Nothing here ends none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AskedAdjudication", into = "AskedAdjudication")]
pub struct Adjudication {
    turns: Option<NonZeroU32>,
    lead: Option<Lead>,
    max_faults: Option<NonZeroU32>,
}

/// The first is ahead of the second by so many points, turn after turn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lead {
    points: f64,
    turns: NonZeroU32,
}

/// When matches are to end early, as it is written in files and asked on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskedAdjudication {
    /// After so many turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// When the first is ahead of the second by so many points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<f64>,
    /// Through so many turns in a row (1 if it does not say).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead_turns: Option<u32>,
    /// A bot is given up after so many faults in a row; 0 is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_faults: Option<u32>,
}

impl AskedAdjudication {
    /// What it comes to, where a bot is given up after `usual` faults in a row unless it says
    /// otherwise.
    pub fn settle(self, usual: Option<NonZeroU32>) -> Result<Adjudication, SetupError> {
        let AskedAdjudication { turns, lead, lead_turns, max_faults } = self;
        let max_faults = max_faults.map_or(usual, NonZeroU32::new);
        Ok(Adjudication::new(turns, lead, lead_turns)?.giving_up(max_faults))
    }
}

impl Adjudication {
    /// No match is ended early.
    pub const NONE: Adjudication = Adjudication { turns: None, lead: None, max_faults: None };

    /// After `turns` turns, or when the first has been ahead of the second by `lead` points through
    /// `lead_turns` turns in a row (1 if it does not say).
    pub fn new(
        turns: Option<u32>,
        lead: Option<f64>,
        lead_turns: Option<u32>,
    ) -> Result<Adjudication, SetupError> {
        let refuse = |why: &str| Err(SetupError::new(why));
        let at_least_one = |name: &str, turns: Option<u32>| match turns.map(NonZeroU32::new) {
            None => Ok(None),
            Some(Some(turns)) => Ok(Some(turns)),
            Some(None) => Err(SetupError::new(format!("{name} must be at least 1"))),
        };
        let turns = at_least_one("turns", turns)?;
        let lead_turns = at_least_one("lead_turns", lead_turns)?;
        let lead = match (lead, lead_turns) {
            (None, None) => None,
            (None, Some(_)) => {
                return refuse("lead_turns says how long a lead must last, but there is no lead");
            }
            (Some(points), _) if !(points > 0.0 && points.is_finite()) => {
                return refuse("lead must be above zero");
            }
            (Some(points), turns) => Some(Lead { points, turns: turns.unwrap_or(NonZeroU32::MIN) }),
        };
        match (turns, lead) {
            (Some(turns), Some(lead)) if lead.turns > turns => Err(SetupError::new(format!(
                "lead_turns = {} never comes about when turns = {turns} ends the match",
                lead.turns
            ))),
            (turns, lead) => Ok(Adjudication { turns, lead, max_faults: None }),
        }
    }

    /// Besides, a bot is given up of which so many answers in a row had to be replaced.
    pub fn giving_up(self, max_faults: Option<NonZeroU32>) -> Adjudication {
        Adjudication { max_faults, ..self }
    }

    /// After how many faults in a row a bot is given up.
    pub fn max_faults(&self) -> Option<NonZeroU32> {
        self.max_faults
    }

    /// Whether no match is ended early.
    pub fn is_none(&self) -> bool {
        *self == Adjudication::NONE
    }

    /// Whether it asks who is ahead.
    pub(crate) fn needs_points(&self) -> bool {
        self.lead.is_some()
    }
}

impl TryFrom<AskedAdjudication> for Adjudication {
    type Error = SetupError;

    /// As it stands in a replay or a store: what is not there was not in force.
    fn try_from(asked: AskedAdjudication) -> Result<Adjudication, SetupError> {
        asked.settle(None)
    }
}

impl From<Adjudication> for AskedAdjudication {
    fn from(adjudication: Adjudication) -> AskedAdjudication {
        AskedAdjudication {
            turns: adjudication.turns.map(NonZeroU32::get),
            lead: adjudication.lead.map(|lead| lead.points),
            lead_turns: adjudication.lead.map(|lead| lead.turns.get()),
            max_faults: adjudication.max_faults.map(NonZeroU32::get),
        }
    }
}

/// Watches a match turn by turn. The table and the verification of replays ask the same umpire,
/// so that a replay proves its adjudication.
#[derive(Clone, Debug)]
pub(crate) struct Umpire {
    terms: Adjudication,
    players: usize,
    /// Who has been far enough ahead, and for how many turns.
    ahead: Option<(PlayerId, u32)>,
}

impl Umpire {
    pub(crate) fn new(terms: Adjudication, players: usize) -> Umpire {
        Umpire { terms, players, ahead: None }
    }

    /// The game has moved on in its turn of this number. How the match ends, if it is to end now.
    pub(crate) fn look<G: Game>(&mut self, game: &G, turn: u32) -> Option<Outcome> {
        if self.terms.turns.is_none() && self.terms.lead.is_none() {
            return None;
        }
        // Where the rules end a game, they say how.
        let call = self.call(game.standing(), turn);
        call.filter(|_| !matches!(game.turn(), Turn::Over(_)))
    }

    /// The same for a match that stands like this.
    fn call(&mut self, standing: Option<Outcome>, turn: u32) -> Option<Outcome> {
        let lead = standing.as_ref().and_then(lead);
        let before = self.ahead.take();
        let mut reason = None;
        if let (Some(wanted), Some((leader, points))) = (self.terms.lead, lead)
            && points >= wanted.points
        {
            let turns = match before {
                Some((same, turns)) if same == leader => turns + 1,
                Some(_) | None => 1,
            };
            self.ahead = Some((leader, turns));
            if turns >= wanted.turns.get() {
                let points = count(wanted.points, "point");
                let turns = count(turns.into(), "turn");
                let words = format!("{leader} was ahead by {points} or more for {turns}");
                reason = Some((Ending::adjudication("lead"), words));
            }
        }
        if reason.is_none() && self.terms.turns.is_some_and(|most| turn >= most.get()) {
            let turns = count(turn.into(), "turn");
            let words = format!("as it stood after {turns}");
            reason = Some((Ending::adjudication("turns"), words));
        }
        let (ending, words) = reason?;
        let reason = format!("adjudicated: {words}");
        Some(match standing {
            Some(standing) => {
                let ending = ending.after(standing.ending.forfeits);
                Outcome { ranks: standing.ranks, scores: standing.scores, reason, ending }
            }
            None => Outcome::draw(self.players, ending, reason),
        })
    }
}

fn count(number: f64, of: &str) -> String {
    let plural = if number == 1.0 { "" } else { "s" };
    format!("{number} {of}{plural}")
}

/// Who is first alone, and how far from the second. In some games fewer points are better.
fn lead(standing: &Outcome) -> Option<(PlayerId, f64)> {
    let leader = standing.winner()?;
    let others = || standing.ranks.iter().enumerate().filter(|(player, _)| *player != leader);
    let second = others().map(|(_, rank)| *rank).min()?;
    let away = |player: usize| (standing.scores[leader] - standing.scores[player]).abs();
    let seconds = others().filter(|(_, rank)| **rank == second);
    let nearest = seconds.map(|(player, _)| away(player)).fold(f64::INFINITY, f64::min);
    Some((PlayerId(leader as u16), nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjudication(turns: Option<u32>, lead: Option<(f64, u32)>) -> Adjudication {
        let (lead, lead_turns) = lead.unzip();
        Adjudication::new(turns, lead, lead_turns).expect("it is sound")
    }

    /// After which turn a match with these scores is ended, and how.
    fn ended(terms: Adjudication, scores: &[[f64; 2]]) -> Option<(usize, Outcome)> {
        let mut umpire = Umpire::new(terms, 2);
        scores.iter().enumerate().find_map(|(turn, scores)| {
            let standing = Outcome::by_score(scores.to_vec(), Ending::default(), "so far");
            let call = umpire.call(Some(standing), turn as u32 + 1);
            call.map(|outcome| (turn + 1, outcome))
        })
    }

    #[test]
    fn after_so_many_turns_a_match_ends_as_it_stands() {
        let terms = adjudication(Some(3), None);
        let scores = [[0.0, 9.0], [0.0, 9.0], [2.0, 1.5], [0.0, 9.0]];
        let (turn, outcome) = ended(terms, &scores).expect("it is ended");
        assert_eq!(turn, 3);
        assert_eq!((outcome.ranks, outcome.scores), (vec![1, 2], vec![2.0, 1.5]));
        assert_eq!(outcome.reason, "adjudicated: as it stood after 3 turns");
        assert_eq!(ended(terms, &scores[..2]), None);
    }

    #[test]
    fn a_game_that_counts_nothing_is_a_draw() {
        let mut umpire = Umpire::new(adjudication(Some(1), Some((1.0, 1))), 3);
        let outcome = umpire.call(None, 1).expect("it is ended");
        let turns = Ending::adjudication("turns");
        assert_eq!(outcome, Outcome::draw(3, turns, "adjudicated: as it stood after 1 turn"));
    }

    #[test]
    fn a_lead_counts_when_the_same_player_holds_it_without_a_break() {
        let terms = adjudication(None, Some((2.0, 3)));
        let [even, first, second] = [[1.0, 0.0], [3.0, 1.0], [0.0, 2.0]];
        assert_eq!(ended(terms, &[first, first, even, first, first]), None, "a break");
        assert_eq!(ended(terms, &[first, first, second, first, first]), None, "another leader");
        let (turn, outcome) =
            ended(terms, &[first, second, second, second, first]).expect("it is ended");
        assert_eq!((turn, outcome.winner()), (4, Some(1)));
        assert_eq!(
            outcome.reason,
            "adjudicated: player 2 was ahead by 2 points or more for 3 turns"
        );
    }

    #[test]
    fn the_lead_is_that_over_the_second_whether_many_points_are_good_or_few() {
        let standing = |ranks: &[u16], scores: &[f64]| Outcome {
            ranks: ranks.to_vec(),
            scores: scores.to_vec(),
            reason: String::new(),
            ending: Ending::default(),
        };
        let cases: [(&[u16], &[f64], Option<(u16, f64)>); 5] = [
            (&[1, 3, 2], &[10.0, 1.0, 7.0], Some((0, 3.0))),
            (&[3, 2, 1], &[90.0, 25.0, 5.0], Some((2, 20.0))),
            (&[1, 2, 2], &[4.0, 1.0, 3.0], Some((0, 1.0))),
            (&[1, 1, 3], &[5.0, 5.0, 0.0], None),
            (&[1], &[5.0], None),
        ];
        for (ranks, scores, wanted) in cases {
            let found = lead(&standing(ranks, scores));
            assert_eq!(found, wanted.map(|(player, points)| (PlayerId(player), points)));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = |turns, lead, lead_turns, words: &str| {
            let error = Adjudication::new(turns, lead, lead_turns).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        };
        refused(Some(0), None, None, "turns must be at least 1");
        refused(None, Some(5.0), Some(0), "lead_turns must be at least 1");
        refused(None, None, Some(5), "there is no lead");
        refused(None, Some(0.0), None, "lead must be above zero");
        refused(None, Some(f64::NAN), None, "lead must be above zero");
        refused(Some(5), Some(1.0), Some(6), "never comes about");
    }

    #[test]
    fn who_does_not_say_when_to_give_up_gets_what_the_game_has_and_zero_is_never() {
        let usual = NonZeroU32::new(20);
        let cases = [(None, usual), (Some(0), None), (Some(7), NonZeroU32::new(7))];
        for (max_faults, wanted) in cases {
            let asked = AskedAdjudication { max_faults, ..AskedAdjudication::default() };
            assert_eq!(asked.settle(usual).expect("it is sound").max_faults(), wanted);
        }
        let recorded: Adjudication = serde_json::from_str("{}").expect("an old replay's");
        assert_eq!(recorded.max_faults(), None, "what a replay does not say was not in force");
    }

    #[test]
    fn it_is_written_in_the_words_of_files() {
        let terms = adjudication(Some(50), Some((5.0, 10)));
        let json = serde_json::to_string(&terms).expect("it serialises");
        assert_eq!(json, r#"{"turns":50,"lead":5.0,"lead_turns":10}"#);
        assert_eq!(serde_json::from_str::<Adjudication>(&json).expect("it is read back"), terms);
        assert!(serde_json::from_str::<Adjudication>("{}").expect("it is nothing").is_none());
        let error = serde_json::from_str::<Adjudication>(r#"{"turn":50}"#).expect_err("a typo");
        assert!(
            error
                .to_string()
                .contains("expected one of `turns`, `lead`, `lead_turns`, `max_faults`")
        );
    }
}
