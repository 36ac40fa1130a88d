// A game at a glance: a lane for each seat with a bar for the time of every answer, time-outs and faults marked, and the step that is shown.

import { el, say } from './dom.js';
import { css, look } from './theme.js';
import { duration } from './format.js';
import { seatTint } from './seats.js';
/** @import {Playback} from './playback.js' */
/** @import {Step} from './types.js' */

const FAULT_ROW = 11;

/** The longest answer of a seat in a step, and whether one did not come. @param {Step} step @param {number} seat */
function answerOf(step, seat) {
  let wall = -1;
  let late = false;
  for (const move of step.moves ?? []) {
    if (move.seat !== seat) continue;
    wall = Math.max(wall, move.wall_us ?? 0);
    late ||= Boolean(move.late);
  }
  for (const fault of step.faults ?? []) if (fault.seat === seat && fault.kind === 'timeout') late = true;
  return { wall, late };
}

/** What happened at a step, in a line. @param {Step} step @param {string[]} names */
export function summary(step, names) {
  const parts = names.flatMap((name, seat) => {
    const { wall, late } = answerOf(step, seat);
    if (late) return [`${name} timed out`];
    return wall < 0 ? [] : [`${name} ${duration(wall)}`];
  });
  for (const fault of step.faults ?? []) if (fault.kind !== 'timeout') parts.push(`${names[fault.seat] ?? 'a bot'}: ${fault.kind}`);
  return parts.length > 4 ? `${parts.slice(0, 4).join(' · ')} …` : parts.join(' · ');
}

export class Timeline {
  /** @param {Playback} playback */
  constructor(playback) {
    this.playback = playback;
    this.canvas = el('canvas', { 'aria-hidden': 'true' });
    this.picture = document.createElement('canvas');
    this.tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
    this.input = el('input', { type: 'range', min: '0', step: '1', value: '0', 'aria-label': 'Step' });
    this.node = el('div', { class: 'timeline' }, this.input, this.canvas, this.tip);
    this.lanes = Math.min(playback.film.head.players.length, 8);
    this.node.style.setProperty('--height', `${Math.max(44, Math.min(72, this.lanes * 22)) + FAULT_ROW}px`);
    this.input.addEventListener('input', () => playback.seek(Number(this.input.value)));
    this.listen();
    this.stale = true;
    this.frame = 0;
    this.observer = new ResizeObserver(() => this.refresh());
    this.observer.observe(this.node);
    this.unwatch = look.watch(() => this.refresh());
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.unwatch();
  }

