//! Pictures of a world for a terminal.

use game::{PlayerId, count};
use table::picture::{cut, pad, width};
use table::{Line, Picture, Room, Style};

use super::grid::{Cell, Direction};
use super::state::{Agent, Petri};

/// Players are told apart by these, in the order of their seats.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@#";

/// Colours that can be told apart on dark and light terminals.
const COLOURS: [Style; 12] = [
    Style("1;31"),
    Style("1;34"),
    Style("1;32"),
    Style("1;35"),
    Style("1;33"),
    Style("1;36"),
    Style("1;91"),
    Style("1;94"),
    Style("1;92"),
    Style("1;95"),
    Style("1;93"),
    Style("1;96"),
];

/// A cell with its energy takes so many columns; wider worlds take one, still larger ones less.
const WITH_ENERGY: usize = 4;
/// A world with energies is no wider than this: in larger ones nobody reads them.
const READABLE: usize = 80;
/// No name takes more columns than this.
const LONGEST_NAME: usize = 24;

/// The whole world and a line for each player, or for those with most agents.
pub(super) fn draw(world: &Petri, names: &[String], room: Room) -> Picture {
    let size = world.size();
    let (columns, rows) = (usize::from(size.width), usize::from(size.height));
    let most = world.config().max_ticks;
    let mut status = format!("tick {} of {most}, {columns}×{rows}", world.ticks());
    if let Some(outcome) = world.outcome() {
        status.push_str(&format!(": {}", outcome.reason));
    }
    let players = players(world, names, (room.rows / 4).max(2));
    let inside = room.without(0, 1 + players.len());
    let across = columns.div_ceil(inside.columns.max(1));
    let down = rows.div_ceil(inside.rows.max(1));
    let wide = columns * WITH_ENERGY;
    let (board, legend) = match (across, down) {
        (1, 1) if wide <= inside.columns && wide <= READABLE => {
            let legend = "A10 an agent of A with energy 10; ++ is 100 or more";
            (with_energies(world), legend)
        }
        (1, 1) => (letters(world, 1, 1), "A an agent of A"),
        _ => {
            status.push_str(&format!("; a sign is {across}×{down} cells"));
            (letters(world, across, down), "A: most agents there are of A")
        }
    };
    let mut head = vec![Line::painted(Style::STRONG, &status)];
    head.extend(players);
    let legend = vec![Line::painted(Style::FAINT, legend)];
    Picture { head, board, legend, clipped: false }
}

/// What one player's agents see together: strangers have no owner, and the rest of the world is dark.
pub(super) fn draw_for(world: &Petri, player: PlayerId, names: &[String], room: Room) -> Picture {
    let size = world.size();
    let own: Vec<&Agent> = world.agents().iter().filter(|agent| agent.player == player).collect();
    let mut sights = vec![Sight::Dark; size.cells()];
    for agent in &own {
        for cell in Direction::ALL.into_iter().filter_map(|way| size.neighbour(agent.at, way)) {
            let other = world.agent_at(cell).filter(|other| other.player != player);
            sights[size.index(cell)] = match other {
                Some(other) => Sight::Stranger(other.energy),
                None => Sight::Empty,
            };
        }
    }
    for agent in &own {
        sights[size.index(agent.at)] = Sight::Own(agent.energy);
    }
    let (columns, rows) = (usize::from(size.width), usize::from(size.height));
    let mut status = format!("tick {}, {columns}×{rows}", world.ticks());
    if let Some(outcome) = world.outcome() {
        status.push_str(&format!(": {}", table::scene::ending(&outcome, Some(player))));
    }
    let inside = room.without(0, 2);
    let (across, down) =
        (columns.div_ceil(inside.columns.max(1)), rows.div_ceil(inside.rows.max(1)));
    let wide = columns * WITH_ENERGY;
    let (board, legend) = match (across, down) {
        (1, 1) if wide <= inside.columns && wide <= READABLE => {
            let rows = sights.chunks(columns);
            let legend =
                "your letter and a number: an agent and its energy; ? a stranger; · an empty cell";
            (rows.map(|row| sighted(row, player, Energies::Shown)).collect(), legend)
        }
        (1, 1) => {
            let rows = sights.chunks(columns);
            let legend = "your letter: an agent; ? a stranger; · an empty cell";
            (rows.map(|row| sighted(row, player, Energies::Left)).collect(), legend)
        }
        _ => {
            status.push_str(&format!("; a sign is {across}×{down} cells"));
            let square = |x: usize, y: usize| {
                let rows = y * down..((y + 1) * down).min(rows);
                let cells = rows.flat_map(|row| {
                    sights[row * columns..(row + 1) * columns].chunks(across).nth(x)
                });
                cells.flatten().max().copied().unwrap_or(Sight::Dark)
            };
            let lines = (0..rows.div_ceil(down)).map(|y| {
                let row: Vec<Sight> = (0..columns.div_ceil(across)).map(|x| square(x, y)).collect();
                sighted(&row, player, Energies::Left)
            });
            (lines.collect(), "your letter: some of your agents; ? strangers; · empty cells")
        }
    };
    let mut line = Line::painted(colour(player.index()), &letter(player.index()).to_string());
    let name = cut(names.get(player.index()).map_or("", String::as_str), LONGEST_NAME);
    let energy: i64 = own.iter().map(|agent| i64::from(agent.energy)).sum();
    line.push(&format!(" {name} {}, energy {energy}", count(own.len() as u64, "agent")));
    let head = vec![Line::painted(Style::STRONG, &status), line];
    let legend = vec![Line::painted(Style::FAINT, legend)];
    Picture { head, board, legend, clipped: false }
}

