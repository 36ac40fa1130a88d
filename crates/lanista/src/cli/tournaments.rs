//! Commands and options of those who run tournaments and tests.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use web::share::WatchedGames;

use super::{
    AdjudicationOptions, CageOptions, ClockOptions, ClusterRunOptions, ProcessFlags, SetupOptions,
    WebOptions,
};

#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 played to its end (or stopped by a rule or `lanista ctl`), \
    1 a game could not be completed or kept, 2 a file that is wrong or contradicts what was \
    played, or a bot that cannot start, 130 interrupted. Whatever was finished is kept.")]
pub(crate) struct RunArgs {
    /// The tournament; docs/tournaments.md says what can be in it
    pub(crate) file: PathBuf,
    /// The folder of the run [default: runs/NAME beside the file]
    #[arg(long, value_name = "RUN")]
    pub(crate) dir: Option<PathBuf>,
    /// How many games are played at the same time [default: as the file says, or as many as there
    /// are cores for]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=i64::from(league::MOST_AT_A_TIME)))]
    pub(crate) concurrency: Option<u16>,
    /// Continue although programs of bots have changed; their results so far stay
    #[arg(long)]
    pub(crate) accept_changes: bool,
    /// Run this command after every game and at the end; it gets a line of JSON on its standard
    /// input
    #[arg(long, value_name = "COMMAND")]
    pub(crate) hook: Option<String>,
    /// Show what would be played: who meets whom, how many games, how long it may take. Nothing is
    /// played, started or written
    #[arg(long, conflicts_with = "web")]
    pub(crate) dry_run: bool,
    /// With --dry-run: as JSON
    #[arg(long, requires = "dry_run")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) page: WebOptions,
    #[command(flatten)]
    pub(crate) elsewhere: ClusterRunOptions,
    #[command(flatten)]
    pub(crate) cage: CageOptions,
    /// Show no progress and no table
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Games are played in pairs: the same seed with seats changed. With more than two \
    seats the new bot plays among copies of the old one, from every seat with the same seed; it \
    wins a game if it is ahead of more than half of them, and loses it if of fewer.\n\n\
    Exit codes: 0 one of the hypotheses is accepted, 1 undecided after --max-games or a game could \
    not be completed, 2 wrong usage or a bot that cannot start, 130 interrupted."
)]
pub(crate) struct TestArgs {
    /// The game; `lanista games` lists them
    pub(crate) game: String,
    /// The new bot
    pub(crate) new: String,
    /// The old bot
    pub(crate) old: String,
    #[command(flatten)]
    pub(crate) hypotheses: HypothesesOptions,
    /// The rating of the old bot; the rating of the new bot is then shown too
    #[arg(long, value_name = "ELO")]
    pub(crate) anchor: Option<f64>,
    /// Correct the bounds for overshoot, by Siegmund's formula
    #[arg(long)]
    pub(crate) siegmund: bool,
    /// Stop undecided after so many games
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub(crate) max_games: u64,
    /// Bots in one game [default: as is usual for the game]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    pub(crate) seats: Option<u16>,
    /// Where chance comes from; every pair gets a seed of its own from it [default: random]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// How many games are played at the same time [default: as many as there are cores for]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=i64::from(league::MOST_AT_A_TIME)))]
    pub(crate) concurrency: Option<u16>,
    #[command(flatten)]
    pub(crate) setup: SetupOptions,
    #[command(flatten)]
    pub(crate) time: ClockOptions,
    #[command(flatten)]
    pub(crate) adjudicate: AdjudicationOptions,
    #[command(flatten)]
    pub(crate) manner: ProcessFlags,
    /// Keep the test in this folder and continue it there [default: runs/NEW-OLD, or the next that
    /// is free]
    #[arg(long, value_name = "DIR", conflicts_with = "no_keep")]
    pub(crate) dir: Option<PathBuf>,
    /// Keep nothing
    #[arg(long)]
    pub(crate) no_keep: bool,
    /// Write the replays of all games into this folder as well, a file each
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) page: WebOptions,
    #[command(flatten)]
    pub(crate) cage: CageOptions,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct StandingsArgs {
    /// The folder of the tournament
    pub(crate) run: PathBuf,
    /// With several events: only this one
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// As one JSON object
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// The table as comma-separated values
    #[arg(long, group = "form")]
    pub(crate) csv: bool,
    /// Write its pages as one file that any browser opens, without a server [default: RUN.html here]
    #[arg(long, group = "form")]
    pub(crate) html: bool,
    /// With --html: the last N games, or all of them, can be watched on the page [default: none]
    #[arg(long, value_name = "N|all", requires = "html", value_parser = watched_games)]
    pub(crate) with_games: Option<WatchedGames>,
    /// The rating of a bot, to which all others are relative; may be given several times
    #[arg(long, value_name = "NAME=ELO")]
    pub(crate) anchor: Vec<String>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "A SOURCE is the folder of a tournament, or a file of results: CSV \
    (first,second,result or name1,name2,…,rank1,rank2,…), headers in the manner of PGN ([White \
    \"a\"] …), or JSON lines of `play --json` and `results --json`. Bots are the same if they have the \
    same name.")]
