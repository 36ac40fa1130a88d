//! Commands and options of tournaments on many machines.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::CageOptions;

/// Where a server is that connects machines, and how to be let in. What is secret stays in files.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ServerOptions {
    /// A file with the token that the server asks for
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// A file with the seed of an nkey that the server knows
    #[arg(long, value_name = "FILE")]
    pub(crate) nkey_file: Option<PathBuf>,
    /// A file with a JWT and its key, as nsc writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) creds_file: Option<PathBuf>,
    /// A file with the certificates that vouch for the server; without it no connection is made that is not encrypted
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// A file with a certificate of our own, if the server asks for one
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// A file with the key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
}

/// How a tournament is played on other machines.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ClusterRunOptions {
    /// Let workers play the games that are connected to this NATS server; docs/cluster.md explains
    #[arg(long, value_name = "URL")]
    pub(crate) cluster: Option<String>,
    /// With --cluster: play so many games at a time here, too
    #[arg(long, value_name = "K", requires = "cluster", value_parser = clap::value_parser!(u16).range(0..=i64::from(league::MOST_AT_A_TIME)))]
    pub(crate) local: Option<u16>,
    /// With --cluster: give the games of a worker to others when nothing is heard of it for so long
    #[arg(long, value_name = "SECONDS", requires = "cluster", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) lease: u64,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Told to stop (Ctrl-C, SIGTERM), a worker sends the results it has and gives back the rest. \
    Exit codes: 0 nothing to do any more (--exit-when-idle) or told to stop, 2 wrong usage."
)]
pub(crate) struct WorkerArgs {
    /// The NATS server, as in nats://HOST:4222
    pub(crate) url: String,
    /// Its name; the server may let it speak under no other [default: the machine's name and a number]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How many games are played at the same time [default: as many as there are cores]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..=i64::from(league::MOST_AT_A_TIME)))]
    pub(crate) concurrency: Option<u16>,
    /// Where bots are kept that have been fetched [default: the user's cache]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// End when there has been nothing to do for so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10")]
    pub(crate) exit_when_idle: Option<u64>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
    #[command(flatten)]
    pub(crate) cage: CageOptions,
    /// Say nothing but what is wrong
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Show the runs on a server: workers, what they play, how fast
    Status(ClusterStatusArgs),
    /// Start a server on this machine, for trying out; needs nats-server
    Up(ClusterUpArgs),
    /// Make a key for a coordinator, a worker or somebody who looks on
    Key(ClusterKeyArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "Prints the public half of the key, which goes into the server's configuration (docs/cluster.md). \
    The file is the secret half: give it to --nkey-file, and to nobody else."
)]
pub(crate) struct ClusterKeyArgs {
    /// The file to make; there must be none of that name
    pub(crate) file: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ClusterStatusArgs {
    /// The NATS server
    #[arg(default_value = "nats://127.0.0.1:4222")]
    pub(crate) url: String,
    /// As JSON, one object a run
    #[arg(long, conflicts_with = "metrics")]
    pub(crate) json: bool,
    /// As metrics in the text format of Prometheus
    #[arg(long)]
    pub(crate) metrics: bool,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

#[derive(Args, Debug)]
#[command(
    after_help = "The server listens on this machine alone and asks nobody who they are. It ends with this command (Ctrl-C)."
)]
pub(crate) struct ClusterUpArgs {
    /// The port to listen at
    #[arg(long, value_name = "N", default_value_t = 4222)]
    pub(crate) port: u16,
}
