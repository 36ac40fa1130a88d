//! Seats of people who play through another program: a socket for each, which shows the person's desk and takes what it
//! picks. Whoever knows the seat's token may connect, as often as it likes: a connection that is lost is no game lost.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use serde::{Deserialize, Serialize};
use table::desk::{AnyDesk, DeskAbout, DeskMove, DeskTable, DeskView, Picked};
use table::{BotQuestion, PersonSaid, PersonWish};

use crate::advice::Advisers;
use crate::live::{Bound, LivePlace, SeatToken};
use crate::os::placement::place_this_thread_anywhere;
use crate::worker::people::{People, Voice};

/// A screen says nothing longer.
const LONGEST: u64 = 4096;
/// So many screens may look at one seat.
const MOST_SCREENS: usize = 8;
/// A screen that takes nothing for so long is left.
const SLOW: Duration = Duration::from_secs(5);
/// A match whose person has no screen for so long is given up.
const ABSENT: Duration = Duration::from_secs(30 * 60);
/// Whoever still reads when the program ends gets the rest within so long.
const FAREWELL: Duration = Duration::from_secs(1);
/// So often that is looked at.
const LOOK: Duration = Duration::from_secs(10);

/// What a screen is told.
#[derive(Serialize)]
#[serde(untagged)]
enum ToScreen<'a> {
    /// What is played: first of all, and again for another match.
    About {
        about: &'a DeskAbout,
        /// The bots that can be asked for a hint.
        hints: &'a [String],
    },
    /// How things stand, after every change.
    Desk {
        desk: &'a DeskView,
        /// How often the game has moved on.
        step: u32,
        /// Whether something is to be picked.
        due: bool,
        /// What has been picked for this answer.
        picks: &'a [String],
        /// How things stand beside the game.
        table: &'a DeskTable,
        /// The last moves.
        moves: &'a [DeskMove],
        /// Time left when this was said.
        #[serde(skip_serializing_if = "Option::is_none")]
        left_ms: Option<u64>,
    },
    /// Why the last word was not taken.
    Refused { refused: &'a str },
    /// What a bot would play.
    Hint { hint: &'a str },
    /// The match is over: how, and its id.
    Over { over: &'a str, r#match: &'a str },
}

/// What a screen says.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum FromScreen {
    /// It picks this, in the game after so many steps.
    Pick { pick: String, step: u32 },
    /// The last pick of this step is taken back.
    Undo { undo: u32 },
    /// It resigns, in the game after so many steps.
    Resign { resign: u32 },
    /// What would this bot play?
    Hint { hint: String },
    /// It asks for this, in the game after so many steps.
    Wish { wish: PersonWish, step: u32 },
    /// It agrees to what another person asks.
    Agree { agree: PersonWish },
    /// It does not agree to that.
    Decline { decline: PersonWish },
    /// The clocks run again, in the game after so many steps.
    Resume { resume: u32 },
}

/// The seats of the people of a run.
pub struct SeatServer {
    seats: BTreeMap<usize, OpenSeat>,
}

/// A seat that people can come to.
struct OpenSeat {
    token: SeatToken,
    bound: Arc<Bound>,
    to_seat: Sender<SeatNews>,
}

enum SeatNews {
    Shown(Box<dyn AnyDesk>, Voice),
    Over {
        words: String,
        id: String,
    },
    Screen(UnixStream),
    Word(u64, FromScreen),
    /// What a bot would play, for this screen.
    Hinted(u64, String),
    Left(u64),
    /// Nothing more is shown; answered when everything has been told.
    End(Sender<()>),
}

impl SeatServer {
    /// Opens a seat for each of these bots of the roster. People may ask these advisers.
    pub fn start(
        people: impl Iterator<Item = usize>,
        advisers: Arc<dyn Advisers>,
    ) -> io::Result<SeatServer> {
        let seat = |bot: usize| {
            let token = SeatToken::new();
            let bound = Arc::new(LivePlace::Seat(token.clone()).bind()?);
            let (to_seat, news) = channel();
            let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
            let seat = PersonSeat {
                to_self: to_seat.clone(),
                screens: BTreeMap::new(),
                next: 0,
                about: None,
                shown: None,
                over: None,
                shown_at: Instant::now(),
                seen: Instant::now(),
                advisers: advisers.clone(),
                asking: false,
            };
            let show = move || {
                place_this_thread_anywhere();
                seat.run(&news);
            };
            thread("seat").spawn(show)?;
            let (listening, screens) = (bound.clone(), to_seat.clone());
            thread("seat socket").spawn(move || accept(&listening, &screens))?;
            Ok((bot, OpenSeat { token, bound, to_seat }))
        };
        Ok(SeatServer { seats: people.map(seat).collect::<io::Result<_>>()? })
    }

    /// The token of each seat, by the number of its bot in the roster.
    pub fn tokens(&self) -> impl Iterator<Item = (usize, &SeatToken)> {
        self.seats.iter().map(|(bot, seat)| (*bot, &seat.token))
    }

