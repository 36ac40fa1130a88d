//! The words of the protocol: the server's message in both versions, and a program's line.

use std::ops::Range;

use game::{Fault, FaultKind, quote};

use super::colony::Ant;
use super::orders::{NoOrder, Order, Orders, number};
use super::setup::Version;
use super::view::{View, sight};
use crate::digits::digits;

/// How many faults of one line are spelled out.
const FAULTS_TOLD: usize = 10;

/// The brain state of an ant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brain {
    /// "`1`: controlled"
    Controlled = 1,
    /// Alive, but another program's: only in version 2, which has no line of ids.
    Reserved = 2,
    Dead = 3,
}

/// Writes the message for a view.
pub(super) fn message(view: &View, version: Version, out: &mut Vec<u8>) {
    out.reserve(64 + 32 * view.own.len() + 12 * view.map.points());
    let status = u32::from(!view.over);
    line(out, &[view.turn, view.ants.into(), view.players.into(), status]);
    if version == Version::Seed {
        // "`G` the number of ants this AI is expected to control", then "one line containing the
        // ids of all controlled ants".
        out.push(b' ');
        digits(out, view.ids.len() as i64);
        out.push(b'\n');
        line(out, &view.ids.clone().map(u32::from).collect::<Vec<u32>>());
    }
    out.push(b'\n');
    for (id, ant) in (0..).zip(&view.own) {
        if version == Version::Two {
            digits(out, id.into());
            out.push(b' ');
        }
        own_ant(out, ant, brain(ant, view, version, id));
    }
    if version == Version::Two {
        digits(out, view.foreign.len() as i64);
        out.push(b'\n');
        for ant in &view.foreign {
            line(out, &[ant.at.x.into(), ant.at.y.into()]);
            vector(out, ant.facing.vector());
            out.extend_from_slice(b" 1\n");
        }
    }
    map(view, out);
}

fn brain(ant: &Ant, view: &View, version: Version, id: u8) -> Brain {
    match (ant.alive(), version) {
        (false, _) => Brain::Dead,
        (true, Version::Two) if !view.ids.contains(&id) => Brain::Reserved,
        (true, Version::Seed | Version::Two) => Brain::Controlled,
    }
}

/// "`X Y DX DY E A B`"
fn own_ant(out: &mut Vec<u8>, ant: &Ant, brain: Brain) {
    line(out, &[ant.at.x.into(), ant.at.y.into()]);
    vector(out, ant.facing.vector());
    out.push(b' ');
    line(out, &[ant.energy, ant.acid, brain as u32]);
    out.push(b'\n');
}

/// "`W H N`", then "`X Y C S`" for each point. A large map is most of what is ever said, so its
/// numbers are written without formatting.
fn map(view: &View, out: &mut Vec<u8>) {
    let map = &view.map;
    line(out, &[map.width().into(), map.height().into(), map.points() as u32]);
    out.push(b'\n');
    let mut middle = Vec::with_capacity(8);
    for (y, row) in (0..).zip(map.rows()) {
        middle.clear();
        middle.push(b' ');
        digits(&mut middle, y.into());
        middle.push(b' ');
        for (x, cell) in (0..).zip(row) {
            if let Some(sight) = sight(*cell) {
                digits(out, x.into());
                out.extend_from_slice(&middle);
                let now = if sight.now { b'1' } else { b'0' };
                out.extend_from_slice(&[b'0' + sight.content.code(), b' ', now, b'\n']);
            }
        }
    }
}

/// Numbers with blanks between them.
fn line(out: &mut Vec<u8>, numbers: &[u32]) {
    for (index, number) in numbers.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        digits(out, (*number).into());
    }
}

fn vector(out: &mut Vec<u8>, (dx, dy): (i8, i8)) {
    for step in [dx, dy] {
        out.extend_from_slice(if step < 0 { b" -" } else { b" " });
        out.push(b'0' + step.unsigned_abs());
    }
}

