//! Walls, mud and cheese by chance: the same seed gives the same maze on every machine.
//!
//! Everything here decides over *orbits*: an edge or cell together with its image when the
//! board is turned by 180°. Without symmetry every orbit is a single edge or cell.

use game::{Rng, SetupError};

use super::maze::{Between, Blueprint};

/// Whether what is generated looks the same from both ends of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    Turned,
    None,
}

/// A probability in 65536ths: whole numbers are the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Density(u32);

impl Density {
    const ONE: f64 = 65536.0;

    /// Reads a probability; fails with a message that names `what` if it is not one.
    pub(super) fn new(what: &str, density: f64) -> Result<Density, SetupError> {
        if (0.0..=1.0).contains(&density) {
            return Ok(Density((density * Density::ONE).round() as u32));
        }
        Err(SetupError::new(format!("{what} is {density} and must be 0 to 1")))
    }
}

/// A coin to toss for every edge. Four tosses share a random number, which saves time.
struct Coin<'a> {
    rng: &'a mut Rng,
    density: Density,
    bits: u64,
    tosses_left: u32,
}

impl<'a> Coin<'a> {
    fn new(density: Density, rng: &'a mut Rng) -> Coin<'a> {
        Coin { rng, density, bits: 0, tosses_left: 0 }
    }

    #[inline]
    fn toss(&mut self) -> bool {
        if self.tosses_left == 0 {
            (self.bits, self.tosses_left) = (self.rng.next_u64(), 4);
        }
        let piece = self.bits as u16;
        self.bits >>= 16;
        self.tosses_left -= 1;
        u32::from(piece) < self.density.0
    }
}

/// Sets of cells that are joined by passages (union-find with path halving).
pub(super) struct Regions(Vec<u16>);

impl Regions {
    fn apart(cells: usize) -> Regions {
        Regions((0..cells).map(|cell| cell as u16).collect())
    }

    /// The regions of a finished drawing.
    pub(super) fn of(blueprint: &Blueprint) -> Regions {
        let mut regions = Regions::apart(blueprint.cells());
        for edge in blueprint.edges() {
            if blueprint.between(edge) != Between::WALL {
                regions.join(blueprint.ends(edge));
            }
        }
        regions
    }

    fn root(&mut self, cell: usize) -> usize {
        let mut at = cell;
        loop {
            let parent = usize::from(self.0[at]);
            if parent == at {
                return at;
            }
            self.0[at] = self.0[parent];
            at = parent;
        }
    }

    /// Joins two cells; false if they were joined before.
    fn join(&mut self, (a, b): (usize, usize)) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b) as u16;
        a != b
    }

    /// Whether one can walk from one cell to the other.
    pub(super) fn joined(&mut self, a: usize, b: usize) -> bool {
        self.root(a) == self.root(b)
    }
}

/// Every edge that is not a wall, once, with the edge that must look like it. Without symmetry
/// that is the edge itself, as it is for the edge through the middle of the board.
fn orbits(blueprint: &Blueprint, symmetry: Symmetry) -> impl Iterator<Item = [usize; 2]> {
    let edges = match symmetry {
        Symmetry::None => blueprint.edges(),
        // Images of the lower half are in the upper half.
        Symmetry::Turned => 0..blueprint.cells(),
    };
    let open = edges.filter(|&edge| blueprint.between(edge) != Between::WALL);
    let orbits = open.map(move |edge| match symmetry {
        Symmetry::None => [edge, edge],
        Symmetry::Turned => [edge, blueprint.turned(edge)],
    });
    orbits.filter(|[edge, image]| edge <= image)
}

/// Decides every open question between cells: wall or passage, so that all cells are joined.
///
/// Where mud lies already there is a passage, and so there is at its image.
pub(super) fn walls(
    blueprint: &mut Blueprint,
    density: Density,
    symmetry: Symmetry,
    rng: &mut Rng,
) {
    let mut regions = Regions::apart(blueprint.cells());
    let mut coin = Coin::new(density, rng);
    let mut walled = Vec::with_capacity(blueprint.cells() * 2);
    // So far, only the edges around the board are walls, and they are no orbits.
    for orbit in orbits(blueprint, symmetry) {
        let muddy = orbit.iter().any(|&edge| blueprint.between(edge) != Between::NOTHING);
        if !muddy && coin.toss() {
            walled.push(orbit);
        } else {
            for edge in orbit {
                regions.join(blueprint.ends(edge));
            }
        }
    }
    // Every edge of the board is either open or in this list, so that one pass joins all
    // that can be joined, which is everything.
    rng.shuffle(&mut walled);
    for [edge, image] in walled {
        // The regions are as symmetric as the passages: an edge joins two of them exactly if
        // its image does, until one of the two is opened.
        if regions.join(blueprint.ends(edge)) {
            regions.join(blueprint.ends(image));
        } else {
            blueprint.put(edge, Between::WALL);
            blueprint.put(image, Between::WALL);
        }
    }
}

