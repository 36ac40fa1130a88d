//! What is asked about a tournament, and its answers.

use std::sync::Arc;

use game::FaultKind;
use league::{
    EventStandings, FaultFilter, GameFilter, GameOrder, GameResult, PageRequest, Request,
    Standings, StoreError,
};
use serde_json::{Value, json};

use crate::address::Query;
use crate::cluster_file;
use crate::finding::{Place, folder_at};
use crate::live::UnderWay;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::run_json::{self, RunActivity, Unshown};
use crate::runs::OpenRun;
use crate::site::Site;

/// So many games are on a page of a list, unless something else is asked for, and at most.
const PAGE: u32 = 100;
const LONGEST_PAGE: u32 = 1000;

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
                let games: Vec<Value> = page.games.iter().map(run_json::game_in_list).collect();
                let events = page.events;
                Ok(
                    json!({ "games": games, "next": page.next, "total": page.total, "events": events }),
                )
            };
            site.job(move |site| Ok(Reply::json(&site.with_run(&place, work)?))).await
        }
        ["bot", name] => {
            let (name, event) = ((*name).to_owned(), query.text("event").map(str::to_owned));
            site.job(move |site| {
                site.with_run(&place, |run| {
                    let all = site.standings(&place, run)?;
                    Ok(Reply::json(&run_json::bot(&run.store, &all, &name, event.as_deref())?))
                })
            })
            .await
        }
        ["test"] | ["test", _] => {
            let name = what.get(1).map(|name| (*name).to_owned());
            site.job(move |site| {
                site.with_run(&place, |run| {
                    let all = site.standings(&place, run)?;
                    Ok(Reply::json(&run_json::test(&run.store, &all, name.as_deref())?))
                })
            })
            .await
        }
        _ => Err(Refusal::absent("the server has no such data of a tournament")),
    }
}

fn failed(error: StoreError) -> Refusal {
    Refusal::failed(error.to_string())
}

impl From<Unshown> for Refusal {
    fn from(unshown: Unshown) -> Refusal {
        match unshown {
            Unshown::Store(error) => failed(error),
            Unshown::Absent(why) => Refusal::absent(why),
        }
    }
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
                kind.ok_or_else(|| Refusal::wrong(format!("\"{name}\" is not a kind of fault")));
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
        setup: query.number("setup")?,
        kept_from: query.number("from")?,
        kept_before: query.number("before")?,
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

/// A game that is under way. Its event is named if there is only one that it can belong to.
fn under_way_json(all: &Standings, game: &UnderWay) -> Value {
    let UnderWay { live, game, bots, worker } = game;
    let could = |event: &&EventStandings| {
        event.game == *game && bots.iter().all(|bot| event.entered.contains(bot))
    };
    let mut events = all.events.iter().filter(could);
    let event = events.next().filter(|_| events.next().is_none());
    json!({
        "live": live,
        "game": game,
        "bots": bots,
        "event": event.map(|event| &event.name),
        "worker": worker,
    })
}

impl Site {
    /// How a tournament stands, with what is under way.
    fn run_data(self: &Arc<Site>, place: &Place) -> Result<Value, Refusal> {
        let activity = match self.is_played(place) {
            true => RunActivity::Running,
            false => RunActivity::Resting,
        };
        if activity == RunActivity::Running {
            self.look_for_live();
        }
        let mut data = self.with_run(place, |run| {
            let all = self.standings(place, run)?;
            let mut data = run_json::tournament(&run.store, &all, activity).map_err(failed)?;
            let under_way = self.under_way(&place.id);
            data["schedule"]["under_way"] =
                under_way.iter().map(|game| under_way_json(&all, game)).collect();
            if activity == RunActivity::Running
                && let Ok(folder) = folder_at(&self.folder, &place.path)
            {
                data["schedule"]["workers"] = cluster_file::workers(&folder, &all).into();
            }
            Ok(data)
        })?;
        if activity == RunActivity::Running
            && let Ok(status) = league::ask(&self.path(&place.path), &Request::Status)
        {
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
