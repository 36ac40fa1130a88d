//! The shape of the project: who may know whom, and where games may be named.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What each crate may depend on, among our own.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("game", &[]),
    ("table", &["game"]),
    ("testkit", &["game", "table"]),
    ("games", &["game", "table"]),
    ("host", &["game", "table"]),
    ("stats", &[]),
    ("league", &["game", "table", "host", "stats"]),
    ("bench", &["game", "table", "host", "league"]),
    ("check", &["game", "table", "host", "league"]),
    ("web", &["game", "table", "host", "stats", "league"]),
    ("cluster", &["game", "table", "host", "league"]),
    (
        "lanista",
        &["game", "table", "games", "host", "stats", "league", "bench", "check", "web", "cluster"],
    ),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates have a folder").to_owned()
}

/// The crates of ours that a manifest names under `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap_or("");
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours: Vec<&str> = MAY_KNOW.iter().map(|(name, _)| *name).collect();
    names.filter(|name| ours.contains(name)).map(str::to_owned).collect()
}

#[test]
fn knowledge_flows_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_KNOW.iter().copied().collect();
    for entry in std::fs::read_dir(crates()).expect("the crates are there").flatten() {
        let name = entry.file_name().into_string().expect("a plain name");
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml")).expect("a crate");
        let allowed = allowed.get(&*name).unwrap_or_else(|| panic!("{name} is not in the list"));
        for known in dependencies(&manifest) {
            assert!(allowed.contains(&&*known), "{name} must not know {known}");
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_crate_but_games_contains_a_games_name() {
    let names: Vec<&str> = games::GAMES.iter().map(|game| game.card().id).collect();
    for (name, _) in MAY_KNOW.iter().filter(|(name, _)| *name != "games") {
        let mut files = Vec::new();
        sources(&crates().join(name).join("src"), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("it can be read").to_lowercase();
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            for word in words {
                assert!(!names.contains(&word), "{} speaks of {word}", file.display());
            }
        }
    }
}

#[test]
fn a_game_is_named_only_in_its_own_folder_and_in_the_list() {
    let games_src = crates().join("games/src");
    let mut files = Vec::new();
    sources(&games_src, &mut files);
    for game in games::GAMES {
        let name = game.card().id;
        for file in &files {
            let inside = file.strip_prefix(&games_src).expect("it is inside");
            let own = inside.starts_with(name) || inside == Path::new("lib.rs");
            let text = std::fs::read_to_string(file).expect("it can be read").to_lowercase();
            let named =
                text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == name);
            assert!(own || !named, "{} speaks of {name}", file.display());
        }
    }
}

#[test]
fn commands_get_the_list_of_games_as_a_value() {
    let src = crates().join("lanista/src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let text = std::fs::read_to_string(file).expect("it can be read");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let named = code.contains("games::GAMES");
        let program = *file == src.join("main.rs") || file.starts_with(src.join("bin"));
        assert_eq!(named, program, "{}", file.display());
    }
}

/// The words in backticks that look like a path of the project.
fn paths_named(text: &str) -> Vec<&str> {
    let ends = [".rs", ".md", ".toml", ".txt", ".py", ".jsonl", ".svg", "/"];
    let words = text.split('`').skip(1).step_by(2);
    words
        .filter(|word| ends.iter().any(|end| word.ends_with(end)) || word.starts_with("crates/"))
        .filter(|word| !word.contains([' ', '*', '<', ':']))
        .collect()
}

#[test]
fn every_file_that_the_guides_name_exists() {
    let root = crates().parent().expect("the crates have a folder").to_owned();
    for guide in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/adding-a-game.md"] {
        let text = std::fs::read_to_string(root.join(guide)).expect("the guide is there");
        // Blocks of code have backticks of their own.
        let prose: String = text.split("```").step_by(2).collect();
        let named = paths_named(&prose);
        assert!(guide != "ARCHITECTURE.md" || named.len() > 40, "{guide} names {}", named.len());
        for path in named {
            // A guide to a new game names files that the reader will make.
            let of_a_new_game =
                guide != "ARCHITECTURE.md" && (!path.contains('/') || path.contains("yourgame"));
            // A path begins at the root, or with a crate, whose `src` is left out.
            let (first, rest) = path.split_once('/').unwrap_or((path, ""));
            let places = [root.join(path), crates().join(first).join("src").join(rest)];
            assert!(
                of_a_new_game || places.iter().any(|place| place.exists()),
                "{guide} names {path}, which does not exist"
            );
        }
    }
}

