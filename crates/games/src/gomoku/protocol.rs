//! The manager's side of the protocol for one brain: what it is told, and what is expected of it.
//! `answers.rs` says what its lines mean.

mod answers;
mod taking_back;

use std::time::Duration;

use game::{
    Afterwards, Command, Farewell, Fault, FaultKind, Out, ProcessHistory, Protocol, Said, Seen,
    Tick, TimeLeft, Topic, quote,
};
use table::{Chair, LineEnd, Occasion};

use super::board::{Cell, Rule, Size};
use super::complaints::{Complaints, Time};
use super::setup::Config;
use super::state::{Action, Event, Gomoku, Phase};
use super::wire::{FromBrain, GameType, Info, ToBrain, UNLIMITED, UNLIMITED_TIME_LEFT};

/// How long a brain may take to leave after `END`. Known brains spin for ever on end of input.
const LEAVE: Duration = Duration::from_millis(700);
/// How long `ABOUT` is waited for; many brains never answer it. Whoever is silent then has to rest
/// for a moment, which makes it a second together.
const ABOUT: Duration = Duration::from_millis(750);
/// How long a brain may take to be ready for another game before it is replaced.
const RESTART: Duration = Duration::from_secs(5);

/// Speaks to one brain.
pub(super) struct Manager {
    chair: Chair,
    rule: Rule,
    state: ProtocolState,
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
    /// How its lines end, once it is known not to understand those of the protocol.
    line_end: Option<LineEnd>,
}

/// What the brain is expected to say next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProtocolState {
    /// `OK` to `START`, or to `RESTART` if it has played before.
    Ok { by: Tick, asked: Asked },
    /// Its description of itself, if it gives one.
    About { by: Option<Tick> },
    /// Nothing.
    Idle,
    /// An answer of this form.
    Asked(AnswerForm),
    /// `OK` to `TAKEBACK`; then it is told to take this stone back as well.
    TakingBack { by: Tick, next: Option<Cell> },
    /// The game is over.
    Over,
}

