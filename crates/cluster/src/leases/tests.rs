use std::collections::{BTreeMap, BTreeSet};

use game::Seed;

use super::*;

const LEASE: Duration = Duration::from_secs(10);

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn place(number: u32) -> GamePlace {
    let purpose = crate::wire::PlayedFor::Result;
    GamePlace { event: 0, key: format!("0.0.{number}:0-1"), attempt: 0, purpose }
}

fn worker(name: &str) -> WorkerId {
    WorkerId { name: name.to_owned(), session: 1 }
}

#[test]
fn a_lease_that_runs_out_is_a_release_and_a_word_in_time_renews_it() {
    let mut leases = Leases::new(LEASE);
    let a = worker("a");
    assert!(leases.heard(at(0), &a, 1));
    leases.grant(&a, [place(1), place(2)]);
    assert!(leases.expire(at(9)).is_empty());
    assert!(leases.heard(at(9), &a, 2));
    assert_eq!(leases.holds(&a, &[place(1), place(2)]), Held::default());
    assert!(leases.expire(at(18)).is_empty());
    let gone = leases.expire(at(19));
    assert_eq!((gone.len(), gone[0].1.len(), leases.held()), (1, 2, 0));
}

#[test]
fn games_whose_grant_got_lost_are_free_as_soon_as_the_worker_says_what_it_holds() {
    let mut leases = Leases::new(LEASE);
    let a = worker("a");
    leases.heard(at(0), &a, 1);
    leases.grant(&a, [place(1)]);
    leases.heard(at(1), &a, 2);
    assert_eq!(leases.holds(&a, &[]).dropped, [place(1)]);
    assert_eq!(leases.holder(&place(1)), None);
}

#[test]
fn what_comes_late_is_not_acted_upon() {
    let mut leases = Leases::new(LEASE);
    let a = worker("a");
    assert!(leases.heard(at(0), &a, 2));
    assert!(!leases.heard(at(1), &a, 1), "it was said before");
    assert!(!leases.heard(at(1), &a, 2), "it was said once");
    assert!(!leases.expire(at(10)).is_empty(), "and does not renew anything");
}

#[test]
fn after_a_restart_what_workers_hold_is_learned_from_them() {
    let mut leases = Leases::new(LEASE);
    let (a, b) = (worker("a"), worker("b"));
    leases.heard(at(0), &a, 7);
    assert_eq!(leases.holds(&a, &[place(1)]).unknown, [place(1)]);
    leases.grant(&a, [place(1)]);
    leases.heard(at(0), &b, 3);
    assert_eq!(leases.holds(&b, &[place(1)]).lost, [place(1)], "one worker holds it");
    assert_eq!(leases.give_back(&b, &[place(1)]), [], "and only that one can give it back");
    assert_eq!(leases.give_back(&a, &[place(1)]), [place(1)]);
}

