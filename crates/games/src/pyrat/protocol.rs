//! The engine's side of the protocol for one bot.

use std::io::Write as _;
use std::time::Duration;

use game::{
    Afterwards, Command, Fault, FaultKind, Out, Outcome, ProcessHistory, Protocol, Said, Seen,
    Tick, TimeLeft, Topic, quote,
};
use table::Chair;

use super::options::{self, Declared};
use super::protocol_state::{Lead, ProtocolState};
use super::talk::Talk;
use super::wire::{About, FromBot, TimeControl, ToBot, VERSION};
use super::{Config, Event, Move, Pyrat, Side, View};

/// How long a bot may take to say that it is ready after a time-out. The seed: "Should respond
/// promptly (< 1 second)".
const READY: Duration = Duration::from_secs(1);
/// How long a bot that has played may take to show that it is idle, before it is replaced.
const IDLE: Duration = Duration::from_secs(1);
/// How long a bot may take to leave once its input is closed: there is no word for goodbye.
const LEAVE: Duration = Duration::from_millis(700);
/// How many options a bot may declare.
const MOST_OPTIONS: usize = 200;

/// Speaks to one bot.
pub(super) struct Engine {
    chair: Chair,
    side: Side,
    preprocessing: Duration,
    postprocessing: Duration,
    stop_margin: Option<Duration>,
    debug: Option<bool>,
    listening: Option<Duration>,
    state: ProtocolState,
    declared: Vec<Declared>,
    lead: Lead,
    /// Its last answer was replaced: before the next question it has to say that it is ready.
    was_late: bool,
    /// The replaced answer may still come.
    owes: bool,
    /// When it is asked whether it still listens.
    ask_at: Option<Tick>,
    /// The last such question, and how many have not been answered.
    asked_at: Tick,
    unanswered: u32,
    talk: Talk,
}

impl Engine {
    pub(super) fn new(config: &Config, chair: &Chair) -> Engine {
        Engine {
            chair: chair.clone(),
            side: Side::of(chair.actor).expect("a chair is the rat's or the python's"),
            preprocessing: config.preprocessing(),
            postprocessing: config.postprocessing(),
            stop_margin: config.stop_margin(),
            debug: config.debug,
            listening: config.listening(),
            state: ProtocolState::Waiting,
            declared: Vec::new(),
            lead: Lead::FirstTurn,
            was_late: false,
            owes: false,
            ask_at: None,
            asked_at: Tick::ZERO,
            unanswered: 0,
            talk: Talk::default(),
        }
    }

    // ---- before the first turn ----

    fn begin(
        &mut self,
        now: Tick,
        seen: Seen<'_, Pyrat>,
        limit: Duration,
        process: ProcessHistory,
        out: &mut Out<Move>,
    ) {
        let game = Box::new(seen.view());
        if process == ProcessHistory::Reused {
            self.is_ready(now, out);
            self.state = ProtocolState::Proving { by: now + limit.min(IDLE), game };
        } else {
            say(out, ToBot::Pyrat);
            self.state = ProtocolState::Handshake { by: now + limit, game: Some(game) };
        }
    }

    fn resume(&mut self, now: Tick, limit: Duration, out: &mut Out<Move>) {
        say(out, ToBot::Pyrat);
        self.lead = Lead::Recover;
        self.state = ProtocolState::Handshake { by: now + limit, game: None };
    }

    /// The bot speaks of itself.
    fn introduced(&mut self, about: About, line: &[u8], out: &mut Out<Move>) {
        if !matches!(self.state, ProtocolState::Handshake { .. }) {
            return self.remark(format!("out of turn: {}", quote(line)), out);
        }
        let about = match about {
            About::Name(name) => format!("name {name}"),
            About::Author(author) => format!("author {author}"),
            About::Versions(versions) => {
                format!("protocol versions {versions}; {VERSION} is spoken")
            }
            About::Option(option) => {
                let shown = option.to_string();
                // Said twice, the second time counts.
                self.declared.retain(|other| other.name != option.name);
                if self.declared.len() < MOST_OPTIONS {
                    self.declared.push(option);
                }
                shown
            }
        };
        self.talk.note(Topic::About, about, out);
    }

    fn introduction_over(&mut self, now: Tick, out: &mut Out<Move>) {
        let ProtocolState::Handshake { game, .. } = &mut self.state else {
            return self.remark("pyratready out of turn".to_owned(), out);
        };
        let game = game.take();
        let settings = match options::settings(&self.declared, &self.chair.options) {
            Ok(settings) => settings,
            Err(why) => {
                self.state = ProtocolState::Over;
                return out.fault(FaultKind::BadOption, why);
            }
        };
        if let Some(on) = self.debug {
            say(out, ToBot::Debug { on });
        }
        for setting in &settings {
            let value = setting.value.as_deref();
            say(out, ToBot::SetOption { name: &setting.name, value });
        }
        match game {
            Some(game) => self.new_game(now, &game, out),
            None => self.ready(out),
        }
    }

