/**
 * The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
 *
 *     play((state) => "UP", "mybot");
 *
 * `move` gets a State and returns "UP", "DOWN", "LEFT", "RIGHT" or "STAY", or a promise of it. A
 * long thought is an async function that says `await state.pause()` now and then, so that `isready`
 * and `stop` are heard, and asks `state.stopped()` after that. Standard output belongs to the
 * protocol: print with `console.error`, which is kept in the replay.
 *
 * @module
 */
import { createInterface } from "node:readline";

/** @typedef {"UP" | "DOWN" | "LEFT" | "RIGHT" | "STAY"} Step */
/** @typedef {"rat" | "python"} Role */
/** @typedef {(state: State) => Step | Promise<Step>} Move */
/** @typedef {{ move: Step, to: number, turns: number }} Exit */

/** Turns to a cell that cannot be reached. */
export const FAR = 1_000_000;

/** @type {[Step, number, number][]} */
const STEPS = [["UP", 0, 1], ["DOWN", 0, -1], ["LEFT", -1, 0], ["RIGHT", 1, 0]];

/** Where a player is, and its score. */
export class Player {
  /** @param {number} cell */
  constructor(cell) {
    this.cell = cell;
    /** While it is in mud: the cell it will arrive at. */
    this.target = cell;
    /** Turns until then; its moves are ignored meanwhile. */
    this.mud = 0;
    this.score = 0;
  }
}

/** The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left. */
export class State {
  constructor() {
    this.width = 0;
    this.height = 0;
    /** @type {number[]} */
    this.cheese = [];
    this.rat = new Player(0);
    this.python = new Player(0);
    /** Who this bot is. @type {Role} */
    this.role = "rat";
    this.turn = 0;
    /** Limits in milliseconds: "move", "preprocessing", "postprocessing". @type {Record<string, number>} */
    this.time = { move: FAR };
    /** What setoption said. @type {Record<string, string>} */
    this.options = {};
    /** Whether the thought has to end. @type {() => boolean} */
    this.stopped = () => false;
    /** Turns that each of the four moves takes, by cell * 4 + move; 0: there is a wall. @type {number[]} */
    this.costs = [];
  }

  get me() {
    return this[this.role];
  }

