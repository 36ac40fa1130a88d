//! A position whose patterns, threats and evaluation are kept up to date move by move.

use super::cells::{At, Grid, Places};
use super::pattern::{LineTable, shift};
use super::worth::{Ban, Code, Threat, Worth, WorthTable, pattern_in};
use crate::gomoku::board::{Rule, Size, Stone};

/// What the engine knows of one cell.
#[derive(Clone, Copy, Debug)]
struct Spot {
    /// The views along the four directions, see [`super::pattern`].
    views: [u32; 4],
    faces: [Face; 2],
    taken: Taken,
}

/// What an empty cell is to one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Face {
    /// The patterns a stone there would make.
    code: Code,
    /// Copies from the table of worths, which is large and slow to reach.
    moving: i16,
    waiting: i16,
    threat: Threat,
}

impl Face {
    fn new(code: Code, worths: &WorthTable) -> Face {
        let Worth { moving, waiting, threat, .. } = worths.of(code);
        Face { code, moving, waiting, threat }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Free,
    By(Stone),
    Margin,
}

/// A stone that was placed and what it takes to remove it.
#[derive(Clone, Copy, Debug)]
struct Placed {
    at: At,
    stone: Stone,
    /// Where this move's changes start in the list of changes.
    changes: usize,
    /// The cells near a stone, before this one was placed.
    near: Places,
    /// The worth of the cells, before this stone was placed.
    sums: [Sum; 2],
}

/// The worth of all of a colour's cells.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// When the colour is to move.
    moving: i32,
    /// When it is not.
    waiting: i32,
}

/// A cell before a move changed it.
#[derive(Clone, Copy, Debug)]
struct Change {
    at: At,
    faces: [Face; 2],
}

/// Stones, and everything the engine derives from them.
#[derive(Clone)]
pub(super) struct Position {
    grid: Grid,
    rule: Rule,
    lines: &'static LineTable,
    worths: [&'static WorthTable; 2],
    steps: [isize; 4],
    spots: Vec<Spot>,
    keys: Vec<[u64; 2]>,
    /// The cells within two steps of each cell, or three along a line.
    around: Vec<Places>,
    placed: Vec<Placed>,
    changes: Vec<Change>,
    near: Places,
    threats: [[Places; Threat::COUNT]; 2],
    counts: [[u16; Threat::COUNT]; 2],
    sums: [Sum; 2],
    hash: u64,
}

impl Position {
    pub(super) fn new(size: Size, rule: Rule) -> Position {
        let grid = Grid::new(size);
        let free = WorthTable::free();
        let black = if rule == Rule::Renju { WorthTable::restricted() } else { free };
        let mut position = Position {
            grid,
            rule,
            lines: LineTable::of(rule),
            worths: [black, free],
            steps: grid.steps(),
            spots: vec![
                Spot { views: [0; 4], faces: [Face::new(0, free); 2], taken: Taken::Margin };
                grid.len()
            ],
            keys: keys(grid.len()),
            around: vec![Places::NONE; grid.len()],
            placed: Vec::new(),
            changes: Vec::new(),
            near: Places::NONE,
            threats: [[Places::NONE; Threat::COUNT]; 2],
            counts: [[0; Threat::COUNT]; 2],
            sums: [Sum::default(); 2],
            hash: 0,
        };
        position.lay_out();
        position
    }

    /// Prepares the empty board.
    fn lay_out(&mut self) {
        for cell in self.grid.size().cells() {
            let at = self.grid.at(cell);
            self.spots[at.index()].taken = Taken::Free;
            for dy in -3..=3_i64 {
                for dx in -3..=3_i64 {
                    let straight = dx == 0 || dy == 0 || dx.abs() == dy.abs();
                    let close = dx.abs() <= 2 && dy.abs() <= 2;
                    let there =
                        self.grid.size().cell(i64::from(cell.x) + dx, i64::from(cell.y) + dy);
                    if let Some(there) = there.filter(|_| straight || close) {
                        self.around[at.index()].insert(self.grid.at(there));
                    }
                }
            }
        }
        for cell in self.grid.size().cells() {
            let at = self.grid.at(cell);
            for direction in 0..4 {
                self.spots[at.index()].views[direction] = self.view_of_edges(at, direction);
            }
            let codes = self.seen_codes(at);
            let faces = [0, 1].map(|colour| Face::new(codes[colour], self.worths[colour]));
            self.spots[at.index()].faces = faces;
            self.count_in(at, faces);
        }
    }

    fn view_of_edges(&self, at: At, direction: usize) -> u32 {
        let mut view = 0;
        for sign in [-1, 1] {
            let mut inside = true;
            for step in 1..=self.lines.reach as isize {
                inside = inside && {
                    let there = at.shifted(sign * step * self.steps[direction]);
                    self.spots[there.index()].taken != Taken::Margin
                };
                if !inside {
                    view |= 3 << shift(sign * step);
                }
            }
        }
        view
    }

