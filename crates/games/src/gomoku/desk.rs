//! What a person at the board is shown and offered.

use game::{ActorId, PlayerId};
use table::desk::{Desk, DeskView, Offer, OwnViews};
use table::scene::{CELL, Mark, Shape, ShapeForm};

use super::board::{Cell, Rule, Stone};
use super::renju::forbidden;
use super::scene::{name, place, tint};
use super::state::{Action, Gomoku, Phase};

pub(super) fn desk(own: &OwnViews<'_, Gomoku>, picks: &[String]) -> Desk<Action> {
    let view = own.views.first().map_or(own.public, |(_, view)| view);
    let game = view.game();
    let chosen = Chosen::of(&game, picks);
    let action = chosen.action(&game);
    let mut scene = game.to_scene();
    for (number, cell) in chosen.cells.iter().enumerate() {
        let disc = Shape::new(format!("held{number}"), ShapeForm::Disc(46), place(*cell));
        let stone = stone_after(&game, number);
        scene.add(disc.layer(1).fill(tint(stone)).faint(35).mark(Mark::Held));
    }
    let prompt = chosen.prompt(&game, own.player);
    let offers = match action {
        Some(_) => Vec::new(),
        None => chosen.offers(&game),
    };
    let rules = rules(game.rule_name());
    let answers = action.map(|action| vec![(ActorId(own.player.0.into()), action)]);
    Desk { view: DeskView { scene, rules, prompt, offers }, answers }
}

/// What has been picked: stones, and what they are for.
struct Chosen {
    swap: bool,
    two: bool,
    cells: Vec<Cell>,
}

/// The colour of a stone that follows so many others of the same answer.
fn stone_after(game: &Gomoku, others: usize) -> Stone {
    match others % 2 {
        0 => game.next_stone(),
        _ => game.next_stone().other(),
    }
}

impl Chosen {
    fn of(game: &Gomoku, picks: &[String]) -> Chosen {
        let size = game.board().size();
        let read = |pick: &String| {
            let (x, y) = pick.split_once(',')?;
            size.cell(x.parse().ok()?, y.parse().ok()?)
        };
        let named = |word: &str| picks.first().is_some_and(|pick| pick == word);
        let cells = picks.iter().filter_map(read).collect();
        Chosen { swap: named("swap"), two: named("two"), cells }
    }

    fn action(&self, game: &Gomoku) -> Option<Action> {
        match (game.phase(), &self.cells[..]) {
            (Phase::Three, [a, b, c, ..]) => Some(Action::Three([*a, *b, *c])),
            (Phase::Choose | Phase::ChooseLast, _) if self.swap => Some(Action::Swap),
            (Phase::Choose, [a, b, ..]) if self.two => Some(Action::Two([*a, *b])),
            (Phase::Choose, _) if self.two => None,
            (Phase::Play | Phase::Choose | Phase::ChooseLast, [cell, ..]) => {
                Some(Action::Put(*cell))
            }
            (Phase::Three | Phase::Choose | Phase::ChooseLast | Phase::Play, _) => None,
            (Phase::Over(_), _) => None,
        }
    }

    fn prompt(&self, game: &Gomoku, player: PlayerId) -> String {
        let next = name(stone_after(game, self.cells.len()));
        match game.phase() {
            Phase::Three => {
                let which = ["first", "second", "third"][self.cells.len().min(2)];
                format!("put the {which} of three stones, a {next} one; then the other chooses")
            }
            Phase::Choose if self.two => format!("put a {next} stone; then the other chooses"),
            Phase::Choose => {
                "play White: put a white stone; or swap, or put two more stones".to_owned()
            }
            Phase::ChooseLast => "play White: put a white stone; or swap and play Black".to_owned(),
            Phase::Play => {
                let own = name(game.colour(player));
                format!("you play {own}: put a stone on a free crossing")
            }
            Phase::Over(_) => "the game is over".to_owned(),
        }
    }

    fn offers(&self, game: &Gomoku) -> Vec<Offer> {
        let mut offers = Vec::new();
        let chooses = self.cells.is_empty() && !self.two;
        match game.phase() {
            Phase::Choose if chooses => {
                offers.push(Offer::new("swap", "swap: play Black").key("s"));
                offers.push(Offer::new("two", "put two more stones").key("t"));
            }
            Phase::ChooseLast if chooses => {
                offers.push(Offer::new("swap", "swap: play Black").key("s"));
            }
            Phase::Three | Phase::Choose | Phase::ChooseLast | Phase::Play => {}
            Phase::Over(_) => return offers,
        }
        let stone = stone_after(game, self.cells.len());
        let renju = game.rule_name() == Rule::Renju && stone == Stone::Black;
        for cell in game.board().size().cells() {
            let offer = Offer::new(cell.to_string(), format!("{} on {cell}", name(stone)));
            let offer = offer.place(place(cell), [CELL, CELL]);
            offers.push(match (game.free(cell), self.cells.contains(&cell)) {
                (Err(why), _) => offer.barred(why.0),
                (Ok(()), true) => offer.barred(format!("{cell} twice")),
                // Nobody who has to put it down by the rules of the opening can lose by it.
                (Ok(()), false) if renju && game.phase() == &Phase::Play => {
                    match forbidden(game.board(), cell) {
                        Some(why) => offer.unwise(format!("forbidden to Black: {why}; it loses")),
                        None => offer,
                    }
                }
                (Ok(()), false) => offer,
            });
        }
        offers
    }
}

