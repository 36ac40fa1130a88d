//! What an agent's program promises, and how that is tried.

mod ticks;

use std::borrow::Cow;
use std::time::Duration;

use table::check::{
    Check, CheckLevel, CheckedMatch, JudgedBy, Otherwise, Reading, Script, ScriptSoFar,
};
use table::{ActorProcess, LineEnd, PrivateFile};

use super::wire::{FromBot, MOST_OF_A_MESSAGE};
use ticks::{AGENT, Tick};

const TO_AGENT: &str = "games/petri.md#from-the-host-to-an-agent";
const FROM_AGENT: &str = "games/petri.md#from-an-agent-to-the-host";
const RULES: &str = "games/petri.md#rules";

/// How long an agent may take to leave.
const GRACE: Duration = Duration::from_secs(1);
const WHAT: &str = "an object with one of the four actions";

/// The promises, the simplest first.
pub(super) fn checks() -> Vec<Check> {
    [talking(), reading(), leaving(), games()].into_iter().flatten().collect()
}

/// A process as that of an agent in a game: with its name and its file.
fn new() -> Script {
    let private_file = Some(PrivateFile {
        path: format!("/tmp/agents/{AGENT}.json"),
        alias: Some(AGENT.to_owned()),
        variable: "AGENT_MEMORY",
        env: vec![("AGENT_ID", AGENT.to_owned())],
        most: 1 << 20,
        keep: false,
    });
    let process = ActorProcess { program: 0, private_file };
    let is_blank = |line: &[u8]| FromBot::parse(line) == FromBot::Blank;
    Script { process, ..Script::new(LineEnd::Lf, is_blank) }
}

fn answer(_: &ScriptSoFar, line: &[u8]) -> Reading {
    match FromBot::parse(line) {
        FromBot::Answer { .. } => Reading::Answer,
        FromBot::Unreadable(why) => Reading::Wrong(why),
        FromBot::Blank => Reading::Aside,
    }
}

fn tick(script: Script, tick: &Tick) -> Script {
    script.send(tick.line()).answer(WHAT, answer)
}

fn talking() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    vec![
        Check::script(
            "answers-with-a-known-action",
            Must,
            FROM_AGENT,
            [
                "One JSON object on one line for each message: attack with a target, rest, replicate or die.",
                "the answer is not flushed (Python: print(…, flush=True)), is spread over several lines, or the \
                 program has not started: see its lines with !",
            ],
            || tick(new(), &Tick::new(1)),
        )
        .otherwise(Otherwise::SkipOthers),
        Check::script(
            "answers-each-tick-once",
            Must,
            FROM_AGENT,
            [
                "Replies carry no number: one is owed for each message, whatever it looks like.",
                "a greeting, or a line for debugging on standard output: it is taken for the reply; write it to \
                 standard error",
            ],
            || {
                let script = (1..7).map(Tick::new).fold(new(), |script, next| tick(script, &next));
                script.close_input().leaves(GRACE)
            },
        ),
        Check::script(
            "reads-a-line-that-comes-in-pieces",
            Must,
            TO_AGENT,
            [
                "One line of JSON for every tick: it ends where its line end is.",
                "what one read() returns is taken for a line: read until the line end comes",
            ],
            || {
                let line = Tick::new(1).line() + "\n";
                let (first, rest) = line.as_bytes().split_at(20);
                let (second, third) = rest.split_at(200);
                new().send_raw(&[first, second, third]).answer(WHAT, answer)
            },
        ),
        Check::script(
            "answers-two-ticks-that-come-at-once",
            Must,
            FROM_AGENT,
            [
                "An agent that is late answers two lines in a row; one that leaves out a reply is behind by one from \
                 then on.",
                "what one read() returns is taken for one line, or only the last line is answered",
            ],
            || {
                let script = new().send(Tick::new(1).line()).send(Tick::new(2).line());
                let script = script.answer(WHAT, answer).answer(WHAT, answer);
                tick(script, &Tick::new(3))
            },
        ),
        Check::script(
            "understands-cr-lf",
            May,
            TO_AGENT,
            ["Lines end in LF; other hosts may end them with CR LF.", "the CR is taken for a part of the JSON text"],
            || new().send_raw(&[(Tick::new(1).line() + "\r\n").as_bytes()]).answer(WHAT, answer),
        ),
        Check::script(
            "reads-fields-in-any-order",
            Should,
            TO_AGENT,
            [
                "Fields are told by their names.",
                "the line is searched for text instead of being read as JSON",
            ],
            || new().send(Tick::new(1).shuffled()).answer(WHAT, answer),
        ),
        Check::script(
            "skips-fields-it-does-not-know",
            Should,
            TO_AGENT,
            ["Other versions of the original program may have other fields.", "unknown fields are refused"],
            || new().send(Tick::new(1).with_others()).answer(WHAT, answer),
        ),
        Check::script(
            "does-without-fields-it-does-not-need",
            May,
            TO_AGENT,
            ["Older versions of the original program have no timeout_ms and no generation.", "fields that are not used are read"],
            || new().send(Tick::new(1).without(&["timeout_ms", "generation"])).answer(WHAT, answer),
        ),
        Check::script(
            "keeps-messages-below-1-kib",
            May,
            FROM_AGENT,
            ["Of message, the first 1,024 bytes are kept.", "the rest is never seen by anybody"],
            || {
                (1..4).map(Tick::new).fold(new(), |script, next| {
                    script.send(next.line()).answer("a message of at most 1,024 bytes", short_message)
                })
            },
        ),
    ]
}

