//! What a bot promises, and how that is tried.

mod mazes;
mod reading;

use std::borrow::Cow;
use std::time::Duration;

use table::LineEnd;
use table::check::{Check, CheckLevel, CheckedMatch, JudgedBy, Otherwise, Script};

use mazes::{BARE, FAR, SHARED};
use reading::{
    any_of, default_options, done, is_aside, last_move, moved, ok, post_done, ready, shaken,
};

const MESSAGES: &str = "games/pyrat.md#writing-a-bot";
const ENGINE: &str = "games/pyrat.md#the-engines-side-of-the-protocol";
const RULES: &str = "games/pyrat.md#rules";

/// How long a bot may take to leave.
const GRACE: Duration = Duration::from_millis(700);
/// The time for a move that bots are told of.
const TURN: Duration = Duration::from_millis(500);

const TIMES: &str = "timecontrol move:500 preprocessing:500 postprocessing:500";

/// The promises, the simplest first.
pub(super) fn checks() -> Vec<Check> {
    [talking(), preparing(), playing(), ending(), games()].into_iter().flatten().collect()
}

fn new() -> Script {
    Script::new(LineEnd::Lf, is_aside)
}

fn shaken_hands() -> Script {
    new().send("pyrat").answer("pyratready", shaken)
}

fn told(script: Script, maze: &str, role: &str) -> Script {
    script.send(format!("newgame\n{maze}\n{TIMES}\nyouare {role}"))
}

/// A bot that has prepared for a game.
fn prepared(script: Script, maze: &str, role: &str) -> Script {
    told(script, maze, role).send("startpreprocessing").answer("preprocessingdone", done)
}

fn first_go(script: Script) -> Script {
    script.send("moves rat:STAY python:STAY\ngo").answer("move and one of the five moves", moved)
}

/// The next turn: the rat is the bot, and the python stays.
fn next_go(script: Script) -> Script {
    script
        .send_made(|so_far| format!("moves rat:{} python:STAY\ngo", last_move(so_far)))
        .answer("move and one of the five moves", moved)
}

fn is_ready(script: Script) -> Script {
    script.send("isready").answer("readyok, and nothing else", ok)
}

fn talking() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    vec![
        Check::script(
            "answers-pyrat-with-pyratready",
            Must,
            MESSAGES,
            [
                "pyrat is answered with who the bot is, then pyratready, within the start limit.",
                "the answer is not flushed (Python: print(…, flush=True)), or the program has not started: see \
                 its lines with !",
            ],
            shaken_hands,
        )
        .otherwise(Otherwise::SkipOthers),
        Check::script(
            "gives-its-name",
            May,
            MESSAGES,
            ["id name TEXT comes after pyrat; it is optional.", "results show the name of the file instead"],
            || new().send("pyrat").answer("id name TEXT, then pyratready", reading::named),
        ),
        Check::script(
            "says-only-what-the-protocol-knows",
            Should,
            ENGINE,
            [
                "Whatever is not known is ignored and recorded.",
                "a line for debugging on standard output: write it to standard error, or as info string TEXT",
            ],
            || {
                let script = new().send("pyrat").answer("pyratready", reading::known(shaken));
                let script = told(script, FAR, "rat").send("startpreprocessing");
                let script = script.answer("preprocessingdone", reading::known(done));
                let script = script.send("moves rat:STAY python:STAY\ngo");
                is_ready(script.answer("move and one of the five moves", reading::known(moved)))
            },
        ),
        Check::script(
            "understands-cr-lf",
            May,
            MESSAGES,
            [
                "Lines end in LF; other engines may end them with CR LF.",
                "the CR is taken for a part of the word: strip the line",
            ],
            || new().send_raw(&[b"pyrat\r\n"]).answer("pyratready", shaken),
        ),
        Check::script(
            "reads-a-line-that-comes-in-pieces",
            Must,
            MESSAGES,
            [
                "A bot reads lines from standard input: a line is what stands before its line end.",
                "what one read() returns is taken for a line: read until the line end comes",
            ],
            || new().send_raw(&[b"py", b"ra", b"t\n"]).answer("pyratready", shaken),
        ),
        Check::script(
            "reads-two-lines-that-come-at-once",
            Must,
            MESSAGES,
            [
                "A bot reads lines from standard input; several come in one write.",
                "what one read() returns is taken for one line, or a buffer is emptied after each line",
            ],
            || {
                let script = new().send("pyrat").send("isready");
                script
                    .answer("pyratready or readyok", any_of("pyratready", "readyok"))
                    .answer("the other of the two", any_of("pyratready", "readyok"))
            },
        ),
        Check::script(
            "answers-isready-while-idle",
            Should,
            MESSAGES,
            [
                "isready is answered with readyok, at any time.",
                "without it the process is not used for a second game",
            ],
            || is_ready(shaken_hands()),
        ),
        Check::script(
            "skips-words-it-does-not-know",
            Should,
            MESSAGES,
            ["What a bot does not know it ignores.", "the program ends, or complains, when it does not know a word"],
            || is_ready(shaken_hands().send("nosuchword 1 2\ndebug on\ndebug off")),
        ),
        Check::script(
            "skips-blank-lines",
            Should,
            MESSAGES,
            ["What a bot does not know it ignores; a blank line says nothing.", "the first word of an empty line is looked at"],
            || is_ready(shaken_hands().send("\n  ")),
        ),
        Check::script(
            "declares-options-that-can-be-read",
            Should,
            MESSAGES,
            [
                "Options have one of five types: check, spin, combo, string and button.",
                "a type that is none of these, or a spin without min and max",
            ],
            || new().send("pyrat").answer("readable option lines, then pyratready", reading::options),
        ),
        Check::script(
            "takes-the-options-it-declares",
            Should,
            MESSAGES,
            [
                "setoption name NAME value VALUE is answered with nothing; it comes only for options that the bot has \
                 declared, and a button has no value.",
                "names may hold blanks: the value begins after the word value",
            ],
            || is_ready(shaken_hands().send_made(default_options)),
        ),
    ]
}

