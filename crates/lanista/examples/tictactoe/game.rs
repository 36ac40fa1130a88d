//! Tic-tac-toe: rules, protocol, bots, card and pictures in one file, because it is small.
//!
//! The protocol, line by line:
//!
//! ```text
//! > you are X            the host says which mark is the bot's
//! < ready
//! > move ....X....       the board row by row; X begins
//! < 0                    a free cell, 0 to 8
//! > end                  and the program leaves
//! ```

use std::time::Duration;

use game::{
    ActorId, Afterwards, Audience, Bot, Budget, Choice, Command, Digest, Ending, Eye, Fault,
    FaultKind, Forfeited, Game, Illegal, Moves, Out, Outcome, Past, PlayerId, Protocol, Rng, Role,
    Ruling, Said, Seed, SetupError, Tick, Told, Turn,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use table::desk::{Desk, DeskView, Offer, OwnViews};
use table::scene::{self, CELL, Mark, Scene, SeatLine, Shape, ShapeForm, Tint};
use table::{
    ActorName, BotCard, Card, Chair, Hosted, KeyKind, Line, Measure, Picture, Room, SetupKey, Shown,
};

/// Three in a row: rows, columns, diagonals.
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

// ---- the rules ----

/// The set-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Player 2 moves first.
    pub second_begins: bool,
}

/// The state: who has marked which cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TicTacToe {
    begins: PlayerId,
    cells: [Option<PlayerId>; 9],
    left: Vec<Forfeited>,
}

/// A cell that was marked, and by whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marked {
    player: PlayerId,
    cell: u8,
}

impl TicTacToe {
    fn marks(&self) -> usize {
        self.cells.iter().flatten().count()
    }

    fn on_move(&self) -> PlayerId {
        PlayerId((self.begins.0 + self.marks() as u16) % 2)
    }

    fn free(&self) -> impl Iterator<Item = u8> + '_ {
        (0..9).filter(|cell| self.cells[usize::from(*cell)].is_none())
    }

    /// The cells of a line that one player has filled.
    pub fn won(&self) -> Option<(PlayerId, [usize; 3])> {
        let owner = |line: &[usize; 3]| {
            let player = self.cells[line[0]]?;
            line.iter().all(|cell| self.cells[*cell] == Some(player)).then_some((player, *line))
        };
        LINES.iter().find_map(owner)
    }

    /// The mark of a player: whoever begins has X.
    pub fn mark(&self, player: PlayerId) -> char {
        if player == self.begins { 'X' } else { 'O' }
    }

    /// The board row by row.
    pub fn board(&self) -> String {
        self.cells.iter().map(|cell| cell.map_or('.', |player| self.mark(player))).collect()
    }
}

impl Game for TicTacToe {
    const ID: &'static str = "tictactoe";
    type Config = Config;
    type Action = u8;
    // Everybody sees everything.
    type View = TicTacToe;
    type Event = Marked;

    fn start(config: &Config, players: u16, _: Seed) -> Result<TicTacToe, SetupError> {
        if players != 2 {
            return Err(SetupError::new(format!("tictactoe is for two players, not {players}")));
        }
        let begins = PlayerId(config.second_begins.into());
        Ok(TicTacToe { begins, cells: [None; 9], left: Vec::new() })
    }

    fn cast(&self, roles: &mut Vec<Role>) {
        roles.extend((0..2).map(|n| Role { actor: ActorId(n), player: PlayerId(n as u16) }));
    }

    fn turn(&self) -> Turn {
        if let Some(one) = self.left.first() {
            let words = format!("{} has left the game", one.seat);
            let ending = Ending::forfeit(self.left.clone());
            return Turn::Over(match self.left.len() {
                1 => Outcome::win(1 - one.seat.index(), 2, ending, words),
                _ => Outcome::draw(2, ending, "both have left the game"),
            });
        }
        match self.won() {
            Some((player, _)) => {
                let words = format!("{player} has three in a row");
                Turn::Over(Outcome::win(player.index(), 2, Ending::rules("line"), words))
            }
            None if self.marks() == 9 => {
                Turn::Over(Outcome::draw(2, Ending::rules("full"), "the board is full"))
            }
            None => Turn::One(ActorId(self.on_move().0.into())),
        }
    }

    fn view(&self, _: Eye) -> TicTacToe {
        self.clone()
    }

