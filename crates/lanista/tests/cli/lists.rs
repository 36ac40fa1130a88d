//! Lists, help and wrong usage.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Folder, LANISTA, json_lines, lanista, run, stderr, stdout};

#[test]
fn unknown_names_list_the_valid_ones() {
    let folder = Folder::new("unknown");
    let refused = |args: &[&str], words: &[&str]| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = stderr(&output);
        assert!(words.iter().all(|word| text.contains(word)), "{args:?}: {text}");
    };
    let two = ["builtin:random", "builtin:random"];
    refused(&["play", "chess", two[0], two[1]], &["no game \"chess\"", "gomoku"]);
    refused(&["play", "gomoku", "builtin:deep", two[1]], &["\"deep\"", "random, greedy, hunter"]);
    refused(
        &["play", "gomoku", two[0], two[1], "--set", "colour=red"],
        &["\"colour\"", "rule, size"],
    );
    refused(&["play", "gomoku", two[0], two[1], "--set", "rule=go"], &["rule", "freestyle"]);
    refused(&["play", "gomoku", two[0], two[1], "--set", "size=300"], &["size", "300"]);
    refused(&["play", "gomoku", two[0], two[1], "--set", "size=4"], &["5 to 32"]);
    refused(&["play", "gomoku", two[0]], &["2 players, not for 1 bot"]);
    refused(&["play", "gomoku", two[0], two[1], "--colour"], &["--colour"]);
    refused(&["games", "chess"], &["gomoku"]);
    refused(&["replay", "no.lrz"], &["cannot open replay no.lrz"]);
    std::fs::write(folder.path().join("text.lrz"), "hello").expect("writable");
    refused(&["replay", "text.lrz"], &["cannot read replay text.lrz", "not a whole replay"]);
}

#[test]
fn a_bot_that_cannot_be_started_is_named_with_the_next_step() {
    let folder = Folder::new("unstartable");
    let refused = |bot: &str, words: &[&str]| {
        let output = run(&folder, &["play", "gomoku", bot, "builtin:random"]);
        assert_eq!(output.status.code(), Some(2), "{bot}");
        let text = stderr(&output);
        assert!(words.iter().all(|word| text.contains(word)), "{bot}: {text}");
    };
    refused("./nobody", &["./nobody does not exist"]);
    refused("nobody-at-all", &["nobody-at-all does not exist in PATH"]);
    std::fs::write(folder.path().join("plain.py"), "print()\n").expect("writable");
    refused("./plain.py", &["is not executable", "chmod +x ./plain.py"]);
    refused("plain.py", &["did you mean ./plain.py?"]);
    refused("", &["it is empty"]);
    // Found and executable, yet the system cannot run it.
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "#!/no/such/interpreter\n").expect("writable");
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).expect("settable");
    refused(
        "./broken",
        &["cannot start \"./broken\"", "/no/such/interpreter, which does not exist"],
    );
    assert!(!folder.path().join("replays").exists(), "nothing was played");
    refused("python3 nobot.py", &["the script nobot.py does not exist"]);
    let cup = "game = 'gomoku'\nbots = [{ bot = 'python3 nobot.py' }, { bot = 'builtin:random' }]";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    for args in [
        &["run", "cup.toml"][..],
        &["test", "gomoku", "python3 nobot.py", "builtin:random"],
        &["bench", "gomoku", "python3 nobot.py", "builtin:random"],
    ] {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains("nobot.py does not exist"), "{args:?}");
    }
    assert!(!folder.path().join("runs").exists(), "nothing was played");
    std::fs::create_dir_all(folder.path().join("bot")).expect("writable");
    std::fs::write(folder.path().join("bot/bot.toml"), "nome = 'x'\n").expect("writable");
    refused("bot", &["the manifest ./bot/bot.toml: ", "nome"]);
    refused(".", &["no bot.toml in \".\""]);
    std::fs::write(folder.path().join("bot/bot.toml"), "command = ['./none']\n").expect("writable");
    refused("bot", &["the manifest ./bot/bot.toml: ", "./none does not exist"]);
    let other = "game = 'pyrat'\ncommand = ['sh']\n";
    std::fs::write(folder.path().join("bot/bot.toml"), other).expect("writable");
    refused("bot", &["\"bot\" is a bot for pyrat, not for gomoku"]);
}

