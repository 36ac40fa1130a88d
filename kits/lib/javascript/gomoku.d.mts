// The types of gomoku.mjs, for TypeScript and editors.

/** Answers the manager until it says END or is gone. */
export function play(move: Move, name?: string): Promise<void>;
export const EMPTY: 0;
export const ME: 1;
export const THEM: 2;
export const FORBIDDEN: 3;
/** The position in which the bot has to move. */
export class State {
  constructor(width: number, height: number);
  width: number;
  height: number;
  /** What INFO said: "timeout_turn", "time_left", "rule" and so on. */
  info: Map<string, string>;
  /** `cells[y][x]` is EMPTY, ME, THEM or FORBIDDEN. */
  cells: number[][];
  /** In the order in which they were played. */
  stones: Stone[];
  clear(): void;
  inside(x: number, y: number): boolean;
  isFree(x: number, y: number): boolean;
  /** All cells without a stone, row by row. */
  free(): Cell[];
  /** How many stones in a row `who` would have through this cell by playing there. */
  row(x: number, y: number, who: number): number;
  /** How long this move may take, in milliseconds. */
  timeMs(): number;
  put(x: number, y: number, who: number): void;
  takeBack(x: number, y: number): void;
}
export type Cell = {
  x: number;
  y: number;
};
export type Stone = {
  x: number;
  y: number;
  who: number;
};
export type Move = (state: State) => Cell;
