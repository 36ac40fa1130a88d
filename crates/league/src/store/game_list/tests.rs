//! Filters, pages and numbers of listed games.

use super::*;
use crate::schedule::Format;
use crate::store::journal::Decision;
use crate::store::tests::{TestFolder, event, played};

const NONE: [u64; 0] = [];
const ALL: PageRequest = PageRequest { after: None, limit: 100, order: GameOrder::OldestFirst };

/// Ten games of two bots; the first wins the first game, and so on: see `rank`.
fn run(name: &str) -> (TestFolder, Store) {
    let folder = TestFolder::new(name);
    let mut store = Store::open(&folder.0).expect("it can be made");
    let mut event = event();
    event.plan.format = Format::RoundRobin { rounds: 5 };
    store.set_terms("cup", "", &[event]).expect("it can be written");
    // Not in the order of the schedule.
    let keys = [4, 0, 1, 3, 2].map(|round| [0, 1].map(|game| format!("{round}.0.{game}:0-1")));
    for key in keys.iter().flatten() {
        store.save(&[played(key)]).expect("it can be kept");
    }
    // The winners are 0, 1, nobody, 0, 1, nobody …, by the order in which they were kept.
    store
        .db
        .execute_batch(
            "UPDATE games SET outcome = (id - 1) % 3 = 2, turns = id;
             UPDATE seats SET bot = (seat + game) % 2;
             UPDATE seats SET rank = CASE (game - 1) % 3 WHEN 2 THEN 1 ELSE
                 1 + (bot <> (game - 1) % 3) END;
             INSERT INTO faults VALUES (3, 0, 0, 3, 'timeout', 'late', 2, NULL);
             INSERT INTO faults VALUES (6, 1, 0, 3, 'crash', 'gone', 1, NULL);",
        )
        .expect("it can be written");
    for seating in [vec![0, 1], vec![1, 0]] {
        crate::store::sums::renew(&store.db, 0, &seating).expect("they can be added up");
    }
    (folder, store)
}

fn ids(store: &Store, filter: &GameFilter) -> Vec<u64> {
    let page = store.game_page(filter, ALL).expect("it can be read");
    assert_eq!(page.total, page.games.len() as u64, "{filter:?}");
    assert_eq!(page.next, None, "{filter:?}");
    page.games.iter().map(|game| game.id).collect()
}

