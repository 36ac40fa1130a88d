//! Rulings: what a fault costs, by the game's rule. What a fault is, is decided elsewhere.

use game::{
    ActorId, Choice, Command, Fault, FaultKind, Forfeit, ForfeitBy, Illegal, Ruling, Tick, count,
};

use crate::Hosted;
use crate::log::{Cost, Entry};
use crate::parts::{Actor, Due, MatchStage, Phase};
use crate::report::FaultLine;
use crate::seat::{Outputs, Parting, SeatId, Void};
use crate::table::{Table, command};

/// How many faults of a player a report spells out that cost nothing.
pub(crate) const FAULTS_KEPT: usize = 100;

/// How many with those that cost something.
const DEFAULTS_KEPT: usize = 1000;

/// How many lines a player's faults may have before one of this cost is only counted.
pub(crate) fn lines_kept(cost: Cost) -> usize {
    match cost {
        Cost::Nothing => FAULTS_KEPT,
        Cost::Answer | Cost::Try | Cost::Process => DEFAULTS_KEPT,
        Cost::Game => usize::MAX,
    }
}

impl<G: Hosted> Table<G> {
    /// A protocol reports misbehaviour.
    pub(crate) fn misbehaved(&mut self, now: Tick, id: SeatId, fault: Fault, out: &mut Outputs) {
        let seat = &self.seats[id];
        let (actor, phase) = (seat.actor, seat.phase);
        if fault.kind == FaultKind::BadOption && self.stage == MatchStage::Opening {
            // Whoever entered the bot is wrong, not the bot: there is no game.
            let name = &self.terms.entrants[seat.player.index()].name;
            let reason = format!("{name}: {}", fault.detail);
            return self.finish(now, Err(Void::Misfit(reason)), out);
        }
        let fault = self.explain(now, id, fault);
        if !fault.kind.replaces_answer() {
            self.judge(now, actor, fault, out);
        } else if fault.kind.ends_seat() {
            // It is of no further use.
            self.stop_clock(now, id);
            self.close(id, Parting::Kill, out);
            self.seat_lost(now, actor, fault, out);
        } else if phase == Phase::Shaking {
            // It cannot be made ready.
            self.part_early(now, id, out);
            self.seat_lost(now, actor, fault, out);
        } else {
            self.stop_clock(now, id);
            self.judge(now, actor, fault, out);
        }
    }

    /// Lets the game's rule decide what a fault costs. True if the actor forfeits.
    pub(crate) fn judge(
        &mut self,
        now: Tick,
        actor: ActorId,
        fault: Fault,
        out: &mut Outputs,
    ) -> bool {
        let Some(index) = self.actor_index(actor) else { return false };
        let mut ruling = match self.stage {
            // What happens after the end cannot change the result.
            MatchStage::Ending { .. } => Ruling::Overlook,
            MatchStage::Opening | MatchStage::Playing => {
                self.game.rule(actor, &fault, self.cast.actors[index].past)
            }
        };
        // A ruling must not leave an actor awaited of whom nobody will ever hear.
        let here = &mut self.cast.actors[index];
        let awaited = matches!(here.due, Due::Asked | Due::Held);
        let unheard = match ruling {
            Ruling::AskAgain => here.seat.is_none(),
            Ruling::Overlook => awaited && (here.seat.is_none() || fault.kind.replaces_answer()),
            Ruling::Play(_) | Ruling::Reseat(_) | Ruling::Forfeit => false,
        };
        if unheard && !matches!(self.stage, MatchStage::Ending { .. }) {
            ruling = Ruling::Forfeit;
        }
        let mut by = ForfeitBy::Rule;
        let mut fault = fault;
        if matches!(ruling, Ruling::Play(_) | Ruling::Reseat(_))
            && awaited
            && let Some(row) = self.officials.fault_streaks.ends_with(actor)
        {
            (ruling, by) = (Ruling::Forfeit, ForfeitBy::MaxFaults);
            fault = Fault::new(
                fault.kind,
                format!("{}; {} in a row", fault.detail, count(row.into(), "fault")),
            );
        }
        self.record_fault(now, index, &fault, &ruling);
        let here = &mut self.cast.actors[index];
        match ruling {
            Ruling::Overlook => {}
            Ruling::Play(action) => self.choose(actor, Choice::Act(action)),
            Ruling::AskAgain => {
                if let (Due::Asked, Some(id)) = (&here.due, here.seat) {
                    here.past.tries += 1;
                    let why = Illegal::new(fault.detail);
                    command!(self, now, id, out, |_| Command::Refused(&why));
                    self.ask(now, actor, out);
                }
            }
            Ruling::Reseat(action) => {
                here.past.restarts += 1;
                here.reseat = true;
                if self.stage == MatchStage::Opening {
                    self.reseat(now, out);
                } else {
                    self.choose(actor, Choice::Act(action));
                }
            }
            Ruling::Forfeit => {
                let choice = Choice::Forfeit(Forfeit { fault: fault.clone(), by });
                match (&here.due, &self.stage) {
                    (Due::Asked | Due::Held, _) => self.choose(actor, choice),
                    // Before the first turn it is not asked any more, on turn or not.
                    (Due::Nothing | Due::Chosen(_), MatchStage::Opening) => {
                        here.due = Due::Chosen(choice);
                    }
                    // Not on turn: it is judged again when its turn comes.
                    (Due::Nothing | Due::Chosen(_), _) => here.lost = Some(fault),
                }
                return true;
            }
        }
        false
    }

