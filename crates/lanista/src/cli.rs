//! Commands and their options, from which help, completions and the manual are made.

mod bot_authors;
pub(crate) mod cluster;
pub(crate) mod help;
mod tournaments;
pub(crate) mod value_completions;

use std::path::PathBuf;

use bench::SuitePart;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use bot_authors::{BotArgs, CheckArgs, NewArgs};
pub(crate) use cluster::{ClusterArgs, ClusterRunOptions, WorkerArgs};
pub(crate) use tournaments::{
    CtlArgs, CtlOrder, HypothesesOptions, MergeArgs, ModelName, RatingsArgs, RebuildArgs,
    ResultsArgs, RunArgs, StandingsArgs, StatsArgs, TestArgs, VerifyArgs,
};

/// Plays games between bots. A bot is any program that reads stdin and writes stdout.
#[derive(Debug, Parser)]
#[command(name = "lanista", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 done, 1 a game could not be completed or a check failed, \
    2 wrong usage, set-up or bot that cannot start, 3 a replay does not verify, 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: CommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CommandArgs {
    /// Make a bot that plays, to start from, in a language of your choice
    New(NewArgs),
    /// Play games between bots
    Play(PlayArgs),
    /// Play a small tournament in every game between built-in bots; needs nothing installed
    Demo(DemoArgs),
    /// Check whether a bot speaks the protocol of a game; says what is wrong and why
    Check(CheckArgs),
    /// Run a built-in bot as a program that speaks the protocol of its game
    Bot(BotArgs),
    /// Play a tournament from a file; run it again to continue where it stopped
    Run(RunArgs),
    /// Test whether a new bot is stronger; plays until the answer is known
    Test(TestArgs),
    /// Show the standings of a tournament: table, cross table, ratings, time use, faults
    Standings(StandingsArgs),
    /// List the finished games of a tournament, in the order of its schedule
    Results(ResultsArgs),
    /// Rate bots over several tournaments and results from elsewhere, or over a part of the games
    Ratings(RatingsArgs),
    /// Control a running tournament, and decide about its bots and games at any time
    Ctl(CtlArgs),
    /// Verify a tournament: play every recorded game again and compare it with the table
    Verify(VerifyArgs),
    /// Rebuild the database of a tournament from its replays
    Rebuild(RebuildArgs),
    /// Merge parts of one tournament that were played in several places
    Merge(MergeArgs),
    /// Show a recorded game: step through it, verify it, export it
    Replay(ReplayArgs),
    /// Look at tournaments and replays in the browser
    Serve(ServeArgs),
    /// Measure what the host costs on this machine; with bots, their games per second
    Bench(BenchArgs),
    /// Compute Elo with its error, likelihood of superiority and a sequential test from counts
    Stats(StatsArgs),
    /// List the games, or the set-up keys of one
    Games(GamesArgs),
    /// List the built-in bots, of all games or of one
    Bots(BotsArgs),
    /// Show what protects this machine from bots, what is missing, and how to get it
    Doctor(DoctorArgs),
    /// Play games for tournaments that other machines coordinate
    Worker(WorkerArgs),
    /// See how tournaments on many machines go, or start a server for trying them out
    Cluster(ClusterArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write all of them to a folder
    Man(ManArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "A BOT is builtin:NAME, a bot.toml (or a folder holding one), or a command \
    line such as \"python3 bot.py\"; human is you, at this terminal or with --web in the browser. NAME=BOT renames it.\n\n\
    Seats rotate from game to game, and the same seed serves every rotation, so that luck of the \
    set-up cancels out."
)]
pub(crate) struct PlayArgs {
    /// The game; `lanista games` lists them
    pub(crate) game: String,
    /// The bots, in the order of their seats
    #[arg(required = true, value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    /// How many games to play
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) games: u64,
    /// Where chance comes from; every round of games gets a seed of its own from it [default:
    /// random]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// The seed of a single game, as results give it, to play that game again
    #[arg(long, value_name = "S", conflicts_with = "seed")]
    pub(crate) game_seed: Option<u64>,
    /// How many games are played at the same time [default: as many as there are cores for]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=i64::from(league::MOST_AT_A_TIME)))]
    pub(crate) concurrency: Option<u16>,
    #[command(flatten)]
    pub(crate) setup: SetupOptions,
    #[command(flatten)]
    pub(crate) time: ClockOptions,
    /// People play through another program, which is told where: the first line on standard output names their seats
    #[arg(long, hide = true, conflicts_with = "web")]
    pub(crate) seats: bool,
    /// Time that people have for a move, in milliseconds [default: no limit]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) human_timeout_ms: Option<u64>,
    /// Time that people have for all moves of a game together, in milliseconds [default: no limit]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) human_match_ms: Option<u64>,
    /// A bot that people may ask what it would play, beside the built-in bots and the programs that take part; may be
    /// given several times
    #[arg(long, value_name = "BOT")]
    pub(crate) hint_bot: Vec<String>,
    #[command(flatten)]
    pub(crate) adjudicate: AdjudicationOptions,
    #[command(flatten)]
    pub(crate) manner: ProcessFlags,
    /// Where replays are written [default: replays]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write no replays
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_replay: bool,
    #[command(flatten)]
    pub(crate) cage: CageOptions,
    #[command(flatten)]
    pub(crate) page: WebOptions,
    /// Draw the game while it is played
    #[arg(long, conflicts_with = "json")]
    pub(crate) watch: bool,
    /// With --watch: draw what this bot (its name, or its place on the command line from 1) sees
    #[arg(long, value_name = "BOT", requires = "watch")]
    pub(crate) eyes: Option<String>,
    /// Show what the game counts over time; without it, only when one player plays alone
    #[arg(long, conflicts_with = "json")]
    pub(crate) chart: bool,
    /// Write what the game counts in every tick to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// With --watch: show every picture at least this long, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 150)]
    pub(crate) pace_ms: u64,
    /// Print a JSON object for every game, and nothing else, on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Without bots, the host is measured beside the least that the same could cost: \
    bare pipes, bare processes. A row shows the median of all rounds, how many times that is of \
    the row it is compared with (the first of its group unless its name says otherwise), and \
    [the least – the most]. All rows of a group are measured in turn, round by round, until they \
    settle. A row that did not is marked with ~ and is no result: something else was running. \
    The processes that are started are this program, which takes longer to start than a small one \
    in C: of those, more are born in a second.\n\n\
    With bots, their games and their starts alone are measured in turn, with the same number of \
    games at a time. A ratio near 1 means that playing costs nothing beside starting the bots; \
    bots that stay for the next game are far below it."
)]
pub(crate) struct BenchArgs {
    /// Measure these bots at this game [default: the host itself, in a table]
    #[arg(requires = "bots")]
    pub(crate) game: Option<String>,
    /// The bots, in the order of their seats
    #[arg(value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    /// Games in a round, with bots
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) games: u64,
    /// Rounds [default: 5 with bots, otherwise until the figures are stable]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: Option<u32>,
    /// Without bots: a short measurement, too short for reliable figures
    #[arg(long, conflicts_with = "bots")]
    pub(crate) quick: bool,
    /// Without bots: only this part of the table; may be given several times
    #[arg(long, conflicts_with = "bots", value_parser = bench_parts(), value_name = "PART")]
    pub(crate) only: Vec<SuitePart>,
    /// How many games are played at the same time [default: as many as there are cores for]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=i64::from(league::MOST_AT_A_TIME)))]
    pub(crate) concurrency: Option<u16>,
    #[command(flatten)]
    pub(crate) setup: SetupOptions,
    #[command(flatten)]
    pub(crate) cage: CageOptions,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The parts of the table of `lanista bench`, by their names.
