//! The protocol of pyrat: hears the engine, keeps track of the game, and asks the bot for a move.
//!
//! The bot gets a [`State`] and returns a [`Move`]. A thread reads while it thinks, so that `isready`
//! and `stop` are heard: a long thought asks [`State::stopped`] now and then. Standard output belongs
//! to the protocol: print with `eprintln!`, which is kept in the replay.
#![allow(dead_code)] // A bot need not use everything.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::Arc;

/// Turns to a cell that cannot be reached.
pub const FAR: u32 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Up,
    Down,
    Left,
    Right,
    Stay,
}

use Move::{Down, Left, Right, Stay, Up};

/// The moves that lead somewhere, with their steps.
const STEPS: [(Move, i32, i32); 4] = [(Up, 0, 1), (Down, 0, -1), (Left, -1, 0), (Right, 1, 0)];

impl Move {
    fn name(self) -> &'static str {
        match self {
            Up => "UP",
            Down => "DOWN",
            Left => "LEFT",
            Right => "RIGHT",
            Stay => "STAY",
        }
    }

    fn named(name: &str) -> Move {
        [Up, Down, Left, Right].into_iter().find(|step| step.name() == name).unwrap_or(Stay)
    }
}

/// Where a player is, and its score.
#[derive(Clone, Copy, Debug, Default)]
pub struct Player {
    pub cell: usize,
    /// While it is in mud: the cell it will arrive at.
    pub target: usize,
    /// Turns until then; its moves are ignored meanwhile.
    pub mud: u32,
    pub score: f64,
}

/// A move that leads out of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    pub step: Move,
    pub to: usize,
    pub turns: u32,
}

/// For every cell: in how many turns it is reached, and by which first move.
#[derive(Clone, Debug)]
pub struct Ways {
    pub turns: Vec<u32>,
    pub first: Vec<Move>,
}

/// The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub width: usize,
    pub height: usize,
    pub cheese: Vec<usize>,
    pub me: Player,
    pub other: Player,
    pub is_rat: bool,
    pub turn: usize,
    /// Limits in milliseconds: `move`, `preprocessing`, `postprocessing`.
    pub time: HashMap<String, u64>,
    /// What setoption said.
    pub options: HashMap<String, String>,
    stop: Arc<AtomicBool>,
    /// Turns that each of the four moves takes; 0: there is a wall.
    costs: Vec<[u32; 4]>,
}

impl State {
    pub fn cell(&self, x: usize, y: usize) -> usize {
        y * self.width + x
    }

    pub fn xy(&self, cell: usize) -> (usize, usize) {
        (cell % self.width, cell / self.width)
    }

