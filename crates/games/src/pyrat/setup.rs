//! The set-up of a game: what can be chosen, and the first state that follows from it.

use std::time::Duration;

use game::{Seed, SetupError};
use serde::{Deserialize, Serialize};

use super::generate::{self, Density, Larder, Regions, Symmetry};
use super::maze::{Between, Blueprint};
use super::state::Figures;
use super::{Cell, Player, Point, Side, State};

/// Everything that can be chosen before a game. What is `None` comes from the preset or is
/// generated from the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where the figures come from that are not given.
    pub preset: Preset,
    /// Number of columns, 2 to 255.
    pub width: Option<u32>,
    /// Number of rows, 2 to 255.
    pub height: Option<u32>,
    /// How much cheese to generate. A size other than the preset's has 13 % of its cells.
    pub cheese_count: Option<u32>,
    /// The turn after which the game ends at the latest.
    pub max_turns: Option<u32>,
    /// Generate neither walls nor mud; a density that is given counts all the same.
    pub open: bool,
    /// The share of walls to begin with; as many are removed as it takes to join all cells.
    pub wall_density: Option<f64>,
    /// The share of passages with mud.
    pub mud_density: Option<f64>,
    /// Generate what looks the same from both ends of the board.
    pub symmetric: bool,
    /// All walls; none are generated.
    pub walls: Option<Vec<(Point, Point)>>,
    /// All mud; none is generated.
    pub mud: Option<Vec<(Point, Point, u32)>>,
    /// All cheese; none is generated. It may lie on a start.
    pub cheese: Option<Vec<Point>>,
    /// Where player 1 starts: usually the bottom-left.
    pub rat: Option<Point>,
    /// Where player 2 starts: usually the top-right.
    pub python: Option<Point>,
    /// Time a bot has before the first turn.
    pub preprocessing_ms: u32,
    /// Time a bot has after the last turn.
    pub postprocessing_ms: u32,
    /// How long before the end of its time a bot is told to stop; 0 is never.
    pub stop_margin_ms: u32,
    /// How often the program of each player may be started anew in a game.
    pub restarts: u32,
    /// Whether bots are told to talk more, or to talk less; usually neither.
    pub debug: Option<bool>,
    /// How long a bot may think before it is asked whether it still listens; 0 is never.
    pub isready_ms: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            preset: Preset::Medium,
            width: None,
            height: None,
            cheese_count: None,
            max_turns: None,
            open: false,
            wall_density: None,
            mud_density: None,
            symmetric: true,
            walls: None,
            mud: None,
            cheese: None,
            rat: None,
            python: None,
            preprocessing_ms: 3000,
            postprocessing_ms: 1000,
            stop_margin_ms: 0,
            restarts: 3,
            debug: None,
            isready_ms: 0,
        }
    }
}

/// The longest game. All its moves are kept and looked at in every turn.
const MOST_TURNS: u32 = 100_000;

/// A well-known size of game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// 11x9, 13 cheese, 150 turns.
    Tiny,
    /// 15x13, 21 cheese, 200 turns.
    Small,
    /// 21x15, 41 cheese, 300 turns.
    Medium,
    /// 31x21, 85 cheese, 400 turns.
    Large,
    /// 41x31, 165 cheese, 500 turns.
    Huge,
    /// As medium, but with neither walls nor mud.
    Open,
}

/// The figures of a preset.
struct Figure {
    width: u8,
    height: u8,
    cheese: usize,
    max_turns: u32,
}

impl Preset {
    /// Every preset, the smallest first.
    pub const ALL: [Preset; 6] =
        [Preset::Tiny, Preset::Small, Preset::Medium, Preset::Large, Preset::Huge, Preset::Open];

    fn figure(self) -> Figure {
        let (width, height, cheese, max_turns) = match self {
            Preset::Tiny => (11, 9, 13, 150),
            Preset::Small => (15, 13, 21, 200),
            Preset::Medium | Preset::Open => (21, 15, 41, 300),
            Preset::Large => (31, 21, 85, 400),
            Preset::Huge => (41, 31, 165, 500),
        };
        Figure { width, height, cheese, max_turns }
    }
}

impl Config {
    /// The set-up that a preset stands for.
    pub fn preset(preset: Preset) -> Config {
        Config { preset, ..Config::default() }
    }

    /// Time a bot has before the first turn.
    pub fn preprocessing(&self) -> Duration {
        Duration::from_millis(self.preprocessing_ms.into())
    }