fn bench_parts() -> impl TypedValueParser<Value = SuitePart> {
    let named = |part: SuitePart| PossibleValue::new(part.name()).help(part.about());
    let part = |name: String| {
        let found = SuitePart::ALL.into_iter().find(|part| part.name() == name);
        found.expect("it is one of the possible values")
    };
    PossibleValuesParser::new(SuitePart::ALL.map(named)).map(part)
}

/// What is played.
#[derive(Args, Debug)]
pub(crate) struct SetupOptions {
    /// The whole set-up, from a TOML or JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// One key of the set-up; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// How much time bots have; the game's own where nothing is said.
#[derive(Args, Debug)]
pub(crate) struct ClockOptions {
    /// Time for a move in milliseconds, 0 for no limit
    #[arg(long, value_name = "MS")]
    pub(crate) timeout_ms: Option<u64>,
    /// Time for all moves of a game together, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) match_ms: Option<u64>,
    /// Time a program has to become ready, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) start_ms: Option<u64>,
    /// How far a move may exceed its time before it counts as late, in milliseconds
    #[arg(long, value_name = "MS")]
    pub(crate) margin_ms: Option<u64>,
    /// Which time is charged
    #[arg(long, value_enum, default_value = "wall")]
    pub(crate) clock: TimeCharged,
    /// A bot's own time, as in a tournament file: NAME=move_ms=500,match_ms=60000; may be given
    /// several times
    #[arg(long, value_name = "NAME=CLOCK")]
    pub(crate) bot_clock: Vec<String>,
}

/// How the processes of bots are kept and placed.
#[derive(Args, Debug)]
pub(crate) struct ProcessFlags {
    /// Stop the processes of bots that are not on move, so that none thinks in the other's time
    #[arg(long)]
    pub(crate) freeze: bool,
    /// Let bots think while they are not on move, each on a core of its own
    #[arg(long, conflicts_with = "freeze")]
    pub(crate) ponder: bool,
    /// Start a fresh process for every game
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Which cores the host and the bots of a game use
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) placement: PlacementName,
}

