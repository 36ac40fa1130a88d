//! The manager's side of the protocol for one brain.

use std::time::Duration;

use game::{
    Command, Fault, FaultKind, Out, Protocol, Said, Seen, Tick, TimeLeft, Topic, printable, quote,
};
use table::Chair;

use super::board::{Cell, Rule, Size};
use super::complaints::{Complaints, Time};
use super::setup::Config;
use super::state::{Action, Event, Gomoku, Phase};
use super::wire::{FromBrain, GameType, Info, TEXT_KEPT, ToBrain, UNLIMITED, UNLIMITED_TIME_LEFT};

/// How long a brain may take to leave after `END`. Known brains spin for ever on end of input.
const LEAVE: Duration = Duration::from_millis(700);
/// How long `ABOUT` is waited for; many brains never answer it.
const ABOUT: Duration = Duration::from_secs(1);
/// How long a brain may take to be ready for another game before it is replaced.
const RESTART: Duration = Duration::from_secs(5);

/// Speaks to one brain.
pub(super) struct Manager {
    chair: Chair,
    rule: Rule,
    stage: Stage,
    size: Option<Size>,
    /// The brain has been shown the board and follows it by `TURN`.
    in_step: bool,
    /// The opponent's last stone, if the brain does not know it yet.
    news: Option<Cell>,
    /// The brain has not answered `ABOUT` yet.
    owes_about: bool,
    /// What it says instead of moves, or to `INFO`.
    complaints: Complaints,
    /// Whether the brain has answered a question since it was last asked one.
    answered: bool,
}

/// What the brain is expected to say next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// `OK` to `START`, or to `RESTART` if it has played before.
    Ok { by: Tick, reused: bool },
    /// Its description of itself.
    About { by: Tick },
    /// Nothing.
    Idle,
    /// An answer of this form.
    Asked(Form),
    /// The game is over.
    Over,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Move,
    Three,
    Choose,
    ChooseLast,
}

impl Manager {
    pub(super) fn new(config: &Config, chair: &Chair) -> Manager {
        Manager {
            chair: chair.clone(),
            rule: config.rule,
            stage: Stage::Idle,
            size: None,
            in_step: false,
            news: None,
            owes_about: false,
            complaints: Complaints::default(),
            answered: true,
        }
    }

    fn begin(
        &mut self,
        now: Tick,
        seen: Seen<'_, Gomoku>,
        limit: Duration,
        reused: bool,
        out: &mut Out<Action>,
    ) {
        let view = seen.view();
        let size = view.size;
        self.size = Some(size);
        // From an empty board the brain can follow by BEGIN and TURN alone.
        self.in_step = view.stones.is_empty() && view.phase == Phase::Play;
        if reused {
            say(out, ToBrain::Restart);
            self.stage = Stage::Ok { by: now + limit.min(RESTART), reused };
        } else {
            say(out, ToBrain::Start(size));
            self.stage = Stage::Ok { by: now + limit, reused };
        }
    }

    /// `OK` has come: tell the brain about the game.
    fn inform(&mut self, now: Tick, reused: bool, out: &mut Out<Action>) {
        let clock = self.chair.clock;
        let ms = |time: Duration| time.as_millis();
        // Unlimited time is told by silence: the seed reads `timeout_turn 0` as no limit, most
        // brains as an order to play at once.
        let kind =
            if self.chair.tournament { GameType::Tournament } else { GameType::AgainstBrain };
        let lines = [
            clock.turn.map(|turn| Info::TimeoutTurn(ms(turn))),
            clock.bank.map(|bank| Info::TimeoutMatch(ms(bank))),
            Some(Info::MaxMemory(self.chair.memory)),
            Some(Info::GameType(kind)),
            Some(Info::Rule(self.rule)),
            self.chair.folder.as_deref().map(Info::Folder),
        ];
        for info in lines.into_iter().flatten() {
            say(out, ToBrain::Info(info));
        }
        if reused {
            // It has described itself before, and is known not to complain about INFO.
            self.ready(out);
        } else {
            // The answer to ABOUT also shows that all INFO lines have been read: whatever
            // complaint came before it was about them.
            say(out, ToBrain::About);
            self.owes_about = true;
            self.stage = Stage::About { by: now + ABOUT };
        }
    }

