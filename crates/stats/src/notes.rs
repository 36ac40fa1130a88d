//! What a reader of ratings must know: where results alone cannot tell, and a weak prior stands in.

use std::collections::BTreeMap;

use crate::field::{Field, Player};

/// A remark on a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RatingNote {
    /// No chain of games links these groups, largest first.
    Disconnected {
        /// The groups, without players who never played.
        groups: Vec<Vec<Player>>,
    },
    /// Some never played.
    NoGames {
        /// Who.
        players: Vec<Player>,
    },
    /// Was ahead of all others in every game.
    WonAll {
        /// Who.
        player: Player,
    },
    /// Was behind all others in every game.
    LostAll {
        /// Who.
        player: Player,
    },
    /// Nobody of a tier was ever behind or level with anybody of a later one it met.
    Separated {
        /// The tiers, strongest first.
        tiers: Vec<Vec<Player>>,
    },
    /// Nobody changed seats: seat and player cannot be told apart.
    SeatsConfounded {
        /// At tables of so many seats.
        seats: usize,
    },
    /// Every game was won from the same seat.
    SeatWonAll {
        /// At tables of so many seats.
        seats: usize,
        /// From this one, counted from 0.
        seat: usize,
    },
    /// Every game was a tie of all players.
    OnlyTies {
        /// At tables of so many seats.
        seats: usize,
    },
}

impl RatingNote {
    /// The remark as a sentence, with players called by `name`.
    pub fn sentence(&self, name: impl Fn(Player) -> String) -> String {
        let list = |players: &[Player]| {
            players.iter().map(|&player| name(player)).collect::<Vec<_>>().join(", ")
        };
        let lists = |groups: &[Vec<Player>]| {
            groups.iter().map(|group| list(group)).collect::<Vec<_>>().join(" | ")
        };
        match self {
            RatingNote::Disconnected { groups } => format!(
                "no chain of games links these groups, so their ratings cannot be compared: {}",
                lists(groups)
            ),
            RatingNote::NoGames { players } => format!("no games yet: {}", list(players)),
            RatingNote::WonAll { player } => format!(
                "{} won every game: how much stronger it is rests on the prior",
                name(*player)
            ),
            RatingNote::LostAll { player } => format!(
                "{} lost every game: how much weaker it is rests on the prior",
                name(*player)
            ),
            RatingNote::Separated { tiers } => format!(
                "all games between these groups went one way, so the distance between them rests \
                 on the prior: {}",
                lists(tiers)
            ),
            RatingNote::SeatsConfounded { seats } => format!(
                "at tables of {seats} nobody changed seats: ratings include the advantage of the \
                 seat"
            ),
            RatingNote::SeatWonAll { seats, seat } => format!(
                "at tables of {seats} seat {} won every game: how much it is worth rests on the \
                 prior",
                seat + 1
            ),
            RatingNote::OnlyTies { seats } => {
                format!("at tables of {seats} every game was drawn: that says little of strength")
            }
        }
    }
}

