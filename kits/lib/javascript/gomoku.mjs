/**
 * The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
 *
 *     play((state) => state.free()[0], "mybot");
 *
 * `move` gets a State and returns the cell to play. Standard output belongs to the protocol: print
 * with `console.error`, which is kept in the replay.
 *
 * @module
 */
import { createInterface } from "node:readline";

/** @typedef {{ x: number, y: number }} Cell */
/** @typedef {{ x: number, y: number, who: number }} Stone */
/** @typedef {(state: State) => Cell} Move */

export const EMPTY = 0;
export const ME = 1;
export const THEM = 2;
export const FORBIDDEN = 3;

const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];
/** Sides of a board. */
const LEAST = 5;
const MOST = 32;

/** The position in which the bot has to move. */
export class State {
  /**
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    /** What INFO said: "timeout_turn", "time_left", "rule" and so on. @type {Map<string, string>} */
    this.info = new Map();
    /** `cells[y][x]` is EMPTY, ME, THEM or FORBIDDEN. @type {number[][]} */
    this.cells = [];
    /** In the order in which they were played. @type {Stone[]} */
    this.stones = [];
    this.clear();
  }

  clear() {
    this.cells = Array.from({ length: this.height }, () => Array(this.width).fill(EMPTY));
    this.stones = [];
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  inside(x, y) {
    return x >= 0 && x < this.width && y >= 0 && y < this.height;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  isFree(x, y) {
    return this.inside(x, y) && this.cells[y][x] === EMPTY;
  }

  /** All cells without a stone, row by row. @returns {Cell[]} */
  free() {
    return this.cells.flatMap((row, y) => row.flatMap((who, x) => (who === EMPTY ? [{ x, y }] : [])));
  }

  /**
   * How many stones in a row `who` would have through this cell by playing there.
   * @param {number} x
   * @param {number} y
   * @param {number} who
   */
  row(x, y, who) {
    let longest = 0;
    for (const [dx, dy] of DIRECTIONS) {
      let count = 1;
      for (const sign of [1, -1]) {
        let [i, j] = [x + sign * dx, y + sign * dy];
        while (this.inside(i, j) && this.cells[j][i] === who) {
          count += 1;
          i += sign * dx;
          j += sign * dy;
        }
      }
      longest = Math.max(longest, count);
    }
    return longest;
  }

  /** How long this move may take, in milliseconds. */
  timeMs() {
    const limits = ["timeout_turn", "time_left"].map((key) => Number(this.info.get(key)));
    return Math.min(2147483647, ...limits.filter((limit) => limit > 0));
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} who
   */
  put(x, y, who) {
    this.cells[y][x] = who;
    this.stones.push({ x, y, who });
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  takeBack(x, y) {
    this.cells[y][x] = EMPTY;
    this.stones = this.stones.filter((stone) => stone.x !== x || stone.y !== y);
  }
}

/**
 * Answers the manager until it says END or is gone.
 * @param {Move} move
 * @param {string} [name]
 */
export async function play(move, name = "mybot") {
  let state = new State(0, 0);
  /** The lines of a position, while one is read. @type {number[][] | null} */
  let position = null;
  let positionWord = "";

  for await (const raw of createInterface({ input: process.stdin })) {
    const line = raw.trim();
    const blank = line.search(/\s/);
    const word = (blank < 0 ? line : line.slice(0, blank)).toUpperCase();
    const rest = blank < 0 ? "" : line.slice(blank).trim();
    if (position && word !== "DONE") {
      position.push(numbers(line));
      continue;
    }
    switch (word) {
      case "START":
      case "RECTSTART": {
        const size = numbers(rest);
        const wanted = word === "START" ? 1 : 2;
        if (size.length === wanted && size.every((side) => side >= LEAST && side <= MOST)) {
          state = new State(size[0], size[wanted - 1]);
          say("OK");
        } else {
          say(`ERROR boards have sides of ${LEAST} to ${MOST}`);
        }
        break;
      }
      case "RESTART":
        state.clear();
        say("OK");
        break;
      case "INFO": {
        const [key, ...value] = rest.split(/\s+/);
        state.info.set(key.toLowerCase(), value.join(" "));
        break;
      }
      case "BEGIN":
        answer(state, move);
        break;
      case "TURN": {
        const [x, y, more] = numbers(rest);
        if (more === undefined && state.isFree(x, y)) {
          state.put(x, y, THEM);
          answer(state, move);
        } else {
          say(`ERROR not a free cell: ${rest}`);
        }
        break;
      }
      case "BOARD":
      case "SWAP2BOARD":
        [position, positionWord] = [[], word];
        break;
      case "DONE":
        if (!position) {
          say("UNKNOWN DONE");
        } else if (positionWord === "BOARD") {
          state.clear();
          for (const [x, y, who] of position) if (who && state.isFree(x, y)) state.put(x, y, who);
          answer(state, move);
        } else {
          state.clear();
          // Whoever answers with one cell takes White: black stones are the other's then.
          position.forEach(([x, y], number) => {
            if (state.isFree(x, y)) state.put(x, y, number % 2 ? ME : THEM);
          });
          if (state.stones.length > 0) {
            answer(state, move);
          } else {
            const [x, y] = [Math.floor(state.width / 2), Math.floor(state.height / 2)];
            say(`${x},${y} ${x + 1},${y} ${x - 1},${y + 2}`);
          }
        }
        position = null;
        break;
      case "PLAY": {
        // Comes only after SUGGEST, which this bot never says.
        const [x, y] = numbers(rest);
        if (state.isFree(x, y)) {
          state.put(x, y, ME);
          say(`${x},${y}`);
        } else {
          say(`ERROR not a free cell: ${rest}`);
        }
        break;
      }
      case "TAKEBACK": {
        const [x, y] = numbers(rest);
        if (state.inside(x, y)) {
          state.takeBack(x, y);
          say("OK");
        } else {
          say(`ERROR not a cell: ${rest}`);
        }
        break;
      }
      case "ABOUT":
        say(`name="${name}", version="1.0", author="", country=""`);
        break;
      case "END":
        process.stdin.destroy(); // An open pipe would keep the program alive.
        return;
      case "":
        break;
      default:
        say(`UNKNOWN ${word}`);
    }
  }
}

/**
 * @param {State} state
 * @param {Move} move
 */
function answer(state, move) {
  if (state.free().length === 0) {
    say("ERROR there is no free cell");
    return;
  }
  const { x, y } = move(state);
  if (!state.isFree(x, y)) throw new Error(`move returned ${x},${y}, which is not a free cell`);
  state.put(x, y, ME);
  say(`${x},${y}`);
}

/**
 * The numbers of "7,8" or "15"; nothing if it is something else.
 * @param {string} text
 */
function numbers(text) {
  const parts = text.split(",").map((part) => part.trim());
  return parts.every((part) => /^-?\d+$/.test(part)) ? parts.map(Number) : [];
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}
