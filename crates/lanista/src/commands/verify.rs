//! `lanista verify`: whether the table of a tournament follows from its replays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use league::{Store, WrongGame};
use serde_json::json;

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::VerifyArgs;
use crate::finished_games::chosen;
use crate::output::text::count;
use crate::terminal::progress::{Pace, Progress, Wanted};
use crate::terminal::{complain, say, say_json};

/// So many differences are spelled out for people.
const MOST: usize = 20;

pub(crate) fn verify(args: &VerifyArgs, catalogue: Catalogue) -> Result<Exit> {
    let store = Store::open_to_read(&args.run)?;
    let events = chosen(&store, args.event.as_deref())?;
    let total = store.games()?;
    let done = Arc::new(AtomicU64::new(0));
    let (shown, pace) = (done.clone(), Pace::new(0));
    let total = if args.event.is_none() { Some(total) } else { None };
    let mut progress = Progress::new(Wanted::OnTerminals, move |room| {
        vec![pace.line(shown.load(Ordering::Relaxed), total, "", room)]
    });
    let verified = league::verify(&store, &events, catalogue.games(), &done);
    progress.end();
    let verified = verified?;
    if args.json {
        let wrong = |wrong: &WrongGame| {
            let WrongGame { event, number, what } = wrong;
            json!({ "event": event, "game": number, "what": what })
        };
        let wrong: Vec<_> = verified.wrong.iter().map(wrong).collect();
        say_json(&json!({ "v": 1, "games": verified.games, "wrong": wrong }))?;
    } else {
        for WrongGame { event, number, what } in verified.wrong.iter().take(MOST) {
            let event = event.as_ref().map_or(String::new(), |event| format!("{event}: "));
            let number = number.map_or(String::new(), |number| format!("game {number}: "));
            complain(&format!("{event}{number}{what}"));
        }
        if verified.wrong.len() > MOST {
            complain(&format!("and {} more", verified.wrong.len() - MOST));
        }
    }
    if !verified.wrong.is_empty() {
        complain(&format!("{} does not verify", args.run.display()));
        return Ok(Exit::Unverified);
    }
    if !args.json {
        say(&format!("{}: {} verified", args.run.display(), count(verified.games, "game")))?;
    }
    Ok(Exit::Done)
}
