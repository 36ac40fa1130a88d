//! The rules of a game from the first stone to the last.

use std::fmt;
use std::str::FromStr;

use game::{
    ActorId, Audience, Choice, Digest, Ending, Eye, Fault, FaultKind, Forfeit, Game, Illegal,
    Moves, Outcome, Past, PlayerId, Role, Ruling, Seed, SetupError, Told, Turn,
};
use serde::{Deserialize, Serialize, Serializer};

use super::board::{Board, Cell, Rule, Size, Stone};
use super::lines::winning_line;
use super::renju::forbidden;
use super::setup::{Config, Opening};
use crate::digits::pair;

/// A game of five in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gomoku {
    rule: Rule,
    board: Board,
    /// Stones in the order they were put; Black's are the even ones.
    stones: Vec<Cell>,
    /// Who plays Black. Changes only by swap2.
    black: PlayerId,
    phase: Phase,
    max_moves: u32,
    /// Hash of the stones, kept up to date.
    hash: u64,
    /// How many of the stones belong to the opening and stay.
    #[serde(default)]
    opening: usize,
}

/// What is to be decided next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Phase {
    /// Swap2: the first player puts three stones.
    Three,
    /// Swap2: the second player takes White and plays, swaps, or puts two more.
    Choose,
    /// Swap2: the first player takes White and plays, or swaps.
    ChooseLast,
    /// The player on turn puts a stone.
    Play,
    /// It has ended.
    Over(Outcome),
}

/// What a player may do. In replays: `7,7`, `7,7 8,8 9,9`, `7,7 8,8`, `swap` or `take back 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Action {
    /// Puts a stone.
    Put(Cell),
    /// Swap2: puts the first three stones, black, white, black.
    Three([Cell; 3]),
    /// Swap2: puts two more, white and black, and leaves the choice to the other.
    Two([Cell; 2]),
    /// Swap2: takes the other colour.
    Swap,
    /// Takes the last stone or the last two from the board, as their players have agreed. No bot can say this.
    TakeBack(Stones),
}

/// How many stones are taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stones {
    /// The last one: the other player's, who asked for it.
    One,
    /// The last one and the one before: the player on turn asked for it.
    Two,
}

impl Stones {
    /// As a number.
    pub fn count(self) -> usize {
        match self {
            Stones::One => 1,
            Stones::Two => 2,
        }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Who did it.
    pub player: PlayerId,
    /// What it did.
    pub action: Action,
}

/// What anybody sees: all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// What wins.
    pub rule: Rule,
    /// Width and height.
    pub size: Size,
    /// Stones in the order they were put; Black's are the even ones.
    pub stones: Vec<Cell>,
    /// Who plays Black.
    pub black: PlayerId,
    /// What is to be decided.
    pub phase: Phase,
}

/// Both players of a game.
pub(super) const BOTH: [PlayerId; 2] = [PlayerId(0), PlayerId(1)];

impl View {
    /// The game that is seen. Where its stones came from, and how many there may be, is not.
    pub(super) fn game(&self) -> Gomoku {
        let View { rule, size, stones, black, phase } = self;
        let (board, max_moves) = (Board::empty(*size), u32::MAX);
        let (black, phase) = (*black, phase.clone());
        let (rule, opening) = (*rule, stones.len());
        let mut game =
            Gomoku { rule, board, stones: Vec::new(), black, phase, max_moves, hash: 0, opening };
        stones.iter().for_each(|cell| game.put(*cell));
        game
    }
}

impl Gomoku {
    /// The stones on the board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Stones in the order they were put; Black's are the even ones.
    pub fn stones(&self) -> &[Cell] {
        &self.stones
    }

    /// What wins.
    pub fn rule_name(&self) -> Rule {
        self.rule
    }

    /// The colour of a player.
    pub fn colour(&self, player: PlayerId) -> Stone {
        if player == self.black { Stone::Black } else { Stone::White }
    }

    /// The player of a colour.
    pub fn player(&self, stone: Stone) -> PlayerId {
        match stone {
            Stone::Black => self.black,
            Stone::White => other(self.black),
        }
    }

    /// The colour of the next stone.
    pub fn next_stone(&self) -> Stone {
        if self.stones.len().is_multiple_of(2) { Stone::Black } else { Stone::White }
    }

