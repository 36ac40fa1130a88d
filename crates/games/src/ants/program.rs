//! A program's side of the protocol, in both versions: a built-in bot for any host.

use std::time::Duration;

use game::{Bot, Budget, Seed};
use table::{BotProgram, ProgramReply};

use super::bots;
use super::colony::Ant;
use super::land::{Content, Direction, Point};
use super::orders::Orders;
use super::setup::Config;
use super::state::Ants;
use super::view::{Foreign, Known, Sight, View};

/// The usual time for an answer; messages do not say it.
const TIME: Duration = Duration::from_secs(1);
/// The brain states of an ant that the program commands, and of a dead one.
const CONTROLLED: i64 = 1;
const DEAD: i64 = 3;
/// No map is larger on a side.
const LARGEST: u16 = 1024;

/// The program of one colony.
pub(super) struct ColonyProgram {
    bot: Box<dyn Bot<Ants>>,
    message: Unfinished,
    view: Option<View>,
}

/// A message of which some lines have come.
#[derive(Default)]
struct Unfinished {
    lines: Vec<Vec<i64>>,
    /// How many lines it has, as far as its numbers have said so.
    due: usize,
    part: Part,
}

/// What the last line that says a number of lines is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Header,
    /// Own ants, and foreign ones follow.
    Own,
    Foreign,
    Map,
}

impl ColonyProgram {
    /// The built-in bot of this name, if there is one.
    pub(super) fn new(name: &str, seed: Seed) -> Option<ColonyProgram> {
        let bot = bots::bot(name, Config::default().rules(), seed)?;
        Some(ColonyProgram { bot, message: Unfinished::default(), view: None })
    }
}

impl Unfinished {
    /// Takes a line. The view, once the message is complete.
    fn take(&mut self, line: &[u8]) -> Option<View> {
        let text = String::from_utf8_lossy(line);
        let numbers: Vec<i64> =
            text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
        if self.part == Part::Header && numbers.len() < 4 {
            return None;
        }
        self.lines.push(numbers);
        let last = self.lines.last()?;
        let at = |place: usize| last.get(place).copied().and_then(|n| usize::try_from(n).ok());
        if self.part == Part::Header {
            let ants = at(1)?;
            // The document's version has a line of ids after its header.
            (self.part, self.due) = match last.len() {
                4 => (Part::Own, ants + 2),
                _ => (Part::Foreign, ants + 3),
            };
        } else if self.lines.len() == self.due && self.part != Part::Map {
            let more = if self.part == Part::Own { at(0).map(|ants| ants + 1) } else { at(2) };
            self.part = if self.part == Part::Own { Part::Foreign } else { Part::Map };
            self.due = self.due.saturating_add(more.unwrap_or_default());
        }
        if self.part != Part::Map || self.lines.len() < self.due {
            return None;
        }
        let lines = std::mem::take(self).lines;
        Message { lines: &lines, next: 0 }.view()
    }
}

/// The lines of a complete message.
struct Message<'a> {
    lines: &'a [Vec<i64>],
    next: usize,
}

impl<'a> Message<'a> {
    fn line(&mut self) -> Option<&'a [i64]> {
        self.next += 1;
        self.lines.get(self.next - 1).map(Vec::as_slice)
    }

    fn view(mut self) -> Option<View> {
        let header = self.line()?;
        let &[turn, ants, players, status, ..] = header else { return None };
        let listed = if header.len() > 4 { Some(self.line()?) } else { None };
        let mut own = Vec::new();
        let mut commanded = Vec::new();
        for id in 0..ants {
            let line = self.line()?;
            // In version 2 the id comes first.
            let line = if listed.is_none() { line.get(1..)? } else { line };
            let &[x, y, dx, dy, energy, acid, brain] = line else { return None };
            let energy = if brain == DEAD { 0 } else { u32::try_from(energy).ok()? };
            let (at, facing) = placed(x, y, dx, dy)?;
            own.push(Ant { at, facing, energy, acid: u32::try_from(acid).ok()? });
            if brain == CONTROLLED {
                commanded.push(id);
            }
        }
        let mut foreign = Vec::new();
        if listed.is_none() {
            for _ in 0..*self.line()?.first()? {
                let &[x, y, dx, dy, ..] = self.line()? else { return None };
                let (at, facing) = placed(x, y, dx, dy)?;
                foreign.push(Foreign { at, facing });
            }
            foreign.sort_unstable_by_key(|ant| ant.at);
        }
        self.line()?;
        let points: Vec<(Point, Sight)> =
            self.lines[self.next..].iter().filter_map(|line| point(line)).collect();
        let ids = listed.unwrap_or(&commanded);
        let id = |id: Option<&i64>| u8::try_from(*id?).ok();
        let ids = match (id(ids.first()), id(ids.last())) {
            (Some(first), Some(last)) => first..last.saturating_add(1),
            (_, _) => 0..0,
        };
        Some(View {
            turn: u32::try_from(turn).ok()?,
            ants: u8::try_from(ants).ok()?,
            players: u16::try_from(players).ok()?,
            over: status == 0,
            ids,
            own,
            foreign,
            map: Known::of(&points),
        })
    }
}