    /// Whether the thought has to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The moves that lead out of a cell.
    pub fn exits(&self, cell: usize) -> impl Iterator<Item = Exit> + '_ {
        let moves = STEPS.iter().zip(self.costs[cell]).filter(|(_, turns)| *turns > 0);
        moves.map(move |(&(step, dx, dy), turns)| {
            let to = cell as i32 + dy * self.width as i32 + dx;
            Exit { step, to: to as usize, turns }
        })
    }

    /// The ways from a cell to all others.
    pub fn ways(&self, start: usize) -> Ways {
        let cells = self.width * self.height;
        let mut ways = Ways { turns: vec![FAR; cells], first: vec![Stay; cells] };
        ways.turns[start] = 0;
        let mut queue = VecDeque::from([start]);
        while let Some(cell) = queue.pop_front() {
            for exit in self.exits(cell) {
                let turns = ways.turns[cell] + exit.turns;
                if turns < ways.turns[exit.to] {
                    ways.turns[exit.to] = turns;
                    ways.first[exit.to] = if cell == start { exit.step } else { ways.first[cell] };
                    queue.push_back(exit.to);
                }
            }
        }
        ways
    }

    // ---- keeping track ----

    fn make_maze(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.costs = vec![[1; 4]; width * height];
        for cell in 0..width * height {
            let (x, y) = self.xy(cell);
            let open = [y + 1 < height, y > 0, x > 0, x + 1 < width];
            self.costs[cell] = open.map(u32::from);
        }
    }

    /// Between two cells, in both directions.
    fn set_cost(&mut self, a: usize, b: usize, turns: u32) {
        for (cell, to) in [(a, b), (b, a)] {
            let leads: Vec<Move> =
                self.exits(cell).filter(|exit| exit.to == to).map(|exit| exit.step).collect();
            for (index, (step, ..)) in STEPS.iter().enumerate() {
                if leads.contains(step) {
                    self.costs[cell][index] = turns;
                }
            }
        }
    }

    /// One turn of one player: it moves, or struggles on in the mud whatever its move is.
    fn advance(&self, mut player: Player, step: Move) -> Player {
        if player.mud > 0 {
            player.mud -= 1;
        } else if let Some(exit) = self.exits(player.cell).find(|exit| exit.step == step) {
            (player.target, player.mud) = (exit.to, exit.turns - 1);
        }
        if player.mud == 0 {
            player.cell = player.target;
        }
        player
    }

    /// One turn of the game.
    fn step(&mut self, mine: Move, theirs: Move) {
        self.turn += 1;
        self.me = self.advance(self.me, mine);
        self.other = self.advance(self.other, theirs);
        let cheese = std::mem::take(&mut self.cheese);
        let eats = |player: &Player| player.mud == 0 && cheese.contains(&player.cell);
        let (me, other) = (eats(&self.me), eats(&self.other));
        let worth = if me && other && self.me.cell == self.other.cell { 0.5 } else { 1.0 };
        for (player, eats) in [(&mut self.me, me), (&mut self.other, other)] {
            player.score += if eats { worth } else { 0.0 };
        }
        let eaten = |cell: &usize| me && *cell == self.me.cell || other && *cell == self.other.cell;
        self.cheese = cheese.iter().copied().filter(|cell| !eaten(cell)).collect();
    }

    fn player(&mut self, is_rat: bool) -> &mut Player {
        if is_rat == self.is_rat {
            &mut self.me
        } else {
            &mut self.other
        }
    }

    /// After a restart: the history of moves tells who is how deep in mud. A walk along it from the
    /// right start ends where the player is now. Usually the start is the player's corner.
    fn recover_mud(&mut self, history: &[Move]) {
        self.turn = history.len() / 2;
        let last = self.width * self.height - 1;
        for (number, corner) in [(0, 0), (1, last)] {
            let player = *self.player(number == 0);
            let walk = |start| {
                let begins = Player { cell: start, target: start, ..Player::default() };
                let moves = history.iter().skip(number).step_by(2);
                moves.fold(begins, |walker, step| self.advance(walker, *step))
            };
            let mut walks = std::iter::once(corner).chain(0..=last).map(walk);
            if let Some(walker) = walks.find(|walker| walker.cell == player.cell) {
                let player = self.player(number == 0);
                (player.target, player.mud) = (walker.target, walker.mud);
            }
        }
    }
}

/// What the threads of a bot share.
#[derive(Clone, Default)]
struct Signals {
    stop: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
}

/// Answers the engine until it is gone.
pub fn play(next_move: impl FnMut(&State) -> Move, name: &str) {
    play_with(next_move, name, &[], |_| ());
}

