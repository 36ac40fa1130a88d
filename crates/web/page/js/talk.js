// The step that is shown, in full: moves with their times, faults, notes, and what the bots were told and said.

import { el, fill, say } from './dom.js';
import { duration, plural } from './format.js';
import { dot, seatTint } from './seats.js';
import { icon } from './icons.js';
/** @import {Playback} from './playback.js' */
/** @import {Source} from './source.js' */
/** @import {TalkLine, Step, Move} from './types.js' */

/** So many steps are fetched together. */
const BLOCK = 16;
const MOST_BLOCKS = 24;
const MOST_LINES = 300;
const MOST_MOVES = 60;
const LONG_MOVE = 18;
const SIGNS = { to: '>', from: '<', err: '!', info: 'i' };
const WORDS = { to: 'was told', from: 'said', err: 'wrote to standard error', info: 'reported' };

/** What was said at a step, and how many further lines there are. @typedef {{lines: TalkLine[], leftOut: number}} Said */

/** A setting worth reading: set, and no whole map. @param {any} value */
const isTelling = (value) => value !== null && value !== '' && JSON.stringify(value) !== '[]' && JSON.stringify(value).length < 80;

export class TalkPanel {
  /** @param {Playback} playback @param {Source} source @param {string | null} game null: it is not kept anywhere yet @param {number | null} eyes */
  constructor(playback, source, game, eyes) {
    this.playback = playback;
    this.source = source;
    this.game = game;
    this.eyes = eyes;
    /** @type {Map<number, Promise<Map<number, Said> | null>>} */
    this.blocks = new Map();
    this.title = el('h2', { id: 'step-title' }, 'Step 0');
    this.body = el('div', { class: 'step-body', tabindex: '0', role: 'group', 'aria-labelledby': 'step-title' });
    this.node = el('section', { class: 'card panel grow', 'aria-labelledby': 'step-title' }, this.title, this.body);
    this.timer = 0;
    this.shown = -1;
  }

  close() {
    clearTimeout(this.timer);
  }

  /** What is said is found elsewhere from now on. @param {string} game */
  keep(game) {
    this.game = game;
    this.blocks.clear();
    this.shown = -1;
    this.show();
  }

  show() {
    const { playback } = this;
    const { at, film } = playback;
    if (at === this.shown) return;
    this.shown = at;
    say(this.title, at === 0 ? 'Before the first step' : `Step ${at}`);
    const step = film.step(at);
    const lines = el('div', { class: 'talk' });
    fill(this.body, step ? this.happened(step) : this.setup(), lines);
    this.body.scrollTop = 0;
    clearTimeout(this.timer);
    // While a film runs quickly, nobody reads this, and nobody has to fetch it.
    if (this.game !== null) this.timer = setTimeout(() => this.load(at, lines), playback.playing || playback.following ? 250 : 30);
  }

  /** @param {Step} step */
  happened(step) {
    const { film, at } = this.playback;
    const { names } = film;
    const last = at === film.length ? film.end : null;
    const nodes = [];
    for (const fault of [...(step.faults ?? []), ...(last?.faults ?? [])]) {
      nodes.push(el('p', { class: 'fault' }, icon('fault'), el('span', {}, el('b', {}, names[fault.seat] ?? 'a bot', fault.actor ? ` · ${fault.actor}` : ''), ` ${fault.kind}: `, fault.words)));
    }
    const moves = step.moves ?? [];
    if (moves.length) nodes.push(...this.times(moves));
    for (const note of [...(step.notes ?? []), ...(last?.notes ?? [])]) nodes.push(el('p', { class: 'note' }, this.dot(note.seat), el('span', {}, el('b', {}, names[note.seat] ?? ''), note.topic ? el('span', { class: 'dim' }, ` ${note.topic}`) : null, ` ${note.text.trimEnd()}`)));
    if (step.told?.length) nodes.push(el('ul', { class: 'told', 'aria-label': 'What this player was told' }, step.told.slice(0, MOST_LINES).map((words) => el('li', {}, film.named(words)))));
    return nodes;
  }

