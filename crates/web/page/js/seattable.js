// What a person can do at the table beside the game: take a move back, stop the clocks, answer what others ask; and the list of moves.

import { el, fill, say } from './dom.js';
import { dot, seatTint } from './seats.js';
/** @import {Desk, SeatLine} from './types.js' */

const WORDS = { take_back: 'take the last move back', pause: 'stop the clocks' };

export class SeatTable {
  /** @param {(message: object) => void} send */
  constructor(send) {
    /** @type {Desk | null} */
    this.desk = null;
    this.send = send;
    const step = () => this.desk?.step ?? 0;
    const wish = (/** @type {keyof WORDS} */ wish) => this.send({ wish, step: step() });
    this.takeBack = el('button', { type: 'button', on: { click: () => wish('take_back') } }, 'Take my last move back');
    this.pause = el('button', { type: 'button', on: { click: () => wish('pause') } }, 'Stop the clocks');
    this.resume = el('button', { type: 'button', class: 'main', on: { click: () => this.send({ resume: step() }) } }, 'Let the clocks run again');
    this.question = el('p', { class: 'question', role: 'alert' });
    this.agree = el('button', { type: 'button', class: 'main', on: { click: () => this.answer('agree') } }, 'Agree');
    this.decline = el('button', { type: 'button', on: { click: () => this.answer('decline') } }, 'Refuse');
    this.asked = el('div', { class: 'asked', hidden: true }, this.question, el('div', { class: 'offers' }, this.agree, this.decline));
    this.buttons = [this.takeBack, this.pause, this.resume];
    this.list = el('ul', { class: 'played', tabindex: '0', 'aria-label': 'Moves so far' });
    this.moves = el('section', { class: 'card panel', 'aria-labelledby': 'moves-title' }, el('h2', { id: 'moves-title' }, 'Moves'), this.list);
  }

  /** @param {'agree' | 'decline'} word */
  answer(word) {
    const asked = this.desk?.table.asked;
    if (asked) this.send({ [word]: asked[1] });
  }

  /** @param {Desk} desk @param {(text: string) => string} words names in the place of numbers @param {SeatLine[]} seats */
  show(desk, words, seats) {
    const before = this.desk;
    this.desk = desk;
    const { asked, waits, paused, no_take_back: noTakeBack, no_pause: noPause } = desk.table;
    this.asked.hidden = !asked;
    say(this.question, asked ? `${asked[0]} asks to ${WORDS[asked[1]]}.` : '');
    this.set(this.takeBack, noTakeBack);
    this.set(this.pause, noPause);
    this.pause.hidden = paused;
    this.resume.hidden = !paused;
    if (waits) say(this.question, '');
    if (before?.step === desk.step && before.moves.length === desk.moves.length) return;
    fill(this.list, desk.moves.map(({ seat, text }) => el('li', {}, seat === undefined ? null : dot(seatTint(seats[seat], seat)), words(text))));
    this.list.scrollTop = this.list.scrollHeight;
    this.moves.hidden = desk.moves.length === 0;
  }

  /** A button that is not possible says why when it is pressed. @param {HTMLButtonElement} button @param {string | undefined} why */
  set(button, why) {
    button.title = why ?? '';
    if (why) button.setAttribute('aria-disabled', 'true');
    else button.removeAttribute('aria-disabled');
  }

  /** A match begins. */
  open() {
    this.buttons.forEach((button) => (button.hidden = false));
  }

  close() {
    this.buttons.forEach((button) => (button.hidden = true));
    this.asked.hidden = true;
  }
}
