//! Writes what fuzzing begins with, `fuzz/corpus`: scripts from the transcripts of the protocols,
//! short replays, and a few files of every other kind.
//!
//! `cargo run -p lanista-testkit --example seeds`

use std::path::{Path, PathBuf};

use game::{FaultKind, Seed};
use games::GAMES;
use league::{Changes, RunOptions, Store, Tournament, TournamentFile, admit};
use serde_json::{Value, json};
use table::{AnyGame, Contestant, Entrant, Entry, Occasion, Record, Recording, Terms};

/// So many scripts of each game, none longer than this.
const SCRIPTS: (usize, usize) = (8, 1500);

/// What managers of gomoku say that this host does not.
const BRAIN: [&str; 4] = [
    "START 15\nINFO timeout_turn 1000\nINFO rule 4\nBEGIN\nTURN 7,8\nYXSHOWFORBID\nTAKEBACK 7,8\nEND\n",
    "RECTSTART 20,9\nABOUT\nBOARD\n3,3,1\n4,4,2\n5,5,3\nDONE\nRESTART\n",
    "START 15\nSWAP2BOARD\n1,1\n2,2\n7,7\nDONE\nPLAY 8,8\n",
    "START 5\nINFO max_memory 1\nINFO time_left 2147483647\nYXBOARD\n0,0,1\nDONE\nTURN 1,1\nTURN 0,1\n",
];

const COMMANDS: [&str; 2] = [
    "builtin:random\nnew=builtin:random\n./mybot --fast\njava -jar b.jar\n",
    "sh -c 'a \"b\" c' d\\ e \"f\\\"g\"\npython3 -u bots/hunter.py\n''\nx=y=z\nsh\nsh\nsh (2)\n",
];

const MANIFESTS: [&str; 2] = [
    "name = \"x\"\ngame = \"gomoku\"\ncommand = [\"sh\", \"-c\", \"cat\"]\nreuse = \"never\"\n\
     [env]\nA = \"b\"\n[options]\nDepth = 4\nHash = 1.5\nPonder = true\n[cage]\nread = [\"a\"]\nwrite = []\n",
    "command = [\"sh\"]\nteam = [[\"sh\", \"-c\", \"a\"], [\"sh\"]]\n[limits]\nmemory_mb = 512\nprocesses = 8\n\
     cores = 1\ncpu_s = 0\ndisk_mb = 1\nfiles = 10\nstdout_mb = 1\nstderr_mb = 1\n",
];

const CUPS: [&str; 4] = [
    "name = \"c\"\ngame = \"gomoku\"\nrounds = 4\nseed = 7\nconcurrency = 2\nbots = [\n\
     { bot = \"builtin:random\" },\n{ bot = \"builtin:greedy\", name = \"g\" },\n]\n\
     [setup]\nsize = 9\n[clock]\nmove_ms = 100\nmargin_ms = 20\ncharge = \"cpu\"\n[stop]\ngames = 8\nminutes = 1.5\n",
    "game = \"jedna\"\nformat = \"swiss\"\nseats = 2\ngames = 2\n[[bots]]\nbot = \"builtin:random\"\n\
     [[bots]]\nbot = \"builtin:simple\"\n[[bots]]\nbot = \"builtin:random\"\n[[variants]]\n[[variants]]\nwar = \"house\"\ndouble_play = true\n",
    "bots = [{ bot = \"builtin:random\" }, { bot = \"builtin:random\" }, { bot = \"builtin:random\" }]\n\
     [[events]]\ngame = \"pyrat\"\nformat = \"knockout\"\ngames = 2\nextra_pairs = 3\nthird_place = true\n\
     [[events]]\ngame = \"petri\"\nformat = \"ladder\"\ngames = 3\n",
    "game = \"ants\"\nformat = \"gauntlet\"\nrounds = 3\nchallengers = 1\nseats = 3\n[[bots]]\nbot = \"builtin:random\"\n\
     [[bots]]\nbot = \"builtin:random\"\n[[bots]]\nbot = \"builtin:random\"\n[limits]\nmemory_mb = 64\n",
];

