//! Laws that every game obeys. A game's tests call [`all`].

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::num::NonZeroU32;
use std::time::Duration;

use game::{
    ActorId, Charge, Choice, Clock, EarlyLeave, EndedBy, Ending, Eye, Fault, FaultKind, Moves,
    Outcome, Past, PlayerId, ProcessHistory, Rng, Role, Ruling, Seed, Turn,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use table::PersonSaid;
use table::desk::{AnyDesk, views};
use table::{
    Adjudication, AnyTable, Contestant, Entrant, Erased, Hosted, Input, Knowledge, Occasion,
    Output, Outputs, Recording, Terms,
};
use table::{AnyGame as _, AnyReplay};

use crate::AtOnce;
use crate::desk::{self, desks_are_sound};
use crate::fuzz::{FuzzedTable, ScriptedMatch};
use crate::people;
use crate::picture::fits_everywhere;
use crate::scene;
use crate::scene::{Scenes, films_are_whole};

/// What the laws need to know of a game.
pub trait Lawful: Hosted {
    /// Set-ups to try, with the number of players.
    fn setups() -> Vec<(Self::Config, u16)>;
    /// Every legal action of an actor who is on turn, or a fair sample of them.
    fn legal(&self, actor: ActorId) -> Vec<Self::Action>;
    /// Actions that are not legal for this actor now.
    fn illegal(&self, actor: ActorId) -> Vec<Self::Action>;
    /// A state that looks the same to `actor` but differs in what is hidden from it; `None`
    /// if nothing is hidden.
    fn disguised(&self, actor: ActorId, rng: &mut Rng) -> Option<Self>;
    /// A state that looks the same to all actors of `player` but differs in what is hidden from them. A game in which
    /// a player has several actors says itself what that is.
    fn disguised_for(&self, player: PlayerId, rng: &mut Rng) -> Option<Self> {
        match &views(self, player).0[..] {
            [(only, _)] => self.disguised(*only, rng),
            [] | [..] => None,
        }
    }
    /// No game takes more steps than this.
    fn longest(config: &Self::Config) -> usize;
}

/// Checks every law on random games.
///
/// # Panics
/// If a law is broken.
pub fn all<G: Lawful>() {
    for (config, players) in G::setups() {
        round_trip(&config);
        for seed in 0..4 {
            obeys::<G>(&config, players, Seed(seed));
        }
    }
    quick_is_sound::<G>();
    records_verify::<G>();
    people::play::<G>();
    people::moves_are_taken_back_or_not::<G>();
    adjudications_verify::<G>();
    survives_anything::<G>();
}

/// The set-up for those in a hurry can be played.
fn quick_is_sound<G: Lawful>() {
    let card = G::card();
    Erased::<G>::new()
        .check(&(card.quick)(), card.usual_players)
        .expect("the quick set-up is sound");
    desk::is_known::<G>(&(card.quick)());
}

fn obeys<G: Lawful>(config: &G::Config, players: u16, seed: Seed) {
    let start = || G::start(config, players, seed).expect("the set-up is sound");
    let (mut game, mut twin) = (start(), start());
    let mut rng = seed.rng("law");
    let mut steps: usize = 0;
    let mut compared = 0;
    let mut scenes = Scenes::of(None, &game, players, &[]);
    while let Some(actors) = on_turn(&game) {
        let mut moves = Moves(Vec::new());
        let mut playing = BTreeSet::new();
        for actor in actors {
            let legal = game.legal(actor);
            let context = format!("{actor} after {steps} steps, {seed:?} of {config:?}");
            assert!(!legal.is_empty(), "no legal action for {context}");
            for action in &legal {
                assert_eq!(game.check(actor, action), Ok(()), "{action:?} is legal for {context}");
                round_trip(action);
            }
            for action in game.illegal(actor) {
                assert!(game.check(actor, &action).is_err(), "{action:?} is illegal for {context}");
            }
            judges_every_fault(&game, actor);
            if let Some(disguised) = game.disguised(actor, &mut rng) {
                assert_eq!(G::card().knowledge, Knowledge::Hidden, "the card says so");
                let eye = Eye::Actor(actor);
                assert_eq!(disguised.view(eye), game.view(eye), "hidden from {context}");
                playing.insert(player_of(&game, actor).0);
            }
            round_trip(&game.view(Eye::Actor(actor)));
            let action = rng.pick(&legal).expect("there is a legal action").clone();
            moves.0.push((actor, Choice::Act(action)));
        }
        for player in playing.into_iter().map(PlayerId) {
            // What one of its actors does not see, another one may.
            let Some(disguised) = game.disguised_for(player, &mut rng) else { continue };
            let same = views(&game, player) == views(&disguised, player);
            assert!(same, "{player} sees what is said to be hidden after {steps} steps, {seed:?}");
            pictures_hide_it_too(&game, &disguised, player);
            scene::hides_it_too(&game, &disguised, player);
            // Desks take long to make; states that follow each other are much alike.
            if steps.is_multiple_of(8) {
                desk::hides_it_too(&game, &disguised, player, players);
            }
            if steps.is_multiple_of(32) {
                people::advice_knows_nothing_hidden(&game, &disguised, player, config, players);
            }
            compared += 1;
        }
        anybody_may_forfeit(&game);
        stands_somehow(&game, players);
        round_trip(&game);
        if steps.is_power_of_two() || steps == 0 {
            desks_are_sound(&game, players, &mut rng);
            fits_everywhere(&game, players);
        }
        let (mut told, mut twins) = (Vec::new(), Vec::new());
        game.step(&moves, &mut told);
        twin.step(&moves, &mut twins);
        assert_eq!((&game, game.digest()), (&twin, twin.digest()), "the same moves, another state");
        assert_eq!(told, twins, "the same moves, other events");
        scenes = Scenes::of(Some(&scenes), &game, players, &told);
        steps += 1;
        assert!(steps <= G::longest(config), "{seed:?} of {config:?} does not end");
    }
    sound(&game, players);
    desks_are_sound(&game, players, &mut rng);
    fits_everywhere(&game, players);
    let hidden = players > 1 && G::card().knowledge == Knowledge::Hidden;
    assert!(!hidden || compared > 0, "nothing was compared in {seed:?} of {config:?}");
}

/// What is hidden from a player is not in its picture either.
fn pictures_hide_it_too<G: Lawful>(game: &G, disguised: &G, player: PlayerId) {
    let room = table::Room::ENDLESS;
    let seen = |game: &G| game.draw_for(player, &[], room);
    assert_eq!(seen(disguised), seen(game), "the picture for {player} shows what is hidden");
}

fn player_of<G: Lawful>(game: &G, actor: ActorId) -> PlayerId {
    let mut roles = Vec::new();
    game.cast(&mut roles);
    roles.iter().find(|role| role.actor == actor).expect("whoever is on turn plays").player
}

/// Who must act; `None` when it is over.
fn on_turn<G: Lawful>(game: &G) -> Option<Vec<ActorId>> {
    let actors = match game.turn() {
        Turn::One(actor) => vec![actor],
        Turn::All(actors) => actors,
        Turn::Over(_) => return None,
    };
    assert!(actors.is_sorted() && !actors.is_empty(), "actors come in order: {actors:?}");
    let mut cast = Vec::new();
    game.cast(&mut cast);
    assert!(cast.is_sorted_by_key(|role: &Role| role.actor), "the cast comes in order");
    assert!(
        actors.iter().all(|actor| cast.iter().any(|role| role.actor == *actor)),
        "only living actors are waited for"
    );
    Some(actors)
}

/// Whatever a bot does wrong, the rule has an answer that the game itself accepts.
fn judges_every_fault<G: Lawful>(game: &G, actor: ActorId) {
    for kind in FaultKind::ALL {
        for tries in [0, 1, 100] {
            let past = Past { tries, restarts: tries };
            match game.rule(actor, &Fault::new(kind, "a test"), past) {
                Ruling::Play(action) | Ruling::Reseat(action) => {
                    assert_eq!(game.check(actor, &action), Ok(()), "the ruling on {kind}");
                }
                Ruling::AskAgain => assert!(tries < 100, "{kind} is asked again for ever"),
                Ruling::Overlook | Ruling::Forfeit => {}
            }
        }
    }
}

/// Any actor may leave at any time, or in any turn of its own; the game goes on or ends, and the
/// one who left is not asked.
fn anybody_may_forfeit<G: Lawful>(game: &G) {
    let mut cast = Vec::new();
    game.cast(&mut cast);
    let on_turn = match game.turn() {
        Turn::One(actor) => vec![actor],
        Turn::All(actors) => actors,
        Turn::Over(_) => Vec::new(),
    };
    for role in cast {
        let mut copy = game.clone();
        let leaves = |actor: ActorId| (actor, Choice::Forfeit(crate::crash()));
        let moves = match G::EARLY_LEAVE {
            EarlyLeave::AtOnce => vec![leaves(role.actor)],
            EarlyLeave::InFirstTurn if !on_turn.contains(&role.actor) => continue,
            EarlyLeave::InFirstTurn => {
                let late = Fault::new(FaultKind::Timeout, "a test");
                let choose = |actor| match game.rule(actor, &late, Past::default()) {
                    Ruling::Play(action) if actor != role.actor => (actor, Choice::Act(action)),
                    _ => leaves(actor),
                };
                on_turn.iter().copied().map(choose).collect()
            }
        };
        copy.step(&Moves(moves), &mut Vec::new());
        match copy.turn() {
            Turn::One(next) => assert_ne!(next, role.actor, "it has left"),
            Turn::All(next) => assert!(!next.contains(&role.actor), "it has left"),
            Turn::Over(_) => {}
        }
    }
}

/// The number of a replay's last turn.
pub(crate) fn last_turn(replay: &dyn AnyReplay) -> u32 {
    let turns = replay.steps().filter_map(|step| step["turn"].as_u64());
    turns.last().map_or(0, |turn| turn as u32)
}

/// How a game stands can be told always or never, and it makes an outcome.
fn stands_somehow<G: Lawful>(game: &G, players: u16) {
    if let Some(standing) = game.standing() {
        whole(&standing, players);
    }
}

fn sound<G: Lawful>(game: &G, players: u16) {
    let Turn::Over(outcome) = game.turn() else { unreachable!("it is over") };
    whole(&outcome, players);
    let Ending { by, why, .. } = &outcome.ending;
    let said = matches!(by, EndedBy::Rules | EndedBy::Forfeit) && !why.as_str().is_empty();
    assert!(said, "a finished game says what ended it: {outcome:?}");
    if let Some(standing) = game.standing() {
        assert_eq!((standing.ranks, standing.scores), (outcome.ranks, outcome.scores));
    }
}

fn whole(outcome: &Outcome, players: u16) {
    let Outcome { ranks, scores, reason, ending: _ } = outcome;
    assert_eq!((ranks.len(), scores.len()), (players.into(), players.into()));
    assert!(ranks.contains(&1), "somebody is first: {ranks:?}");
    assert!(scores.iter().all(|score| score.is_finite()));
    assert!(!reason.is_empty());
}

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_string(value).expect("it serialises");
    let back: T = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(&back, value, "through JSON");
    let packed = rmp_serde::to_vec(value).expect("it packs");
    let back: T = rmp_serde::from_slice(&packed).expect("it unpacks");
    assert_eq!(&back, value, "through MessagePack");
}