/// How a brain was asked whether it can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// With `RESTART`.
    Again,
    /// With `START`, which is to be tried with another line end then.
    First { retry: Tick },
    /// With `START`, for the last time.
    Last,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerForm {
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
            state: ProtocolState::Idle,
            size: None,
            in_step: false,
            news: None,
            owes_about: false,
            complaints: Complaints::default(),
            answered: true,
            line_end: None,
        }
    }

    fn begin(
        &mut self,
        now: Tick,
        seen: Seen<'_, Gomoku>,
        limit: Duration,
        process: ProcessHistory,
        out: &mut Out<Action>,
    ) {
        let view = seen.view();
        let size = view.size;
        self.size = Some(size);
        // From an empty board the brain can follow by BEGIN and TURN alone.
        self.in_step = view.stones.is_empty() && view.phase == Phase::Play;
        if process == ProcessHistory::Reused {
            say(out, ToBrain::Restart);
            self.state = ProtocolState::Ok { by: now + limit.min(RESTART), asked: Asked::Again };
            return;
        }
        say(out, ToBrain::Start(size));
        let asked = match self.chair.line_end {
            None => Asked::First { retry: now + limit / 2 },
            Some(_) => Asked::Last,
        };
        self.state = ProtocolState::Ok { by: now + limit, asked };
    }

    /// `START` was not understood. Some brains take the carriage return for a part of the line.
    fn start_again(&mut self, by: Tick, out: &mut Out<Action>) {
        let size = self.size.expect("the size is known since the start");
        out.note(Topic::Remark, "no OK to START with CR LF at its end: tried again with LF");
        say(out, ToBrain::Start(size));
        self.line_end = Some(LineEnd::Lf);
        self.state = ProtocolState::Ok { by, asked: Asked::Last };
    }

    /// `OK` has come: tell the brain about the game.
    fn inform(&mut self, now: Tick, asked: Asked, out: &mut Out<Action>) {
        let clock = self.chair.clock;
        let ms = |time: Duration| time.as_millis();
        // Unlimited time is told by silence: the seed reads `timeout_turn 0` as no limit, most
        // brains as an order to play at once.
        let kind = match self.chair.occasion {
            Occasion::Tournament => GameType::Tournament,
            Occasion::SingleMatch => GameType::AgainstBrain,
        };
        let lines = [
            clock.turn.map(|turn| Info::TimeoutTurn(ms(turn))),
            clock.bank.map(|bank| Info::TimeoutMatch(ms(bank))),
            Some(Info::MaxMemory(told_memory(self.chair.memory))),
            Some(Info::GameType(kind)),
            Some(Info::Rule(self.rule)),
            self.chair.folder.as_deref().map(Info::Folder),
        ];
        for info in lines.into_iter().flatten() {
            say(out, ToBrain::Info(info));
        }
        if asked == Asked::Again {
            // It has described itself before, and is known not to complain about INFO.
            self.ready(out);
        } else {
            // The answer to ABOUT also shows that all INFO lines have been read: whatever
            // complaint came before it was about them.
            say(out, ToBrain::About);
            self.owes_about = true;
            self.state = ProtocolState::About { by: Some(now + ABOUT) };
        }
    }

    fn ready(&mut self, out: &mut Out<Action>) {
        self.state = ProtocolState::Idle;
        out.said.push(Said::Ready);
    }

    fn ask(&mut self, seen: Seen<'_, Gomoku>, time: TimeLeft, out: &mut Out<Action>) {
        // One write for both lines: one system call, one wake-up.
        match time.bank {
            None => out.bytes.extend_from_slice(UNLIMITED_TIME_LEFT),
            Some(bank) => say(out, ToBrain::Info(Info::TimeLeft(bank.as_millis()))),
        }
        self.give_up_taking_back();
        let limit = if time.limit().is_some() { Time::Limited } else { Time::Unlimited };
        let told = time.bank.map_or(UNLIMITED, |bank| bank.as_millis().min(UNLIMITED));
        self.complaints.asked(told, limit);
        self.answered = false;
        let form = match (self.in_step, self.news.take()) {
            (true, Some(cell)) => {
                say(out, ToBrain::Turn(cell));
                AnswerForm::Move
            }
            (true, None) | (false, _) => self.show(seen, out),
        };
        self.state = ProtocolState::Asked(form);
        out.said.push(Said::Asked);
    }

    /// Shows the brain the whole position and asks for what is due.
    fn show(&mut self, seen: Seen<'_, Gomoku>, out: &mut Out<Action>) -> AnswerForm {
        let view = seen.view();
        let form = match view.phase {
            Phase::Three => AnswerForm::Three,
            Phase::Choose => AnswerForm::Choose,
            Phase::ChooseLast => AnswerForm::ChooseLast,
            Phase::Play | Phase::Over(_) => AnswerForm::Move,
        };
        if form != AnswerForm::Move {
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
            // It has agreed to it, or is shown the board anew.
            Action::TakeBack(_) => self.news = None,
        }
    }

    fn end(&mut self, then: Afterwards, out: &mut Out<Action>) {
        // A brain that was asked and has not answered is not idle, and what one that complains
        // says about the next game's INFO lines would be taken for an answer to the question.
        let takes_back = matches!(self.state, ProtocolState::TakingBack { .. });
        let is_idle = self.answered && !self.complaints.any() && !self.owes_about && !takes_back;
        let then = if is_idle { then } else { Afterwards::Leave };
        self.state = ProtocolState::Over;
        out.said.push(Said::Done { then, farewell: self.end_line(), grace: LEAVE });
    }

    fn hear(&mut self, now: Tick, line: &[u8], out: &mut Out<Action>) {
        let said = match FromBrain::parse(line) {
            FromBrain::Nothing => return,
            FromBrain::Message(text) => return self.talk(now, Topic::Message, text, out),
            FromBrain::Debug(text) => return self.talk(now, Topic::Debug, text, out),
            said => said,
        };
        match self.state {
            ProtocolState::Ok { by, asked } => match said {
                FromBrain::Ok => self.inform(now, asked, out),
                FromBrain::Error(_) | FromBrain::Unknown(_) if asked == Asked::Again => {
                    out.said.push(Said::Unfit);
                }
                FromBrain::Error(_) | FromBrain::Unknown(_)
                    if matches!(asked, Asked::First { .. }) =>
                {
                    self.start_again(by, out);
                }
                FromBrain::Error(text) => {
                    out.fault(FaultKind::Refused, format!("cannot play: ERROR {text}"));
                }
                FromBrain::Unknown(text) => {
                    out.fault(FaultKind::Refused, format!("cannot play: UNKNOWN {text}"));
                }
                _ => out.note(Topic::Remark, format!("before OK: {}", quote(line))),
            },
            ProtocolState::About { .. } => match said {
                FromBrain::Error(text) => self.misinformed("ERROR", &text, out),
                FromBrain::Unknown(text) => self.misinformed("UNKNOWN", &text, out),
                FromBrain::Other(text) => {
                    self.about(&text, out);
                    self.ready(out);
                }
                FromBrain::Ok => out.note(Topic::Remark, "OK although nothing asked for it"),
                _ => out.fault(FaultKind::Early, format!("{} before it was asked", quote(line))),
            },
            ProtocolState::Asked(form) => self.answer(now, form, said, line, out),
            ProtocolState::TakingBack { next, .. } => self.taken_back(now, next, said, line, out),
            ProtocolState::Idle => match said {
                FromBrain::Cells(_) | FromBrain::Swap => {
                    out.fault(
                        FaultKind::Extra,
                        format!("{} although no move was due", quote(line)),
                    );
                }
                FromBrain::Other(text) if self.owes_about => self.about(&text, out),
                _ => out.note(Topic::Remark, format!("out of turn: {}", quote(line))),
            },
            ProtocolState::Over => {}
        }
    }

    /// Ends lines as the brain understands them.
    fn end_lines(&self, bytes: &mut Vec<u8>) {
        if let Some(end) = self.line_end {
            end.apply(bytes);
        }
    }

    fn end_line(&self) -> Vec<u8> {
        let mut farewell = Out::<Action>::default();
        say(&mut farewell, ToBrain::End);
        self.end_lines(&mut farewell.bytes);
        farewell.bytes
    }
}

