//! `lanista test`: games until it is known whether the new bot is stronger.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use game::{FaultKind, Seed, Verdict};
use host::{Finished, Job, Run, Source};
use league::Folder;
use league::schedule::share;
use serde_json::{Map, Value, json};
use stats::{Counts, Model, Overshoot, Sequence, Summary};
use table::{Adjudication, AnyGame, Entrant, Line, Room, Terms};

use crate::cli::Test;
use crate::number::{signed, whole};
use crate::progress::{Progress, Wanted};
use crate::statistics::{bar, verdict_name};
use crate::terminal::{complain, remark, room, say, say_json, say_painted};
use crate::words::count;
use crate::{Ending, cage, keep, plan, play, ponder, setup, statistics};

pub(crate) fn test(args: &Test) -> Result<Ending> {
    let test = statistics::test(&args.hypotheses)?;
    let game = setup::find_game(&args.game)?;
    let card = game.card();
    let config = setup::read(game, &args.setup)?;
    let seats = usize::from(args.seats.unwrap_or(card.usual_players).max(2));
    // The new bot, and a copy of the old one for every other seat.
    let mut bots = vec![args.new.clone()];
    bots.resize(seats, args.old.clone());
    let roster = plan::roster(&bots, &card, &plan::limits(&args.time))?;
    game.check(&config, seats as u16)?;
    if let Some(folder) = &args.out {
        play::replay_folder(Some(folder))?;
    }
    let exe = std::env::current_exe().context("cannot find this very program")?;
    let run = Run {
        concurrency: ponder::concurrency(args.concurrency, &args.manner, &card, &roster),
        placement: ponder::placement(&args.manner)?,
        cage: cage::terms(&args.cage, &exe, args.out.as_deref())?,
        exe: Some(exe),
        scratch: plan::scratch(&roster)?,
        pondering: ponder::pondering(&args.manner),
        roster,
    };
    ponder::check_cores(&run)?;
    plan::build(&run)?;
    plan::room(game, &config, &run)?;
    let adjudication = plan::adjudication(&args.adjudicate, game, &config, seats)?;
    let games = Games {
        game,
        adjudication,
        config: Arc::new(config),
        clock: plan::clock(&args.time, card.clock),
        seed: args.seed.unwrap_or_else(host::random_seed),
        entrants: plan::entrants(&run, plan::reuse(&args.manner))?,
        record: args.out.is_some(),
        queue: Mutex::new(Queue { next: 0, end: args.max_games / 2 * 2, again: Vec::new() }),
    };
    host::catch_interrupts();
    let overshoot = if args.siegmund { Overshoot::Corrected } else { Overshoot::Ignored };
    let mut trial = Trial::new(Sequence::new(test, overshoot), test.model, games.seed, args);
    loop {
        run.play_from(&games, None, |finished| trial.take(finished, &games))?;
        // A void game may have come back when nobody was asking any more.
        if trial.over() || games.queue().again.is_empty() || host::interrupted() {
            break;
        }
    }
    trial.end(&run)
}

/// Where the new bot sits in a game, and which seed it has. The two games of a pair are those from
/// seats that mirror each other; with an odd number of seats the games from the middle one make
/// pairs of two seeds.
fn place(game: u64, seats: u64) -> (u64, u64) {
    let seats_of_pair = |pair: u64, second: u64| if second == 0 { pair } else { seats - 1 - pair };
    let (second, pairs) = (game % 2, seats / 2);
    if seats.is_multiple_of(2) {
        let (seed, pair) = (game / seats, game % seats / 2);
        return (seed, seats_of_pair(pair, second));
    }
    let (block, within) = (game / (2 * seats), game % (2 * seats) / 2);
    match within / pairs {
        round @ (0 | 1) => (2 * block + round, seats_of_pair(within % pairs, second)),
        _ => (2 * block + second, pairs),
    }
}

/// The games of a test, in order; void ones again.
struct Games {
    game: &'static dyn AnyGame,
    config: Arc<Map<String, Value>>,
    clock: game::Clock,
    adjudication: Adjudication,
    seed: u64,
    entrants: Vec<Entrant>,
    /// Whether what happens is kept for replays.
    record: bool,
    queue: Mutex<Queue>,
}

struct Queue {
    next: u64,
    end: u64,
    again: Vec<u64>,
}

