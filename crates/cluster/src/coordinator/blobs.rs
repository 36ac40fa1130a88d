//! Content that travels in pieces: briefs and bots to workers, long replays from them.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use league::{Folder, RemoteGames, TournamentError};
use table::Raw;

use super::{Coordinator, CoordinatorState};
use crate::bots::TravellingBot;
use crate::leases::WorkerId;
use crate::wire::{self, Brief, BriefEvent, BriefManner, CoordinatorAnswer, PIECE};

/// Uploads that are not finished take no more memory than this, all together, …
const MOST_UPLOADED: usize = 512 << 20;
/// … and those of one worker no more than this.
const MOST_OF_WORKER: usize = 64 << 20;

/// What is longer is not held in memory.
const MOST_IN_MEMORY: usize = 64 << 10;
/// Where it is on the disk until it is opened.
const FILE: &str = "cluster.tmp";

/// Content of one piece.
enum Blob {
    Memory(Vec<u8>),
    /// A file without a name, and how long it is.
    File(File, usize),
}

/// Content by its SHA-256.
#[derive(Default)]
pub(super) struct Blobs {
    known: HashMap<String, Blob>,
    /// What the description of the run was before; somebody may be fetching it.
    before: HashMap<String, Blob>,
    /// What workers are sending, by worker and SHA-256.
    uploads: HashMap<(WorkerId, String), Vec<u8>>,
}

impl Blobs {
    /// What follows belongs to another description of the run. That before the last is forgotten.
    fn begin(&mut self) {
        self.before = std::mem::take(&mut self.known);
    }

    fn add(&mut self, folder: &Folder, bytes: Vec<u8>) -> io::Result<String> {
        let digest = wire::digest(&bytes);
        if self.known.contains_key(&digest) {
            return Ok(digest);
        }
        let blob = match self.before.remove(&digest) {
            Some(blob) => blob,
            None if bytes.len() <= MOST_IN_MEMORY => Blob::Memory(bytes),
            None => {
                folder.write_later(FILE, &bytes)?;
                let file = folder.read(FILE)?;
                folder.remove(FILE)?;
                Blob::File(file, bytes.len())
            }
        };
        self.known.insert(digest.clone(), blob);
        Ok(digest)
    }

    pub(super) fn piece(&self, digest: &str, piece: u32) -> CoordinatorAnswer {
        let found = self.known.get(digest).or_else(|| self.before.get(digest));
        match found.and_then(|blob| blob.piece(piece)) {
            Some((pieces, part)) => CoordinatorAnswer::Piece { pieces, bytes: Raw(part) },
            None => CoordinatorAnswer::NoSuchBlob,
        }
    }

    /// How long an upload of a worker is, as far as it has come.
    pub(super) fn size_of_upload(&self, worker: &WorkerId, digest: &str) -> usize {
        self.uploads.get(&(worker.clone(), digest.to_owned())).map_or(0, Vec::len)
    }

    /// A part of a replay. One that does not follow the part before is not taken: then the whole is
    /// missing, and is sent again.
    pub(super) fn upload(&mut self, worker: &WorkerId, digest: &str, at: u64, part: &[u8]) {
        if !wire::is_digest(digest) {
            return;
        }
        let of = |worker: &WorkerId, uploads: &HashMap<(WorkerId, String), Vec<u8>>| -> usize {
            let own = uploads.iter().filter(|((whose, _), _)| whose == worker);
            // An empty one takes some room as well.
            own.map(|(_, bytes)| bytes.len() + 256).sum()
        };
        if of(worker, &self.uploads) + part.len() > MOST_OF_WORKER {
            self.forget(worker);
        }
        let all: usize = self.uploads.values().map(|bytes| bytes.len() + 256).sum();
        if all + part.len() > MOST_UPLOADED {
            let largest = self.uploads.keys().map(|(worker, _)| worker);
            if let Some(worker) = largest.max_by_key(|worker| of(worker, &self.uploads)).cloned() {
                self.forget(&worker);
            }
        }
        let bytes = self.uploads.entry((worker.clone(), digest.to_owned())).or_default();
        if at == 0 {
            bytes.clear();
        }
        if bytes.len() as u64 == at {
            bytes.extend_from_slice(part);
        }
    }

    /// A replay that a worker has sent whole.
    pub(super) fn uploaded(&mut self, worker: &WorkerId, digest: &str) -> Option<Vec<u8>> {
        let bytes = self.uploads.remove(&(worker.clone(), digest.to_owned()))?;
        (wire::digest(&bytes) == digest).then_some(bytes)
    }

    /// A worker is not there any more.
    pub(super) fn forget(&mut self, worker: &WorkerId) {
        self.uploads.retain(|(whose, _), _| whose != worker);
    }
}

impl Blob {
    /// A piece of it, and how many there are.
    fn piece(&self, piece: u32) -> Option<(u32, Vec<u8>)> {
        let length = match self {
            Blob::Memory(bytes) => bytes.len(),
            Blob::File(_, length) => *length,
        };
        let pieces = length.div_ceil(PIECE).max(1) as u32;
        let from = (piece as usize).checked_mul(PIECE)?;
        let to = length.min(from.checked_add(PIECE)?);
        let part = match self {
            Blob::Memory(bytes) => bytes.get(from..to)?.to_vec(),
            Blob::File(file, _) => {
                let mut part = vec![0; to.checked_sub(from)?];
                file.read_exact_at(&mut part, from as u64).ok()?;
                part
            }
        };
        Some((pieces, part))
    }
}

impl Coordinator {
    /// Describes the run for workers, and packs its bots. The SHA-256 of the description.
    pub(super) fn brief(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
    ) -> Result<String, TournamentError> {
        let failed =
            |error: io::Error| TournamentError::Remote(format!("cannot keep a bot: {error}"));
        state.blobs.begin();
        let mut events = Vec::new();
        for event in games.events() {
            let mut bots = Vec::new();
            for entry in &event.bots {
                let sent = TravellingBot::new(&entry.spec, entry.clock);
                let (bot, archive) =
                    sent.map_err(|error| TournamentError::Remote(error.to_string()))?;
                if let Some(archive) = archive {
                    state.blobs.add(&self.folder, archive).map_err(failed)?;
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
        state.blobs.add(&self.folder, wire::pack(&Brief { events, manner })).map_err(failed)
    }
}
