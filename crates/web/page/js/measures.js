// The plot beside a board: what the game counts, one measure at a time.

import { el } from './dom.js';
import { Plot } from './plot.js';
import { look } from './theme.js';
import { seatTint } from './seats.js';
/** @import {Playback} from './playback.js' */
/** @import {Chart, Dot} from './plot.js' */

export class MeasurePlot {
  /** @param {Playback} playback */
  constructor(playback) {
    this.playback = playback;
    const names = playback.film.head.measures ?? [];
    this.select = el('select', { 'aria-label': 'What is plotted', on: { change: () => this.refresh() } }, names.map((name, row) => el('option', { value: row }, name)));
    this.plot = new Plot('Plot of what the game counts', (x) => playback.seek(x));
    const title = names.length === 1 ? el('h2', {}, names[0]) : el('h2', {}, 'Over time');
    this.node = el('section', { class: 'card panel', 'aria-label': 'What the game counts' }, el('header', {}, title, names.length > 1 && this.select), this.plot.node);
    /** @type {Chart | null} */
    this.chart = null;
    this.unwatch = look.watch(() => this.refresh());
  }

  refresh() {
    const { film, at } = this.playback;
    const row = Number(this.select.value || 0);
    const series = film.head.players.map((player, seat) => {
      /** @type {Dot[]} */
      const points = [];
      const first = film.head.values?.[row]?.[seat];
      if (typeof first === 'number') points.push([0, first]);
      film.steps.forEach((step, index) => {
        const value = step.measures?.[row]?.[seat];
        if (typeof value === 'number') points.push([index + 1, value]);
      });
      return { name: player.name, colour: this.colour(seat), points };
    });
    this.chart = { series, x: 'step', fromZero: true };
    this.plot.show(this.chart, at);
  }

  /** @param {number} seat */
  colour(seat) {
    const tint = seatTint(this.playback.film.head.scene.seats[seat], seat);
    // Lines in the colour of the page would not be seen.
    if (tint === 'black') return look.theme.of('ink');
    return tint === 'white' ? look.theme.of('faint-ink') : look.theme.of(tint);
  }

  show() {
    if (this.chart) this.plot.show(this.chart, this.playback.at);
  }

  close() {
    this.plot.close();
    this.unwatch();
  }
}