  /** @param {Move[]} moves */
  times(moves) {
    const { names } = this.playback.film;
    const cell = (/** @type {number | undefined} */ us) => el('td', {}, duration(us));
    // A long move gets a line of its own, so that the figures keep their columns.
    const rows = moves.slice(0, MOST_MOVES).flatMap((move) => [
      el('tr', {}, el('th', { scope: 'row' }, this.dot(move.seat), el('span', {}, names[move.seat] ?? ''), move.actor ? el('span', { class: 'dim' }, move.actor) : null),
        el('td', { class: 'mono what' }, move.text.length > LONG_MOVE ? '' : move.text, move.left ? el('span', { class: 'bad' }, ' left') : null),
        move.late ? el('td', { class: 'bad' }, 'time-out') : cell(move.wall_us), cell(move.cpu_us), cell(move.host_us)),
      ...(move.text.length > LONG_MOVE ? [el('tr', {}, el('td', { class: 'mono what long', colspan: '5' }, move.text))] : []),
    ]);
    const heads = ['Bot', 'Move', 'Wall', 'CPU', 'Host'].map((head) => el('th', { scope: 'col' }, head));
    const table = el('table', { class: 'times num' }, el('thead', {}, el('tr', {}, heads)), el('tbody', {}, rows));
    return moves.length > MOST_MOVES ? [table, el('p', { class: 'dim' }, `and ${plural(moves.length - MOST_MOVES, 'more answer')}`)] : [table];
  }

  setup() {
    const { head } = this.playback.film;
    const line = (/** @type {string} */ what, /** @type {any} */ value) => [el('dt', {}, what), el('dd', {}, typeof value === 'object' ? JSON.stringify(value) : String(value))];
    const settings = Object.entries(head.setup ?? {}).filter(([, value]) => isTelling(value));
    return el('dl', { class: 'setup' }, head.clock ? line('clock', head.clock) : [], head.seed !== undefined ? line('seed', head.seed) : [], settings.flatMap(([what, value]) => line(what, value)));
  }

  /** @param {number} at @param {HTMLElement} place */
  async load(at, place) {
    /** @type {Said} */
    let said;
    try {
      const block = await this.block(Math.floor(at / BLOCK));
      if (at !== this.shown) return;
      if (block === null) {
        fill(place, el('p', { class: 'dim' }, 'What was said is not in this file.'));
        return;
      }
      said = block.get(at) ?? { lines: [], leftOut: 0 };
    } catch (error) {
      fill(place, el('p', { class: 'bad' }, `What was said cannot be shown: ${error instanceof Error ? error.message : error}`));
      return;
    }
    const { names } = this.playback.film;
    const { lines } = said;
    const more = Math.max(0, lines.length - MOST_LINES) + said.leftOut;
    const row = (/** @type {TalkLine} */ line) => el('div', { class: `line ${line.dir}` }, this.dot(line.seat),
      el('span', { class: 'sr' }, `${names[line.seat] ?? ''} ${WORDS[line.dir] ?? ''}: `), el('span', { class: 'sign', 'aria-hidden': 'true', title: `${names[line.seat] ?? ''} ${WORDS[line.dir] ?? ''}` }, SIGNS[line.dir] ?? '·'), el('span', { class: 'text' }, line.actor ? el('span', { class: 'dim' }, `${line.actor} `) : null, line.text));
    fill(place, lines.slice(0, MOST_LINES).map(row),
      more > 0 && el('p', { class: 'dim' }, `and ${plural(more, 'more line')}: download the lines to read them all`),
      lines.length === 0 && el('p', { class: 'dim none' }, 'Nothing was said at this step.'));
  }

  /** @param {number} from @param {number} until @returns {Promise<Map<number, Said> | null>} */
  async fetch(from, until) {
    /** @type {Map<number, Said>} */
    const found = new Map();
    for (let next = from; next <= until; ) {
      const talk = await this.source.talk(/** @type {string} */ (this.game), next, until, this.eyes);
      if (!talk) return null;
      for (const { step, lines, left_out = 0 } of talk.steps) found.set(step, { lines, leftOut: left_out });
      const last = talk.last ?? talk.steps.at(-1)?.step;
      // A page may be full before its last step: the rest is on the next one.
      if (!talk.more || last === undefined || last < next) break;
      next = last + 1;
    }
    return found;
  }

  /** @param {number} number @returns {Promise<Map<number, Said> | null>} */
  block(number) {
    let block = this.blocks.get(number);
    if (!block) {
      const [from, until] = [number * BLOCK, number * BLOCK + BLOCK - 1];
      block = this.fetch(from, until);
      // What failed, or may still grow, is asked for again.
      block.catch(() => this.blocks.delete(number));
      if (until >= this.playback.film.length) block.then(() => this.blocks.delete(number), () => {});
      this.blocks.set(number, block);
      if (this.blocks.size > MOST_BLOCKS) this.blocks.delete(/** @type {number} */ (this.blocks.keys().next().value));
    }
    return block;
  }

  /** @param {number} seat */
  dot(seat) {
    return dot(seatTint(this.playback.film.head.scene.seats[seat], seat));
  }
}
