//! `lanista test`: games until it is known whether the new bot is stronger. It is a tournament of
//! one event, which is kept and goes on like any other.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use game::FaultKind;
use league::schedule::{Format, GameKey};
use league::{
    BotEntry, Changes, EventSpec, Folder, Hypotheses, Lock, Stop, Store, TestProgress,
    TournamentFile, preview,
};
use serde_json::json;
use stats::{SprtVerdict, Summary};
use table::{AskedAdjudication, Line, Room};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::{self, TestArgs};
use crate::commands::run;
use crate::commands::run::{OutputLevel, PlayOptions, usual_folder};
use crate::options::{adjudication, bots, clock, processes, setup};
use crate::output::number::{fixed, whole};
use crate::output::test_summary;
use crate::output::text::count;
use crate::terminal::{remark, room, say, say_json, say_painted};
use crate::web_page::{WebPage, view_of_run};

pub(crate) fn test(args: &TestArgs, catalogue: Catalogue) -> Result<Exit> {
    let hypotheses = hypotheses(args);
    hypotheses.test()?;
    let cup = || cup(args, catalogue, hypotheses);
    let (names, concurrency) = {
        let cup = cup()?;
        let names = cup.events[0].bots.iter().map(|entry| entry.spec.name.clone());
        (names.collect::<Vec<String>>(), concurrency(args, &cup)?)
    };
    let kept = folder(args, &names, &cup)?;
    let show = if args.quiet { OutputLevel::Nothing } else { OutputLevel::Progress };
    std::fs::create_dir_all(&kept.path)
        .with_context(|| format!("cannot make {}", kept.path.display()))?;
    let page = WebPage::start(&args.page, &kept.path, &view_of_run())?;
    let options = PlayOptions::here(Some(concurrency), &args.cage);
    let played = run::play(cup()?, &kept.path, Changes::Refused, show, &options)?;
    let store = Store::open_to_read(&kept.path)?;
    if let Some(out) = &args.out {
        write_replays(&store, out)?;
    }
    let Some(trial) = league::Standings::of(&store)?.events.swap_remove(0).trial else {
        bail!("{} holds no test", kept.path.display());
    };
    match played {
        Exit::Done | Exit::Interrupted => {}
        other => return Ok(other),
    }
    report(args, &store, &trial, &names)?;
    if !args.no_keep {
        let dir = kept.path.display();
        remark(&match trial.is_over() {
            true => format!("kept in {dir}; `lanista standings {dir}` shows more"),
            false => format!("kept in {dir}; the same command continues it"),
        });
    }
    if args.seed.is_none() {
        let seed = store.events()?.first().map_or(0, |event| event.plan.seed);
        remark(&format!("`--seed {seed}` plays the same games again"));
    }
    let ending = match (played, trial.verdict()) {
        (_, SprtVerdict::H0 | SprtVerdict::H1) => Exit::Done,
        (Exit::Interrupted, SprtVerdict::Continue) => Exit::Interrupted,
        (_, SprtVerdict::Continue) => Exit::Failed,
    };
    if let Some(page) = page {
        page.keep(ending);
    }
    Ok(ending)
}

fn hypotheses(args: &TestArgs) -> Hypotheses {
    let cli::HypothesesOptions { elo0, elo1, alpha, beta, model } = args.hypotheses;
    Hypotheses {
        elo0,
        elo1,
        alpha,
        beta,
        model: match model {
            cli::ModelName::Logistic => league::TestModel::Logistic,
            cli::ModelName::Normalized => league::TestModel::Normalized,
            cli::ModelName::Bayesian => league::TestModel::Bayesian,
        },
        overshoot: match args.siegmund {
            true => league::Correction::Siegmund,
            false => league::Correction::Wald,
        },
    }
}

/// The tournament that a test is.
fn cup(args: &TestArgs, catalogue: Catalogue, hypotheses: Hypotheses) -> Result<TournamentFile> {
    let game = catalogue.find(&args.game)?;
    let card = game.card();
    let seats = usize::from(args.seats.unwrap_or(card.usual_players).max(2));
    // The new bot, and a copy of the old one for every other seat.
    let mut texts = vec![args.new.clone()];
    texts.resize(seats, args.old.clone());
    let limits = bots::limits(&args.time);
    let roster = bots::roster(&texts, &card, &limits)?;
    let config = setup::read(game, &args.setup)?;
    game.check(&config, seats as u16)?;
    // Whether it can be adjudicated so.
    adjudication::adjudication(&args.adjudicate, game, &config, seats)?;
    let cli::AdjudicationOptions { turns, lead, lead_turns, max_faults } = args.adjudicate;
    let manner = league::ProcessOptions {
        reuse: processes::reuse(&args.manner),
        pondering: processes::pondering(&args.manner),
        placement: processes::placement(&args.manner)?,
    };
    let name = format!("{} vs {}", roster[0].name, roster[1].name);
    let time = clock::clock(&args.time, card.clock)?;
    let [new, old] = [&roster[0].name, &roster[1].name];
    let own_clocks = clock::own_clocks(&args.time, time, &[new, old])?;
    let mut bots = Vec::new();
    for (seat, (text, spec)) in texts.into_iter().zip(roster).enumerate() {
        let mut entry = BotEntry::new(spec, text);
        // All copies of the old bot have the same.
        entry.clock = own_clocks[seat.min(1)];
        bots.push(entry);
    }
    let rounds = u32::try_from(args.max_games / 2 * 2).unwrap_or(u32::MAX);
    Ok(TournamentFile {
        name: "test".to_owned(),
        concurrency: None,
        stop: Stop::default(),
        manner,
        cluster: league::ClusterTerms::default(),
        events: vec![EventSpec {
            name,
            game,
            format: Format::Gauntlet { rounds, challengers: 1 },
            seats,
            pairing: Default::default(),
            tiebreaks: None,
            seed: args.seed,
            weights: Vec::new(),
            setups: vec![config],
            clock: time,
            adjudication: AskedAdjudication { turns, lead, lead_turns, max_faults },
            manner,
            limits,
            bots,
            test: Some(hypotheses),
            open_games: None,
            priority: 0,
        }],
        text: String::new(),
        base: PathBuf::from("."),
        path: PathBuf::new(),
    })
}