fn short_message(so_far: &ScriptSoFar, line: &[u8]) -> Reading {
    let said: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
    match said["message"].as_str().map(str::len) {
        Some(length) if length > MOST_OF_A_MESSAGE => {
            Reading::Wrong(format!("the message is {length} bytes long"))
        }
        Some(_) | None => answer(so_far, line),
    }
}

fn reading() -> Vec<Check> {
    use CheckLevel::{May, Must};
    const AROUND: &str = "neighbors are the eight cells around, always all of them; empty ones and those outside of the \
         world have energy 0 and agent_id null.";
    vec![
        Check::script(
            "plays-with-neighbours-on-all-sides",
            Must,
            TO_AGENT,
            [AROUND, "an attack names no target, or one that is none of the eight directions"],
            || tick(new(), &Tick::new(1).crowded(9)),
        ),
        Check::script(
            "plays-with-strong-neighbours",
            Must,
            TO_AGENT,
            [AROUND, "the energy of a neighbour is taken for a small number"],
            || tick(new(), &Tick::new(1).crowded(1_000_000)),
        ),
        Check::script(
            "plays-alone-in-the-world",
            Must,
            TO_AGENT,
            [AROUND, "the first or the strongest of no neighbours is looked for"],
            || tick(new(), &Tick::new(1)),
        ),
        Check::script(
            "plays-in-the-first-corner",
            Must,
            TO_AGENT,
            [AROUND, "cells outside of the world are looked at"],
            || tick(new(), &Tick::new(1).at(0, 0)),
        ),
        Check::script(
            "plays-in-the-last-corner",
            Must,
            TO_AGENT,
            [AROUND, "cells outside of the world are looked at"],
            || tick(new(), &Tick::new(1).at(19, 14)),
        ),
        Check::script(
            "plays-in-a-world-of-one-cell",
            Must,
            TO_AGENT,
            [AROUND, "the middle or a random cell of the world is looked for"],
            || tick(new(), &Tick::new(1).at(0, 0).sized(1, 1)),
        ),
        Check::script(
            "plays-with-its-last-energy",
            Must,
            TO_AGENT,
            [
                "energy is what the agent has now, at least 1.",
                "the program gives up when it is weak: it should still answer",
            ],
            || tick(new(), &Tick::new(1).energy(1)),
        ),
        Check::script(
            "replicates-only-when-it-can-pay",
            May,
            RULES,
            [
                "replicate needs at least replicate_min energy (5); otherwise nothing happens.",
                "the action is wasted: rest or attack instead",
            ],
            || {
                new().send(Tick::new(1).energy(1).line()).answer(
                    "another action than replicate",
                    |so_far, line| {
                        let said: serde_json::Value =
                            serde_json::from_slice(line).unwrap_or_default();
                        match said["action"] == "replicate" {
                            true => Reading::Wrong(
                                "it replicates with 1 energy, which has no effect".to_owned(),
                            ),
                            false => answer(so_far, line),
                        }
                    },
                )
            },
        ),
        Check::script(
            "plays-with-plenty-of-energy",
            Must,
            TO_AGENT,
            ["energy has no upper bound.", "a number is read into too small a type"],
            || tick(new(), &Tick::new(1).energy(3_000_000)),
        ),
        Check::script(
            "plays-in-late-generations",
            Must,
            TO_AGENT,
            ["generation grows by one with every birth.", "a number is read into too small a type"],
            || tick(new(), &Tick::new(100_000).generation(70_000)),
        ),
        Check::script(
            "plays-without-a-time-limit",
            Must,
            TO_AGENT,
            [
                "timeout_ms is 2147483647 if there is no limit.",
                "the program thinks until the limit is near",
            ],
            || tick(new(), &Tick::new(1).timeout(2_147_483_647)),
        ),
        Check::script(
            "keeps-the-time-limit",
            Must,
            TO_AGENT,
            [
                "timeout_ms is the time limit for an answer.",
                "the limit is read as seconds, or not at all",
            ],
            || {
                let ticks = (1..4).map(|number| Tick::new(number).timeout(500).crowded(5));
                ticks
                    .fold(new(), |script, next| tick(script, &next))
                    .within(Duration::from_millis(500))
            },
        ),
        Check::script(
            "keeps-its-memory-within-its-limit",
            Must,
            "games/petri.md#memory",
            [
                "Each agent has one file of at most 1 MiB that lasts from tick to tick; at first it is not there.",
                "the file grows with every tick, or is expected to be there at the first",
            ],
            || (1..60).map(Tick::new).fold(new(), |script, next| tick(script, &next)),
        ),
    ]
}

