//! What a brain promises, and how that is tried.

mod boards;
mod reading;
mod whole_games;

use table::LineEnd;
use table::check::{Check, CheckLevel, Otherwise, Reading, Script};

use super::wire::FromBrain;
use boards::{almost_full, board, positions};
use reading::{about, cell_in, cells_of, is_aside, move_in, ok, swap2};
use whole_games::{games, leaving, time};

const MESSAGES: &str = "games/gomoku.md#writing-a-brain";
const MANAGER: &str = "games/gomoku.md#the-managers-side-what-a-brain-sees";

/// The side of the board that every brain knows.
const SIDE: u8 = 20;

/// The promises, the simplest first.
pub(super) fn checks() -> Vec<Check> {
    [talking(), playing(), positions_checked(), optional(), time(), leaving(), games()]
        .into_iter()
        .flatten()
        .collect()
}

fn new() -> Script {
    Script::new(LineEnd::CrLf, is_aside)
}

/// A brain that is ready for a board of this size and has half a second for a move.
fn started(size: u8) -> Script {
    new().send(format!("START {size}")).answer("OK", ok).send("INFO timeout_turn 500")
}

/// What comes before every question, as in a match. Some brains lose the first word that follows a
/// move at once.
const LEFT: &str = "INFO time_left 2147483647\n";

fn about_asked(script: Script) -> Script {
    let left = if script.steps.is_empty() { "" } else { LEFT };
    script.send(format!("{left}ABOUT")).answer("a line about itself", about)
}

fn begin(script: Script, size: u8) -> Script {
    script.send("BEGIN").answer("its move, a cell x,y", move_in(size, size, |_| Vec::new()))
}

fn talking() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    vec![
        Check::script(
            "understands-cr-lf",
            Should,
            MANAGER,
            [
                "Lines to brains end in CR LF, or in LF if the manifest says line_end = \"lf\".",
                "the CR is taken for a part of the word: strip the line (in C: cut at \\r, not only at \\n); if \
                 answers-start-with-ok or answers-begin-with-a-cell fails as well, it is not the CR: see there",
            ],
            || {
                let script = new().send_raw(&[b"START 20\r\n"]).answer("OK", ok);
                // A number may be understood with a CR, a word alone is not.
                script.send_raw(&[b"BEGIN\r\n"]).answer("its move", move_in(SIDE, SIDE, |_| Vec::new()))
            },
        )
        .otherwise(Otherwise::UseLf),
        Check::script(
            "answers-start-with-ok",
            Must,
            MESSAGES,
            [
                "START size is answered with OK when the brain is ready for an empty square board of this size.",
                "the answer is not flushed (Python: print(…, flush=True); C: fflush(stdout)), or the \
                 program has not started: see its lines with !",
            ],
            || new().send("START 20").answer("OK", ok),
        )
        .otherwise(Otherwise::SkipOthers),
        Check::script(
            "understands-lf",
            Should,
            MANAGER,
            [
                "Lines to brains end in CR LF, or in LF if the manifest says line_end = \"lf\".",
                "the last letter of a line is cut off, whether it is a CR or not",
            ],
            || {
                let script = new().send_raw(&[b"START 20\n"]).answer("OK", ok);
                script.send_raw(&[b"BEGIN\n"]).answer("its move", move_in(SIDE, SIDE, |_| Vec::new()))
            },
        ),
        Check::script(
            "says-nothing-before-it-is-asked",
            Should,
            MANAGER,
            [
                "Anything before OK is a banner; other managers may take it for an answer.",
                "a greeting on standard output: write it to standard error, or as MESSAGE text",
            ],
            || new().send("START 20").answer("OK, and nothing before it", reading::ok_alone),
        ),
        Check::script(
            "reads-a-line-that-comes-in-pieces",
            Must,
            MESSAGES,
            [
                "A brain reads lines from standard input: a line is what stands before its line end.",
                "what one read() returns is taken for a line: read until the line end comes",
            ],
            || new().send_raw(&[b"STA", b"RT 2", b"0\r\n"]).answer("OK", ok),
        ),
        Check::script(
            "reads-two-lines-that-come-at-once",
            Must,
            MESSAGES,
            [
                "A brain reads lines from standard input; several may come in one write.",
                "what one read() returns is taken for one line, or a buffer is emptied after each line",
            ],
            || {
                let script = new().send("START 20").answer("OK", ok);
                begin(script.send("INFO timeout_turn 500\nINFO game_type 0"), SIDE)
            },
        ),
        Check::script(
            "answers-each-question-once",
            Should,
            MANAGER,
            [
                "A second answer or a move nobody asked for is recorded and thrown away.",
                "a line for debugging on standard output: write it to standard error, or as MESSAGE text",
            ],
            || about_asked(begin(about_asked(started(SIDE)), SIDE)),
        ),
        Check::script(
            "skips-what-info-says",
            Should,
            MESSAGES,
            [
                "INFO key value is answered with nothing. What a brain does not know it skips.",
                "an answer of UNKNOWN or ERROR to INFO: stay silent",
            ],
            || {
                let script = new().send("START 20").answer("OK", ok);
                let script = script
                    .send("INFO timeout_turn 1000\nINFO timeout_match 60000\nINFO time_left 60000")
                    .send("INFO max_memory 350000000\nINFO game_type 1\nINFO rule 0")
                    .send("INFO evaluate 3,3\nINFO no_such_key 17\nINFO rule")
                    .send_made(|so_far| {
                        format!("INFO folder {}", so_far.folder.as_deref().unwrap_or("/tmp"))
                    });
                let script = script.send("ABOUT").answer("a line about itself", reading::about_alone);
                begin(script, SIDE)
            },
        ),
        Check::script(
            "reads-long-lines",
            Should,
            MESSAGES,
            [
                "INFO folder holds a path, which may be long.",
                "a buffer of fixed length: the rest of a long line is taken for the next line",
            ],
            || {
                let script = new().send("START 20").answer("OK", ok);
                let script = script.send(format!("INFO folder /tmp/{}", "x".repeat(3000)));
                begin(script.send("ABOUT").answer("a line about itself", reading::about_alone), SIDE)
            },
        ),
        Check::script(
            "skips-blank-lines",
            Should,
            MESSAGES,
            [
                "What a brain does not know it skips or answers with UNKNOWN; a blank line is no command.",
                "the first letter or word of an empty line is looked at",
            ],
            || begin(started(SIDE).send("\n"), SIDE),
        ),
        Check::script(
            "plays-on-after-an-unknown-word",
            Should,
            MESSAGES,
            [
                "UNKNOWN text: the brain does not know what it was told, and goes on.",
                "the program ends, or waits for more, when it does not know a word",
            ],
            || begin(started(SIDE).send("NOSUCHWORD 1,2"), SIDE),
        ),
        Check::script(
            "describes-itself-with-a-name",
            Should,
            MESSAGES,
            [
                "ABOUT is answered with one line: name=\"mine\", version=\"1.0\", author=\"me\", country=\"XX\".",
                "there is no name=\"…\" in it, or no answer to ABOUT at all",
            ],
            || new().send("START 20").answer("OK", ok).send("ABOUT").answer("name=\"…\"", reading::named),
        ),
    ]
}

