//! How the bots of a run describe themselves.

use std::collections::HashMap;

use game::About;
use rusqlite::{Connection, params};

use crate::schedule::BotId;
use crate::store::schema::HAS_ABOUTS;
use crate::store::{Store, StoreError};

/// Keeps what a bot has said about itself; the latest counts.
pub(crate) fn keep(
    db: &Connection,
    event: usize,
    bot: BotId,
    about: &About,
) -> rusqlite::Result<()> {
    let text = serde_json::to_string(about).expect("texts serialise");
    db.prepare_cached(
        "INSERT INTO abouts VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET about = excluded.about WHERE about <> excluded.about",
    )?
    .execute(params![event, bot.0, text])?;
    Ok(())
}

impl Store {
    /// How the bots of an event describe themselves, those that do, by their names.
    pub(crate) fn bot_descriptions(
        &self,
        event: usize,
    ) -> Result<HashMap<String, About>, StoreError> {
        if self.version()? < HAS_ABOUTS {
            return Ok(HashMap::new());
        }
        let read = || -> rusqlite::Result<HashMap<String, About>> {
            let mut query = self.db.prepare(
                "SELECT b.name, a.about FROM abouts a
                 JOIN bots b ON b.event = a.event AND b.id = a.bot WHERE a.event = ?1",
            )?;
            let mut rows = query.query([event])?;
            let mut bot_descriptions = HashMap::new();
            while let Some(row) = rows.next()? {
                let text: String = row.get(1)?;
                if let Ok(about) = serde_json::from_str(&text) {
                    bot_descriptions.insert(row.get(0)?, about);
                }
            }
            Ok(bot_descriptions)
        };
        self.with_path(read())
    }
}
