//! What people ask of the others at the table: to take a move back, to stop the clocks of the people.
//!
//! Other people have to agree. Programs are asked by their protocol whether a move can be taken back; their clocks are
//! never stopped: a program has been promised its time, and people pause between its moves.

use std::sync::Arc;

use game::{ActorId, Choice, Command, Note, PlayerId, Tick, Topic, Turn};
use serde::{Deserialize, Serialize};

use crate::Hosted;
use crate::hosted::Occasion;
use crate::log::{Entry, VERSION};
use crate::parts::{MatchStage, Mind, Phase};
use crate::seat::{Contestant, Outputs, SeatId};
use crate::table::{Table, command};

/// Something that a person asks of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonWish {
    /// The last move of the person is taken back, and what followed it.
    TakeBack,
    /// The clocks of the people stop.
    Pause,
}

impl PersonWish {
    /// In words, after "asks to".
    pub fn words(self) -> &'static str {
        match self {
            PersonWish::TakeBack => "take the last move back",
            PersonWish::Pause => "stop the clocks",
        }
    }
}

/// A wish that some have not agreed to yet.
pub(crate) struct OpenWish {
    pub(crate) by: PlayerId,
    pub(crate) wish: PersonWish,
    /// Those who have not agreed yet.
    open: Vec<PlayerId>,
}

/// How things stand at the table beside the game, for one person.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeskTable {
    /// What another person asks, who is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<(String, PersonWish)>,
    /// What this person has asked, as long as somebody has not agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<PersonWish>,
    /// Whether the clocks of the people are stopped.
    pub paused: bool,
    /// Why the last move cannot be taken back now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_take_back: Option<String>,
    /// Why the clocks cannot be stopped now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_pause: Option<String>,
}

impl<G: Hosted> Table<G> {
    /// How things stand beside the game, for a person.
    pub(crate) fn desk_table(&self, player: PlayerId) -> DeskTable {
        let wish = self.people.wish.as_ref();
        let asked = wish.filter(|wish| wish.open.contains(&player));
        let waits = wish.filter(|wish| wish.by == player).map(|wish| wish.wish);
        DeskTable {
            asked: asked.map(|wish| (self.name(wish.by).to_owned(), wish.wish)),
            waits,
            paused: self.people.paused,
            no_take_back: self.refusal(player, PersonWish::TakeBack),
            no_pause: self.refusal(player, PersonWish::Pause),
        }
    }

    fn name(&self, player: PlayerId) -> &str {
        &self.terms.entrants[player.index()].name
    }

    fn is_person(&self, player: PlayerId) -> bool {
        self.terms.entrants[player.index()].contestant == Contestant::Person
    }

    /// Why a person cannot even ask for this now.
    fn refusal(&self, player: PlayerId, wish: PersonWish) -> Option<String> {
        let words = |words: &str| Some(words.to_owned());
        match (&self.stage, &self.people.wish, wish) {
            (MatchStage::Opening | MatchStage::Ending { .. }, ..) => {
                words("the game is not under way")
            }
            (MatchStage::Playing, Some(_), _) => words("something else is being asked already"),
            (MatchStage::Playing, None, PersonWish::TakeBack) => self.no_take_back(player),
            (MatchStage::Playing, None, PersonWish::Pause) if self.people.paused => {
                words("the clocks are stopped already")
            }
            (MatchStage::Playing, None, PersonWish::Pause) => {
                let mut people = self.people.players.iter().map(|person| self.clock_of(*person));
                match people.any(|clock| clock.turn.or(clock.bank).is_some()) {
                    true => None,
                    false => words("no clock runs: take as long as you like"),
                }
            }
        }
    }

    fn no_take_back(&self, player: PlayerId) -> Option<String> {
        if self.people.paused {
            return Some("the clocks are stopped".to_owned());
        }
        if self.terms.occasion == Occasion::Tournament {
            return Some("nothing is taken back in a tournament".to_owned());
        }
        if let Err(why) = self.game.take_back(player) {
            return Some(why);
        }
        match self.on_turn() {
            Some((_, mover)) if self.is_person(mover) => None,
            Some((_, mover)) => Some(format!("wait until {} has moved", self.name(mover))),
            None => Some("nobody is on turn alone".to_owned()),
        }
    }

    /// The one who is on turn alone, and its player.
    fn on_turn(&self) -> Option<(ActorId, PlayerId)> {
        match self.game.turn() {
            Turn::One(actor) => Some((actor, self.cast.actors[self.actor_index(actor)?].player)),
            Turn::All(_) | Turn::Over(_) => None,
        }
    }

    /// A person asks for something.
    pub(crate) fn wishes(&mut self, now: Tick, by: PlayerId, wish: PersonWish, out: &mut Outputs) {
        if let Some(why) = self.refusal(by, wish) {
            return self.tell_person(by, why);
        }
        self.note_person(now, by, format!("asks to {}", wish.words()));
        let others = (0..).map(PlayerId).zip(&self.terms.entrants);
        let others = others.filter(|(player, _)| *player != by);
        let open = others.filter_map(|(player, entrant)| match (&entrant.contestant, wish) {
            (Contestant::Person, _) => self.plays(player).then_some(player),
            (Contestant::Program { .. }, PersonWish::TakeBack) => {
                self.plays(player).then_some(player)
            }
            (Contestant::Program { .. } | Contestant::BuiltIn(_), _) => None,
        });
        let open: Vec<PlayerId> = open.collect();
        self.people.wish = Some(OpenWish { by, wish, open: open.clone() });
        self.people.unshown = true;
        if wish == PersonWish::TakeBack
            && let Ok(action) = self.game.take_back(by)
        {
            for seat in self.ready_programs(&open) {
                command!(self, now, seat, out, |seen| Command::TakeBack { seen, action: &action });
            }
        }
        // Nobody can move until the programs have answered.
        if self.programs_are_asked() {
            self.stop_peoples_clocks(now);
        }
        self.grant(now);
    }

