//! What is shown of a tournament: how it stands, what is left, its games, its bots, its tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use game::{FaultKind, Verdict};
use league::{
    EventStandings, FaultFilter, GameFilter, GameOrder, GameResult, GameStanding, ListedGame,
    ListedPlayer, PageRequest, Request, Standings, Store, StoreError, rounded,
};
use serde_json::{Value, json};

use crate::address::Query;
use crate::finding::Place;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::runs::OpenRun;
use crate::site::Site;

/// So many games are on a page of a list, unless something else is asked for, and at most.
const PAGE: u32 = 100;
const LONGEST_PAGE: u32 = 1000;
/// So many games with faults are on the first page of a tournament.
const RECENT: u32 = 20;
/// A test's curve has so many points.
const POINTS: u64 = 500;

/// Answers what is asked about one tournament.
pub(crate) async fn answer(
    site: &Arc<Site>,
    id: &str,
    what: &[&str],
    query: &Query,
) -> Result<Reply, Refusal> {
    let place = site.run(id)?;
    match what {
        [] => site.job(move |site| Ok(Reply::json(&site.run_data(&place)?))).await,
        ["games"] => {
            let (filter, page) = (filter(query)?, page(query)?);
            let work = move |run: &mut OpenRun| {
                let page = run.store.game_page(&filter, page).map_err(failed)?;
                let games: Vec<Value> = page.games.iter().map(game_json).collect();
                Ok(json!({ "games": games, "next": page.next, "total": page.total }))
            };
            site.job(move |site| Ok(Reply::json(&site.with_run(&place, work)?))).await
        }
        ["bot", name] => {
            let (name, event) = ((*name).to_owned(), query.text("event").map(str::to_owned));
            let work = move |run: &mut OpenRun| bot(&run.store, &name, event.as_deref());
            site.job(move |site| Ok(Reply::json(&site.with_run(&place, work)?))).await
        }
        ["test"] | ["test", _] => {
            let name = what.get(1).map(|name| (*name).to_owned());
            let work = move |run: &mut OpenRun| test(&run.store, name.as_deref());
            site.job(move |site| Ok(Reply::json(&site.with_run(&place, work)?))).await
        }
        _ => Err(Refusal::absent("the server has no such data of a tournament")),
    }
}

fn failed(error: StoreError) -> Refusal {
    Refusal::failed(error.to_string())
}

fn filter(query: &Query) -> Result<GameFilter, Refusal> {
    let text = |name: &str| query.text(name).map(str::to_owned);
    let result = match query.text("result") {
        None => None,
        Some("win" | "won") => Some(GameResult::Won),
        Some("draw" | "drawn") => Some(GameResult::Drawn),
        Some("loss" | "lost") => Some(GameResult::Lost),
        Some(other) => {
            return Err(Refusal::wrong(format!("result is win, draw or loss, not \"{other}\"")));
        }
    };
    let fault = match query.text("fault") {
        None => None,
        Some("any") => Some(FaultFilter::Any),
        Some(name) => {
            let kind = FaultKind::of_name(name);
            let kind =
                kind.ok_or_else(|| Refusal::wrong(format!("\"{name}\" is no kind of fault")));
            Some(FaultFilter::Kind(kind?))
        }
    };
    Ok(GameFilter {
        event: text("event"),
        bot: text("bot"),
        opponent: text("opponent"),
        seat: query.number("seat")?,
        result,
        fault,
        least_turns: query.number("min")?,
        most_turns: query.number("max")?,
    })
}

fn page(query: &Query) -> Result<PageRequest, Refusal> {
    let order = match query.text("order") {
        None | Some("oldest") => GameOrder::OldestFirst,
        Some("newest") => GameOrder::NewestFirst,
        Some(other) => {
            return Err(Refusal::wrong(format!("order is oldest or newest, not \"{other}\"")));
        }
    };
    let limit = query.number("limit")?.unwrap_or(PAGE).clamp(1, LONGEST_PAGE);
    Ok(PageRequest { after: query.number("after")?, limit, order })
}

/// What went wrong in a game, by bot and kind.
fn faults_of(game: &ListedGame) -> Vec<Value> {
    let of = |player: &ListedPlayer| {
        let fault = |(kind, count): &(FaultKind, u64)| {
            let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
            json!({
                "n": game.id, "number": game.number, "event": game.event, "bot": player.name,
                "kind": kind.name(), "words": format!("{}{times}", kind.name()), "at": game.kept,
            })
        };
        player.faults.iter().map(fault).collect::<Vec<_>>()
    };
    game.players.iter().flat_map(of).collect()
}

/// A game in a list.
fn game_json(game: &ListedGame) -> Value {
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
    if game.standing == GameStanding::Annulled {
        listed["annulled"] = true.into();
    }
    listed
}

