// The viewer of one game: board, timeline, moves and what was said. It shows a film that is complete or still grows.

import { el, say } from './dom.js';
import { icon } from './icons.js';
import { Board } from './board.js';
import { ZoomBar } from './zoom.js';
import { Playback } from './playback.js';
import { Seats } from './seats.js';
import { Timeline } from './timeline.js';
import { Transport } from './transport.js';
import { Moves } from './moves.js';
import { TalkPanel } from './talk.js';
import { MeasurePlot } from './measures.js';
import { Legend } from './legend.js';
import { AboutGame } from './aboutgame.js';
import { AnalysisPanel } from './analysis.js';
import { listenToKeys, showKeys } from './keys.js';
import { look } from './theme.js';
/** @import {Film} from './film.js' */
/** @import {Source} from './source.js' */
/** @import {Change} from './playback.js' */
/** @import {KeyBinding} from './keys.js' */

/**
 * @typedef {object} ViewerOptions
 * @property {Film} film
 * @property {Source} source
 * @property {string | null} game its address, if it is kept
 * @property {number | null} eyes
 * @property {string} [live] the address of a game that is still being played
 * @property {(step: number) => void} onStep called when a person should find this step in the address
 * @property {((eyes: number | null) => void) | null} onEyes
 */

/** An animation is over before the next step begins. */
const LONGEST_MS = 260;

export class Viewer {
  /** @param {ViewerOptions} options */
  constructor(options) {
    const { film, source, game, eyes } = options;
    this.options = options;
    this.film = film;
    this.playback = new Playback(film);
    this.board = new Board(film, 'large');
    this.seats = new Seats(film);
    this.timeline = new Timeline(this.playback);
    this.transport = new Transport(this.playback);
    this.transport.live = options.live !== undefined;
    this.moves = new Moves(this.playback);
    this.talk = new TalkPanel(this.playback, source, game ?? options.live ?? null, eyes);
    this.plot = film.head.measures?.length ? new MeasurePlot(this.playback) : null;
    this.legend = new Legend(film);
    this.about = new AboutGame(film, source, game);
    this.analysis = new AnalysisPanel(this.playback, source, game, eyes);
    this.caption = el('p', { class: 'caption' });
    this.spoken = el('div', { class: 'sr', 'aria-live': 'polite' });
    this.eyes = this.makeEyes();
    this.zoom = new ZoomBar(this.board);
    this.node = el('div', { class: 'viewer' },
      el('section', { class: 'card stage', 'aria-label': 'Game' },
        el('div', { class: 'stage-top' }, this.seats.node, this.eyes),
        el('div', { class: 'board-frame' }, this.board.node),
        el('div', { class: 'below' }, this.caption, this.legend.node, this.zoom.node), this.spoken, this.timeline.node, this.transport.node),
      el('aside', { class: 'side', 'aria-label': 'Details' }, this.about.node, this.moves.node, this.talk.node, this.plot?.node, this.analysis.node));
    this.playback.watch((change) => this.changed(change));
    this.bindings = this.makeBindings();
    this.unlisten = listenToKeys(this.bindings);
    this.urlTimer = 0;
  }

  /** @param {number} step */
  open(step) {
    this.playback.at = Math.min(step, this.film.length);
    this.changed('jump');
    this.timeline.refresh();
    this.plot?.refresh();
    this.moves.show();
  }

  close() {
    clearTimeout(this.urlTimer);
    this.unlisten();
    this.playback.close();
    for (const part of [this.board, this.seats, this.timeline, this.moves, this.talk, this.legend, this.plot, this.analysis]) part?.close();
  }

  /** The film has become longer. */
  grew() {
    this.playback.grew();
  }

  /** The game that was live is kept there; everything stays as it is shown. @param {string} game */
  keep(game) {
    this.transport.live = false;
    this.transport.show();
    this.talk.keep(game);
    this.about.keep(game);
    this.analysis.keep(game);
  }

  /** @param {Change} change */
  changed(change) {
    const { playback, film } = this;
    if (change === 'grew') {
      this.timeline.refresh();
      this.plot?.refresh();
      this.moves.draw();
      this.about.refresh();
      this.transport.show();
      return;
    }
    this.transport.show();
    if (change === 'state') {
      if (!playback.playing) this.speak();
      return;
    }
    const still = film.still(playback.at);
    this.board.show(still, change === 'step' ? Math.min(LONGEST_MS, playback.playing ? playback.pause() * 0.8 : LONGEST_MS) : 0);
    this.seats.show(still);
    say(this.caption, film.named(still.caption));
    this.board.canvas.setAttribute('aria-label', `The board: ${film.named(still.caption)}`);
    this.timeline.show();
    this.moves.show();
    this.talk.show();
    this.plot?.show();
    this.analysis.show();
    if (!playback.playing && !playback.following) this.speak();
    this.node.dataset.step = String(playback.at);
    clearTimeout(this.urlTimer);
    this.urlTimer = setTimeout(() => this.options.onStep(playback.at), 150);
  }

