//! What a bot promises, and how that is tried.

mod request;

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Value, json};
use table::LineEnd;
use table::check::{Check, CheckLevel, CheckedMatch, JudgedBy, Otherwise, Script};

use request::{Request, offered};

const TO_BOT: &str = "games/jedna.md#from-the-host-to-a-bot";
const FROM_BOT: &str = "games/jedna.md#from-a-bot-to-the-host";
const RULES: &str = "games/jedna.md#rules";

/// How long a bot may take to leave.
const GRACE: Duration = Duration::from_secs(1);
/// The time for an answer.
const TURN_MS: u64 = 5000;

/// The promises, the simplest first.
pub(super) fn checks() -> Vec<Check> {
    [talking(), choosing(), listening(), leaving(), games()].into_iter().flatten().collect()
}

/// A line that does not begin like an object is a stray line: it costs nothing if the answer follows.
fn is_stray(line: &[u8]) -> bool {
    !line.trim_ascii_start().starts_with(b"{")
}

fn new() -> Script {
    Script::new(LineEnd::Lf, is_stray)
}

/// Asks, and waits for something that was offered.
fn asked(script: Script, request: &Request) -> Script {
    let read = offered(request);
    script.send(request.line()).answer("one of the actions and cards that were offered", read)
}

fn usual() -> Request {
    Request::new(&["b5", "g7", "r2", "wd4", "y1"], "r7", Some("red")).playable(&["r2", "wd4"])
}

fn talking() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    const ONE: &str = "One object on one line, for each request.";
    vec![
        Check::script(
            "answers-a-request-with-one-object",
            Must,
            FROM_BOT,
            [
                ONE,
                "the answer is not flushed (Python: print(…, flush=True)), is spread over several lines, or the \
                 program has not started: see its lines with !",
            ],
            || asked(new(), &usual()),
        )
        .otherwise(Otherwise::SkipOthers),
        Check::script(
            "answers-each-request-once",
            Must,
            FROM_BOT,
            [
                "Any line that begins like an object is the reply to the request before it.",
                "an object is printed for debugging, or the answer is written twice",
            ],
            || {
                let other = Request::new(&["b5", "b9"], "b0", Some("blue")).playable(&["b5", "b9"]);
                let script = asked(asked(asked(new(), &usual()), &other), &usual());
                script.close_input().leaves(GRACE)
            },
        ),
        Check::script(
            "says-nothing-but-objects",
            Should,
            FROM_BOT,
            [
                "A line that does not begin with { is a stray line: it is recorded.",
                "a line for debugging on standard output: write it to standard error",
            ],
            || {
                let script = Script::new(LineEnd::Lf, |_| false);
                asked(asked(script, &usual()), &usual())
            },
        ),
        Check::script(
            "reads-a-line-that-comes-in-pieces",
            Must,
            TO_BOT,
            [
                "Every message is one line: it ends where its line end is.",
                "what one read() returns is taken for a line: read until the line end comes",
            ],
            || {
                let line = usual().line() + "\n";
                let (first, rest) = line.as_bytes().split_at(20);
                let (second, third) = rest.split_at(100);
                let script = new().send_raw(&[first, second, third]);
                script.answer("one of the actions and cards that were offered", offered(&usual()))
            },
        ),
        Check::script(
            "reads-two-lines-that-come-at-once",
            Must,
            TO_BOT,
            [
                "Notifications and the request may come in one write.",
                "what one read() returns is taken for one message",
            ],
            || {
                let script = new().send(json!({"type":"notification","message":"player2 drew 1 card"}).to_string());
                asked(asked(script, &usual()), &usual())
            },
        ),
        Check::script(
            "understands-cr-lf",
            May,
            TO_BOT,
            ["Lines end in LF; other hosts may end them with CR LF.", "the CR is taken for a part of the JSON text"],
            || {
                let line = usual().line() + "\r\n";
                let script = new().send_raw(&[line.as_bytes()]);
                script.answer("one of the actions and cards that were offered", offered(&usual()))
            },
        ),
        Check::script(
            "reads-fields-in-any-order-and-others",
            Should,
            TO_BOT,
            [
                "Fields are told by their names; other versions of the original program have others.",
                "the line is searched for text instead of being read as JSON, or unknown fields are refused",
            ],
            || {
                let script = new().send(usual().shuffled());
                script.answer("one of the actions and cards that were offered", offered(&usual()))
            },
        ),
        Check::script(
            "reads-a-hand-of-sixty-cards",
            Must,
            TO_BOT,
            ["Every message is one line, however long.", "a buffer of fixed length"],
            || {
                let codes = ["b1", "b2", "b3", "g4", "g5", "g6", "r7", "r8", "y9", "y0"];
                let hand: Vec<&str> = (0..60).map(|n| codes[n % codes.len()]).collect();
                asked(new(), &Request::new(&hand, "b0", Some("blue")).playable(&["b1", "b2", "b3"]))
            },
        ),
        Check::script(
            "plays-with-nine-others",
            Must,
            TO_BOT,
            ["other_players are those still in the game, next player first.", "room for fewer players"],
            || asked(new(), &usual().others(9)),
        ),
        Check::script(
            "plays-with-one-other",
            Must,
            TO_BOT,
            ["other_players are those still in the game, next player first.", "two others are taken for granted"],
            || asked(new(), &usual().others(1)),
        ),
    ]
}