impl Source for Games {
    fn next(&self) -> Option<Job> {
        let mut queue = self.queue();
        if let Some(index) = queue.again.pop() {
            return Some(self.job(index));
        }
        if queue.next == queue.end {
            return None;
        }
        queue.next += 1;
        Some(self.job(queue.next - 1))
    }

    fn at_hand(&self) -> Option<Job> {
        self.next()
    }
}

impl Games {
    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn job(&self, index: u64) -> Job {
        let seats = self.entrants.len();
        let (seed, seat) = place(index, seats as u64);
        let seed = Seed(self.seed).of_round(seed);
        // The copies of the old one keep their order.
        let mut bots: Vec<usize> = (1..seats).collect();
        bots.insert(seat as usize, 0);
        let entrants: Vec<Entrant> = bots.iter().map(|&bot| self.entrants[bot].clone()).collect();
        let terms = Terms {
            id: String::new(),
            seed,
            entrants,
            clock: self.clock,
            adjudication: self.adjudication,
            tournament: true,
            record: self.record,
        };
        let (game, config) = (self.game, self.config.clone());
        let card = game.card();
        let terms = terms.identified(card.id, &config, &format!("test {index}"));
        let alternating = card.alternating;
        Job {
            index,
            bots,
            alternating,
            table: Box::new(move || game.table(&config, terms.clone())),
        }
    }
}

/// A void game is tried so often.
const TRIES: u32 = 5;

/// A game that has been played.
struct Played {
    /// Half points of the new bot.
    result: usize,
    /// Faults by kind, of the new bot and of the old.
    faults: [Vec<(FaultKind, u64)>; 2],
}

/// The test as it goes on.
struct Trial<'a> {
    args: &'a Test,
    seed: u64,
    sequence: Sequence,
    model: Model,
    verdict: stats::Verdict,
    /// Pairs in which the new bot scored so many half points.
    pairs: [u64; 5],
    /// Losses, draws and wins of the new bot.
    games: [u64; 3],
    /// Games that finished before those they follow.
    early: BTreeMap<u64, Played>,
    /// Faults by kind, of the new bot and of the old.
    faults: [BTreeMap<FaultKind, u64>; 2],
    voids: BTreeMap<u64, u32>,
    next: u64,
    error: Option<anyhow::Error>,
    not_started: Option<String>,
    /// What the progress shows, and when that was worked out.
    latest: Arc<Mutex<(String, String)>>,
    shown: Option<Instant>,
    progress: Progress,
}

/// How often the progress is worked out anew.
const REFRESH: Duration = Duration::from_millis(100);

/// The progress of a test: in one line where there is room for it, otherwise in two.
fn fitted((words, bar): &(String, String), room: Room) -> Vec<Line> {
    let one = Line::plain(&format!("{words}  {bar}"));
    match one.width() < room.columns {
        true => vec![one],
        false => vec![Line::plain(words), Line::plain(bar)],
    }
}

