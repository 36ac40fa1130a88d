//! What workers say, and what they are answered.

use league::RemoteGames;

use super::lending::give_back;
use super::{Coordinator, CoordinatorState, OWN_NAME};
use crate::leases::WorkerId;
use crate::link::Message;
use crate::wire::{self, Ask, CoordinatorAnswer, WorkerRequest};

/// So many games of a worker are shown as being played.
const MOST_SHOWN: usize = 64;
/// No machine plays more games at a time, nor has an architecture with a longer name.
const MOST_SLOTS: u32 = league::MOST_AT_A_TIME as u32;
const LONGEST_WORD: usize = 40;

impl Coordinator {
    pub(super) fn said(
        &self,
        state: &mut CoordinatorState,
        games: &RemoteGames<'_>,
        message: Message,
        wants: &mut Vec<(WorkerId, u32, Option<String>)>,
    ) {
        if message.subject == wire::STATUS {
            if let Some(reply) = &message.reply {
                let text = self.status().to_json().to_string();
                self.link.publish(reply, text.into_bytes());
            }
            return;
        }
        let Some(name) = message.subject.rsplit('.').next() else { return };
        let reply = message.reply.as_deref();
        let ask: Ask = match wire::unpack(&message.payload) {
            Ok(ask) => ask,
            Err(error) => {
                return self.answer(reply, &CoordinatorAnswer::Refused(error.to_string()));
            }
        };
        if wire::token(name) != name {
            let why = "its name is not one of letters, digits, - and _".to_owned();
            return self.answer(reply, &CoordinatorAnswer::Refused(why));
        }
        let worker = WorkerId { name: name.to_owned(), session: ask.session };
        if let Some(why) = state.workers.exclusion(&worker.name) {
            return self.answer(reply, &CoordinatorAnswer::Refused(why.to_owned()));
        }
        // A result counts whenever it comes; everything else only in its order.
        let now = state.began.elapsed();
        let in_order = state.leases.heard(now, &worker, ask.number);
        for (old, free) in state.leases.surplus(&worker.name) {
            give_back(state, games, free);
            state.blobs.forget(&old);
            state.workers.remove(&old);
        }
        match ask.what {
            WorkerRequest::Done(lines) => self.done(state, games, &worker, lines, message.reply),
            WorkerRequest::Blob { digest, piece } => {
                let answer = state.blobs.piece(&digest, piece);
                self.answer(reply, &answer);
            }
            WorkerRequest::Upload { digest, at, bytes } => {
                state.blobs.upload(&worker, &digest, at, &bytes.0);
                self.answer(reply, &CoordinatorAnswer::Heard);
            }
            _ if !in_order => {}
            WorkerRequest::Want { free, card } => match self.refusal(state, &worker, &card) {
                Some(why) => {
                    let free = state.leases.remove(&worker);
                    give_back(state, games, free);
                    if state.workers.remove(&worker) {
                        self.note(&format!("{} gets no more games: {why}", worker.name));
                    }
                    self.answer(reply, &CoordinatorAnswer::Refused(why));
                }
                None => {
                    if state.speeds.plays(card.speed) {
                        state.file.reference = state.speeds.reference();
                        state.is_dirty = true;
                    }
                    if state.workers.introduce(&worker, card) {
                        self.note(&format!("{} has come", worker.name));
                    }
                    wants.push((worker, free, message.reply));
                }
            },
            WorkerRequest::Hold { games: places, playing } => {
                let playing = places.iter().take(playing as usize).take(MOST_SHOWN);
                if state.workers.plays(&worker, playing.cloned().collect()) {
                    state.is_dirty = true;
                }
                let lost = self.held(state, games, &worker, &places);
                self.answer(reply, &CoordinatorAnswer::Held { lost });
            }
            WorkerRequest::GiveBack { games: places, cannot } => {
                let free = state.leases.give_back(&worker, &places);
                give_back(state, games, free);
                if let Some(inability) = cannot {
                    let why = game::printable(inability.why.as_bytes(), 500);
                    let bot = state.workers.cannot(&worker, &inability, &games.events());
                    if let Some(bot) = bot {
                        self.note(&format!("{} cannot run \"{bot}\": {why}", worker.name));
                    }
                }
                self.answer(reply, &CoordinatorAnswer::Heard);
            }
            WorkerRequest::Bye => {
                let free = state.leases.remove(&worker);
                give_back(state, games, free);
                state.blobs.forget(&worker);
                if state.workers.remove(&worker) {
                    self.note(&format!("{} has left", worker.name));
                }
                self.answer(reply, &CoordinatorAnswer::Heard);
            }
        }
    }

    /// Why a worker cannot be used, if it cannot.
    fn refusal(
        &self,
        state: &CoordinatorState,
        worker: &WorkerId,
        card: &wire::WorkerCard,
    ) -> Option<String> {
        if worker.name == OWN_NAME {
            return Some(format!("\"{OWN_NAME}\" is the name of games that the coordinator plays"));
        }
        let own = env!("CARGO_PKG_VERSION");
        if card.lanista != own {
            let theirs = game::printable(card.lanista.as_bytes(), 40);
            return Some(format!("it is lanista {theirs}, and this run is played with {own}"));
        }
        if card.arch.len() > LONGEST_WORD || card.slots > MOST_SLOTS || card.tier.len() != 1 {
            return Some("what it says of itself cannot be".to_owned());
        }
        let refusal = state.speeds.refusal(card.speed);
        if let Some(why) = refusal.or_else(|| state.workers.void_again(&worker.name)) {
            return Some(why);
        }
        let least = self.options.least_tier?;
        // Better tiers have earlier letters.
        let is_enough = card.tier.as_str() <= least.name();
        (!is_enough).then(|| {
            let tier = game::printable(card.tier.as_bytes(), 4);
            format!("its bots would run on tier {tier}, and tier {} is required", least.name())
        })
    }
}
