//! The match itself: who sits where, whose answer is due, what the clock says.
//!
//! This file holds the state and reacts to what the host feeds in. `turns.rs` drives the game,
//! `seating.rs` makes seats and gives them up, `judging.rs` finds what faults cost.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use game::{
    About, ActorId, Bot, Budget, Clock, Command, Eye, Fault, FaultKind, Out, PlayerId,
    ProcessHistory, Said, SetupError, Tick, TimeLeft, Verdict,
};

use crate::adjudication::Umpire;
use crate::fault_streaks::FaultStreaks;
use crate::log::{Entry, Header, Log, PlayerLine, Raw, VERSION_WITHOUT_TAKE_BACK};
use crate::parts::{
    Actor, Buffers, BuiltInDecision, Cast, Clocks, Due, MatchStage, Mind, Officials, Phase,
    PlayerRecord, Resumes, Running, Seat, SeatList, SilentStarts, Terms,
};
use crate::people::SeatedPeople;
use crate::question::OpenQuestion;
use crate::report::{PlayerReport, Report};
use crate::seat::{
    Input, Known, Output, Outputs, Parting, SeatId, SeatStatus, Thinker, Thought, Void,
};
use crate::{Chair, Hosted};

/// Gives a command to the protocol in a seat and takes up what it says. A macro, because the
/// command borrows the game while the seat and the scratch space are changed.
macro_rules! command {
    ($table:expr, $now:expr, $id:expr, $out:expr, |$seen:pat_param| $command:expr) => {{
        let $crate::Table { game, seats, buffers, queue, log, .. } = &mut *$table;
        let seat = &mut seats[$id];
        if let $crate::parts::Mind::Wire(protocol) = &mut seat.mind {
            let $seen = game::Seen::new(&*game, seat.actor, seat.player);
            protocol.command($now, $command, &mut buffers.scratch);
        }
        $crate::table::collect($now, $id, &mut buffers.scratch, queue, log, seat, $out);
        $table.expect_wish($id);
    }};
}
pub(crate) use command;

/// A match in progress. See [`crate::AnyTable`] for how it is driven.
pub struct Table<G: Hosted> {
    pub(crate) game: G,
    pub(crate) config: G::Config,
    pub(crate) terms: Terms,
    pub(crate) stage: MatchStage,
    pub(crate) cast: Cast<G::Action>,
    pub(crate) seats: SeatList<G>,
    pub(crate) players: Vec<PlayerRecord>,
    /// Turns that have been settled, as the game counts them.
    pub(crate) turns: u32,
    /// How often the game has moved on.
    pub(crate) steps: u32,
    pub(crate) officials: Officials,
    pub(crate) people: SeatedPeople,
    /// What a bot is asked, if the table was made for that.
    pub(crate) question: Option<OpenQuestion>,
    pub(crate) clocks: Clocks,
    pub(crate) silent_starts: SilentStarts,
    pub(crate) log: Log,
    /// What was done in the last step, in words, if there is a viewer.
    pub(crate) happened: Option<Vec<(Option<PlayerId>, String)>>,
    /// Findings of protocols that have not been acted upon yet. Acting on one may lead to
    /// more, so they are queued instead of handled recursively.
    pub(crate) queue: VecDeque<(SeatId, Said<G::Action>)>,
    pub(crate) buffers: Buffers<G>,
}

impl<G: Hosted> Table<G> {
    /// Sets the game up; nobody is seated yet.
    pub fn new(mut config: G::Config, terms: Terms) -> Result<Table<G>, SetupError> {
        let players = u16::try_from(terms.entrants.len())
            .map_err(|_| SetupError::new("more than 65535 players"))?;
        G::settle(&mut config, players, terms.seed)?;
        let game = G::start(&config, players, terms.seed)?;
        Table::at(game, config, terms)
    }

