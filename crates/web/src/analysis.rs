//! Bots that look at a position of a replay: each is asked by a `lanista replay --analyse` of its own, which gets the
//! replay on its standard input and ends within a time limit.

use std::io::{self, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use game::PlayerId;
use host::OwnProcess;
use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::games::{self, GameId, check_eyes};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::{Site, locked};

/// So many bots are asked at a time.
pub(crate) const MOST: usize = 2;
/// How long a bot thinks about a position.
const THINK_MS: u64 = 500;
/// A bot that has not answered after so long, its start included, is given up.
const LONGEST: Duration = Duration::from_secs(40);
/// No answer is longer.
const MOST_BYTES: u64 = 1 << 20;

/// Which bot is asked about which position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnalysisWish {
    /// `f/FILE` or `r/RUN/N`.
    game: String,
    bot: String,
    step: usize,
    /// In the place of this player alone.
    #[serde(default)]
    eyes: Option<u16>,
}

/// Asks a bot what it would play.
pub(crate) async fn analyse(site: &Arc<Site>, wish: &[u8]) -> Result<Reply, Refusal> {
    let wish: AnalysisWish = serde_json::from_slice(wish)
        .map_err(|error| Refusal::wrong(format!("that is no wish to analyse: {error}")))?;
    let place = site.analyses.clone().try_acquire_owned().map_err(|_| {
        let why = format!("{MOST} bots are being asked here; wait until one has answered");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)
    })?;
    let parts: Vec<&str> = wish.game.split('/').collect();
    let game = match parts[..] {
        ["f", id] => games::game_id(site, ["f", id, ""]).await?,
        ["r", run, number] => games::game_id(site, ["r", run, number]).await?,
        _ => return Err(Refusal::wrong("no game is named")),
    };
    let (bytes, command) = site.job(move |site| site.analysis(&game, &wish)).await?;
    // Not one of the server's few pieces of work: it takes long, and others must not wait for it.
    let asked = tokio::task::spawn_blocking(move || {
        let _place = place;
        ask(command, bytes)
    });
    asked.await.unwrap_or_else(|_| Err(Refusal::failed("the server failed at this")))
}

impl Site {
    /// The replay, and the command that asks the bot.
    fn analysis(
        self: &Arc<Site>,
        game: &GameId,
        wish: &AnalysisWish,
    ) -> Result<(Vec<u8>, Command), Refusal> {
        let program = self.peoples_games.program();
        let program = program.ok_or_else(|| Refusal::absent("no bot can be asked here"))?;
        let replay = self.ready(game)?;
        let replay = locked(&replay);
        let eyes = wish.eyes.map(PlayerId);
        check_eyes(&**replay, eyes)?;
        let card = self.game(&replay.header().game).map(|game| game.card());
        let card = card.ok_or_else(|| Refusal::absent("its game is not known"))?;
        if !self.may_be_asked(&wish.bot, &card)? {
            return Err(Refusal::wrong(format!("the bot \"{}\" cannot be asked here", wish.bot)));
        }
        let mut command = Command::new(program);
        command.args(["replay", "--json", &format!("--at={}", wish.step)]);
        command.arg(format!("--think-ms={THINK_MS}")).arg(format!("--analyse={}", wish.bot));
        command.args(eyes.map(|PlayerId(seat)| format!("--eyes={}", seat + 1)));
        command.args(["--", "-"]).current_dir(self.folder.path());
        Ok((self.bytes(game)?, command))
    }
}

/// Runs the program that asks the bot, and gives it up if it takes too long.
fn ask(mut command: Command, replay: Vec<u8>) -> Result<Reply, Refusal> {
    let failed = |error: io::Error| Refusal::failed(format!("cannot ask the bot: {error}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = OwnProcess::spawn(&mut command).map_err(failed)?;
    let child = process.child();
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let complaint = child.stderr.take();
    let (to_here, here) = channel();
    let talk = move || {
        if let Some(mut input) = input {
            let _ = input.write_all(&replay);
        }
        let read = |from: Option<Box<dyn io::Read>>| {
            let mut text = String::new();
            let _ = from.map(|from| from.take(MOST_BYTES).read_to_string(&mut text));
            text
        };
        let said = read(output.map(|output| Box::new(output) as Box<dyn io::Read>));
        let wrong = read(complaint.map(|output| Box::new(output) as Box<dyn io::Read>));
        let _ = to_here.send((said, wrong));
    };
    let thread = std::thread::Builder::new().name("analysis".to_owned());
    thread.spawn(talk).map_err(failed)?;
    let (said, wrong) = match here.recv_timeout(LONGEST) {
        Ok(words) => words,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            // It takes its bots along.
            let _ = process.child().kill();
            let why = format!("the bot has not answered within {} s", LONGEST.as_secs());
            return Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, why));
        }
    };
    let answers: Vec<Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if answers.is_empty() {
        let why = wrong.trim().strip_prefix("lanista: ").unwrap_or(wrong.trim()).to_owned();
        return Err(Refusal::wrong(why));
    }
    Ok(Reply::json(&json!({ "answers": answers })))
}
