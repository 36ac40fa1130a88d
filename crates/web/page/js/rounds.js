// The bracket of a knockout, the groups before it, and the rounds of a swiss tournament.

import { el, hidden } from './dom.js';
import { plural, points } from './format.js';
import { section } from './table.js';
import { address, to } from './router.js';
/** @import {Meeting, Round} from './types.js' */

/** The parts of brackets; the game for the third place is drawn below the bracket. @type {Record<string, string>} */
const PARTS = { bracket: 'Bracket', upper: 'Upper bracket: not beaten yet', lower: 'Lower bracket: beaten once', final: 'Final' };

/** @typedef {import('./standings.js').Context} Context */

/** @param {Context} context @param {Meeting} meeting */
function link({ run, event, source }, { bots, games = [] }) {
  const [a, b] = bots;
  if (games.length === 1 && source.canSee(address('r', run, games[0]), null)) return to.gameOfRun(run, games[0]);
  return games.length && a && b ? to.games(run, { event: event.event, bot: a, opponent: b }) : null;
}

/** @param {Context} context @param {Meeting} meeting */
function box(context, meeting) {
  const { bots, scores, winner = null, bye = false } = meeting;
  if (!bots.length) return el('li', { class: 'nobody', 'aria-hidden': 'true' });
  const side = (/** @type {string | null} */ name, /** @type {number} */ index) => {
    const won = name !== null && name === winner && !bye;
    const score = bye ? el('span', { class: 'dim' }, 'bye') : el('span', { class: 'num' }, scores ? points(scores[index]) : '');
    return el('span', { class: `side-line ${won ? 'won' : ''}` }, el('span', { class: name === null ? 'dim' : '', title: name }, name ?? 'open'), won && hidden(' goes on '), score);
  };
  const content = bots.map(side);
  const href = link(context, meeting);
  const count = meeting.games?.length ?? 0;
  return el('li', { class: bye ? 'bye' : '' }, href ? el('a', { class: 'meeting', href, title: `${plural(count, 'game')} of this meeting` }, content) : el('span', { class: 'meeting' }, content));
}

/** @param {Context} context @param {Round[]} rounds @param {string} name @param {'tree' | 'list'} kind */
function strip(context, rounds, name, kind) {
  const flow = (/** @type {number} */ index) => {
    const [here, next] = [rounds[index].meetings.length, rounds[index + 1]?.meetings.length ?? 0];
    return kind === 'list' || !next ? '' : next === here ? 'straight' : 'halves';
  };
  const columns = rounds.map((round, index) => el('div', { class: `round ${flow(index)}` }, rounds.length > 1 || round.name !== name ? el('h3', {}, round.name) : null, el('ul', {}, round.meetings.map((meeting) => box(context, meeting)))));
  return el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': name }, el('div', { class: `bracket ${kind}` }, columns));
}

/** @param {Context} context @returns {HTMLElement[]} */
export function roundsOf(context) {
  const { round_list: list = [], bracket = [], rounds_left_out: missing = 0 } = context.event;
  const parts = [];
  const left = missing > 0 && el('p', { class: 'remark dim' }, `${plural(missing, 'earlier round')} are not drawn here; their games are in the list of games.`);
  if (list.length) {
    const title = list[0].part === 'groups' ? 'Groups' : 'Rounds';
    parts.push(section(title, strip(context, list, title, 'list'), left));
  }
  const third = bracket.filter(({ part }) => part === 'third');
  for (const [part, title] of Object.entries(PARTS)) {
    const rounds = bracket.filter((round) => (round.part ?? 'bracket') === part);
    if (rounds.length) parts.push(section(title, strip(context, rounds, title, 'tree'), part === 'bracket' && third.length ? strip(context, third, 'Game for the third place', 'tree') : null));
  }
  return parts;
}
