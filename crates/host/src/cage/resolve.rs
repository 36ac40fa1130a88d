//! Where paths and the files of bots lead: symbolic links, first lines of scripts, virtual
//! environments.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// More symbolic links on the way to a file the system does not follow either.
pub(crate) const MOST_LINKS: usize = 40;

/// Where a path leads.
pub(crate) struct ResolvedPath {
    /// The file or folder itself, without links.
    pub(crate) real: PathBuf,
    /// The links on the way, each with what it holds.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
}

/// Where a path leads, if anything is there.
pub(crate) fn resolve(path: &Path) -> Option<ResolvedPath> {
    let mut links = Vec::new();
    let mut real = PathBuf::from("/");
    let absolute = std::path::absolute(path).ok()?;
    let mut rest: Vec<OsString> = parts(&absolute);
    rest.reverse();
    while let Some(part) = rest.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(&part);
        if !real.symlink_metadata().ok()?.is_symlink() {
            continue;
        }
        let to = std::fs::read_link(&real).ok()?;
        links.push((real.clone(), to.clone()));
        if links.len() > MOST_LINKS {
            return None;
        }
        match to.is_absolute() {
            true => real = PathBuf::from("/"),
            false => {
                real.pop();
            }
        }
        rest.extend(parts(&to).into_iter().rev());
    }
    Some(ResolvedPath { real, links })
}

fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    parts.collect()
}

/// What the first line of a script names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ScriptInterpreter {
    /// A program by its path.
    Path(PathBuf),
    /// A program by its name, which `env` looks for in PATH.
    Name(OsString),
}

/// The programs named in the first line of a script: its interpreter, and what `env` looks for.
pub(crate) fn interpreters(script: &Path) -> Vec<ScriptInterpreter> {
    let mut bytes = Vec::new();
    let is_file = script.metadata().is_ok_and(|meta| meta.is_file());
    let file = std::fs::File::open(script).ok().filter(|_| is_file);
    if file.is_none_or(|file| file.take(256).read_to_end(&mut bytes).is_err()) {
        return Vec::new();
    }
    named_by(&bytes)
}

fn named_by(script: &[u8]) -> Vec<ScriptInterpreter> {
    let Some(line) = script.strip_prefix(b"#!") else { return Vec::new() };
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return Vec::new() };
    let first = PathBuf::from(OsStr::from_bytes(first));
    let mut found = Vec::new();
    if first.file_name() == Some(OsStr::new("env"))
        && let Some(name) = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))
    {
        let name = OsStr::from_bytes(name);
        found.push(match name.as_bytes().contains(&b'/') {
            true => ScriptInterpreter::Path(name.into()),
            false => ScriptInterpreter::Name(name.to_owned()),
        });
    }
    found.push(ScriptInterpreter::Path(first));
    found
}

/// The folder of the interpreter that a virtual environment of Python was made from.
pub(crate) fn home_of_virtual(prefix: &Path) -> Option<PathBuf> {
    const MOST: u64 = 64 << 10;
    let path = prefix.join("pyvenv.cfg");
    if !path.metadata().is_ok_and(|meta| meta.is_file()) {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MOST).read_to_string(&mut text).ok()?;
    let home = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "home").then(|| PathBuf::from(value.trim()))
    });
    home.filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_env_is_given_is_a_name_only_without_a_slash() {
        let path = |text: &str| ScriptInterpreter::Path(text.into());
        assert_eq!(named_by(b"#!/bin/sh -e\n"), [path("/bin/sh")]);
        let name = ScriptInterpreter::Name("python3".into());
        assert_eq!(named_by(b"#! /usr/bin/env A=1 -S python3\n"), [name, path("/usr/bin/env")]);
        let both = [path("/home/me/.ssh/id"), path("/usr/bin/env")];
        assert_eq!(named_by(b"#!/usr/bin/env /home/me/.ssh/id\n"), both);
        assert_eq!(named_by(b"\x7fELF"), []);
        assert_eq!(named_by(b"#!"), []);
    }
}
