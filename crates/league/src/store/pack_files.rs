//! Replays that have a file each, as earlier versions kept them, are put into packs. Only the
//! database knows where they belong.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rusqlite::{Connection, params};

use crate::schedule::{BotId, GameKey};
use crate::store::lock::Lock;
use crate::store::pack::{PackPosition, PackRecord};
use crate::store::pack_label::{GameLabel, Origin, PackLabel};
use crate::store::{GameTables, Store, StoreError, failed, whole};

/// So many replays are packed at a time.
const BATCH: usize = 256;

/// A game whose replay has a file of its own.
struct LooseGame {
    id: i64,
    event: usize,
    key: GameKey,
    attempt: u32,
    /// When it was kept, in seconds since 1970, if that is known.
    kept: Option<u64>,
}

/// Packs the replays of a run that have a file each. All of them, or none and an error: what was
/// packed before that stays packed.
pub(crate) fn pack_files(dir: &Path) -> Result<(), StoreError> {
    let _lock = Lock::take(dir)?;
    let mut store = Store::open(dir)?;
    store.check_games(GameTables::Rows)?;
    let mut names = Vec::new();
    for batch in store.loose_games()?.chunks(BATCH) {
        let mut records = Vec::new();
        for game in batch {
            let (name, record) = store.loose_record(game)?;
            names.push(name);
            records.push(record);
        }
        let at = store.folder.at("replays");
        let places = store.pack()?.append(&records).map_err(failed("write to", at))?;
        let written = set_places(&mut store.db, batch, &places);
        store.with_path(written)?;
    }
    store.write_run_copy()?;
    // Everything is in the packs and on the disk.
    let replays =
        store.folder.inside("replays").map_err(failed("open", store.folder.at("replays")))?;
    for name in names {
        replays.remove(&name).map_err(failed("remove", store.folder.at("replays").join(&name)))?;
    }
    Ok(())
}

impl Store {
    fn loose_games(&self) -> Result<Vec<LooseGame>, StoreError> {
        let read = || -> rusqlite::Result<Vec<LooseGame>> {
            let sql =
                "SELECT id, event, key, attempt, kept FROM games WHERE pack IS NULL ORDER BY id";
            let mut games = self.db.prepare(sql)?;
            let game = |row: &rusqlite::Row<'_>| {
                let (id, event, key) = (row.get(0)?, row.get(1)?, GameKey(row.get(2)?));
                Ok(LooseGame { id, event, key, attempt: row.get(3)?, kept: row.get(4)? })
            };
            games.query_map([], game)?.collect()
        };
        self.with_path(read())
    }

    /// The name of a game's file, and the record that takes its place.
    fn loose_record(&self, game: &LooseGame) -> Result<(String, PackRecord), StoreError> {
        let gone = || self.damaged(&format!("game {} cannot be read", game.key));
        let report = self.report(game.event, &game.key)?.ok_or_else(gone)?;
        let name = format!("{}.lrz", report.id);
        let read = || -> io::Result<(Vec<u8>, u64)> {
            let file = self.folder.inside("replays")?.read(&name)?;
            let written = u64::try_from(file.metadata()?.mtime()).unwrap_or(0);
            Ok((whole(file)?, written))
        };
        let at = self.folder.at("replays").join(&name);
        let (replay, written) = read().map_err(failed("read the replay", at.clone()))?;
        let events = self.events()?;
        let bots = &events.get(game.event).ok_or_else(gone)?.bots;
        let number = |name: &str| bots.iter().position(|bot| bot.name == name);
        let seating = report.players.iter().map(|player| number(&player.name));
        let seating: Option<Vec<BotId>> = seating.map(|bot| Some(BotId(bot? as u32))).collect();
        let (seating, kept) = (seating.ok_or_else(gone)?, game.kept.unwrap_or(written));
        let mut label = GameLabel::of(game.event, &game.key, game.attempt, &seating, &report, kept);
        label.origin = Origin::File;
        let record = PackRecord::new(&PackLabel::Game(label), replay);
        Ok((name, record.map_err(failed("pack", at))?))
    }
}

fn set_places(
    db: &mut Connection,
    games: &[LooseGame],
    places: &[PackPosition],
) -> rusqlite::Result<()> {
    let all = db.transaction()?;
    for (game, place) in games.iter().zip(places) {
        let sql = "UPDATE games SET pack = ?2, place = ?3 WHERE id = ?1";
        all.prepare_cached(sql)?.execute(params![game.id, place.pack, place.at as i64])?;
    }
    all.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Format;
    use crate::standings::Standings;
    use crate::store::rebuild::{RebuildError, rebuild};
    use crate::store::tests::{TestFolder, event, played};

    /// A run whose replays have a file each, and how it stands.
    fn older(name: &str) -> (TestFolder, String) {
        let folder = TestFolder::new(name);
        let mut store = Store::open(&folder.0).expect("it can be made");
        let mut event = event();
        event.plan.format = Format::RoundRobin { rounds: 4 };
        store.set_terms("cup", "", &[event]).expect("it can be written");
        let games = ["0.0.0:0-1", "0.0.1:0-1", "1.0.0:0-1"].map(played);
        store.save(&games).expect("they can be kept");
        let replays = folder.0.join("replays");
        for game in &games {
            let bytes = store.replay(&game.report.id).expect("it is there");
            std::fs::write(replays.join(format!("{}.lrz", game.report.id)), bytes).expect("ours");
        }
        store.db.execute("UPDATE games SET pack = NULL, place = NULL", []).expect("ours");
        for name in ["0001.pack", "run.json"] {
            std::fs::remove_file(replays.join(name)).expect("it is there");
        }
        let table = Standings::of(&store).expect("it can be read").to_json().to_string();
        (folder, table)
    }

    #[test]
    fn replays_with_a_file_each_are_packed_and_the_database_is_made_from_them() {
        let (folder, table) = older("loose");
        let rebuilt = rebuild(&folder.0, &mut |_| {}).expect("the database knows");
        assert_eq!(rebuilt.games, 3);
        let store = Store::open_to_read(&folder.0).expect("it can be read");
        assert_eq!(Standings::of(&store).expect("it can be read").to_json().to_string(), table);
        let mut names: Vec<String> = std::fs::read_dir(folder.0.join("replays"))
            .expect("it is there")
            .map(|file| file.expect("it is there").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["0001.pack", "run.json"]);
        let id = &store.report(0, &GameKey("0.0.1:0-1".to_owned())).expect("it is read");
        let id = &id.as_ref().expect("it is there").id;
        assert!(table::Record::read(&store.replay(id).expect("it is there")).is_ok());
    }

    #[test]
    fn replays_with_a_file_each_stay_where_they_are_without_a_database() {
        let (folder, _) = older("loose-lost");
        std::fs::remove_file(folder.0.join("run.db")).expect("it is there");
        let error = rebuild(&folder.0, &mut |_| {}).expect_err("nobody knows");
        assert!(matches!(error, RebuildError::TooOld(_)), "{error}");
        // A replay that is missing would be lost.
        let (folder, _) = older("loose-gap");
        let lost = played("0.0.1:0-1").report.id;
        let path = folder.0.join("replays").join(format!("{lost}.lrz"));
        std::fs::remove_file(path).expect("it is there");
        assert!(rebuild(&folder.0, &mut |_| {}).is_err());
        let files = std::fs::read_dir(folder.0.join("replays")).expect("it is there");
        let loose =
            files.flatten().filter(|file| file.path().extension().is_some_and(|e| e == "lrz"));
        assert_eq!(loose.count(), 2);
    }
}
