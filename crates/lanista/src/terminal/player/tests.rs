//! What the screen shows of recorded games, at every size.

use game::Seed;
use serde_json::{Map, Value};
use table::{Adjudication, AnyGame, Contestant, Entrant, Ink, Occasion, Recording, Terms};

use super::*;
use crate::catalogue::Catalogue;

/// A recorded match of built-in bots with names as nobody should choose them.
fn recorded(game: &dyn AnyGame, setup: &Map<String, Value>) -> Box<dyn AnyReplay> {
    let card = game.card();
    let names = ["日本\n語", "\x1b[2Jx", "a name that is too long for most tables", "d"];
    let bots = card.bots.iter().cycle().zip(names).take(card.usual_players.into());
    let entrants = bots.map(|(bot, name)| Entrant::new(name, Contestant::BuiltIn(bot.name.into())));
    let terms = Terms {
        id: "test".to_owned(),
        seed: Seed(3),
        entrants: entrants.collect(),
        clock: card.clock,
        adjudication: Adjudication::new(Some(30), None, None).expect("it is sound"),
        occasion: Occasion::SingleMatch,
        recording: Recording::On,
    };
    let table = game.table(setup, terms).expect("the set-up is sound");
    let (_, log) = testkit::law::played(table);
    Catalogue::new(games::GAMES).replay(&log.into_record()).expect("what was written can be read")
}

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line.text(Ink::Plain)).collect()
}

#[test]
fn every_game_fits_every_terminal_with_its_turn_its_timeline_and_what_happened() {
    for game in games::GAMES {
        let mut replay = recorded(*game, &(game.card().quick)());
        let last = replay.len();
        for (columns, rows) in [(200, 60), (80, 24), (60, 20), (20, 5), (1, 1)] {
            for step in [0, 1, last / 2, last] {
                let mut view = ReplayView::new(&mut *replay, None);
                view.go(step);
                let room = Room { columns, rows };
                let shown = texts(&lines(&mut *replay, &mut view, room));
                assert!(shown.len() <= rows, "{}: {room:?}", game.card().id);
                for line in &shown {
                    assert!(table::picture::width(line) <= columns, "{room:?}: {line}");
                    assert!(!line.chars().any(game::text::is_unsafe), "{line:?}");
                }
                if columns >= 60 {
                    let bottom = &shown[rows - 2..];
                    assert!(bottom[0].contains('●'), "{bottom:?}");
                    assert!(bottom[1].contains(&format!("{step}/{last}")), "{bottom:?}");
                    let head = texts(&replay.draw(step, room).head);
                    let turn: String = head[0].chars().take(8).collect();
                    assert!(shown[0].starts_with(&turn), "{turn} in {shown:#?}");
                    let words = panel::lines(&replay.happenings(step, None), &[], columns);
                    let words = words.first().map(|line| line.text(Ink::Plain));
                    let words: String = words.unwrap_or_default().chars().take(12).collect();
                    assert!(
                        shown.iter().any(|line| line.contains(words.trim_end())),
                        "{words}: {shown:#?}"
                    );
                }
            }
        }
    }
}

#[test]
fn eyes_hide_what_others_did_and_heard() {
    let mut hiding = 0;
    for game in games::GAMES {
        let mut replay = recorded(*game, &(game.card().quick)());
        let mut view = ReplayView::new(&mut *replay, None);
        let before = view.eyes;
        view.press(&KeyPress::Eyes, &*replay);
        if !view.hides {
            assert_eq!((view.eyes, view.remark), (before, "all see the same in this game"));
            continue;
        }
        hiding += 1;
        assert_eq!(view.eyes, Some(PlayerId(0)));
        for step in 1..=replay.len() {
            for happening in replay.happenings(step, view.eyes) {
                let own = happening.who.is_none_or(|who| who == PlayerId(0));
                assert!(own, "{}: {happening:?}", game.card().id);
            }
        }
        for _ in 1..=view.players {
            view.press(&KeyPress::Eyes, &*replay);
        }
        assert_eq!(view.eyes, None, "all eyes in turn, then everything again");
    }
    assert!(hiding >= 2, "there are games that hide something");
}

#[test]
fn faults_are_on_the_timeline_and_a_key_goes_there() {
    let mut replay = recorded(games::GAMES[0], &(games::GAMES[0].card().quick)());
    let mut view = ReplayView::new(&mut *replay, None);
    (view.last, view.faults) = (100, vec![20, 70]);
    let text = |view: &ReplayView| view.timeline(101).text(Ink::Plain);
    let places = |text: &str, sign: char| -> Vec<usize> {
        let found = text.chars().enumerate().filter(|(_, letter)| *letter == sign);
        found.map(|(place, _)| place).collect()
    };
    assert_eq!(places(&text(&view), '!'), [20, 70]);
    assert_eq!(places(&text(&view), '●'), [0]);
    for (key, step) in
        [(KeyPress::NextFault, 20), (KeyPress::NextFault, 70), (KeyPress::NextFault, 70)]
    {
        view.press(&key, &*replay);
        assert_eq!(view.step, step);
    }
    assert_eq!(view.remark, "no fault after this");
    assert_eq!(places(&text(&view), '◆'), [70]);
    view.press(&KeyPress::PreviousFault, &*replay);
    assert_eq!(view.step, 20);
    view.press(&KeyPress::Help, &*replay);
    let shown = texts(&lines(&mut *replay, &mut view, Room { columns: 60, rows: 20 }));
    assert!(shown.iter().any(|line| line.contains("to the next fault")), "{shown:#?}");
    assert!(shown.len() <= 20 && shown.iter().any(|line| line.contains("leave")), "{shown:#?}");
}

#[test]
fn what_has_no_room_is_counted_and_can_be_scrolled_to() {
    let all: Vec<Line> = (0..10).map(|number| Line::plain(&number.to_string())).collect();
    let mut above = 3;
    assert_eq!(texts(&scrolled(all.clone(), &mut above, 4)), ["3", "4", "5", "↑ 3 more, ↓ 4 more"]);
    above = 100;
    assert_eq!(texts(&scrolled(all.clone(), &mut above, 4))[0], "7");
    assert_eq!(above, 7);
    assert_eq!(scrolled(all, &mut above, 10).len(), 10);
}
