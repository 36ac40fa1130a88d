// A bot's own view: how it does against whom, in which seat, how long it thinks, and what it did wrong.

import { el } from './dom.js';
import { failure, loading, showTop, showView } from './shell.js';
import { bar, section, table } from './table.js';
import { ago, date, duration, number, percent, plain, points, signed } from './format.js';
import { to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */

/** @param {Route} route @param {Source} source @returns {View} */
export function botView(route, source) {
  const { run, name } = route;
  const event = route.query.get('event') ?? '';
  let closed = false;
  const path = (/** @type {string} */ tournament) => [{ words: tournament, href: to.run(run) }, { words: name }];
  showTop(path('tournament'));
  const load = async () => {
    showView(loading('Loading').node);
    try {
      const bot = await source.bot(run, name, event);
      if (closed) return;
      showTop(path(await source.nameOfRun(run)));
      showView(page(run, name, event, bot));
    } catch (error) {
      if (!closed) showView(failure('This bot cannot be shown', error, load));
    }
  };
  load();
  return { update: () => false, close: () => (closed = true) };
}

/** @param {string} run @param {string} name @param {string} event @param {any} bot */
function page(run, name, event, bot) {
  const about = bot.about ?? {};
  const words = [about.name && about.name !== name ? about.name : '', about.version ? `version ${about.version}` : '', about.author ? `by ${about.author}` : '', about.country ?? ''].filter(Boolean).join(', ');
  const games = (/** @type {Record<string, string | number | undefined>} */ filter) => to.games(run, { event, bot: name, ...filter });
  return el('div', { class: 'sheet' },
    el('header', { class: 'run-head' }, el('div', { class: 'title-line' }, el('h1', {}, name), el('span', { class: 'grow' }), el('a', { class: 'button', href: games({}) }, 'Its games')), el('p', { class: 'dim' }, [words, bot.bot ?? bot.command].filter(Boolean).join(' · '))),
    figures(bot, games),
    el('div', { class: 'parts' }, [
      scores('Against', 'Opponent', bot.opponents, (row) => row.name, (row, result) => games({ opponent: row.name, result })),
      scores('By seat', 'Seat', bot.seats, (row) => String(row.seat + 1), (row, result) => games({ seat: row.seat, result })),
      scores('By set-up', 'Set-up', bot.setups, (row) => plain(row.setup) || 'as the game has it', (row, result) => games({ setup: row.index, result })),
      histogram(bot.times ?? bot.histogram),
      faults(bot.faults, games), versions(bot.versions, games), entries(bot.entries),
    ].filter((node) => node !== null)));
}

/** The most telling numbers in a row. @param {any} bot @param {(filter: Record<string, string | number | undefined>) => string} games */
function figures(bot, games) {
  const { row } = bot;
  if (!row) return null;
  const figure = (/** @type {string} */ what, /** @type {string} */ value, /** @type {string} */ note = '', /** @type {string} */ href = '') => el('div', {}, el('dt', {}, what), el('dd', { class: 'num' }, href ? el('a', { href }, value) : value, note && el('small', { class: 'dim' }, note)));
  return el('dl', { class: 'figures-row card' },
    row.rank !== undefined && figure('Rank', String(row.rank)),
    row.points !== undefined && figure('Points', points(row.points)),
    figure('Games', number(row.games), '', games({})),
    figure('Won', number(row.wins), '', games({ result: 'win' })), figure('Drawn', number(row.draws), '', games({ result: 'draw' })), figure('Lost', number(row.losses), '', games({ result: 'loss' })),
    typeof row.rating === 'number' && figure('Rating', number(row.rating), ` ± ${number(row.rating_error)}`),
    row.time && figure('Mean time', duration(row.time.mean_ms * 1000)), row.time && figure('Slowest', duration(row.time.slowest_ms * 1000)));
}

/** @param {string} title @param {string} head @param {any[] | undefined} rows @param {(row: any) => string} name @param {(row: any, result?: string) => string} link to all of its games there, or those with a result */
function scores(title, head, rows, name, link) {
  if (!rows?.length) return null;
  const share = (/** @type {any} */ row) => row.score ?? (row.games ? (row.wins + row.draws / 2) / row.games : null);
  /** @type {import('./table.js').Column<any>[]} */
  const columns = [
    { head, text: true, cell: (row) => el('a', { href: link(row) }, name(row)) },
    { head: 'Games', cell: (row) => number(row.games) },
    ...[['W', 'wins', 'win'], ['D', 'draws', 'draw'], ['L', 'losses', 'loss']].map(([head, field, result]) => ({ head, title: result, cell: (/** @type {any} */ row) => (row[field] ? el('a', { href: link(row, result) }, number(row[field])) : '0') })),
    { head: 'Score', cell: (row) => percent(share(row)) }, { head: '', class: 'bar-cell', cell: (row) => bar(share(row) ?? 0) },
    ...(rows.some((row) => typeof row.elo === 'number') ? [{ head: 'Elo', cell: (/** @type {any} */ row) => signed(row.elo) }] : []),
  ];
  const part = section(title, table(title, columns, rows));
  part.classList.toggle('whole', rows.length > 8);
  return part;
}

/** @param {any} bucket @returns {number} */
const count = (bucket) => bucket.answers ?? bucket.count ?? 0;

/** How long answers took: columns from quick to slow. @param {any} times */
function histogram(times) {
  const buckets = (Array.isArray(times) ? times : times?.buckets ?? []).filter((/** @type {any} */ bucket) => count(bucket) > 0);
  if (!buckets.length) return null;
  const most = Math.max(...buckets.map(count));
  const end = (/** @type {any} */ bucket) => bucket.to_us ?? bucket.to_ms * 1000;
  // More labels than this would stand on each other.
  const every = Math.ceil(buckets.length / 8);
  const columns = buckets.map((/** @type {any} */ bucket, /** @type {number} */ index) => {
    const node = el('li', { title: `${number(count(bucket))} answers up to ${duration(end(bucket))}` }, el('span', { class: 'column' }), index % every ? null : el('small', { 'aria-hidden': 'true' }, duration(end(bucket))), el('span', { class: 'sr' }, `up to ${duration(end(bucket))}: ${number(count(bucket))} answers`));
    /** @type {HTMLElement} */ (node.firstElementChild).style.height = `${Math.max(1.5, (count(bucket) / most) * 100)}%`;
    return node;
  });
  return section('Time of its answers', el('ol', { class: 'histogram num', 'aria-label': 'Answers by time' }, columns));
}

/** @param {Record<string, number> | undefined} kinds @param {(filter: Record<string, string | number | undefined>) => string} games */
function faults(kinds, games) {
  const rows = Object.entries(kinds ?? {});
  if (!rows.length) return section('Faults', el('p', { class: 'remark dim' }, 'It has made none.'));
  const most = Math.max(...rows.map(([, count]) => count));
  return section('Faults', table('Faults by kind', [
    { head: 'Kind', text: true, cell: ([kind]) => el('a', { href: games({ fault: kind }) }, kind) }, { head: 'Number', cell: ([, count]) => number(count) }, { head: '', class: 'bar-cell', cell: ([, count]) => bar(count / most, 'bad') },
  ], rows));
}

/** What it was from one change of its files to the next. @param {any[] | undefined} list @param {(filter: Record<string, string | number | undefined>) => string} games */
function versions(list, games) {
  if (!list?.length) return null;
  return section('Versions', table('Versions', [
    { head: 'Since', text: true, cell: (row) => (row.from ? date(row.from) : 'it was entered') },
    { head: 'Calls itself', text: true, cell: (row) => row.version ?? '–' },
    { head: 'Games', cell: (row) => (row.games ? el('a', { href: games({ from: row.from, before: row.before }) }, number(row.games)) : '0') },
    { head: 'Why it was accepted', text: true, class: 'wide', cell: (row) => row.reason || '–' },
  ], list), el('p', { class: 'remark dim' }, 'A bot whose files have changed plays on only after somebody has accepted the change.'));
}

/** What was decided about it. @param {any[] | undefined} list */
function entries(list) {
  if (!list?.length) return null;
  return section('Decisions', el('ul', { class: 'links' }, list.map((entry) => el('li', {}, entry.words ?? entry.do, entry.reason ? el('span', { class: 'dim' }, ` ${entry.reason}`) : null, el('span', { class: 'dim' }, ` ${ago(entry.made)}`)))));
}