    fn check(&self, _: ActorId, action: &u8) -> Result<(), Illegal> {
        match self.cells.get(usize::from(*action)) {
            Some(None) => Ok(()),
            Some(Some(_)) => Err(Illegal::new(format!("cell {action} is taken"))),
            None => Err(Illegal::new(format!("there is no cell {action}"))),
        }
    }

    fn step(&mut self, moves: &Moves<u8>, told: &mut Vec<Told<Marked>>) {
        for (actor, choice) in &moves.0 {
            let player = PlayerId(actor.0 as u16);
            match choice {
                Choice::Act(cell) => {
                    self.cells[usize::from(*cell)] = Some(player);
                    told.push(Told { to: Audience::All, event: Marked { player, cell: *cell } });
                }
                Choice::Forfeit(why) => self.left.push(why.of(player)),
            }
        }
    }

    fn rule(&self, _: ActorId, fault: &Fault, _: Past) -> Ruling<u8> {
        match fault.kind.replaces_answer() {
            true => Ruling::Forfeit,
            false => Ruling::Overlook,
        }
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::new(Self::ID);
        digest.bytes(self.board().as_bytes()).word(self.begins.0.into());
        digest.word(self.left.len() as u64);
        digest.finish()
    }
}

// ---- the protocol ----

struct Referee;

impl Protocol<TicTacToe> for Referee {
    fn command(&mut self, _: Tick, command: Command<'_, TicTacToe>, out: &mut Out<u8>) {
        match command {
            Command::Begin { seen, .. } | Command::Resume { seen, .. } => {
                let mark = seen.view().mark(seen.player());
                out.bytes.extend(format!("you are {mark}\n").bytes());
            }
            Command::Ask { seen, .. } => {
                out.bytes.extend(format!("move {}\n", seen.view().board()).bytes());
                out.said.push(Said::Asked);
            }
            Command::End { .. } => out.said.push(Said::Done {
                then: Afterwards::Leave,
                farewell: b"end\n".to_vec(),
                grace: Duration::from_secs(1),
            }),
            // The board is in every question.
            Command::Notify(_)
            | Command::Hurry
            | Command::TimeUp
            | Command::Refused(_)
            | Command::TakeBack { .. } => {}
        }
    }

    fn line(&mut self, _: Tick, line: &[u8], out: &mut Out<u8>) {
        match std::str::from_utf8(line).map(str::trim) {
            Ok("ready") => out.said.push(Said::Ready),
            Ok(text) if text.parse::<u8>().is_ok() => {
                out.said.extend(text.parse().map(Said::Answer));
            }
            Ok(_) | Err(_) => out.fault(FaultKind::BadInput, game::text::printable(line, 40)),
        }
    }
}

// ---- the bots ----

const BOTS: &[BotCard] = &[
    BotCard { name: "random", about: "any free cell" },
    BotCard { name: "careful", about: "wins if it can, else keeps the other from winning" },
];

/// Marks any free cell, or with care the one that wins or has to be taken.
struct Marker {
    rng: Rng,
    careful: bool,
}

impl Bot<TicTacToe> for Marker {
    fn act(&mut self, view: &TicTacToe, _: &dyn Budget) -> u8 {
        let free: Vec<u8> = view.free().collect();
        let wins = |player: PlayerId, cell: u8| {
            let mut next = view.clone();
            next.cells[usize::from(cell)] = Some(player);
            next.won().is_some()
        };
        let me = view.on_move();
        let urgent = [me, PlayerId(1 - me.0)]
            .into_iter()
            .find_map(|player| free.iter().copied().find(|cell| wins(player, *cell)));
        let any = self.rng.pick(&free).copied().unwrap_or_default();
        urgent.filter(|_| self.careful).unwrap_or(any)
    }
}

// ---- what the host and those who look on need ----

impl Hosted for TicTacToe {
    fn card() -> Card {
        Card {
            keys: &[SetupKey {
                name: "second_begins",
                kind: KeyKind::Value,
                about: "true lets player 2 move first (default false)",
            }],
            bots: BOTS,
            ..Card::new(Self::ID, "three in a row on nine cells")
        }
    }

    fn protocol(_: &Config, _: &Chair) -> Box<dyn Protocol<TicTacToe>> {
        Box::new(Referee)
    }

