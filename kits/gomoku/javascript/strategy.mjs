// Plays where the longest row would be, its own or the opponent's.
import { ME, THEM, play } from "./protocol.mjs";

/**
 * The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
 * @param {import("./protocol.mjs").State} state
 */
function move(state) {
  const value = ({ x, y }) => {
    const best = Math.max(2 * state.row(x, y, ME) + 1, 2 * state.row(x, y, THEM));
    const off = Math.abs(x - (state.width >> 1)) + Math.abs(y - (state.height >> 1));
    return 1000 * best - off;
  };
  return state.free().reduce((best, cell) => (value(cell) > value(best) ? cell : best));
}

play(move, "mybot");