#[test]
fn a_restored_lease_lasts_until_the_worker_says_otherwise() {
    let mut leases = Leases::new(LEASE);
    let a = worker("a");
    leases.restore(at(0), &a, vec![place(1), place(2)]);
    leases.heard(at(5), &a, 9);
    assert_eq!(leases.holds(&a, &[place(2)]).dropped, [place(1)]);
    assert_eq!(leases.held_by(at(5)), [(a, LEASE, vec![place(2)])]);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplyFate {
    Arrives,
    Lost,
}

/// A coordinator and its workers in small: requests and answers may be lost or late, workers and
/// the coordinator die.
struct World {
    leases: Leases,
    /// Games that nobody holds and that are to be played.
    free: BTreeSet<GamePlace>,
    results: BTreeMap<GamePlace, u32>,
    /// What each worker plays, and the number of what it says next.
    playing: BTreeMap<WorkerId, (u64, Vec<GamePlace>)>,
    now: Duration,
}

impl World {
    fn release(&mut self, games: Vec<GamePlace>) {
        for game in games {
            if !self.results.contains_key(&game) {
                assert!(self.free.insert(game), "it was held once");
            }
        }
    }

    /// Every game is in one place.
    fn check(&self, games: u32) {
        for game in (0..games).map(place) {
            let is_held = self.leases.holder(&game).is_some();
            let places = [self.free.contains(&game), self.results.contains_key(&game), is_held];
            assert_eq!(places.iter().filter(|here| **here).count(), 1, "{game:?}: {places:?}");
        }
        assert!(self.results.values().all(|times| *times == 1));
    }

    fn expire(&mut self) {
        for (_, games) in self.leases.expire(self.now) {
            self.release(games);
        }
    }

    /// The next request of a worker; its answer may be lost.
    fn ask(&mut self, worker: &WorkerId, kind: usize, answer: ReplyFate) {
        let (number, playing) = self.playing.get_mut(worker).expect("it is there");
        let number = std::mem::replace(number, *number + 1);
        assert!(self.leases.heard(self.now, worker, number));
        match kind {
            0 => {
                let games: Vec<GamePlace> = self.free.iter().take(3).cloned().collect();
                games.iter().for_each(|game| assert!(self.free.remove(game)));
                self.leases.grant(worker, games.clone());
                if answer == ReplyFate::Arrives {
                    playing.extend(games);
                }
            }
            1 => {
                let games = playing.clone();
                let held = self.leases.holds(worker, &games);
                let mut lost = held.lost;
                for game in held.unknown {
                    // Lent again only if it is still to be played.
                    match self.free.remove(&game) {
                        true => self.leases.grant(worker, [game]),
                        false => lost.push(game),
                    }
                }
                if answer == ReplyFate::Arrives {
                    let (_, playing) = self.playing.get_mut(worker).expect("it is there");
                    playing.retain(|game| !lost.contains(game));
                }
                self.release(held.dropped);
            }
            2 => {
                let done: Vec<GamePlace> = playing.iter().take(2).cloned().collect();
                if answer == ReplyFate::Arrives {
                    playing.retain(|game| !done.contains(game));
                }
                for game in done {
                    self.leases.settle(&game);
                    self.free.remove(&game);
                    // The first one counts.
                    self.results.entry(game).or_insert(1);
                }
            }
            _ => {
                let games = std::mem::take(playing);
                let free = self.leases.give_back(worker, &games);
                self.release(free);
            }
        }
    }
}

#[test]
fn whatever_is_lost_or_killed_every_game_is_in_one_place_and_all_are_played_once() {
    const GAMES: u32 = 24;
    for seed in 0..40 {
        let mut rng = Seed(seed).rng("cluster");
        let mut world = World {
            leases: Leases::new(LEASE),
            free: (0..GAMES).map(place).collect(),
            results: BTreeMap::new(),
            playing: BTreeMap::new(),
            now: Duration::ZERO,
        };
        let mut session = 0;
        for step in 0.. {
            assert!(step < 20_000, "it comes to an end");
            if world.results.len() == GAMES as usize {
                break;
            }
            let trouble = step < 300;
            world.now += Duration::from_millis(rng.index(if trouble { 4000 } else { 500 }) as u64);
            world.expire();
            if world.playing.len() < 3 {
                session += 1;
                let id = WorkerId { name: format!("w{}", rng.index(3)), session };
                world.playing.insert(id, (1, Vec::new()));
            }
            let who = rng.index(world.playing.len());
            let id = world.playing.keys().nth(who).cloned().expect("there are so many");
            match rng.index(if trouble { 12 } else { 9 }) {
                // Killed, with everything that it played.
                9 => drop(world.playing.remove(&id)),
                // The coordinator is killed: it knows results and perhaps the leases it wrote down.
                10 => {
                    let held = world.leases.held_by(world.now);
                    world.free = (0..GAMES).map(place).collect();
                    world.free.retain(|game| !world.results.contains_key(game));
                    world.leases = Leases::new(LEASE);
                    if rng.chance(1, 2) {
                        for (worker, _, games) in held {
                            games.iter().for_each(|game| assert!(world.free.remove(game)));
                            world.leases.restore(world.now, &worker, games);
                        }
                    }
                }
                // Nothing is heard of anybody for long.
                11 => world.now += at(30),
                kind => {
                    let is_lost = trouble && rng.chance(1, 4);
                    let answer = if is_lost { ReplyFate::Lost } else { ReplyFate::Arrives };
                    world.ask(&id, kind % 4, answer);
                }
            }
            world.check(GAMES);
        }
        assert_eq!(world.results.len(), GAMES as usize);
    }
}

#[test]
fn a_name_with_very_many_processes_loses_the_oldest_and_others_lose_nothing() {
    let mut leases = Leases::new(LEASE);
    let other = worker("other");
    leases.heard(at(0), &other, 1);
    leases.grant(&other, [place(1000)]);
    for session in 0..100 {
        let one = WorkerId { name: "many".to_owned(), session };
        leases.heard(Duration::from_millis(session), &one, 1);
        leases.grant(&one, [place(session as u32)]);
        let gone = leases.surplus("many");
        let sessions: Vec<u64> = gone.iter().map(|(worker, _)| worker.session).collect();
        match session.checked_sub(MOST_SESSIONS as u64) {
            None => assert!(sessions.is_empty()),
            Some(oldest) => assert_eq!((sessions, gone[0].1.len()), (vec![oldest], 1)),
        }
    }
    assert_eq!(leases.held(), MOST_SESSIONS + 1);
    assert_eq!(leases.holder(&place(1000)), Some(&other));
}
