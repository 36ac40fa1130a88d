//! `lanista new`: makes the folder of a bot that plays, from a kit.

use std::fs::{self, OpenOptions};
use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::json;
use table::{AnyGame, Card};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::NewArgs;
use crate::kits::{self, Language, NewFile};
use crate::output::text::titled;
use crate::output::text_table::{Align, Columns};
use crate::terminal::{columns, prompt, say, say_json};

pub(crate) fn new(args: &NewArgs, catalogue: Catalogue) -> Result<Exit> {
    if args.list {
        return list(args, catalogue);
    }
    let missing = IfMissing::here();
    let card = game(args, catalogue, missing)?.card();
    let language = language(args, &card, missing)?;
    let dir = folder(args, &card, missing)?;
    let bot = name_of(&dir)?;
    let files = kits::kit(card.id, language, &bot);
    let files = files.ok_or_else(|| no_kit(&card, language))?;
    write(&dir, &files)?;
    tell(&dir, &bot, &card, language)?;
    Ok(Exit::Done)
}

// ---- what to make: from the command line, or by asking ----

/// What is done about something that the command line does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IfMissing {
    /// Somebody sits at a terminal.
    Ask,
    Refuse,
}

impl IfMissing {
    fn here() -> IfMissing {
        match stdin().is_terminal() && stdout().is_terminal() {
            true => IfMissing::Ask,
            false => IfMissing::Refuse,
        }
    }
}

fn game(args: &NewArgs, catalogue: Catalogue, missing: IfMissing) -> Result<&'static dyn AnyGame> {
    if let Some(name) = &args.game {
        return catalogue.find(name);
    }
    let with_kits = catalogue.games().iter().map(|game| game.card());
    let cards: Vec<Card> =
        with_kits.filter(|card| kits::languages_of(card.id).next().is_some()).collect();
    let choice = |card: &Card| Offered { name: card.id, about: card.about, also: &[], remark: "" };
    let choices: Vec<Offered<'_>> = cards.iter().map(choice).collect();
    catalogue.find(&choose("game", "which game?", &choices, missing)?)
}

fn language(args: &NewArgs, card: &Card, missing: IfMissing) -> Result<&'static Language> {
    let of_game: Vec<&Language> = kits::languages_of(card.id).collect();
    if of_game.is_empty() {
        bail!("{}", no_kits(card));
    }
    let wanted = match &args.lang {
        Some(name) => name.clone(),
        None => {
            let choice = |language: &&'static Language| Offered {
                name: &language.name,
                about: &language.title,
                also: &language.also,
                remark: match missing_programs(language).is_empty() {
                    true => "",
                    false => "  (not found here)",
                },
            };
            let choices: Vec<Offered<'_>> = of_game.iter().map(choice).collect();
            choose("language", "in which language?", &choices, missing)?
        }
    };
    let found = kits::languages().iter().find(|l| l.name == wanted || l.also.contains(&wanted));
    found.ok_or_else(|| anyhow!("there is no language \"{wanted}\""))
}

fn folder(args: &NewArgs, card: &Card, missing: IfMissing) -> Result<PathBuf> {
    if let Some(dir) = &args.dir {
        return Ok(dir.clone());
    }
    if missing == IfMissing::Refuse {
        bail!("say which folder to make: {USAGE}");
    }
    let usual = format!("{}-bot", card.id);
    let name = prompt(&format!("what is its name? [{usual}] "))?.ok_or_else(no_answer)?;
    Ok(PathBuf::from(if name.is_empty() { usual } else { name }))
}

const USAGE: &str = "`lanista new GAME DIR --lang LANG`; `lanista new --list` shows the languages";

/// One of several things that are offered.
struct Offered<'a> {
    name: &'a str,
    about: &'a str,
    /// Other names that people know it by.
    also: &'a [String],
    /// What there is to know before it is chosen.
    remark: &'a str,
}

impl Offered<'_> {
    fn is_called(&self, answer: &str) -> bool {
        let names = [self.name, self.about].into_iter().chain(self.also.iter().map(String::as_str));
        names.into_iter().any(|name| name.eq_ignore_ascii_case(answer))
    }
}

/// Asks for one of several things, by its number or one of its names, until one of them is named.
fn choose(
    what: &str,
    question: &str,
    choices: &[Offered<'_>],
    missing: IfMissing,
) -> Result<String> {
    if missing == IfMissing::Refuse {
        let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
        bail!("say which {what}, one of {}: {USAGE}", names.join(", "));
    }
    let width = choices.iter().map(|choice| choice.name.len()).max().unwrap_or(0);
    for (number, Offered { name, about, remark, .. }) in choices.iter().enumerate() {
        let about = format!("{about}{remark}");
        say(&titled(&format!("{:>3}  {name:<width$}  ", number + 1), &about, columns()))?;
    }
    loop {
        let answer = prompt(&format!("{question} "))?.ok_or_else(no_answer)?;
        let numbered = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let by_number = numbered.and_then(|place| choices.get(place));
        let by_name = || choices.iter().find(|choice| choice.is_called(&answer));
        if let Some(choice) = by_number.or_else(by_name) {
            return Ok(choice.name.to_owned());
        }
        let near = game::did_you_mean(&answer, choices.iter().map(|choice| choice.name));
        say(&format!("there is no {what} \"{answer}\"{near}"))?;
    }
}

fn no_answer() -> anyhow::Error {
    anyhow!("nothing was made: the input ended")
}

/// The name of the bot in a folder that may not exist yet.
fn name_of(dir: &Path) -> Result<String> {
    let whole =
        std::path::absolute(dir).with_context(|| format!("no folder: {}", dir.display()))?;
    let whole = whole.canonicalize().unwrap_or(whole);
    let name = whole.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| anyhow!("{} has no name for a bot", dir.display()))?;
    Ok(name.to_owned())
}

