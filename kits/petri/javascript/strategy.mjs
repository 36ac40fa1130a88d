// Breeds wherever there is room.
import { play } from "./protocol.mjs";

/**
 * A child costs 5 energy; whoever has none left at the end of a tick dies.
 * @param {import("./protocol.mjs").State} state
 */
function move(state) {
  return state.energy > 6 && state.free().length > 0 ? "replicate" : "rest";
}

play(move);
