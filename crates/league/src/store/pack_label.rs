//! What the records of packs are about: enough to make a game's rows in the database anew.

use serde::{Deserialize, Serialize};
use table::{PlayerReport, Report};

use crate::schedule::{BotId, GameKey};
use crate::store::Played;

/// What a record is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PackLabel {
    /// A finished game. Of several with the same place in the schedule the last one counts.
    Game(GameLabel),
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GameLabel {
    /// Which event, from 0.
    pub(crate) event: usize,
    /// Which game of its schedule.
    pub(crate) key: String,
    /// Which try; earlier ones were void.
    pub(crate) attempt: u32,
    /// When it was kept, in seconds since 1970.
    pub(crate) kept: u64,
    /// The bots by seat, by their numbers in the event.
    pub(crate) bots: Vec<u32>,
    /// How its replay was kept first.
    #[serde(default, skip_serializing_if = "Origin::is_pack")]
    pub(crate) origin: Origin,
    /// Its result, without what the replay's header says: game, match, seed and names.
    report: Report,
}

/// How a replay was kept first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Origin {
    /// In a pack.
    #[default]
    Pack,
    /// In a file of its own, by an earlier version, which drew seeds in another way.
    File,
}

impl Origin {
    fn is_pack(&self) -> bool {
        *self == Origin::Pack
    }
}

impl GameLabel {
    /// The label of a game that is kept now.
    pub(crate) fn new(game: &Played, kept: u64) -> GameLabel {
        let Played { event, key, attempt, seating, report, .. } = game;
        GameLabel::of(*event, key, *attempt, seating, report, kept)
    }

    /// The label of a game that was kept at this second since 1970.
    pub(crate) fn of(
        event: usize,
        key: &GameKey,
        attempt: u32,
        seating: &[BotId],
        report: &Report,
        kept: u64,
    ) -> GameLabel {
        let players = report.players.iter().cloned();
        let players = players.map(|player| PlayerReport { name: String::new(), ..player });
        let report = Report {
            game: String::new(),
            id: String::new(),
            index: 0,
            seed: 0,
            run_seed: None,
            replay: None,
            players: players.collect(),
            ..report.clone()
        };
        let bots = seating.iter().map(|bot| bot.0).collect();
        let (key, origin) = (key.0.clone(), Origin::Pack);
        GameLabel { event, key, attempt, kept, bots, origin, report }
    }

    /// Its result, whole, with the header of its replay. `None` if one does not belong to the
    /// other.
    pub(crate) fn report(&self, header: &table::Header) -> Option<Report> {
        let mut report = self.report.clone();
        report.game.clone_from(&header.game);
        report.id.clone_from(&header.id);
        report.seed = header.seed.0;
        for (player, line) in report.players.iter_mut().zip(&header.players) {
            player.name.clone_from(&line.name);
        }
        (report.players.len() == header.players.len()).then_some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::pack::PackRecord;
    use crate::store::tests::played;

    #[test]
    fn a_game_is_made_anew_from_its_label_and_its_replay() {
        let game = played("0.0.0:0-1");
        let label = PackLabel::Game(GameLabel::new(&game, 5));
        let bytes = game.log.to_file().expect("it can be packed");
        let packed = PackRecord::new(&label, bytes).expect("it can be packed");
        let found: PackLabel = packed.about().expect("it can be read");
        assert_eq!(found, label);
        let PackLabel::Game(label) = found;
        let record = table::Record::read(&packed.replay).expect("it can be read");
        let report = Report { run_seed: None, replay: None, index: 0, ..game.report };
        assert_eq!(label.report(&record.header), Some(report));
    }
}
