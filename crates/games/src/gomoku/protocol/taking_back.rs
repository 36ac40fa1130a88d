//! Taking a move back with a brain: it is told to remove stone after stone, and has to say `OK` to each.

use std::time::Duration;

use game::{FaultKind, Out, Said, Seen, Tick, Topic, quote};

use super::super::board::Cell;
use super::super::state::{Action, Gomoku};
use super::super::wire::{FromBrain, ToBrain};
use super::{Manager, ProtocolState, say};

/// How long a brain may take to say `OK` to a `TAKEBACK`. Many do not know it, and some of these are silent.
const TAKE_BACK: Duration = Duration::from_secs(3);

impl Manager {
    /// A person wants to take a move back.
    pub(super) fn take_back(
        &mut self,
        now: Tick,
        seen: Seen<'_, Gomoku>,
        action: Action,
        out: &mut Out<Action>,
    ) {
        let stones = match action {
            Action::TakeBack(stones) => stones.count(),
            Action::Put(_) | Action::Three(_) | Action::Two(_) | Action::Swap => 0,
        };
        let view = seen.view();
        let mut cells = view.stones.iter().rev().take(stones).copied();
        match cells.next() {
            Some(cell) if self.in_step => self.remove(now, cell, cells.next(), out),
            // It is shown the board anew before its next move.
            Some(_) | None => out.said.push(Said::TakeBack(Ok(()))),
        }
    }

    fn remove(&mut self, now: Tick, cell: Cell, next: Option<Cell>, out: &mut Out<Action>) {
        say(out, ToBrain::TakeBack(cell));
        self.state = ProtocolState::TakingBack { by: now + TAKE_BACK, next };
    }

    /// The brain has said something while its `OK` is awaited.
    pub(super) fn taken_back(
        &mut self,
        now: Tick,
        next: Option<Cell>,
        said: FromBrain,
        line: &[u8],
        out: &mut Out<Action>,
    ) {
        match said {
            FromBrain::Ok => match next {
                Some(cell) => self.remove(now, cell, None, out),
                None => self.settle(Ok(()), out),
            },
            FromBrain::Error(text) => self.settle(Err(format!("it says ERROR {text}")), out),
            FromBrain::Unknown(text) => self.settle(Err(format!("it says UNKNOWN {text}")), out),
            FromBrain::Cells(_) | FromBrain::Swap => {
                out.fault(FaultKind::Extra, format!("{} although no move was due", quote(line)));
            }
            FromBrain::Other(text) if self.owes_about => self.about(&text, out),
            FromBrain::Other(_)
            | FromBrain::Suggest(..)
            | FromBrain::Message(_)
            | FromBrain::Debug(_)
            | FromBrain::Nothing => {
                out.note(Topic::Remark, format!("instead of OK: {}", quote(line)));
            }
        }
    }

    pub(super) fn no_word_on_taking_back(&mut self, out: &mut Out<Action>) {
        let limit = TAKE_BACK.as_secs();
        self.settle(Err(format!("it has not said OK to TAKEBACK within {limit} s")), out);
    }

    /// The question is settled before the brain has answered, or is asked for a move before that.
    pub(super) fn give_up_taking_back(&mut self) {
        if let ProtocolState::TakingBack { .. } = self.state {
            (self.state, self.in_step) = (ProtocolState::Idle, false);
        }
    }

    fn settle(&mut self, agreed: Result<(), String>, out: &mut Out<Action>) {
        self.state = ProtocolState::Idle;
        // Whoever knows what it has removed: it is shown the board anew.
        self.in_step = agreed.is_ok();
        let agreed = agreed.map_err(|why| why.trim_end().to_owned());
        out.said.push(Said::TakeBack(agreed));
    }
}

#[cfg(test)]
mod tests {
    use game::{
        ActorId, Clock, Command, Game as _, Moves, PlayerId, Protocol as _, Seed, TimeLeft,
    };
    use game::{Afterwards, ProcessHistory};
    use table::desk::{AnyDesk, Picked};
    use table::{
        Adjudication, AnyGame as _, AnyTable, Chair, Contestant, Entrant, Erased, Hosted as _,
        Input, Known, Occasion, Output, Outputs, PersonSaid, PersonWish, Recording, SeatId, Terms,
    };

