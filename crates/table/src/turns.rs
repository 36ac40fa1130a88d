//! Driving the game: asking, settling turns, ending. What a fault costs: `judging.rs`.

use std::time::Duration;

use game::{
    ActorId, Afterwards, Audience, Choice, Clock, Command, EarlyLeave, Fault, FaultKind, Forfeit,
    Moves, Outcome, Past, Ruling, Said, Tick, TimeLeft, Turn,
};

use crate::Hosted;
use crate::clocks::timeout_detail;
use crate::happening::listed;
use crate::log::Entry;
use crate::parts::{Actor, Due, Fresh, MatchStage, Mind, Phase, Resumes, Startup};
use crate::seat::{Contestant, Output, Outputs, Parting, SeatId, Void};
use crate::table::{Table, command};

/// How long bots may take to exit before they are killed.
const ENDING: Duration = Duration::from_secs(60);

/// How many notes of a player are kept for viewers.
const NOTES_SHOWN: usize = 8;

impl<G: Hosted> Table<G> {
    /// Acts on everything that is known, until somebody has to be waited for.
    pub(crate) fn pump(&mut self, now: Tick, out: &mut Outputs) {
        loop {
            if let Some((id, said)) = self.queue.pop_front() {
                self.said(now, id, said, out);
                continue;
            }
            if self.silent_starts.holding && self.silent_starts.newcomers == 0 {
                self.silent_starts.holding = false;
                self.ask_held(now, out);
                continue;
            }
            match self.stage {
                MatchStage::Opening if self.everybody_ready() => {
                    self.stage = MatchStage::Playing;
                    let some_leave =
                        self.cast.actors.iter().any(|actor| matches!(actor.due, Due::Chosen(_)));
                    if some_leave && G::EARLY_LEAVE == EarlyLeave::AtOnce {
                        self.move_on(now, out);
                    }
                    self.ask_all(now, out);
                }
                MatchStage::Playing if self.question_is_answered() => self.end_question(now, out),
                MatchStage::Playing if self.cast.missing == 0 => {
                    self.turns = self.this_turn();
                    self.move_on(now, out);
                    self.ask_all(now, out);
                }
                MatchStage::Opening | MatchStage::Playing | MatchStage::Ending { .. } => {
                    self.show_people(out);
                    return;
                }
            }
        }
    }

    /// The number of the turn that is being played.
    pub(crate) fn this_turn(&self) -> u32 {
        self.game.turn_number().unwrap_or(self.turns + 1)
    }

    fn everybody_ready(&self) -> bool {
        self.cast.actors.iter().all(|actor| match actor.seat {
            Some(seat) => self.seats[seat].phase == Phase::Ready,
            None => !actor.reseat,
        })
    }

    fn said(&mut self, now: Tick, id: SeatId, said: Said<G::Action>, out: &mut Outputs) {
        let seat = &mut self.seats[id];
        let (actor, phase, player) = (seat.actor, seat.phase, seat.player);
        if phase == Phase::Gone {
            return;
        }
        match said {
            Said::Ready => {
                if phase == Phase::Shaking {
                    seat.phase = Phase::Ready;
                    if seat.startup.is_silent() {
                        self.silent_starts.occur = true;
                        out.list.push(Output::Cold { seat: id });
                    }
                    if self.actor_mut(actor).is_some_and(|a| matches!(a.due, Due::Held)) {
                        self.ask(now, actor, out);
                    }
                }
            }
            Said::Settling => {
                if phase == Phase::Shaking {
                    self.await_rest(now, id);
                }
            }
            // A person whose clock is stopped has it started later.
            Said::Asked if self.people.paused && matches!(seat.mind, Mind::Person) => {}
            Said::Asked => {
                self.run_clock(now, id);
            }
            Said::Answer(action) => self.answer(now, id, action, out),
            Said::Fault(fault) => self.misbehaved(now, id, fault, out),
            Said::Blemish(fault) => {
                if let Some(index) = self.actor_index(actor) {
                    self.record_fault(now, index, &fault, &Ruling::Overlook);
                }
            }
            Said::Note(note) => {
                let notes = &mut self.players[seat.player.index()].notes;
                if notes.len() == NOTES_SHOWN {
                    notes.pop_front();
                }
                notes.push_back(note.clone());
                let size = note.text.len();
                let player = seat.player;
                self.log.heard(now, player, size, || Entry::Noted { at: now, seat: id, note });
            }
            Said::About(about) => self.describe(player, *about),
            Said::TakeBack(agreed) => self.agreed(now, player, agreed),
            Said::Unfit => {
                self.part_early(now, id, out);
                self.replace(now, id, out);
            }
            Said::Done { then, farewell, grace } => {
                let parting = match then {
                    Afterwards::MayStay => Parting::Keep { farewell, grace },
                    Afterwards::Leave => Parting::Leave { farewell, grace },
                };
                self.part(now, id, parting, out);
            }
        }
    }

