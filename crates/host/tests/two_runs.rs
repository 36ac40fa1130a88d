//! Two runs in one process at the same time: the end of one, with all its sweeping, harms nothing of the
//! other. A program of its own without the usual harness: it becomes the subreaper of whatever it starts, and its own
//! launcher.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;

use game::{Afterwards, Seed};
use host::{BotSpec, CageTerms, Job, Placement, Pondering, Run, RunError, Tier};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use table::{Contestant, Entrant, Occasion, Recording, Terms, TurnOrder};

/// A bot that plays nothing. Everything it starts holds a pipe open, so that the end of that pipe is the end of
/// them all. It says on request that it lives, and so does a process that has left its group, and its session if
/// that is possible.
const BOT: &str = r#"
cd "$1" && exec 3>"$2.alive"
setsid sh -c 'echo begun >&3; read word <"$0.ask_left"; echo "$word" >&3; exec sleep 1000000' "$2" &
echo begun >&3
read word <"$2.ask"
echo "$word" >&3
read word <"$2.end"
"#;

/// Somebody who does not come has been killed: a bound, so that the test fails instead of waiting for ever.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("lanista-two-runs-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("it can be made");
        std::fs::write(path.join("bot.sh"), BOT).expect("it can be written");
        // Root's bots are other users.
        std::fs::set_permissions(&path, Permissions::from_mode(0o777)).expect("ours");
        std::fs::set_permissions(path.join("bot.sh"), Permissions::from_mode(0o755)).expect("ours");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What the test has of a bot.
struct Bot {
    name: &'static str,
    alive: File,
    /// What it is asked on, and what the process that has left it is.
    asks: [File; 2],
    end: File,
}

impl Bot {
    fn new(folder: &Path, name: &'static str) -> Bot {
        let pipe = |kind: &str| {
            let path = folder.join(format!("{name}.{kind}"));
            let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo is there");
            assert!(made.success(), "{kind}");
            std::fs::set_permissions(&path, Permissions::from_mode(0o666)).expect("ours");
            path
        };
        // Opened for both, nobody has to wait for the other end.
        let both = |path: PathBuf| OpenOptions::new().read(true).write(true).open(path);
        let [alive, ask, ask_left, end] =
            ["alive", "ask", "ask_left", "end"].map(|kind| both(pipe(kind)).expect("it is there"));
        Bot { name, alive, asks: [ask, ask_left], end }
    }

    /// Reads this word from it and from the process that has left it.
    fn hears_twice(&mut self, word: &str) {
        let wanted = format!("{word}\n{word}\n");
        let mut said = vec![0; wanted.len()];
        let mut there = 0;
        while there < said.len() {
            let mut ready = [PollFd::new(&self.alive, PollFlags::IN)];
            let count = poll(&mut ready, Some(&PATIENCE)).expect("it can be waited for");
            let so_far = String::from_utf8_lossy(&said[..there]).into_owned();
            assert!(count > 0, "{} has said {so_far:?} and is gone", self.name);
            there += self.alive.read(&mut said[there..]).expect("a pipe");
        }
        assert_eq!(String::from_utf8_lossy(&said), wanted, "{}", self.name);
    }

    fn lives(&mut self, word: &str) {
        self.asks.iter_mut().for_each(|ask| writeln!(ask, "{word}").expect("a pipe"));
        self.hears_twice(word);
    }

    /// It leaves by itself; what has left its group stays.
    fn leave(&mut self) {
        writeln!(self.end, "end").expect("a pipe");
    }

    /// Whether anything of it is left.
    fn into_nothing(self, folder: &Path) -> bool {
        let Bot { name, alive, .. } = self;
        // From now on only they can have it open for writing.
        let reader = File::open(folder.join(format!("{name}.alive"))).expect("it is there");
        drop(alive);
        let mut end = [PollFd::new(&reader, PollFlags::IN)];
        poll(&mut end, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).expect("it can be looked at");
        end[0].revents().contains(PollFlags::HUP)
    }
}

/// One game between two of the bots, on a thread of its own.
fn start(
    exe: &Path,
    folder: &Path,
    tier: Tier,
    names: [&str; 2],
) -> JoinHandle<Result<(), RunError>> {
    let bot = |name: &str| {
        let text = format!("sh {} {} {name}", folder.join("bot.sh").display(), folder.display());
        BotSpec::parse(&text, folder).expect("it is a command")
    };
    let run = Run {
        roster: names.iter().map(|name| bot(name)).collect(),
        concurrency: 1,
        placement: Placement::None,
        exe: Some(exe.to_owned()),
        scratch: None,
        pondering: Pondering::Stopped,
        cage: CageTerms { at_most: tier, write: vec![folder.to_owned()], ..CageTerms::none() },
        live: None,
        people: None,
    };
    let game = games::GAMES[0];
    let entrant =
        |name: &&str| Entrant::new(*name, Contestant::Program { then: Afterwards::MayStay });
    let terms = Terms {
        id: names.concat(),
        seed: Seed(1),
        entrants: names.iter().map(entrant).collect(),
        clock: game.card().clock,
        adjudication: table::Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::Off,
    };
    let table = Box::new(move || game.table(&serde_json::Map::new(), terms.clone()));
    let job = Job { index: 0, bots: vec![0, 1], turn_order: TurnOrder::Alternating, table };
    std::thread::spawn(move || run.play(std::iter::once(job), None, |_| ControlFlow::Continue(())))
}

/// One run ends, and sweeps, while the other plays.
fn neither_harms_the_other(exe: &Path, short: Tier, long: Tier) {
    let folder = Folder::new();
    let path = &*folder.0;
    let [mut a, mut b, mut c, mut d] = ["a", "b", "c", "d"].map(|name| Bot::new(path, name));
    let long = start(exe, path, long, ["c", "d"]);
    [&mut c, &mut d].into_iter().for_each(|bot| bot.hears_twice("begun"));
    let short = start(exe, path, short, ["a", "b"]);
    [&mut a, &mut b].into_iter().for_each(|bot| bot.hears_twice("begun"));
    [&mut a, &mut b].into_iter().for_each(|bot| bot.lives("both"));
    [&mut a, &mut b].into_iter().for_each(Bot::leave);
    short.join().expect("no panic").expect("it can be played");
    assert!(
        a.into_nothing(path) && b.into_nothing(path),
        "a run ends what its bots have left behind"
    );
    [&mut c, &mut d].into_iter().for_each(|bot| bot.lives("still"));
    [&mut c, &mut d].into_iter().for_each(Bot::leave);
    long.join().expect("no panic").expect("it can be played");
    assert!(c.into_nothing(path) && d.into_nothing(path), "so does the other");
}

fn main() {
    if std::env::args_os().nth(1).as_deref() == Some(OsStr::new(host::LAUNCH_COMMAND)) {
        host::launch();
    }
    let exe = std::env::current_exe().expect("it is known");
    let best = host::found(&exe).tier;
    let mut tiers: Vec<Tier> = vec![Tier::E];
    tiers.extend([Tier::D, best].into_iter().filter(|tier| *tier <= best && *tier > Tier::E));
    tiers.dedup();
    for short in &tiers {
        for long in &tiers {
            let _ = writeln!(
                std::io::stdout(),
                "one ends on tier {short} while the other plays on {long}"
            );
            neither_harms_the_other(&exe, *short, *long);
        }
    }
}