/// When games are ended as they stand.
#[derive(Args, Debug)]
pub(crate) struct AdjudicationOptions {
    /// End a game as it stands after so many turns
    #[arg(id = "adjudicate_turns", long = "adjudicate-turns", value_name = "N")]
    pub(crate) turns: Option<u32>,
    /// End a game as it stands when the first is so many points ahead of the second
    #[arg(id = "adjudicate_lead", long = "adjudicate-lead", value_name = "POINTS")]
    pub(crate) lead: Option<f64>,
    /// With --adjudicate-lead: through so many turns in a row [default: 1]
    #[arg(long = "lead-turns", value_name = "N", requires = "adjudicate_lead")]
    pub(crate) lead_turns: Option<u32>,
    /// Give up a bot after so many faults in a row: it leaves the game; 0 is never [default: the
    /// game's]
    #[arg(long = "max-faults", value_name = "N")]
    pub(crate) max_faults: Option<u32>,
}

/// How bots are shut in.
#[derive(Args, Debug, Default)]
pub(crate) struct CageOptions {
    /// Shut bots in no better than this [default: as well as this machine can]
    #[arg(long, value_enum, ignore_case = true, value_name = "TIER")]
    pub(crate) tier: Option<TierName>,
    /// Refuse to run bots that are not shut in at least this well; `lanista doctor` explains
    #[arg(long, value_enum, ignore_case = true, value_name = "TIER")]
    pub(crate) require_tier: Option<TierName>,
    /// A file or folder that all bots may read; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_read: Vec<PathBuf>,
    /// A file or folder that all bots may read and write; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_write: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TierName {
    /// Namespaces and limits by cgroup v2
    A,
    /// Namespaces and limits by cgroup v1
    B,
    /// Namespaces, limits by process
    C,
    /// Landlock and a filter of system calls
    D,
    /// Process groups only
    E,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TimeCharged {
    /// Wall time
    Wall,
    /// Processor time: fair when there are more bots than cores
    Cpu,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PlacementName {
    /// Together when players move in turn, apart when all move at once
    Auto,
    /// The host and all bots of a game share one core: the fastest way to talk
    Together,
    /// Every bot has a core of its own while there are enough
    Apart,
    /// The operating system decides
    None,
}

#[derive(Args, Debug)]
#[command(after_help = "Without an option, and on a terminal, the game can be stepped through: \
    right/left, space plays, f goes to the next fault, e looks through the next player's eyes, ? lists \
    the keys, q leaves.")]
pub(crate) struct ReplayArgs {
    /// The replay (- for standard input), or the folder of a tournament
    pub(crate) file: PathBuf,
    /// Which game of the tournament: its number in `lanista results`
    pub(crate) number: Option<u64>,
    /// With several events: which one
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Play the game again by the rules and compare every state
    #[arg(long, group = "how")]
    pub(crate) verify: bool,
    /// Print the header, every step and the outcome as JSON
    #[arg(long, group = "how")]
    pub(crate) json: bool,
    /// Print the game as a film, for programs that draw it: one JSON object a line
    #[arg(long, group = "how")]
    pub(crate) film: bool,
    /// Write the game as a page of one file that any browser opens, without a server [default: NAME.html here]
    #[arg(long, group = "how")]
    pub(crate) html: bool,
    /// Print every line that went over every pipe, with its time
    #[arg(long, group = "how")]
    pub(crate) lines: bool,
    /// Write the game in another program's format, as text, or as a replay of its own (lrz); all
    /// games of a tournament if none is named
    #[arg(long, value_name = "FORMAT", group = "how")]
    pub(crate) export: Option<String>,
    /// Show what the game counts over time
    #[arg(long, group = "how")]
    pub(crate) chart: bool,
    /// Write what the game counts in every tick to a file
    #[arg(long, value_name = "FILE", group = "how")]
    pub(crate) csv: Option<PathBuf>,
    /// Write to this file instead of standard output; for --export of a whole tournament a folder
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Show what this player (its name, or its seat from 1) may know, instead of all
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["verify", "lines", "export"])]
    pub(crate) eyes: Option<String>,
    /// Show the state after so many steps and exit
    #[arg(long, value_name = "STEP", conflicts_with_all = ["verify", "film", "html", "lines", "export", "chart", "csv"])]
    pub(crate) at: Option<usize>,
    /// Let this bot say what it would play in every position, or in that of --at, and what it thinks of it; with --eyes
    /// in the place of one player. With --json an object for each
    #[arg(long, value_name = "BOT", conflicts_with_all = ["verify", "film", "html", "lines", "export", "chart", "csv", "out"])]
    pub(crate) analyse: Option<String>,
    /// With --analyse: how long it thinks about a position, in milliseconds [default: 1000 for one, 200 for each of a game]
    #[arg(long, value_name = "MS", requires = "analyse", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub(crate) think_ms: Option<u64>,
    #[command(flatten, next_help_heading = "How the bot of --analyse is shut in")]
    pub(crate) cage: CageOptions,
}

