// Where two films of the same game part.

/** @import {Film} from './film.js' */

/** @param {Film} left @param {Film} right @returns {{first: number | null, why: string}} */
export function firstDifference(left, right) {
  if (left.head.game !== right.head.game) return { first: 0, why: 'they are different games' };
  if (JSON.stringify(left.head.scene) !== JSON.stringify(right.head.scene)) return { first: 0, why: 'they begin differently' };
  const moves = (/** @type {Film} */ film, /** @type {number} */ at) => JSON.stringify((film.step(at)?.moves ?? []).map((move) => [move.seat, move.actor, move.text]));
  const shortest = Math.min(left.length, right.length);
  for (let at = 1; at <= shortest; at++) if (moves(left, at) !== moves(right, at)) return { first: at, why: 'the moves differ' };
  if (left.length !== right.length) return { first: shortest, why: 'one of them goes on' };
  return { first: null, why: 'they went the same way' };
}