fn leaving() -> Vec<Check> {
    use CheckLevel::Must;
    vec![Check::script(
        "leaves-when-its-input-ends",
        Must,
        TO_AGENT,
        [
            "There is no farewell: an agent's input ends, and its process has one second to leave.",
            "a loop that goes on when reading a line gives nothing: readline() returns an empty text at the end of \
             the input",
        ],
        || tick(new(), &Tick::new(1)).close_input().leaves(GRACE),
    )]
}

fn games() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    const PLAYED: &str = "A game is played to its end without a fault.";
    const WRONG: &str = "the lines below end where it went wrong";
    const SMALL: &str =
        r#"{"width":8,"height":6,"initial_agents":2,"max_agents":12,"max_ticks":8}"#;
    let of_two = |setup: &'static str| CheckedMatch::of_two(setup, "simple");
    let judged = |judged: JudgedBy| CheckedMatch { judged, ..of_two(SMALL) };
    vec![
        Check::of_match(
            "plays-a-game-in-the-first-seat",
            Must,
            RULES,
            [PLAYED, WRONG],
            of_two(SMALL),
        ),
        Check::of_match(
            "plays-a-game-in-the-last-seat",
            Must,
            RULES,
            [PLAYED, WRONG],
            CheckedMatch { seat: 1, seed: 2, ..of_two(SMALL) },
        ),
        Check::of_match(
            "plays-two-games-in-a-row",
            Must,
            RULES,
            [PLAYED, "something is left of the first game, in a file say"],
            CheckedMatch { games: 2, ..of_two(SMALL) },
        ),
        Check::of_match(
            "breeds-through-generations",
            Must,
            RULES,
            [
                "Births start processes and deaths end them in the middle of a game.",
                "a program that needs long to start delays its children; they have 200 ms",
            ],
            CheckedMatch {
                setup: Cow::Borrowed(
                    r#"{"width":6,"height":5,"initial_agents":1,"rest_gain":3,"max_agents":16,"max_ticks":15}"#,
                ),
                players: 1,
                ..of_two("{}")
            },
        ),
        Check::of_match(
            "plays-with-fifty-agents",
            Must,
            RULES,
            [
                "Every living agent is a process of its player's program.",
                "agents share a file or a port, and get in each other's way; or a process needs too much memory",
            ],
            CheckedMatch {
                setup: Cow::Borrowed(
                    r#"{"width":30,"height":20,"initial_agents":50,"max_agents":60,"max_ticks":3}"#,
                ),
                players: 1,
                turn_ms: 5000,
                ..of_two("{}")
            },
        ),
        Check::of_match(
            "keeps-within-its-limits",
            Must,
            RULES,
            [
                "A bot uses no more memory, processes, processor time and disk than its limits allow.",
                "the limits are those of [limits] in bot.toml, for each process",
            ],
            judged(JudgedBy::Limits),
        ),
        Check::of_match(
            "answers-with-time-to-spare",
            Should,
            "games/petri.md#set-up",
            [
                "The clock is one second for each tick.",
                "leave a tenth of the time: other machines are slower, and all agents are asked at once",
            ],
            judged(JudgedBy::Time),
        ),
        Check::of_match(
            "plays-the-same-again",
            May,
            "write-a-bot.md#three-rules",
            [
                "Bots that draw chance from a fixed seed can be tested again.",
                "a random seed or the clock decides; a fixed seed makes errors repeatable",
            ],
            judged(JudgedBy::Repetition),
        ),
    ]
}