    fn seen_codes(&self, at: At) -> [Code; 2] {
        let mut codes = [0; 2];
        for (direction, &view) in self.spots[at.index()].views.iter().enumerate() {
            let both = self.lines.both(view);
            codes[0] |= Code::from(both & 15) << (4 * direction);
            codes[1] |= Code::from(both >> 4) << (4 * direction);
        }
        codes
    }

    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }

    pub(super) fn rule(&self) -> Rule {
        self.rule
    }

    /// How far a stone matters along a line.
    pub(super) fn reach(&self) -> usize {
        self.lines.reach
    }

    /// The distance between neighbours in the four directions.
    pub(super) fn steps(&self) -> &[isize; 4] {
        &self.steps
    }

    /// The number of stones.
    pub(super) fn len(&self) -> usize {
        self.placed.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.placed.len() == self.grid.size().area()
    }

    /// The stones in the order they were placed.
    pub(super) fn stones(&self) -> impl Iterator<Item = (At, Stone)> + '_ {
        self.placed.iter().map(|placed| (placed.at, placed.stone))
    }

    /// The stone placed last.
    pub(super) fn last(&self) -> Option<At> {
        self.placed.last().map(|placed| placed.at)
    }

    #[inline]
    pub(super) fn is_free(&self, at: At) -> bool {
        self.spots[at.index()].taken == Taken::Free
    }

    #[inline]
    pub(super) fn is_own(&self, at: At, stone: Stone) -> bool {
        self.spots[at.index()].taken == Taken::By(stone)
    }

    #[inline]
    pub(super) fn code(&self, at: At, stone: Stone) -> Code {
        self.spots[at.index()].faces[stone as usize].code
    }

    #[inline]
    pub(super) fn worth(&self, at: At, stone: Stone) -> Worth {
        self.worths[stone as usize].of(self.code(at, stone))
    }

    /// How many cells carry this threat for a colour.
    #[inline]
    pub(super) fn count(&self, stone: Stone, threat: Threat) -> usize {
        usize::from(self.counts[stone as usize][threat as usize])
    }

    /// The cells that carry this threat for a colour. Quiet cells are not kept.
    #[inline]
    pub(super) fn cells_with(&self, stone: Stone, threat: Threat) -> &Places {
        &self.threats[stone as usize][threat as usize]
    }

    /// Empty or taken cells near a stone.
    #[inline]
    pub(super) fn near(&self) -> &Places {
        &self.near
    }

    /// The difference of the cell values for the side to move.
    #[inline]
    pub(super) fn balance(&self, to_move: Stone) -> i32 {
        self.sums[to_move as usize].moving - self.sums[to_move.other() as usize].waiting
    }

    /// Names the position with this colour to move.
    #[inline]
    pub(super) fn key(&self, to_move: Stone) -> u64 {
        match to_move {
            Stone::Black => self.hash,
            Stone::White => self.hash ^ 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Puts a stone on a free cell.
    pub(super) fn place(&mut self, at: At, stone: Stone) {
        debug_assert!(self.is_free(at), "stones go on free cells");
        self.placed.push(Placed {
            at,
            stone,
            changes: self.changes.len(),
            near: self.near,
            sums: self.sums,
        });
        self.near = self.near.or(&self.around[at.index()]);
        self.hash ^= self.keys[at.index()][stone as usize];
        let spot = &mut self.spots[at.index()];
        spot.taken = Taken::By(stone);
        let faces = spot.faces;
        self.count_out(at, faces);
        let mark = match stone {
            Stone::Black => 1,
            Stone::White => 2,
        };
        for direction in 0..4 {
            let step = self.steps[direction];
            let mut there = at;
            let mut back = at;
            for distance in 1..=self.lines.reach as isize {
                there = there.shifted(step);
                back = back.shifted(-step);
                self.see(there, direction, mark << shift(-distance));
                self.see(back, direction, mark << shift(distance));
            }
        }
    }

    /// Takes the last stone away.
    pub(super) fn undo(&mut self) {
        let placed = self.placed.pop().expect("only placed stones are taken away");
        let at = placed.at;
        self.near = placed.near;
        self.hash ^= self.keys[at.index()][placed.stone as usize];
        while self.changes.len() > placed.changes {
            let change = self.changes.pop().expect("the list is longer than its old length");
            let spot = &mut self.spots[change.at.index()];
            let faces = spot.faces;
            spot.faces = change.faces;
            for colour in [0, 1] {
                let (now, before) = (faces[colour].threat, change.faces[colour].threat);
                self.change_threat(change.at, colour, now, before);
            }
        }
        let mark = match placed.stone {
            Stone::Black => 1,
            Stone::White => 2,
        };
        for direction in 0..4 {
            let step = self.steps[direction];
            let mut there = at;
            let mut back = at;
            for distance in 1..=self.lines.reach as isize {
                there = there.shifted(step);
                back = back.shifted(-step);
                self.spots[there.index()].views[direction] ^= mark << shift(-distance);
                self.spots[back.index()].views[direction] ^= mark << shift(distance);
            }
        }
        let spot = &mut self.spots[at.index()];
        spot.taken = Taken::Free;
        let faces = spot.faces;
        self.count_in(at, faces);
        self.sums = placed.sums;
    }

    /// Shows a cell a new stone on one of its lines.
    #[inline]
    fn see(&mut self, at: At, direction: usize, mark: u32) {
        let spot = &mut self.spots[at.index()];
        spot.views[direction] ^= mark;
        if spot.taken != Taken::Free {
            return;
        }
        let both = self.lines.both(spot.views[direction]);
        let place = 4 * direction;
        let old = spot.faces;
        let with = |code: Code, pattern: u8| code & !(15 << place) | Code::from(pattern) << place;
        let new = [with(old[0].code, both & 15), with(old[1].code, both >> 4)];
        if new == [old[0].code, old[1].code] {
            return;
        }
        self.changes.push(Change { at, faces: old });
        for colour in [0, 1] {
            if new[colour] == old[colour].code {
                continue;
            }
            let face = Face::new(new[colour], self.worths[colour]);
            spot.faces[colour] = face;
            self.sums[colour].moving += i32::from(face.moving) - i32::from(old[colour].moving);
            self.sums[colour].waiting += i32::from(face.waiting) - i32::from(old[colour].waiting);
        }
        for colour in [0, 1] {
            let now = self.spots[at.index()].faces[colour].threat;
            self.change_threat(at, colour, old[colour].threat, now);
        }
    }

    fn count_in(&mut self, at: At, faces: [Face; 2]) {
        for (colour, face) in faces.into_iter().enumerate() {
            self.sums[colour].moving += i32::from(face.moving);
            self.sums[colour].waiting += i32::from(face.waiting);
            self.add_threat(at, colour, face.threat);
        }
    }

    fn count_out(&mut self, at: At, faces: [Face; 2]) {
        for (colour, face) in faces.into_iter().enumerate() {
            self.sums[colour].moving -= i32::from(face.moving);
            self.sums[colour].waiting -= i32::from(face.waiting);
            self.drop_threat(at, colour, face.threat);
        }
    }

    #[inline]
    fn change_threat(&mut self, at: At, colour: usize, before: Threat, after: Threat) {
        if before != after {
            self.drop_threat(at, colour, before);
            self.add_threat(at, colour, after);
        }
    }

    #[inline]
    fn add_threat(&mut self, at: At, colour: usize, threat: Threat) {
        if threat != Threat::Quiet {
            self.threats[colour][threat as usize].insert(at);
            self.counts[colour][threat as usize] += 1;
        }
    }

    #[inline]
    fn drop_threat(&mut self, at: At, colour: usize, threat: Threat) {
        if threat != Threat::Quiet {
            self.threats[colour][threat as usize].remove(at);
            self.counts[colour][threat as usize] -= 1;
        }
    }

    /// Whether a colour may play on a free cell.
    #[inline]
    pub(super) fn allows(&mut self, at: At, stone: Stone) -> bool {
        match self.worth(at, stone).ban {
            Ban::None => true,
            Ban::Certain => false,
            Ban::IfThreesAreReal => !self.has_two_real_threes(at),
        }
    }

    /// Renju's double three. A three is real if a straight four may be made of it: the cell
    /// for it must itself be allowed, which is asked with the new stone on the board.
    fn has_two_real_threes(&mut self, at: At) -> bool {
        let code = self.code(at, Stone::Black);
        self.place(at, Stone::Black);
        let mut real = 0;
        for direction in (0..4).filter(|&d| pattern_in(code, d).is_free_three()) {
            if real < 2 && self.may_become_straight_four(at, direction) {
                real += 1;
            }
        }
        self.undo();
        real >= 2
    }

    fn may_become_straight_four(&mut self, at: At, direction: usize) -> bool {
        [-1, 1].into_iter().any(|sign| {
            let mut there = at;
            // The straight four consists of unbroken stones, so the first gap decides.
            loop {
                there = there.shifted(sign * self.steps[direction]);
                if !self.is_own(there, Stone::Black) {
                    break;
                }
            }
            self.is_free(there)
                && pattern_in(self.code(there, Stone::Black), direction)
                    == super::pattern::Pattern::StraightFour
                && self.worth(there, Stone::Black).threat != Threat::Five
                && self.allows(there, Stone::Black)
        })
    }
}

/// Random numbers for naming positions; the same for every engine, so that runs repeat.
fn keys(len: usize) -> Vec<[u64; 2]> {
    let mut rng = game::Seed(0x676f_6d6f_6b75).rng("position names");
    (0..len).map(|_| [rng.next_u64(), rng.next_u64()]).collect()
}
