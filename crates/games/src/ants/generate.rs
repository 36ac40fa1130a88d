//! Making maps: alike for every player where a symmetry fits, and nobody walled in.

use game::{Rng, Seed, SetupError};

use super::land::{Content, Direction, Food, Land, Point};
use super::layout::{Layout, Symmetry};
use super::setup::Config;

/// How often rock and water are drawn anew, a little less each time, until no start is walled in.
const ATTEMPTS: u32 = 40;
/// Without a symmetry, this share (one in so many) of the food lies near the starts, equally.
const NEAR_SHARE: usize = 3;
/// What is near a start.
const NEAR: u16 = 6;

/// A map for so many players.
pub(super) fn generate(config: &Config, players: u16, seed: Seed) -> Result<Layout, SetupError> {
    let mut rng = seed.rng("ants map");
    let (width, height) = (config.width, config.height);
    let symmetry = Symmetry::of(players.into(), width, height);
    let mut maker = Maker { config, symmetry, players: players.into(), rng: &mut rng };
    let Some(starts) = maker.starts() else {
        return Err(SetupError::new(format!(
            "a map of {width}x{height} is too small for {players} players with {} ants each; set \
             width and height",
            config.ants
        )));
    };
    for attempt in 0..=ATTEMPTS {
        if let Some(mut land) = maker.ground(&starts, attempt) {
            maker.feed(&mut land, &starts);
            return Ok(Layout::new(land, starts.ants));
        }
    }
    unreachable!("the last attempt has neither rock nor water")
}

/// Where the colonies begin.
struct Starts {
    centres: Vec<Point>,
    /// Half the side of the square in which the ants stand.
    radius: u16,
    ants: Vec<Vec<Point>>,
}

struct Maker<'a> {
    config: &'a Config,
    symmetry: Symmetry,
    players: usize,
    rng: &'a mut Rng,
}