/// Puts mud of 2 or 3 turns on some of the passages.
///
/// Given walls need not be symmetric: a passage that must look like a wall stays dry.
pub(super) fn mud(blueprint: &mut Blueprint, density: Density, symmetry: Symmetry, rng: &mut Rng) {
    let mut coin = Coin::new(density, rng);
    let mut muddy = Vec::new();
    for [edge, image] in orbits(blueprint, symmetry) {
        if coin.toss() && blueprint.between(image) != Between::WALL {
            muddy.push(([edge, image], Between::mud(2 + coin.rng.below(2) as u16)));
        }
    }
    for (orbit, mud) in muddy {
        for edge in orbit {
            blueprint.put(edge, mud);
        }
    }
}

/// Where cheese may be put: by twos in symmetric places, and one in the centre.
pub(super) struct Larder {
    pairs: Vec<[usize; 2]>,
    singles: Vec<usize>,
    symmetry: Symmetry,
}

impl Larder {
    /// The room for cheese on a board of `cells` cells, of which only some are `free`. A board may
    /// have a cell in its centre.
    pub(super) fn new(
        cells: usize,
        centre: Option<usize>,
        symmetry: Symmetry,
        mut free: impl FnMut(usize) -> bool,
    ) -> Larder {
        let mut larder = Larder { pairs: Vec::new(), singles: Vec::new(), symmetry };
        match symmetry {
            Symmetry::None => larder.singles.extend((0..cells).filter(|&cell| free(cell))),
            Symmetry::Turned => {
                let pairs = (0..cells / 2).map(|cell| [cell, cells - 1 - cell]);
                larder.pairs.extend(pairs.filter(|&[one, image]| free(one) && free(image)));
                larder.singles.extend(centre.filter(|&cell| free(cell)));
            }
        }
        larder
    }

    /// The largest number of cheese that fits.
    pub(super) fn room(&self) -> usize {
        2 * self.pairs.len() + self.singles.len()
    }

    /// The number nearest to `wish` that can be done; zero only if nothing can.
    pub(super) fn nearest(&self, wish: usize) -> usize {
        let count = wish.clamp(1, self.room().max(1));
        match (count % 2, self.singles.is_empty()) {
            (1, true) if count == 1 => 2.min(self.room()),
            (1, true) => count - 1,
            // The centre is left free by an even number.
            (0, false) if count > 2 * self.pairs.len() && self.symmetry == Symmetry::Turned => {
                count - 1
            }
            _ => count,
        }
    }

    /// Chooses `count` cells; fails if that cannot be done.
    pub(super) fn choose(mut self, count: usize, rng: &mut Rng) -> Result<Vec<usize>, SetupError> {
        let refuse = |why: String| Err(SetupError::new(format!("cheese_count is {count}, {why}")));
        let room = self.room();
        if count == 0 {
            return refuse("and there must be at least one".into());
        }
        if count > room {
            return refuse(format!("but there is room for only {room}"));
        }
        match self.symmetry {
            Symmetry::None => {
                shuffle_first(&mut self.singles, count, rng);
                Ok(self.singles)
            }
            Symmetry::Turned => {
                let odd = count % 2 == 1;
                if odd && self.singles.is_empty() {
                    return refuse("which is odd and needs a free centre: both sides odd".into());
                }
                if count / 2 > self.pairs.len() {
                    return refuse(format!("but there are only {} pairs", self.pairs.len()));
                }
                shuffle_first(&mut self.pairs, count / 2, rng);
                let centre = self.singles.into_iter().filter(|_| odd);
                Ok(self.pairs.into_iter().flatten().chain(centre).collect())
            }
        }
    }
}

/// Keeps `count` items, chosen so that every choice is equally likely.
fn shuffle_first<T>(items: &mut Vec<T>, count: usize, rng: &mut Rng) {
    for at in 0..count {
        let other = at + rng.index(items.len() - at);
        items.swap(at, other);
    }
    items.truncate(count);
}
