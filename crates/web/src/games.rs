//! One game: what it is, what can be downloaded of it, whether it verifies.

use std::sync::Arc;

use hyper::body::Bytes;
use hyper::header;
use serde_json::{Value, json};
use table::{AnyReplay, Record};

use crate::finding::Place;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::site::Site;

/// Which game is meant.
#[derive(Clone, Debug)]
pub(crate) enum GameId {
    /// A replay that is a file of its own.
    File(Place),
}

/// The replay as it is, and every line that went over the pipes, and every step for scripts.
const FORMATS: [&str; 3] = ["lrz", "lines", "json"];

impl Site {
    /// The game that an address names.
    pub(crate) fn game_id(&self, path: &[&str]) -> Result<GameId, Refusal> {
        match path {
            ["f", id] => Ok(GameId::File(self.replay(id)?)),
            _ => Err(Refusal::absent("there is no such game")),
        }
    }

    /// The bytes of the replay of a game.
    fn bytes(&self, game: &GameId) -> Result<Vec<u8>, Refusal> {
        match game {
            GameId::File(place) => self.replay_bytes(place),
        }
    }

    /// A game, ready to be looked at, with the bytes of its replay.
    pub(crate) fn open_game(
        &self,
        game: &GameId,
    ) -> Result<(Box<dyn AnyReplay>, Vec<u8>), Refusal> {
        let bytes = self.bytes(game)?;
        let broken = |error: table::ReadError| {
            Refusal::failed(format!("the replay cannot be read: {error}"))
        };
        let record = Record::read(&bytes).map_err(broken)?;
        let name = &record.header.game;
        let known = self.game(name).ok_or_else(|| {
            Refusal::failed(format!("it is a game of \"{name}\", which this version does not know"))
        })?;
        Ok((known.replay(&record).map_err(broken)?, bytes))
    }

    /// What a game is: who played what under which terms, and what there is of it.
    pub(crate) fn about_game(&self, game: &GameId) -> Result<Value, Refusal> {
        let (replay, _) = self.open_game(game)?;
        let head = replay.header();
        let mut about = serde_json::to_value(head).unwrap_or_default();
        let exports = self.game(&head.game).map(|game| game.exports()).unwrap_or_default();
        let formats: Vec<&str> = FORMATS.into_iter().chain(exports).collect();
        about["steps"] = replay.len().into();
        about["bots"] = head.players.iter().map(|player| player.name.clone()).collect();
        about["downloads"] = formats.into();
        about["verified"] = match replay.verify() {
            Ok(()) => json!({ "state": "yes", "why": null }),
            Err(mismatch) => json!({ "state": "no", "why": mismatch.to_string() }),
        };
        Ok(about)
    }

    /// A game as a file to keep.
    pub(crate) fn download(&self, game: &GameId, format: &str) -> Result<Reply, Refusal> {
        let (replay, bytes) = self.open_game(game)?;
        let id = &replay.header().id;
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let name: String = id.chars().take(64).map(plain).collect();
        let (file, ending) = match format {
            "lrz" => (bytes, "lrz"),
            "lines" => {
                let line = |line: String| game::text::one_line(&line).into_owned() + "\n";
                (replay.lines().into_iter().map(line).collect::<String>().into_bytes(), "lines.txt")
            }
            "json" => {
                let mut file = serde_json::to_vec(replay.header()).unwrap_or_default();
                for step in replay.steps() {
                    file.push(b'\n');
                    file.extend(serde_json::to_vec(&step).unwrap_or_default());
                }
                file.push(b'\n');
                (file, "json")
            }
            table::TEXT => (export(&*replay, table::TEXT)?, "txt"),
            other => (export(&*replay, other)?, other),
        };
        let kept = format!("attachment; filename=\"{name}.{ending}\"");
        let reply = Reply::new("application/octet-stream", Bytes::from(file));
        Ok(reply.header(header::CONTENT_DISPOSITION, &kept))
    }
}

fn export(replay: &dyn AnyReplay, format: &str) -> Result<Vec<u8>, Refusal> {
    replay.export(format).map(String::into_bytes).map_err(Refusal::absent)
}

/// Answers what is asked about one game.
pub(crate) async fn answer(
    site: &Arc<Site>,
    game: [&str; 2],
    what: &[&str],
) -> Result<Reply, Refusal> {
    let game = site.game_id(&game)?;
    match what {
        ["about"] => site.job(move |site| Ok(Reply::json(&site.about_game(&game)?))).await,
        ["download", format] => {
            let format = (*format).to_owned();
            site.job(move |site| site.download(&game, &format)).await
        }
        _ => Err(Refusal::absent("the server has no such data of a game")),
    }
}
