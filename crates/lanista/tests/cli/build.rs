//! Bots that are built before they play.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{Folder, json_lines, lanista, run, stderr, stdout};

/// A bot that its build makes out of the test brain. When root runs the tests, its folder is somebody else's.
fn unbuilt(folder: &Folder, build: &str, more: &str) -> PathBuf {
    let own = folder.path().join("bot");
    std::fs::create_dir_all(&own).expect("writable");
    let brain = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::copy(brain, own.join("brain.py")).expect("writable");
    std::fs::write(own.join("build.sh"), build).expect("writable");
    let manifest = format!("command = ['./mybot']\nbuild = ['sh', 'build.sh']\n{more}");
    std::fs::write(own.join("bot.toml"), manifest).expect("writable");
    if rustix::process::geteuid().is_root() {
        for path in [own.clone(), own.join("build.sh"), own.join("brain.py")] {
            std::os::unix::fs::chown(path, Some(12345), Some(12345)).expect("root may");
        }
    }
    own
}

/// Compilers lock files, which a bot may not.
const BUILD: &str = "flock lock echo once >> log || exit 9\n\
    printf '#!/bin/sh\\nexec /usr/bin/python3 brain.py good\\n' > mybot\nchmod 755 mybot\n";

fn play(folder: &Folder, more: &[&str]) -> Output {
    let args = ["play", "gomoku", "bot", "builtin:random", "--json", "--no-replay"];
    run(folder, &[&args[..], &["--set", "max_moves=4"], more].concat())
}

fn builds(own: &Path) -> usize {
    std::fs::read_to_string(own.join("log")).unwrap_or_default().lines().count()
}

#[test]
fn a_bot_is_built_before_its_first_game_and_not_again_until_something_changes() {
    let folder = Folder::new("build");
    let own = unbuilt(&folder, BUILD, "");
    let output = play(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("building bot: sh build.sh"), "{}", stderr(&output));
    assert_eq!(json_lines(&output)[0]["players"][0]["faults"], serde_json::json!([]));
    assert_eq!(builds(&own), 1);
    assert_eq!(play(&folder, &[]).status.code(), Some(0));
    assert_eq!(builds(&own), 1, "nothing has changed");
    // A tournament, too; what it made is gone.
    std::fs::remove_file(own.join("mybot")).expect("it was made");
    let cup = "game = 'gomoku'\nsetup = { max_moves = 4 }\nbots = [{ bot = 'bot' }, { bot = 'builtin:random' }]";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let output = run(&folder, &["run", "cup.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(builds(&own), 2);
}

#[test]
fn a_build_that_fails_is_shown_and_nothing_is_played() {
    let folder = Folder::new("build-fails");
    let own = unbuilt(&folder, "echo no such header >&2\nexit 3\n", "build_s = 1");
    let output = play(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("it exited with code 3\nno such header"), "{text}");
    assert!(stdout(&output).is_empty());
    std::fs::write(own.join("build.sh"), "sleep 1000").expect("writable");
    let output = play(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("longer than 1 s"), "{}", stderr(&output));
    std::fs::write(own.join("build.sh"), "true").expect("writable");
    let output = play(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("mybot does not exist"), "{}", stderr(&output));
}

#[test]
fn a_build_writes_to_its_own_folder_alone() {
    let folder = Folder::new("build-cage");
    // Without `chmod`, which no bot may on D.
    let build = "echo x > ../outside\necho 'exec /usr/bin/python3 brain.py good' > mybot\n";
    let own = unbuilt(&folder, build, "");
    let manifest = "command = ['sh', 'mybot']\nbuild = ['sh', 'build.sh']\n";
    std::fs::write(own.join("bot.toml"), manifest).expect("writable");
    // Somebody whose files they are could be the very user that the build runs as.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), open).expect("it is ours");
    for tier in ["A", "B", "C", "D"] {
        let _ = std::fs::remove_file(own.join("mybot"));
        let output = play(&folder, &["--tier", tier]);
        let reports = json_lines(&output);
        assert_eq!(output.status.code(), Some(0), "{tier}: {}", stderr(&output));
        if reports[0]["tier"] != "E" {
            assert!(!folder.path().join("outside").exists(), "{tier}");
        }
    }
}

/// With rustup, `cargo` and `rustc` are links to `rustup`, which looks for the programs themselves in RUSTUP_HOME.
#[test]
fn a_program_of_rustup_finds_its_toolchain() {
    let folder = Folder::new("rustup");
    let places = ["bin", "toolchains", "bot"].map(|name| folder.path().join(name));
    let [bin, toolchains, own] = &places;
    for place in &places {
        std::fs::create_dir(place).expect("writable");
    }
    let brain = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::copy(brain, toolchains.join("brain.py")).expect("writable");
    let rustup = "#!/bin/sh\nexec /usr/bin/python3 \"$RUSTUP_HOME/brain.py\" good\n";
    std::fs::write(bin.join("rustup"), rustup).expect("writable");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("rustup"), executable).expect("it is ours");
    std::os::unix::fs::symlink("rustup", bin.join("crab")).expect("writable");
    std::fs::write(own.join("bot.toml"), "command = ['crab']\n").expect("writable");
    let path = std::env::var("PATH").unwrap_or_default();
    let args = ["play", "gomoku", "bot", "builtin:random", "--json", "--no-replay"];
    let output = lanista(&folder)
        .args(args)
        .args(["--set", "max_moves=4"])
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("RUSTUP_HOME", toolchains)
        .output()
        .expect("the program can be started");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(json_lines(&output)[0]["players"][0]["faults"], serde_json::json!([]));
}
