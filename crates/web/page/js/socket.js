// The line to a server over which live games come. It is opened when somebody watches, and again when it breaks.

import { FilmReader } from './film.js';
/** @import {Film} from './film.js' */
/** @import {LiveEntry} from './types.js' */

/**
 * Who watches a game.
 * @typedef {object} Watcher
 * @property {string} id
 * @property {number | null} eyes
 * @property {FilmReader} reader
 * @property {(film: Film) => void} onFilm called when there is more to see
 * @property {(words: string) => void} onError
 */

const RETRY_MS = [500, 1000, 2000, 4000, 8000];

export class LiveSocket {
  constructor() {
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Set<Watcher>} */
    this.watchers = new Set();
    /** @type {Set<(list: LiveEntry[]) => void>} */
    this.listeners = new Set();
    /** @type {Set<(connected: boolean) => void>} */
    this.stateListeners = new Set();
    this.tries = 0;
    this.timer = 0;
  }

  /** @param {(list: LiveEntry[]) => void} listener @returns {() => void} */
  watchList(listener) {
    this.listeners.add(listener);
    this.connect();
    return () => {
      this.listeners.delete(listener);
      this.rest();
    };
  }

  /** @param {(connected: boolean) => void} listener @returns {() => void} */
  watchState(listener) {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  /** @param {string} id @param {number | null} eyes @param {(film: Film) => void} onFilm @param {(words: string) => void} onError @returns {() => void} ends it */
  watch(id, eyes, onFilm, onError) {
    /** @type {Watcher} */
    const watcher = { id, eyes, reader: new FilmReader(), onFilm, onError };
    this.watchers.add(watcher);
    this.connect();
    if (this.socket?.readyState === WebSocket.OPEN) this.ask(watcher);
    return () => {
      this.watchers.delete(watcher);
      if (![...this.watchers].some((other) => other.id === id)) this.send({ forget: id });
      this.rest();
    };
  }

  /** @param {Watcher} watcher */
  ask({ id, eyes, reader }) {
    this.send({ watch: id, from: reader.film?.length ?? 0, ...(eyes === null ? {} : { eyes }) });
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  connect() {
    if (this.socket || this.timer) return;
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/live`);
    this.socket = socket;
    socket.addEventListener('open', () => {
      this.tries = 0;
      for (const listener of this.stateListeners) listener(true);
      for (const watcher of this.watchers) this.ask(watcher);
    });
    socket.addEventListener('message', (event) => this.receive(JSON.parse(event.data)));
    socket.addEventListener('close', () => {
      this.socket = null;
      if (this.watchers.size + this.listeners.size === 0) return;
      for (const listener of this.stateListeners) listener(false);
      const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
      this.tries += 1;
      this.timer = setTimeout(() => {
        this.timer = 0;
        if (this.watchers.size + this.listeners.size) this.connect();
      }, wait);
    });
  }

  /** Nobody watches: nothing is kept open. */
  rest() {
    if (this.watchers.size + this.listeners.size === 0) this.socket?.close();
  }

  /** @param {any} message */
  receive(message) {
    if (message.live) for (const listener of this.listeners) listener(message.live);
    if (message.game === undefined) return;
    for (const watcher of this.watchers) {
      if (watcher.id !== String(message.game)) continue;
      if (message.error) watcher.onError(String(message.error));
      if (message.film) this.feed(watcher, message.film);
    }
  }

  /** @param {Watcher} watcher @param {any} line */
  feed(watcher, line) {
    const { reader } = watcher;
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    // The head comes again after a lost connection; what is there already goes on.
    const isHead = typeof line === 'string' ? line.startsWith('{"film"') : line.film !== undefined;
    if (isHead && reader.film) return;
    reader.line(text);
    if (reader.film) watcher.onFilm(reader.film);
  }
}

/** @type {LiveSocket | null} */
let shared = null;
export const liveSocket = () => (shared ??= new LiveSocket());