fn placed(x: i64, y: i64, dx: i64, dy: i64) -> Option<(Point, Direction)> {
    let looks = |way: &Direction| way.vector() == (dx as i8, dy as i8);
    let facing = Direction::ALL.into_iter().find(looks)?;
    Some((cell(x, y)?, facing))
}

fn cell(x: i64, y: i64) -> Option<Point> {
    let side = |number: i64| u16::try_from(number).ok().filter(|number| *number < LARGEST);
    Some(Point::new(side(x)?, side(y)?))
}

fn point(line: &[i64]) -> Option<(Point, Sight)> {
    let &[x, y, code, seen, ..] = line else { return None };
    let at = cell(x, y)?;
    Some((at, Sight { content: Content::of_code(u8::try_from(code).ok()?)?, now: seen == 1 }))
}

impl BotProgram for ColonyProgram {
    fn line(&mut self, line: &[u8]) -> ProgramReply {
        match self.message.take(line) {
            None => ProgramReply::Silent,
            // "S = 0: over", and nobody waits for an answer.
            Some(view) if view.over => ProgramReply::Leave,
            Some(view) => {
                self.view = Some(view);
                ProgramReply::Think
            }
        }
    }

    fn think(&mut self, budget: &dyn Budget) -> String {
        let orders = self.view.as_ref().map(|view| self.bot.act(view, budget));
        orders.unwrap_or(Orders::REST).to_string()
    }

    fn time(&self) -> Option<Duration> {
        Some(TIME)
    }
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Eye, Game as _};
    use testkit::LookBudget;

    use super::super::setup::Version;
    use super::super::wire;
    use super::*;

    #[test]
    fn what_is_told_is_what_is_seen() {
        let game = Ants::start(&Config::default(), 3, Seed(5)).expect("the usual game");
        for actor in [0, 2] {
            let view = game.view(Eye::Actor(ActorId(actor)));
            for version in [Version::Seed, Version::Two] {
                let mut bytes = Vec::new();
                wire::message(&view, version, &mut bytes);
                let mut message = Unfinished::default();
                let lines = bytes.split(|byte| *byte == b'\n');
                let read: Vec<View> = lines.filter_map(|line| message.take(line)).collect();
                // The document's version does not tell of foreign ants.
                let foreign = match version {
                    Version::Seed => Vec::new(),
                    Version::Two => view.foreign.clone(),
                };
                assert_eq!(read, [View { foreign, ..view.clone() }]);
            }
        }
    }

    #[test]
    fn what_is_no_message_is_left_out() {
        let mut program = ColonyProgram::new("random", Seed(1)).expect("it is listed");
        let over = ["", "hello", "0 1 2 0 1", "0", "0 0 1 0 5 5 1", "1 1 1", "0 0 0 1"];
        let replies = over.map(|line| program.line(line.as_bytes()));
        assert_eq!(replies[6], ProgramReply::Leave);
        assert!(replies[..6].iter().all(|reply| *reply == ProgramReply::Silent), "{replies:?}");
    }

    #[test]
    fn maps_that_this_host_does_not_have_are_played_on() {
        let far = ["0 1 2 1 1", "0", "999 700 1 0 100 100 1", "1001 701 2", "999 700 0 1"];
        for bot in <Ants as table::Hosted>::card().bots {
            let mut program = ColonyProgram::new(bot.name, Seed(1)).expect("it is listed");
            for line in far {
                assert_eq!(program.line(line.as_bytes()), ProgramReply::Silent, "{}", bot.name);
            }
            assert_eq!(program.line(b"1000 700 5 1"), ProgramReply::Think, "{}", bot.name);
            let orders = program.think(&LookBudget::new(9));
            // There is food ahead.
            assert!(orders == "0:forward" || bot.name == "random", "{}: {orders:?}", bot.name);
        }
    }

    #[test]
    fn numbers_that_no_game_has_are_no_message() {
        let mut program = ColonyProgram::new("forager", Seed(1)).expect("it is listed");
        for ant in ["0 65535 1 0 100 100 1", "-1 0 1 0 100 100 1"] {
            for line in ["0 1 2 1 1", "255", ant, "1 1 1", "0 0 0 1"] {
                assert_eq!(program.line(line.as_bytes()), ProgramReply::Silent, "{ant}: {line}");
            }
        }
    }
}
