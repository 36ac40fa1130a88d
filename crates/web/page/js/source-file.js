// Data that a shared page carries along: gzipped, as base64, in elements called after the addresses that a server would have.

import { parseFilm } from './film.js';
import { SourceError, testOf } from './source.js';
import { address, to } from './router.js';
/** @import {Film} from './film.js' */
/** @import {Talk, GameRow} from './types.js' */

/** @implements {Source} @typedef {import('./source.js').Source} Source */
export class FileSource {
  /** @param {Document} document */
  constructor(document) {
    /** @type {Map<string, Element>} */
    this.parts = new Map();
    for (const part of document.querySelectorAll('script[type="application/octet-stream"][id^="data:"]')) this.parts.set(part.id.slice(5), part);
    /** @type {Map<string, Promise<any>>} */
    this.unpacked = new Map();
    /** @type {'file'} */
    this.kind = 'file';
    this.start = this.findStart();
  }

  /** A list, else the only tournament, else the only game. */
  findStart() {
    if (this.parts.has('index')) return to.home();
    const keys = [...this.parts.keys()];
    const run = keys.find((key) => /^run\/[^/]+$/.test(key));
    if (run) return `#/${run}`;
    const film = keys.find((key) => key.endsWith('/film'));
    return film ? to.game(film.slice(0, -'/film'.length)) : to.home();
  }

  /** @param {string} key @returns {Promise<string>} */
  async text(key) {
    const part = this.parts.get(key);
    if (!part) throw new SourceError('this is not in the file; ask for it where the file comes from');
    const bytes = Uint8Array.from(atob((part.textContent ?? '').trim()), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  }

  /** What is unpacked once is kept: lists may be long. @param {string} key @returns {Promise<any>} */
  json(key) {
    let known = this.unpacked.get(key);
    if (!known) this.unpacked.set(key, (known = this.text(key).then((text) => JSON.parse(text))));
    return known;
  }

  async index() {
    if (this.parts.has('index')) return this.json('index');
    return { folder: '', version: '', runs: [], replays: [] };
  }

  /** @param {string} run */
  run(run) {
    return this.json(address('run', run));
  }

  /** @param {string} run */
  async nameOfRun(run) {
    return (await this.run(run).catch(() => null))?.name ?? run;
  }

  /** The whole list is in the file, and is filtered here. @param {string} run @param {URLSearchParams} filter */
  async games(run, filter) {
    const { games: all, events } = /** @type {{games: GameRow[], events?: number}} */ (await this.json(`${address('run', run)}/games`));
    const games = all.filter((game) => matches(game, filter));
    const after = Number(filter.get('after') ?? 0);
    const limit = Number(filter.get('limit') ?? 100);
    const rest = games.filter((game) => game.n > after);
    return { games: rest.slice(0, limit), next: rest.length > limit ? rest[limit - 1].n : null, total: games.length, events };
  }

  /** @param {string} run @param {string} name @param {string} event */
  bot(run, name, event) {
    const key = address('run', run, 'bot', name);
    const own = `${key}?event=${encodeURIComponent(event)}`;
    return this.json(event && this.parts.has(own) ? own : key);
  }

  /** @param {string} run @param {string} name */
  async test(run, name) {
    const answer = await this.json(address('run', run, 'test', name));
    return testOf(answer);
  }

  /** @param {string} game @param {number | null} eyes @param {(film: Film | null, bytes: number) => void} progress */
  async film(game, eyes, progress) {
    const text = await this.text(filmKey(game, eyes));
    progress(null, text.length);
    return parseFilm(text);
  }

  /** @param {string} game @param {number | null} eyes */
  canSee(game, eyes) {
    return this.parts.has(filmKey(game, eyes));
  }

  /** @param {string} game @param {number} from @param {number} until @param {number | null} eyes @returns {Promise<Talk | null>} */
  async talk(game, from, until, eyes) {
    const key = `${game}/talk${eyes === null ? '' : `?eyes=${eyes}`}`;
    if (!this.parts.has(key)) return null;
    const all = /** @type {Talk} */ (await this.json(key));
    return { steps: all.steps.filter(({ step }) => step >= from && step <= until), more: all.more };
  }

  /** @param {string} game */
  async about(game) {
    return this.parts.has(`${game}/about`) ? this.json(`${game}/about`) : {};
  }

  /** @returns {null} */
  download() {
    return null;
  }

  async live() {
    return { under_way: false, replay: null };
  }

  /** @returns {Promise<null>} */
  async choices() {
    return null;
  }

  /** @returns {Promise<never>} */
  async analyse() {
    throw new Error('no bot can be asked in a file');
  }

  /** @returns {Promise<never>} */
  async play() {
    throw new Error('nobody can play in a file');
  }

  /** @returns {Promise<null>} */
  async diff() {
    return null;
  }
}

/** @param {string} game @param {number | null} eyes */
const filmKey = (game, eyes) => `${game}/film${eyes === null ? '' : `?eyes=${eyes}`}`;

/** Whether a game passes a filter, as a server would say. @param {GameRow} game @param {URLSearchParams} filter */
export function matches(game, filter) {
  const want = (/** @type {string} */ name) => filter.get(name) ?? '';
  const seat = want('bot') ? game.bots.indexOf(want('bot')) : -1;
  const at = Number(game.at ?? NaN);
  if (want('event') && game.event !== want('event')) return false;
  if (want('bot') && seat < 0) return false;
  if (want('opponent') && !game.bots.includes(want('opponent'))) return false;
  if (want('seat') && want('bot') && seat !== Number(want('seat'))) return false;
  if (want('setup') && game.setup !== Number(want('setup'))) return false;
  if (want('min') && game.turns < Number(want('min'))) return false;
  if (want('max') && game.turns > Number(want('max'))) return false;
  if (want('from') && !(at >= Number(want('from')))) return false;
  if (want('before') && !(at < Number(want('before')))) return false;
  if (want('fault')) {
    const kinds = Object.keys((seat < 0 ? game.faults : game.seat_faults?.[seat]) ?? {});
    if (want('fault') === 'any' ? !kinds.length : !kinds.includes(want('fault'))) return false;
  }
  return !want('result') || want('result') === outcomeOf(game, seat) || (seat < 0 && want('result') === 'loss' && game.result === 'win');
}

/** How it ended for a seat; without one, how it ended. @param {GameRow} game @param {number} seat */
function outcomeOf(game, seat) {
  if (seat < 0 || game.result === 'void') return game.result;
  return (game.ranks?.[seat] ?? 1) > 1 ? 'loss' : game.result;
}