    /// A match that begins with this state.
    pub(crate) fn at(game: G, config: G::Config, terms: Terms) -> Result<Table<G>, SetupError> {
        let header = Header {
            v: VERSION_WITHOUT_TAKE_BACK,
            game: G::ID.to_owned(),
            lanista: env!("CARGO_PKG_VERSION").to_owned(),
            id: terms.id.clone(),
            config: serde_json::to_value(&config)
                .map_err(|error| SetupError::new(format!("the set-up cannot be kept: {error}")))?,
            seed: terms.seed,
            players: terms
                .entrants
                .iter()
                .map(|e| PlayerLine {
                    name: e.name.clone(),
                    bot: e.bot.clone(),
                    about: None,
                    clock: e.clock,
                })
                .collect(),
            clock: terms.clock,
            adjudication: terms.adjudication,
        };
        let officials = Officials {
            umpire: Umpire::new(terms.adjudication, terms.entrants.len()),
            fault_streaks: FaultStreaks::new(terms.adjudication.max_faults()),
            called: None,
        };
        Ok(Table {
            game,
            config,
            stage: MatchStage::Opening,
            cast: Cast { actors: Vec::new(), missing: 0 },
            seats: SeatList::new(),
            players: vec![PlayerRecord::default(); terms.entrants.len()],
            turns: 0,
            steps: 0,
            officials,
            people: SeatedPeople::new(terms.entrants.iter().map(|entrant| &entrant.contestant)),
            question: None,
            clocks: Clocks::default(),
            silent_starts: SilentStarts::default(),
            log: Log::new(header, terms.recording),
            happened: None,
            queue: VecDeque::new(),
            buffers: Buffers::default(),
            terms,
        })
    }

    /// Asks the host for everybody's process.
    pub(crate) fn open(&mut self, now: Tick, out: &mut Outputs) {
        self.renew_cast(now, out);
        self.pump(now, out);
    }

    pub(crate) fn feed(&mut self, now: Tick, input: Input<'_>, out: &mut Outputs) {
        match input {
            Input::Seated { seat, process, known } => {
                self.seated(now, seat, process, known, out);
            }
            Input::Taken { seat, cpu } => self.clock_started(seat, now, cpu),
            Input::Kept { seat, content } => {
                let player = self.seats[seat].player;
                let entry = || Entry::Kept { at: now, seat, bytes: Raw(content.to_vec()) };
                self.log.heard(now, player, content.len(), entry);
            }
            Input::Line { seat, line, cpu } => self.line(now, seat, line, cpu, out),
            Input::Unfinished { seat, bytes } => {
                self.seats[seat].heard.unfinished(bytes);
            }
            Input::Stderr { seat, bytes } => {
                let there = &mut self.seats[seat];
                there.heard.stderr(bytes);
                let player = there.player;
                let entry = || Entry::Stderr { at: now, seat, bytes: Raw(bytes.to_vec()) };
                self.log.heard(now, player, bytes.len(), entry);
            }
            Input::Thought { seat, thought, cpu } => self.thought(seat, thought, cpu, out),
            Input::Person { player, said } => self.person_said(now, player, said, out),
            Input::Lost { seat, fault } => self.lost(now, seat, fault, out),
            Input::Used { seat, cpu } => self.note_cpu(seat, cpu),
            Input::Stalled { late } => self.stalled(now, late, out),
            Input::Tick => self.tick(now, out),
            Input::Abort { reason } => {
                self.finish(now, Err(Void::GivenUp(reason.to_owned())), out);
            }
        }
        self.pump(now, out);
    }

    /// Everything is over and every seat has been closed.
    pub(crate) fn closed(&self) -> bool {
        matches!(self.stage, MatchStage::Ending { .. }) && self.seats.live.is_empty()
    }

    /// Void, unless it was over before. The rules, a protocol or a bot has panicked and is not
    /// asked any more.
    pub(crate) fn abandon(&mut self, now: Tick, reason: &str) {
        if !matches!(self.stage, MatchStage::Ending { .. }) {
            let void = Some(reason.to_owned());
            let result = Err(Void::GivenUp(reason.to_owned()));
            self.stage = MatchStage::Ending { result, by: None };
            self.log.add(&Entry::<()>::Over { at: now, outcome: None, void });
        }
    }

