//! Tournaments that are looked at: opened once, and kept open while they are looked at.

use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use league::{EventSummary, RunSummary, Standings, Store};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::finding::{Place, folder_at};
use crate::refusal::Refusal;
use crate::site::{Recent, Site, locked};

/// So many databases are kept open.
const OPEN: usize = 8;

/// The tournaments that were looked at last.
pub(crate) struct Runs(Mutex<Recent<Arc<Mutex<OpenRun>>>>);

impl Default for Runs {
    fn default() -> Runs {
        Runs(Mutex::new(Recent::new(OPEN)))
    }
}

/// A tournament that is open.
pub(crate) struct OpenRun {
    /// Which file was opened: another may have taken its place.
    file: (u64, u64),
    pub(crate) store: Store,
    /// What the first page says of it, and of which state that is.
    summary: Option<(DatabaseStamp, Value)>,
    /// Its tables, and of which state they are.
    tables: Option<Tables>,
}

/// Tables and ratings of a tournament. They may take a while.
struct Tables {
    stamp: DatabaseStamp,
    made: Instant,
    took: Duration,
    standings: Arc<Standings>,
}

/// Tables of a run that is being played are made anew after this many times as long as they took.
const SPARING: u32 = 5;

/// What changes whenever the database does.
type DatabaseStamp = [(i64, i64, u64); 2];

impl Site {
    /// Does something with an open tournament.
    pub(crate) fn with_run<T>(
        &self,
        place: &Place,
        work: impl FnOnce(&mut OpenRun) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let path = self.path(&place.path);
        let failed =
            |error: &dyn std::fmt::Display| Refusal::failed(format!("{}: {error}", path.display()));
        // No link leads there: then the store may be opened by its path.
        let folder = folder_at(&self.folder, &place.path).map_err(|error| failed(&error))?;
        let file = folder.read("run.db").and_then(|file| file.metadata());
        let file = file.map(|file| (file.dev(), file.ino())).map_err(|error| failed(&error))?;
        let known = locked(&self.runs.0).get(&place.id).cloned();
        let run = match known.filter(|run| locked(run).file == file) {
            Some(run) => run,
            None => {
                let store = Store::open_to_read(&path)
                    .map_err(|error| Refusal::failed(error.to_string()))?;
                let run =
                    Arc::new(Mutex::new(OpenRun { file, store, summary: None, tables: None }));
                locked(&self.runs.0).put(place.id.clone(), run.clone());
                run
            }
        };
        let mut run = locked(&run);
        work(&mut run)
    }

    /// What the first page says of a tournament.
    pub(crate) fn run_summary(&self, place: &Place) -> Value {
        let path = place.path.display().to_string();
        let name = place.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let read = self.with_run(place, |run| {
            let stamp = self.stamp(place)?;
            if let Some((of, summary)) = &run.summary
                && *of == stamp
            {
                return Ok(summary.clone());
            }
            let all =
                RunSummary::of(&run.store).map_err(|error| Refusal::failed(error.to_string()))?;
            let event = |event: &EventSummary| {
                json!({
                    "name": event.name, "game": event.game, "format": event.format,
                    "games": event.games, "scheduled": event.scheduled,
                })
            };
            let bots: std::collections::BTreeSet<&String> =
                all.events.iter().flat_map(|event| &event.bots).collect();
            let finished = |event: &EventSummary| {
                event.scheduled.is_some_and(|scheduled| event.games >= scheduled)
            };
            let summary = json!({
                "name": all.name,
                "games": all.events.iter().map(|event| event.games).sum::<u64>(),
                "events": all.events.iter().map(event).collect::<Vec<_>>(),
                "bots": bots.len(),
                "finished": all.events.iter().all(finished),
            });
            run.summary = Some((stamp, summary.clone()));
            Ok(summary)
        });
        let mut summary = match read {
            Ok(summary) => summary,
            Err(refusal) => json!({
                "name": name, "games": 0, "events": [], "bots": 0, "error": refusal.why,
            }),
        };
        let state = match (self.is_played(place), summary["finished"].as_bool()) {
            (true, _) => "running",
            (false, Some(true)) => "finished",
            (false, Some(false) | None) => "stopped",
        };
        summary["id"] = place.id.as_str().into();
        summary["path"] = path.into();
        summary["state"] = state.into();
        summary["changed"] = place.changed.into();
        if let Some(fields) = summary.as_object_mut() {
            fields.remove("finished");
        }
        summary
    }

    /// The tables of an open tournament: of this moment, or where that would cost too much, of a short while ago.
    pub(crate) fn standings(
        &self,
        place: &Place,
        run: &mut OpenRun,
    ) -> Result<Arc<Standings>, Refusal> {
        let stamp = self.stamp(place)?;
        if let Some(known) = &run.tables
            && (known.stamp == stamp || known.made.elapsed() < known.took * SPARING)
        {
            return Ok(known.standings.clone());
        }
        let began = Instant::now();
        let standings =
            Standings::of(&run.store).map_err(|error| Refusal::failed(error.to_string()))?;
        let standings = Arc::new(standings);
        let (made, took) = (Instant::now(), began.elapsed());
        run.tables = Some(Tables { stamp, made, took, standings: standings.clone() });
        Ok(standings)
    }

    fn stamp(&self, place: &Place) -> Result<DatabaseStamp, Refusal> {
        let folder = folder_at(&self.folder, &place.path);
        let folder = folder.map_err(|error| Refusal::failed(error.to_string()))?;
        Ok(["run.db", "run.db-wal"].map(|name| {
            let about = folder.read(name).and_then(|file| file.metadata());
            about.map_or((0, 0, 0), |file| (file.mtime(), file.mtime_nsec(), file.len()))
        }))
    }

    /// Whether somebody has the right to play there at this moment.
    pub(crate) fn is_played(&self, place: &Place) -> bool {
        let folder = folder_at(&self.folder, &place.path);
        let Ok(lock) = folder.and_then(|folder| folder.read("run.lock")) else { return false };
        // Whoever wants to play meanwhile waits longer than this takes.
        match flock(&lock, FlockOperation::NonBlockingLockShared) {
            Ok(()) => {
                let _ = flock(&lock, FlockOperation::Unlock);
                false
            }
            Err(error) => error == rustix::io::Errno::WOULDBLOCK,
        }
    }
}
