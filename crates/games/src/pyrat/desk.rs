//! What a person in the maze is shown and offered.

use game::count;
use table::desk::{Desk, DeskView, Offer, OwnViews};
use table::scene::{CELL, Mark, Scene};

use super::scene::place;
use super::{Move, Pyrat, Side, State};

/// The moves, with the words and keys for them.
const WAYS: [(Move, &str, &str); 5] = [
    (Move::Up, "up", "ArrowUp"),
    (Move::Down, "down", "ArrowDown"),
    (Move::Left, "left", "ArrowLeft"),
    (Move::Right, "right", "ArrowRight"),
    (Move::Stay, "stay", "s"),
];

pub(super) fn desk(own: &OwnViews<'_, Pyrat>, picks: &[String]) -> Desk<Move> {
    let seen = own.views.first();
    let view = seen.map_or(own.public, |(_, view)| view);
    let game = Pyrat::of_view(view);
    let chosen = picks.first().and_then(|pick| WAYS.iter().find(|way| way.1 == pick));
    let (mut scene, mut prompt, mut offers) =
        (Scene::new(1, 1), "you have left the game".to_owned(), Vec::new());
    if let Ok(game) = &game {
        scene = game.to_scene(&[]);
        if let Some(side) = view.you {
            let animal = scene.shapes.iter_mut().find(|shape| shape.key == side.name().into());
            if let Some(animal) = animal {
                animal.mark = Some(Mark::Held);
            }
            prompt = match game.state().player(side).mud {
                0 => format!("you are the {side}: go up, down, left or right, or stay"),
                mud => format!("you are in mud for {}: you can only stay", turns(mud)),
            };
            if chosen.is_none() {
                offers = ways(game.state(), side);
            }
        }
    }
    let answers = match (seen, chosen) {
        (Some((actor, _)), Some((by, ..))) => Some(vec![(*actor, *by)]),
        (Some(_) | None, _) => None,
    };
    let rules = [
        "A rat and a python move at the same time, a cell each turn, and collect cheese.",
        "Thick lines are walls. A number between two cells is mud: crossing takes that many turns and one more.",
        "Cheese that both reach in the same turn is shared. With more than half of all cheese you win.",
    ];
    let rules = rules.map(str::to_owned);
    Desk { view: DeskView { scene, rules, prompt, offers }, answers }
}

fn turns(mud: u16) -> String {
    count(mud.into(), "turn")
}

fn ways(state: &State, side: Side) -> Vec<Offer> {
    let (maze, player) = (state.maze(), state.player(side));
    let offer = |(by, name, key): (Move, &'static str, &'static str)| {
        let exit = maze.exit(player.at, by);
        let to = maze.point(exit.to);
        if by == Move::Stay {
            return Offer::new(name, format!("stay at {to}")).key(key);
        }
        if exit.to == player.at {
            return Offer::new(name, format!("go {name}")).key(key).unwise("a wall: you stay");
        }
        let mud = match exit.mud {
            0 => String::new(),
            _ => format!(" through mud, {}", count(exit.cost().into(), "turn")),
        };
        let offer = Offer::new(name, format!("go {name} to {to}{mud}")).key(key);
        offer.place(place(maze, to), [CELL, CELL])
    };
    let stuck = player.mud > 0;
    let open = WAYS.into_iter().filter(|way| !stuck || way.0 == Move::Stay);
    open.map(offer).collect()
}

#[cfg(test)]
mod tests {
    use game::{Eye, Game as _, PlayerId, Seed};
    use table::desk::views;

    use super::super::setup::Config;
    use super::*;

    #[test]
    fn walls_are_unwise_and_open_ways_have_a_place() {
        let game = Pyrat::start(&Config::default(), 2, Seed(1)).expect("a sound set-up");
        let (views, public) = views(&game, PlayerId(1));
        let due = [Side::Python.actor()];
        let own =
            OwnViews { player: PlayerId(1), players: 2, views: &views, due: &due, public: &public };
        let offers = desk(&own, &[]).view.offers;
        let maze = game.state().maze();
        let open = maze.exits(game.state().player(Side::Python).at).count();
        assert_eq!(offers.iter().filter(|offer| offer.place.is_some()).count(), open);
        assert_eq!(offers.len(), 5);
        let answers = desk(&own, &["left".to_owned()]).answers;
        assert_eq!(answers, Some(vec![(Side::Python.actor(), Move::Left)]));
        assert_eq!(game.view(Eye::Public).you, None);
    }
}
