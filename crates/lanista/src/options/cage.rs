//! Cages: the options every command that runs bots has.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use host::{CageTerms, CagesFound, Tier};

use crate::cli::{self, CageOptions};

impl From<cli::TierName> for Tier {
    fn from(tier: cli::TierName) -> Tier {
        match tier {
            cli::TierName::A => Tier::A,
            cli::TierName::B => Tier::B,
            cli::TierName::C => Tier::C,
            cli::TierName::D => Tier::D,
            cli::TierName::E => Tier::E,
        }
    }
}

/// How the bots of a run are shut in. `exe` is the path of this program; no bot sees `replays`.
pub(crate) fn terms(args: &CageOptions, exe: &Path, replays: Option<&Path>) -> Result<CageTerms> {
    let real = |path: &PathBuf| {
        path.canonicalize().with_context(|| format!("cannot show bots {}", path.display()))
    };
    let terms = CageTerms {
        at_most: args.tier.map_or(Tier::A, Tier::from),
        read: args.allow_read.iter().map(real).collect::<Result<_>>()?,
        write: args.allow_write.iter().map(real).collect::<Result<_>>()?,
        hidden: replays.map(Path::to_owned).into_iter().collect(),
    };
    if let Some(required) = args.require_tier.map(Tier::from) {
        let tier = terms.tier(exe);
        if tier < required {
            bail!("{}", refusal(required, tier, host::found(exe)));
        }
    }
    Ok(terms)
}

fn refusal(required: Tier, tier: Tier, found: &CagesFound) -> String {
    let mut text = format!("bots would run on tier {tier}, and tier {required} is required");
    if found.tier >= required {
        return text + "; this machine can do it: leave --tier out";
    }
    for check in found.missing_for(required) {
        text += &format!("\n  {}: {}", check.name, check.about);
        if let Some(remedy) = check.remedy {
            text += &format!("\n    {remedy}");
        }
    }
    text
}
