//! What a worker can try that does not want to play: everything is refused, and all games are played by
//! others.

use super::*;

/// A replay as text and bytes, changed and packed again.
fn repacked(replay: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut plain = zstd::decode_all(replay).expect("ours");
    change(&mut plain);
    zstd::encode_all(&plain[..], 1).expect("memory")
}

fn replace(plain: &mut Vec<u8>, from: &str, to: &str) {
    let at = plain.windows(from.len()).position(|part| part == from.as_bytes());
    let at = at.unwrap_or_else(|| panic!("there is no {from} in it"));
    plain.splice(at..at + from.len(), to.bytes());
}

#[test]
fn whatever_a_worker_changes_in_a_result_it_is_excluded_and_nothing_of_it_counts() {
    let Some(cup) = Cup::new("lies", ClusterTerms::default()) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let bot = format!("builtin:{}", games::GAMES[0].card().bots[0].name);
    type Lie<'l> = &'l dyn Fn(&Cup, &[RemoteGame]) -> (Report, Vec<u8>);
    let lies: [(&str, Lie<'_>); 8] = [
        ("winner", &|cup, games| {
            let (_, mut report, replay) = cup.play_lent(&games[0]);
            report.players.iter_mut().for_each(|player| player.rank = 3 - player.rank.clamp(1, 2));
            (report, replay)
        }),
        ("move", &|cup, games| {
            let (expected, report, replay) = cup.play_lent(&games[0]);
            let replay = illegal(&expected, &report, &replay);
            (report, replay)
        }),
        ("truncated", &|cup, games| {
            let (_, report, replay) = cup.play_lent(&games[0]);
            let replay = repacked(&replay, |plain| plain.truncate(plain.len() * 2 / 3));
            (report, replay)
        }),
        ("bot", &|cup, games| {
            let (_, report, replay) = cup.play_lent(&games[0]);
            let replay = repacked(&replay, |plain| replace(plain, &bot, "./another"));
            (report, replay)
        }),
        ("game", &|cup, games| {
            let (_, mut report, replay) = cup.play_lent(&games[1]);
            report.id.clone_from(&games[0].id);
            (report, replay)
        }),
        ("bomb", &|cup, games| {
            let (_, report, replay) = cup.play_lent(&games[0]);
            let replay = repacked(&replay, |plain| plain.resize(256 << 20, 0));
            assert!(replay.len() < 256 << 10, "it is small on its way: {}", replay.len());
            (report, replay)
        }),
        ("tier", &|cup, games| {
            let (_, mut report, replay) = cup.play_lent(&games[0]);
            report.tier = "A".to_owned();
            (report, replay)
        }),
        ("delay", &|cup, games| {
            let (_, mut report, replay) = cup.play_lent(&games[0]);
            report.host_delay_ms += 1e6;
            (report, replay)
        }),
    ];
    let (reports, _) = cup.play(|| {
        for (name, lie) in &lies {
            let liar = Liar::named(&server, &run, name, 1);
            let games = liar.games();
            let (report, replay) = lie(&cup, &games);
            let told = liar.send(&games[0], report, replay);
            assert!(refused_with(&told, "is not a result"), "{name}: {told:?}");
        }
        cup.worker("honest", 1.0);
    });
    let names = reports.iter().filter_map(|report| Some(&report.worker.as_ref()?.name));
    assert!(names.eq(["honest"; 6].iter()), "{}", cup.notes());
    assert_eq!(cup.coordinator.status().excluded.len(), lies.len());
}

#[test]
fn a_result_of_a_game_that_was_never_lent_to_its_worker_does_not_count() {
    let Some(cup) = Cup::new("unlent", ClusterTerms::default()) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        let owner = Liar::named(&server, &run, "owner", 1);
        let games = owner.games();
        let thief = Liar::named(&server, &run, "thief", 1);
        let own = thief.games();
        assert!(own.iter().all(|game| games.iter().all(|other| other.place != game.place)));
        let (_, report, replay) = cup.play_lent(&games[0]);
        // It may forget it, and that is all.
        let told = thief.send(&games[0], report.clone(), replay.clone());
        assert_eq!(told, CoordinatorAnswer::Kept);
        let lost =
            thief.ask(WorkerRequest::Hold { games: vec![games[0].place.clone()], playing: 1 });
        assert_eq!(lost, CoordinatorAnswer::Held { lost: vec![games[0].place.clone()] });
        assert_eq!(owner.send(&games[0], report, replay), CoordinatorAnswer::Kept);
        for one in [&owner, &thief] {
            assert_eq!(one.ask(WorkerRequest::Bye), CoordinatorAnswer::Heard);
        }
        cup.worker("honest", 1.0);
    });
    let of = |name: &str| {
        let named = |report: &&Report| report.worker.as_ref().is_some_and(|one| one.name == name);
        reports.iter().filter(named).count()
    };
    assert_eq!((of("owner"), of("thief"), of("honest")), (1, 0, 5), "{}", cup.notes());
}