    fn ready(&mut self, out: &mut Out<Action>) {
        self.stage = Stage::Idle;
        out.said.push(Said::Ready);
    }

    fn ask(&mut self, seen: Seen<'_, Gomoku>, time: TimeLeft, out: &mut Out<Action>) {
        // One write for both lines: one system call, one wake-up.
        match time.bank {
            None => out.bytes.extend_from_slice(UNLIMITED_TIME_LEFT),
            Some(bank) => say(out, ToBrain::Info(Info::TimeLeft(bank.as_millis()))),
        }
        let limit = if time.limit().is_some() { Time::Limited } else { Time::Unlimited };
        let told = time.bank.map_or(UNLIMITED, |bank| bank.as_millis().min(UNLIMITED));
        self.complaints.asked(told, limit);
        self.answered = false;
        let form = match (self.in_step, self.news.take()) {
            (true, Some(cell)) => {
                say(out, ToBrain::Turn(cell));
                Form::Move
            }
            (true, None) | (false, _) => self.show(seen, out),
        };
        self.stage = Stage::Asked(form);
        out.said.push(Said::Asked);
    }

    /// Shows the brain the whole position and asks for what is due.
    fn show(&mut self, seen: Seen<'_, Gomoku>, out: &mut Out<Action>) -> Form {
        let view = seen.view();
        let form = match view.phase {
            Phase::Three => Form::Three,
            Phase::Choose => Form::Choose,
            Phase::ChooseLast => Form::ChooseLast,
            Phase::Play | Phase::Over(_) => Form::Move,
        };
        if form != Form::Move {
            say(out, ToBrain::Swap2Board(&view.stones));
            return form;
        }
        self.in_step = true;
        if view.stones.is_empty() {
            say(out, ToBrain::Begin);
            return form;
        }
        let black = view.black == self.chair.player;
        let own = |index: usize| index.is_multiple_of(2) == black;
        let stones: Vec<(Cell, bool)> =
            view.stones.iter().enumerate().map(|(index, cell)| (*cell, own(index))).collect();
        say(out, ToBrain::Board(&stones));
        form
    }

    fn noticed(&mut self, event: &Event) {
        if event.player == self.chair.player {
            return;
        }
        match event.action {
            Action::Put(cell) => self.news = Some(cell),
            // After swap2 the brain is shown the board anew.
            Action::Three(_) | Action::Two(_) | Action::Swap => self.in_step = false,
        }
    }

    fn answer(
        &mut self,
        now: Tick,
        form: Form,
        said: FromBrain,
        line: &[u8],
        out: &mut Out<Action>,
    ) {
        match (said, form) {
            (FromBrain::Cells(cells), form) => {
                if cells.have_tail() {
                    out.note(Topic::Remark, format!("more than a move: {}", quote(line)));
                }
                self.cells(form, cells.pairs(), line, out);
            }
            (FromBrain::Swap, Form::Choose | Form::ChooseLast) => {
                self.accept(Action::Swap, out);
            }
            (FromBrain::Suggest(x, y), Form::Move) => {
                self.complaints.released();
                say(out, ToBrain::Play(x, y));
                out.note(Topic::Remark, format!("suggests {x},{y}"));
            }
            (FromBrain::Error(text), _) => self.complaint(now, "ERROR", &text, out),
            (FromBrain::Unknown(text), _) => self.complaint(now, "UNKNOWN", &text, out),
            (FromBrain::Ok, _) => out.note(Topic::Remark, "OK although nothing asked for it"),
            (FromBrain::Other(text), _) if self.owes_about => self.about(&text, out),
            (FromBrain::Other(text), _) => {
                let detail = format!("{} is no move", quote(&text));
                out.note(Topic::Remark, detail.clone());
                self.complaints.hear(now, Fault::new(FaultKind::BadInput, detail));
            }
            (FromBrain::Swap, Form::Move | Form::Three) => self.unreadable(b"SWAP", out),
            (FromBrain::Suggest(..), _) => self.unreadable(b"SUGGEST", out),
            (FromBrain::Message(_) | FromBrain::Debug(_) | FromBrain::Nothing, _) => {
                unreachable!("talk is taken care of before")
            }
        }
    }

