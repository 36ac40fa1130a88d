// Playing cards, face up and face down.

import { letters, named } from './shapes.js';
/** @import {Brush} from './shapes.js' */
/** @import {Drawn} from './tween.js' */

const FACE = '#fdfdfb';

/** @param {Brush} brush @param {Drawn} shape @param {number} height @param {'front' | 'back'} side */
export function card(brush, shape, height, side) {
  const { c, theme, scale, dpr } = brush;
  const [h, w, r] = [height, height * 0.66, height * 0.075];
  const plate = (/** @type {number} */ inset, /** @type {number} */ dx = 0, /** @type {number} */ dy = 0) => {
    c.beginPath();
    c.roundRect(-w / 2 + inset + dx, -h / 2 + inset + dy, w - 2 * inset, h - 2 * inset, Math.max(0, r - inset * 0.5));
  };
  c.save();
  c.translate(shape.p[0], shape.p[1]);
  if (shape.r) c.rotate((shape.r * Math.PI) / 180);
  if (shape.scale) c.scale(shape.scale, shape.scale);
  c.fillStyle = '#00000040';
  plate(0, h * 0.012, h * 0.025);
  c.fill();
  c.fillStyle = FACE;
  plate(0);
  c.fill();
  c.strokeStyle = '#0000002b';
  c.lineWidth = Math.max(dpr / scale / 1.5, h * 0.006);
  c.stroke();
  c.fillStyle = side === 'back' ? theme.of(shape.c ?? 'back') : theme.of(shape.c ?? 'wild');
  plate(h * 0.04);
  c.fill();
  if (side === 'back') back(brush, shape, h, plate);
  else front(brush, shape, h, w);
  if (shape.m) {
    c.strokeStyle = shape.m === 'last' ? '#ffffff' : theme.of(shape.m === 'held' ? 'ink' : 'mark');
    c.globalAlpha *= shape.m === 'last' ? 0.6 : 1;
    c.lineWidth = Math.max(h * 0.02, (1.5 * dpr) / scale);
    plate(-h * 0.03);
    c.stroke();
  }
  c.restore();
}

/** @param {Brush} brush @param {Drawn} shape @param {number} h @param {(inset: number) => void} plate */
function back(brush, shape, h, plate) {
  const { c } = brush;
  c.strokeStyle = '#ffffff55';
  c.lineWidth = h * 0.014;
  for (const inset of [0.085, 0.13]) {
    plate(h * inset);
    c.stroke();
  }
  if (shape.t) letters(brush, named(brush, shape.t), 0, 0, h * 0.24, '#ffffff', 700);
}

/** @param {Brush} brush @param {Drawn} shape @param {number} h @param {number} w */
function front(brush, shape, h, w) {
  const { c, theme } = brush;
  const colour = theme.of(shape.c ?? 'wild');
  const words = named(brush, shape.t ?? '');
  const long = words.length > 1;
  c.save();
  c.rotate(0.45);
  c.fillStyle = '#fffffff0';
  c.beginPath();
  c.ellipse(0, 0, w * 0.37, h * 0.37, 0, 0, Math.PI * 2);
  c.fill();
  c.restore();
  letters(brush, words, 0, 0, h * (long ? 0.29 : 0.42), shape.c === 'yellow' ? '#8f6a00' : colour, 800);
  const corner = h * (long ? 0.11 : 0.13);
  const ink = theme.over(colour);
  letters(brush, words, -w / 2 + h * 0.075, -h / 2 + h * 0.135, corner, ink, 700, 'left');
  c.rotate(Math.PI);
  letters(brush, words, -w / 2 + h * 0.075, -h / 2 + h * 0.135, corner, ink, 700, 'left');
  c.rotate(-Math.PI);
}
