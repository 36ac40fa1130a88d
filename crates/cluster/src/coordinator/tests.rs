use std::process::{Command, Stdio};

use league::{Changes, EndReason, RunOptions, Store, Tournament, TournamentFile, admit};

use super::*;
use crate::wire::WorkerCard;
use crate::{WorkerOptions, work};

/// A server that ends with the test.
struct NatsServer(std::process::Child, u16);

impl NatsServer {
    /// None if it is not installed; `./test` says so.
    fn start() -> Option<NatsServer> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let port = listener.local_addr().expect("it has an address").port();
        drop(listener);
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        let server = NatsServer(child, port);
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "it does not listen");
            std::thread::yield_now();
        }
        Some(server)
    }

    fn options(&self) -> LinkOptions {
        let url = format!("nats://127.0.0.1:{}", self.1);
        LinkOptions { url, ..LinkOptions::default() }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Takes games and sends something for one of them that is no result. What it is told.
fn lie(server: &LinkOptions, run: &str) -> CoordinatorAnswer {
    let link = Link::connect(server, "liar", |_| {}).expect("it is there");
    let ask = |number: u64, what: WorkerRequest| loop {
        let ask = Ask { session: 1, number, what: what.clone() };
        let subject = wire::questions(run, "liar");
        if let Ok(answer) = link.request(&subject, wire::pack(&ask), Duration::from_secs(5)) {
            break wire::unpack::<CoordinatorAnswer>(&answer).expect("it is ours");
        }
    };
    let card = WorkerCard {
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        arch: "any".to_owned(),
        tier: "A".to_owned(),
        slots: 2,
        cores: 2,
        speed: 1.0,
    };
    let answer = ask(1, WorkerRequest::Want { free: 2, card });
    let CoordinatorAnswer::Games { games, .. } = answer else { panic!("{answer:?}") };
    let report = table::Report {
        v: 1,
        game: games::GAMES[0].card().id.to_owned(),
        id: games[0].id.clone(),
        index: 0,
        seed: games[0].seed,
        run_seed: None,
        outcome: Verdict::Win,
        reason: "I say so".to_owned(),
        ending: None,
        turns: 1,
        players: Vec::new(),
        host_delay_ms: 0.0,
        restarts: 0,
        tier: "A".to_owned(),
        worker: None,
        digest: String::new(),
        replay: None,
    };
    let place = games[0].place.clone();
    let replay = ReplayLine::Here(table::Raw(b"no replay".to_vec()));
    ask(2, WorkerRequest::Done(vec![ResultLine { place, took_ms: 1, speed: 1.0, report, replay }]))
}

#[test]
fn a_worker_that_lies_is_excluded_and_its_games_are_played_by_others() {
    let Some(server) = NatsServer::start() else { return };
    let dir = std::env::temp_dir().join(format!("lanista-liar-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("writable");
    let card = games::GAMES[0].card();
    let bots = format!(
        "bots = [{{ bot = 'builtin:{0}', name = 'a' }}, {{ bot = 'builtin:{1}' }}]",
        card.bots[0].name, card.bots[1].name
    );
    let text = format!(
        "game = '{}'\nrounds = 6\nseed = 1\nadjudication = {{ turns = 12 }}\n{bots}",
        card.id
    );
    let cup = TournamentFile::parse(text, Path::new("cup.toml"), games::GAMES).expect("a cup");
    let options = CoordinatorOptions {
        link: server.options(),
        name: cup.name.clone(),
        manner: cup.manner,
        lease: Duration::from_secs(600),
        local: 0,
        least_tier: None,
        notes: Arc::new(|_| {}),
    };
    let coordinator = Arc::new(Coordinator::new(options, &dir).expect("it can connect"));
    let run = coordinator.status().run;
    let means = RunOptions {
        exe: "/nowhere".into(),
        concurrency: 0,
        stop: cup.stop,
        cage: host::CageTerms::none(),
        live: None,
        manner: cup.manner,
        remote: Some(coordinator.clone()),
    };
    let mut store = Store::open(&dir).expect("a store");
    let events = admit(cup, &mut store, Changes::Refused).expect("it is new");
    let tournament = Tournament::new(events, &means);
    let ended = std::thread::scope(|scope| {
        let playing = scope.spawn(|| {
            let ended = tournament.play(&mut store, &means, &mut |_| {});
            coordinator.finish();
            ended
        });
        let told = lie(&server.options(), &run);
        assert!(
            matches!(&told, CoordinatorAnswer::Refused(why) if why.contains("no result")),
            "{told:?}"
        );
        assert!(
            matches!(lie_again(&server.options(), &run), CoordinatorAnswer::Refused(_)),
            "for good"
        );
        let honest = WorkerOptions {
            link: server.options(),
            name: "honest".to_owned(),
            slots: 2,
            cage: host::CageTerms::none(),
            exe: "/nowhere".into(),
            cache: dir.join("cache"),
            games: games::GAMES,
            exit_when_idle: Some(Duration::from_secs(1)),
            notes: Arc::new(|_| {}),
        };
        work(&honest).expect("it can connect");
        playing.join().expect("it does not panic")
    });
    assert_eq!(ended.expect("it is played").how, EndReason::Complete);
    assert_eq!(store.results(0).expect("it can be read").len(), 6);
    let status = coordinator.status();
    assert_eq!(status.excluded.len(), 1, "{:?}", status.excluded);
    let verified = league::verify(&store, &[0], games::GAMES, &Default::default());
    assert_eq!(verified.expect("it can be read").wrong, []);
    std::fs::remove_dir_all(dir).expect("ours");
}

/// The same name again, as another process.
fn lie_again(server: &LinkOptions, run: &str) -> CoordinatorAnswer {
    let link = Link::connect(server, "liar", |_| {}).expect("it is there");
    let ask = Ask { session: 2, number: 1, what: WorkerRequest::Hold(Vec::new()) };
    let subject = wire::questions(run, "liar");
    let answer = link.request(&subject, wire::pack(&ask), Duration::from_secs(5));
    wire::unpack(&answer.expect("it answers")).expect("it is ours")
}
