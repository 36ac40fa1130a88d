// The bracket of a knockout and the rounds of a swiss tournament.

import { el } from './dom.js';
import { section } from './table.js';
import { to } from './router.js';
/** @import {EventTable, Meeting} from './types.js' */

/** @typedef {{round?: number | null, name?: string, meetings?: Meeting[], games?: Meeting[]}} Round */

/** @param {string} run @param {EventTable} event @param {Meeting} meeting */
function box(run, event, meeting) {
  const [a = null, b = null] = meeting.bots;
  const line = (/** @type {string | null} */ name, /** @type {number} */ index) => el('span', { class: `side-line ${meeting.winner === name && name !== null ? 'won' : ''}` }, el('span', { class: name === null ? 'dim' : '' }, name ?? 'open'), el('span', { class: 'num' }, meeting.scores?.[index] ?? ''));
  const content = [line(a, 0), meeting.bots.length > 1 ? line(b, 1) : null, meeting.bots.slice(2).map((name, index) => line(name, index + 2))].flat();
  const first = meeting.games?.[0];
  const href = meeting.games?.length === 1 && first !== undefined ? to.gameOfRun(run, first) : a && b ? to.games(run, { event: event.event, bot: a, opponent: b }) : null;
  return el('li', {}, href ? el('a', { class: 'meeting', href }, content) : el('span', { class: 'meeting' }, content));
}

/** @param {string} run @param {EventTable} event @param {Round[]} rounds @param {string} title */
function columns(run, event, rounds, title) {
  const list = rounds.map((round, index) => el('div', { class: 'round' }, el('h3', {}, round.name ?? `Round ${round.round ?? index + 1}`), el('ul', {}, (round.meetings ?? round.games ?? []).map((meeting) => box(run, event, meeting)))));
  return section(title, el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': title }, el('div', { class: title === 'Bracket' ? 'bracket' : 'bracket rounds' }, list)));
}

/** @param {string} run @param {any} event @returns {HTMLElement | null} */
export function roundsOf(run, event) {
  if (event.bracket?.length) return columns(run, event, event.bracket, 'Bracket');
  if (event.round_list?.length) return columns(run, event, event.round_list, 'Rounds');
  return null;
}
