//! `lanista serve`: tournaments and replays in the browser.

use std::io::{Read as _, stdin};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, set_child_subreaper};
use web::{Options, PageFiles, Server};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::ServeArgs;
use crate::terminal::{remark, say};

pub(crate) fn serve(args: &ServeArgs, catalogue: Catalogue) -> Result<Exit> {
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    if folder.is_file() {
        bail!("{} is a file; name the folder it is in", folder.display());
    }
    let mut options = Options::new(folder, catalogue.games());
    options.address = (args.bind, args.port).into();
    options.hosts.clone_from(&args.host);
    if let Some(page) = &args.page {
        options.page = PageFiles::Folder(page.clone());
    }
    options.program = std::env::current_exe().ok();
    let server = Server::start(&options)?;
    if !args.bind.is_loopback() {
        remark(
            "others on the network can reach this server, and read the token on its way: nothing is encrypted. \
             Safer: serve without --bind, and `ssh -L` from the other machine",
        );
    }
    if args.beside {
        // A browser whose starter has ended becomes a child of this process. Otherwise it would be taken for
        // something that a bot has left behind.
        let _ = set_child_subreaper(Some(Pid::INIT));
    }
    // Whoever starts this program reads the first line.
    say(&format!("{}{}", server.url(), args.view))?;
    if args.open || (!args.no_open && !args.beside && has_desktop()) {
        open(&format!("{}{}", server.url_once()?, args.view))?;
    }
    match args.beside {
        true => wait_for_end_of_input(),
        false => wait_for_ever(),
    }
    Ok(Exit::Done)
}

/// Whether there is a desktop that has a browser, and somebody sits at it.
pub(crate) fn has_desktop() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let remote = set("SSH_CONNECTION") || set("SSH_TTY");
    !remote && (set("WAYLAND_DISPLAY") || set("DISPLAY")) && opener().is_some()
}

/// The program that opens addresses, where there is one.
fn opener() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("xdg-open"));
    programs.find(|program| program.is_file())
}

fn open(url: &str) -> Result<()> {
    let program = opener().context(
        "--open needs the program xdg-open, which is not there; open the address yourself",
    )?;
    open_with(&program, url)
}

fn open_with(program: &Path, url: &str) -> Result<()> {
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C here is not for the browser.
    command.process_group(0);
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// Until whoever has started this program is gone, or closes its end.
fn wait_for_end_of_input() {
    let mut byte = [0];
    while stdin().read(&mut byte).is_ok_and(|read| read > 0) {}
}

/// The server has threads of its own; Ctrl-C ends the program. Nothing has to be finished.
fn wait_for_ever() {
    loop {
        std::thread::park();
    }
}
