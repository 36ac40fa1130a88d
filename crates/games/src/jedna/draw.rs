//! A picture of the table for terminals.

use game::Outcome;
use table::picture::{cut, width};
use table::{Line, Picture, Room, Style, with_names};

use super::cards::{Card, Colour, WildCode};
use super::hand::Hand;
use super::rules::War;
use super::seats::{Direction, Seat};
use super::view::View;

/// No name takes more columns than this.
const LONGEST_NAME: usize = 24;

/// Draws what a view shows: all hands for [`game::Eye::All`], otherwise one's own hand and
/// the numbers of the others' cards. Players are listed in turn order, each with the name of the
/// one who plays for it, if `names` has one.
pub(super) fn draw(
    view: &View,
    outcome: Option<&Outcome>,
    names: &[String],
    room: Room,
) -> Picture {
    let titles = Titles::new(names);
    let arrow = match view.direction {
        Direction::Clockwise => "clockwise",
        Direction::Counterclockwise => "counterclockwise",
    };
    let mut status = format!("turn {}, {arrow}", view.turn);
    if let Some(outcome) = outcome {
        status.push_str(&format!("; {}", with_names(&outcome.reason, names)));
    }
    let mut head = vec![Line::painted(Style::STRONG, &status)];
    let mut top = Line::plain("top ");
    paint(&mut top, view.top.card, view.top.colour, view.rules.wild_code);
    top.push(&match view.top.colour {
        Some(colour) if view.top.card.is_wild() => format!(" for {colour}"),
        None => " of no colour yet".to_owned(),
        Some(_) => String::new(),
    });
    top.push(&format!("   draw pile {}, discards {}", view.draw_pile, view.discard.len()));
    head.push(top);
    if view.war != War::None {
        let war = view.war.name().trim_start_matches("war_");
        let text = format!("war {war}: {} cards for who does not answer", view.stack);
        head.push(Line::painted(Style::ALARM, &text));
    }
    let mut seats: Vec<(Seat, u8)> =
        view.others.iter().map(|other| (other.seat, other.cards)).collect();
    if let Some(own) = &view.own {
        seats.insert(0, (own.seat, own.hand.len() as u8));
    }
    let mut board = Vec::new();
    for (seat, cards) in seats {
        board.push(player(view, seat, cards, &titles, room.columns));
    }
    for seat in &view.gone {
        let text = format!("  {}   -  left the game", titles.of(*seat));
        board.push(Line::painted(Style::FAINT, &text));
    }
    let clipped = head.len() + board.len() > room.rows;
    Picture { head, board, legend: legend(view.rules.wild_code), clipped }
}

fn player(view: &View, seat: Seat, cards: u8, titles: &Titles<'_>, columns: usize) -> Line {
    let mark = if view.mover == Some(seat) { '>' } else { ' ' };
    let style = if view.mover == Some(seat) { Style::STRONG } else { Style::PLAIN };
    let mut line = Line::painted(style, &format!("{mark} {} {cards:>3}  ", titles.of(seat)));
    let end = match (cards, view.already_picked && view.mover == Some(seat)) {
        (_, true) => "  drawn",
        // "Jedna!"
        (1, false) => "  last card",
        (_, false) => "",
    };
    let hand: Vec<Card> = known_hand(view, seat).into_iter().flat_map(Hand::iter).collect();
    let room = columns.saturating_sub(line.width() + width(end));
    let mut used = 0;
    for (index, card) in hand.iter().enumerate() {
        let code = card.code(view.rules.wild_code);
        let more = format!(" +{}", hand.len() - index);
        let rest = if index + 1 < hand.len() { width(&more) } else { 0 };
        if used + 1 + width(code) + rest > room {
            // The number of cards is told; these are those that have no room.
            line.push(&more);
            break;
        }
        if index > 0 {
            line.push(" ");
            used += 1;
        }
        paint(&mut line, *card, card.colour(), view.rules.wild_code);
        used += width(code);
    }
    line.paint(Style::FAINT, end);
    line
}

