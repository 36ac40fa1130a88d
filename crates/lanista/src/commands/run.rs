//! `lanista run`.

mod dry_run;
mod hook;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use host::{BotSpec, LivePlace, LiveServer};
use league::schedule::BotId;
use league::{
    Admitted, BotEntry, Changes, Control, EndReason, EventSpec, Folder, LiveTable, Lock, Mode,
    RunOptions, Store, Tournament, TournamentEnd, TournamentError, TournamentFile, admit,
};
use table::picture::{cut, pad};
use table::{Line, Room};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::{CageOptions, ClusterRunOptions, RunArgs};
use crate::commands::cluster::ClusterRun;
use crate::commands::run::hook::Hook;
use crate::commands::standings;
use crate::options::{bots, cage, processes};
use crate::output::test_summary;
use crate::output::text::count;
use crate::terminal::progress::{Pace, Progress, Wanted};
use crate::terminal::{complain, remark};
use crate::web_page::{WebPage, view_of_run};

pub(crate) fn run(args: &RunArgs, catalogue: Catalogue) -> Result<Exit> {
    let cup = TournamentFile::read(&args.file, catalogue.games())?;
    if args.dry_run {
        return dry_run::dry_run(cup, args);
    }
    let dir = match &args.dir {
        Some(dir) => Folder::make(dir).with_context(|| format!("cannot make {}", dir.display()))?,
        None => usual_folder(&args.file, &cup.name)?,
    };
    let dir = dir.path();
    unbalanced(&cup);
    let show = if args.quiet { OutputLevel::Nothing } else { OutputLevel::ProgressAndTable };
    let page = WebPage::start(&args.page, dir, &view_of_run())?;
    let options = PlayOptions {
        concurrency: args.concurrency,
        cage: &args.cage,
        hook: args.hook.as_deref(),
        elsewhere: args.elsewhere.cluster.is_some().then_some((&args.elsewhere, catalogue)),
    };
    let ending = play(cup, dir, changes(args), show, &options)?;
    if let Some(page) = page {
        page.keep(ending);
    }
    Ok(ending)
}

pub(crate) fn changes(args: &RunArgs) -> Changes {
    if args.accept_changes { Changes::Accepted } else { Changes::Refused }
}

/// The folder of a run that nobody has named: `runs/NAME` beside the file. Whoever made the file
/// may have put something else there.
pub(crate) fn usual_folder(file: &Path, name: &str) -> Result<Folder> {
    let beside = file.parent().unwrap_or(Path::new(""));
    let mut folder = Folder::open(beside)
        .with_context(|| format!("cannot open the folder {}", beside.display()))?;
    for name in ["runs", &folder_name(name)] {
        let failed = || format!("cannot make the folder {}", folder.at(name).display());
        folder = folder.make_inside(name).with_context(failed)?;
    }
    Ok(folder)
}

/// What the folder of a run is called whose tournament has this name.
pub(crate) fn folder_name(name: &str) -> String {
    name.replace('/', "-")
}

/// What is shown of a tournament while and after it is played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputLevel {
    Nothing,
    Progress,
    ProgressAndTable,
}

/// How a tournament is played, as far as its file does not say.
pub(crate) struct PlayOptions<'a> {
    /// How many games at a time.
    pub(crate) concurrency: Option<u16>,
    /// How bots are shut in.
    pub(crate) cage: &'a CageOptions,
    /// What is run after every game.
    pub(crate) hook: Option<&'a str>,
    /// The machines that play, if others do, and the games that can be played.
    pub(crate) elsewhere: Option<(&'a ClusterRunOptions, Catalogue)>,
}

