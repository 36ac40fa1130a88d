//! Films: a match as lines of JSON that any program can show without knowing the game (docs/film.md).
//!
//! A [`FilmMaker`] is fed with the entries of a log, one after another, and gives the film's lines as steps complete.
//! The log may still grow. Through one player's eyes a film holds what that player may know at every step and
//! nothing else: its own moves, times, notes and faults, what its actors were told, and the game's scene for it.

mod lines;
mod step;

use std::collections::{BTreeSet, HashMap};

use game::{ActorId, Outcome, PlayerId, Tick, Told, Verdict};
use serde::Serialize;

use crate::hosted::{Hosted, Knowledge};
use crate::log::{Entry, Header};
use crate::named::with_names;
use crate::playback::Playback;
use crate::record::ReadError;
use crate::scene::{Delta, Scene, SeatLine, ending};
use crate::seat::SeatId;
use lines::{FilmHead, LastLine, Over, PlayerHead, StepLine, rows};
use step::StepCollector;

/// The version of the film format.
pub const VERSION: u32 = 1;

/// A film of any game, made from a log as it grows.
pub trait AnyFilm: Send {
    /// The first line: what was played, by whom, and the first scene.
    fn head(&self) -> String;
    /// Takes the next bytes of a packed log, cut anywhere, and appends the lines that they complete.
    fn feed(&mut self, packed: &[u8], lines: &mut Vec<String>) -> Result<(), ReadError>;
    /// Whether the last line has been given.
    fn is_over(&self) -> bool;
    /// The last line of a match whose log ends here; `None` if it has been given.
    fn end(&mut self) -> Option<String>;
}

/// Makes a film of one game, entry by entry.
pub struct FilmMaker<G: Hosted> {
    header: Header,
    eyes: Option<PlayerId>,
    /// Names in the form in which a film holds them.
    names: Vec<String>,
    playback: Playback<G>,
    /// The scene of the last line.
    scene: Scene,
    /// Whose seats they are.
    seats: HashMap<SeatId, (ActorId, PlayerId)>,
    /// What has happened since the last step.
    since: StepCollector,
    over: bool,
    /// The beginning of an entry whose end has not come.
    begun: Vec<u8>,
}

impl<G: Hosted> FilmMaker<G> {
    /// A film of the match with this header, through one player's eyes or everybody's.
    pub fn new(header: &Header, eyes: Option<PlayerId>) -> Result<FilmMaker<G>, ReadError> {
        let setup = |error: String| ReadError::Setup(error);
        let config: G::Config = serde_json::from_value(header.config.clone())
            .map_err(|error| setup(error.to_string()))?;
        let players = u16::try_from(header.players.len())
            .map_err(|_| setup("too many players".to_owned()))?;
        let first =
            G::start(&config, players, header.seed).map_err(|error| setup(error.to_string()))?;
        Ok(FilmMaker::of(header, first, eyes))
    }

    /// The same for a game that has been set up.
    pub(crate) fn of(header: &Header, first: G, eyes: Option<PlayerId>) -> FilmMaker<G> {
        let names: Vec<String> = (0..header.players.len()).map(|seat| format!("§{seat}")).collect();
        let scene = named(first.scene(eyes, &[]), &names);
        FilmMaker {
            header: header.clone(),
            eyes,
            names,
            playback: Playback::new(header, first),
            scene,
            seats: HashMap::new(),
            since: StepCollector::default(),
            over: false,
            begun: Vec::new(),
        }
    }

    /// Takes what happened next, and gives the line that it completes.
    pub fn entry(&mut self, entry: &Entry<G::Action>) -> Option<String> {
        if self.over {
            return None;
        }
        match entry {
            Entry::Seated { seat, actor, player, .. } => {
                self.seats.insert(*seat, (*actor, *player));
            }
            Entry::Answered { seat, wall, cpu, delay } => {
                if let Some((actor, _)) = self.seats.get(seat) {
                    self.since.answered(*actor, [*wall, *cpu, *delay]);
                }
            }
            Entry::Noted { seat, note, .. } => {
                if let Some((_, player)) = self.seats.get(seat)
                    && self.knows_of(*player)
                {
                    self.since.noted(*player, note);
                }
            }
            Entry::Faulted { actor, player, fault, ruling, .. } => {
                if self.knows_of(*player) {
                    let agent = self.playback.state().actor_name(*actor).one_of_many();
                    self.since.faulted((*actor, *player), agent, fault, *ruling);
                }
            }
            Entry::Stepped { at, moves, .. } => {
                self.since.moved(self.playback.state(), &moves.0, self.eyes);
                let mut own = self.own_actors();
                return self.playback.entry(entry).then(|| {
                    own.extend(self.own_actors());
                    self.step(*at, &own)
                });
            }
            Entry::Over { outcome, void, .. } => {
                self.playback.entry(entry);
                return Some(self.last(outcome.as_ref(), void.as_deref()));
            }
            Entry::Sent { .. }
            | Entry::Got { .. }
            | Entry::Stderr { .. }
            | Entry::Left { .. }
            | Entry::Truncated
            | Entry::Unfinished { .. }
            | Entry::Kept { .. }
            | Entry::Cut { .. } => {}
        }
        self.playback.entry(entry);
        None
    }