fn preparing() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const DONE: &str = "startpreprocessing is answered with preprocessingdone.";
    vec![
        Check::script(
            "answers-startpreprocessing",
            Must,
            MESSAGES,
            [
                DONE,
                "the game begins when the time is up in any case: a bot that needs none answers at once",
            ],
            || is_ready(prepared(shaken_hands(), FAR, "rat")),
        ),
        Check::script(
            "answers-isready-while-preprocessing",
            Should,
            MESSAGES,
            [
                "isready is answered with readyok, at any time, also while the bot thinks.",
                "the bot does not read while it thinks: read in one thread, think in another",
            ],
            || {
                let script = told(shaken_hands(), FAR, "rat").send("startpreprocessing\nisready");
                let both = |first, second| any_of(first, second);
                script
                    .answer("readyok or preprocessingdone", both("readyok", "preprocessingdone"))
                    .answer("the other of the two", both("readyok", "preprocessingdone"))
            },
        ),
        Check::script(
            "takes-a-maze-of-bare-words",
            Must,
            ENGINE,
            [
                "An empty list is the bare word: walls alone means that there are none.",
                "the list is split at a blank that is not there",
            ],
            || first_go(prepared(shaken_hands(), BARE, "rat")),
        ),
        Check::script(
            "takes-the-role-of-the-python",
            Must,
            MESSAGES,
            [
                "youare says which of the two the bot is.",
                "the bot takes itself for the rat, always",
            ],
            || first_go(prepared(shaken_hands(), FAR, "python")),
        ),
        Check::script(
            "plays-on-after-too-long-a-preparation",
            Must,
            MESSAGES,
            [
                "timeout preprocessing is answered with nothing: it took too long, and the game begins.",
                "the bot still prepares when the first go comes, or answers the time-out",
            ],
            || {
                let script = prepared(shaken_hands(), FAR, "rat").send("timeout preprocessing");
                first_go(script)
            },
        ),
    ]
}

