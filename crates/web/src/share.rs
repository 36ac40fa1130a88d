//! A page with its data in one file, for those who have neither a server nor the replay.
//!
//! The file works from a disk and from any web server: modules are `data:` addresses in an import map, data are gzipped
//! base64 in elements called after the addresses that a server would have, and its policy forbids every request.
//! It must hold no more than the eyes it is made for may see.

mod tournament;

use std::io::{self, Write as _};

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use game::PlayerId;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use table::talk::Talk;
use table::{AnyReplay, Knowledge};

use crate::page_files::FILES;

pub use tournament::{ShareError, SharedTournament, WatchedGames, tournament};

/// No more than so much of what was said goes into a file, in bytes before it is packed.
const MOST_TALK: usize = 8 << 20;
/// Films through the eyes of the players are left out beyond this, in bytes as they are in the file.
const MOST_EYES: usize = 4 << 20;
/// Which game it is, in addresses of the page.
const GAME: &str = "f/game";

/// A page with a game in it.
pub struct SharedGame {
    /// The file.
    pub html: String,
    /// What is not in it, in words.
    pub left_out: Vec<String>,
}

/// Puts one game into a page: with its film, what was said, and in a game that hides something the films through
/// every player's eyes. With `eyes` there is nothing in it but what this player may know.
pub fn game(replay: &dyn AnyReplay, eyes: Option<PlayerId>) -> io::Result<SharedGame> {
    let mut left_out = Vec::new();
    let mut parts = vec![
        PageData::new(format!("{GAME}/film"), &film(replay, eyes))?,
        PageData::new(format!("{GAME}/talk"), &talk(replay, eyes, &mut left_out)?)?,
        PageData::new(
            format!("{GAME}/about"),
            json!({ "verified": verified(replay) }).to_string().as_bytes(),
        )?,
    ];
    if eyes.is_none() && replay.knowledge() == Knowledge::Hidden {
        let mut size = 0;
        for seat in 0..replay.header().players.len() as u16 {
            let player = Some(PlayerId(seat));
            let seen = [
                PageData::new(format!("{GAME}/film?eyes={seat}"), &film(replay, player))?,
                PageData::new(
                    format!("{GAME}/talk?eyes={seat}"),
                    &talk(replay, player, &mut Vec::new())?,
                )?,
            ];
            size += seen.iter().map(|part| part.data.len()).sum::<usize>();
            if size > MOST_EYES {
                left_out
                    .push("the game through the eyes of some players: it is too large".to_owned());
                break;
            }
            parts.extend(seen);
        }
    }
    Ok(SharedGame { html: page(&parts), left_out })
}

/// The film, without the command lines of the programs: they tell about the machine on which they were typed.
fn film(replay: &dyn AnyReplay, eyes: Option<PlayerId>) -> Vec<u8> {
    let mut text = Vec::new();
    for (number, line) in replay.film(eyes).enumerate() {
        let line = if number == 0 { without_programs(&line).unwrap_or(line) } else { line };
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    }
    text
}

/// The head of a film; built-in bots are the same everywhere and keep their names.
fn without_programs(head: &str) -> Option<String> {
    let mut head: serde_json::Value = serde_json::from_str(head).ok()?;
    for player in head["players"].as_array_mut()? {
        let built_in = player["program"].as_str().is_some_and(|name| name.starts_with("builtin:"));
        if let Some(player) = player.as_object_mut()
            && !built_in
        {
            player.remove("program");
        }
    }
    Some(head.to_string())
}

/// What was said, from the beginning, as much as there is room for.
fn talk(
    replay: &dyn AnyReplay,
    eyes: Option<PlayerId>,
    left_out: &mut Vec<String>,
) -> io::Result<Vec<u8>> {
    let last = replay.len();
    let mut all: Option<Talk> = None;
    let mut size = 0;
    let mut from = 0;
    while from <= last {
        let page = replay.talk(from..=last, eyes);
        size += serde_json::to_vec(&page.steps)?.len();
        let more = page.more;
        from = page.last + 1;
        let so_far = all.get_or_insert_with(|| Talk { steps: Vec::new(), more: false, last: 0 });
        so_far.steps.extend(page.steps);
        so_far.last = page.last;
        if !more {
            break;
        }
        if size > MOST_TALK {
            so_far.more = true;
            left_out.push(format!("what was said after step {}: it is too long", page.last));
            break;
        }
    }
    Ok(serde_json::to_vec(&all)?)
}

fn verified(replay: &dyn AnyReplay) -> serde_json::Value {
    match replay.verify() {
        Ok(()) => json!({ "state": "yes" }),
        Err(mismatch) => json!({ "state": "no", "why": mismatch.to_string() }),
    }
}

/// Data that the page finds under a name.
struct PageData {
    key: String,
    /// Packed, as text.
    data: String,
}