fn playing() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const FREE: [&str; 2] = [
        "BEGIN, TURN and BOARD are answered with a move, a free cell x,y: column and row, both from 0.",
        "a stone is not marked on its own board: mark the opponent's and your own; columns and rows \
         swapped, or counted from 1",
    ];
    vec![
        Check::script("answers-begin-with-a-cell", Must, MESSAGES, FREE, || {
            begin(started(SIDE), SIDE)
        }),
        Check::script("answers-turn-with-a-free-cell", Must, MESSAGES, FREE, || {
            // Two of its own stones win nothing: there is no need to look for five.
            let first = started(SIDE).send("TURN 10,10");
            let first = first.answer("a free cell", move_in(SIDE, SIDE, |_| vec![(10, 10)]));
            let mut script = first;
            for turn in 1..4 {
                script = script
                    .send_made(move |so_far| {
                        let (x, y) = boards::reply(&cells_of(so_far), turn);
                        format!("{LEFT}TURN {x},{y}")
                    })
                    .answer(
                        "a free cell",
                        move_in(SIDE, SIDE, move |so_far| {
                            let own = cells_of(so_far);
                            let theirs = (1..=turn).map(|n| boards::reply(&own[..n], n));
                            let theirs: Vec<(i64, i64)> = theirs.collect();
                            [vec![(10, 10)], theirs, own].concat()
                        }),
                    );
            }
            script
        }),
        Check::script("plays-after-the-first-corner", Must, MESSAGES, FREE, || {
            let script = started(SIDE).send("TURN 0,0");
            script.answer("a free cell", move_in(SIDE, SIDE, |_| vec![(0, 0)]))
        }),
        Check::script("plays-after-the-last-corner", Must, MESSAGES, FREE, || {
            let script = started(SIDE).send("TURN 19,19");
            script.answer("a free cell", move_in(SIDE, SIDE, |_| vec![(19, 19)]))
        }),
        Check::script(
            "plays-on-every-board-it-accepts",
            Should,
            MESSAGES,
            [
                "START is answered with OK if the brain can play on a board of this size, otherwise with ERROR.",
                "boards have sides of 5 to 32; an array of fixed size: answer ERROR to sizes that do not fit",
            ],
            || {
                let mut script = new();
                for size in [15, 5, 10, 19, 32] {
                    script = script
                        .send(format!("START {size}"))
                        .answer("OK or ERROR", reading::ok_or_error)
                        .send_made(reading::begin_if_ok)
                        .answer("its move, if it said OK", reading::move_if_ok(size));
                }
                script
            },
        ),
    ]
}