/// Two runs in one process share nothing but what a process has once. `process_wide.rs` says what that is.
#[test]
fn what_the_host_keeps_by_process_is_in_one_place() {
    const ELSEWHERE: &[&str] = &[
        // Signals, and what they wake; facts about the kernel.
        "os/sys.rs",
        "panics.rs",
        // The threads that serve all runs.
        "process/memory_pressure.rs",
        // What was found out once about the machine and the user.
        "cage/cgroup.rs",
        "cage/places.rs",
        "cage/tier.rs",
        "cage/view.rs",
    ];
    let src = crates().join("host/src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut found = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let name = file.strip_prefix(&src).expect("it is inside");
        let is_static = |line: &str| {
            let line = line.trim_start().trim_start_matches("pub(crate) ");
            line.starts_with("static ") || line.starts_with("thread_local!")
        };
        if !text.lines().any(is_static) {
            continue;
        }
        found += 1;
        let allowed = ELSEWHERE.iter().any(|other| name == Path::new(other));
        let here = name == Path::new("process_wide.rs");
        assert!(allowed || here, "{} keeps something by process", name.display());
    }
    assert_eq!(found, ELSEWHERE.len() + 1, "the list names files that keep nothing");
}

/// The name of the type that a line at the margin defines.
fn type_defined(line: &str) -> Option<&str> {
    let words = line.split([' ', '<', '(', '{', ';', ':', '=']).filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| ["pub", "crate)", "super)", "unsafe"].contains(word));
    let is_type = ["struct", "enum", "union", "trait", "type"].contains(&words.next()?);
    words.next().filter(|_| is_type && !line.starts_with(' '))
}

/// A game may have a view, an event or a card of its own: its folder is a world of its own.
#[test]
fn a_type_name_means_one_thing() {
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (name, _) in MAY_KNOW {
        let src = crates().join(name).join("src");
        let mut files = Vec::new();
        sources(&src, &mut files);
        let of_a_game = |file: &PathBuf| {
            let inside = file.strip_prefix(&src).expect("it is inside");
            *name == "games" && inside.components().count() > 1
        };
        for file in files.into_iter().filter(|file| !of_a_game(file)) {
            let text = std::fs::read_to_string(&file).expect("it can be read");
            for defined in text.lines().filter_map(type_defined) {
                if let Some(other) = known.insert(defined.to_owned(), file.clone()) {
                    panic!("{defined} is in {} and in {}", other.display(), file.display());
                }
            }
        }
    }
    assert!(known.len() > 500, "only {} types were found", known.len());
}

/// The parameters of every function in a file, as they are written.
fn parameters(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("fn ").skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once(['(', '<'])?;
        let open = rest.find('(')?;
        let mut depth = 0;
        let close = rest[open..].find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        })?;
        Some((name, &rest[open + 1..open + close]))
    })
}

#[test]
fn no_function_has_a_boolean_parameter() {
    let mut seen = 0;
    for (name, _) in MAY_KNOW {
        let mut files = Vec::new();
        sources(&crates().join(name).join("src"), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("it can be read");
            // A trait of a library asks for this one.
            for (function, list) in parameters(&text).filter(|(name, _)| *name != "visit_bool") {
                seen += 1;
                let is_bool = |one: &str| one.trim().ends_with(": bool");
                let found = list.split(',').find(|one| is_bool(one));
                assert_eq!(found, None, "of {function} in {}", file.display());
            }
        }
    }
    assert!(seen > 3000, "only {seen} functions were found");
}
