//! The protocol as transcripts, and thousands of random games played through it.

use std::collections::VecDeque;
use std::time::Duration;

use game::{Afterwards, Choice, Eye, Fault, FaultKind, Forfeit, Game as _, Moves, Rng, Seed, Tick};
use serde_json::{Value, json};
use table::AnyGame as _;
use table::{
    AnyTable, Contestant, Entrant, Erased, Hosted as _, Input, Known, Occasion, Output, Outputs,
    Recording, SeatId, Terms,
};
use testkit::transcript;

use super::laws::{set_up, with_other_secrets};
use super::wire::{ToBot, news};
use super::*;

testkit::transcripts! { Jedna, "jedna";
    a_match_that_is_ended_early_says_goodbye_like_any_other: "adjudicated.txt",
    a_whole_game_of_the_documents_agents: "simple-game.txt",
    the_next_player_draws_the_stack_of_a_last_card: "last-card-draws.txt",
    a_war_stacks_until_somebody_does_not_answer: "stacked-war.txt",
    the_original_programs_code_of_a_wild: "wild-code-w.txt",
    the_documents_code_of_a_wild: "wild-code-wd.txt",
    quirks_of_real_bots_cost_nothing: "harmless-quirks.txt",
    three_wrong_answers_and_the_host_draws_or_passes: "wrong-answers.txt",
    tries_before_and_after_drawing_count_together: "tries-of-a-turn.txt",
    stray_lines_are_recorded_and_the_answer_counts: "stray-lines.txt",
    a_repeated_request_is_the_same_question: "same-question.txt",
    what_is_no_answer_is_quoted_and_asked_again: "unreadable.txt",
    in_a_war_one_answers_or_takes_the_stack: "in-a-war.txt",
    answers_out_of_turn_are_never_the_next_move: "out-of-turn.txt",
    of_two_the_other_wins_when_time_is_up: "timeout-of-two.txt",
    everybody_but_the_mover_is_told: "four-seats.txt",
    equal_points_share_the_first_place: "shared-first-place.txt",
    a_reverse_hands_the_stack_on_under_house_rules: "house-war.txt",
    two_cards_at_once_under_house_rules: "double-play.txt",
    bots_leave_when_the_game_ends: "never-kept.txt",
    of_four_the_others_play_on: "forfeits-of-four.txt",
}

#[test]
fn who_forfeits_first_ranks_last() {
    let text = include_str!("../../transcripts/jedna/forfeits-of-four.txt");
    let report = transcript::run(&Erased::<Jedna>::new(), text);
    let ranks: Vec<u16> = report.players.iter().map(|player| player.rank).collect();
    assert_eq!(ranks, [4, 2, 1, 3]);
}

