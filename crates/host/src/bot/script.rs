//! What a command needs beside its program: the script of an interpreter, the interpreter of a
//! script. Known before the first game, so that nobody loses a whole tournament by a typo.
//!
//! Only what is certain to be a script is looked for. An argument that merely looks like a file is
//! not.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::bot::spec::BotError;

/// How an interpreter finds its script among its arguments.
struct Interpreter {
    /// Its names, without a version.
    names: &'static [&'static str],
    /// Options after which there is no script, or one that we do not know: code, a module, another
    /// folder.
    other: &'static str,
    /// Options that take the next word, unless the value is part of the same one.
    valued: &'static str,
    /// Options whose value, if any, is part of the same word.
    attached: &'static str,
    /// What may be added to the name of a script.
    endings: &'static [&'static str],
    /// Whether a name without a `/` is looked up in PATH as well.
    in_path: InPath,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InPath {
    Yes,
    No,
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "pypy"],
        other: "cm",
        valued: "WX",
        attached: "",
        endings: &[],
        in_path: InPath::No,
    },
    Interpreter {
        names: &["node", "nodejs"],
        other: "epi",
        valued: "rC",
        attached: "",
        endings: &[".js", ".cjs", ".mjs", ".json", ".node"],
        in_path: InPath::No,
    },
    Interpreter {
        names: &["sh", "bash", "dash", "ksh", "zsh"],
        other: "cs",
        valued: "oO",
        attached: "",
        endings: &[],
        in_path: InPath::Yes,
    },
    Interpreter {
        names: &["ruby"],
        other: "eSCx",
        valued: "IrE",
        attached: "FKTW",
        endings: &[],
        in_path: InPath::No,
    },
    Interpreter {
        names: &["perl"],
        other: "eESx",
        valued: "I",
        attached: "MmFDiCVl0d",
        endings: &[],
        in_path: InPath::No,
    },
    Interpreter {
        names: &["php"],
        other: "rfRBEFSa",
        valued: "dcz",
        attached: "",
        endings: &[],
        in_path: InPath::No,
    },
    Interpreter {
        names: &["lua", "luajit"],
        other: "ei",
        valued: "l",
        attached: "",
        endings: &[],
        in_path: InPath::No,
    },
];

/// Checks that a command has all it needs. `program` is its first word, which was found as `exe`.
pub(crate) fn check(
    program: &str,
    exe: &Path,
    args: &[String],
    dir: &Path,
    shown: &str,
) -> Result<(), BotError> {
    check_first_line(exe, program, shown)?;
    let name = Path::new(program).file_name().map_or("".into(), |name| name.to_string_lossy());
    let name = without_version(&name);
    let missing = |script: &str| BotError::NoScript {
        shown: shown.to_owned(),
        script: script.to_owned(),
        dir: dir.display().to_string(),
    };
    if name == "java" {
        return match java_file(args) {
            Some(file) if !dir.join(file).exists() => Err(missing(file)),
            Some(_) | None => Ok(()),
        };
    }
    let Some(interpreter) = INTERPRETERS.iter().find(|one| one.names.contains(&name)) else {
        return Ok(());
    };
    match interpreter.script(args) {
        Some(script) if !interpreter.finds(script, dir) => Err(missing(script)),
        Some(_) | None => Ok(()),
    }
}

/// The script that a program runs, if it is an interpreter and it is certain which word that is.
pub(crate) fn of(exe: &Path, args: &[String], dir: &Path) -> Option<PathBuf> {
    let name = exe.file_name()?.to_str()?;
    let script = match without_version(name) {
        "java" => java_file(args)?,
        name => INTERPRETERS.iter().find(|one| one.names.contains(&name))?.script(args)?,
    };
    Some(dir.join(script))
}

/// `python3.12` is a `python`.
fn without_version(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || ".-".contains(letter))
}

impl Interpreter {
    /// The script, if it is certain which word that is.
    fn script<'a>(&self, args: &'a [String]) -> Option<&'a str> {
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "-" => return None,
                "--" => return words.next(),
                _ if word.starts_with("--") && word.contains('=') => {}
                // It may have a value, and then the next word belongs to it.
                _ if word.starts_with("--") || word.starts_with('+') => return None,
                _ if word.starts_with('-') => {
                    for (at, letter) in word.char_indices().skip(1) {
                        if self.other.contains(letter) {
                            return None;
                        }
                        let valued = self.valued.contains(letter);
                        if valued && at + letter.len_utf8() == word.len() {
                            words.next();
                        }
                        if valued || self.attached.contains(letter) {
                            break;
                        }
                    }
                }
                script => return Some(script),
            }
        }
        None
    }

    fn finds(&self, script: &str, dir: &Path) -> bool {
        let with_ending = |ending: &&str| dir.join(format!("{script}{ending}")).exists();
        dir.join(script).exists()
            || self.endings.iter().any(with_ending)
            || (self.in_path == InPath::Yes && !script.contains('/') && in_path(script))
    }
}

/// The archive or source that Java is to run, if it is one; otherwise a class.
fn java_file(args: &[String]) -> Option<&str> {
    const VALUED: [&str; 8] = [
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--add-modules",
        "--add-opens",
        "--add-exports",
    ];
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-jar" => return words.next(),
            "-m" | "--module" => return None,
            _ if VALUED.contains(&word) => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => return Some(word).filter(|word| word.ends_with(".java")),
        }
    }
    None
}

