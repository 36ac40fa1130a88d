// The types of ants.mjs, for TypeScript and editors.

/** Answers every message until the game is over. */
export function play(move: Move): Promise<void>;
export const UNKNOWN: -1;
export const GRASS: 0;
export const SUGAR: 1;
export const ROCK: 2;
export const MILL: 3;
export const WATER: 4;
export const MEAT: 5;
/** Brains: this program's, another program's of the same player, none. */
export const CONTROLLED: 1;
export const FOREIGN_PROGRAM: 2;
export const DEAD: 3;
/** An ant of ours; of a foreign one only place, direction and brain are known. */
export class Ant {
  /** id, x, y, dx, dy, energy, acid, brain */
  constructor(numbers: number[]);
  id: number;
  x: number;
  y: number;
  dx: number;
  dy: number;
  energy: number;
  acid: number;
  brain: number;
  /** The cell in front of it. */
  ahead(): [number, number];
}
/** What the colony knows. (0, 0) is at the top left, y grows downwards. */
export class State {
  turn: number;
  players: number;
  /** Of this player, also dead ones and those of its other programs. */
  ants: Ant[];
  /** Living ones that this program commands. */
  mine: Ant[];
  /** Of other players, in sight; only in version 2 of the protocol. */
  foreign: Ant[];
  /** Of what is known. */
  width: number;
  height: number;
  /** GRASS, SUGAR, … as last seen, by y * 300 + x. */
  cells: Int8Array;
  /** Where our ants have been, by y * 300 + x. */
  visited: Set<number>;
  /** What is in a cell; UNKNOWN where nobody has looked. */
  at(x: number, y: number): number;
  isFood(x: number, y: number): boolean;
  /** Whether an ant there would see something new. */
  isNews(x: number, y: number): boolean;
  isEnemy(x: number, y: number): boolean;
  /** Whether a living ant stands there. */
  isTaken(x: number, y: number): boolean;
  /** The nearest cell for which `wanted(x, y)` holds, and the order that leads there. */
  nearest(ant: Ant, wanted: Wanted): Way | null;
  /** The order that brings an ant to a cell beside it. */
  towards(ant: Ant, x: number, y: number): "left" | "right" | "forward";
}
export type Move = (state: State) => Map<number, string>;
export type Way = {
  x: number;
  y: number;
  order: string;
};
export type Wanted = (x: number, y: number) => boolean;
