//! `lanista bench`: what the host costs, measured beside the least that it could cost.

mod bots;
mod burn;
pub(crate) mod burner;
pub(crate) mod dummy;
mod facts;
mod floor;
mod hosted;
mod parts;
mod rounds;
mod starts;
mod suite;

use anyhow::Result;

use crate::Ending;
use crate::catalogue::Catalogue;
use crate::cli::Bench;

pub(crate) fn bench(args: &Bench, catalogue: Catalogue) -> Result<Ending> {
    match &args.game {
        Some(game) => bots::bench(game, args, catalogue),
        None => suite::bench(args, catalogue),
    }
}