impl Protocol<Gomoku> for Manager {
    fn command(&mut self, now: Tick, command: Command<'_, Gomoku>, out: &mut Out<Action>) {
        match command {
            Command::Begin { seen, limit, process } => {
                self.begin(now, seen, limit, process, out);
            }
            Command::Resume { seen, limit } => {
                self.begin(now, seen, limit, ProcessHistory::Fresh, out);
            }
            Command::Notify(event) => self.noticed(event),
            Command::Ask { seen, time } => self.ask(seen, time, out),
            Command::TakeBack { seen, action } => self.take_back(now, seen, *action, out),
            Command::Hurry | Command::TimeUp | Command::Refused(_) => {}
            Command::End { then, .. } => self.end(then, out),
        }
        self.end_lines(&mut out.bytes);
    }

    fn line(&mut self, now: Tick, line: &[u8], out: &mut Out<Action>) {
        self.hear(now, line, out);
        self.end_lines(&mut out.bytes);
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
        match self.state {
            ProtocolState::Ok { by, asked: Asked::First { retry } } if retry <= now && now < by => {
                self.start_again(by, out);
                self.end_lines(&mut out.bytes);
            }
            ProtocolState::Ok { by, asked } if by <= now => {
                if asked == Asked::Again {
                    out.said.push(Said::Unfit);
                } else {
                    let limit = self.chair.clock.start.as_millis();
                    out.fault(FaultKind::NotReady, format!("no OK within {limit} ms of START"));
                }
                self.state = ProtocolState::Over;
            }
            // It may still be at work on what it was told: memory takes time to fill.
            ProtocolState::About { by: Some(by) } if by <= now => {
                self.state = ProtocolState::About { by: None };
                out.said.push(Said::Settling);
            }
            ProtocolState::Asked(_) => {
                if let Some(Fault { kind, detail }) = self.complaints.due(now) {
                    self.refuse(kind, detail, out);
                }
            }
            ProtocolState::TakingBack { by, .. } if by <= now => self.no_word_on_taking_back(out),
            ProtocolState::Ok { .. }
            | ProtocolState::About { .. }
            | ProtocolState::TakingBack { .. }
            | ProtocolState::Idle
            | ProtocolState::Over => {}
        }
    }

