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
 * @property {boolean} lost whether the server has lost it, though it may come back
 * @property {Handlers} handlers
 *
 * @typedef {'over' | 'again' | 'gone'} End how it ended: whole, begun anew as another game, or not to be seen any more
 *
 * @typedef {object} Handlers
 * @property {(film: Film) => void} film called when there is more to see
 * @property {(end: End) => void} [end]
 * @property {(words: string) => void} [error]
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
    /** The games under way, once that is known. @type {LiveEntry[] | null} */
    this.list = null;
    this.tries = 0;
    this.timer = 0;
  }

  /** @param {(list: LiveEntry[]) => void} listener @returns {() => void} */
  watchList(listener) {
    this.listeners.add(listener);
    this.connect();
    if (this.list) listener(this.list);
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

  /** @param {string} id @param {number | null} eyes @param {Handlers} handlers @returns {() => void} ends it */
  watch(id, eyes, handlers) {
    /** @type {Watcher} */
    const watcher = { id, eyes, reader: new FilmReader(), lost: false, handlers };
    this.watchers.add(watcher);
    this.connect();
    if (this.socket?.readyState === WebSocket.OPEN) this.ask(watcher);
    return () => {
      this.watchers.delete(watcher);
      if (![...this.watchers].some((other) => other.id === id && other.eyes === eyes)) this.send({ forget: id, ...seen(eyes) });
      this.rest();
    };
  }

  /** @param {Watcher} watcher */
  ask({ id, eyes, reader }) {
    if (!reader.film?.end) this.send({ watch: id, from: reader.film?.length ?? 0, ...seen(eyes) });
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
      this.list = null;
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
    if (message.live) {
      this.list = message.live;
      for (const listener of this.listeners) listener(message.live);
      for (const watcher of this.watchers) if (watcher.lost && message.live.some((/** @type {LiveEntry} */ entry) => entry.id === watcher.id)) this.again(watcher);
    }
    if (message.game === undefined) return;
    for (const watcher of this.watchers) {
      // What was asked for before through other eyes may still be on its way.
      if (watcher.id !== String(message.game) || watcher.eyes !== (message.eyes ?? null)) continue;
      if (message.film) this.feed(watcher, message.film, message.at);
      if (message.error) watcher.handlers.error?.(String(message.error));
      if (message.end) this.ended(watcher, message.end);
    }
  }

  /** @param {Watcher} watcher @param {End} end */
  ended(watcher, end) {
    watcher.lost = end === 'gone';
    watcher.handlers.end?.(end);
  }

  /** @param {Watcher} watcher */
  again(watcher) {
    watcher.lost = false;
    this.ask(watcher);
  }

  /** @param {Watcher} watcher @param {any} line @param {number} [at] which line it is: 0 is the head */
  feed(watcher, line, at) {
    const { reader } = watcher;
    if (line.film !== undefined) {
      // The head comes again after a lost connection, and when a bot has described itself.
      if (reader.film) reader.film.head = { ...reader.film.head, players: line.players };
      else reader.line(JSON.stringify(line));
    } else {
      // Lines that were asked for twice come twice.
      if (!reader.film || reader.film.end || (at !== undefined && at !== reader.film.length + 1)) return;
      reader.film.append(JSON.stringify(line));
    }
    if (reader.film) watcher.handlers.film(reader.film);
  }
}

/** @param {number | null} eyes */
const seen = (eyes) => (eyes === null ? {} : { eyes });

/** @type {LiveSocket | null} */
let shared = null;
export const liveSocket = () => (shared ??= new LiveSocket());
