//! The commands on the pages for users work when they are pasted.
//!
//! In a page,
//! - the `$ ` lines of a `console` block are run, and the lines below one must appear in its output in
//!   that order (`…` stands for anything);
//! - a block below `<!-- file: NAME -->` is saved under that name first;
//! - a `console` block below `<!-- not run: WHY -->` is not run, and `NOT_RUN` lists it.
//!
//! All commands of a page are run in one shell, in a folder of its own that holds `examples` and the
//! files saved so far.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::common::{Folder, LANISTA};

/// Pages that begin with something else than a task and a command that works.
const NOT_FOR_A_TASK: &[&str] = &["README.md", "CONTRIBUTING.md"];

/// Commands that are not run, each with its page.
const NOT_RUN: &[(&str, &str)] = &[
    ("CONTRIBUTING.md", "./test"),
    ("CONTRIBUTING.md", "./test attacks"),
    ("CONTRIBUTING.md", "./test cluster"),
    ("CONTRIBUTING.md", "./test kits"),
    ("CONTRIBUTING.md", "cargo test -p lanista-testkit --test fuzz"),
    (
        "CONTRIBUTING.md",
        "LANISTA_FUZZ_ROUNDS=1000000 cargo test -p lanista-testkit --test fuzz replay",
    ),
    (
        "CONTRIBUTING.md",
        "LANISTA_FUZZ_ROUNDS=4711..4712 cargo test -p lanista-testkit --test fuzz cup",
    ),
    ("CONTRIBUTING.md", "cargo +nightly fuzz run replay"),
    ("README.md", "cargo run --release -- demo"),
    ("README.md", "./test"),
    ("README.md", "lanista play gomoku builtin:hunter builtin:greedy --web"),
    ("README.md", "lanista play gomoku human builtin:greedy"),
    ("docs/getting-started.md", "lanista play gomoku builtin:hunter builtin:greedy --web"),
    ("docs/getting-started.md", "lanista play gomoku human builtin:greedy"),
    ("docs/getting-started.md", "lanista serve"),
    ("docs/page.md", "lanista serve"),
    ("docs/play-yourself.md", "lanista play gomoku human builtin:greedy"),
    ("docs/play-yourself.md", "lanista play jedna ann=human bob=human builtin:counter"),
    ("docs/play-yourself.md", "lanista play ants builtin:forager human --set ants=3"),
    ("docs/play-yourself.md", "lanista play jedna ann=human bob=human builtin:counter --web"),
    ("docs/play-yourself.md", "lanista serve"),
    ("docs/page.md", "lanista play gomoku builtin:greedy builtin:random --web"),
    ("docs/cluster.md", "lanista cluster up"),
    (
        "docs/cluster.md",
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj /CN=lanista -keyout ca.key -out ca.pem",
    ),
    (
        "docs/cluster.md",
        "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=HOST -keyout server.key -out server.csr",
    ),
    ("docs/cluster.md", "echo \"subjectAltName=DNS:HOST\" > names"),
    (
        "docs/cluster.md",
        "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -extfile names -out server.pem",
    ),
    ("docs/cluster.md", "nats-server -c nats.conf"),
    (
        "docs/cluster.md",
        "lanista cluster status tls://HOST:4222 --nkey-file status.nk --tls-ca ca.pem",
    ),
    ("docs/cluster.md", "lanista worker nats://127.0.0.1:4222"),
    ("docs/cluster.md", "lanista run cup.toml --cluster nats://127.0.0.1:4222"),
    (
        "docs/cluster.md",
        "lanista worker tls://HOST:4222 --name w1 --nkey-file w1.nk --tls-ca ca.pem",
    ),
    (
        "docs/cluster.md",
        "lanista run cup.toml --cluster tls://HOST:4222 --nkey-file coordinator.nk --tls-ca ca.pem",
    ),
    (
        "docs/adding-a-game.md",
        "cargo run --example tictactoe -- play tictactoe builtin:careful builtin:random",
    ),
    ("docs/tournaments.md", "lanista ctl runs/cup pause"),
    ("docs/tournaments.md", "lanista ctl runs/cup status"),
    ("docs/tournaments.md", "lanista ctl runs/cup resume"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md, CONTRIBUTING.md and everything in `docs`, by their paths.
fn pages() -> Vec<String> {
    let mut found = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for folder in ["docs", "docs/games"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("the folder is there").flatten()
        {
            let name = entry.file_name().into_string().expect("a plain name");
            if name.ends_with(".md") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    found
}

/// What the line above a block says about it.
enum Mark {
    None,
    File(String),
    NotRun,
}

struct Block {
    language: String,
    mark: Mark,
    lines: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut mark = Mark::None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let note = |word: &str| {
            let inside = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
            inside.strip_prefix(word).map(str::to_owned)
        };
        if let Some(name) = note("file: ") {
            mark = Mark::File(name);
        } else if note("not run: ").is_some() {
            mark = Mark::NotRun;
        } else if let Some(language) = line.trim_start().strip_prefix("```") {
            let body = lines.by_ref().take_while(|line| line.trim() != "```");
            let lines = body.map(str::to_owned).collect();
            let mark = std::mem::replace(&mut mark, Mark::None);
            found.push(Block { language: language.to_owned(), mark, lines });
        } else {
            mark = Mark::None;
        }
    }
    found
}

/// A command, and the lines that must appear in its output.
struct Step {
    command: String,
    expected: Vec<String>,
}

/// A command that saves a file of the page; its text is put aside in `staging` until then.
fn save(name: &str, lines: &[String], staging: &Path) -> Step {
    let aside = staging.join(name.replace('/', "-"));
    std::fs::write(&aside, lines.join("\n") + "\n").expect("the folder can be written to");
    let command = format!("mkdir -p \"$(dirname '{name}')\" && cp '{}' '{name}'", aside.display());
    Step { command, expected: Vec::new() }
}

fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in &block.lines {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), expected: Vec::new() });
            }
            (None, Some(step)) if step.command.ends_with('\\') => {
                step.command.truncate(step.command.len() - 1);
                step.command.push_str(line.trim_start());
            }
            (None, Some(step)) => step.expected.push(line.clone()),
            (None, None) => panic!("a console block begins with \"$ \", not with {line:?}"),
        }
    }
    steps
}

