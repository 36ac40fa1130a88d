//! The words of the protocol, in both directions. Nowhere else are they spelled.

mod info;
mod option;

use std::fmt;
use std::time::Duration;

use game::printable;

use super::options::Declared;
use super::{Maze, Move, Point, Score, Side};
pub(super) use info::Info;

/// The version that is spoken, whatever a bot declares.
pub(super) const VERSION: &str = "1.0";

/// How much of a bot's free text is kept.
pub(super) const TEXT_KEPT: usize = 1000;

/// What an engine says to a bot: one line each, displayed without its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum ToBot<'a> {
    Pyrat,
    IsReady,
    SetOption {
        name: &'a str,
        value: Option<&'a str>,
    },
    Debug {
        on: bool,
    },
    NewGame,
    Recover,
    Size(&'a Maze),
    Walls(&'a Maze),
    Mud(&'a Maze),
    Cheese(&'a [Point]),
    Player(Side, Point),
    YouAre(Side),
    TimeControl(TimeControl),
    StartPreprocessing,
    TimeoutPreprocessing,
    /// What each side did, by [`Side::index`].
    Moves([Move; 2]),
    Go,
    Stop,
    TimeoutMove(Move),
    ReadyCheck,
    /// `None` is a draw.
    GameOver {
        winner: Option<Side>,
        scores: [Score; 2],
    },
    StartPostprocessing,
    TimeoutPostprocessing,
    History(&'a [[Move; 2]]),
    Positions([Point; 2]),
    Scores([Score; 2]),
}

/// The limits a bot is told. Unlimited time is told by silence: a zero would be read as none.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeControl {
    pub(super) turn: Option<Duration>,
    pub(super) preprocessing: Duration,
    pub(super) postprocessing: Duration,
}

impl fmt::Display for ToBot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToBot::Pyrat => f.write_str("pyrat"),
            ToBot::IsReady => f.write_str("isready"),
            ToBot::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            ToBot::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            ToBot::Debug { on } => write!(f, "debug {}", if *on { "on" } else { "off" }),
            ToBot::NewGame => f.write_str("newgame"),
            ToBot::Recover => f.write_str("recover"),
            ToBot::Size(maze) => {
                write!(f, "maze height:{} width:{}", maze.height(), maze.width())
            }
            ToBot::Walls(maze) => list(f, "walls", maze.walls(), |f, (a, b)| write!(f, "{a}-{b}")),
            ToBot::Mud(maze) => {
                list(f, "mud", maze.mud(), |f, (a, b, turns)| write!(f, "{a}-{b}:{turns}"))
            }
            ToBot::Cheese(cheese) => list(f, "cheese", cheese.iter(), |f, at| write!(f, "{at}")),
            ToBot::Player(side, at) => write!(f, "player{} {side} {at}", side.index() + 1),
            ToBot::YouAre(side) => write!(f, "youare {side}"),
            ToBot::TimeControl(time) => write!(f, "timecontrol {time}"),
            ToBot::StartPreprocessing => f.write_str("startpreprocessing"),
            ToBot::TimeoutPreprocessing => f.write_str("timeout preprocessing"),
            ToBot::Moves(moves) => write!(f, "moves {}", Both(moves)),
            ToBot::Go => f.write_str("go"),
            ToBot::Stop => f.write_str("stop"),
            ToBot::TimeoutMove(by) => write!(f, "timeout move:{by}"),
            ToBot::ReadyCheck => f.write_str("ready?"),
            ToBot::GameOver { winner, scores: [rat, python] } => {
                let winner = winner.map_or("draw", Side::name);
                write!(f, "gameover winner:{winner} score:{rat}-{python}")
            }
            ToBot::StartPostprocessing => f.write_str("startpostprocessing"),
            ToBot::TimeoutPostprocessing => f.write_str("timeout postprocessing"),
            // "[list of all moves]", and real clients take bare moves in pairs.
            ToBot::History(turns) => {
                list(f, "moves_history", turns.iter().flatten(), |f, by| write!(f, "{by}"))
            }
            ToBot::Positions(both) => write!(f, "current_position {}", Both(both)),
            ToBot::Scores(both) => write!(f, "score {}", Both(both)),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(turn) = self.turn {
            write!(f, "move:{} ", turn.as_millis())?;
        }
        let (before, after) = (self.preprocessing.as_millis(), self.postprocessing.as_millis());
        write!(f, "preprocessing:{before} postprocessing:{after}")
    }
}

/// A word and a list after it; the bare word if the list is empty.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    word: &str,
    items: impl Iterator<Item = T>,
    show: impl Fn(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    f.write_str(word)?;
    for item in items {
        f.write_str(" ")?;
        show(f, item)?;
    }
    Ok(())
}

/// Something of each side, in the form `rat:… python:…`.
struct Both<'a, T>(&'a [T; 2]);

