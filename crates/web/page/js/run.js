// The view of a tournament: how it stands, what is under way, and everything its events say.

import { el } from './dom.js';
import { icon } from './icons.js';
import { failure, loading, showTop, showView } from './shell.js';
import { ago, number, percent, plural, points, span } from './format.js';
import { bar, renew, section, table } from './table.js';
import { crossTable, faultTable, seatTable, standings, terms, timeTable } from './standings.js';
import { LiveBoards } from './liveboards.js';
import { roundsOf } from './rounds.js';
import { address, to } from './router.js';
import { workerSection } from './workers.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {EventTable} from './types.js' */

const REFRESH_MS = 3000;
const MOST_FAULTS = 10;
const MOST_BOARDS = 8;
const RETRY_MS = 400;
const MOST_TRIES = 5;

/** @param {Route} route @param {Source} source @returns {View} */
export function runView(route, source) {
  const page = new RunPage(route, source);
  return {
    update: (next) => next.page === 'run' && next.run === route.run && page.choose(next.query.get('event') ?? ''),
    close: () => page.close(),
  };
}

/** @param {any} data @returns {EventTable[]} */
export function eventsOf(data) {
  const events = data.events ?? (data.rows ? [data] : []);
  return events.filter((/** @type {any} */ event) => event.rows);
}

class RunPage {
  /** @param {Route} route @param {Source} source */
  constructor(route, source) {
    this.run = route.run;
    this.source = source;
    this.event = route.query.get('event') ?? '';
    this.timer = 0;
    this.closed = false;
    this.tries = 0;
    this.shown = '';
    /** @type {any} */
    this.data = null;
    this.head = el('header', { class: 'run-head' });
    this.body = el('div', { class: 'parts' });
    this.live = new LiveBoards(MOST_BOARDS, route.run);
    this.node = el('div', { class: 'sheet run' }, this.head, this.live.node, this.body);
    showTop([{ words: 'tournament' }]);
    showView(loading('Loading the tournament').node);
    this.load(true);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.live.close();
  }

  /** @param {boolean} first */
  async load(first) {
    try {
      this.data = await this.source.run(this.run);
      if (this.closed) return;
      if (first) showView(this.node);
      this.show();
    } catch (error) {
      if (this.closed) return;
      // It may be about to begin.
      if (first && /** @type {any} */ (error).status === 404 && this.tries < MOST_TRIES) {
        this.tries += 1;
        this.timer = setTimeout(() => this.load(true), RETRY_MS);
        return;
      }
      if (first) showView(failure('This tournament cannot be shown', error, () => this.load(true)));
    }
    if (!this.closed && this.source.kind === 'server' && this.data?.state === 'running') this.timer = setTimeout(() => this.load(false), REFRESH_MS);
  }

  /** @param {string} event */
  choose(event) {
    this.event = event;
    if (this.data) this.show();
    return true;
  }

  show() {
    const { data, run } = this;
    if (data.state === 'running' && this.source.kind === 'server') this.live.watch();
    const events = eventsOf(data);
    const event = events.find(({ event }) => event === this.event) ?? (data.overall?.length && !this.event ? null : events[0]);
    // What has not changed is not drawn again: nothing moves, no focus is lost.
    const text = JSON.stringify([data, event?.event]);
    if (text === this.shown) return;
    this.shown = text;
    showTop([{ words: data.name ?? run }]);
    renew(this.head, [this.title(events), ...(events.length > 1 ? [this.tabs(events, event?.event ?? '')] : [])]);
    const context = event && { run, event, source: this.source };
    renew(this.body, [
      ...this.problems(),
      ...(context ? [standings(context), ...roundsOf(context), crossTable(context), timeTable(context), seatTable(context), faultTable(context)] : events.length ? [overall(run, data)] : [section('Standings', el('p', { class: 'remark dim' }, 'No game has been finished yet.'))]),
      ...this.recent(), this.tests(), this.decisions(), ...(context ? [terms(context)] : []),
    ].filter((node) => node !== null));
  }

  /** @param {EventTable[]} events */
  title(events) {
    const { data, run } = this;
    const played = data.schedule?.played ?? events.reduce((sum, event) => sum + event.games, 0);
    const planned = data.schedule?.left !== undefined && data.schedule?.left !== null ? played + data.schedule.left : events.every((event) => event.scheduled) ? events.reduce((sum, event) => sum + (event.scheduled ?? 0), 0) : null;
    const running = data.state === 'running';
    const state = running ? el('span', { class: 'pill live' }, icon('live'), 'running') : el('span', { class: 'pill' }, data.state ?? 'finished');
    const under = data.schedule?.under_way ?? [];
    const facts = [planned && planned !== played ? `${number(played)} of ${plural(planned, 'game')}` : plural(played, 'game'), running && data.rate ? `${number(data.rate, 1)} games a second` : '', running && data.seconds_left ? `about ${span(data.seconds_left)} left` : '', under.length ? `${under.length} under way` : '', !running && events[0]?.played ? `played ${ago(events[0].played.to)}` : ''].filter(Boolean);
    const progress = planned && played < planned ? bar(played / planned, 'progress-line') : null;
    return el('div', {}, el('div', { class: 'title-line' }, el('h1', {}, data.name ?? run), state, el('span', { class: 'grow' }), el('a', { class: 'button', href: to.games(run) }, 'All games')),
      el('p', { class: 'dim num' }, facts.join(' · ')), progress);
  }

