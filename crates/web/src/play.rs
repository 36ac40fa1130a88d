//! Games that people begin on the page: what can be played here, and the processes that play. Each is a `lanista play` of
//! its own, which ends with this server; nothing of a match runs in here.

use std::future::poll_fn;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use host::{BotSpec, OwnProcess};
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use serde::Deserialize;
use serde_json::{Value, json};
use table::Card;

use crate::finding::{Place, file_at};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::{Site, locked};

/// So many games of people are played at a time.
const MOST: usize = 16;
/// A manifest is no longer.
const LONGEST_MANIFEST: u64 = 64 << 10;
/// So many bots are offered.
const MOST_BOTS: usize = 500;
/// So many players can be chosen.
const MOST_PLAYERS: usize = 64;
/// What a program complains of is no longer.
const LONGEST_COMPLAINT: u64 = 4096;

/// The games that people have begun.
pub(crate) struct PeoplesGames {
    /// The program that plays them; without it nobody can.
    program: Option<PathBuf>,
    under_way: Mutex<Vec<OwnProcess>>,
}

impl PeoplesGames {
    pub(crate) fn new(program: Option<PathBuf>) -> PeoplesGames {
        PeoplesGames { program, under_way: Mutex::default() }
    }

    /// The program that plays, if there is one.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        self.program.clone()
    }

    /// Forgets games that are over. How many are not.
    fn count(&self) -> usize {
        let mut under_way = locked(&self.under_way);
        under_way.retain_mut(|process| matches!(process.child().try_wait(), Ok(None)));
        under_way.len()
    }
}

impl Drop for PeoplesGames {
    fn drop(&mut self) {
        // They end with their standard input.
        for process in locked(&self.under_way).iter_mut() {
            drop(process.child().stdin.take());
        }
    }
}

/// What somebody wants to play.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayWish {
    game: String,
    bots: Vec<String>,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    human_timeout_ms: Option<u64>,
    #[serde(default)]
    human_match_ms: Option<u64>,
    /// Time of bots for a move; 0 for no limit.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Time of bots for all moves.
    #[serde(default)]
    match_ms: Option<u64>,
    #[serde(default)]
    seed: Option<u64>,
    /// Bots that may be asked for hints beside those that play.
    #[serde(default)]
    hints: Vec<String>,
}

/// A bot below the folder that is served.
struct FoundBot {
    path: String,
    name: String,
    game: Option<String>,
}

/// The body of a request, whose length has been checked.
pub(crate) async fn body_of(mut body: Incoming) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| Refusal::wrong("the request was not sent whole"))?;
        bytes.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
    }
    Ok(bytes)
}

impl Site {
    /// What can be played here.
    pub(crate) fn play_choices(self: &Arc<Site>) -> Result<Reply, Refusal> {
        if self.peoples_games.program.is_none() {
            return Err(Refusal::absent("nobody can play on this server"));
        }
        let game = |card: Card| {
            let bots = card.bots.iter().map(|bot| json!({ "name": bot.name, "about": bot.about }));
            let keys = card.keys.iter().map(|key| json!({ "name": key.name, "about": key.about }));
            json!({
                "id": card.id, "about": card.about, "players": card.players, "usual": card.usual_players,
                "bots": bots.collect::<Vec<Value>>(), "keys": keys.collect::<Vec<Value>>(),
            })
        };
        let games: Vec<Value> = self.games.iter().map(|one| game(one.card())).collect();
        let bots = self.found_bots()?;
        let found: Vec<Value> = bots
            .iter()
            .map(|bot| json!({ "path": bot.path, "name": bot.name, "game": bot.game }))
            .collect();
        Ok(Reply::json(&json!({ "games": games, "found": found })))
    }

    /// The bots below the folder that have a manifest.
    fn found_bots(&self) -> Result<Vec<FoundBot>, Refusal> {
        let found = self.found()?;
        Ok(found.bots.iter().take(MOST_BOTS).filter_map(|place| self.bot_at(place)).collect())
    }

    fn bot_at(&self, place: &Place) -> Option<FoundBot> {
        let mut text = String::new();
        let file = file_at(&self.folder, &place.path).ok()?;
        file.take(LONGEST_MANIFEST).read_to_string(&mut text).ok()?;
        let spec = BotSpec::from_manifest(&text, &self.path(&place.path)).ok()?;
        // A name that begins like a path cannot be taken for anything else.
        let path = Path::new(".").join(&place.path).to_str()?.to_owned();
        Some(FoundBot { path, name: spec.name, game: spec.game })
    }