    fn cells(&mut self, form: Form, given: &[(i64, i64)], line: &[u8], out: &mut Out<Action>) {
        let size = self.size.expect("the size is known since the start");
        if given.iter().any(|(x, y)| size.cell(*x, *y).is_none()) {
            let words = quote(line.trim_ascii());
            self.refuse(FaultKind::Illegal, format!("{words} is off the {size} board"), out);
            return;
        }
        let cell = |(x, y): (i64, i64)| Cell { x: x as u8, y: y as u8 };
        let action = match (form, given) {
            (Form::Move | Form::Choose | Form::ChooseLast, &[one]) => Action::Put(cell(one)),
            (Form::Three, &[a, b, c]) => Action::Three([a, b, c].map(cell)),
            (Form::Choose, &[a, b]) => Action::Two([a, b].map(cell)),
            _ => {
                let detail = format!("{} cells where {}", given.len(), form.wants());
                self.refuse(FaultKind::BadInput, detail, out);
                return;
            }
        };
        self.accept(action, out);
    }

    fn accept(&mut self, action: Action, out: &mut Out<Action>) {
        self.stage = Stage::Idle;
        self.owes_about = false;
        self.answered = true;
        self.complaints.answered();
        if !matches!(action, Action::Put(_)) {
            self.in_step = false;
        }
        out.said.push(Said::Answer(action));
    }

    fn refuse(&mut self, kind: FaultKind, detail: String, out: &mut Out<Action>) {
        self.stage = Stage::Idle;
        out.fault(kind, detail);
    }

    fn unreadable(&mut self, text: &[u8], out: &mut Out<Action>) {
        let detail = format!("{} is no move; one is x,y, such as 7,7", quote(text));
        self.refuse(FaultKind::BadInput, detail, out);
    }

    /// `ERROR` or `UNKNOWN` to what it was told before the game.
    fn misinformed(&mut self, word: &str, text: &str, out: &mut Out<Action>) {
        let words = complaint(word, text);
        self.complaints.before_the_game(&words);
        out.note(Topic::Remark, words);
    }

    /// `ERROR` or `UNKNOWN` while an answer is due.
    fn complaint(&mut self, now: Tick, word: &str, text: &str, out: &mut Out<Action>) {
        let words = complaint(word, text);
        out.note(Topic::Remark, words.clone());
        if self.owes_about && text.trim().eq_ignore_ascii_case("ABOUT") {
            // Brains that do not know ABOUT say so, if late.
            self.owes_about = false;
        } else {
            self.complaints.hear(now, Fault::new(FaultKind::Refused, words));
        }
    }

    fn about(&mut self, text: &[u8], out: &mut Out<Action>) {
        self.owes_about = false;
        out.note(Topic::About, printable(text, TEXT_KEPT));
    }

    fn talk(&mut self, now: Tick, topic: Topic, text: String, out: &mut Out<Action>) {
        self.complaints.talk(now);
        out.note(topic, text);
    }

    fn end(&mut self, keep: bool, out: &mut Out<Action>) {
        // A brain that was asked and has not answered is not idle, and what one that complains
        // says about the next game's INFO lines would be taken for an answer to the question.
        let idle = keep && self.answered && !self.complaints.any() && !self.owes_about;
        self.stage = Stage::Over;
        let mut farewell = Out::<Action>::default();
        say(&mut farewell, ToBrain::End);
        out.said.push(Said::Done { idle, farewell: farewell.bytes, grace: LEAVE });
    }
}

impl Protocol<Gomoku> for Manager {
    fn command(&mut self, now: Tick, command: Command<'_, Gomoku>, out: &mut Out<Action>) {
        match command {
            Command::Begin { seen, limit, reused } => self.begin(now, seen, limit, reused, out),
            Command::Resume { seen, limit } => self.begin(now, seen, limit, false, out),
            Command::Notify(event) => self.noticed(event),
            Command::Ask { seen, time } => self.ask(seen, time, out),
            Command::Hurry | Command::TimeUp | Command::Refused(_) => {}
            Command::End { keep, .. } => self.end(keep, out),
        }
    }

