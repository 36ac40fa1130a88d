//! `lanista run --dry-run`: what would be played, without playing it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use game::{Charge, Clock, PATIENCE};
use league::schedule::{BotId, Format};
use league::{
    Admitted, EventSpec, Folder, Forecast, Meeting, Stop, Store, TournamentFile, preview,
};
use serde_json::{Value, json};

use crate::Exit;
use crate::cli::RunArgs;
use crate::commands::run::{changes, concurrency, folder_name, unbalanced};
use crate::options::cage;
use crate::output::number::rounded;
use crate::output::setup_text::setup;
use crate::output::text::{count, wrapped};
use crate::output::text_table::{Align, in_blocks, short};
use crate::terminal::progress::span;
use crate::terminal::{self, say, say_json};

/// More meetings than this are a list that nobody reads.
const MOST_LINES: usize = 200;

/// Says what would be played.
pub(crate) fn dry_run(cup: TournamentFile, args: &RunArgs) -> Result<Exit> {
    let dir = match &args.dir {
        Some(dir) => dir.clone(),
        None => {
            let beside = args.file.parent().unwrap_or(Path::new(""));
            beside.join("runs").join(folder_name(&cup.name))
        }
    };
    let store = found(&dir, args)?;
    check_bots(&cup, args)?;
    let at_a_time = concurrency(args.concurrency.or(cup.concurrency), &cup.events);
    unbalanced(&cup);
    let (name, stop) = (cup.name.clone(), cup.stop);
    let known = store.as_ref().map_or(Ok(Vec::new()), Store::events)?;
    let mut events = Vec::new();
    for admitted in preview(cup, store.as_ref(), changes(args))? {
        let forecast = admitted.progress.forecast();
        let place = known.iter().position(|event| event.name == admitted.event.name);
        let card = admitted.event.game.card();
        let seconds = match (&store, place) {
            (Some(store), Some(place)) => store.seconds_a_game(place, &card)?,
            (Some(_) | None, _) => None,
        };
        let seed_known = admitted.event.seed.is_some() || place.is_some();
        let length = Length::of(&admitted.event, &forecast, seconds, at_a_time);
        events.push(PlannedEvent { admitted, forecast, length, seed_known });
    }
    let whole = PlannedTournament { name, dir, stop, at_a_time, events };
    match args.json {
        true => say_json(&whole.json())?,
        false => say(&whole.text())?,
    }
    Ok(Exit::Done)
}

/// The run that would be continued, if there is one. The folders that a file's name leads to are
/// gone through without following links, as when it is played.
fn found(dir: &Path, args: &RunArgs) -> Result<Option<Store>> {
    if args.dir.is_none() {
        let beside = args.file.parent().unwrap_or(Path::new(""));
        let mut folder = Folder::open(beside)
            .with_context(|| format!("cannot open the folder {}", beside.display()))?;
        for name in ["runs".into(), dir.file_name().unwrap_or_default().to_owned()] {
            let at = folder.at(&name);
            folder = match folder.inside(&name) {
                Ok(inside) => inside,
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot open {}", at.display()));
                }
            };
        }
    }
    match dir.join("run.db").exists() {
        true => Ok(Some(Store::open_to_read(dir)?)),
        false => Ok(None),
    }
}

/// What is refused before a run begins is refused here. Nothing is built: whether a program that
/// has to be built will be there is not known.
fn check_bots(cup: &TournamentFile, args: &RunArgs) -> Result<()> {
    let exe = std::env::current_exe().context("cannot find the file of this program")?;
    let terms = cage::terms(&args.cage, &exe, None)?;
    for bot in cup.events.iter().flat_map(|event| &event.bots) {
        bot.spec.check_grants(&terms)?;
        bot.spec.check_access(&terms, &exe)?;
    }
    Ok(())
}

/// A tournament that would be played.
struct PlannedTournament {
    name: String,
    dir: PathBuf,
    stop: Stop,
    at_a_time: usize,
    events: Vec<PlannedEvent>,
}

/// One of its events.
struct PlannedEvent {
    admitted: Admitted,
    forecast: Forecast,
    length: Length,
    /// Whether its seed is known before it is started.
    seed_known: bool,
}