fn no_kits(card: &Card) -> String {
    format!(
        "there are no kits for {}; write a program that reads its messages, and a bot.toml that names it",
        card.id
    )
}

fn no_kit(card: &Card, language: &Language) -> anyhow::Error {
    let others: Vec<&str> = kits::languages_of(card.id).map(|other| &*other.name).collect();
    anyhow!("there is no kit for {} in {}; there is {}", card.id, language.title, others.join(", "))
}

// ---- making it ----

/// Writes the files of a kit. What is there already stays as it is, and then nothing is written.
fn write(dir: &Path, files: &[NewFile]) -> Result<()> {
    if let Ok(about) = fs::metadata(dir)
        && !about.is_dir()
    {
        bail!("{} is a file; name a folder", dir.display());
    }
    let there = |file: &&NewFile| fs::symlink_metadata(dir.join(&file.path)).is_ok();
    let taken: Vec<&str> = files.iter().filter(there).map(|file| &*file.path).collect();
    if !taken.is_empty() {
        bail!(
            "{} is in the way: nothing is overwritten, and nothing was made; name another folder than {}",
            taken.join(", "),
            dir.display()
        );
    }
    for file in files {
        let path = dir.join(&file.path);
        let failed = || format!("cannot write {}", path.display());
        fs::create_dir_all(path.parent().expect("it lies in the folder")).with_context(failed)?;
        let mode = if file.executable { 0o777 } else { 0o666 };
        let opened = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        opened.and_then(|mut out| out.write_all(&file.bytes)).with_context(failed)?;
    }
    Ok(())
}

/// Says what was made and what to type next.
fn tell(dir: &Path, bot: &str, card: &Card, language: &Language) -> Result<()> {
    let Language { title, strategy, .. } = language;
    let game = card.id;
    say(&format!("made {bot}, a bot for {game} in {title}; its strategy is in {strategy}\n"))?;
    let folder = quoted(&dir.to_string_lossy());
    let check = match dir == Path::new(".") {
        true => "./check".to_owned(),
        false => format!("{folder}/check"),
    };
    let [weakest, better] = [card.bots.first(), card.bots.get(1).or(card.bots.first())];
    for (bot, how) in [(weakest, "--watch"), (better, "--games 10")] {
        let opponent = bot.map_or(folder.clone(), |bot| format!("builtin:{}", bot.name));
        say(&format!("  lanista play {game} {folder} {opponent} {how}"))?;
    }
    say(&format!("  {check}"))?;
    say("\nREADME.md there says what to change first.")?;
    let missing = missing_programs(language);
    if !missing.is_empty() {
        say(&format!(
            "Not found here: {}. On Debian: apt-get install {}",
            missing.join(", "),
            language.packages.join(" ")
        ))?;
    }
    if !language.build.is_empty() && rustix::process::geteuid().is_root() {
        say(&format!(
            "As root: `chown -R nobody {folder}` first, or any other user: root builds no bot in its own folder."
        ))?;
    }
    Ok(())
}

/// The programs that a language needs and that are not found here.
fn missing_programs(language: &Language) -> Vec<&str> {
    language.programs.iter().map(|program| &**program).filter(|it| !is_in_path(it)).collect()
}

fn is_in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    match !path.is_empty() && path.chars().all(plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

// ---- what there is ----

fn list(args: &NewArgs, catalogue: Catalogue) -> Result<Exit> {
    let games: Vec<&str> = match &args.game {
        Some(name) => vec![catalogue.find(name)?.card().id],
        None => catalogue.games().iter().map(|game| game.card().id).collect(),
    };
    let titles = ["language", "", "tried with", "found here", "games"].map(|t| (t, Align::Left));
    let mut table = Columns::new(titles);
    for language in kits::languages() {
        let has_kit =
            |game: &&&str| kits::languages_of(game).any(|other| other.name == language.name);
        let games: Vec<&str> = games.iter().filter(has_kit).copied().collect();
        if games.is_empty() {
            continue;
        }
        let found = missing_programs(language).is_empty();
        if args.json {
            say_json(&json!({
                "v": 1, "language": language.name, "title": language.title, "tried": language.tried,
                "found": found, "programs": language.programs, "packages": language.packages,
                "strategy": language.strategy, "build": language.build, "command": language.command,
                "games": games,
            }))?;
        } else {
            table.row(vec![
                language.name.clone(),
                language.title.clone(),
                language.tried.clone(),
                if found { "yes" } else { "no" }.to_owned(),
                games.join(" "),
            ]);
        }
    }
    if !args.json {
        say(table.text().trim_end())?;
    }
    Ok(Exit::Done)
}