impl Maker<'_> {
    fn image(&self, side: usize, point: Point) -> Point {
        self.symmetry.image(side, point, self.config.width, self.config.height)
    }

    /// A cell and its images, each once.
    fn orbit(&self, point: Point) -> Vec<Point> {
        let mut orbit: Vec<Point> =
            (0..self.symmetry.sides()).map(|side| self.image(side, point)).collect();
        orbit.sort_unstable();
        orbit.dedup();
        orbit
    }

    /// Draws the places of all ants; `None` if there is no room.
    fn starts(&mut self) -> Option<Starts> {
        let ants = u32::from(self.config.ants);
        let holds = |radius: u16, count: u32| u32::from(2 * radius + 1).pow(2) >= count;
        // Room to turn round is wanted; on a small map the ants stand closer.
        let roomy = (0..).find(|&radius| holds(radius, 2 * ants))?;
        let tight = (0..).find(|&radius| holds(radius, ants))?;
        for radius in (tight..=roomy).rev() {
            let Some(centres) = self.centres(radius) else { continue };
            let side = 2 * radius + 1;
            let mut places: Vec<(u16, u16)> =
                (0..side).flat_map(|dy| (0..side).map(move |dx| (dx, dy))).collect();
            self.rng.shuffle(&mut places);
            places.truncate(ants as usize);
            let at = |centre: Point, (dx, dy): (u16, u16)| {
                Point::new(centre.x - radius + dx, centre.y - radius + dy)
            };
            let ants = (0..self.players).map(|player| {
                let ants = places.iter().map(|&place| match self.symmetry {
                    Symmetry::None => at(centres[player], place),
                    Symmetry::HalfTurn | Symmetry::QuarterTurn | Symmetry::Mirrors => {
                        self.image(player, at(centres[0], place))
                    }
                });
                ants.collect()
            });
            return Some(Starts { ants: ants.collect(), centres, radius });
        }
        None
    }

    /// Middles of the start areas, far from each other; `None` if areas of this size do not fit.
    fn centres(&mut self, radius: u16) -> Option<Vec<Point>> {
        let (width, height) = (self.config.width, self.config.height);
        if width < 2 * radius + 1 || height < 2 * radius + 1 {
            return None;
        }
        let mut best: Option<(u16, Vec<Point>)> = None;
        // Few draws where the sides are alike anyway, so that maps differ; many where only the
        // distance is fair.
        let draws = if self.symmetry == Symmetry::None { 300 } else { 3 };
        let mut drawn = 0;
        for _ in 0..1000 {
            let mut draw = || {
                let x = radius + self.rng.below(u32::from(width - 2 * radius)) as u16;
                Point::new(x, radius + self.rng.below(u32::from(height - 2 * radius)) as u16)
            };
            let centres: Vec<Point> = match self.symmetry {
                Symmetry::None => (0..self.players).map(|_| draw()).collect(),
                Symmetry::HalfTurn | Symmetry::QuarterTurn | Symmetry::Mirrors => {
                    let first = draw();
                    (0..self.players).map(|player| self.image(player, first)).collect()
                }
            };
            let apart = nearest_pair(&centres);
            if apart > 2 * radius {
                drawn += 1;
                if best.as_ref().is_none_or(|(most, _)| apart > *most) {
                    best = Some((apart, centres));
                }
                if drawn == draws {
                    break;
                }
            }
        }
        best.map(|(_, centres)| centres)
    }

    /// Rock and water; `None` if somebody is walled in.
    fn ground(&mut self, starts: &Starts, attempt: u32) -> Option<Land> {
        let mut land = Land::grass(self.config.width, self.config.height);
        let share = f64::from(ATTEMPTS - attempt) / f64::from(ATTEMPTS);
        for (content, rate) in
            [(Content::Rock, self.config.rock), (Content::Water, self.config.water)]
        {
            let wanted = (rate * share * land.area() as f64).round() as usize;
            self.scatter(&mut land, starts, content, wanted);
        }
        let reached = reach(&land, starts.ants[0][0]);
        let all = starts.ants.iter().flatten().all(|&at| reached[land.index(at)]);
        let open = land.cells().iter().filter(|cell| !cell.blocks()).count();
        let inside = reached.iter().filter(|cell| **cell).count();
        if !all || inside * 2 < open {
            return None;
        }
        // What nobody can reach may as well be rock: food there would be lost.
        for point in land.points() {
            if !reached[land.index(point)] && !land.at(point).blocks() {
                land.set(point, Content::Rock);
            }
        }
        Some(land)
    }

    /// Paints small winding patches, and their images, until so many cells are painted.
    fn scatter(&mut self, land: &mut Land, starts: &Starts, content: Content, wanted: usize) {
        let mut painted = 0;
        for _ in 0..20 * wanted {
            if painted >= wanted {
                return;
            }
            let mut at = land.point(self.rng.index(land.area()));
            for _ in 0..=self.rng.below(5) {
                let orbit = self.orbit(at);
                let free =
                    |point: &Point| land.at(*point) == Content::Grass && !starts.protects(*point);
                if orbit.iter().all(free) {
                    orbit.iter().for_each(|&point| land.set(point, content));
                    painted += orbit.len();
                }
                let way = Direction::ALL[self.rng.index(4)];
                at = at.next(way).filter(|&next| land.holds(next)).unwrap_or(at);
            }
        }
    }

    /// Lays out the food.
    fn feed(&mut self, land: &mut Land, starts: &Starts) {
        let shares = [self.config.sugar, self.config.mill, self.config.meat];
        let area = land.area() as f64;
        let mut wanted = shares.map(|share| (share * area).round() as usize);
        if self.symmetry == Symmetry::None {
            self.feed_near(land, starts, &mut wanted);
        }
        let mut places: Vec<Point> = land
            .points()
            .filter(|&point| land.at(point) == Content::Grass && !starts.holds(point))
            .filter(|&point| self.orbit(point)[0] == point)
            .collect();
        self.rng.shuffle(&mut places);
        let mut places = places.into_iter();
        for food in Food::ALL {
            let left = &mut wanted[food as usize];
            while *left > 0 {
                let Some(place) = places.next() else { return };
                let orbit = self.orbit(place);
                // Whole groups only, though there may be a few more than wanted then.
                *left = left.saturating_sub(orbit.len());
                orbit.into_iter().for_each(|point| land.set(point, Content::Food(food)));
            }
        }
    }

    /// Lays the same food near every start.
    fn feed_near(&mut self, land: &mut Land, starts: &Starts, wanted: &mut [usize; 3]) {
        for food in Food::ALL {
            let each = wanted[food as usize] / (NEAR_SHARE * self.players);
            for _ in 0..each {
                let free =
                    |point: &Point| land.at(*point) == Content::Grass && !starts.holds(*point);
                let choices: Vec<Vec<Point>> = starts
                    .centres
                    .iter()
                    .map(|&centre| around(land, centre, NEAR).filter(free).collect())
                    .collect();
                // Areas may overlap on a small map: then one cell could be drawn twice.
                let mut drawn: Vec<Point> =
                    choices.iter().filter_map(|near| self.rng.pick(near).copied()).collect();
                drawn.sort_unstable();
                drawn.dedup();
                if drawn.len() < self.players {
                    break;
                }
                wanted[food as usize] -= drawn.len();
                drawn.into_iter().for_each(|point| land.set(point, Content::Food(food)));
            }
        }
    }
}

impl Starts {
    /// Whether an ant starts in a cell.
    fn holds(&self, point: Point) -> bool {
        self.protects(point) && self.ants.iter().flatten().any(|at| *at == point)
    }

    /// Whether a cell is in a start area or beside it, where nothing may block.
    fn protects(&self, point: Point) -> bool {
        self.centres.iter().any(|&centre| distance(point, centre) <= self.radius + 1)
    }
}

/// The cells of the map that are no farther from `centre` than this.
fn around(land: &Land, centre: Point, far: u16) -> impl Iterator<Item = Point> + use<> {
    let rows = centre.y.saturating_sub(far)..(centre.y + far + 1).min(land.height());
    let columns = centre.x.saturating_sub(far)..(centre.x + far + 1).min(land.width());
    rows.flat_map(move |y| columns.clone().map(move |x| Point { x, y }))
}

/// The larger of the two distances.
fn distance(a: Point, b: Point) -> u16 {
    a.x.abs_diff(b.x).max(a.y.abs_diff(b.y))
}

/// The smallest distance between any two.
fn nearest_pair(points: &[Point]) -> u16 {
    let pairs = points
        .iter()
        .enumerate()
        .flat_map(|(index, &a)| points[index + 1..].iter().map(move |&b| distance(a, b)));
    pairs.min().unwrap_or(u16::MAX)
}

/// Which cells an ant could get to.
pub(super) fn reach(land: &Land, from: Point) -> Vec<bool> {
    let mut reached = vec![false; land.area()];
    reached[land.index(from)] = true;
    let mut ahead = vec![from];
    while let Some(at) = ahead.pop() {
        for way in Direction::ALL {
            if let Some(next) = land.open_ahead(at, way)
                && !reached[land.index(next)]
            {
                reached[land.index(next)] = true;
                ahead.push(next);
            }
        }
    }
    reached
}