/// How long what is left of an event may take, and from what that is known.
struct Length {
    /// By the mean of the games that are finished, for the games that are certain.
    expected: Option<f64>,
    /// How long a game took on average.
    mean: Option<f64>,
    /// What the clocks allow at most, without the time that programs need to start.
    most: Option<f64>,
    /// What the clocks allow for one game, in words.
    clocks: String,
}

impl Length {
    fn of(event: &EventSpec, forecast: &Forecast, mean: Option<f64>, at_a_time: usize) -> Length {
        let (clock, seats) = (event.clock, event.seats as f64);
        let slack = match clock.charge {
            Charge::Wall => 1.0,
            Charge::Cpu => f64::from(PATIENCE),
        };
        // Where one player has many agents, each has its own clock.
        let one_each = event.setups.iter().all(|setup| {
            let needs = event.game.needs(setup, event.seats as u16);
            needs.is_ok_and(|needs| needs.most_actors as usize == event.seats)
        });
        // The longest that anybody has; none if somebody has no limit.
        let clocks = || event.bots.iter().map(|bot| bot.clock.unwrap_or(clock));
        let longest = |of: fn(Clock) -> Option<Duration>| {
            clocks().map(of).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
        };
        let (bank, turn) = (longest(|clock| clock.bank), longest(|clock| clock.turn));
        let by_bank = bank.filter(|_| one_each).map(|bank| {
            let words = format!("{} × {} ms for all moves", event.seats, bank.as_millis());
            (seats * bank.as_secs_f64() * slack, words)
        });
        let by_turns = turn.zip(event.adjudication.turns).map(|(turn, turns)| {
            let words = format!("{} of {} ms", count(turns.into(), "turn"), turn.as_millis());
            let limit = turn + clock.margin;
            (f64::from(turns) * limit.as_secs_f64() * slack, words)
        });
        let shortest = by_bank.into_iter().chain(by_turns).min_by(|a, b| a.0.total_cmp(&b.0));
        let at_a_time = at_a_time as f64;
        let clocks = match (&shortest, clock.turn) {
            (Some((_, words)), _) => words.clone(),
            (None, Some(_)) => "the clock limits a move, and nothing limits the moves".to_owned(),
            (None, None) => "nothing limits the moves".to_owned(),
        };
        Length {
            expected: mean.map(|mean| forecast.least as f64 * mean / at_a_time),
            mean,
            most: shortest
                .zip(forecast.most)
                .map(|((game, _), games)| games as f64 * game / at_a_time),
            clocks,
        }
    }

    fn words(&self, forecast: &Forecast, at_a_time: usize) -> Vec<String> {
        let at_a_time = format!("{} at a time", count(at_a_time as u64, "game"));
        let mut lines = Vec::new();
        if let (Some(expected), Some(mean)) = (self.expected, self.mean) {
            lines.push(format!(
                "about {}, {at_a_time}: the {} finished took {mean:.2} s each",
                span(expected),
                count(forecast.finished, "game")
            ));
        }
        lines.push(match self.most {
            Some(most) => format!(
                "at most {}, {at_a_time}: {} of {}",
                span(most),
                count(forecast.most.unwrap_or(0), "game"),
                self.clocks
            ),
            None if forecast.most.is_none() => "without end".to_owned(),
            None => format!("no bound: {}", self.clocks),
        });
        lines
    }
}

impl PlannedTournament {
    fn text(&self) -> String {
        let width = terminal::columns();
        let mut text = wrapped(
            &format!("{}: dry run; nothing is played, nothing is written", self.name),
            2,
            width,
        );
        for event in &self.events {
            text += &format!("\n\n{}", self.event_text(event, width));
        }
        if self.events.len() > 1 {
            let sum = |of: &dyn Fn(&PlannedEvent) -> Option<f64>| self.events.iter().map(of).sum();
            let most: Option<f64> = sum(&|event| event.length.most);
            let expected: Option<f64> = sum(&|event| event.length.expected);
            let games: u64 = self.events.iter().map(|event| event.forecast.least).sum();
            let mut line = format!("all events: {} to play", count(games, "game"));
            line.extend(expected.map(|seconds| format!(", about {}", span(seconds))));
            line.extend(most.map(|seconds| format!(", at most {}", span(seconds))));
            text += &format!("\n\n{}", wrapped(&line, 2, width));
        }
        text
    }

