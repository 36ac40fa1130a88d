mod attacks;
mod live;
mod sets;

use std::ops::ControlFlow;
use std::process::{Command, Stdio};

use league::{
    Changes, EndReason, RunOptions, SpeedRule, Store, Tournament, TournamentFile, VerifiedShare,
    admit,
};
use table::{Entrant, Occasion, Raw, Record, Recording, Report, Terms};

use super::*;
use crate::verify::{ExpectedGame, Scrutiny};
use crate::wire::{Ask, RemoteGame, ReplayLine, ResultLine, WorkerCard, WorkerRequest};
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

/// A small tournament of two built-in bots, which workers play.
struct Cup {
    server: NatsServer,
    dir: std::path::PathBuf,
    cup: TournamentFile,
    coordinator: Arc<Coordinator>,
    said: Arc<Mutex<Vec<String>>>,
}

impl Drop for Cup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

impl Cup {
    /// None if there is no server to be started; `./test` says so.
    fn new(name: &str, terms: ClusterTerms) -> Option<Cup> {
        let server = NatsServer::start()?;
        let dir = std::env::temp_dir().join(format!("lanista-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("writable");
        Some(Cup::on(server, dir, terms, None))
    }

    /// One that can be watched.
    fn watched(server: NatsServer, dir: std::path::PathBuf, live: Arc<host::LiveGames>) -> Cup {
        Cup::on(server, dir, ClusterTerms::default(), Some(live))
    }

    fn on(
        server: NatsServer,
        dir: std::path::PathBuf,
        terms: ClusterTerms,
        live: Option<Arc<host::LiveGames>>,
    ) -> Cup {
        let card = games::GAMES[0].card();
        let text = format!(
            "game = '{}'\nrounds = 6\nseed = 1\nadjudication = {{ turns = 12 }}\n
             bots = [{{ bot = 'builtin:{}', name = 'a' }}, {{ bot = 'builtin:{}' }}]",
            card.id, card.bots[0].name, card.bots[1].name
        );
        let cup = TournamentFile::parse(text, Path::new("cup.toml"), games::GAMES).expect("a cup");
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let coordinator = coordinator(&server, &cup, terms, &dir, &said, live);
        Cup { server, dir, cup, coordinator, said }
    }

    fn notes(&self) -> String {
        self.said.lock().expect("nobody panics with it").join("\n")
    }

    fn worker(&self, name: &str, speed: f64) {
        let options = WorkerOptions {
            link: self.server.options(),
            name: name.to_owned(),
            slots: 2,
            speed,
            cage: host::CageTerms::none(),
            exe: "/nowhere".into(),
            cache: self.dir.join("cache"),
            games: games::GAMES,
            exit_when_idle: Some(Duration::from_secs(1)),
            notes: Arc::new(|_| {}),
        };
        work(&options).expect("it can connect");
    }

    /// Plays it; `workers` is called meanwhile. All results are there and verify at the end.
    fn play(&self, workers: impl FnOnce()) -> (Vec<Report>, Vec<league::JournalEntry>) {
        let means = RunOptions {
            exe: "/nowhere".into(),
            concurrency: 0,
            stop: self.cup.stop,
            cage: host::CageTerms::none(),
            live: None,
            manner: self.cup.manner,
            remote: Some(self.coordinator.clone()),
        };
        let mut store = Store::open(&self.dir).expect("a store");
        let text = self.cup.text.clone();
        let cup = TournamentFile::parse(text, Path::new("cup.toml"), games::GAMES).expect("a cup");
        let events = admit(cup, &mut store, Changes::Refused).expect("it is new");
        let tournament = Tournament::new(events, &means);
        let ended = std::thread::scope(|scope| {
            let playing = scope.spawn(|| {
                let ended = tournament.play(&mut store, &means, &mut |_| {});
                self.coordinator.finish();
                ended
            });
            workers();
            playing.join().expect("it does not panic")
        });
        assert_eq!(ended.expect("it is played").how, EndReason::Complete, "{}", self.notes());
        let verified = league::verify(&store, &[0], games::GAMES, &Default::default());
        assert_eq!(verified.expect("it can be read").wrong, []);
        let reports: Vec<Report> =
            store.reports(0).expect("they can be read").into_values().collect();
        assert_eq!(reports.len(), 6);
        (reports, store.journal().expect("it can be read"))
    }

    /// Plays a game as a worker does: its report and its replay.
    fn play_lent(&self, game: &RemoteGame) -> (ExpectedGame, Report, Vec<u8>) {
        let event = &self.cup.events[0];
        let roster: Vec<_> = event.bots.iter().map(|bot| bot.spec.clone()).collect();
        let players =
            league::entrants(&roster, None, self.cup.manner.reuse).expect("they are there");
        let seated = game.bots.iter().map(|bot| players[*bot as usize].clone());
        let setup = Arc::new(event.setups[0].clone());
        let terms = Terms {
            id: game.id.clone(),
            seed: game::Seed(game.seed),
            entrants: seated.collect::<Vec<Entrant>>(),
            clock: event.clock,
            adjudication: event
                .adjudication
                .settle(event.game.card().max_faults)
                .expect("as asked"),
            occasion: Occasion::Tournament,
            recording: Recording::On,
        };
        let run = host::Run {
            roster,
            concurrency: 1,
            placement: host::Placement::None,
            exe: None,
            pondering: host::Pondering::Stopped,
            scratch: None,
            cage: host::CageTerms::none(),
            live: None,
            people: None,
        };
        let bots = game.bots.iter().map(|bot| *bot as usize).collect();
        let job = league::job(0, bots, event.game, setup.clone(), terms.clone());
        let mut result = None;
        run.play([job].into_iter(), None, |finished| {
            result = Some(finished.result);
            ControlFlow::Continue(())
        })
        .expect("it is played");
        let (report, log) = result.expect("it is over").expect("it can be set up");
        let expected = ExpectedGame { game: event.game, setup, terms };
        (expected, report, log.to_file().expect("it can be packed"))
    }
}

fn coordinator(
    server: &NatsServer,
    cup: &TournamentFile,
    terms: ClusterTerms,
    dir: &Path,
    said: &Arc<Mutex<Vec<String>>>,
    live: Option<Arc<host::LiveGames>>,
) -> Arc<Coordinator> {
    let said = said.clone();
    let options = CoordinatorOptions {
        link: server.options(),
        name: cup.name.clone(),
        games: games::GAMES,
        manner: cup.manner,
        terms,
        lease: Duration::from_secs(600),
        local: 0,
        least_tier: None,
        live,
        notes: Arc::new(move |text| {
            said.lock().expect("nobody panics with it").push(text.to_owned());
        }),
    };
    Arc::new(Coordinator::new(options, dir).expect("it can connect"))
}

fn card() -> WorkerCard {
    WorkerCard {
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        arch: "any".to_owned(),
        tier: "E".to_owned(),
        slots: 2,
        cores: 2,
        speed: 1.0,
    }
}

/// A worker that may say anything.
struct Liar {
    link: Link,
    subject: String,
    session: u64,
    number: std::cell::Cell<u64>,
}

impl Liar {
    fn new(server: &LinkOptions, run: &str, session: u64) -> Liar {
        Liar::named(server, run, "liar", session)
    }

    fn named(server: &LinkOptions, run: &str, name: &str, session: u64) -> Liar {
        let link = Link::connect(server, name, |_| {}).expect("it is there");
        let (subject, number) = (wire::questions(run, name), std::cell::Cell::new(0));
        Liar { link, subject, session, number }
    }

    fn ask(&self, what: WorkerRequest) -> CoordinatorAnswer {
        self.number.set(self.number.get() + 1);
        loop {
            let ask = Ask { session: self.session, number: self.number.get(), what: what.clone() };
            let patience = Duration::from_secs(5);
            if let Ok(answer) = self.link.request(&self.subject, wire::pack(&ask), patience) {
                return wire::unpack(&answer).expect("it is ours");
            }
        }
    }

    /// Asks for games until it has some.
    fn games(&self) -> Vec<RemoteGame> {
        loop {
            match self.ask(WorkerRequest::Want { free: 2, card: card() }) {
                CoordinatorAnswer::Games { games, .. } => return games,
                CoordinatorAnswer::Wait(_) => std::thread::yield_now(),
                other => panic!("{other:?}"),
            }
        }
    }

    fn send(&self, game: &RemoteGame, report: Report, replay: Vec<u8>) -> CoordinatorAnswer {
        self.ask(WorkerRequest::Done(vec![line(game, report, replay)]))
    }
}

fn line(game: &RemoteGame, report: Report, replay: Vec<u8>) -> ResultLine {
    ResultLine {
        place: game.place.clone(),
        took_ms: 1,
        speed: 1.0,
        time_scale: 1.0,
        report,
        replay: ReplayLine::Here(Raw(replay)),
    }
}

fn refused_with(answer: &CoordinatorAnswer, why: &str) -> bool {
    matches!(answer, CoordinatorAnswer::Refused(text) if text.contains(why))
}

#[test]
fn a_worker_that_lies_is_excluded_for_good_and_its_games_are_played_by_others() {
    let Some(cup) = Cup::new("liar", ClusterTerms::default()) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        let liar = Liar::new(&server, &run, 1);
        let game = liar.games().remove(0);
        let (_, report, _) = cup.play_lent(&game);
        let told = liar.send(&game, report, b"no replay".to_vec());
        assert!(refused_with(&told, "is not a result: its replay"), "{told:?}");
        // The same name as another process.
        let again =
            Liar::new(&server, &run, 2).ask(WorkerRequest::Hold { games: Vec::new(), playing: 0 });
        assert!(refused_with(&again, "is not a result"), "{again:?}");
        cup.worker("honest", 1.0);
    });
    let names = reports.iter().filter_map(|report| Some(&report.worker.as_ref()?.name));
    assert!(names.eq(["honest"; 6].iter()), "all results are of the honest one");
    assert_eq!(cup.coordinator.status().excluded.len(), 1);
    // A coordinator that goes on with the run remembers.
    let terms = ClusterTerms::default();
    let next = coordinator(&cup.server, &cup.cup, terms, &cup.dir, &cup.said, None);
    let state = next.state.lock().expect("nobody panics with it");
    assert!(state.workers.exclusion("liar").is_some_and(|why| why.contains("is not a result")));
    assert!(state.workers.exclusion("honest").is_none());
}

