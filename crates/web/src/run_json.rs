//! A tournament as the page reads it: how it stands, its rounds, its games, its bots, its tests. The same for a server and
//! for a page of one file.

use std::collections::BTreeMap;

use game::{FaultKind, Verdict};
use league::{
    BotVersion, EventStandings, GameStanding, ListedFault, ListedGame, ListedMeeting, ListedPlace,
    ListedPlayer, ListedRound, Standings, Store, StoreError, rounded,
};
use serde_json::{Value, json};
use table::Record;

/// The last so many games with faults are on the first page of a tournament.
const RECENT: u32 = 20;
/// A test's curve has so many points.
const POINTS: u64 = 500;
/// Of an event in more meetings, only the last rounds are shown.
const MEETINGS: usize = 1_000;
/// How a bot described itself is looked up for so many of its versions, the last ones.
const VERSIONS: usize = 20;

/// Whether anybody plays it at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunActivity {
    Running,
    Resting,
}

/// Why something of a tournament cannot be shown.
pub(crate) enum Unshown {
    /// The run cannot be read.
    Store(StoreError),
    /// There is no such thing.
    Absent(String),
}

impl From<StoreError> for Unshown {
    fn from(error: StoreError) -> Unshown {
        Unshown::Store(error)
    }
}

/// How a tournament stands.
pub(crate) fn tournament(
    store: &Store,
    all: &Standings,
    activity: RunActivity,
) -> Result<Value, StoreError> {
    let left =
        |event: &EventStandings| event.scheduled.map(|games| games.saturating_sub(event.games));
    let left: Option<u64> = all.events.iter().map(left).sum();
    let tests = all.events.iter().filter_map(|event| {
        let [new, old] = event.tested()?;
        let mut test = event.trial.as_ref()?.to_json();
        test["name"] = event.name.as_str().into();
        test["new"] = new.into();
        test["old"] = old.into();
        Some(test)
    });
    let state = match (activity, left) {
        (RunActivity::Running, _) => "running",
        (RunActivity::Resting, Some(0)) => "finished",
        (RunActivity::Resting, Some(_) | None) => "stopped",
    };
    let mut events = Vec::new();
    for event in &all.events {
        let mut shown = all.event_json(event);
        add_rounds(&mut shown, &store.round_list(place_of(store, &event.name)?)?);
        let by_order = event.decided_by_order(str::to_owned);
        shown["remarks"] = by_order.into_iter().chain(event.remarks()).collect();
        shown["clock_words"] = event.terms.clock.map(|clock| clock.to_string()).into();
        events.push(shown);
    }
    // Only a part of the events may be meant.
    let is_shown = |fault: &&ListedFault| all.events.iter().any(|event| event.name == fault.event);
    let faults = store.recent_faults(RECENT)?;
    let faults = faults.iter().filter(is_shown);
    Ok(json!({
        "name": all.name,
        "state": state,
        "events": events,
        "overall": all.overall_json(),
        "entries": all.journal.iter().map(decision).collect::<Vec<_>>(),
        "tests": tests.collect::<Vec<_>>(),
        "schedule": {
            "played": all.events.iter().map(|event| event.games).sum::<u64>(),
            "left": left,
            "under_way": [],
            "workers": [],
        },
        "faults": faults.map(fault).collect::<Vec<_>>(),
        "rate": null,
        "seconds_left": null,
        "errors": [],
    }))
}

/// Where an event is among all events of a run.
fn place_of(store: &Store, event: &str) -> Result<usize, StoreError> {
    let known = store.events()?;
    Ok(known.iter().position(|known| known.name == event).unwrap_or(known.len()))
}

/// Adds rounds to an event: groups and rounds as a list, the rest as a bracket.
fn add_rounds(event: &mut Value, rounds: &[ListedRound]) {
    let mut room = MEETINGS;
    let last: Vec<&ListedRound> = rounds
        .iter()
        .rev()
        .take_while(|round| {
            let fits = round.meetings.len() <= room;
            room = room.saturating_sub(round.meetings.len());
            fits
        })
        .collect();
    let (mut list, mut bracket) = (Vec::new(), Vec::new());
    for round in last.iter().rev() {
        use league::schedule::RoundTitle;
        let (into, part) = match round.title {
            RoundTitle::Number(_) => (&mut list, "rounds"),
            RoundTitle::Group(_) => (&mut list, "groups"),
            RoundTitle::Places(_) => (&mut bracket, "bracket"),
            RoundTitle::ThirdPlace => (&mut bracket, "third"),
            RoundTitle::Upper(_) => (&mut bracket, "upper"),
            RoundTitle::Lower(_) => (&mut bracket, "lower"),
            RoundTitle::GrandFinal | RoundTitle::SecondGrandFinal => (&mut bracket, "final"),
        };
        into.push(json!({
            "name": round.title.to_string(),
            "part": part,
            "meetings": round.meetings.iter().map(meeting).collect::<Vec<_>>(),
        }));
    }
    event["rounds_left_out"] = (rounds.len() - last.len()).into();
    event["round_list"] = list.into();
    event["bracket"] = bracket.into();
}

