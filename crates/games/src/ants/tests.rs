//! The rules on small drawn maps: a cell is two letters, `>A` an ant of the first player.

use game::{ActorId, Choice, Eye, Game, Moves, PlayerId, Rng, Seed, Turn};
use table::{Hosted, Ink, Room, Shown as _};

use super::colony::Knowledge;
use super::layout::letter;
use super::*;

/// A game that looks like this; ids go row by row. What is not drawn is as in the usual set-up.
pub(super) fn drawn(picture: &str, players: usize) -> Ants {
    let rows: Vec<Vec<char>> = picture
        .lines()
        .map(|line| line.trim().chars().collect::<Vec<char>>())
        .filter(|row| !row.is_empty())
        .collect();
    let width = rows.iter().map(|row| row.len().div_ceil(2)).max().expect("a map has rows");
    let mut land = Land::grass(width as u16, rows.len() as u16);
    let rules = Config::default().rules();
    let mut ants = vec![Vec::new(); players];
    for at in land.points() {
        let letter_at = |place: usize| rows[usize::from(at.y)].get(place).copied().unwrap_or(' ');
        let (first, second) =
            (letter_at(2 * usize::from(at.x)), letter_at(2 * usize::from(at.x) + 1));
        let facing = ['>', 'v', '<', '^'].iter().position(|arrow| *arrow == first);
        match facing {
            Some(facing) => {
                let player = (0..players).find(|player| letter(*player) == second);
                ants[player.expect("an ant is somebody's")].push(Ant {
                    at,
                    facing: Direction::ALL[facing],
                    energy: rules.energy,
                    acid: rules.acid,
                });
            }
            None => land.set(at, Content::of_letter(first).expect("a letter for ground")),
        }
    }
    let most = ants.iter().map(Vec::len).max().expect("there are players") as u8;
    let colony = |ants| Colony {
        ants,
        eaten: 0,
        extinct: None,
        gone: vec![None],
        knowledge: Knowledge::new(&land),
    };
    let colonies = ants.into_iter().map(colony).collect();
    let mut game = Ants {
        rules,
        blocks: std::iter::once(0..most).collect(),
        restarts: 0,
        turn: 0,
        land,
        colonies,
        chance: Seed(1).rng("test"),
        owed: Vec::new(),
    };
    game.look();
    game
}

/// The map as it is drawn.
fn picture(game: &Ants) -> String {
    let text = game.draw(&[], Room::ENDLESS).text(Ink::Plain);
    let rows = text.lines().skip(1 + game.colonies.len()).take(game.land.height().into());
    rows.map(|row| row.to_owned() + "\n").collect()
}

fn tidy(picture: &str) -> String {
    let rows = picture.lines().map(str::trim).filter(|row| !row.is_empty());
    rows.map(|row| row.to_owned() + "\n").collect()
}

/// Plays a turn with these lines, one for every program, and gives what happened.
fn play(game: &mut Ants, lines: &[&str]) -> Vec<Event> {
    let Turn::All(actors) = game.turn() else { panic!("the game is over") };
    let orders = |line: &str| Orders::try_from(line.to_owned()).expect("sound orders");
    let moves = actors.into_iter().zip(lines.iter().map(|line| Choice::Act(orders(line))));
    let moves = Moves(moves.collect());
    for (actor, choice) in &moves.0 {
        if let Choice::Act(orders) = choice {
            assert_eq!(game.check(*actor, orders), Ok(()));
        }
    }
    let mut told = Vec::new();
    game.step(&moves, &mut told);
    told.into_iter().map(|told| told.event).collect()
}

fn ant(game: &Ants, player: usize, id: usize) -> Ant {
    game.colonies[player].ants[id]
}

#[test]
fn left_and_right_turn_as_the_rules_say() {
    for (from, left, right) in [
        ((1, 0), (0, -1), (0, 1)),
        ((0, 1), (1, 0), (-1, 0)),
        ((-1, 0), (0, 1), (0, -1)),
        ((0, -1), (-1, 0), (1, 0)),
    ] {
        let facing = Direction::ALL.into_iter().find(|facing| facing.vector() == from);
        let facing = facing.expect("there are four");
        assert_eq!((facing.left().vector(), facing.right().vector()), (left, right), "{from:?}");
    }
}

