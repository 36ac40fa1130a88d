// Sends every ant to the nearest food, or to where it sees something new.
import { type State, play } from "./protocol.mjs";

/** An order for each ant; two ants never go for the same cell. */
function move(state: State): Map<number, string> {
  const orders = new Map<number, string>();
  const goals = new Set<string>();
  for (const ant of state.mine) {
    if (state.isEnemy(...ant.ahead()) && ant.acid > 0) {
      orders.set(ant.id, `attack@${ant.acid}`);
      continue;
    }
    const found =
      state.nearest(ant, (x, y) => state.isFood(x, y) && !goals.has(`${x},${y}`)) ??
      state.nearest(ant, (x, y) => state.isNews(x, y) && !goals.has(`${x},${y}`));
    if (found) {
      goals.add(`${found.x},${found.y}`);
      orders.set(ant.id, found.order);
    }
  }
  return orders;
}

play(move);