impl<'a> PlayOptions<'a> {
    /// Here, without more than is needed.
    pub(crate) fn here(concurrency: Option<u16>, cage: &'a CageOptions) -> PlayOptions<'a> {
        PlayOptions { concurrency, cage, hook: None, elsewhere: None }
    }
}

/// Plays what is left of a tournament.
pub(crate) fn play(
    cup: TournamentFile,
    dir: &Path,
    changes: Changes,
    show: OutputLevel,
    options: &PlayOptions<'_>,
) -> Result<Exit> {
    let PlayOptions { concurrency: asked, cage, hook, elsewhere } = *options;
    let hook = hook.map(hook::words).transpose()?;
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let _lock = Lock::take(dir)?;
    let mut store = Store::open(dir)?;
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    // Nobody sees what has been played.
    let hidden = dir.canonicalize().with_context(|| format!("cannot find {}", dir.display()))?;
    // What was said to the run itself counts more than its file.
    let given = asked.or(league::concurrency(&store.journal()?)).or(cup.concurrency);
    let live = LiveServer::start(&LivePlace::Run(dir.to_owned()), "run");
    if let Err(error) = &live {
        remark(&format!("games cannot be watched from another terminal: {error}"));
    }
    let watchable = live.as_ref().ok().map(|server| server.games().clone());
    let remote = elsewhere
        .map(|(options, catalogue)| {
            ClusterRun::start(options, cage, &cup, dir, catalogue, watchable.clone())
        })
        .transpose()?;
    let remote = remote.map(Arc::new);
    let local = elsewhere.map(|(options, _)| usize::from(options.local.unwrap_or(0)));
    let means = RunOptions {
        remote: remote.as_ref().map(|remote| remote.players()),
        live: watchable,
        concurrency: local.unwrap_or_else(|| concurrency(given, &cup.events)),
        stop: cup.stop,
        cage: cage::terms(cage, &exe, Some(&hidden))?,
        manner: cup.manner,
        exe,
    };
    // Before anything of the bots is looked at.
    check_grants(cup.events.iter().flat_map(|event| &event.bots), &means)?;
    let events = admit(cup, &mut store, changes)?;
    check_grants(events.iter().flat_map(still_there), &means)?;
    if show == OutputLevel::ProgressAndTable {
        say_seeds(&events);
    }
    let tournament = Arc::new(Tournament::new(events, &means));
    let control = Control::listen(dir, tournament.clone());
    if let Err(error) = &control {
        remark(&format!("`lanista ctl` will not work: {error}"));
    }
    host::catch_interrupts();
    let before = tournament.status();
    if before.games > 0 && show == OutputLevel::ProgressAndTable {
        let are = if before.games == 1 { "is" } else { "are" };
        remark(&format!("{} {are} there already", count(before.games, "game")));
    }
    let wanted = if show == OutputLevel::Nothing { Wanted::No } else { Wanted::Yes };
    let (shown, pace) = (tournament.clone(), Pace::new(before.games));
    let counted = tournament.clone();
    let share = move || {
        let status = counted.status();
        status.scheduled.map(|all| status.games as f64 / all.max(1) as f64)
    };
    let players = remote.clone();
    let lines = move |room| {
        let status = shown.status();
        let remark = match status.mode {
            Mode::Playing => players.as_ref().map_or(String::new(), |players| players.line()),
            Mode::Paused if status.under_way > 0 => "pausing".to_owned(),
            Mode::Paused | Mode::Changing | Mode::Stopping => status.mode.name().to_owned(),
        };
        let mut lines = vec![pace.line(status.games, status.scheduled, &remark, room)];
        lines.extend(below(&shown.live(), room));
        lines
    };
    let mut progress = Progress::with_share(wanted, lines, share);
    let hook = hook.map(|words| Hook::start(words, dir)).transpose()?;
    let played = tournament.play(&mut store, &means, &mut |_| {
        if let Some(hook) = &hook {
            hook.kept();
        }
    });
    progress.end();
    if let (Some(remote), Ok(TournamentEnd { how: EndReason::Complete, .. })) = (&remote, &played) {
        remote.finish();
    }
    drop(control);
    if let Some(hook) = hook {
        let how = match &played {
            Ok(TournamentEnd { how: EndReason::Complete, .. }) => "complete",
            Ok(TournamentEnd { how: EndReason::Stopped, .. }) => "stopped",
            Ok(TournamentEnd { how: EndReason::Interrupted, .. }) => "interrupted",
            Err(_) => "failed",
        };
        hook.end(how, league::Standings::of(&store)?.to_json());
    }
    end(played, &store, dir, show)
}

/// The bots of an event but for those that have left.
fn still_there(event: &Admitted) -> impl Iterator<Item = &BotEntry> {
    let there = |bot: usize| !event.progress.plan().has_left(BotId(bot as u32));
    event.bots.iter().enumerate().filter(move |(bot, _)| there(*bot)).map(|(_, entry)| entry)
}

fn check_grants<'a>(bots: impl Iterator<Item = &'a BotEntry>, means: &RunOptions) -> Result<()> {
    for bot in bots {
        if means.concurrency == 0 {
            // Whoever plays it builds it.
            continue;
        }
        bot.spec.check_grants(&means.cage)?;
        bots::build_bot(&bot.spec, &means.cage, &means.exe)?;
        bot.spec.check_access(&means.cage, &means.exe)?;
    }
    Ok(())
}

