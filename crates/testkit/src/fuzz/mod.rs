//! Arbitrary bytes as matches, replays and set-ups, for fuzzers and for the tests that stand in for
//! them. Each driver takes bytes and panics if something is wrong; none knows any game by name.

mod fuzzed_table;
mod mutate;
mod script;

use std::fmt::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use game::{PlayerId, Seed};
use serde_json::{Map, Value};
use table::{AnyGame, AnyReplay, ProgramReply, Record, Room};

use crate::LookBudget;
use crate::picture::{ROOMS, fits};

pub use fuzzed_table::{FuzzedTable, sound};
pub use mutate::mutated;
pub use script::{Lines, ScriptedMatch};

/// So often a bot that runs as a program thinks at most, and so often it looks whether it may think on.
const MOST_THOUGHTS: usize = 8;
const LOOKS: u32 = 40;

/// Takes bytes for a script (see [`Lines`]) and plays it with one game; false if its first line
/// makes no match.
///
/// # Panics
/// If the match does not end, its report is not sound or its log does not verify.
pub fn table(game: &dyn AnyGame, bytes: &[u8]) -> bool {
    let (first, rest) = split_line(bytes);
    let played = ScriptedMatch::parse(game, first);
    if !played.is_small(game) {
        return false;
    }
    let Some(table) = played.table(game) else { return false };
    let mut fuzzed = FuzzedTable::new(table);
    for line in Lines::new(rest) {
        if fuzzed.closed() {
            break;
        }
        line.carry_out(&mut fuzzed);
    }
    fuzzed.end(game);
    true
}

/// Takes bytes for a script and plays it with the game that its first line names, or with one that its first
/// byte chooses; false if there is no such match.
///
/// # Panics
/// As [`table()`].
pub fn any_table(games: &[&dyn AnyGame], bytes: &[u8]) -> bool {
    let named = script::game_of(split_line(bytes).0);
    let named = named.and_then(|name| games.iter().find(|game| game.card().id == name));
    let chosen = usize::from(bytes.first().copied().unwrap_or_default());
    let game = named.or_else(|| games.get(chosen % games.len().max(1)));
    game.is_some_and(|game| table(*game, bytes))
}

/// Plays so many scripts with one game: changes of what it is usually played with, of `inputs`, and bytes without
/// any order.
///
/// # Panics
/// As [`table()`]; the message names the round, which can be played again alone.
pub fn survives(game: &dyn AnyGame, inputs: &[Vec<u8>], rounds: Range<u64>) {
    let card = game.card();
    let seats = vec!["wire"; usize::from(card.usual_players)];
    let usual = serde_json::json!({ "game": card.id, "seats": seats });
    let usual = format!("{usual}\n{}0<\n1<0\n0.\n", "0S\n".repeat(seats.len())).into_bytes();
    let mut inputs = inputs.to_vec();
    // Half of all scripts begin with the usual match.
    inputs.extend(vec![usual.clone(); inputs.len().max(1)]);
    for round in rounds {
        let mut rng = Seed(round).rng(card.id);
        let bytes = match rng.chance(1, 4) {
            true => {
                let noise = (0..rng.below(200)).map(|_| rng.below(256) as u8);
                [&usual[..], &noise.collect::<Vec<u8>>()].concat()
            }
            false => mutated(&mut rng, &inputs),
        };
        let played = || table(game, &bytes);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(played)) {
            eprintln!("{}, round {round}: {}", card.id, bytes.escape_ascii());
            resume_unwind(panic);
        }
    }
}

/// Takes bytes for what a host says to a built-in bot that runs as a program. The first line names the game and the
/// bot, or its first byte chooses them. Says how often the bot has answered.
///
/// # Panics
/// Never, if bots take care, whatever a host says.
pub fn program(games: &[&dyn AnyGame], bytes: &[u8]) -> usize {
    let (first, rest) = split_line(bytes);
    let bots: Vec<(&dyn AnyGame, &str)> = games
        .iter()
        .flat_map(|game| game.card().bots.iter().map(|bot| (*game, bot.name)))
        .collect();
    let named = |(game, bot): &&(&dyn AnyGame, &str)| {
        format!("{} {bot}", game.card().id).as_bytes() == first
    };
    let chosen = usize::from(bytes.first().copied().unwrap_or_default()) % bots.len().max(1);
    let Some((game, bot)) = bots.iter().find(named).or(bots.get(chosen)) else { return 0 };
    let Some(mut program) = game.program(bot, Seed(1)) else { return 0 };
    let mut answers = 0;
    for line in rest.split(|&byte| byte == b'\n') {
        match program.line(line) {
            // Thinking takes a while even if there is no time; a few thoughts are enough.
            ProgramReply::Think if answers == MOST_THOUGHTS => break,
            ProgramReply::Think => {
                program.time();
                program.think(&LookBudget::new(LOOKS));
                answers += 1;
            }
            ProgramReply::Say(_) | ProgramReply::Silent => {}
            ProgramReply::Leave => break,
        }
    }
    answers
}