  get other() {
    return this.role === "rat" ? this.python : this.rat;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  cell(x, y) {
    return y * this.width + x;
  }

  /** @param {number} cell @returns {[number, number]} */
  xy(cell) {
    return [cell % this.width, Math.floor(cell / this.width)];
  }

  /** The moves that lead out of a cell. @param {number} cell @returns {Exit[]} */
  exits(cell) {
    /** @type {Exit[]} */
    const found = [];
    STEPS.forEach(([move, dx, dy], index) => {
      const turns = this.costs[cell * 4 + index];
      if (turns > 0) found.push({ move, to: cell + dy * this.width + dx, turns });
    });
    return found;
  }

  /**
   * For every cell: in how many turns it is reached from `start`, and by which first move.
   * @param {number} start
   */
  ways(start) {
    const turns = Array(this.width * this.height).fill(FAR);
    /** @type {Step[]} */
    const first = Array(turns.length).fill("STAY");
    turns[start] = 0;
    const queue = [start];
    for (const cell of queue) {
      for (const exit of this.exits(cell)) {
        if (turns[cell] + exit.turns >= turns[exit.to]) continue;
        turns[exit.to] = turns[cell] + exit.turns;
        first[exit.to] = cell === start ? exit.move : first[cell];
        queue.push(exit.to);
      }
    }
    return { turns, first };
  }

  /** Lets the engine's lines in while the bot thinks. @returns {Promise<void>} */
  pause() {
    return new Promise((resolve) => setImmediate(resolve));
  }

  // ---- keeping track ----

  /**
   * @param {number} width
   * @param {number} height
   */
  makeMaze(width, height) {
    [this.width, this.height] = [width, height];
    for (let cell = 0; cell < width * height; cell++) {
      const [x, y] = this.xy(cell);
      for (const [, dx, dy] of STEPS) {
        const inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
        this.costs.push(inside ? 1 : 0);
      }
    }
  }

  /**
   * Between two cells, in both directions.
   * @param {number} a
   * @param {number} b
   * @param {number} turns
   */
  setCost(a, b, turns) {
    for (const [cell, to] of [[a, b], [b, a]]) {
      STEPS.forEach(([, dx, dy], index) => {
        const leads = this.costs[cell * 4 + index] > 0 && cell + dy * this.width + dx === to;
        if (leads) this.costs[cell * 4 + index] = turns;
      });
    }
  }

  /**
   * One turn of one player: it moves, or struggles on in the mud whatever its move is.
   * @param {Player} player
   * @param {string} move
   */
  advance(player, move) {
    const exit = this.exits(player.cell).find((exit) => exit.move === move);
    if (player.mud > 0) player.mud -= 1;
    else if (exit) [player.target, player.mud] = [exit.to, exit.turns - 1];
    if (player.mud === 0) player.cell = player.target;
  }

  /** One turn of the game. @param {Record<string, string>} moves */
  step(moves) {
    this.turn += 1;
    this.advance(this.rat, moves.rat);
    this.advance(this.python, moves.python);
    const eaters = [this.rat, this.python].filter((p) => p.mud === 0 && this.cheese.includes(p.cell));
    const shared = eaters.length === 2 && eaters[0].cell === eaters[1].cell;
    for (const player of eaters) player.score += shared ? 0.5 : 1;
    this.cheese = this.cheese.filter((cell) => eaters.every((player) => player.cell !== cell));
  }

  /**
   * After a restart: the history of moves tells who is how deep in mud. A walk along it from the right start ends
   * where the player is now. Usually the start is the player's corner.
   * @param {string[]} history
   */
  recoverMud(history) {
    this.turn = Math.floor(history.length / 2);
    const last = this.width * this.height - 1;
    [this.rat, this.python].forEach((player, number) => {
      const starts = [number === 0 ? 0 : last, ...Array(last + 1).keys()];
      for (const start of starts) {
        const walker = new Player(start);
        for (let i = number; i < history.length; i += 2) this.advance(walker, history[i]);
        if (walker.cell !== player.cell) continue;
        [player.target, player.mud] = [walker.target, walker.mud];
        break;
      }
    });
  }
}

/**
 * Answers the engine until it is gone.
 * @param {Move} move
 * @param {string} [name]
 * @param {object} [more]
 * @param {string[]} [more.options] What can be set in bot.toml: "name Depth type spin default 3 min 1 max 10".
 * @param {(state: State) => void | Promise<void>} [more.prepare] Called before the first turn, for at most
 *   `state.time.preprocessing` ms.
 */
export async function play(move, name = "mybot", { options = [], prepare } = {}) {
  let state = new State();
  /** @type {Record<string, string>} */
  const set = {};
  /** @type {string[]} */
  let history = [];
  let begun = false;
  let [stop, late] = [false, false];

  /** What waits for the thought to end, in order. */
  let work = Promise.resolve();
  for await (const raw of createInterface({ input: process.stdin })) {
    const line = raw.trim();
    const [word] = line.split(/\s+/, 1);
    if (word === "isready") say("readyok");
    else if (word === "stop") stop = true;
    else if (word === "timeout") stop = late = true;
    else if (word !== "") {
      if (word === "go" || word === "startpreprocessing") stop = late = false;
      work = work.then(() => handle(word, line.slice(word.length).trim()));
    }
  }
  stop = true;
  await work;

  /**
   * @param {string} word
   * @param {string} rest
   */
  async function handle(word, rest) {
    switch (word) {
      case "pyrat":
        say(`id name ${name}`);
        for (const option of options) say(`option ${option}`);
        say("pyratready");
        break;
      case "setoption": {
        const [key, value = ""] = rest.replace(/^name\s+/, "").split(/\s+value\s+/);
        set[key] = value;
        break;
      }
      case "newgame":
      case "recover":
        state = new State();
        state.options = set;
        state.stopped = () => stop;
        [history, begun] = [[], false];
        break;
      case "maze": {
        const size = pairs(rest);
        state.makeMaze(Number(size.width), Number(size.height));
        break;
      }
      case "walls":
        for (const part of words(rest)) {
          const [a, b] = cells(state, part);
          state.setCost(a, b, 0);
        }
        break;
      case "mud":
        for (const part of words(rest)) {
          const [a, b] = cells(state, part);
          state.setCost(a, b, Number(part.slice(part.lastIndexOf(":") + 1)) + 1);
        }
        break;
      case "cheese":
        state.cheese = cells(state, rest);
        break;
      case "player1":
        state.rat.cell = state.rat.target = cells(state, rest)[0];
        break;
      case "player2":
        state.python.cell = state.python.target = cells(state, rest)[0];
        break;
      case "timecontrol":
        for (const [key, ms] of Object.entries(pairs(rest))) state.time[key] = Number(ms);
        break;
      case "moves_history":
        [history, begun] = [words(rest), true];
        break;
      case "score": {
        const scores = pairs(rest);
        [state.rat.score, state.python.score] = [Number(scores.rat), Number(scores.python)];
        break;
      }
      case "youare":
        state.role = rest === "python" ? "python" : "rat";
        if (begun) state.recoverMud(history);
        break;
      case "startpreprocessing":
        if (prepare) await prepare(state);
        say("preprocessingdone");
        break;
      case "moves":
        // The first ones come before the first turn.
        if (begun) state.step(pairs(rest));
        begun = true;
        break;
      case "go": {
        begun = true;
        const chosen = await move(state);
        if (chosen !== "STAY" && STEPS.every(([step]) => step !== chosen)) {
          throw new Error(`move returned ${chosen}, which is not a move`);
        }
        // After a time-out the engine has played STAY and does not want this move any more.
        if (!late) say(`move ${chosen}`);
        break;
      }
      case "ready?":
        say("ready");
        break;
      case "startpostprocessing":
        say("postprocessingdone");
        break;
      // `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not
      // known is ignored.
    }
  }
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** `rat:UP python:LEFT` as an object. @param {string} text @returns {Record<string, string>} */
function pairs(text) {
  return Object.fromEntries(words(text).map((part) => part.split(":")));
}

/**
 * @param {State} state
 * @param {string} text
 */
function cells(state, text) {
  return [...text.matchAll(/\((\d+),(\d+)\)/g)].map((match) => state.cell(Number(match[1]), Number(match[2])));
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}