/// Seeds that the file does not give stay with the run, and are needed to play it again elsewhere.
fn say_seeds(events: &[Admitted]) {
    for Admitted { event, seed, .. } in events.iter().filter(|one| one.event.seed.is_none()) {
        let whose = if events.len() > 1 { format!("{}: ", event.name) } else { String::new() };
        remark(&format!("{whose}seed = {seed}, drawn for this run"));
    }
}

fn end(
    played: Result<TournamentEnd, TournamentError>,
    store: &Store,
    dir: &Path,
    show: OutputLevel,
) -> Result<Exit> {
    if show == OutputLevel::ProgressAndTable {
        let whole = standings::print(store)?;
        if !whole && matches!(&played, Ok(TournamentEnd { how: EndReason::Complete, .. })) {
            remark("[stop] has ended it; raise the limit there and run it again to continue");
        }
        remark(&format!("`lanista standings {}` shows more", quoted(dir)));
    }
    let ended = match played {
        Ok(ended) => ended,
        Err(
            error @ (TournamentError::Setup { .. }
            | TournamentError::Options { .. }
            | TournamentError::NotBegun { .. }
            | TournamentError::Remote(_)
            | TournamentError::Changed { .. }),
        ) => {
            return Err(error.into());
        }
        Err(
            error @ (TournamentError::NotKept(_)
            | TournamentError::Void { .. }
            | TournamentError::Run(_)
            | TournamentError::Panic(_)),
        ) => {
            complain(&format!("{:#}", anyhow!(error)));
            complain("what was kept before counts; correct this and run it again to continue");
            return Ok(Exit::Failed);
        }
    };
    if ended.voids > 0 {
        remark(&format!("{} void and played again", count(ended.voids, "game")));
    }
    match ended.how {
        EndReason::Interrupted => {
            remark("interrupted; run it again to continue");
            return Ok(Exit::Interrupted);
        }
        EndReason::Stopped if show != OutputLevel::Progress => {
            remark("stopped; run it again to continue")
        }
        EndReason::Stopped | EndReason::Complete => {}
    }
    Ok(match ended.not_started {
        Some(detail) => {
            complain(&detail);
            Exit::Usage
        }
        None => Exit::Done,
    })
}

