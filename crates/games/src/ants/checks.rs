//! What a program promises, and how that is tried.

mod worlds;

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};
use table::LineEnd;
use table::check::{Check, CheckLevel, CheckedMatch, JudgedBy, Otherwise, Reading, Script};

use super::setup::Version;
use super::wire::{Command, FromBot};
use worlds::World;

const TO_PROGRAM: &str = "games/ants.md#from-the-host-to-a-program";
const FROM_PROGRAM: &str = "games/ants.md#from-a-program-to-the-host";
const RULES: &str = "games/ants.md#rules";

/// How long a program may take to leave.
const GRACE: Duration = Duration::from_secs(1);
/// The time for a message.
const TURN: Duration = Duration::from_secs(1);

/// The promises, the simplest first.
pub(super) fn checks() -> Vec<Check> {
    [talking(), reading(), commanding(), leaving(), games()].into_iter().flatten().collect()
}

fn new() -> Script {
    Script::new(LineEnd::Lf, |_| false)
}

/// The version that the program speaks, as far as that is known.
fn version(setup: &Map<String, Value>) -> Version {
    match setup.get("version") {
        Some(version) if version == Version::Two.name() => Version::Two,
        Some(_) | None => Version::Seed,
    }
}

/// A message, and its answer.
fn turn(script: Script, world: &World, version: Version) -> Script {
    answer(script.send(world.text(version)), world)
}

fn answer(script: Script, world: &World) -> Script {
    let command = world.command();
    script
        .answer("one line of orders for its own living ants", move |_, line| orders(line, &command))
}

fn orders(line: &[u8], command: &Command) -> Reading {
    match FromBot::parse(line, command) {
        // The other orders of the line stand, as in a match.
        FromBot::Orders { faults, .. } => match faults.first() {
            None => Reading::Answer,
            Some(fault) => Reading::Odd(format!("{}: that ant rests", fault.detail)),
        },
        FromBot::Unparsable(why) => Reading::Wrong(why),
    }
}

fn talking() -> Vec<Check> {
    use CheckLevel::{May, Must, Should};
    const ONE: &str = "One line for each message.";
    vec![
        Check::script(
            "understands-the-documents-version",
            Should,
            TO_PROGRAM,
            [
                "version=seed is the document's form: the header has five numbers, and the second line the ids.",
                "the program speaks version 2 alone: it can play where the set-up says version=2",
            ],
            || {
                // Who takes the lines of one version for those of the other is soon out of step.
                let worlds = [World::new(5), World::new(5).sized(9, 7), World::new(5)];
                let worlds = (0..).zip(worlds).map(|(number, world)| world.later(number));
                worlds.fold(new(), |script, world| turn(script, &world, Version::Seed))
            },
        )
        .otherwise(Otherwise::Set("version", "2")),
        Check::script_for(
            "answers-the-first-message",
            Must,
            FROM_PROGRAM,
            [
                ONE,
                "the answer is not flushed (Python: print(…, flush=True)), the program waits for more lines than \
                 there are, or it has not started: see its lines with !",
            ],
            |setup| turn(new(), &World::new(5), version(setup)),
        )
        .otherwise(Otherwise::SkipOthers),
        Check::script(
            "understands-version-2",
            May,
            TO_PROGRAM,
            [
                "version=2 is what known clients speak: the header has four numbers, there is no line of ids, and \
                 foreign ants come before the map.",
                "the program speaks the document's version alone, which is the usual one",
            ],
            || {
                let world = World::new(5).foreign(&[(3, 3), (4, 1)]);
                turn(turn(new(), &world, Version::Two), &world.later(1), Version::Two)
            },
        ),
        Check::script_for(
            "answers-each-message-once",
            Must,
            FROM_PROGRAM,
            [
                "A line although none is owed is never taken for the next answer.",
                "a line for debugging on standard output: write it to standard error; or a message is left out",
            ],
            |setup| {
                let world = World::new(5);
                let turns = (0..4).map(|number| world.later(number));
                let script = turns.fold(new(), |script, world| turn(script, &world, version(setup)));
                script.close_input().leaves(GRACE)
            },
        ),
        Check::script_for(
            "reads-a-message-that-comes-in-pieces",
            Must,
            TO_PROGRAM,
            [
                "A message is as many lines as its numbers say, however they arrive.",
                "what one read() returns is taken for a line or a message: read line by line",
            ],
            |setup| {
                let world = World::new(3);
                let text = world.text(version(setup)) + "\n";
                let (first, rest) = text.as_bytes().split_at(5);
                let (second, third) = rest.split_at(rest.len() / 2);
                answer(new().send_raw(&[first, second, third]), &world)
            },
        ),
        Check::script_for(
            "reads-two-messages-that-come-at-once",
            Must,
            TO_PROGRAM,
            [
                "One line is owed for each message, also when two are there.",
                "everything that can be read is taken for one message: read as many lines as its numbers say",
            ],
            |setup| {
                let (first, second) = (World::new(2), World::new(2).later(1));
                let script = new().send(first.text(version(setup))).send(second.text(version(setup)));
                answer(answer(script, &first), &second)
            },
        ),
        Check::script_for(
            "understands-cr-lf",
            May,
            TO_PROGRAM,
            ["Lines end with a line feed; other hosts may end them with CR LF.", "the CR is taken for a part of a number"],
            |setup| {
                let world = World::new(2);
                let text = world.text(version(setup)).replace('\n', "\r\n") + "\r\n";
                answer(new().send_raw(&[text.as_bytes()]), &world)
            },
        ),
    ]
}