    /// Tells everybody that a match is over: how, in words that all may know, and its id.
    pub fn over(&self, words: &str, id: &str) {
        for OpenSeat { to_seat, .. } in self.seats.values() {
            let (words, id) = (words.to_owned(), id.to_owned());
            let _ = to_seat.send(SeatNews::Over { words, id });
        }
    }
}

impl People for SeatServer {
    fn show(&self, bot: usize, desk: Box<dyn AnyDesk>, voice: Voice) {
        if let Some(seat) = self.seats.get(&bot) {
            let _ = seat.to_seat.send(SeatNews::Shown(desk, voice));
        }
    }
}

impl Drop for SeatServer {
    fn drop(&mut self) {
        for OpenSeat { bound, to_seat, .. } in self.seats.values() {
            bound.remove();
            let (told, all) = channel();
            if to_seat.send(SeatNews::End(told)).is_ok() {
                let _ = all.recv_timeout(FAREWELL);
            }
        }
    }
}

/// Lets screens in until nobody is told of them any more. The socket goes with the process.
fn accept(bound: &Bound, to_seat: &Sender<SeatNews>) {
    loop {
        let mut ready = [PollFd::new(&bound.listener, PollFlags::IN)];
        let _ = poll(&mut ready, None);
        match bound.listener.accept() {
            Ok((stream, _)) if is_own(&stream) => {
                if to_seat.send(SeatNews::Screen(stream)).is_err() {
                    return;
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => std::thread::yield_now(),
        }
    }
}

/// Whether a program of this user or of root is at the other end.
fn is_own(stream: &UnixStream) -> bool {
    let own = rustix::process::geteuid();
    let peer = rustix::net::sockopt::socket_peercred(stream);
    peer.is_ok_and(|peer| peer.uid == own || peer.uid.is_root())
}

/// The seat of one person, on a thread of its own.
struct PersonSeat {
    to_self: Sender<SeatNews>,
    screens: BTreeMap<u64, UnixStream>,
    next: u64,
    about: Option<DeskAbout>,
    shown: Option<(Box<dyn AnyDesk>, Voice)>,
    over: Option<(String, String)>,
    /// When the desk was shown.
    shown_at: Instant,
    /// When somebody was last there.
    seen: Instant,
    advisers: Arc<dyn Advisers>,
    /// A bot is being asked for a hint.
    asking: bool,
}

impl PersonSeat {
    fn run(mut self, news: &Receiver<SeatNews>) {
        loop {
            match news.recv_timeout(LOOK) {
                Ok(SeatNews::End(told)) => {
                    let _ = told.send(());
                    return;
                }
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if !self.screens.is_empty() {
                self.seen = Instant::now();
            } else if self.seen.elapsed() > ABSENT
                && let Some((_, voice)) = &self.shown
            {
                voice.give_up("a person has not come back to its seat");
            }
        }
    }

    fn take(&mut self, news: SeatNews) {
        match news {
            SeatNews::Shown(mut desk, voice) => {
                self.keep_picks(&mut *desk);
                let news = desk.news();
                let about = desk.about();
                // What is shown after the end is the end.
                let new = self.about.as_ref() != Some(&about) || desk.step() == 0;
                if new {
                    self.over = None;
                    self.about = Some(about);
                }
                self.shown = Some((desk, voice));
                self.shown_at = Instant::now();
                for screen in self.all() {
                    if new {
                        self.tell_about(screen);
                    }
                    self.tell_desk(screen);
                    if let Some(why) = &news {
                        self.tell(screen, &ToScreen::Refused { refused: why });
                    }
                }
            }
            SeatNews::Over { words, id } => {
                self.over = Some((words, id));
                self.all().into_iter().for_each(|screen| self.tell_over(screen));
            }
            SeatNews::Screen(stream) => self.welcome(stream),
            SeatNews::Word(screen, word) => self.hear(screen, word),
            SeatNews::Hinted(screen, hint) => {
                self.asking = false;
                self.tell(screen, &ToScreen::Hint { hint: &hint });
            }
            SeatNews::Left(screen) => {
                self.screens.remove(&screen);
            }
            SeatNews::End(told) => drop(told),
        }
    }

    /// What has been picked stays picked when the same question is shown again.
    fn keep_picks(&self, desk: &mut dyn AnyDesk) {
        if let Some((before, _)) = &self.shown
            && before.step() == desk.step()
        {
            for pick in before.picks() {
                let _ = desk.pick(pick);
            }
        }
    }

    fn all(&self) -> Vec<u64> {
        self.screens.keys().copied().collect()
    }

    fn welcome(&mut self, stream: UnixStream) {
        let ready = || -> io::Result<UnixStream> {
            stream.set_nonblocking(false)?;
            stream.set_write_timeout(Some(SLOW))?;
            stream.try_clone()
        };
        let (Ok(reader), true) = (ready(), self.screens.len() < MOST_SCREENS) else { return };
        let (id, to_self) = (self.next, self.to_self.clone());
        self.next += 1;
        let thread = std::thread::Builder::new().name("screen".to_owned());
        let read = move || {
            read_words(id, reader, &to_self);
            let _ = to_self.send(SeatNews::Left(id));
        };
        if thread.spawn(read).is_ok() {
            self.screens.insert(id, stream);
            self.tell_about(id);
            self.tell_desk(id);
            self.tell_over(id);
        }
    }

    fn hear(&mut self, screen: u64, word: FromScreen) {
        let Some((desk, voice)) = &mut self.shown else { return };
        match word {
            // What is meant for an earlier question is answered by what was shown since.
            FromScreen::Pick { step, .. }
            | FromScreen::Undo { undo: step }
            | FromScreen::Wish { step, .. }
            | FromScreen::Resume { resume: step }
                if step != desk.step() =>
            {
                self.tell_desk(screen);
            }
            FromScreen::Pick { pick, .. } => match desk.pick(&pick) {
                Ok(Picked::More) => self.tell_all(),
                Ok(Picked::Answer(answer)) => voice.say(PersonSaid::Answer(answer)),
                Err(why) => self.tell(screen, &ToScreen::Refused { refused: &why }),
            },
            FromScreen::Undo { .. } => {
                desk.undo();
                self.tell_all();
            }
            // Others may have moved since; but it is not meant for another match.
            FromScreen::Resign { resign } if resign > desk.step() => self.tell_desk(screen),
            FromScreen::Resign { .. } => voice.say(PersonSaid::Resigns),
            FromScreen::Wish { wish, .. } => voice.say(PersonSaid::Wishes(wish)),
            FromScreen::Resume { .. } => voice.say(PersonSaid::Resumes),
            FromScreen::Agree { agree: wish } | FromScreen::Decline { decline: wish }
                if desk.table().asked.as_ref().is_none_or(|(_, asked)| *asked != wish) =>
            {
                self.tell_desk(screen);
            }
            FromScreen::Agree { .. } => voice.say(PersonSaid::Agrees),
            FromScreen::Decline { .. } => voice.say(PersonSaid::Declines),
            FromScreen::Hint { hint: bot } => {
                let question = match self.asking {
                    true => Err("a bot is being asked already".to_owned()),
                    false => self.advisers.question(&bot, &**desk),
                };
                match question.and_then(|question| self.ask(screen, bot, question)) {
                    Ok(()) => self.asking = true,
                    Err(why) => self.tell(screen, &ToScreen::Refused { refused: &why }),
                }
            }
        }
    }

    /// Asks a bot on another thread: it may take a while to start.
    fn ask(&self, screen: u64, bot: String, question: BotQuestion) -> Result<(), String> {
        let (advisers, to_self) = (self.advisers.clone(), self.to_self.clone());
        let ask = move || {
            place_this_thread_anywhere();
            let hint = advisers.ask(&bot, question);
            let _ = to_self.send(SeatNews::Hinted(screen, hint));
        };
        let thread = std::thread::Builder::new().name("hint".to_owned()).spawn(ask);
        thread.map(drop).map_err(|error| format!("no bot can be asked: {error}"))
    }

    fn tell_all(&mut self) {
        self.all().into_iter().for_each(|screen| self.tell_desk(screen));
    }

    fn tell_about(&mut self, screen: u64) {
        if let Some(about) = self.about.clone() {
            let hints = self.advisers.names();
            self.tell(screen, &ToScreen::About { about: &about, hints: &hints });
        }
    }

    fn tell_desk(&mut self, screen: u64) {
        if let Some((desk, voice)) = self.shown.take() {
            let (table, moves) = (desk.table(), desk.moves());
            let since = if table.paused { Duration::ZERO } else { self.shown_at.elapsed() };
            let left = desk.time().map(|time| time.saturating_sub(since));
            let left_ms = left.map(|left| left.as_millis() as u64);
            let (step, due, picks) = (desk.step(), desk.is_due(), desk.picks());
            let desk_words =
                ToScreen::Desk { desk: desk.view(), step, due, picks, table, moves, left_ms };
            self.tell(screen, &desk_words);
            self.shown = Some((desk, voice));
        }
    }

    fn tell_over(&mut self, screen: u64) {
        if let Some((over, id)) = self.over.clone() {
            self.tell(screen, &ToScreen::Over { over: &over, r#match: &id });
        }
    }

    /// One that does not listen is left.
    fn tell(&mut self, screen: u64, word: &ToScreen<'_>) {
        let Some(stream) = self.screens.get_mut(&screen) else { return };
        let mut line = serde_json::to_vec(word).expect("words serialise and memory takes them");
        line.push(b'\n');
        if stream.write_all(&line).is_err() {
            let _ = stream.shutdown(Shutdown::Both);
            self.screens.remove(&screen);
        }
    }
}

/// Reads what a screen says until it leaves, or says what nobody understands.
fn read_words(screen: u64, stream: UnixStream, to_seat: &Sender<SeatNews>) {
    let mut lines = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut lines).take(LONGEST).read_until(b'\n', &mut line);
        if read.is_err() || line.last() != Some(&b'\n') {
            return;
        }
        let Ok(word) = serde_json::from_slice(&line) else { return };
        if to_seat.send(SeatNews::Word(screen, word)).is_err() {
            return;
        }
    }
}
