//! How fast games are made and stepped inside the host, without any bot: `cargo bench`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;
use table::Occasion;

use game::{Choice, Game as _, Moves, Seed, Turn};
use games::pyrat::{Config, Move, Pyrat, State};

/// Every figure is the best of so many runs: other programs only ever make it worse.
const RUNS: usize = 5;

fn main() {
    pyrat();
    jedna();
    ants();
    petri();
}

fn pyrat() {
    let config = Config::default();
    let micros = best(|| mazes(&config), f64::min);
    println!("pyrat: a 21x15 maze made in {micros:.1} µs");
    let millions = best(|| turns(&config), f64::max);
    println!("pyrat: {millions:.1} million turns a second, stepping the rules");
    let millions = best(|| table_turns(&config), f64::max);
    println!("pyrat: {millions:.1} million turns a second, as a table steps it");
}

fn best(measure: impl Fn() -> f64, better: fn(f64, f64) -> f64) -> f64 {
    (0..RUNS).map(|_| measure()).reduce(better).expect("there are runs")
}

/// Moves by a quick generator of its own: chance must not be what is measured.
struct Dice(u64);

impl Dice {
    fn toss(&mut self) -> [Move; 2] {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let pick = |bits: u64| Move::ALL[(((bits & 0xffff) * 5) >> 16) as usize];
        [pick(self.0), pick(self.0 >> 32)]
    }
}

/// Microseconds to make a game: walls, mud, cheese.
fn mazes(config: &Config) -> f64 {
    const COUNT: u64 = 5_000;
    let began = Instant::now();
    for seed in 0..COUNT {
        black_box(config.start(Seed(seed)).expect("the default set-up is sound"));
    }
    began.elapsed().as_secs_f64() * 1e6 / COUNT as f64
}

/// Million turns a second in whole games of random moves in 64 mazes.
fn turns(config: &Config) -> f64 {
    const COUNT: u64 = 20_000_000;
    let start = |seed| config.start(Seed(seed)).expect("the default set-up is sound");
    let starts: Vec<State> = (0..64).map(start).collect();
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let mut state = starts[0].clone();
    let (mut turns, mut games) = (0, 0);
    let began = Instant::now();
    while turns < COUNT {
        state.clone_from(&starts[games % starts.len()]);
        games += 1;
        while state.end().is_none() {
            let [rat, python] = dice.toss();
            black_box(state.step(rat, python));
            turns += 1;
        }
    }
    turns as f64 / began.elapsed().as_secs_f64() / 1e6
}