#[test]
fn slips_are_answered_with_what_was_meant() {
    let folder = Folder::new("slips");
    let refused = |args: &[&str], meant: &str| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let meant = format!("did you mean \"{meant}\"?");
        assert!(stderr(&output).contains(&meant), "{args:?}: {}", stderr(&output));
    };
    refused(&["games", "gomuku"], "gomoku");
    refused(&["play", "gomoku", "builtin:gready", "builtin:random"], "greedy");
    let two = ["builtin:random", "builtin:random"];
    refused(&["play", "gomoku", two[0], two[1], "--set", "sise=9"], "size");
    refused(&["ctl", "nowhere", "pasue"], "pause");
    let output = run(&folder, &["ctl", "nowhere", "frob"]);
    assert_eq!(output.status.code(), Some(2));
    let all = "the orders are pause, resume, concurrency, priority, withdraw, disqualify, reinstate, \
               void, entries, add, stop, status";
    assert!(stderr(&output).contains(all), "{}", stderr(&output));
}

/// What Bash offers at the end of a line.
fn offered(folder: &Folder, line: &str) -> Vec<String> {
    let script = r#"
        eval "$("$1" completions bash)"
        COMP_LINE=$2 COMP_POINT=${#2}
        read -ra COMP_WORDS <<< "$2"
        [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _lanista_or_value lanista "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash", LANISTA, line]).current_dir(folder.path());
    let output = bash.output().expect("bash can be started");
    stdout(&output).lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_games_bots_and_keys() {
    let folder = Folder::new("completions");
    let games = ["gomoku", "pyrat", "jedna", "petri", "ants"];
    assert_eq!(offered(&folder, "lanista play "), games);
    assert_eq!(offered(&folder, "lanista games j"), ["jedna"]);
    let bots = offered(&folder, "lanista play gomoku ");
    assert_eq!(bots, ["builtin:random", "builtin:greedy", "builtin:hunter"]);
    // Bash replaces what follows the colon alone.
    assert_eq!(offered(&folder, "lanista test pyrat builtin:random builtin:t"), ["tourer"]);
    assert_eq!(offered(&folder, "lanista play gomoku builtin:random --set ru"), ["rule="]);
    assert!(offered(&folder, "lanista play jedna --set ").contains(&"war=".to_owned()));
    // Everything else is as before.
    assert!(offered(&folder, "lanista ").contains(&"play".to_owned()));
    assert!(offered(&folder, "lanista play gomoku --conc").contains(&"--concurrency".to_owned()));
}

/// The commands to be pasted in the help of a command.
fn examples(folder: &Folder, command: &str) -> Vec<String> {
    let help = stdout(&run(folder, &[command, "--help"]));
    let after = help.split("Examples:").nth(1).unwrap_or_else(|| panic!("{command}: {help}"));
    after.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_examples_of_help_work_when_they_are_pasted() {
    let folder = Folder::new("examples");
    let bin = Path::new(LANISTA).parent().expect("it is in a folder").display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").expect("there is one"));
    // The cup is played first; demo and bench take long, ctl is for a cup that is being
    // played, ratings and merge for several.
    let commands = [
        "run",
        "standings",
        "results",
        "verify",
        "rebuild",
        "replay",
        "play",
        "test",
        "stats",
        "games",
        "bots",
        "doctor",
    ];
    for line in commands.iter().flat_map(|command| examples(&folder, command)) {
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &line]).env("PATH", &path).current_dir(folder.path());
        let output = shell.stdin(Stdio::null()).output().expect("a shell can be started");
        // A test may end undecided.
        let code = output.status.code();
        assert!(
            code == Some(0) || (code == Some(1) && line.contains(" test ")),
            "{line}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_manifest_names_starts_and_places_its_bot() {
    let folder = Folder::new("manifest");
    let bot = folder.path().join("kit");
    std::fs::create_dir_all(&bot).expect("writable");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::copy(script, bot.join("brain.py")).expect("it can be copied");
    let manifest = "name = \"steady\"\ngame = \"gomoku\"\ncommand = [\"python3\", \"brain.py\"]\n\
                    reuse = \"never\"\nenv = { X = \"1\" }\n[limits]\nmemory_mb = 100\n";
    std::fs::write(bot.join("bot.toml"), manifest).expect("writable");
    let args = ["play", "gomoku", "kit", "two=kit/bot.toml", "--json", "--set", "max_moves=6"];
    let report = json_lines(&run(&folder, &args)).remove(0);
    assert_eq!(report["players"][0]["name"], "steady");
    assert_eq!(report["players"][1]["name"], "two");
    assert_eq!(report["outcome"], "draw");
    let replay = report["replay"].as_str().expect("a replay was written");
    let lines = stdout(&run(&folder, &["replay", replay, "--lines"]));
    assert!(lines.contains("INFO max_memory 52428800"), "{lines}");
}

#[test]
fn games_and_bots_are_listed_for_people_and_scripts() {
    let folder = Folder::new("lists");
    let games = stdout(&run(&folder, &["games"]));
    assert!(games.contains("gomoku: five in a row"), "{games}");
    let one = stdout(&run(&folder, &["games", "gomoku"]));
    assert!(one.contains("openings") && one.contains("psq, sgf"), "{one}");
    let all = stdout(&run(&folder, &["bots"]));
    for game in ["gomoku", "pyrat", "jedna", "petri", "ants"] {
        let keys = stdout(&run(&folder, &["games", game]));
        for line in [&games, &keys, &all].iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let json = json_lines(&run(&folder, &["games", "--json"]));
    assert_eq!(json[0]["game"], "gomoku");
    assert_eq!(json[0]["defaults"]["rule"], "freestyle");
    let bots = json_lines(&run(&folder, &["bots", "gomoku", "--json"]));
    let names: Vec<&str> = bots.iter().filter_map(|bot| bot["bot"].as_str()).collect();
    assert_eq!(names, ["builtin:random", "builtin:greedy", "builtin:hunter"]);
}

#[test]
fn help_completions_and_manual_come_from_the_same_definitions() {
    let folder = Folder::new("shell");
    assert!(stdout(&run(&folder, &["--help"])).contains("Exit codes"));
    assert!(stdout(&run(&folder, &["play", "--help"])).contains("--concurrency"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&run(&folder, &["completions", shell])).contains("concurrency"), "{shell}");
    }
    assert!(stdout(&run(&folder, &["man"])).contains(".TH lanista 1"));
    assert!(run(&folder, &["man", "--dir", "man"]).status.success());
    assert!(folder.path().join("man/lanista-play.1").exists());
}

#[test]
fn the_board_is_drawn_move_by_move() {
    let folder = Folder::new("watch");
    let args = ["play", "gomoku", "builtin:greedy", "builtin:random", "--watch", "--seed", "2"];
    let text = stdout(&run(&folder, &args));
    assert!(text.contains("move 2, ○ to play"), "{text}");
    assert!(text.contains("has five in a row"), "{text}");
}

#[test]
fn bench_compares_playing_with_starting_alone() {
    let folder = Folder::new("bench");
    let bot = crate::common::brain("good");
    let args = ["bench", "gomoku", &bot, "builtin:random", "--games", "2", "--rounds", "1"];
    let mut args = args.to_vec();
    args.extend(["--set", "max_moves=6", "--json"]);
    let report = json_lines(&run(&folder, &args)).remove(0);
    assert!(report["games_per_second"].as_f64() > Some(0.0), "{report}");
    assert!(report["ratio"].as_f64() > Some(0.0), "{report}");
}

#[test]
fn statistics_are_printed_for_people_and_scripts() {
    let folder = Folder::new("stats");
    let args = ["stats", "--counts", "34,54,63,64,75", "--elo1", "10", "--model", "normalized"];
    let report = json_lines(&run(&folder, &[&args[..], &["--json"]].concat())).remove(0);
    let near = |name: &str, wanted: f64| {
        let found = report[name].as_f64().expect("a number");
        assert!((found - wanted).abs() < 1e-6 * wanted.abs(), "{name}: {found}, not {wanted}");
    };
    near("elo", 55.579780);
    near("llr", 2.483695);
    near("upper", 2.944439);
    assert_eq!(report["verdict"], "continue");
    assert!(stdout(&run(&folder, &args)).contains("undecided"));
    for (wrong, named) in [
        (&["--counts", "1,2"][..], "3 (losses, draws, wins) or 5"),
        (&["--counts", "1,-2,3"], "\"-2\" is not a count"),
        (&["--counts", "1,2,3", "--elo0", "5", "--elo1", "5"], "elo0 must be less than elo1"),
        (&["--counts", "1,2,3", "--elo1", "inf"], "elo1 is a difference"),
        (&["--counts", "1,2,3", "--alpha", "0.5"], "alpha is a probability"),
        (&["--counts", "1,2,3", "--beta", "0"], "beta is a probability"),
        (
            &["--counts", "1,2,3,4,5", "--model", "bayesian"],
            "bayesian model is for counts of games",
        ),
    ] {
        let output = run(&folder, &[&["stats"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
    }
}

#[test]
fn output_that_cannot_be_written_is_said_and_a_closed_pipe_ends_quietly() {
    let folder = Folder::new("unwritable");
    let commands: [&[&str]; 13] = [
        &["completions", "bash"],
        &["completions", "fish"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
        &["--version"],
        &["play", "--help"],
        &["games"],
        &["bots", "--json"],
        &["doctor"],
        &["stats", "--counts", "1,2,3"],
        &["play", "gomoku", "builtin:random", "builtin:random", "--no-replay", "--json"],
        &["play", "gomoku", "builtin:random", "builtin:random", "--no-replay", "--games", "2"],
    ];
    for args in commands {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
        let output = lanista(&folder).args(args).stdout(full).output().expect("it starts");
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(
            text.contains("cannot write to standard output: No space left"),
            "{args:?}: {text}"
        );
        let (reader, writer) = std::io::pipe().expect("there are descriptors");
        drop(reader);
        let output = lanista(&folder).args(args).stdout(writer).output().expect("it starts");
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {text}");
        assert!(!text.contains("panicked"), "{args:?}: {text}");
    }
}

#[test]
fn limits_that_nobody_could_play_with_are_refused_before_the_first_game() {
    let folder = Folder::new("absurd");
    let at = |name: &str| folder.path().join(name);
    let refused = |args: &[&str], words: &[&str]| {
        let output = run(&folder, args);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(words.iter().all(|word| text.contains(word)), "{args:?}: {text}");
    };
    let manifest = "command = ['cat']\n[limits]\nmemory_mb = 0\n";
    std::fs::create_dir_all(at("bot")).expect("writable");
    std::fs::write(at("bot/bot.toml"), manifest).expect("writable");
    refused(&["play", "gomoku", "bot", "builtin:random"], &["memory_mb = 0", "1 to 1099511627776"]);
    let cup = "game = 'gomoku'\nbots = [{ bot = 'cat' }, { bot = 'builtin:random' }]\n";
    std::fs::write(at("cup.toml"), format!("{cup}[limits]\ncores = 4096\n")).expect("writable");
    refused(&["run", "cup.toml"], &["cores = 4096", "1 to 1024"]);
    std::fs::write(at("cup.toml"), format!("{cup}[clock]\nstart_ms = 0\n")).expect("writable");
    refused(&["run", "cup.toml"], &["cup.toml", "start_ms = 0", "at least 1"]);
    refused(&["play", "gomoku", "cat", "cat", "--start-ms", "0"], &["--start-ms", "1.."]);
}

#[test]
fn a_bot_whose_folder_is_closed_to_others_plays_or_is_refused_with_the_reason() {
    let folder = Folder::new("closed");
    let own = folder.path().join("own");
    std::fs::create_dir_all(&own).expect("writable");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/brain.py");
    std::fs::copy(script, own.join("brain.py")).expect("writable");
    let manifest = "command = ['/usr/bin/python3', 'brain.py', 'good']\n";
    std::fs::write(own.join("bot.toml"), manifest).expect("writable");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o700)).expect("settable");
    let cup = "game = 'gomoku'\nsetup = { max_moves = 4 }\nbots = [{ bot = 'own' }, { bot = 'builtin:random' }]";
    std::fs::write(folder.path().join("cup.toml"), cup).expect("writable");
    let closed = own.canonicalize().expect("it is there");
    let bots = ["own", "/usr/bin/python3 own/brain.py good"];
    for tier in ["A", "B", "C", "D", "E"] {
        let more =
            ["builtin:random", "--json", "--no-replay", "--set", "max_moves=4", "--tier", tier];
        let play = |bot| [&["play", "gomoku", bot][..], &more[..]].concat();
        for args in bots.map(play).into_iter().chain([vec!["run", "cup.toml", "--tier", tier]]) {
            let output = run(&folder, &args);
            let text = stderr(&output);
            match output.status.code() {
                Some(0) => {
                    // It has played: as anybody but root, or outside of cages.
                    assert!(!stdout(&output).contains("\"kind\":\"crash\""), "{args:?}");
                }
                Some(2) => {
                    assert!(text.contains(&format!("{} (mode 700)", closed.display())), "{text}");
                    assert!(text.contains("chmod a+rx"), "{text}");
                    assert!(stdout(&output).is_empty(), "{args:?}: no game was begun");
                }
                other => panic!("{args:?}: {other:?}, {text}"),
            }
        }
    }
}