/// The same with `options`, which can be set in bot.toml (`name Depth type spin default 3 min 1 max 10`),
/// and with `prepare`, which is called before the first turn.
pub fn play_with(
    mut next_move: impl FnMut(&State) -> Move,
    name: &str,
    options: &[&str],
    mut prepare: impl FnMut(&State),
) {
    let signals = Signals::default();
    let (sender, lines) = mpsc::channel();
    let heard = signals.clone();
    std::thread::spawn(move || read(&heard, &sender));
    let mut set = HashMap::new();
    let mut state = State::default();
    let (mut history, mut begun) = (Vec::new(), false);
    for line in lines {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        match word {
            "pyrat" => {
                say(&format!("id name {name}"));
                options.iter().for_each(|option| say(&format!("option {option}")));
                say("pyratready");
            }
            "setoption" => {
                let rest = rest.trim().strip_prefix("name ").unwrap_or(rest);
                let (key, value) = rest.split_once(" value ").unwrap_or((rest, ""));
                set.insert(key.trim().to_owned(), value.trim().to_owned());
            }
            "newgame" | "recover" => {
                let (stop, options) = (signals.stop.clone(), set.clone());
                state = State { stop, options, is_rat: true, ..State::default() };
                (history, begun) = (Vec::new(), false);
            }
            "maze" => {
                let side = |key| pair(rest, key).and_then(|side| side.parse().ok()).unwrap_or(0);
                state.make_maze(side("width"), side("height"));
            }
            "walls" | "mud" => {
                for part in rest.split_whitespace() {
                    let mud = part.rsplit_once(':').and_then(|(_, mud)| mud.parse::<u32>().ok());
                    if let [a, b] = cells(&state, part)[..] {
                        state.set_cost(a, b, mud.map_or(0, |mud| mud + 1));
                    }
                }
            }
            "cheese" => state.cheese = cells(&state, rest),
            "player1" | "player2" => {
                if let [cell, ..] = cells(&state, rest)[..] {
                    let player = state.player(word == "player1");
                    (player.cell, player.target) = (cell, cell);
                }
            }
            "timecontrol" => {
                let limits = rest.split_whitespace().filter_map(|part| part.split_once(':'));
                let limits =
                    limits.filter_map(|(key, ms)| Some((key.to_owned(), ms.parse().ok()?)));
                state.time = limits.collect();
            }
            "moves_history" => {
                history = rest.split_whitespace().map(Move::named).collect();
                begun = true;
            }
            "score" => {
                let score = |role| pair(rest, role).and_then(|n| n.parse().ok()).unwrap_or(0.0);
                state.player(true).score = score("rat");
                state.player(false).score = score("python");
            }
            "youare" => {
                if rest.trim() == "python" {
                    state.is_rat = false;
                    std::mem::swap(&mut state.me, &mut state.other);
                }
                if begun {
                    state.recover_mud(&history);
                }
            }
            "startpreprocessing" => {
                prepare(&state);
                say("preprocessingdone");
            }
            // The first ones come before the first turn.
            "moves" if !begun => begun = true,
            "moves" => {
                let step = |role| Move::named(pair(rest, role).unwrap_or("STAY"));
                let (rat, python) = (step("rat"), step("python"));
                let (mine, theirs) = if state.is_rat { (rat, python) } else { (python, rat) };
                state.step(mine, theirs);
            }
            "go" => {
                begun = true;
                let step = next_move(&state);
                // After a time-out the engine has played STAY and does not want this move any more.
                if !signals.late.load(Ordering::Relaxed) {
                    say(&format!("move {}", step.name()));
                }
            }
            "ready?" => say("ready"),
            "startpostprocessing" => say("postprocessingdone"),
            // `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is
            // not known is ignored.
            _ => {}
        }
    }
}

/// Reads on a thread of its own: what cannot wait until the thought is over is done here.
fn read(signals: &Signals, lines: &mpsc::Sender<String>) {
    let set = |stop, late| {
        signals.stop.store(stop, Ordering::Relaxed);
        signals.late.store(late, Ordering::Relaxed);
    };
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let line = line.trim();
        match line.split_whitespace().next() {
            Some("isready") => say("readyok"),
            Some("stop") => signals.stop.store(true, Ordering::Relaxed),
            Some("timeout") => set(true, true),
            Some(word) => {
                if word == "go" || word == "startpreprocessing" {
                    set(false, false);
                }
                if lines.send(line.to_owned()).is_err() {
                    return;
                }
            }
            None => {}
        }
    }
    signals.stop.store(true, Ordering::Relaxed);
}

/// The value of a key in `rat:UP python:LEFT`.
fn pair<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut pairs = text.split_whitespace().filter_map(|part| part.split_once(':'));
    pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// The cells in a text: `(0,0)-(0,1)`.
fn cells(state: &State, text: &str) -> Vec<usize> {
    let inside = text.split('(').skip(1).filter_map(|part| part.split(')').next());
    let pairs = inside.filter_map(|cell| cell.split_once(','));
    let numbers = pairs.filter_map(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    numbers.map(|(x, y)| state.cell(x, y)).collect()
}

/// Writes a line, which leaves at once. If nobody hears it any more, this is over.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
