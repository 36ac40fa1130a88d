// The line to the seat of a person who plays. It is opened again when it breaks: a lost connection is no lost game.

/** @import {DeskAbout, Desk} from './types.js' */

/** It is tried again after these times; the last one holds until the way is free. */
const RETRY_MS = [300, 600, 1000, 2000, 4000];

/**
 * @typedef {object} SeatHandlers
 * @property {(about: DeskAbout) => void} about
 * @property {(desk: Desk) => void} desk
 * @property {(why: string) => void} refused
 * @property {(words: string) => void} hint
 * @property {(words: string, match: string) => void} over
 * @property {(connected: boolean) => void} state
 * @property {() => void} gone nobody plays at this seat any more, or nobody ever did
 */

export class SeatLink {
  /** @param {string} token @param {SeatHandlers} handlers */
  constructor(token, handlers) {
    this.token = token;
    this.handlers = handlers;
    this.tries = 0;
    this.timer = 0;
    this.closed = false;
    this.over = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/api/seat/${this.token}`);
    this.socket = socket;
    socket.addEventListener('open', () => {
      this.tries = 0;
      this.handlers.state(true);
    });
    socket.addEventListener('message', (event) => this.receive(JSON.parse(event.data)));
    socket.addEventListener('close', () => {
      if (this.closed || this.over) return;
      this.handlers.state(false);
      this.retry();
    });
  }

  /** Either the seat is gone, which the server says, or only the way to it. */
  async retry() {
    const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
    this.tries += 1;
    const gone = await fetch(`/seat/${this.token}`, { method: 'HEAD' }).then(({ status }) => status === 404, () => false);
    if (this.closed) return;
    if (gone) this.handlers.gone();
    else this.timer = setTimeout(() => this.connect(), wait);
  }

  /** @param {any} message */
  receive(message) {
    if (message.about) this.handlers.about({ ...message.about, hints: message.hints });
    if (message.desk) {
      this.over = false;
      this.handlers.desk({ ...message.desk, step: message.step, due: message.due, picks: message.picks, table: message.table, moves: message.moves, left_ms: message.left_ms ?? null });
    }
    if (message.refused !== undefined) this.handlers.refused(String(message.refused));
    if (message.hint !== undefined) this.handlers.hint(String(message.hint));
    if (message.over !== undefined) {
      this.over = true;
      this.handlers.over(String(message.over), String(message.match));
    }
  }

  /** @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}
