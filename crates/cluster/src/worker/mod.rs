//! A worker: looks for runs on a server, plays games for them, and keeps results until the
//! coordinator has them in its store.

mod bot_preparation;
mod live_relay;
mod playing;
mod speaker;
mod talk;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use host::CageTerms;
use league::GameList;

use crate::link::{Link, LinkError, LinkEvent, LinkOptions, Message};
use crate::wire::{self, Announcement, RunStage, WorkerCard};
use crate::worker::live_relay::LiveRelay;
use crate::worker::playing::Visit;
use crate::worker::talk::Conversation;

/// What a worker needs to know.
pub struct WorkerOptions {
    /// The server.
    pub link: LinkOptions,
    /// Its name, which the server may let it speak under.
    pub name: String,
    /// Games at a time.
    pub slots: usize,
    /// How fast its machine is with as many games at a time ([`crate::measure_speed`]).
    pub speed: f64,
    /// How bots are shut in.
    pub cage: CageTerms,
    /// The path of this program.
    pub exe: PathBuf,
    /// Where bots are kept.
    pub cache: PathBuf,
    /// The games that can be played.
    pub games: GameList,
    /// Ends when there has been nothing to do for so long, and long enough to have heard of any run.
    pub exit_when_idle: Option<Duration>,
    /// Hears what people should know, a sentence at a time.
    pub notes: Arc<dyn Fn(&str) + Send + Sync>,
}

/// How a worker came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkEnd {
    /// There was nothing to do.
    Idle,
    /// It was told to stop, and has sent or given back everything.
    Stopped,
}

/// Between two tries to reach a server.
const AGAIN: Duration = Duration::from_secs(1);
/// How often a worker looks up, in case of a signal.
const GLANCE: Duration = Duration::from_millis(100);
/// A run of which nothing is heard for so long is not looked for any more.
const SILENT: Duration = Duration::from_secs(10);

/// A run on the server.
struct KnownRun {
    announcement: Announcement,
    heard: Instant,
    /// Not before this moment is it asked for games again.
    not_before: Instant,
}

/// The runs on a server, as they are announced.
pub(crate) struct AnnouncedRuns {
    announcements: Receiver<Message>,
    known: HashMap<String, KnownRun>,
}

impl AnnouncedRuns {
    /// Takes in what has been announced; waits a little for that.
    pub(crate) fn listen(&mut self, patience: Duration) {
        let mut next = match self.announcements.recv_timeout(patience) {
            Ok(first) => Some(first),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::park_timeout(patience);
                None
            }
        };
        while let Some(message) = next.take() {
            self.announced(&message);
            next = self.announcements.try_recv().ok();
        }
        self.known.retain(|_, run| run.heard.elapsed() < SILENT);
    }

    fn announced(&mut self, message: &Message) {
        let Some(run) = message.subject.rsplit('.').next() else { return };
        let Ok(announcement) = wire::unpack::<Announcement>(&message.payload) else { return };
        match (announcement.stage, self.known.get_mut(run)) {
            (RunStage::Over, _) => drop(self.known.remove(run)),
            (RunStage::Playing, Some(known)) => {
                (known.announcement, known.heard) = (announcement, Instant::now());
            }
            (RunStage::Playing, None) => {
                let now = Instant::now();
                let known = KnownRun { announcement, heard: now, not_before: now };
                self.known.insert(run.to_owned(), known);
            }
        }
    }

    /// Which process coordinates a run, if anything is heard of it.
    pub(crate) fn epoch(&self, run: &str) -> Option<u64> {
        self.known.get(run).map(|run| run.announcement.epoch)
    }

    /// The run that has waited longest and may be asked now.
    fn next(&self) -> Option<(&str, &Announcement)> {
        let now = Instant::now();
        let ready = self.known.iter().filter(|(_, run)| run.not_before <= now);
        let (name, run) = ready.min_by_key(|(_, run)| run.not_before)?;
        Some((name, &run.announcement))
    }

    fn put_off(&mut self, run: &str, pause: Duration) {
        if let Some(run) = self.known.get_mut(run) {
            run.not_before = Instant::now() + pause;
        }
    }
}

/// Works until it is told to stop, or there is nothing to do.
pub fn work(options: &WorkerOptions) -> Result<WorkEnd, LinkError> {
    let note = |text: &str| (options.notes)(text);
    let Some(link) = connect(options)? else { return Ok(WorkEnd::Stopped) };
    let card = WorkerCard {
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        tier: options.cage.tier(&options.exe).name().to_owned(),
        slots: options.slots as u32,
        cores: host::cores().len() as u32,
        speed: options.speed,
    };
    note(&format!(
        "{}: {} at a time, tier {}, {}, speed {:.0}; waiting for runs on {}",
        options.name,
        game::count(options.slots as u64, "game"),
        card.tier,
        card.arch,
        card.speed,
        options.link.shown(),
    ));
    let announcements = link.subscribe(&wire::announcements(None))?;
    let mut runs = AnnouncedRuns { announcements, known: HashMap::new() };
    let session = host::random_seed();
    let relay = LiveRelay::new(&link, &options.name, session)?;
    let mut numbers = 0;
    let mut said = None;
    // Whoever leaves sooner may not have heard of a run that has games.
    let exit_when_idle = options.exit_when_idle.map(|limit| limit.max(wire::ANNOUNCE * 2));
    let mut idle_since = Instant::now();
    while !host::interrupted() {
        runs.listen(GLANCE);
        if let Some(limit) = exit_when_idle
            && idle_since.elapsed() >= limit
        {
            return Ok(WorkEnd::Idle);
        }
        let Some((run, announcement)) = runs.next() else { continue };
        let (run, lease) = (run.to_owned(), Duration::from_millis(announcement.lease_ms));
        let name = announcement.name.clone();
        let talk = Conversation::new(&link, &run, &options.name, session, numbers, lease);
        let (runs_known, said) = (&mut runs, &mut said);
        let mut visit =
            Visit { options, card: &card, talk, runs: runs_known, relay: &relay, name, said };
        let pause = visit.play(&mut idle_since);
        numbers = visit.talk.number();
        runs.put_off(&run, pause);
    }
    Ok(WorkEnd::Stopped)
}

/// Connects, and tries again if the server is not there. `None` if it is told to stop meanwhile.
fn connect(options: &WorkerOptions) -> Result<Option<Link>, LinkError> {
    let mut said = String::new();
    loop {
        let notes = options.notes.clone();
        let link = Link::connect(&options.link, &options.name, move |event| match event {
            LinkEvent::Connected => {}
            LinkEvent::Lost => notes("the connection is lost; trying to get it back"),
            LinkEvent::Trouble(what) => notes(&format!("the server says: {what}")),
        });
        match link {
            Ok(link) => return Ok(Some(link)),
            Err(error @ (LinkError::File { .. } | LinkError::Thread(_))) => return Err(error),
            Err(error @ (LinkError::Connect { .. } | LinkError::Subscribe { .. })) => {
                let text = format!("{error}; trying again");
                if text != said {
                    (options.notes)(&text);
                    said = text;
                }
            }
        }
        let again = Instant::now() + AGAIN;
        while Instant::now() < again {
            if host::interrupted() {
                return Ok(None);
            }
            std::thread::park_timeout(GLANCE);
        }
    }
}
