// Plays where the longest row would be, its own or the opponent's.
import { type Cell, ME, type State, THEM, play } from "./protocol.mjs";

/** The best free cell: five of mine, five of theirs, four of mine, … and then near the middle. */
function move(state: State): Cell {
  const value = ({ x, y }: Cell): number => {
    const best = Math.max(2 * state.row(x, y, ME) + 1, 2 * state.row(x, y, THEM));
    const off = Math.abs(x - (state.width >> 1)) + Math.abs(y - (state.height >> 1));
    return 1000 * best - off;
  };
  return state.free().reduce((best, cell) => (value(cell) > value(best) ? cell : best));
}

play(move, "mybot");
