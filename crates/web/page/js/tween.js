// Where shapes are between two stills: the same key moves, new ones come, others go.

/** @import {Shape, Form, Point} from './types.js' */
/** @import {Still} from './still.js' */

/**
 * A shape on its way.
 * @typedef {{from: Shape | null, to: Shape | null}} Passage
 * @typedef {Shape & {scale?: number}} Drawn
 */

/** The size of a form that has one number, and its name. @param {Form} form @returns {[keyof Form, number] | null} */
function sized(form) {
  for (const name of /** @type {const} */ (['disc', 'card', 'back', 'text'])) {
    const size = form[name];
    if (size !== undefined) return [name, size];
  }
  return null;
}

/** Shapes that look the same are twins: one that vanished may be the other. @param {Shape} shape */
function lookOf(shape) {
  const [name] = Object.keys(shape.f);
  return shape.t && name !== 'text' ? `${name}|${shape.t}|${shape.c}` : null;
}

/** @param {Still} before @param {Still} after @returns {Passage[]} from the bottom to the top */
export function plan(before, after) {
  if (before === after) return after.ordered().map((shape) => ({ from: shape, to: shape }));
  /** @type {Shape[]} */
  const lost = [];
  /** @type {Map<string, Shape[]>} */
  const twins = new Map();
  for (const shape of before.ordered()) {
    if (after.shapes.has(shape.k)) continue;
    lost.push(shape);
    const look = lookOf(shape);
    if (look) twins.set(look, [...(twins.get(look) ?? []), shape]);
  }
  const used = new Set();
  const twinOf = (/** @type {Shape} */ to) => {
    const named = to.b !== undefined && !after.shapes.has(to.b) ? before.shapes.get(to.b) : undefined;
    if (named && !used.has(named.k)) return named;
    const look = lookOf(to);
    return look ? twins.get(look)?.find((shape) => !used.has(shape.k)) : undefined;
  };
  /** @type {Passage[]} */
  const list = [];
  for (const to of after.ordered()) {
    const same = before.shapes.get(to.k);
    if (same) {
      list.push({ from: same, to });
      continue;
    }
    const twin = twinOf(to);
    if (twin) used.add(twin.k);
    const source = twin ?? (to.b === undefined ? undefined : before.shapes.get(to.b));
    list.push({ from: source && !to.f.grid && !to.f.line ? startingAt(to, source) : null, to });
  }
  const gone = lost.filter((shape) => !used.has(shape.k)).map((from) => ({ from, to: null }));
  return [...gone.filter(below), ...list, ...gone.filter((passage) => !below(passage))];
}

/** Things that vanish stay under those that stay, unless they lay on top of everything. @param {Passage} passage */
const below = (passage) => (passage.from?.z ?? 0) <= 0;

/** A shape as it is, where and how large another one was. @param {Shape} to @param {Shape} source @returns {Shape} */
function startingAt(to, source) {
  const [is, was] = [sized(to.f), sized(source.f)];
  const alike = is && was && (is[0] === was[0] || (is[0] !== 'disc' && was[0] !== 'disc'));
  return { ...to, p: source.p, r: source.r ?? 0, f: is && alike ? { [is[0]]: was[1] } : to.f };
}

const mix = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ t) => a + (b - a) * t;

/** @param {Point} a @param {Point} b @param {number} t @returns {Point} */
const mixPoints = (a, b, t) => [mix(a[0], b[0], t), mix(a[1], b[1], t)];

/** @param {Passage} passage @param {number} t from 0 to 1 @returns {Drawn} */
export function between({ from, to }, t) {
  if (!to) {
    const last = /** @type {Shape} */ (from);
    return { ...last, o: mix(last.o ?? 0, 100, t) };
  }
  if (from === to || t >= 1) return to;
  if (!from) return { ...to, scale: 0.6 + 0.4 * t, o: mix(100, to.o ?? 0, t) };
  // A grid is replaced half-way, when what changed it has arrived.
  if (to.f.grid) return t < 0.5 && from.f.grid ? from : to;
  let turn = ((to.r ?? 0) - (from.r ?? 0)) % 360;
  if (turn > 180) turn -= 360;
  else if (turn < -180) turn += 360;
  /** @type {Drawn} */
  const shape = { ...to, p: mixPoints(from.p, to.p, t), r: (from.r ?? 0) + turn * t, o: mix(from.o ?? 0, to.o ?? 0, t) };
  const [was, is] = [sized(from.f), sized(to.f)];
  if (was && is && was[0] === is[0]) shape.f = { [is[0]]: mix(was[1], is[1], t) };
  if (from.f.line && to.f.line) shape.f = { line: [mixPoints(from.f.line[0], to.f.line[0], t), to.f.line[1]] };
  if (from.f.box && to.f.box) shape.f = { box: [mix(from.f.box[0], to.f.box[0], t), mix(from.f.box[1], to.f.box[1], t), to.f.box[2]] };
  return shape;
}

/** @param {number} t */
export const ease = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2);