fn choosing() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const OFFERED: &str =
        "available_actions and playable_cards are exactly what would be accepted.";
    const RULE: &str = "the bot applies rules of its own: choose from what is offered";
    vec![
        Check::script("draws-when-nothing-fits", Must, TO_BOT, [OFFERED, RULE], || {
            asked(new(), &Request::new(&["b5", "g7"], "r2", Some("red")).actions(&["draw"]))
        }),
        Check::script("plays-the-drawn-card-or-passes", Must, TO_BOT, [OFFERED, RULE], || {
            let request = Request::new(&["b5", "b9", "r5"], "r2", Some("red")).drawn("r5");
            asked(new(), &request.playable(&["r5"]).actions(&["play", "pass"]))
        }),
        Check::script(
            "passes-when-the-drawn-card-does-not-fit",
            Must,
            TO_BOT,
            [OFFERED, RULE],
            || {
                let request = Request::new(&["b5", "g7"], "r2", Some("red")).drawn("g7");
                asked(new(), &request.actions(&["pass"]))
            },
        ),
        Check::script(
            "passes-when-there-was-no-card-to-draw",
            Must,
            TO_BOT,
            [
                "picked_card is null if there was no card left to draw.",
                "picked_card is looked at without asking whether it is null",
            ],
            || {
                let request = Request::new(&["b5", "g7"], "r2", Some("red")).drawn_nothing();
                asked(new(), &request.actions(&["pass"]))
            },
        ),
        Check::script("answers-a-war-of-draw-twos", Must, RULES, [OFFERED, RULE], || {
            let request = Request::new(&["b5", "g+2", "wd4"], "r+2", Some("red")).war("war_+2", 4);
            asked(new(), &request.playable(&["g+2"]).actions(&["play", "pass"]))
        }),
        Check::script("passes-in-a-war-it-cannot-answer", Must, RULES, [OFFERED, RULE], || {
            let request = Request::new(&["b5", "g7", "wd"], "r+2", Some("red")).war("war_+2", 2);
            asked(new(), &request.actions(&["pass"]))
        }),
        Check::script("answers-a-war-of-draw-fours", Must, RULES, [OFFERED, RULE], || {
            let request =
                Request::new(&["b5", "g+2", "wd4"], "wd4g", Some("green")).war("war_wd4", 4);
            asked(new(), &request.playable(&["wd4"]).actions(&["play", "pass"]))
        }),
        Check::script(
            "plays-on-a-wild-with-its-colour",
            Must,
            "games/jedna.md#cards-in-messages",
            [
                "A wild on the discard pile carries the letter of the colour that was named: wdr, wd4g.",
                "the code of the top card is cut after two letters",
            ],
            || asked(new(), &Request::new(&["b5", "r9"], "wdr", Some("red")).playable(&["r9"])),
        ),
        Check::script(
            "plays-on-a-wild-without-a-colour",
            Must,
            TO_BOT,
            [
                "top_color is null while a turned-up wild has none.",
                "top_color is looked at without asking whether it is null",
            ],
            || asked(new(), &Request::new(&["b5", "r9"], "wd", None).playable(&["b5", "r9"])),
        ),
        Check::script(
            "names-a-colour-for-a-wild",
            Should,
            FROM_BOT,
            [
                "A wild without wild_color counts; the colour is then the most frequent one in the hand.",
                "wild_color is missing: it is one of red, blue, green, yellow",
            ],
            || {
                let hand = Request::new(&["wd", "wd"], "r2", Some("red")).playable(&["wd", "wd"]);
                let fours =
                    Request::new(&["wd4", "wd4"], "r2", Some("red")).playable(&["wd4", "wd4"]);
                asked(asked(new(), &hand), &fours)
            },
        ),
        Check::script(
            "plays-wilds-of-the-other-spelling",
            Should,
            "games/jedna.md#cards-in-messages",
            [
                "With wild_code=w a wild is written w, as in the original program.",
                "wilds are told by the code wd alone",
            ],
            || asked(new(), &Request::new(&["w", "b5"], "wr", Some("red")).playable(&["w"])),
        ),
    ]
}