fn concurrency(args: &TestArgs, cup: &TournamentFile) -> Result<u16> {
    let event = &cup.events[0];
    let roster: Vec<host::BotSpec> = event.bots.iter().map(|entry| entry.spec.clone()).collect();
    let games =
        processes::concurrency_with(args.concurrency, &args.manner, &event.game.card(), &roster);
    processes::check_cores(&roster, cup.manner.pondering, games)?;
    Ok(u16::try_from(games).unwrap_or(league::MOST_AT_A_TIME))
}

/// Where a test is kept; removed when dropped if nobody wants it.
struct TestRunFolder {
    path: PathBuf,
    temporary: bool,
}

impl Drop for TestRunFolder {
    fn drop(&mut self) {
        if self.temporary {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// The folder that the user has named; or `runs/NEW-OLD`, if the same test was begun there and is
/// undecided, or nothing is there; or the next that is free.
fn folder(
    args: &TestArgs,
    names: &[String],
    cup: &dyn Fn() -> Result<TournamentFile>,
) -> Result<TestRunFolder> {
    if args.no_keep {
        let name = format!("lanista-test-{}", std::process::id());
        return Ok(TestRunFolder { path: std::env::temp_dir().join(name), temporary: true });
    }
    if let Some(dir) = &args.dir {
        let made = Folder::make(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        return Ok(TestRunFolder { path: made.path().to_owned(), temporary: false });
    }
    let name = run::folder_name(&format!("{}-{}", names[0], names[1]));
    for number in 1.. {
        let name = if number == 1 { name.clone() } else { format!("{name}-{number}") };
        let at = Path::new("runs").join(&name);
        if std::fs::symlink_metadata(&at).is_err() || is_same_and_open(&at, cup)? {
            let path = usual_folder(Path::new(""), &name)?.path().to_owned();
            return Ok(TestRunFolder { path, temporary: false });
        }
    }
    unreachable!("numbers do not end")
}

/// Whether a folder holds this very test, undecided, and nobody plays there.
fn is_same_and_open(dir: &Path, cup: &dyn Fn() -> Result<TournamentFile>) -> Result<bool> {
    let (Ok(_lock), Ok(store)) = (Lock::take(dir), Store::open_to_read(dir)) else {
        return Ok(false);
    };
    let Ok(admitted) = preview(cup()?, Some(&store), Changes::Refused) else { return Ok(false) };
    let trial = admitted.first().and_then(|event| event.progress.trial());
    let open = trial.is_some_and(|trial| !trial.is_over());
    let left = admitted.first().is_some_and(|event| event.progress.to_play().next().is_some());
    if open && left {
        let games = count(store.games()?, "game");
        remark(&format!("continues in {} after {games}", dir.display()));
    }
    Ok(open && left)
}

/// Writes the replays of all games, a file each.
fn write_replays(store: &Store, out: &Path) -> Result<()> {
    let folder = Folder::make(out).with_context(|| format!("cannot make {}", out.display()))?;
    let replay_of = store.replays()?;
    for report in store.reports(0)?.into_values() {
        let bytes = replay_of(&report.id)?;
        let name = format!("{}.lrz", report.id);
        let written = folder.write_later(&name, &bytes);
        written.with_context(|| format!("cannot write a replay to {}", out.display()))?;
    }
    remark(&format!("replays are in {}", out.display()));
    Ok(())
}

/// Faults by kind, of the new bot and of the old, in the games that count.
fn faults(store: &Store, trial: &TestProgress) -> Result<[BTreeMap<FaultKind, u64>; 2]> {
    let new = store.events()?.first().and_then(|event| Some(event.bots.first()?.name.clone()));
    let counted: HashSet<GameKey> = trial.counted().into_iter().collect();
    let mut faults = [BTreeMap::new(), BTreeMap::new()];
    let reports = store.reports(0)?.into_iter().filter(|(key, _)| counted.contains(key));
    for player in reports.flat_map(|(_, report)| report.players) {
        let whose = usize::from(Some(&player.name) != new.as_ref());
        for fault in player.faults {
            *faults[whose].entry(fault.kind).or_insert(0) += fault.count;
        }
    }
    Ok(faults)
}

/// How many of the games that count differ: in who sat where, how long they were, and how they
/// ended.
fn different(store: &Store, trial: &TestProgress) -> Result<u64> {
    let counted: HashSet<GameKey> = trial.counted().into_iter().collect();
    let reports = store.reports(0)?.into_iter().filter(|(key, _)| counted.contains(key));
    let games: HashSet<(Vec<String>, u32, String)> = reports
        .map(|(_, report)| {
            let names = report.players.iter().map(|player| player.name.clone()).collect();
            (names, report.turns, report.digest)
        })
        .collect();
    Ok(games.len() as u64)
}

/// The progress of a test: in one line where there is room for it, otherwise in two.
fn fitted((words, bar): &(String, String), room: Room) -> Vec<Line> {
    let one = Line::plain(&format!("{words}  {bar}"));
    match one.width() < room.columns {
        true => vec![one],
        false => vec![Line::plain(words), Line::plain(bar)],
    }
}

fn report(args: &TestArgs, store: &Store, trial: &TestProgress, names: &[String]) -> Result<()> {
    let (new, old) = (&names[0], &names[1]);
    let faults = faults(store, trial)?;
    let different = different(store, trial)?;
    if args.json {
        let (bounds, hypotheses) = (trial.bounds(), trial.hypotheses());
        let Some(counts) = trial.counts() else { bail!("no pair of games is finished") };
        let Summary { score, elo, elo_error, elo_interval, los, nelo, nelo_error } =
            Summary::of(&counts);
        let seed = store.events()?.first().map_or(0, |event| event.plan.seed);
        return say_json(&json!({
            "v": 1, "game": args.game, "new": new, "old": old,
            "seats": names.len(), "games": trial.games().iter().sum::<u64>(),
            "counts": trial.games(), "pairs": trial.pairs(), "seed": seed,
            "elo0": hypotheses.elo0, "elo1": hypotheses.elo1,
            "score": score, "elo": whole(elo), "elo_error": elo_error,
            "elo_low": elo_interval.low.map(whole), "elo_high": elo_interval.high.map(whole),
            "los": los,
            "nelo": whole(nelo), "nelo_error": nelo_error, "llr": whole(trial.llr()),
            "lower": bounds.lower, "upper": bounds.upper,
            "verdict": league::verdict_name(trial.verdict()), "corrected": trial.corrected_json(),
            "different": different, "anchor": args.anchor,
            "faults": { "new": faults[0], "old": faults[1] },
            "dir": (!args.no_keep).then(|| store.dir().display().to_string()),
        }));
    }
    say_painted(&fitted(&test_summary::line(trial), room(&std::io::stdout())))?;
    let [ll, ld, even, wd, ww] = trial.pairs();
    say(&format!("pairs  LL {ll}, LD {ld}, WL or DD {even}, WD {wd}, WW {ww}"))?;
    for (name, faults) in [new, old].into_iter().zip(&faults) {
        let faults: Vec<String> =
            faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if !faults.is_empty() {
            say(&format!("faults of {name}: {}", faults.join(", ")))?;
        }
    }
    let games = trial.games().iter().sum::<u64>();
    if let Some(note) = league::repeats_note(games, different) {
        say(&note)?;
    }
    say(&test_summary::verdict(trial, new, old))?;
    if let (Some(anchor), Some(counts)) = (args.anchor, trial.counts()) {
        let plain = Summary::of(&counts);
        let (elo, interval) = trial
            .stopped()
            .map_or((plain.elo, plain.elo_interval), |stopped| (stopped.elo, stopped.interval));
        let end = |end: Option<f64>| end.map_or("unknown".to_owned(), |end| fixed(anchor + end, 0));
        say(&format!(
            "rating of {new}: {} ({} to {}), with {old} at {}",
            fixed(anchor + elo, 0),
            end(interval.low),
            end(interval.high),
            fixed(anchor, 0)
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use table::{Ink, Room};

    use super::fitted;

    #[test]
    fn progress_takes_two_lines_where_one_is_too_wide() {
        let words = "123456 games (+50000 =23456 -50000)  Elo +12.3 ± 4.5  LLR +0.25 [-2.94, 2.94]";
        let line = (words.to_owned(), crate::output::statistics::bar(0.25, -2.94, 2.94));
        assert_eq!(fitted(&line, Room { columns: 200, rows: 60 }).len(), 1);
        let narrow = fitted(&line, Room { columns: 80, rows: 24 });
        assert!(narrow.iter().all(|line| line.width() < 80), "{narrow:?}");
        assert!(narrow[1].text(Ink::Plain).starts_with("H0 ├"), "{narrow:?}");
    }
}
