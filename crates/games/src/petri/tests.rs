//! The rules as small drawn worlds, and contests of the built-in bots.

use std::collections::HashMap;

use game::{
    ActorId, Bot, Budget, Choice, EndedBy, Ending, Eye, Fault, FaultKind, Forfeit, Game as _,
    Moves, Outcome, PlayerId, Seed, Told, Turn,
};
use testkit::{AtOnce, transcripts};

use super::*;

transcripts! { Petri, "petri";
    a_match_that_is_ended_early_says_goodbye_like_any_other: "adjudicated.txt",
    the_message_is_the_documents_and_every_action_is_understood: "actions.txt",
    what_is_no_answer_is_a_rest_and_recorded: "bad-input.txt",
    a_late_reply_is_thrown_away_when_it_comes: "late.txt",
    several_late_replies_are_counted: "late-twice.txt",
    one_that_crashes_is_removed_and_its_brothers_live_on: "crash.txt",
    one_that_dies_between_two_ticks_is_judged_in_the_next: "crash-between.txt",
    one_that_closes_its_output_is_removed: "end-of-output.txt",
    an_agent_that_cannot_start_is_removed_at_the_end_of_the_first_tick: "not-started.txt",
    who_fails_first_at_the_start_does_not_decide: "nobody-starts.txt",
    a_child_gets_a_process_of_its_own_and_is_asked_in_the_next_tick: "birth.txt",
    a_child_that_cannot_start_dies_alone: "stillborn.txt",
    what_is_said_beyond_the_answer_is_recorded_and_not_kept: "extra.txt",
    a_greeting_counts_as_a_reply: "greeting.txt",
    blank_lines_are_nothing: "blank.txt",
    messages_are_kept_and_bounded: "message.txt",
    a_process_that_has_played_is_not_seated_again: "reused.txt",
    without_a_limit_the_largest_number_is_told: "no-limit.txt",
    one_player_alone_plays_a_simulation: "alone.txt",
    programs_and_built_in_bots_live_in_one_world: "mixed.txt",
}

/// A world drawn row by row: a letter for the player and the energy, `..` for an empty cell.
/// Agents are numbered row by row.
fn world(config: Config, rows: &[&str]) -> Petri {
    let drawn: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().collect()).collect();
    let letters: Vec<u8> = drawn.iter().flatten().map(|cell| cell.as_bytes()[0]).collect();
    let players = letters.iter().filter(|letter| **letter != b'.').map(|letter| letter - b'A' + 1);
    let players = players.max().expect("somebody is drawn");
    let config = Config { width: drawn[0].len() as u16, height: drawn.len() as u16, ..config };
    let mut world =
        Petri::new(Config { initial_agents: 1, ..config.clone() }, players.into(), Seed(1))
            .expect("a sound set-up");
    world.config = config;
    world.agents.clear();
    world.grid.fill(u32::MAX);
    world.next = 0;
    world.species.fill(Species::default());
    for (y, row) in drawn.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            if let Some((player, energy)) = cell.split_at_checked(1).filter(|(p, _)| *p != ".") {
                let player = PlayerId(u16::from(player.as_bytes()[0] - b'A'));
                let at = Cell { x: x as u16, y: y as u16 };
                world.add(player, at, energy.parse().expect("an energy"), 3);
            }
        }
    }
    world
}

/// The same drawing of a world.
fn drawn(world: &Petri) -> Vec<String> {
    let size = world.size();
    let cell = |x, y| match world.agent_at(Cell { x, y }) {
        Some(agent) => format!("{}{}", char::from(b'A' + agent.player.0 as u8), agent.energy),
        None => "..".to_owned(),
    };
    let row = |y| (0..size.width).map(|x| cell(x, y)).collect::<Vec<_>>().join(" ");
    (0..size.height).map(row).collect()
}

/// One tick with these actions of agents in the order of their numbers; `lost` forfeits.
fn tick(world: &mut Petri, actions: &str) -> Vec<Event> {
    let choices = actions.split(", ").map(|word| match word {
        "lost" => Choice::Forfeit(testkit::crash()),
        "resigns" => {
            let fault = Fault::new(FaultKind::Refused, "resigned");
            Choice::Forfeit(Forfeit::by_rule(fault))
        }
        word => Choice::Act(word.parse().expect("an action")),
    });
    let ids: Vec<ActorId> = world.agents().iter().map(|agent| agent.id).collect();
    let moves = Moves(ids.into_iter().zip(choices).collect());
    assert_eq!(moves.0.len(), world.agents().len(), "everybody does something");
    let mut told = Vec::new();
    world.step(&moves, &mut told);
    told.into_iter().map(|Told { event, .. }| event).collect()
}

