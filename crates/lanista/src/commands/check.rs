//! `lanista check`.

use anyhow::{Context as _, Result, bail};
use check::{CheckError, CheckResult, CheckStatus, Checker};
use host::{BotSpec, Placement, Pondering, Program, Run};
use table::AnyGame;
use table::check::{Check, Otherwise};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::CheckArgs;
use crate::options::{bots, cage};
use crate::output::check_text::{self, CheckTally};
use crate::terminal::{complain, say, say_json};
use crate::user_files;

pub(crate) fn check(args: &CheckArgs, catalogue: Catalogue) -> Result<Exit> {
    let game = catalogue.find(&args.game)?;
    let checks = check::checks(&game.card());
    for name in &args.only {
        if checks.iter().all(|check| check.name != name) {
            let near = game::did_you_mean(name, checks.iter().map(|check| check.name));
            bail!(
                "there is no check \"{name}\"{near}; `lanista check {} --list` lists them",
                args.game
            );
        }
    }
    let wanted =
        |check: &Check| args.only.is_empty() || args.only.iter().any(|name| name == check.name);
    if args.list {
        return list(args, checks.iter().filter(|check| wanted(check)));
    }
    let Some(bot) = &args.bot else {
        bail!("name the bot to be checked, or ask for the --list of checks");
    };
    let mut checker = checker(args, bot, game)?;
    host::catch_interrupts();
    let mut shown = ShownChecks {
        args,
        bot,
        tally: CheckTally::new(),
        details: Vec::new(),
        said: Vec::new(),
        not_tried: None,
    };
    for check in &checks {
        // What other checks depend on is tried in any case.
        if !wanted(check) && (check.otherwise == Otherwise::GoOn || args.only.is_empty()) {
            continue;
        }
        match checker.check(check) {
            // What makes all others hopeless is shown, or nobody would know why they are skipped.
            Ok(result) if wanted(check) || result.status == CheckStatus::Fail => {
                shown.show(check, &result)?;
            }
            Ok(_) => {}
            Err(CheckError::Interrupted) => {
                complain("interrupted");
                return Ok(Exit::Interrupted);
            }
            Err(error) => return Err(error.into()),
        }
    }
    shown.end()
}

/// The bot with the built-in bots of its game, ready to be checked.
fn checker(args: &CheckArgs, bot: &str, game: &'static dyn AnyGame) -> Result<Checker> {
    let card = game.card();
    let mut spec = BotSpec::parse(bot, std::path::Path::new("."))?;
    spec.set_limits(&host::AskedLimits::default().starting_within(args.start_ms));
    let spec = spec.for_game(&card)?;
    if let Program::BuiltIn(name) = &spec.program {
        bail!("builtin:{name} is no program: there are no lines of it that could be checked");
    }
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let run = Run {
        roster: check::roster(game, spec),
        concurrency: 1,
        placement: Placement::Auto,
        cage: cage::terms(&args.cage, &exe, None)?,
        exe: Some(exe),
        pondering: Pondering::Stopped,
        scratch: None,
        live: None,
        people: None,
    };
    bots::build(&run)?;
    Ok(Checker::new(game, run))
}

fn list<'a>(args: &CheckArgs, checks: impl Iterator<Item = &'a Check>) -> Result<Exit> {
    for check in checks {
        match args.json {
            true => say_json(&check_text::listed_json(check))?,
            false => say(&check_text::listed(check))?,
        }
    }
    Ok(Exit::Done)
}

/// Shows results as they come, and the details at the end.
struct ShownChecks<'a> {
    args: &'a CheckArgs,
    bot: &'a str,
    tally: CheckTally,
    details: Vec<String>,
    /// Every conversation, for the file.
    said: Vec<String>,
    /// How many checks were not tried, and why.
    not_tried: Option<(u64, String)>,
}

impl ShownChecks<'_> {
    fn show(&mut self, check: &Check, result: &CheckResult) -> Result<()> {
        self.tally.add(result);
        match (self.args.json, &result.trial.skipped) {
            (true, _) => say_json(&check_text::json(check, result))?,
            (false, Some(why)) if result.runs == 0 => {
                self.not_tried.get_or_insert((0, why.clone())).0 += 1;
            }
            (false, _) => say(&check_text::line(check, result))?,
        }
        if matches!(result.status, CheckStatus::Fail | CheckStatus::Warn | CheckStatus::Note) {
            let again = again(self.args, self.bot, check.name);
            self.details.push(check_text::details(check, result, &again));
        }
        if self.args.transcript.is_some() {
            self.said.extend(check_text::transcript(check, result));
        }
        Ok(())
    }

    fn end(self) -> Result<Exit> {
        if let Some(path) = &self.args.transcript {
            user_files::write_lines(path, self.said.into_iter())?;
        }
        if self.args.json {
            say_json(&self.tally.json(&self.args.game, self.bot))?;
        } else {
            if let Some((number, why)) = &self.not_tried {
                say(&check_text::not_tried(*number, why))?;
            }
            for details in &self.details {
                say(&format!("\n{details}"))?;
            }
            if !self.details.is_empty() {
                say("")?;
            }
            say(&self.tally.line())?;
        }
        let failed = self.tally.failed > 0 || (self.args.strict && self.tally.warned > 0);
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }
}

/// The command that tries one check again.
fn again(args: &CheckArgs, bot: &str, name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:+,@".contains(letter);
    let bot = match bot.chars().all(plain) {
        true => bot.to_owned(),
        false => format!("'{}'", bot.replace('\'', "'\\''")),
    };
    format!("lanista check {} {bot} --only {name}", args.game)
}
