//! PyRat against the games of the original engine, under the laws of all games, as the table
//! plays it, and its protocol as transcripts.

use std::time::Duration;

use game::{Afterwards, Bot, Budget, Rng};
use table::{Hosted as _, Input, Known, Occasion, Recording, SeatId, SeatStatus, Shown as _};
use testkit::law::{self, Lawful};

use super::bots::{BOTS, bot};
use super::*;

impl Lawful for Pyrat {
    fn setups() -> Vec<(Config, u16)> {
        let tiny = |width, height| Config {
            width: Some(width),
            height: Some(height),
            ..Config::preset(Preset::Tiny)
        };
        let muddy = Config { mud_density: Some(0.6), ..tiny(7, 5) };
        let swapped =
            Config { rat: Some(Point::new(4, 4)), python: Some(Point::new(0, 0)), ..tiny(5, 5) };
        let strict = Config { restarts: 0, open: true, max_turns: Some(9), ..tiny(4, 3) };
        let skewed = Config { symmetric: false, ..tiny(6, 3) };
        [muddy, swapped, strict, skewed, tiny(2, 2)].map(|config| (config, 2)).into()
    }

    fn legal(&self, _: ActorId) -> Vec<Move> {
        Move::ALL.into()
    }

    fn illegal(&self, _: ActorId) -> Vec<Move> {
        Vec::new()
    }

    fn disguised(&self, _: ActorId, _: &mut Rng) -> Option<Pyrat> {
        None
    }

    fn longest(config: &Config) -> usize {
        config.start(Seed(0)).expect("the set-ups are sound").max_turns() as usize
    }
}

#[test]
fn pyrat_obeys_the_laws() {
    law::all::<Pyrat>();
}

const TRACES: &str = include_str!("../../tests-data/pyrat/pyrat-traces.jsonl");

#[derive(Deserialize)]
struct Trace {
    turns: Vec<TracedTurn>,
}

#[derive(Deserialize)]
struct TracedTurn {
    rat: Move,
    python: Move,
    rat_at: Point,
    python_at: Point,
    rat_mud: u16,
    python_mud: u16,
    rat_score: Score,
    python_score: Score,
    taken: Vec<Point>,
}

/// The set-up and the turns of every trace.
fn traces() -> Vec<(Config, Vec<TracedTurn>)> {
    TRACES
        .lines()
        .map(|line| {
            let mut setup: serde_json::Value = serde_json::from_str(line).expect("a trace");
            setup.as_object_mut().expect("an object").remove("turns");
            let config = serde_json::from_value(setup).expect("the rest is a set-up");
            let trace: Trace = serde_json::from_str(line).expect("a trace");
            (config, trace.turns)
        })
        .collect()
}

fn both(rat: Move, python: Move) -> Moves<Move> {
    Moves(vec![(Side::Rat.actor(), Choice::Act(rat)), (Side::Python.actor(), Choice::Act(python))])
}

#[test]
fn every_game_of_the_original_engine_is_reproduced_turn_by_turn() {
    let traces = traces();
    assert_eq!(traces.len(), 60);
    for (number, (config, turns)) in traces.into_iter().enumerate() {
        let mut game = Pyrat::start(&config, 2, Seed(0)).expect("the original played it");
        for (turn, traced) in turns.iter().enumerate() {
            assert!(matches!(game.turn(), Turn::All(_)), "trace {number} ends before {turn}");
            let mut told = Vec::new();
            game.step(&both(traced.rat, traced.python), &mut told);
            let [Told { to: Audience::All, event }] = &told[..] else {
                panic!("one event for everybody, not {told:?}")
            };
            let found = Side::BOTH.map(|side| {
                let Deed { by, now } = *event.deed(side);
                (by, now.at, now.mud, now.score)
            });
            let rat = (traced.rat, traced.rat_at, traced.rat_mud, traced.rat_score);
            let python = (traced.python, traced.python_at, traced.python_mud, traced.python_score);
            assert_eq!(found, [rat, python], "trace {number}, turn {turn}");
            let mut taken = traced.taken.clone();
            taken.sort();
            let mut found = event.taken.clone();
            found.sort();
            assert_eq!(found, taken, "trace {number}, turn {turn}");
            assert_eq!(event.turn as usize, turn + 1);
        }
        let Turn::Over(outcome) = game.turn() else { panic!("trace {number} does not end") };
        let last = turns.last().expect("every game has turns");
        assert_eq!(outcome.scores, [last.rat_score.points(), last.python_score.points()]);
    }
}

