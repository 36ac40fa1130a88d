//! Pictures of a world for a terminal.

use std::fmt::Write as _;

use table::Ink;

use super::grid::Cell;
use super::state::{Agent, Petri};

/// Players are told apart by these, in the order of their seats.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@#";

/// Colours that can be told apart on dark and light terminals.
const COLOURS: [u8; 12] = [31, 34, 32, 35, 33, 36, 91, 94, 92, 95, 93, 96];

/// In wider worlds a cell is one character, and in still larger ones a character is many cells.
const MOST_COLUMNS: usize = 80;
const MOST_CHARACTERS: usize = 100;
const MOST_ROWS: usize = 40;

/// The whole world and a line for each player.
pub(super) fn draw(world: &Petri, names: &[String], ink: Ink) -> String {
    let size = world.size();
    let (width, height) = (usize::from(size.width), usize::from(size.height));
    let mut text = String::new();
    let most = world.config().max_ticks;
    let scale = (width.div_ceil(MOST_CHARACTERS)).max(height.div_ceil(MOST_ROWS));
    write!(text, "tick {} of {most}, {width}×{height}", world.ticks()).expect("it fits");
    if scale > 1 {
        write!(text, ", a character is {scale}×{scale} cells").expect("it fits");
    }
    text.push('\n');
    match (scale, width * 4 <= MOST_COLUMNS) {
        (1, true) => with_energies(world, ink, &mut text),
        (scale, _) => letters(world, scale, ink, &mut text),
    }
    legend(world, names, ink, &mut text);
    text
}

/// Four characters a cell: whose it is, and its energy.
fn with_energies(world: &Petri, ink: Ink, text: &mut String) {
    let size = world.size();
    for y in 0..size.height {
        for x in 0..size.width {
            match world.agent_at(Cell { x, y }) {
                Some(agent) => {
                    let shown =
                        if agent.energy > 99 { "++".to_owned() } else { agent.energy.to_string() };
                    let cell = format!("{}{shown:<3}", letter(agent.player.index()));
                    paint(text, &cell, agent.player.index(), ink);
                }
                None => text.push_str("·   "),
            }
        }
        end_line(text);
    }
}

/// One character for a square of cells: the player with most agents there.
fn letters(world: &Petri, scale: usize, ink: Ink, text: &mut String) {
    let size = world.size();
    let columns = usize::from(size.width).div_ceil(scale);
    let rows = usize::from(size.height).div_ceil(scale);
    let players = world.species().len();
    let mut counts = vec![0_u32; columns * rows * players];
    for Agent { at, player, .. } in world.agents() {
        let (column, row) = (usize::from(at.x) / scale, usize::from(at.y) / scale);
        counts[(row * columns + column) * players + player.index()] += 1;
    }
    for row in counts.chunks(columns * players) {
        for square in row.chunks(players) {
            // The first of those with most agents.
            let (player, count) = square
                .iter()
                .enumerate()
                .rev()
                .max_by_key(|(_, count)| **count)
                .expect("there are players");
            match count {
                0 => text.push('·'),
                _ => paint(text, &letter(player).to_string(), player, ink),
            }
        }
        end_line(text);
    }
}

fn legend(world: &Petri, names: &[String], ink: Ink, text: &mut String) {
    let energies = world.energies();
    let mut oldest = vec![0; energies.len()];
    for agent in world.agents() {
        let most = &mut oldest[agent.player.index()];
        *most = agent.generation.max(*most);
    }
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (player, species) in world.species().iter().enumerate() {
        let name = names.get(player).map_or("", String::as_str);
        paint(text, &letter(player).to_string(), player, ink);
        let line = match species.extinct {
            Some(tick) => format!(" {name:<width$}  extinct after tick {tick}"),
            None => format!(
                " {name:<width$} {:>5} agents  energy {:>5}  generation {}",
                species.agents, energies[player], oldest[player]
            ),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if let Some(outcome) = world.outcome() {
        text.push_str(&outcome.reason);
        text.push('\n');
    }
}

fn letter(player: usize) -> char {
    char::from(LETTERS[player % LETTERS.len()])
}

fn paint(text: &mut String, what: &str, player: usize, ink: Ink) {
    match ink {
        Ink::Plain => text.push_str(what),
        Ink::Colour => {
            let colour = COLOURS[player % COLOURS.len()];
            let bare = what.trim_end();
            let rest = &what[bare.len()..];
            write!(text, "\x1b[1;{colour}m{bare}\x1b[0m{rest}").expect("it fits");
        }
    }
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use game::Seed;

    use super::super::setup::Config;
    use super::*;

    fn world(config: Config, players: u16) -> Petri {
        Petri::new(config, players, Seed(4)).expect("a sound set-up")
    }

    #[test]
    fn a_small_world_shows_every_energy() {
        let config = Config { width: 4, height: 3, initial_agents: 2, ..Config::default() };
        let names = ["ann", "bob"].map(str::to_owned);
        let mut world = world(config, 2);
        world.agents[0].energy = 7;
        world.agents[3].energy = 123;
        let picture = draw(&world, &names, Ink::Plain);
        assert_eq!(
            picture,
            "tick 0 of 200, 4×3\n\
             ·   ·   B10 ·\n\
             ·   A10 ·   B++\n\
             A7  ·   ·   ·\n\
             A ann     2 agents  energy    17  generation 0\n\
             B bob     2 agents  energy   133  generation 0\n"
        );
    }

    #[test]
    fn the_usual_world_fits_a_terminal_and_colours_add_only_escape_codes() {
        let config = Config { initial_agents: 60, ..Config::default() };
        let world = world(config, 4);
        let plain = draw(&world, &[], Ink::Plain);
        assert!(plain.lines().all(|line| line.chars().count() < 80));
        assert_eq!(plain.lines().count(), 1 + 15 + 4);
        let mut bare = String::new();
        for part in draw(&world, &[], Ink::Colour).split('\x1b') {
            bare += part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |p| p.1);
        }
        assert_eq!(bare, plain);
    }

    #[test]
    fn larger_worlds_take_a_character_a_cell_and_the_largest_less() {
        for (width, height, columns, rows) in
            [(21, 15, 21, 15), (100, 40, 100, 40), (101, 20, 51, 10), (1000, 1000, 40, 40)]
        {
            let world = world(Config { width, height, ..Config::default() }, 2);
            let picture = draw(&world, &[], Ink::Plain);
            let lines: Vec<&str> = picture.lines().collect();
            assert_eq!(lines.len(), 1 + rows + 2, "{width}×{height}");
            assert!(lines[1..=rows].iter().all(|line| line.chars().count() == columns));
            assert!(lines[1..=rows].iter().any(|line| line.contains('A')));
        }
    }

    #[test]
    fn the_extinct_and_the_end_are_told() {
        let config = Config { width: 2, height: 1, initial_agents: 1, ..Config::default() };
        let mut world = world(config, 2);
        let leaves = game::Choice::Forfeit(testkit::crash());
        let rests = game::Choice::Act(super::super::action::Action::Rest);
        let [first, second] = [0, 1].map(|place| world.agents()[place].id);
        let moves = game::Moves(vec![(first, leaves), (second, rests)]);
        game::Game::step(&mut world, &moves, &mut Vec::new());
        let picture = draw(&world, &[], Ink::Plain);
        assert!(picture.contains("A   extinct after tick 1\n"), "{picture}");
        assert!(picture.ends_with("only agents of player 2 are left after 1 tick\n"), "{picture}");
    }
}
