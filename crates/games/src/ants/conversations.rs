//! The protocol: the published example, single lines, and whole conversations.

use game::{FaultKind, Rng};

use super::colony::Ant;
use super::tests::dice;
use super::wire::{Command, FromBot, message};
use super::*;

testkit::transcripts! { Ants, "ants";
    a_match_that_is_ended_early_says_goodbye_like_any_other: "adjudicated.txt",
    a_game_in_the_seeds_version: "seed-simple-game.txt",
    a_game_in_version_2: "version-2-game.txt",
    what_is_wrong_with_one_ant_costs_the_others_nothing: "one-ant-wrong.txt",
    an_unparsable_line_moves_nobody: "unparsable.txt",
    habits_of_real_clients_cost_nothing: "harmless-quirks.txt",
    late_lines_are_thrown_away: "late.txt",
    the_ants_of_a_crashed_program_rest: "crash.txt",
    a_crashed_program_may_be_started_anew: "restart.txt",
    programs_share_a_colony: "shared-colony.txt",
    programs_share_a_colony_in_version_2: "shared-colony-version-2.txt",
    dead_ants_stay_in_the_list: "dead-ant.txt",
    when_everybody_has_left_the_rest_is_played_at_once: "everybody-leaves.txt",
    lines_nobody_asked_for_are_never_kept: "out-of-turn.txt",
}

/// The example of the protocol's document. Its list of points is cut short and not in order.
const EXAMPLE: &str = "\
4 5 2 1 5
0 1 2 3 4
0 0 -1 0 100 100 1
25 78 -1 0 17 100 1
112 42 -1 0 32 100 1
5 3 -1 0 100 56 1
2 10 -1 0 100 100 1
120 80 124
0 0 0 1
0 1 2 1
4 6 0 1
12 17 0 0
3 5 0 1
6 9 5 0
";

fn ant(x: u16, y: u16, energy: u32, acid: u32) -> Ant {
    Ant { at: Point::new(x, y), facing: Direction::West, energy, acid }
}

fn written(view: &View, version: Version) -> String {
    let mut bytes = Vec::new();
    message(view, version, &mut bytes);
    String::from_utf8(bytes).expect("messages are text")
}

fn example() -> View {
    let sight = |x, y, code, now| {
        let content = Content::of_code(code).expect("a code of the document");
        (Point::new(x, y), Sight { content, now })
    };
    let mut points = vec![
        sight(0, 0, 0, true),
        sight(0, 1, 2, true),
        sight(4, 6, 0, true),
        sight(12, 17, 0, false),
        sight(3, 5, 0, true),
        sight(6, 9, 5, false),
        sight(119, 79, 0, false),
    ];
    // The points that the document leaves out.
    points.extend((0..117).map(|x| sight(x, 50, 0, false)));
    View {
        turn: 4,
        ants: 5,
        players: 2,
        over: false,
        ids: 0..5,
        own: vec![
            ant(0, 0, 100, 100),
            ant(25, 78, 17, 100),
            ant(112, 42, 32, 100),
            ant(5, 3, 100, 56),
            ant(2, 10, 100, 100),
        ],
        foreign: vec![Foreign { at: Point::new(1, 1), facing: Direction::North }],
        map: Known::of(&points),
    }
}

#[test]
fn the_documents_example_is_reproduced_byte_for_byte() {
    let text = written(&example(), Version::Seed);
    let (head, points) = EXAMPLE.split_at(EXAMPLE.find("0 0 0 1\n").expect("the first point"));
    assert!(text.starts_with(head), "{text}");
    let lines: Vec<&str> = text[head.len()..].lines().collect();
    assert_eq!(lines.len(), 124);
    assert!(points.lines().all(|point| lines.contains(&point)), "{text}");
    let place = |line: &&str| {
        let mut numbers = line.split(' ').map(|word| word.parse::<u16>().expect("a number"));
        let x = numbers.next();
        (numbers.next(), x)
    };
    assert!(lines.is_sorted_by_key(place), "by row, then by column");
    assert!(text.ends_with("119 79 0 0\n"));
}

