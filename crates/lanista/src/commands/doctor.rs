//! `lanista doctor`: what protects this machine from bots.

use anyhow::{Context as _, Result};
use host::{CageCheck, CagesFound, Tier};
use serde_json::{Value, json};

use crate::Exit;
use crate::cli::DoctorArgs;
use crate::output::text::{titled, wrapped};
use crate::terminal::{columns, say, say_json};

/// Says what protects this machine from bots.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<Exit> {
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let found = host::found(&exe);
    if args.json {
        say_json(&as_json(found))?;
        return Ok(Exit::Done);
    }
    say(&format!("tier {}: {}", found.tier, found.tier.about()))?;
    for check in &found.checks {
        let mark = if check.works { "yes" } else { "no " };
        say(&titled(&format!("  {mark}  {:<11} ", check.name), &check.about, columns()))?;
        if let Some(remedy) = check.remedy {
            say(&wrapped(&format!("       {remedy}"), 7, columns()))?;
        }
    }
    for tier in Tier::ALL {
        let here = if tier == found.tier { "*" } else { " " };
        say(&format!("{here} {tier}  {}", tier.about()))?;
    }
    Ok(Exit::Done)
}

fn as_json(found: &CagesFound) -> Value {
    let check = |check: &CageCheck| {
        json!({
            "name": check.name, "works": check.works, "about": check.about,
            "remedy": check.remedy,
        })
    };
    json!({
        "v": 1,
        "tier": found.tier.name(),
        "about": found.tier.about(),
        "checks": found.checks.iter().map(check).collect::<Vec<Value>>(),
    })
}
