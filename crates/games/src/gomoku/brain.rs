//! The brain's side of the protocol: our engine for any manager. No I/O: lines in, lines out.

use std::time::Duration;

use game::{Budget, Rng, Seed};

use super::board::{Board, Cell, Rule, Size, Stone};
use super::bots::GLANCE;
use super::bots::engine::{Engine, Greedy, Swap2, Wanderer, swap2_choice, swap2_opening};
use super::renju::forbidden_cells;
use super::wire::rule_of_bits;

/// A brain between two lines.
pub struct Brain {
    size: Option<Size>,
    rule: Rule,
    /// Stones in the order told; `true` are the brain's own.
    stones: Vec<(Cell, bool)>,
    /// Cells where no stone may be put: what `BOARD` marks with 3.
    barred: Vec<Cell>,
    /// Lines of a list that has not been closed by `DONE`.
    list: Option<(List, Vec<String>)>,
    turn: Option<Duration>,
    left: Option<Duration>,
    memory: Option<u64>,
    engine: Option<Box<Engine>>,
    rng: Rng,
    player: BrainPlayer,
}

/// Which built-in bot chooses the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrainPlayer {
    Random,
    Greedy,
    Hunter,
}

/// What a list of lines is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// A position to answer with a move.
    Board,
    /// A position to remember.
    Remember,
    /// A position of the swap2 opening.
    Swap2,
}

/// What a brain does about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing.
    Silent,
    /// It says this line.
    Say(String),
    /// It thinks: call [`Brain::think`].
    Think(Task),
    /// It leaves.
    Quit,
}

/// What there is to think about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The next move.
    Move,
    /// The next decision of a swap2 opening.
    Swap2,
}

/// The description that `ABOUT` asks for.
const ABOUT: &str = concat!(
    "name=\"pbrain-lanista\", version=\"",
    env!("CARGO_PKG_VERSION"),
    "\", author=\"The Lanista authors\", country=\"INT\""
);
/// The most for a move when only the match has a limit.
const USUAL: Duration = Duration::from_millis(1000);
/// Time for a move when there is no limit: managers differ on whether that asks for haste.
const UNLIMITED: Duration = Duration::from_millis(300);
/// The `time_left` of a match without a limit.
const NO_LIMIT: Duration = Duration::from_millis(2_147_483_647);
/// A match's time is shared out as if so many moves were to come.
const MOVES_TO_COME: u32 = 20;

impl Default for Brain {
    fn default() -> Brain {
        Brain {
            size: None,
            rule: Rule::Freestyle,
            stones: Vec::new(),
            barred: Vec::new(),
            list: None,
            turn: None,
            left: None,
            memory: None,
            engine: None,
            rng: Seed(1).rng("brain"),
            player: BrainPlayer::Hunter,
        }
    }
}

impl Brain {
    /// A brain that plays as the built-in bot of this name does, if there is one.
    pub fn playing(name: &str, seed: Seed) -> Option<Brain> {
        let player = match name {
            "random" => BrainPlayer::Random,
            "greedy" => BrainPlayer::Greedy,
            "hunter" => BrainPlayer::Hunter,
            _ => return None,
        };
        Some(Brain { player, rng: seed.rng("brain"), ..Brain::default() })
    }