/// Who acts first in the tables below: agents are numbered row by row.
fn in_rows() -> Config {
    Config { order: Order::Row, ..Config::default() }
}

#[test]
fn every_action_has_its_price() {
    // A drawn world, what its agents do, and the world that follows.
    let table: &[(&[&str], &str, &[&str])] = &[
        (&["A10 .. B10"], "rest, rest", &["A10 .. B10"]),
        // An attack takes 3 and brings 1; the decay of 1 is everybody's.
        (&["A10 B10"], "attack east, rest", &["A10 B7"]),
        (&["A10 ..", ".. B10"], "attack south_east, attack north_west", &["A7 ..", ".. B7"]),
        // Nobody there, or outside of the world: nothing but the decay happens.
        (&["A10 .. B10"], "attack east, rest", &["A9 .. B10"]),
        (&["A10 .. B10"], "attack north, attack east", &["A9 .. B9"]),
        // Worn out by the decay.
        (&["A1 .. B10"], "attack north, rest", &[".. .. B10"]),
        (&["A1 .. B10"], "rest, rest", &["A1 .. B10"]),
        // Killed before its turn: it no longer acts. Killed after it: it has acted.
        (&["A10 B3"], "attack east, attack west", &["A10 .."]),
        (&["A3 B10"], "attack east, attack west", &[".. B7"]),
        // Whoever attacks the dead hits nobody.
        (&["A10 B3 A10"], "attack east, rest, attack west", &["A10 .. A9"]),
        (&["A10 .. B10"], "die, rest", &[".. .. B10"]),
        // Dead at once: nobody is there any more to be attacked.
        (&["A10 B10"], "die, attack west", &[".. B9"]),
        // Removed at the end of the tick: until then it can be attacked, but does nothing.
        (&["A10 B10 .."], "lost, attack west", &[".. B10 .."]),
        (&["A10 B10 A5"], "lost, rest, rest", &[".. B10 A5"]),
    ];
    for (before, actions, after) in table {
        let mut world = world(in_rows(), before);
        tick(&mut world, actions);
        assert_eq!(drawn(&world), *after, "{before:?}: {actions}");
    }
}

#[test]
fn a_child_is_born_on_a_free_cell_next_to_its_parent() {
    let mut world = world(in_rows(), &["A10 B9 ..", "B9 B9 B9"]);
    let events = tick(&mut world, "replicate, rest, rest, rest, rest");
    // There is no free cell next to it: nothing is paid.
    assert_eq!(drawn(&world), ["A9 B9 ..", "B9 B9 B9"]);
    assert_eq!(events, []);
    tick(&mut world, "rest, replicate, rest, rest, rest");
    // The child has 10 and does not decay in its first tick.
    assert_eq!(drawn(&world), ["A9 B3 B10", "B9 B9 B9"]);
    let child = world.agents().last().expect("somebody lives");
    assert_eq!((child.id, child.generation, child.player), (ActorId(5), 4, PlayerId(1)));
    tick(&mut world, "rest, rest, rest, rest, rest, rest");
    assert_eq!(drawn(&world), ["A9 B3 B10", "B9 B9 B9"]);
}

#[test]
fn replicating_needs_energy_and_leaves_what_is_left() {
    for (before, after) in [("A4", "A3"), ("A5", "B10"), ("A6", "B10"), ("A7", "A1")] {
        let mut world = world(in_rows(), &[&format!("{before} .. B10")]);
        tick(&mut world, "replicate, rest");
        let parent_lives = world.agent(ActorId(0)).map(|agent| format!("A{}", agent.energy));
        assert_eq!(parent_lives.as_deref(), after.starts_with('A').then_some(after), "{before}");
        assert_eq!(
            world.agents().len(),
            1 + usize::from(before != "A4") + usize::from(after.starts_with('A'))
        );
    }
}

#[test]
fn a_newborn_can_be_attacked_in_its_first_tick() {
    let mut world = world(in_rows(), &["A10 .. B10"]);
    let events = tick(&mut world, "replicate, attack west");
    assert_eq!(drawn(&world), ["A4 A7 B10"]);
    assert!(matches!(events[..], [Event::Born { .. }, Event::Attacked { .. }]), "{events:?}");
}