/// A path as it can be typed.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%".contains(letter);
    match path.chars().all(plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

/// Rounds that leave somebody more often in one seat than in another deserve a word.
pub(crate) fn unbalanced(cup: &TournamentFile) {
    for event in &cup.events {
        let (games, key) = match event.format {
            league::schedule::Format::RoundRobin { rounds }
            | league::schedule::Format::Gauntlet { rounds, .. } => (rounds, "rounds"),
            league::schedule::Format::Swiss { games, .. }
            | league::schedule::Format::Knockout { games, .. }
            | league::schedule::Format::Ladder { games } => (games, "games"),
        };
        if !games.is_multiple_of(event.seats as u32) {
            remark(&format!(
                "{}: {key} = {games} is not a multiple of {} seats: not everybody sits everywhere \
                 equally often",
                event.name, event.seats
            ));
        }
    }
}

/// As many games at a time as there are cores for, at the most demanding table.
pub(crate) fn concurrency(given: Option<u16>, events: &[EventSpec]) -> usize {
    let of = |event: &EventSpec| {
        let mut bots: Vec<BotSpec> = event.bots.iter().map(|entry| entry.spec.clone()).collect();
        bots.sort_by_key(|bot| std::cmp::Reverse(bot.limits.cores));
        bots.truncate(event.seats);
        processes::concurrency(given, &event.game.card(), &bots)
    };
    match given {
        Some(_) => events.first().map_or(1, of),
        None => events.iter().map(of).min().unwrap_or(1),
    }
}

/// The tables so far, in a few lines: never more than half of the terminal. Events that have no
/// room are counted.
fn below(tables: &[LiveTable], room: Room) -> Vec<Line> {
    const NAME: usize = 30;
    let most = (room.rows / 2).min(20);
    let mut lines = Vec::new();
    let begun: Vec<&LiveTable> =
        tables.iter().filter(|table| table.rows.iter().any(|row| row.2 > 0)).collect();
    let share = (most / begun.len().max(1)).max(4);
    for (number, table) in begun.iter().enumerate() {
        // There is room for the line about the others, too.
        let others = usize::from(number + 1 < begun.len());
        if lines.len() + share + others > most && number > 0 {
            lines.push(Line::plain(&format!("  … and {} more events", begun.len() - number)));
            break;
        }
        if tables.len() > 1 {
            lines.push(Line::plain(&format!("  {}", table.event)));
        }
        if let Some(trial) = &table.trial {
            let (words, bar) = test_summary::line(trial);
            lines.extend([words, bar].map(|text| Line::plain(&format!("  {text}"))));
            continue;
        }
        let rows = share - usize::from(tables.len() > 1);
        let fits = table.rows.len() <= rows;
        let shown = if fits { rows } else { rows - 1 };
        for (name, points, games) in table.rows.iter().take(shown) {
            let name = pad(&cut(name, NAME), NAME);
            lines.push(Line::plain(&format!("  {name} {points:>8.1} / {games}")));
        }
        if !fits {
            lines.push(Line::plain(&format!("  … and {} more", table.rows.len() - shown)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bot_and_event_is_shown_or_counted() {
        let live = |event: usize, bots: usize| LiveTable {
            event: format!("event {event}"),
            rows: (0..bots).map(|bot| (format!("bot {bot}"), 1.0, 1)).collect(),
            trial: None,
        };
        let texts = |tables: &[LiveTable], rows| -> Vec<String> {
            let lines = below(tables, Room { columns: 80, rows });
            lines.iter().map(|line| line.text(table::Ink::Plain)).collect()
        };
        let one = texts(&[live(0, 14)], 24);
        assert_eq!(one.len(), 12, "{one:?}");
        assert_eq!(one.last().map(String::as_str), Some("  … and 3 more"));
        for (events, rows) in (1..12).flat_map(|events| [(events, 20), (events, 24), (events, 60)])
        {
            let tables: Vec<LiveTable> = (0..events).map(|event| live(event, 5)).collect();
            let lines = texts(&tables, rows);
            assert!(lines.len() <= rows / 2, "{rows}: {lines:?}");
            let headed = lines.iter().filter(|line| line.contains("event ")).count();
            let counted = lines.last().and_then(|line| {
                line.strip_prefix("  … and ")?.strip_suffix(" more events")?.parse().ok()
            });
            // A single event needs no heading.
            assert_eq!(headed.max(1) + counted.unwrap_or(0), events, "{lines:?}");
        }
    }
}
