//! People at the terminal: pictures and what can be done go to standard error, what they type is read line by line.
//!
//! Lines, not single keys: a terminal in its usual state has editing, history of its own and Ctrl-C, and nothing has to
//! be put in order when it is lost.

mod words;

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, Write as _, stderr, stdin};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use host::{Advisers, People, Voice};
use rustix::event::{PollFd, PollFlags, poll};
use table::desk::AnyDesk;
use table::{Ink, Knowledge, Line, PersonSaid, Style};

use self::words::{Typed, choices, help, moves, pick_all, prompt, wrapped};
use crate::terminal::{is_live, room};

/// Why a match is void that nobody plays any more.
const NOBODY: &str = "nobody is at the terminal any more";

/// What the thread of the screen is told.
enum ScreenNews {
    Shown {
        bot: usize,
        desk: Box<dyn AnyDesk>,
        voice: Voice,
    },
    Typed(String),
    /// The terminal has another size.
    Resized,
    /// There is nobody to type any more.
    Closed,
    /// Answered when everything before it has been drawn.
    Drawn(Sender<()>),
}

/// The people who sit at this terminal.
pub(crate) struct TerminalPeople {
    to_screen: Sender<ScreenNews>,
}

impl TerminalPeople {
    /// The people of these names, by their number in the roster; bots that can be asked for hints.
    pub(crate) fn new(
        names: BTreeMap<usize, String>,
        knowledge: Knowledge,
        advisers: Arc<dyn Advisers>,
    ) -> std::io::Result<TerminalPeople> {
        let (to_screen, news) = channel();
        let keyboard = to_screen.clone();
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        thread("keyboard").spawn(move || read_lines(&keyboard))?;
        if is_live(&stderr()) {
            let size = to_screen.clone();
            thread("terminal size").spawn(move || watch_size(&size))?;
        }
        let covers = knowledge == Knowledge::Hidden && names.len() > 1;
        let screen = PersonScreen {
            names,
            covers,
            advisers,
            ink: if is_live(&stderr()) { super::ink() } else { Ink::Plain },
            live: is_live(&stderr()),
            waiting: VecDeque::new(),
            current: None,
            typed_ahead: VecDeque::new(),
            introduced: false,
            last: None,
            absent: false,
            note: None,
        };
        thread("person").spawn(move || screen.run(&news))?;
        Ok(TerminalPeople { to_screen })
    }

    /// Waits until all that was to be shown is on the screen.
    pub(crate) fn settle(&self) {
        let (drawn, done) = channel();
        if self.to_screen.send(ScreenNews::Drawn(drawn)).is_ok() {
            let _ = done.recv();
        }
    }
}

impl People for TerminalPeople {
    fn show(&self, bot: usize, desk: Box<dyn AnyDesk>, voice: Voice) {
        let _ = self.to_screen.send(ScreenNews::Shown { bot, desk, voice });
    }
}

fn read_lines(to_screen: &Sender<ScreenNews>) {
    for line in stdin().lock().lines() {
        let Ok(line) = line else { break };
        if to_screen.send(ScreenNews::Typed(line)).is_err() {
            return;
        }
    }
    let _ = to_screen.send(ScreenNews::Closed);
}

fn watch_size(to_screen: &Sender<ScreenNews>) {
    let resized = host::resize_waker();
    loop {
        let mut ready = [PollFd::from_borrowed_fd(resized, PollFlags::IN)];
        let _ = poll(&mut ready, None);
        if rustix::io::read(resized, &mut [0; 8]).is_ok()
            && to_screen.send(ScreenNews::Resized).is_err()
        {
            return;
        }
    }
}

/// A person whose answer is due.
struct AskedPerson {
    bot: usize,
    desk: Box<dyn AnyDesk>,
    voice: Voice,
    /// Somebody else must not see this: it is shown when the person says that it is there.
    covered: bool,
    /// The person has said once that it resigns.
    resigning: bool,
    /// What the person reads in the place of the board, until it presses Enter.
    reads: Option<String>,
}

/// What is on the screen.
struct PersonScreen {
    names: BTreeMap<usize, String>,
    /// Whether people at the same screen have secrets from each other.
    covers: bool,
    advisers: Arc<dyn Advisers>,
    ink: Ink,
    live: bool,
    /// People who have to wait for the one at the keyboard.
    waiting: VecDeque<AskedPerson>,
    current: Option<AskedPerson>,
    /// Lines that came through a pipe before anything was asked.
    typed_ahead: VecDeque<String>,
    /// The rules have been shown.
    introduced: bool,
    /// Whose secrets are on the screen.
    last: Option<usize>,
    /// Nobody types any more.
    absent: bool,
    /// Why something that somebody typed was not done.
    note: Option<String>,
}

