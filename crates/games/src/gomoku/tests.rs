//! Gomoku under the laws of all games, and its protocol as transcripts.

use game::{ActorId, Choice, Game, Moves, Outcome, PlayerId, Rng, Seed, Turn};
use testkit::law::{self, Lawful};

use super::board::{Cell, Rule, Size};
use super::setup::{Config, Opening};
use super::state::{Action, Gomoku, Phase, Stones};

impl Lawful for Gomoku {
    fn setups() -> Vec<(Config, u16)> {
        let small = |rule| Config { rule, size: Some(7), ..Config::default() };
        let mut setups: Vec<Config> = Rule::ALL.map(small).into();
        setups.push(Config { opening: Opening::Swap2, ..small(Rule::Standard) });
        setups.push(Config { width: Some(5), height: Some(9), ..Config::default() });
        setups.push(Config { max_moves: Some(12), ..Config::default() });
        setups.push(Config { start: vec![Cell { x: 3, y: 3 }], ..small(Rule::Renju) });
        setups.into_iter().map(|config| (config, 2)).collect()
    }

    fn legal(&self, _: ActorId) -> Vec<Action> {
        let free: Vec<Cell> = self.board().free().collect();
        let one = free.iter().copied().map(Action::Put);
        match self.phase() {
            Phase::Three => free.windows(3).map(|c| Action::Three([c[0], c[1], c[2]])).collect(),
            Phase::Choose => {
                let two = free.windows(2).map(|c| Action::Two([c[0], c[1]]));
                one.chain(two).chain([Action::Swap]).collect()
            }
            Phase::ChooseLast => one.chain([Action::Swap]).collect(),
            Phase::Play => one.collect(),
            Phase::Over(_) => Vec::new(),
        }
    }

    fn illegal(&self, _: ActorId) -> Vec<Action> {
        let Size { width, height } = self.board().size();
        let outside = [(width, 0), (0, height), (255, 255)].map(|(x, y)| Cell { x, y });
        let taken = self.stones().iter().copied();
        let mut illegal: Vec<Action> = taken.chain(outside).map(Action::Put).collect();
        let free: Vec<Cell> = self.board().free().collect();
        illegal.extend(free.first().map(|&cell| Action::Two([cell, cell])));
        match self.phase() {
            Phase::Play => illegal.push(Action::Swap),
            Phase::Three => illegal.extend(free.iter().copied().map(Action::Put)),
            Phase::Choose | Phase::ChooseLast | Phase::Over(_) => {}
        }
        illegal
    }

    fn disguised(&self, _: ActorId, _: &mut Rng) -> Option<Gomoku> {
        None
    }

    fn longest(config: &Config) -> usize {
        config.board().expect("the set-ups are sound").area()
    }
}

#[test]
fn gomoku_obeys_the_laws() {
    law::all::<Gomoku>();
}

/// Plays a list of cells and says how it ended.
fn played(config: &Config, cells: &[(u8, u8)]) -> Option<Outcome> {
    let mut game = Gomoku::start(config, 2, Seed(1)).expect("the set-up is sound");
    for (x, y) in cells {
        let Turn::One(actor) = game.turn() else { panic!("it is over before {x},{y}") };
        let action = Action::Put(Cell { x: *x, y: *y });
        assert_eq!(game.check(actor, &action), Ok(()));
        game.step(&Moves::one(actor, action), &mut Vec::new());
    }
    game.outcome().cloned()
}

#[test]
fn overline_does_not_win_under_exactly_five() {
    let six =
        [(0, 0), (0, 9), (1, 0), (2, 9), (2, 0), (4, 9), (4, 0), (6, 9), (5, 0), (8, 9), (3, 0)];
    let under = |rule| played(&Config { rule, size: Some(15), ..Config::default() }, &six);
    assert_eq!(under(Rule::Freestyle).and_then(|o| o.winner()), Some(0));
    assert_eq!(under(Rule::Standard), None);
    assert_eq!(under(Rule::CaroExact), None);
}

#[test]
fn black_loses_by_a_forbidden_move_in_renju() {
    let moves = [(5, 7), (0, 0), (6, 7), (0, 2), (7, 5), (0, 4), (7, 6), (0, 6), (7, 7)];
    let config = Config { rule: Rule::Renju, size: Some(15), ..Config::default() };
    let outcome = played(&config, &moves).expect("it is over");
    assert_eq!(outcome.winner(), Some(1));
    assert_eq!(outcome.reason, "Black played 7,7, which is forbidden: two threes at once");
    let free = Config { rule: Rule::Freestyle, ..config };
    assert_eq!(played(&free, &moves), None);
}

#[test]
fn a_full_board_is_a_draw() {
    // Columns of two and two, so that nobody gets five in any line of a 5×5 board.
    let mut black = Vec::new();
    let mut white = Vec::new();
    for y in 0..5 {
        for x in 0..5 {
            if (x + 2 * y) % 4 < 2 { black.push((x, y)) } else { white.push((x, y)) }
        }
    }
    while black.len() > white.len() + 1 {
        white.push(black.pop().expect("there are stones"));
    }
    let mut moves = Vec::new();
    for index in 0..25 {
        moves.push(if index % 2 == 0 { black[index / 2] } else { white[index / 2] });
    }
    let config = Config { size: Some(5), ..Config::default() };
    let outcome = played(&config, &moves).expect("the board is full");
    assert_eq!((outcome.winner(), outcome.reason.as_str()), (None, "the board is full"));
}