#[test]
fn no_more_agents_are_born_than_may_live() {
    let few = Config { max_agents: 3, ..in_rows() };
    let mut world = world(few, &["A10 .. B10 .."]);
    tick(&mut world, "replicate, replicate");
    assert_eq!(drawn(&world)[0].replace(' ', ""), "A4A10B9..");
    // A death makes room in the same tick.
    tick(&mut world, "die, replicate, rest");
    assert_eq!(world.agents().len(), 3);
}

#[test]
fn the_set_up_changes_every_number() {
    let config = Config {
        decay: 2,
        rest_gain: 5,
        attack_damage: 4,
        attack_gain: 7,
        replicate_cost: 1,
        replicate_min: Some(20),
        child_energy: 30,
        ..in_rows()
    };
    let mut world = world(config, &["A10 B10 A19 B20 .."]);
    tick(&mut world, "rest, attack west, replicate, replicate");
    assert_eq!(drawn(&world), ["A9 B15 A17 B17 B30"]);
}

#[test]
fn under_row_order_the_north_west_acts_first() {
    let mut world = world(in_rows(), &["A3 B3"]);
    tick(&mut world, "attack east, attack west");
    assert_eq!(drawn(&world), ["A3 .."]);
}

#[test]
fn under_shuffled_order_either_of_two_may_be_first() {
    let mut first = [0; 2];
    for seed in 0..200 {
        let mut world = world(Config::default(), &["A3 B3"]);
        world.seed = Seed(seed);
        tick(&mut world, "attack east, attack west");
        first[world.agents()[0].player.index()] += 1;
    }
    // Seven standard deviations of a fair coin.
    assert!(first.iter().all(|count| *count > 50), "{first:?}");
}

#[test]
fn children_are_put_on_every_free_cell_alike() {
    let mut counts = [0; 8];
    for seed in 0..800 {
        let mut world = world(Config::default(), &[".. .. ..", ".. A10 ..", ".. .. .. "]);
        world.seed = Seed(seed);
        tick(&mut world, "replicate");
        let at = world.agents()[1].at;
        let way = Direction::ALL
            .iter()
            .position(|way| world.size().neighbour(Cell { x: 1, y: 1 }, *way) == Some(at));
        counts[way.expect("it is next to its parent")] += 1;
    }
    assert!(counts.iter().all(|count| (50..150).contains(count)), "{counts:?}");
}

fn outcome(world: &Petri) -> Option<(Vec<u16>, Vec<f64>, String)> {
    world.outcome().map(|Outcome { ranks, scores, reason, .. }| (ranks, scores, reason))
}

#[test]
fn the_living_are_ranked_by_energy_then_by_number() {
    let last = Config { max_ticks: 1, ..in_rows() };
    for (rows, ranks) in [
        ("A5 .. B6 .. C7", [3, 2, 1]),
        ("A5 .. B2 B3 C1", [2, 1, 3]),
        ("A5 .. B5 .. C1", [1, 1, 3]),
    ] {
        let mut world = world(last.clone(), &[rows]);
        let everybody = vec!["rest"; world.agents().len()].join(", ");
        assert_eq!(outcome(&world), None);
        tick(&mut world, &everybody);
        let (found, _, reason) = outcome(&world).expect("it is over");
        assert_eq!((found, reason.as_str()), (ranks.to_vec(), "the cap of 1 tick was reached"));
    }
}

#[test]
fn the_extinct_are_ranked_by_how_long_they_lasted() {
    let mut world = world(in_rows(), &["A5 B5 C5 D5"]);
    tick(&mut world, "rest, die, rest, rest");
    assert_eq!(outcome(&world), None);
    tick(&mut world, "rest, die, die");
    let reason = "only agents of player 1 are left after 2 ticks".to_owned();
    assert_eq!(outcome(&world), Some((vec![1, 4, 2, 2], vec![5.0, 0.0, 0.0, 0.0], reason)));
}

#[test]
fn all_extinct_in_one_tick_is_a_draw() {
    let mut world = world(in_rows(), &["A5 B5"]);
    tick(&mut world, "die, lost");
    let reason = "nobody is left after 1 tick".to_owned();
    assert_eq!(outcome(&world), Some((vec![1, 1], vec![0.0, 0.0], reason)));
}

#[test]
fn one_player_alone_goes_on_until_the_cap_or_extinction() {
    let mut lone = world(Config { max_ticks: 2, ..in_rows() }, &["A5 .."]);
    tick(&mut lone, "rest");
    assert_eq!(outcome(&lone), None);
    tick(&mut lone, "rest");
    assert_eq!(lone.outcome().map(|outcome| outcome.ranks), Some(vec![1]));
    let mut dying = world(in_rows(), &["A5 .."]);
    tick(&mut dying, "die");
    assert_eq!(outcome(&dying).map(|it| it.2), Some("nobody is left after 1 tick".to_owned()));
}