/// A meeting: a bot is a name, an open place is null, and nobody is left out.
fn meeting(meeting: &ListedMeeting) -> Value {
    let there = |place: &&(ListedPlace, f64)| place.0 != ListedPlace::Nobody;
    let there: Vec<&(ListedPlace, f64)> = meeting.places.iter().filter(there).collect();
    let bots = there.iter().map(|(place, _)| match place {
        ListedPlace::Bot(name) => Some(name),
        ListedPlace::Open | ListedPlace::Nobody => None,
    });
    let mut shown = json!({
        "bots": bots.collect::<Vec<_>>(),
        "winner": meeting.winner,
        "games": meeting.games,
    });
    if there.len() < meeting.places.len() {
        shown["bye"] = true.into();
    }
    if !meeting.games.is_empty() {
        shown["scores"] = there.iter().map(|(_, points)| rounded(*points, 6)).collect();
    }
    shown
}

/// An entry of the journal, with a sentence that says it.
fn decision(entry: &league::JournalEntry) -> Value {
    let mut shown = entry.to_json();
    shown["words"] = entry.what.sentence().into();
    shown
}

/// What a bot did wrong in a game.
fn fault(fault: &ListedFault) -> Value {
    json!({
        "n": fault.game, "number": fault.number, "event": fault.event, "bot": fault.bot,
        "kind": fault.kind.name(), "words": fault.detail, "count": fault.count,
        // What happens in a turn is shown with the step that it leads to.
        "step": fault.turn.max(1), "at": fault.kept,
    })
}

/// A game in a list.
pub(crate) fn game_in_list(game: &ListedGame) -> Value {
    let of =
        |figure: fn(&ListedPlayer) -> Value| -> Value { game.players.iter().map(figure).collect() };
    let names: Vec<&str> = game.players.iter().map(|player| player.name.as_str()).collect();
    let mut faults: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, count) in game.players.iter().flat_map(|player| &player.faults) {
        *faults.entry(kind.name()).or_default() += count;
    }
    let ms: f64 = game.players.iter().map(|player| player.wall_ms).sum();
    let result = match game.outcome {
        Verdict::Win => "win",
        Verdict::Draw => "draw",
        Verdict::Void => "void",
    };
    let mut listed = json!({
        "n": game.id,
        "number": game.number,
        "event": game.event,
        "setup": game.setup,
        "round": game.key.round().map(|round| round + 1),
        "bots": names,
        "scores": of(|player| json!(player.score)),
        "ranks": of(|player| json!(player.rank)),
        "result": result,
        "reason": table::with_names(&game.reason, &names),
        "turns": game.turns,
        "faults": faults,
        "ms": rounded(ms, 1),
        "at": game.kept,
    });
    if !faults.is_empty() {
        let of_seat = |player: &ListedPlayer| -> Value {
            let fault = |(kind, count): &(FaultKind, u64)| (kind.name().to_owned(), json!(count));
            Value::Object(player.faults.iter().map(fault).collect())
        };
        listed["seat_faults"] = game.players.iter().map(of_seat).collect();
    }
    if game.standing == GameStanding::Annulled {
        listed["annulled"] = true.into();
    }
    listed
}

/// What is shown of one bot in one event: the one that is asked for, or the first it takes part in.
pub(crate) fn bot(
    store: &Store,
    all: &Standings,
    name: &str,
    event: Option<&str>,
) -> Result<Value, Unshown> {
    let place = |event: &EventStandings| event.rows.iter().position(|row| row.name == name);
    let own = all.events.iter().filter_map(|event| Some((event, place(event)?)));
    let own: Vec<(&EventStandings, usize)> = own.collect();
    let wanted = |known: &str| event.is_none_or(|event| event == known);
    let found = own.iter().find(|(known, _)| wanted(&known.name));
    let Some(&(event, row)) = found else {
        return Err(Unshown::Absent(format!("no bot of this tournament is called \"{name}\"")));
    };
    let id = place_of(store, &event.name)?;
    let seats = store.seat_records(id, name)?;
    let seats = seats.iter().map(|seat| {
        let games = seat.wins + seat.draws + seat.losses;
        json!({
            "seat": seat.seat, "games": games, "wins": seat.wins, "draws": seat.draws,
            "losses": seat.losses,
        })
    });
    let times = store.answer_histogram(id, name)?;
    let times = times.iter().map(|bucket| {
        json!({
            "from_ms": rounded(bucket.from_ms, 4), "to_ms": rounded(bucket.to_ms, 4),
            "answers": bucket.answers,
        })
    });
    let entries = all.journal.iter().map(decision);
    let entries: Vec<Value> = entries.filter(|entry| entry["bot"] == name).collect();
    let (whole, own_row) = (all.event_json(event), &event.rows[row]);
    Ok(json!({
        "name": name,
        "event": event.name,
        "game": event.game,
        "events": own.iter().map(|(event, _)| event.name.as_str()).collect::<Vec<_>>(),
        "row": whole["rows"][row],
        "about": own_row.about,
        "bot": own_row.bot,
        "opponents": opponents(event, row),
        "seats": seats.collect::<Vec<_>>(),
        "setups": setups(store, id, event, name)?,
        "times": times.collect::<Vec<_>>(),
        "faults": own_row.faults,
        "versions": versions(store, &event.name, name)?,
        "entries": entries,
    }))
}

