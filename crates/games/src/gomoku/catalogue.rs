//! What the arena knows of this game: its card, its bots, its pictures and exports.

use std::time::Duration;

use game::{
    ActorId, Bot, EndedBy, FaultKind, Forfeited, Outcome, PlayerId, Protocol, Seed, SetupError,
    Told,
};
use serde_json::{Value, json};
use table::desk::{Desk, OwnViews};
use table::scene::Scene;
use table::{
    ActorName, BotCard, BotProgram, Card, Chair, Export, FinishedGame, Hosted, KeyKind, Picture,
    Room, SetupKey, Shown,
};

use super::board::{Cell, Stone};
use super::bots::dummy;
use super::psq::{Ending, Psq};
use super::setup::Config;
use super::sgf::{Score, Sgf};
use super::state::{Action, Event, Gomoku};
use super::{bots, checks, desk, program, protocol};

const KEYS: &[SetupKey] = &[
    SetupKey {
        name: "rule",
        kind: KeyKind::Value,
        about: "freestyle, standard, renju, caro or caro-exact (default freestyle)",
    },
    SetupKey {
        name: "size",
        kind: KeyKind::Value,
        about: "side of the board, 5 to 32 (default 20 for freestyle, otherwise 15)",
    },
    SetupKey { name: "width", kind: KeyKind::Value, about: "width of a board that is not square" },
    SetupKey {
        name: "height",
        kind: KeyKind::Value,
        about: "height of a board that is not square",
    },
    SetupKey { name: "opening", kind: KeyKind::Value, about: "none or swap2 (default none)" },
    SetupKey {
        name: "openings",
        kind: KeyKind::TextFile,
        about: "file of openings, one a line (8,-3, 6,-4 or d3e5f6); each is played twice",
    },
    SetupKey { name: "position", kind: KeyKind::TextFile, about: "PSQ file to start from" },
    SetupKey { name: "start", kind: KeyKind::Value, about: "stones on the board at the start" },
    SetupKey { name: "max_moves", kind: KeyKind::Value, about: "a draw after so many stones" },
];

const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "any free cell near the other stones" },
    BotCard { name: "greedy", about: "the cell with the best patterns, one move deep" },
    BotCard { name: "hunter", about: "threat search over alpha-beta; uses its time" },
];

const EXPORTS: &[Export<Gomoku>] =
    &[Export { name: "psq", write: to_psq }, Export { name: "sgf", write: to_sgf }];

impl Hosted for Gomoku {
    fn card() -> Card {
        Card {
            keys: KEYS,
            bots: BOTS,
            dummy: Some(dummy::DUMMY),
            checks: checks::checks,
            ..Card::new("gomoku", "five in a row, with the protocol of Gomocup's brains")
        }
    }

    fn settle(config: &mut Config, _: u16, seed: Seed) -> Result<(), SetupError> {
        config.settle(seed)
    }

    fn protocol(config: &Config, chair: &Chair) -> Box<dyn Protocol<Gomoku>> {
        Box::new(protocol::Manager::new(config, chair))
    }

    fn bot(name: &str, config: &Config, chair: &Chair) -> Option<Box<dyn Bot<Gomoku>>> {
        bots::bot(name, config, chair)
    }

    fn program(name: &'static str, seed: Seed) -> Option<Box<dyn BotProgram>> {
        Some(Box::new(program::BrainProgram::new(name, seed)?))
    }

    fn desk(own: &OwnViews<'_, Gomoku>, picks: &[String]) -> Option<Desk<Action>> {
        Some(desk::desk(own, picks))
    }

    /// `BOARD` does.
    fn shows_positions() -> Result<(), &'static str> {
        Ok(())
    }

    fn take_back(&self, player: PlayerId) -> Result<Action, String> {
        self.taking_back(player)
    }

    fn is_take_back(action: &Action) -> bool {
        match action {
            Action::TakeBack(_) => true,
            Action::Put(_) | Action::Three(_) | Action::Two(_) | Action::Swap => false,
        }
    }
}