/// A match between built-in bots.
fn match_of_ours<G: Lawful>(
    config: &G::Config,
    players: u16,
    adjudication: Adjudication,
) -> (table::Report, table::Log) {
    let card = G::card();
    let bots = card.bots.iter().cycle().take(players.into());
    let entrants =
        bots.map(|bot| Entrant::new(bot.name.to_owned(), Contestant::BuiltIn(bot.name.to_owned())));
    let terms = Terms {
        id: "law".to_owned(),
        seed: Seed(5),
        entrants: entrants.collect(),
        clock: card.clock,
        adjudication,
        occasion: Occasion::SingleMatch,
        recording: Recording::On,
    };
    let table = Erased::<G>::new().table(&setup(config), terms).expect("the set-up is sound");
    played(table)
}

/// A match of built-in bots, written to a file and read back, gives the same digests.
fn records_verify<G: Lawful>() {
    let erased = Erased::<G>::new();
    for (config, players) in G::setups().into_iter().take(2) {
        let (report, log) = match_of_ours::<G>(&config, players, Adjudication::NONE);
        let file = log.to_file().expect("memory can be written to");
        let record = table::Record::read(&file).expect("what was written can be read");
        let replay = erased.replay(&record).expect("what was written can be replayed");
        assert_eq!(replay.verify(), Ok(()));
        assert_eq!(last_turn(&*replay), report.turns);
        films_are_whole::<G>(&record);
    }
}