  /** @param {EventTable[]} events @param {string} current */
  tabs(events, current) {
    const tab = (/** @type {string} */ words, /** @type {string} */ event) => el('a', { href: event ? `${to.run(this.run)}?event=${encodeURIComponent(event)}` : to.run(this.run), 'aria-current': event === current ? 'page' : null }, words);
    return el('nav', { class: 'tabs', 'aria-label': 'Events' }, this.data.overall?.length ? tab('Overall', '') : null, events.map((event) => tab(event.event, event.event)));
  }

  problems() {
    return [...(this.data.errors ?? []), ...(this.data.error ? [this.data.error] : [])].map((words) => el('p', { class: 'fault' }, icon('fault'), String(words)));
  }

  tests() {
    const tests = this.data.tests ?? [];
    if (!tests.length) return null;
    return section('Sequential tests', el('ul', { class: 'links' }, tests.map((/** @type {any} */ test) => {
      const name = typeof test === 'string' ? test : (test.name ?? test.event);
      return el('li', {}, el('a', { href: to.test(this.run, name) }, name), test.verdict ? el('span', { class: 'dim' }, ` ${test.verdict}`) : null);
    })));
  }

  /** What was decided while it went on. */
  decisions() {
    const entries = this.data.entries ?? [];
    if (!entries.length) return null;
    const words = (/** @type {any} */ entry) => entry.words ?? [entry.do, entry.bot, entry.event && `(${entry.event})`].filter(Boolean).join(' ');
    return section('Decisions', el('ol', { class: 'links' }, entries.map((/** @type {any} */ entry) => el('li', { value: entry.number }, words(entry), entry.reason ? el('span', { class: 'dim' }, ` ${entry.reason}`) : null, el('span', { class: 'dim' }, ` ${ago(entry.made)}`)))));
  }

  /** What is under way and what went wrong last. */
  recent() {
    const { run, data } = this;
    const under = data.schedule?.under_way ?? [];
    const faults = data.faults ?? [];
    const several = eventsOf(data).length > 1;
    const linked = (/** @type {string} */ game, /** @type {number | undefined} */ step, /** @type {string} */ words) => (this.source.canSee(game, null) ? el('a', { href: to.game(game, { step }) }, words) : words);
    const line = (/** @type {any} */ fault) => el('li', {}, linked(address('r', run, fault.n), fault.step, `${several && fault.event ? `${fault.event}, ` : ''}game ${fault.number ?? fault.n}${fault.step ? `, step ${fault.step}` : ''}`), ' ', el('b', {}, fault.bot ?? ''), ' ', el('span', { class: 'pill bad' }, fault.kind, fault.count > 1 ? ` × ${number(fault.count)}` : ''), fault.words && fault.words !== fault.kind ? el('span', { class: 'dim' }, ` ${fault.words}`) : null);
    const now = (/** @type {any} */ game) => el('li', {}, game.live ? el('a', { href: to.live(game.live) }, (game.bots ?? []).join(' – ')) : (game.bots ?? []).join(' – '), el('span', { class: 'dim' }, ` ${game.event ?? ''}${game.worker ? ` on ${game.worker}` : ''}`));
    const parts = [under.length ? section('Under way', el('ul', { class: 'links' }, under.map(now))) : null, workerSection(data.schedule?.workers ?? [], several), faults.length ? section('Last faults', el('ul', { class: 'links' }, faults.slice(0, MOST_FAULTS).map(line)), faults.length > MOST_FAULTS && el('p', { class: 'remark' }, el('a', { href: to.games(run, { fault: 'any' }) }, 'All games with faults'))) : null];
    return parts.filter((part) => part !== null);
  }
}

/** The table over all events. @param {string} run @param {any} data */
function overall(run, data) {
  const names = eventsOf(data).map(({ event }) => event);
  /** @type {import('./table.js').Column<any>[]} */
  const columns = [
    { head: 'Bot', text: true, class: 'bot', cell: (row) => [el('span', { class: 'rank num' }, row.rank), el('span', { class: 'who' }, el('a', { href: to.bot(run, row.name) }, row.name))] },
    { head: 'Points', cell: (row) => el('b', {}, points(row.points)) }, { head: 'Firsts', cell: (row) => row.firsts },
    ...names.map((name) => ({ head: name, cell: (/** @type {any} */ row) => (row.places?.[name] ? el('a', { href: to.bot(run, row.name, name) }, row.places[name]) : '–') })),
    { head: 'Games', cell: (row) => el('a', { href: to.games(run, { bot: row.name }) }, number(row.games)) }, { head: 'Score', cell: (row) => percent(row.games ? (row.wins + row.draws / 2) / row.games : null) },
  ];
  return section('Overall', table('Overall standings', columns, data.overall), el('p', { class: 'remark dim' }, 'Points: the share of the others that a bot is ahead of in each event, added up. The columns of the events are places.'));
}

