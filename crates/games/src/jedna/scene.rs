//! The table as a scene: all hands, or one's own and the backs of the others.

use game::{Eye, Game as _, PlayerId, Told};
use table::scene::{CELL, Fact, Key, Mark, Point, Scene, SeatLine, Shape, ShapeForm, Tint, ending};

use super::cards::{Card, Colour, Figure};
use super::event::Event;
use super::hand::Hand;
use super::rules::War;
use super::seats::{Direction, Seat};
use super::state::Jedna;
use super::view::View;

const WIDTH: i32 = 18 * CELL;
const HEIGHT: i32 = 12 * CELL;
/// Cards on the piles, and in the hand in front, are so high.
const LARGE: i32 = 260;
/// The middle of the two piles.
const PILES: Point = [WIDTH / 2, 590];
/// So many discards can be seen.
const DISCARDS: usize = 4;

const CARDS: i8 = 1;
/// Above all discards: there are 108 cards.
const WORDS: i8 = 120;

fn tint(colour: Option<Colour>) -> Tint {
    Tint::Named(colour.map_or("wild", Colour::name))
}

fn face(card: Card) -> String {
    match card.figure() {
        Figure::Number(number) => number.to_string(),
        Figure::DrawTwo => "+2".to_owned(),
        Figure::Reverse => "⇄".to_owned(),
        Figure::Skip => "⊘".to_owned(),
        Figure::Wild => "★".to_owned(),
        Figure::WildFour => "+4".to_owned(),
    }
}

pub(super) fn words(card: Card) -> String {
    let colour = card.colour().map_or("wild", Colour::name);
    match card.figure() {
        Figure::Number(number) => format!("{colour} {number}"),
        Figure::DrawTwo => format!("{colour} draw two"),
        Figure::Reverse => format!("{colour} reverse"),
        Figure::Skip => format!("{colour} skip"),
        Figure::Wild => "wild".to_owned(),
        Figure::WildFour => "wild draw four".to_owned(),
    }
}

/// Twin cards have no names of their own: a key is a place, the so-manyeth of its kind in a hand.
pub(super) fn card_key(seat: Seat, card: Card, copy: u32) -> Key {
    Key::Number((seat.index() as u32 + 1) << 16 | (card.number() as u32) << 4 | copy)
}

/// A card that is seen from behind: the so-manyeth in a hand, so that nothing is betrayed.
fn back_key(seat: Seat, number: u32) -> Key {
    Key::Number((seat.index() as u32 + 1) << 16 | 0x8000 | number)
}

/// Where a hand lies, how high its cards are and how wide it may be.
struct Place {
    at: Point,
    card: i32,
    wide: i32,
}

impl Place {
    /// In front, or the so-manyeth of those who sit on an arch beyond the piles.
    fn new(place: usize, players: usize) -> Place {
        if place == 0 {
            return Place { at: [WIDTH / 2, HEIGHT - 150], card: LARGE, wide: 1500 };
        }
        let (number, others) = (place as i32 - 1, players as i32 - 1);
        let card = match others {
            ..=3 => 170,
            4..=6 => 130,
            7.. => 100,
        };
        let wide = (1560 / others).min(520);
        // From -1000 to 1000, from the left to the right.
        let along = (2 * number - (others - 1)) * 1000 / (others - 1).max(1);
        let reach = WIDTH / 2 - wide / 2 - card / 3 - 10;
        let at = [WIDTH / 2 + reach * along / 1000, 150 + 300 * along * along / 1_000_000];
        Place { at, card, wide }
    }
}

/// All that a picture of the table is made of.
struct Look<'a> {
    view: &'a View,
    /// Those who play, round the table.
    circle: Vec<Seat>,
    /// The discards that are shown, the top one last.
    discards: &'a [Card],
    /// How many lie below them.
    below: usize,
    /// Who sits in front.
    front: usize,
    caption: String,
}

