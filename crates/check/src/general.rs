//! What every game asks of a bot. A check of a game's own that has the same name takes the place of
//! the one here.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;
use table::check::{Check, CheckLevel, CheckMethod, CheckedMatch, JudgedBy, Otherwise, Script};
use table::{Card, LineEnd};

/// Where most of this is written.
const PAGE: &str = "write-a-bot.md#three-rules";

/// The checks of a game: its own, then those that every game has.
pub fn checks(card: &Card) -> Vec<Check> {
    let own = (card.checks)();
    let missing: Vec<Check> = of_every_game(card)
        .into_iter()
        .filter(|check| own.iter().all(|other| other.name != check.name))
        .collect();
    own.into_iter().chain(missing).collect()
}

fn of_every_game(card: &Card) -> Vec<Check> {
    let setup = Value::Object((card.quick)()).to_string();
    let matches = |seat: u16, games: u8, judged: JudgedBy| {
        CheckMethod::Match(CheckedMatch {
            setup: Cow::Owned(setup.clone()),
            players: card.usual_players,
            seat,
            opponent: card.bots[0].name,
            seed: 1,
            games,
            turn_ms: card.clock.turn.map_or(1000, |turn| turn.as_millis() as u64),
            judged,
        })
    };
    let last = card.usual_players - 1;
    let check = |name, level, rule, hint, method| Check {
        name,
        level,
        rule,
        section: PAGE,
        hint,
        otherwise: Otherwise::GoOn,
        method,
    };
    let (must, should, may) = (CheckLevel::Must, CheckLevel::Should, CheckLevel::May);
    vec![
        check(
            "plays-a-game-in-the-first-seat",
            must,
            "A game is played to its end without a fault.",
            "the lines below end where it went wrong; `lanista play` plays the same game",
            matches(0, 1, JudgedBy::Faults),
        ),
        check(
            "plays-a-game-in-the-last-seat",
            must,
            "A game is played to its end without a fault.",
            "something is only right for the one who begins: whose turn it is, whose pieces are whose",
            matches(last, 1, JudgedBy::Faults),
        ),
        check(
            "plays-two-games-in-a-row",
            must,
            "After a game there may be another, in the same process if the protocol has a word for that.",
            "something is left of the first game: empty the board, forget the hand",
            matches(0, 2, JudgedBy::Faults),
        ),
        check(
            "keeps-within-its-limits",
            must,
            "A bot uses no more memory, processes, processor time and disk than its limits allow.",
            "the limits are those of [limits] in bot.toml; tables that grow without a bound",
            matches(0, 1, JudgedBy::Limits),
        ),
        check(
            "answers-with-time-to-spare",
            should,
            "An answer that comes after its time limit is late.",
            "leave a tenth of the time: other machines are slower, and clocks include the pipe",
            matches(0, 1, JudgedBy::Time),
        ),
        check(
            "plays-the-same-again",
            may,
            "Bots that draw chance from a fixed seed can be tested again.",
            "a random seed or the clock decides; a fixed seed makes errors repeatable",
            matches(0, 1, JudgedBy::Repetition),
        ),
        check(
            "leaves-when-its-input-ends",
            must,
            "A bot ends when its input ends.",
            "a loop that goes on when reading a line gives nothing: readline() returns an empty text \
             at the end of the input",
            CheckMethod::Script(leaves),
        ),
    ]
}

fn leaves() -> Script {
    Script::new(LineEnd::Lf, |_| true).close_input().leaves(Duration::from_secs(5))
}
