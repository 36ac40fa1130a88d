//! Promises on time, on leaving, and on games that are played to their end.

use std::borrow::Cow;
use std::time::Duration;

use table::check::{Check, CheckLevel, CheckedMatch};

use super::boards::{board, positions};
use super::reading::{self, about, ok};
use super::{MANAGER, MESSAGES, SIDE, begin, new, started};

/// How long a brain may take to leave.
const GRACE: Duration = Duration::from_millis(700);

pub(super) fn time() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    vec![
        Check::script(
            "keeps-timeout-turn",
            Must,
            MESSAGES,
            [
                "INFO timeout_turn holds the milliseconds for a move.",
                "the limit is not read, or read as seconds; it is looked at too seldom while searching",
            ],
            || {
                positions(3)
                    .into_iter()
                    .fold(new(), |script, stones| {
                        let script = script.send("START 20").answer("OK", ok);
                        let script = script.send("INFO timeout_turn 500\nINFO time_left 100000");
                        let script = script.send(board(&stones));
                        script.answer("a move", |_, line| reading::any_move(line))
                    })
                    .within(Duration::from_millis(500))
            },
        ),
        Check::script(
            "keeps-time-left",
            Should,
            MESSAGES,
            [
                "INFO time_left holds the milliseconds that are left of the match, before every move.",
                "only timeout_turn is looked at: the smaller of the two is the limit",
            ],
            || {
                positions(2)
                    .into_iter()
                    .fold(new(), |script, stones| {
                        let script = script.send("START 20").answer("OK", ok);
                        let script =
                            script.send("INFO timeout_turn 5000\nINFO timeout_match 60000");
                        let script = script.send("INFO time_left 500").send(board(&stones));
                        script.answer("a move", |_, line| reading::any_move(line))
                    })
                    .within(Duration::from_millis(500))
            },
        ),
        Check::script(
            "takes-an-unlimited-match",
            Must,
            MESSAGES,
            [
                "INFO time_left is 2147483647 where the match has no limit.",
                "the number overflows when it is multiplied or added to: a move is then never, or at once, due",
            ],
            || {
                let script = started(SIDE).send("INFO time_left 2147483647");
                begin(script, SIDE).within(Duration::from_millis(500))
            },
        ),
    ]
}

pub(super) fn leaving() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    vec![
        Check::script(
            "leaves-at-end-in-silence",
            Must,
            MESSAGES,
            [
                "END is answered with nothing. The brain leaves, within 700 ms.",
                "END is not known, and the program waits for its input to end; or it says goodbye",
            ],
            || begin(started(SIDE), SIDE).send("END").leaves(GRACE),
        ),
        Check::script(
            "leaves-when-its-input-ends",
            Should,
            "write-a-bot.md#three-rules",
            [
                "A bot ends when its input ends.",
                "a loop that goes on when reading a line gives nothing: readline() returns an empty text at \
                 the end of the input",
            ],
            || {
                started(SIDE)
                    .send("ABOUT")
                    .answer("a line about itself", about)
                    .close_input()
                    .leaves(GRACE)
            },
        ),
    ]
}

pub(super) fn games() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const PLAYED: &str = "A game is played to its end without a fault.";
    const RULES: &str = "games/gomoku.md#rules";
    let of_two = CheckedMatch::of_two;
    let half_a_second = |plan: CheckedMatch| CheckedMatch { turn_ms: 500, ..plan };
    let game = |name, level, section, texts, plan| {
        Check::of_match(name, level, section, texts, half_a_second(plan))
    };
    vec![
        game(
            "plays-a-long-game-as-black",
            Must,
            RULES,
            [PLAYED, "the lines below end where it went wrong"],
            of_two(r#"{"max_moves":120}"#, "greedy"),
        ),
        game(
            "plays-a-long-game-as-white",
            Must,
            RULES,
            [PLAYED, "something is only right for the one who begins"],
            CheckedMatch { seat: 1, ..of_two(r#"{"max_moves":120}"#, "greedy") },
        ),
        game(
            "plays-from-an-opening",
            Must,
            MANAGER,
            [
                "Where stones are on the board at the start, both brains get BOARD, then TURN.",
                "BOARD is not known: the first message of a game is not always BEGIN or TURN",
            ],
            of_two(r#"{"start":[[7,7],[8,8],[9,7]]}"#, "random"),
        ),
        game(
            "plays-two-games-in-a-row",
            Must,
            MANAGER,
            [
                "The next game begins with RESTART on the same process, and again the INFO lines.",
                "something is left of the first game: empty the board",
            ],
            CheckedMatch { games: 2, ..of_two("{}", "random") },
        ),
        game(
            "answers-with-time-to-spare",
            Should,
            MANAGER,
            [
                "An answer that comes more than the margin after its limit is late.",
                "leave a tenth of the time: other machines are slower, and the pipe takes time, too",
            ],
            CheckedMatch {
                setup: Cow::Borrowed(r#"{"max_moves":30}"#),
                judged: table::check::JudgedBy::Time,
                ..of_two("{}", "greedy")
            },
        ),
    ]
}