#[test]
fn equal_states_have_equal_digests_and_survive_storage() {
    let (config, turns) = traces().swap_remove(24);
    let mut game = Pyrat::start(&config, 2, Seed(0)).expect("fine");
    let mut digests = vec![game.digest()];
    for traced in &turns[..60] {
        game.step(&both(traced.rat, traced.python), &mut Vec::new());
        let json = serde_json::to_string(&game).expect("serialises");
        let back: Pyrat = serde_json::from_str(&json).expect("reads back");
        assert_eq!((&back, back.digest()), (&game, game.digest()));
        digests.push(game.digest());
    }
    let count = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), count, "every turn counts");
}

#[test]
fn a_stored_state_that_cannot_be_is_refused() {
    let game = Pyrat::start(&Config::preset(Preset::Tiny), 2, Seed(1)).expect("fine");
    let text = serde_json::to_string(&game).expect("serialises");
    for (from, to) in [
        (r#""rat":{"at":[0,0],"to":[0,0]"#, r#""rat":{"at":[0,99],"to":[0,99]"#),
        (r#""to":[0,0],"mud":0"#, r#""to":[3,3],"mud":2"#),
        (r#""cheese_total":13"#, r#""cheese_total":12"#),
        (r#""score":0.0"#, r#""score":1.0"#),
        (r#""score":0.0"#, r#""score":0.3"#),
    ] {
        assert!(text.contains(from), "{text}");
        let broken = text.replacen(from, to, 1);
        assert!(serde_json::from_str::<Pyrat>(&broken).is_err(), "{to}");
    }
}

#[test]
fn the_plain_words_of_a_state_are_the_documented_ones() {
    let mut config = traces().swap_remove(1).0;
    config.cheese = Some(vec![Point::new(7, 3), Point::new(6, 0)]);
    let mut game = Pyrat::start(&config, 2, Seed(0)).expect("fine");
    game.step(&both(Move::Up, Move::Stay), &mut Vec::new());
    let python = serde_json::json!({ "at": [7, 3], "mud": 0, "score": 0.5 });
    assert_eq!(game.plain()["python"], python);
    assert_eq!(game.plain()["cheese"], serde_json::json!([[6, 0]]));
    assert_eq!(game.plain().as_object().expect("an object").len(), 3);
    assert_eq!(serde_json::to_value(Move::Up).expect("serialises"), "UP");
}

#[test]
fn faults_cost_a_turn_or_the_program_but_never_the_game_at_once() {
    let game = Pyrat::start(&Config::default(), 2, Seed(1)).expect("fine");
    let after = |restarts, kind| {
        game.rule(Side::Rat.actor(), &Fault::new(kind, "test"), Past { tries: 0, restarts })
    };
    let rule = |kind| after(0, kind);
    assert_eq!(rule(FaultKind::Timeout), Ruling::Play(Move::Stay));
    assert_eq!(rule(FaultKind::BadInput), Ruling::Play(Move::Stay));
    assert_eq!(rule(FaultKind::Crash), Ruling::Reseat(Move::Stay));
    assert_eq!(rule(FaultKind::Extra), Ruling::Overlook);
    assert_eq!(rule(FaultKind::NotStarted), Ruling::Forfeit);
    assert_eq!(after(2, FaultKind::Crash), Ruling::Reseat(Move::Stay));
    assert_eq!(after(3, FaultKind::Crash), Ruling::Forfeit);
    assert_eq!(after(3, FaultKind::Timeout), Ruling::Play(Move::Stay));
    // Before the first turn it is the handshake that failed, afterwards a ready check.
    assert_eq!(rule(FaultKind::NotReady), Ruling::Forfeit);
    let mut game = game;
    game.step(&both(Move::Stay, Move::Stay), &mut Vec::new());
    let late = Fault::new(FaultKind::NotReady, "test");
    assert_eq!(game.rule(ActorId(0), &late, Past::default()), Ruling::Reseat(Move::Stay));
}

#[test]
fn a_player_whose_program_left_stays_and_is_not_asked() {
    let config = Config { open: true, max_turns: Some(20), ..Config::preset(Preset::Tiny) };
    let mut game = Pyrat::start(&config, 2, Seed(1)).expect("fine");
    let mut told = Vec::new();
    let left = Choice::Forfeit(testkit::crash());
    let moves = vec![(ActorId(0), left.clone()), (ActorId(1), Choice::Act(Move::Left))];
    game.step(&Moves(moves), &mut told);
    assert_eq!(told[0].event.rat.by, Move::Stay);
    assert_eq!(game.turn(), Turn::All(vec![ActorId(1)]));
    assert!(game.check(ActorId(0), &Move::Up).is_err());
    let mut roles = Vec::new();
    game.cast(&mut roles);
    assert_eq!(roles, [Role { actor: ActorId(1), player: PlayerId(1) }]);
    let mut other = game.clone();
    while let Turn::All(_) = game.turn() {
        game.step(&Moves::one(ActorId(1), Move::Down), &mut told);
    }
    assert_eq!(game.state().point_of(Side::Rat), Point::new(0, 0));
    assert_eq!(game.state().turn(), 20);
    // When the second one leaves as well there is nobody left to play for.
    other.step(&Moves(vec![(ActorId(1), left)]), &mut told);
    let Turn::Over(outcome) = other.turn() else { panic!("nobody is left") };
    assert_eq!(outcome.reason, "both players have left");
}

#[test]
fn leaving_before_the_first_turn_is_not_a_turn_and_loses() {
    let mut game = Pyrat::start(&Config::default(), 2, Seed(1)).expect("fine");
    let mut told = Vec::new();
    game.step(&Moves(vec![(ActorId(1), Choice::Forfeit(testkit::crash()))]), &mut told);
    assert_eq!((game.state().turn(), told.len()), (0, 0));
    let Turn::Over(outcome) = game.turn() else { panic!("there is nobody to play against") };
    assert_eq!((outcome.winner(), outcome.scores.as_slice()), (Some(0), &[0.0, 0.0][..]));
    assert_eq!(outcome.reason, "the python could not play: crash: a test");
}

#[test]
fn pyrat_is_for_two() {
    for players in [0, 1, 3] {
        assert!(Pyrat::start(&Config::default(), players, Seed(1)).is_err());
    }
}

/// A budget without a clock: each look at it takes ten microseconds.
struct Counted(std::cell::Cell<Duration>);

impl Budget for Counted {
    fn left(&self) -> Option<Duration> {
        self.0.set(self.0.get().saturating_sub(Duration::from_micros(10)));
        Some(self.0.get())
    }
    fn stopped(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// Plays two bots against each other; gives the final state.
fn duel(config: &Config, seed: u64, bots: [&str; 2], budget: Duration) -> Pyrat {
    let mut game = Pyrat::start(config, 2, Seed(seed)).expect("fine");
    let mut bots: Vec<Box<dyn Bot<Pyrat>>> =
        bots.iter().map(|name| bot(name, Seed(seed).rng(name)).expect("a known name")).collect();
    while let Turn::All(actors) = game.turn() {
        let choices = actors.into_iter().map(|actor| {
            let budget = Counted(std::cell::Cell::new(budget));
            let by = bots[actor.0 as usize].act(&game.view(Eye::Actor(actor)), &budget);
            (actor, Choice::Act(by))
        });
        let moves = Moves(choices.collect());
        let mut told = Vec::new();
        game.step(&moves, &mut told);
    }
    game
}

fn lead(game: &Pyrat, side: Side) -> i64 {
    let halves = |side| i64::from(game.state().player(side).score.halves);
    halves(side) - halves(side.other())
}

#[test]
fn stronger_bots_beat_weaker_ones() {
    let config = Config::preset(Preset::Small);
    for [weak, strong] in [["random", "greedy"], ["greedy", "tourer"]] {
        let budget = Duration::from_millis(4);
        let mut won = 0;
        for seed in 0..6 {
            won += i64::from(lead(&duel(&config, seed, [weak, strong], budget), Side::Python) > 0);
            won += i64::from(lead(&duel(&config, seed, [strong, weak], budget), Side::Rat) > 0);
        }
        assert!(won >= 10, "{strong} wins only {won} of 12 against {weak}");
    }
}

#[test]
fn bots_play_on_every_sort_of_board() {
    let tiny = |width, height| Config {
        width: Some(width),
        height: Some(height),
        max_turns: Some(30),
        ..Config::default()
    };
    let cut_off = Config {
        // The rat is walled in and only the python can get at the cheese.
        walls: Some(vec![
            (Point::new(0, 0), Point::new(1, 0)),
            (Point::new(0, 0), Point::new(0, 1)),
        ]),
        cheese: Some(vec![Point::new(1, 1), Point::new(2, 2)]),
        ..tiny(3, 3)
    };
    let large = Config { max_turns: Some(3), ..tiny(120, 100) };
    for config in [tiny(2, 2), tiny(3, 2), tiny(2, 40), cut_off, large] {
        for name in BOTS.iter().map(|card| card.name) {
            for budget in [Duration::ZERO, Duration::from_millis(1)] {
                let game = duel(&config, 3, [name, name], budget);
                assert!(matches!(game.turn(), Turn::Over(_)));
            }
        }
    }
}

#[test]
fn a_stopped_bot_answers_at_once() {
    struct Stopped(std::cell::Cell<u32>);
    impl Budget for Stopped {
        fn left(&self) -> Option<Duration> {
            None
        }
        fn stopped(&self) -> bool {
            self.0.set(self.0.get() + 1);
            true
        }
    }
    let game = Pyrat::start(&Config::preset(Preset::Huge), 2, Seed(1)).expect("fine");
    let asked = Stopped(std::cell::Cell::new(0));
    let mut bot = bot("tourer", Seed(1).rng("bot")).expect("a known name");
    bot.prepare(&game.view(Eye::Actor(ActorId(0))), &asked);
    assert!(asked.0.take() <= 3);
    // Even then it goes somewhere: to the nearest cheese.
    assert_ne!(bot.act(&game.view(Eye::Actor(ActorId(0))), &asked), Move::Stay);
    assert!(asked.0.get() <= 3, "asked {} times", asked.0.get());
}

#[test]
fn bots_stay_where_they_have_nothing_to_do() {
    let game = Pyrat::start(&Config::default(), 2, Seed(1)).expect("fine");
    let budget = Counted(std::cell::Cell::new(Duration::from_millis(1)));
    for name in BOTS.iter().map(|card| card.name) {
        let mut bot = bot(name, Seed(1).rng(name)).expect("a known name");
        assert_eq!(bot.act(&game.view(Eye::Public), &budget), Move::Stay);
    }
    assert!(bot("hungry", Seed(1).rng("hungry")).is_none());
}

/// A table of one program against a built-in bot that cannot move, up to the first question.
fn asked() -> (Box<dyn table::AnyTable>, table::Outputs) {
    let setup = r#"{"width": 3, "height": 2, "walls": [[[1,1],[2,1]],[[2,0],[2,1]]], "mud": [],
        "cheese": [[1,1]], "preprocessing_ms": 0}"#;
    let setup = serde_json::from_str(setup).expect("an object");
    let entrant = |contestant| table::Entrant::new("bot", contestant);
    let terms = table::Terms {
        id: "test".into(),
        seed: Seed(1),
        entrants: vec![
            entrant(table::Contestant::Program { then: Afterwards::Leave }),
            entrant(table::Contestant::BuiltIn("greedy".into())),
        ],
        clock: Pyrat::card().clock,
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::Off,
    };
    use table::AnyGame as _;
    let mut table = table::Erased::<Pyrat>::new().table(&setup, terms).expect("a sound set-up");
    let mut out = table::Outputs::default();
    table.open(game::Tick::ZERO, &mut out);
    let seated = Input::Seated {
        seat: SeatId(0),
        process: game::ProcessHistory::Fresh,
        known: Known::default(),
    };
    table.feed(game::Tick::ZERO, seated, &mut out);
    feed(&mut *table, Duration::ZERO, b"pyratready", &mut out);
    let thought = table.thinker(SeatId(1)).expect("a built-in bot").think(&testkit::AtOnce);
    let thought = Input::Thought { seat: SeatId(1), thought, cpu: Duration::ZERO };
    table.feed(game::Tick::ZERO, thought, &mut out);
    table.clock_started(SeatId(0), game::Tick::ZERO, Duration::ZERO);
    (table, out)
}

fn feed(
    table: &mut dyn table::AnyTable,
    at: Duration,
    line: &[u8],
    out: &mut table::Outputs,
) -> String {
    out.clear();
    let line = Input::Line { seat: SeatId(0), line, cpu: Duration::ZERO };
    table.feed(game::Tick(at), line, out);
    String::from_utf8_lossy(&out.bytes).into_owned()
}

#[test]
fn a_late_answer_that_comes_before_the_tick_is_a_time_out_like_any_other() {
    let (mut table, mut out) = asked();
    let late = Duration::from_millis(1021);
    let told = feed(&mut *table, late, b"move UP", &mut out);
    assert_eq!(told, "timeout move:STAY\nmoves rat:STAY python:STAY\nready?\n");
    assert_eq!(table.faults()[0][0].kind, FaultKind::Timeout);
    // Nothing is owed any more: another move is one too many.
    feed(&mut *table, late, b"move UP", &mut out);
    assert_eq!(table.faults()[0][1].kind, FaultKind::Extra);
}

#[test]
fn a_move_said_before_the_question_has_left_is_no_answer_to_it() {
    let (mut table, mut out) = asked();
    let late = Duration::from_millis(1021);
    table.feed(game::Tick(late), Input::Tick, &mut out);
    // One read of two lines: the move cannot know of the question that its bot's ready leads to.
    let told = feed(&mut *table, late, b"ready", &mut out);
    assert_eq!(told, "go\n");
    assert_eq!(feed(&mut *table, late, b"move UP", &mut out), "");
    assert_eq!(
        table.notes()[0].last().expect("a note").text,
        "\"move UP\" came after its time was up"
    );
    assert_eq!(feed(&mut *table, late, b"move UP", &mut out), "");
    assert_eq!(table.faults()[0].last().expect("a fault").kind, FaultKind::Extra);
    table.clock_started(SeatId(0), game::Tick(late), Duration::ZERO);
    feed(&mut *table, late, b"move DOWN", &mut out);
    assert_eq!(table.faults()[0].len(), 2);
    assert_ne!(table.seat(SeatId(0)), SeatStatus::Awaited, "it has answered");
}

#[test]
fn the_clock_starts_with_the_bytes_that_hold_the_question() {
    let (mut table, mut out) = asked();
    let starts = |out: &table::Outputs| {
        let writes = out.list.iter().filter_map(|output| match output {
            table::Output::Write { bytes, starts_clock: true, .. } => Some(bytes.clone()),
            _ => None,
        });
        let texts = writes.map(|b| String::from_utf8_lossy(&out.bytes[b]).into_owned());
        texts.collect::<Vec<String>>()
    };
    assert_eq!(starts(&out), ["moves rat:STAY python:STAY\ngo\n"]);
    // In the ready check it stands still until the bot is ready.
    feed(&mut *table, Duration::from_millis(1021), b"move UP", &mut out);
    assert!(starts(&out).is_empty() && table.seat(SeatId(0)) != SeatStatus::Awaited);
    feed(&mut *table, Duration::from_millis(1500), b"ready", &mut out);
    assert_eq!(starts(&out), ["go\n"]);
}

testkit::transcripts! { Pyrat, "pyrat";
    the_documents_simple_game: "seed-simple-game.txt",
    a_match_that_is_ended_early_says_goodbye_like_any_other: "adjudicated.txt",
    the_documents_maze: "seed-maze.txt",
    the_documents_timeout_and_recovery: "seed-timeout.txt",
    options_of_all_types_are_set: "options.txt",
    an_option_out_of_range_is_an_error_before_the_game: "option-out-of-range.txt",
    an_unknown_option_is_an_error_before_the_game: "option-unknown.txt",
    quirks_of_the_handshake_are_no_faults: "handshake-quirks.txt",
    a_bot_that_never_says_pyratready_loses: "never-ready.txt",
    a_crash_before_the_first_turn_is_a_new_start: "crash-before-first-turn.txt",
    preprocessing_has_a_limit: "preprocessing-timeout.txt",
    postprocessing_has_a_limit_that_costs_nothing: "postprocessing-timeout.txt",
    info_of_every_kind_is_noted: "info.txt",
    floods_of_info_are_bounded: "info-flood.txt",
    stop_comes_at_the_soft_deadline: "stop.txt",
    a_late_move_is_never_the_next_answer: "late-moves.txt",
    both_may_be_late_at_once: "both-late.txt",
    without_ready_the_bot_is_started_anew: "not-ready.txt",
    a_crash_on_turn_is_recovered_from: "crash-on-turn.txt",
    a_crash_out_of_turn_costs_the_next_turn: "crash-out-of-turn.txt",
    after_too_many_crashes_the_player_stays: "crash-too-often.txt",
    garbage_is_stay: "garbage.txt",
    who_fails_too_often_in_a_row_is_given_up: "max-faults.txt",
    moves_nobody_asked_for_are_ignored: "moves-nobody-asked-for.txt",
    isready_may_come_at_any_time: "isready.txt",
    the_next_game_uses_a_process_that_is_idle: "reuse.txt",
    a_bot_that_owes_an_answer_is_not_kept: "reuse-owed.txt",
    unlimited_time_and_empty_lists: "unlimited-time.txt",
    shared_cheese_is_told_in_halves: "shared-cheese.txt",
}