  listen() {
    const stepAt = (/** @type {PointerEvent} */ event) => {
      const box = this.canvas.getBoundingClientRect();
      return Math.round(((event.clientX - box.left) / box.width) * this.playback.film.length);
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.playback.seek(stepAt(event));
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) this.playback.seek(stepAt(event));
      this.hover(event);
    });
    this.canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const { film } = this.playback;
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const at = Math.max(1, Math.min(film.length, Math.ceil((x / box.width) * film.length)));
    const step = film.step(at);
    this.tip.hidden = !step;
    if (!step) return;
    const words = summary(step, film.names);
    say(this.tip, words ? `step ${at} · ${words}` : `step ${at}`);
    this.tip.style.transform = `translateX(${Math.max(0, Math.min(x - this.tip.offsetWidth / 2, box.width - this.tip.offsetWidth))}px)`;
  }

  /** Something other than the step has changed. */
  refresh() {
    this.stale = true;
    this.show();
  }

  /** Shows the step, in the next frame. */
  show() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
    const { at, film } = this.playback;
    this.input.max = String(film.length);
    this.input.value = String(at);
    this.input.setAttribute('aria-valuetext', `step ${at} of ${film.length}`);
  }

  draw() {
    const dpr = devicePixelRatio || 1;
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (w === 0 || h === 0) return;
    if (this.stale) this.paint(w, h, dpr);
    const { canvas, picture } = this;
    canvas.width = picture.width;
    canvas.height = picture.height;
    const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const { at, film } = this.playback;
    const split = Math.round((film.length === 0 ? 0 : at / film.length) * picture.width);
    if (split > 0) c.drawImage(picture, 0, 0, split, picture.height, 0, 0, split, picture.height);
    c.globalAlpha = 0.38;
    if (split < picture.width) c.drawImage(picture, split, 0, picture.width - split, picture.height, split, 0, picture.width - split, picture.height);
    c.globalAlpha = 1;
    c.scale(dpr, dpr);
    const x = Math.max(1, Math.min(w - 1, split / dpr));
    c.fillStyle = css('ink');
    c.fillRect(x - 1, 0, 2, h - 3);
    c.beginPath();
    c.arc(x, h - 5, 4.5, 0, 7);
    c.fill();
  }

  /** The bars of all steps. @param {number} w @param {number} h @param {number} dpr */
  paint(w, h, dpr) {
    this.stale = false;
    const { film } = this.playback;
    const { picture } = this;
    picture.width = Math.round(w * dpr);
    picture.height = Math.round(h * dpr);
    const c = /** @type {CanvasRenderingContext2D} */ (picture.getContext('2d'));
    c.scale(dpr, dpr);
    const colours = { line: css('line'), bad: css('bad'), hatch: hatch(c, css('bad'), css('card')) };
    const lane = (h - FAULT_ROW) / this.lanes;
    const count = Math.max(1, film.length);
    const columns = Math.min(count, Math.floor(w));
    const width = w / columns;
    const most = longest(film.steps);
    for (let row = 0; row < this.lanes; row++) {
      const base = Math.round((row + 1) * lane);
      c.fillStyle = colours.line;
      c.fillRect(0, base - 1, w, 1);
      const colour = look.theme.of(seatTint(film.head.scene.seats[row], row));
      const bars = this.bars(row, columns);
      bars.forEach(({ wall, late }, column) => {
        const x = column * width;
        const wide = Math.max(1, width - (width > 3 ? 1 : 0));
        if (late) {
          c.fillStyle = colours.hatch;
          c.fillRect(x, base - lane + 3, Math.max(2.5, wide), lane - 4);
          c.fillStyle = colours.bad;
          c.fillRect(x, base - lane + 3, Math.max(2.5, wide), 2);
        } else if (wall >= 0) {
          const height = Math.max(1.5, Math.sqrt(wall / most) * (lane - 5));
          c.fillStyle = visible(colour);
          c.fillRect(x, base - 1 - height, wide, height);
        }
      });
    }
    c.fillStyle = colours.bad;
    let last = -10;
    for (const step of film.faults) {
      const x = ((step - 0.5) / count) * w;
      if (x - last < 3) continue;
      last = x;
      c.beginPath();
      c.moveTo(x, h - FAULT_ROW + 2);
      c.lineTo(x - 4, h - 2);
      c.lineTo(x + 4, h - 2);
      c.fill();
    }
  }

  /** The bars of a lane; where steps are narrower than a pixel, the worst of those that share one. @param {number} row @param {number} columns */
  bars(row, columns) {
    const { film } = this.playback;
    const bars = Array.from({ length: columns }, () => ({ wall: -1, late: false }));
    const seats = film.head.players.map((_, seat) => seat).filter((seat) => seat % this.lanes === row);
    film.steps.forEach((step, index) => {
      const bar = bars[columns === film.length ? index : Math.floor((index / film.length) * columns)];
      for (const seat of seats) {
        const { wall, late } = answerOf(step, seat);
        bar.wall = Math.max(bar.wall, wall);
        bar.late ||= late;
      }
    });
    return bars;
  }
}

/** The longest answer that came in time: one that did not would make all others look alike. @param {Step[]} steps */
function longest(steps) {
  let most = 1;
  for (const step of steps) for (const move of step.moves ?? []) if (!move.late) most = Math.max(most, move.wall_us ?? 0);
  return most;
}

/** Black on black cannot be seen. @param {string} colour */
function visible(colour) {
  if (look.theme.dark && colour === look.theme.of('black')) return '#5d6773';
  return !look.theme.dark && colour === look.theme.of('white') ? '#b9b6a8' : colour;
}

/** @param {CanvasRenderingContext2D} c @param {string} ink @param {string} paper @returns {CanvasPattern | string} */
function hatch(c, ink, paper) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const t = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
  t.fillStyle = paper;
  t.fillRect(0, 0, 6, 6);
  t.strokeStyle = ink;
  t.lineWidth = 2;
  t.beginPath();
  for (const x of [-6, 0, 6]) {
    t.moveTo(x, 6);
    t.lineTo(x + 6, 0);
  }
  t.stroke();
  return c.createPattern(tile, 'repeat') ?? ink;
}
