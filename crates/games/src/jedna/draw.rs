//! A picture of the table for terminals.

use std::fmt::Write;

use table::Ink;

use super::cards::{Card, Colour, WildCode};
use super::hand::Hand;
use super::rules::War;
use super::seats::{Direction, Seat};
use super::view::View;

/// Draws what a view shows: all hands for [`game::Eye::All`], otherwise one's own hand and
/// the numbers of the others' cards. Players are listed in turn order, each with the name of the
/// one who plays for it, if `names` has one. Ends with a line end.
pub(super) fn draw(view: &View, names: &[String], ink: Ink) -> String {
    let brush = Brush { ink, wild: view.rules.wild_code };
    let titles = Titles::new(names);
    let mut text = String::new();
    let arrow = match view.direction {
        Direction::Clockwise => "clockwise",
        Direction::Counterclockwise => "counterclockwise",
    };
    line(&mut text, format_args!("turn {}, {arrow}", view.turn));
    let colour = match view.top.colour {
        Some(colour) if view.top.card.is_wild() => format!(" for {colour}"),
        None => " of no colour yet".to_owned(),
        Some(_) => String::new(),
    };
    let top = brush.card(view.top.card, view.top.colour);
    let discards = view.discard.len();
    line(
        &mut text,
        format_args!("top {top}{colour}   draw pile {}, discards {discards}", view.draw_pile),
    );
    if view.war != War::None {
        let war = view.war.name().trim_start_matches("war_");
        line(&mut text, format_args!("war {war}: {} cards for who does not answer", view.stack));
    }
    let mut seats: Vec<(Seat, u8)> =
        view.others.iter().map(|other| (other.seat, other.cards)).collect();
    if let Some(own) = &view.own {
        seats.insert(0, (own.seat, own.hand.len() as u8));
    }
    for (seat, cards) in seats {
        let mark = if view.mover == Some(seat) { '>' } else { ' ' };
        let name = titles.of(seat);
        let hand = brush.hand(known_hand(view, seat));
        let drawn = if view.already_picked && view.mover == Some(seat) { "  drawn" } else { "" };
        line(&mut text, format_args!("{mark} {name} {cards:>3}  {hand}{drawn}"));
    }
    for seat in &view.gone {
        line(&mut text, format_args!("  {}   -  left the game", titles.of(*seat)));
    }
    text
}

/// Adds a line without trailing spaces.
fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    write!(text, "{line}").expect("a string takes everything");
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

fn known_hand(view: &View, seat: Seat) -> Option<&Hand> {
    match (&view.hidden, &view.own) {
        (Some(hidden), _) => hidden.hands.get(seat.index()),
        (None, Some(own)) if own.seat == seat => Some(&own.hand),
        (None, Some(_) | None) => None,
    }
}

/// What players are called, in a column of one width.
struct Titles<'a> {
    names: &'a [String],
    width: usize,
}

impl Titles<'_> {
    fn new(names: &[String]) -> Titles<'_> {
        let longest = names.iter().map(|name| name.chars().count()).max();
        Titles { names, width: longest.map_or(8, |longest| 9 + longest) }
    }

    fn of(&self, seat: Seat) -> String {
        let title = match self.names.get(seat.index()) {
            Some(name) => format!("{:<8} {name}", seat.to_string()),
            None => seat.to_string(),
        };
        format!("{title:<0$}", self.width)
    }
}

struct Brush {
    ink: Ink,
    wild: WildCode,
}

impl Brush {
    fn card(&self, card: Card, colour: Option<Colour>) -> String {
        let code = card.code(self.wild);
        match self.ink {
            Ink::Plain => code.to_owned(),
            Ink::Colour => {
                let number = match colour {
                    Some(Colour::Red) => 31,
                    Some(Colour::Blue) => 34,
                    Some(Colour::Green) => 32,
                    Some(Colour::Yellow) => 33,
                    None => 35,
                };
                format!("\x1b[1;{number}m{code}\x1b[0m")
            }
        }
    }

    fn hand(&self, hand: Option<&Hand>) -> String {
        let Some(hand) = hand else { return String::new() };
        let cards: Vec<String> = hand.iter().map(|card| self.card(card, card.colour())).collect();
        cards.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Eye, Game};

    use super::super::event::Deaf;
    use super::super::tests::{action, table};
    use super::super::{Config, Jedna};
    use super::*;

    fn war() -> Jedna {
        let hands = ["wd4 b1 b2", "g1", "rr wd y0"];
        let mut game = table(Config::default(), "r5", &hands, "");
        game.act(action("wd4:green"), &mut Deaf);
        game
    }

    #[test]
    fn a_viewer_sees_every_hand_the_top_card_and_the_stack() {
        let picture = draw(&war().view(Eye::All), &[], Ink::Plain);
        assert_eq!(
            picture,
            "turn 2, clockwise\n\
             top wd4 for green   draw pile 100, discards 2\n\
             war wd4: 4 cards for who does not answer\n\
             > player2    1  g1\n  \
               player3    3  rr wd y0\n  \
               player1    2  b1 b2\n"
        );
    }

    #[test]
    fn a_player_sees_only_the_own_hand() {
        let picture = draw(&war().view(Eye::Actor(ActorId(0))), &[], Ink::Plain);
        assert!(picture.contains("  player1    2  b1 b2\n> player2    1\n  player3    3\n"));
    }

    #[test]
    fn names_stand_beside_the_players() {
        let names = ["ann", "bartholomew", "cy"].map(str::to_owned);
        let picture = draw(&war().view(Eye::All), &names, Ink::Plain);
        assert!(picture.contains("> player2  bartholomew   1  g1\n"), "{picture}");
        assert!(picture.contains("  player3  cy            3  rr wd y0\n"), "{picture}");
    }

    #[test]
    fn those_who_left_and_a_drawn_card_are_marked() {
        let mut game = table(Config::default(), "wd", &["b1 b2", "g1", "rr wd y0"], "");
        game.forfeit(Seat(1), &testkit::crash(), &mut Deaf);
        game.act(action("draw"), &mut Deaf);
        let picture = draw(&game.view(Eye::Public), &[], Ink::Plain);
        assert!(picture.contains("top wd of no colour yet"), "{picture}");
        assert!(picture.contains("> player1    3    drawn\n"), "{picture}");
        assert!(picture.ends_with("  player2    -  left the game\n"), "{picture}");
    }

    #[test]
    fn colours_add_nothing_but_escape_codes() {
        let view = war().view(Eye::All);
        let painted = draw(&view, &[], Ink::Colour);
        assert!(painted.contains("\x1b[1;32mwd4\x1b[0m"));
        let mut plain = String::new();
        for part in painted.split('\x1b') {
            plain += part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |p| p.1);
        }
        assert_eq!(plain, draw(&view, &[], Ink::Plain));
    }
}