/// A map, what the two players order, and the map after the turn.
fn moves(before: &str, lines: [&str; 2], after: &str) {
    let mut game = drawn(before, 2);
    play(&mut game, &lines);
    assert_eq!(picture(&game), tidy(after), "{lines:?} on {before}");
}

#[test]
fn an_ant_walks_where_it_looks_and_rock_water_and_the_edge_stop_it() {
    moves(">A. . vB", ["0:forward", "0:forward"], ". >A. vB");
    moves(">A# . <B", ["0:forward", "0:forward"], ">A# <B.");
    moves(">A~ . <B", ["0:forward", ""], ">A~ . <B");
    moves("<A. . <B", ["0:forward", "0:left"], "<A. . vB");
    moves("^A. . vB", ["0:forward", "0:right"], "^A. . <B");
}

#[test]
fn an_ant_stays_behind_one_that_stays_and_follows_one_that_goes() {
    moves(">A>A. . ^B", ["0:forward", ""], ">A>A. . ^B");
    moves(">A>A. . ^B", ["0:forward,1:forward", ""], ". >A>A. ^B");
    moves(">A>A>A# ^B", ["0:forward,1:forward,2:forward", ""], ">A>A>A# ^B");
    moves(">A>A. . ^B", ["0:forward,1:attack@5", ""], ">A>A. . ^B");
    moves(">A>A. . ^B", ["0:forward,1:left", ""], ">A^A. . ^B");
    moves(">A>A>B. .", ["0:forward,1:forward", "0:forward"], ". >A>A>B.");
}

#[test]
fn a_cell_that_two_want_is_entered_by_neither_nor_by_those_behind() {
    moves(">A. <B", ["0:forward", "0:forward"], ">A. <B");
    moves(">A>A. <B<B", ["0:forward,1:forward", "0:forward,1:forward"], ">A>A. <B<B");
    moves("vA. .\n. <A.\n. . ^B", ["0:forward,1:forward", ""], "vA. .\n. <A.\n. . ^B");
    // Also when the ant that is there now goes away.
    moves(". vA.\n>A^A<B", ["0:left,1:forward,2:right", "0:forward"], ". >A.\n>A>A<B");
    let before = ". ^B.\n>A>B.\n. ^A.";
    let after = ". ^B.\n>A. >B\n. ^A.";
    moves(before, ["0:forward,1:forward", "0:rest,1:forward"], after);
}

#[test]
fn swaps_are_not_possible_but_a_ring_may_turn() {
    moves(">A<B. .", ["0:forward", "0:forward"], ">A<B. .");
    moves(">A>A<B", ["0:forward,1:forward", "0:forward"], ">A>A<B");
    let forward = "0:forward,1:forward";
    moves(">AvB\n^A<B", [forward, forward], "^A>A\n<BvB");
    // One that stays stops the whole ring.
    moves(">AvB\n^A<B", [forward, "0:forward"], ">AvB\n^A<B");
}

#[test]
fn acid_takes_energy_from_whoever_is_ahead_friend_or_foe() {
    let mut game = drawn(">A>A<B<B", 2);
    let told = play(&mut game, &["0:attack@20,1:attack@30", "1:attack@40"]);
    // Upkeep is one more.
    assert_eq!(ant(&game, 0, 1).energy, 79);
    assert_eq!(ant(&game, 1, 0).energy, 29);
    assert_eq!(ant(&game, 0, 0).acid, 80);
    assert_eq!(ant(&game, 1, 1).acid, 60);
    assert_eq!(told.iter().filter(|event| matches!(event, Event::Hit { .. })).count(), 3);
}

#[test]
fn an_attack_spends_at_most_what_is_left_and_also_when_it_hits_nobody() {
    let mut game = drawn(">A. . ^B", 2);
    play(&mut game, &["0:attack@70", ""]);
    assert_eq!(ant(&game, 0, 0).acid, 30);
    play(&mut game, &["0:attack@1000", ""]);
    assert_eq!(ant(&game, 0, 0).acid, 0);
    let mut game = drawn(">A^B", 2);
    game.colonies[0].ants[0].acid = 15;
    play(&mut game, &["0:attack@40", ""]);
    assert_eq!((ant(&game, 0, 0).acid, ant(&game, 1, 0).energy), (0, 84));
    play(&mut game, &["0:attack@40", ""]);
    assert_eq!((ant(&game, 0, 0).acid, ant(&game, 1, 0).energy), (0, 83));
}

