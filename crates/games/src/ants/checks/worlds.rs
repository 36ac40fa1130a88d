//! Messages for scripts.

use std::fmt::Write as _;
use std::ops::Range;

use super::super::setup::Version;
use super::super::wire::Command;

/// What a program is told: its ants in a row at the top, and a map that it knows.
#[derive(Clone)]
pub(super) struct World {
    turn: u32,
    ants: u8,
    players: u8,
    commands: Range<u8>,
    dead: Vec<u8>,
    foreign: Vec<(u16, u16)>,
    size: (u16, u16),
    directions: [(i8, i8); 4],
    /// The content and the sight of a point, if it is known.
    point: fn(u16, u16) -> Option<(u8, u8)>,
    over: bool,
}

impl World {
    /// So many ants on a known map of grass.
    pub(super) fn new(ants: u8) -> World {
        World {
            turn: 0,
            ants,
            players: 2,
            commands: 0..ants,
            dead: Vec::new(),
            foreign: Vec::new(),
            size: (u16::from(ants).max(8), 6),
            directions: [(1, 0); 4],
            point: |_, _| Some((0, 1)),
            over: false,
        }
    }

    /// The same in this turn.
    pub(super) fn later(&self, turn: u32) -> World {
        World { turn, ..self.clone() }
    }

    pub(super) fn over(self) -> World {
        World { over: true, ..self }
    }

    pub(super) fn players(self, players: u8) -> World {
        World { players, ..self }
    }

    pub(super) fn commands(self, commands: Range<u8>) -> World {
        World { commands, ..self }
    }

    pub(super) fn dead(self, dead: &[u8]) -> World {
        World { dead: dead.to_vec(), ..self }
    }

    pub(super) fn foreign(self, foreign: &[(u16, u16)]) -> World {
        World { foreign: foreign.to_vec(), ..self }
    }

    pub(super) fn sized(self, width: u16, height: u16) -> World {
        World { size: (width, height), ..self }
    }

    /// The ants look in different directions.
    pub(super) fn turned(self) -> World {
        World { directions: [(1, 0), (0, 1), (-1, 0), (0, -1)], ..self }
    }

    /// Only the first rows are seen in this turn.
    pub(super) fn remembered(self) -> World {
        World { point: |_, y| Some((u8::from(y == 3), u8::from(y < 2))), ..self }
    }

    /// Every content there is, beside the ants.
    pub(super) fn contents(self) -> World {
        World { point: |x, y| Some((if y < 2 { 0 } else { (x % 6) as u8 }, 1)), ..self }
    }

    /// Only some points are known.
    pub(super) fn gaps(self) -> World {
        World { point: |x, y| (y < 2 || (x + y) % 3 == 0).then_some((0, 1)), ..self }
    }

    /// What the program may command.
    pub(super) fn command(&self) -> Command {
        let alive = (0..self.ants).map(|ant| !self.dead.contains(&ant)).collect();
        Command { ids: self.commands.clone(), alive }
    }

    /// The message, without its last line end.
    pub(super) fn text(&self, version: Version) -> String {
        let mut text = String::new();
        let (status, own) = (u8::from(!self.over), self.commands.len());
        let mut add = |line: String| writeln!(text, "{line}").expect("memory can be written to");
        let head = format!("{} {} {} {status}", self.turn, self.ants, self.players);
        match version {
            Version::Seed => {
                add(format!("{head} {own}"));
                let ids: Vec<String> = self.commands.clone().map(|id| id.to_string()).collect();
                add(ids.join(" "));
            }
            Version::Two => add(head),
        }
        for ant in 0..self.ants {
            let (dx, dy) = self.directions[usize::from(ant) % 4];
            let alive = !self.dead.contains(&ant);
            let brain = match (alive, version) {
                (false, _) => 3,
                (true, Version::Two) if !self.commands.contains(&ant) => 2,
                (true, Version::Seed | Version::Two) => 1,
            };
            let id = if version == Version::Two { format!("{ant} ") } else { String::new() };
            let energy = if alive { 100 } else { 0 };
            add(format!("{id}{ant} 0 {dx} {dy} {energy} 100 {brain}"));
        }
        if version == Version::Two {
            add(self.foreign.len().to_string());
            for (x, y) in &self.foreign {
                add(format!("{x} {y} -1 0 1"));
            }
        }
        let (width, height) = self.size;
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let points: Vec<(u16, u16, (u8, u8))> =
            cells.filter_map(|(x, y)| Some((x, y, (self.point)(x, y)?))).collect();
        add(format!("{width} {height} {}", points.len()));
        for (x, y, (content, sight)) in points {
            add(format!("{x} {y} {content} {sight}"));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_documents_form() {
        let world = World { size: (2, 1), ..World::new(2) };
        let seed = "0 2 2 1 2\n0 1\n0 0 1 0 100 100 1\n1 0 1 0 100 100 1\n2 1 2\n0 0 0 1\n1 0 0 1";
        assert_eq!(world.text(Version::Seed), seed);
        let world = world.commands(1..2).dead(&[1]).foreign(&[(1, 0)]).later(7).over();
        let two = "7 2 2 0\n0 0 0 1 0 100 100 2\n1 1 0 1 0 0 100 3\n1\n1 0 -1 0 1\n2 1 2\n0 0 0 1\n1 0 0 1";
        assert_eq!(world.text(Version::Two), two);
    }
}
