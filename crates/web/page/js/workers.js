// What the workers of a cluster play at this moment.

import { el } from './dom.js';
import { plural } from './format.js';
import { section } from './table.js';

/** @typedef {{name: string, games: number, playing: {event: string, bots: string[]}[]}} Worker */

/** What is on which worker; null if no cluster plays. @param {Worker[]} workers @param {boolean} several whether there are several events */
export function workerSection(workers, several) {
  if (!workers.length) return null;
  const game = (/** @type {{event: string, bots: string[]}} */ { event, bots }) => bots.join(' – ') + (several ? ` (${event})` : '');
  const line = (/** @type {Worker} */ worker) => el('li', {}, el('b', {}, worker.name), ' ', worker.playing.length ? worker.playing.map(game).join(', ') : el('span', { class: 'dim' }, 'preparing'), worker.games > worker.playing.length ? el('span', { class: 'dim' }, ` and ${plural(worker.games - worker.playing.length, 'more game')} waiting there`) : null);
  return section('On workers', el('ul', { class: 'links' }, workers.map(line)), el('p', { class: 'remark dim' }, 'Workers say every few seconds what they have. The games that they play can be watched above like all others.'));
}