    /// What is to be decided next.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.phase {
            Phase::Over(outcome) => Some(outcome),
            Phase::Three | Phase::Choose | Phase::ChooseLast | Phase::Play => None,
        }
    }

    pub(super) fn mover(&self) -> Option<PlayerId> {
        match self.phase {
            Phase::Three | Phase::ChooseLast => Some(PlayerId(0)),
            Phase::Choose => Some(PlayerId(1)),
            Phase::Play => Some(self.player(self.next_stone())),
            Phase::Over(_) => None,
        }
    }

    fn put(&mut self, cell: Cell) {
        let stone = self.next_stone();
        self.board.set(cell, Some(stone));
        self.stones.push(cell);
        self.hash ^= hash_of(cell, stone);
    }

    /// Takes the last stone from the board.
    fn lift(&mut self) {
        let Some(cell) = self.stones.pop() else { return };
        self.board.set(cell, None);
        self.hash ^= hash_of(cell, self.next_stone());
    }

    /// The action that takes the last stone of a player back.
    pub(super) fn taking_back(&self, player: PlayerId) -> Result<Action, String> {
        let stones = match (&self.phase, self.mover() == Some(player)) {
            (Phase::Play, true) => Stones::Two,
            (Phase::Play, false) => Stones::One,
            (Phase::Three | Phase::Choose | Phase::ChooseLast, _) => {
                return Err("the stones of the opening cannot be taken back".to_owned());
            }
            (Phase::Over(_), _) => return Err("the game is over".to_owned()),
        };
        self.may_lift(stones).map_err(|illegal| illegal.0)?;
        Ok(Action::TakeBack(stones))
    }

    fn may_lift(&self, stones: Stones) -> Result<(), Illegal> {
        match self.stones.len().saturating_sub(self.opening) >= stones.count() {
            true => Ok(()),
            false => Err(Illegal::new("there is no stone of yours that can be taken back")),
        }
    }

    /// Puts a stone and finds out whether the game is over by it.
    fn play(&mut self, cell: Cell) {
        let stone = self.next_stone();
        let mover = self.player(stone);
        // A five wins even where the move would be forbidden; `forbidden` knows that.
        let fouls = match (self.rule, stone) {
            (Rule::Renju, Stone::Black) => forbidden(&self.board, cell),
            _ => None,
        };
        self.put(cell);
        if let Some(foul) = fouls {
            let reason = format!("Black played {cell}, which is forbidden: {foul}");
            self.win(other(mover), Ending::rules("forbidden-move"), reason);
        } else if winning_line(&self.board, self.rule, cell).is_some() {
            let name = colour_name(stone);
            self.win(mover, Ending::rules("five"), format!("{name} has five in a row"));
        } else if self.stones.len() == self.board.size().area() {
            let full = Ending::rules("full-board");
            self.phase = Phase::Over(Outcome::draw(2, full, "the board is full"));
        } else if self.stones.len() as u64 >= u64::from(self.max_moves) {
            let reason = format!("{} stones", self.max_moves);
            self.phase = Phase::Over(Outcome::draw(2, Ending::rules("max-moves"), reason));
        }
    }

    fn win(&mut self, winner: PlayerId, ending: Ending, reason: String) {
        self.phase = Phase::Over(Outcome::win(winner.index(), 2, ending, reason));
    }

    pub(super) fn free(&self, cell: Cell) -> Result<(), Illegal> {
        let size = self.board.size();
        if size.cell(i64::from(cell.x), i64::from(cell.y)).is_none() {
            return Err(Illegal::new(format!("{cell} is off the {size} board")));
        }
        match self.board.at(cell) {
            None => Ok(()),
            Some(stone) => {
                let name = colour_name(stone).to_lowercase();
                Err(Illegal::new(format!("{cell} is taken by a {name} stone")))
            }
        }
    }

    fn all_free(&self, cells: &[Cell]) -> Result<(), Illegal> {
        for (index, cell) in cells.iter().enumerate() {
            self.free(*cell)?;
            if cells[..index].contains(cell) {
                return Err(Illegal::new(format!("{cell} twice")));
            }
        }
        Ok(())
    }
}

impl Game for Gomoku {
    const ID: &'static str = "gomoku";
    type Config = Config;
    type Action = Action;
    type View = View;
    type Event = Event;

