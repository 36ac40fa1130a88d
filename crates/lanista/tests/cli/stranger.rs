//! Folders of strangers that mean harm: what a manifest, links and scripts in them ask for is
//! refused before anything is started, on every tier of this machine, unless the user grants it.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::common::{Folder, json_lines, lanista, run, stderr, stdout};
use crate::tiers::{python, tiers};

const KEY: &str = "key-of-the-user";

/// A user's folder with a secret in it, and a stranger's beside it.
struct Scene {
    folder: Folder,
}

impl Scene {
    /// The stranger's folder with a bot that says what it can read of the secret.
    fn new(name: &str) -> Scene {
        let scene = Scene { folder: Folder::new(&format!("stranger-{name}")) };
        std::fs::create_dir_all(scene.secret()).expect("writable");
        std::fs::create_dir_all(scene.bot()).expect("writable");
        std::fs::write(scene.secret().join("key"), KEY).expect("writable");
        scene.script("bot.sh", &scene.talk("#!/bin/sh"));
        scene
    }

    fn secret(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join("secret")
    }

    fn bot(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join("bot")
    }

    /// A brain that tries to read the secret, and to leave something beside it.
    fn talk(&self, first: &str) -> String {
        let secret = self.secret().display().to_string();
        format!(
            "{first}\ncat '{secret}/key' >&2\necho harm 2>/dev/null > '{secret}/harm'\nn=0\n\
             while read -r line; do case $line in\nSTART*) echo OK;;\n\
             BEGIN*|TURN*) n=$((n+2)); echo $n,10;;\nEND*) exit 0;;\nesac; done\n"
        )
    }

    fn script(&self, name: &str, text: &str) {
        write_program(&self.bot().join(name), text);
    }

    fn manifest(&self, text: &str) {
        std::fs::write(self.bot().join("bot.toml"), text).expect("writable");
    }

    fn args<'a>(&self, tier: &'a str, bot: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let args = ["play", "gomoku", bot, "builtin:random", "--json", "--tier", tier];
        [&args[..], &["--set", "max_moves=2"], more].concat()
    }

    /// Nothing is started, the key is not read, and the words name the place and the flag.
    fn refused(&self, bot: &str, flag: &str) {
        for tier in tiers("ABCD") {
            let output = run(&self.folder, &self.args(tier, bot, &[]));
            let words = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{tier}: {words}");
            assert!(words.contains(flag), "{tier}: {words}");
            assert!(!stdout(&output).contains(KEY) && !words.contains(KEY), "{tier}: {words}");
            assert!(!self.secret().join("harm").exists(), "{tier}");
        }
    }

    /// It plays without a fault; says what went over its pipes.
    fn plays(&self, tier: &str, bot: &str, more: &[&str]) -> String {
        let output = run(&self.folder, &self.args(tier, bot, more));
        let report = json_lines(&output).pop().unwrap_or_else(|| panic!("{}", stderr(&output)));
        assert_eq!(report["players"][0]["faults"], serde_json::json!([]), "{tier}: {report}");
        let replay = report["replay"].as_str().expect("a replay was written").to_owned();
        stdout(&run(&self.folder, &["replay", &replay, "--lines"]))
    }
}

fn write_program(path: &Path, text: &str) {
    std::fs::write(path, text).expect("writable");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, executable).expect("it is ours");
}