    /// How far a seat is, in one value.
    pub(crate) fn seat_status(&self, id: SeatId) -> SeatStatus {
        let seat = &self.seats[id];
        if seat.running.is_some() {
            return SeatStatus::Awaited;
        }
        match seat.phase {
            Phase::Opening => SeatStatus::Opening,
            Phase::Shaking => SeatStatus::Handshake,
            Phase::Ready => {
                let asked = |index: usize| {
                    let actor = &self.cast.actors[index];
                    actor.seat == Some(id) && matches!(actor.due, Due::Asked)
                };
                match self.actor_index(seat.actor).is_some_and(asked) {
                    true => SeatStatus::OnMove,
                    false => SeatStatus::Waiting,
                }
            }
            Phase::Leaving => SeatStatus::Leaving,
            Phase::Gone => SeatStatus::Closed,
        }
    }

    /// Lends a built-in bot to the host, with all it needs for one decision.
    pub(crate) fn thinker(&mut self, id: SeatId) -> Option<Thinker> {
        let preparation = self.preparation();
        let seat = &mut self.seats[id];
        let Mind::BuiltIn { bot, events } = &mut seat.mind else { return None };
        let mut bot = bot.take()?;
        let events = std::mem::take(events);
        let (actor, prepares) = (seat.actor, seat.phase == Phase::Shaking);
        let view = self.game.view(Eye::Actor(actor));
        let step = self.steps;
        let time = match prepares {
            true => TimeLeft { turn: preparation, bank: None },
            false => self.time_left(actor),
        };
        let decide = move |budget: &dyn Budget| {
            for event in &events {
                bot.notice(event);
            }
            let decision = match prepares {
                true => {
                    bot.prepare(&view, budget);
                    BuiltInDecision::Prepared
                }
                false => BuiltInDecision::Act { step, action: bot.act(&view, budget) },
            };
            Thought(Box::new((bot, decision)))
        };
        Some(Thinker { time, decide: Box::new(decide) })
    }

    pub(crate) fn report(&self, index: u64) -> Option<Report> {
        let MatchStage::Ending { result, .. } = &self.stage else { return None };
        let (verdict, reason) = match result {
            Ok(outcome) => (outcome.verdict(), outcome.reason.clone()),
            Err(void) => (Verdict::Void, void.reason().to_owned()),
        };
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        let players = self.terms.entrants.iter().zip(&self.players).enumerate();
        let players = players
            .map(|(seat, (entrant, PlayerRecord { tally, faults, .. }))| PlayerReport {
                name: entrant.name.clone(),
                seat: seat as u16,
                rank: result.as_ref().map_or(0, |outcome| outcome.ranks[seat]),
                score: result.as_ref().map_or(0.0, |outcome| outcome.scores[seat]),
                moves: tally.moves,
                wall_ms: ms(tally.wall),
                cpu_ms: ms(tally.cpu),
                slowest_ms: ms(tally.slowest),
                faults: faults.clone(),
                about: self.log.header.players[seat].about.clone(),
            })
            .collect();
        Some(Report {
            v: 1,
            game: G::ID.to_owned(),
            id: self.terms.id.clone(),
            index,
            seed: self.terms.seed.0,
            run_seed: None,
            outcome: verdict,
            reason,
            ending: result.as_ref().ok().map(|outcome| outcome.ending.clone()),
            turns: self.turns,
            players,
            host_delay_ms: ms(self.clocks.host_delay),
            restarts: 0,
            tier: String::new(),
            worker: None,
            digest: format!("{:016x}", self.game.digest()),
            replay: None,
        })
    }

    // ---- what the host tells ----