    fn start(config: &Config, players: u16, seed: Seed) -> Result<Gomoku, SetupError> {
        if players != 2 {
            return Err(SetupError::new(format!("gomoku is for 2 players, not {players}")));
        }
        let mut config = config.clone();
        config.settle(seed)?;
        let size = config.board()?;
        let mut game = Gomoku {
            rule: config.rule,
            board: Board::empty(size),
            stones: Vec::new(),
            black: PlayerId(0),
            phase: match config.opening {
                Opening::None => Phase::Play,
                Opening::Swap2 => Phase::Three,
            },
            max_moves: config.max_moves.unwrap_or(u32::MAX),
            hash: 0,
            opening: 0,
        };
        for cell in &config.start {
            game.free(*cell).map_err(|illegal| SetupError::new(format!("start: {illegal}")))?;
            game.play(*cell);
            if let Some(outcome) = game.outcome() {
                let why = &outcome.reason;
                return Err(SetupError::new(format!("start: the game is over at once: {why}")));
            }
        }
        if game.max_moves as usize <= game.stones.len() {
            return Err(SetupError::new("max_moves leaves nothing to play"));
        }
        game.opening = game.stones.len();
        Ok(game)
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        roles.extend(BOTH.map(|player| Role { actor: ActorId(player.0.into()), player }));
    }

    fn turn(&self) -> Turn {
        match (&self.phase, self.mover()) {
            (Phase::Over(outcome), _) => Turn::Over(outcome.clone()),
            (_, Some(mover)) => Turn::One(ActorId(mover.0.into())),
            (_, None) => unreachable!("somebody is on turn until it is over"),
        }
    }

    fn view(&self, _: Eye) -> View {
        View {
            rule: self.rule,
            size: self.board.size(),
            stones: self.stones.clone(),
            black: self.black,
            phase: self.phase.clone(),
        }
    }

    fn check(&self, actor: ActorId, action: &Action) -> Result<(), Illegal> {
        if self.mover().map(|player| ActorId(player.0.into())) != Some(actor) {
            return Err(Illegal::new("not on turn"));
        }
        match (action, &self.phase) {
            (Action::Put(cell), Phase::Play | Phase::Choose | Phase::ChooseLast) => {
                self.free(*cell)
            }
            (Action::Three(cells), Phase::Three) => self.all_free(cells),
            (Action::Two(cells), Phase::Choose) => self.all_free(cells),
            (Action::Swap, Phase::Choose | Phase::ChooseLast) => Ok(()),
            (Action::TakeBack(stones), Phase::Play) => self.may_lift(*stones),
            (_, Phase::Three) => Err(Illegal::new(format!("\"{action}\" is not three cells"))),
            (_, Phase::Choose | Phase::ChooseLast | Phase::Play | Phase::Over(_)) => {
                Err(Illegal::new(format!("\"{action}\" is not possible now")))
            }
        }
    }

    fn step(&mut self, moves: &Moves<Action>, told: &mut Vec<Told<Event>>) {
        let quitters: Vec<(PlayerId, &Forfeit)> = moves
            .0
            .iter()
            .filter_map(|(actor, choice)| match choice {
                Choice::Forfeit(why) => Some((PlayerId(actor.0 as u16), why)),
                Choice::Act(_) => None,
            })
            .collect();
        let ending = || Ending::forfeit(quitters.iter().map(|(who, why)| why.of(*who)).collect());
        match quitters[..] {
            [] => {}
            [(loser, why)] => {
                let name = colour_name(self.colour(loser));
                self.win(other(loser), ending(), format!("{name} forfeits: {why}"));
                return;
            }
            _ => {
                self.phase = Phase::Over(Outcome::draw(2, ending(), "both players forfeit"));
                return;
            }
        }
        for (actor, choice) in &moves.0 {
            let Choice::Act(action) = choice else { continue };
            let player = PlayerId(actor.0 as u16);
            match (*action, &self.phase) {
                (Action::Put(cell), Phase::Play) => self.play(cell),
                // Whoever puts the next stone in swap2 takes White; it is White's turn.
                (Action::Put(cell), _) => {
                    self.opening = self.stones.len();
                    self.black = other(player);
                    self.phase = Phase::Play;
                    self.play(cell);
                }
                (Action::Three(cells), _) => {
                    cells.into_iter().for_each(|cell| self.put(cell));
                    self.phase = Phase::Choose;
                }
                (Action::Two(cells), _) => {
                    cells.into_iter().for_each(|cell| self.put(cell));
                    self.phase = Phase::ChooseLast;
                }
                (Action::Swap, _) => {
                    self.opening = self.stones.len();
                    self.black = player;
                    self.phase = Phase::Play;
                }
                (Action::TakeBack(stones), _) => (0..stones.count()).for_each(|_| self.lift()),
            }
            told.push(Told { to: Audience::All, event: Event { player, action: *action } });
        }
    }

