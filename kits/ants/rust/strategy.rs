//! Sends every ant to the nearest food, or to where it sees something new.

mod protocol;

use std::collections::HashSet;

use protocol::State;

/// An order for each ant; two ants never go for the same cell.
fn next_move(state: &State) -> Vec<(i32, String)> {
    let mut orders = Vec::new();
    let mut goals = HashSet::new();
    for ant in &state.mine {
        if state.is_enemy(ant.ahead()) && ant.acid > 0 {
            orders.push((ant.id, format!("attack@{}", ant.acid)));
            continue;
        }
        let food = state.nearest(ant, |cell| state.is_food(cell) && !goals.contains(&cell));
        let news = || state.nearest(ant, |cell| state.is_news(cell) && !goals.contains(&cell));
        if let Some((goal, order)) = food.or_else(news) {
            goals.insert(goal);
            orders.push((ant.id, order));
        }
    }
    orders
}

fn main() {
    protocol::play(next_move);
}