impl Shown for Gomoku {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        let colour = match self.colour(PlayerId(actor.0 as u16)) {
            Stone::Black => "black",
            Stone::White => "white",
        };
        ActorName::Only(colour.to_owned())
    }

    fn plain(&self) -> Value {
        let size = self.board().size();
        let first = u8::from(self.player(Stone::Black) != PlayerId(0)) + 1;
        let stones: Vec<Value> = bots::coloured(self.stones())
            .into_iter()
            .map(|(cell, stone)| {
                let player = if stone == Stone::Black { first } else { 3 - first };
                json!([cell.x, cell.y, player])
            })
            .collect();
        json!({ "size": [size.width, size.height], "stones": stones })
    }

    fn scene(&self, _: Option<PlayerId>, _: &[Told<Event>]) -> Scene {
        self.to_scene()
    }

    fn draw(&self, names: &[String], room: Room) -> Picture {
        self.picture(names, room)
    }

    fn exports() -> &'static [Export<Gomoku>] {
        EXPORTS
    }
}

/// Every stone that was left in order, with the time it took; stones of an opening took none.
fn timed(game: &FinishedGame<Gomoku>) -> Vec<(Cell, Duration)> {
    let mut times: Vec<Duration> = Vec::new();
    for (_, action, time) in &game.actions {
        match action {
            Action::Put(_) => times.push(*time),
            Action::Three(_) => times.extend([*time, Duration::ZERO, Duration::ZERO]),
            Action::Two(_) => times.extend([*time, Duration::ZERO]),
            Action::Swap => {}
            Action::TakeBack(stones) => {
                times.truncate(times.len().saturating_sub(stones.count()));
            }
        }
    }
    let stones = game.last.stones();
    let given = stones.len().saturating_sub(times.len());
    let times = std::iter::repeat_n(Duration::ZERO, given).chain(times);
    stones.iter().copied().zip(times).collect()
}

fn names(game: &FinishedGame<Gomoku>) -> [String; 2] {
    [Stone::Black, Stone::White].map(|stone| {
        let index = game.last.player(stone).index();
        game.names.get(index).cloned().unwrap_or_default()
    })
}

/// How a game without a winning line was lost.
enum Loss {
    OnTheBoard,
    OnTime,
    ByForfeit,
}

fn loss(outcome: &Outcome) -> Loss {
    let on_time = |one: &Forfeited| one.fault == FaultKind::Timeout;
    match outcome.ending.by {
        EndedBy::Rules | EndedBy::Adjudication | EndedBy::Unknown => Loss::OnTheBoard,
        EndedBy::Forfeit if outcome.ending.forfeits.iter().all(on_time) => Loss::OnTime,
        EndedBy::Forfeit => Loss::ByForfeit,
    }
}

fn to_psq(game: &FinishedGame<Gomoku>) -> Result<String, String> {
    let result = match &game.outcome {
        None => Ending::Unknown,
        Some(outcome) => match loss(outcome) {
            Loss::OnTheBoard => Ending::Regular,
            Loss::OnTime => Ending::Timeout,
            Loss::ByForfeit => Ending::Failure,
        },
    };
    let size = game.last.board().size();
    Ok(Psq { size, moves: timed(game), names: names(game), result }.to_string())
}

fn to_sgf(game: &FinishedGame<Gomoku>) -> Result<String, String> {
    let result = match &game.outcome {
        None => Score::Void,
        Some(outcome) => match outcome.winner() {
            None => Score::Draw,
            Some(winner) => {
                let stone = game.last.colour(PlayerId(winner as u16));
                match loss(outcome) {
                    Loss::OnTheBoard => Score::Win(stone),
                    Loss::OnTime => Score::WinOnTime(stone),
                    Loss::ByForfeit => Score::WinByForfeit(stone),
                }
            }
        },
    };
    let size = game.last.board().size();
    let rule = game.last.rule_name();
    Ok(Sgf { size, rule, names: names(game), moves: timed(game), result }.to_string())
}