#[test]
fn version_2_of_the_example_has_ids_and_foreign_ants() {
    let text = written(&View { ids: 1..3, ..example() }, Version::Two);
    let head = "4 5 2 1\n0 0 0 -1 0 100 100 2\n1 25 78 -1 0 17 100 1\n2 112 42 -1 0 32 100 1\n\
                3 5 3 -1 0 100 56 2\n4 2 10 -1 0 100 100 2\n1\n1 1 0 -1 1\n120 80 124\n0 0 0 1\n";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn the_last_message_has_status_0_and_a_dead_ant_state_3() {
    let mut view = View { over: true, ids: 3..5, ..example() };
    view.own[3].energy = 0;
    let text = written(&view, Version::Seed);
    assert!(text.starts_with("4 5 2 0 2\n3 4\n0 0 -1 0 100 100 1\n"), "{text}");
    assert!(text.contains("\n5 3 -1 0 0 56 3\n"), "{text}");
}

#[test]
fn the_largest_message_is_whole() {
    let all = (0..300).flat_map(|y| (0..300).map(move |x| Point::new(x, y)));
    let sight = Sight { content: Content::Water, now: true };
    let points: Vec<(Point, Sight)> = all.map(|point| (point, sight)).collect();
    let text = written(&View { map: Known::of(&points), ..example() }, Version::Seed);
    let lines = text.lines().skip(8).map(str::to_owned);
    assert!(lines.eq(points.iter().map(|(at, _)| format!("{} {} 4 1", at.x, at.y))));
}

fn command() -> Command {
    Command { ids: 0..4, alive: vec![true, true, false, true, true] }
}

fn parsed(line: &[u8]) -> (String, Vec<FaultKind>) {
    match FromBot::parse(line, &command()) {
        FromBot::Orders { orders, faults } => {
            (orders.to_string(), faults.into_iter().map(|fault| fault.kind).collect())
        }
        FromBot::Unparsable(_) => ("unparsable".to_owned(), Vec::new()),
    }
}

#[test]
fn lines_mean_what_the_page_says() {
    use FaultKind::{BadInput, Illegal};
    let cases: [(&[u8], &str, &[FaultKind]); 18] = [
        (b"0:forward,1:left,3:attack@20", "0:forward,1:left,3:attack@20", &[]),
        (b"3:attack@20,0:rest,1:right", "1:right,3:attack@20", &[]),
        (b" 0 :\tforward , 1: left ,\r", "0:forward,1:left", &[]),
        (b"", "", &[]),
        (b" , ,", "", &[]),
        (b"0:left,2:left", "0:left", &[Illegal]),
        (b"4:left,0:left", "0:left", &[Illegal]),
        (b"5:left,0:left", "0:left", &[Illegal]),
        (b"256:left,0:left", "0:left", &[Illegal]),
        (b"-0:left,0:left", "0:left", &[Illegal]),
        (b"0:left,0:left", "0:left", &[Illegal]),
        (b"0:,1:left", "1:left", &[BadInput]),
        (b"0:left:right,1:left", "1:left", &[BadInput]),
        (b"0:attack@1001,1:left", "1:left", &[Illegal]),
        (b"0=left,1:left", "unparsable", &[]),
        (b"0.0:left", "unparsable", &[]),
        (b"+1:left", "unparsable", &[]),
        (b"0 1:left", "unparsable", &[]),
    ];
    for (line, orders, faults) in cases {
        let shown = String::from_utf8_lossy(line);
        assert_eq!(parsed(line), (orders.to_owned(), faults.to_vec()), "{shown}");
    }
}

#[test]
fn a_flood_of_wrong_tokens_is_summed_up() {
    let line = "9:left,".repeat(5000) + "0:forward";
    let FromBot::Orders { orders, faults } = FromBot::parse(line.as_bytes(), &command()) else {
        panic!("it is in the right form")
    };
    assert_eq!((orders.to_string().as_str(), faults.len()), ("0:forward", 11));
    assert_eq!(faults[10], Fault::new(FaultKind::Illegal, "4990 more in the same line"));
}

#[test]
fn no_bytes_do_any_harm() {
    let words: [&[u8]; 16] = [
        b"0",
        b"3",
        b":",
        b",",
        b"left",
        b"attack@",
        b"9",
        b"-",
        b" ",
        b"\0",
        b"\xff",
        b"rest",
        b"1000",
        b"forward",
        b"@",
        b"18446744073709551616",
    ];
    let mut rng: Rng = dice(3);
    for _ in 0..20_000 {
        let count = rng.below(12);
        let line: Vec<u8> =
            (0..count).flat_map(|_| rng.pick(&words).expect("words").to_vec()).collect();
        if let FromBot::Orders { orders, .. } = FromBot::parse(&line, &command()) {
            assert!(orders.list().iter().all(|(ant, _)| [0, 1, 3].contains(ant)), "{line:?}");
        }
    }
}
