use std::io::Read as _;
use std::ops::ControlFlow;

use game::Seed;
use host::{BotSpec, Placement, Pondering, Run};
use table::{Contestant, Entrant, Occasion, Recording};

use super::*;

/// A game between two built-in bots of the first game, and what is expected of it.
fn played(seed: u64) -> (ExpectedGame, Report, Vec<u8>) {
    let game = games::GAMES[0];
    let card = game.card();
    let bots = [0, 1].map(|bot| format!("builtin:{}", card.bots[bot].name));
    played_by(game, &bots, seed)
}

/// A game between such bots, and what is expected of it.
fn played_by(
    game: &'static dyn AnyGame,
    bots: &[String],
    seed: u64,
) -> (ExpectedGame, Report, Vec<u8>) {
    let card = game.card();
    let entrant = |bot: &String| match bot.strip_prefix("builtin:") {
        Some(name) => Entrant::new(name, Contestant::BuiltIn(name.to_owned())),
        None => Entrant::new("program", Contestant::Program { then: game::Afterwards::MayStay }),
    };
    let terms = Terms {
        id: String::new(),
        seed: Seed(seed),
        entrants: bots.iter().map(entrant).collect(),
        clock: card.clock,
        adjudication: table::Adjudication::new(Some(12), None, None).expect("after 12 turns"),
        occasion: Occasion::Tournament,
        recording: Recording::On,
    };
    let setup = Arc::new(Map::new());
    let terms = terms.identified(card.id, &setup, "cup 0.0.0:0-1");
    let bot = |bot: &String| BotSpec::parse(bot, std::path::Path::new(".")).expect("a bot");
    let run = Run {
        roster: bots.iter().map(bot).collect(),
        concurrency: 1,
        placement: Placement::None,
        exe: None,
        pondering: Pondering::Stopped,
        scratch: None,
        cage: host::CageTerms::none(),
        live: None,
        people: None,
    };
    let seats = (0..bots.len()).collect();
    let job = league::job(0, seats, game, setup.clone(), terms.clone());
    let mut result = None;
    run.play([job].into_iter(), None, |finished| {
        result = Some(finished.result);
        ControlFlow::Continue(())
    })
    .expect("it is played");
    let (mut report, log) = result.expect("it is over").expect("it can be set up");
    let line = table::WorkerLine { name: "w".to_owned(), speed: 100.0, time_scale: 1.0 };
    report.worker = Some(line);
    let bytes = log.to_file().expect("it can be packed");
    (ExpectedGame { game, setup, terms }, report, bytes)
}

fn plain(replay: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    zstd::Decoder::new(replay).expect("ours").read_to_end(&mut plain).expect("ours");
    plain
}

fn packed(plain: &[u8]) -> Vec<u8> {
    zstd::encode_all(plain, 1).expect("memory")
}

#[test]
fn an_honest_result_is_taken() {
    let (expected, report, bytes) = played(1);
    let (kept, record) =
        expected.accept(report.clone(), &bytes, Scrutiny::Full).expect("it is honest");
    assert_eq!(kept.players, report.players);
    assert_eq!(
        record.into_log().to_file().expect("memory"),
        bytes,
        "the replay is kept as it came"
    );
}

#[test]
fn whatever_is_changed_in_a_report_is_found_also_without_playing_it_again() {
    let (expected, report, bytes) = played(1);
    let fault = table::FaultLine {
        turn: 1,
        kind: game::FaultKind::Timeout,
        agent: None,
        detail: "late".to_owned(),
        count: 1,
    };
    let lies: [&dyn Fn(&mut Report); 17] = [
        &|report| report.turns += 1,
        &|report| report.players[0].moves -= 1,
        &|report| report.players[1].wall_ms += 0.001,
        &|report| report.players[1].cpu_ms += 1.0,
        &|report| report.players[0].slowest_ms = 0.0,
        &|report| report.players[1].faults.push(fault.clone()),
        &|report| report.reason.push('!'),
        &|report| report.players.iter_mut().for_each(|player| player.rank = 3 - player.rank.min(2)),
        &|report| report.players[0].score += 1.0,
        &|report| report.players.swap(0, 1),
        &|report| report.digest = "0".repeat(16),
        &|report| report.outcome = Verdict::Void,
        &|report| report.players[0].wall_ms = f64::NAN,
        &|report| report.tier = "Z".to_owned(),
        &|report| report.host_delay_ms += 1e6,
        &|report| report.restarts = 99,
        &|report| {
            let name = Some("another".to_owned());
            report.players[0].about = Some(game::About { name, ..game::About::default() });
        },
    ];
    for (number, lie) in lies.iter().enumerate() {
        let mut told = report.clone();
        lie(&mut told);
        for scrutiny in [Scrutiny::Full, Scrutiny::Report] {
            let looked = expected.accept(told.clone(), &bytes, scrutiny);
            assert!(looked.is_err(), "lie {number}, {scrutiny:?}");
        }
    }
}

