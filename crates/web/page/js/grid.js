// Draws grids of cells. Each is kept as a picture, and only cells that changed are painted again.

/** @import {Grid, Key, Point} from './types.js' */
/** @import {Theme} from './theme.js' */
/** @import {Sprites} from './sprites.js' */

/** A kept picture is no wider or higher than this; looked at more closely, the cells in sight are painted directly. */
const MOST_PIXELS = 2400;

/** @typedef {{canvas: HTMLCanvasElement, c: CanvasRenderingContext2D, grid: Grid, unit: number}} Kept */

export class Grids {
  /** @param {Theme} theme @param {Sprites} sprites */
  constructor(theme, sprites) {
    this.theme = theme;
    this.sprites = sprites;
    /** @type {Map<Key, Kept>} */
    this.kept = new Map();
  }

  /**
   * @param {CanvasRenderingContext2D} c already scaled to hundredths of a cell
   * @param {Key} key @param {Grid} grid @param {Point} at @param {number} scale device pixels a hundredth
   * @param {[Point, Point]} sight corners of what is seen, in hundredths
   */
  draw(c, key, grid, at, scale, sight) {
    const unit = Math.max(1, Math.round(scale * 100));
    if (Math.max(grid.w, grid.h) * unit > MOST_PIXELS) {
      this.direct(c, grid, at, unit, sight);
      return;
    }
    const kept = this.current(key, grid, unit);
    c.imageSmoothingEnabled = unit !== scale * 100 && unit > 8;
    c.drawImage(kept.canvas, at[0], at[1], grid.w * 100, grid.h * 100);
    c.imageSmoothingEnabled = true;
  }

  /** The picture as it is now. @param {Key} key @param {Grid} grid @param {number} unit @returns {Kept} */
  current(key, grid, unit) {
    let kept = this.kept.get(key);
    if (kept && kept.unit === unit && kept.grid.kinds === grid.kinds && kept.grid.w === grid.w && kept.grid.h === grid.h) {
      if (kept.grid !== grid) {
        const was = kept.grid.cells;
        for (let i = 0; i < was.length; i++) if (was[i] !== grid.cells[i]) this.patch(kept.c, grid, i, unit);
        kept.grid = grid;
      }
      return kept;
    }
    const canvas = kept?.canvas ?? document.createElement('canvas');
    canvas.width = grid.w * unit;
    canvas.height = grid.h * unit;
    kept = { canvas, c: /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')), grid, unit };
    for (let i = 0; i < grid.cells.length; i++) this.cell(kept.c, grid, i, (i % grid.w) * unit, Math.floor(i / grid.w) * unit, unit);
    this.kept.set(key, kept);
    return kept;
  }

  /** A cell and those above and below it, whose edges depend on it. @param {CanvasRenderingContext2D} c @param {Grid} grid @param {number} index @param {number} unit */
  patch(c, grid, index, unit) {
    for (const i of [index - grid.w, index, index + grid.w]) if (i >= 0 && i < grid.cells.length) this.cell(c, grid, i, (i % grid.w) * unit, Math.floor(i / grid.w) * unit, unit);
  }

  /** @param {CanvasRenderingContext2D} c @param {Grid} grid @param {number} index @param {number} x @param {number} y @param {number} unit */
  cell(c, grid, index, x, y, unit) {
    const [tint, , sprite] = grid.kinds[grid.cells[index]] ?? ['unknown', '', null];
    const colour = this.theme.of(tint);
    c.clearRect(x, y, unit, unit);
    c.fillStyle = colour;
    c.fillRect(x, y, unit, unit);
    if (unit >= 6 && (tint === 'rock' || tint === 'wall' || tint === 'water')) this.relief(c, grid, index, x, y, unit);
    if (unit >= 10 && tint === 'dish') {
      c.fillStyle = this.theme.of('dish-line');
      c.fillRect(x, y, unit, 1);
      c.fillRect(x, y, 1, unit);
    }
    if (sprite) {
      const picture = unit >= 5 ? this.sprites.picture(sprite, undefined, unit) : null;
      if (picture) c.drawImage(picture, x, y, unit, unit);
    }
  }

  /** Blocks get a light upper and a dark lower edge where they end. @param {CanvasRenderingContext2D} c @param {Grid} grid @param {number} index @param {number} x @param {number} y @param {number} unit */
  relief(c, grid, index, x, y, unit) {
    const kind = grid.cells[index];
    const edge = Math.max(1, Math.round(unit * 0.1));
    if (grid.cells[index - grid.w] !== kind) {
      c.fillStyle = '#ffffff2e';
      c.fillRect(x, y, unit, edge);
    }
    if (grid.cells[index + grid.w] !== kind) {
      c.fillStyle = '#0000002e';
      c.fillRect(x, y + unit - edge, unit, edge);
    }
  }

  /** Paints only what is in sight. @param {CanvasRenderingContext2D} c @param {Grid} grid @param {Point} at @param {number} unit @param {[Point, Point]} sight */
  direct(c, grid, at, unit, [[left, top], [right, bottom]]) {
    const clip = (/** @type {number} */ value, /** @type {number} */ most) => Math.max(0, Math.min(most, value));
    const [x0, x1] = [clip(Math.floor((left - at[0]) / 100), grid.w), clip(Math.ceil((right - at[0]) / 100), grid.w)];
    const [y0, y1] = [clip(Math.floor((top - at[1]) / 100), grid.h), clip(Math.ceil((bottom - at[1]) / 100), grid.h)];
    const picture = this.scratch(unit);
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) {
        this.cell(picture.c, grid, y * grid.w + x, 0, 0, unit);
        c.drawImage(picture.canvas, at[0] + x * 100, at[1] + y * 100, 100.5, 100.5);
      }
    }
  }

  /** @param {number} unit */
  scratch(unit) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = unit;
    return { canvas, c: /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')) };
  }
}
