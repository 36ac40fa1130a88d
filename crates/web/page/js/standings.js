// Tables of an event: standings, cross table, seats, time, faults. Every figure leads to the games behind it.

import { el, hidden } from './dom.js';
import { bar, interval, section, table } from './table.js';
import { duration, number, percent, plain, plural, points, probability, signed } from './format.js';
import { to } from './router.js';
/** @import {EventTable, Row, Pair} from './types.js' */

/** @typedef {{run: string, event: EventTable, source: import('./source.js').Source}} Context */

/** @param {Context} context @param {Record<string, string | number | undefined>} filter @param {string | number} words */
const gamesLink = ({ run, event }, filter, words) => el('a', { href: to.games(run, { event: event.event, ...filter }) }, String(words));

/** More bots than this make the columns of a cross table narrow. */
const WIDE_NAMES = 10;

/** @param {Row} row */
const faultCount = (row) => Object.values(row.faults ?? {}).reduce((sum, count) => sum + count, 0);

/** @param {Context} context */
export function standings(context) {
  const { run, event } = context;
  const { rows } = event;
  const rated = rows.filter((row) => row.rating !== null && row.rating !== undefined);
  const scale = { low: Math.min(...rated.map((row) => (row.rating ?? 0) - (row.rating_error ?? 0))), high: Math.max(...rated.map((row) => (row.rating ?? 0) + (row.rating_error ?? 0))) };
  const result = (/** @type {string} */ head, /** @type {'wins' | 'draws' | 'losses'} */ field, /** @type {string} */ name) => ({ head, title: name, cell: (/** @type {Row} */ row) => (row[field] ? gamesLink(context, { bot: row.name, result: name }, row[field]) : '0') });
  /** @type {import('./table.js').Column<Row>[]} */
  const columns = [
    { head: 'Bot', text: true, class: 'bot', cell: (row) => [el('span', { class: 'rank num' }, row.rank), el('span', { class: 'who' }, el('a', { href: to.bot(run, row.name, event.event) }, row.name), row.about?.version ? el('small', { class: 'dim' }, row.about.version) : null, row.left ? el('small', { class: 'pill bad' }, row.left) : null, row.reached ? el('small', { class: 'dim' }, row.reached) : null)] },
    { head: 'Points', cell: (row) => el('b', {}, points(row.points)) },
    { head: 'Games', cell: (row) => gamesLink(context, { bot: row.name }, number(row.games)) },
    result('W', 'wins', 'win'), result('D', 'draws', 'draw'), result('L', 'losses', 'loss'),
  ];
  if (event.tie_break_name) columns.push({ head: event.tie_break_name, class: 'wide', cell: (row) => number(row.tie_break, 1) });
  if (rated.length) {
    columns.push({ head: 'Rating', title: 'Elo with its 95 % interval', cell: (row) => [number(row.rating), el('small', { class: 'dim' }, row.anchored ? ' given' : ` ± ${number(row.rating_error)}`)] });
    columns.push({ head: '', class: 'wide bar-cell', cell: (row) => (typeof row.rating === 'number' ? interval(row.rating, row.rating_error ?? 0, scale) : '') });
  }
  columns.push({ head: 'Faults', cell: (row) => (faultCount(row) ? gamesLink(context, { bot: row.name, fault: 'any' }, number(faultCount(row))) : '0') });
  return section('Standings', table('Standings', columns, rows), remarks(event.remarks ?? event.notes ?? []));
}

/** What the tables do not say. @param {string[]} lines */
function remarks(lines) {
  return lines.length ? el('ul', { class: 'remarks dim' }, lines.map((line) => el('li', {}, line))) : null;
}

/** @param {Context} context */
export function crossTable(context) {
  const { run, event } = context;
  const names = event.rows.map((row) => row.name);
  if (!event.pairs?.length || names.length > 40) return null;
  /** @type {Map<string, Pair>} */
  const pairs = new Map();
  for (const pair of event.pairs) {
    pairs.set(`${pair.a}\n${pair.b}`, pair);
    pairs.set(`${pair.b}\n${pair.a}`, { ...pair, a: pair.b, b: pair.a, wins: pair.losses, losses: pair.wins, score: 1 - pair.score, superiority: pair.superiority === null ? null : 1 - pair.superiority });
  }
  // Many columns have numbers instead of names, and cells one figure.
  const dense = names.length > WIDE_NAMES;
  const cell = (/** @type {string} */ a, /** @type {string} */ b) => {
    if (a === b) return el('td', { class: 'self' });
    const pair = pairs.get(`${a}\n${b}`);
    if (!pair || !pair.games) return el('td', { class: 'dim' }, '·');
    const words = `${a} against ${b}: ${pair.wins} won, ${pair.draws} drawn, ${pair.losses} lost${pair.superiority === null ? '' : `; the stronger one with a probability of ${probability(pair.superiority, 1)}`}`;
    const node = el('td', { title: words }, el('a', { href: to.games(run, { event: event.event, bot: a, opponent: b }), 'aria-label': `${words} – its games` }, dense ? String(Math.round(pair.score * 100)) : [percent(pair.score), el('small', {}, probability(pair.superiority))]));
    node.style.setProperty('--score', String(Math.round((pair.score - 0.5) * 200)));
    node.classList.add(pair.score >= 0.5 ? 'up' : 'down');
    return node;
  };
  const head = el('tr', {}, el('th', { scope: 'col', class: 'text' }, 'Score of'), names.map((name, index) => el('th', { scope: 'col', title: name }, dense ? [String(index + 1), hidden(` ${name}`)] : name)));
  const rows = names.map((a, index) => el('tr', {}, el('th', { scope: 'row', class: 'text', title: a }, dense ? el('span', { class: 'rank num' }, String(index + 1)) : null, a), names.map((b) => cell(a, b))));
  return section('Cross table', el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Cross table' }, el('table', { class: `cross num ${dense ? 'dense' : ''}` }, el('caption', { class: 'sr' }, 'Score of each bot against each other'), el('thead', {}, head), el('tbody', {}, rows))),
    el('p', { class: 'remark dim' }, dense ? 'The share of points of the row against the column, in percent.' : 'Large: the share of points of the row against the column. Small: the probability that the row is the stronger one.'));
}

