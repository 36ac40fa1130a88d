//! The transposition table: what earlier searches found out about positions.

use super::cells::At;

/// How a stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true score.
    Exact,
    /// The true score is at least this.
    AtLeast,
    /// The true score is at most this.
    AtMost,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) score: i32,
    pub(super) depth: i32,
    pub(super) bound: Bound,
    /// The best move, if one was found.
    pub(super) best: Option<At>,
}

/// Positions that share a place in the table.
const BUCKET: usize = 4;

/// A table of fixed size. New results push out those of older searches and lower depth.
pub(super) struct Table {
    /// Pairs of key and packed entry. An entry of zero is vacant.
    slots: Vec<[u64; 2]>,
    buckets: usize,
    age: u8,
}

impl Table {
    /// A table of at most this many bytes, but never without any room.
    pub(super) fn new(bytes: usize) -> Table {
        let buckets = (bytes / (BUCKET * size_of::<[u64; 2]>())).max(1);
        Table { slots: vec![[0; 2]; buckets * BUCKET], buckets, age: 0 }
    }

    /// Marks everything stored so far as old.
    pub(super) fn start_search(&mut self) {
        self.age = self.age.wrapping_add(1) & 63;
    }

    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        // The high half of the product spreads keys evenly over any number of buckets.
        let bucket = ((u128::from(key) * self.buckets as u128) >> 64) as usize;
        bucket * BUCKET..(bucket + 1) * BUCKET
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let bucket = &self.slots[self.bucket(key)];
        bucket.iter().find(|slot| slot[0] == key && slot[1] != 0).map(|slot| unpacked(slot[1]))
    }

    pub(super) fn put(&mut self, key: u64, entry: Entry) {
        let age = self.age;
        let range = self.bucket(key);
        let bucket = &mut self.slots[range];
        let same = bucket.iter().position(|slot| slot[0] == key && slot[1] != 0);
        let worth = |slot: &[u64; 2]| {
            if slot[1] == 0 {
                return i32::MIN;
            }
            let years = i32::from(age.wrapping_sub((slot[1] >> 48) as u8) & 63);
            unpacked(slot[1]).depth - 8 * years
        };
        let index = same.unwrap_or_else(|| {
            (0..BUCKET).min_by_key(|&index| worth(&bucket[index])).expect("buckets have room")
        });
        let mut entry = entry;
        if same.is_some() {
            let old = unpacked(bucket[index][1]);
            entry.best = entry.best.or(old.best);
            // Keep the deeper result of this search; its move is as good.
            if entry.bound != Bound::Exact
                && entry.depth + 2 < old.depth
                && worth(&bucket[index]) == old.depth
            {
                return;
            }
        }
        bucket[index] = [key, packed(entry, age)];
    }
}

fn packed(entry: Entry, age: u8) -> u64 {
    let bound = match entry.bound {
        Bound::Exact => 1,
        Bound::AtLeast => 2,
        Bound::AtMost => 3,
    };
    let best = entry.best.map_or(u16::MAX, |at| at.0);
    u64::from(entry.score as u16)
        | u64::from(best) << 16
        | u64::from(entry.depth as u8) << 32
        | bound << 40
        | u64::from(age) << 48
}

fn unpacked(packed: u64) -> Entry {
    let best = (packed >> 16) as u16;
    Entry {
        score: i32::from(packed as u16 as i16),
        depth: i32::from((packed >> 32) as u8 as i8),
        bound: match packed >> 40 & 3 {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            _ => Bound::AtMost,
        },
        best: (best != u16::MAX).then_some(At(best)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out() {
        let mut table = Table::new(1 << 12);
        let entry = Entry { score: -29_990, depth: -1, bound: Bound::AtMost, best: Some(At(1558)) };
        table.put(7, entry);
        assert_eq!(table.get(7), Some(entry));
        assert_eq!(table.get(8), None);
    }

    #[test]
    fn a_full_bucket_gives_up_its_oldest_entry() {
        let mut table = Table::new(0);
        let entry = |depth| Entry { score: 1, depth, bound: Bound::Exact, best: None };
        table.put(1, entry(9));
        table.start_search();
        table.start_search();
        for key in 2..=5 {
            table.put(key, entry(3));
        }
        assert_eq!(table.get(1), None);
        assert!((2..=5).all(|key| table.get(key).is_some()));
    }
}