/// How a bot did with each set-up, if there are several.
fn setups(
    store: &Store,
    id: usize,
    event: &EventStandings,
    name: &str,
) -> Result<Vec<Value>, StoreError> {
    let records = store.setup_records(id, name)?;
    let record = |of: &league::SetupRecord| {
        json!({
            "index": of.setup, "setup": event.terms.setups.get(of.setup),
            "games": of.wins + of.draws + of.losses,
            "wins": of.wins, "draws": of.draws, "losses": of.losses,
        })
    };
    Ok(records.iter().map(record).collect())
}

/// The versions of a bot whose files have changed, the last first; none if they never have.
fn versions(store: &Store, event: &str, name: &str) -> Result<Vec<Value>, StoreError> {
    let versions = store.bot_versions(event, name)?;
    if versions.len() < 2 {
        return Ok(Vec::new());
    }
    let shown = |(place, version): (usize, &BotVersion)| {
        let about = (place < VERSIONS).then(|| described(store, version, name)).flatten();
        json!({
            "version": about.and_then(|about| about.version),
            "from": version.from, "before": version.before, "reason": version.reason,
            "games": version.games,
        })
    };
    Ok(versions.iter().rev().enumerate().map(shown).collect())
}

/// How a bot described itself in the last game of a version.
fn described(store: &Store, version: &BotVersion, name: &str) -> Option<game::About> {
    let bytes = store.replay(version.last.as_ref()?).ok()?;
    let players = Record::read(&bytes).ok()?.header.players;
    players.into_iter().find(|player| player.name == name)?.about
}

/// How a bot did against each of the others, the highest first.
fn opponents(event: &EventStandings, row: usize) -> Vec<Value> {
    let met = |entry: &league::CrossTableEntry| {
        let league::CrossTableEntry { a, b, wins, draws, losses } = *entry;
        let (other, wins, losses) = match row {
            own if own == a => (b, wins, losses),
            own if own == b => (a, losses, wins),
            _ => return None,
        };
        Some(json!({
            "name": event.rows[other].name, "games": wins + draws + losses,
            "wins": wins, "draws": draws, "losses": losses,
            "score": rounded((wins as f64 + draws as f64 / 2.0) / (wins + draws + losses) as f64, 6),
            "superiority": rounded(event.superiority[row][other], 6),
        }))
    };
    event.cross_table.iter().filter_map(met).collect()
}

/// How a test went: its points over games, with its bounds.
pub(crate) fn test(store: &Store, all: &Standings, name: Option<&str>) -> Result<Value, Unshown> {
    let tested = all.events.iter().filter(|event| event.trial.is_some());
    let mut wanted = tested.filter(|event| name.is_none_or(|name| event.name == name));
    let absent = || Unshown::Absent("there is no such test".to_owned());
    let event = wanted.next().ok_or_else(absent)?;
    let id = place_of(store, &event.name)?;
    let (Some(trial), Some([new, old])) = (&event.trial, event.tested()) else {
        return Err(absent());
    };
    let points = trial.curve(&store.results(id)?, POINTS);
    let points = points.iter().map(|point| {
        json!({
            "games": point.games, "llr": rounded(point.llr, 4), "elo": rounded(point.elo, 2),
            "low": point.interval.low.map(|elo| rounded(elo, 2)),
            "high": point.interval.high.map(|elo| rounded(elo, 2)),
        })
    });
    let mut test = trial.to_json();
    test["event"] = event.name.as_str().into();
    test["new"] = new.into();
    test["old"] = old.into();
    test["points"] = points.collect();
    for key in ["elo0", "elo1"] {
        test[key] = test["hypotheses"][key].clone();
    }
    test["los"] = trial.counts().map(|counts| stats::Summary::of(&counts).los).into();
    Ok(test)
}
