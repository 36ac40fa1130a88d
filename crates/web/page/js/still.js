// What a film shows at one step, and how a difference turns it into the next. Stills share what did not change and are never changed.

/** @import {Key, Point, Shape, SeatLine, RawScene, Step} from './types.js' */

export class Still {
  /** @param {Map<Key, Shape>} shapes @param {SeatLine[]} seats @param {string} caption @param {Point} size */
  constructor(shapes, seats, caption, size) {
    this.shapes = shapes;
    this.seats = seats;
    this.caption = caption;
    this.size = size;
    /** @type {Shape[] | null} */
    this.sorted = null;
  }

  /** Shapes from the bottom to the top: by layer, and within a layer from left to right. */
  ordered() {
    this.sorted ??= [...this.shapes.values()].sort((a, b) => (a.z ?? 0) - (b.z ?? 0) || a.p[0] - b.p[0]);
    return this.sorted;
  }
}

/** @param {RawScene} scene */
export function firstStill(scene) {
  /** @type {Map<Key, Shape>} */
  const shapes = new Map();
  for (const shape of scene.shapes) shapes.set(shape.k, unpacked(shape));
  return new Still(shapes, scene.seats, scene.caption, scene.size);
}

/** Cells of a grid come as letters, and are wanted as numbers. @param {any} shape @returns {Shape} */
function unpacked(shape) {
  const grid = shape.f.grid;
  if (!grid || typeof grid.cells !== 'string') return shape;
  const cells = new Uint8Array(grid.cells.length);
  for (let i = 0; i < cells.length; i++) cells[i] = grid.cells.charCodeAt(i) - 97;
  return { ...shape, f: { grid: { ...grid, cells } } };
}

/** Fields that are null are not there any more. @param {object | undefined} was @param {Record<string, any>} change */
function changed(was, change) {
  const is = /** @type {Record<string, any>} */ ({ ...was, ...change });
  for (const field in change) if (change[field] === null) delete is[field];
  return is;
}

/** @param {Still} still @param {Step[]} steps one after another @returns {Still} what they come to */
export function nextStill(still, steps) {
  // One copy for all of them: a jump over many steps copies no more than a single step.
  const shapes = new Map(still.shapes);
  const seats = still.seats.slice();
  let { caption, size } = still;
  for (const step of steps) {
    changeShapes(shapes, step);
    for (const [seat, change] of step.seats ?? []) seats[seat] = changed(seats[seat], change);
    caption = step.caption ?? caption;
    size = step.size ?? size;
  }
  return new Still(shapes, seats, caption, size);
}

/** @param {Map<Key, Shape>} shapes @param {Step} step */
function changeShapes(shapes, step) {
  for (const key of step.del ?? []) shapes.delete(key);
  for (const [key, pairs] of step.cells ?? []) {
    const was = shapes.get(key);
    if (!was?.f.grid) throw new Error(`the film changes cells of "${key}", which is no grid`);
    const cells = was.f.grid.cells.slice();
    for (let i = 0; i < pairs.length; i += 2) cells[pairs[i]] = pairs[i + 1];
    shapes.set(key, { ...was, f: { grid: { ...was.f.grid, cells } } });
  }
  for (const change of step.mod ?? []) {
    const was = shapes.get(change.k);
    if (!was) throw new Error(`the film changes "${change.k}", which is not there`);
    shapes.set(change.k, unpacked(changed(was, change)));
  }
  for (const shape of step.new ?? []) shapes.set(shape.k, unpacked(shape));
}