#[test]
fn filters_choose_games_by_bot_seat_result_fault_and_length() {
    let (_folder, store) = run("list-filters");
    let name = |name: &str| Some(name.to_owned());
    let none = GameFilter::default;
    assert_eq!(ids(&store, &none()), (1..=10).collect::<Vec<u64>>());
    assert_eq!(ids(&store, &GameFilter { event: name("event"), ..none() }).len(), 10);
    assert_eq!(ids(&store, &GameFilter { event: name("other"), ..none() }), NONE);
    assert_eq!(ids(&store, &GameFilter { bot: name("nobody"), ..none() }), NONE);
    let of = |bot: &str| GameFilter { bot: name(bot), ..none() };
    let result = |bot: &str, result| GameFilter { result: Some(result), ..of(bot) };
    assert_eq!(ids(&store, &result("a", GameResult::Won)), [1, 4, 7, 10]);
    assert_eq!(ids(&store, &result("b", GameResult::Won)), [2, 5, 8]);
    assert_eq!(ids(&store, &result("b", GameResult::Lost)), [1, 4, 7, 10]);
    assert_eq!(ids(&store, &result("b", GameResult::Drawn)), [3, 6, 9]);
    let drawn = GameFilter { result: Some(GameResult::Drawn), ..none() };
    assert_eq!(ids(&store, &drawn), [3, 6, 9]);
    assert_eq!(ids(&store, &GameFilter { seat: Some(0), ..of("a") }), [2, 4, 6, 8, 10]);
    assert_eq!(ids(&store, &GameFilter { opponent: name("b"), ..of("a") }).len(), 10);
    assert_eq!(ids(&store, &GameFilter { opponent: name("c"), ..of("a") }), NONE);
    let fault = |fault, filter| GameFilter { fault: Some(fault), ..filter };
    assert_eq!(ids(&store, &fault(FaultFilter::Any, none())), [3, 6]);
    let late = FaultFilter::Kind(FaultKind::Timeout);
    assert_eq!(ids(&store, &fault(late, none())), [3]);
    // In game 3 seat 0 has bot 1.
    assert_eq!(ids(&store, &fault(late, of("b"))), [3]);
    assert_eq!(ids(&store, &fault(late, of("a"))), NONE);
    let long = GameFilter { least_turns: Some(4), most_turns: Some(6), ..none() };
    assert_eq!(ids(&store, &long), [4, 5, 6]);
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition_in_both_orders() {
    let (_folder, store) = run("list-pages");
    for (order, wanted) in [
        (GameOrder::OldestFirst, (1..=10).collect::<Vec<u64>>()),
        (GameOrder::NewestFirst, (1..=10).rev().collect()),
    ] {
        let (mut after, mut found) = (None, Vec::new());
        loop {
            let page = PageRequest { after, limit: 3, order };
            let page = store.game_page(&GameFilter::default(), page).expect("it can be read");
            assert_eq!(page.total, 10);
            found.extend(page.games.iter().map(|game| game.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, wanted);
    }
}

#[test]
fn a_listed_game_says_who_played_and_which_number_it_has() {
    let (_folder, store) = run("list-game");
    let game = store.listed_game(3).expect("it can be read").expect("it is there");
    assert_eq!((game.key.0.as_str(), game.number), ("0.0.0:0-1", Some(1)));
    assert_eq!(
        store.numbering(0).expect("a schedule").game(1).map(|game| game.key()),
        Some(game.key)
    );
    let names: Vec<&str> = game.players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(game.players[0].faults, [(FaultKind::Timeout, 2)]);
    assert_eq!(store.listed_game(99).expect("it can be read"), None);
    assert_eq!(store.listed_game(u64::MAX).expect("it can be read"), None);
    let records = store.seat_records(0, "a").expect("it can be read");
    assert_eq!(records.iter().map(|one| one.wins + one.draws + one.losses).sum::<u64>(), 10);
    assert_eq!(records.iter().map(|one| one.wins).sum::<u64>(), 4);
    let answers = store.answer_histogram(0, "a").expect("it can be read");
    assert!(!answers.is_empty() && answers.iter().all(|one| one.from_ms < one.to_ms));
}

#[test]
fn games_are_chosen_by_set_up_and_by_when_they_were_kept() {
    let (_folder, store) = run("list-setups");
    store
        .db
        .execute_batch(
            r#"UPDATE events SET plan = json_set(plan, '$.variants', 2, '$.weights', json('[2, 1]'), '$.format.rounds', 10),
                    terms = '{"variants":[{"a":1},{"a":2}]}';
               UPDATE games SET kept = 100 + id;"#,
        )
        .expect("it can be written");
    let none = GameFilter::default;
    let setup = |setup| GameFilter { setup: Some(setup), ..none() };
    // The second of three sets has the second set-up: those are rounds 1 and 4.
    assert_eq!(ids(&store, &setup(1)), [1, 2, 5, 6]);
    assert_eq!(ids(&store, &setup(0)), [3, 4, 7, 8, 9, 10]);
    assert_eq!(ids(&store, &setup(2)), NONE);
    let games = store.game_page(&setup(1), ALL).expect("it can be read").games;
    assert!(games.iter().all(|game| game.setup == 1));
    let records = store.setup_records(0, "a").expect("it can be read");
    let games = records.iter().map(|of| (of.setup, of.wins, of.draws, of.losses));
    assert_eq!(games.collect::<Vec<_>>(), [(0, 3, 2, 1), (1, 1, 1, 2)]);
    let kept = GameFilter { kept_from: Some(103), kept_before: Some(105), ..none() };
    assert_eq!(ids(&store, &kept), [3, 4]);
}

#[test]
fn the_last_faults_come_with_their_turn_and_words() {
    let (_folder, store) = run("list-faults");
    store
        .db
        .execute_batch(
            "INSERT INTO faults VALUES (6, 1, 1, 5, 'crash', 'again', 3, NULL);
             INSERT INTO faults VALUES (6, 0, 0, 7, 'illegal', 'no', 1, NULL);",
        )
        .expect("it can be written");
    let faults = store.recent_faults(20).expect("it can be read");
    let seen: Vec<_> = faults
        .iter()
        .map(|f| (f.game, f.bot.as_str(), f.kind.name(), f.turn, f.detail.as_str(), f.count))
        .collect();
    assert_eq!(
        seen,
        [
            (6, "a", "illegal", 7, "no", 1),
            (6, "b", "crash", 3, "gone", 4),
            (3, "b", "timeout", 3, "late", 2)
        ]
    );
    assert_eq!(store.recent_faults(1).expect("it can be read").len(), 2);
}

#[test]
fn a_bot_has_a_version_for_every_change_that_was_accepted() {
    let (_folder, mut store) = run("list-versions");
    let accept = |bot: &str| Decision::Accept { event: "event".to_owned(), bot: bot.to_owned() };
    store.decide(&[accept("a"), accept("b")], "a new search").expect("it can be kept");
    store
        .db
        .execute_batch("UPDATE games SET kept = 100 + id; UPDATE journal SET made = 104;")
        .expect("it can be written");
    let versions = store.bot_versions("event", "a").expect("it can be read");
    let seen: Vec<_> =
        versions.iter().map(|of| (of.from, of.before, of.games, of.reason.as_str())).collect();
    assert_eq!(seen, [(None, Some(104), 3, ""), (Some(104), None, 7, "a new search")]);
    let games = store.game_page(&GameFilter::default(), ALL).expect("it can be read").games;
    assert_eq!(versions[1].last.as_deref(), Some(games[9].match_id.as_str()));
}