    /// Takes a line from the manager.
    pub fn line(&mut self, line: &[u8]) -> Reaction {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() {
            return Reaction::Silent;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (word, rest) = (word.to_ascii_uppercase(), rest.trim());
        if word == "END" {
            return Reaction::Quit;
        }
        if self.list.is_some() {
            return self.listed(&word, line);
        }
        self.command(&word, rest).unwrap_or_else(|error| Reaction::Say(format!("ERROR {error}")))
    }

    fn command(&mut self, word: &str, rest: &str) -> Result<Reaction, String> {
        let ok = || Ok(Reaction::Say("OK".to_owned()));
        match word {
            "START" => {
                let side = number(rest).ok_or("START needs a size")?;
                self.start(side, side)?;
                ok()
            }
            "RECTSTART" => {
                let (width, height) = pair(rest).ok_or("RECTSTART needs width,height")?;
                self.start(width, height)?;
                ok()
            }
            "RESTART" => {
                self.started()?;
                self.clear();
                ok()
            }
            "BEGIN" => {
                self.started()?;
                self.stones.clear();
                self.barred.clear();
                Ok(Reaction::Think(Task::Move))
            }
            "TURN" => {
                let cell = self.free_cell(rest)?;
                self.stones.push((cell, false));
                Ok(Reaction::Think(Task::Move))
            }
            "PLAY" => {
                let cell = self.free_cell(rest)?;
                self.stones.push((cell, true));
                Ok(Reaction::Say(cell.to_string()))
            }
            "TAKEBACK" => {
                let cell = self.cell(rest)?;
                let index = self.stones.iter().rposition(|(other, _)| *other == cell);
                self.stones.remove(index.ok_or_else(|| format!("there is no stone on {cell}"))?);
                ok()
            }
            "BOARD" => self.begin_list(List::Board),
            "YXBOARD" => self.begin_list(List::Remember),
            "SWAP2BOARD" => self.begin_list(List::Swap2),
            "INFO" => {
                self.info(rest);
                Ok(Reaction::Silent)
            }
            "ABOUT" => Ok(Reaction::Say(ABOUT.to_owned())),
            "YXSHOWFORBID" => {
                self.started()?;
                Ok(Reaction::Say(self.forbidden()))
            }
            _ => Ok(Reaction::Say(format!("UNKNOWN {}", game::printable(word.as_bytes(), 40)))),
        }
    }

    fn start(&mut self, width: i64, height: i64) -> Result<(), String> {
        let (least, most) = (i64::from(Size::LEAST), i64::from(Size::MOST));
        let fits = |side: i64| (least..=most).contains(&side);
        if !fits(width) || !fits(height) {
            return Err(format!("sides of {least} to {most} are supported"));
        }
        self.size = Some(Size { width: width as u8, height: height as u8 });
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.stones.clear();
        self.barred.clear();
        self.engine = None;
    }

    fn started(&self) -> Result<Size, String> {
        self.size.ok_or_else(|| "START comes first".to_owned())
    }

    fn cell(&self, text: &str) -> Result<Cell, String> {
        let size = self.started()?;
        let (x, y) = pair(text).ok_or_else(|| format!("{text:?} is not a cell"))?;
        size.cell(x, y).ok_or_else(|| format!("{x},{y} is off the board"))
    }

    fn free_cell(&self, text: &str) -> Result<Cell, String> {
        let cell = self.cell(text)?;
        match self.stones.iter().any(|(other, _)| *other == cell) {
            true => Err(format!("{cell} is taken")),
            false => Ok(cell),
        }
    }

    fn begin_list(&mut self, list: List) -> Result<Reaction, String> {
        self.started()?;
        self.list = Some((list, Vec::new()));
        Ok(Reaction::Silent)
    }

    /// A line of a list, or its end.
    fn listed(&mut self, word: &str, line: &str) -> Reaction {
        let Some((list, lines)) = &mut self.list else { return Reaction::Silent };
        if word != "DONE" {
            // More lines than the largest board has cells are no position.
            if lines.len() <= usize::from(Size::MOST) * usize::from(Size::MOST) {
                lines.push(line.to_owned());
            }
            return Reaction::Silent;
        }
        let (list, lines) = (*list, std::mem::take(lines));
        self.list = None;
        match self.position(list, &lines) {
            Err(error) => Reaction::Say(format!("ERROR {error}")),
            Ok(()) => match list {
                List::Board => Reaction::Think(Task::Move),
                List::Remember => Reaction::Silent,
                List::Swap2 => Reaction::Think(Task::Swap2),
            },
        }
    }

    fn position(&mut self, list: List, lines: &[String]) -> Result<(), String> {
        self.clear();
        for (index, line) in lines.iter().enumerate() {
            let (cell, own) = match list {
                // The stones of swap2 come without an owner: black, white, black.
                List::Swap2 => (self.free_cell(line)?, index.is_multiple_of(2)),
                List::Board | List::Remember => {
                    let (cell, field) =
                        line.rsplit_once(',').ok_or_else(|| format!("{line:?} is not a stone"))?;
                    match field.trim() {
                        "1" => (self.free_cell(cell)?, true),
                        "2" => (self.free_cell(cell)?, false),
                        // "3 = special (winning line or forbidden in renju)": no stone, and no
                        // place for one.
                        "3" => {
                            let cell = self.cell(cell)?;
                            self.barred.push(cell);
                            continue;
                        }
                        _ => return Err(format!("{line:?} is not a stone")),
                    }
                }
            };
            self.stones.push((cell, own));
        }
        Ok(())
    }

    fn info(&mut self, text: &str) {
        let (key, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let Some(value) = number(value) else { return };
        let value = value.max(0) as u64;
        let time = (value > 0).then(|| Duration::from_millis(value));
        match key.to_ascii_lowercase().as_str() {
            "timeout_turn" => self.turn = time,
            // Without a limit managers say 2147483647 before every move.
            "time_left" => self.left = Some(Duration::from_millis(value)),
            "timeout_match" if self.left.is_none() => self.left = time,
            "max_memory" => self.memory = (value > 0).then_some(value),
            "rule" => {
                let rule = rule_of_bits(value);
                if rule != self.rule {
                    self.rule = rule;
                    self.engine = None;
                }
            }
            _ => {}
        }
    }

    /// The forbidden points of the position, two digits for each coordinate.
    fn forbidden(&self) -> String {
        let Some(size) = self.size else { return "FORBID .".to_owned() };
        let mut board = Board::empty(size);
        for (cell, stone) in self.coloured() {
            board.set(cell, Some(stone));
        }
        let cells = match self.rule {
            Rule::Renju => forbidden_cells(&board),
            Rule::Freestyle | Rule::Standard | Rule::Caro | Rule::CaroExact => Vec::new(),
        };
        let list: String = cells.iter().map(|cell| format!("{:02}{:02}", cell.x, cell.y)).collect();
        format!("FORBID {list}.")
    }

    /// The colour the brain plays. Whoever has fewer stones is to move; if both have as many,
    /// Black is, and it is always the brain who is asked.
    fn own_colour(&self) -> Stone {
        let own = self.stones.iter().filter(|(_, own)| *own).count();
        if own * 2 == self.stones.len() { Stone::Black } else { Stone::White }
    }

    fn coloured(&self) -> Vec<(Cell, Stone)> {
        let mine = self.own_colour();
        let colour = |own: bool| if own { mine } else { mine.other() };
        self.stones.iter().map(|(cell, own)| (*cell, colour(*own))).collect()
    }

    /// The time it should take for one answer.
    pub fn time(&self) -> Duration {
        let share = self.left.filter(|left| *left < NO_LIMIT).map(|left| left / MOVES_TO_COME);
        match (self.turn, share) {
            (Some(turn), Some(share)) => turn.min(share),
            (Some(turn), None) => turn,
            (None, Some(share)) => share.min(USUAL),
            (None, None) => UNLIMITED,
        }
    }

    /// Thinks and answers. Takes time as `budget` says.
    pub fn think(&mut self, task: Task, budget: &dyn Budget) -> String {
        let Some(size) = self.size else { return "ERROR START comes first".to_owned() };
        let mut closed: Vec<Cell> = self.stones.iter().map(|(cell, _)| *cell).collect();
        closed.extend(&self.barred);
        closed.sort_unstable();
        closed.dedup();
        if closed.len() >= size.area() {
            return "ERROR the board is full".to_owned();
        }
        let stones = self.coloured();
        let mine = self.own_colour();
        // The table of positions takes at most a quarter of what the brain may use.
        let memory = self.memory.map_or(32 << 20, |most| (most / 4).min(64 << 20));
        let rule = self.rule;
        let player = self.player;
        let engine = self.engine.get_or_insert_with(|| {
            let engine = Engine::new(size, rule, memory as usize);
            Box::new(match player {
                BrainPlayer::Hunter => engine,
                BrainPlayer::Random | BrainPlayer::Greedy => engine.with_nodes(GLANCE),
            })
        });
        match task {
            Task::Move => {
                // For the weaker players, a cell that is barred is one that is taken.
                let barred = self.barred.iter().map(|cell| (*cell, mine.other()));
                let taken: Vec<(Cell, Stone)> = stones.iter().copied().chain(barred).collect();
                let mut chance = || Seed(self.rng.next_u64()).rng("brain's move");
                let cell = match player {
                    BrainPlayer::Random => {
                        let mut player = Wanderer::new(size, rule, chance());
                        player.set_position(&taken);
                        player.choose(mine)
                    }
                    BrainPlayer::Greedy => {
                        let mut player = Greedy::new(size, rule, chance());
                        player.set_position(&taken);
                        player.choose(mine)
                    }
                    BrainPlayer::Hunter => {
                        engine.set_position(&stones);
                        engine.bar(&self.barred);
                        engine.think(mine, budget).cell
                    }
                };
                self.stones.push((cell, true));
                cell.to_string()
            }
            Task::Swap2 => {
                let alternate = |index: usize| match index.is_multiple_of(2) {
                    true => Stone::Black,
                    false => Stone::White,
                };
                let stones: Vec<(Cell, Stone)> = stones
                    .iter()
                    .enumerate()
                    .map(|(index, (cell, _))| (*cell, alternate(index)))
                    .collect();
                if stones.is_empty() {
                    let [a, b, c] = swap2_opening(engine, &mut self.rng, budget);
                    return format!("{a} {b} {c}");
                }
                match swap2_choice(engine, &stones, &mut self.rng, budget) {
                    Swap2::Swap => "SWAP".to_owned(),
                    Swap2::Play(cell) => cell.to_string(),
                    Swap2::PutTwo([a, b]) => format!("{a} {b}"),
                }
            }
        }
    }
}

fn number(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

fn pair(text: &str) -> Option<(i64, i64)> {
    let (x, y) = text.split_once(',')?;
    Some((number(x)?, number(y)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A little real time; the tests' positions are decided at once.
    struct Brief(std::time::Instant);
    impl Budget for Brief {
        fn left(&self) -> Option<Duration> {
            Some(Duration::from_millis(50).saturating_sub(self.0.elapsed()))
        }
        fn stopped(&self) -> bool {
            false
        }
    }

    /// Says lines to a brain and collects its answers.
    fn talk(lines: &[&str]) -> Vec<String> {
        let mut brain = Brain::default();
        let mut answers = Vec::new();
        for line in lines {
            match brain.line(line.as_bytes()) {
                Reaction::Silent => {}
                Reaction::Say(answer) => answers.push(answer),
                Reaction::Think(task) => {
                    answers.push(brain.think(task, &Brief(std::time::Instant::now())))
                }
                Reaction::Quit => answers.push("(leaves)".to_owned()),
            }
        }
        answers
    }

    #[test]
    fn the_documents_simple_game_is_played() {
        let answers = talk(&["START 20", "BEGIN", "TURN 11,10", "END"]);
        assert_eq!(answers[0], "OK");
        assert!(pair(&answers[1]).is_some() && pair(&answers[2]).is_some());
        assert_eq!(answers[3], "(leaves)");
    }

    #[test]
    fn a_five_is_completed_and_a_four_is_stopped() {
        let win = ["3,3,1", "3,4,2", "4,3,1", "4,4,2", "5,3,1", "5,4,2", "6,3,1", "9,9,2"];
        let mut lines = vec!["START 15", "BOARD"];
        lines.extend(win);
        lines.push("DONE");
        assert!(["2,3", "7,3"].contains(&talk(&lines)[1].as_str()));
        let stop = ["START 15", "BOARD", "2,7,1", "3,7,2", "4,7,2", "5,7,2", "6,7,2", "DONE"];
        assert_eq!(talk(&stop)[1], "7,7");
    }

    #[test]
    fn what_the_board_marks_with_three_is_never_played() {
        for rule in ["0", "1", "4", "8", "9"] {
            let rule = format!("INFO rule {rule}");
            // The five at 9,7, the stop of one, the middle, and all but one cell.
            let five =
                ["5,7,1", "4,7,2", "6,7,1", "0,0,2", "7,7,1", "0,2,2", "8,7,1", "0,4,2", "9,7,3"];
            let stop = ["2,7,1", "3,7,2", "4,7,2", "5,7,2", "6,7,2", "7,7,3"];
            for (board, barred) in [(&five[..], "9,7"), (&stop[..], "7,7"), (&["7,7,3"], "7,7")] {
                let mut lines = vec!["START 15", &rule, "BOARD"];
                lines.extend(board);
                lines.extend(["DONE", "TURN 14,14"]);
                let answers = talk(&lines);
                assert_eq!(answers.len(), 3);
                for answer in &answers[1..] {
                    assert!(pair(answer).is_some() && answer != barred, "{rule}: {answer}");
                }
            }
        }
        let cells = (0..25).map(|cell| format!("{},{},3", cell % 5, cell / 5));
        let mut lines: Vec<String> = ["START 5", "BOARD"].map(str::to_owned).into();
        lines.extend(cells.skip(1));
        lines.push("DONE".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(talk(&lines)[1], "0,0");
        assert!(talk(&["START 15", "BOARD", "15,0,3", "DONE"])[1].starts_with("ERROR"));
    }

    #[test]
    fn what_cannot_be_done_is_answered_with_error() {
        for (line, word) in [
            ("START 4", "ERROR"),
            ("START 33", "ERROR"),
            ("START", "ERROR"),
            ("RECTSTART 10", "ERROR"),
            ("RECTSTART 10,20", "OK"),
            ("BEGIN", "ERROR"),
            ("TURN 1,1", "ERROR"),
            ("RESTART", "ERROR"),
            ("NONSENSE", "UNKNOWN"),
        ] {
            assert!(talk(&[line])[0].starts_with(word), "{line}");
        }
        assert!(talk(&["START 15", "TURN 15,3"])[1].starts_with("ERROR"));
        assert!(talk(&["START 15", "BOARD", "1,1,1", "1,1,2", "DONE"])[1].starts_with("ERROR"));
    }

    #[test]
    fn a_move_can_be_taken_back_and_suggested_moves_be_played() {
        let answers = talk(&["START 15", "PLAY 7,7", "TAKEBACK 7,7", "PLAY 7,7", "TAKEBACK 1,1"]);
        assert_eq!(answers[..4], ["OK", "7,7", "OK", "7,7"]);
        assert!(answers[4].starts_with("ERROR"));
    }

    #[test]
    fn forbidden_points_are_shown_under_renju_only() {
        // Two open threes cross in 7,7.
        let board = [
            "YXBOARD", "5,7,1", "0,0,2", "6,7,1", "0,2,2", "7,5,1", "0,4,2", "7,6,1", "0,6,2",
            "DONE",
        ];
        let mut lines = vec!["START 15", "INFO rule 4"];
        lines.extend(board);
        lines.push("YXSHOWFORBID");
        assert_eq!(talk(&lines), ["OK", "FORBID 0707."]);
        lines[1] = "INFO rule 0";
        assert_eq!(talk(&lines), ["OK", "FORBID ."]);
    }

    #[test]
    fn swap2_is_answered_in_its_three_cases() {
        let first = &talk(&["START 15", "SWAP2BOARD", "DONE"])[1];
        assert_eq!(first.split(' ').filter_map(pair).count(), 3);
        let choice = &talk(&["START 15", "SWAP2BOARD", "7,7", "8,7", "9,9", "DONE"])[1];
        assert!(choice == "SWAP" || (1..=2).contains(&choice.split(' ').filter_map(pair).count()));
        let last = &talk(&["START 15", "SWAP2BOARD", "7,7", "8,7", "9,9", "8,8", "8,6", "DONE"])[1];
        assert!(last == "SWAP" || pair(last).is_some());
    }

    #[test]
    fn about_names_a_brain() {
        assert!(talk(&["ABOUT"])[0].starts_with("name=\"pbrain-lanista\", version=\""));
    }

    #[test]
    fn time_is_shared_out_over_the_match() {
        let mut brain = Brain::default();
        assert_eq!(brain.time(), UNLIMITED);
        brain.line(b"INFO time_left 2147483647");
        assert_eq!(brain.time(), UNLIMITED);
        brain.line(b"INFO time_left 4000");
        assert_eq!(brain.time(), Duration::from_millis(200));
        let mut brain = Brain::default();
        brain.line(b"INFO timeout_turn 5000");
        assert_eq!(brain.time(), Duration::from_secs(5));
        brain.line(b"INFO time_left 10000");
        assert_eq!(brain.time(), Duration::from_millis(500));
        brain.line(b"INFO time_left 2147483647");
        brain.line(b"INFO timeout_turn 0");
        assert_eq!(brain.time(), UNLIMITED);
    }
}