    fn new_game(&mut self, now: Tick, game: &View, out: &mut Out<Move>) {
        say(out, ToBot::NewGame);
        board(game, out);
        self.places(game, out);
        if self.preprocessing.is_zero() {
            return self.ready(out);
        }
        say(out, ToBot::StartPreprocessing);
        self.state =
            ProtocolState::Preprocessing { by: now + self.preprocessing + self.chair.clock.margin };
        self.ask_at = self.listening.map(|time| now + time);
    }

    /// Where everybody is, and the rest that a bot has to know before it can play.
    ///
    /// The seed has `timecontrol` after `youare`; real clients build their state at `youare`
    /// and ignore what comes later, so that it comes before.
    fn places(&self, game: &View, out: &mut Out<Move>) {
        for side in Side::BOTH {
            say(out, ToBot::Player(side, game.player(side).at));
        }
        let clock = self.chair.clock;
        say(
            out,
            ToBot::TimeControl(TimeControl {
                turn: TimeLeft { turn: clock.turn, bank: clock.bank }.limit(),
                preprocessing: self.preprocessing,
                postprocessing: self.postprocessing,
            }),
        );
        say(out, ToBot::YouAre(self.side));
    }

    fn ready(&mut self, out: &mut Out<Move>) {
        self.ask_at = None;
        self.state = ProtocolState::Waiting;
        self.talk.settle(out);
        out.said.push(Said::Ready);
    }

    // ---- turns ----

    fn ask(&mut self, now: Tick, seen: Seen<'_, Pyrat>, time: TimeLeft, out: &mut Out<Move>) {
        match std::mem::replace(&mut self.lead, Lead::InStep) {
            Lead::FirstTurn => say(out, ToBot::Moves([Move::Stay; 2])),
            Lead::Recover => self.recover(&seen.view(), out),
            Lead::InStep => {}
        }
        if std::mem::take(&mut self.was_late) {
            say(out, ToBot::ReadyCheck);
            self.state = ProtocolState::ReadyCheck { by: now + READY, time };
        } else {
            self.go(now, time, out);
        }
    }

    fn go(&mut self, now: Tick, time: TimeLeft, out: &mut Out<Move>) {
        say(out, ToBot::Go);
        out.said.push(Said::Asked);
        let soft = self.stop_margin.zip(time.limit());
        let stop_at = soft.map(|(margin, limit)| now + limit.saturating_sub(margin));
        self.state = ProtocolState::Asked { stop_at };
        self.ask_at = self.listening.map(|time| now + time);
    }

    /// The seed's sequence, and what no real client can play on without.
    fn recover(&self, game: &View, out: &mut Out<Move>) {
        say(out, ToBot::Recover);
        board(game, out);
        say(out, ToBot::History(&game.history));
        say(out, ToBot::Positions(Side::BOTH.map(|side| game.player(side).at)));
        say(out, ToBot::Scores(Side::BOTH.map(|side| game.player(side).score)));
        self.places(game, out);
    }

    fn stop(&mut self, out: &mut Out<Move>) {
        if let ProtocolState::Asked { stop_at } = &mut self.state {
            *stop_at = None;
            say(out, ToBot::Stop);
        }
    }

    /// The time is up and STAY has been played. The answer may still come: bots answer every
    /// question once, and the answer does not say which question it belongs to.
    fn time_up(&mut self, out: &mut Out<Move>) {
        self.owes |= matches!(self.state, ProtocolState::Asked { .. });
        self.was_late = true;
        self.thought(out);
        say(out, ToBot::TimeoutMove(Move::Stay));
    }

    /// The bot does not think any more, or is not waited for.
    fn thought(&mut self, out: &mut Out<Move>) {
        self.ask_at = None;
        self.state = ProtocolState::Waiting;
        self.talk.settle(out);
        if self.unanswered > 0 {
            self.remark("did not say readyok while it was thinking".to_owned(), out);
        }
    }