/// Whether a line is what a page says, in which `…` stands for anything.
fn matches(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    if !pattern.contains('…') {
        return rest.is_empty();
    }
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    pattern.ends_with('…') || rest.is_empty()
}

/// The first expected line that does not appear, looking from the top on.
fn missing<'a>(output: &str, expected: &'a [String]) -> Option<&'a String> {
    let mut lines = output.lines().map(str::trim_end);
    expected.iter().find(|pattern| {
        pattern.trim() != "…" && !lines.any(|line| matches(line, pattern.trim_end()))
    })
}

/// What a shell does with these commands: output (errors among it) and exit code of each.
fn run_in_one_shell(folder: &Path, steps: &[Step]) -> Vec<(String, i32)> {
    const MARK: &str = "\u{1}exit code ";
    let mut script = String::from("exec 2>&1\n");
    for step in steps {
        script.push_str(&format!("{}\nprintf '\\n{MARK}%d\\n' $?\n", step.command));
    }
    let programs = Path::new(LANISTA).parent().expect("the program is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env("NO_COLOR", "1")
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .output()
        .expect("bash can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut results = Vec::new();
    let mut rest = &*text;
    while let Some(at) = rest.find(MARK) {
        let after = &rest[at + MARK.len()..];
        let code = after.lines().next().unwrap_or("").parse().expect("the shell prints a number");
        results.push((rest[..at].to_owned(), code));
        rest = after.split_once('\n').map_or("", |(_, rest)| rest);
    }
    results
}

/// Saves the files of a page, runs its commands and says what went wrong.
fn try_page(page: &str, text: &str) -> Vec<String> {
    let folder = Folder::new(&page.replace(['/', '.'], "-"));
    let copied = Command::new("cp")
        .arg("-r")
        .arg(root().join("examples"))
        .arg(folder.path())
        .status()
        .expect("cp can be started");
    assert!(copied.success());
    let staging = Folder::new(&format!("{}-files", page.replace(['/', '.'], "-")));
    let mut all = Vec::new();
    for block in blocks(text) {
        match &block.mark {
            Mark::File(name) => all.push(save(name, &block.lines, staging.path())),
            Mark::None if block.language == "console" => all.extend(steps(&block)),
            Mark::None | Mark::NotRun => {}
        }
    }
    let results = run_in_one_shell(folder.path(), &all);
    let mut wrong = Vec::new();
    for (place, step) in all.iter().enumerate() {
        let Some((output, code)) = results.get(place) else {
            wrong.push(format!("{page}: the shell ended before: {}", step.command));
            break;
        };
        if *code != 0 {
            wrong.push(format!("{page}: exit code {code} of: {}\n{output}", step.command));
        } else if let Some(line) = missing(output, &step.expected) {
            wrong.push(format!("{page}: no {line:?} in the output of: {}\n{output}", step.command));
        }
    }
    wrong
}

/// A command without the remark behind it.
fn command(step: &Step) -> String {
    step.command.split("  #").next().unwrap_or("").trim().to_owned()
}

fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).expect("the page can be read")
}