    /// Begins a game that people play.
    pub(crate) fn begin_play(self: &Arc<Site>, wish: &[u8]) -> Result<Reply, Refusal> {
        let wish: PlayWish = serde_json::from_slice(wish)
            .map_err(|error| Refusal::wrong(format!("that is no wish to play: {error}")))?;
        let program = self.peoples_games.program.as_ref();
        let program = program.ok_or_else(|| Refusal::absent("nobody can play on this server"))?;
        let game = self.game(&wish.game);
        let game =
            game.ok_or_else(|| Refusal::wrong(format!("there is no game \"{}\"", wish.game)))?;
        self.check_bots(&wish, &game.card())?;
        if self.peoples_games.count() >= MOST {
            let why = format!("{MOST} games are being played by people here; finish one first");
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why));
        }
        let mut command = Command::new(program);
        command.args(["play", "--seats", "--quiet"]);
        for set in &wish.set {
            command.arg(format!("--set={set}"));
        }
        let numbers = [
            ("human-timeout-ms", wish.human_timeout_ms),
            ("human-match-ms", wish.human_match_ms),
            ("timeout-ms", wish.timeout_ms),
            ("match-ms", wish.match_ms),
            ("seed", wish.seed),
        ];
        for (option, number) in numbers {
            if let Some(number) = number {
                command.arg(format!("--{option}={number}"));
            }
        }
        for bot in &wish.hints {
            command.arg(format!("--hint-bot={bot}"));
        }
        command.arg("--").arg(&wish.game).args(&wish.bots).current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: io::Error| Refusal::failed(format!("cannot begin the game: {error}"));
        let mut process = OwnProcess::spawn(&mut command).map_err(failed)?;
        let seats = first_line(process.child()).map_err(failed)?;
        let Ok(seats) = serde_json::from_str::<Value>(&seats) else {
            return Err(Refusal::wrong(complaint(process.child())));
        };
        drain(process.child());
        locked(&self.peoples_games.under_way).push(process);
        Ok(Reply::json(&seats))
    }

    /// Whether a bot is a built-in one of the game, or lies below the folder.
    pub(crate) fn may_be_asked(&self, bot: &str, card: &Card) -> Result<bool, Refusal> {
        let built_in = bot.strip_prefix("builtin:");
        let built_in = built_in.is_some_and(|name| card.bots.iter().any(|bot| bot.name == name));
        Ok(built_in || self.found_bots()?.iter().any(|found| found.path == bot))
    }

    /// Only people, built-in bots and bots below the folder can be chosen here.
    fn check_bots(&self, wish: &PlayWish, card: &Card) -> Result<(), Refusal> {
        if wish.bots.len() > MOST_PLAYERS || wish.hints.len() > MOST_PLAYERS {
            return Err(Refusal::wrong(format!("more than {MOST_PLAYERS} players")));
        }
        for bot in &wish.hints {
            if !self.may_be_asked(bot, card)? {
                return Err(Refusal::wrong(format!("the bot \"{bot}\" cannot be asked here")));
            }
        }
        for bot in &wish.bots {
            if BotSpec::person(bot).is_none() && !self.may_be_asked(bot, card)? {
                return Err(Refusal::wrong(format!("the bot \"{bot}\" cannot be chosen here")));
            }
        }
        match wish.bots.iter().any(|text| BotSpec::person(text).is_some()) {
            true => Ok(()),
            false => Err(Refusal::wrong("somebody has to be a person")),
        }
    }
}

fn first_line(child: &mut Child) -> io::Result<String> {
    let mut line = String::new();
    if let Some(output) = &mut child.stdout {
        // Nothing more is read here before the line has ended: what follows is thrown away anyway.
        BufReader::new(output).take(LONGEST_MANIFEST).read_line(&mut line)?;
    }
    Ok(line)
}

/// Why a program did not begin a game.
fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(output) = &mut child.stderr {
        let _ = output.take(LONGEST_COMPLAINT).read_to_string(&mut text);
    }
    let text = text.trim().strip_prefix("lanista: ").unwrap_or(text.trim());
    if text.is_empty() { "the game could not begin".to_owned() } else { text.to_owned() }
}

/// What the program says while it plays is of no interest here, but it must be able to say it.
fn drain(child: &mut Child) {
    let output: Vec<Box<dyn io::Read + Send>> = child
        .stdout
        .take()
        .map(|output| Box::new(output) as Box<dyn io::Read + Send>)
        .into_iter()
        .chain(child.stderr.take().map(|output| Box::new(output) as Box<dyn io::Read + Send>))
        .collect();
    for mut output in output {
        let thread = std::thread::Builder::new().name("play".to_owned());
        let _ = thread.spawn(move || io::copy(&mut output, &mut io::sink()));
    }
}
