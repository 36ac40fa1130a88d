// The panel in which a bot is asked about the position shown, or about all positions of a game, which makes a curve.

import { el, fill, say } from './dom.js';
import { Plot } from './plot.js';
import { look } from './theme.js';
/** @import {Playback} from './playback.js' */
/** @import {Source} from './source.js' */
/** @import {Dot} from './plot.js' */
/** @import {Advice} from './types.js' */

/** What stands for a win that a bot has found. */
const WIN = 10_000;

/** How good a bot says that a position is. @param {number | null} evaluation */
function worth(evaluation) {
  if (evaluation === null) return '';
  if (Math.abs(evaluation) === WIN) return evaluation > 0 ? '; it sees a forced win' : '; it sees a forced loss';
  return `; it says ${evaluation}`;
}

export class AnalysisPanel {
  /** @param {Playback} playback @param {Source} source @param {string | null} game @param {number | null} eyes */
  constructor(playback, source, game, eyes) {
    this.playback = playback;
    this.source = source;
    this.game = game;
    this.eyes = eyes;
    /** @type {Map<number, Advice[]>} what has been said of the state after so many steps */
    this.advice = new Map();
    this.bot = '';
    this.closed = false;
    this.running = false;
    this.bots = el('select', { 'aria-label': 'Which bot is asked about the position', on: { change: () => this.forget() } });
    this.one = el('button', { type: 'button', on: { click: () => this.askOne() } }, 'Ask about this position');
    this.all = el('button', { type: 'button', on: { click: () => this.askAll() } }, 'Ask about the whole game');
    this.words = el('div', { class: 'advice', role: 'status' });
    this.plot = new Plot('What the bot thinks of the positions', (x) => playback.seek(x));
    this.bar = el('div', { class: 'hint-bar' }, this.bots, this.one, this.all);
    this.node = el('section', { class: 'card panel analysis', 'aria-labelledby': 'analysis-title', hidden: true }, el('h2', { id: 'analysis-title' }, 'What would a bot play?'), this.bar, this.words, this.plot.node);
    this.plot.node.hidden = true;
    this.unwatch = look.watch(() => this.draw());
    if (game !== null) this.keep(game);
    else this.wait();
  }

  /** A game that is being played: who thinks beside it would take the processor from those who play. */
  wait() {
    this.bar.hidden = true;
    this.node.hidden = false;
    fill(this.words, el('p', {}, 'A bot can be asked when the game is over. Until then it would take processor time from those who play.'));
  }

  /** The game is kept there, so that bots can be asked about it. @param {string} game */
  async keep(game) {
    this.game = game;
    const choices = await this.source.choices().catch(() => null);
    if (this.closed) return;
    const played = choices?.games.find(({ id }) => id === this.playback.film.head.game);
    this.node.hidden = !played;
    if (!choices || !played) return;
    const found = choices.found.filter((bot) => bot.game === null || bot.game === played.id);
    fill(this.bots, played.bots.map(({ name }) => el('option', { value: `builtin:${name}` }, name)).reverse(), found.map(({ path, name }) => el('option', { value: path }, `${name} (${path})`)));
    this.bot = this.bots.value;
    this.bar.hidden = false;
    this.show();
  }

  /** Another bot thinks otherwise. */
  forget() {
    this.bot = this.bots.value;
    this.running = false;
    this.advice.clear();
    this.show();
    this.draw();
  }

  /** @param {number} step @returns {Promise<boolean>} whether there was an answer */
  async ask(step) {
    const { bot } = this;
    const { answers } = await this.source.analyse({ game: this.game, bot, step, eyes: this.eyes });
    if (bot !== this.bot || this.closed) return false;
    this.advice.set(step, answers);
    return true;
  }

  async askOne() {
    const step = this.playback.at;
    this.one.disabled = true;
    say(this.words, 'It thinks …');
    try {
      if (await this.ask(step)) {
        this.show();
        this.draw();
      }
    } catch (error) {
      say(this.words, error instanceof Error ? error.message : String(error));
    }
    this.one.disabled = false;
  }

  async askAll() {
    if (this.running) {
      this.running = false;
      return;
    }
    this.running = true;
    this.all.textContent = 'Stop asking';
    const { film } = this.playback;
    try {
      for (let step = 0; step < film.length && this.running && !this.closed; step++) {
        if (this.advice.has(step)) continue;
        // With eyes, a player who is not on turn has nothing to say.
        await this.ask(step).catch((error) => {
          if (this.eyes === null) throw error;
        });
        this.show();
        this.draw();
      }
    } catch (error) {
      say(this.words, error instanceof Error ? error.message : String(error));
    }
    this.running = false;
    this.all.textContent = 'Ask about the whole game';
  }

  /** What was said of the position shown. */
  show() {
    if (this.bar.hidden) return;
    const said = this.advice.get(this.playback.at);
    if (!said) fill(this.words);
    else fill(this.words, said.flatMap((advice) => this.lines(advice)));
    if (!this.plot.node.hidden) this.draw();
  }

  /** @param {Advice} advice */
  lines({ name, moves, played, notes, faults, evaluation }) {
    const would = moves.length ? `would play ${moves.join(', ')}` : `did not answer: ${faults.at(-1) ?? ''}`;
    return [el('p', {}, el('b', {}, `For ${name}: `), would, worth(evaluation), played.length ? ` (played: ${played.join(', ')})` : ''),
      notes.length ? el('pre', { class: 'notes' }, notes.join('\n')) : null];
  }

  /** The curve: of two players one line, because what is good for one is bad for the other. */
  draw() {
    const { names } = this.playback.film;
    const two = names.length === 2 && this.eyes === null;
    const all = [...this.advice.values()].flat().filter(({ evaluation }) => evaluation !== null);
    const ordinary = all.map(({ evaluation }) => Math.abs(Number(evaluation))).filter((value) => value < WIN);
    const bound = Math.max(0, ...ordinary) * 1.25 || WIN;
    const value = (/** @type {Advice} */ { evaluation, seat }) => Math.max(-bound, Math.min(bound, Number(evaluation))) * (two && seat === 1 ? -1 : 1);
    const dots = (/** @type {Advice[]} */ list) => list.sort((a, b) => a.step - b.step).map((advice) => /** @type {Dot} */ ([advice.step, value(advice)]));
    const colour = look.theme.of('accent');
    const series = two ? [{ name: `good for ${names[0]}`, colour, points: dots(all) }]
      : names.map((name, seat) => ({ name, colour, points: dots(all.filter((advice) => advice.seat === seat)) })).filter(({ points }) => points.length);
    this.plot.node.hidden = all.length < 2;
    if (all.length >= 2) this.plot.show({ series, x: 'step', fromZero: false }, this.playback.at);
  }

  close() {
    this.closed = true;
    this.plot.close();
    this.unwatch();
  }
}