#[test]
fn everybody_begins_with_the_same_on_cells_drawn_from_the_seed() {
    let start = |seed| Petri::start(&Config::default(), 3, Seed(seed)).expect("a sound set-up");
    let world = start(1);
    assert!(world.species().iter().all(|species| species.agents == 4));
    assert!(world.agents().iter().all(|agent| agent.energy == 10 && agent.generation == 0));
    let places = |world: &Petri| world.agents().iter().map(|agent| agent.at).collect::<Vec<_>>();
    let mut cells = places(&world);
    assert_ne!(cells, places(&start(2)));
    cells.sort_unstable();
    cells.dedup();
    assert_eq!(cells.len(), 12, "a cell holds one agent");
}

#[test]
fn numbers_and_names_are_never_used_again() {
    let mut world = world(in_rows(), &["A10 .. B10"]);
    let mut seen = std::collections::HashSet::new();
    let mut next = 0;
    for _ in 0..30 {
        for agent in world.agents() {
            if agent.id.0 >= next {
                next = agent.id.0 + 1;
                assert!(seen.insert(agent.tag), "{}", agent.tag);
            }
        }
        // The newest replicates, and whoever was there before makes room.
        let count = world.agents().len();
        let actions: Vec<&str> = (0..count)
            .map(|place| match (world.agents()[place].player.0, place + 1 == count) {
                (1, _) if place < count - 1 && count > 3 => "rest",
                (_, true) => "replicate",
                (0, false) if count > 2 => "die",
                _ => "rest",
            })
            .collect();
        if world.is_over() {
            break;
        }
        tick(&mut world, &actions.join(", "));
    }
    assert!(seen.len() > 3, "{seen:?}");
}

#[test]
fn the_grid_and_the_list_agree_through_a_long_life() {
    let config = Config { max_ticks: 60, ..Config::default() };
    let mut checked = 0;
    contest(&config, &["colony", "random", "simple"], Seed(3), |world| {
        for (place, agent) in world.agents().iter().enumerate() {
            assert_eq!(world.grid[world.size().index(agent.at)], place as u32);
            assert!(agent.energy > 0);
        }
        let filled = world.grid.iter().filter(|place| **place != u32::MAX).count();
        assert_eq!(filled, world.agents().len());
        let counted: u32 = world.species().iter().map(|species| species.agents).sum();
        assert_eq!(counted as usize, world.agents().len());
        assert!(world.agents().is_sorted_by_key(|agent| agent.id));
        checked += 1;
    });
    assert!(checked > 30);
}

/// Breeds and otherwise rests: what a colony would be without knowing its kin.
struct Breeder;

impl Bot<Petri> for Breeder {
    fn act(&mut self, view: &View, _: &dyn Budget) -> Action {
        let own = view.own.as_ref().expect("it lives");
        match own.energy >= 5 && own.free(view.size).next().is_some() {
            true => Action::Replicate,
            false => Action::Rest,
        }
    }
}

/// Plays a whole game and shows every state.
fn contest(config: &Config, names: &[&str], seed: Seed, mut look: impl FnMut(&Petri)) -> Outcome {
    let mut world = Petri::start(config, names.len() as u16, seed).expect("a sound set-up");
    let mut minds: HashMap<ActorId, Box<dyn Bot<Petri>>> = HashMap::new();
    loop {
        look(&world);
        let actors = match world.turn() {
            Turn::All(actors) => actors,
            Turn::Over(outcome) => return outcome,
            Turn::One(_) => unreachable!("all act at once"),
        };
        let choice = |actor: ActorId| {
            let player = world.agent(actor).expect("only the living act").player;
            let mind = minds.entry(actor).or_insert_with(|| match names[player.index()] {
                "breeder" => Box::new(Breeder),
                name => bots::bot(name, config, player, actor, seed).expect("a bot of ours"),
            });
            (actor, Choice::Act(mind.act(&world.view(Eye::Actor(actor)), &AtOnce)))
        };
        let moves = actors.into_iter().map(choice).collect();
        world.step(&Moves(moves), &mut Vec::new());
    }
}

/// How many of so many games with changing sides the first wins, and the second.
fn wins(names: [&str; 2], seeds: u64) -> [u32; 2] {
    let mut wins = [0; 2];
    for seed in 0..seeds {
        for turned in [false, true] {
            let seats = if turned { [names[1], names[0]] } else { names };
            let outcome = contest(&Config::default(), &seats, Seed(seed), |_| {});
            if let Some(winner) = outcome.winner() {
                wins[if turned { 1 - winner } else { winner }] += 1;
            }
        }
    }
    wins
}