    /// Time a bot has after the last turn.
    pub fn postprocessing(&self) -> Duration {
        Duration::from_millis(self.postprocessing_ms.into())
    }

    /// How long before the end of its time a bot is told to stop, if it is.
    pub fn stop_margin(&self) -> Option<Duration> {
        (self.stop_margin_ms > 0).then(|| Duration::from_millis(self.stop_margin_ms.into()))
    }

    /// How long a bot may think before it is asked whether it still listens, if it is.
    pub fn listening(&self) -> Option<Duration> {
        (self.isready_ms > 0).then(|| Duration::from_millis(self.isready_ms.into()))
    }

    /// This set-up with everything on the board spelled out as it is in `state`, which must
    /// be a first state. It gives the same game whatever the seed.
    pub fn spelled_out(&self, state: &State) -> Config {
        let maze = state.maze();
        Config {
            width: Some(maze.width().into()),
            height: Some(maze.height().into()),
            cheese_count: None,
            max_turns: Some(state.max_turns()),
            walls: Some(maze.walls().collect()),
            mud: Some(maze.mud().map(|(a, b, turns)| (a, b, turns.into())).collect()),
            cheese: Some(state.cheese().map(|cell| maze.point(cell)).collect()),
            rat: Some(state.point_of(Side::Rat)),
            python: Some(state.point_of(Side::Python)),
            ..self.clone()
        }
    }

    /// The first state of a game.
    ///
    /// A given maze may have cells that cannot be reached: they are scenery. Given cheese must
    /// be within the reach of at least one player, and generated cheese is.
    pub fn start(&self, seed: Seed) -> Result<State, SetupError> {
        let figure = self.preset.figure();
        let width = side("width", self.width, figure.width)?;
        let height = side("height", self.height, figure.height)?;
        let max_turns = self.max_turns.unwrap_or(figure.max_turns);
        if !(1..=MOST_TURNS).contains(&max_turns) {
            let wrong = format!("max_turns is {max_turns} and must be 1 to {MOST_TURNS}");
            return Err(SetupError::new(wrong));
        }
        let blueprint = self.drawing(width, height, seed)?;

        let rat = self.rat.unwrap_or(Point::new(0, 0));
        let python = self.python.unwrap_or(Point::new(width - 1, height - 1));
        blueprint.on_board("rat", rat)?;
        blueprint.on_board("python", python)?;
        let cheese = self.larder_cells(&blueprint, (width, height), [rat, python], seed)?;

        let maze = blueprint.build();
        let players = [rat, python]
            .map(|at| Player::new(maze.cell(at).expect("the starts have been found on the board")));
        let left: Vec<Cell> = maze.cells().filter(|cell| cheese[cell.index()]).collect();
        let cheese_total = left.len() as u32;
        Ok(State::new(maze, &left, Figures { players, cheese_total, turn: 0, max_turns }))
    }

    fn symmetry(&self) -> Symmetry {
        if self.symmetric { Symmetry::Turned } else { Symmetry::None }
    }

    /// Walls and mud, given or generated.
    fn drawing(&self, width: u8, height: u8, seed: Seed) -> Result<Blueprint, SetupError> {
        let is_open = self.open || self.preset == Preset::Open;
        let density = |what, given: Option<f64>, usual| {
            Density::new(what, given.unwrap_or(if is_open { 0.0 } else { usual }))
        };
        let wall_density = density("wall_density", self.wall_density, 0.7)?;
        let mud_density = density("mud_density", self.mud_density, 0.1)?;

        let mut blueprint = Blueprint::new(width, height)?;
        for &(a, b) in self.walls.iter().flatten() {
            blueprint.set("wall", a, b, Between::WALL)?;
        }
        for &(a, b, turns) in self.mud.iter().flatten() {
            blueprint.set_mud(a, b, turns)?;
        }
        if self.walls.is_none() {
            let rng = &mut seed.rng("walls");
            generate::walls(&mut blueprint, wall_density, self.symmetry(), rng);
        }
        if self.mud.is_none() {
            generate::mud(&mut blueprint, mud_density, self.symmetry(), &mut seed.rng("mud"));
        }
        Ok(blueprint)
    }