    /// A bot has answered; the clock and the rules decide whether it counts.
    fn answer(&mut self, now: Tick, id: SeatId, action: G::Action, out: &mut Outputs) {
        let actor = self.seats[id].actor;
        let asked = self.actor_mut(actor).is_some_and(|a| matches!(a.due, Due::Asked));
        let Some(spent) = self.stop_clock(now, id).filter(|_| asked) else {
            let fault = Fault::new(FaultKind::Extra, "an answer although none was due");
            self.judge(now, actor, fault, out);
            return;
        };
        let margin = self.terms.clock.margin;
        if spent.limit.is_some_and(|limit| spent.charged > limit.saturating_add(margin)) {
            let detail = timeout_detail(spent.charged, spent.limit);
            // Its own protocol has not noticed: the answer came before the tick.
            if !self.judge(now, actor, Fault::new(FaultKind::Timeout, detail), out) {
                command!(self, now, id, out, |_| Command::TimeUp);
            }
            return;
        }
        let player = self.seats[id].player;
        match self.game.check(actor, &action) {
            Ok(()) => {
                self.log.answered(id, player, [spent.wall, spent.cpu, spent.delay]);
                self.players[player.index()].tally.answered(spent);
                self.choose(actor, Choice::Act(action));
            }
            Err(illegal) => {
                self.judge(now, actor, Fault::new(FaultKind::Illegal, illegal.0), out);
            }
        }
    }

    pub(crate) fn choose(&mut self, actor: ActorId, choice: Choice<G::Action>) {
        let Some(actor) = self.actor_mut(actor) else { return };
        if matches!(actor.due, Due::Asked | Due::Held) {
            actor.due = Due::Chosen(choice);
            self.cast.missing -= 1;
        }
    }

    /// Whose turn it is, or how the match ended: by the rules, or by the umpire.
    fn turn(&self) -> Turn {
        match &self.officials.called {
            Some(outcome) => Turn::Over(outcome.clone()),
            None => self.game.turn(),
        }
    }

    /// Asks everybody whose turn it is.
    fn ask_all(&mut self, now: Tick, out: &mut Outputs) {
        self.people.unshown = true;
        match self.turn() {
            Turn::One(actor) => self.come_to(now, actor, out),
            Turn::All(actors) => {
                self.await_newcomers(&actors);
                // All are awaited before any is asked: an answer must not settle the turn early.
                for actor in actors {
                    self.come_to(now, actor, out);
                }
            }
            Turn::Over(outcome) => self.finish(now, Ok(outcome), out),
        }
    }

    /// The turn of `actor` has come.
    fn come_to(&mut self, now: Tick, id: ActorId, out: &mut Outputs) {
        let turn = self.this_turn();
        let actor = self.actor_mut(id).expect("a game waits only for its living actors");
        if let Due::Chosen(_) = actor.due {
            // It leaves in this turn, which is the first.
            return;
        }
        actor.due = Due::Held;
        // A turn may take several steps; its tries are those of all of them.
        if std::mem::replace(&mut actor.asked_in, turn) != turn {
            actor.past.tries = 0;
        }
        actor.spent = Duration::ZERO;
        let (lost, seat) = (actor.lost.take(), actor.seat);
        self.cast.missing += 1;
        match (lost, seat) {
            (Some(fault), _) => {
                self.judge(now, id, fault, out);
            }
            (None, Some(seat)) => {
                let there = &self.seats[seat];
                if self.silent_starts.newcomers > 0 && !there.startup.is_awaited() {
                    // What newcomers need to start must not be charged to those who are asked.
                    self.silent_starts.holding = true;
                } else if there.phase == Phase::Ready {
                    self.ask(now, id, out);
                }
            }
            (None, None) => self.come_to_nobody(now, id, out),
        }
    }

    /// The turn of an actor has come whose program left in an earlier turn. That has been
    /// recorded then; what it costs is the same every time.
    fn come_to_nobody(&mut self, now: Tick, id: ActorId, out: &mut Outputs) {
        let fault = Fault::new(FaultKind::Crash, "its program has left the game");
        let past = self.actor_mut(id).map_or_else(Past::default, |actor| actor.past);
        match self.game.rule(id, &fault, past) {
            Ruling::Play(action) => self.choose(id, Choice::Act(action)),
            Ruling::Reseat(_) => {
                self.judge(now, id, fault, out);
            }
            Ruling::Overlook | Ruling::AskAgain | Ruling::Forfeit => {
                self.choose(id, Choice::Forfeit(Forfeit::by_rule(fault)));
            }
        }
    }

