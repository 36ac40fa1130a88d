//! Sentences about an event that its tables do not say.

use game::{Clock, count};

use super::{Decided, EventStandings, TierGap};

impl EventStandings {
    /// Meetings that stayed tied, so that the order of the file decided them; names as `short` gives them.
    pub fn decided_by_order(&self, short: impl Fn(&str) -> String) -> Vec<String> {
        let sentence = |Decided { round, winner, loser }: &Decided| {
            format!(
                "round {}: {} went on against {} by the order of the file: they were level",
                round + 1,
                short(winner),
                short(loser)
            )
        };
        self.by_order.iter().map(sentence).collect()
    }

    /// What a reader of the tables has to know.
    pub fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let breaks = self.tie_breaks.iter().map(|by| format!("{} ({})", by.name(), by.about()));
        let breaks: Vec<String> = breaks.collect();
        if !breaks.is_empty() {
            lines.push(format!("equal points are ordered by {}", breaks.join(", then ")));
        }
        if self.rows.iter().any(|row| row.byes > 0) {
            lines.push(match self.tie_breaks.is_empty() {
                true => "byes: rounds passed without a meeting".to_owned(),
                false => "byes: rounds sat out, which count as won against one of as many points"
                    .to_owned(),
            });
        }
        for (name, clock) in &self.terms.clocks {
            lines.push(format!("a clock of its own: {}", own_clock(name, *clock)));
        }
        lines.extend(self.gaps.iter().map(gap));
        lines.extend(self.workers.remarks());
        if self.voids > 0 {
            lines.push(format!("{} void and played again", count(self.voids, "game")));
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }
}

fn gap(gap: &TierGap) -> String {
    format!(
        "{} scored {:.1} % under tier {} but {:.1} % under tier {}: chance explains that once in \
         {:.0} times",
        gap.name,
        100.0 * gap.usual.1,
        gap.usual.0,
        100.0 * gap.other.1,
        gap.other.0,
        1.0 / gap.chance.max(1e-9)
    )
}

/// The time control of a bot that has one of its own.
pub fn own_clock(name: &str, clock: Clock) -> String {
    let words = match clock.turn {
        Some(turn) => format!("{name}: {} ms a move", turn.as_millis()),
        None => format!("{name}: no limit for a move"),
    };
    match clock.bank {
        Some(bank) => format!("{words}, {} ms for all moves", bank.as_millis()),
        None => words,
    }
}
