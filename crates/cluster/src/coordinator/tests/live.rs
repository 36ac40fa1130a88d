//! Games of workers that are watched: only what was asked for is taken, and a worker that lies harms
//! nobody but those who watch its games.

use host::LiveServer;
use table::live::LiveEnd;

use super::*;
use crate::wire::{Attention, LiveLine, LiveNews, LivePart, MOST_LIVE};

#[test]
fn what_a_worker_says_of_games_that_are_not_its_own_or_that_nobody_watches_is_ignored() {
    let Some(server) = NatsServer::start() else { return };
    let dir = std::env::temp_dir().join(format!("lanista-watched-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("writable");
    let live = LiveServer::start(&host::LivePlace::Run(dir.clone()), "run").expect("it listens");
    let cup = Cup::watched(server, dir.clone(), live.games().clone());
    let (server, run) = (cup.server.options(), cup.coordinator.status().run);
    let (reports, _) = cup.play(|| {
        let (owner, liar) =
            (Liar::named(&server, &run, "owner", 1), Liar::named(&server, &run, "liar", 1));
        let heard = liar.link.subscribe(&wire::attention(None, "liar")).expect("it is there");
        let (games, own) = (owner.games(), liar.games());
        let say =
            |news: LiveNews| liar.link.publish(&wire::live_news(&run, "liar"), wire::pack(&news));
        let line = |game: u64, of: &RemoteGame| LiveLine {
            game,
            place: of.place.clone(),
            for_ms: u64::MAX,
        };
        let part = |game: u64, at: u64, log: Vec<u8>, end: Option<LiveEnd>| LivePart {
            game,
            at,
            log: Raw(log),
            about: vec![Some(game::About { name: Some("n".repeat(5000)), ..Default::default() })],
            end,
        };
        // Nobody watches, and nobody has asked.
        say(LiveNews { session: 1, games: Some(vec![line(1, &own[0])]), parts: Vec::new() });
        let told = owner.ask(WorkerRequest::Hold { games: places(&games), playing: 0 });
        assert_eq!(told, CoordinatorAnswer::Held { lost: Vec::new() });
        assert_eq!(live.games().listed(), []);
        // Somebody comes: now workers are asked, and their own games are offered.
        let reader = host::connect(&dir.join("live.sock")).expect("it listens");
        let next = || -> Attention {
            let message = heard.recv_timeout(Duration::from_secs(60)).expect("it is asked");
            wire::unpack(&message.payload).expect("it is ours")
        };
        assert_eq!((next().games, live.games().listed().len()), (Vec::new(), 0));
        let mut lines = vec![line(1, &own[0]), line(2, &games[0])];
        lines.extend((3..1000).map(|number| line(number, &own[0])));
        say(LiveNews {
            session: 1,
            games: Some(lines),
            parts: vec![part(1, 0, vec![1; 99], None)],
        });
        let offered = loop {
            next();
            let listed = live.games().listed();
            if !listed.is_empty() {
                break listed;
            }
        };
        assert!(offered.len() < MOST_LIVE, "what is another's is not offered, and not too much");
        // One of them is watched: what does not follow is not taken, and what is too much ends it.
        let mut log = live.games().watch(offered[0].id).expect("it is under way");
        while next().games.is_empty() {}
        say(LiveNews { session: 1, games: None, parts: vec![part(1, 7, vec![2; 9], None)] });
        say(LiveNews { session: 2, games: None, parts: vec![part(1, 0, vec![3; 9], None)] });
        say(LiveNews { session: 1, games: None, parts: vec![part(1, 0, vec![4; 9], None)] });
        while next().games.iter().all(|wanted| wanted.from != 9) {}
        log.fetch();
        assert_eq!(log.after(0), [4; 9]);
        let about = log.header().players[0].about.clone().expect("it describes itself");
        assert!(about.name.is_some_and(|name| name.len() <= 110), "not at any length");
        say(LiveNews {
            session: 1,
            games: None,
            parts: vec![part(1, 9, Vec::new(), Some(LiveEnd::Over))],
        });
        while log.end().is_none() {
            log.fetch();
            std::thread::yield_now();
        }
        assert_eq!(log.end(), Some(LiveEnd::Over));
        drop((log, reader));
        for one in [&owner, &liar] {
            assert_eq!(one.ask(WorkerRequest::Bye), CoordinatorAnswer::Heard);
        }
        cup.worker("honest", 1.0);
    });
    assert_eq!(reports.len(), 6);
}

fn places(games: &[RemoteGame]) -> Vec<GamePlace> {
    games.iter().map(|game| game.place.clone()).collect()
}
