//! The pages in `docs/games` hold what the program really says: conversations out of transcripts,
//! and every word of the protocols.
//!
//! A conversation is a block of text under a line such as `<!-- conversation simple-game.txt 0
//! -->`: what seat 0 of that transcript hears and says. `LANISTA_WRITE_PAGES=1 cargo test -p
//! lanista-games pages` writes all of them anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::GAMES;

/// The line before a conversation: the transcript and the seat.
const MARK: &str = "<!-- conversation ";
const OPEN: &str = "```text";
const CLOSE: &str = "```";

fn crate_path(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

fn read(path: &Path) -> String {
    let read = std::fs::read_to_string(path);
    read.unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn page_path(game: &str) -> PathBuf {
    crate_path("../../docs/games").join(format!("{game}.md"))
}

/// What one seat of a transcript hears (`>`) and says (`<`), and what happens to it (`#`).
fn conversation(transcript: &str, seat: &str) -> String {
    let mut text = String::new();
    let mut waited = 0_u64;
    for line in transcript.lines() {
        let line = line.split("  #").next().unwrap_or("").trim_end();
        if let Some(ms) = line.strip_prefix('@').and_then(|time| time.strip_suffix("ms")) {
            waited += ms.parse::<u64>().expect("a time is a number");
            continue;
        }
        let Some(rest) = line.strip_prefix(seat) else { continue };
        let said = match rest.split_at_checked(1) {
            Some((">", said)) => format!(">{said}"),
            Some(("<", said)) => format!("<{}", said.trim_start_matches('<')),
            Some(("!", why)) => format!("#{why}"),
            _ if rest == " left" => "# the input is closed, and it leaves".to_owned(),
            _ if rest == " killed" => "# it is killed".to_owned(),
            _ => continue,
        };
        if waited > 0 && said.starts_with('>') {
            text.push_str(&format!("# {waited} ms pass\n"));
        }
        waited = 0;
        text.push_str(said.trim_end());
        text.push('\n');
    }
    text
}

/// The page with every conversation as its transcript has it, and how many there are.
fn rewritten(page: &str, game: &str) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(mark) = line.strip_prefix(MARK) else { continue };
        let mut words = mark.split_whitespace();
        let (file, seat) = (words.next().expect("a file"), words.next().expect("a seat"));
        assert_eq!(lines.next(), Some(OPEN), "{game}: a block of text comes after {line}");
        assert!(lines.any(|line| line == CLOSE), "{game}: the block after {line} has an end");
        let transcript = read(&crate_path("transcripts").join(game).join(file));
        let talk = conversation(&transcript, seat);
        assert!(!talk.is_empty(), "{game}: seat {seat} of {file} says nothing");
        text.push_str(&format!("{OPEN}\n{talk}{CLOSE}\n"));
        count += 1;
    }
    (text, count)
}

#[test]
fn pages_hold_whole_conversations_as_they_really_are() {
    for game in GAMES {
        let id = game.card().id;
        let path = page_path(id);
        let page = read(&path);
        let (right, count) = rewritten(&page, id);
        assert!(count > 0, "{} has no conversation", path.display());
        if std::env::var_os("LANISTA_WRITE_PAGES").is_some() {
            std::fs::write(&path, &right).expect("the page can be written");
        } else {
            assert!(
                page == right,
                "the conversations in {} are out of date; \
                 LANISTA_WRITE_PAGES=1 cargo test -p lanista-games pages writes them anew",
                path.display()
            );
        }
    }
}

/// Letters, underscores and question marks that belong together. What has a digit in it is a name.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let part = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '?';
    let word = |word: &&str| word.len() > 1 && !word.contains(|c: char| c.is_ascii_digit());
    text.split(part).filter(word).map(str::to_owned)
}

/// The texts in quotation marks of a line of Rust, without what is filled in.
fn literals(line: &str) -> Vec<String> {
    let line = line.replace("\\\"", " ").replace("\\r", " ").replace("\\n", " ");
    let inside = line.split('"').skip(1).step_by(2);
    inside.map(|text| text.split(['{', '}']).step_by(2).collect::<Vec<_>>().join(" ")).collect()
}

/// The words of a protocol as its `wire.rs` spells them: what is matched, and what is written.
fn spelled(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or("");
    let mut found = BTreeSet::new();
    for line in code.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        let written = ["write!(f", "write_str(", "bytes.extend", "list(f"];
        let text = match line.split_once("=>") {
            _ if written.iter().any(|call| line.contains(call)) => line,
            Some((matched, _)) => matched,
            None => continue,
        };
        // What a parser expects is said to people.
        let protocol = literals(text).into_iter().filter(|text| !text.starts_with("an "));
        found.extend(protocol.flat_map(|text| words(&text).collect::<Vec<_>>()));
    }
    found
}

/// The words that hosts say in transcripts, free text aside.
fn heard(transcript: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in transcript.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let Some((_, said)) = line.split_once("> ") else { continue };
        // Of options only the word is ours; a text in JSON ends with the next quotation mark.
        let said = said.split("setoption name").next().unwrap_or("").replace("\\\"", "");
        let mut parts = said.split("\"message\":\"");
        let first = parts.next().unwrap_or("").to_owned();
        let rest = parts.filter_map(|part| part.split_once("\"}")).map(|(_, rest)| rest);
        found.extend(words(&rest.fold(first, |text, part| text + part)));
    }
    found
}

#[test]
fn pages_have_every_word_of_their_protocol() {
    let mut asked = 0;
    for game in GAMES {
        let id = game.card().id;
        let page: BTreeSet<String> = words(&read(&page_path(id))).collect();
        let folder = crate_path("src").join(id);
        let mut wanted = BTreeSet::new();
        let rust_files = |folder: &Path| -> Vec<PathBuf> {
            let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let files = files.map(|entry| entry.path());
            files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
        };
        let wire = folder.join("wire.rs");
        let sources = if wire.exists() { vec![wire] } else { rust_files(&folder.join("wire")) };
        assert!(!sources.is_empty(), "{id} spells its words in wire.rs");
        sources.iter().for_each(|path| wanted.extend(spelled(&read(path))));
        let transcripts = std::fs::read_dir(crate_path("transcripts").join(id));
        for entry in transcripts.expect("there are transcripts").flatten() {
            wanted.extend(heard(&read(&entry.path())));
        }
        asked += wanted.len();
        // Codes of cards are many, and said by a rule; those of two or three letters are not asked
        // for.
        let missing: Vec<&String> =
            wanted.difference(&page).filter(|word| word.len() > 3).collect();
        assert!(missing.is_empty(), "docs/games/{id}.md does not say {missing:?}");
    }
    // One protocol is made of numbers; all together have many words.
    assert!(asked > 100, "only {asked} words were found");
}
