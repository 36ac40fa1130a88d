// The list of a tournament's games, with filters that are a part of its address.

import { el, fill, hidden } from './dom.js';
import { icon } from './icons.js';
import { failure, loading, showTop, showView } from './shell.js';
import { ago, date, duration, number, plain, plural, points } from './format.js';
import { table } from './table.js';
import { address, to } from './router.js';
import { eventsOf } from './run.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {GameRow} from './types.js' */

const FIELDS = ['event', 'bot', 'opponent', 'seat', 'result', 'fault', 'setup', 'min', 'max', 'from', 'before'];
const FAULTS = ['any', 'timeout', 'crash', 'illegal', 'bad-input', 'not-started', 'not-ready', 'refused', 'end-of-output', 'line-too-long', 'flood', 'early', 'extra', 'memory', 'processes', 'cpu', 'disk'];
const PAGE = '100';

/** @param {Route} route @param {Source} source @returns {View} */
export function gamesView(route, source) {
  const page = new GamesPage(route, source);
  return { update: (next) => next.page === 'games' && next.run === route.run && page.filterBy(next.query), close: () => (page.closed = true) };
}

class GamesPage {
  /** @param {Route} route @param {Source} source */
  constructor(route, source) {
    this.run = route.run;
    this.source = source;
    this.filter = route.query;
    this.closed = false;
    /** @type {GameRow[]} */
    this.rows = [];
    /** @type {import('./types.js').EventTable[]} */
    this.events = [];
    this.form = el('form', { class: 'filters card', role: 'search', 'aria-label': 'Filter', on: { submit: (/** @type {Event} */ event) => event.preventDefault(), change: () => this.changed() } });
    this.period = el('p', { class: 'pill', hidden: true });
    this.list = el('div', { class: 'card part flush' });
    this.count = el('p', { class: 'dim num', role: 'status' });
    this.node = el('div', { class: 'sheet' }, el('header', { class: 'page-head' }, el('h1', {}, 'Games'), this.count), this.form, this.list);
    showTop([{ words: 'tournament', href: to.run(route.run) }, { words: 'games' }]);
    showView(loading('Loading the games').node);
    this.start();
  }

  async start() {
    try {
      const data = await this.source.run(this.run);
      if (this.closed) return;
      showTop([{ words: data.name ?? this.run, href: to.run(this.run) }, { words: 'games' }]);
      this.events = eventsOf(data);
      this.buildForm();
      showView(this.node);
      await this.load(null);
    } catch (error) {
      if (!this.closed) showView(failure('The games cannot be listed', error, () => this.start()));
    }
  }

  buildForm() {
    const { events } = this;
    const bots = [...new Set(events.flatMap((event) => event.rows.map((row) => row.name)))];
    const seats = Math.max(2, ...events.map((event) => event.seats?.length ?? 0));
    const field = (/** @type {string} */ name, /** @type {string} */ words, /** @type {HTMLElement} */ input) => {
      input.setAttribute('name', name);
      return el('label', {}, el('span', {}, words), input);
    };
    const select = (/** @type {string} */ name, /** @type {string} */ words, /** @type {[string, string][]} */ options) => {
      const input = el('select', {}, el('option', { value: '' }, 'any'), options.map(([value, text]) => el('option', { value }, text)));
      input.value = this.filter.get(name) ?? '';
      return field(name, words, input);
    };
    const count = (/** @type {string} */ name, /** @type {string} */ words) => field(name, words, el('input', { type: 'number', min: '0', value: this.filter.get(name) ?? '' }));
    const same = (/** @type {string[]} */ names) => names.map((name) => /** @type {[string, string]} */ ([name, name]));
    const [only] = events;
    const setups = events.length === 1 ? (only.setups ?? []) : [];
    fill(this.form, events.length > 1 && select('event', 'Event', same(events.map(({ event }) => event))), select('bot', 'Bot', same(bots)), select('opponent', 'Against', same(bots)),
      select('seat', 'Seat', Array.from({ length: seats }, (_, seat) => [String(seat), String(seat + 1)])), select('result', 'Result', same(['win', 'draw', 'loss'])),
      select('fault', 'Fault', FAULTS.map((kind) => [kind, kind === 'any' ? 'any fault' : kind])), setups.length > 1 && select('setup', 'Set-up', setups.map((setup, index) => [String(index), plain(setup)])), count('min', 'Turns from'), count('max', 'to'), el('button', { type: 'button', class: 'quiet', on: { click: () => (location.hash = to.games(this.run)) } }, 'Clear'),
      el('input', { type: 'hidden', name: 'from', value: this.filter.get('from') ?? '' }), el('input', { type: 'hidden', name: 'before', value: this.filter.get('before') ?? '' }), this.period);
    this.showMeaning();
  }

