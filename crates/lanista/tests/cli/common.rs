//! Running the program and looking at what it printed.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The program under test.
pub const LANISTA: &str = env!("CARGO_BIN_EXE_lanista");

/// The user and the group that own nothing.
const NOBODY: u32 = 65534;

/// A folder of this test's own, removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("lanista-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written to");
        Folder(path)
    }
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program, ready to be given arguments, in a folder.
pub fn lanista(folder: &Folder) -> Command {
    program(Path::new(LANISTA), folder)
}

fn program(path: &Path, folder: &Folder) -> Command {
    let mut command = Command::new(path);
    command.current_dir(folder.path()).env("NO_COLOR", "1").stdin(Stdio::null());
    command.env("PATH", search_path());
    command
}

/// Has a command run by somebody without rights: only root can choose, and anybody else is one.
pub fn as_ordinary_user(command: &mut Command) -> &mut Command {
    match rustix::process::geteuid().is_root() {
        true => command.uid(NOBODY).gid(NOBODY),
        false => command,
    }
}

/// The program as such a user runs it, who gets the folder with everything in it.
pub fn lanista_of_ordinary_user(folder: &Folder) -> Command {
    let mut command = lanista(folder);
    if rustix::process::geteuid().is_root() {
        let reached = as_ordinary_user(&mut Command::new(LANISTA)).arg("--version").output();
        if reached.is_err() {
            let copy = folder.path().join("lanista");
            std::fs::copy(LANISTA, &copy).expect("it can be copied");
            command = program(&copy, folder);
        }
        let owner = format!("{NOBODY}:{NOBODY}");
        let given = Command::new("chown").arg("-R").arg(owner).arg(folder.path()).status();
        assert!(given.is_ok_and(|status| status.success()), "root can give it away");
        as_ordinary_user(command.env("HOME", folder.path()));
    }
    command
}

/// `PATH`, with the folder of the Python interpreter itself in front: a script in its place that looks
/// for it every time takes longer than most bots of the tests.
fn search_path() -> &'static OsString {
    static PATH: OnceLock<OsString> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let asked =
            Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let python = PathBuf::from(stdout(&asked.expect("python3 can be started")).trim());
        let own = python.parent().map(Path::to_owned).into_iter();
        std::env::join_paths(own.chain(std::env::split_paths(&path))).unwrap_or(path)
    })
}

/// Runs the program with these words as arguments.
pub fn run(folder: &Folder, args: &[&str]) -> Output {
    lanista(folder).args(args).output().expect("the program can be started")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Each line of standard output as JSON.
pub fn json_lines(output: &Output) -> Vec<Value> {
    let text = stdout(output);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The test brain in a mode, as a bot argument.
pub fn brain(mode: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    format!("{mode}=python3 {script} {mode}")
}

/// Processes whose command line or environment holds `text`.
pub fn processes_with(text: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc is there").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let holds = |file: &str| {
            std::fs::read(entry.path().join(file))
                .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
        };
        if pid != std::process::id() as i32 && (holds("cmdline") || holds("environ")) {
            found.push(pid);
        }
    }
    found
}

/// Waits until a condition holds; the limit only bounds a failing test.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !condition() {
        assert!(began.elapsed().as_secs() < 60, "{what} did not come true in a minute");
        std::thread::yield_now();
    }
}

/// The data in a page of one file: names, and texts as they are when unpacked.
pub fn page_data(page: &Path) -> Vec<(String, String)> {
    let script = "import base64, gzip, json, re, sys\n\
        page = open(sys.argv[1]).read()\n\
        for key, data in re.findall('id=\"data:([^\"]+)\">([^<]*)<', page):\n    \
            text = gzip.decompress(base64.b64decode(data)).decode()\n    \
            print(json.dumps([key, text]))";
    let mut python = Command::new("python3");
    let output = python.args(["-c", script]).arg(page).output().expect("python3");
    assert!(output.status.success(), "{}", stderr(&output));
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().map(|line| serde_json::from_str(line).expect("a name and a text")).collect()
}

/// One part of the data of a page.
pub fn page_json(page: &Path, key: &str) -> Value {
    let data = page_data(page);
    let found = data.iter().find(|(known, _)| known == key);
    let keys = || data.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>();
    let (_, text) = found.unwrap_or_else(|| panic!("{key} is not among {:?}", keys()));
    serde_json::from_str(text).expect("it is JSON")
}
