// The card that says which game this is, how it ended, whether the record holds, and where it can be taken.

import { copy, el, fill, say } from './dom.js';
import { icon } from './icons.js';
import { list, points } from './format.js';
import { toast } from './shell.js';
import { to } from './router.js';
/** @import {Film} from './film.js' */
/** @import {About} from './types.js' */
/** @import {Source} from './source.js' */

const FORMATS = /** @type {Record<string, string>} */ ({ lrz: 'Replay (.lrz)', lines: 'Every line, with times', json: 'JSON, a line a step', film: 'Film (NDJSON)', text: 'Text, for people', html: 'One HTML file' });

/** Who won, and with how much. @param {Film} film */
function winner({ end, names }) {
  const { ranks = [], scores = [], result } = end?.over ?? {};
  const first = names.filter((_, seat) => ranks[seat] === 1);
  if (result === 'void' || !first.length) return result ?? '';
  const figures = scores.length && scores.length <= 6 ? ` ${scores.map(points).join(' : ')}` : '';
  return `${first.length === 1 ? `${first[0]} wins` : first.length === names.length ? 'draw' : `${list(first)} tie`}${figures}`;
}

export class AboutGame {
  /** @param {Film} film @param {Source} source @param {string | null} game */
  constructor(film, source, game) {
    this.film = film;
    this.source = source;
    this.game = game;
    this.title = el('h1', {}, list(film.names.length > 4 ? [...film.names.slice(0, 3), `${film.names.length - 3} others`] : film.names));
    this.winner = el('p', { class: 'winner num' });
    this.result = el('p', { class: 'result' });
    this.badge = el('span', { class: 'badge' });
    this.downloads = el('span', { class: 'downloads' });
    this.other = el('span');
    const share = el('button', { type: 'button', title: 'Copy a link to this step (l)', on: { click: () => this.copyLink() } }, icon('link'), 'Copy link');
    this.node = el('section', { class: 'card panel about', 'aria-label': 'About this game' },
      el('div', { class: 'line' }, el('span', { class: 'kind' }, film.head.game), this.badge), this.title, this.winner, this.result, el('div', { class: 'actions' }, share, this.downloads, this.other));
    this.refresh();
    if (game !== null) this.keep(game);
  }

  /** The game is kept there. @param {string} game */
  keep(game) {
    this.game = game;
    fill(this.other, this.source.kind === 'server' && el('a', { class: 'button', href: to.compare(game, '') }, 'Compare'));
    this.load(game);
  }

  async copyLink() {
    toast((await copy(location.href)) ? 'The link to this step is on the clipboard' : 'The link cannot be copied: it is in the address bar');
  }

  /** @param {string} game */
  async load(game) {
    try {
      const about = await this.source.about(game);
      this.verified(about.verified);
      this.offer(game, about.downloads ?? []);
    } catch {
      // The film is here and can be watched; its badge stays as the film says.
    }
  }

  /** Says why the game does not go on here. @param {string} words */
  say(words) {
    say(this.result, words);
  }

  refresh() {
    const { end } = this.film;
    say(this.winner, end ? winner(this.film) : '');
    say(this.result, end ? this.film.named(end.over.reason ?? '') : 'is being played');
    if (end && end.verified !== undefined) this.verified({ state: end.verified === null ? 'unknown' : end.verified ? 'yes' : 'no', why: end.why });
  }

  /** @param {About['verified']} verified */
  verified(verified) {
    if (!verified) return;
    const { state, why } = verified;
    const [kind, name, words] = state === 'yes' ? ['good', /** @type {const} */ ('yes'), 'verified'] : state === 'no' ? ['bad', /** @type {const} */ ('no'), 'does not verify'] : ['', /** @type {const} */ ('unknown'), 'not verified'];
    const meaning = why || (state === 'yes' ? 'Played again by the rules, it came to the same states and the same result.' : 'Nobody has played it again by the rules.');
    fill(this.badge, el('span', { class: `pill ${kind}`, title: meaning, tabindex: '0' }, icon(name), words, el('span', { class: 'sr' }, `: ${meaning}`)));
    let reason = this.node.querySelector('.why');
    if (state === 'no' && why) {
      if (!reason) this.result.after((reason = el('p', { class: 'why bad' })));
      say(reason, why);
    } else reason?.remove();
  }

  /** @param {string} game @param {string[]} formats */
  offer(game, formats) {
    const links = formats.flatMap((format) => {
      const href = this.source.download(game, format);
      return href ? [el('li', {}, el('a', { href, download: '' }, FORMATS[format] ?? format))] : [];
    });
    fill(this.downloads, links.length > 0 && el('details', { class: 'menu' }, el('summary', { class: 'button' }, icon('down'), 'Download'), el('ul', { class: 'card' }, links)));
  }
}