/// The same through the interface that all games share, with its lists and events.
fn table_turns(config: &Config) -> f64 {
    const COUNT: u64 = 1_000_000;
    let start = Pyrat::start(config, 2, Seed(3)).expect("the default set-up is sound");
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let mut told = Vec::new();
    let mut turns = 0;
    let began = Instant::now();
    while turns < COUNT {
        let mut game = start.clone();
        while let Turn::All(actors) = game.turn() {
            let moves = actors.into_iter().zip(dice.toss().map(Choice::Act)).collect();
            told.clear();
            game.step(&Moves(moves), &mut told);
            turns += 1;
        }
    }
    turns as f64 / began.elapsed().as_secs_f64() / 1e6
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

/// Ticks of a 20×20 world of forty agents: what every one sees, what the document's agent does, and
/// the rules.
fn petri() {
    use game::Eye;
    use games::petri::bots::Simple;
    use games::petri::{Config, Petri};

    const TICKS: u32 = 1000;
    let config =
        Config { width: 20, height: 20, initial_agents: 20, max_ticks: TICKS, ..Config::default() };
    let ticks = best(
        || {
            let (mut ticks, mut agents) = (0, 0);
            let mut told = Vec::new();
            let began = Instant::now();
            for seed in 0..100 {
                let mut world = Petri::start(&config, 2, Seed(seed)).expect("the set-up is sound");
                while let Turn::All(actors) = world.turn() {
                    agents += actors.len();
                    let choose = |actor| {
                        let view = world.view(Eye::Actor(actor));
                        (actor, Choice::Act(Simple::choose(&view)))
                    };
                    let moves = actors.into_iter().map(choose).collect();
                    told.clear();
                    world.step(&Moves(moves), &mut told);
                    ticks += 1;
                }
            }
            black_box(agents);
            f64::from(ticks) / began.elapsed().as_secs_f64()
        },
        f64::max,
    );
    println!("petri: {ticks:.0} ticks a second in a 20x20 world of at most forty agents");
}

fn report(what: &str, games: u64, turns: u64, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    let (games, turns) = (games as f64 / seconds, turns as f64 / seconds);
    println!("{what}: {games:.0} games/s, {turns:.0} turns/s");
}

/// Whole games of ants that do anything, and the writing of messages.
fn ants() {
    use game::{Choice, Eye, Game, Moves, Seed, Turn};
    use games::ants::{Ants, Config, Order, Orders};

    let orders = |bits: u64| {
        let mut orders = Orders::REST;
        for ant in 0..5 {
            let order = match bits >> (4 * ant) & 7 {
                0 => Order::Left,
                1 => Order::Right,
                2..=5 => Order::Forward,
                6 => Order::Attack(5),
                _ => Order::Rest,
            };
            orders.give(ant as u8, order);
        }
        orders
    };
    for (side, count) in [((40, 30), 400), ((300, 300), 20)] {
        let config = Config { width: side.0, height: side.1, ..Config::default() };
        let starts: Vec<Ants> =
            (0..8).map(|seed| Ants::start(&config, 2, Seed(seed)).expect("sound")).collect();
        let mut dice = Dice(0x1234_5678_9abc_def1);
        let (mut turns, mut told) = (0, Vec::new());
        let began = Instant::now();
        for game in 0..count {
            let mut game = starts[game as usize % starts.len()].clone();
            while let Turn::All(actors) = game.turn() {
                let moves = actors.into_iter().map(|actor| {
                    dice.toss();
                    (actor, Choice::Act(orders(dice.0)))
                });
                let moves = Moves(moves.collect());
                told.clear();
                game.step(&moves, &mut told);
                turns += 1;
            }
            black_box(game.view(Eye::All));
        }
        report(&format!("ants, {}x{}, random orders", side.0, side.1), count, turns, began);
    }
    ants_messages();
}

/// Messages of a large map of which much is known, as a program gets them.
fn ants_messages() {
    use game::{ActorId, Command, Out, PlayerId, Seen, Tick, TimeLeft};
    use games::ants::{Ants, Config};
    use table::{Chair, Hosted};

    let config = Config { width: 300, height: 300, ants: 42, sight: 10, ..Config::default() };
    let mut game = Ants::start(&config, 2, Seed(1)).expect("the set-up is sound");
    let bot = Chair {
        actor: ActorId(0),
        player: PlayerId(0),
        seed: Seed(1),
        clock: Ants::card().clock,
        memory: 0,
        folder: None,
        options: Vec::new(),
        line_end: None,
        occasion: Occasion::SingleMatch,
    };
    let mut simple = Ants::bot("simple", &config, &bot).expect("it is listed");
    for _ in 0..100 {
        let view = game.view(game::Eye::Actor(ActorId(0)));
        let orders = simple.act(&view, &Unhurried);
        let both = vec![
            (ActorId(0), Choice::Act(orders)),
            (ActorId(1), Choice::Act(games::ants::Orders::REST)),
        ];
        game.step(&Moves(both), &mut Vec::new());
    }
    const COUNT: u32 = 200;
    let mut protocol = Ants::protocol(&config, &bot);
    let (mut out, mut bytes) = (Out::default(), 0);
    let began = Instant::now();
    for _ in 0..COUNT {
        out.bytes.clear();
        out.said.clear();
        let seen = Seen::new(&game, ActorId(0), PlayerId(0));
        protocol.command(Tick::ZERO, Command::Ask { seen, time: TimeLeft::default() }, &mut out);
        bytes += out.bytes.len();
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / f64::from(COUNT);
    let size = bytes / COUNT as usize / 1000;
    println!("ants, a message of {size} KB written in {each:.0} µs");
}

/// All the time in the world.
struct Unhurried;

impl game::Budget for Unhurried {
    fn left(&self) -> Option<std::time::Duration> {
        None
    }
    fn stopped(&self) -> bool {
        false
    }
}
