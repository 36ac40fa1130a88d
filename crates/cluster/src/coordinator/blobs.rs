//! Content that travels in pieces: briefs and bots to workers, long replays from them.

use std::collections::HashMap;

use league::{RemoteGames, TournamentError};
use table::Raw;

use super::{Coordinator, CoordinatorState};
use crate::bots::TravellingBot;
use crate::leases::WorkerId;
use crate::wire::{self, Brief, BriefEvent, BriefManner, CoordinatorAnswer, PIECE};

/// Uploads that are not finished take no more memory than this, all together.
const MOST_UPLOADED: usize = 512 << 20;

/// Content by its SHA-256.
#[derive(Default)]
pub(super) struct Blobs {
    known: HashMap<String, Vec<u8>>,
    /// What workers are sending, by worker and SHA-256.
    uploads: HashMap<String, (WorkerId, Vec<u8>)>,
}

impl Blobs {
    pub(super) fn add(&mut self, bytes: Vec<u8>) -> String {
        let digest = wire::digest(&bytes);
        self.known.insert(digest.clone(), bytes);
        digest
    }

    pub(super) fn piece(&self, digest: &str, piece: u32) -> CoordinatorAnswer {
        let Some(bytes) = self.known.get(digest) else { return CoordinatorAnswer::NoSuchBlob };
        let pieces = bytes.len().div_ceil(PIECE).max(1) as u32;
        let from = (piece as usize).saturating_mul(PIECE);
        match bytes.get(from..bytes.len().min(from.saturating_add(PIECE))) {
            Some(part) => CoordinatorAnswer::Piece { pieces, bytes: Raw(part.to_vec()) },
            None => CoordinatorAnswer::NoSuchBlob,
        }
    }

    /// A part of a replay. One that does not follow the part before is not taken: then the whole is
    /// missing, and is sent again.
    pub(super) fn upload(&mut self, worker: &WorkerId, digest: &str, at: u64, part: &[u8]) {
        let all: usize = self.uploads.values().map(|(_, bytes)| bytes.len()).sum();
        if all + part.len() > MOST_UPLOADED {
            self.uploads.clear();
        }
        let new = || (worker.clone(), Vec::new());
        let (whose, bytes) = self.uploads.entry(digest.to_owned()).or_insert_with(new);
        if at == 0 {
            (*whose, *bytes) = new();
        }
        if bytes.len() as u64 == at && whose == worker {
            bytes.extend_from_slice(part);
        }
    }

    /// A replay that was sent whole.
    pub(super) fn uploaded(&mut self, digest: &str) -> Option<Vec<u8>> {
        let (_, bytes) = self.uploads.remove(digest)?;
        (wire::digest(&bytes) == digest).then_some(bytes)
    }
}

impl Coordinator {
    /// Describes the run for workers, and packs its bots. The SHA-256 of the description.
    pub(super) fn brief(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
    ) -> Result<String, TournamentError> {
        let mut events = Vec::new();
        for event in games.events() {
            let mut bots = Vec::new();
            for entry in &event.bots {
                let sent = TravellingBot::new(&entry.spec, entry.clock);
                let (bot, archive) =
                    sent.map_err(|error| TournamentError::Remote(error.to_string()))?;
                if let Some(archive) = archive {
                    state.blobs.add(archive);
                }
                bots.push(bot);
            }
            events.push(BriefEvent {
                game: event.game.card().id.to_owned(),
                setups: event.setups.iter().map(|setup| (**setup).clone()).collect(),
                clock: event.clock,
                adjudication: event.adjudication,
                bots,
            });
        }
        let manner = self.options.manner;
        let manner = BriefManner {
            reuse: manner.reuse,
            pondering: manner.pondering,
            placement: manner.placement,
        };
        Ok(state.blobs.add(wire::pack(&Brief { events, manner })))
    }
}