/// A replay that agrees with its report and breaks the rules: one bit of it is another.
fn illegal(expected: &ExpectedGame, report: &Report, replay: &[u8]) -> Vec<u8> {
    let plain = zstd::decode_all(replay).expect("ours");
    let header = plain.iter().position(|byte| *byte == b'\n').expect("a header");
    for place in header + 1..plain.len() {
        let mut changed = plain.clone();
        changed[place] ^= 4;
        let file = zstd::encode_all(&changed[..], 1).expect("memory");
        let looks = |how| expected.accept(report.clone(), &file, how).is_ok();
        if looks(Scrutiny::Report) && !looks(Scrutiny::Full) {
            assert!(Record::read(&file).is_ok());
            return file;
        }
    }
    panic!("no change of a move is found by playing again alone");
}

#[test]
fn games_that_were_kept_without_a_full_look_are_void_if_their_worker_is_excluded() {
    let terms = ClusterTerms { verify: VerifiedShare::Some(1e-12), ..ClusterTerms::default() };
    let Some(cup) = Cup::new("sample", terms) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, journal) = cup.play(|| {
        let liar = Liar::new(&server, &run, 1);
        let games = liar.games();
        let [honest, false_one, ..] = &games[..] else { panic!("a set has two games") };
        let (_, report, replay) = cup.play_lent(honest);
        assert_eq!(liar.send(honest, report, replay), CoordinatorAnswer::Kept);
        let (expected, report, replay) = cup.play_lent(false_one);
        let broken = illegal(&expected, &report, &replay);
        assert_eq!(liar.send(false_one, report.clone(), broken), CoordinatorAnswer::Kept);
        let more = liar.games().remove(0);
        let told = liar.send(&more, report, replay);
        assert!(refused_with(&told, "is not a result"), "{told:?}");
        cup.worker("honest", 1.0);
    });
    let of = |name: &str| {
        let named = |report: &&Report| report.worker.as_ref().is_some_and(|one| one.name == name);
        reports.iter().filter(named).count()
    };
    assert_eq!((of("liar"), of("honest")), (1, 5), "{}", cup.notes());
    assert!(cup.notes().contains("1 game of liar did not verify"), "{}", cup.notes());
    assert_eq!(journal.len(), 1);
    assert!(journal[0].reason.contains("liar was excluded"), "{journal:?}");
}