#[test]
fn attacks_are_simultaneous_and_the_killed_have_attacked_too() {
    let mut game = drawn(">A<B. ^A^B", 2);
    play(&mut game, &["0:attack@100", "0:attack@100"]);
    assert_eq!(picture(&game), "% % . ^A^B\n");
    assert!(!ant(&game, 0, 0).alive() && !ant(&game, 1, 0).alive());
    // Two at once add up; neither alone would have killed.
    let mut game = drawn(">A^B<A. ^B", 2);
    let told = play(&mut game, &["0:attack@50,1:attack@50", ""]);
    assert_eq!(picture(&game), ">A% <A. ^B\n");
    let died = |event: &&Event| matches!(event, Event::Died { .. });
    assert_eq!(told.iter().filter(died).count(), 1);
}

#[test]
fn attacks_come_after_turns_and_before_moves() {
    // The victim walks away, and is hit where it was.
    let mut game = drawn(">A>B. .", 2);
    play(&mut game, &["0:attack@10", "0:forward"]);
    assert_eq!((picture(&game).as_str(), ant(&game, 1, 0).energy), (">A. >B.\n", 88));
    // Whoever is killed does not move, and its cell is free for the others at once.
    let mut game = drawn(">A>B. <A. ^B", 2);
    game.colonies[1].ants[0].energy = 10;
    let told = play(&mut game, &["0:attack@10,1:forward", "0:forward"]);
    assert_eq!(picture(&game), ">A% <A. . ^B\n");
    assert_eq!(told.len(), 2, "{told:?}");
    let mut game = drawn(">A>B<A. ^B", 2);
    play(&mut game, &["0:attack@100,1:forward", ""]);
    assert_eq!(picture(&game), ">A<A. . ^B\n");
    assert_eq!((ant(&game, 0, 1).energy, game.colonies[0].eaten), (138, 40));
}

#[test]
fn food_feeds_up_to_twice_the_start_energy_and_counts_in_full() {
    for (letter, worth) in [("1", 10), ("3", 20), ("5", 40)] {
        let mut game = drawn(&format!(">A{letter} . . ^B"), 2);
        play(&mut game, &["0:forward", ""]);
        assert_eq!(ant(&game, 0, 0).energy, 100 + worth - 2, "{letter}");
        assert_eq!(game.colonies[0].eaten, worth);
        assert_eq!(game.colonies[0].score(), 100 + 2 * worth - 2);
        let mut game = drawn(&format!(">A{letter} . . ^B"), 2);
        game.colonies[0].ants[0].energy = 195;
        play(&mut game, &["0:forward", ""]);
        assert_eq!((ant(&game, 0, 0).energy, game.colonies[0].eaten), (198, worth));
    }
}

#[test]
fn eaten_food_appears_elsewhere_and_corpses_are_not_replaced() {
    let mut game = drawn(">A1 . . .\n. . . . ^B", 2);
    let told = play(&mut game, &["0:forward", ""]);
    let Some(Event::Grew { food: Food::Sugar, at }) = told.last() else { panic!("{told:?}") };
    assert_eq!(game.land.at(*at), Content::Food(Food::Sugar));
    assert!(*at != Point::new(1, 0) && *at != Point::new(4, 1), "not under an ant");
    assert_eq!(game.land.food(), 1);
    let mut game = drawn(">A% . . .\n. . . . ^B", 2);
    let told = play(&mut game, &["0:forward", ""]);
    assert_eq!((told.len(), game.land.food(), game.colonies[0].eaten), (1, 0, 40));
    // Without a free cell it waits for one.
    let mut game = drawn(">A1 #\n# # ^B", 2);
    play(&mut game, &["0:forward", ""]);
    assert_eq!((game.land.food(), game.owed.len()), (1, 0));
    let mut game = drawn(">A1 >A^B", 2);
    play(&mut game, &["0:forward", ""]);
    assert_eq!(game.land.at(Point::new(0, 0)), Content::Food(Food::Sugar), "the cell it left");
    let mut game = drawn("1 >A^B", 2);
    game.colonies[0].ants[0].at = Point::new(0, 0);
    game.land.set(Point::new(1, 0), Content::Rock);
    play(&mut game, &["", ""]);
    assert_eq!((game.land.food(), game.owed.as_slice()), (0, &[Food::Sugar][..]));
}