#[derive(Args, Debug)]
#[command(
    after_help = "The address that is printed holds a token: whoever has it may look, nobody else. It is good until \
    the program ends (Ctrl-C). Nothing is written and nothing can be changed from the browser."
)]
pub(crate) struct ServeArgs {
    /// The folder with tournaments and replays; links in it are not followed [default: .]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// The port to listen at, 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// The address to listen at; others than this machine's own are reached from the network
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub(crate) bind: std::net::IpAddr,
    /// A name that browsers may call this server by, beside localhost and addresses in numbers; may be given several
    /// times
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Open the browser [default: where there is a desktop]
    #[arg(long, conflicts_with = "no_open")]
    pub(crate) open: bool,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Read the files of the page from this folder, for those who work on them
    #[arg(long, value_name = "DIR")]
    pub(crate) page: Option<PathBuf>,
    /// End when standard input does, for programs that start this one
    #[arg(long)]
    pub(crate) beside: bool,
    /// Where the page begins: the part of its address from the #
    #[arg(long, value_name = "VIEW", default_value = "")]
    pub(crate) view: String,
}

/// Whether the browser shows what is played.
#[derive(Args, Debug, Default)]
pub(crate) struct WebOptions {
    /// Show it in the browser while it is played, and afterwards until Enter or Ctrl-C
    #[arg(long)]
    pub(crate) web: bool,
    /// With --web: open the browser [default: where there is a desktop]
    #[arg(long, requires = "web", conflicts_with = "no_open")]
    pub(crate) open: bool,
    /// With --web: do not open the browser, only print the address
    #[arg(long, requires = "web")]
    pub(crate) no_open: bool,
    /// With --web: listen at this address; others than this machine's own are reached from the network, and nothing is
    /// encrypted [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR", requires = "web")]
    pub(crate) bind: Option<std::net::IpAddr>,
    /// With --web: a name that browsers may call the server by, as of `serve`; may be given several times
    #[arg(long, value_name = "NAME", requires = "web")]
    pub(crate) host: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// Keep the tournaments in this folder; without it they are removed at the end
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) page: WebOptions,
}

#[derive(Args, Debug)]
pub(crate) struct GamesArgs {
    /// Only this game, with all its keys
    pub(crate) game: Option<String>,
    /// As JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct BotsArgs {
    /// Only the bots of this game
    pub(crate) game: Option<String>,
    /// As JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write lanista.1 and a page for every command into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
