//! Laws that hold in every state of every game, tried on random games.

use game::{ActorId, Choice, Eye, Game, Moves, PlayerId, Rng, Seed, Turn};
use testkit::law::{self, Lawful};

use super::colony::Knowledge;
use super::wire::message;
use super::*;

/// Small and crowded, so that much happens.
fn small() -> Config {
    Config {
        width: 9,
        height: 7,
        ants: 3,
        energy: 20,
        max_turns: 40,
        sugar: 0.1,
        mill: 0.05,
        meat: 0.03,
        ..Config::default()
    }
}

fn set_ups() -> Vec<(Config, u16)> {
    let shared = Config { programs: Programs::Sizes(vec![1, 2]), restarts: 2, ..small() };
    let square = Config { width: 11, height: 11, version: Version::Two, ..small() };
    let wide = Config { width: 16, sight: 2, acid: 7, upkeep: 0, ..small() };
    let given = Config {
        map: "A1.#.B\n.~A5B.\n3A..B%\n".to_owned(),
        version: Version::Two,
        programs: Programs::Count(3),
        ..small()
    };
    vec![(small(), 2), (given, 2), (shared, 2), (square, 4), (wide, 4), (small(), 3)]
}

/// Anything a program might order.
fn orders(game: &Ants, actor: ActorId, rng: &mut Rng) -> Orders {
    let view = game.view(Eye::Actor(actor));
    let mut orders = Orders::REST;
    for (id, _) in bots::commanded(&view) {
        orders.give(
            id,
            match rng.below(8) {
                0 => Order::Left,
                1 => Order::Right,
                2..=5 => Order::Forward,
                6 => Order::Attack(1 + rng.below(12) as u16),
                _ => Order::Rest,
            },
        );
    }
    orders
}

/// Plays random games and shows every state, the last one included.
fn random_games(seeds: u64, mut look: impl FnMut(&Ants, &mut Rng)) {
    for (config, players) in set_ups() {
        for seed in 0..seeds {
            let mut rng = Seed(seed).rng("law");
            let mut game = Ants::start(&config, players, Seed(seed)).expect("a sound set-up");
            while let Turn::All(actors) = game.turn() {
                look(&game, &mut rng);
                let act = |actor| (actor, Choice::Act(orders(&game, actor, &mut rng)));
                let moves = Moves(actors.into_iter().map(act).collect());
                game.step(&moves, &mut Vec::new());
            }
            look(&game, &mut rng);
        }
    }
}

/// The same for the player of `actor`, with everything it does not see changed: the ground, the
/// others' ants and all about them, and what will come. Even the map is larger.
fn with_other_secrets(game: &Ants, actor: ActorId, rng: &mut Rng) -> Ants {
    let (player, _) = game.post(actor).expect("an actor of this game");
    let knowledge = game.colonies[player.index()].knowledge.clone();
    let mut other = game.clone();
    other.chance = Seed(rng.next_u64()).rng("other");
    other.land = larger(&game.land, |point, content| match (knowledge.sees(point), content) {
        // Nobody can tell what kind of meat it is.
        (true, Content::Corpse | Content::Food(Food::Meat)) if rng.chance(1, 2) => Content::Corpse,
        (true, content) => content,
        (false, _) => Content::of_code(rng.below(6) as u8).expect("there are six"),
    });
    let mut free: Vec<Point> = other
        .land
        .points()
        .filter(|point| !knowledge.sees(*point))
        .filter(|point| game.living().all(|(_, ant)| ant.at != *point))
        .collect();
    rng.shuffle(&mut free);
    for (number, colony) in other.colonies.iter_mut().enumerate() {
        let own = number == player.index();
        colony.knowledge = match own {
            true => moved(&knowledge, &game.land, &other.land),
            false => Knowledge::new(&other.land),
        };
        if own {
            continue;
        }
        colony.eaten = rng.below(1000);
        colony.gone = vec![None; colony.gone.len()];
        for ant in &mut colony.ants {
            if ant.alive() {
                ant.energy = 1 + rng.below(30);
            }
            ant.acid = rng.below(30);
            if !knowledge.sees(ant.at) || !ant.alive() {
                ant.facing = Direction::ALL[rng.index(4)];
                ant.at = free.pop().unwrap_or(ant.at);
            }
        }
    }
    other
}

/// The land with two more columns and a row, and each cell as `change` says.
fn larger(land: &Land, mut change: impl FnMut(Point, Content) -> Content) -> Land {
    let mut large = Land::grass(land.width() + 2, land.height() + 1);
    for point in land.points() {
        large.set(point, change(point, land.at(point)));
    }
    large
}

/// What is known, for a land of another size.
fn moved(knowledge: &Knowledge, from: &Land, to: &Land) -> Knowledge {
    let mut text = serde_json::to_value(knowledge).expect("plain data");
    let cells: Vec<char> = text["cells"].as_str().expect("a text").chars().collect();
    let cell = |point: Point| if from.holds(point) { cells[from.index(point)] } else { ' ' };
    text["cells"] = to.points().map(cell).collect::<String>().into();
    text["width"] = to.width().into();
    serde_json::from_value(text).expect("it was written so")
}

impl Lawful for Ants {
    fn setups() -> Vec<(Config, u16)> {
        set_ups()
    }

    fn legal(&self, actor: ActorId) -> Vec<Orders> {
        let mut rng = Seed(self.digest()).rng("legal");
        let mut legal = vec![Orders::REST];
        legal.extend((0..4).map(|_| orders(self, actor, &mut rng)));
        legal
    }