fn positions_checked() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    const BOARD: &str = "BOARD, the stones and DONE are answered with one move. The position takes the place of \
         whatever the brain knew.";
    vec![
        Check::script(
            "answers-board-with-one-free-cell",
            Must,
            MESSAGES,
            [
                BOARD,
                "BOARD is not known, or an answer is given after each stone: read to DONE, then answer once",
            ],
            || {
                let stones = [(7, 7, 2), (8, 8, 1), (9, 9, 2)];
                let script = started(SIDE).send(board(&stones));
                let taken = move |_: &_| stones.map(|(x, y, _)| (x, y)).to_vec();
                about_asked(script.answer("one free cell", move_in(SIDE, SIDE, taken)))
            },
        ),
        Check::script(
            "plays-on-after-board",
            Must,
            MESSAGES,
            [
                "After BOARD a brain hears TURN.",
                "stones of BOARD, or the answer to it, are not marked",
            ],
            || {
                let stones = [(7, 7, 2), (8, 8, 1), (9, 9, 2)];
                let taken = move |_: &_| stones.map(|(x, y, _)| (x, y)).to_vec();
                let script = started(SIDE).send(board(&stones));
                let script = script.answer("one free cell", move_in(SIDE, SIDE, taken));
                let reply = |so_far: &_| boards::free_near(&cells_of(so_far), &stones_at());
                script
                    .send_made(move |so_far| {
                        format!("{LEFT}TURN {},{}", reply(so_far).0, reply(so_far).1)
                    })
                    .answer(
                        "a free cell",
                        move_in(SIDE, SIDE, move |so_far| {
                            [taken(so_far), cells_of(so_far), vec![reply(so_far)]].concat()
                        }),
                    )
            },
        ),
        Check::script(
            "forgets-the-position-before-board",
            Should,
            MESSAGES,
            [
                BOARD,
                "the board is not emptied when BOARD comes: stones of the first position are still there",
            ],
            || {
                let stones = [(3, 3, 2), (4, 4, 1), (5, 3, 2), (3, 5, 1)];
                let free: Vec<(i64, i64)> = stones.map(|(x, y, _)| (x, y)).to_vec();
                let script = started(SIDE).send(board(&stones));
                let taken = move |_: &_| stones.map(|(x, y, _)| (x, y)).to_vec();
                let script = script.answer("one free cell", move_in(SIDE, SIDE, taken));
                let script = script.send(board(&almost_full(&free)));
                script.answer("one of the cells 3,3 4,4 5,3 3,5", cell_in(free))
            },
        ),
        Check::script(
            "plays-the-first-cell-if-it-is-the-last",
            Must,
            MESSAGES,
            [
                BOARD,
                "the search leaves out the edge, or gives up when there is nothing good to play",
            ],
            || {
                started(SIDE)
                    .send(board(&almost_full(&[(0, 0)])))
                    .answer("0,0", cell_in(vec![(0, 0)]))
            },
        ),
        Check::script(
            "plays-the-last-cell-if-it-is-the-last",
            Must,
            MESSAGES,
            [BOARD, "the search leaves out the edge: columns and rows go from 0 to size - 1"],
            || {
                let script = started(SIDE).send(board(&almost_full(&[(19, 19)])));
                script.answer("19,19", cell_in(vec![(19, 19)]))
            },
        ),
        Check::script(
            "plays-a-free-cell-in-200-positions",
            Should,
            MESSAGES,
            [BOARD, "the cell is drawn or searched on a board that differs from the one in BOARD"],
            || {
                positions(200).into_iter().fold(new(), |script, stones| {
                    let taken: Vec<(i64, i64)> = stones.iter().map(|&(x, y, _)| (x, y)).collect();
                    // As in a match: a position comes after START.
                    let script = script.send("START 20").answer("OK", ok);
                    let script = script.send("INFO timeout_turn 100").send(board(&stones));
                    script.answer("one free cell", move_in(SIDE, SIDE, move |_| taken.clone()))
                })
            },
        ),
        Check::script(
            "leaves-marked-cells-alone",
            May,
            MESSAGES,
            [
                "A cell that BOARD marks with 3 is forbidden, or part of a line that has won: nobody plays there.",
                "only 1 and 2 are read: a third number means that the cell is not free",
            ],
            || {
                let mut stones = almost_full(&[(0, 0), (10, 10)]);
                stones.push((0, 0, 3));
                started(SIDE)
                    .send("INFO rule 4")
                    .send(board(&stones))
                    .answer("10,10", cell_in(vec![(10, 10)]))
            },
        ),
    ]
}

