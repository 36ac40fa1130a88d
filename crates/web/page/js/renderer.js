// Draws a scene on a canvas, wherever its shapes are between two stills.

import { between } from './tween.js';
import { Grids } from './grid.js';
import { Sprites } from './sprites.js';
import { card } from './cards.js';
import * as shapes from './shapes.js';
/** @import {Head, Point} from './types.js' */
/** @import {Theme} from './theme.js' */
/** @import {Passage, Drawn} from './tween.js' */
/** @import {Camera} from './camera.js' */

export class Renderer {
  /** @param {HTMLCanvasElement} canvas @param {Head} head @param {Theme} theme @param {Camera} camera */
  constructor(canvas, head, theme, camera) {
    this.canvas = canvas;
    this.camera = camera;
    this.c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.sprites = new Sprites(head.sprites ?? [], theme);
    this.grids = new Grids(theme, this.sprites);
    /** @type {import('./shapes.js').Brush} */
    this.brush = { c: this.c, theme, sprites: this.sprites, scale: 1, dpr: 1, names: head.players.map((player) => player.name) };
    /** Corners of what is in sight. @type {[Point, Point]} */
    this.sight = [[0, 0], [0, 0]];
  }

  /** The canvas is as large as its window on the page. @param {number} width @param {number} height */
  resize(width, height) {
    const dpr = Math.min(3, devicePixelRatio || 1);
    const [w, h] = [Math.max(1, Math.round(width * dpr)), Math.max(1, Math.round(height * dpr))];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.brush.dpr = dpr;
  }

  /** @param {Passage[]} passages @param {number} t how far they have come, from 0 to 1 */
  draw(passages, t) {
    const { c, camera, brush } = this;
    const scale = camera.unit * brush.dpr;
    brush.scale = scale;
    const [left, top] = camera.toWindow([0, 0]);
    this.sight = [camera.toScene([0, 0]), camera.toScene(camera.window)];
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(scale, 0, 0, scale, Math.round(left * brush.dpr), Math.round(top * brush.dpr));
    c.save();
    // What is animated beyond the edge of the scene is not seen.
    c.beginPath();
    c.rect(0, 0, camera.scene[0], camera.scene[1]);
    c.clip();
    for (const passage of passages) this.shape(between(passage, t));
    c.restore();
  }

  /** @param {Drawn} shape */
  shape(shape) {
    const { brush, c } = this;
    const form = shape.f;
    if (this.outOfSight(shape)) return;
    c.globalAlpha = Math.max(0, 1 - (shape.o ?? 0) / 100);
    if (form.grid) this.grids.draw(c, shape.k, form.grid, shape.p, brush.scale, this.sight);
    else if (form.disc !== undefined) shapes.disc(brush, shape, form.disc);
    else if (form.box) shapes.box(brush, shape, form.box);
    else if (form.line) shapes.line(brush, shape, form.line);
    else if (form.sprite) shapes.sprite(brush, shape, form.sprite);
    else if (form.text !== undefined) shapes.text(brush, shape, form.text);
    else if (form.card !== undefined) card(brush, shape, form.card, 'front');
    else if (form.back !== undefined) card(brush, shape, form.back, 'back');
    else if (form.lattice) shapes.lattice(brush, shape, form.lattice);
    c.globalAlpha = 1;
  }

  /** Small things far away need not be drawn. @param {Drawn} shape */
  outOfSight(shape) {
    const { disc, sprite } = shape.f;
    const half = disc ?? (sprite ? sprite[1] / 2 : undefined);
    if (half === undefined) return false;
    const [[left, top], [right, bottom]] = this.sight;
    const [x, y] = shape.p;
    const room = half + 50;
    return x + room < left || x - room > right || y + room < top || y - room > bottom;
  }
}
