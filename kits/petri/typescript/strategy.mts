// Breeds wherever there is room.
import { type State, play } from "./protocol.mjs";

/** A child costs 5 energy; whoever has none left at the end of a tick dies. */
function move(state: State): string {
  return state.energy > 6 && state.free().length > 0 ? "replicate" : "rest";
}

play(move);