    fn last_words(&mut self) -> Option<Fault> {
        self.complaints.last()
    }

    fn farewell(&self) -> Option<Farewell> {
        Some(Farewell { words: self.end_line(), grace: LEAVE })
    }

    fn next_tick(&self) -> Option<Tick> {
        match self.state {
            ProtocolState::Ok { asked: Asked::First { retry }, .. } => Some(retry),
            ProtocolState::Ok { by, .. } | ProtocolState::TakingBack { by, .. } => Some(by),
            ProtocolState::About { by } => by,
            ProtocolState::Asked(_) => self.complaints.next_tick(),
            ProtocolState::Idle | ProtocolState::Over => None,
        }
    }
}

/// What a brain is told that it may use, of the memory at which it is killed. Brains make their
/// tables as large as that and forget everything else they need.
fn told_memory(limit: u64) -> u64 {
    const ELSE: u64 = 64 << 20;
    // Many brains read it as a number of 32 bits, and the original manager says no more.
    const MOST: u64 = i32::MAX as u64;
    (limit / 4 * 3).min(limit.saturating_sub(ELSE)).max(limit / 2).min(MOST)
}

fn say(out: &mut Out<Action>, message: ToBrain<'_>) {
    message.write(&mut out.bytes);
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Clock, Game as _, PlayerId, Seed};

    use super::*;

    fn chair(line_end: Option<LineEnd>) -> Chair {
        Chair {
            actor: ActorId(0),
            player: PlayerId(0),
            seed: Seed(1),
            clock: Clock::per_turn(Duration::from_secs(1)),
            memory: 1 << 30,
            folder: None,
            options: Vec::new(),
            line_end,
            occasion: Occasion::SingleMatch,
        }
    }

    /// What a brain is told that does not answer START for half of its time, and does then.
    fn told(line_end: Option<LineEnd>) -> Vec<String> {
        let config = Config { size: Some(15), ..Config::default() };
        let game = Gomoku::start(&config, 2, Seed(1)).expect("the set-up is sound");
        let mut manager = Manager::new(&config, &chair(line_end));
        let seen = Seen::new(&game, ActorId(0), PlayerId(0));
        let mut out = Out::default();
        let limit = Duration::from_secs(10);
        let begin = Command::Begin { seen, limit, process: ProcessHistory::Fresh };
        let mut writes = Vec::new();
        let mut take = |out: &mut Out<Action>| {
            let bytes = std::mem::take(&mut out.bytes);
            writes.push(String::from_utf8(bytes).expect("plain text"));
        };
        manager.command(Tick::ZERO, begin, &mut out);
        take(&mut out);
        let half = Tick::ZERO + limit / 2;
        manager.tick(half, &mut out);
        take(&mut out);
        manager.line(half, b"OK", &mut out);
        take(&mut out);
        writes.push(String::from_utf8(manager.end_line()).expect("plain text"));
        writes
    }

    #[test]
    fn a_brain_that_is_silent_after_cr_lf_is_spoken_to_with_lf() {
        let told = told(None);
        assert_eq!((told[0].as_str(), told[1].as_str()), ("START 15\r\n", "START 15\n"));
        assert!(told[2].ends_with("INFO rule 0\nABOUT\n") && !told[2].contains('\r'), "{told:?}");
        assert_eq!(told[3], "END\n");
    }

    #[test]
    fn a_line_end_of_the_manifest_leaves_nothing_to_try() {
        let told = told(Some(LineEnd::CrLf));
        assert_eq!((told[0].as_str(), told[1].as_str()), ("START 15\r\n", ""));
        assert!(told[2].ends_with("INFO rule 0\r\nABOUT\r\n"), "{told:?}");
    }

    #[test]
    fn less_memory_is_told_than_there_is() {
        const MIB: u64 = 1 << 20;
        assert_eq!(told_memory(1024 * MIB), 768 * MIB);
        assert_eq!(told_memory(200 * MIB), 136 * MIB);
        assert_eq!(told_memory(100 * MIB), 50 * MIB);
        assert_eq!(told_memory(16 * 1024 * MIB), 2_147_483_647);
        assert_eq!(told_memory(0), 0);
    }
}