    /// Some of those whose turn has come may have processes that are still starting.
    fn await_newcomers(&mut self, actors: &[ActorId]) {
        if !self.silent_starts.occur {
            return;
        }
        for actor in actors {
            let Some(seat) = self.actor_mut(*actor).and_then(|actor| actor.seat) else { continue };
            let seat = &mut self.seats[seat];
            if seat.startup == Startup::Silent {
                seat.startup = Startup::Awaited;
                self.silent_starts.newcomers += 1;
            }
        }
    }

    pub(crate) fn time_left(&self, actor: ActorId) -> TimeLeft {
        match self.actor_index(actor) {
            Some(index) => {
                let Actor { spent, turn, bank, .. } = self.cast.actors[index];
                TimeLeft { turn: turn.map(|turn| turn.saturating_sub(spent)), bank }
            }
            None => TimeLeft { turn: self.terms.clock.turn, bank: None },
        }
    }

    pub(crate) fn ask(&mut self, now: Tick, id: ActorId, out: &mut Outputs) {
        let time = self.time_left(id);
        let Some(actor) = self.actor_mut(id) else { return };
        actor.due = Due::Asked;
        let Some(seat) = actor.seat else { return };
        match &self.seats[seat].mind {
            Mind::Wire(_) => {
                command!(self, now, seat, out, |seen| Command::Ask { seen, time });
            }
            Mind::BuiltIn { .. } => {
                self.queue.push_back((seat, Said::Asked));
                out.list.push(Output::Think { seat });
            }
            Mind::Person => {
                self.queue.push_back((seat, Said::Asked));
                self.people.unshown = true;
            }
            Mind::Nobody => {}
        }
    }

    /// Everybody has chosen: the game moves on. What happens before the first turn is turn 0.
    fn move_on(&mut self, now: Tick, out: &mut Outputs) {
        self.drop_wish();
        let mut moves = Moves(std::mem::take(&mut self.buffers.moves));
        for actor in &mut self.cast.actors {
            match std::mem::replace(&mut actor.due, Due::Nothing) {
                Due::Chosen(choice) => moves.0.push((actor.id, choice)),
                Due::Nothing | Due::Held | Due::Asked => {}
            }
        }
        if self.happened.is_some() {
            let owner = |actor: ActorId| Some(self.cast.actors[self.actor_index(actor)?].player);
            let listed = listed(&self.game, &moves.0).into_iter();
            let listed = listed.map(|(actor, words)| (actor.and_then(owner), words));
            self.happened = Some(listed.collect());
        }
        let for_people = self.step_for_people(&moves.0);
        // What the table itself has done agrees with its terms.
        let _ = self.officials.fault_streaks.settle(&moves);
        let mut told = std::mem::take(&mut self.buffers.told);
        self.game.step(&moves, &mut told);
        self.list_step(for_people, &told);
        self.steps += 1;
        if self.turns > 0 {
            self.officials.called = self.officials.umpire.look(&self.game, self.turns);
        }
        self.log.stepped(now, self.turns, &moves, || self.game.digest());
        for news in told.drain(..) {
            self.tell(now, &news, out);
        }
        self.buffers.told = told;
        let Moves(mut moves) = moves;
        for (actor, choice) in moves.drain(..) {
            if let Choice::Forfeit(_) = choice {
                self.dismiss(now, actor, out);
            }
        }
        self.buffers.moves = moves;
        self.renew_cast(now, out);
        self.reseat(now, out);
    }

    fn tell(&mut self, now: Tick, news: &game::Told<G::Event>, out: &mut Outputs) {
        if news.to == Audience::Watchers {
            return;
        }
        for index in 0..self.cast.actors.len() {
            let Actor { id, seat: Some(seat), .. } = self.cast.actors[index] else { continue };
            if !news.to.includes(id) {
                continue;
            }
            let there = &mut self.seats[seat];
            match (&mut there.mind, there.phase) {
                (Mind::Wire(_), Phase::Ready) => {
                    command!(self, now, seat, out, |_| Command::Notify(&news.event));
                }
                (Mind::BuiltIn { events, .. }, Phase::Ready) => events.push(news.event.clone()),
                _ => {}
            }
        }
    }