impl Jedna {
    pub(super) fn to_scene(&self, eyes: Option<PlayerId>, news: &[Told<Event>]) -> Scene {
        let eye = eyes.map_or(Eye::All, |player| Eye::Actor(game::ActorId(player.0.into())));
        let view = self.view(eye);
        let cards = self.discard.cards();
        let below = cards.len().saturating_sub(DISCARDS);
        let look = Look {
            view: &view,
            circle: self.circle().to_vec(),
            discards: &cards[below..],
            below,
            front: eyes.map_or(0, PlayerId::index),
            caption: match self.outcome() {
                Some(outcome) => ending(&outcome, eyes),
                None => whose_turn(&view),
            },
        };
        look.scene(self.players(), news)
    }
}

/// The table as one player may know it.
pub(super) fn scene_of(view: &View, player: PlayerId, players: u16) -> Scene {
    let own = view.own.as_ref().map(|own| own.seat);
    let mut circle: Vec<Seat> = view.others.iter().map(|other| other.seat).chain(own).collect();
    circle.sort_unstable();
    let look = Look {
        view,
        circle,
        // Everybody has seen the others, but a view does not say in which order they lie.
        discards: &[view.top.card],
        below: (view.discard.len() as usize).saturating_sub(1),
        front: player.index(),
        caption: match view.mover {
            Some(_) => whose_turn(view),
            None => "the game is over".to_owned(),
        },
    };
    look.scene(players.into(), &[])
}

fn whose_turn(view: &View) -> String {
    let mover = view.mover.map_or(String::new(), |seat| format!(", {seat} to act"));
    format!("turn {}{mover}", view.turn)
}

impl Look<'_> {
    fn scene(&self, players: usize, news: &[Told<Event>]) -> Scene {
        let caption = self.caption.clone();
        let mut scene = Scene { size: [WIDTH, HEIGHT], caption, ..Scene::default() };
        let felt = ShapeForm::Box(WIDTH, HEIGHT, 60);
        let middle = [WIDTH / 2, HEIGHT / 2];
        scene.add(Shape::new("felt", felt, middle).layer(-1).fill(Tint::Named("felt")));
        self.piles(&mut scene, news);
        // Round the table from the one who looks on; those who left keep no place.
        let circle = &self.circle;
        let start = circle.iter().position(|seat| seat.index() == self.front).unwrap_or(0);
        for place in 0..circle.len() {
            let seat = circle[(start + place) % circle.len()];
            hand(&mut scene, self.view, seat, &Place::new(place, circle.len()));
        }
        scene.seats = (0..players as u8).map(|number| seat(self.view, Seat(number))).collect();
        scene
    }

    fn piles(&self, scene: &mut Scene, news: &[Told<Event>]) {
        let (view, [x, y]) = (self.view, PILES);
        let pile = Shape::new("pile", ShapeForm::Back(LARGE), [x - 170, y]).layer(CARDS);
        let label = format!("draw pile, {} cards", view.draw_pile);
        scene.add(pile.text(view.draw_pile.to_string()).label(label));
        let played = news.iter().rev().find_map(|told| match &told.event {
            Event::Played { by, card, .. } => Some((*by, *card)),
            _ => None,
        });
        for (place, card) in self.discards.iter().enumerate() {
            let (top, number) = (place + 1 == self.discards.len(), self.below + place);
            let colour = if top { view.top.colour } else { card.colour() };
            let mut label = words(*card);
            if top {
                let chosen = view.top.colour.filter(|_| card.is_wild());
                let chosen =
                    chosen.map_or(String::new(), |colour| format!(" for {}", colour.name()));
                label = format!("top card: {label}{chosen}");
            }
            // Not straight, and always the same for the same place; the later card is on top.
            let turn = (number * 37 % 29) as i16 - 14;
            let mut shape = Shape::new(number as u32, ShapeForm::Card(LARGE), [x + 170, y])
                .layer(CARDS + number as i8)
                .fill(tint(colour))
                .text(face(*card))
                .turn(turn)
                .label(label)
                .mark(top.then_some(Mark::Last));
            if let Some((by, card)) = played.filter(|_| top) {
                shape = shape.from(match known_hand(view, by) {
                    Some(hand) => card_key(by, card, hand.count(card)),
                    None => back_key(by, cards_of(view, by)),
                });
            }
            scene.add(shape);
        }
        if view.war != War::None {
            let war = Shape::new("war", ShapeForm::Disc(60), [x + 360, y]).layer(CARDS);
            let label = format!("war: {} cards for who does not answer", view.stack);
            scene
                .add(war.fill(Tint::Named("danger")).text(format!("+{}", view.stack)).label(label));
        }
        let (arrow, way) = match view.direction {
            Direction::Clockwise => ("↻", "clockwise"),
            Direction::Counterclockwise => ("↺", "counterclockwise"),
        };
        let arrow = Shape::new("way", ShapeForm::Text(100), [x, y - 190]).layer(CARDS).text(arrow);
        scene.add(arrow.fill(Tint::Named("felt-ink")).label(format!("play goes {way}")));
    }
}