impl<'a> Trial<'a> {
    fn new(sequence: Sequence, model: Model, seed: u64, args: &'a Test) -> Trial<'a> {
        let latest = Arc::<Mutex<(String, String)>>::default();
        let shared = latest.clone();
        let wanted = if args.quiet { Wanted::No } else { Wanted::Yes };
        Trial {
            args,
            seed,
            sequence,
            model,
            verdict: stats::Verdict::Continue,
            pairs: [0; 5],
            games: [0; 3],
            early: BTreeMap::new(),
            faults: [BTreeMap::new(), BTreeMap::new()],
            voids: BTreeMap::new(),
            next: 0,
            error: None,
            not_started: None,
            progress: Progress::new(wanted, move |room| {
                let latest = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if latest.0.is_empty() { Vec::new() } else { fitted(&latest, room) }
            }),
            latest,
            shown: None,
        }
    }

    fn over(&self) -> bool {
        self.verdict != stats::Verdict::Continue || self.error.is_some()
    }

    fn take(&mut self, finished: Finished, games: &Games) -> ControlFlow<()> {
        if self.over() {
            return ControlFlow::Break(());
        }
        if let Err(error) = self.note(finished, games) {
            self.error = Some(error);
        }
        // Pairs count in their order, whichever finishes first: quick games are not favoured, and
        // the answer does not depend on how many are played at a time.
        while let (Some(first), Some(second)) =
            (self.early.get(&self.next), self.early.get(&(self.next + 1)))
            && !self.over()
        {
            self.next += 2;
            self.games[first.result] += 1;
            self.games[second.result] += 1;
            self.pairs[first.result + second.result] += 1;
            for (sums, kinds) in self.faults.iter_mut().zip(0..) {
                let kinds = first.faults[kinds].iter().chain(&second.faults[kinds]);
                kinds.for_each(|(kind, count)| *sums.entry(*kind).or_default() += count);
            }
            if let Err(error) = self.look() {
                self.error = Some(error);
            }
        }
        self.show();
        if self.over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn note(&mut self, finished: Finished, games: &Games) -> Result<()> {
        let (index, number) = (finished.index, finished.index + 1);
        let (report, log) = finished.result.map_err(|error| anyhow!("game {number}: {error}"))?;
        if report.outcome == Verdict::Void {
            let tries = self.voids.entry(index).or_default();
            *tries += 1;
            if *tries >= TRIES {
                return Err(anyhow!("game {number} was void {tries} times: {}", report.reason));
            }
            games.queue().again.push(index);
            return Ok(());
        }
        if let Some(folder) = &self.args.out {
            Folder::open(folder)
                .and_then(|folder| keep::replay(&log, &folder))
                .with_context(|| format!("cannot write a replay to {}", folder.display()))?;
        }
        let faults = report.players.iter().flat_map(|player| &player.faults);
        let not_started = FaultKind::NotStarted;
        if let Some(fault) = faults.into_iter().find(|fault| fault.kind == not_started) {
            self.not_started = Some(fault.detail.clone());
            return Err(anyhow!("{}", fault.detail));
        }
        let ranks: Vec<u16> = report.players.iter().map(|player| player.rank).collect();
        let (_, seat) = place(index, ranks.len() as u64);
        let share = share(&ranks, seat as usize);
        // Among equals more and fewer than half are equally likely, from any number of seats.
        let result = match share.total_cmp(&0.5) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        };
        let mut faults = [Vec::new(), Vec::new()];
        for player in report.players {
            let whose = usize::from(u64::from(player.seat) != seat);
            faults[whose].extend(player.faults.into_iter().map(|fault| (fault.kind, fault.count)));
        }
        self.early.insert(index, Played { result, faults });
        Ok(())
    }

    fn counts(&self) -> Result<Counts> {
        Ok(match self.model {
            Model::Logistic | Model::Normalized => Counts::new(&self.pairs)?,
            // This model knows single games only.
            Model::Bayesian => Counts::new(&self.games)?,
        })
    }

    fn look(&mut self) -> Result<()> {
        let counts = self.counts()?;
        self.verdict = self.sequence.see(&counts)?;
        Ok(())
    }

    /// How it stands in words, and as a bar.
    fn line(&self) -> (String, String) {
        let games: u64 = self.games.iter().sum();
        let [losses, draws, wins] = self.games;
        let bounds = self.sequence.bounds();
        let (llr, lower, upper) = (self.sequence.llr(), bounds.lower, bounds.upper);
        let elo = match self.counts() {
            Ok(counts) => {
                let Summary { elo, elo_error, .. } = Summary::of(&counts);
                format!("{} ± {elo_error:.1}", signed(elo, 1))
            }
            Err(_) => "–".to_owned(),
        };
        let words = format!(
            "{} (+{wins} ={draws} -{losses})  Elo {elo}  LLR {} [{lower:.2}, {upper:.2}]",
            count(games, "game"),
            signed(llr, 2)
        );
        (words, bar(llr, lower, upper))
    }

    fn show(&mut self) {
        // It takes longer to work out than a fast game, and nobody sees it more often.
        if self.shown.is_none_or(|shown| shown.elapsed() >= REFRESH) {
            self.shown = Some(Instant::now());
            let line = self.line();
            *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    }

    fn end(mut self, run: &Run) -> Result<Ending> {
        self.progress.end();
        if let Some(error) = self.error.take() {
            complain(&format!("{error:#}"));
            let usage = self.not_started.is_some();
            return Ok(if usage { Ending::Usage } else { Ending::Failed });
        }
        self.report(run)?;
        if host::interrupted() && !self.over() {
            remark("interrupted");
            return Ok(Ending::Interrupted);
        }
        Ok(match self.verdict {
            stats::Verdict::H0 | stats::Verdict::H1 => Ending::Done,
            stats::Verdict::Continue => Ending::Failed,
        })
    }

    fn report(&self, run: &Run) -> Result<()> {
        let hypotheses = &self.args.hypotheses;
        let (new, old) = (&run.roster[0].name, &run.roster[1].name);
        if self.args.json {
            let bounds = self.sequence.bounds();
            let Summary { score, elo, elo_error, los, nelo, nelo_error } =
                Summary::of(&self.counts()?);
            let report = json!({
                "v": 1, "game": self.args.game, "new": new, "old": old,
                "seats": run.roster.len(), "games": self.games.iter().sum::<u64>(),
                "counts": self.games, "pairs": self.pairs, "seed": self.seed,
                "elo0": hypotheses.elo0, "elo1": hypotheses.elo1,
                "score": score, "elo": whole(elo), "elo_error": elo_error, "los": los,
                "nelo": whole(nelo), "nelo_error": nelo_error, "llr": whole(self.sequence.llr()),
                "lower": bounds.lower, "upper": bounds.upper,
                "verdict": verdict_name(self.verdict),
                "faults": { "new": self.faults[0], "old": self.faults[1] },
            });
            return say_json(&report);
        }
        say_painted(&fitted(&self.line(), room(&std::io::stdout())))?;
        let [ll, ld, even, wd, ww] = self.pairs;
        say(&format!("pairs  LL {ll}, LD {ld}, WL or DD {even}, WD {wd}, WW {ww}"))?;
        for (name, faults) in [new, old].into_iter().zip(&self.faults) {
            let faults: Vec<String> =
                faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            if !faults.is_empty() {
                say(&format!("faults of {name}: {}", faults.join(", ")))?;
            }
        }
        let (elo0, elo1) = (hypotheses.elo0, hypotheses.elo1);
        if let Some(folder) = &self.args.out {
            remark(&format!("replays are in {}", folder.display()));
        }
        say(&match self.verdict {
            stats::Verdict::H1 => format!("H1: {new} is at least {elo1} Elo stronger than {old}"),
            stats::Verdict::H0 => format!("H0: {new} is at most {elo0} Elo stronger than {old}"),
            stats::Verdict::Continue => "undecided: more games are needed".to_owned(),
        })?;
        if self.args.seed.is_none() {
            remark(&format!("`--seed {}` plays the same games again", self.seed));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use table::{Ink, Room};

    use super::{fitted, place};

    #[test]
    fn progress_takes_two_lines_where_one_is_too_wide() {
        let words = "123456 games (+50000 =23456 -50000)  Elo +12.3 ± 4.5  LLR +0.25 [-2.94, 2.94]";
        let line = (words.to_owned(), super::bar(0.25, -2.94, 2.94));
        assert_eq!(fitted(&line, Room { columns: 200, rows: 60 }).len(), 1);
        let narrow = fitted(&line, Room { columns: 80, rows: 24 });
        assert!(narrow.iter().all(|line| line.width() < 80), "{narrow:?}");
        assert!(narrow[1].text(Ink::Plain).starts_with("H0 ├"), "{narrow:?}");
    }

    #[test]
    fn the_new_bot_sits_everywhere_equally_often_with_every_seed() {
        for seats in 2..=10 {
            let block = if seats % 2 == 0 { seats } else { 2 * seats };
            let mut sat: HashMap<(u64, u64), u32> = HashMap::new();
            for game in 0..3 * block {
                *sat.entry(place(game, seats)).or_default() += 1;
            }
            assert_eq!(sat.len() as u64, 3 * block, "{seats}");
            let seeds = 3 * block / seats;
            assert!(sat.keys().all(|(seed, seat)| *seed < seeds && *seat < seats), "{seats}");
        }
    }

    #[test]
    fn pairs_are_of_seats_that_mirror_each_other() {
        for seats in 2..=10 {
            for pair in 0..100 {
                let (first, second) = (place(2 * pair, seats), place(2 * pair + 1, seats));
                assert_eq!(first.1 + second.1, seats - 1);
                let middle = first.1 == second.1;
                assert_eq!(first.0 == second.0, !middle, "{seats}: {first:?} {second:?}");
            }
        }
    }
}