impl<T: fmt::Display> fmt::Display for Both<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Both([rat, python]) = self;
        write!(f, "rat:{rat} python:{python}")
    }
}

/// What a bot says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FromBot {
    /// Something about itself.
    About(About),
    PyratReady,
    ReadyOk,
    PreprocessingDone,
    /// `move` and one of the five moves.
    Move(Move),
    /// `move` and something else.
    NoMove(String),
    Info(Info),
    Ready,
    PostprocessingDone,
    /// One of the five moves without the word `move` before it.
    BareMove(Move),
    /// An empty line.
    Nothing,
    /// Anything else, made safe to print.
    Unknown(String),
}

/// What a bot says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// `id name`.
    Name(String),
    /// `id author`.
    Author(String),
    /// `option`, if it can be understood.
    Option(Declared),
    /// `protocol version`, all that it declares.
    Versions(String),
}

impl FromBot {
    /// Reads a line. Every line has a meaning, if only [`FromBot::Unknown`].
    ///
    /// Any run of blanks separates tokens, and a carriage return is a blank.
    pub(super) fn parse(line: &[u8]) -> FromBot {
        let text = String::from_utf8_lossy(line);
        let (word, rest) = first_token(&text);
        let known = match word.to_ascii_lowercase().as_str() {
            "" => Some(FromBot::Nothing),
            "id" => id(rest).map(FromBot::About),
            "option" => option::parse(rest).map(About::Option).map(FromBot::About),
            "protocol" => versions(rest).map(FromBot::About),
            "pyratready" => Some(FromBot::PyratReady),
            "readyok" => Some(FromBot::ReadyOk),
            "preprocessingdone" => Some(FromBot::PreprocessingDone),
            "move" => Some(one_move(rest)),
            "info" => Some(FromBot::Info(Info::parse(rest))),
            "ready" => Some(FromBot::Ready),
            "postprocessingdone" => Some(FromBot::PostprocessingDone),
            _ => named_move(text.trim_ascii()).map(FromBot::BareMove),
        };
        known.unwrap_or_else(|| FromBot::Unknown(printable(line.trim_ascii(), TEXT_KEPT)))
    }
}

/// The first token of a text and what follows it.
fn first_token(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii())
}

fn id(rest: &str) -> Option<About> {
    let (what, text) = first_token(rest);
    let text = printable(text.as_bytes(), TEXT_KEPT);
    match what.to_ascii_lowercase().as_str() {
        "name" => Some(About::Name(text)),
        "author" => Some(About::Author(text)),
        _ => None,
    }
}

fn versions(rest: &str) -> Option<About> {
    let (what, list) = first_token(rest);
    let list: Vec<&str> = list.split_ascii_whitespace().collect();
    let list = printable(list.join(" ").as_bytes(), TEXT_KEPT);
    what.eq_ignore_ascii_case("version").then_some(About::Versions(list))
}

fn one_move(rest: &str) -> FromBot {
    // Whatever follows the move is for a version of the protocol to come.
    let (word, _) = first_token(rest);
    match named_move(word) {
        Some(by) => FromBot::Move(by),
        None => FromBot::NoMove(printable(rest.as_bytes(), TEXT_KEPT)),
    }
}