#[test]
fn colony_beats_simple_and_simple_beats_random() {
    assert_eq!(wins(["colony", "simple"], 10), [20, 0]);
    assert_eq!(wins(["simple", "random"], 10), [20, 0]);
}

#[test]
fn knowing_kin_beats_breeding_alone() {
    let [colony, breeder] = wins(["colony", "breeder"], 20);
    assert!(colony >= 30 && breeder <= 10, "{colony} to {breeder}");
}

#[test]
fn every_listed_bot_exists() {
    for listed in <Petri as table::Hosted>::card().bots {
        let config = Config::default();
        assert!(bots::bot(listed.name, &config, PlayerId(0), ActorId(0), Seed(1)).is_some());
    }
    assert!(bots::bot("nobody", &Config::default(), PlayerId(0), ActorId(0), Seed(1)).is_none());
}

#[test]
fn simple_attacks_the_first_of_the_richest_above_five() {
    for (rows, action) in [
        (["A6 .. A6", ".. B9 ..", ".. .. .."], "attack north_west"),
        (["A5 .. ..", ".. B9 ..", ".. A5 .."], "rest"),
        (["A6 .. ..", ".. B9 A8", ".. A8 .."], "attack east"),
        ([".. .. ..", ".. B9 ..", ".. .. .."], "rest"),
    ] {
        let world = world(in_rows(), &rows);
        let centre = world.agent_at(Cell { x: 1, y: 1 }).expect("it is drawn").id;
        let choice = bots::Simple::choose(&world.view(Eye::Actor(centre)));
        assert_eq!(choice.to_string(), action, "{rows:?}");
    }
}

#[test]
fn the_memory_file_is_the_documents_and_the_agents_own() {
    use table::Hosted as _;
    let world = world(Config { keep_memory: true, ..in_rows() }, &["A10 .. B10"]);
    let mine = world.process(ActorId(0)).private_file.expect("everybody has one");
    let tag = world.agents()[0].tag.to_string();
    assert_eq!(mine.path, format!("/tmp/agents/{tag}.json"));
    assert_eq!((mine.variable, mine.env), ("AGENT_MEMORY", vec![("AGENT_ID", tag)]));
    assert_eq!((mine.most, mine.keep), (1 << 20, true));
    assert_ne!(mine.path, world.process(ActorId(1)).private_file.expect("everybody has one").path);
}

#[test]
fn plain_words_hold_every_agent() {
    use table::Shown as _;
    let world = world(in_rows(), &["A10 .. B7"]);
    let tag = |place: usize| world.agents()[place].tag;
    assert_eq!(
        world.plain(),
        serde_json::json!({ "tick": 0, "agents": [
            { "id": tag(0), "player": 0, "at": [0, 0], "energy": 10, "generation": 3 },
            { "id": tag(1), "player": 1, "at": [2, 0], "energy": 7, "generation": 3 },
        ]})
    );
    let measures = world.measures();
    assert_eq!(measures[0].name, "population");
    assert_eq!((&measures[1].values[..], measures[1].name), (&[10.0, 7.0][..], "energy"));
}

#[test]
fn whoever_resigns_forfeits_also_if_others_go_on() {
    let mut two = world(in_rows(), &["A5 B5"]);
    tick(&mut two, "resigns, rest");
    let ending = two.outcome().expect("it is over").ending;
    assert_eq!((ending.by, ending.why.as_str()), (EndedBy::Forfeit, "refused"));
    let mut three = world(in_rows(), &["A5 B5 C5"]);
    let before = three.digest();
    tick(&mut three, "resigns, rest, rest");
    assert!(three.outcome().is_none() && three.digest() != before);
    tick(&mut three, "die, rest");
    let ending = three.outcome().expect("it is over").ending;
    assert_eq!((ending.by, ending.why.as_str()), (EndedBy::Rules, "last-species"));
    let left = ending.forfeit_of(PlayerId(0)).map(|forfeit| forfeit.fault);
    assert_eq!(left, Some(FaultKind::Refused));
    // A process that is lost is no player who has resigned.
    let mut lost = world(in_rows(), &["A5 B5"]);
    tick(&mut lost, "lost, rest");
    assert_eq!(lost.outcome().map(|outcome| outcome.ending), Some(Ending::rules("last-species")));
}