    use super::super::super::board::Size;
    use super::super::super::setup::Config;
    use super::super::super::state::Stones;
    use super::*;

    /// A brain that plays White, after a stone of each.
    fn seated() -> (Manager, Gomoku) {
        let config = Config { size: Some(9), ..Config::default() };
        let mut game = Gomoku::start(&config, 2, Seed(1)).expect("the set-up is sound");
        let chair = Chair {
            actor: ActorId(1),
            player: PlayerId(1),
            seed: Seed(1),
            clock: Clock::per_turn(Duration::from_secs(1)),
            memory: 1 << 30,
            folder: None,
            options: Vec::new(),
            line_end: None,
            occasion: Occasion::SingleMatch,
        };
        let mut manager = Manager::new(&config, &chair);
        (manager.size, manager.in_step) = (Some(Size { width: 9, height: 9 }), true);
        for (player, cell) in [(0, Cell { x: 4, y: 4 }), (1, Cell { x: 5, y: 4 })] {
            game.step(&Moves::one(ActorId(player), Action::Put(cell)), &mut Vec::new());
        }
        (manager, game)
    }

    /// What is written to the brain and found when it is asked to take two stones back and says these lines.
    fn talk(lines: &[&str]) -> (Manager, String, Vec<Said<Action>>) {
        let (mut manager, game) = seated();
        let mut out = Out::default();
        let seen = Seen::new(&game, ActorId(1), PlayerId(1));
        let action = Action::TakeBack(Stones::Two);
        manager.command(Tick::ZERO, Command::TakeBack { seen, action: &action }, &mut out);
        for line in lines {
            manager.line(Tick::ZERO, line.as_bytes(), &mut out);
        }
        let text = String::from_utf8(out.bytes).expect("plain text");
        (manager, text, out.said)
    }

    /// The question that follows when the other has put a stone.
    fn next_question(manager: &mut Manager) -> String {
        let (_, game) = seated();
        let mut out = Out::default();
        manager.news = Some(Cell { x: 1, y: 1 });
        let seen = Seen::new(&game, ActorId(1), PlayerId(1));
        let time = TimeLeft { turn: None, bank: None };
        manager.command(Tick::ZERO, Command::Ask { seen, time }, &mut out);
        String::from_utf8(out.bytes).expect("plain text")
    }

    #[test]
    fn stones_are_taken_back_one_by_one_and_the_last_first() {
        let (mut manager, told, said) = talk(&["OK", "OK"]);
        assert_eq!(told, "TAKEBACK 5,4\r\nTAKEBACK 4,4\r\n");
        assert_eq!(said, [Said::TakeBack(Ok(()))]);
        assert!(next_question(&mut manager).ends_with("TURN 1,1\r\n"));
    }

    #[test]
    fn a_brain_that_does_not_say_ok_refuses_and_is_shown_the_board_anew() {
        for (lines, why) in [
            (&["UNKNOWN command"][..], "it says UNKNOWN command"),
            (&["ERROR"], "it says ERROR"),
            (&["OK", "ERROR no such stone"], "it says ERROR no such stone"),
        ] {
            let (mut manager, _, said) = talk(lines);
            assert_eq!(said, [Said::TakeBack(Err(why.to_owned()))], "{lines:?}");
            assert!(next_question(&mut manager).contains("BOARD\r\n"), "{lines:?}");
        }
    }

    #[test]
    fn a_silent_brain_refuses_after_a_while_and_what_it_says_later_is_no_answer() {
        let (mut manager, told, said) = talk(&[]);
        assert_eq!((told.as_str(), said), ("TAKEBACK 5,4\r\n", Vec::new()));
        let by = manager.next_tick().expect("it is not waited for for ever");
        let mut out = Out::default();
        manager.tick(by, &mut out);
        let why = "it has not said OK to TAKEBACK within 3 s".to_owned();
        assert_eq!(out.said, [Said::TakeBack(Err(why))]);
        out.said.clear();
        manager.line(by, b"OK", &mut out);
        assert!(matches!(&out.said[..], [Said::Note(_)]), "{:?}", out.said);
    }

