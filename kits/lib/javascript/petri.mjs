/**
 * The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
 *
 *     play((state) => "rest");
 *
 * `move` gets a State and returns "rest", "replicate", "die" or "attack north" (any of DIRECTIONS).
 * Every agent is a process of its own, from its birth to its death: variables last as long as it
 * does. Standard output belongs to the protocol: print with `console.error`, which is kept in the
 * replay.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** @typedef {(state: State) => string} Move */
/** @typedef {{ energy: number, agent_id: string | null, inside: boolean }} Neighbor A cell beside the agent. */

/** @type {Record<string, [number, number]>} */
export const DIRECTIONS = {
  north_west: [-1, -1],
  north: [0, -1],
  north_east: [1, -1],
  west: [-1, 0],
  east: [1, 0],
  south_west: [-1, 1],
  south: [0, 1],
  south_east: [1, 1],
};

const ACTIONS = ["rest", "replicate", "die", ...Object.keys(DIRECTIONS).map((way) => `attack ${way}`)];

/** What an agent sees in a tick. */
export class State {
  /** @param {Record<string, any>} message */
  constructor(message) {
    /** @type {number} */
    this.tick = message.tick ?? 0;
    /** @type {string} */
    this.agent_id = message.agent_id ?? "";
    const [x, y] = message.position ?? [0, 0];
    const [width, height] = message.world_size ?? [1, 1];
    /** @type {number} */
    this.x = x;
    /** @type {number} */
    this.y = y;
    /** @type {number} */
    this.width = width;
    /** @type {number} */
    this.height = height;
    /** @type {number} */
    this.energy = message.energy ?? 0;
    /** @type {number} */
    this.generation = message.generation ?? 0;
    /** @type {number} */
    this.timeout_ms = message.timeout_ms ?? 1000;
    /** By direction; `agent_id` is null where nobody is. @type {Record<string, Neighbor>} */
    this.neighbors = {};
    for (const [way, [dx, dy]] of Object.entries(DIRECTIONS)) {
      const { energy = 0, agent_id = null } = message.neighbors?.[way] ?? {};
      const inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
      this.neighbors[way] = { energy, agent_id, inside };
    }
  }

  /** The directions in which there is room for a child. */
  free() {
    return Object.keys(this.neighbors).filter((way) => this.neighbors[way].inside && !this.neighbors[way].agent_id);
  }

  /** The directions in which there is another agent, friend or foe. */
  others() {
    return Object.keys(this.neighbors).filter((way) => this.neighbors[way].agent_id);
  }
}

/**
 * Answers every tick until the agent dies or the game is over.
 * @param {Move} move
 */
export async function play(move) {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    const chosen = move(new State(JSON.parse(line)));
    if (!ACTIONS.includes(chosen)) throw new Error(`move returned ${chosen}, which is not an action`);
    const [action, target] = chosen.split(" ");
    process.stdout.write(`${JSON.stringify({ action, target })}\n`);
  }
}

/** This agent's file; it is gone when the agent is. */
export function memoryPath() {
  return process.env.AGENT_MEMORY || `/tmp/agents/${process.env.AGENT_ID ?? "agent"}.json`;
}

/** What was written to the agent's file; nothing at first. */
export function readMemory() {
  try {
    return readFileSync(memoryPath(), "utf8");
  } catch {
    return "";
  }
}

/** Keeps a text of up to 1 MiB in the agent's file. @param {string} text */
export function writeMemory(text) {
  writeFileSync(memoryPath(), text);
}
