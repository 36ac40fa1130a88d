// The types of petri.mjs, for TypeScript and editors.

/** Answers every tick until the agent dies or the game is over. */
export function play(move: Move): Promise<void>;
/** This agent's file; it is gone when the agent is. */
export function memoryPath(): string;
/** What was written to the agent's file; nothing at first. */
export function readMemory(): string;
/** Keeps a text of up to 1 MiB in the agent's file. */
export function writeMemory(text: string): void;
export const DIRECTIONS: Record<string, [number, number]>;
/** What an agent sees in a tick. */
export class State {
  constructor(message: Record<string, any>);
  tick: number;
  agent_id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  energy: number;
  generation: number;
  timeout_ms: number;
  /** By direction; `agent_id` is null where nobody is. */
  neighbors: Record<string, Neighbor>;
  /** The directions in which there is room for a child. */
  free(): string[];
  /** The directions in which there is another agent, friend or foe. */
  others(): string[];
}
export type Move = (state: State) => string;
/** A cell beside the agent. */
export type Neighbor = {
  energy: number;
  agent_id: string | null;
  inside: boolean;
};
