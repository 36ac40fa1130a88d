// The types of jedna.mjs, for TypeScript and editors.

export function isWild(card: string): boolean;
/** What a card costs if it is still in the hand at the end. */
export function points(card: string): number;
/** Answers the host until the game ends. */
export function play(move: Move): Promise<void>;
export const COLORS: { r: string; b: string; g: string; y: string };
/** What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4". */
export class State {
  constructor(state: Record<string, any>, notifications: string[]);
  your_id: string;
  hand: string[];
  top_card: string;
  top_color: string | null;
  /** "normal", "war_+2" or "war_wd4". */
  game_state: string;
  /** What passing in a war costs. */
  stacked_cards: number;
  already_picked: boolean;
  picked_card: string | null;
  /** The next one first. */
  other_players: Opponent[];
  available_actions: string[];
  playable_cards: string[];
  /** All since the game began: "player2 played b5". */
  notifications: string[];
  /** The color of most cards in the hand. */
  favouriteColor(): string;
}
export type Chosen = {
  card: string;
  color?: string;
} | null;
export type Move = (state: State) => Chosen;
export type Opponent = {
  id: string;
  cards: number;
};
