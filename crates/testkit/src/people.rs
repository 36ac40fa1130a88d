//! People at the table of every game: they play to the end, resign, and take moves back where the game can.

use std::collections::BTreeSet;
use std::time::Duration;

use game::{Choice, FaultKind, PlayerId, Seed};
use serde_json::Value;
use table::desk::DeskMove;
use table::{
    Adjudication, AnyGame as _, AnyReplay, AnyTable, Contestant, Entrant, Entry, Erased, Knowledge,
    Occasion, PersonSaid, PersonWish, Recording, Terms,
};

use crate::desk;
use crate::law::{Lawful, played_with, setup};

/// A table with a person, whose opponents are built-in bots.
fn table_with_person<G: Lawful>(config: &G::Config, players: u16) -> Box<dyn AnyTable> {
    let bots = G::card()
        .bots
        .iter()
        .cycle()
        .map(|bot| Entrant::new(bot.name.to_owned(), Contestant::BuiltIn(bot.name.to_owned())));
    let person = Entrant::new("human", Contestant::Person);
    let terms = Terms {
        id: "law".to_owned(),
        seed: Seed(5),
        entrants: std::iter::once(person).chain(bots).take(players.into()).collect(),
        clock: G::card().clock,
        adjudication: Adjudication::NONE,
        occasion: Occasion::SingleMatch,
        recording: Recording::On,
    };
    Erased::<G>::new().table(&setup(config), terms).expect("a sound set-up")
}

/// A move is taken back, or the person hears why not; the record shows and verifies it.
pub(crate) fn moves_are_taken_back_or_not<G: Lawful>() {
    let (config, players) = G::setups().remove(0);
    let (mut rng, mut asked, mut refused) = (Seed(11).rng("person"), 0, 0);
    let (_, log) = played_with(table_with_person::<G>(&config, players), |mut desk| {
        refused += usize::from(desk.news().is_some());
        match (desk.is_due(), desk.step() > 3 && asked == 0) {
            (false, _) => None,
            (true, true) => {
                asked += 1;
                Some(PersonSaid::Wishes(PersonWish::TakeBack))
            }
            (true, false) => Some(PersonSaid::Answer(desk::answer(desk, &mut rng))),
        }
    });
    let mut record = log.into_record();
    let entries = record.entries::<G::Action>().map(|entry| entry.expect("it can be read"));
    let taken = |entry: &Entry<G::Action>| match entry {
        Entry::Stepped { moves, .. } => moves.0.iter().any(|(_, choice)| match choice {
            Choice::Act(action) => G::is_take_back(action),
            Choice::Forfeit(_) => false,
        }),
        _ => false,
    };
    let taken = entries.filter(taken).count();
    assert_eq!(taken + refused, asked, "it is done, or refused with the reason");
    assert_eq!(record.header.v, if taken > 0 { 3 } else { 2 });
    let replay = Erased::<G>::new().replay(&record).expect("it can be replayed");
    assert_eq!(replay.verify(), Ok(()));
    record.header.v = 2;
    let replay = Erased::<G>::new().replay(&record).expect("it can be replayed");
    assert_eq!(
        replay.verify().is_err(),
        taken > 0,
        "no other format has moves that are taken back"
    );
}

/// A bot that is asked in the place of a player answers the same whatever is hidden from that player.
pub(crate) fn advice_knows_nothing_hidden<G: Lawful>(
    game: &G,
    disguised: &G,
    player: PlayerId,
    config: &G::Config,
    players: u16,
) {
    for card in G::card().bots {
        let bot = Entrant::new(card.name, Contestant::BuiltIn(card.name.to_owned()));
        let asked = |state: &G| {
            let question =
                table::question(state, config, players.into(), player, &bot, Duration::ZERO);
            let question = question.ok()?;
            played_with((question.table)().expect("it can be set up"), |_| None);
            question.advice.lock().expect("nobody panicked").take()
        };
        // Names of actors come from the seed, which the bot does not know.
        let unnamed = |words: String| words.rsplit(": ").next().map(str::to_owned);
        let moves = |state: &G| -> Option<Vec<Option<String>>> {
            Some(asked(state)?.moves.into_iter().map(unnamed).collect())
        };
        assert_eq!(
            moves(game),
            moves(disguised),
            "{} knows what is hidden from {player}",
            card.name
        );
    }
}

/// A person plays whole matches, or resigns, and the records are as good as any.
pub(crate) fn play<G: Lawful>() {
    let (config, players) = G::setups().remove(0);
    for resigns in [false, true] {
        let (mut rng, mut listed) = (Seed(11).rng("person"), Vec::new());
        let table = table_with_person::<G>(&config, players);
        let (report, log) = played_with(table, |desk| {
            listed.extend_from_slice(desk.moves());
            match (desk.is_due(), resigns) {
                (false, _) => None,
                (true, true) => Some(PersonSaid::Resigns),
                (true, false) => Some(PersonSaid::Answer(desk::answer(desk, &mut rng))),
            }
        });
        assert_eq!(report.players[0].moves > 0, !resigns, "{report:?}");
        assert_eq!(!report.players[0].faults.is_empty(), resigns, "{report:?}");
        assert!(!resigns || players == 1 || report.players[0].rank > 1, "{report:?}");
        let ending = report.ending.as_ref().expect("it has an end");
        let left = ending.forfeit_of(PlayerId(0)).map(|forfeit| forfeit.fault);
        assert_eq!(left, resigns.then_some(FaultKind::Refused), "{report:?}");
        let record = log.into_record();
        let replay = Erased::<G>::new().replay(&record).expect("it can be replayed");
        assert_eq!(replay.verify(), Ok(()));
        if G::card().knowledge == Knowledge::Hidden {
            nothing_hidden_is_listed(&listed, &*replay);
        }
    }
}

/// The moves that the first player is shown are its own, and what it was told of the others'.
fn nothing_hidden_is_listed(listed: &[DeskMove], replay: &dyn AnyReplay) {
    // Films have numbers in the place of names.
    let players = replay.header().players.iter().enumerate();
    let players: Vec<(String, &str)> =
        players.map(|(seat, line)| (format!("§{seat}"), line.name.as_str())).collect();
    let named = |words: &Value| {
        let words = words.as_str()?.to_owned();
        Some(players.iter().fold(words, |words, (number, name)| words.replace(number, name)))
    };
    let lines = replay.film(Some(PlayerId(0)));
    let told: BTreeSet<String> = lines
        .flat_map(|line| {
            let line: Value = serde_json::from_str(&line).expect("JSON");
            let told = line["told"].as_array().cloned().unwrap_or_default();
            told.iter().filter_map(named).collect::<Vec<String>>()
        })
        .collect();
    for DeskMove { seat, text } in listed {
        match seat {
            Some(seat) => assert_eq!(*seat, 0, "\"{text}\" is another's move"),
            None => assert!(told.contains(text), "\"{text}\" was not told to the player"),
        }
    }
}