    fn seated(
        &mut self,
        now: Tick,
        id: SeatId,
        process: ProcessHistory,
        known: Known,
        out: &mut Outputs,
    ) {
        let seat = &mut self.seats[id];
        if seat.phase != Phase::Opening {
            return;
        }
        seat.phase = Phase::Shaking;
        seat.process = process;
        let reused = process == ProcessHistory::Reused;
        (seat.heard.spoke, seat.heard.replied) = (reused, reused);
        seat.seated = now;
        let entry =
            Entry::<()>::Seated { at: now, seat: id, actor: seat.actor, player: seat.player };
        let (actor, player, resumes) = (seat.actor, seat.player, seat.resumes);
        if let Some(about) = known.about {
            self.describe(player, about);
        }
        if known.folder.is_some() {
            // The bot may see its folder elsewhere than the host does.
            let chair = Chair { folder: known.folder, ..self.chair(actor, player) };
            self.seats[id].mind = Mind::Wire(G::protocol(&self.config, &chair));
        }
        let limit = self.time_to_start(player);
        self.log.add(&entry);
        command!(self, now, id, out, |seen| match resumes {
            Resumes::Yes => Command::Resume { seen, limit },
            Resumes::No => Command::Begin { seen, limit, process },
        });
    }

    /// A player's bot has described itself. Of several programs of one player, the first counts.
    pub(crate) fn describe(&mut self, player: PlayerId, about: About) {
        if self.log.header.players[player.index()].about.is_none() && !about.is_empty() {
            let header = Arc::make_mut(&mut self.log.header);
            header.players[player.index()].about = Some(about);
        }
    }

