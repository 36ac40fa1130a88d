// Gets rid of the dearest card, and keeps wild cards for later.
import { type Chosen, type State, isWild, play, points } from "./protocol.mjs";

/** The dearest card that may be played, wild ones last; null draws (or passes). */
function move(state: State): Chosen {
  if (state.playable_cards.length === 0) return null;
  const value = (card: string): number => (isWild(card) ? 0 : 100 + points(card));
  const card = state.playable_cards.reduce((best, card) => (value(card) > value(best) ? card : best));
  return { card, color: state.favouriteColor() };
}

play(move);
