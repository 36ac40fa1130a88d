//! A bot's side of the protocol: a built-in bot for any engine.

use std::time::Duration;

use game::{Bot, Budget, Seed};
use table::{BotProgram, Meanwhile, ProgramReply};

use super::{Maze, Move, PlayerView, Point, Pyrat, Score, Side, State, View, bots};

/// Engines do not say when a game ends; the largest preset has so many turns.
const MAX_TURNS: u32 = 400;
/// The time for a move where the engine names none.
const TIME: Duration = Duration::from_millis(100);

/// The program of one player.
pub(super) struct PlayerProgram {
    name: &'static str,
    seed: Seed,
    told: Told,
    game: Option<Playing>,
    asked: Option<Asked>,
    times: Times,
}

/// What there is to think about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Preparation,
    Move,
}

/// What the lines before a game have said.
#[derive(Default)]
struct Told {
    size: (u8, u8),
    walls: Vec<(Point, Point)>,
    mud: Vec<(Point, Point, u16)>,
    cheese: Vec<Point>,
    at: [Option<Point>; 2],
    scores: [Score; 2],
    you: Option<Side>,
    history: Vec<[Move; 2]>,
}

/// A game under way.
struct Playing {
    bot: Box<dyn Bot<Pyrat>>,
    state: State,
    you: Side,
    history: Vec<[Move; 2]>,
    /// Whether a move has been asked for: before that, `moves` is about no turn.
    begun: bool,
}

#[derive(Default)]
struct Times {
    turn: Option<Duration>,
    preprocessing: Option<Duration>,
}

impl PlayerProgram {
    /// The built-in bot of this name, which must be listed.
    pub(super) fn new(name: &'static str, seed: Seed) -> PlayerProgram {
        let (told, times) = (Told::default(), Times::default());
        PlayerProgram { name, seed, told, game: None, asked: None, times }
    }

    /// The game, once enough has been said about it.
    fn game(&mut self) -> Option<&mut Playing> {
        if self.game.is_none() {
            let (state, you) = self.told.state()?;
            let bot = bots::bot(self.name, self.seed.rng(&format!("pyrat bot {}", you.index())))?;
            let history = self.told.history.clone();
            let begun = !history.is_empty();
            self.game = Some(Playing { bot, state, you, history, begun });
        }
        self.game.as_mut()
    }

    fn anew(&mut self) -> ProgramReply {
        (self.told, self.game, self.asked) = (Told::default(), None, None);
        ProgramReply::Silent
    }

    fn ask(&mut self, asked: Asked) -> ProgramReply {
        self.asked = Some(asked);
        ProgramReply::Think
    }

    /// The engine says what both did.
    fn moves(&mut self, words: &[&str]) {
        let Some(both) = pair(words, named) else { return };
        if let Some(game) = self.game()
            && game.begun
        {
            game.state.step(both[0], both[1]);
            game.history.push(both);
        }
    }
}

impl Told {
    fn state(&self) -> Option<(State, Side)> {
        let (width, height) = self.size;
        let maze = Maze::new(width, height, &self.walls, &self.mud).ok()?;
        let player = |side: Side| {
            let at = self.at[side.index()]?;
            Some(PlayerView { at, to: at, mud: 0, score: self.scores[side.index()] })
        };
        let mut cheese = self.cheese.clone();
        cheese.sort_unstable_by_key(|point| (point.y, point.x));
        cheese.dedup();
        let scored: u32 = self.scores.iter().map(|score| score.halves).sum();
        let view = View {
            you: self.you,
            turn: self.history.len() as u32,
            max_turns: MAX_TURNS.max(self.history.len() as u32 + 1),
            rat: player(Side::Rat)?,
            python: player(Side::Python)?,
            cheese_total: cheese.len() as u32 + scored / 2,
            cheese,
            maze,
            history: Vec::new(),
        };
        Some((view.state().ok()?, self.you?))
    }

    fn player(&mut self, words: &[&str]) {
        if let [side, at, ..] = words
            && let (Some(side), Some(at)) = (side_named(side), point(at))
        {
            self.at[side.index()] = Some(at);
        }
    }
}

/// What is said after `rat:` and `python:`.
fn pair<T>(words: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<[T; 2]> {
    let of = |side: Side| {
        words.iter().find_map(|word| {
            let (name, value) = word.split_once(':')?;
            name.eq_ignore_ascii_case(side.name()).then(|| read(value))?
        })
    };
    Some([of(Side::Rat)?, of(Side::Python)?])
}

/// What is said after this word and a colon.
fn value<T: std::str::FromStr>(words: &[&str], name: &str) -> Option<T> {
    words.iter().find_map(|word| {
        let (key, value) = word.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.parse().ok())?
    })
}