    /// Seats actors that were born and parts with those that died.
    pub(crate) fn renew_cast(&mut self, now: Tick, out: &mut Outputs) {
        let mut roles = std::mem::take(&mut self.buffers.roles);
        roles.clear();
        self.game.cast(&mut roles);
        let same = roles.len() == self.cast.actors.len()
            && roles.iter().zip(&self.cast.actors).all(|(role, actor)| role.actor == actor.id);
        if !same {
            let gone: Vec<ActorId> = self
                .cast
                .actors
                .iter()
                .map(|actor| actor.id)
                .filter(|id| id.place_in(&roles, |role| role.actor).is_none())
                .collect();
            for actor in &gone {
                self.leave(now, *actor, out);
            }
            self.cast.actors.retain(|actor| gone.binary_search(&actor.id).is_err());
            for role in &roles {
                let Err(index) =
                    self.cast.actors.binary_search_by_key(&role.actor, |actor| actor.id)
                else {
                    continue;
                };
                let Clock { turn, bank, .. } = self.clock_of(role.player);
                let newcomer = Actor {
                    id: role.actor,
                    player: role.player,
                    seat: None,
                    turn,
                    bank,
                    past: Past::default(),
                    asked_in: 0,
                    spent: Duration::ZERO,
                    due: Due::Nothing,
                    lost: None,
                    reseat: false,
                };
                self.cast.actors.insert(index, newcomer);
                self.seat_for(now, role.actor, Fresh::No, Resumes::No, out);
            }
        }
        self.buffers.roles = roles;
    }

    /// After the turn is settled: a new process for those who lost theirs.
    pub(crate) fn reseat(&mut self, now: Tick, out: &mut Outputs) {
        let wanted = self.cast.actors.iter().any(|actor| actor.reseat);
        if !wanted || matches!(self.turn(), Turn::Over(_)) {
            return;
        }
        for index in 0..self.cast.actors.len() {
            if std::mem::take(&mut self.cast.actors[index].reseat) {
                if let Some(old) = self.cast.actors[index].seat.take() {
                    self.close(old, Parting::Kill, out);
                }
                self.cast.actors[index].lost = None;
                let resumes = if self.steps == 0 { Resumes::No } else { Resumes::Yes };
                self.seat_for(now, self.cast.actors[index].id, Fresh::Yes, resumes, out);
            }
        }
    }

    /// An actor has left the game in good order: its bot may say goodbye.
    fn leave(&mut self, now: Tick, actor: ActorId, out: &mut Outputs) {
        let Some(actor) = self.actor_mut(actor) else { return };
        let Some(id) = actor.seat.take() else { return };
        let seat = &mut self.seats[id];
        match (&seat.mind, seat.phase) {
            (Mind::Wire(_), Phase::Ready | Phase::Shaking) => {
                seat.phase = Phase::Leaving;
                command!(self, now, id, out, |seen| Command::End {
                    outcome: None,
                    seen,
                    then: Afterwards::Leave
                });
            }
            _ => self.close(id, Parting::Kill, out),
        }
    }

    /// An actor has forfeited: its process is not needed any more.
    fn dismiss(&mut self, now: Tick, actor: ActorId, out: &mut Outputs) {
        let Some(actor) = self.actor_mut(actor) else { return };
        if let Some(id) = actor.seat.take() {
            let how = "out of the game".to_owned();
            self.log.add(&Entry::<()>::Left { at: now, seat: id, how });
            self.part_early(now, id, out);
        }
    }

    /// The result is final. The bots are told that the game is over.
    pub(crate) fn finish(&mut self, now: Tick, result: Result<Outcome, Void>, out: &mut Outputs) {
        if matches!(self.stage, MatchStage::Ending { .. }) {
            // The result is final; after an abort no bot is waited for.
            if result.is_err() {
                self.close_all(Parting::Kill, out);
            }
            return;
        }
        self.settle_question();
        let by = Some(now + ENDING);
        self.stage = MatchStage::Ending { result: result.clone(), by };
        self.cast.missing = 0;
        self.silent_starts.holding = false;
        self.people.unshown = true;
        let outcome = result.as_ref().ok().cloned();
        let void = result.as_ref().err().map(|void| void.reason().to_owned());
        self.log.add(&Entry::<()>::Over { at: now, outcome, void });
        let Ok(outcome) = result else {
            self.close_all(Parting::Kill, out);
            return;
        };
        self.expect_by(by);
        for id in self.seats.live.clone() {
            self.drop_clock(id);
            self.warmed(id);
            let seat = &mut self.seats[id];
            match (&seat.mind, seat.phase) {
                (Mind::Wire(_), Phase::Ready) => {
                    let entrant = &self.terms.entrants[seat.player.index()];
                    let then = match entrant.contestant {
                        Contestant::Program { then } => then,
                        Contestant::BuiltIn(_) | Contestant::Person => Afterwards::Leave,
                    };
                    seat.phase = Phase::Leaving;
                    command!(self, now, id, out, |seen| Command::End {
                        outcome: Some(&outcome),
                        seen,
                        then
                    });
                }
                (Mind::Wire(_), Phase::Shaking) => self.part_early(now, id, out),
                (Mind::BuiltIn { .. } | Mind::Person, _) | (Mind::Wire(_), Phase::Opening) => {
                    self.close(id, Parting::Kill, out);
                }
                (Mind::Wire(_), Phase::Leaving | Phase::Gone) | (Mind::Nobody, _) => {}
            }
        }
    }
}
