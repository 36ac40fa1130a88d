// A live game as a small picture that leads to the large one.

import { el, fill } from './dom.js';
import { Board } from './board.js';
import { dot, seatTint } from './seats.js';
import { liveSocket } from './socket.js';
import { to } from './router.js';
/** @import {LiveEntry} from './types.js' */
/** @import {Film} from './film.js' */

export class SmallBoard {
  /** @param {LiveEntry} entry */
  constructor(entry) {
    this.id = entry.id;
    this.frame = el('div', { class: 'board-frame' });
    this.names = el('span', { class: 'names' }, entry.bots.join(' – '));
    this.caption = el('span', { class: 'dim caption' }, entry.game);
    const worker = entry.worker ? el('span', { class: 'dim' }, `on ${entry.worker}`) : null;
    this.node = el('li', {}, el('a', { class: 'card small-card', href: to.live(entry.id, { match: entry.match }) }, this.frame, el('span', { class: 'text' }, this.names, this.caption, worker)));
    /** @type {Board | null} */
    this.board = null;
    this.timer = 0;
    this.forget = liveSocket().watch(entry.id, null, {
      film: (film) => {
        cancelAnimationFrame(this.timer);
        this.timer = requestAnimationFrame(() => this.show(film));
      },
      end: () => this.board || fill(this.caption, 'over before it could be seen'),
      error: (words) => fill(this.caption, words),
    });
  }

  /** @param {Film} film */
  show(film) {
    if (!this.board) {
      this.board = new Board(film, 'small');
      fill(this.frame, this.board.node);
      fill(this.names, film.names.map((name, seat) => el('span', { class: 'name' }, dot(seatTint(film.head.scene.seats[seat], seat)), name)));
    }
    const still = film.still(film.length);
    this.board.show(still, 180);
    this.caption.textContent = film.named(still.caption);
  }

  close() {
    cancelAnimationFrame(this.timer);
    this.forget();
    this.board?.close();
  }
}