/// What one player knows of a cell; of several cells the last of these is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sight {
    Dark,
    Empty,
    Stranger(i32),
    Own(i32),
}

/// Whether energies are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Energies {
    Shown,
    Left,
}

fn sighted(row: &[Sight], player: PlayerId, energies: Energies) -> Line {
    let mut line = Line::new();
    for sight in row {
        let (style, sign, energy) = match sight {
            Sight::Dark => (Style::FAINT, ' ', None),
            Sight::Empty => (Style::FAINT, '·', None),
            Sight::Stranger(energy) => (Style::STRONG, '?', Some(*energy)),
            Sight::Own(energy) => (colour(player.index()), letter(player.index()), Some(*energy)),
        };
        let shown = match (energies, energy) {
            (Energies::Left, _) => sign.to_string(),
            (Energies::Shown, None) => format!("{sign}   "),
            (Energies::Shown, Some(100..)) => format!("{sign}++ "),
            (Energies::Shown, Some(energy)) => format!("{sign}{energy:<3}"),
        };
        line.paint(style, &shown);
    }
    line
}

/// Four characters a cell: whose it is, and its energy.
fn with_energies(world: &Petri) -> Vec<Line> {
    let size = world.size();
    let row = |y| {
        let mut line = Line::new();
        for x in 0..size.width {
            match world.agent_at(Cell { x, y }) {
                Some(agent) => {
                    let shown =
                        if agent.energy > 99 { "++".to_owned() } else { agent.energy.to_string() };
                    let player = agent.player.index();
                    let cell = format!("{}{shown}", letter(player));
                    line.paint(colour(player), &cell).push(&" ".repeat(4 - cell.len().min(4)));
                }
                None => {
                    line.push("·   ");
                }
            }
        }
        line
    };
    (0..size.height).map(row).collect()
}

/// One character for a square of cells: the player with most agents there.
fn letters(world: &Petri, across: usize, down: usize) -> Vec<Line> {
    let size = world.size();
    let columns = usize::from(size.width).div_ceil(across);
    let rows = usize::from(size.height).div_ceil(down);
    let players = world.species().len();
    let mut counts = vec![0_u32; columns * rows * players];
    for Agent { at, player, .. } in world.agents() {
        let (column, row) = (usize::from(at.x) / across, usize::from(at.y) / down);
        counts[(row * columns + column) * players + player.index()] += 1;
    }
    let row = |row: &[u32]| {
        let mut line = Line::new();
        for square in row.chunks(players) {
            // The first of those with most agents.
            let (player, count) = square
                .iter()
                .enumerate()
                .rev()
                .max_by_key(|(_, count)| **count)
                .expect("there are players");
            match count {
                0 => line.push("·"),
                _ => line.paint(colour(player), &letter(player).to_string()),
            };
        }
        line
    };
    counts.chunks(columns * players).map(row).collect()
}

