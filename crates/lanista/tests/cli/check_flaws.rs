//! Checker and host are of one mind: bots with any flaw, simulated, are held to all checks and play
//! matches. Whoever is at fault in a match fails a check. Whoever fails a check is at fault in a match, if
//! the flaw is everywhere: a match does not ask everything that is checked, nor in the same order.
//!
//! `LANISTA_FLAWS=N` tries N bots for each game; `LANISTA_FLAWS=A..B` those of these numbers.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use check::{CheckStatus, Checker};
use game::{Clock, PlayerId, Seed};
use host::{BotSpec, Placement, Pondering, Run};
use serde::de::IgnoredAny;
use table::{AnyGame, AskedAdjudication, Cost, Entrant, Entry, Occasion, Recording, Terms};

use crate::simulated_bots::{Flaw, play};

/// So many bots are tried for each game unless somebody wants more.
const BOTS: u64 = 10;

fn numbers() -> Range<u64> {
    let Ok(text) = std::env::var("LANISTA_FLAWS") else { return 0..BOTS };
    let number = |text: &str| text.parse::<u64>().expect("LANISTA_FLAWS is a number or a range");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

/// A run in which nothing is started.
fn run(game: &'static dyn AnyGame) -> Run {
    let bot = BotSpec::parse("bot=true", Path::new(".")).expect("a command");
    Run {
        roster: check::roster(game, bot),
        concurrency: 1,
        placement: Placement::Auto,
        cage: host::CageTerms {
            at_most: host::Tier::E,
            read: Vec::new(),
            write: Vec::new(),
            hidden: Vec::new(),
        },
        exe: None,
        pondering: Pondering::Stopped,
        scratch: None,
        live: None,
        people: None,
    }
}

/// The built-in bot whose words are spoiled.
fn bot_of(game: &dyn AnyGame) -> &'static str {
    let bots = game.card().bots;
    bots.get(1).unwrap_or(&bots[0]).name
}

/// The first check that a bot with this flaw fails, and why.
fn failed_check(game: &'static dyn AnyGame, flaw: &Flaw) -> Option<String> {
    let (bot, own) = (bot_of(game), flaw.clone());
    let mut checker =
        Checker::with_host(game, run(game), Box::new(move |_, jobs| play(game, bot, &own, jobs)));
    for check in check::checks(&game.card()) {
        let result = checker.check(&check).expect("nothing is started");
        if result.status == CheckStatus::Fail {
            let texts: Vec<&str> =
                result.trial.findings.iter().map(|finding| finding.text.as_str()).collect();
            return Some(format!("{}: {}", check.name, texts.join("; ")));
        }
    }
    None
}

/// The first fault that costs a bot with this flaw something in a match, in both seats and in two games
/// in a row.
fn fault_in_a_match(game: &'static dyn AnyGame, flaw: &Flaw, seed: u64) -> Option<String> {
    let card = game.card();
    let run = run(game);
    let entrants = league::entrants(&run.roster, None, host::Reuse::Auto).expect("no folder");
    for seat in [0, card.usual_players - 1] {
        let bots: Vec<usize> = (0..card.usual_players).map(|at| usize::from(at != seat)).collect();
        let named = |(at, &bot): (usize, &usize)| match bot {
            0 => entrants[0].clone(),
            _ => Entrant { name: format!("random {at}"), ..entrants[bot].clone() },
        };
        let setup = Arc::new((card.quick)());
        let max_faults = Some(2);
        let terms = Terms {
            id: String::new(),
            seed: Seed(seed),
            entrants: bots.iter().enumerate().map(named).collect(),
            clock: Clock { turn: card.clock.turn.or(Some(Duration::from_secs(1))), ..card.clock },
            adjudication: AskedAdjudication { max_faults, ..Default::default() }
                .settle(card.max_faults)
                .expect("a number of faults"),
            occasion: Occasion::SingleMatch,
            recording: Recording::On,
        };
        let terms = terms.identified(card.id, &setup, "test");
        let job = |index| league::job(index, bots.clone(), game, setup.clone(), terms.clone());
        let played = play(game, bot_of(game), flaw, (0..2).map(job).collect()).expect("set up");
        for (_, record) in played {
            for entry in record.entries::<IgnoredAny>().map_while(Result::ok) {
                if let Entry::Faulted { player, fault, ruling, .. } = entry
                    && player == PlayerId(seat)
                    && ruling != Cost::Nothing
                {
                    return Some(fault.to_string());
                }
            }
        }
    }
    None
}

fn agree(name: &str) {
    let game = *games::GAMES.iter().find(|game| game.card().id == name).expect("it is there");
    let of_good = (fault_in_a_match(game, &Flaw::None, 7), failed_check(game, &Flaw::None));
    assert_eq!(of_good, (None, None), "{name}: a bot without a flaw");
    let mut apart = Vec::new();
    let mut tally = [0; 2];
    for number in numbers() {
        let mut rng = Seed(number).rng(name);
        let flaw = Flaw::drawn(&mut rng);
        let fault = fault_in_a_match(game, &flaw, number);
        let failed = failed_check(game, &flaw);
        tally[usize::from(fault.is_some())] += 1;
        let missed = fault.is_some() && failed.is_none();
        let invented = fault.is_none() && failed.is_some() && flaw.is_everywhere();
        if missed || invented {
            apart
                .push(format!("{number} {flaw:?}: the host says {fault:?}, the checks {failed:?}"));
        }
    }
    assert!(apart.is_empty(), "{name}, {tally:?}:\n{}", apart.join("\n"));
    assert!(numbers().count() < 10 || tally.iter().all(|count| *count > 0), "{name}: {tally:?}");
}

#[test]
fn host_and_checks_agree_on_any_brain() {
    agree("gomoku");
}

#[test]
fn host_and_checks_agree_on_any_rat() {
    agree("pyrat");
}

#[test]
fn host_and_checks_agree_on_any_card_player() {
    agree("jedna");
}

#[test]
fn host_and_checks_agree_on_any_colony() {
    agree("ants");
}

#[test]
fn host_and_checks_agree_on_any_organism() {
    agree("petri");
}
