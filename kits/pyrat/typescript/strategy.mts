// Goes for the nearest cheese.
import { type State, type Step, play } from "./protocol.mjs";

/** The first move on the way to the cheese that is reached in the fewest turns. */
function move(state: State): Step {
  const { turns, first } = state.ways(state.me.cell);
  if (state.cheese.length === 0) return "STAY";
  return first[state.cheese.reduce((best, cell) => (turns[cell] < turns[best] ? cell : best))];
}

play(move, "mybot");