/// A match that is ended early ends as it stands, and its record proves that: under other terms it
/// would have gone on, or not so far.
fn adjudications_verify<G: Lawful>() {
    let erased = Erased::<G>::new();
    let after = |turns| Adjudication::new(Some(turns), None, None).expect("it is sound");
    for (config, players) in G::setups() {
        let (whole, _) = match_of_ours::<G>(&config, players, Adjudication::NONE);
        let half = whole.turns / 2;
        if half < 2 {
            continue;
        }
        let (report, log) = match_of_ours::<G>(&config, players, after(half));
        assert_eq!(report.turns, half, "{}", report.reason);
        let by = report.ending.as_ref().map(|ending| ending.by);
        assert_eq!(by, Some(EndedBy::Adjudication), "{}", report.reason);
        assert!(report.players.iter().any(|player| player.rank == 1));
        let verified = |adjudication| {
            let mut record = log.clone().into_record();
            record.header.adjudication = adjudication;
            erased.replay(&record).expect("it can be replayed").verify()
        };
        assert_eq!(verified(after(half)), Ok(()));
        for other in [Adjudication::NONE, after(half - 1), after(half + 1)] {
            assert!(verified(other).is_err(), "{other:?} instead of {half} turns");
        }
        let first = G::start(&config, players, Seed(5)).expect("the set-up is sound");
        let by_lead = Adjudication::new(None, Some(1.0), None).expect("it is sound");
        let possible = erased.check_adjudication(by_lead, &setup(&config), players).is_ok();
        assert_eq!(possible, first.standing().is_some() && players > 1);
    }
}