    /// Whether a player still has somebody at the table.
    fn plays(&self, player: PlayerId) -> bool {
        self.cast.actors.iter().any(|actor| actor.player == player && actor.seat.is_some())
    }

    fn ready_programs(&self, players: &[PlayerId]) -> Vec<SeatId> {
        let asked = |id: &SeatId| {
            let seat = &self.seats[*id];
            let wire = matches!((&seat.mind, seat.phase), (Mind::Wire(_), Phase::Ready));
            wire && players.contains(&seat.player)
        };
        self.seats.live.iter().copied().filter(asked).collect()
    }

    /// Somebody has agreed to what was asked, or says why not.
    pub(crate) fn agreed(&mut self, now: Tick, player: PlayerId, agreed: Result<(), String>) {
        let programs_were_asked = self.programs_are_asked();
        let Some(wish) = &mut self.people.wish else { return };
        if !wish.open.contains(&player) {
            return;
        }
        wish.open.retain(|other| *other != player);
        match agreed {
            Ok(()) => self.grant(now),
            Err(why) => {
                let (by, words) = (wish.by, wish.wish.words());
                let name = self.name(player).to_owned();
                self.people.wish = None;
                self.note_person(now, by, format!("may not {words}: {name}: {why}"));
                self.tell_person(by, format!("{name} does not {words}: {why}"));
            }
        }
        if programs_were_asked && !self.programs_are_asked() {
            self.run_peoples_clocks(now);
        }
    }

    /// Does what everybody has agreed to.
    fn grant(&mut self, now: Tick) {
        let Some(OpenWish { by, wish, .. }) = self.people.wish.take_if(|wish| wish.open.is_empty())
        else {
            return;
        };
        self.people.unshown = true;
        match wish {
            PersonWish::TakeBack => self.take_back(now, by),
            PersonWish::Pause => self.pause(now),
        }
    }

    /// The one on turn takes the move back; the time that it has taken is gone.
    fn take_back(&mut self, now: Tick, by: PlayerId) {
        let (Ok(action), Some((actor, _))) = (self.game.take_back(by), self.on_turn()) else {
            return;
        };
        if let Some(seat) = self.actor_mut(actor).and_then(|actor| actor.seat) {
            self.stop_clock(now, seat);
        }
        Arc::make_mut(&mut self.log.header).v = VERSION;
        self.choose(actor, Choice::Act(action));
    }

    fn pause(&mut self, now: Tick) {
        self.people.paused = true;
        self.stop_peoples_clocks(now);
    }

    fn stop_peoples_clocks(&mut self, now: Tick) {
        for (_, seat) in self.asked_people() {
            self.stop_clock(now, seat);
        }
    }

    /// Lets the clocks run that are stopped.
    fn run_peoples_clocks(&mut self, now: Tick) {
        for (_, seat) in self.asked_people() {
            if self.seats[seat].running.is_none() {
                self.run_clock(now, seat);
            }
        }
        self.people.unshown = true;
    }

    /// Whether programs have been asked to take a move back, and have not answered.
    fn programs_are_asked(&self) -> bool {
        let wish = self.people.wish.as_ref();
        wish.is_some_and(|wish| wish.open.iter().any(|player| !self.is_person(*player)))
    }

    /// A person lets the clocks run again.
    pub(crate) fn resume(&mut self, now: Tick, by: PlayerId) {
        if !std::mem::take(&mut self.people.paused) {
            self.tell_person(by, "the clocks are not stopped".to_owned());
        } else {
            self.note_person(now, by, "lets the clocks run again".to_owned());
            self.run_peoples_clocks(now);
        }
    }

    fn asked_people(&self) -> Vec<(ActorId, SeatId)> {
        self.people.players.iter().flat_map(|player| self.asked(*player)).collect()
    }

    /// Why a person's answer is not taken now.
    pub(crate) fn no_answer(&self) -> Option<&'static str> {
        match (self.people.paused, self.programs_are_asked()) {
            (true, _) => Some("the clocks are stopped: go on first"),
            (false, true) => Some("wait: a move is being taken back"),
            (false, false) => None,
        }
    }

    /// The game moves on: what was asked is of no interest any more.
    pub(crate) fn drop_wish(&mut self) {
        if let Some(OpenWish { by, wish, .. }) = self.people.wish.take() {
            self.tell_person(by, format!("the game went on: nobody agreed to {}", wish.words()));
        }
    }

    /// Tells a person why something was not done.
    pub(crate) fn tell_person(&mut self, player: PlayerId, words: String) {
        self.people.news.push((player, words));
        self.people.unshown = true;
    }

    fn note_person(&mut self, now: Tick, player: PlayerId, text: String) {
        let own = |id: &&SeatId| self.seats[**id].player == player;
        if let Some(&seat) = self.seats.live.iter().find(own) {
            let note = Note { topic: Topic::Remark, text };
            let size = note.text.len();
            self.log.heard(now, player, size, || Entry::Noted { at: now, seat, note });
        }
    }
}
