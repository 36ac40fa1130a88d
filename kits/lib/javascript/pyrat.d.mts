// The types of pyrat.mjs, for TypeScript and editors.

/** Answers the engine until it is gone. */
export function play(move: Move, name?: string, more?: More): Promise<void>;
export type More = {
  /** What can be set in bot.toml: "name Depth type spin default 3 min 1 max 10". */
  options?: string[];
  /** Called before the first turn, for at most `state.time.preprocessing` ms. */
  prepare?: (state: State) => void | Promise<void>;
};
/** Turns to a cell that cannot be reached. */
export const FAR: 1000000;
/** Where a player is, and its score. */
export class Player {
  constructor(cell: number);
  cell: number;
  /** While it is in mud: the cell it will arrive at. */
  target: number;
  /** Turns until then; its moves are ignored meanwhile. */
  mud: number;
  score: number;
}
/** The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left. */
export class State {
  width: number;
  height: number;
  cheese: number[];
  rat: Player;
  python: Player;
  /** Who this bot is. */
  role: Role;
  turn: number;
  /** Limits in milliseconds: "move", "preprocessing", "postprocessing". */
  time: Record<string, number>;
  /** What setoption said. */
  options: Record<string, string>;
  /** Whether the thought has to end. */
  stopped: () => boolean;
  /** Turns that each of the four moves takes, by cell * 4 + move; 0: there is a wall. */
  costs: number[];
  get me(): Player;
  get other(): Player;
  cell(x: number, y: number): number;
  xy(cell: number): [number, number];
  /** The moves that lead out of a cell. */
  exits(cell: number): Exit[];
  /** For every cell: in how many turns it is reached from `start`, and by which first move. */
  ways(start: number): {
    turns: number[];
    first: Step[];
  };
  /** Lets the engine's lines in while the bot thinks. */
  pause(): Promise<void>;
  makeMaze(width: number, height: number): void;
  /** Between two cells, in both directions. */
  setCost(a: number, b: number, turns: number): void;
  /** One turn of one player: it moves, or struggles on in the mud whatever its move is. */
  advance(player: Player, move: string): void;
  /** One turn of the game. */
  step(moves: Record<string, string>): void;
  /**
   * After a restart: the history of moves tells who is how deep in mud. A walk along it from the right start ends
   * where the player is now. Usually the start is the player's corner.
   */
  recoverMud(history: string[]): void;
}
export type Step = "UP" | "DOWN" | "LEFT" | "RIGHT" | "STAY";
export type Role = "rat" | "python";
export type Move = (state: State) => Step | Promise<Step>;
export type Exit = {
  move: Step;
  to: number;
  turns: number;
};
