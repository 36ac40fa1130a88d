//! People at the terminal: pictures and what can be done go to standard error, what they type is read line by line.
//!
//! Lines, not single keys: a terminal in its usual state has editing, history of its own and Ctrl-C, and nothing has to
//! be put in order when it is lost.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, Write as _, stderr, stdin};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use host::{Advisers, People, Voice};
use table::desk::{AnyDesk, DeskView, Offer, Picked};
use table::picture::width;
use table::{Ink, Knowledge, Line, PersonSaid, PersonWish, Style};

use crate::terminal::{is_live, room};

/// So many lines say what can be done.
const MOST_CHOICES: usize = 3;
/// So many places are named; there may be hundreds.
const MOST_PLACES: usize = 12;
/// So many of the last moves are listed.
const MOVES_LISTED: usize = 10;

/// What the thread of the screen is told.
enum ScreenNews {
    Shown {
        bot: usize,
        desk: Box<dyn AnyDesk>,
        voice: Voice,
    },
    Typed(String),
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

/// A person whose answer is due.
struct AskedPerson {
    bot: usize,
    desk: Box<dyn AnyDesk>,
    voice: Voice,
    /// Somebody else must not see this: it is shown when the person says that it is there.
    covered: bool,
    /// The person has said once that it resigns.
    resigning: bool,
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
    /// Nobody types any more.
    absent: bool,
    /// Why something that somebody typed was not done.
    note: Option<String>,
}

/// What a line of the person asks for.
enum Typed<'a> {
    Help,
    Undo,
    Resign,
    Hint(Option<&'a str>),
    Moves,
    Wish(PersonWish),
    Agree,
    Refuse,
    GoOn,
    Picks(Vec<&'a str>),
}

impl<'a> Typed<'a> {
    /// What the game offers comes first: a word may mean both.
    fn of(line: &'a str, offers: &[Offer]) -> Typed<'a> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let offered = |word: &str| offers.iter().any(|offer| offer.pick == word);
        match words[..] {
            ["?" | "help"] => Typed::Help,
            ["undo" | "back"] if !offered(words[0]) => Typed::Undo,
            ["resign"] if !offered("resign") => Typed::Resign,
            ["hint"] if !offered("hint") => Typed::Hint(None),
            ["hint", bot] if !offered("hint") => Typed::Hint(Some(bot)),
            ["moves"] if !offered("moves") => Typed::Moves,
            ["takeback"] if !offered("takeback") => Typed::Wish(PersonWish::TakeBack),
            ["pause"] if !offered("pause") => Typed::Wish(PersonWish::Pause),
            ["resume"] if !offered("resume") => Typed::GoOn,
            ["agree"] if !offered("agree") => Typed::Agree,
            ["refuse"] if !offered("refuse") => Typed::Refuse,
            _ => Typed::Picks(words),
        }
    }
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
            let covered = self.covers && !replaced;
            let asked = AskedPerson { bot, desk, voice, covered, resigning: false };
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
        let name = self.names.get(&asked.bot).cloned().unwrap_or_default();
        if asked.covered {
            self.clear();
            self.put(&[Line::plain(&format!(
                "{name}: press Enter when nobody else looks at the screen"
            ))]);
        } else {
            let note = self.note.take().unwrap_or_default();
            self.draw(&*asked.desk, &note);
        }
        self.current = Some(asked);
    }

    fn typed(&mut self, line: &str) {
        let Some(mut asked) = self.current.take() else { return };
        if std::mem::take(&mut asked.covered) {
            self.draw(&*asked.desk, "");
            self.current = Some(asked);
            return;
        }
        let resigning = std::mem::take(&mut asked.resigning);
        let note = match Typed::of(line, &asked.desk.view().offers) {
            Typed::Help => help(asked.desk.view(), &self.advisers.names()),
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
            Typed::Hint(bot) => hint(&*asked.desk, bot, &*self.advisers),
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
        self.draw(&*asked.desk, &note);
        self.current = Some(asked);
    }

    fn clear(&self) {
        if self.live {
            let _ = write!(stderr(), "\x1b[2J\x1b[3J\x1b[H");
        }
    }

    /// The picture, what can be done, and a note on what was typed.
    fn draw(&mut self, desk: &dyn AnyDesk, note: &str) {
        let all = room(&stderr());
        let view = desk.view();
        let intro = match std::mem::replace(&mut self.introduced, true) {
            false => format!("{}\n? shows this again", view.rules.join("\n")),
            true => String::new(),
        };
        let notes = [intro.as_str(), note];
        let notes = notes.iter().flat_map(|text| text.lines());
        let notes: Vec<Line> = notes
            .flat_map(|line| wrapped(line, all.columns))
            .map(|line| Line::plain(&line))
            .collect();
        let mut below = notes;
        below.push(Line::painted(Style::STRONG, &prompt(desk)).fit(all.columns));
        if desk.is_due() {
            let choices = choices(desk, all.columns).into_iter();
            below.extend(choices.map(|line| Line::painted(Style::FAINT, &line)));
            if !desk.picks().is_empty() {
                let picked = format!("so far: {} (undo takes one back)", desk.picks().join(" "));
                below.push(Line::plain(&picked).fit(all.columns));
            }
            if let Some(time) = desk.time() {
                below.push(Line::plain(&format!("time: {} s", time.as_secs())));
            }
        }
        // The last line is for what is typed.
        let room = all.without(0, below.len() + 1);
        self.clear();
        let mut lines = desk.picture(room).lines(room);
        lines.extend(below);
        self.put(&lines);
        if desk.is_due() || desk.table().asked.is_some() {
            let _ = write!(stderr(), "> ");
            let _ = stderr().flush();
        }
    }

    fn put(&self, lines: &[Line]) {
        let text: String = lines.iter().map(|line| line.text(self.ink) + "\n").collect();
        let mut out = stderr().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// Why a match is void that nobody plays any more.
const NOBODY: &str = "nobody is at the terminal any more";

fn help(view: &DeskView, hints: &[String]) -> String {
    let all: Vec<String> =
        view.offers.iter().filter(|offer| offer.place.is_none()).map(described).collect();
    let mut lines: Vec<String> = view.rules.to_vec();
    lines.extend(all);
    lines.push(format!("undo, resign, hint, hint BOT (of {}), Ctrl-C to stop", hints.join(", ")));
    lines.push("takeback: take your last move back · moves: the last moves".to_owned());
    lines.push("pause, resume: stop the clocks of the people, let them run again".to_owned());
    lines.join("\n")
}

/// What is to be done: beside the game, or in it.
fn prompt(desk: &dyn AnyDesk) -> String {
    let table = desk.table();
    match (&table.asked, table.waits) {
        (Some((name, wish)), _) => format!("{name} asks to {}: agree or refuse", wish.words()),
        (None, Some(wish)) => format!("waiting for the others to {}", wish.words()),
        (None, None) if table.paused => "the clocks are stopped: resume lets them run".to_owned(),
        (None, None) => desk.view().prompt.clone(),
    }
}

/// The last moves.
fn moves(desk: &dyn AnyDesk) -> String {
    let moves = desk.moves();
    let first = moves.len().saturating_sub(MOVES_LISTED);
    let lines: Vec<&str> = moves[first..].iter().map(|one| one.text.as_str()).collect();
    if lines.is_empty() { "nobody has moved yet".to_owned() } else { lines.join("\n") }
}

fn hint(desk: &dyn AnyDesk, bot: Option<&str>, advisers: &dyn Advisers) -> String {
    let Some(bot) = bot.map(str::to_owned).or(advisers.names().pop()) else {
        return "no bot can be asked for a hint in this game".to_owned();
    };
    match advisers.question(&bot, desk) {
        Ok(question) => advisers.ask(&bot, question),
        Err(why) => why,
    }
}

/// Picks one after another. The answer, if they make one; those before a wrong one stand.
fn pick_all(desk: &mut dyn AnyDesk, words: &[&str]) -> Result<Option<table::desk::Answer>, String> {
    // An empty line is the Enter key.
    let words = if words.is_empty() { &[""] } else { words };
    for word in words {
        let pick = meant(word, &desk.view().offers);
        match desk.pick(&pick)? {
            Picked::More => {}
            Picked::Answer(answer) => return Ok(Some(answer)),
        }
    }
    Ok(None)
}

/// The pick that a word stands for: itself, a key, or the only offer that begins like it.
fn meant(word: &str, offers: &[Offer]) -> String {
    if word.is_empty() {
        let enter = offers.iter().find(|offer| offer.key == Some("Enter"));
        return enter.map_or_else(String::new, |offer| offer.pick.clone());
    }
    if offers.iter().any(|offer| offer.pick == word) {
        return word.to_owned();
    }
    let key = offers.iter().find(|offer| offer.key == Some(word));
    let mut alike = offers.iter().filter(|offer| offer.is_open() && offer.pick.starts_with(word));
    match (key, alike.next(), alike.next()) {
        (Some(offer), ..) | (None, Some(offer), None) => offer.pick.clone(),
        (None, ..) => word.to_owned(),
    }
}

/// An offer with its word and its key.
fn described(offer: &Offer) -> String {
    match offer.key {
        Some("Enter") => format!("{} or Enter: {}", offer.pick, offer.label),
        // Arrows cannot be typed on a line.
        Some(key) if key.len() == 1 => format!("{} or {key}: {}", offer.pick, offer.label),
        Some(_) | None => format!("{}: {}", offer.pick, offer.label),
    }
}

/// What can be done, in a few lines: words first, then places.
fn choices(desk: &dyn AnyDesk, columns: usize) -> Vec<String> {
    let own = ["?", "hint", "resign"].iter().chain(&["undo"][..desk.picks().len().min(1)]);
    listed(&desk.view().offers, own.copied(), columns)
}

fn listed<'a>(offers: &[Offer], own: impl Iterator<Item = &'a str>, columns: usize) -> Vec<String> {
    let open = || offers.iter().filter(|offer| offer.is_open());
    let (words, places): (Vec<&Offer>, Vec<&Offer>) =
        open().partition(|offer| offer.place.is_none() || offer.key.is_some());
    let mut items: Vec<String> = words.iter().map(|offer| offer.pick.clone()).collect();
    match places.len() {
        0 => {}
        1..=MOST_PLACES => items.extend(places.iter().map(|offer| offer.pick.clone())),
        count => {
            // From the middle: the first ones are in a corner.
            let some = places.iter().skip(count / 2).take(3).map(|offer| offer.pick.as_str());
            items.push(format!("{} … ({count} places)", some.collect::<Vec<_>>().join(" ")));
        }
    }
    items.extend(own.map(str::to_owned));
    let mut lines = wrapped(&items.join(" · "), columns);
    if lines.len() > MOST_CHOICES {
        lines.truncate(MOST_CHOICES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines
}

/// A line as several, none wider than the screen.
fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let most = columns.saturating_sub(2).max(10);
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is always one");
        if !last.is_empty() && width(last) + 1 + width(word) > most {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers() -> Vec<Offer> {
        vec![
            Offer::new("forward", "go forward").key("ArrowUp"),
            Offer::new("left", "turn left").key("ArrowLeft"),
            Offer::new("attack@20", "spray").key("x"),
            Offer::new("go", "end").key("Enter"),
            Offer::new("7,7", "there").place([50, 50], [100, 100]),
            Offer::new("8,8", "taken").place([50, 50], [100, 100]).barred("8,8 is taken"),
        ]
    }

    #[test]
    fn words_are_understood_by_name_key_and_beginning() {
        for (typed, pick) in [
            ("forward", "forward"),
            ("f", "forward"),
            ("l", "left"),
            ("x", "attack@20"),
            ("", "go"),
            ("g", "go"),
            ("7,7", "7,7"),
            ("8,8", "8,8"),
            ("8", "8"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(meant(typed, &offers()), pick, "{typed}");
        }
    }

    #[test]
    fn what_can_be_done_takes_a_few_lines_whatever_it_is() {
        let few = listed(&offers(), ["?"].into_iter(), 80);
        assert_eq!(few, ["forward · left · attack@20 · go · 7,7 · ?"]);
        let many: Vec<Offer> = (0..400)
            .map(|at| Offer::new(format!("{},{}", at % 20, at / 20), "put").place([0, 0], [1, 1]))
            .collect();
        let lines = listed(&many, ["?", "hint"].into_iter(), 40);
        assert!(lines[0].starts_with("0,10 1,10 2,10 … (400 places)"), "{lines:?}");
        assert!(lines.len() <= MOST_CHOICES && lines.iter().all(|line| width(line) <= 40));
    }
}
