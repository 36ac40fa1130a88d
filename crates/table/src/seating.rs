//! Seats are made and given up: which process or built-in bot sits there, and how it is parted with.

use std::time::Duration;

use game::{ActorId, Clock, Farewell, PlayerId, ProcessHistory, Tick};

use crate::heard::Heard;
use crate::log::Entry;
use crate::parts::{Fresh, Mind, Phase, Resumes, Seat, Startup};
use crate::seat::{Contestant, Output, Outputs, Parting, SeatId};
use crate::table::Table;
use crate::{Chair, Hosted};

impl<G: Hosted> Table<G> {
    /// Closes a seat. Nobody sits there any more.
    pub(crate) fn close(&mut self, id: SeatId, parting: Parting, out: &mut Outputs) {
        let seat = &mut self.seats[id];
        if seat.phase == Phase::Gone {
            return;
        }
        seat.phase = Phase::Gone;
        self.drop_clock(id);
        self.warmed(id);
        if let Ok(index) = self.seats.live.binary_search(&id) {
            self.seats.live.remove(index);
        }
        let seat = &mut self.seats[id];
        if let Mind::Wire(_) = std::mem::replace(&mut seat.mind, Mind::Nobody) {
            out.list.push(Output::Close { seat: id, parting });
        }
    }

    /// Parts with a process that is still there, as its protocol wants it.
    pub(crate) fn part_early(&mut self, now: Tick, id: SeatId, out: &mut Outputs) {
        let farewell = match &self.seats[id].mind {
            Mind::Wire(protocol) => protocol.farewell(),
            Mind::BuiltIn { .. } | Mind::Person | Mind::Nobody => None,
        };
        let parting = match farewell {
            Some(Farewell { words, grace }) => Parting::Leave { farewell: words, grace },
            None => Parting::Kill,
        };
        self.part(now, id, parting, out);
    }

    /// Parts with a process; what it is told now is recorded.
    pub(crate) fn part(&mut self, now: Tick, id: SeatId, mut parting: Parting, out: &mut Outputs) {
        let seat = &self.seats[id];
        match (&mut parting, seat.line_end) {
            (Parting::Keep { farewell, .. } | Parting::Leave { farewell, .. }, Some(end)) => {
                end.apply(farewell);
            }
            (Parting::Keep { .. } | Parting::Leave { .. } | Parting::Kill, _) => {}
        }
        if let Parting::Leave { farewell, .. } = &parting
            && !farewell.is_empty()
            && seat.phase != Phase::Gone
        {
            self.log.sent(now, id, farewell);
        }
        self.close(id, parting, out);
    }

    pub(crate) fn close_all(&mut self, parting: Parting, out: &mut Outputs) {
        for id in self.seats.live.clone() {
            self.close(id, parting.clone(), out);
        }
    }

    /// Puts a fresh process into the place of one that could not be used again.
    pub(crate) fn replace(&mut self, now: Tick, old: SeatId, out: &mut Outputs) {
        let actor = self.seats[old].actor;
        self.seat_for(now, actor, Fresh::Yes, Resumes::No, out);
    }

    /// Makes a seat for an actor and asks the host to fill it.
    pub(crate) fn seat_for(
        &mut self,
        now: Tick,
        actor: ActorId,
        fresh: Fresh,
        resumes: Resumes,
        out: &mut Outputs,
    ) {
        let id = self.seats.next_id();
        let Some(index) = self.actor_index(actor) else { return };
        let player = self.cast.actors[index].player;
        let entrant = &self.terms.entrants[player.index()];
        let chair = self.chair(actor, player);
        let (mind, phase) = match &entrant.contestant {
            Contestant::Program { .. } => {
                out.list.push(Output::Open {
                    seat: id,
                    player,
                    process: Box::new(self.game.process(actor)),
                    fresh,
                });
                (Mind::Wire(G::protocol(&self.config, &chair)), Phase::Opening)
            }
            Contestant::BuiltIn(name) => {
                let bot = G::bot(name, &self.config, &chair)
                    .expect("names of built-in bots are checked before a table is made");
                self.log.add(&Entry::<()>::Seated { at: now, seat: id, actor, player });
                let mind = Mind::BuiltIn { bot: Some(bot), events: Vec::new() };
                match self.preparation() {
                    None => (mind, Phase::Ready),
                    Some(_) => {
                        out.list.push(Output::Think { seat: id });
                        (mind, Phase::Shaking)
                    }
                }
            }
            Contestant::Person => {
                self.log.add(&Entry::<()>::Seated { at: now, seat: id, actor, player });
                (Mind::Person, Phase::Ready)
            }
        };
        self.seats.add(Seat {
            actor,
            player,
            mind,
            phase,
            running: None,
            cpu: Duration::ZERO,
            process: ProcessHistory::Fresh,
            resumes,
            startup: match entrant.contestant {
                Contestant::Program { .. } => Startup::Silent,
                Contestant::BuiltIn(_) | Contestant::Person => Startup::Started,
            },
            heard: Heard::default(),
            seated: now,
            settling: None,
            line_end: entrant.line_end,
        });
        self.cast.actors[index].seat = Some(id);
    }

    /// What a protocol or a built-in bot should know of an actor's seat.
    pub(crate) fn chair(&self, actor: ActorId, player: PlayerId) -> Chair {
        let entrant = &self.terms.entrants[player.index()];
        Chair {
            actor,
            player,
            seed: self.terms.seed,
            clock: Clock { start: self.time_to_start(player), ..self.clock_of(player) },
            memory: entrant.memory,
            folder: entrant.folder.clone(),
            options: entrant.options.clone(),
            line_end: entrant.line_end,
            occasion: self.terms.occasion,
        }
    }
}
