// The buttons below the board: to the start, back, play, forward, to the end, faults, speed.

import { el, fill, say } from './dom.js';
import { icon } from './icons.js';
import { SPEEDS } from './playback.js';
/** @import {Playback, Speed} from './playback.js' */
/** @import {IconName} from './icons.js' */

const SPEED_WORDS = /** @type {Record<Speed, string>} */ ({ 0.5: '½×', 1: '1×', 2: '2×', 4: '4×', 10: '10×', real: 'real time' });

export class Transport {
  /** @param {Playback} playback */
  constructor(playback) {
    this.playback = playback;
    const button = (/** @type {IconName} */ name, /** @type {string} */ label, /** @type {string} */ key, /** @type {() => void} */ click) =>
      el('button', { type: 'button', class: 'only quiet', 'aria-label': label, title: `${label} (${key})`, on: { click } }, icon(name));
    this.play = button('play', 'Play', 'space', () => playback.toggle());
    this.play.classList.remove('quiet');
    this.play.classList.add('main');
    this.next = button('fault', 'Next fault', 'f', () => playback.fault(1));
    this.previous = button('fault', 'Previous fault', 'F', () => playback.fault(-1));
    fill(this.previous, icon('chevron'), icon('fault'));
    fill(this.next, icon('fault'), icon('chevron'));
    this.previous.classList.add('flip', 'pair');
    this.next.classList.add('pair');
    this.faults = el('span', { class: 'faults', role: 'group', 'aria-label': 'Faults' }, this.previous, this.count = el('span', { class: 'num dim' }), this.next);
    this.where = el('output', { class: 'where num', 'aria-label': 'Step' });
    this.speed = el('select', { 'aria-label': 'Speed', title: 'Speed (< and >)', on: { change: () => playback.setSpeed(/** @type {Speed} */ (this.speed.value)) } },
      SPEEDS.map((speed) => el('option', { value: speed }, SPEED_WORDS[speed])));
    this.now = el('button', { type: 'button', class: 'now', on: { click: () => playback.follow() } }, icon('live'), 'back to now');
    this.node = el('div', { class: 'transport', role: 'group', 'aria-label': 'Playing' },
      button('first', 'To the start', 'Home', () => playback.seek(0)),
      button('back', 'Step back', 'left arrow', () => playback.step(-1)),
      this.play,
      button('next', 'Step forward', 'right arrow', () => playback.step(1)),
      button('last', 'To the end', 'End', () => playback.seek(playback.film.length)),
      this.faults, this.now, el('span', { class: 'grow' }), this.where, this.speed);
    this.live = false;
    this.show();
  }

  show() {
    const { playback, play } = this;
    const { film, at } = playback;
    const words = playback.playing ? 'Pause' : 'Play';
    if (play.getAttribute('aria-label') !== words) {
      play.setAttribute('aria-label', words);
      play.title = `${words} (space)`;
      fill(play, icon(playback.playing ? 'pause' : 'play'));
    }
    say(this.where, `${at} / ${film.length}`);
    this.speed.value = playback.speed;
    this.faults.hidden = film.faults.length === 0;
    const passed = film.faults.filter((step) => step <= at).length;
    say(this.count, `${passed} / ${film.faults.length}`);
    this.previous.disabled = film.faultFrom(at, -1) === undefined;
    this.next.disabled = film.faultFrom(at, 1) === undefined;
    this.now.hidden = !this.live || Boolean(film.end) || playback.following;
  }
}