  /** Some filters are about the bot that is chosen; and a time is chosen by a link alone. */
  showMeaning() {
    const field = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (this.form.elements.namedItem(name));
    const none = field('bot').value === '';
    field('seat').disabled = none;
    for (const option of field('result').options) option.hidden = none && option.value === 'loss';
    for (const [value, own, any] of [['win', 'win', 'somebody won'], ['draw', 'draw', 'a draw']]) for (const option of field('result').options) if (option.value === value) option.textContent = none ? any : own;
    const [from, before] = [this.filter.get('from'), this.filter.get('before')];
    this.period.hidden = !from && !before;
    fill(this.period, `Played ${[from && `from ${date(Number(from))}`, before && `before ${date(Number(before))}`].filter(Boolean).join(', ')}`);
  }

  /** A person has chosen something: the address changes, and the list follows it. */
  changed() {
    const data = new FormData(this.form);
    location.hash = to.games(this.run, Object.fromEntries(FIELDS.map((name) => [name, String(data.get(name) ?? '')])));
  }

  /** @param {URLSearchParams} filter */
  filterBy(filter) {
    this.filter = filter;
    for (const name of FIELDS) {
      const input = this.form.elements.namedItem(name);
      if (input instanceof HTMLSelectElement || input instanceof HTMLInputElement) input.value = filter.get(name) ?? '';
    }
    this.showMeaning();
    this.load(null);
    return true;
  }

  /** @param {number | null} after */
  async load(after) {
    const query = new URLSearchParams(this.filter);
    query.set('limit', PAGE);
    if (after !== null) query.set('after', String(after));
    const filter = this.filter;
    try {
      const page = await this.source.games(this.run, query);
      if (this.closed || filter !== this.filter) return;
      this.rows = after === null ? page.games : [...this.rows, ...page.games];
      this.count.textContent = plural(page.total, 'game');
      this.show(page.next);
    } catch (error) {
      fill(this.list, failure('The games cannot be listed', error, () => this.load(after)));
    }
  }

  /** @param {number | null} next */
  show(next) {
    if (!this.rows.length) {
      fill(this.list, el('p', { class: 'remark dim' }, 'No finished game is like that.'));
      return;
    }
    const { run, source } = this;
    const several = new Set(this.rows.map((row) => row.event)).size > 1 || this.events.length > 1;
    const best = (/** @type {GameRow} */ game) => Math.min(...(game.ranks ?? []));
    /** @type {import('./table.js').Column<GameRow>[]} */
    const columns = [
      { head: 'Game', cell: (game) => (source.canSee(address('r', run, game.n), null) ? el('a', { href: to.gameOfRun(run, game.n) }, String(game.number ?? game.n)) : String(game.number ?? game.n)) },
      ...(several ? [{ head: 'Event', text: true, class: 'wide', cell: (/** @type {GameRow} */ game) => game.event }] : []),
      { head: 'Players', text: true, cell: (game) => game.bots.map((name, seat) => el('span', { class: `player ${game.ranks?.[seat] === best(game) && game.result !== 'draw' ? 'won' : ''}` }, name, game.scores ? el('small', { class: 'dim num' }, ` ${points(game.scores[seat])}`) : null)) },
      { head: 'Result', text: true, cell: (game) => [el('span', { class: 'pill' }, game.result), game.annulled ? el('span', { class: 'pill bad' }, 'does not count') : null, game.reason ? el('span', { class: 'dim reason' }, game.reason) : null] },
      { head: 'Turns', cell: (game) => number(game.turns) },
      { head: 'Faults', cell: (game) => faultWords(game.faults) },
      { head: 'Time', class: 'wide', cell: (game) => (game.ms === undefined ? '–' : duration(game.ms * 1000)) },
      { head: 'When', class: 'wide', cell: (game) => ago(game.at) },
      { head: '', cell: (game) => download(source.download(address('r', run, game.n), 'lrz'), game.number ?? game.n) },
    ];
    const unseen = source.kind === 'file' && !this.rows.some((game) => source.canSee(address('r', run, game.n), null)) && el('p', { class: 'remark dim' }, 'None of these games is in this file to be watched.');
    fill(this.list, unseen, table('Games', columns, this.rows), next !== null && el('p', { class: 'more' }, el('button', { type: 'button', on: { click: () => this.load(next) } }, 'Show more')));
  }
}

/** @param {Record<string, number>} [faults] by kind */
function faultWords(faults = {}) {
  const kinds = Object.entries(faults);
  if (!kinds.length) return '0';
  const words = kinds.map(([kind, count]) => (count > 1 ? `${number(count)} × ${kind}` : kind)).join(', ');
  return el('span', { class: 'bad', title: words }, number(kinds.reduce((sum, [, count]) => sum + count, 0)), hidden(`: ${words}`));
}

/** @param {string | null} href @param {number} n */
function download(href, n) {
  return href ? el('a', { class: 'button quiet only', href, download: '', 'aria-label': `Download the replay of game ${n}`, title: 'Download the replay' }, icon('down')) : '';
}
