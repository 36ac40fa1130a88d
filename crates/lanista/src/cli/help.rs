//! The command line with examples for every command, and with what only the games know: their names
//! and the formats they export to.

use clap::{Command, CommandFactory as _, FromArgMatches as _};
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::cli::Cli;

/// Commands to be pasted, for each command of ours. In braces stand the first game, two of its
/// built-in bots, and a format it exports to.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("new", &["lanista new", "lanista new {game} mybot --lang python", "lanista new --list"]),
    (
        "play",
        &[
            "lanista play {game} {bot} {other}",
            "lanista play {game} {bot} {other} --games 20 --json",
            "lanista play {game} {bot} {other} --watch --set {key}",
        ],
    ),
    (
        "check",
        &[
            "lanista check {game} mybot",
            "lanista check {game} mybot --strict --json",
            "lanista check {game} --list",
        ],
    ),
    ("bot", &["lanista bot {game} {name}", "lanista bot {game} {name} --seed 7"]),
    ("demo", &["lanista demo", "lanista demo --dir demo"]),
    (
        "run",
        &[
            "echo 'game=\"{game}\"' > cup.toml",
            "echo 'bots=[{bot=\"{bot}\"},{bot=\"{other}\"}]' >> cup.toml",
            "lanista run cup.toml",
        ],
    ),
    (
        "test",
        &[
            "lanista test {game} {bot} {other}",
            "lanista test {game} {bot} {other} --max-games 20 --json",
        ],
    ),
    (
        "standings",
        &["lanista standings runs/cup", "lanista standings runs/cup --html --out cup.html"],
    ),
    ("results", &["lanista results runs/cup", "lanista results runs/cup --json"]),
    (
        "ratings",
        &[
            "lanista ratings runs/spring runs/autumn",
            "lanista ratings runs/cup other.csv --among a --among b",
        ],
    ),
    (
        "ctl",
        &[
            "lanista ctl runs/cup status",
            "lanista ctl runs/cup pause",
            "lanista ctl runs/cup add {other}",
            "lanista ctl runs/cup withdraw mine --reason retired",
        ],
    ),
    ("verify", &["lanista verify runs/cup"]),
    ("merge", &["lanista merge runs/here runs/there --dir runs/whole"]),
    ("rebuild", &["lanista rebuild runs/cup"]),
    (
        "replay",
        &[
            "lanista replay runs/cup 1",
            "lanista replay runs/cup 1 --lines",
            "lanista replay runs/cup 1 --export {export} --out game.{export}",
        ],
    ),
    ("serve", &["lanista serve", "lanista serve runs --port 8000 --no-open"]),
    ("bench", &["lanista bench --quick", "lanista bench {game} {bot} {other} --games 5"]),
    (
        "stats",
        &["lanista stats --counts 20,31,49", "lanista stats --counts 3,8,20,12,7 --elo1 5 --json"],
    ),
    ("games", &["lanista games", "lanista games {game}"]),
    ("bots", &["lanista bots", "lanista bots {game} --json"]),
    ("doctor", &["lanista doctor"]),
    (
        "worker",
        &[
            "lanista worker nats://127.0.0.1:4222",
            "lanista worker nats://127.0.0.1:4222 --exit-when-idle 60",
        ],
    ),
    ("cluster", &["lanista cluster up", "lanista cluster status nats://127.0.0.1:4222"]),
    (
        "completions",
        &[
            "source <(lanista completions bash)",
            "lanista completions fish > ~/.config/fish/completions/lanista.fish",
        ],
    ),
    ("man", &["lanista man --dir man"]),
];

/// The whole command line.
pub(crate) fn command(catalogue: Catalogue) -> Command {
    let command = EXAMPLES.iter().fold(Cli::command(), |command, (name, examples)| {
        command.mut_subcommand(name, |command| with_examples(command, examples, catalogue))
    });
    command.mut_subcommand("replay", |replay| {
        replay.mut_arg("export", |export| {
            let help = export.get_help().map(ToString::to_string).unwrap_or_default();
            export.help(format!("{help}: {}", exports(catalogue)))
        })
    })
}

/// What was typed; an error that can be shown otherwise, also for `--help`.
pub(crate) fn parse(catalogue: Catalogue) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command(catalogue).try_get_matches()?)
}

fn with_examples(command: Command, examples: &[&str], catalogue: Catalogue) -> Command {
    let mut text = match command.get_after_help() {
        Some(before) => format!("{before}\n\n"),
        None => String::new(),
    };
    text.push_str("Examples:");
    for example in examples {
        text.push_str(&format!("\n  {}", filled(example, catalogue)));
    }
    command.after_help(text)
}

fn filled(example: &str, catalogue: Catalogue) -> String {
    let game = catalogue.first();
    let card = game.card();
    let bot = |place: usize| format!("builtin:{}", card.bots[place].name);
    let export = game.exports().first().copied().unwrap_or_default();
    let plain = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let defaults = game.defaults();
    let key = defaults.iter().find_map(|(key, value)| Some(format!("{key}={}", plain(value)?)));
    example
        .replace("{game}", card.id)
        .replace("{name}", card.bots[1].name)
        .replace("{bot}", &bot(1))
        .replace("{other}", &bot(0))
        .replace("{export}", export)
        .replace("{key}", &key.unwrap_or_default())
}

/// The formats of all games that have any.
fn exports(catalogue: Catalogue) -> String {
    let of = |game: &&dyn table::AnyGame| {
        let formats = game.exports();
        (!formats.is_empty()).then(|| format!("{} of {}", formats.join(" or "), game.card().id))
    };
    catalogue.games().iter().filter_map(of).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Command {
        command(Catalogue::new(games::GAMES))
    }

    #[test]
    fn every_command_has_examples_that_it_understands() {
        let command = all();
        for sub in command.get_subcommands() {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> =
                help.split("Examples:").nth(1).unwrap_or("").lines().map(str::trim).collect();
            let ours: Vec<&&str> =
                examples.iter().filter(|line| line.contains("lanista ")).collect();
            assert!(!ours.is_empty(), "{} has no examples", sub.get_name());
            for example in ours {
                assert!(!example.contains(['{', '}']), "{example}");
                // Longer ones are wrapped, and cannot be pasted any more.
                assert!(example.chars().count() <= 78, "{example}");
                let words = example.split("lanista ").nth(1).expect("it is ours");
                let words = words.split([')', '>']).next().unwrap_or("").split_whitespace();
                let words = std::iter::once("lanista").chain(words);
                if let Err(error) = all().try_get_matches_from(words) {
                    panic!("{example}: {error}");
                }
            }
        }
    }

    #[test]
    fn the_formats_of_exports_are_named() {
        let mut command = all();
        let replay = command.find_subcommand_mut("replay").expect("there is one");
        let help = replay.render_help().to_string();
        for game in games::GAMES {
            for format in game.exports() {
                assert!(help.contains(format), "{format}: {help}");
            }
        }
    }
}
