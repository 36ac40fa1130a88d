// Finds out what lies under a point of a scene, to say what it is.

/** @import {Shape, Point} from './types.js' */
/** @import {Still} from './still.js' */

/** @param {Shape} shape @param {Point} at */
function contains({ f, p }, [x, y]) {
  const [dx, dy] = [x - p[0], y - p[1]];
  if (f.disc !== undefined) return Math.hypot(dx, dy) <= Math.max(f.disc, 30);
  if (f.sprite) return Math.max(Math.abs(dx), Math.abs(dy)) <= f.sprite[1] / 2;
  if (f.box) return Math.abs(dx) <= f.box[0] / 2 && Math.abs(dy) <= f.box[1] / 2;
  const card = f.card ?? f.back;
  if (card !== undefined) return Math.abs(dx) <= card * 0.33 && Math.abs(dy) <= card / 2;
  if (f.line) {
    const [ux, uy] = [f.line[0][0] - p[0], f.line[0][1] - p[1]];
    const along = Math.max(0, Math.min(1, (dx * ux + dy * uy) / (ux * ux + uy * uy || 1)));
    return Math.hypot(dx - ux * along, dy - uy * along) <= Math.max(f.line[1], 15);
  }
  return false;
}

/** The name of the kind of cell. @param {Shape} shape @param {Point} at */
function cellName({ f, p }, [x, y]) {
  const grid = f.grid;
  if (!grid) return null;
  const [column, row] = [Math.floor((x - p[0]) / 100), Math.floor((y - p[1]) / 100)];
  if (column < 0 || row < 0 || column >= grid.w || row >= grid.h) return null;
  const name = grid.kinds[grid.cells[row * grid.w + column]]?.[1];
  return name && grid.kinds.length > 1 ? `${name} (${column}, ${row})` : null;
}

/** @param {Still} still @param {Point} at @returns {string | null} */
export function labelAt(still, at) {
  const list = still.ordered();
  for (let i = list.length - 1; i >= 0; i--) {
    const shape = list[i];
    const label = shape.l && contains(shape, at) ? shape.l : cellName(shape, at);
    if (label) return label;
  }
  return null;
}
