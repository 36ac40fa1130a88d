//! A brain that answers at once: the next free cell in a fixed scattered order. For measuring
//! managers, not for winning.

use std::io::Write as _;

use serde_json::json;
use table::Dummy;

pub(crate) const DUMMY: Dummy = Dummy {
    make: || {
        let mut brain = Brain::default();
        Box::new(move |line, answers| brain.hear(line, answers))
    },
    greeting: b"START 15\r\n",
    question: b"INFO time_left 2147483647\r\nTURN 7,7\r\n",
    setup: |players, each| {
        (players == 2 && each == 1).then(|| json!({ "size": SIZE, "rule": "standard" }))
    },
    parent: None,
};

const SIZE: usize = 15;
const CELLS: usize = SIZE * SIZE;

#[derive(Default)]
struct Brain {
    taken: [u64; CELLS.div_ceil(64)],
    next: usize,
}

impl Brain {
    fn hear(&mut self, line: &[u8], answers: &mut Vec<u8>) {
        if let Some(stone) = line.strip_prefix(b"TURN ") {
            let stone =
                std::str::from_utf8(stone).ok().and_then(|stone| stone.trim().split_once(','));
            if let Some((x, y)) = stone
                && let (Ok(x), Ok(y)) = (x.parse::<usize>(), y.parse::<usize>())
            {
                self.take(y * SIZE + x);
            }
            self.answer(answers);
        } else if line.starts_with(b"BEGIN") {
            self.answer(answers);
        } else if line.starts_with(b"START") || line.starts_with(b"RESTART") {
            *self = Brain::default();
            answers.extend_from_slice(b"OK\n");
        } else if line.starts_with(b"ABOUT") {
            answers.extend_from_slice(b"name=\"dummy\"\n");
        }
    }

    fn take(&mut self, cell: usize) -> bool {
        let Some(word) = self.taken.get_mut(cell / 64) else { return false };
        let bit = 1 << (cell % 64);
        let free = *word & bit == 0;
        *word |= bit;
        free
    }

    fn answer(&mut self, answers: &mut Vec<u8>) {
        loop {
            // 97 is prime to the area, so that every cell comes up; on a full board any will do.
            let cell = self.next * 97 % CELLS;
            self.next += 1;
            if self.take(cell) || self.next > 2 * CELLS {
                let _ = writeln!(answers, "{},{}", cell % SIZE, cell / SIZE);
                return;
            }
        }
    }
}