/// Whatever programs say, and however they end, a match ends with a result.
fn survives_anything<G: Lawful>() {
    for (config, players) in G::setups() {
        for seed in 0..20 {
            torment::<G>(&config, players, Seed(seed));
        }
    }
}

/// Lines that bots of some game might say, and lines that nobody should.
const BABBLE: [&[u8]; 24] = [
    b"OK",
    b"7,7",
    b"1,1",
    b"3,4",
    b"ERROR no",
    b"UNKNOWN",
    b"MESSAGE hi",
    b"SUGGEST 1,1",
    b"SWAP",
    b"0,0 1,1 2,2",
    b"pyratready",
    b"id name x",
    b"move UP",
    b"move STAY",
    b"ready",
    b"readyok",
    b"preprocessingdone",
    b"postprocessingdone",
    b"{\"action\":\"draw\"}",
    b"{\"action\":\"rest\"}",
    b"0:forward,1:left",
    b"",
    b"\xff\x00\xfe",
    b"[[[[[[[[[[",
];

/// Feeds a table of programs with babble, time and losses until it is closed.
fn torment<G: Lawful>(config: &G::Config, players: u16, seed: Seed) {
    let erased = Erased::<G>::new();
    let played =
        ScriptedMatch::new(setup(config), players, seed).timed(clock(G::card().clock, seed));
    let played = played.adjudicated(match seed.0 % 5 {
        3 => Adjudication::new(Some(7), Some(2.0), Some(3)).expect("it is sound"),
        4 => Adjudication::NONE.giving_up(NonZeroU32::new(2)),
        _ => Adjudication::NONE,
    });
    let mut fuzzed = FuzzedTable::new(played.table(&erased).expect("the set-up is sound"));
    let mut rng = seed.rng("torment");
    for round in 0.. {
        assert!(round < 200_000, "{seed:?} of {config:?} does not end");
        while fuzzed.waits() {
            let reused = rng.chance(1, 4);
            fuzzed.fill(0, if reused { ProcessHistory::Reused } else { ProcessHistory::Fresh });
        }
        if fuzzed.closed() {
            break;
        }
        let seat = fuzzed.seat(rng.next_u32() as usize).expect("somebody was seated");
        match rng.below(200) {
            0 => {
                let kind = *rng.pick(&FaultKind::ALL).expect("there are faults");
                fuzzed.feed(Input::Lost { seat, fault: Fault::new(kind, "a test") });
            }
            1..=20 => fuzzed.tick(),
            21..=40 => fuzzed.pass(Duration::from_millis(rng.below(50).into())),
            41..=60 => fuzzed.feed(Input::Taken { seat, cpu: Duration::ZERO }),
            _ => {
                let line = rng.pick(&BABBLE).expect("there is babble");
                fuzzed.feed(Input::Line { seat, line, cpu: Duration::ZERO });
            }
        }
    }
    fuzzed.end(&erased);
}

