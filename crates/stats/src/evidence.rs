//! Results laid out for the fit: flat lists, a few results side by side, in the order of finishing.

use std::collections::BTreeMap;

use crate::field::Finish;
use crate::lanes::{LANES, Lanes};

/// At tables with more seats the sets that might tie are too many to weigh, and every member of a
/// tie is chosen from all who were left instead (Breslow).
const MOST_WEIGHED: usize = 10;

/// The parameters of games with one number of seats.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableLayout {
    /// Where the effects of the seats begin; none if they cannot be told from the players.
    pub(crate) seats: Option<usize>,
    /// Where the prevalence of a tie stands, by how many were left and how many of them tied.
    pub(crate) ties: BTreeMap<(usize, usize), usize>,
}

impl TableLayout {
    /// The sizes of ties there are, each once.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.ties.keys().map(|&(_, size)| size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// Results of games with one number of seats.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) seats: usize,
    /// Players in the order of finishing, after each other for a few results side by side.
    pub(crate) players: Vec<[u32; LANES]>,
    /// The seats they had.
    pub(crate) chairs: Vec<[u32; LANES]>,
    /// How often the next place was taken with all left from here on.
    pub(crate) counts: Vec<Lanes>,
    /// One more than the last of the players.
    pub(crate) field: usize,
    results: usize,
}

/// What results say.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    pub(crate) sheets: Vec<Sheet>,
    /// Added up: the logarithm of the likelihood is linear in these but for the sums over all sets.
    pub(crate) observed: Vec<f64>,
    /// How many results that differ.
    pub(crate) results: usize,
    /// How many choices, by the number of seats and of those who were left.
    choices: BTreeMap<(usize, usize), f64>,
}

/// A choice behind places: it was made among all positions from `first` on, for the first `chosen`
/// of them.
struct RankChoice {
    first: usize,
    chosen: usize,
}

/// Which sizes of ties occur at which tables.
pub(crate) fn layouts<'a>(
    results: impl Iterator<Item = (&'a Finish, u64)>,
) -> BTreeMap<usize, TableLayout> {
    let mut tables: BTreeMap<usize, TableLayout> = BTreeMap::new();
    let mut order = Vec::new();
    for (finish, _) in results {
        let seats = finish.seating.len();
        let table = tables.entry(seats).or_default();
        if seats <= MOST_WEIGHED {
            finish_order(finish, &mut order);
            for RankChoice { first, chosen } in choices(finish, &order).filter(|tie| tie.chosen > 1)
            {
                table.ties.insert((seats - first, chosen), 0);
            }
        }
    }
    tables
}

/// Seats in the order of finishing.
fn finish_order(finish: &Finish, order: &mut Vec<usize>) {
    order.clear();
    order.extend(0..finish.places.len());
    order.sort_unstable_by_key(|&seat| (finish.places[seat], seat));
}

/// The choices behind places; the last one left is no choice.
fn choices<'a>(finish: &'a Finish, order: &'a [usize]) -> impl Iterator<Item = RankChoice> + 'a {
    let mut first = 0;
    order
        .chunk_by(|&one, &other| finish.places[one] == finish.places[other])
        .map(move |tied| {
            let choice = RankChoice { first, chosen: tied.len() };
            first += tied.len();
            choice
        })
        .filter(|choice| choice.first + 1 < order.len())
}

impl Evidence {
    /// What these results say about `parameters`, laid out as in `tables`.
    pub(crate) fn new<'a>(
        results: impl Iterator<Item = (&'a Finish, u64)>,
        tables: &BTreeMap<usize, TableLayout>,
        parameters: usize,
    ) -> Evidence {
        let mut sheets: BTreeMap<usize, Sheet> = BTreeMap::new();
        let mut evidence = Evidence {
            sheets: Vec::new(),
            observed: vec![0.0; parameters],
            results: 0,
            choices: BTreeMap::new(),
        };
        let mut order = Vec::new();
        for (finish, count) in results {
            let seats = finish.seating.len();
            finish_order(finish, &mut order);
            let sheet = sheets.entry(seats).or_insert_with(|| Sheet::new(seats));
            let (at, lane) = sheet.next();
            for (position, &seat) in order.iter().enumerate() {
                let player = finish.seating[seat].0;
                sheet.field = sheet.field.max(player + 1);
                sheet.players[at + position][lane] = player as u32;
                sheet.chairs[at + position][lane] = seat as u32;
            }
            evidence.results += 1;
            let (table, count) = (&tables[&seats], count as f64);
            for RankChoice { first, chosen } in choices(finish, &order) {
                let (share, times) = if seats <= MOST_WEIGHED {
                    (count / chosen as f64, count)
                } else {
                    (count, count * chosen as f64)
                };
                sheet.counts[at + first].0[lane] = times;
                for &seat in &order[first..first + chosen] {
                    evidence.observed[finish.seating[seat].0] += share;
                    if let Some(begin) = table.seats {
                        evidence.observed[begin + seat] += share;
                    }
                }
                if let Some(&at) = table.ties.get(&(seats - first, chosen)) {
                    evidence.observed[at] += count;
                }
                *evidence.choices.entry((seats, seats - first)).or_default() += times;
            }
        }
        evidence.sheets = sheets.into_values().collect();
        evidence
    }

    /// Of a sample of `whole`: takes the share of ties from the whole. A kind of tie too rare for
    /// the sample must not be held for impossible.
    pub(crate) fn tie_as(&mut self, whole: &Evidence, tables: &BTreeMap<usize, TableLayout>) {
        for (&seats, table) in tables {
            for (&(left, _), &at) in &table.ties {
                let made = |of: &Evidence| of.choices.get(&(seats, left)).copied().unwrap_or(0.0);
                self.observed[at] = whole.observed[at] * made(self) / made(whole);
            }
        }
    }
}

impl Sheet {
    fn new(seats: usize) -> Sheet {
        let (players, chairs, counts) = (Vec::new(), Vec::new(), Vec::new());
        Sheet { seats, players, chairs, counts, field: 0, results: 0 }
    }

    /// Room for one more result: where its positions begin, and its lane. What is left of the last
    /// lanes counts for nothing.
    fn next(&mut self) -> (usize, usize) {
        let lane = self.results % LANES;
        if lane == 0 {
            let length = self.players.len() + self.seats;
            self.players.resize(length, [0; LANES]);
            self.chairs.resize(length, [0; LANES]);
            self.counts.resize(length, Lanes::ZERO);
        }
        self.results += 1;
        (self.players.len() - self.seats, lane)
    }

    /// The places of a part of the results in the lists, and of each few side by side in those.
    pub(crate) fn part(&self, part: usize, parts: usize) -> impl Iterator<Item = usize> {
        let few = self.players.len() / self.seats;
        let seats = self.seats;
        (few * part / parts..few * (part + 1) / parts).map(move |at| at * seats)
    }
}