/// Who was seated with whom, directly or through others: groups of players that no game links,
/// largest first.
pub(crate) fn groups(field: &Field) -> Vec<Vec<Player>> {
    let mut met = Relation::new(field.players());
    for (finish, _) in field.results() {
        for player in &finish.seating {
            met.add(finish.seating[0], *player);
            met.add(*player, finish.seating[0]);
        }
    }
    let mut groups = met.closed().classes();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

/// All remarks on a field but those on confounded seats.
pub(crate) fn notes(field: &Field, groups: &[Vec<Player>]) -> Vec<RatingNote> {
    let mut notes = Vec::new();
    let (played, idle): (Vec<_>, Vec<_>) =
        groups.iter().cloned().partition(|group| group.len() > 1);
    if !idle.is_empty() {
        notes.push(RatingNote::NoGames { players: idle.concat() });
    }
    if played.len() > 1 {
        notes.push(RatingNote::Disconnected { groups: played.clone() });
    }
    let mut ahead = Relation::new(field.players());
    for (finish, _) in field.results() {
        for (one, place) in finish.seating.iter().zip(&finish.places) {
            for (other, behind) in finish.seating.iter().zip(&finish.places) {
                if place <= behind {
                    ahead.add(*one, *other);
                }
            }
        }
    }
    let ahead = ahead.closed();
    let mut tiers = ahead.classes();
    // Whoever stands above reaches all that those below reach, and more.
    tiers.sort_by_key(|tier| std::cmp::Reverse(ahead.reached(tier[0])));
    for group in &played {
        let tiers: Vec<_> = tiers.iter().filter(|tier| group.contains(&tier[0])).cloned().collect();
        notes.extend(one_sided(&ahead, tiers));
    }
    notes.extend(seat_notes(field));
    notes
}

/// Remarks on a group of linked players that falls into tiers.
fn one_sided(ahead: &Relation, tiers: Vec<Vec<Player>>) -> Vec<RatingNote> {
    let mut notes = Vec::new();
    if tiers.len() < 2 {
        return notes;
    }
    let mut between = 0;
    for tier in &tiers {
        let others = || tiers.iter().filter(|other| *other != tier);
        let below_none = others().all(|other| !ahead.has(other[0], tier[0]));
        let above_none = others().all(|other| !ahead.has(tier[0], other[0]));
        match tier[..] {
            [player] if below_none => notes.push(RatingNote::WonAll { player }),
            [player] if above_none => notes.push(RatingNote::LostAll { player }),
            _ => between += 1,
        }
    }
    if between > 1 {
        notes.push(RatingNote::Separated { tiers });
    }
    notes
}

/// Whether every game was a tie of all players.
pub(crate) fn only_ties(field: &Field) -> bool {
    field.results().all(|(finish, _)| finish.places.iter().all(|place| *place == 0))
}

fn seat_notes(field: &Field) -> Vec<RatingNote> {
    #[derive(Default)]
    struct SeatWinners {
        winners: Vec<usize>,
        decided: bool,
    }
    let mut tables: BTreeMap<usize, SeatWinners> = BTreeMap::new();
    for (finish, _) in field.results() {
        let seen = tables.entry(finish.seating.len()).or_default();
        for (seat, place) in finish.places.iter().enumerate() {
            seen.decided |= *place > 0;
            if *place == 0 && !seen.winners.contains(&seat) {
                seen.winners.push(seat);
            }
        }
    }
    let note = |(seats, seen): (usize, SeatWinners)| match seen.winners[..] {
        [seat] => Some(RatingNote::SeatWonAll { seats, seat }),
        _ if !seen.decided => Some(RatingNote::OnlyTies { seats }),
        _ => None,
    };
    tables.into_iter().filter_map(note).collect()
}

/// A relation between players, as rows of bits.
struct Relation {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    fn new(size: usize) -> Relation {
        let words = size.div_ceil(64);
        let mut relation = Relation { size, words, bits: vec![0; size * words] };
        (0..size).for_each(|at| relation.add(Player(at), Player(at)));
        relation
    }

    fn add(&mut self, from: Player, to: Player) {
        self.bits[from.0 * self.words + to.0 / 64] |= 1 << (to.0 % 64);
    }

    fn has(&self, from: Player, to: Player) -> bool {
        self.bits[from.0 * self.words + to.0 / 64] >> (to.0 % 64) & 1 == 1
    }

    /// How many can be reached.
    fn reached(&self, from: Player) -> u32 {
        let row = &self.bits[from.0 * self.words..(from.0 + 1) * self.words];
        row.iter().map(|word| word.count_ones()).sum()
    }

    /// With everything that follows through others (Warshall).
    fn closed(mut self) -> Relation {
        for middle in 0..self.size {
            let row = self.bits[middle * self.words..(middle + 1) * self.words].to_vec();
            for from in 0..self.size {
                if self.has(Player(from), Player(middle)) {
                    for (word, more) in self.bits[from * self.words..].iter_mut().zip(&row) {
                        *word |= more;
                    }
                }
            }
        }
        self
    }

    /// Classes of those who reach each other, of a closed relation.
    fn classes(&self) -> Vec<Vec<Player>> {
        let mut classes: Vec<Vec<Player>> = Vec::new();
        for player in (0..self.size).map(Player) {
            let mutual =
                |class: &&mut Vec<Player>| self.has(class[0], player) && self.has(player, class[0]);
            match classes.iter_mut().find(mutual) {
                Some(class) => class.push(player),
                None => classes.push(vec![player]),
            }
        }
        classes
    }
}
