// The players of a game above the board: who acts, who is gone, and what each has.

import { el, fill, say } from './dom.js';
import { look } from './theme.js';
/** @import {Film} from './film.js' */
/** @import {Still} from './still.js' */
/** @import {SeatLine, Tint} from './types.js' */

/** The colour of a seat wherever it is spoken of. @param {SeatLine | undefined} line @param {number} seat @returns {Tint} */
export const seatTint = (line, seat) => line?.tint ?? seat;

/** @param {Tint} tint */
export function dot(tint) {
  const node = el('span', { class: 'dot' });
  node.style.background = look.theme.of(tint);
  return node;
}

export class Seats {
  /** @param {Film} film @param {number} [own] the seat of whoever looks, if somebody plays */
  constructor(film, own) {
    this.film = film;
    this.own = own;
    this.node = el('ul', { class: 'seats', 'aria-label': 'Players' });
    if (film.names.length > 4) this.node.classList.add('many');
    this.build();
    this.unwatch = look.watch(() => this.build());
    /** @type {Still | null} */
    this.still = null;
  }

  build() {
    this.lines = this.film.head.scene.seats.map((line, seat) => {
      const name = el('b', {}, this.film.names[seat] ?? `player ${seat + 1}`);
      const role = el('span', { class: 'role' });
      const state = el('span', { class: 'sr' });
      const facts = el('dl', { class: 'facts num' });
      const mark = dot(seatTint(line, seat));
      const node = el('li', { class: 'seat' }, el('div', { class: 'who' }, mark, name, role, state), facts);
      return { node, role, state, facts, mark, shown: /** @type {SeatLine | null} */ (null) };
    });
    fill(this.node, this.lines.map((line) => line.node));
    if (this.still) this.show(this.still);
  }

  /** @param {Still} still */
  show(still) {
    this.still = still;
    (this.lines ?? []).forEach((line, seat) => {
      const is = still.seats[seat];
      if (!is || line.shown === is) return;
      line.shown = is;
      line.mark.style.background = look.theme.of(seatTint(is, seat));
      line.node.classList.toggle('acts', Boolean(is.to_act));
      line.node.classList.toggle('gone', Boolean(is.gone));
      say(line.role, [seat === this.own ? 'you' : '', is.role ?? ''].filter((word) => word !== '').join(', '));
      say(line.state, is.gone ? ' is out of the game' : is.to_act ? ' acts next' : '');
      fill(line.facts, (is.facts ?? []).map(([what, value]) => el('div', {}, el('dt', {}, what), el('dd', {}, value === null ? '–' : String(value)))));
    });
  }

  close() {
    this.unwatch();
  }
}
