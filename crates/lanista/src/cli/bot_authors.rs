//! Commands of those who write bots: `new`, `check` and `bot`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::CageOptions;
use crate::kits::{self, Language};

#[derive(Args, Debug)]
#[command(
    after_help = "On a terminal, what is not said is asked for. Existing files are never overwritten."
)]
pub(crate) struct NewArgs {
    /// The game; `lanista games` lists them
    pub(crate) game: Option<String>,
    /// The folder to make, which gives the bot its name
    pub(crate) dir: Option<PathBuf>,
    /// The language it is written in
    #[arg(long, value_parser = kit_languages(), hide_possible_values = true)]
    pub(crate) lang: Option<String>,
    /// List the languages, and whether their compilers or interpreters are found here
    #[arg(long, conflicts_with_all = ["dir", "lang"])]
    pub(crate) list: bool,
    /// With --list: as JSON, one object a line
    #[arg(long, requires = "list")]
    pub(crate) json: bool,
}

/// The languages that there are kits in, by all their names.
fn kit_languages() -> impl TypedValueParser<Value = String> {
    let named = |language: &'static Language| {
        PossibleValue::new(&*language.name)
            .aliases(language.also.iter().map(String::as_str))
            .help(&*language.title)
    };
    PossibleValuesParser::new(kits::languages().iter().map(named))
}

#[derive(Args, Debug)]
#[command(
    after_help = "It reads lines from standard input and writes lines to standard output, as any bot does: it can be \
    checked, and other hosts of the same protocol can run it."
)]
pub(crate) struct BotArgs {
    /// The game; `lanista games` lists them
    pub(crate) game: String,
    /// The built-in bot; `lanista bots` lists them
    pub(crate) name: String,
    /// Where its chance comes from
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Args, Debug)]
#[command(
    after_help = "A BOT is a bot.toml (or a folder holding one), or a command line such as \"python3 bot.py\".\n\n\
    A check that fails is tried three times. What a bot does wrong without any harm is a warning. The exit code is 1 \
    if a check has failed."
)]
pub(crate) struct CheckArgs {
    /// The game; `lanista games` lists them
    pub(crate) game: String,
    /// The bot
    #[arg(value_name = "BOT", required_unless_present = "list")]
    pub(crate) bot: Option<String>,
    /// List the checks of the game, and try none
    #[arg(long)]
    pub(crate) list: bool,
    /// Only this check; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Warnings fail, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Write every conversation to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// Time the program has to become ready, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) start_ms: Option<u64>,
    #[command(flatten)]
    pub(crate) cage: CageOptions,
    /// Print a JSON object for every check, and one for all of them
    #[arg(long)]
    pub(crate) json: bool,
}