#[test]
fn floods_names_and_words_that_cannot_be_are_survived() {
    let Some(cup) = Cup::new("flood", ClusterTerms::default()) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        let liar = Liar::new(&server, &run, 1);
        let ask = |session: u64, number: u64, what: WorkerRequest| {
            wire::pack(&Ask { session, number, what })
        };
        // Names that are none, and a card that is none.
        let long = "x".repeat(2000);
        let want = |card: WorkerCard| WorkerRequest::Want { free: u32::MAX, card };
        liar.link.publish(&wire::questions(&run, &long), ask(1, 1, want(card())));
        let wild = WorkerCard { arch: "y".repeat(100_000), slots: u32::MAX, ..card() };
        assert!(refused_with(&liar.ask(want(wild)), "cannot be"));
        // Bytes of all sorts, and far more questions than anybody reads, of very many processes.
        for number in 0..3000_u64 {
            let text = match number % 3 {
                0 => vec![number as u8; 300_000],
                1 => ask(number, 1, WorkerRequest::Want { free: 1, card: card() }),
                _ => ask(
                    1,
                    number,
                    WorkerRequest::Upload {
                        digest: format!("{number:064x}"),
                        at: 0,
                        bytes: Raw(vec![0; 1000]),
                    },
                ),
            };
            let subject = match number % 2 {
                0 => liar.subject.clone(),
                _ => wire::live_news(&run, "liar"),
            };
            liar.link.publish(&subject, text);
        }
        // It is still heard, and so are others.
        liar.number.set(1_000_000);
        let games = Liar::named(&server, &run, "liar", 7777).ask(want(card()));
        assert!(
            matches!(games, CoordinatorAnswer::Games { .. } | CoordinatorAnswer::Wait(_)),
            "{games:?}"
        );
        assert!(cup.coordinator.status().workers.len() <= 16, "a name has few processes");
        let other = Liar::named(&server, &run, "other", 1);
        assert_eq!(
            other.ask(WorkerRequest::Hold { games: Vec::new(), playing: 0 }),
            CoordinatorAnswer::Held { lost: Vec::new() }
        );
        // A lie ends it: all that its processes held is free again.
        let (_, report, _) = cup.play_lent(&RemoteGame {
            place: GamePlace {
                event: 0,
                key: "0.0.0:0-1".to_owned(),
                attempt: 0,
                purpose: PlayedFor::Result,
            },
            set: 0,
            id: String::new(),
            seed: 1,
            variant: 0,
            bots: vec![0, 1],
        });
        let lie = ResultLine {
            place: GamePlace {
                event: 0,
                key: "0.0.0:0-1".to_owned(),
                attempt: 0,
                purpose: PlayedFor::Result,
            },
            took_ms: 1,
            speed: f64::NAN,
            time_scale: 1.0,
            report,
            replay: ReplayLine::Here(Raw(Vec::new())),
        };
        let told = liar.ask(WorkerRequest::Done(vec![lie]));
        assert!(refused_with(&told, "is not a result"), "{told:?}");
        cup.worker("honest", 1.0);
    });
    let names = reports.iter().filter_map(|report| Some(&report.worker.as_ref()?.name));
    assert!(names.eq(["honest"; 6].iter()), "{}", cup.notes());
    let workers = cup.coordinator.status().workers;
    assert!(workers.iter().all(|worker| worker.name.len() <= 48));
}

#[test]
fn unfinished_uploads_of_a_worker_push_out_its_own_alone() {
    let Some(cup) = Cup::new("uploads", ClusterTerms::default()) else { return };
    let mut blobs = Blobs::default();
    let id = |name: &str| WorkerId { name: name.to_owned(), session: 1 };
    let (honest, liar) = (id("honest"), id("liar"));
    let content = vec![7; 1000];
    let digest = wire::digest(&content);
    blobs.upload(&honest, &digest, 0, &content[..500]);
    let part = vec![0; 1 << 20];
    for number in 0..200_u32 {
        blobs.upload(&liar, &format!("{number:064x}"), 0, &part);
        // Not under another's name, either.
        blobs.upload(&liar, &digest, 500, &part);
    }
    blobs.upload(&liar, "no digest", 0, &part);
    blobs.upload(&honest, &digest, 500, &content[500..]);
    assert!(blobs.uploaded(&liar, &digest).is_none());
    assert_eq!(blobs.uploaded(&honest, &digest), Some(content));
    assert_eq!(blobs.size_of_upload(&liar, "no digest"), 0);
    drop(cup);
}