/// A program's line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromBot {
    /// Orders that stand, and what was wrong beside them.
    Orders { orders: Orders, faults: Vec<Fault> },
    /// Not in the form `ID:WORD,ID:WORD,…`; the text says where.
    Unparsable(String),
}

/// What a program may command: its ids and which of all ants are alive.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) ids: Range<u8>,
    pub(super) alive: Vec<bool>,
}

impl Command {
    pub(super) fn of(view: &View) -> Command {
        Command { ids: view.ids.clone(), alive: view.own.iter().map(Ant::alive).collect() }
    }

    /// Whether an id is one that this program may give orders to now; the fault if not.
    fn allows(&self, id: u64) -> Result<u8, String> {
        let ant = u8::try_from(id).ok().filter(|ant| usize::from(*ant) < self.alive.len());
        match ant {
            None => Err(format!("there is no ant {id}")),
            Some(ant) if !self.ids.contains(&ant) => {
                Err(format!("ant {ant} is commanded by another program"))
            }
            Some(ant) if !self.alive[usize::from(ant)] => Err(format!("ant {ant} is dead")),
            Some(ant) => Ok(ant),
        }
    }
}

/// The words of orders.
const ORDERS: &str = "forward, left, right, rest and attack@1 to attack@1000";

impl FromBot {
    /// Reads a line. Every line has a meaning.
    pub(super) fn parse(line: &[u8], command: &Command) -> FromBot {
        let mut orders = Orders::REST;
        let mut faults = Vec::new();
        let mut more: Vec<(FaultKind, u32)> = Vec::new();
        let mut named = 0_u64;
        for token in line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            // A comma at the end is a habit of real clients.
            if token.is_empty() {
                continue;
            }
            let Some((id, word)) = split(token) else {
                let example = "such as 0:forward,1:left";
                return FromBot::Unparsable(format!("{} is not ID:WORD, {example}", quote(token)));
            };
            match understood(id, word, command, &mut named) {
                Ok((ant, order)) => orders.give(ant, order),
                Err(fault) if faults.len() < FAULTS_TOLD => faults.push(fault),
                Err(Fault { kind, .. }) => {
                    match more.iter_mut().find(|(known, _)| *known == kind) {
                        Some((_, count)) => *count += 1,
                        None => more.push((kind, 1)),
                    }
                }
            }
        }
        faults.extend(
            more.into_iter()
                .map(|(kind, count)| Fault::new(kind, format!("{count} more in the same line"))),
        );
        FromBot::Orders { orders, faults }
    }
}

/// An id, which must be a number, and a word, which may be anything.
fn split(token: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = token.iter().position(|byte| *byte == b':')?;
    let (id, word) = (token[..colon].trim_ascii(), token[colon + 1..].trim_ascii());
    number(id.strip_prefix(b"-").unwrap_or(id))?;
    Some((id, word))
}

/// What one token orders, or what is wrong with it. `named` has a bit for every ant that was
/// named before in this line.
fn understood(
    id: &[u8],
    word: &[u8],
    command: &Command,
    named: &mut u64,
) -> Result<(u8, Order), Fault> {
    let illegal = |detail: String| Fault::new(FaultKind::Illegal, detail);
    // One that is too large to count is shown as it was written.
    let Some(id) = number(id).filter(|id| *id < u64::MAX) else {
        return Err(illegal(format!(
            "there is no ant {}",
            String::from_utf8_lossy(&id[..id.len().min(20)])
        )));
    };
    let ant = command.allows(id).map_err(illegal)?;
    if *named & 1 << ant != 0 {
        return Err(illegal(format!("ant {ant} is named twice; its first order stands")));
    }
    *named |= 1 << ant;
    let shown = || quote(word);
    match Order::parse(word) {
        Ok(order) => Ok((ant, order)),
        Err(NoOrder::Unknown) => {
            let detail = format!("ant {ant} cannot {}; there are {ORDERS}", shown());
            Err(Fault::new(FaultKind::BadInput, detail))
        }
        Err(NoOrder::Strength) => {
            Err(illegal(format!("ant {ant} cannot {}: the acid is 1 to 1000", shown())))
        }
    }
}