fn playing() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    vec![
        Check::script(
            "answers-go-with-one-move",
            Must,
            MESSAGES,
            [
                "go is answered with move and one of UP, DOWN, LEFT, RIGHT and STAY, once.",
                "a bare RIGHT is no answer: it is move RIGHT",
            ],
            || {
                let script = first_go(prepared(shaken_hands(), FAR, "rat"));
                is_ready(next_go(next_go(script)))
            },
        ),
        Check::script(
            "reads-tabs-and-many-blanks",
            Should,
            MESSAGES,
            ["Tokens are separated by blanks.", "the line is split at single blanks"],
            || {
                let script = prepared(shaken_hands(), FAR, "rat");
                let script = script.send("moves  rat:STAY\tpython:STAY\n go ");
                script.answer("move and one of the five moves", moved)
            },
        ),
        Check::script(
            "answers-isready-while-it-thinks",
            Should,
            MESSAGES,
            [
                "isready is answered with readyok, at any time, also while the bot thinks.",
                "the bot does not read while it thinks: read in one thread, think in another",
            ],
            || {
                let script = prepared(shaken_hands(), FAR, "rat");
                let script = script.send("moves rat:STAY python:STAY\ngo\nisready");
                script
                    .answer("readyok or a move", any_of("readyok", "move"))
                    .answer("the other of the two", any_of("readyok", "move"))
            },
        ),
        Check::script(
            "obeys-stop",
            Should,
            MESSAGES,
            [
                "stop is answered with move at once: the best so far; one move for a go.",
                "go and stop are both answered, or stop is not read while the bot thinks",
            ],
            || {
                let script = prepared(shaken_hands(), FAR, "rat");
                let script = script.send("moves rat:STAY python:STAY\ngo\nstop");
                is_ready(script.answer("move and one of the five moves", moved))
            },
        ),
        Check::script(
            "says-ready-after-a-time-out",
            Must,
            MESSAGES,
            [
                "After timeout move:STAY, ready? is answered with ready, once the bot has given up its old thought; \
                 go follows.",
                "ready? is not known, or the old move is said after ready: it is then taken for the next one",
            ],
            || {
                let script = prepared(shaken_hands(), FAR, "rat");
                let script = script.send("moves rat:STAY python:STAY\ngo");
                // The time passes; a move that comes in it is treated as if it had come too late.
                let script = script.wait(TURN + Duration::from_millis(50), ready);
                let script = script.send("timeout move:STAY\nmoves rat:STAY python:STAY\nready?");
                let script = script.answer("ready", ready).send("go");
                is_ready(script.answer("move and one of the five moves", moved))
            },
        ),
        Check::script(
            "recovers-in-the-middle-of-a-game",
            Must,
            MESSAGES,
            [
                "After recover comes what newgame says, with the cheese that is left, moves_history, \
                 current_position and score, then go.",
                "recover is not known: the bot then has no maze when go comes",
            ],
            || {
                let script = shaken_hands().send(
                    "recover\nmaze height:5 width:7\nwalls (0,0)-(0,1)\nmud (0,0)-(1,0):3\ncheese (0,4) (3,2) (6,0)\n\
                     moves_history RIGHT DOWN STAY STAY\ncurrent_position rat:(0,0) python:(6,3)\n\
                     score rat:0 python:0\nplayer1 rat (0,0)\nplayer2 python (6,3)",
                );
                let script = script.send(format!("{TIMES}\nyouare rat\ngo"));
                is_ready(script.answer("move and one of the five moves", moved))
            },
        ),
        Check::script(
            "keeps-the-time-for-a-move",
            Must,
            MESSAGES,
            [
                "timecontrol gives the milliseconds for a move.",
                "the limit is read as seconds, or not at all; preprocessing goes on in the first moves",
            ],
            || next_go(next_go(first_go(prepared(shaken_hands(), FAR, "rat")))).within(TURN),
        ),
    ]
}