    /// The bot said `move`, with a move or with something else.
    fn moved(&mut self, by: Result<Move, String>, line: &[u8], out: &mut Out<Move>) {
        match self.state {
            ProtocolState::Asked { .. } => {
                self.owes = false;
                self.thought(out);
                match by {
                    Ok(by) => out.said.push(Said::Answer(by)),
                    Err(text) => {
                        let text = quote(text.as_bytes());
                        let moves = Move::ALL.map(Move::name).join(", ");
                        out.fault(
                            FaultKind::BadInput,
                            format!("{text} is not a move; {moves} are"),
                        );
                    }
                }
            }
            ProtocolState::Over => {}
            _ => self.unasked(line, out),
        }
    }

    /// A move without its word. What is not in the protocol is ignored, so that it answers nothing,
    /// and `move` may still follow; but whoever wrote the bot should know at once.
    fn bare_move(&mut self, by: Move, line: &[u8], out: &mut Out<Move>) {
        match self.state {
            ProtocolState::Asked { .. } => {
                let why = format!("{} is not an answer; the answer is \"move {by}\"", quote(line));
                out.said.push(Said::Blemish(Fault::new(FaultKind::BadInput, why)));
            }
            _ => self.remark(format!("ignored: {}", quote(line)), out),
        }
    }

    /// A move that is not an answer to anything: it is late, or one too many.
    fn unasked(&mut self, line: &[u8], out: &mut Out<Move>) {
        if std::mem::take(&mut self.owes) {
            self.remark(format!("{} came after its time was up", quote(line)), out);
        } else {
            out.fault(FaultKind::Extra, format!("{} although none was due", quote(line)));
        }
    }

    // ---- is anybody there? ----

    fn is_ready(&mut self, now: Tick, out: &mut Out<Move>) {
        say(out, ToBot::IsReady);
        self.ask_at = None;
        self.asked_at = now;
        self.unanswered += 1;
    }

    fn ready_ok(&mut self, now: Tick, out: &mut Out<Move>) {
        if self.unanswered == 0 {
            return self.remark("readyok although nothing asked for it".to_owned(), out);
        }
        self.unanswered -= 1;
        if self.unanswered > 0 {
            return;
        }
        match std::mem::replace(&mut self.state, ProtocolState::Over) {
            ProtocolState::Proving { game, .. } => self.new_game(now, &game, out),
            ProtocolState::Parting { .. } => self.part(Afterwards::MayStay, out),
            other => {
                self.state = other;
                let took = now.since(self.asked_at);
                // Only a bot that does not answer promptly is worth a remark.
                let topic = if took < READY { Topic::Debug } else { Topic::Remark };
                self.talk.note(topic, format!("readyok after {} ms", took.as_millis()), out);
            }
        }
    }

    // ---- after the last turn ----

    fn end(
        &mut self,
        now: Tick,
        outcome: Option<&Outcome>,
        seen: Seen<'_, Pyrat>,
        then: Afterwards,
        out: &mut Out<Move>,
    ) {
        self.talk.settle(out);
        let Some(outcome) = outcome else { return self.part(Afterwards::Leave, out) };
        let game = seen.view();
        let scores = Side::BOTH.map(|side| game.player(side).score);
        let winner = outcome.winner().map(|index| Side::BOTH[index]);
        say(out, ToBot::GameOver { winner, scores });
        if self.postprocessing.is_zero() {
            return self.prove_idle(now, then, out);
        }
        say(out, ToBot::StartPostprocessing);
        let by = now + self.postprocessing + self.chair.clock.margin;
        self.state = ProtocolState::Postprocessing { by, then };
    }

    /// Only a bot that reads and owes nothing may stay for another game.
    fn prove_idle(&mut self, now: Tick, then: Afterwards, out: &mut Out<Move>) {
        if then == Afterwards::MayStay && !self.owes {
            self.is_ready(now, out);
            self.state = ProtocolState::Parting { by: now + IDLE };
        } else {
            self.part(Afterwards::Leave, out);
        }
    }

    fn part(&mut self, then: Afterwards, out: &mut Out<Move>) {
        self.state = ProtocolState::Over;
        out.said.push(Said::Done { then, farewell: Vec::new(), grace: LEAVE });
    }

    fn remark(&mut self, text: String, out: &mut Out<Move>) {
        self.talk.note(Topic::Remark, text, out);
    }
}

impl Protocol<Pyrat> for Engine {
    fn command(&mut self, now: Tick, command: Command<'_, Pyrat>, out: &mut Out<Move>) {
        match command {
            Command::Begin { seen, limit, process } => {
                self.begin(now, seen, limit, process, out);
            }
            Command::Resume { limit, .. } => self.resume(now, limit, out),
            Command::Notify(Event { rat, python, .. }) => {
                say(out, ToBot::Moves([rat.by, python.by]));
            }
            Command::Ask { seen, time } => self.ask(now, seen, time, out),
            Command::Hurry => self.stop(out),
            Command::TimeUp => self.time_up(out),
            // Nothing is forbidden in this game, so that nothing is ever refused; nor is anything taken back.
            Command::Refused(_) | Command::TakeBack { .. } => {}
            Command::End { outcome, seen, then } => self.end(now, outcome, seen, then, out),
        }
    }