fn named(word: &str) -> Option<Move> {
    Move::ALL.into_iter().find(|by| by.name().eq_ignore_ascii_case(word))
}

fn side_named(word: &str) -> Option<Side> {
    [Side::Rat, Side::Python].into_iter().find(|side| side.name().eq_ignore_ascii_case(word))
}

fn point(word: &str) -> Option<Point> {
    let (x, y) = word.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    Some(Point::new(x.parse().ok()?, y.parse().ok()?))
}

fn passage(word: &str) -> Option<(Point, Point)> {
    let (a, b) = word.split_once('-')?;
    Some((point(a)?, point(b)?))
}

fn mud(word: &str) -> Option<(Point, Point, u16)> {
    let (between, turns) = word.rsplit_once(':')?;
    let (a, b) = passage(between)?;
    Some((a, b, turns.parse().ok()?))
}

fn score(word: &str) -> Option<Score> {
    let points: f64 = word.parse().ok()?;
    Some(Score { halves: (points * 2.0).round() as u32 })
}

impl BotProgram for PlayerProgram {
    fn line(&mut self, line: &[u8]) -> ProgramReply {
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let Some((word, rest)) = words.split_first() else { return ProgramReply::Silent };
        match word.to_ascii_lowercase().as_str() {
            "pyrat" => {
                return ProgramReply::Say(format!(
                    "id name {}\nid author The Lanista authors\npyratready",
                    self.name
                ));
            }
            "isready" => return ProgramReply::Say("readyok".to_owned()),
            "ready?" => return ProgramReply::Say("ready".to_owned()),
            "newgame" | "recover" => return self.anew(),
            "maze" => {
                let side = |name| value(rest, name).unwrap_or_default();
                self.told.size = (side("width"), side("height"));
            }
            "walls" => self.told.walls = rest.iter().filter_map(|word| passage(word)).collect(),
            "mud" => self.told.mud = rest.iter().filter_map(|word| mud(word)).collect(),
            "cheese" => self.told.cheese = rest.iter().filter_map(|word| point(word)).collect(),
            "player1" | "player2" => self.told.player(rest),
            "youare" => self.told.you = rest.first().and_then(|word| side_named(word)),
            "timecontrol" => {
                let time = |name| value(rest, name).map(Duration::from_millis);
                self.times = Times { turn: time("move"), preprocessing: time("preprocessing") };
            }
            "moves_history" => {
                let moves: Vec<Move> = rest.iter().filter_map(|word| named(word)).collect();
                self.told.history = moves.chunks_exact(2).map(|two| [two[0], two[1]]).collect();
            }
            "current_position" => {
                if let Some(both) = pair(rest, point) {
                    self.told.at = both.map(Some);
                }
            }
            "score" => self.told.scores = pair(rest, score).unwrap_or_default(),
            "startpreprocessing" => return self.ask(Asked::Preparation),
            "moves" => self.moves(rest),
            "go" => return self.ask(Asked::Move),
            "startpostprocessing" => return ProgramReply::Say("postprocessingdone".to_owned()),
            // "Unknown commands must be ignored", and what is left needs no answer.
            _ => {}
        }
        ProgramReply::Silent
    }

    fn think(&mut self, budget: &dyn Budget) -> String {
        let asked = self.asked.take();
        let chosen = self.game().map(|game| {
            let mut view = View::of(&game.state, Some(game.you));
            match asked {
                Some(Asked::Preparation) => {
                    game.bot.prepare(&view, budget);
                    Move::Stay
                }
                Some(Asked::Move) | None => {
                    game.begun = true;
                    view.history.clone_from(&game.history);
                    game.bot.act(&view, budget)
                }
            }
        });
        match asked {
            Some(Asked::Preparation) => "preprocessingdone".to_owned(),
            Some(Asked::Move) | None => format!("move {}", chosen.unwrap_or(Move::Stay)),
        }
    }

    fn time(&self) -> Option<Duration> {
        let time = match self.asked {
            Some(Asked::Preparation) => self.times.preprocessing,
            Some(Asked::Move) | None => self.times.turn,
        };
        Some(time.unwrap_or(TIME))
    }

    fn meanwhile(&self) -> fn(&[u8]) -> Meanwhile {
        |line| match line.trim_ascii().to_ascii_lowercase().as_slice() {
            b"isready" => Meanwhile::Say("readyok"),
            b"stop" => Meanwhile::Hurry,
            line if line.starts_with(b"timeout") => Meanwhile::Hurry,
            _ => Meanwhile::Wait,
        }
    }
}
