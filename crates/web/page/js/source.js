// Where the page gets its data from: a server, or the file it is in. Views know this interface alone.

import { HttpSource } from './source-http.js';
import { FileSource } from './source-file.js';
/** @import {Film} from './film.js' */
/** @import {About, Talk, Index, GamePage, TestPoint} from './types.js' */

/**
 * @typedef {object} Source
 * @property {'server' | 'file'} kind
 * @property {string} start where the page begins if its address does not say
 * @property {(from?: number) => Promise<Index>} index with the replays from this one on
 * @property {(run: string) => Promise<any>} run
 * @property {(run: string) => Promise<string>} nameOfRun what people call it; ids are for addresses
 * @property {(run: string, filter: URLSearchParams) => Promise<GamePage>} games
 * @property {(run: string, name: string, event: string) => Promise<any>} bot
 * @property {(run: string, name: string) => Promise<{points: TestPoint[], about: any}>} test
 * @property {(game: string, eyes: number | null, progress: (film: Film | null, bytes: number) => void, signal?: AbortSignal) => Promise<Film>} film calls `progress` while it comes
 * @property {(game: string, eyes: number | null) => boolean} canSee whether there is such a film; a shared page has few
 * @property {(game: string, from: number, to: number, eyes: number | null) => Promise<Talk | null>} talk null: nothing is kept here
 * @property {(game: string) => Promise<About>} about
 * @property {(game: string, format: string) => string | null} download the address of a file, where there is one
 * @property {(id: string, match: string | null) => Promise<{under_way: boolean, replay: string | null}>} live what has become of a live game, and where it is kept
 * @property {() => Promise<import('./types.js').PlayChoices | null>} choices what can be played here; null: nothing
 * @property {(wish: object) => Promise<{seats: {bot: number, name: string, token: string}[]}>} play begins a game with people
 * @property {(wish: object) => Promise<{answers: import('./types.js').Advice[]}>} analyse asks a bot about a position
 * @property {(a: string, b: string) => Promise<{first: number | null, why: string} | null>} diff null: it must be found here
 */

/** Something that went wrong, in words for people. */
export class SourceError extends Error {
  /** @param {string} message @param {number} [status] */
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** @returns {Source} */
export function findSource() {
  return document.querySelector('script[type="application/octet-stream"][id^="data:"]') ? new FileSource(document) : new HttpSource('/api/');
}

/** A test as the page wants it: what is known of it, and its points. @param {any} answer @returns {{points: TestPoint[], about: any}} */
export function testOf(answer) {
  const list = Array.isArray(answer) ? answer : (answer.points ?? []);
  const points = list.map((/** @type {any} */ { games, llr, elo, low = null, high = null }) => ({ games, llr, elo, low, high }));
  return { points, about: Array.isArray(answer) ? {} : answer };
}