#[test]
fn a_share_of_games_is_repeated_on_another_worker_and_compared() {
    let terms = ClusterTerms { repeat: 1.0, ..ClusterTerms::default() };
    let Some(cup) = Cup::new("repeat", terms) else { return };
    cup.play(|| {
        std::thread::scope(|scope| {
            scope.spawn(|| cup.worker("one", 1.0));
            scope.spawn(|| cup.worker("two", 1.0));
        });
    });
    let status = cup.coordinator.status();
    let (games, different) = status.repeated;
    assert_eq!((games, different), (6, 0), "built-in bots are deterministic: {}", cup.notes());
    assert!(status.repeat_times.is_some_and(|ratio| ratio > 0.0));
    assert_eq!(status.to_json()["repeats"]["games"], 6);
}

#[test]
fn a_repetition_that_goes_differently_is_reported() {
    let terms = ClusterTerms { repeat: 1.0, ..ClusterTerms::default() };
    let Some(cup) = Cup::new("differs", terms) else { return };
    let mut repeats = RepeatedGames::new(1.0, RepeatSummary::default());
    let seating = |first: u32| vec![first, 1 - first];
    let game = |key: &str, seed: u64, bots: Vec<u32>| RemoteGame {
        place: GamePlace { event: 0, key: key.to_owned(), attempt: 0, purpose: PlayedFor::Repeat },
        set: 0,
        id: String::new(),
        seed,
        variant: 0,
        bots,
    };
    // Two games that are not the same stand for one that a bot plays differently.
    let first = game("0.0.0:0-1", 1, seating(0));
    let (expected, mut report, replay) = cup.play_lent(&first);
    let line = |name: &str| Some(WorkerLine { name: name.to_owned(), speed: 1.0, time_scale: 1.0 });
    report.worker = line("one");
    let mut store = Store::open(&cup.dir).expect("a store");
    let text = cup.cup.text.clone();
    let file = TournamentFile::parse(text, Path::new("cup.toml"), games::GAMES).expect("a cup");
    let mut admitted = admit(file, &mut store, Changes::Refused).expect("it is new");
    let league::NextGame::Game(fixture, attempt) = admitted[0].progress.next_game() else {
        panic!("there are games")
    };
    let lent = LentGame { event: 0, fixture, attempt };
    let record = Record::read(&replay).expect("ours");
    repeats.add(lent, "cup".to_owned(), expected, report, &record);
    assert!(repeats.lend("one", |_| true).is_none(), "not by the same worker");
    let (place, _) = repeats.lend("two", |_| true).expect("by another one");
    let (_, mut other, replay) = cup.play_lent(&game("0.0.0:0-1", 2, seating(1)));
    other.worker = line("two");
    let said = repeats.compare(&place, &other, &Record::read(&replay).expect("ours"));
    let said = said.expect("it is said");
    assert!(said.contains("went differently on one and two from step"), "{said}");
    assert_eq!((repeats.summary.games, repeats.summary.different), (1, 1));
}