#[test]
fn whoever_forfeits_loses_and_both_draw() {
    let start = || Gomoku::start(&Config::default(), 2, Seed(1)).expect("the set-up is sound");
    let quit = |who: &[u32]| {
        let mut game = start();
        let moves = who.iter().map(|&a| (ActorId(a), Choice::Forfeit(testkit::crash()))).collect();
        game.step(&Moves(moves), &mut Vec::new());
        game.outcome().expect("it is over").winner()
    };
    assert_eq!(quit(&[0]), Some(1));
    assert_eq!(quit(&[1]), Some(0));
    assert_eq!(quit(&[0, 1]), None);
}

testkit::transcripts! { Gomoku, "gomoku";
    a_match_that_is_ended_early_says_goodbye_like_any_other: "adjudicated.txt",
    the_documents_simple_game: "simple-game.txt",
    only_the_brains_own_time_is_taken_from_the_bank: "match-clock.txt",
    a_player_with_a_clock_of_its_own_is_told_and_judged_by_it: "time-odds.txt",
    unlimited_time_is_told_by_silence: "unlimited-time.txt",
    openings_are_shown_with_board: "opening.txt",
    swap2_with_two_more_stones: "swap2-put-two.txt",
    swap2_staying_white: "swap2-stay.txt",
    swap2_taking_black: "swap2-swap.txt",
    a_brain_that_cannot_play_says_why: "cannot-play.txt",
    a_brain_that_never_says_ok_is_not_ready: "never-ready.txt",
    a_start_limit_that_passes_while_the_host_stands_still_costs_nobody_the_game: "stalled-start.txt",
    a_bot_may_have_a_start_limit_of_its_own: "own-start.txt",
    quirks_of_real_brains_are_no_faults: "harmless-quirks.txt",
    an_error_is_about_the_move: "silent-about.txt",
    who_complains_and_leaves_has_refused: "error-then-exit.txt",
    an_error_after_a_complaint_about_info_is_believed: "complaint-then-error.txt",
    an_error_that_nothing_follows_is_the_answer: "error-then-silence.txt",
    complaints_about_time_left_alone_are_harmless: "only-time-left.txt",
    who_complains_as_usual_and_does_not_move_is_late: "known-complainer.txt",
    a_complainer_that_says_something_else_refuses: "new-words.txt",
    a_first_complaint_in_mid_game_is_held: "first-complaint.txt",
    half_a_line_and_a_tail_do_not_lose: "half-swallowed.txt",
    answers_out_of_turn_are_never_the_next_move: "out-of-turn.txt",
    a_move_before_the_question_is_not_its_answer: "before-the-question.txt",
    garbage_loses_if_no_move_follows_and_is_shown_escaped: "garbage.txt",
    a_crash_on_turn_loses: "crash-on-turn.txt",
    a_crash_out_of_turn_is_judged_at_the_next_turn: "crash-out-of-turn.txt",
    filling_memory_belongs_to_the_start: "memory-takes-time.txt",
    a_start_ends_with_its_limit: "busy-for-ever.txt",
    the_next_game_restarts_the_brain_or_replaces_it: "restart.txt",
}

#[test]
fn stones_are_taken_back_as_if_they_had_never_been_put() {
    let config = Config { start: vec![Cell { x: 1, y: 1 }], ..Config::default() };
    let first = Gomoku::start(&config, 2, Seed(1)).expect("a sound set-up");
    let mut game = first.clone();
    let step = |game: &mut Gomoku, player: u32, action: Action| {
        assert_eq!(game.check(ActorId(player), &action), Ok(()), "{action}");
        game.step(&Moves::one(ActorId(player), action), &mut Vec::new());
    };
    assert!(game.taking_back(PlayerId(1)).is_err(), "what was given stays");
    step(&mut game, 1, Action::Put(Cell { x: 7, y: 7 }));
    assert_eq!(game.taking_back(PlayerId(1)), Ok(Action::TakeBack(Stones::One)));
    let after_one = game.clone();
    step(&mut game, 0, Action::Put(Cell { x: 8, y: 8 }));
    let two = game.taking_back(PlayerId(1)).expect("there are two");
    assert_eq!(two, Action::TakeBack(Stones::Two));
    assert_eq!("take back 2".parse(), Ok(two));
    step(&mut game, 1, two);
    assert_eq!(game, first);
    assert_eq!(game.digest(), first.digest());
    step(&mut game, 1, Action::Put(Cell { x: 7, y: 7 }));
    step(&mut game, 0, Action::Put(Cell { x: 9, y: 9 }));
    step(&mut game, 1, Action::TakeBack(Stones::One));
    assert_eq!(game, after_one);
}