    fn line(&mut self, now: Tick, id: SeatId, line: &[u8], cpu: Duration, out: &mut Outputs) {
        let seat = &mut self.seats[id];
        self.log.got(now, id, seat.player, line);
        if matches!(seat.phase, Phase::Opening | Phase::Gone) {
            return;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        seat.startup = seat.startup.heard();
        seat.heard.line();
        self.note_cpu(id, cpu);
        let seat = &mut self.seats[id];
        let Mind::Wire(protocol) = &mut seat.mind else { return };
        // Several lines may have come at once, and the first may have led to the next question.
        match seat.running {
            Some(Running { sent: false, .. }) => {
                protocol.early_line(now, line, &mut self.buffers.scratch)
            }
            Some(_) | None => protocol.line(now, line, &mut self.buffers.scratch),
        }
        if !self.buffers.scratch.said.iter().any(|said| matches!(said, Said::Answer(_))) {
            seat.heard.no_answer(line);
        }
        self.collect(now, id, out);
    }

    fn thought(&mut self, id: SeatId, thought: Thought, cpu: Duration, out: &mut Outputs) {
        type Returned<G> = (Box<dyn Bot<G>>, BuiltInDecision<<G as game::Game>::Action>);
        let Ok(returned) = thought.0.downcast::<Returned<G>>() else { return };
        let (thinker, decision) = *returned;
        let seat = &mut self.seats[id];
        let Mind::BuiltIn { bot, .. } = &mut seat.mind else { return };
        *bot = Some(thinker);
        match (decision, seat.running) {
            (BuiltInDecision::Prepared, _) => self.queue.push_back((id, Said::Ready)),
            (BuiltInDecision::Act { step, action }, Some(running)) if step == self.steps => {
                self.note_cpu(id, running.cpu.saturating_add(cpu));
                self.queue.push_back((id, Said::Answer(action)));
            }
            // It was too late for an earlier turn, and this turn's question waits for it.
            (BuiltInDecision::Act { .. }, Some(_)) => out.list.push(Output::Think { seat: id }),
            (BuiltInDecision::Act { .. }, None) => {}
        }
    }

    pub(crate) fn lost(&mut self, now: Tick, id: SeatId, fault: Fault, out: &mut Outputs) {
        let seat = &self.seats[id];
        let (actor, phase, process) = (seat.actor, seat.phase, seat.process);
        let player = seat.player;
        if phase == Phase::Gone {
            return;
        }
        self.agreed(now, player, Err("it has left".to_owned()));
        let fault = self.explain(now, id, fault);
        self.log.add(&Entry::<()>::Left { at: now, seat: id, how: fault.to_string() });
        self.stop_clock(now, id);
        let fault = match fault.kind {
            FaultKind::Crash | FaultKind::EndOfOutput => self.last_words(id).unwrap_or(fault),
            _ => fault,
        };
        self.close(id, Parting::Kill, out);
        match phase {
            // A process kept from an earlier game has left in between: no fault of this game.
            Phase::Shaking if process == ProcessHistory::Reused => self.replace(now, id, out),
            Phase::Opening | Phase::Shaking | Phase::Ready => {
                self.seat_lost(now, actor, fault, out);
            }
            Phase::Leaving | Phase::Gone => {}
        }
    }

    // ---- helpers shared with turns.rs ----

    /// What a bot said that explains best why its answer does not come.
    pub(crate) fn last_words(&mut self, id: SeatId) -> Option<Fault> {
        match &mut self.seats[id].mind {
            Mind::Wire(protocol) => protocol.last_words(),
            Mind::BuiltIn { .. } | Mind::Person | Mind::Nobody => None,
        }
    }

    /// Takes up what the protocol in a seat wrote and said.
    pub(crate) fn collect(&mut self, now: Tick, id: SeatId, out: &mut Outputs) {
        let Table { seats, buffers, queue, log, .. } = self;
        collect(now, id, &mut buffers.scratch, queue, log, &seats[id], out);
        self.expect_wish(id);
    }

    /// The protocol in a seat may want to be woken.
    pub(crate) fn expect_wish(&mut self, id: SeatId) {
        if let Mind::Wire(protocol) = &self.seats[id].mind {
            self.expect_by(protocol.next_tick());
        }
    }

    /// Time that built-in bots have before the first turn.
    pub(crate) fn preparation(&self) -> Option<Duration> {
        G::needs(&self.config, self.terms.entrants.len() as u16).preparation
    }

    /// The time control of a player.
    pub(crate) fn clock_of(&self, player: PlayerId) -> Clock {
        match self.terms.entrants[player.index()].clock {
            Some(Clock { turn, bank, .. }) => Clock { turn, bank, ..self.terms.clock },
            None => self.terms.clock,
        }
    }

    pub(crate) fn actor_index(&self, id: ActorId) -> Option<usize> {
        id.place_in(&self.cast.actors, |actor| actor.id)
    }

    pub(crate) fn actor_mut(&mut self, id: ActorId) -> Option<&mut Actor<G::Action>> {
        let index = self.actor_index(id)?;
        Some(&mut self.cast.actors[index])
    }
}

/// Takes up what a protocol wrote and said.
pub(crate) fn collect<G: Hosted>(
    now: Tick,
    id: SeatId,
    scratch: &mut Out<G::Action>,
    queue: &mut VecDeque<(SeatId, Said<G::Action>)>,
    log: &mut Log,
    seat: &Seat<G>,
    out: &mut Outputs,
) {
    if scratch.said.is_empty() && scratch.bytes.is_empty() {
        return;
    }
    let starts_clock = scratch.said.iter().any(|said| matches!(said, Said::Asked));
    if !scratch.bytes.is_empty() {
        if let Some(end) = seat.line_end {
            end.apply(&mut scratch.bytes);
        }
        let from = out.bytes.len();
        out.bytes.extend_from_slice(&scratch.bytes);
        let bytes = from..out.bytes.len();
        log.sent(now, id, &scratch.bytes);
        scratch.bytes.clear();
        if seat.phase != Phase::Gone {
            out.list.push(Output::Write { seat: id, bytes, starts_clock });
        }
    }
    for said in scratch.said.drain(..) {
        queue.push_back((id, said));
    }
}
