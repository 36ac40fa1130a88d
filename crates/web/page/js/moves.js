// The list of moves. Only the rows in sight are on the page, however long the game was.

import { el, fill } from './dom.js';
import { icon } from './icons.js';
import { duration, plural } from './format.js';
import { dot, seatTint } from './seats.js';
/** @import {Playback} from './playback.js' */
/** @import {Step, Move} from './types.js' */

const ROW = 27;

/** @param {Move} move */
const words = (move) => [move.actor, move.late && !move.text ? 'no answer' : move.text, move.left ? '(left)' : ''].filter(Boolean).join(' ');
/** Of more moves than these in one step only the number is said. */
const SPELLED_OUT = 4;

export class Moves {
  /** @param {Playback} playback */
  constructor(playback) {
    this.playback = playback;
    this.rows = el('div', { class: 'rows', role: 'list', 'aria-label': 'Moves' });
    this.scroller = el('div', { class: 'moves', tabindex: '0', role: 'group', 'aria-label': 'List of moves' }, this.rows);
    this.node = el('section', { class: 'card panel grow', 'aria-labelledby': 'moves-title' }, el('h2', { id: 'moves-title' }, 'Moves'), this.scroller);
    this.scroller.addEventListener('scroll', () => this.draw());
    this.rows.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest('[data-step]') : null;
      if (row instanceof HTMLElement) playback.seek(Number(row.dataset.step));
    });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.scroller);
  }

  close() {
    this.observer.disconnect();
  }

  /** Brings the step that is shown into sight. */
  show() {
    const { at } = this.playback;
    const { scroller } = this;
    const top = (at - 1) * ROW;
    if (top < scroller.scrollTop || top + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = Math.max(0, top - scroller.clientHeight / 2);
    this.draw();
  }

  draw() {
    const { film } = this.playback;
    this.rows.style.height = `${film.length * ROW}px`;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - 4);
    const last = Math.min(film.length, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / ROW) + 4);
    const rows = [];
    for (let at = first + 1; at <= last; at++) rows.push(this.row(at, film.steps[at - 1]));
    if (film.length === 0) rows.push(el('p', { class: 'none dim' }, 'No moves yet.'));
    fill(this.rows, rows);
  }

  /** @param {number} at @param {Step} step */
  row(at, step) {
    const { film } = this.playback;
    const moves = step.moves ?? [];
    const text = el('span', { class: 'what' });
    if (moves.length > SPELLED_OUT) {
      const counts = new Map();
      for (const move of moves) counts.set(move.seat, (counts.get(move.seat) ?? 0) + 1);
      for (const [seat, count] of counts) text.append(this.dot(seat), el('span', { class: 'move dim' }, counts.size > 2 ? String(count) : plural(count, 'answer')));
    } else {
      for (const move of moves) text.append(this.dot(move.seat), el('span', { class: move.late ? 'move bad' : 'move' }, words(move)));
    }
    if (moves.length === 0) text.append(el('span', { class: 'move dim' }, step.caption ?? ''));
    const wall = Math.max(-1, ...moves.map((move) => move.wall_us ?? -1));
    const late = moves.some((move) => move.late) || step.faults?.some((fault) => fault.kind === 'timeout');
    const now = at === this.playback.at;
    const row = el('div', { role: 'listitem', class: 'row', 'aria-setsize': film.length, 'aria-posinset': at, 'aria-current': now ? 'step' : null, data: { step: at } },
      el('span', { class: 'n num' }, at),
      step.faults?.length ? el('span', { class: 'bad', title: step.faults.map((fault) => fault.words).join('\n') }, icon('fault')) : el('span'),
      text,
      late ? el('span', { class: 'time pill bad' }, 'time-out') : el('span', { class: 'time num dim' }, wall < 0 ? '' : duration(wall)));
    row.style.top = `${(at - 1) * ROW}px`;
    return row;
  }

  /** @param {number} seat */
  dot(seat) {
    return dot(seatTint(this.playback.film.head.scene.seats[seat], seat));
  }
}
