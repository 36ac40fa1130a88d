//! Sets of which a game is void: all of the set is played again, on one machine, and counted once.

use std::collections::HashMap;

use game::Tick;

use super::*;

/// A game that could not be played: its report and its replay.
fn void(expected: &ExpectedGame) -> (Report, Vec<u8>) {
    let table = expected.game.table(&expected.setup, expected.terms.clone());
    let mut table = table.expect("it can be set up");
    table.open(Tick::ZERO, &mut table::Outputs::default());
    table.abandon(Tick::ZERO, "the machine was taken away");
    let mut report = table.report(0).expect("it is over");
    report.tier = "E".to_owned();
    (report, table.take_log().to_file().expect("it can be packed"))
}

#[test]
fn a_set_with_a_void_game_is_played_again_whole_on_one_machine() {
    let Some(cup) = Cup::new("void", ClusterTerms::default()) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let mut set = Vec::new();
    let (reports, journal) = cup.play(|| {
        let unlucky = Liar::new(&server, &run, 1);
        let games = unlucky.games();
        let [first, second, ..] = &games[..] else { panic!("a set has two games") };
        assert_eq!(first.set, second.set);
        let (expected, ..) = cup.play_lent(first);
        let (report, replay) = void(&expected);
        let (_, good, other) = cup.play_lent(second);
        let lines = vec![line(first, report, replay), line(second, good, other)];
        assert_eq!(unlucky.ask(WorkerRequest::Done(lines)), CoordinatorAnswer::Kept);
        // Whoever asks next gets both of them, and one of them as a second try.
        let next = Liar::named(&server, &run, "next", 1);
        let again = next.games();
        let of_set = |game: &&RemoteGame| game.id == first.id || game.id == second.id;
        let mut tries: Vec<u32> =
            again.iter().filter(of_set).map(|game| game.place.attempt).collect();
        tries.sort_unstable();
        assert_eq!(tries, [0, 1], "{again:?}");
        assert_eq!(next.ask(WorkerRequest::Bye), CoordinatorAnswer::Heard);
        assert_eq!(unlucky.ask(WorkerRequest::Bye), CoordinatorAnswer::Heard);
        set = vec![first.id.clone(), second.id.clone()];
        cup.worker("honest", 1.0);
    });
    let by_id: HashMap<&str, &Report> =
        reports.iter().map(|report| (report.id.as_str(), report)).collect();
    assert_eq!(by_id.len(), 6, "none is there twice");
    for id in &set {
        let worker = by_id[id.as_str()].worker.as_ref().expect("it has one");
        assert_eq!(worker.name, "honest");
    }
    assert!(journal.is_empty(), "nobody has decided anything: {journal:?}");
}

#[test]
fn a_worker_whose_games_are_void_again_and_again_gets_no_more() {
    let Some(cup) = Cup::new("voids", ClusterTerms::default()) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        let unlucky = Liar::new(&server, &run, 1);
        let mut voids = 0;
        let refused = loop {
            let game = match unlucky.ask(WorkerRequest::Want { free: 1, card: card() }) {
                CoordinatorAnswer::Games { mut games, .. } => games.remove(0),
                CoordinatorAnswer::Wait(_) => continue,
                other => break other,
            };
            let (expected, ..) = cup.play_lent(&game);
            let (report, replay) = void(&expected);
            assert_eq!(unlucky.send(&game, report, replay), CoordinatorAnswer::Kept);
            voids += 1;
        };
        assert!(refused_with(&refused, "its last 4 games were void: the machine"), "{refused:?}");
        assert_eq!(voids, 4);
        cup.worker("honest", 1.0);
    });
    let names = reports.iter().filter_map(|report| Some(&report.worker.as_ref()?.name));
    assert!(names.eq(["honest"; 6].iter()), "the run goes on without it");
    assert!(cup.notes().contains("liar gets no more games"), "{}", cup.notes());
    assert!(cup.coordinator.status().excluded.is_empty(), "it has not lied");
}
