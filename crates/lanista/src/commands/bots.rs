//! `lanista bots`.

use anyhow::Result;
use serde_json::json;

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::BotsArgs;
use crate::output::text::titled;
use crate::terminal::{columns, say, say_json};

pub(crate) fn bots(args: &BotsArgs, catalogue: Catalogue) -> Result<Exit> {
    for game in catalogue.named(args.game.as_deref())? {
        let card = game.card();
        for bot in card.bots {
            if args.json {
                let bot = json!({
                    "v": 1, "game": card.id, "bot": format!("builtin:{}", bot.name),
                    "about": bot.about,
                });
                say_json(&bot)?;
            } else {
                let name = format!("builtin:{}", bot.name);
                say(&titled(&format!("{:<8} {name:<16} ", card.id), bot.about, columns()))?;
            }
        }
    }
    Ok(Exit::Done)
}