#[test]
fn a_replay_of_another_game_is_found() {
    let (expected, report, _) = played(1);
    let (_, other, bytes) = played(2);
    assert!(expected.accept(other, &bytes, Scrutiny::Full).is_err(), "another seed");
    assert!(expected.accept(report, &bytes, Scrutiny::Full).is_err(), "a replay of another match");
}

#[test]
fn a_truncated_replay_is_found_wherever_it_ends() {
    let (expected, report, bytes) = played(1);
    for end in (0..bytes.len()).step_by(7) {
        assert!(
            expected.accept(report.clone(), &bytes[..end], Scrutiny::Full).is_err(),
            "cut at {end}"
        );
    }
    let whole = plain(&bytes);
    for end in 0..whole.len() {
        let cut = packed(&whole[..end]);
        assert!(
            expected.accept(report.clone(), &cut, Scrutiny::Full).is_err(),
            "cut at {end} and packed anew"
        );
    }
}

#[test]
fn no_change_of_a_replay_that_is_taken_changes_a_move_or_the_result() {
    let (expected, report, bytes) = played(1);
    let whole = plain(&bytes);
    let course = |record: &Record| (record.digests(), record.ending().map(|(outcome, _)| outcome));
    let wanted = course(&Record::read(&bytes).expect("ours"));
    let (mut taken, mut refused) = (0, 0);
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        match expected.accept(report.clone(), &packed(&changed), Scrutiny::Full) {
            // A moment, or what a bot said.
            Ok((_, record)) => {
                assert_eq!(course(&record), wanted, "byte {place}");
                taken += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > taken, "{refused} refused, {taken} taken");
}

#[test]
fn a_replay_of_another_program_is_found_by_its_header() {
    let (expected, report, bytes) = played(1);
    let whole = plain(&bytes);
    let end = whole.iter().position(|byte| *byte == b'\n').expect("a header");
    let header: Value = serde_json::from_slice(&whole[..end]).expect("ours");
    let lies: [&dyn Fn(&mut Value); 5] = [
        &|header| header["players"][0]["bot"] = "./another".into(),
        &|header| header["players"][1]["name"] = "another".into(),
        &|header| header["match"] = "0123456789abcdef".into(),
        &|header| header["seed"] = 7.into(),
        &|header| header["clock"]["move_ms"] = 1.into(),
    ];
    for (number, lie) in lies.iter().enumerate() {
        let mut told = header.clone();
        lie(&mut told);
        assert_ne!(told, header, "lie {number} changes something");
        let file = packed(&[told.to_string().as_bytes(), &whole[end..]].concat());
        let looked = expected.accept(report.clone(), &file, Scrutiny::Report);
        assert!(looked.is_err(), "lie {number}");
    }
    let same = packed(&[header.to_string().as_bytes(), &whole[end..]].concat());
    assert!(expected.accept(report, &same, Scrutiny::Full).is_ok(), "packing anew is no lie");
}

#[test]
fn a_changed_move_is_found_where_the_replay_is_played_again() {
    // Every state in a replay has its digest, so a move cannot be changed alone.
    let (expected, report, bytes) = played(1);
    let whole = plain(&bytes);
    let end = whole.iter().position(|byte| *byte == b'\n').expect("a header");
    let mut found = 0;
    for place in end + 1..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 4;
        let full = expected.accept(report.clone(), &packed(&changed), Scrutiny::Full);
        let report_alone = expected.accept(report.clone(), &packed(&changed), Scrutiny::Report);
        assert!(full.is_err() || report_alone.is_ok(), "a full look finds more: byte {place}");
        found += usize::from(full.is_err() && report_alone.is_ok());
    }
    assert!(found > 0, "some changes are found by playing again alone");
}

#[test]
fn faults_of_programs_are_taken_as_they_were_and_not_as_those_of_another_agent() {
    let mut with_agents = 0;
    for game in games::GAMES {
        let card = game.card();
        let built_in = format!("builtin:{}", card.bots[0].name);
        let mut bots = vec!["false".to_owned()];
        bots.resize(card.usual_players.into(), built_in);
        let (expected, report, bytes) = played_by(*game, &bots, 3);
        let faults = &report.players[0].faults;
        assert!(!faults.is_empty(), "{}: it has done nothing", card.id);
        let honest = expected.accept(report.clone(), &bytes, Scrutiny::Full);
        assert!(honest.is_ok(), "{}: {:?}", card.id, honest.err());
        let mut told = report.clone();
        let agent = &mut told.players[0].faults[0].agent;
        with_agents += usize::from(agent.is_some());
        *agent = Some("somebody else".to_owned());
        assert!(expected.accept(told, &bytes, Scrutiny::Full).is_err(), "{}", card.id);
    }
    assert!(with_agents > 0, "some game has players of several agents");
}
