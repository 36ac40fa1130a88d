//! People among the bots of a command.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use game::{Charge, Clock, EndedBy, Verdict};
use host::{BotSpec, CageTerms, People, SeatServer, SeatToken};
use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Map, Value, json};
use table::{AnyGame, Card, Contestant, Entrant, Report};

use crate::advisers::TableAdvisers;
use crate::cli::{PlayArgs, TimeCharged};
use crate::terminal::person::TerminalPeople;
use crate::terminal::{remark, say_json};
use crate::web_page::WebPage;

/// Refuses what does not go together with people.
pub(crate) fn check(
    args: &PlayArgs,
    game: &dyn AnyGame,
    config: &Map<String, Value>,
    roster: &[BotSpec],
) -> Result<()> {
    let own_time = args.human_timeout_ms.is_some() || args.human_match_ms.is_some();
    if !roster.iter().any(BotSpec::is_person) {
        if own_time {
            bail!("--human-timeout-ms and --human-match-ms are for people, and no BOT is human");
        }
        if !args.hint_bot.is_empty() {
            bail!("--hint-bot is for people, and no BOT is human");
        }
        return Ok(());
    }
    if !game.has_desk(config, roster.len() as u16)? {
        bail!("people cannot play {}: it does not say what it offers them", args.game);
    }
    if args.watch {
        bail!("a person sees the game anyway: leave out --watch");
    }
    match args.time.clock {
        TimeCharged::Cpu if own_time => {
            bail!("people use no processor time: leave out --clock cpu, or their time limits")
        }
        TimeCharged::Cpu | TimeCharged::Wall => Ok(()),
    }
}

/// Where the people of a roster play.
#[derive(Clone)]
pub(crate) enum PlayPeople {
    /// At this terminal.
    AtTerminal(Arc<TerminalPeople>),
    /// Through another program, at a seat each.
    AtSeats(Arc<SeatServer>),
}

impl PlayPeople {
    /// The people among the bots, if there are any.
    pub(crate) fn new(
        args: &PlayArgs,
        roster: &[BotSpec],
        card: &Card,
        cage: &CageTerms,
    ) -> Result<Option<PlayPeople>> {
        let people = || roster.iter().enumerate().filter(|(_, bot)| bot.is_person());
        if people().next().is_none() {
            return Ok(None);
        }
        let exe = std::env::current_exe().context("cannot find the file of this program")?;
        let advisers = TableAdvisers::new(card, roster, &args.hint_bot, cage.clone(), exe)?;
        let advisers = Arc::new(advisers);
        if args.page.web || args.seats {
            let seats = SeatServer::start(people().map(|(number, _)| number), advisers);
            let seats = seats.context("cannot open seats for people")?;
            return Ok(Some(PlayPeople::AtSeats(Arc::new(seats))));
        }
        let names: BTreeMap<usize, String> =
            people().map(|(number, bot)| (number, bot.name.clone())).collect();
        let terminal = TerminalPeople::new(names, card.knowledge, advisers);
        let terminal = terminal.context("cannot start a thread for the terminal")?;
        Ok(Some(PlayPeople::AtTerminal(Arc::new(terminal))))
    }

    /// Who shows them the game.
    pub(crate) fn shown_by(&self) -> Arc<dyn People> {
        match self {
            PlayPeople::AtTerminal(terminal) => terminal.clone(),
            PlayPeople::AtSeats(seats) => seats.clone(),
        }
    }

    /// Where the page shows the first seat.
    pub(crate) fn view_of_first_seat(&self) -> Option<String> {
        let PlayPeople::AtSeats(seats) = self else { return None };
        seats.tokens().next().map(|(_, token)| format!("#/seat/{}", token.words()))
    }

    /// Says where everybody plays: on a page, or to the program that has started this one.
    pub(crate) fn tell_seats(
        &self,
        roster: &[BotSpec],
        page: Option<&WebPage>,
        first_match: &str,
    ) -> Result<()> {
        let PlayPeople::AtSeats(seats) = self else { return Ok(()) };
        let Some(page) = page else {
            let seat = |(bot, token): (usize, &SeatToken)| json!({ "bot": bot, "name": roster[bot].name, "token": token.words() });
            let seats: Vec<Value> = seats.tokens().map(seat).collect();
            end_with_input()?;
            return say_json(&json!({
                "seats": seats, "pid": std::process::id(), "match": first_match
            }));
        };
        for (bot, token) in seats.tokens() {
            let (name, server) = (&roster[bot].name, page.server());
            remark(&format!("{name} plays at {server}/seat/{}", token.words()));
        }
        Ok(())
    }

    /// Tells people that a match is over, before anything else is printed.
    pub(crate) fn tell_end(&self, report: &Report) {
        match self {
            PlayPeople::AtTerminal(terminal) => terminal.settle(),
            PlayPeople::AtSeats(seats) => seats.over(&ending_for_all(report), &report.id),
        }
    }
}

/// Whoever has started this program holds its standard input; when that ends, so do the games.
fn end_with_input() -> Result<()> {
    let wait = || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = kill_process(getpid(), Signal::TERM);
    };
    let thread = std::thread::Builder::new().name("input".to_owned());
    thread.spawn(wait).context("cannot start a thread for standard input")?;
    Ok(())
}

/// How a match ended, without a bot's own words, which may tell what is hidden.
fn ending_for_all(report: &Report) -> String {
    let named = report.named();
    let first: Vec<&str> =
        named.players.iter().filter(|one| one.rank == 1).map(|one| one.name.as_str()).collect();
    let by = report.ending.as_ref().map(|ending| ending.by);
    let reason = match by {
        Some(EndedBy::Rules | EndedBy::Adjudication) => format!(": {}", named.reason),
        Some(EndedBy::Forfeit | EndedBy::Unknown) => ", because others left".to_owned(),
        None => String::new(),
    };
    match report.outcome {
        Verdict::Win => format!("{} won{reason}", first.join(" and ")),
        Verdict::Draw => format!("a draw{reason}"),
        Verdict::Void => "the game is void".to_owned(),
    }
}

/// The players of a match; people have the time that is theirs, or as much as they like.
pub(crate) fn with_own_clocks(
    mut entrants: Vec<Entrant>,
    args: &PlayArgs,
    clock: Clock,
) -> Vec<Entrant> {
    let time = |ms: Option<u64>| ms.map(Duration::from_millis);
    let (turn, bank) = (time(args.human_timeout_ms), time(args.human_match_ms));
    for entrant in &mut entrants {
        if entrant.contestant == Contestant::Person {
            entrant.clock = Some(Clock { turn, bank, charge: Charge::Wall, ..clock });
        }
    }
    entrants
}
