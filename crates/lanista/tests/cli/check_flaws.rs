//! Checker and host are of one mind: bots with any flaw, simulated, are held to all checks and play
//! matches. Whom a fault costs something in a match fails a check. Whoever fails a check is noticed in
//! matches that ask the same: a fault, or a remark where the host can do without the answer.
//!
//! `LANISTA_FLAWS=N` tries N bots for each game; `LANISTA_FLAWS=A..B` those of these numbers.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use check::{CheckStatus, Checker};
use game::{Clock, PlayerId, Seed, Topic};
use host::{BotSpec, Placement, Pondering, Run};
use serde::de::IgnoredAny;
use table::check::CheckMethod;
use table::{AnyGame, AskedAdjudication, Cost, Entrant, Entry, Occasion, Record, Recording, Terms};

use crate::simulated_bots::{Flaw, Spoiled, play};

/// So many bots are tried for each game unless somebody wants more.
const BOTS: u64 = 4;

/// Where one match has not shown what a check has found, so many others are played.
const OTHER_MATCHES: u64 = 20;

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

/// What the checks say of a bot.
#[derive(Default)]
struct Checked {
    /// The first check that it fails, and why.
    failed: Option<String>,
    /// Whether that is a match: then it is the host that has found the fault.
    in_match: bool,
    /// The questions whose answers were spoiled: in that check, or in all.
    spoiled: BTreeSet<String>,
}

/// Tries checks with a bot that has this flaw, until it fails one.
fn checked(game: &'static dyn AnyGame, flaw: &Flaw) -> Checked {
    let spoiled = Spoiled::default();
    let (bot, own, shared) = (bot_of(game), flaw.clone(), spoiled.clone());
    let jobs = Box::new(move |_: &_, jobs| play(game, bot, &own, &shared, jobs));
    let mut checker = Checker::with_host(game, run(game), jobs);
    let mut checked = Checked::default();
    for check in check::checks(&game.card()) {
        let result = checker.check(&check).expect("nothing is started");
        let spoiled = spoiled.take();
        if result.status == CheckStatus::Fail {
            let texts: Vec<&str> =
                result.trial.findings.iter().map(|finding| finding.text.as_str()).collect();
            let failed = Some(format!("{}: {}", check.name, texts.join("; ")));
            let in_match = matches!(check.method, CheckMethod::Match(_));
            return Checked { failed, in_match, spoiled };
        }
        checked.spoiled.extend(spoiled);
    }
    checked
}

/// What the host says of a bot in matches.
#[derive(Debug, Default)]
struct Noticed {
    /// The first fault that costs it something.
    fault: Option<String>,
    /// The first deviation that costs it nothing.
    remark: Option<String>,
    /// The questions whose answers were spoiled.
    spoiled: BTreeSet<String>,
}

impl Noticed {
    fn read(&mut self, record: &Record, own: PlayerId) {
        let mut seats = BTreeSet::new();
        for entry in record.entries::<IgnoredAny>().map_while(Result::ok) {
            match entry {
                Entry::Seated { seat, player, .. } if player == own => drop(seats.insert(seat)),
                Entry::Faulted { player, fault, ruling, .. } if player == own => {
                    let first = match ruling {
                        Cost::Nothing => &mut self.remark,
                        Cost::Answer | Cost::Try | Cost::Process | Cost::Game => &mut self.fault,
                    };
                    first.get_or_insert_with(|| fault.to_string());
                }
                Entry::Noted { seat, note, .. }
                    if note.topic == Topic::Remark && seats.contains(&seat) =>
                {
                    self.remark.get_or_insert(note.text);
                }
                _ => {}
            }
        }
    }
}

/// What the host says of a bot with this flaw, in both seats and in two games in a row.
fn noticed(game: &'static dyn AnyGame, flaw: &Flaw, seed: u64) -> Noticed {
    let card = game.card();
    let run = run(game);
    let entrants = league::entrants(&run.roster, None, host::Reuse::Auto).expect("no folder");
    let (mut noticed, spoiled) = (Noticed::default(), Spoiled::default());
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
        let jobs = (0..2).map(job).collect();
        let played = play(game, bot_of(game), flaw, &spoiled, jobs).expect("set up");
        for (_, record) in played {
            noticed.read(&record, PlayerId(seat));
        }
    }
    noticed.spoiled = spoiled.take();
    noticed
}

fn agree(name: &str) {
    let game = *games::GAMES.iter().find(|game| game.card().id == name).expect("it is there");
    let Noticed { fault, remark, .. } = noticed(game, &Flaw::None, 7);
    let of_good = (fault, remark, checked(game, &Flaw::None).failed);
    assert_eq!(of_good, (None, None, None), "{name}: a bot without a flaw");
    let mut apart = Vec::new();
    let mut tally = [0; 2];
    for number in numbers() {
        let mut rng = Seed(number).rng(name);
        let flaw = Flaw::drawn(&mut rng);
        let Noticed { fault, remark, spoiled } = noticed(game, &flaw, number);
        tally[usize::from(fault.is_some())] += 1;
        let Checked { failed, in_match, spoiled: in_checks } = checked(game, &flaw);
        // What is changed in a line may not be in it.
        let missed = fault.is_some() && failed.is_none() && !in_checks.is_empty();
        // Matches do not ask everything that is checked.
        let is_asked = in_checks.is_subset(&spoiled);
        let is_noticed = fault.is_some() || remark.is_some();
        let invented = failed.is_some() && !in_match && is_asked && !is_noticed;
        // Whether a cell is free is a matter of chance.
        let invented = invented
            && !(1..=OTHER_MATCHES).any(|more| {
                let Noticed { fault, remark, .. } = noticed(game, &flaw, number + more);
                fault.is_some() || remark.is_some()
            });
        if missed || invented {
            apart.push(format!(
                "{number} {flaw:?}: the host says {fault:?} and {remark:?}, the checks {failed:?}"
            ));
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