/// A move by its name, in any case.
fn named_move(word: &str) -> Option<Move> {
    Move::ALL.into_iter().find(|by| by.name().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> FromBot {
        FromBot::parse(line.as_bytes())
    }

    #[test]
    fn blanks_case_and_line_ends_do_not_matter() {
        for line in ["move UP", " MOVE\t up \r", "Move   Up", "move UP ponder DOWN"] {
            assert_eq!(parse(line), FromBot::Move(Move::Up), "{line}");
        }
        assert_eq!(parse("PyRatReady\r"), FromBot::PyratReady);
        assert_eq!(parse(" \t\r"), FromBot::Nothing);
    }

    #[test]
    fn a_move_that_is_none_keeps_its_text() {
        assert_eq!(parse("move NORTH"), FromBot::NoMove("NORTH".into()));
        assert_eq!(parse("move"), FromBot::NoMove(String::new()));
        assert_eq!(FromBot::parse(b"move \xff\x1b"), FromBot::NoMove("\u{fffd}\\x1b".into()));
    }

    #[test]
    fn names_and_authors_keep_their_blanks() {
        let about = |line| match parse(line) {
            FromBot::About(about) => about,
            other => panic!("{other:?}"),
        };
        assert_eq!(about("id name  GreedyBot v1.0 "), About::Name("GreedyBot v1.0".into()));
        assert_eq!(about("ID Author Student Name"), About::Author("Student Name".into()));
        assert_eq!(parse("id colour red"), FromBot::Unknown("id colour red".into()));
    }

    #[test]
    fn versions_are_listed() {
        let versions = FromBot::About(About::Versions("1.0 1.1 2.0".into()));
        assert_eq!(parse("protocol version 1.0 1.1  2.0"), versions);
        assert_eq!(parse("protocol"), FromBot::Unknown("protocol".into()));
    }

    #[test]
    fn what_is_almost_a_word_is_unknown_and_safe_to_print() {
        assert_eq!(parse(" up\r"), FromBot::BareMove(Move::Up));
        for line in ["moveUP", "UP!", "UP DOWN", "ready?", "pyrat ready", "go"] {
            assert_eq!(parse(line), FromBot::Unknown(line.into()));
        }
        assert_eq!(FromBot::parse(b"\x1b[2J\xff"), FromBot::Unknown("\\x1b[2J\\xff".into()));
    }

    #[test]
    fn lists_are_bare_words_when_they_are_empty() {
        let maze = Maze::new(3, 2, &[], &[]).expect("a plain board");
        let said = [ToBot::Size(&maze), ToBot::Walls(&maze), ToBot::Mud(&maze)];
        assert_eq!(said.map(|s| s.to_string()), ["maze height:2 width:3", "walls", "mud"]);
        assert_eq!(ToBot::Cheese(&[]).to_string(), "cheese");
        assert_eq!(ToBot::History(&[]).to_string(), "moves_history");
        let turns = [[Move::Up, Move::Left], [Move::Stay, Move::Down]];
        assert_eq!(ToBot::History(&turns).to_string(), "moves_history UP LEFT STAY DOWN");
    }

    #[test]
    fn halves_are_shown_and_whole_numbers_have_no_fraction() {
        let scores = [3, 4].map(|halves| Score { halves });
        let over = ToBot::GameOver { winner: Some(Side::Python), scores };
        assert_eq!(over.to_string(), "gameover winner:python score:1.5-2");
        let drawn = ToBot::GameOver { winner: None, scores: [scores[1]; 2] };
        assert_eq!(drawn.to_string(), "gameover winner:draw score:2-2");
    }

    #[test]
    fn unlimited_time_is_told_by_silence() {
        let time = TimeControl {
            turn: None,
            preprocessing: Duration::from_secs(3),
            postprocessing: Duration::ZERO,
        };
        let said = ToBot::TimeControl(time).to_string();
        assert_eq!(said, "timecontrol preprocessing:3000 postprocessing:0");
    }
}
