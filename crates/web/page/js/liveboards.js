// Games under way as small boards. Each has a place that the next game takes when it is over, so that nothing moves.

import { el } from './dom.js';
import { plural } from './format.js';
import { SmallBoard } from './smallboard.js';
import { liveSocket } from './socket.js';
/** @import {LiveEntry} from './types.js' */

/** A game that is over is shown so long before another takes its place, … */
const STAY_MS = 1500;
/** … and so long where none does. */
const LINGER_MS = 6000;

/** @typedef {{board: SmallBoard, over: number | null}} Place since when its game is over */

export class LiveBoards {
  /** @param {number} most @param {string | null} run only the games of this tournament */
  constructor(most, run = null) {
    this.most = most;
    this.run = run;
    /** @type {Place[]} */
    this.places = [];
    /** @type {LiveEntry[]} */
    this.entries = [];
    this.timer = 0;
    this.grid = el('ul', { class: 'boards' });
    this.more = el('p', { class: 'dim more' });
    this.node = el('section', { class: 'live', 'aria-labelledby': 'live-title', hidden: true }, el('div', { class: 'section-head' }, el('h2', { id: 'live-title' }, 'Live')), this.grid, this.more);
    /** @type {(() => void) | null} */
    this.unwatch = null;
  }

  /** Asks the server to tell what is under way. */
  watch() {
    this.unwatch ??= liveSocket().watchList((entries) => this.show(entries));
  }

  close() {
    clearTimeout(this.timer);
    this.unwatch?.();
    for (const { board } of this.places) board.close();
  }

  /** @param {LiveEntry[]} entries */
  show(entries) {
    this.entries = entries.filter((entry) => this.run === null || entry.run === this.run);
    this.arrange();
  }

  arrange() {
    clearTimeout(this.timer);
    const now = performance.now();
    for (const place of this.places) place.over = this.entries.some(({ id }) => id === place.board.id) ? null : (place.over ?? now);
    const room = Math.min(this.most, this.entries.length);
    for (const entry of this.entries) {
      if (this.places.some(({ board }) => board.id === entry.id)) continue;
      const free = this.places.find(({ over }) => over !== null && now - over >= STAY_MS);
      if (free) this.put(free, entry);
      else if (this.places.length < room) this.add(entry);
    }
    for (const place of this.places.filter(({ over }) => over !== null && now - over >= LINGER_MS)) this.remove(place);
    if (this.places.some(({ over }) => over !== null)) this.timer = setTimeout(() => this.arrange(), STAY_MS / 3);
    this.node.hidden = this.places.length === 0;
    const more = this.entries.length - this.places.length;
    this.more.textContent = more > 0 ? `and ${plural(more, 'more game')}` : '';
  }

  /** @param {LiveEntry} entry */
  add(entry) {
    const board = new SmallBoard(entry);
    this.places.push({ board, over: null });
    this.grid.append(board.node);
  }

  /** @param {Place} place @param {LiveEntry} entry */
  put(place, entry) {
    const { board } = place;
    place.board = new SmallBoard(entry);
    place.over = null;
    board.node.replaceWith(place.board.node);
    board.close();
  }

  /** @param {Place} place */
  remove(place) {
    place.board.close();
    place.board.node.remove();
    this.places.splice(this.places.indexOf(place), 1);
  }
}