#[test]
fn upkeep_is_one_forward_one_more_even_if_it_leads_nowhere_and_rest_restores_acid() {
    let mut game = drawn(">A. <A. ^A. <A# ^B", 2);
    for ant in &mut game.colonies[0].ants {
        ant.acid = 50;
    }
    play(&mut game, &["0:forward,1:left,2:attack@5", ""]);
    let ants: Vec<(u32, u32)> =
        game.colonies[0].ants.iter().map(|ant| (ant.energy, ant.acid)).collect();
    assert_eq!(ants, [(98, 50), (99, 50), (99, 45), (99, 51)]);
    assert_eq!(
        (ant(&game, 1, 0).energy, ant(&game, 1, 0).acid),
        (99, 100),
        "never above the start"
    );
    let mut game = drawn(">A# ^B", 2);
    play(&mut game, &["0:forward", ""]);
    assert_eq!(ant(&game, 0, 0).energy, 98);
}

#[test]
fn an_ant_that_starves_becomes_meat_unless_it_has_eaten_before() {
    let mut game = drawn(">A. >A1 <A. ^B", 2);
    for ant in &mut game.colonies[0].ants {
        ant.energy = 2;
    }
    play(&mut game, &["0:forward,1:forward", ""]);
    assert_eq!(
        ant(&game, 0, 0),
        Ant { at: Point::new(1, 0), facing: Direction::East, energy: 0, acid: 100 }
    );
    assert_eq!(game.land.at(Point::new(1, 0)), Content::Corpse);
    assert_eq!(ant(&game, 0, 1).energy, 10);
    assert_eq!(ant(&game, 0, 2).energy, 1);
    // The dead see nothing, do nothing and are in nobody's way.
    let view = game.view(Eye::Actor(ActorId(0)));
    let sight = |x| view.map.at(Point::new(x, 0)).map(|sight| sight.now);
    assert_eq!((sight(0), sight(1), sight(2)), (Some(false), Some(false), Some(true)));
    assert!(
        game.check(ActorId(0), &Orders::try_from("0:left".to_owned()).expect("sound")).is_err()
    );
}

#[test]
fn the_game_ends_when_one_player_is_left_or_after_the_last_turn() {
    let mut game = drawn(">A^B", 2);
    play(&mut game, &["0:attack@100", ""]);
    let outcome = game.outcome().expect("it is over");
    assert_eq!((outcome.ranks, outcome.scores), (vec![1, 2], vec![99.0, 0.0]));
    assert_eq!(outcome.reason, "only player 1 has ants left");
    let mut game = drawn(">A<B", 2);
    play(&mut game, &["0:attack@100", "0:attack@100"]);
    let outcome = game.outcome().expect("it is over");
    assert_eq!(
        (outcome.ranks.as_slice(), outcome.reason.as_str()),
        (&[1, 1][..], "no ants are left")
    );
    let mut game = drawn(">A. ^B", 2);
    game.rules.max_turns = 2;
    play(&mut game, &["0:forward", ""]);
    play(&mut game, &["", ""]);
    let outcome = game.outcome().expect("it is over");
    assert_eq!((outcome.ranks, outcome.scores), (vec![2, 1], vec![97.0, 98.0]));
    assert_eq!(outcome.reason, "the last of 2 turns has been played");
}

#[test]
fn who_has_ants_ranks_before_who_has_none_and_these_by_the_turn_of_their_end() {
    let mut game = drawn(">A. >B. >C. >D. >E", 5);
    game.rules.max_turns = 4;
    game.colonies[0].eaten = 1000;
    game.colonies[0].ants[0].energy = 1;
    game.colonies[1].ants[0].energy = 3;
    game.colonies[2].ants[0].energy = 1;
    for _ in 0..4 {
        play(&mut game, &["", "", "", "", ""]);
    }
    let outcome = game.outcome().expect("it is over");
    assert_eq!(outcome.ranks, [4, 3, 4, 1, 1]);
    assert_eq!(outcome.scores, [1000.0, 0.0, 0.0, 96.0, 96.0]);
}

