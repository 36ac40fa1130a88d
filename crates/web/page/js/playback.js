// Which step of a film is shown, and when the next one is: the state of a viewer. Views listen, and change it only through its methods.

/** @import {Film} from './film.js' */

export const SPEEDS = /** @type {const} */ (['0.5', '1', '2', '4', '10', 'real']);
/** @typedef {typeof SPEEDS[number]} Speed */
/** How a change came about: `jump` is not animated. @typedef {'step' | 'jump' | 'grew' | 'state'} Change */

/** A step takes this long at the ordinary speed. */
const STEP_MS = 400;

export class Playback {
  /** @param {Film} film */
  constructor(film) {
    this.film = film;
    this.at = 0;
    this.playing = false;
    /** Stays at the end of a film that grows. */
    this.following = false;
    /** @type {Speed} */
    this.speed = '1';
    this.timer = 0;
    /** @type {Set<(change: Change) => void>} */
    this.listeners = new Set();
  }

  /** @param {(change: Change) => void} listener */
  watch(listener) {
    this.listeners.add(listener);
  }

  /** @param {Change} change */
  tell(change) {
    for (const listener of this.listeners) listener(change);
  }

  close() {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  /** How long the step after the one shown lasts, in milliseconds. */
  pause() {
    if (this.speed !== 'real') return STEP_MS / Number(this.speed);
    const next = this.film.step(this.at + 1);
    if (!next) return STEP_MS;
    const before = this.at === 0 ? 0 : this.film.step(this.at)?.at_us;
    if (next.at_us !== undefined && before !== undefined) return Math.max(0, next.at_us - before) / 1000;
    return Math.max(0, ...(next.moves ?? []).map((move) => move.wall_us ?? 0)) / 1000;
  }

  /** @param {number} at */
  go(at) {
    const to = Math.max(0, Math.min(this.film.length, Math.round(at)));
    const near = Math.abs(to - this.at) === 1;
    this.following = this.film.end === null && this.following && to === this.film.length;
    if (to === this.at) return;
    this.at = to;
    this.tell(near ? 'step' : 'jump');
  }

  /** A person steps: what was playing stops. @param {number} by */
  step(by) {
    this.stop();
    this.go(this.at + by);
  }

  /** @param {number} at */
  seek(at) {
    this.stop();
    this.go(at);
  }

  toggle() {
    if (this.playing) this.stop();
    else this.play();
  }

  play() {
    if (this.at >= this.film.length) this.go(0);
    this.playing = true;
    this.tell('state');
    this.schedule();
  }

  stop() {
    clearTimeout(this.timer);
    const was = this.playing || this.following;
    this.playing = false;
    this.following = false;
    if (was) this.tell('state');
  }

  schedule() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    this.timer = setTimeout(() => {
      this.go(this.at + 1);
      if (this.at < this.film.length) this.schedule();
      else if (this.film.end) this.stop();
      else this.follow();
    }, this.pause());
  }

  /** @param {Speed} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.tell('state');
    this.schedule();
  }

  /** @param {1 | -1} way */
  changeSpeed(way) {
    const at = SPEEDS.indexOf(this.speed) + way;
    if (SPEEDS[at]) this.setSpeed(SPEEDS[at]);
  }

  /** @param {1 | -1} way */
  fault(way) {
    const step = this.film.faultFrom(this.at, way);
    if (step !== undefined) this.seek(step);
    return step;
  }

  /** Back to what happens now. */
  follow() {
    clearTimeout(this.timer);
    this.playing = false;
    this.following = true;
    if (this.at === this.film.length) this.tell('state');
    else {
      this.at = this.film.length;
      this.tell('jump');
    }
  }

  /** The film has become longer. */
  grew() {
    const by = this.film.length - this.at;
    if (this.following && by > 0) {
      this.at = this.film.length;
      this.following = this.film.end === null;
      this.tell('grew');
      this.tell(by === 1 ? 'step' : 'jump');
      return;
    }
    if (this.film.end) this.following = false;
    this.tell('grew');
  }
}