    /// For every cell whether it holds cheese, given or generated.
    fn larder_cells(
        &self,
        blueprint: &Blueprint,
        (width, height): (u8, u8),
        starts: [Point; 2],
        seed: Seed,
    ) -> Result<Vec<bool>, SetupError> {
        let starts = starts.map(|at| blueprint.cell(at));
        // Generated walls never cut anything off.
        let mut regions = self.walls.as_ref().map(|_| Regions::of(blueprint));
        let mut reached = |cell: usize| match &mut regions {
            None => true,
            Some(regions) => starts.iter().any(|&start| regions.joined(start, cell)),
        };

        let mut there = vec![false; blueprint.cells()];
        if let Some(given) = &self.cheese {
            self.check_count(given.len())?;
            for &point in given {
                blueprint.on_board("cheese", point)?;
                let cell = blueprint.cell(point);
                if there[cell] {
                    return Err(SetupError::new(format!("cheese {point} is given twice")));
                }
                if !reached(cell) {
                    return Err(SetupError::new(format!("cheese {point} cannot be reached")));
                }
                there[cell] = true;
            }
            return Ok(there);
        }

        let has_centre = width % 2 == 1 && height % 2 == 1;
        let centre = has_centre.then_some(blueprint.cells() / 2);
        let free = |cell: usize| !starts.contains(&cell) && reached(cell);
        let larder = Larder::new(blueprint.cells(), centre, self.symmetry(), free);
        let count = match self.cheese_count {
            Some(count) => count as usize,
            None => {
                let figure = self.preset.figure();
                let usual = (figure.width, figure.height) == (width, height);
                let share = || (blueprint.cells() * 13 + 50) / 100;
                larder.nearest(if usual { figure.cheese } else { share() })
            }
        };
        for cell in larder.choose(count, &mut seed.rng("cheese"))? {
            there[cell] = true;
        }
        Ok(there)
    }

    /// Given cheese must be some, and as much as was asked for.
    fn check_count(&self, given: usize) -> Result<(), SetupError> {
        if given == 0 {
            return Err(SetupError::new("cheese is empty and there must be at least one"));
        }
        match self.cheese_count {
            Some(count) if count as usize != given => Err(SetupError::new(format!(
                "cheese_count is {count}, but {given} cheese are given"
            ))),
            Some(_) | None => Ok(()),
        }
    }
}

