/**
 * The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
 *
 *     play((state) => new Map(state.mine.map((ant) => [ant.id, "forward"])));
 *
 * `move` gets a State and returns an order for each ant: "forward", "left", "right", "rest" or
 * "attack@N"; an ant without one rests. Standard output belongs to the protocol: print with
 * `console.error`, which is kept in the replay.
 *
 * @module
 */
import { createInterface } from "node:readline";

/** @typedef {(state: State) => Map<number, string>} Move */
/** @typedef {{ x: number, y: number, order: string }} Way */
/** @typedef {(x: number, y: number) => boolean} Wanted */

export const UNKNOWN = -1;
export const GRASS = 0;
export const SUGAR = 1;
export const ROCK = 2;
export const MILL = 3;
export const WATER = 4;
export const MEAT = 5;
/** Brains: this program's, another program's of the same player, none. */
export const CONTROLLED = 1;
export const FOREIGN_PROGRAM = 2;
export const DEAD = 3;

/** No map is wider or higher. */
const MOST = 300;

/** An ant of ours; of a foreign one only place, direction and brain are known. */
export class Ant {
  /** @param {number[]} numbers id, x, y, dx, dy, energy, acid, brain */
  constructor([id, x, y, dx, dy, energy, acid, brain]) {
    this.id = id;
    this.x = x;
    this.y = y;
    this.dx = dx;
    this.dy = dy;
    this.energy = energy;
    this.acid = acid;
    this.brain = brain;
  }

  /** The cell in front of it. @returns {[number, number]} */
  ahead() {
    return [this.x + this.dx, this.y + this.dy];
  }
}

/** What the colony knows. (0, 0) is at the top left, y grows downwards. */
export class State {
  constructor() {
    this.turn = 0;
    this.players = 0;
    /** Of this player, also dead ones and those of its other programs. @type {Ant[]} */
    this.ants = [];
    /** Living ones that this program commands. @type {Ant[]} */
    this.mine = [];
    /** Of other players, in sight; only in version 2 of the protocol. @type {Ant[]} */
    this.foreign = [];
    /** Of what is known. */
    this.width = 0;
    this.height = 0;
    /** GRASS, SUGAR, … as last seen, by y * 300 + x. */
    this.cells = new Int8Array(MOST * MOST).fill(UNKNOWN);
    /** Where our ants have been, by y * 300 + x. @type {Set<number>} */
    this.visited = new Set();
  }

  /**
   * What is in a cell; UNKNOWN where nobody has looked.
   * @param {number} x
   * @param {number} y
   */
  at(x, y) {
    return x >= 0 && y >= 0 && x < MOST && y < MOST ? this.cells[y * MOST + x] : UNKNOWN;
  }

  /** @param {number} x @param {number} y */
  isFood(x, y) {
    return [SUGAR, MILL, MEAT].includes(this.at(x, y));
  }

  /** Whether an ant there would see something new. @param {number} x @param {number} y */
  isNews(x, y) {
    if (this.visited.has(y * MOST + x)) return false;
    for (let i = Math.max(x - 1, 0); i <= x + 1; i++) {
      for (let j = Math.max(y - 1, 0); j <= y + 1; j++) if (this.at(i, j) === UNKNOWN) return true;
    }
    return false;
  }

  /** @param {number} x @param {number} y */
  isEnemy(x, y) {
    return this.foreign.some((ant) => ant.x === x && ant.y === y);
  }

  /** Whether a living ant stands there. @param {number} x @param {number} y */
  isTaken(x, y) {
    return this.isEnemy(x, y) || this.ants.some((ant) => ant.brain !== DEAD && ant.x === x && ant.y === y);
  }

  /**
   * The nearest cell for which `wanted(x, y)` holds, and the order that leads there.
   * @param {Ant} ant
   * @param {Wanted} wanted
   * @returns {Way | null}
   */
  nearest(ant, wanted) {
    const steps = [[ant.dx, ant.dy], [1, 0], [0, 1], [-1, 0], [0, -1]];
    const queue = [{ x: ant.x, y: ant.y, first: [0, 0] }];
    const seen = new Set([ant.y * MOST + ant.x]);
    for (const { x, y, first } of queue) {
      const start = queue[0].x === x && queue[0].y === y;
      if (!start && wanted(x, y)) return { x, y, order: this.towards(ant, first[0], first[1]) };
      for (const [dx, dy] of steps) {
        const [i, j] = [x + dx, y + dy];
        if (seen.has(j * MOST + i) || [UNKNOWN, ROCK, WATER].includes(this.at(i, j))) continue;
        // Other ants are in the way of the next step only: they move on.
        if (start && this.isTaken(i, j)) continue;
        seen.add(j * MOST + i);
        queue.push({ x: i, y: j, first: start ? [i, j] : first });
      }
    }
    return null;
  }

  /**
   * The order that brings an ant to a cell beside it.
   * @param {Ant} ant
   * @param {number} x
   * @param {number} y
   */
  towards(ant, x, y) {
    const [dx, dy] = [x - ant.x, y - ant.y];
    if (dx === ant.dx && dy === ant.dy) return "forward";
    return dx === ant.dy && dy === -ant.dx ? "left" : "right";
  }
}

/**
 * Answers every message until the game is over.
 * @param {Move} move
 */
export async function play(move) {
  const state = new State();
  const reader = read(state);
  reader.next();
  for await (const line of createInterface({ input: process.stdin })) {
    const step = reader.next(line.split(/\s+/).filter((word) => word !== "").map(Number));
    if (step.done) {
      process.stdin.destroy(); // An open pipe would keep the program alive.
      return;
    }
    if (step.value !== "asked") continue;
    const orders = [...move(state)].map(([id, order]) => `${id}:${order}`);
    process.stdout.write(`${orders.join(",")}\n`);
    reader.next();
  }
}

/**
 * Reads messages: it is given one line of numbers at a time, and says when a message is complete. The last one is not
 * answered.
 * @param {State} state
 * @returns {Generator<"asked" | undefined, void, number[]>}
 */
function* read(state) {
  for (;;) {
    const header = yield;
    const [turn, count, players, status] = header;
    [state.turn, state.players] = [turn, players];
    state.ants = [];
    state.foreign = [];
    if (header.length === 5) {
      // The published version: the number of our ants is in the header, their ids in a line.
      const ids = yield;
      for (let id = 0; id < count; id++) state.ants.push(new Ant([id, ...(yield)]));
      state.mine = state.ants.filter((ant) => ids.includes(ant.id) && ant.brain === CONTROLLED);
    } else {
      // Version 2: every ant has its id, and foreign ants are told.
      for (let i = 0; i < count; i++) state.ants.push(new Ant(yield));
      state.mine = state.ants.filter((ant) => ant.brain === CONTROLLED);
      const [foreign] = yield;
      for (let i = 0; i < foreign; i++) {
        const [x, y, dx, dy, brain] = yield;
        state.foreign.push(new Ant([-1, x, y, dx, dy, 0, 0, brain]));
      }
    }
    const [width, height, points] = yield;
    [state.width, state.height] = [width, height];
    for (let i = 0; i < points; i++) {
      const [x, y, content] = yield;
      state.cells[y * MOST + x] = content;
    }
    for (const ant of state.ants) if (ant.brain !== DEAD) state.visited.add(ant.y * MOST + ant.x);
    if (status !== 1) return;
    yield "asked";
  }
}
