// What the kinds of cells of a scene are called, beside how they look.

import { el, fill } from './dom.js';
import { look } from './theme.js';
import { Sprites } from './sprites.js';
/** @import {Film} from './film.js' */
/** @import {Kind} from './types.js' */

/** What is not seen is there only for the eyes of a player. */
const UNSEEN = new Set(['unknown', 'fog', 'veil', 'clear']);

/** Each name once. @param {Film} film @returns {Kind[]} */
function kindsOf(film) {
  const kinds = film.still(0).ordered().flatMap((shape) => shape.f.grid?.kinds ?? []);
  const wanted = kinds.filter(([tint, name]) => name !== '' && tint !== 'clear' && (film.head.eyes !== null || !UNSEEN.has(String(tint))));
  return wanted.filter(([, name], index) => wanted.findIndex((kind) => kind[1] === name) === index);
}

export class Legend {
  /** @param {Film} film */
  constructor(film) {
    this.film = film;
    this.kinds = kindsOf(film);
    this.node = el('ul', { class: 'legend', 'aria-label': 'Legend', hidden: this.kinds.length < 2 });
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
