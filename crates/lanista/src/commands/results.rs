//! `lanista results`.

use anyhow::Result;
use league::Store;

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::ResultsArgs;
use crate::finished_games::{GameFormat, KeptResult, UnreadGames, annulled, chosen};

pub(crate) fn results(args: &ResultsArgs, catalogue: Catalogue) -> Result<Exit> {
    let store = Store::open_to_read(&args.run)?;
    let events = store.events()?;
    let form = match (args.json, events.len()) {
        (true, _) => GameFormat::Json,
        (false, 0 | 1) => GameFormat::Text,
        (false, _) => GameFormat::TextOfSeveral,
    };
    if args.follow {
        let mut kept = UnreadGames::new(store, args.event.as_deref())?;
        league::follow(&args.run, || kept.news(|game| game.say(form, catalogue)))?;
        return Ok(Exit::Done);
    }
    for event in chosen(&store, args.event.as_deref())? {
        for report in store.reports_in_order(event)? {
            let report = report?;
            let annulled = annulled(&events[event], &report);
            let game = KeptResult { event: events[event].name.clone(), annulled, report };
            game.say(form, catalogue)?;
        }
    }
    Ok(Exit::Done)
}