/** @param {Context} context */
export function seatTable(context) {
  const { event } = context;
  if (!event.seats?.length) return null;
  /** @type {import('./table.js').Column<NonNullable<EventTable['seats']>[number]>[]} */
  const columns = [
    { head: 'Seat', text: true, cell: (seat) => gamesLink(context, {}, `${seat.seat + 1}`) },
    { head: 'Score', cell: (seat) => percent(seat.score, 1) },
    { head: '', class: 'bar-cell', cell: (seat) => bar(seat.score ?? 0) },
    { head: 'Elo', title: 'what the seat is worth', cell: (seat) => (seat.elo === null ? '–' : [signed(seat.elo), el('small', { class: 'dim' }, ` ± ${number(seat.elo_error)}`)]) },
  ];
  return section('Seats', table('What seats are worth', columns, event.seats), typeof event.draw_rate === 'number' && el('p', { class: 'remark dim' }, `${percent(event.draw_rate, 1)} of the games were drawn.`));
}

/** @param {Context} context */
export function timeTable(context) {
  const { run, event } = context;
  const rows = event.rows.filter((row) => row.time);
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => row.time?.slowest_ms ?? 0), 0.001);
  const ms = (/** @type {number | undefined} */ value) => duration(value === undefined ? undefined : value * 1000);
  /** @type {import('./table.js').Column<Row>[]} */
  const columns = [
    { head: 'Bot', text: true, cell: (row) => el('a', { href: to.bot(run, row.name, event.event) }, row.name) },
    { head: 'Moves', class: 'wide', cell: (row) => number(row.moves) },
    { head: 'Mean', cell: (row) => ms(row.time?.mean_ms) },
    { head: '99 %', title: 'of the answers were no slower', cell: (row) => ms(row.time?.p99_ms) },
    { head: 'Slowest', cell: (row) => ms(row.time?.slowest_ms) },
    { head: '', class: 'bar-cell wide', cell: (row) => bar(Math.sqrt((row.time?.slowest_ms ?? 0) / most)) },
    { head: 'CPU', title: 'processor time, mean', cell: (row) => ms(row.time?.cpu_ms) },
  ];
  const part = section('Time', table('Time of answers', columns, rows));
  part.classList.add('whole');
  return part;
}

/** @param {Context} context */
export function faultTable(context) {
  const { event } = context;
  const rows = event.rows.filter((row) => faultCount(row) > 0);
  const kinds = [...new Set(rows.flatMap((row) => Object.keys(row.faults ?? {})))].sort();
  if (!rows.length) return section('Faults', el('p', { class: 'remark dim' }, 'No bot has made any.'));
  /** @type {import('./table.js').Column<Row>[]} */
  const columns = [
    { head: 'Bot', text: true, cell: (row) => row.name },
    ...kinds.map((kind) => ({ head: kind, cell: (/** @type {Row} */ row) => (row.faults?.[kind] ? gamesLink(context, { bot: row.name, fault: kind }, number(row.faults[kind])) : '') })),
  ];
  return section('Faults', table('Faults by kind', columns, rows));
}

/** Numbers beyond 53 bits come out wrong here, and a wrong seed is worse than none. @param {string | number | undefined} seed */
const exact = (seed) => (typeof seed === 'number' && !Number.isSafeInteger(seed) ? '' : seed);

/** How the event is played. @param {Context} context */
export function terms({ event }) {
  const { clock, adjudication } = event;
  const early = adjudication && Object.entries(adjudication).filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', ');
  const clockWords = event.clock_words ?? (clock && (typeof clock === 'string' ? clock : [clock.move_ms && `${clock.move_ms} ms a move`, clock.match_ms && `${clock.match_ms} ms a game`, clock.charge && `${clock.charge} time`].filter(Boolean).join(', ')));
  const lines = [['Game', event.game], ['Format', event.format], ['Clock', clockWords], ['Ended early', early], ['Seed', exact(event.seed)], ...(event.setups ?? []).map((setup, index, all) => [all.length > 1 ? `Set-up ${index + 1}` : 'Set-up', plain(setup) || 'as the game has it']),
    ['Played', event.played && `${event.played.from.replace('T', ' ').replace('Z', '')} to ${event.played.to.replace('T', ' ').replace('Z', '')} (UTC)`],
    ['Protection', event.tiers && Object.entries(event.tiers).map(([tier, games]) => `tier ${tier} in ${plural(games, 'game')}`).join(', ')]];
  return section('Terms', el('dl', { class: 'terms' }, lines.filter(([, value]) => value !== undefined && value !== null && value !== '').flatMap(([name, value]) => [el('dt', {}, String(name)), el('dd', {}, String(value))])));
}