impl PersonScreen {
    fn run(mut self, news: &Receiver<ScreenNews>) {
        for news in news {
            self.take(news);
            while self.current.is_some()
                && let Some(line) = self.typed_ahead.pop_front()
            {
                self.typed(&line);
            }
            if self.absent && self.typed_ahead.is_empty() {
                let asked = self.current.take().into_iter().chain(self.waiting.drain(..));
                asked.for_each(|asked| asked.voice.give_up(NOBODY));
            }
        }
    }

    fn take(&mut self, news: ScreenNews) {
        match news {
            ScreenNews::Shown { bot, desk, voice } => self.shown(bot, desk, voice),
            ScreenNews::Typed(_) if self.current.is_none() && self.live => {
                let words = "wait: nothing is asked of you now";
                self.put(&[Line::painted(Style::FAINT, words)]);
            }
            ScreenNews::Typed(line) => self.typed_ahead.push_back(line),
            ScreenNews::Resized => {
                if let Some(asked) = self.current.take() {
                    self.show(asked, "");
                }
            }
            ScreenNews::Closed => self.absent = true,
            ScreenNews::Drawn(done) => {
                let _ = done.send(());
            }
        }
    }

    fn shown(&mut self, bot: usize, mut desk: Box<dyn AnyDesk>, voice: Voice) {
        self.waiting.retain(|other| other.bot != bot);
        let replaced = self.current.take_if(|current| current.bot == bot).is_some();
        self.note = desk.news().or(self.note.take());
        // Whoever has asked for something waits for the others.
        let table = desk.table();
        let is_asked = table.asked.is_some() || (desk.is_due() && table.waits.is_none());
        if !is_asked {
            // Whoever is at the keyboard is not disturbed, and a file gets no picture twice.
            if self.current.is_none() && self.live && !self.covers {
                self.draw(&*desk, "");
            }
        } else {
            let covered = self.covers && !replaced && self.last != Some(bot);
            let (resigning, reads) = (false, None);
            let asked = AskedPerson { bot, desk, voice, covered, resigning, reads };
            self.waiting.push_back(asked);
        }
        self.next();
    }

    /// The next person is asked, if nobody is.
    fn next(&mut self) {
        if self.current.is_some() {
            return;
        }
        let Some(asked) = self.waiting.pop_front() else { return };
        let note = if asked.covered { None } else { self.note.take() };
        self.show(asked, &note.unwrap_or_default());
    }

    /// Shows somebody what is asked.
    fn show(&mut self, mut asked: AskedPerson, note: &str) {
        if asked.covered {
            let name = self.names.get(&asked.bot).cloned().unwrap_or_default();
            self.clear();
            self.put(&[Line::plain(&format!(
                "{name}: press Enter when nobody else looks at the screen"
            ))]);
        } else {
            self.last = Some(asked.bot);
            if !std::mem::replace(&mut self.introduced, true) {
                let rules = asked.desk.view().rules.join("\n");
                asked.reads = Some(format!("{rules}\n? shows this again"));
            }
            match asked.reads.take_if(|_| !self.live) {
                // A file has room for everything.
                Some(rules) => self.draw(&*asked.desk, &format!("{rules}\n{note}")),
                None => match &asked.reads {
                    Some(text) => self.draw_text(&*asked.desk, text),
                    None => self.draw(&*asked.desk, note),
                },
            }
        }
        self.current = Some(asked);
    }