fn seat(view: &View, seat: Seat) -> SeatLine {
    let mut facts = vec![Fact("cards", f64::from(cards_of(view, seat)))];
    let gone = view.gone.contains(&seat);
    if let Some(hand) = known_hand(view, seat).filter(|_| !gone) {
        facts.push(Fact("points", f64::from(hand.points())));
    }
    SeatLine {
        to_act: view.mover == Some(seat),
        gone,
        role: format!("seat {}", seat.index() + 1),
        tint: None,
        facts,
    }
}

/// A hand, if these eyes see it.
fn known_hand(view: &View, seat: Seat) -> Option<&Hand> {
    match (&view.hidden, &view.own) {
        (Some(hidden), _) => hidden.hands.get(seat.index()),
        (None, Some(own)) if own.seat == seat => Some(&own.hand),
        (None, Some(_) | None) => None,
    }
}

/// How many cards somebody has, as everybody sees.
fn cards_of(view: &View, seat: Seat) -> u32 {
    let other = view.others.iter().find(|other| other.seat == seat);
    match known_hand(view, seat) {
        Some(hand) => hand.len(),
        None => other.map_or(0, |other| other.cards.into()),
    }
}

fn hand(scene: &mut Scene, view: &View, seat: Seat, place: &Place) {
    let Place { at: [x, y], card: high, wide } = *place;
    let count = cards_of(view, seat);
    let gap = (high * 46 / 100).min(wide / count.max(1) as i32);
    let left = x - gap * (count as i32 - 1) / 2;
    let at = |number: usize| [left + gap * number as i32, y];
    match known_hand(view, seat) {
        Some(hand) => {
            let mut before = (None, 0);
            for (number, card) in hand.iter().enumerate() {
                let copy = if before.0 == Some(card) { before.1 + 1 } else { 0 };
                before = (Some(card), copy);
                let shape =
                    Shape::new(card_key(seat, card, copy), ShapeForm::Card(high), at(number));
                let shape = shape.layer(CARDS).fill(tint(card.colour())).text(face(card));
                scene.add(shape.label(words(card)).from("pile"));
            }
        }
        None => {
            for number in 0..count {
                let key = back_key(seat, number);
                let shape = Shape::new(key, ShapeForm::Back(high), at(number as usize));
                scene.add(shape.layer(CARDS).from("pile"));
            }
        }
    }
    let in_front = high == LARGE;
    let name_at = if in_front { y - high / 2 - 45 } else { y + high / 2 + 40 };
    let player = seat.index();
    let name = Shape::new(format!("n{player}"), ShapeForm::Text(50), [x, name_at]).layer(WORDS);
    let last = if count == 1 { " · last card" } else { "" };
    let mark = (view.mover == Some(seat)).then_some(Mark::Held);
    scene
        .add(name.text(format!("§{player} · {count}{last}")).fill(seat.player().into()).mark(mark));
}
