// A film: the scenes of a game, step by step. Any step can be asked for at once; a film may grow while it is watched.

import { firstStill, nextStill } from './still.js';
/** @import {Head, Step, End} from './types.js' */
/** @import {Still} from './still.js' */

/** A still is kept at every so many steps, so that no jump takes longer than this many differences. */
const KEYFRAME_EVERY = 16;

export class Film {
  /** @param {Head} head */
  constructor(head) {
    if (head.film !== 1) throw new Error(`this page reads films of version 1, not ${head.film}`);
    this.head = head;
    /** @type {Step[]} */
    this.steps = [];
    /** @type {End | null} */
    this.end = null;
    const first = firstStill(head.scene);
    /** @type {Map<number, Still>} */
    this.keyframes = new Map([[0, first]]);
    this.shown = { at: 0, still: first };
    /** Steps (from 1) at which something went wrong. @type {number[]} */
    this.faults = [];
  }

  get length() {
    return this.steps.length;
  }

  /** @param {string} line */
  append(line) {
    const value = JSON.parse(line);
    if (value.over) {
      this.end = value;
      if (value.faults?.length && this.faults.at(-1) !== this.steps.length) this.faults.push(this.steps.length);
      return;
    }
    this.steps.push(value);
    if (value.faults?.length) this.faults.push(this.steps.length);
  }

  /** The step that led to `at`; none led to the first. @param {number} at @returns {Step | undefined} */
  step(at) {
    return this.steps[at - 1];
  }

  /** @param {number} at @returns {Still} */
  still(at) {
    if (at < 0 || at > this.steps.length) throw new RangeError(`the film has no step ${at}`);
    let { at: now, still } = this.shown.at <= at ? this.shown : { at: 0, still: /** @type {Still} */ (this.keyframes.get(0)) };
    for (let k = at - (at % KEYFRAME_EVERY); k > now; k -= KEYFRAME_EVERY) {
      const kept = this.keyframes.get(k);
      if (kept) {
        now = k;
        still = kept;
        break;
      }
    }
    while (now < at) {
      const until = Math.min(at, now - (now % KEYFRAME_EVERY) + KEYFRAME_EVERY);
      still = nextStill(still, this.steps.slice(now, until));
      now = until;
      if (now % KEYFRAME_EVERY === 0) this.keyframes.set(now, still);
    }
    this.shown = { at, still };
    return still;
  }

  /** The fault after or before a step. @param {number} at @param {1 | -1} way @returns {number | undefined} */
  faultFrom(at, way) {
    return way > 0 ? this.faults.find((step) => step > at) : this.faults.findLast((step) => step < at);
  }

  /** Names of the players, by seat. */
  get names() {
    return this.head.players.map((player) => player.name);
  }

  /** Words in which §0, §1 … stand for the names of players. @param {string} words */
  named(words) {
    return words.replace(/§(\d+)/g, (all, seat) => this.head.players[Number(seat)]?.name ?? all);
  }
}

/** Puts a film together from text that comes in pieces. */
export class FilmReader {
  constructor() {
    /** @type {Film | null} */
    this.film = null;
    this.rest = '';
  }

  /** @param {string} text */
  feed(text) {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  /** @param {string} line */
  line(line) {
    if (line === '') return;
    if (this.film) this.film.append(line);
    else this.film = new Film(JSON.parse(line));
  }

  finish() {
    this.line(this.rest);
    this.rest = '';
    if (!this.film) throw new Error('the film is empty');
    return this.film;
  }
}

/** @param {string} text */
export function parseFilm(text) {
  const reader = new FilmReader();
  reader.feed(text);
  return reader.finish();
}
