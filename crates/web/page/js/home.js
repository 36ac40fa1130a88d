// The first view: games that are being played, tournaments, replays. Where there is none, it says how to get one.

import { el, fill } from './dom.js';
import { icon } from './icons.js';
import { ago, plural, list } from './format.js';
import { command, failure, loading, showTop, showView } from './shell.js';
import { LiveBoards } from './liveboards.js';
import { to } from './router.js';
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {Index, RunEntry, ReplayEntry} from './types.js' */

const REFRESH_MS = 5000;
const MOST_BOARDS = 12;
const FIRST_REPLAYS = 60;

/** @param {import('./router.js').Route} _route @param {Source} source @returns {View} */
export function homeView(_route, source) {
  const page = new Home(source);
  return { update: (next) => next.page === 'home', close: () => page.close() };
}

class Home {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.timer = 0;
    this.closed = false;
    this.live = new LiveBoards(MOST_BOARDS);
    this.runs = el('section', { 'aria-labelledby': 'runs-title' });
    this.replays = el('section', { 'aria-labelledby': 'replays-title' });
    this.folder = el('p', { class: 'dim' });
    this.leftOut = el('p', { class: 'dim', hidden: true });
    const play = source.kind === 'server' ? el('a', { class: 'button', href: to.play() }, 'Play') : null;
    this.node = el('div', { class: 'sheet home' }, el('header', { class: 'page-head' }, el('h1', {}, 'Arena'), this.folder, play), this.live.node, this.runs, this.replays, this.leftOut);
    this.shownRuns = '';
    this.shownReplays = '';
    this.wanted = '';
    this.all = false;
    /** @type {ReplayEntry[]} */
    this.older = [];
    showTop([]);
    showView(loading('Loading').node);
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
      const index = await this.source.index();
      if (this.closed) return;
      if (first) showView(this.node);
      this.show(index);
    } catch (error) {
      if (first && !this.closed) showView(failure('The list cannot be shown', error, () => this.load(true)));
    }
    if (!this.closed && this.source.kind === 'server') this.timer = setTimeout(() => this.load(false), REFRESH_MS);
  }

  /** @param {Index} index */
  show(index) {
    fill(this.folder, index.folder && ['in ', el('code', {}, index.folder)]);
    const missing = [index.left_out ?? []].flat().map(String);
    this.leftOut.hidden = !missing.length;
    fill(this.leftOut, missing.length ? `Not listed: ${missing.join('; ')}. A folder further down shows the rest.` : '');
    // Only a server that lists live games has a line for them; that knows better than a list that is some seconds old.
    if (index.live && !this.live.unwatch) this.live.show(index.live);
    if (index.live) this.live.watch();
    // What has not changed is not built again, so that nothing moves and no focus is lost.
    if (this.shownRuns !== JSON.stringify(index.runs)) {
      this.shownRuns = JSON.stringify(index.runs);
      fill(this.runs, heading('runs-title', 'Tournaments', index.runs.length), index.runs.length ? el('ul', { class: 'entries card' }, index.runs.map(runRow)) : empty('No tournament here yet.', 'A tournament is a file; play it, and it appears here.', 'lanista run cup.toml'));
    }
    if (this.shownReplays !== JSON.stringify(index.replays)) {
      this.shownReplays = JSON.stringify(index.replays);
      this.showReplays(index.replays, index.replays_total ?? index.replays.length);
    }
  }

  /** @param {ReplayEntry[]} first those that changed last @param {number} total */
  showReplays(first, total) {
    const replays = [...first, ...this.older.filter((old) => !first.some((replay) => replay.id === old.id))];
    const rows = el('ul', { class: 'entries card' });
    const none = el('p', { class: 'dim', hidden: true }, 'None of them is like that.');
    const more = el('button', { type: 'button', on: { click: () => { this.all = true; draw(); } } });
    const older = el('button', { type: 'button', on: { click: () => this.loadOlder(first, replays.length, total) } });
    const draw = () => {
      const words = this.wanted.toLowerCase().split(/\s+/);
      const found = replays.filter((replay) => words.every((word) => `${replay.path} ${replay.game} ${replay.bots.join(' ')} ${replay.result}`.toLowerCase().includes(word)));
      const shown = this.all ? found : found.slice(0, FIRST_REPLAYS);
      fill(rows, shown.map(replayRow));
      rows.hidden = found.length === 0;
      none.hidden = found.length > 0;
      more.hidden = shown.length === found.length;
      more.textContent = `Show all ${found.length}`;
      older.hidden = !more.hidden || replays.length >= total;
      older.textContent = `Load older ones (${total - replays.length} more)`;
    };
    const search = el('input', { type: 'search', placeholder: 'Find a replay', 'aria-label': 'Find a replay', value: this.wanted, on: { input: () => { this.wanted = search.value; draw(); } } });
    const head = heading('replays-title', 'Replays', total);
    if (replays.length > 8) head.append(search);
    fill(this.replays, head, replays.length ? [rows, none, more, older] : empty('No replay here yet.', 'Games that are played by themselves are kept as replays; those of tournaments are on the pages of the tournaments.', 'lanista play --help'));
    if (replays.length) draw();
  }

  /** @param {ReplayEntry[]} first @param {number} from @param {number} total */
  async loadOlder(first, from, total) {
    const { replays } = await this.source.index(from).catch(() => ({ replays: /** @type {ReplayEntry[]} */ ([]) }));
    this.older.push(...replays);
    this.all = true;
    if (!this.closed) this.showReplays(first, total);
  }
}

/** @param {string} id @param {string} words @param {number | null} count */
function heading(id, words, count) {
  return el('div', { class: 'section-head' }, el('h2', { id }, words, count ? el('span', { class: 'count num' }, String(count)) : null));
}

/** @param {string} title @param {string} words @param {string} typed */
function empty(title, words, typed) {
  return el('div', { class: 'empty card' }, el('p', {}, el('b', {}, title)), el('p', { class: 'dim' }, words), command(typed));
}

/** @param {RunEntry} run */
function runRow(run) {
  const state = run.state === 'running' ? el('span', { class: 'pill live' }, icon('live'), 'running') : el('span', { class: 'pill' }, run.state);
  const scheduled = run.scheduled ?? run.events.reduce((/** @type {number | null} */ sum, event) => (sum === null || typeof event === 'string' || !event.scheduled ? null : sum + event.scheduled), 0);
  const games = scheduled && scheduled !== run.games ? `${run.games} of ${plural(scheduled, 'game')}` : plural(run.games, 'game');
  return el('li', {}, el('a', { class: 'entry', href: to.run(run.id) },
    el('span', { class: 'entry-main' }, el('b', {}, run.name), el('span', { class: 'dim' }, run.error ?? list(run.events.map((event) => (typeof event === 'string' ? event : event.name))))),
    el('span', { class: 'entry-figures num' }, `${plural(run.bots, 'bot')} · ${games}`), state, el('span', { class: 'when dim num' }, ago(run.changed))));
}

/** @param {ReplayEntry} replay */
function replayRow(replay) {
  return el('li', {}, el('a', { class: 'entry', href: to.file(replay.id) },
    el('span', { class: 'entry-main' }, el('b', {}, replay.bots.join(' – ') || replay.path), replay.error ? el('span', { class: 'bad' }, replay.error) : el('span', { class: 'dim' }, replay.result ?? replay.path)),
    replay.game && el('span', { class: 'pill' }, replay.game), el('span', { class: 'when dim num' }, ago(replay.changed))));
}