/// A pack whose first record has another label: this text. What follows the first record stays.
///
/// # Panics
/// If that is no pack.
pub fn with_label(pack: &[u8], label: &[u8]) -> Vec<u8> {
    const MARK: &[u8] = b"\0record\n";
    let first = pack.windows(MARK.len()).position(|bytes| bytes == MARK).expect("it has a record");
    let (before, record) = pack.split_at(first + MARK.len());
    let (lengths, parts) = record.split_at(8);
    let length: [u8; 4] = lengths[..4].try_into().expect("four bytes");
    let (_, rest) = parts.split_at(u32::from_le_bytes(length) as usize);
    let label = zstd::encode_all(label, 3).expect("memory can be written to");
    let length = u32::try_from(label.len()).expect("it is short").to_le_bytes();
    [before, &length, &lengths[4..], &label, rest].concat()
}

/// Takes bytes for a replay file, for a decompressed one, or for one in plain text: the header and
/// then an entry on each line, as JSON. Says how many steps could be looked at.
///
/// # Panics
/// Never, if replays are read with care.
pub fn replay(games: &[&dyn AnyGame], bytes: &[u8]) -> usize {
    let records = match bytes.first() {
        Some(b'{') => [Record::parse(packed(bytes)), Record::parse(bytes.to_vec())],
        _ => [Record::read(bytes), Record::parse(bytes.to_vec())],
    };
    let mut steps = 0;
    for record in records.into_iter().flatten() {
        let Some(game) = table::named(games, &record.header) else { continue };
        if let Ok(mut replay) = game.replay(&record) {
            look_at(game, &mut *replay);
            steps += replay.len();
        }
    }
    steps
}

/// Looks at a replay in every way there is.
pub fn look_at(game: &dyn AnyGame, replay: &mut dyn AnyReplay) {
    let _ = replay.verify();
    let last = replay.len();
    for step in [0, last / 2, last, last.saturating_add(1), usize::MAX] {
        for (columns, rows) in ROOMS {
            let room = Room { columns, rows };
            fits(replay.draw(step, room), room);
            for player in [0, 1, 7, u16::MAX] {
                if let Some(seen) = replay.draw_for(step, PlayerId(player), room) {
                    fits(seen, room);
                }
            }
        }
        for eyes in [None, Some(PlayerId(0)), Some(PlayerId(u16::MAX))] {
            replay.happenings(step, eyes);
            replay.faulty_steps(eyes);
        }
    }
    let mut text = String::new();
    for step in replay.steps() {
        text.clear();
        write!(text, "{step}").expect("a text takes any text");
    }
    replay.lines();
    for values in replay.measures().iter().flatten().map(|measure| &measure.values) {
        assert!(values.iter().all(|value| value.is_finite()), "a measure is a number: {values:?}");
    }
    for format in game.exports() {
        let _ = replay.export(format);
    }
    serde_json::to_string(replay.header()).expect("a header serialises");
}

/// Takes bytes for the set-up of every game: a number of players, then JSON or `key=value` on each
/// line. Says how many games could be set up.
///
/// # Panics
/// If a set-up that passed its check makes no game, or not the same one when it is read back.
pub fn setup(games: &[&dyn AnyGame], bytes: &[u8]) -> usize {
    let (first, rest) = split_line(bytes);
    let players = std::str::from_utf8(first).ok().and_then(|text| text.trim().parse().ok());
    let mut found = 0;
    for game in games {
        let players = players.unwrap_or(game.card().usual_players);
        let Some(setup) = setup_of(rest) else { return 0 };
        if game.check(&setup, players).is_err() {
            continue;
        }
        game.needs(&setup, players).expect("it passed the check");
        let played = ScriptedMatch::new(setup, players, Seed(1));
        let table = played.table(*game).expect("what passes the check can be played");
        let log = table.take_log();
        // What is in the header stands for the whole game.
        let replay = game.replay(&log.into_record()).expect("what was set up can be replayed");
        assert!(replay.is_empty());
        found += 1;
    }
    found
}

/// A set-up as a JSON object, or as `key=value` on each line, where a value that is no JSON is a
/// word.
fn setup_of(bytes: &[u8]) -> Option<Map<String, Value>> {
    if let Ok(setup) = serde_json::from_slice(bytes) {
        return Some(setup);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let value = |text: &str| {
        serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.replace("\\n", "\n")))
    };
    Some(pairs.map(|(key, text)| (key.to_owned(), value(text))).collect())
}

/// The first line and what follows it.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

/// Packs a replay in plain text as replay files are packed.
fn packed(text: &[u8]) -> Vec<u8> {
    let (header, rest) = split_line(text);
    let mut plain = header.to_vec();
    plain.push(b'\n');
    for line in rest.split(|&byte| byte == b'\n') {
        if let Ok(entry) = serde_json::from_slice::<Value>(line) {
            rmp_serde::encode::write(&mut plain, &entry).expect("memory can be written to");
        }
    }
    plain
}