fn listening() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    vec![
        Check::script(
            "leaves-notifications-unanswered",
            Must,
            TO_BOT,
            [
                "Notifications are told, not asked.",
                "every line is answered: look at the type first",
            ],
            || {
                let words = [
                    "player2 played b5",
                    "player2 drew 4 cards",
                    "player2 passed",
                    "player2 has one card left",
                    "the direction is now counterclockwise",
                    "the discard pile was shuffled back into the draw pile",
                    "player3 forfeited",
                ];
                let script = words.into_iter().fold(new(), |script, words| {
                    script.send(json!({"type":"notification","message":words}).to_string())
                });
                asked(asked(script, &usual()), &usual())
            },
        ),
        Check::script(
            "skips-messages-it-does-not-know",
            Should,
            TO_BOT,
            [
                "The original program may have messages of other types.",
                "a type that is not known ends the program, or is answered",
            ],
            || {
                let script = new().send(json!({"type":"tournament_news","round":3}).to_string());
                asked(asked(script, &usual()), &usual())
            },
        ),
        Check::script(
            "answers-again-after-an-error",
            Must,
            FROM_BOT,
            [
                "After an answer that is not accepted there is an error, and the request again.",
                "the error itself is answered, or the program ends with it",
            ],
            || asked(refused(asked(new(), &usual())), &usual()),
        ),
        Check::script(
            "gives-another-answer-after-an-error",
            May,
            FROM_BOT,
            [
                "The third wrong answer in a turn is the last: the host draws or passes.",
                "the same answer is given again; after an error draw, or take another card",
            ],
            || {
                let script = refused(asked(new(), &usual())).send(usual().line());
                script.answer(
                    "another answer than the one that was refused",
                    request::other(&usual()),
                )
            },
        ),
    ]
}

fn refused(script: Script) -> Script {
    let error = json!({"type":"error","message":"Invalid card: it is not accepted, for a test"});
    script.send(error.to_string())
}

fn end_of_game() -> Value {
    json!({"type":"game_end","winner":"player2","scores":{"player1":15,"player2":0,"player3":23}})
}

fn leaving() -> Vec<Check> {
    use CheckLevel::Must;
    vec![
        Check::script(
            "leaves-after-the-end-of-the-game",
            Must,
            FROM_BOT,
            [
                "After game_end the bot's input is closed, and it has one second to leave.",
                "game_end is answered, or the program waits for more",
            ],
            || asked(new(), &usual()).send(end_of_game().to_string()).close_input().leaves(GRACE),
        ),
        Check::script(
            "takes-a-game-without-a-winner",
            Must,
            TO_BOT,
            ["winner is null if several share the first place.", "winner is taken for a text"],
            || {
                let mut end = end_of_game();
                end["winner"] = Value::Null;
                asked(new(), &usual()).send(end.to_string()).close_input().leaves(GRACE)
            },
        ),
        Check::script(
            "leaves-when-its-input-ends",
            Must,
            "write-a-bot.md#three-rules",
            [
                "A bot ends when its input ends.",
                "a loop that goes on when reading a line gives nothing: readline() returns an empty text at the \
                 end of the input",
            ],
            || asked(new(), &usual()).close_input().leaves(GRACE),
        ),
    ]
}

fn games() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const PLAYED: &str = "A game is played to its end without a fault.";
    const WRONG: &str = "the lines below end where it went wrong";
    let of_two = |setup: &'static str| CheckedMatch {
        turn_ms: TURN_MS,
        ..CheckedMatch::of_two(setup, "simple")
    };
    vec![
        Check::of_match("plays-a-game-of-two", Must, RULES, [PLAYED, WRONG], of_two("{}")),
        Check::of_match(
            "plays-a-game-of-ten",
            Must,
            RULES,
            [PLAYED, WRONG],
            CheckedMatch { players: 10, seat: 9, ..of_two("{}") },
        ),
        Check::of_match(
            "plays-by-house-rules",
            Must,
            RULES,
            [
                "Under house rules a reverse or a wild draw four answers a war, too.",
                "the bot applies rules of its own: choose from what is offered",
            ],
            CheckedMatch {
                games: 2,
                players: 3,
                ..of_two(r#"{"war":"house","double_play":true}"#)
            },
        ),
        Check::of_match(
            "plays-with-wilds-of-the-other-spelling",
            Should,
            RULES,
            [
                "With wild_code=w a wild is written w, as in the original program.",
                "wilds are told by the code wd",
            ],
            of_two(r#"{"wild_code":"w"}"#),
        ),
        Check::of_match(
            "answers-with-time-to-spare",
            Should,
            "games/jedna.md#set-up",
            [
                "The clock is five seconds for each request.",
                "leave a tenth of the time: other machines are slower, and the pipe takes time, too",
            ],
            CheckedMatch {
                setup: Cow::Borrowed(r#"{"max_turns":60}"#),
                players: 4,
                judged: JudgedBy::Time,
                ..of_two("{}")
            },
        ),
    ]
}
