// The view of a game that is being played. It stays at the end, lets people look back, and becomes the view of the replay.

import { el } from './dom.js';
import { icon } from './icons.js';
import { Viewer } from './viewer.js';
import { eyesOf, helpButton, stepOf } from './game.js';
import { failure, loading, showTop, showView } from './shell.js';
import { liveSocket } from './socket.js';
import { replaceHash, to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {Film} from './film.js' */
/** @import {End} from './socket.js' */
/** @import {LiveEntry} from './types.js' */

/** A game that is over is kept a moment later: it is asked for again after these times. */
const ASK_MS = [0, 150, 300, 600, 1000, 2000, 3000, 5000, 10_000, 20_000];

/** @param {Route} route @param {Source} source @returns {View} */
export function liveView(route, source) {
  const page = new LivePage(route, source);
  return { update: (next) => page.update(next), close: () => page.close() };
}

class LivePage {
  /** @param {Route} route @param {Source} source */
  constructor(route, source) {
    this.source = source;
    this.id = route.game;
    this.eyes = eyesOf(route);
    this.match = route.query.get('match');
    this.step = route.query.has('step') ? stepOf(route) : null;
    /** @type {Viewer | null} */
    this.viewer = null;
    /** Where the game is kept, once it is. @type {string | null} */
    this.replay = null;
    this.again = false;
    this.asking = false;
    this.closed = false;
    this.frame = 0;
    this.timer = 0;
    this.state = el('span', { class: 'pill live' }, icon('live'), 'live');
    showTop([{ words: 'live' }], [this.state]);
    showView(loading('Waiting for the game').node);
    const socket = liveSocket();
    this.ends = [
      socket.watch(this.id, this.eyes, { film: (film) => this.grew(film), end: (end) => this.ended(end), error: (words) => this.failed(words) }),
      socket.watchList((list) => this.listed(list)),
      socket.watchState((connected) => this.connected(connected)),
    ];
  }

  close() {
    this.closed = true;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    for (const end of this.ends) end();
    this.viewer?.close();
  }

  /** @param {Route} next */
  update(next) {
    if (eyesOf(next) !== this.eyes) return false;
    if (next.page === 'live' && next.game === this.id) return true;
    if (next.page !== 'game' || next.game !== this.replay || !this.viewer) return false;
    this.viewer.playback.seek(stepOf(next));
    return true;
  }

  /** The address of what is shown. @param {number | null} eyes */
  address(eyes) {
    const playback = this.viewer?.playback;
    const seat = eyes === null ? undefined : eyes + 1;
    if (this.replay) return to.game(this.replay, { step: playback?.at || undefined, eyes: seat });
    // Who looks back stays there; who follows goes on with the game.
    return to.live(this.id, { step: playback && !playback.following ? playback.at : undefined, eyes: seat, match: this.match });
  }

  /** @param {Film} film */
  grew(film) {
    this.viewer ??= this.open(film);
    // Many steps may come at once: they are shown together, in the next frame.
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.viewer?.grew();
      if (film.end) this.say('over');
      if (this.step !== null && this.step <= film.length) {
        this.viewer?.playback.seek(this.step);
        this.step = null;
      }
    });
  }

  /** @param {Film} film */
  open(film) {
    const viewer = new Viewer({
      film, source: this.source, game: null, live: `live/${this.id}`, eyes: this.eyes,
      onStep: () => replaceHash(this.address(this.eyes)), onEyes: (seat) => (location.hash = this.address(seat)),
    });
    showTop([{ words: film.names.join(' – ') }], [this.state, helpButton(viewer)]);
    showView(viewer.node);
    viewer.open(0);
    viewer.playback.follow();
    return viewer;
  }

  /** @param {End} end */
  ended(end) {
    this.again = end === 'again';
    this.say(end === 'again' ? 'played again' : 'over');
    if (!this.again && !this.asking) this.find(0);
  }

  /** Looks for what is kept of the game. @param {number} tries */
  async find(tries) {
    this.asking = true;
    const { replay, under_way } = await this.source.live(this.id, this.match).catch(() => ({ replay: null, under_way: false }));
    if (this.closed) return;
    if (replay) {
      this.kept(replay);
    } else if (under_way && !this.viewer?.film.end) {
      // It was lost only for a moment.
      this.asking = false;
      this.live();
    } else if (tries + 1 < ASK_MS.length) {
      this.timer = setTimeout(() => this.find(tries + 1), ASK_MS[tries + 1]);
      if (!this.viewer && tries > 4) this.failed('It is over, and there is no replay of it in the folder that is served.');
    }
  }

  /** @param {string} replay */
  kept(replay) {
    this.replay = replay;
    if (!this.viewer?.film.end) {
      // Not all of it was seen.
      location.replace(this.address(this.eyes));
      return;
    }
    this.viewer.keep(replay);
    replaceHash(this.address(this.eyes));
  }

  /** @param {LiveEntry[]} list */
  listed(list) {
    this.match ??= list.find((entry) => entry.id === this.id)?.match ?? null;
    const next = this.again && list.find((entry) => entry.match === this.match && entry.id !== this.id);
    if (next) location.replace(to.live(next.id, { eyes: this.eyes === null ? undefined : this.eyes + 1 }));
  }

  /** @param {string} words */
  failed(words) {
    this.say('over');
    if (!this.viewer) showView(failure('This game cannot be watched', words));
    else this.viewer.about.say(words);
  }

  /** @param {boolean} connected */
  connected(connected) {
    if (this.viewer?.film.end || this.replay) return;
    if (connected) this.live();
    else this.say('connecting again', 'warn');
  }

  live() {
    this.say('live', 'live');
  }

  /** @param {string} words @param {'live' | 'warn' | ''} [kind] */
  say(words, kind = '') {
    this.state.className = `pill ${kind}`;
    this.state.replaceChildren(...(kind ? [icon(kind === 'live' ? 'live' : 'clock')] : []), words);
  }
}
