//! What a cage costs: processes started and ended, one at a time and a thousand together, on every
//! tier of this machine, and by bubblewrap if it is installed. All in turn, several rounds.
//! `cargo bench --bench launch -- C E` measures these tiers alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use host::{BotSpec, CageTerms, Placement, Run, Tier};

const LANISTA: &str = env!("CARGO_BIN_EXE_lanista");
const ROUNDS: usize = 25;
const STARTS: u64 = 20;
const CROWD: usize = 1000;

fn run(program: &Path, tier: Tier, concurrency: usize) -> Run {
    let bot = BotSpec::parse(&program.display().to_string(), Path::new("/")).expect("it is there");
    Run {
        roster: vec![bot],
        concurrency,
        placement: Placement::None,
        exe: Some(PathBuf::from(LANISTA)),
        scratch: None,
        pondering: host::Pondering::Stopped,
        cage: CageTerms { at_most: tier, ..CageTerms::none() },
        live: None,
        people: None,
    }
}

/// The kernel takes namespaces down after their processes are gone. It shall not do so at the
/// expense of what is measured next.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(150));
}

/// Milliseconds for a program that is started, reads the end of its input and leaves.
fn one_at_a_time(run: &Run) -> f64 {
    settle();
    let spent = run.start_only(STARTS).expect("the bots can be started");
    spent.as_secs_f64() * 1e3 / STARTS as f64
}

/// The same through bubblewrap, with about the same walls.
fn bubblewrap(program: &Path) -> Option<f64> {
    let words = "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink \
                 usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --unshare-all \
                 --die-with-parent";
    settle();
    let began = Instant::now();
    for _ in 0..STARTS {
        let mut command = Command::new("bwrap");
        command.args(words.split_whitespace()).arg(program).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().ok().filter(std::process::ExitStatus::success)?;
    }
    Some(began.elapsed().as_secs_f64() * 1e3 / STARTS as f64)
}

/// The best round, which other work on the machine has disturbed least, and the median.
fn best_and_median(figures: &mut [f64]) -> (f64, f64) {
    figures.sort_by(f64::total_cmp);
    (figures[0], figures[figures.len() / 2])
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn main() {
    let cat = Path::new("/bin/cat");
    let named: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let best = host::found(Path::new(LANISTA)).tier;
    let tiers: Vec<Tier> = Tier::ALL
        .into_iter()
        .filter(|tier| *tier <= best && !(*tier == Tier::B && best == Tier::A))
        .filter(|tier| named.is_empty() || *tier == Tier::E || named.contains(&tier.to_string()))
        .collect();
    let runs: Vec<Run> = tiers.iter().map(|tier| run(cat, *tier, 1)).collect();
    let mut figures = vec![Vec::new(); tiers.len()];
    let mut wrapped = Vec::new();
    for _ in 0..ROUNDS {
        for (run, figures) in runs.iter().zip(&mut figures) {
            figures.push(one_at_a_time(run));
        }
        wrapped.extend(bubblewrap(cat));
    }
    let bare = best_and_median(figures.last_mut().expect("there is tier E"));
    let names = tiers.iter().map(|tier| format!("tier {tier}")).chain(["bubblewrap".to_owned()]);
    for (name, mut figures) in names.zip(figures.into_iter().chain([wrapped])) {
        if !figures.is_empty() {
            let (best, median) = best_and_median(&mut figures);
            let over = (best - bare.0, median - bare.1);
            println!(
                "{name}: {best:.2} ms a process ({median:.2} in the median), {:+.2} ms ({:+.2}) \
                 over bare",
                over.0, over.1
            );
        }
    }
    for tier in tiers {
        (0..10).for_each(|_| settle());
        let crowd = run(cat, tier, host::cores().len()).crowd(CROWD);
        let (up, down) = crowd.expect("a thousand processes can be started");
        let (up, down) = (up.as_secs_f64(), down.as_secs_f64());
        println!("tier {tier}: {CROWD} processes up in {up:.2} s, down in {down:.2} s");
    }
}
