//! The page beside a program that plays (`--web`): `lanista serve` as a process of its own, so that nothing of it runs in
//! the process that plays.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use host::OwnProcess;
use rustix::event::{PollFd, PollFlags, poll};

use crate::Exit;
use crate::cli::WebOptions;
use crate::commands::serve::has_desktop;
use crate::terminal::remark;

/// A page that is shown. It ends when this is dropped.
pub(crate) struct WebPage {
    process: OwnProcess,
    /// What to open in a browser, with the token that lets one in.
    address: String,
}

impl WebPage {
    /// Shows a folder, if that is wanted. `view` is where the page begins: the part of its address from the `#`.
    pub(crate) fn start(
        options: &WebOptions,
        folder: &Path,
        view: &str,
    ) -> Result<Option<WebPage>> {
        if !options.web {
            return Ok(None);
        }
        let exe = std::env::current_exe().context("cannot find the file of this program")?;
        let open = options.open || (!options.no_open && has_desktop());
        let mut command = Command::new(exe);
        command.arg("serve").args(["--beside", if open { "--open" } else { "--no-open" }]);
        command.args(options.bind.map(|address| format!("--bind={address}")));
        command.args(options.host.iter().map(|name| format!("--host={name}")));
        command.args(["--view", view, "--"]).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for the games; the page ends after them.
        command.process_group(0);
        let started = OwnProcess::spawn(&mut command);
        let process = started.context("cannot start `lanista serve`")?;
        let mut page = WebPage { process, address: String::new() };
        let mut address = String::new();
        let output = page.process.child().stdout.take().context("`lanista serve` has no output")?;
        BufReader::new(output).read_line(&mut address).context("cannot read its address")?;
        if address.trim().is_empty() {
            bail!("the page cannot be shown");
        }
        page.address = address.trim().to_owned();
        remark(&format!("watch at {}", page.address));
        Ok(Some(page))
    }

    /// The address of the server, without anything that lets somebody in.
    pub(crate) fn server(&self) -> &str {
        self.address.split("/?").next().unwrap_or_default()
    }

    /// Leaves the page open after the end, until somebody has seen enough.
    pub(crate) fn keep(self, exit: Exit) {
        if exit == Exit::Interrupted {
            return;
        }
        // What was played since may have pushed the address off the screen.
        remark(&format!("the page stays open at {}", self.address));
        remark("Enter or Ctrl-C closes it");
        let (input, waker) = (std::io::stdin(), host::interrupt_waker());
        loop {
            let mut ready = [
                PollFd::new(&input, PollFlags::IN),
                PollFd::from_borrowed_fd(waker, PollFlags::IN),
            ];
            match poll(&mut ready, None) {
                Ok(_) => break,
                Err(rustix::io::Errno::INTR) if !host::interrupted() => {}
                Err(_) => break,
            }
        }
        if !host::interrupted() {
            // The shell does not get what was typed here.
            let _ = input.lock().read(&mut [0; 256]);
        }
    }
}

impl Drop for WebPage {
    fn drop(&mut self) {
        // It ends with its standard input.
        drop(self.process.child().stdin.take());
    }
}

/// A folder with nothing in it, for a page that shows only what is live; removed when dropped.
pub(crate) struct EmptyFolder(PathBuf);

impl EmptyFolder {
    pub(crate) fn new() -> Result<EmptyFolder> {
        use std::os::unix::fs::DirBuilderExt as _;
        let path = std::env::temp_dir().join(format!("lanista-page-{}", std::process::id()));
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(EmptyFolder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// Where the page shows a tournament whose folder is the one that is served.
pub(crate) fn view_of_run() -> String {
    format!("#/run/{}", web::id_of(Path::new("")))
}

/// Where the page shows the first game of this process: while it is played, and when it is over.
pub(crate) fn view_of_first_game(match_id: &str) -> String {
    format!("#/live/{}-0?match={match_id}", std::process::id())
}
