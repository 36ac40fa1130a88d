//! `lanista games`.

use anyhow::Result;
use serde_json::{Value, json};
use table::{AnyGame, Card, Scoring, TurnOrder};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::GamesArgs;
use crate::output::text::{self, titled};
use crate::terminal::{columns, say, say_json};

pub(crate) fn games(args: &GamesArgs, catalogue: Catalogue) -> Result<Exit> {
    for game in catalogue.named(args.game.as_deref())? {
        let card = game.card();
        if args.json {
            say_json(&as_json(game, &card))?;
            continue;
        }
        say(&titled(&format!("{}: ", card.id), card.about, columns()))?;
        let order = match card.turn_order {
            TurnOrder::Alternating => "one after another",
            TurnOrder::Simultaneous => "all at once",
        };
        say(&format!("    {}, {order}; {}", text::players(card.players), clock(&card)))?;
        if args.game.is_some() {
            say("    set with --set KEY=VALUE or --config FILE:")?;
            let width = card.keys.iter().map(|key| key.name.len()).max().unwrap_or(0);
            for key in card.keys {
                let line = format!("      {:<width$} ", key.name);
                say(&titled(&line, key.about, columns()))?;
            }
            say(&titled("    ", &max_faults(&card), columns()))?;
            if let Scoring::Count { many, about, .. } = card.score {
                say(&titled("    ", &format!("a score is so many {many}: {about}"), columns()))?;
            }
            let exports = game.exports();
            if !exports.is_empty() {
                say(&format!("    replays can be exported to {}", exports.join(", ")))?;
            }
        }
    }
    if args.game.is_none() && !args.json {
        say("\n`lanista games GAME` shows what can be set, `lanista bots` who can play.")?;
    }
    Ok(Exit::Done)
}

fn clock(card: &Card) -> String {
    match card.clock.turn {
        Some(turn) => format!("{} ms a move unless set otherwise", turn.as_millis()),
        None => "no time limit unless set otherwise".to_owned(),
    }
}

fn max_faults(card: &Card) -> String {
    match card.max_faults {
        Some(most) => {
            let faults = game::count(most.get().into(), "fault");
            format!("a bot is given up after {faults} in a row unless set otherwise (--max-faults)")
        }
        None => {
            "no bot is given up, however often it fails, unless --max-faults says so".to_owned()
        }
    }
}

fn as_json(game: &dyn AnyGame, card: &Card) -> Value {
    let keys: Vec<Value> =
        card.keys.iter().map(|key| json!({ "name": key.name, "about": key.about })).collect();
    let score = match card.score {
        Scoring::Result => Value::Null,
        Scoring::Count { many, about, .. } => json!({ "counts": many, "about": about }),
    };
    let bots: Vec<&str> = card.bots.iter().map(|bot| bot.name).collect();
    json!({
        "v": 1,
        "game": card.id,
        "about": card.about,
        "players": { "least": card.players.0, "most": card.players.1, "usual": card.usual_players },
        "alternating": card.turn_order == TurnOrder::Alternating,
        "clock": card.clock,
        "max_faults": card.max_faults,
        "keys": keys,
        "defaults": game.defaults(),
        "bots": bots,
        "exports": game.exports(),
        "score": score,
    })
}
