// A board on the page: a canvas that shows a film's stills, animates between them, and can be zoomed and panned.

import { el } from './dom.js';
import { Camera } from './camera.js';
import { Renderer } from './renderer.js';
import { plan, ease } from './tween.js';
import { look, calm } from './theme.js';
import { labelAt } from './hit.js';
/** @import {Film} from './film.js' */
/** @import {Still} from './still.js' */
/** @import {Point} from './types.js' */

/** So many pixels a finger may move and still means one place. */
const DRAG = 8;

/** @param {Point} a @param {Point} b */
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

export class Board {
  /** @param {Film} film @param {'large' | 'small'} kind small ones are pictures, large ones can be zoomed */
  constructor(film, kind) {
    this.film = film;
    this.canvas = el('canvas', kind === 'small' ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': 'The board' });
    this.tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
    this.node = el('div', { class: `board ${kind}` }, this.canvas, this.tip);
    this.camera = new Camera();
    this.still = film.still(0);
    this.passages = plan(this.still, this.still);
    this.renderer = this.makeRenderer();
    this.frame = 0;
    /** Called when it was zoomed or panned. */
    this.onCamera = () => {};
    this.unwatch = look.watch(() => {
      this.renderer = this.makeRenderer();
      this.layout();
    });
    this.observer = new ResizeObserver(() => this.layout());
    this.observer.observe(this.node);
    if (kind === 'large') this.listen();
  }

  makeRenderer() {
    return new Renderer(this.canvas, this.film.head, look.theme, this.camera);
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.unwatch();
    this.observer.disconnect();
  }

  layout() {
    const style = getComputedStyle(this.node);
    const width = this.node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const height = this.node.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    // Not a number, if it is not on the page any more.
    if (!(width > 0 && height > 0)) return;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.renderer.resize(width, height);
    this.camera.fit(this.still.size, [width, height]);
    // On a phone the frame is as high as the scene needs.
    this.node.parentElement?.style.setProperty('--ratio', String(this.still.size[1] / this.still.size[0]));
    this.redraw();
  }

  redraw() {
    this.renderer.draw(this.passages, 1);
    this.onCamera();
  }

  /** @param {Still} still @param {number} milliseconds how long the way there takes */
  show(still, milliseconds) {
    cancelAnimationFrame(this.frame);
    const time = calm.matches ? 0 : milliseconds;
    if (time <= 0) {
      this.settle(still);
      return;
    }
    this.passages = plan(this.still, still);
    this.still = still;
    const begin = performance.now();
    const frame = (/** @type {number} */ now) => {
      // A frame's own time may be earlier than the moment in which it was asked for.
      const t = Math.max(0, Math.min(1, (now - begin) / time));
      if (t >= 1) this.settle(still);
      else {
        this.renderer.draw(this.passages, ease(t));
        this.frame = requestAnimationFrame(frame);
      }
    };
    this.frame = requestAnimationFrame(frame);
  }

  /** @param {Still} still */
  settle(still) {
    this.still = still;
    if (still.size !== this.camera.scene) this.camera.fit(still.size, this.camera.window);
    this.passages = plan(still, still);
    this.renderer.draw(this.passages, 1);
  }

  /** @param {number} factor @param {Point} [at] */
  zoom(factor, at) {
    this.camera.zoomBy(factor, at);
    this.redraw();
  }

  fit() {
    this.camera.reset();
    this.redraw();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.camera.panBy(dx, dy);
    this.redraw();
  }

  listen() {
    const { canvas, node } = this;
    /** @type {Map<number, Point>} */
    const fingers = new Map();
    let dragged = false;
    const at = (/** @type {MouseEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      return /** @type {Point} */ ([event.clientX - box.left, event.clientY - box.top]);
    };
    // On the board and whatever lies over it.
    node.addEventListener('wheel', (event) => {
      const scrolls = document.documentElement.scrollHeight > innerHeight + 1;
      if (scrolls && this.camera.zoom === 1 && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), at(event));
    }, { passive: false });
    node.addEventListener('pointerdown', (event) => {
      if (fingers.size === 0) dragged = false;
      fingers.set(event.pointerId, at(event));
    });
    node.addEventListener('pointermove', (event) => {
      // It may have been let go outside of the board.
      if (event.buttons === 0) fingers.delete(event.pointerId);
      const now = at(event);
      const was = fingers.get(event.pointerId);
      if (!was) {
        if (event.target === canvas) this.hover(now);
        return;
      }
      this.tip.hidden = true;
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (!other && !dragged && (this.camera.zoom === 1 || apart(now, was) < DRAG)) return;
      dragged = true;
      node.setPointerCapture(event.pointerId);
      if (other) this.zoom(apart(now, other) / (apart(was, other) || 1), other);
      else this.pan(now[0] - was[0], now[1] - was[1]);
      fingers.set(event.pointerId, now);
    });
    for (const end of ['pointerup', 'pointercancel']) node.addEventListener(end, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
    // Whoever moves the picture picks nothing.
    node.addEventListener('click', (event) => dragged && event.stopPropagation(), { capture: true });
    node.addEventListener('pointerleave', () => (this.tip.hidden = true));
    canvas.addEventListener('dblclick', (event) => (this.camera.zoom > 1 ? this.fit() : this.zoom(3, at(event))));
  }

  /** Says what is under the pointer. @param {Point} at in the window */
  hover(at) {
    const label = labelAt(this.still, this.camera.toScene(at));
    this.tip.hidden = !label;
    if (!label) return;
    this.tip.textContent = this.film.named(label);
    const left = Math.min(at[0] + 14, this.camera.window[0] - this.tip.offsetWidth);
    this.tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, at[1] - this.tip.offsetHeight - 10)}px)`;
  }
}