/// A side of the board within its limits.
fn side(name: &str, given: Option<u32>, usual: u8) -> Result<u8, SetupError> {
    match given {
        None => Ok(usual),
        Some(given) => match u8::try_from(given) {
            Ok(side @ 2..) => Ok(side),
            Ok(_) | Err(_) => {
                Err(SetupError::new(format!("{name} is {given} and must be 2 to 255")))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use super::super::{Maze, Move};

    fn p(x: u8, y: u8) -> Point {
        Point::new(x, y)
    }

    fn sized(width: u32, height: u32) -> Config {
        Config { width: Some(width), height: Some(height), ..Config::default() }
    }

    fn refused(config: &Config) -> String {
        config.start(Seed(1)).expect_err("must be refused").to_string()
    }

    fn reachable(maze: &Maze) -> usize {
        let mut seen = HashSet::from([maze.cell(p(0, 0)).expect("a corner")]);
        let mut queue: Vec<Cell> = seen.iter().copied().collect();
        while let Some(cell) = queue.pop() {
            queue.extend(maze.exits(cell).map(|(_, exit)| exit.to).filter(|&to| seen.insert(to)));
        }
        seen.len()
    }

    fn turned(maze: &Maze, at: Point) -> Point {
        p(maze.width() - 1 - at.x, maze.height() - 1 - at.y)
    }

    #[test]
    fn generated_games_are_connected_and_symmetric() {
        let sizes = [(2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (5, 8), (21, 15), (20, 15), (255, 2)];
        for (number, (width, height)) in sizes.into_iter().enumerate() {
            let state = sized(width, height).start(Seed(number as u64)).expect("a fine size");
            let maze = state.maze();
            assert_eq!(reachable(maze), maze.len(), "{width}x{height}");
            for cell in maze.cells() {
                let image = maze.cell(turned(maze, maze.point(cell))).expect("on the board");
                for (by, back) in [(Move::Up, Move::Down), (Move::Right, Move::Left)] {
                    let (there, image) = (maze.exit(cell, by), maze.exit(image, back));
                    assert_eq!(turned(maze, maze.point(there.to)), maze.point(image.to));
                    assert_eq!(there.mud, image.mud);
                    assert!(matches!(there.mud, 0 | 2 | 3));
                }
                assert_eq!(state.has_cheese(cell), state.has_cheese(image));
            }
            for side in Side::BOTH {
                assert!(!state.has_cheese(state.player(side).at), "cheese on a start");
            }
            assert!(state.cheese_left() > 0);
        }
    }

    #[test]
    fn presets_have_their_published_figures() {
        let expected = [(11, 9, 13, 150), (15, 13, 21, 200), (21, 15, 41, 300), (31, 21, 85, 400)];
        let expected = expected.into_iter().chain([(41, 31, 165, 500), (21, 15, 41, 300)]);
        for (preset, expected) in Preset::ALL.into_iter().zip(expected) {
            let state = Config::preset(preset).start(Seed(5)).expect("presets are fine");
            let maze = state.maze();
            let found = (maze.width(), maze.height(), state.cheese_left(), state.max_turns());
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn open_has_neither_walls_nor_mud() {
        let by_preset = Config::preset(Preset::Open);
        let by_key = Config { open: true, ..Config::preset(Preset::Tiny) };
        for config in [by_preset, by_key] {
            let state = config.start(Seed(1)).expect("fine");
            assert_eq!(state.maze().walls().count() + state.maze().mud().count(), 0);
        }
    }

    #[test]
    fn densities_are_about_right() {
        let (mut walls, mut mud, mut passages) = (0, 0, 0);
        for seed in 0..50 {
            let state = Config::default().start(Seed(seed)).expect("fine");
            walls += state.maze().walls().count();
            mud += state.maze().mud().count();
            passages += 20 * 15 + 21 * 14 - state.maze().walls().count();
        }
        // A wall density of 0.7 leaves far too few passages, so that nearly a tree remains.
        assert!((270..282).contains(&(walls / 50)), "{}", walls / 50);
        let share = f64::from(mud as u32) / f64::from(passages as u32);
        assert!((0.08..0.12).contains(&share), "{share}");
        let sparse = Config { wall_density: Some(0.2), ..Config::default() };
        let walls = sparse.start(Seed(1)).expect("fine").maze().walls().count();
        assert!((80..160).contains(&walls), "{walls}");
    }

    #[test]
    fn a_seed_gives_the_same_game_for_ever() {
        let digest = |config: &Config, seed| {
            let mut digest = game::Digest::new("test");
            config.start(Seed(seed)).expect("fine").digest(&mut digest);
            digest.finish()
        };
        let config = Config::default();
        assert_eq!(digest(&config, 7), digest(&config, 7));
        assert_ne!(digest(&config, 7), digest(&config, 8));
        // If this fails, every stored replay has become worthless: undo the change.
        assert_eq!(digest(&config, 42), KNOWN[0]);
        assert_eq!(digest(&Config { symmetric: false, ..sized(12, 9) }, 42), KNOWN[1]);
    }

    const KNOWN: [u64; 2] = [13_877_087_299_969_046_037, 11_157_591_091_678_319_647];

    #[test]
    fn without_symmetry_an_odd_count_needs_no_centre() {
        let config = Config { symmetric: false, cheese_count: Some(7), ..sized(4, 4) };
        let state = config.start(Seed(3)).expect("fine");
        assert_eq!((state.cheese_left(), reachable(state.maze())), (7, 16));
    }

    #[test]
    fn an_odd_count_takes_the_centre_or_is_an_error() {
        let odd = |config| Config { cheese_count: Some(5), ..config };
        let state = odd(sized(5, 3)).start(Seed(1)).expect("has a centre");
        assert!(state.has_cheese(state.maze().cell(p(2, 1)).expect("the centre")));
        let why = "cheese_count is 5, which is odd and needs a free centre: both sides odd";
        assert_eq!(refused(&odd(sized(4, 3))), why);
        assert_eq!(refused(&odd(Config { rat: Some(p(2, 1)), ..sized(5, 3) })), why);
    }

    #[test]
    fn impossible_figures_are_refused_by_name() {
        let count = |n| Config { cheese_count: Some(n), ..sized(3, 3) };
        assert_eq!(refused(&count(8)), "cheese_count is 8, but there is room for only 7");
        assert_eq!(refused(&count(0)), "cheese_count is 0, and there must be at least one");
        assert!(count(7).start(Seed(1)).is_ok());
        assert_eq!(refused(&sized(256, 3)), "width is 256 and must be 2 to 255");
        assert_eq!(refused(&sized(3, 1)), "height is 1 and must be 2 to 255");
        let endless = Config { max_turns: Some(0), ..Config::default() };
        assert_eq!(refused(&endless), "max_turns is 0 and must be 1 to 100000");
        let endless = Config { max_turns: Some(u32::MAX), ..Config::default() };
        assert_eq!(refused(&endless), "max_turns is 4294967295 and must be 1 to 100000");
        let dense = Config { wall_density: Some(1.5), ..Config::default() };
        assert_eq!(refused(&dense), "wall_density is 1.5 and must be 0 to 1");
        let nan = Config { mud_density: Some(f64::NAN), ..Config::default() };
        assert_eq!(refused(&nan), "mud_density is NaN and must be 0 to 1");
    }

    #[test]
    fn impossible_cheese_and_starts_are_refused_by_name() {
        let with = |cheese: &[Point]| Config { cheese: Some(cheese.to_vec()), ..sized(3, 3) };
        assert_eq!(refused(&with(&[p(1, 1), p(1, 1)])), "cheese (1,1) is given twice");
        assert_eq!(refused(&with(&[p(1, 3)])), "cheese (1,3) is off the 3x3 board");
        assert_eq!(refused(&with(&[])), "cheese is empty and there must be at least one");
        let counted = Config { cheese_count: Some(2), ..with(&[p(1, 1)]) };
        assert_eq!(refused(&counted), "cheese_count is 2, but 1 cheese are given");
        let off = Config { python: Some(p(3, 0)), ..sized(3, 3) };
        assert_eq!(refused(&off), "python (3,0) is off the 3x3 board");
    }

    #[test]
    fn given_cheese_must_be_within_reach_but_other_cells_need_not() {
        // (2,0) is walled in.
        let walls = vec![(p(1, 0), p(2, 0)), (p(2, 0), p(2, 1))];
        let closed = Config { walls: Some(walls), ..sized(3, 3) };
        let unfair = Config { cheese: Some(vec![p(1, 1), p(2, 0)]), ..closed.clone() };
        assert_eq!(refused(&unfair), "cheese (2,0) cannot be reached");
        for seed in 0..20 {
            let state = closed.start(Seed(seed)).expect("only scenery is cut off");
            assert!(!state.has_cheese(state.maze().cell(p(2, 0)).expect("on the board")));
        }
    }

    #[test]
    fn what_is_given_stays_and_what_is_missing_is_generated() {
        let mud = vec![(p(3, 2), p(3, 3), 9)];
        let config = Config { mud: Some(mud.clone()), rat: Some(p(4, 4)), ..sized(7, 5) };
        for seed in 0..20 {
            let state = config.start(Seed(seed)).expect("fine");
            let maze = state.maze();
            assert_eq!(maze.mud().map(|(a, b, n)| (a, b, n.into())).collect::<Vec<_>>(), mud);
            assert!(maze.walls().count() > 0);
            assert_eq!(reachable(maze), 35);
            assert_eq!(
                (state.point_of(Side::Rat), state.point_of(Side::Python)),
                (p(4, 4), p(6, 4))
            );
            assert_eq!(state.cheese_left(), 5);
        }
    }

    #[test]
    fn a_set_up_file_reads_as_documented() {
        let text = r#"{"width":7,"height":5,"walls":[[[0,0],[1,0]]],"mud":[[[1,1],[1,2],3]],
            "cheese":[[2,2],[0,0]],"rat":[0,0],"python":[6,4],"max_turns":60}"#;
        let config: Config = serde_json::from_str(text).expect("the documented form");
        let state = config.start(Seed(1)).expect("fine");
        assert_eq!(state.maze().walls().collect::<Vec<_>>(), [(p(0, 0), p(1, 0))]);
        assert_eq!(state.maze().mud().collect::<Vec<_>>(), [(p(1, 1), p(1, 2), 3)]);
        assert_eq!((state.cheese_left(), state.max_turns()), (2, 60));
        let typo = serde_json::from_str::<Config>(r#"{"widht":7}"#).expect_err("a typo");
        assert!(typo.to_string().contains("expected one of `preset`, `width`"), "{typo}");
        let unknown = serde_json::from_str::<Config>(r#"{"preset":"gigantic"}"#);
        let unknown = unknown.expect_err("no such preset").to_string();
        assert!(unknown.contains("`tiny`, `small`"), "{unknown}");
    }

    #[test]
    fn a_set_up_survives_being_written_and_spelled_out() {
        let config = Config { wall_density: Some(0.55), ..sized(12, 8) };
        let state = config.start(Seed(9)).expect("fine");
        let json = serde_json::to_string(&config).expect("serialises");
        let back: Config = serde_json::from_str(&json).expect("reads back");
        assert_eq!((&back, back.start(Seed(9)).as_ref()), (&config, Ok(&state)));
        let spelled = config.spelled_out(&state);
        assert_eq!(spelled.start(Seed(10)).as_ref(), Ok(&state));
    }
}
