//! A command line as somebody types it: its words, the program it names, the name of the bot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::bot::script;
use crate::bot::spec::{BotError, BotSpec, Program};

/// Splits `new=./a.out` into its parts. A path or an environment assignment is not a name.
pub(crate) fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, rest))
            if !name.is_empty()
                && !rest.is_empty()
                && !name
                    .contains(|c: char| c == '/' || c == ':' || c == '"' || c.is_whitespace()) =>
        {
            (Some(name), rest)
        }
        _ => (None, text),
    }
}

pub(crate) fn from_command(text: &str, base: &Path) -> Result<BotSpec, BotError> {
    let words = split(text).map_err(|why| BotError::Command(text.to_owned(), why))?;
    let Some((exe, args)) = words.split_first() else {
        return Err(BotError::Command(text.to_owned(), "it is empty"));
    };
    let dir = std::path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let found = find(exe, &dir, text)?;
    script::check(exe, &found, args, &dir, text)?;
    let program = Program::Command {
        exe: found,
        args: args.to_vec(),
        dir,
        env: BTreeMap::new(),
        shown: text.to_owned(),
    };
    Ok(BotSpec::new(short_name(&words), program))
}

/// A name for a command: the script of an interpreter, otherwise the program.
fn short_name(words: &[String]) -> String {
    let stem =
        |word: &str| Path::new(word).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let script = words.iter().skip(1).find(|word| {
        !word.starts_with('-') && Path::new(word).extension().is_some() && !word.contains(' ')
    });
    script.or(words.first()).and_then(|word| stem(word)).unwrap_or_else(|| words.join(" "))
}

/// The executable that a command names: a path from `dir`, or a name looked up in PATH.
pub(crate) fn find(exe: &str, dir: &Path, shown: &str) -> Result<PathBuf, BotError> {
    use std::os::unix::fs::PermissionsExt as _;
    let executable = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let missing =
        |hint: String| BotError::Missing { shown: shown.to_owned(), exe: exe.to_owned(), hint };
    if exe.contains('/') {
        let path = dir.join(exe);
        if executable(&path) {
            return Ok(path);
        }
        if path.is_dir() {
            return Err(missing(" as a program: it is a folder without a bot.toml".to_owned()));
        }
        if path.exists() {
            return Err(BotError::NotExecutable { shown: shown.to_owned(), exe: exe.to_owned() });
        }
        return Err(missing(String::new()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|at| at.join(exe)).find(|at| executable(at));
    found.ok_or_else(|| {
        let here = dir.join(exe);
        missing(match here.exists() {
            true => format!(" in PATH; did you mean ./{exe}?"),
            false => " in PATH".to_owned(),
        })
    })
}

/// Splits a command line as a shell would: blanks, quotation marks and backslashes.
pub fn split(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some('\'') => break,
                        Some(inside) => word.push(inside),
                        None => return Err("a ' is not closed"),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some('"') => break,
                        Some('\\') => match letters.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                            None => return Err("a \" is not closed"),
                        },
                        Some(inside) => word.push(inside),
                        None => return Err("a \" is not closed"),
                    }
                }
            }
            '\\' => match letters.next() {
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err("it ends with a backslash"),
            },
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_as_a_shell_would() {
        let words = |text| split(text).expect("it is well formed");
        assert_eq!(words("java -jar  b.jar"), ["java", "-jar", "b.jar"]);
        assert_eq!(
            words(r#"sh -c 'a "b" c' d\ e "f\"g""#),
            ["sh", "-c", "a \"b\" c", "d e", "f\"g"]
        );
        assert_eq!(words("''"), [""]);
        assert!(split("a 'b").is_err());
    }

    #[test]
    fn names_come_from_the_script_or_the_program() {
        let name = |text| short_name(&split(text).expect("it is well formed"));
        assert_eq!(name("./mybot"), "mybot");
        assert_eq!(name("python3 -u bots/hunter.py --fast"), "hunter");
        assert_eq!(name("java -jar b.jar"), "b");
    }

    #[test]
    fn a_bot_may_be_renamed_but_a_path_is_no_name() {
        let here = Path::new(".");
        assert_eq!(BotSpec::parse("new=sh -c true", here).unwrap().name, "new");
        assert_eq!(BotSpec::parse("x=builtin:random", here).unwrap().name, "x");
        assert_eq!(split_name("./a=b"), (None, "./a=b"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = BotSpec::parse("./no-such-bot --x", Path::new(".")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot start \"./no-such-bot --x\": ./no-such-bot does not exist"
        );
        let error = BotSpec::parse("Cargo.toml x", Path::new(".")).unwrap_err();
        assert!(error.to_string().contains("did you mean ./Cargo.toml?"), "{error}");
        let error = BotSpec::parse("src", Path::new(".")).unwrap_err();
        let folder = "no bot.toml in \"src\": a folder is a bot only if it holds one";
        assert_eq!(error.to_string(), folder);
    }
}
