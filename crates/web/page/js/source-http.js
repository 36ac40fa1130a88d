// Data from `lanista serve`.

import { FilmReader } from './film.js';
import { SourceError, testOf } from './source.js';
import { address } from './router.js';
/** @import {Film} from './film.js' */


/** @implements {Source} @typedef {import('./source.js').Source} Source */
export class HttpSource {
  /** @param {string} base */
  constructor(base) {
    this.base = base;
    /** @type {'server'} */
    this.kind = 'server';
    this.start = '#/';
    /** @type {Map<string, string>} */
    this.names = new Map();
  }

  /** @param {string} path @param {AbortSignal} [signal] */
  async fetch(path, signal) {
    let response;
    try {
      response = await fetch(this.base + path, { signal: signal ?? null, headers: { accept: 'application/json' } });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new SourceError('the server does not answer: is `lanista serve` still running?');
    }
    if (response.ok) return response;
    const text = await response.text();
    let message = `the server answered ${response.status} ${response.statusText}`;
    try {
      message = JSON.parse(text).error ?? message;
    } catch {
      // Not from us, or cut short: the status says enough.
    }
    throw new SourceError(message, response.status);
  }

  /** @param {string} path @returns {Promise<any>} */
  async json(path) {
    return (await this.fetch(path)).json();
  }

  /** @param {number} [from] */
  async index(from = 0) {
    const index = await this.json(from ? `index?replays_from=${from}` : 'index');
    for (const { id, name } of index.runs) this.names.set(id, name);
    return index;
  }

  /** @param {string} run */
  async nameOfRun(run) {
    if (!this.names.has(run)) await this.index().catch(() => {});
    return this.names.get(run) ?? run;
  }

  /** @param {string} run */
  run(run) {
    return this.json(address('run', run));
  }

  /** @param {string} run @param {URLSearchParams} filter */
  games(run, filter) {
    return this.json(`${address('run', run)}/games?${filter}`);
  }

  /** @param {string} run @param {string} name @param {string} event */
  bot(run, name, event) {
    return this.json(address('run', run, 'bot', name) + (event ? `?event=${encodeURIComponent(event)}` : ''));
  }

  /** @param {string} run @param {string} name */
  async test(run, name) {
    const answer = await this.json(address('run', run, 'test', name));
    return testOf(answer);
  }

  /** @param {string} game @param {number | null} eyes @param {(film: Film | null, bytes: number) => void} progress @param {AbortSignal} [signal] */
  async film(game, eyes, progress, signal) {
    const response = await this.fetch(`${game}/film${eyes === null ? '' : `?eyes=${eyes}`}`, signal);
    if (!response.body) throw new SourceError('this browser cannot read a film while it comes');
    const reader = new FilmReader();
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let bytes = 0;
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return reader.finish();
      bytes += value.length;
      reader.feed(value);
      progress(reader.film, bytes);
    }
  }

  canSee() {
    return true;
  }

  /** @param {string} game @param {number} from @param {number} to @param {number | null} eyes */
  talk(game, from, to, eyes) {
    return this.json(`${game}/talk?from=${from}&to=${to}${eyes === null ? '' : `&eyes=${eyes}`}`);
  }

  /** @param {string} game */
  about(game) {
    return this.json(`${game}/about`);
  }

  /** @param {string} game @param {string} format */
  download(game, format) {
    return `${this.base}${game}/download/${encodeURIComponent(format)}`;
  }

  /** @param {string} id @param {string | null} match */
  live(id, match) {
    return this.json(`${address('live', id)}${match ? `?match=${encodeURIComponent(match)}` : ''}`);
  }

  choices() {
    return this.json('play');
  }

  /** @param {object} wish */
  play(wish) {
    return this.post('play', wish);
  }

  /** @param {object} wish */
  analyse(wish) {
    return this.post('analyse', wish);
  }

  /** @param {string} where @param {object} wish */
  async post(where, wish) {
    const response = await fetch(`${this.base}${where}`, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify(wish) });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new SourceError(answer.error ?? `the server answered ${response.status}`, response.status);
    return answer;
  }

  /** @param {string} a @param {string} b */
  diff(a, b) {
    return this.json(`diff?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`);
  }
}