impl PageData {
    fn new(key: String, bytes: &[u8]) -> io::Result<PageData> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(bytes)?;
        Ok(PageData { key, data: BASE64.encode(&packed.finish()?) })
    }
}

/// The page, its modules and styles, and the data in one file.
fn page(parts: &[PageData]) -> String {
    let index = text("index.html");
    let modules: Vec<(&str, String)> = FILES
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("js/")?.strip_suffix(".js"))
        .map(|name| (name, bare(&text(&format!("js/{name}.js")))))
        .collect();
    let imports: serde_json::Map<String, serde_json::Value> = modules
        .iter()
        .filter(|(name, _)| *name != ENTRY)
        .map(|(name, text)| {
            let address = format!("data:text/javascript;base64,{}", BASE64.encode(text.as_bytes()));
            (format!("lanista/{name}"), address.into())
        })
        .collect();
    let map = json!({ "imports": imports }).to_string();
    let entry = modules.iter().find(|(name, _)| *name == ENTRY).map_or("", |(_, text)| text);
    let mut styles = String::new();
    let mut head = String::new();
    for line in index.lines() {
        let style = line
            .strip_prefix("<link rel=\"stylesheet\" href=\"/page/")
            .and_then(|rest| rest.strip_suffix("\">"));
        match style {
            Some(name) => styles.push_str(&text(name)),
            None if line.contains("<script type=\"module\"") => {}
            None => {
                head.push_str(line);
                head.push('\n');
            }
        }
    }
    let policy = format!(
        "default-src 'none'; script-src {} {} data:; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&map),
        hash(entry),
        hash(&styles)
    );
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style>{styles}</style>\n\
         <script type=\"importmap\">{map}</script>\n</head>"
    );
    let mut body = String::new();
    for part in parts {
        // Keys are made here, from numbers and plain letters.
        body.push_str(&format!(
            "<script type=\"application/octet-stream\" id=\"data:{}\">{}</script>\n",
            part.key, part.data
        ));
    }
    body.push_str(&format!("<script type=\"module\">{entry}</script>\n</body>"));
    head.replacen("</head>", &policy, 1).replacen("</body>", &body, 1)
}

/// The module that starts the page.
const ENTRY: &str = "app";

fn text(name: &str) -> String {
    let place = FILES.binary_search_by_key(&name, |(name, _)| name);
    let bytes = place.map(|place| FILES[place].1).expect("the page has this file");
    String::from_utf8(bytes.to_vec()).expect("files of the page are text")
}

/// A module that imports others by their names in the import map.
fn bare(module: &str) -> String {
    let mut out = String::with_capacity(module.len());
    let mut rest = module;
    while let Some((before, after)) = rest.split_once("from './") {
        out.push_str(before);
        match after.split_once(".js'") {
            Some((name, after)) if !name.contains(['\'', '\n']) => {
                out.push_str(&format!("from 'lanista/{name}'"));
                rest = after;
            }
            Some(_) | None => {
                out.push_str("from './");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// What a policy calls a script or a style by.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_of_the_page_ends_the_element_it_is_put_into() {
        for (name, bytes) in FILES {
            let text = String::from_utf8_lossy(bytes).to_lowercase();
            assert!(!text.contains("</script") || name.ends_with(".html"), "{name}");
            assert!(!text.contains("</style"), "{name}");
        }
    }

    #[test]
    fn all_modules_are_in_the_map_and_none_is_asked_for_by_its_file() {
        let html = page(&[PageData::new("f/game/film".to_owned(), b"{}").expect("memory")]);
        let map =
            html.split_once("importmap\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let map: serde_json::Value =
            serde_json::from_str(map.expect("there is one").0).expect("JSON");
        let imports = map["imports"].as_object().expect("names and addresses");
        let of_page = FILES.iter().filter(|(name, _)| name.starts_with("js/")).count();
        assert_eq!(imports.len() + 1, of_page);
        let mut entry = text("js/app.js");
        for (name, address) in imports {
            let packed = address.as_str().and_then(|address| address.split_once("base64,"));
            let module = BASE64.decode(packed.expect("data").1.as_bytes()).expect("base64");
            entry.push_str(&String::from_utf8(module).expect("text"));
            assert!(name.starts_with("lanista/"));
        }
        let entry = bare(&entry);
        assert!(!entry.contains("from './") && !entry.contains("\nimport './"));
        // Comments name types of other modules, too; nobody loads those.
        for line in entry.lines().filter(|line| line.starts_with("import ")) {
            let named =
                line.split_once("from 'lanista/").and_then(|(_, name)| name.split_once('\''));
            let (name, _) = named.unwrap_or_else(|| panic!("{line}"));
            assert!(imports.contains_key(&format!("lanista/{name}")), "{name}");
        }
        assert!(!html.contains("src=\"/") && !html.contains("href=\"/"));
        assert!(html.contains("id=\"data:f/game/film\""));
    }
}