    pub(crate) fn record_fault(
        &mut self,
        now: Tick,
        index: usize,
        fault: &Fault,
        ruling: &Ruling<G::Action>,
    ) {
        let Actor { id, player, .. } = self.cast.actors[index];
        let turn = match self.stage {
            MatchStage::Opening => 0,
            MatchStage::Playing | MatchStage::Ending { .. } => self.this_turn(),
        };
        let faults = &mut self.players[player.index()].faults;
        // A flood of small faults must not crowd out the one that decides, and a crowd of actors
        // that do everything wrong must not fill the report.
        let ruling = match ruling {
            Ruling::Overlook => Cost::Nothing,
            Ruling::Play(_) => Cost::Answer,
            Ruling::AskAgain => Cost::Try,
            Ruling::Reseat(_) => Cost::Process,
            Ruling::Forfeit => Cost::Game,
        };
        let (kind, full) = (fault.kind, faults.len() >= lines_kept(ruling));
        let alike = faults.iter_mut().rfind(|line| line.kind == kind);
        let replaced = turn > 0 && ruling.replaces_answer();
        if replaced {
            self.officials.fault_streaks.failed(id);
        }
        let counted = match alike.filter(|_| full) {
            Some(last) => {
                last.count += 1;
                true
            }
            None => {
                let (agent, detail) =
                    (self.game.actor_name(id).one_of_many(), fault.detail.clone());
                faults.push(FaultLine { turn, kind, agent, detail, count: 1 });
                false
            }
        };
        // Where faults are counted, a replay must hold them all to prove the count.
        if !counted || (replaced && self.officials.fault_streaks.counts()) {
            self.log.add(&Entry::<()>::Faulted {
                at: now,
                actor: id,
                player,
                turn,
                fault: fault.clone(),
                ruling,
            });
        }
    }

    /// An actor has lost its process.
    pub(crate) fn seat_lost(&mut self, now: Tick, id: ActorId, fault: Fault, out: &mut Outputs) {
        let opening = self.stage == MatchStage::Opening;
        let Some(actor) = self.actor_mut(id) else { return };
        actor.seat = None;
        match actor.due {
            Due::Nothing | Due::Chosen(_) if !opening => {
                // Nobody waits for it now: it is judged when its turn comes.
                actor.lost = Some(fault);
            }
            Due::Nothing | Due::Chosen(_) | Due::Asked | Due::Held => {
                self.judge(now, id, fault, out);
            }
        }
    }
}