/// What is shown of one bot in one event: the one that is asked for, or the first it takes part in.
fn bot(store: &Store, name: &str, event: Option<&str>) -> Result<Value, Refusal> {
    let all = Standings::of(store).map_err(failed)?;
    let place = |event: &EventStandings| event.rows.iter().position(|row| row.name == name);
    let events = all.events.iter().enumerate();
    let own: Vec<_> = events.filter_map(|(id, event)| Some((id, event, place(event)?))).collect();
    let wanted = |known: &str| event.is_none_or(|event| event == known);
    let found = own.iter().find(|(_, known, _)| wanted(&known.name));
    let Some(&(id, event, row)) = found else {
        return Err(Refusal::absent(format!("no bot of this tournament is called \"{name}\"")));
    };
    let seats = store.seat_records(id, name).map_err(failed)?;
    let seats = seats.iter().map(|seat| {
        let games = seat.wins + seat.draws + seat.losses;
        json!({
            "seat": seat.seat, "games": games, "wins": seat.wins, "draws": seat.draws,
            "losses": seat.losses,
        })
    });
    let times = store.answer_histogram(id, name).map_err(failed)?;
    let times = times.iter().map(|bucket| {
        json!({
            "from_ms": rounded(bucket.from_ms, 4), "to_ms": rounded(bucket.to_ms, 4),
            "answers": bucket.answers,
        })
    });
    let entries = all.journal.iter().map(league::JournalEntry::to_json);
    let entries: Vec<Value> = entries.filter(|entry| entry["bot"] == name).collect();
    let (whole, own_row) = (all.event_json(event), &event.rows[row]);
    Ok(json!({
        "name": name,
        "event": event.name,
        "game": event.game,
        "events": own.iter().map(|(_, event, _)| event.name.as_str()).collect::<Vec<_>>(),
        "row": whole["rows"][row],
        "about": own_row.about,
        "bot": own_row.bot,
        "opponents": opponents(event, row),
        "seats": seats.collect::<Vec<_>>(),
        "setups": [],
        "times": times.collect::<Vec<_>>(),
        "faults": own_row.faults,
        "versions": [],
        "entries": entries,
    }))
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
fn test(store: &Store, name: Option<&str>) -> Result<Value, Refusal> {
    let all = Standings::of(store).map_err(failed)?;
    let tested = all.events.iter().enumerate().filter(|(_, event)| event.trial.is_some());
    let mut wanted = tested.filter(|(_, event)| name.is_none_or(|name| event.name == name));
    let (id, event) = wanted.next().ok_or_else(|| Refusal::absent("there is no such test"))?;
    let (Some(trial), Some([new, old])) = (&event.trial, event.tested()) else {
        return Err(Refusal::absent("there is no such test"));
    };
    let points = trial.curve(&store.results(id).map_err(failed)?, POINTS);
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

impl Site {
    /// How a tournament stands, with what is under way.
    fn run_data(&self, place: &Place) -> Result<Value, Refusal> {
        let running = self.is_played(place);
        let mut data = self.with_run(place, |run| {
            let all = Standings::of(&run.store).map_err(failed)?;
            let left = |event: &EventStandings| {
                event.scheduled.map(|games| games.saturating_sub(event.games))
            };
            let left: Option<u64> = all.events.iter().map(left).sum();
            let tests = all.events.iter().filter_map(|event| {
                let [new, old] = event.tested()?;
                let mut test = event.trial.as_ref()?.to_json();
                test["name"] = event.name.as_str().into();
                test["new"] = new.into();
                test["old"] = old.into();
                Some(test)
            });
            let faulty = GameFilter { fault: Some(FaultFilter::Any), ..GameFilter::default() };
            let last = PageRequest { after: None, limit: RECENT, order: GameOrder::NewestFirst };
            let faulty = run.store.game_page(&faulty, last).map_err(failed)?;
            let state = match (running, left) {
                (true, _) => "running",
                (false, Some(0)) => "finished",
                (false, Some(_) | None) => "stopped",
            };
            Ok(json!({
                "name": all.name,
                "state": state,
                "events": all.events.iter().map(|event| all.event_json(event)).collect::<Vec<_>>(),
                "overall": all.overall_json(),
                "entries": all.entries_json(),
                "tests": tests.collect::<Vec<_>>(),
                "schedule": {
                    "played": all.events.iter().map(|event| event.games).sum::<u64>(),
                    "left": left,
                    "under_way": [],
                },
                "faults": faulty.games.iter().flat_map(faults_of).collect::<Vec<_>>(),
                "rate": null,
                "seconds_left": null,
                "errors": [],
            }))
        })?;
        if running && let Ok(status) = league::ask(&self.path(&place.path), &Request::Status) {
            data["rate"] = status["games_per_second"].clone();
            data["seconds_left"] = status["seconds_left"].clone();
        }
        Ok(data)
    }

    /// The match of a game of a tournament.
    pub(crate) fn match_of(&self, run: &Place, number: &str) -> Result<String, Refusal> {
        let absent =
            || Refusal::absent("this tournament has no such game; see the list of its games");
        let number = number.parse().map_err(|_| absent())?;
        let game = self.with_run(run, |run| run.store.listed_game(number).map_err(failed))?;
        game.map(|game| game.match_id).ok_or_else(absent)
    }
}