    fn event_text(&self, planned: &PlannedEvent, width: usize) -> String {
        let PlannedEvent { admitted, forecast, length, .. } = planned;
        let event = &admitted.event;
        let mut lines = vec![planned.heading()];
        let mut term = |what: &str, how: &str| {
            let how = wrapped(how, 12, width.saturating_sub(12));
            lines.push(format!("  {what:<9} {how}"));
        };
        let folder = self.dir.display().to_string();
        match forecast.finished {
            0 => term("run", &format!("{folder}, no game finished")),
            some => term("run", &format!("{folder}, {} finished", count(some, "game"))),
        }
        match planned.seed_known {
            true => term("seed", &admitted.seed.to_string()),
            false => term("seed", "drawn at the first start"),
        }
        term("bots", &format!("{}, {} in a game", admitted.bots.len(), event.seats));
        for (number, variant) in (1..).zip(&event.setups) {
            let what = match event.setups.len() {
                1 => "set-up".to_owned(),
                _ => format!("set-up {number}"),
            };
            term(&what, &setup(variant));
        }
        term("clock", &event.clock.to_string());
        for bot in &admitted.bots {
            let own = bot.clock.map(|clock| league::own_clock(&bot.spec.name, clock));
            own.iter().for_each(|own| term("clock", own));
        }
        for words in length.words(forecast, self.at_a_time) {
            term("length", &words);
        }
        for words in self.stops() {
            term("stop", &words);
        }
        for bot in admitted.bots.iter().filter(|bot| bot.spec.build.is_some()) {
            term("build", &format!("{}, before the first game if need be", bot.spec.name));
        }
        if forecast.drawn > 0 {
            lines.push(format!("\n{}", planned.faces(width)));
            lines.push(format!("\n{}", planned.meetings(width)));
        }
        if let Some(later) = planned.later() {
            lines.push(wrapped(&later, 2, width));
        }
        lines.join("\n")
    }

    fn stops(&self) -> Vec<String> {
        let Stop { games, minutes, rating_error, faults, .. } = self.stop;
        let mut words = Vec::new();
        words.extend(games.map(|games| format!("after {} of each event", count(games, "game"))));
        words.extend(minutes.map(|minutes| format!("after {minutes} minutes of a sitting")));
        words.extend(
            rating_error.map(|error| format!("when no rating is off by more than {error}")),
        );
        words.extend(
            faults.map(|games| format!("for a bot that has failed in {}", count(games, "game"))),
        );
        words
    }

    fn json(&self) -> Value {
        let events: Vec<Value> = self.events.iter().map(PlannedEvent::json).collect();
        json!({
            "v": 1, "name": self.name, "dir": self.dir.display().to_string(),
            "concurrency": self.at_a_time, "events": events,
        })
    }
}

impl PlannedEvent {
    fn name(&self, bot: BotId) -> &str {
        &self.admitted.bots[bot.index()].spec.name
    }

    fn heading(&self) -> String {
        let event = &self.admitted.event;
        let name = match event.name == event.game.card().id {
            true => event.name.clone(),
            false => format!("{} ({})", event.name, event.game.card().id),
        };
        if event.test.is_some() {
            let most = self.forecast.most.map_or(String::new(), |most| format!(", at most {most}"));
            return format!("{name}, test: games until it is decided{most}");
        }
        let games = match (self.forecast.least, self.forecast.most) {
            (_, None) => "without end".to_owned(),
            (least, Some(most)) if most > least => {
                format!("{least} to {} to play", count(most, "game"))
            }
            (least, Some(_)) => format!("{} to play", count(least, "game")),
        };
        format!("{name}, {}: {games}", event.format.name())
    }

