//! A panic in the rules, in a protocol, in a built-in bot or in a picture costs one match.

use std::ops::ControlFlow;

use game::{Afterwards, Seed, Verdict};
use host::{BotSpec, Job, Placement, Run, RunError, Watcher};
use serde_json::{Map, Value};
use table::{
    AnyGame as _, AnyTable, Contestant, Entrant, Erased, Hosted as _, Occasion, Recording, Report,
    Terms, TurnOrder,
};
use testkit::fragile::Fragile;

struct Pictures;

impl Watcher for Pictures {
    fn stepped(&mut self, table: &dyn AnyTable) {
        table.snapshot().draw(table::Room::ENDLESS);
    }
}

/// Plays so many games of a set-up, with the seeds 0, 1, 2, …; a program sits in the first seat.
fn play(weak: &str, games: u64, concurrency: usize) -> (Vec<Report>, Result<(), RunError>) {
    let mark = format!("panics-{weak}-{}", std::process::id());
    let program = format!("sh -c 'while read line; do echo {mark}; done'");
    let bot = |text: &str| BotSpec::parse(text, std::path::Path::new("/")).expect("a bot");
    let run = Run {
        roster: vec![bot(&program), bot("builtin:counter")],
        concurrency,
        placement: Placement::Auto,
        exe: None,
        scratch: None,
        pondering: host::Pondering::Stopped,
        cage: host::CageTerms::none(),
        live: None,
        people: None,
    };
    let setup = Map::from_iter([("weak".to_owned(), Value::from(weak))]);
    let job = |index: u64| {
        let terms = Terms {
            id: index.to_string(),
            seed: Seed(index),
            entrants: vec![
                Entrant::new("program", Contestant::Program { then: Afterwards::MayStay }),
                Entrant::new("counter", Contestant::BuiltIn("counter".to_owned())),
            ],
            clock: Fragile::card().clock,
            adjudication: table::Adjudication::NONE,
            occasion: Occasion::SingleMatch,
            recording: Recording::On,
        };
        let setup = setup.clone();
        let table = Box::new(move || Erased::<Fragile>::new().table(&setup, terms.clone()));
        Job { index, bots: vec![0, 1], turn_order: TurnOrder::Alternating, table }
    };
    let jobs: Vec<Job> = (0..games).map(job).collect();
    let mut reports = Vec::new();
    let played = run.play(jobs.into_iter(), Some(Box::new(Pictures)), |finished| {
        reports.extend(finished.result.map(|(report, _)| report));
        ControlFlow::Continue(())
    });
    let living = std::fs::read_dir("/proc").expect("this is Linux").flatten().filter(|entry| {
        std::fs::read_to_string(entry.path().join("cmdline")).is_ok_and(|line| line.contains(&mark))
    });
    assert_eq!(living.count(), 0, "{weak}: no process is left behind");
    reports.sort_by_key(|report| report.index);
    (reports, played)
}

#[test]
fn a_panic_of_the_rules_makes_one_game_void_and_the_next_is_played() {
    for concurrency in [1, 3] {
        let (reports, played) = play("rules", 8, concurrency);
        played.expect("one panic does not end a run");
        assert_eq!(reports.len(), 8);
        for report in reports {
            match report.seed % 2 {
                0 => assert_eq!(report.outcome, Verdict::Win, "{report:?}"),
                _ => {
                    assert_eq!(report.outcome, Verdict::Void, "{report:?}");
                    assert!(report.reason.contains("not of a bot: panicked at"), "{report:?}");
                    assert!(report.reason.contains("fragile.rs:"), "{report:?}");
                    assert!(report.reason.ends_with("the rules broke"), "{report:?}");
                    // What was played before is known.
                    assert_eq!(report.turns, 3, "{report:?}");
                }
            }
        }
    }
}

#[test]
fn panic_after_panic_ends_the_run_with_the_reason() {
    let broken = [
        ("rules-always", 2, "the rules broke"),
        ("digest", 2, "the rules broke"),
        ("wire", 2, "the protocol broke"),
        // The games of one worker alone are drawn.
        ("drawing", 1, "the picture broke"),
    ];
    for (weak, concurrency, message) in broken {
        let (reports, played) = play(weak, 1000, concurrency);
        let error = played.expect_err(weak).to_string();
        assert!(error.contains("games in a row") && error.contains(message), "{weak}: {error}");
        assert!(reports.len() < 20, "{weak}: {}", reports.len());
        for report in reports {
            assert_eq!(report.outcome, Verdict::Void, "{report:?}");
            assert!(report.reason.ends_with(message), "{report:?}");
        }
    }
}

#[test]
fn a_game_that_panics_when_it_is_set_up_cannot_be_set_up() {
    let (reports, played) = play("setup", 100, 2);
    assert!(reports.is_empty(), "{reports:?}");
    let error = played.expect_err("it never works").to_string();
    assert!(error.contains("the set-up broke"), "{error}");
}

#[test]
fn a_built_in_bot_that_panics_has_crashed_and_says_where() {
    let (reports, played) = play("built-in", 3, 1);
    played.expect("a bot that crashes does not end a run");
    for report in reports {
        assert_eq!(report.outcome, Verdict::Win, "{report:?}");
        let fault = &report.players[1].faults[0];
        assert_eq!(fault.kind.name(), "crash");
        assert!(fault.detail.contains("panicked at") && fault.detail.contains("the bot broke"));
    }
}