    fn bot(name: &str, _: &Config, chair: &Chair) -> Option<Box<dyn Bot<TicTacToe>>> {
        BOTS.iter().find(|bot| bot.name == name)?;
        let rng = chair.seed.rng(&format!("tictactoe bot {}", chair.player.0));
        Some(Box::new(Marker { rng, careful: name == "careful" }))
    }

    fn desk(own: &OwnViews<'_, TicTacToe>, picks: &[String]) -> Option<Desk<u8>> {
        // Everybody sees everything.
        let game = own.public;
        let cell = picks.first().and_then(|pick| pick.parse().ok());
        let offers = (0..9).map(|cell: u8| {
            let offer = Offer::new(cell.to_string(), format!("mark cell {cell}"));
            let offer = offer.place(place(cell.into()), [CELL, CELL]);
            match game.check(own.actor(), &cell) {
                Ok(()) => offer,
                Err(why) => offer.barred(why.0),
            }
        });
        let view = DeskView {
            scene: game.scene(None, &[]),
            rules: ["X begins.", "Both mark a free cell in turn.", "Three in a row win."]
                .map(str::to_owned),
            prompt: format!("you are {}: mark a free cell", game.mark(own.player)),
            offers: if cell.is_none() { offers.collect() } else { Vec::new() },
        };
        Some(Desk { view, answers: cell.map(|cell| vec![(own.actor(), cell)]) })
    }
}

/// The middle of a cell in the picture.
fn place(cell: usize) -> [i32; 2] {
    [cell as i32 % 3 * CELL + CELL / 2, cell as i32 / 3 * CELL + CELL / 2]
}

impl Shown for TicTacToe {
    fn actor_name(&self, actor: ActorId) -> ActorName {
        ActorName::Only(self.mark(PlayerId(actor.0 as u16)).to_string())
    }

    fn plain(&self) -> Value {
        json!({ "board": self.board() })
    }

    fn draw(&self, names: &[String], _: Room) -> Picture {
        let name = |player: u16| {
            let mark = self.mark(PlayerId(player));
            let name = names.get(usize::from(player)).map_or("", String::as_str);
            format!("   {mark} {name}")
        };
        // The first line of a picture says how far the game is.
        let head = format!("move {}{}{}", self.marks(), name(0), name(1));
        let board = self.board();
        let rows = (0..3).map(|row| Line::plain(&board[row * 3..row * 3 + 3]));
        let head = vec![Line::plain(&head)];
        Picture { head, board: rows.collect(), ..Picture::default() }
    }

    fn scene(&self, _: Option<PlayerId>, news: &[Told<Marked>]) -> Scene {
        let mut scene = Scene::new(3, 3);
        scene.caption = match self.turn() {
            Turn::Over(outcome) => scene::ending(&outcome, None),
            Turn::One(_) | Turn::All(_) => format!("move {}", self.marks() + 1),
        };
        let to_act = |player: u32| matches!(self.turn(), Turn::One(actor) if actor.0 == player);
        let seat = |player: u16| SeatLine {
            to_act: to_act(player.into()),
            gone: self.left.iter().any(|one| one.seat.0 == player),
            role: self.mark(PlayerId(player)).to_string(),
            tint: None,
            facts: Vec::new(),
        };
        scene.seats = vec![seat(0), seat(1)];
        let won = self.won().map_or([9; 3], |(_, line)| line);
        for (cell, owner) in self.cells.iter().enumerate() {
            let at = place(cell);
            let square = Shape::new(cell as u32, ShapeForm::Box(92, 92, 10), at).layer(-1);
            scene.add(square.fill(Tint::Named("wood")));
            if let Some(player) = owner {
                let mark = match won.contains(&cell) {
                    true => Some(Mark::Win),
                    false => news
                        .iter()
                        .any(|told| usize::from(told.event.cell) == cell)
                        .then_some(Mark::Last),
                };
                let sign = Shape::new(9 + cell as u32, ShapeForm::Text(70), at).mark(mark);
                let letter = self.mark(*player);
                let label = format!("{letter} on cell {cell}");
                scene.add(sign.text(letter).label(label).fill(Tint::Seat(player.0)));
            }
        }
        scene
    }

    fn measures(&self) -> Vec<Measure> {
        let of = |player| self.cells.iter().flatten().filter(|owner| owner.0 == player).count();
        let values = (0..2).map(|player| of(player) as f64).collect();
        vec![Measure { name: "marks", values }]
    }
}