/// The usual time control, or one that is strange in every way.
fn clock(usual: Clock, seed: Seed) -> Clock {
    let all = |time: Duration| Clock {
        turn: Some(time),
        bank: Some(time),
        start: time,
        margin: time,
        charge: Charge::Wall,
    };
    match seed.0 % 10 {
        5 => all(Duration::ZERO),
        6 => all(Duration::MAX),
        7 => Clock { charge: Charge::Cpu, ..all(Duration::MAX) },
        8 => Clock { charge: Charge::Cpu, ..usual },
        9 => Clock { turn: None, bank: None, ..usual },
        _ => usual,
    }
}

/// A set-up as it is given.
pub(crate) fn setup(config: &impl Serialize) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(config) {
        Ok(serde_json::Value::Object(map)) => map,
        other => panic!("a set-up is an object, not {other:?}"),
    }
}

/// Plays a table of built-in bots to its end.
pub fn played(table: Box<dyn AnyTable>) -> (table::Report, table::Log) {
    played_with(table, |_| unreachable!("no person is at this table"))
}

/// The same with people, who say what `person` says when they are shown their desks.
pub(crate) fn played_with(
    mut table: Box<dyn AnyTable>,
    mut person: impl FnMut(Box<dyn AnyDesk>) -> Option<PersonSaid>,
) -> (table::Report, table::Log) {
    let mut out = Outputs::default();
    let now = game::Tick::ZERO;
    table.open(now, &mut out);
    while !table.closed() {
        assert!(!out.list.is_empty(), "nobody is asked, yet it is not over");
        for output in std::mem::take(&mut out.list) {
            match output {
                Output::Think { seat } => {
                    let thought = table.thinker(seat).expect("it sits there").think(&AtOnce);
                    let cpu = Duration::ZERO;
                    table.feed(now, Input::Thought { seat, thought, cpu }, &mut out);
                }
                Output::Show { player } => {
                    let desk = table.desk(player, now).expect("people can play every game");
                    if let Some(said) = person(desk) {
                        table.feed(now, Input::Person { player, said }, &mut out);
                    }
                }
                other => panic!("{other:?} without a program"),
            }
        }
    }
    (table.report(0).expect("it is over"), table.take_log())
}
