//! `lanista demo`: a small tournament in every game.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use league::schedule::Format;
use league::{BotEntry, Changes, EventSpec, Stop, Store, TournamentFile};
use table::{AnyGame, AskedAdjudication};

use crate::Exit;
use crate::catalogue::Catalogue;
use crate::cli::{CageOptions, DemoArgs, TierName};
use crate::commands::run::{OutputLevel, PlayOptions, play};
use crate::commands::{replay, standings};
use crate::output::text::wrapped;
use crate::terminal::{columns, room, say, say_painted};
use crate::web_page::WebPage;

/// All games together take no longer than this, a last game each aside.
const TIME: Duration = Duration::from_secs(24);
/// So much of it is left for each game that is still to come, however long those before it take.
const PROMISED: Duration = Duration::from_secs(3);
/// Time for a move: enough to play well, and never long to watch.
const MOVE: Duration = Duration::from_millis(40);
/// Nobody is to lose on time on a busy machine: these bots are ours.
const MARGIN: Duration = Duration::from_millis(500);
/// No more bots than this in one cup.
const BOTS: usize = 4;

/// A folder that is removed when dropped, unless somebody wants to keep it.
struct DemoFolder {
    path: PathBuf,
    keep: bool,
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

pub(crate) fn demo(args: &DemoArgs, catalogue: Catalogue) -> Result<Exit> {
    let temporary = || std::env::temp_dir().join(format!("lanista-demo-{}", std::process::id()));
    let folder =
        DemoFolder { path: args.dir.clone().unwrap_or_else(temporary), keep: args.dir.is_some() };
    std::fs::create_dir_all(&folder.path)?;
    let page = WebPage::start(&args.page, &folder.path, "#/")?;
    let mut first_cup = None;
    let began = Instant::now();
    for (index, game) in catalogue.games().iter().enumerate() {
        let to_come = (catalogue.games().len() - index - 1) as u32;
        let share = TIME.saturating_sub(began.elapsed()).saturating_sub(PROMISED * to_come);
        let card = game.card();
        say(&wrapped(&format!("── {}: {}", card.id, card.about), 3, columns()))?;
        let dir = folder.path.join(card.id);
        // Only built-in bots play, which need no walls.
        let cage = CageOptions { tier: Some(TierName::E), ..CageOptions::default() };
        let cup = cup(*game, share);
        let ending = play(
            cup,
            &dir,
            Changes::Refused,
            OutputLevel::Progress,
            &PlayOptions::here(None, &cage),
        )?;
        if ending != Exit::Done {
            return Ok(ending);
        }
        standings::print(&Store::open_to_read(&dir)?)?;
        say("")?;
        first_cup.get_or_insert(dir);
    }
    if let Some(dir) = first_cup {
        show_a_game(&dir, catalogue)?;
    }
    say("\nWhat next:")?;
    let first = catalogue.first().card();
    let bots: Vec<String> =
        first.bots.iter().rev().take(2).map(|bot| format!("builtin:{}", bot.name)).collect();
    say(&format!("  lanista play {} {} --watch   watch a game", first.id, bots.join(" ")))?;
    say(&format!("  lanista play {} \"python3 mybot.py\" {}   your own bot", first.id, bots[0]))?;
    say("  lanista run cup.toml   a tournament of your own; docs/tournaments.md says how")?;
    if let Some(page) = page {
        page.keep(Exit::Done);
    }
    Ok(Exit::Done)
}

/// Everybody meets everybody: the strongest built-in bots, and as many as it takes.
fn cup(game: &'static dyn AnyGame, time: Duration) -> TournamentFile {
    let card = game.card();
    let seats = usize::from(card.usual_players.max(2));
    let names: Vec<&str> = card.bots.iter().map(|bot| bot.name).collect();
    let wanted = names.len().min(BOTS).max(seats);
    // If there are too few, some play twice.
    let mut bots: Vec<BotEntry> = Vec::new();
    for name in names.iter().rev().cycle().take(wanted) {
        let text = format!("builtin:{name}");
        let spec = host::BotSpec::parse(&text, Path::new("."));
        bots.extend(spec.ok().map(|spec| BotEntry::new(spec, text)));
    }
    host::unique_names(bots.iter_mut().map(|bot| &mut bot.spec));
    let mut clock = card.clock;
    clock.turn = Some(clock.turn.map_or(MOVE, |turn| turn.min(MOVE)));
    clock.margin = MARGIN;
    TournamentFile {
        name: format!("{} demo", card.id),
        concurrency: None,
        stop: Stop { minutes: Some(time.as_secs_f64() / 60.0), ..Stop::default() },
        manner: league::ProcessOptions::default(),
        cluster: league::ClusterTerms::default(),
        events: vec![EventSpec {
            manner: league::ProcessOptions::default(),
            name: card.id.to_owned(),
            game,
            format: Format::RoundRobin { rounds: 2 * seats as u32 },
            seats,
            pairing: Default::default(),
            tiebreaks: None,
            seed: Some(1),
            weights: Vec::new(),
            setups: vec![(game.card().quick)()],
            clock,
            adjudication: AskedAdjudication::default(),
            limits: host::AskedLimits::default(),
            open_games: None,
            priority: 0,
            bots,
            test: None,
        }],
        text: String::new(),
        base: PathBuf::from("."),
        path: PathBuf::new(),
    }
}

/// The last position of the longest game of a cup.
fn show_a_game(dir: &Path, catalogue: Catalogue) -> Result<()> {
    let store = Store::open_to_read(dir)?;
    let reports: Vec<_> = store.reports_in_order(0)?.collect::<Result<_, _>>()?;
    let Some(longest) = reports.iter().max_by_key(|report| report.turns) else { return Ok(()) };
    let bytes = store.replay(&longest.id)?;
    let mut replay = replay::open(&bytes, catalogue)?;
    let names: Vec<String> = replay.header().players.iter().map(|p| p.name.clone()).collect();
    let last = replay.len();
    let steps = game::count(last as u64, "step");
    say(&format!("── a game out of its replay: {}, after {steps}", names.join(" – ")))?;
    // The heading above and the hints below are to be seen as well.
    let room = room(&std::io::stdout()).without(0, 7);
    say_painted(&replay.draw(last, room).lines(room))?;
    Ok(())
}
