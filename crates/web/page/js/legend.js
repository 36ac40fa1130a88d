// What the kinds of cells of a scene are called, beside how they look.

import { el, fill } from './dom.js';
import { look } from './theme.js';
import { Sprites } from './sprites.js';
/** @import {Film} from './film.js' */
/** @import {Kind} from './types.js' */

export class Legend {
  /** @param {Film} film */
  constructor(film) {
    this.film = film;
    /** @type {Kind[]} */
    this.kinds = film.still(0).ordered().flatMap((shape) => (shape.f.grid && shape.f.grid.kinds.length > 1 ? shape.f.grid.kinds : [])).filter(([, name]) => name !== '');
    this.node = el('ul', { class: 'legend', 'aria-label': 'Legend', hidden: this.kinds.length === 0 });
    this.unwatch = look.watch(() => this.build());
    this.build();
  }

  build() {
    const sprites = new Sprites(this.film.head.sprites ?? [], look.theme);
    fill(this.node, this.kinds.map(([tint, name, sprite]) => {
      const swatch = el('span', { class: 'swatch' });
      swatch.style.background = look.theme.of(tint);
      const picture = sprite ? sprites.picture(sprite, undefined, 32) : null;
      if (picture) swatch.append(picture.cloneNode(), '');
      const drawn = swatch.querySelector('canvas');
      if (picture && drawn) drawn.getContext('2d')?.drawImage(picture, 0, 0);
      return el('li', {}, swatch, name);
    }));
  }

  close() {
    this.unwatch();
  }
}