fn reading() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const LONG: &str =
        "A message for a fully known map of 300x300 has 90,000 points and about 900 KB.";
    vec![
        Check::script_for(
            "takes-an-ant-alone",
            Must,
            TO_PROGRAM,
            ["Each player has 1 to 42 ants.", "several ants are taken for granted"],
            |setup| turn(new(), &World::new(1), version(setup)),
        ),
        Check::script_for(
            "takes-42-ants",
            Must,
            TO_PROGRAM,
            ["Each player has 1 to 42 ants.", "room for fewer ants"],
            |setup| turn(new(), &World::new(42), version(setup)),
        ),
        Check::script_for(
            "takes-every-direction",
            Must,
            TO_PROGRAM,
            [
                "DX and DY are the direction: one of (1,0), (0,1), (-1,0), (0,-1).",
                "negative numbers are not read",
            ],
            |setup| turn(new(), &World::new(4).turned(), version(setup)),
        ),
        Check::script_for(
            "takes-remembered-points",
            Must,
            TO_PROGRAM,
            [
                "S of a point is 0 if it is remembered, with its content as last seen.",
                "points of which S is 0 are taken for the end of the list",
            ],
            |setup| turn(new(), &World::new(3).remembered(), version(setup)),
        ),
        Check::script_for(
            "takes-every-content",
            Must,
            TO_PROGRAM,
            [
                "C is 0 grass, 1 sugar, 2 rock, 3 mill, 4 water, 5 meat.",
                "a content that is not known",
            ],
            |setup| turn(new(), &World::new(3).contents(), version(setup)),
        ),
        Check::script_for(
            "takes-a-map-with-gaps",
            Must,
            TO_PROGRAM,
            [
                "N is the number of points, and only known points are listed.",
                "W times H points are read, whatever N says",
            ],
            |setup| {
                turn(
                    turn(new(), &World::new(2).gaps(), version(setup)),
                    &World::new(2).later(1),
                    version(setup),
                )
            },
        ),
        Check::script_for(
            "reads-a-message-of-45-kb-in-time",
            Must,
            "games/ants.md#set-up",
            ["The clock is one second for each message.", "every point is looked at for every ant"],
            |setup| {
                let world = World::new(5).sized(70, 65);
                let script = turn(new(), &World::new(5), version(setup));
                turn(script, &world.later(1), version(setup)).within(TURN)
            },
        ),
        Check::script_for(
            "reads-the-largest-message-in-time",
            Should,
            TO_PROGRAM,
            [
                LONG,
                "the map is searched anew for every ant: nearest food can be found for all at once",
            ],
            |setup| {
                let world = World::new(5).sized(300, 300);
                let script = turn(new(), &World::new(5), version(setup));
                turn(script, &world.later(1), version(setup)).within(TURN)
            },
        ),
    ]
}