#[test]
fn a_cell_is_seen_now_if_any_own_ant_sees_it_and_is_remembered_as_it_was() {
    let mut game = drawn(">A. . . ^A. ^B\n. . . . . . .", 2);
    let sight = |game: &Ants, x: u16, y: u16| {
        let view = game.view(Eye::Actor(ActorId(0)));
        view.map.at(Point::new(x, y)).map(|sight| (sight.content.code(), sight.now))
    };
    // The first views are there before anybody has moved.
    assert_eq!(sight(&game, 1, 1), Some((0, true)));
    assert_eq!(sight(&game, 2, 0), None);
    // Both ants see column 3 or 1; the last one looked at must not decide alone.
    assert_eq!((sight(&game, 0, 0), sight(&game, 5, 1)), (Some((0, true)), Some((0, true))));
    assert_eq!(sight(&game, 6, 0), None);
    play(&mut game, &["0:forward", ""]);
    play(&mut game, &["0:forward", ""]);
    assert_eq!(sight(&game, 0, 0), Some((0, false)));
    game.land.set(Point::new(0, 0), Content::Rock);
    game.land.set(Point::new(3, 1), Content::Water);
    play(&mut game, &["", ""]);
    assert_eq!(sight(&game, 0, 0), Some((0, false)), "as last seen");
    assert_eq!(sight(&game, 3, 1), Some((4, true)));
    let view = game.view(Eye::Actor(ActorId(0)));
    assert_eq!((view.map.width(), view.map.height(), view.map.points()), (6, 2, 12));
}

#[test]
fn foreign_ants_are_seen_near_own_ones_only() {
    let game = drawn(">A. vB. ^A<C. <B\n. . . . . . . .", 3);
    let view = game.view(Eye::Actor(ActorId(0)));
    assert_eq!(view.foreign, [Foreign { at: Point::new(5, 0), facing: Direction::West }]);
    assert_eq!(game.view(Eye::Actor(ActorId(2))).foreign.len(), 1);
    assert_eq!(game.view(Eye::All).foreign.len(), 5);
    assert_eq!(game.view(Eye::Public).map.points(), 0);
}

fn shared(programs: &str, restarts: u32) -> Ants {
    let programs = serde_json::from_str(programs).expect("sound");
    let config = Config { programs, restarts, ..Config::default() };
    Ants::start(&config, 2, Seed(1)).expect("sound")
}

#[test]
fn programs_command_their_own_ants_only() {
    let game = shared("[3,2]", 0);
    let Turn::All(actors) = game.turn() else { panic!("it has just begun") };
    assert_eq!(actors, [0, 1, 2, 3].map(ActorId));
    assert_eq!(
        actors.iter().map(|actor| game.process(*actor).program).collect::<Vec<_>>(),
        [0, 1, 0, 1]
    );
    let names: Vec<String> = actors.iter().map(|actor| game.actor_name(*actor).text()).collect();
    assert_eq!(names, ["player1.1", "player1.2", "player2.1", "player2.2"]);
    let orders = |text: &str| Orders::try_from(text.to_owned()).expect("sound");
    assert!(game.check(ActorId(3), &orders("3:left,4:forward")).is_ok());
    assert!(game.check(ActorId(3), &orders("2:left")).is_err());
    assert!(game.check(ActorId(2), &orders("3:left")).is_err());
    assert!(game.check(ActorId(4), &orders("0:left")).is_err());
    let views: Vec<View> = actors.iter().map(|actor| game.view(Eye::Actor(*actor))).collect();
    assert_eq!((views[0].ids.clone(), views[1].ids.clone()), (0..3, 3..5));
    assert_eq!((&views[0].own, &views[0].map), (&views[1].own, &views[1].map));
    assert_ne!(views[0].own, views[2].own);
}

