//! Lists the files of the kits, so that they can be put into the program.
//!
//! A kit is the folder `kits/GAME/LANGUAGE`. Symbolic links in it lead to what several kits share.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Folders beside those of the games that are no part of any kit.
const NOT_IN_KITS: [&str; 2] = ["lib", "conversations"];

fn main() {
    let own = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let kits = Path::new(&own).join("../../kits").canonicalize().expect("the kits are there");
    // Nothing here holds the path of this folder, so that a moved one is built from its own files.
    writeln!(std::io::stdout(), "cargo::rerun-if-changed=../../kits").expect("cargo reads it");
    let mut files = Vec::new();
    for entry in fs::read_dir(&kits).expect("the kits are there") {
        let path = entry.expect("it can be read").path();
        match path.is_dir() {
            true if NOT_IN_KITS.iter().any(|name| path.ends_with(name)) => {}
            true => collect(&path, &mut files),
            false if path.ends_with("kits.toml") => files.push(path),
            false => {}
        }
    }
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in &files {
        let name = file.strip_prefix(&kits).expect("it is below the folder");
        let name = name.to_str().expect("files of kits have plain names");
        let mode = fs::metadata(file).expect("it can be looked at").permissions().mode();
        let executable = mode & 0o100 != 0;
        writeln!(
            list,
            "    KitFile {{ path: {name:?}, bytes: include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \
             \"/../../kits/{name}\")), executable: {executable} }},"
        )
        .expect("memory");
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("kit_files.rs"), list).expect("it can be written");
}

/// The files of a folder, without those that its kit has git ignore: they were built there.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let ignored = fs::read_to_string(folder.join("gitignore")).unwrap_or_default();
    let is_ignored = |name: &str| {
        ignored.lines().any(|pattern| match pattern.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == pattern.trim_matches('/'),
        })
    };
    for entry in fs::read_dir(folder).expect("a folder of the kits") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().expect("it has one").to_str().expect("plain names");
        match path.is_dir() {
            _ if name.starts_with('.') || is_ignored(name) => {}
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