fn rules(rule: Rule) -> [String; 3] {
    let wins = match rule {
        Rule::Freestyle => "Five or more of your stones in a row win",
        Rule::Standard => "Exactly five of your stones in a row win, not six or more",
        Rule::Renju => "Five stones in a row win, but for Black only exactly five",
        Rule::Caro => "Five or more in a row win, unless the other's stones stand at both ends",
        Rule::CaroExact => {
            "Exactly five in a row win, unless the other's stones stand at both ends"
        }
    };
    let last = match rule {
        Rule::Renju => {
            "Black loses by two threes or two fours at once and by six in a row: these crossings are marked."
        }
        Rule::Freestyle | Rule::Standard | Rule::Caro | Rule::CaroExact => {
            "A full board is a draw."
        }
    };
    [
        "Black and White put stones on the crossings in turn. Black begins.".to_owned(),
        format!("{wins}: across, down or diagonally."),
        last.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use game::{Eye, Game as _, Moves, Seed};
    use table::desk::{Advice, views};

    use super::super::setup::{Config, Opening};
    use super::*;

    fn desk_of(game: &Gomoku, picks: &[&str]) -> Desk<Action> {
        let Some(player) = game.mover() else { panic!("it is over") };
        let (views, public) = views(game, player);
        let due = [ActorId(player.0.into())];
        let picks: Vec<String> = picks.iter().map(|pick| (*pick).to_owned()).collect();
        desk(&OwnViews { player, players: 2, views: &views, due: &due, public: &public }, &picks)
    }

    fn answer(game: &Gomoku, picks: &[&str]) -> Option<Action> {
        desk_of(game, picks).answers.map(|answers| answers[0].1)
    }

    fn play(game: &mut Gomoku, player: u32, action: Action) {
        game.step(&Moves::one(ActorId(player), action), &mut Vec::new());
    }

    #[test]
    fn the_game_that_is_seen_is_drawn_as_the_game_itself() {
        let mut game = Gomoku::start(&Config::default(), 2, Seed(1)).expect("a sound set-up");
        play(&mut game, 0, Action::Put(Cell { x: 3, y: 4 }));
        assert_eq!(game.view(Eye::Public).game().to_scene(), game.to_scene());
    }

    #[test]
    fn swap2_is_played_pick_by_pick() {
        let swap2 = Config { opening: Opening::Swap2, ..Config::default() };
        let mut game = Gomoku::start(&swap2, 2, Seed(1)).expect("a sound set-up");
        assert_eq!(answer(&game, &["7,7", "8,8"]), None);
        let three = answer(&game, &["7,7", "8,8", "9,7"]).expect("three stones");
        assert_eq!(three.to_string(), "7,7 8,8 9,7");
        let twice = desk_of(&game, &["7,7"]).view.offers;
        let twice = twice.iter().find(|offer| offer.pick == "7,7").expect("all are there");
        assert_eq!(twice.advice, Advice::Barred("7,7 twice".to_owned()));
        play(&mut game, 0, three);
        assert_eq!(answer(&game, &["swap"]), Some(Action::Swap));
        assert_eq!(answer(&game, &["two", "1,1"]), None);
        let two = answer(&game, &["two", "1,1", "2,2"]).expect("two stones");
        assert_eq!(answer(&game, &["1,1"]), Some(Action::Put(Cell { x: 1, y: 1 })));
        play(&mut game, 1, two);
        let words: Vec<String> =
            desk_of(&game, &[]).view.offers.into_iter().take(2).map(|offer| offer.pick).collect();
        assert_eq!(words, ["swap", "0,0"], "two more are not offered again");
    }

    #[test]
    fn crossings_that_are_forbidden_to_black_are_shown_and_say_why() {
        let renju = Config {
            rule: Rule::Renju,
            start: [(7, 5), (0, 0), (7, 6), (0, 2), (5, 7), (0, 4), (6, 7), (0, 6)]
                .map(|(x, y)| Cell { x, y })
                .to_vec(),
            ..Config::default()
        };
        let game = Gomoku::start(&renju, 2, Seed(1)).expect("a sound set-up");
        let desk = desk_of(&game, &[]);
        let unwise: Vec<&Offer> = desk
            .view
            .offers
            .iter()
            .filter(|offer| matches!(offer.advice, Advice::Unwise(_)))
            .collect();
        assert_eq!(unwise.len(), 1);
        assert_eq!(unwise[0].pick, "7,7");
        let why = "forbidden to Black: two threes at once; it loses".to_owned();
        assert_eq!(unwise[0].advice, Advice::Unwise(why));
        let taken = desk.view.offers.iter().find(|offer| offer.pick == "7,5").expect("there");
        assert_eq!(taken.advice, Advice::Barred("7,5 is taken by a black stone".to_owned()));
    }
}