fn ending() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    vec![
        Check::script(
            "takes-half-points",
            Should,
            ENGINE,
            [
                "gameover gives the score of both, halves as 1.5.",
                "the score is read as a whole number",
            ],
            || is_ready(game_over(shaken_hands())),
        ),
        Check::script(
            "answers-startpostprocessing",
            May,
            MESSAGES,
            [
                "startpostprocessing is answered with postprocessingdone.",
                "it is never a fault: the time runs out",
            ],
            || {
                let script = game_over(shaken_hands()).send("startpostprocessing");
                script.answer("postprocessingdone", post_done)
            },
        ),
        Check::script(
            "plays-a-second-game-in-another-role",
            Should,
            MESSAGES,
            [
                "newgame: forget the last game. What follows down to youare describes the new one.",
                "scores, positions or the role of the first game are kept",
            ],
            || first_go(prepared(is_ready(game_over(shaken_hands())), FAR, "python")),
        ),
        Check::script(
            "leaves-when-its-input-ends",
            Must,
            ENGINE,
            [
                "There is no word for leaving: the input is closed, and the bot has 700 ms.",
                "a loop that goes on when reading a line gives nothing: readline() returns an empty text at the \
                 end of the input; or a thread that keeps the program alive",
            ],
            || is_ready(first_go(prepared(shaken_hands(), FAR, "rat"))).close_input().leaves(GRACE),
        ),
    ]
}

/// A whole game of one turn, which is a draw.
fn game_over(script: Script) -> Script {
    let script = first_go(prepared(script, SHARED, "rat"));
    script.send_made(|so_far| {
        let last = last_move(so_far);
        format!("moves rat:{last} python:STAY\ngameover winner:draw score:0.5-0.5")
    })
}

fn games() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const PLAYED: &str = "A game is played to its end without a fault.";
    const WRONG: &str = "the lines below end where it went wrong";
    let of_two = |setup: &'static str| CheckedMatch {
        turn_ms: 500,
        ..CheckedMatch::of_two(setup, "greedy")
    };
    vec![
        Check::of_match(
            "plays-on-the-smallest-board",
            Must,
            RULES,
            [PLAYED, "a board of 2x2 with one piece of cheese: the game may end after a turn"],
            of_two(r#"{"width":2,"height":2,"cheese":[[1,0]],"preprocessing_ms":300}"#),
        ),
        Check::of_match(
            "plays-in-mud",
            Must,
            RULES,
            ["A move that is made in mud is ignored, and the bot is asked all the same.", WRONG],
            of_two(r#"{"preset":"tiny","mud_density":0.6,"preprocessing_ms":300}"#),
        ),
        Check::of_match(
            "plays-as-the-python",
            Must,
            RULES,
            [PLAYED, "the score of gameover is the rat's first, whoever the bot is"],
            CheckedMatch { seat: 1, ..of_two(r#"{"preset":"tiny","preprocessing_ms":300}"#) },
        ),
        Check::of_match(
            "plays-from-other-starts",
            Must,
            RULES,
            ["Players start where player1 and player2 say.", "the corners are taken for granted"],
            of_two(
                r#"{"preset":"tiny","rat":[10,8],"python":[3,4],"preprocessing_ms":300,"max_turns":60}"#,
            ),
        ),
        Check::of_match(
            "plays-on-a-large-board",
            Must,
            RULES,
            [PLAYED, "the maze is looked through too often: 41x31 cells, 165 pieces of cheese"],
            CheckedMatch {
                setup: Cow::Borrowed(r#"{"preset":"huge","preprocessing_ms":1000,"max_turns":60}"#),
                turn_ms: 1000,
                ..of_two("{}")
            },
        ),
        Check::of_match(
            "plays-a-game-with-stop-and-isready",
            Should,
            ENGINE,
            [
                "With stop_margin_ms and isready_ms a bot hears stop and isready while it thinks.",
                "the bot does not read while it thinks",
            ],
            of_two(
                r#"{"preset":"tiny","preprocessing_ms":300,"stop_margin_ms":200,"isready_ms":100,"max_turns":40}"#,
            ),
        ),
        Check::of_match(
            "answers-with-time-to-spare",
            Should,
            "games/pyrat.md#time",
            [
                "An answer that comes more than the margin after its limit is late.",
                "leave a tenth of the time: other machines are slower, and the pipe takes time, too",
            ],
            CheckedMatch {
                judged: JudgedBy::Time,
                ..of_two(r#"{"preset":"small","preprocessing_ms":300,"max_turns":60}"#)
            },
        ),
    ]
}