#[test]
fn the_ants_of_a_program_that_left_rest_and_the_others_play_on() {
    let mut game = shared("[3,2]", 0);
    let before = game.colonies[0].ants.clone();
    let orders = Orders::try_from("3:left,4:left".to_owned()).expect("sound");
    let leaves = Choice::Forfeit(testkit::crash());
    let act = |orders: &Orders| Choice::Act(orders.clone());
    let moves = vec![
        (ActorId(0), leaves.clone()),
        (ActorId(1), act(&orders)),
        (ActorId(2), act(&Orders::REST)),
        (ActorId(3), act(&Orders::REST)),
    ];
    game.step(&Moves(moves), &mut Vec::new());
    assert_eq!(game.turn(), Turn::All([1, 2, 3].map(ActorId).to_vec()));
    let after = &game.colonies[0].ants;
    assert!((0..3).all(|id| after[id].facing == before[id].facing && after[id].energy == 99));
    assert!((3..5).all(|id| after[id].facing == before[id].facing.left()));
    // When nobody is left to be asked, the rest is played all the same: all rest until they starve.
    let all = [1, 2, 3].map(|actor| (ActorId(actor), leaves.clone()));
    game.step(&Moves(all.to_vec()), &mut Vec::new());
    while game.turn() == Turn::All(Vec::new()) {
        game.step(&Moves(Vec::new()), &mut Vec::new());
    }
    let Turn::Over(outcome) = game.turn() else { panic!("nobody is left") };
    assert_eq!((game.turn, outcome.ranks.as_slice()), (100, &[1, 1][..]));
}

#[test]
fn restarts_are_counted() {
    let crash = Fault::new(FaultKind::Crash, "exited");
    let past = |restarts| Past { tries: 0, restarts };
    let ruling = |game: &Ants, restarts| game.rule(ActorId(0), &crash, past(restarts));
    assert_eq!(ruling(&shared("1", 0), 0), Ruling::Forfeit);
    assert_eq!(ruling(&shared("1", 2), 1), Ruling::Reseat(Orders::REST));
    assert_eq!(ruling(&shared("1", 2), 2), Ruling::Forfeit);
}

#[test]
fn pictures_show_all_or_what_one_player_knows() {
    let game = drawn(">A1 . . . <B\n# . ~ . 5 .", 2);
    let names = ["ann".to_owned(), "bo".to_owned()];
    let signs =
        ">A an ant of A and where it looks\n1 sugar  3 mill  5 meat  % dead ant  # rock  ~ water\n";
    let all = "turn 0/200\nA ann  score 100: energy 100, eaten 0; 1 of 1 ants\n\
               B bo  score 100: energy 100, eaten 0; 1 of 1 ants\n\
               >A1 . . . <B\n# . ~ . 5 .\n";
    let all = all.to_owned() + signs;
    assert_eq!(game.draw(&names, Room::ENDLESS).text(Ink::Plain), all);
    let own = "turn 0/200\nA ann\nB bo  score 100: energy 100, eaten 0; 1 of 1 ants\n        . <B\n        5 .\n";
    let seen = game.draw_for(PlayerId(1), &names, Room::ENDLESS).expect("player 2 has eyes");
    assert_eq!(seen.text(Ink::Plain), own.to_owned() + signs);
    assert_eq!(game.draw_for(PlayerId(2), &names, Room::ENDLESS), None);
    let mut painted = game.draw(&names, Room::ENDLESS).text(Ink::Colour);
    assert!(painted.contains("\x1b[1;31m>A\x1b[0m"));
    while let Some(start) = painted.find('\x1b') {
        let length = painted[start..].find('m').expect("sequences end");
        painted.replace_range(start..=start + length, "");
    }
    assert_eq!(painted, all);
}

#[test]
fn a_small_picture_shows_the_rarest_of_several_cells_and_ants_first() {
    let game = drawn(">A1 . . . <B\n# . ~ . 5 .", 2);
    let picture = game.draw(&[], Room { columns: 3, rows: 4 });
    let board: Vec<String> = picture.board.iter().map(|line| line.text(Ink::Plain)).collect();
    assert_eq!(board, ["A~B"]);
    let eyes = game.draw_for(PlayerId(1), &[], Room { columns: 3, rows: 4 }).expect("eyes");
    let board: Vec<String> = eyes.board.iter().map(|line| line.text(Ink::Plain)).collect();
    assert_eq!(board, ["  B"], "what is not known is not shown");
}