/// Set-ups of short games, each with its players; the seats of the first two are also played.
const SETUPS: [(&str, u16, &str); 9] = [
    ("gomoku", 2, r#"{"size":5,"rule":"standard","max_moves":20}"#),
    (
        "pyrat",
        2,
        r#"{"width":5,"height":5,"cheese_count":3,"max_turns":12,"wall_density":0.7,"mud_density":0.2,"restarts":3}"#,
    ),
    ("jedna", 3, r#"{"max_turns":12,"war":"house","double_play":true,"tries":3}"#),
    (
        "petri",
        2,
        r#"{"width":6,"height":5,"initial_agents":2,"max_agents":12,"max_ticks":8,"decay":1,"order":"row"}"#,
    ),
    (
        "ants",
        2,
        r#"{"width":12,"height":9,"ants":2,"max_turns":8,"energy":9,"sight":2,"programs":2,"version":"2"}"#,
    ),
    ("gomoku", 2, r#"{"width":9,"height":7,"rule":"renju","start":[[3,3],[4,4]]}"#),
    ("gomoku", 2, r#"{"size":15,"opening":"swap2","rule":"caro"}"#),
    (
        "pyrat",
        2,
        r#"{"width":3,"height":3,"walls":[[[0,0],[1,0]]],"mud":[],"cheese":[[1,1]],"rat":[0,0],"python":[2,2]}"#,
    ),
    ("ants", 2, r#"{"map":"A.1#\n.~5.\n3..B\n","ants":1,"programs":[1]}"#),
];

/// The largest of everything, with the players.
const LARGEST: [(u16, &str); 4] = [
    (2, r#"{"size":32,"rule":"renju","max_moves":4294967295}"#),
    (
        2,
        r#"{"width":255,"height":255,"wall_density":1,"mud_density":1,"max_turns":100000,"restarts":4294967295}"#,
    ),
    (
        64,
        r#"{"width":1000,"height":1000,"initial_agents":15625,"max_agents":1000000,"max_ticks":4294,"initial_energy":1000000,"child_energy":1000000}"#,
    ),
    (
        8,
        r#"{"width":300,"height":300,"ants":42,"max_turns":100000,"energy":1000,"sight":10,"programs":42}"#,
    ),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = root.join("fuzz/corpus");
    for game in GAMES {
        let name = game.card().id;
        let transcripts = texts(&root.join("crates/games/transcripts").join(name));
        let scripts = transcripts.iter().map(|(file, text)| (file, script(*game, text)));
        let short = scripts.filter(|(_, script)| script.len() <= SCRIPTS.1).take(SCRIPTS.0);
        for (file, script) in short {
            write(&corpus, "table", &format!("{name}-{file}"), script.as_bytes());
        }
        programs(&corpus, *game, &transcripts);
    }
    for (index, (name, players, setup)) in SETUPS.iter().enumerate() {
        let game = GAMES.iter().find(|game| game.card().id == *name).expect("it is in the list");
        let text = format!("{players}\n{setup}\n");
        write(&corpus, "setup", &format!("{name}-{index}"), text.as_bytes());
        let seats: Vec<&str> =
            (0..*players).map(|seat| if seat == 1 { "kept" } else { "wire" }).collect();
        let setup: Value = serde_json::from_str(setup).expect("it is JSON");
        let first = json!({ "game": name, "setup": setup, "seats": seats, "seed": u64::MAX });
        write(
            &corpus,
            "table",
            &format!("{name}-setup-{index}"),
            format!("{first}\n0S\n0S\n0S\n").as_bytes(),
        );
        replays(&corpus, *game, &setup, *players, index);
    }
    for (index, (players, setup)) in LARGEST.iter().enumerate() {
        let text = format!("{players}\n{setup}\n");
        write(&corpus, "setup", &format!("largest-{index}"), text.as_bytes());
    }
    write(&corpus, "setup", "pairs", b"2\nsize=15\nrule=renju\nopenings=h8i9\\n0,0, 1,0, 0,1\n");
    write(
        &corpus,
        "setup",
        "position",
        b"2\nposition=Piskvorky 15x15, 0:0, 0\\n8,8,10\\n9,9,20\\n-1\n",
    );
    for (name, texts) in [("command", &COMMANDS[..]), ("manifest", &MANIFESTS), ("cup", &CUPS)] {
        for (index, text) in texts.iter().enumerate() {
            write(&corpus, name, &index.to_string(), text.as_bytes());
        }
    }
    for (index, lines) in BRAIN.iter().enumerate() {
        let text = format!("gomoku hunter\n{lines}");
        write(&corpus, "program", &format!("gomoku-{index}"), text.as_bytes());
    }
    write(&corpus, "order", "0", &order());
    let [database, terms, pack] = run_files();
    write(&corpus, "database", "0", &database);
    write(&corpus, "terms", "0", &terms);
    write(&corpus, "pack", "0", &pack);
    write(&corpus, "pack", "label", &label(&pack));
    write(&corpus, "order", "word", &[5, 0, 0, 0, 13, 0, 0, 0, 255, 255, 255, 255]);
}

fn write(corpus: &Path, target: &str, name: &str, bytes: &[u8]) {
    let folder = corpus.join(target);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join(name), bytes).expect("the file can be written");
}

/// The files of a folder by name, without their endings.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.sort();
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let read = |path: PathBuf| (stem(&path).expect("a name"), std::fs::read_to_string(&path));
    files.into_iter().map(read).map(|(stem, text)| (stem, text.expect("it is text"))).collect()
}

/// A transcript as a script: what the bots say, and when.
fn script(game: &dyn AnyGame, text: &str) -> String {
    let setting = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ').map(str::trim))
    };
    let seats: Vec<&str> = setting("seats").unwrap_or("wire wire").split_whitespace().collect();
    let mut first = json!({ "game": game.card().id, "seats": seats, "seed": 1 });
    if let Some(setup) = setting("setup") {
        first["setup"] = serde_json::from_str(setup).expect("it is JSON");
    }
    if let Some(clock) = setting("clock") {
        let mut file = serde_json::to_value(game.card().clock).expect("it serialises");
        for (name, ms) in clock.split_whitespace().filter_map(|pair| pair.split_once('=')) {
            file[format!("{name}_ms")] = serde_json::from_str(ms).unwrap_or(Value::Null);
        }
        first["clock"] = file;
    }
    let mut script = format!("{first}\n");
    script.push_str(&"0S\n".repeat(seats.iter().filter(|seat| !seat.starts_with("built")).count()));
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let seat = |word: &str| word.parse::<u32>().ok().filter(|seat| *seat < 10);
        if let Some(ms) = word.strip_prefix('@').and_then(|time| time.strip_suffix("ms")) {
            script.push_str(&format!("0+{ms}\n0,\n"));
        } else if let Some(seat) =
            word.strip_suffix('<').and_then(|word| seat(word.trim_end_matches('<')))
        {
            script.push_str(&format!("{seat}<{rest}\n"));
        } else if let Some(seat) = word.strip_suffix('!').and_then(seat) {
            let kind = rest.split(':').next().unwrap_or("");
            let number = FaultKind::ALL.iter().position(|other| other.name() == kind);
            script.push_str(&format!("{seat}!{}\n", number.unwrap_or(0)));
        } else if rest.starts_with("opens") && seat(word).is_some() {
            script.push_str("0S\n");
        }
    }
    script
}

/// What this host says to a player in transcripts, to built-in bots in turn; the strongest comes first.
fn programs(corpus: &Path, game: &dyn AnyGame, transcripts: &[(String, String)]) {
    let card = game.card();
    let said = transcripts.iter().map(|(file, text)| {
        let lines = text.lines().filter_map(|line| line.strip_prefix("0> "));
        (file, lines.collect::<Vec<&str>>().join("\n"))
    });
    let bots = card.bots.iter().rev().cycle();
    let texts = said.zip(bots).map(|((file, lines), bot)| {
        (file, format!("{} {}\n{lines}\n", card.id, bot.name).into_bytes())
    });
    let short = texts.filter(|(_, text)| text.len() <= 2 * SCRIPTS.1);
    let asked: Vec<_> =
        short.filter(|(_, text)| testkit::fuzz::program(&[game], text) > 0).collect();
    // From the whole list: neighbours are alike.
    for (file, text) in asked.iter().step_by(asked.len().div_ceil(SCRIPTS.0).max(1)) {
        write(corpus, "program", &format!("{}-{file}", card.id), text);
    }
}

/// A match of built-in bots as a replay file and, without its talk, as text.
fn replays(corpus: &Path, game: &dyn AnyGame, setup: &Value, players: u16, index: usize) {
    let card = game.card();
    let bot = card.bots.first().expect("every game has a bot").name;
    let entrant = |index| Entrant::new(format!("p{index}"), Contestant::BuiltIn(bot.to_owned()));
    let terms = Terms {
        id: "seed".to_owned(),
        seed: Seed(index as u64),
        entrants: (0..players).map(entrant).collect(),
        clock: card.clock,
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::On,
    };
    let setup = setup.as_object().expect("a set-up is an object");
    let (_, log) = testkit::law::played(game.table(setup, terms).expect("it is sound"));
    let name = format!("{}-{index}", card.id);
    if index < GAMES.len() {
        write(corpus, "replay", &format!("{name}.lrz"), &log.to_file().expect("it can be packed"));
    }
    let record: Record = log.into_record();
    let mut text = serde_json::to_string(&record.header).expect("it serialises") + "\n";
    for entry in record.entries::<Value>().take(24).flatten() {
        if !matches!(entry, Entry::Sent { .. } | Entry::Got { .. } | Entry::Stderr { .. }) {
            text += &(serde_json::to_string(&entry).expect("it serialises") + "\n");
        }
    }
    write(corpus, "replay", &name, text.as_bytes());
}

/// An order to a launcher, in its own form: numbers of eight bytes, texts after their lengths.
fn order() -> Vec<u8> {
    let number = |number: u64| number.to_le_bytes().to_vec();
    let text = |text: &str| [number(text.len() as u64), text.as_bytes().to_vec()].concat();
    [
        number(1),
        number(1),
        number(64_000),
        number(1),
        number(3),
        number(1),
        text("/usr/bin/env"),
        number(2),
        text("env"),
        text(""),
        number(1),
        text("A=b"),
        text("/srv"),
        number(1),
        text("/a"),
        text("/b"),
        number(2),
        number(1),
        text("/tmp"),
        number(1 << 20),
        number(1),
        text("/bin"),
        text("usr/bin"),
        number(1),
        text("/b/c"),
        [1, 2, 3, 4, 5, 6].map(number).concat(),
    ]
    .concat()
}

/// The label of the first record of a pack, as text.
fn label(pack: &[u8]) -> Vec<u8> {
    // The first line, a mark of eight bytes, and two lengths.
    let record = pack.iter().position(|byte| *byte == 0).expect("it has a record");
    let length: [u8; 4] = pack[record + 8..record + 12].try_into().expect("four bytes");
    let label = &pack[record + 16..][..u32::from_le_bytes(length) as usize];
    zstd::decode_all(label).expect("it is compressed")
}

/// The database of a small run, what is known of it beside its games, and its replays.
fn run_files() -> [Vec<u8>; 3] {
    let dir = std::env::temp_dir().join(format!("lanista-seeds-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("the temporary folder can be written to");
    let text = "game = \"gomoku\"\nrounds = 2\nseed = 1\nbots = [{ bot = \"builtin:random\" }, \
                { bot = \"builtin:random\" }]\n[setup]\nmax_moves = 4\n";
    let cup =
        TournamentFile::parse(text.to_owned(), Path::new("cup.toml"), GAMES).expect("a tournament");
    let means = RunOptions {
        exe: PathBuf::from("/nonexistent"),
        concurrency: 1,
        stop: cup.stop,
        cage: host::CageTerms::none(),
        live: None,
        remote: None,
        manner: cup.manner,
    };
    let mut store = Store::open(&dir).expect("it can be made");
    let events = admit(cup, &mut store, Changes::Refused).expect("it is new");
    let played = Tournament::new(events, &means).play(&mut store, &means, &mut |_| {});
    played.expect("it can be played");
    drop(store);
    let files = ["run.db", "replays/run.json", "replays/0001.pack"];
    let files = files.map(|name| std::fs::read(dir.join(name)).expect("it is there"));
    std::fs::remove_dir_all(&dir).expect("it is ours");
    files
}