#[test]
fn time_limits_are_scaled_by_the_speed_of_a_worker_and_results_say_so() {
    let terms = ClusterTerms { speed: SpeedRule::Scale, ..ClusterTerms::default() };
    let Some(cup) = Cup::new("scale", terms) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        // The first one is the measure of all others: it comes, and goes without a result.
        let first = Liar::new(&server, &run, 1);
        drop(first.games());
        assert_eq!(first.ask(WorkerRequest::Bye), CoordinatorAnswer::Heard);
        cup.worker("slow", 0.5);
    });
    for report in reports {
        let worker = report.worker.expect("it has one");
        assert_eq!((worker.speed, worker.time_scale), (0.5, 2.0));
    }
    assert_eq!(cup.coordinator.status().reference, Some(1.0));
    let file = std::fs::read_to_string(cup.dir.join("cluster.json")).expect("it is there");
    assert!(file.contains("\"reference\":1.0"), "{file}");
}

#[test]
fn with_a_class_of_speed_a_slower_worker_is_refused() {
    let terms = ClusterTerms { speed: SpeedRule::Class, ..ClusterTerms::default() };
    let Some(cup) = Cup::new("class", terms) else { return };
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        let first = Liar::new(&server, &run, 1);
        drop(first.games());
        assert_eq!(first.ask(WorkerRequest::Bye), CoordinatorAnswer::Heard);
        cup.worker("slow", 0.5);
        cup.worker("alike", 0.9);
    });
    let names = reports.iter().filter_map(|report| Some(&report.worker.as_ref()?.name));
    assert!(names.eq(["alike"; 6].iter()));
}
