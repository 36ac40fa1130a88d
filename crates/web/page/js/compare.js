// Two games side by side, from the same step to the first one at which they differ.

import { el, say } from './dom.js';
import { Board } from './board.js';
import { Playback } from './playback.js';
import { Timeline } from './timeline.js';
import { Transport } from './transport.js';
import { Seats } from './seats.js';
import { listenToKeys } from './keys.js';
import { failure, loading, showTop, showView } from './shell.js';
import { firstDifference } from './difference.js';
import { replaceHash, to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {Film} from './film.js' */

/** @param {Route} route @param {Source} source @returns {View} */
export function compareView(route, source) {
  const a = route.query.get('a') ?? '';
  const b = route.query.get('b') ?? '';
  /** @type {Pair | null} */
  let pair = null;
  let closed = false;
  const run = [a, b].map(runOf).find((run) => run !== null) ?? null;
  const path = (/** @type {string} */ name) => [...(run ? [{ words: name, href: to.run(run) }, { words: 'games', href: to.games(run) }] : []), { words: 'compare' }];
  showTop(path('tournament'));
  const load = async () => {
    showView(loading('Loading the games').node);
    if (run) source.nameOfRun(run).then((name) => closed || showTop(path(name || 'tournament'))).catch(() => {});
    try {
      if (!a || !b) {
        const chosen = choice(a, await source.index(), await gamesBeside(source, a));
        if (!closed) showView(chosen);
        return;
      }
      const [left, right] = await Promise.all([a, b].map((game) => source.film(game, null, () => {})));
      const found = (await source.diff(a, b).catch(() => null)) ?? firstDifference(left, right);
      if (closed) return;
      pair = new Pair([left, right], [a, b], found);
      showView(pair.node);
      pair.open(Number(route.query.get('step') ?? found.first ?? 0));
    } catch (error) {
      if (!closed) showView(failure('These games cannot be compared', error, load));
    }
  };
  load();
  return {
    update: () => false,
    close() {
      closed = true;
      pair?.close();
    },
  };
}

/** The tournament that a game is of. @param {string} game @returns {string | null} */
function runOf(game) {
  const [kind, run] = game.split('/');
  return kind === 'r' ? run : null;
}

/** The games of the tournament that a game is of. @param {Source} source @param {string} game @returns {Promise<[string, string][]>} addresses and words */
async function gamesBeside(source, game) {
  const run = runOf(game);
  if (run === null) return [];
  const list = await source.games(run, new URLSearchParams({ limit: '1000' })).catch(() => null);
  return (list?.games ?? []).map((row) => [`r/${run}/${row.n}`, `game ${row.number ?? row.n} · ${row.bots.join(' – ')}${(list?.events ?? 1) > 1 ? ` · ${row.event}` : ''}`]);
}

/** Which games to compare. @param {string} a @param {import('./types.js').Index} index @param {[string, string][]} beside */
function choice(a, index, beside) {
  const replays = index.replays.map((replay) => /** @type {[string, string]} */ ([`f/${encodeURIComponent(replay.id)}`, [replay.bots.join(' – '), replay.game, replay.path].filter(Boolean).join(' · ')]));
  const option = (/** @type {[string, string]} */ [value, words]) => el('option', { value }, words);
  const group = (/** @type {string} */ label, /** @type {[string, string][]} */ list) => (list.length ? el('optgroup', { label }, list.map(option)) : null);
  const select = (/** @type {string} */ words, /** @type {string} */ value) => {
    const input = el('select', {}, el('option', { value: '' }, 'choose a game'), group('Games of this tournament', beside), group('Replays', replays));
    if (value && ![...input.options].some((option) => option.value === value)) input.append(el('option', { value }, 'the game you came from'));
    input.value = value;
    return { input, label: el('label', {}, el('span', {}, words), input) };
  };
  const [first, second] = [select('First game', a), select('Second game', '')];
  const go = () => first.input.value && second.input.value && (location.hash = to.compare(first.input.value, second.input.value));
  const none = !beside.length && !replays.length && el('p', { class: 'dim' }, 'There is no replay here yet. A game of a tournament is compared from its own page.');
  return el('div', { class: 'sheet' }, el('header', { class: 'page-head' }, el('h1', {}, 'Compare two games'), el('p', { class: 'dim' }, 'They are shown side by side, up to the first step at which they differ.')), none || el('div', { class: 'filters card tall', on: { change: go } }, first.label, second.label));
}

class Pair {
  /** @param {Film[]} films @param {string[]} games @param {{first: number | null, why: string}} found */
  constructor(films, games, found) {
    this.films = films;
    this.games = games;
    // The longer one leads; the other waits at its end.
    const lead = films[0].length >= films[1].length ? 0 : 1;
    this.playback = new Playback(films[lead]);
    this.sides = films.map((film, index) => ({
      film, board: new Board(film, 'large'), seats: new Seats(film), caption: el('p', { class: 'caption' }), move: el('p', { class: 'mono dim' }), link: el('a', { class: 'button', href: to.game(games[index]) }, 'Open'),
    }));
    this.timeline = new Timeline(this.playback);
    this.transport = new Transport(this.playback);
    const verdict = found.first === null ? el('span', { class: 'pill good' }, 'no difference') : el('button', { type: 'button', class: 'main', on: { click: () => this.playback.seek(found.first ?? 0) } }, `To the first difference: step ${found.first}`);
    this.spoken = el('div', { class: 'sr', 'aria-live': 'polite' });
    this.node = el('div', { class: 'compare' },
      el('div', { class: 'verdict card' }, el('h1', {}, 'Two games'), verdict, el('span', { class: 'dim' }, found.why)),
      el('div', { class: 'two' }, this.sides.map((side, index) => el('section', { class: 'card stage', 'aria-label': index === 0 ? 'First game' : 'Second game' }, el('div', { class: 'stage-top' }, side.seats.node, side.link), el('div', { class: 'board-frame' }, side.board.node), el('div', { class: 'below' }, side.caption, side.move)))),
      el('div', { class: 'card controls' }, this.timeline.node, this.transport.node, this.spoken));
    this.playback.watch((change) => this.show(change === 'step' ? 200 : 0));
    this.unlisten = listenToKeys([
      { keys: [' '], shown: [], words: '', run: () => this.playback.toggle() }, { keys: ['ArrowRight'], shown: [], words: '', run: () => this.playback.step(1) }, { keys: ['ArrowLeft'], shown: [], words: '', run: () => this.playback.step(-1) },
      { keys: ['Home'], shown: [], words: '', run: () => this.playback.seek(0) }, { keys: ['End'], shown: [], words: '', run: () => this.playback.seek(this.playback.film.length) },
    ]);
  }

  /** @param {number} step */
  open(step) {
    this.playback.at = Math.max(0, Math.min(step, this.playback.film.length));
    this.show(0);
    this.timeline.refresh();
  }

  /** @param {number} milliseconds */
  show(milliseconds) {
    const { at } = this.playback;
    for (const { film, board, seats, caption, move } of this.sides) {
      const here = Math.min(at, film.length);
      const still = film.still(here);
      board.show(still, milliseconds);
      seats.show(still);
      say(caption, film.named(still.caption));
      say(move, at > film.length ? 'it is over' : (film.step(here)?.moves ?? []).slice(0, 4).map((one) => `${film.names[one.seat] ?? ''} ${one.text}`).join('  '));
      board.canvas.setAttribute('aria-label', film.named(still.caption));
    }
    this.timeline.show();
    this.transport.show();
    if (!this.playback.playing) say(this.spoken, `Step ${at}: ${this.sides.map((side) => side.caption.textContent).join('; ')}`);
    replaceHash(`${to.compare(this.games[0], this.games[1])}&step=${at}`);
  }

  close() {
    this.unlisten();
    this.playback.close();
    this.timeline.close();
    for (const { board, seats } of this.sides) {
      board.close();
      seats.close();
    }
  }
}