pub(crate) struct RatingsArgs {
    /// Folders of tournaments, and files of results
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// Only games among these bots; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) among: Vec<String>,
    /// Only games in which this bot plays; given several times, in which each of them does
    #[arg(long, value_name = "NAME")]
    pub(crate) with: Vec<String>,
    /// Only this event of tournaments
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Only this game
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Only games under this protection, A to E
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<String>,
    /// Only games that were finished on this day or later, as 2026-03-01 or 2026-03-01T18:30 (UTC)
    #[arg(long, value_name = "DAY")]
    pub(crate) since: Option<String>,
    /// Only games that were finished before this day
    #[arg(long, value_name = "DAY")]
    pub(crate) before: Option<String>,
    /// Leave out games that somebody lost by a fault
    #[arg(long)]
    pub(crate) no_forfeits: bool,
    /// The rating of a bot, to which all others are relative; may be given several times
    #[arg(long, value_name = "NAME=ELO")]
    pub(crate) anchor: Vec<String>,
    /// Count bots of the same name as one even if their files are different
    #[arg(long)]
    pub(crate) accept_changes: bool,
    /// As one JSON object
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// As comma-separated values
    #[arg(long, group = "form")]
    pub(crate) csv: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ResultsArgs {
    /// The folder of the tournament
    pub(crate) run: PathBuf,
    /// With several events: only this one
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// As JSON, an object a game, as `lanista play --json`
    #[arg(long)]
    pub(crate) json: bool,
    /// Also print games that are still to be played, each when it is kept, until the run ends
    #[arg(long)]
    pub(crate) follow: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Every replay is played again by the rules. Its result, seed, set-up, clock and bots \
    are compared with the schedule and with what the database says, and so are the terms, the bots' \
    identities and the journal with their copy beside the replays.\n\n\
    Exit codes: 0 everything agrees, 2 there is nothing to look at, 3 something does not."
)]
pub(crate) struct VerifyArgs {
    /// The folder of the tournament
    pub(crate) run: PathBuf,
    /// With several events: only this one
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "The database that was there is kept as run.db.old. What the replays do not say \
    (the terms, the bots, the journal) comes from replays/run.json."
)]
pub(crate) struct RebuildArgs {
    /// The folder of the tournament
    pub(crate) run: PathBuf,
}

#[derive(Args, Debug)]
#[command(
    after_help = "The runs have the same file, seed and bots, and each has games of the same schedule: one was stopped and goes on \
    elsewhere, or each played some. A game that is in several of them counts once; one that went differently is refused."
)]
pub(crate) struct MergeArgs {
    /// The folders of the runs
    #[arg(required = true, value_name = "RUN", num_args = 2..)]
    pub(crate) runs: Vec<PathBuf>,
    /// The new folder for the merged run
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) dir: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct CtlArgs {
    /// The folder of the tournament
    pub(crate) run: PathBuf,
    #[command(subcommand)]
    pub(crate) order: CtlOrder,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CtlOrder {
    /// Start no more games until `resume`
    Pause,
    /// Resume a paused run
    Resume,
    /// Play so many games at a time, once those under way are finished
    Concurrency {
        /// How many
        #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(league::MOST_AT_A_TIME)))]
        games: u16,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Play the games of an event before those of a lower priority; 0 is usual
    Priority {
        /// Which event
        event: String,
        /// How high
        #[arg(allow_negative_numbers = true)]
        priority: i32,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Withdraw a bot; the games that it has played stay
    Withdraw {
        /// Its name
        bot: String,
        /// Only in this event
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Disqualify a bot, and annul the games that it has played
    Disqualify {
        /// Its name
        bot: String,
        /// Only in this event
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Let a bot that has left take part again, as if it had not
    Reinstate {
        /// Its name
        bot: String,
        /// Only in this event
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Annul the result of a game, and play it again
    Void {
        /// Its number, as `lanista results` prints it
        game: u64,
        /// With several events: of which one
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// List the journal as JSON, one object for each entry
    Entries,
    /// Add a bot, once the games under way are finished
    Add {
        /// As on the command line of `lanista play`
        bot: String,
        /// With several events: in which one
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
    },
    /// Finish the games under way, then stop
    Stop,
    /// Print the progress as one JSON object
    Status,
    /// Anything else.
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    /// Losses, draws and wins, or pairs of games LL,LD,WL+DD,WD,WW
    #[arg(long, value_name = "L,D,W", allow_hyphen_values = true)]
    pub(crate) counts: String,
    #[command(flatten)]
    pub(crate) hypotheses: HypothesesOptions,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a sequential test decides between.
#[derive(Args, Debug)]
pub(crate) struct HypothesesOptions {
    /// The difference under the first hypothesis
    #[arg(long, default_value_t = 0.0, value_name = "ELO", allow_negative_numbers = true)]
    pub(crate) elo0: f64,
    /// The difference under the second hypothesis
    #[arg(long, default_value_t = 10.0, value_name = "ELO", allow_negative_numbers = true)]
    pub(crate) elo1: f64,
    /// How often the second may be accepted although the first is true
    #[arg(long, default_value_t = 0.05, value_name = "P")]
    pub(crate) alpha: f64,
    /// How often the first may be accepted although the second is true
    #[arg(long, default_value_t = 0.05, value_name = "P")]
    pub(crate) beta: f64,
    /// What Elo means in the hypotheses
    #[arg(long, value_enum, default_value = "logistic")]
    pub(crate) model: ModelName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ModelName {
    /// By the expected score
    Logistic,
    /// By the expected score in units of the spread of results
    Normalized,
    /// By the BayesElo model; for single games only
    Bayesian,
}

fn watched_games(text: &str) -> Result<WatchedGames, String> {
    match text {
        "all" => Ok(WatchedGames::All),
        number => {
            let last = number.parse().map(WatchedGames::Last);
            last.map_err(|_| "a number of games, or \"all\"".to_owned())
        }
    }
}