/// A line for each player in the order of seats; where there are more than `room`, for those with
/// most agents, and how many are left out.
fn players(world: &Petri, names: &[String], room: usize) -> Vec<Line> {
    let energies = world.energies();
    let mut oldest = vec![0; energies.len()];
    for agent in world.agents() {
        let most = &mut oldest[agent.player.index()];
        *most = agent.generation.max(*most);
    }
    let species = world.species();
    let mut shown: Vec<usize> = (0..species.len()).collect();
    let left_out = if shown.len() > room { shown.len() - (room - 1) } else { 0 };
    if left_out > 0 {
        shown.sort_by_key(|&player| std::cmp::Reverse(species[player].agents));
        shown.truncate(room - 1);
    }
    let column = names.iter().map(|name| width(name).min(LONGEST_NAME)).max().unwrap_or(0);
    let line = |player: usize| {
        let name = cut(names.get(player).map_or("", String::as_str), LONGEST_NAME);
        let name = pad(&name, column);
        let mut line = Line::painted(colour(player), &letter(player).to_string());
        line.push(&match species[player].extinct {
            Some(tick) => format!(" {name}  extinct after tick {tick}"),
            None => {
                let agents = species[player].agents;
                let word = if agents == 1 { "agent " } else { "agents" };
                let (energy, generation) = (energies[player], oldest[player]);
                format!(" {name} {agents:>5} {word}  energy {energy:>5}  generation {generation}")
            }
        });
        line
    };
    let mut lines: Vec<Line> = shown.into_iter().map(line).collect();
    if left_out > 0 {
        lines.push(Line::painted(Style::FAINT, &format!("… and {left_out} others")));
    }
    lines
}

fn letter(player: usize) -> char {
    char::from(LETTERS[player % LETTERS.len()])
}

fn colour(player: usize) -> Style {
    COLOURS[player % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use game::Seed;
    use table::Ink;

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
        let picture = draw(&world, &names, Room::ENDLESS).text(Ink::Plain);
        assert_eq!(
            picture,
            "tick 0 of 200, 4×3\n\
             A ann     2 agents  energy    17  generation 0\n\
             B bob     2 agents  energy   133  generation 0\n\
             ·   ·   B10 ·\n\
             ·   A10 ·   B++\n\
             A7  ·   ·   ·\n\
             A10 an agent of A with energy 10; ++ is 100 or more\n"
        );
    }

    #[test]
    fn the_usual_world_fits_a_terminal_and_colours_add_only_escape_codes() {
        let config = Config { initial_agents: 60, ..Config::default() };
        let world = world(config, 4);
        let plain = draw(&world, &[], Room::ENDLESS).text(Ink::Plain);
        assert!(plain.lines().all(|line| line.chars().count() < 80));
        assert_eq!(plain.lines().count(), 1 + 4 + 15 + 1);
        let mut bare = String::new();
        for part in draw(&world, &[], Room::ENDLESS).text(Ink::Colour).split('\x1b') {
            bare += part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |p| p.1);
        }
        assert_eq!(bare, plain);
    }

    #[test]
    fn larger_worlds_take_a_character_a_cell_and_the_largest_less() {
        for (width, height, columns, rows) in
            [(21, 15, 21, 15), (100, 37, 100, 37), (101, 20, 51, 20), (1000, 1000, 100, 36)]
        {
            let world = world(Config { width, height, ..Config::default() }, 2);
            let picture = draw(&world, &[], Room { columns: 100, rows: 40 });
            let board: Vec<String> = picture.board.iter().map(|l| l.text(Ink::Plain)).collect();
            assert_eq!(board.len(), rows, "{width}×{height}");
            assert!(board.iter().all(|line| line.chars().count() == columns));
            assert!(board.iter().any(|line| line.contains('A')));
        }
    }

    #[test]
    fn of_many_players_those_with_most_agents_are_shown() {
        let mut world = world(Config { initial_agents: 1, ..Config::default() }, 30);
        world.species[29].agents = 7;
        let lines = players(&world, &[], 5);
        assert_eq!(lines.len(), 5);
        assert!(lines[0].text(Ink::Plain).contains("    7 agents"));
        assert_eq!(lines[4].text(Ink::Plain), "… and 26 others");
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
        let picture = draw(&world, &[], Room::ENDLESS).text(Ink::Plain);
        assert!(picture.contains("A   extinct after tick 1\n"), "{picture}");
        let first = "tick 1 of 200, 2×1: only agents of player 2 are left after 1 tick\n";
        assert!(picture.starts_with(first), "{picture}");
    }
}