    fn line(&mut self, now: Tick, line: &[u8], out: &mut Out<Action>) {
        let said = match FromBrain::parse(line) {
            FromBrain::Nothing => return,
            FromBrain::Message(text) => return self.talk(now, Topic::Message, text, out),
            FromBrain::Debug(text) => return self.talk(now, Topic::Debug, text, out),
            said => said,
        };
        match self.stage {
            Stage::Ok { reused, .. } => match said {
                FromBrain::Ok => self.inform(now, reused, out),
                FromBrain::Error(_) | FromBrain::Unknown(_) if reused => {
                    out.said.push(Said::Unfit);
                }
                FromBrain::Error(text) => {
                    out.fault(FaultKind::Refused, format!("cannot play: ERROR {text}"));
                }
                FromBrain::Unknown(text) => {
                    out.fault(FaultKind::Refused, format!("cannot play: UNKNOWN {text}"));
                }
                _ => out.note(Topic::Remark, format!("before OK: {}", quote(line))),
            },
            Stage::About { .. } => match said {
                FromBrain::Error(text) => self.misinformed("ERROR", &text, out),
                FromBrain::Unknown(text) => self.misinformed("UNKNOWN", &text, out),
                FromBrain::Other(text) => {
                    self.about(&text, out);
                    self.ready(out);
                }
                FromBrain::Ok => out.note(Topic::Remark, "OK although nothing asked for it"),
                _ => out.fault(FaultKind::Early, format!("{} before it was asked", quote(line))),
            },
            Stage::Asked(form) => self.answer(now, form, said, line, out),
            Stage::Idle => match said {
                FromBrain::Cells(_) | FromBrain::Swap => {
                    out.fault(
                        FaultKind::Extra,
                        format!("{} although no move was due", quote(line)),
                    );
                }
                FromBrain::Other(text) if self.owes_about => self.about(&text, out),
                _ => out.note(Topic::Remark, format!("out of turn: {}", quote(line))),
            },
            Stage::Over => {}
        }
    }

    fn early_line(&mut self, now: Tick, line: &[u8], out: &mut Out<Action>) {
        match FromBrain::parse(line) {
            FromBrain::Cells(_) | FromBrain::Swap => {
                out.fault(FaultKind::Early, format!("{} before it was asked", quote(line)));
            }
            FromBrain::Other(_) if self.owes_about => self.line(now, line, out),
            FromBrain::Error(_) | FromBrain::Unknown(_) | FromBrain::Other(_) => {
                out.note(Topic::Remark, format!("before it was asked: {}", quote(line)));
            }
            _ => self.line(now, line, out),
        }
    }

    fn tick(&mut self, now: Tick, out: &mut Out<Action>) {
        match self.stage {
            Stage::Ok { by, reused } if by <= now => {
                if reused {
                    out.said.push(Said::Unfit);
                } else {
                    let limit = self.chair.clock.start.as_millis();
                    out.fault(FaultKind::NotReady, format!("no OK within {limit} ms of START"));
                }
                self.stage = Stage::Over;
            }
            Stage::About { by } if by <= now => self.ready(out),
            Stage::Asked(_) => {
                if let Some(Fault { kind, detail }) = self.complaints.due(now) {
                    self.refuse(kind, detail, out);
                }
            }
            Stage::Ok { .. } | Stage::About { .. } | Stage::Idle | Stage::Over => {}
        }
    }

    fn last_words(&mut self) -> Option<Fault> {
        self.complaints.last()
    }

    fn next_tick(&self) -> Option<Tick> {
        match self.stage {
            Stage::Ok { by, .. } | Stage::About { by } => Some(by),
            Stage::Asked(_) => self.complaints.next_tick(),
            Stage::Idle | Stage::Over => None,
        }
    }
}

impl Form {
    fn wants(self) -> &'static str {
        match self {
            Form::Move => "one move was asked for",
            Form::Three => "the three stones of swap2 were asked for",
            Form::Choose => "SWAP, one move or two stones were asked for",
            Form::ChooseLast => "SWAP or one move was asked for",
        }
    }
}

fn complaint(word: &str, text: &str) -> String {
    format!("{word} {text}").trim_end().to_owned()
}

fn say(out: &mut Out<Action>, message: ToBrain<'_>) {
    message.write(&mut out.bytes);
}