    fn line(&mut self, now: Tick, line: &[u8], out: &mut Out<Move>) {
        match FromBot::parse(line) {
            FromBot::Nothing => {}
            FromBot::Info(info) => self.talk.note(Topic::Info, info.to_string(), out),
            FromBot::BareMove(by) => self.bare_move(by, line, out),
            FromBot::Unknown(_) => self.remark(format!("ignored: {}", quote(line)), out),
            FromBot::Move(by) => self.moved(Ok(by), line, out),
            FromBot::NoMove(text) => self.moved(Err(text), line, out),
            FromBot::ReadyOk => self.ready_ok(now, out),
            FromBot::Ready => match self.state {
                ProtocolState::ReadyCheck { time, .. } => self.go(now, time, out),
                _ => self.remark("ready although nothing asked for it".to_owned(), out),
            },
            FromBot::PreprocessingDone => match self.state {
                ProtocolState::Preprocessing { .. } => self.ready(out),
                _ => self.remark("preprocessingdone out of turn".to_owned(), out),
            },
            FromBot::PostprocessingDone => match self.state {
                ProtocolState::Postprocessing { then, .. } => self.prove_idle(now, then, out),
                _ => self.remark("postprocessingdone out of turn".to_owned(), out),
            },
            FromBot::About(about) => self.introduced(about, line, out),
            FromBot::PyratReady => self.introduction_over(now, out),
        }
    }

    fn early_line(&mut self, now: Tick, line: &[u8], out: &mut Out<Move>) {
        match FromBot::parse(line) {
            FromBot::Move(_) | FromBot::NoMove(_) => self.unasked(line, out),
            _ => self.line(now, line, out),
        }
    }

    fn tick(&mut self, now: Tick, out: &mut Out<Move>) {
        if self.ask_at.is_some_and(|at| at <= now) {
            self.is_ready(now, out);
        }
        if self.state.next_tick().is_none_or(|at| at > now) {
            return;
        }
        match self.state {
            ProtocolState::Handshake { .. } => {
                self.state = ProtocolState::Over;
                let ms = self.chair.clock.start.as_millis();
                out.fault(FaultKind::NotReady, format!("no pyratready within {ms} ms of pyrat"));
            }
            ProtocolState::Proving { .. } => {
                self.state = ProtocolState::Over;
                out.said.push(Said::Unfit);
            }
            ProtocolState::Preprocessing { .. } => {
                say(out, ToBot::TimeoutPreprocessing);
                let ms = self.preprocessing.as_millis();
                let fault = format!("no preprocessingdone within {ms} ms");
                out.said.push(Said::Blemish(Fault::new(FaultKind::Timeout, fault)));
                self.ready(out);
            }
            ProtocolState::ReadyCheck { .. } => {
                self.state = ProtocolState::Over;
                let ms = READY.as_millis();
                out.fault(FaultKind::NotReady, format!("no ready within {ms} ms of ready?"));
            }
            ProtocolState::Asked { .. } => self.stop(out),
            ProtocolState::Postprocessing { then, .. } => {
                say(out, ToBot::TimeoutPostprocessing);
                // Real clients often never answer; it costs them nothing.
                // "If AI doesn't respond within time limit": that is foreseen.
                self.talk.note(Topic::Debug, "no postprocessingdone in time".to_owned(), out);
                self.prove_idle(now, then, out);
            }
            ProtocolState::Parting { .. } => self.part(Afterwards::Leave, out),
            ProtocolState::Waiting | ProtocolState::Over => {}
        }
    }

    fn next_tick(&self) -> Option<Tick> {
        self.ask_at.into_iter().chain(self.state.next_tick()).min()
    }
}

/// The maze and the cheese that is left. Real clients wait for all three lists, so that they
/// are sent even when they are empty.
fn board(game: &View, out: &mut Out<Move>) {
    say(out, ToBot::Size(&game.maze));
    say(out, ToBot::Walls(&game.maze));
    say(out, ToBot::Mud(&game.maze));
    say(out, ToBot::Cheese(&game.cheese));
}

fn say(out: &mut Out<Move>, message: ToBot<'_>) {
    writeln!(out.bytes, "{message}").expect("writing to memory does not fail");
}