fn in_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Checks that the interpreter is there which the first line of a program asks for.
fn check_first_line(exe: &Path, program: &str, shown: &str) -> Result<(), BotError> {
    let mut start = Vec::new();
    let read = std::fs::File::open(exe).and_then(|file| file.take(256).read_to_end(&mut start));
    let Some(line) = read.ok().and_then(|_| start.strip_prefix(b"#!")) else { return Ok(()) };
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let missing = |wanted: &str| {
        let (wanted, hint) = match wanted.strip_suffix('\r') {
            Some(wanted) => (wanted, "; its lines end as on Windows: `sed -i 's/\\r$//'` helps"),
            None => (wanted, "; install it, or change that line"),
        };
        Err(BotError::NoInterpreter {
            shown: shown.to_owned(),
            exe: program.to_owned(),
            wanted: wanted.to_owned(),
            hint,
        })
    };
    // The kernel separates words by blanks and tabs; a CR is part of one.
    let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
    let Some(interpreter) = words.next().filter(|word| word.starts_with('/')) else {
        return Ok(());
    };
    if !Path::new(interpreter).exists() {
        return missing(interpreter);
    }
    if interpreter.ends_with("/env") {
        let mut words = words.skip_while(|word| *word == "-S");
        let plain = |word: &&str| !word.starts_with('-') && !word.contains('=');
        if let Some(wanted) = words.next().filter(plain)
            && !wanted.contains('/')
            && !in_path(wanted)
        {
            return missing(wanted);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a command in a folder that holds `bot.py`, `bot.js` and `b.jar`.
    fn wrong(folder: &Path, words: &[&str]) -> Option<String> {
        let args: Vec<String> = words[1..].iter().map(|word| (*word).to_owned()).collect();
        let exe = Path::new("/bin/true");
        check(words[0], exe, &args, folder, &words.join(" ")).err().map(|error| error.to_string())
    }

    #[test]
    fn a_script_that_is_not_there_is_noticed_and_nothing_else_is_taken_for_one() {
        let folder = std::env::temp_dir().join(format!("lanista-script-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("package")).expect("a folder can be made");
        for name in ["bot.py", "bot.js", "b.jar"] {
            std::fs::write(folder.join(name), "").expect("a file can be written");
        }
        let missing: &[&[&str]] = &[
            &["python3", "nobot.py"],
            &["/usr/bin/python3.12", "-u", "-W", "ignore", "nobot.py", "bot.py"],
            &["pypy3", "-Xutf8", "sub/nobot.py"],
            &["node", "nobot"],
            &["node", "--max-old-space-size=100", "nobot.js"],
            &["bash", "-eu", "nobot.sh"],
            &["sh", "./nobot.sh"],
            &["ruby", "-W0", "-I", "lib", "nobot.rb"],
            &["perl", "-w", "nobot.pl"],
            &["java", "-Xmx100m", "-jar", "nobot.jar"],
            &["java", "-cp", "x", "nobot.java"],
        ];
        for words in missing {
            let error = wrong(&folder, words).unwrap_or_else(|| panic!("{words:?} is honest"));
            assert!(error.contains("nobot") && error.contains("does not exist"), "{error}");
            assert!(error.contains(&folder.display().to_string()), "{error}");
        }
        let honest: &[&[&str]] = &[
            &["python3", "bot.py", "weights.bin", "--book", "book.txt"],
            &["python3", "-m", "no.such.module"],
            &["python3", "-um", "no.such.module"],
            &["python3", "-c", "import no.such"],
            &["python3", "-uc", "x = 'a.py'"],
            &["python3", "package"],
            &["python3", "-"],
            &["python3"],
            &["node", "bot", "x.js"],
            &["node", "-e", "1.5"],
            &["node", "--unknown", "value.js", "bot.js"],
            &["bash", "-c", "exec ./bot.sh"],
            &["bash", "-euc", "exec ./bot.sh"],
            &["bash", "-o", "pipefail", "env"],
            &["sh", "-s", "x.sh"],
            &["ruby", "-e", "x.rb"],
            &["java", "-jar", "b.jar", "x.jar"],
            &["java", "-cp", "b.jar", "no.such.Main"],
            &["java", "@arguments"],
            &["./mybot", "nobot.py"],
            &["wine", "pbrain.exe"],
        ];
        for words in honest {
            assert_eq!(wrong(&folder, words), None, "{words:?}");
        }
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn the_first_line_of_a_script_must_name_what_is_there() {
        let path = std::env::temp_dir().join(format!("lanista-line-{}", std::process::id()));
        let wrong = |text: &str| {
            std::fs::write(&path, text).expect("a file can be written");
            let error = check("./bot", &path, &[], Path::new("/"), "./bot").err();
            error.map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(wrong("#!/no/such/python\n").contains("/no/such/python, which does not exist"));
        assert!(wrong("#!/usr/bin/env no-such-python\n").contains("no-such-python, which"));
        assert!(wrong("#!/bin/sh\r\n").contains("end as on Windows"));
        assert!(wrong("#!/usr/bin/env sh\r\n").contains("end as on Windows"));
        for honest in
            ["#!/bin/sh\n", "#! /bin/sh -e\n", "#!/usr/bin/env -S sh -e\n", "\x7fELF", "", "#!\n"]
        {
            assert_eq!(wrong(honest), "", "{honest:?}");
        }
        std::fs::remove_file(&path).expect("it is ours");
    }
}