#[test]
fn a_manifest_grants_itself_nothing_outside_its_folder() {
    let scene = Scene::new("cage");
    let secret = scene.secret();
    let read = format!("--allow-read {}", secret.display());
    let write = format!("--allow-write {}", secret.display());
    for (asked, flag) in [
        ("[cage]\nread = ['../secret']", &read),
        ("[cage]\nread = ['../bot/../secret/key']", &read),
        ("[cage]\nwrite = ['../secret']", &write),
    ] {
        scene.manifest(&format!("command = ['./bot.sh']\n{asked}"));
        scene.refused("bot", flag);
    }
    // The user may grant it, to all bots of a command or to one of a tournament.
    scene.manifest("command = ['./bot.sh']\n[cage]\nread = ['../secret']");
    let cup = format!(
        "name = 'cup'\ngame = 'gomoku'\nrounds = 1\n[setup]\nmax_moves = 2\n\
         [[bots]]\nname = 'stranger'\nbot = 'bot'\nread = ['{}']\n\
         [[bots]]\nbot = 'builtin:random'\n",
        secret.display()
    );
    std::fs::write(scene.folder.path().join("cup.toml"), &cup).expect("writable");
    for tier in tiers("ABCD") {
        let path = secret.to_str().expect("plain");
        assert!(scene.plays(tier, "bot", &["--allow-read", path]).contains(KEY), "{tier}");
        assert!(!secret.join("harm").exists(), "{tier}: read is not write");
        let dir = format!("run-{tier}");
        let args = ["run", "cup.toml", "--quiet", "--tier", tier, "--dir", &dir];
        let output = run(&scene.folder, &args);
        assert_eq!(output.status.code(), Some(0), "{tier}: {}", stderr(&output));
        let lines = stdout(&run(&scene.folder, &["replay", &dir, "1", "--lines"]));
        assert!(lines.contains(KEY), "{tier}: {lines}");
    }
    let ungranted = cup.replace("read = [", "# read = [");
    std::fs::write(scene.folder.path().join("cup.toml"), ungranted).expect("writable");
    let output = run(&scene.folder, &["run", "cup.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains(&read), "{}", stderr(&output));
}

#[test]
fn arguments_and_links_that_lead_out_are_refused() {
    let scene = Scene::new("links");
    let flag = format!("--allow-read {}", scene.secret().display());
    symlink("../secret", scene.bot().join("data")).expect("writable");
    symlink("data", scene.bot().join("weights")).expect("writable");
    write_program(&scene.secret().join("tool"), &scene.talk("#!/bin/sh"));
    symlink("../secret/tool", scene.bot().join("tool")).expect("writable");
    let tool = format!("{flag}/tool");
    for (command, flag) in [
        ("['./bot.sh', '../secret']", &flag),
        ("['./bot.sh', 'data']", &flag),
        ("['./bot.sh', 'weights']", &flag),
        ("['./bot.sh', 'data/key']", &format!("{flag}/key")),
        ("['./tool']", &tool),
        ("['../secret/tool']", &tool),
        ("['data/tool']", &tool),
        ("['./bot.sh']\nteam = [['./bot.sh'], ['./tool']]", &tool),
    ] {
        scene.manifest(&format!("command = {command}"));
        scene.refused("bot", flag);
    }
    // What a user types is the user's word for the folder, not for where links in it lead.
    scene.refused("bot/tool", &tool);
    let typed = format!("{} bot/tool", python());
    scene.refused(&typed, &tool);
    // A link that stays inside is an ordinary file.
    std::fs::create_dir_all(scene.bot().join("deep")).expect("writable");
    symlink("../bot.sh", scene.bot().join("deep/inside")).expect("writable");
    scene.manifest("command = ['deep/inside', 'deep']");
    for tier in tiers("ABCD") {
        assert!(!scene.plays(tier, "bot", &[]).contains(KEY), "{tier}");
    }
}

#[test]
fn scripts_and_virtual_environments_name_no_interpreters_of_their_own() {
    let scene = Scene::new("interpreters");
    let secret = scene.secret();
    let key = format!("--allow-read {}/key", secret.display());
    // `env` would forget a variable of this name, and go on.
    let first = format!("#!/usr/bin/env -S -u {}/key sh", secret.display());
    scene.script("run", &scene.talk(&first));
    scene.manifest("command = ['./run']");
    scene.refused("bot", &key);
    scene.refused("bot/run", &key);
    scene.script("run", &scene.talk(&format!("#!{}/key", secret.display())));
    scene.refused("bot", &key);
    let bin = scene.bot().join("venv/bin");
    std::fs::create_dir_all(&bin).expect("writable");
    symlink("/bin/sh", bin.join("python")).expect("writable");
    let config = |home: &Path| {
        let text = format!("home = {}\nversion = 3\n", home.display());
        std::fs::write(scene.bot().join("venv/pyvenv.cfg"), text).expect("writable");
    };
    config(&secret);
    scene.manifest("command = ['venv/bin/python', 'bot.sh']");
    let flag = format!("--allow-read {}", secret.display());
    scene.refused("bot", &flag);
    scene.refused("bot/venv/bin/python bot/bot.sh", &flag);
    // Those of the system are fine.
    config(Path::new("/usr/bin"));
    for tier in tiers("ABCD") {
        assert!(!scene.plays(tier, "bot", &[]).contains(KEY), "{tier}");
    }
}

#[test]
fn a_manifest_in_the_home_folder_does_not_show_it() {
    let scene = Scene::new("home");
    let home = scene.folder.path();
    std::fs::copy(scene.bot().join("bot.sh"), home.join("bot.sh")).expect("writable");
    std::fs::write(home.join("bot.toml"), "command = ['./bot.sh']").expect("writable");
    for tier in tiers("ABCD") {
        let args = scene.args(tier, ".", &[]);
        let output = lanista(&scene.folder).args(args).env("HOME", home).output();
        let output = output.expect("the program can be started");
        assert_eq!(output.status.code(), Some(2), "{tier}: {}", stderr(&output));
        assert!(stderr(&output).contains("a folder of its own"), "{}", stderr(&output));
    }
    // Nor is a manifest read that lies elsewhere.
    std::fs::rename(home.join("bot.toml"), scene.secret().join("bot.toml")).expect("ours");
    symlink("../secret/bot.toml", scene.bot().join("bot.toml")).expect("writable");
    scene.refused("bot", "leads out of its folder");
}

/// A bot that may write to its own folder puts a link where a folder was shown to it.
#[test]
fn a_folder_that_becomes_a_link_is_not_followed() {
    for tier in tiers("ABCD") {
        let scene = Scene::new(&format!("race-{tier}"));
        let everybody = |path: &Path| {
            let permissions = std::fs::Permissions::from_mode(0o777);
            std::fs::set_permissions(path, permissions).expect("it is ours");
        };
        std::fs::create_dir_all(scene.bot().join("data")).expect("writable");
        for path in [scene.secret(), scene.bot(), scene.bot().join("data")] {
            everybody(&path);
        }
        let swap = format!(
            "#!/bin/sh\ncd '{}'\nrm -r data\nln -s '{}' data\n\
             cat data/key >&2\necho harm > data/harm",
            scene.bot().display(),
            scene.secret().display()
        );
        scene.script("bot.sh", &scene.talk(&swap));
        let more = ["--games", "4", "--fresh", "--concurrency", "1", "--no-replay"];
        for write in ["'.', 'data'", "'data', '.'"] {
            scene.manifest(&format!("command = ['./bot.sh']\n[cage]\nwrite = [{write}]"));
            let _ = std::fs::remove_file(scene.bot().join("data"));
            std::fs::create_dir_all(scene.bot().join("data")).expect("writable");
            everybody(&scene.bot().join("data"));
            let output = run(&scene.folder, &scene.args(tier, "bot", &more));
            assert!(!stdout(&output).is_empty(), "{tier}: {}", stderr(&output));
            assert!(scene.bot().join("data").is_symlink(), "{tier}: it was not even tried");
            assert!(!scene.secret().join("harm").exists(), "{tier} {write}");
        }
    }
}

#[test]
fn a_manifest_lowers_what_the_user_has_set_and_raises_nothing() {
    let scene = Scene::new("limits");
    scene.script("bot.sh", "#!/bin/sh\nexec sleep 1000\n");
    let asks =
        |ms: u32| scene.manifest(&format!("command = ['./bot.sh']\n[limits]\nstart_ms = {ms}"));
    let cup = "name = 'cup'\ngame = 'gomoku'\nrounds = 1\n[clock]\nstart_ms = 70\n\
               [[bots]]\nname = 'stranger'\nbot = 'bot'\n[[bots]]\nbot = 'builtin:random'\n";
    std::fs::write(scene.folder.path().join("cup.toml"), cup).expect("writable");
    for tier in tiers("ABCD") {
        for (asked, had) in [(60_000, "70 ms"), (30, "30 ms")] {
            asks(asked);
            let more = ["--start-ms", "70", "--no-replay"];
            let report = json_lines(&run(&scene.folder, &scene.args(tier, "bot", &more))).remove(0);
            let fault = &report["players"][0]["faults"][0];
            assert_eq!(fault["kind"], "not-ready", "{tier}: {report}");
            assert!(fault["detail"].to_string().contains(had), "{tier}: {report}");
            let dir = format!("limits-{tier}-{asked}");
            let args = ["run", "cup.toml", "--quiet", "--tier", tier, "--dir", &dir];
            assert_eq!(run(&scene.folder, &args).status.code(), Some(0), "{tier}");
            let results = stdout(&run(&scene.folder, &["results", &dir, "--json"]));
            assert!(results.contains("not-ready") && results.contains(had), "{tier}: {results}");
        }
    }
}