fn legend(wild: WildCode) -> Vec<Line> {
    let wild = Card::WILD.code(wild);
    let lines = [
        "r b g y colours: r5 red 5, bs skip, gr reverse, y+2 draw two".to_owned(),
        format!("{wild} wild, wd4 wild draw four"),
    ];
    lines.map(|line| Line::painted(Style::FAINT, &line)).to_vec()
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
        let longest = names.iter().map(|name| width(name).min(LONGEST_NAME)).max();
        Titles { names, width: longest.map_or(8, |longest| 9 + longest) }
    }

    fn of(&self, seat: Seat) -> String {
        let title = match self.names.get(seat.index()) {
            Some(name) => format!("{:<8} {}", seat.to_string(), cut(name, LONGEST_NAME)),
            None => seat.to_string(),
        };
        table::picture::pad(&title, self.width)
    }
}

fn paint(line: &mut Line, card: Card, colour: Option<Colour>, wild: WildCode) {
    let style = match colour {
        Some(Colour::Red) => Style("1;31"),
        Some(Colour::Blue) => Style("1;34"),
        Some(Colour::Green) => Style("1;32"),
        Some(Colour::Yellow) => Style("1;33"),
        None => Style("1;35"),
    };
    line.paint(style, card.code(wild));
}

#[cfg(test)]
mod tests {
    use game::{ActorId, Eye, Game};
    use table::Ink;

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

    fn text(view: &View, names: &[String], ink: Ink) -> String {
        Picture { legend: Vec::new(), ..draw(view, None, names, Room::ENDLESS) }.text(ink)
    }

    #[test]
    fn a_viewer_sees_every_hand_the_top_card_and_the_stack() {
        let picture = text(&war().view(Eye::All), &[], Ink::Plain);
        assert_eq!(
            picture,
            "turn 2, clockwise\n\
             top wd4 for green   draw pile 100, discards 2\n\
             war wd4: 4 cards for who does not answer\n\
             > player2    1  g1  last card\n  \
               player3    3  rr wd y0\n  \
               player1    2  b1 b2\n"
        );
    }

    #[test]
    fn a_player_sees_only_the_own_hand() {
        let picture = text(&war().view(Eye::Actor(ActorId(0))), &[], Ink::Plain);
        assert!(
            picture
                .contains("  player1    2  b1 b2\n> player2    1    last card\n  player3    3\n")
        );
    }

    #[test]
    fn names_stand_beside_the_players() {
        let names = ["ann", "bartholomew", "cy"].map(str::to_owned);
        let picture = text(&war().view(Eye::All), &names, Ink::Plain);
        assert!(picture.contains("> player2  bartholomew   1  g1  last card\n"), "{picture}");
        assert!(picture.contains("  player3  cy            3  rr wd y0\n"), "{picture}");
    }

    #[test]
    fn those_who_left_and_a_drawn_card_are_marked() {
        let mut game = table(Config::default(), "wd", &["b1 b2", "g1", "rr wd y0"], "");
        game.forfeit(Seat(1), &testkit::crash(), &mut Deaf);
        game.act(action("draw"), &mut Deaf);
        let picture = text(&game.view(Eye::Public), &[], Ink::Plain);
        assert!(picture.contains("top wd of no colour yet"), "{picture}");
        assert!(picture.contains("> player1    3    drawn\n"), "{picture}");
        assert!(picture.ends_with("  player2    -  left the game\n"), "{picture}");
    }

    #[test]
    fn colours_add_nothing_but_escape_codes() {
        let view = war().view(Eye::All);
        let painted = text(&view, &[], Ink::Colour);
        assert!(painted.contains("\x1b[1;32mwd4\x1b[0m"));
        let mut plain = String::new();
        for part in painted.split('\x1b') {
            plain += part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |p| p.1);
        }
        assert_eq!(plain, text(&view, &[], Ink::Plain));
    }

    #[test]
    fn a_long_hand_is_counted_where_it_does_not_fit_and_names_line_up() {
        let hands = ["b1 b2 b3 b4 b5 b6 b7 b8 b9 g1 g2 g3", "g1 g2", "rr wd y0"];
        let game = table(Config::default(), "r5", &hands, "");
        let names = ["日本\n語", "b", "c"].map(str::to_owned);
        let picture = draw(&game.view(Eye::All), None, &names, Room { columns: 40, rows: 20 });
        let lines: Vec<String> = picture.board.iter().map(|line| line.text(Ink::Plain)).collect();
        assert_eq!(lines[0], "> player1  日本\\n語  12  b1 b2 b3 b4 +8");
        assert_eq!(lines[1], "  player2  b          2  g1 g2");
    }
}