#[test]
fn every_command_on_every_page_works() {
    let pages = pages();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut wrong = Vec::new();
            while let Some(page) =
                pages.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
            {
                wrong.extend(try_page(page, &read(page)));
            }
            wrong
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no page panics")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_page_begins_with_a_command_and_says_which_are_not_run() {
    let mut not_run = Vec::new();
    for page in pages() {
        let blocks = blocks(&read(&page));
        for block in &blocks {
            let shell = ["sh", "bash", "shell", ""].contains(&&*block.language);
            assert!(!shell, "{page}: a block of commands is a console block: {:?}", block.lines);
            if let Mark::NotRun = block.mark {
                not_run.extend(steps(block).iter().map(|step| (page.clone(), command(step))));
            }
        }
        if !NOT_FOR_A_TASK.contains(&&*page) {
            let first = blocks.iter().find(|block| !matches!(block.mark, Mark::File(_)));
            let first = first.unwrap_or_else(|| panic!("{page} has no command"));
            let runs = first.language == "console" && matches!(first.mark, Mark::None);
            assert!(runs, "{page} does not begin with a command that is run: {:?}", first.lines);
        }
    }
    let listed = NOT_RUN.iter().map(|(page, command)| ((*page).to_owned(), (*command).to_owned()));
    let listed: BTreeSet<(String, String)> = listed.collect();
    let not_run: BTreeSet<(String, String)> = not_run.into_iter().collect();
    assert_eq!(not_run, listed, "the commands that are not run are others than NOT_RUN lists");
}

#[test]
fn a_page_is_found_wrong_if_its_command_or_its_output_is() {
    let wrong = |text: &str| try_page("docs/none.md", text).len();
    assert_eq!(wrong("```console\n$ echo one two\none …\n```\n"), 0);
    assert_eq!(wrong("```console\n$ echo one two\nthree\n```\n"), 1);
    assert_eq!(wrong("```console\n$ printf 'a\\nb\\n'\nb\na\n```\n"), 1, "the order counts");
    assert_eq!(wrong("```console\n$ false\n```\n"), 1);
    assert_eq!(wrong("```console\n$ exit 0\n$ true\n```\n"), 1, "the last was not run");
    let file =
        "<!-- file: a/b.txt -->\n```text\nhello\n```\n\n```console\n$ cat a/b.txt\nhello\n```\n";
    assert_eq!(wrong(file), 0);
    assert_eq!(wrong("<!-- not run: it fails -->\n```console\n$ false\n```\n"), 0);
}

/// The name by which a heading is linked to: small letters, digits and hyphens.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

#[test]
fn every_link_between_pages_leads_to_a_heading_that_exists() {
    let mut pages = pages();
    pages.extend(["ARCHITECTURE.md", "CHANGELOG.md"].map(str::to_owned));
    for page in &pages {
        let folder = root().join(page).parent().expect("it is in a folder").to_owned();
        let text = read(page);
        // Blocks of code hold no links.
        let prose: String = text.split("```").step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => root().join(page),
                path => folder.join(path),
            };
            assert!(target.exists(), "{page} links to {link}, and there is no such file");
            if !heading.is_empty() {
                let text = std::fs::read_to_string(&target).expect("the page can be read");
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let found = headings
                    .map(|line| anchor(line.trim_start_matches('#')))
                    .any(|name| name == heading);
                assert!(found, "{page} links to {link}, and there is no such heading");
            }
        }
    }
}
