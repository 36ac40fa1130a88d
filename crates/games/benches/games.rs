//! How fast the games are without pipes: `cargo bench -p lanista-games`.
#![expect(clippy::print_stdout, reason = "it is a tool for people")]

use std::time::Instant;

fn main() {
    jedna();
}

/// Complete two-seat games between the simple bots.
fn jedna() {
    use game::{Bot, Eye, Game, Moves, Seed, Turn};
    use games::jedna::bots::Simple;
    use games::jedna::{Config, Deaf, Jedna};
    use testkit::AtOnce;

    let config = Config::default();
    let count = 200_000;
    let began = Instant::now();
    let mut turns = 0;
    for seed in 0..count {
        let mut game = Jedna::deal(config, 2, Seed(seed)).expect("the set-up is sound");
        while game.ending().is_none() {
            game.act(Simple::choose(&game), &mut Deaf);
        }
        turns += u64::from(game.turn_number());
    }
    report("jedna, fast path", count, turns, began);

    let count = 20_000;
    let began = Instant::now();
    let (mut turns, mut told) = (0, Vec::new());
    for seed in 0..count {
        let mut game = Jedna::start(&config, 2, Seed(seed)).expect("the set-up is sound");
        while let Turn::One(actor) = game.turn() {
            let action = Simple.act(&game.view(Eye::Actor(actor)), &AtOnce);
            told.clear();
            game.step(&Moves::one(actor, action), &mut told);
        }
        turns += u64::from(game.turn_number());
    }
    report("jedna, through the trait with views and events", count, turns, began);
}

fn report(what: &str, games: u64, turns: u64, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    let (games, turns) = (games as f64 / seconds, turns as f64 / seconds);
    println!("{what}: {games:.0} games/s, {turns:.0} turns/s");
}
