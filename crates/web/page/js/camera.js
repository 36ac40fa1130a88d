// Which part of a scene is seen, and how large: the arithmetic of zooming and panning, without a canvas.

/** @import {Point} from './types.js' */

/** How much larger than "all of it" one may look. */
const MOST = 40;

export class Camera {
  constructor() {
    /** Size of the scene. @type {Point} */
    this.scene = [100, 100];
    /** Size of the window in pixels of the style sheet. @type {Point} */
    this.window = [1, 1];
    this.zoom = 1;
    /** The point of the scene in the middle of the window. @type {Point} */
    this.centre = [50, 50];
  }

  /** @param {Point} scene @param {Point} window */
  fit(scene, window) {
    const other = scene[0] !== this.scene[0] || scene[1] !== this.scene[1];
    this.scene = scene;
    this.window = window;
    if (other) this.reset();
    this.clamp();
  }

  reset() {
    this.zoom = 1;
    this.centre = [this.scene[0] / 2, this.scene[1] / 2];
  }

  /** Pixels a hundredth of a cell. */
  get unit() {
    return this.zoom * Math.min(this.window[0] / this.scene[0], this.window[1] / this.scene[1]);
  }

  get most() {
    // A cell need not be larger than the window.
    return Math.max(1, Math.min(MOST, Math.min(...this.scene) / 200));
  }

  /** @param {Point} at in the window @returns {Point} in the scene */
  toScene([x, y]) {
    const unit = this.unit;
    return [this.centre[0] + (x - this.window[0] / 2) / unit, this.centre[1] + (y - this.window[1] / 2) / unit];
  }

  /** @param {Point} at in the scene @returns {Point} in the window */
  toWindow([x, y]) {
    const unit = this.unit;
    return [(x - this.centre[0]) * unit + this.window[0] / 2, (y - this.centre[1]) * unit + this.window[1] / 2];
  }

  /** What is under `at` stays there. @param {number} factor @param {Point} [at] in the window */
  zoomBy(factor, at = [this.window[0] / 2, this.window[1] / 2]) {
    const before = this.toScene(at);
    this.zoom = Math.max(1, Math.min(this.most, this.zoom * factor));
    const after = this.toScene(at);
    this.centre = [this.centre[0] + before[0] - after[0], this.centre[1] + before[1] - after[1]];
    this.clamp();
  }

  /** @param {number} dx in pixels @param {number} dy */
  panBy(dx, dy) {
    const unit = this.unit;
    this.centre = [this.centre[0] - dx / unit, this.centre[1] - dy / unit];
    this.clamp();
  }

  /** Nobody gets lost outside of the scene. */
  clamp() {
    const unit = this.unit;
    for (const axis of /** @type {const} */ ([0, 1])) {
      const seen = this.window[axis] / unit;
      const size = this.scene[axis];
      this.centre[axis] = seen >= size ? size / 2 : Math.max(seen / 2, Math.min(size - seen / 2, this.centre[axis]));
    }
  }
}