    /// A person who plays Black against a brain.
    struct PersonAndBrain {
        table: Box<dyn AnyTable>,
        out: Outputs,
        now: Tick,
        brain: SeatId,
        desk: Option<Box<dyn AnyDesk>>,
    }

    impl PersonAndBrain {
        /// The person has so long for all its moves.
        fn new(bank: Duration) -> PersonAndBrain {
            let mut human = Entrant::new("human", Contestant::Person);
            human.clock = Some(Clock { turn: None, bank: Some(bank), ..Gomoku::card().clock });
            let program = Contestant::Program { then: Afterwards::Leave };
            let terms = Terms {
                id: "m".to_owned(),
                seed: Seed(1),
                entrants: vec![human, Entrant::new("brain", program)],
                clock: Gomoku::card().clock,
                adjudication: Adjudication::NONE,
                occasion: Occasion::SingleMatch,
                recording: Recording::Off,
            };
            let setup = [("size".to_owned(), 9.into())].into_iter().collect();
            let table = Erased::<Gomoku>::new().table(&setup, terms).expect("a sound set-up");
            let (out, now, brain) = (Outputs::default(), Tick::ZERO, SeatId(0));
            let mut these = PersonAndBrain { table, out, now, brain, desk: None };
            these.table.open(these.now, &mut these.out);
            these.settle();
            these
        }

        /// Does what the table asks for.
        fn settle(&mut self) {
            while !self.out.list.is_empty() {
                for output in std::mem::take(&mut self.out.list) {
                    match output {
                        Output::Open { seat, .. } => {
                            self.brain = seat;
                            let (process, known) = (ProcessHistory::Fresh, Known::default());
                            let seated = Input::Seated { seat, process, known };
                            self.table.feed(self.now, seated, &mut self.out);
                        }
                        Output::Write { seat, starts_clock: true, .. } => {
                            self.table.clock_started(seat, self.now, Duration::ZERO);
                        }
                        Output::Show { player } => self.desk = self.table.desk(player, self.now),
                        Output::Write { .. } => {}
                        other => panic!("{other:?}"),
                    }
                }
            }
        }

        fn brain_says(&mut self, line: &str) {
            let (seat, line, cpu) = (self.brain, line.as_bytes(), Duration::ZERO);
            self.table.feed(self.now, Input::Line { seat, line, cpu }, &mut self.out);
            self.settle();
        }

        fn person_says(&mut self, said: PersonSaid) {
            let player = PlayerId(0);
            self.table.feed(self.now, Input::Person { player, said }, &mut self.out);
            self.settle();
        }

        fn puts(&mut self, pick: &str) {
            match self.desk.as_mut().expect("it is shown").pick(pick) {
                Ok(Picked::Answer(answer)) => self.person_says(PersonSaid::Answer(answer)),
                Ok(Picked::More) | Err(_) => panic!("{pick} is a whole answer"),
            }
        }
    }

    #[test]
    fn a_person_does_not_pay_for_the_time_in_which_a_brain_agrees_or_refuses() {
        for answers in [&["OK", "OK"][..], &["UNKNOWN command"]] {
            let mut these = PersonAndBrain::new(Duration::from_secs(10));
            these.brain_says("OK");
            these.brain_says("name=\"brain\"");
            these.puts("4,4");
            these.brain_says("5,4");
            these.now = these.now + Duration::from_secs(1);
            these.person_says(PersonSaid::Wishes(PersonWish::TakeBack));
            for answer in answers {
                these.now = these.now + Duration::from_secs(2);
                these.brain_says(answer);
            }
            let desk = these.desk.take().expect("it is shown");
            assert!(desk.is_due());
            assert_eq!(desk.time(), Some(Duration::from_secs(9)), "{answers:?}");
            these.now = these.now + Duration::from_secs(3);
            these.person_says(PersonSaid::Wishes(PersonWish::Pause));
            let desk = these.desk.take().expect("it is shown");
            assert_eq!(desk.time(), Some(Duration::from_secs(6)), "the clock runs again");
        }
    }
}
