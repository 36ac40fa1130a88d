//! How often sequential tests are wrong: `cargo run --release -p lanista-stats --example sequential [TESTS [GAMES]]`, where
//! GAMES is a part of a name in the first column.

#![expect(clippy::print_stdout, reason = "it prints tables")]

mod world;

use stats::{EloModel, Sprt, SprtVerdict};
use world::World;

fn main() {
    let tests = std::env::args().nth(1).map_or(14_000, |tests| tests.parse().expect("a number"));
    let two = World { seats: 2, nu: 0.0, first_seat: 0.0, luck: 0.0 };
    let many = |seats| World { seats, first_seat: 60.0, ..two };
    let worlds = [
        ("two seats", two),
        ("two seats, a third drawn", World { nu: 1.0, ..two }),
        ("two seats, the first worth 100", World { first_seat: 100.0, ..two }),
        ("two seats, openings that favour one", World { luck: 150.0, ..two }),
        ("three seats", many(3)),
        ("four seats", many(4)),
        ("five seats", many(5)),
        ("four seats, openings that favour one", World { luck: 150.0, ..many(4) }),
    ];
    println!("| games | truth | wrong (Wald) | wrong (corrected) | pairs |");
    println!("| --- | --- | --- | --- | --- |");
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for (name, world) in worlds.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let elo1 = if world.seats == 2 { 20.0 } else { 40.0 };
        let test = Sprt { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model: EloModel::Logistic };
        let mut truths = vec![
            ("0".to_owned(), world.strength_of(0.0, 4_000_000), SprtVerdict::H1),
            (format!("{elo1} Elo"), world.strength_of(elo1, 4_000_000), SprtVerdict::H0),
        ];
        if world.seats == 2 && (world.nu > 0.0 || world.first_seat > 0.0) {
            truths.push((format!("strength {elo1}"), elo1, SprtVerdict::H0));
        }
        for (truth, strength, wrong) in truths {
            let [wald, corrected, pairs] = world.errors(test, strength, wrong, tests, 7);
            println!("| {name} | {truth} | {wald:.1} % | {corrected:.1} % | {pairs:.0} |");
        }
    }
}