fn stones_at() -> Vec<(i64, i64)> {
    vec![(7, 7), (8, 8), (9, 9)]
}

fn optional() -> Vec<Check> {
    use CheckLevel::{May, Should};
    vec![
        Check::script(
            "restart-empties-the-board",
            Should,
            MESSAGES,
            [
                "RESTART is answered with OK for another game on an empty board of the same size, or with UNKNOWN.",
                "the board is not emptied at RESTART; a brain that cannot do it answers UNKNOWN",
            ],
            || {
                let taken = move_in(SIDE, SIDE, |_| vec![(7, 7)]);
                let script = started(SIDE).send("TURN 7,7").answer("a free cell", taken);
                let script = script.send("RESTART").answer("OK or UNKNOWN", reading::ok_or_skip);
                let own = |so_far: &_| cells_of(so_far).first().copied().unwrap_or_default();
                script
                    .send_made(move |so_far| format!("TURN {},{}", own(so_far).0, own(so_far).1))
                    .answer("a free cell", move_in(SIDE, SIDE, move |so_far| vec![own(so_far)]))
            },
        ),
        Check::script(
            "plays-on-a-board-that-is-not-square",
            Should,
            MESSAGES,
            [
                "RECTSTART width,height is answered with OK for a board that is not square, or with ERROR.",
                "width and height are swapped, or only the first number is read",
            ],
            || {
                let script =
                    new().send("RECTSTART 20,15").answer("OK or ERROR", reading::ok_or_skip);
                let script = script.send("INFO timeout_turn 500").send("TURN 19,14");
                script.answer(
                    "a free cell of 20 columns, 15 rows",
                    move_in(20, 15, |_| vec![(19, 14)]),
                )
            },
        ),
        Check::script(
            "takeback-frees-the-cell",
            May,
            MESSAGES,
            [
                "TAKEBACK x,y, which other managers send, is answered with OK when the stone is gone.",
                "the cell stays taken",
            ],
            || {
                let script = begin(started(SIDE), SIDE);
                let own = |so_far: &_| cells_of(so_far).first().copied().unwrap_or_default();
                let script = script.send_made(move |so_far| {
                    format!("TAKEBACK {},{}", own(so_far).0, own(so_far).1)
                });
                begin(script.answer("OK or UNKNOWN", reading::ok_or_skip), SIDE)
            },
        ),
        Check::script(
            "answers-swap2board",
            Should,
            MESSAGES,
            [
                "SWAP2BOARD is answered with three cells, or one, two or SWAP, as swap2 says.",
                "it is only sent where the set-up says opening=swap2; without it a brain cannot play there",
            ],
            || {
                let script = started(SIDE).send("SWAP2BOARD\nDONE").answer("three cells", swap2(3));
                let script = script.send("SWAP2BOARD\n7,7\n8,7\n9,9\nDONE");
                let script = script.answer("one or two cells, or SWAP", swap2(2));
                let script = script.send("SWAP2BOARD\n7,7\n8,7\n9,9\n8,8\n8,6\nDONE");
                script.answer("one cell, or SWAP", swap2(1))
            },
        ),
    ]
}

/// What a line means where only this is known of it.
fn unexpected(line: &[u8]) -> Reading {
    Reading::Wrong(match FromBrain::parse(line) {
        FromBrain::Error(text) => format!("it said ERROR {text}"),
        FromBrain::Unknown(text) => format!("it said UNKNOWN {text}"),
        FromBrain::Other(text) => format!("{} is no answer", game::quote(&text)),
        FromBrain::Ok => "it said OK, which is not the answer here".to_owned(),
        FromBrain::Cells(_) => "it said a cell, which is not the answer here".to_owned(),
        FromBrain::Swap => "it said SWAP, which is not the answer here".to_owned(),
        FromBrain::Suggest(..) => "it said SUGGEST, which is not the answer here".to_owned(),
        FromBrain::Message(_) | FromBrain::Debug(_) | FromBrain::Nothing => {
            "it said nothing".to_owned()
        }
    })
}