    fn typed(&mut self, line: &str) {
        let Some(mut asked) = self.current.take() else { return };
        if std::mem::take(&mut asked.covered) {
            return self.show(asked, "");
        }
        // Whoever has read enough sees the board; every other word is meant for the game.
        if asked.reads.take().is_some() && line.trim().is_empty() {
            return self.show(asked, "");
        }
        let resigning = std::mem::take(&mut asked.resigning);
        let note = match Typed::of(line, &asked.desk.view().offers) {
            Typed::Help => {
                asked.reads = Some(help(asked.desk.view(), &self.advisers.names()));
                String::new()
            }
            Typed::Undo => match asked.desk.undo() {
                true => String::new(),
                false => "there is nothing to take back".to_owned(),
            },
            Typed::Resign if resigning => {
                asked.voice.say(PersonSaid::Resigns);
                return self.next();
            }
            Typed::Resign => {
                asked.resigning = true;
                "type resign once more to leave the game".to_owned()
            }
            Typed::Hint(bot) => self.hint(&*asked.desk, bot),
            Typed::Moves => moves(&*asked.desk),
            Typed::Wish(wish) => {
                asked.voice.say(PersonSaid::Wishes(wish));
                return self.next();
            }
            Typed::GoOn => {
                asked.voice.say(PersonSaid::Resumes);
                return self.next();
            }
            Typed::Agree | Typed::Refuse if asked.desk.table().asked.is_none() => {
                "nobody asks for anything".to_owned()
            }
            Typed::Agree => {
                asked.voice.say(PersonSaid::Agrees);
                return self.next();
            }
            Typed::Refuse => {
                asked.voice.say(PersonSaid::Declines);
                return self.next();
            }
            Typed::Picks(words) => match pick_all(&mut *asked.desk, &words) {
                Ok(Some(answer)) => {
                    asked.voice.say(PersonSaid::Answer(answer));
                    return self.next();
                }
                Ok(None) => String::new(),
                Err(why) => why,
            },
        };
        self.show(asked, &note);
    }

    fn clear(&self) {
        if self.live {
            let _ = write!(stderr(), "\x1b[2J\x1b[3J\x1b[H");
        }
    }

    /// The picture, what can be done, and a note on what was typed.
    fn draw(&self, desk: &dyn AnyDesk, note: &str) {
        let all = room(&stderr());
        let mut below = text(note, all.columns);
        below.extend(to_do(desk, all.columns));
        // The last line is for what is typed.
        let room = all.without(0, below.len() + 1);
        let mut lines = desk.picture(room).lines(room);
        lines.extend(below);
        self.put_asking(desk, &lines);
    }

    /// A text in the place of the picture: both together seldom have room.
    fn draw_text(&self, desk: &dyn AnyDesk, words: &str) {
        let all = room(&stderr());
        let mut below = vec![Line::painted(Style::FAINT, "Enter shows the board")];
        below.extend(to_do(desk, all.columns));
        let mut lines = text(words, all.columns);
        lines.truncate(all.rows.saturating_sub(below.len() + 1));
        lines.extend(below);
        self.put_asking(desk, &lines);
    }

    fn put_asking(&self, desk: &dyn AnyDesk, lines: &[Line]) {
        self.clear();
        self.put(lines);
        if desk.is_due() || desk.table().asked.is_some() {
            let _ = write!(stderr(), "> ");
            let _ = stderr().flush();
        }
    }

    fn hint(&self, desk: &dyn AnyDesk, bot: Option<&str>) -> String {
        let Some(bot) = bot.map(str::to_owned).or(self.advisers.names().pop()) else {
            return "no bot can be asked for a hint in this game".to_owned();
        };
        match self.advisers.question(&bot, desk) {
            Ok(question) => {
                self.put(&[Line::painted(Style::FAINT, &format!("{bot} is thinking"))]);
                self.advisers.ask(&bot, question)
            }
            Err(why) => why,
        }
    }

    fn put(&self, lines: &[Line]) {
        let text: String = lines.iter().map(|line| line.text(self.ink) + "\n").collect();
        let mut out = stderr().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// A text as lines of the screen.
fn text(words: &str, columns: usize) -> Vec<Line> {
    let lines = words.lines().flat_map(|line| wrapped(line, columns));
    lines.map(|line| Line::plain(&line)).collect()
}

/// What is to be done now, and what can be typed.
fn to_do(desk: &dyn AnyDesk, columns: usize) -> Vec<Line> {
    let prompt = wrapped(&prompt(desk), columns).into_iter();
    let mut lines: Vec<Line> = prompt.map(|line| Line::painted(Style::STRONG, &line)).collect();
    if !desk.is_due() {
        return lines;
    }
    let choices = choices(desk, columns).into_iter();
    lines.extend(choices.map(|line| Line::painted(Style::FAINT, &line)));
    if !desk.picks().is_empty() {
        let picked = format!("so far: {} (undo takes one back)", desk.picks().join(" "));
        lines.push(Line::plain(&picked).fit(columns));
    }
    if let Some(time) = desk.time() {
        lines.push(Line::plain(&format!("time: {} s", time.as_secs())));
    }
    lines
}