    fn illegal(&self, actor: ActorId) -> Vec<Orders> {
        let (player, block) = self.post(actor).expect("an actor of this game");
        let ants = &self.colonies[player.index()].ants;
        let wrong = (0..=u8::MAX).filter(|id| match ants.get(usize::from(*id)) {
            Some(ant) => !self.blocks[block].contains(id) || !ant.alive(),
            None => true,
        });
        let ordered = |id| {
            let mut orders = Orders::REST;
            orders.give(id, Order::Left);
            orders
        };
        let mut illegal: Vec<Orders> = wrong.map(ordered).collect();
        let mut too_much = Orders::REST;
        too_much.give(self.blocks[block].start, Order::Attack(1001));
        illegal.push(too_much);
        illegal
    }

    fn disguised(&self, actor: ActorId, rng: &mut Rng) -> Option<Ants> {
        Some(with_other_secrets(self, actor, rng))
    }

    /// What one program of a colony knows, all of them know.
    fn disguised_for(&self, player: PlayerId, rng: &mut Rng) -> Option<Ants> {
        let (own, _) = self.present().find(|(_, of)| *of == player)?;
        Some(with_other_secrets(self, own, rng))
    }

    fn longest(config: &Config) -> usize {
        config.max_turns as usize
    }
}

#[test]
fn ants_obeys_the_laws() {
    law::all::<Ants>();
}

#[test]
fn no_message_tells_of_what_is_out_of_sight() {
    let mut compared = 0;
    random_games(4, |game, rng| {
        for (actor, _) in game.present() {
            let mut other = with_other_secrets(game, actor, rng);
            // Whether it is over is told, and the others' ants decide it.
            other.rules.max_turns = if game.over() { 0 } else { u32::MAX };
            for version in [Version::Seed, Version::Two] {
                let bytes = |game: &Ants| {
                    let mut bytes = Vec::new();
                    message(&game.view(Eye::Actor(actor)), version, &mut bytes);
                    String::from_utf8(bytes).expect("messages are text")
                };
                assert_eq!(bytes(game), bytes(&other), "{actor} in\n{game:?}");
                compared += 1;
            }
        }
    });
    assert!(compared > 3000, "only {compared} messages were compared");
}

#[test]
fn every_cell_and_ant_in_a_message_was_seen_and_is_as_it_was_then() {
    for (config, players) in set_ups() {
        let mut rng = Seed(9).rng("law");
        let mut game = Ants::start(&config, players, Seed(9)).expect("a sound set-up");
        // By player: what an own ant saw, kept in the plainest way.
        let mut memory = vec![std::collections::BTreeMap::new(); players.into()];
        loop {
            for (memory, colony) in memory.iter_mut().zip(&game.colonies) {
                memory.values_mut().for_each(|(_, now)| *now = false);
                for (ant, point) in colony
                    .living()
                    .flat_map(|ant| game.land.points().map(move |point| (ant, point)))
                {
                    let far = ant.at.x.abs_diff(point.x).max(ant.at.y.abs_diff(point.y));
                    if far <= config.sight {
                        memory.insert(point, (game.land.at(point).code(), true));
                    }
                }
            }
            for (actor, player) in game.present() {
                let view = game.view(Eye::Actor(actor));
                let known = view.map.known();
                let known: Vec<(Point, (u8, bool))> = known
                    .map(|(point, sight)| (point, (sight.content.code(), sight.now)))
                    .collect();
                let wanted: Vec<(Point, (u8, bool))> =
                    memory[player.index()].iter().map(|(point, cell)| (*point, *cell)).collect();
                assert_eq!(known, wanted, "sorted by row, then by column");
                assert_eq!(view.map.points(), wanted.len());
                let width = wanted.iter().map(|(point, _)| point.x + 1).max();
                let height = wanted.iter().map(|(point, _)| point.y + 1).max();
                assert_eq!((Some(view.map.width()), Some(view.map.height())), (width, height));
            }
            let Turn::All(actors) = game.turn() else { break };
            let act = |actor| (actor, Choice::Act(orders(&game, actor, &mut rng)));
            let moves = Moves(actors.into_iter().map(act).collect());
            game.step(&moves, &mut Vec::new());
        }
    }
}

#[test]
fn food_is_constant_ants_are_apart_on_open_ground_and_energy_is_bounded() {
    let mut food = 0;
    random_games(6, |game, _| {
        let now = game.land.food() + game.owed.len();
        if game.turn == 0 {
            food = now;
        }
        assert_eq!(now, food, "food that is replaced");
        let mut places: Vec<Point> = game.living().map(|(_, ant)| ant.at).collect();
        assert!(places.iter().all(|at| game.land.holds(*at) && !game.land.at(*at).blocks()));
        assert!(places.iter().all(|at| game.land.at(*at).food().is_none() || game.turn == 0));
        let ants = places.len();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), ants, "two ants in one cell");
        for ant in game.colonies.iter().flat_map(|colony| &colony.ants) {
            assert!(ant.energy <= game.rules.most_energy() && ant.acid <= game.rules.acid);
        }
    });
}

#[test]
fn every_change_of_the_state_changes_the_digest() {
    let game = Ants::start(&small(), 2, Seed(1)).expect("a sound set-up");
    let changes: [fn(&mut Ants); 10] = [
        |game| game.turn += 1,
        |game| game.colonies[1].ants[2].energy -= 1,
        |game| game.colonies[0].ants[0].acid -= 1,
        |game| game.colonies[0].ants[1].facing = Direction::North,
        |game| game.colonies[0].eaten += 1,
        |game| game.colonies[1].extinct = Some(0),
        |game| game.colonies[1].gone[0] = Some(testkit::crash()),
        |game| game.chance = Seed(2).rng("other"),
        |game| game.owed.push(Food::Sugar),
        |game| game.colonies[0].knowledge = Knowledge::new(&game.land),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut other = game.clone();
        change(&mut other);
        assert_ne!(other.digest(), game.digest(), "change {index}");
    }
}
