//! How good the ratings of a ladder are: `cargo run --release -p lanista-league --example ladder [RUNS]`.

#![expect(clippy::print_stdout, reason = "it prints a table")]

mod field;

use field::{Chance, Tally, World, strengths};
use league::schedule::{Format, Pairing, Plan};

fn main() {
    let runs = std::env::args().nth(1).map_or(400, |runs| runs.parse().expect("a number"));
    let strengths = strengths();
    println!(
        "| games chosen | draws | games | slope | ratings held | differences held | error stated | found |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let plan = |format| Plan::new(format, 2, 0, vec![0; strengths.len()]);
    let ladder = plan(Format::Ladder { games: 2 });
    let schedules = [
        ("one in six by results", ladder.clone()),
        ("all by results", Plan { pairing: Pairing::FromTheTop, ..ladder }),
        ("none: round robin", plan(Format::RoundRobin { rounds: 1000 })),
    ];
    for (name, plan) in &schedules {
        for world in [World { nu: 0.0, first_seat: 0.0 }, World { nu: 1.0, first_seat: 30.0 }] {
            let truth = world.truth(&strengths);
            for games in [800, 3000] {
                let mut chance = Chance(games);
                let mut tally = Tally::default();
                for _ in 0..runs {
                    tally.add(&world.play(&mut chance, &strengths, plan, games), &truth);
                }
                let draws = 100.0 * world.nu / (2.0 + world.nu);
                let [ratings, pairs] = tally.coverage().map(|share| 100.0 * share);
                let [stated, found] = tally.errors();
                println!(
                    "| {name} | {draws:.0} % | {games} | {:.3} | {ratings:.1} % | {pairs:.1} % | \
                     ± {stated:.1} | ± {found:.1} |",
                    tally.slope()
                );
            }
        }
    }
}
