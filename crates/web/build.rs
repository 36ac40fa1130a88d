//! Lists the files of the page, so that they can be put into the program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let folder =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("page");
    writeln!(std::io::stdout(), "cargo::rerun-if-changed=page").expect("cargo reads it");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in &files {
        let name = file.strip_prefix(&folder).expect("it is below the folder");
        let name = name.to_str().expect("files of the page have plain names");
        writeln!(list, "    ({name:?}, include_bytes!({file:?}) as &[u8]),").expect("memory");
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("page_files.rs"), list).expect("it can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the page's folder is there");
    for entry in entries {
        let path = entry.expect("it can be read").path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            _ if hidden => {}
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