#[test]
fn a_second_line_in_one_breath_does_not_answer_the_next_request() {
    let mut host = Host::new(Config::default(), 2, Seed(253));
    let draw = br#"{"action":"draw"}"#;
    let seat = SeatId(0);
    // Both lines are read before anything is written: drawing leads to another request.
    for _ in 0..2 {
        let input = Input::Line { seat, line: draw, cpu: Duration::ZERO };
        host.table.feed(Tick::ZERO, input, &mut host.out);
    }
    host.carry_out();
    let kinds: Vec<&str> = host.table.faults()[0].iter().map(|f| f.kind.name()).collect();
    assert_eq!(kinds, ["early"]);
    let request: Value = serde_json::from_str(&host.told[0][1]).expect("JSON");
    assert_eq!(request["state"]["already_picked"], true);
    host.say(0, r#"{"action":"pass"}"#);
    // Drawing and passing are one turn.
    assert_eq!(host.table.turns(), 1);
}

/// A table of programs, and all that each of them has been told.
struct Host {
    table: Box<dyn AnyTable>,
    out: Outputs,
    told: Vec<VecDeque<String>>,
}

impl Host {
    fn new(config: Config, players: u16, seed: Seed) -> Host {
        let entrant = |index| {
            Entrant::new(format!("bot {index}"), Contestant::Program { then: Afterwards::Leave })
        };
        let terms = Terms {
            id: "conversation".to_owned(),
            seed,
            entrants: (0..players).map(entrant).collect(),
            clock: Jedna::card().clock,
            adjudication: table::Adjudication::NONE,
            occasion: Occasion::SingleMatch,
            recording: Recording::Off,
        };
        let Ok(Value::Object(setup)) = serde_json::to_value(config) else {
            panic!("a set-up is an object")
        };
        let table = Erased::<Jedna>::new().table(&setup, terms).expect("the set-up is sound");
        let told = vec![VecDeque::new(); players.into()];
        let mut host = Host { table, out: Outputs::default(), told };
        host.table.open(Tick::ZERO, &mut host.out);
        host.carry_out();
        host
    }

    fn feed(&mut self, input: Input<'_>) {
        self.table.feed(Tick::ZERO, input, &mut self.out);
        self.carry_out();
    }

    fn say(&mut self, seat: usize, line: &str) {
        let (seat, line) = (SeatId(seat as u32), line.as_bytes());
        self.feed(Input::Line { seat, line, cpu: Duration::ZERO });
    }

    fn carry_out(&mut self) {
        while !self.out.list.is_empty() {
            let list = std::mem::take(&mut self.out.list);
            let bytes = std::mem::take(&mut self.out.bytes);
            for output in list {
                match output {
                    Output::Open { seat, .. } => {
                        let input = Input::Seated {
                            seat,
                            process: game::ProcessHistory::Fresh,
                            known: Known::default(),
                        };
                        self.table.feed(Tick::ZERO, input, &mut self.out);
                    }
                    Output::Write { seat, bytes: range, starts_clock } => {
                        if starts_clock {
                            self.table.clock_started(seat, Tick::ZERO, Duration::ZERO);
                        }
                        let text = std::str::from_utf8(&bytes[range]).expect("JSON is text");
                        assert!(text.ends_with('\n'), "whole lines only: {text:?}");
                        self.told[seat.0 as usize].extend(text.lines().map(str::to_owned));
                    }
                    Output::Cold { .. } | Output::CloseInput { .. } | Output::Close { .. } => {}
                    Output::Think { .. } => panic!("no built-in bot plays"),
                    Output::Show { .. } => panic!("no person plays"),
                }
            }
        }
    }
}

/// A game at a table, the same game beside it, and a bot that answers for everybody.
struct Match {
    host: Host,
    game: Jedna,
    rng: Rng,
    /// Wrong answers in this turn.
    tries: u32,
}

/// What the bot says, and what becomes of it.
enum Reply {
    /// It counts as this action.
    Legal(String, Action),
    /// It is refused, for this reason as far as it is known here.
    Wrong(String, Option<Illegal>),
}

impl Match {
    fn new(index: u64) -> Match {
        // Bots that draw although they need not can go on for a thousand turns.
        let config = set_up(index);
        let config = Config { max_turns: config.max_turns.min(250), ..config };
        let players = 2 + (index / 6 % 9) as u16;
        let mut game = Match {
            host: Host::new(config, players, Seed(index)),
            game: Jedna::start(&config, players, Seed(index)).expect("the set-up is sound"),
            rng: Seed(index).rng("conversation"),
            tries: 0,
        };
        game.expect_request();
        game
    }

    /// Plays to the end; the number of lines that were compared.
    fn play(mut self) -> usize {
        let mut compared = 0;
        while let Some(mover) = self.game.mover() {
            if self.rng.chance(1, 300) {
                let fault = Fault::new(FaultKind::Crash, "a test");
                let choice = Choice::Forfeit(Forfeit::by_rule(fault.clone()));
                let expected = self.expected_news(mover, &choice, None);
                self.game.step(&Moves(vec![(mover.actor(), choice)]), &mut Vec::new());
                self.host.feed(Input::Lost { seat: SeatId(mover.actor().0), fault });
                compared += self.compare(mover, expected);
                continue;
            }
            if self.rng.chance(1, 50) {
                // A line from somebody else changes nothing and is not answered.
                let other = *self.rng.pick(self.game.circle()).expect("somebody plays");
                if other != mover {
                    self.host.say(other.index(), r#"{"action":"draw"}"#);
                }
            }
            compared += match self.reply(mover) {
                Reply::Legal(line, action) => self.settle(mover, &line, action),
                Reply::Wrong(line, _) if self.tries + 1 >= self.game.config().tries => {
                    self.tries += 1;
                    let fallback = self.game.fallback();
                    self.settle(mover, &line, fallback)
                }
                Reply::Wrong(line, why) => self.refused(mover, &line, why),
            };
        }
        compared
    }

    /// The answer of a bot that knows only what it has been told.
    fn reply(&mut self, mover: Seat) -> Reply {
        let rng = &mut self.rng;
        let view = self.game.view(Eye::Actor(mover.actor()));
        if rng.chance(1, 60) {
            return Reply::Wrong("{\"action\": [1, 2".to_owned(), None);
        }
        if rng.chance(1, 60) {
            let card = *rng.pick(&Card::all().collect::<Vec<_>>()).expect("there are cards");
            let action = Action::play(card);
            let line = json!({"action": "play", "card": card, "wild_color": "red"}).to_string();
            return match self.game.check(mover.actor(), &action) {
                Err(why) => Reply::Wrong(line, Some(why)),
                Ok(()) if card.is_wild() => Reply::Legal(line, Action::wild(card, Colour::Red)),
                Ok(()) => Reply::Legal(line, action),
            };
        }
        let action = *rng.pick(&view.actions()).expect("a mover can always do something");
        let Action::Play { card, colour, copies } = action else {
            return Reply::Legal(json!({ "action": action.to_string() }).to_string(), action);
        };
        let code = if rng.chance(1, 2) { card.code(WildCode::W) } else { card.code(WildCode::Wd) };
        let colour = colour.filter(|_| rng.chance(3, 4));
        let mut line = json!({"action": "play", "card": code, "wild_color": colour});
        if copies == Copies::Two || rng.chance(1, 9) && !self.game.config().double_play {
            line["double_play"] = true.into();
        }
        let (action, _) = view.mend(Action::Play { card, colour, copies });
        Reply::Legal(line.to_string(), action)
    }

    fn settle(&mut self, mover: Seat, line: &str, action: Action) -> usize {
        let held = match action {
            Action::Play { card, copies, .. } => Some((card, copies)),
            Action::Draw | Action::Pass => None,
        };
        let expected = self.expected_news(mover, &Choice::Act(action), held);
        self.game.step(&Moves::one(mover.actor(), action), &mut Vec::new());
        self.host.say(mover.index(), line);
        self.compare(mover, expected)
    }

    /// What every player hears. For one of them it is told from a game that looks the same to it
    /// but in which the cards it cannot see lie otherwise.
    fn expected_news(
        &mut self,
        mover: Seat,
        choice: &Choice<Action>,
        held: Option<(Card, Copies)>,
    ) -> Vec<(Seat, VecDeque<String>)> {
        let moves = Moves(vec![(mover.actor(), choice.clone())]);
        let (mut real, mut told) = (self.game.clone(), Vec::new());
        real.step(&moves, &mut told);
        let viewers = self.game.circle();
        let chosen = *self.rng.pick(viewers).expect("somebody plays");
        let mut expected: Vec<(Seat, VecDeque<String>)> =
            viewers.iter().map(|viewer| (*viewer, self.heard(*viewer, &told))).collect();
        if chosen != mover {
            let mut other = with_other_secrets(&self.game, chosen, held, &mut self.rng);
            told.clear();
            other.step(&moves, &mut told);
            expected.retain(|(viewer, _)| *viewer != chosen);
            expected.push((chosen, self.heard(chosen, &told)));
        }
        if let Choice::Forfeit(_) = choice {
            expected.retain(|(viewer, _)| *viewer != mover);
        }
        expected
    }

    fn heard(&self, viewer: Seat, told: &[Told<Event>]) -> VecDeque<String> {
        let wild = self.game.config().wild_code;
        let heard = told.iter().filter(|told| told.to.includes(viewer.actor()));
        let words = heard.filter_map(|told| news(&told.event, wild));
        words.map(|words| json!({"type": "notification", "message": words}).to_string()).collect()
    }

    /// Compares what everybody was told with what it should have been, to the byte.
    fn compare(&mut self, mover: Seat, mut expected: Vec<(Seat, VecDeque<String>)>) -> usize {
        if self.game.drawn == state::Drawn::No {
            self.tries = 0;
        }
        let mut compared = 0;
        for (viewer, lines) in &mut expected {
            let of_mover = format!("\"message\":\"{mover} ");
            let hears_itself = lines.iter().any(|line| line.contains(&of_mover));
            assert!(viewer != &mover || !hears_itself, "the mover knows what it did: {lines:?}");
            match self.game.outcome() {
                Some(outcome) => lines.push_back(end(&outcome)),
                None if self.game.mover() == Some(*viewer) => lines.push_back(self.request()),
                None => {}
            }
            assert_eq!(&self.host.told[viewer.index()], lines, "{viewer}");
            compared += lines.len();
            self.host.told[viewer.index()].clear();
        }
        assert!(self.host.told.iter().all(VecDeque::is_empty), "who has left hears nothing");
        compared
    }

    fn refused(&mut self, mover: Seat, line: &str, why: Option<Illegal>) -> usize {
        self.tries += 1;
        self.host.say(mover.index(), line);
        let told = &mut self.host.told[mover.index()];
        let error = told.pop_front().expect("an error is told");
        match why {
            Some(why) => {
                let message = format!("Invalid card: {why}");
                assert_eq!(error, json!({"type": "error", "message": message}).to_string());
            }
            None => assert!(error.starts_with(r#"{"type":"error","message":"Invalid answer: "#)),
        }
        2 + self.expect_request()
    }

    /// The mover is asked, and nobody is told anything else.
    fn expect_request(&mut self) -> usize {
        let mover = self.game.mover().expect("the game goes on");
        let request = self.request();
        assert_eq!(self.host.told[mover.index()], [request]);
        self.host.told[mover.index()].clear();
        assert!(self.host.told.iter().all(VecDeque::is_empty));
        0
    }

    /// The question for the mover, as it would be if all cards it cannot see lay otherwise.
    fn request(&mut self) -> String {
        let mover = self.game.mover().expect("the game goes on");
        let other = with_other_secrets(&self.game, mover, None, &mut self.rng);
        let view = other.view(Eye::Actor(mover.actor()));
        let mut bytes = Vec::new();
        ToBot::request(&view).expect("the mover plays").write(&mut bytes);
        String::from_utf8(bytes).expect("JSON is text").trim_end().to_owned()
    }
}

fn end(outcome: &Outcome) -> String {
    let scores: serde_json::Map<String, Value> = outcome
        .scores
        .iter()
        .enumerate()
        .map(|(seat, points)| (format!("player{}", seat + 1), json!(*points as u32)))
        .collect();
    let winner = outcome.winner().map(|seat| format!("player{}", seat + 1));
    json!({"type": "game_end", "winner": winner, "scores": scores}).to_string()
}

/// Every line to a seat is what it would be if the cards hidden from that seat lay in any other
/// way, so that none can contain or imply them; the scores at the end excepted.
#[test]
fn no_message_tells_of_another_players_cards() {
    let compared: usize = (0..2000).map(|index| Match::new(index).play()).sum();
    assert!(compared > 400_000, "{compared} lines");
}