  /** Screen readers hear the caption when somebody steps, not while it plays. */
  speak() {
    const { playback } = this;
    say(this.spoken, `Step ${playback.at} of ${this.film.length}: ${this.caption.textContent}`);
  }

  /** Looks through other eyes. The address of the step shown so far must not come after theirs. @param {number | null} seat */
  look(seat) {
    clearTimeout(this.urlTimer);
    this.options.onEyes?.(seat);
  }

  makeEyes() {
    const { film, eyes, onEyes } = this.options;
    const choices = [el('option', { value: '' }, 'everybody'), ...film.names.map((name, seat) => el('option', { value: seat }, name))];
    const select = el('select', { on: { change: () => this.look(select.value === '' ? null : Number(select.value)) } }, choices);
    select.value = eyes === null ? '' : String(eyes);
    return el('label', { class: 'eyes', title: 'Show only what this player may know (e)', hidden: !film.head.hidden || !onEyes }, icon('eye'), el('span', { class: 'sr' }, 'Seen by '), select);
  }

  /** The next pair of eyes. */
  turnEyes() {
    const { film, eyes, onEyes } = this.options;
    if (!film.head.hidden || !onEyes) return;
    const next = eyes === null ? 0 : eyes + 1;
    this.look(next < film.names.length ? next : null);
  }

  /** @returns {KeyBinding[]} */
  makeBindings() {
    const { playback, board } = this;
    const pan = (/** @type {number} */ dx, /** @type {number} */ dy) => board.pan(dx * 80, dy * 80);
    return [
      { keys: [' '], shown: ['Space'], words: 'play and pause', run: () => playback.toggle() },
      { keys: ['ArrowRight'], shown: ['→'], words: 'one step forward', run: () => playback.step(1) },
      { keys: ['ArrowLeft'], shown: ['←'], words: 'one step back', run: () => playback.step(-1) },
      { keys: ['PageDown'], shown: ['Page ↓'], words: 'ten steps forward', run: () => playback.step(10) },
      { keys: ['PageUp'], shown: ['Page ↑'], words: 'ten steps back', run: () => playback.step(-10) },
      { keys: ['Home'], shown: ['Home'], words: 'to the start', run: () => playback.seek(0) },
      { keys: ['End'], shown: ['End'], words: this.options.live ? 'to what happens now' : 'to the end', run: () => (this.options.live && !this.film.end ? playback.follow() : playback.seek(this.film.length)) },
      { keys: ['f', 'n'], shown: ['f'], words: 'next fault', run: () => playback.fault(1) },
      { keys: ['F', 'N', 'p'], shown: ['F'], words: 'previous fault', run: () => playback.fault(-1) },
      { keys: ['>', '.'], shown: ['>'], words: 'faster', run: () => playback.changeSpeed(1) },
      { keys: ['<', ','], shown: ['<'], words: 'slower', run: () => playback.changeSpeed(-1) },
      { keys: ['e'], shown: ['e'], words: 'the eyes of the next player, where a game hides something', run: () => this.turnEyes() },
      { keys: ['+', '='], shown: ['+'], words: 'zoom in; also the wheel, or two fingers', run: () => board.zoom(1.5) },
      { keys: ['-', '_'], shown: ['−'], words: 'zoom out', run: () => board.zoom(1 / 1.5) },
      { keys: ['0'], shown: ['0'], words: 'show all of the board', run: () => board.fit() },
      { keys: ['Shift+ArrowLeft'], shown: ['Shift', '←'], words: 'move what is seen; also the other arrows', run: () => pan(1, 0) },
      { keys: ['Shift+ArrowRight'], shown: [], words: '', run: () => pan(-1, 0) },
      { keys: ['Shift+ArrowUp'], shown: [], words: '', run: () => pan(0, 1) },
      { keys: ['Shift+ArrowDown'], shown: [], words: '', run: () => pan(0, -1) },
      { keys: ['l'], shown: ['l'], words: 'copy a link to this step', run: () => this.about.copyLink() },
      { keys: ['t'], shown: ['t'], words: 'colours: as the system, light, dark', run: () => look.turn() },
      { keys: ['?'], shown: ['?'], words: 'this list', run: () => this.help() },
    ];
  }

  help() {
    showKeys(this.bindings.filter(({ words }) => words !== ''));
  }
}