#[test]
fn the_state_in_plain_words_has_ants_and_map() {
    let game = drawn(">A1 ^B", 2);
    let plain = game.plain();
    assert_eq!(plain["map"], serde_json::json!([".1."]));
    assert_eq!(
        plain["ants"][1],
        serde_json::json!({"player": 1, "id": 0, "at": [2, 0], "direction": [0, -1],
            "energy": 100, "acid": 100, "brain": 1})
    );
}

/// All the time in the world.
struct Ample;

impl game::Budget for Ample {
    fn left(&self) -> Option<std::time::Duration> {
        None
    }
    fn stopped(&self) -> bool {
        false
    }
}

/// Plays built-in bots against each other, once from each side for every seed; gives the points
/// of the first, two a win.
fn points(first: &str, second: &str, seeds: u64) -> u64 {
    let mut points = 0;
    for seed in 0..seeds {
        for swapped in [false, true] {
            let names = if swapped { [second, first] } else { [first, second] };
            let mut game = Ants::start(&Config::default(), 2, Seed(seed)).expect("sound");
            let mut bots = names.map(|name| {
                bots::bot(name, Config::default().rules(), Seed(seed)).expect("it exists")
            });
            while let Turn::All(actors) = game.turn() {
                let moves = actors.into_iter().zip(&mut bots).map(|(actor, bot)| {
                    let orders = bot.act(&game.view(Eye::Actor(actor)), &Ample);
                    assert_eq!(game.check(actor, &orders), Ok(()));
                    (actor, Choice::Act(orders))
                });
                let moves = Moves(moves.collect());
                game.step(&moves, &mut Vec::new());
            }
            let outcome = game.outcome().expect("it is over");
            points += match outcome.winner() {
                None => 1,
                Some(winner) => 2 * u64::from((winner == 1) == swapped),
            };
        }
    }
    points
}

#[test]
fn forager_beats_simple_and_simple_beats_random() {
    assert!(points("forager", "simple", 5) >= 18);
    assert!(points("simple", "random", 5) >= 18);
}

/// The most turns in a row in which no ant of the first player changed its place, while it had any.
fn longest_standstill(first: &str, second: &str, seed: u64) -> u32 {
    let mut game = Ants::start(&Config::default(), 2, Seed(seed)).expect("sound");
    let mut bots = [(first, 2 * seed), (second, 2 * seed + 1)].map(|(name, seed)| {
        bots::bot(name, Config::default().rules(), Seed(seed)).expect("it exists")
    });
    let (mut longest, mut standing) = (0, 0);
    while let Turn::All(actors) = game.turn() {
        let places = |game: &Ants| -> Vec<_> {
            let view = game.view(Eye::Actor(ActorId(0)));
            view.own.iter().filter(|ant| ant.alive()).map(|ant| ant.at).collect()
        };
        let before = places(&game);
        let moves = actors.into_iter().zip(&mut bots).map(|(actor, bot)| {
            (actor, Choice::Act(bot.act(&game.view(Eye::Actor(actor)), &Ample)))
        });
        let moves = Moves(moves.collect());
        game.step(&moves, &mut Vec::new());
        let after = places(&game);
        standing = if after == before && !after.is_empty() { standing + 1 } else { 0 };
        longest = longest.max(standing);
    }
    longest
}

#[test]
fn a_simple_colony_never_jams() {
    for seed in 0..10 {
        for second in ["simple", "forager", "random"] {
            let longest = longest_standstill("simple", second, seed);
            assert!(longest <= 6, "seed {seed} against {second}: {longest} turns");
        }
    }
}

#[test]
fn every_listed_bot_exists() {
    for listed in Ants::card().bots {
        assert!(bots::bot(listed.name, Config::default().rules(), Seed(1)).is_some());
    }
    assert!(bots::bot("nobody", Config::default().rules(), Seed(1)).is_none());
}

/// A test's own chance.
pub(super) fn dice(seed: u64) -> Rng {
    Seed(seed).rng("dice")
}