    fn rule(&self, _: ActorId, fault: &Fault, _: Past) -> Ruling<Action> {
        match fault.kind {
            FaultKind::Early | FaultKind::Extra | FaultKind::BadOption => Ruling::Overlook,
            FaultKind::NotStarted
            | FaultKind::NotReady
            | FaultKind::Refused
            | FaultKind::Timeout
            | FaultKind::Crash
            | FaultKind::EndOfOutput
            | FaultKind::BadInput
            | FaultKind::Illegal
            | FaultKind::LineTooLong
            | FaultKind::Flood
            | FaultKind::Memory
            | FaultKind::Processes
            | FaultKind::Cpu
            | FaultKind::Disk => Ruling::Forfeit,
        }
    }

    fn digest(&self) -> u64 {
        let phase = match &self.phase {
            Phase::Three => 1,
            Phase::Choose => 2,
            Phase::ChooseLast => 3,
            Phase::Play => 4,
            Phase::Over(outcome) => 5 + outcome.winner().map_or(0, |winner| 1 + winner as u64),
        };
        let size = self.board.size();
        let shape = u64::from(size.width) << 8 | u64::from(size.height);
        let mut digest = Digest::default();
        digest.word(self.hash).word(self.stones.len() as u64).word(shape).word(phase);
        digest.word(u64::from(self.black.0) << 8 | self.rule as u64).finish()
    }
}

fn hash_of(cell: Cell, stone: Stone) -> u64 {
    let place = u64::from(cell.y) << 8 | u64::from(cell.x);
    Digest::default().word(place << 1 | stone as u64).finish()
}

/// The opponent.
pub(super) fn other(player: PlayerId) -> PlayerId {
    PlayerId(1 - player.0)
}

/// A colour's name at the start of a sentence.
pub(super) fn colour_name(stone: Stone) -> &'static str {
    match stone {
        Stone::Black => "Black",
        Stone::White => "White",
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Put(cell) => write!(f, "{cell}"),
            Action::Three([a, b, c]) => write!(f, "{a} {b} {c}"),
            Action::Two([a, b]) => write!(f, "{a} {b}"),
            Action::Swap => f.write_str("swap"),
            Action::TakeBack(stones) => write!(f, "take back {}", stones.count()),
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // There is one in every ply.
            Action::Put(cell) => serializer.serialize_str(pair(cell.x, cell.y, &mut [0; 7])),
            Action::Three(_) | Action::Two(_) | Action::Swap | Action::TakeBack(_) => {
                serializer.collect_str(self)
            }
        }
    }
}

impl TryFrom<String> for Action {
    type Error = String;
    fn try_from(text: String) -> Result<Action, String> {
        text.parse()
    }
}

impl FromStr for Action {
    type Err = String;
    fn from_str(text: &str) -> Result<Action, String> {
        match text {
            "swap" => return Ok(Action::Swap),
            "take back 1" => return Ok(Action::TakeBack(Stones::One)),
            "take back 2" => return Ok(Action::TakeBack(Stones::Two)),
            _ => {}
        }
        let unreadable = || format!("\"{text}\" is not a gomoku action");
        let cells: Option<Vec<Cell>> = text
            .split(' ')
            .map(|pair| {
                let (x, y) = pair.split_once(',')?;
                Some(Cell { x: x.parse().ok()?, y: y.parse().ok()? })
            })
            .collect();
        match cells.ok_or_else(unreadable)?[..] {
            [a] => Ok(Action::Put(a)),
            [a, b] => Ok(Action::Two([a, b])),
            [a, b, c] => Ok(Action::Three([a, b, c])),
            _ => Err(unreadable()),
        }
    }
}