    /// What each bot has before it.
    fn faces(&self, width: usize) -> String {
        let bots = &self.forecast.bots;
        let cells = |cell: &dyn Fn(usize) -> String| (0..bots.len()).map(cell).collect::<Vec<_>>();
        let left = [("bot", Align::Left, cells(&|bot| short(self.name(BotId(bot as u32)))))];
        let mut columns = vec![
            ("games".to_owned(), cells(&|bot| bots[bot].games.to_string())),
            ("opponents".to_owned(), cells(&|bot| bots[bot].rivals.len().to_string())),
        ];
        for seat in 0..self.admitted.event.seats {
            let title = format!("seat {}", seat + 1);
            columns.push((title, cells(&|bot| bots[bot].seats[seat].to_string())));
        }
        let variants = self.admitted.event.setups.len();
        for variant in (0..variants).filter(|_| variants > 1) {
            let title = format!("set-up {}", variant + 1);
            columns.push((title, cells(&|bot| bots[bot].variants[variant].to_string())));
        }
        in_blocks(&left, &columns, width)
    }

    /// Who meets whom.
    fn meetings(&self, width: usize) -> String {
        let mut last = None;
        let mut lines = vec!["who meets whom".to_owned()];
        for Meeting { round, group, games } in self.forecast.meetings.iter().take(MOST_LINES) {
            if last != *round
                && let Some(round) = round
            {
                lines.push(format!("round {}", round + 1));
            }
            last = *round;
            let names: Vec<String> = group.iter().map(|bot| short(self.name(*bot))).collect();
            let line = format!("  {}: {}", names.join(" – "), count(*games, "game"));
            lines.push(wrapped(&line, 4, width));
        }
        let more = self.forecast.meetings.len().saturating_sub(MOST_LINES);
        if more > 0 {
            lines.push(format!("… and {more} more; --json lists all"));
        }
        lines.join("\n")
    }

    /// What can be said of games that depend on results.
    fn later(&self) -> Option<String> {
        if self.forecast.drawn == 0 {
            return Some("nothing is left to play".to_owned());
        }
        let later = self.forecast.least.saturating_sub(self.forecast.drawn);
        match self.admitted.event.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => None,
            Format::Swiss { .. } if later == 0 => None,
            Format::Swiss { .. } => Some(format!(
                "then {later} games in rounds that are drawn up from the results: those of about \
                 the same score, nobody twice"
            )),
            Format::Knockout { extra, .. } => {
                let then = match later {
                    0 => String::new(),
                    _ => format!("then {later} games between those who win; "),
                };
                Some(format!("{then}a tied meeting goes on for up to {extra} pairs of games"))
            }
            Format::Ladder { .. } => Some(
                "then stage after stage where the order is most uncertain, and everybody plays in \
                 each"
                    .to_owned(),
            ),
        }
    }

    fn json(&self) -> Value {
        let PlannedEvent { admitted, forecast, length, seed_known } = self;
        let event = &admitted.event;
        let meeting = |Meeting { round, group, games }: &Meeting| {
            let bots: Vec<&str> = group.iter().map(|bot| self.name(*bot)).collect();
            json!({ "round": round.map(|round| round + 1), "bots": bots, "games": games })
        };
        let bot = |(number, ahead): (u32, &league::BotForecast)| {
            let opponents: serde_json::Map<String, Value> = ahead
                .rivals
                .iter()
                .map(|(rival, games)| (self.name(*rival).to_owned(), json!(games)))
                .collect();
            json!({
                "name": self.name(BotId(number)), "games": ahead.games, "seats": ahead.seats,
                "setups": ahead.variants, "opponents": opponents,
            })
        };
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| rounded(seconds, 3));
        json!({
            "event": event.name, "game": event.game.card().id, "format": event.format.name(),
            "seed": seed_known.then_some(admitted.seed), "seats": event.seats,
            "setups": event.setups, "clock": event.clock, "finished": forecast.finished,
            "games": { "least": forecast.least, "most": forecast.most, "drawn_up": forecast.drawn },
            "length": {
                "expected_s": seconds(length.expected), "mean_game_s": seconds(length.mean),
                "most_s": seconds(length.most), "clocks": length.clocks,
            },
            "bots": (0..).zip(&forecast.bots).map(bot).collect::<Vec<_>>(),
            "meetings": forecast.meetings.iter().map(meeting).collect::<Vec<_>>(),
        })
    }
}
