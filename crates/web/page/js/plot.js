// Lines over time on a canvas: what a game counts, or how a test goes.

import { el } from './dom.js';
import { css, look } from './theme.js';

/**
 * @typedef {[number, number]} Dot
 * @typedef {object} Series
 * @property {string} name
 * @property {string} colour
 * @property {Dot[]} points
 * @property {[number, number, number][]} [band] x, low, high
 * @typedef {{y: number, words: string, colour: string, side?: 'above' | 'below', align?: 'left' | 'right'}} Bound a line across, and where its words are
 * @typedef {object} Chart
 * @property {Series[]} series
 * @property {Bound[]} [bounds]
 * @property {string} x what is counted to the right
 * @property {(value: number) => string} [format]
 * @property {boolean} [fromZero]
 */

const LEFT = 46;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 24;

/** Round numbers that cover a range. @param {number} low @param {number} high @param {number} wanted */
export function ticks(low, high, wanted) {
  const raw = (high - low || 1) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= raw) ?? raw;
  const first = Math.floor(low / step + 1e-9) * step;
  const list = [];
  for (let value = first; value < high + step * 0.999; value += step) list.push(Math.abs(value) < step * 1e-6 ? 0 : Number(value.toPrecision(10)));
  return list;
}

export class Plot {
  /** @param {string} label @param {(x: number) => void} [onPick] called with where a person pressed */
  constructor(label, onPick) {
    this.canvas = el('canvas', { role: 'img', 'aria-label': label });
    this.tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
    this.node = el('div', { class: 'plot' }, this.canvas, this.tip);
    /** @type {Chart | null} */
    this.chart = null;
    /** @type {number | null} */
    this.cursor = null;
    this.frame = 0;
    this.range = { x0: 0, x1: 1, y0: 0, y1: 1 };
    const at = (/** @type {PointerEvent} */ event) => this.range.x0 + ((event.clientX - this.canvas.getBoundingClientRect().left - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT)) * (this.range.x1 - this.range.x0);
    if (onPick) {
      this.canvas.classList.add('pick');
      this.canvas.addEventListener('pointerdown', (event) => onPick(at(event)));
      this.canvas.addEventListener('pointermove', (event) => event.buttons & 1 && onPick(at(event)));
    }
    this.canvas.addEventListener('pointermove', (event) => this.hover(at(event), event.offsetX));
    this.canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.node);
    this.unwatch = look.watch(() => this.draw());
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.unwatch();
  }

  /** @param {Chart} chart @param {number | null} [cursor] */
  show(chart, cursor = null) {
    this.chart = chart;
    this.cursor = cursor;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  /** @param {number} x @param {number} left */
  hover(x, left) {
    const lines = (this.chart?.series ?? []).flatMap((series) => {
      const point = nearest(series.points, x);
      return point ? [{ series, point }] : [];
    });
    this.tip.hidden = lines.length === 0;
    if (!lines.length) return;
    const format = this.chart?.format ?? String;
    this.tip.replaceChildren(el('div', { class: 'dim' }, `${this.chart?.x} ${lines[0].point[0]}`), ...lines.map(({ series, point }) => {
      const mark = el('span', { class: 'dot' });
      mark.style.background = series.colour;
      return el('div', { class: 'entry' }, mark, `${series.name} ${format(point[1])}`);
    }));
    this.tip.style.transform = `translateX(${Math.max(0, Math.min(left + 12, this.canvas.clientWidth - this.tip.offsetWidth))}px)`;
  }

  draw() {
    const { canvas, chart } = this;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (!chart || w === 0 || h === 0) return;
    const dpr = devicePixelRatio || 1;
    canvas.width = Math.round(w * dpr);
    canvas.height = Math.round(h * dpr);
    const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    c.scale(dpr, dpr);
    const marks = this.measure(chart, h);
    const { x0, x1, y0, y1 } = this.range;
    const px = (/** @type {number} */ x) => LEFT + ((x - x0) / (x1 - x0 || 1)) * (w - LEFT - RIGHT);
    const py = (/** @type {number} */ y) => h - BOTTOM - ((y - y0) / (y1 - y0 || 1)) * (h - TOP - BOTTOM);
    this.axes(c, chart, marks, px, py, w, h);
    for (const { points, colour, band } of chart.series) {
      if (band?.length) {
        c.fillStyle = colour;
        c.globalAlpha = 0.14;
        c.beginPath();
        for (const [x, , high] of band) c.lineTo(px(x), py(high));
        for (const [x, low] of band.toReversed()) c.lineTo(px(x), py(low));
        c.fill();
        c.globalAlpha = 1;
      }
      c.strokeStyle = colour;
      c.lineWidth = 1.75;
      c.lineJoin = 'round';
      c.beginPath();
      for (const [x, y] of points) c.lineTo(px(x), py(y));
      c.stroke();
    }
    if (this.cursor !== null) {
      c.fillStyle = css('ink');
      c.globalAlpha = 0.55;
      c.fillRect(px(this.cursor) - 0.5, TOP, 1, h - TOP - BOTTOM);
      c.globalAlpha = 1;
      for (const { points, colour } of chart.series) {
        const point = nearest(points, this.cursor);
        if (!point) continue;
        c.fillStyle = colour;
        c.beginPath();
        c.arc(px(this.cursor), py(point[1]), 3, 0, 7);
        c.fill();
      }
    }
  }

  /** Finds the range that holds everything. @param {Chart} chart @param {number} h @returns {number[]} */
  measure(chart, h) {
    let [x0, x1, low, high] = [Infinity, -Infinity, chart.fromZero ? 0 : Infinity, -Infinity];
    for (const { points, band } of chart.series) {
      for (const [x, y] of points) [x0, x1, low, high] = [Math.min(x0, x), Math.max(x1, x), Math.min(low, y), Math.max(high, y)];
      for (const [, least, most] of band ?? []) [low, high] = [Math.min(low, least), Math.max(high, most)];
    }
    for (const { y } of chart.bounds ?? []) [low, high] = [Math.min(low, y), Math.max(high, y)];
    if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
    if (low === high) high = low + 1;
    const marks = ticks(low, high, Math.max(2, Math.floor((h - TOP - BOTTOM) / 34)));
    this.range = { x0: Number.isFinite(x0) ? x0 : 0, x1: Number.isFinite(x1) ? x1 : 1, y0: Math.min(low, marks[0]), y1: Math.max(high, marks[marks.length - 1]) };
    return marks;
  }

  /** @param {CanvasRenderingContext2D} c @param {Chart} chart @param {number[]} marks @param {(x: number) => number} px @param {(y: number) => number} py @param {number} w @param {number} h */
  axes(c, chart, marks, px, py, w, h) {
    const format = chart.format ?? ((/** @type {number} */ value) => (Math.abs(value) >= 10_000 ? `${value / 1000}k` : String(value)));
    c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    for (const mark of marks) {
      c.fillStyle = css('line');
      c.fillRect(LEFT, Math.round(py(mark)), w - LEFT - RIGHT, 1);
      c.fillStyle = css('dim');
      c.fillText(format(mark), LEFT - 7, py(mark));
    }
    c.textBaseline = 'alphabetic';
    c.textAlign = 'center';
    const { x0, x1 } = this.range;
    for (const mark of ticks(x0, x1, Math.max(2, Math.floor(w / 110)))) if (mark >= x0 && mark <= x1) c.fillText(String(mark), Math.min(px(mark), w - RIGHT - 8), h - 8);
    for (const { y, words, colour, side, align = 'left' } of chart.bounds ?? []) {
      c.strokeStyle = c.fillStyle = colour;
      c.setLineDash([5, 4]);
      c.beginPath();
      c.moveTo(LEFT, py(y));
      c.lineTo(w - RIGHT, py(y));
      c.stroke();
      c.setLineDash([]);
      c.textAlign = align;
      c.fillText(words, align === 'left' ? LEFT + 6 : w - RIGHT - 4, py(y) + (side === 'below' ? 14 : -6));
    }
  }
}

/** @param {Dot[]} points sorted by x @param {number} x @returns {Dot | undefined} */
function nearest(points, x) {
  let [low, high] = [0, points.length - 1];
  if (high < 0) return undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle + 1;
    else high = middle;
  }
  const before = points[low - 1];
  return before && Math.abs(before[0] - x) < Math.abs(points[low][0] - x) ? before : points[low];
}