    /// Whether these eyes see what a player's bots do.
    fn knows_of(&self, player: PlayerId) -> bool {
        self.eyes.is_none_or(|eyes| eyes == player)
    }

    /// The living actors of the player whose eyes these are.
    fn own_actors(&self) -> BTreeSet<ActorId> {
        let Some(eyes) = self.eyes else { return BTreeSet::new() };
        let mut roles = Vec::new();
        self.playback.state().cast(&mut roles);
        roles.iter().filter(|role| role.player == eyes).map(|role| role.actor).collect()
    }

    /// The line of the step that has just been played, in which these actors were the player's own.
    fn step(&mut self, at: Tick, own: &BTreeSet<ActorId>) -> String {
        let hears = |news: &&Told<G::Event>| {
            self.eyes.is_none() || own.iter().any(|actor| news.to.includes(*actor))
        };
        let told: Vec<Told<G::Event>> =
            self.playback.told().iter().filter(hears).cloned().collect();
        let state = self.playback.state();
        let scene = named(state.scene(self.eyes, &told), &self.names);
        let happened = self.since.take();
        let line = StepLine {
            delta: &Delta::between(&self.scene, &scene),
            happened: &happened,
            told: match self.eyes {
                Some(_) => step::events_in_words(&told, &self.names),
                None => Vec::new(),
            },
            measures: rows(&state.measures(), self.eyes),
            // How long the others took is theirs to know.
            at_us: self.eyes.is_none().then_some(at.0.as_micros() as u64),
        };
        let line = json(&line);
        self.scene = scene;
        line
    }

    fn last(&mut self, outcome: Option<&Outcome>, void: Option<&str>) -> String {
        self.over = true;
        let happened = self.since.take();
        let verified = self.playback.verdict();
        let reason = match (outcome, self.eyes) {
            (Some(outcome), eyes) => with_names(&ending(outcome, eyes), &self.names),
            (None, None) => void.unwrap_or("unknown").to_owned(),
            // Why a match does not count may be in another bot's words.
            (None, Some(_)) => "the match does not count".to_owned(),
        };
        json(&LastLine {
            over: Over {
                result: outcome.map_or(Verdict::Void, Outcome::verdict),
                scores: outcome.map(|outcome| &outcome.scores[..]),
                ranks: outcome.map(|outcome| &outcome.ranks[..]),
                reason,
                steps: self.playback.steps(),
            },
            verified: verified.is_ok(),
            why: verified.err().filter(|_| self.eyes.is_none()).map(|wrong| wrong.to_string()),
            faults: &happened.faults,
            notes: &happened.notes,
        })
    }
}

impl<G: Hosted> AnyFilm for FilmMaker<G> {
    fn head(&self) -> String {
        let Header { game, lanista, config, seed, players, clock, .. } = &self.header;
        let hidden = G::card().knowledge == Knowledge::Hidden;
        // The seed and the set-up of a game that hides something say what is hidden.
        let open = self.eyes.is_none() || !hidden;
        let measures = self.playback.state().measures();
        let player = |(seat, line): (u16, &crate::PlayerLine)| {
            let own = self.knows_of(PlayerId(seat));
            PlayerHead {
                name: line.name.clone(),
                program: own.then(|| line.bot.clone()),
                about: line.about.as_ref().filter(|_| own).map(ToString::to_string),
                clock: line.clock.map(|clock| clock.to_string()),
            }
        };
        json(&FilmHead {
            film: VERSION,
            game,
            players: (0..).zip(players).map(player).collect(),
            eyes: self.eyes.map(|player| player.0),
            hidden,
            setup: open.then_some(config),
            clock: clock.to_string(),
            limit_us: clock.turn.map(|turn| turn.as_micros() as u64),
            sprites: G::sprites(),
            measures: measures.iter().map(|measure| measure.name).collect(),
            values: rows(&measures, self.eyes),
            seed: open.then(|| seed.0.to_string()),
            scene: &self.scene,
            lanista,
        })
    }

    fn feed(&mut self, packed: &[u8], lines: &mut Vec<String>) -> Result<(), ReadError> {
        self.begun.extend_from_slice(packed);
        let bytes = std::mem::take(&mut self.begun);
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let before = rest;
            match rmp_serde::decode::from_read::<_, Entry<G::Action>>(&mut rest) {
                Ok(entry) => lines.extend(self.entry(&entry)),
                Err(error) if is_cut(&error) => {
                    self.begun = before.to_vec();
                    return Ok(());
                }
                Err(error) => return Err(ReadError::Broken(error.to_string())),
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn end(&mut self) -> Option<String> {
        (!self.over).then(|| self.last(None, Some("the log ends before the match")))
    }
}

/// Whether more bytes would make an entry of it.
fn is_cut(error: &rmp_serde::decode::Error) -> bool {
    use rmp_serde::decode::Error;
    match error {
        Error::InvalidMarkerRead(error) | Error::InvalidDataRead(error) => {
            error.kind() == std::io::ErrorKind::UnexpectedEof
        }
        _ => false,
    }
}

/// Rules speak of players by number, films by a sign that stands for the name. Every player has a line.
fn named(mut scene: Scene, names: &[String]) -> Scene {
    scene.caption = with_names(&scene.caption, names);
    scene.seats.resize_with(names.len(), SeatLine::default);
    scene
}

fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("a film holds nothing that JSON cannot")
}
