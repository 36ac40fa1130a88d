//! The command line: what people type, and what they read.

mod advisers;
mod catalogue;
mod cli;
mod commands;
mod finished_games;
mod kits;
mod options;
mod output;
mod replay_files;
mod terminal;
mod user_files;
mod web_page;

use std::ffi::OsStr;
use std::process::ExitCode;

use anyhow::Result;
use table::AnyGame;

use catalogue::Catalogue;
use cli::help;
use commands::{
    bench, bot, bots, check, cluster, completions, ctl, demo, doctor, games, man, merge, new, play,
    ratings, rebuild, replay, results, run, serve, standings, stats, test, verify,
};

/// How the program ended, as documented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Everything was done.
    Done,
    /// A game could not be completed, or a check failed.
    Failed,
    /// Wrong usage, set-up or bot that cannot start.
    Usage,
    /// A replay does not verify.
    Unverified,
    /// Stopped by the user; what was finished is kept.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(ending: Exit) -> ExitCode {
        ExitCode::from(match ending {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Unverified => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// The commands that start bots.
const PLAYING: [&str; 6] = ["play", "check", "run", "test", "demo", "worker"];

/// Runs the command that the arguments of this process name, with these games, of which there is at
/// least one.
///
/// A program that calls this is also its own launcher of bots: it has to be called first in `main`,
/// before any thread is started.
pub fn main_with(games: &'static [&'static dyn AnyGame]) -> ExitCode {
    let catalogue = Catalogue::new(games);
    // The launcher is this program with another command; it must start fast and do nothing else.
    let mut args = std::env::args_os().skip(1);
    let hat = args.next();
    if hat.as_deref() == Some(OsStr::new(host::LAUNCH_COMMAND)) {
        host::launch();
    }
    if ::bench::played_as_bot(std::env::args_os().skip(1), games) {
        return ExitCode::SUCCESS;
    }
    // It gets ready while the arguments are read.
    let dry = std::env::args_os().any(|arg| arg == "--dry-run");
    if hat.is_some_and(|hat| PLAYING.iter().any(|command| hat == *command))
        && !dry
        && let Ok(exe) = std::env::current_exe()
    {
        host::prepare(&exe);
    }
    end(match help::parse(catalogue) {
        Ok(cli) => obey(cli.command, catalogue),
        Err(error) => explain(&error),
    })
}

/// Plays as a built-in bot of one of these games, on standard input and output: what `lanista bot` does,
/// as a program of its own.
pub fn bot_with(games: &'static [&'static dyn AnyGame], game: &str, name: &str) -> ExitCode {
    end(bot::run(game, name, game::Seed(1), Catalogue::new(games)))
}

/// Says what went wrong, if something did.
fn end(ending: Result<Exit>) -> ExitCode {
    match ending {
        Ok(ending) => ending.into(),
        Err(error) => {
            // A pipe that was closed (`| head`) is no error of ours.
            if let Some(error) = error.downcast_ref::<std::io::Error>()
                && error.kind() == std::io::ErrorKind::BrokenPipe
            {
                return ExitCode::SUCCESS;
            }
            terminal::complain(&format!("{error:#}"));
            let ending = match error.downcast_ref::<host::RunError>() {
                Some(host::RunError::Panics { .. } | host::RunError::Panic(_)) => Exit::Failed,
                Some(host::RunError::System { .. } | host::RunError::Bot(_)) | None => Exit::Usage,
            };
            ending.into()
        }
    }
}

/// Prints what was asked for with `--help` or `--version`, or what is wrong with the arguments.
fn explain(error: &clap::Error) -> Result<Exit> {
    let text = error.to_string();
    if error.use_stderr() {
        // There is what somebody typed in it.
        terminal::remark(text.trim_end());
        return Ok(Exit::Usage);
    }
    terminal::say(text.trim_end())?;
    Ok(Exit::Done)
}

fn obey(command: cli::CommandArgs, catalogue: Catalogue) -> Result<Exit> {
    match command {
        cli::CommandArgs::New(args) => new::new(&args, catalogue),
        cli::CommandArgs::Play(args) => play::play(args, catalogue),
        cli::CommandArgs::Demo(args) => demo::demo(&args, catalogue),
        cli::CommandArgs::Check(args) => check::check(&args, catalogue),
        cli::CommandArgs::Bot(args) => bot::bot(&args, catalogue),
        cli::CommandArgs::Run(args) => run::run(&args, catalogue),
        cli::CommandArgs::Test(args) => test::test(&args, catalogue),
        cli::CommandArgs::Standings(args) => standings::standings(&args, catalogue),
        cli::CommandArgs::Ratings(args) => ratings::ratings(&args),
        cli::CommandArgs::Results(args) => results::results(&args, catalogue),
        cli::CommandArgs::Ctl(args) => ctl::ctl(&args, catalogue),
        cli::CommandArgs::Verify(args) => verify::verify(&args, catalogue),
        cli::CommandArgs::Rebuild(args) => rebuild::rebuild(&args),
        cli::CommandArgs::Merge(args) => merge::merge(&args),
        cli::CommandArgs::Replay(args) => replay::replay(&args, catalogue),
        cli::CommandArgs::Serve(args) => serve::serve(&args, catalogue),
        cli::CommandArgs::Bench(args) => bench::bench(&args, catalogue),
        cli::CommandArgs::Stats(args) => stats::stats(&args),
        cli::CommandArgs::Games(args) => games::games(&args, catalogue),
        cli::CommandArgs::Bots(args) => bots::bots(&args, catalogue),
        cli::CommandArgs::Doctor(args) => doctor::doctor(&args),
        cli::CommandArgs::Worker(args) => cluster::worker(&args, catalogue),
        cli::CommandArgs::Cluster(args) => cluster::cluster(&args),
        cli::CommandArgs::Completions(args) => completions::completions(&args, catalogue),
        cli::CommandArgs::Man(args) => man::man(&args, catalogue),
    }
}
