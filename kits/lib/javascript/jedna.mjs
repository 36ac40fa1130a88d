/**
 * The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
 *
 *     play((state) => (state.playable_cards.length > 0 ? { card: state.playable_cards[0] } : null));
 *
 * `move` gets a State and returns the card to play, with a color if it is a wild one, or null to
 * draw a card (or to pass, where drawing is not possible). Standard output belongs to the protocol:
 * print with `console.error`, which is kept in the replay.
 *
 * @module
 */
import { createInterface } from "node:readline";

/** @typedef {{ card: string, color?: string } | null} Chosen */
/** @typedef {(state: State) => Chosen} Move */
/** @typedef {{ id: string, cards: number }} Opponent */

export const COLORS = { r: "red", b: "blue", g: "green", y: "yellow" };

/** What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4". */
export class State {
  /**
   * @param {Record<string, any>} state
   * @param {string[]} notifications
   */
  constructor(state, notifications) {
    /** @type {string} */
    this.your_id = state.your_id ?? "";
    /** @type {string[]} */
    this.hand = state.hand ?? [];
    /** @type {string} */
    this.top_card = state.top_card ?? "";
    /** @type {string | null} */
    this.top_color = state.top_color ?? null;
    /** "normal", "war_+2" or "war_wd4". @type {string} */
    this.game_state = state.game_state ?? "normal";
    /** What passing in a war costs. @type {number} */
    this.stacked_cards = state.stacked_cards ?? 0;
    /** @type {boolean} */
    this.already_picked = state.already_picked ?? false;
    /** @type {string | null} */
    this.picked_card = state.picked_card ?? null;
    /** The next one first. @type {Opponent[]} */
    this.other_players = state.other_players ?? [];
    /** @type {string[]} */
    this.available_actions = state.available_actions ?? [];
    /** @type {string[]} */
    this.playable_cards = state.playable_cards ?? [];
    /** All since the game began: "player2 played b5". */
    this.notifications = notifications;
  }

  /** The color of most cards in the hand. */
  favouriteColor() {
    const count = (/** @type {string} */ letter) => this.hand.filter((card) => card[0] === letter).length;
    return Object.entries(COLORS).reduce((best, next) => (count(next[0]) > count(best[0]) ? next : best))[1];
  }
}

/** @param {string} card */
export function isWild(card) {
  return card.startsWith("w");
}

/** What a card costs if it is still in the hand at the end. @param {string} card */
export function points(card) {
  if (isWild(card)) return 50;
  return /^\d$/.test(card.slice(1)) ? Number(card[1]) : 20;
}

/**
 * Answers the host until the game ends.
 * @param {Move} move
 */
export async function play(move) {
  /** @type {string[]} */
  const notifications = [];
  let refused = false;
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const message = JSON.parse(line);
    if (message.type === "request_action") {
      const state = new State(message.state, notifications);
      // What was refused once would be refused again.
      const chosen = refused ? null : move(state);
      refused = false;
      process.stdout.write(`${JSON.stringify(answer(state, chosen))}\n`);
    } else if (message.type === "notification") {
      notifications.push(message.message);
    } else if (message.type === "error") {
      refused = true;
      console.error("refused:", message.message);
    } else if (message.type === "game_end") {
      break;
    }
  }
}

/**
 * @param {State} state
 * @param {Chosen} chosen
 */
function answer(state, chosen) {
  if (!chosen) return { action: state.available_actions.includes("draw") ? "draw" : "pass" };
  const { card, color } = chosen;
  if (isWild(card)) return { action: "play", card, wild_color: color ?? state.favouriteColor() };
  return { action: "play", card };
}