fn commanding() -> Vec<Check> {
    use CheckLevel::Must;
    vec![
        Check::script_for(
            "commands-only-its-own-ants",
            Must,
            TO_PROGRAM,
            [
                "G and the ids say which ants are this program's; in version 2 those whose B is 1.",
                "orders for every ant in the list: a colony may be shared by several programs",
            ],
            |setup| turn(new(), &World::new(5).commands(2..4), version(setup)),
        ),
        Check::script_for(
            "leaves-dead-ants-alone",
            Must,
            TO_PROGRAM,
            [
                "A dead ant stays in the list, with 0 energy and B = 3; an order for it is a fault.",
                "B is not looked at",
            ],
            |setup| turn(new(), &World::new(4).dead(&[1, 2]), version(setup)),
        ),
        Check::script_for(
            "answers-when-all-its-ants-are-dead",
            Must,
            RULES,
            [
                "Programs are asked until the end of the game, also when all their ants are dead.",
                "no line is written when there is nothing to order: write an empty one",
            ],
            |setup| {
                let world = World::new(2).dead(&[0, 1]);
                turn(turn(new(), &world, version(setup)), &world.later(1), version(setup))
            },
        ),
        Check::script_for(
            "plays-with-eight-players",
            Must,
            TO_PROGRAM,
            ["P is the number of players, 2 to 8.", "two players are taken for granted"],
            |setup| turn(new(), &World::new(2).players(8), version(setup)),
        ),
        Check::script_for(
            "begins-in-the-middle-of-a-game",
            Must,
            "games/ants.md#set-up",
            [
                "A program that is started anew (restarts) hears the message of the turn, whatever its number.",
                "the first message is taken for that of turn 0",
            ],
            |setup| turn(new(), &World::new(3).later(150), version(setup)),
        ),
    ]
}

fn leaving() -> Vec<Check> {
    use CheckLevel::Must;
    vec![
        Check::script_for(
            "leaves-after-the-last-message",
            Must,
            TO_PROGRAM,
            [
                "The last message has status 0. No reply is expected, the input is closed, and the program has one \
                 second to leave.",
                "the status is not looked at, and the last message is answered",
            ],
            |setup| {
                let world = World::new(3);
                let script = turn(new(), &world, version(setup));
                script.send(world.later(1).over().text(version(setup))).close_input().leaves(GRACE)
            },
        ),
        Check::script_for(
            "leaves-when-its-input-ends",
            Must,
            "write-a-bot.md#three-rules",
            [
                "A bot ends when its input ends.",
                "a loop that goes on when reading a line gives nothing: readline() returns an empty text at the \
                 end of the input",
            ],
            |setup| turn(new(), &World::new(2), version(setup)).close_input().leaves(GRACE),
        ),
    ]
}

fn games() -> Vec<Check> {
    use CheckLevel::{Must, Should};
    const PLAYED: &str = "A game is played to its end without a fault.";
    const WRONG: &str = "the lines below end where it went wrong";
    let of_two = |setup: &'static str| CheckedMatch::of_two(setup, "simple");
    vec![
        Check::of_match(
            "plays-a-game-of-four",
            Must,
            RULES,
            [PLAYED, WRONG],
            CheckedMatch { players: 4, seat: 3, ..of_two(r#"{"max_turns":40}"#) },
        ),
        Check::of_match(
            "plays-on-the-smallest-map",
            Must,
            RULES,
            [PLAYED, "a map of one row, on which the ants meet"],
            of_two(r#"{"map":"A..1B","ants":1,"max_turns":20}"#),
        ),
        Check::of_match(
            "plays-with-42-ants-that-die",
            Must,
            RULES,
            [PLAYED, "ants die in this game: an order for a dead ant is a fault"],
            of_two(r#"{"ants":42,"width":60,"height":40,"energy":20,"max_turns":40}"#),
        ),
        Check::of_match(
            "plays-a-whole-game",
            Must,
            RULES,
            [PLAYED, WRONG],
            CheckedMatch { seat: 1, ..of_two("{}") },
        ),
        Check::of_match(
            "answers-with-time-to-spare",
            Should,
            "games/ants.md#set-up",
            [
                "The clock is one second for each message.",
                "leave a tenth of the time: other machines are slower, and the pipe takes time, too",
            ],
            CheckedMatch {
                setup: Cow::Borrowed(r#"{"width":80,"height":60,"ants":20,"max_turns":60}"#),
                judged: JudgedBy::Time,
                ..of_two("{}")
            },
        ),
    ]
}
