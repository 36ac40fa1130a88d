// The view of a seat: a person plays. It shows what the player sees, what can be done now, and how the game ended.

import { el, fill, say } from './dom.js';
import { Board } from './board.js';
import { Film } from './film.js';
import { Legend } from './legend.js';
import { SeatLink } from './seatlink.js';
import { Seats } from './seats.js';
import { SeatTable } from './seattable.js';
import { Spots, spoken } from './spots.js';
import { ZoomBar } from './zoom.js';
import { firstStill } from './still.js';
import { failure, loading, showTop, showView } from './shell.js';
import { to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {View} from './app.js' */
/** @import {Desk, DeskAbout, Offer} from './types.js' */

/** Keys that change how large the board is, unless the game has another use for them. */
const ZOOM = { '+': 1.5, '-': 1 / 1.5, '0': 0 };
const SHOWN = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', Enter: '⏎', Delete: 'Del' };

/** Time that is left. @param {number} seconds */
const clockTime = (seconds) => (seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`);

/** @param {Route} route @returns {View} */
export function seatView(route) {
  const page = new SeatPage(route.name);
  return { update: (next) => next.page === 'seat' && next.name === route.name, close: () => page.close() };
}

class SeatPage {
  /** @param {string} token */
  constructor(token) {
    /** @type {Desk | null} */
    this.desk = null;
    /** @type {DeskAbout | null} */
    this.about = null;
    /** @type {{board: Board, spots: Spots, seats: Seats, legend: Legend, zoom: ZoomBar} | null} */
    this.table = null;
    this.clock = 0;
    this.state = el('span', { class: 'pill' }, 'connecting');
    this.frame = el('div', { class: 'board-frame' });
    this.top = el('div', { class: 'stage-top' });
    this.caption = el('p', { class: 'caption' });
    this.below = el('div', { class: 'below' }, this.caption);
    this.prompt = el('p', { class: 'prompt', role: 'status' });
    this.note = el('p', { class: 'note-line', role: 'alert' });
    this.time = el('p', { class: 'num dim', hidden: true });
    this.bar = el('div', { class: 'offers', role: 'group', 'aria-label': 'What can be done' });
    this.picks = el('p', { class: 'dim picked' });
    this.undo = el('button', { type: 'button', on: { click: () => this.back() } }, 'Undo the last pick ', el('kbd', {}, 'Esc'));
    this.beside = new SeatTable((message) => this.link.send(message));
    this.bots = el('select', { 'aria-label': 'Which bot is asked' });
    this.ask = el('button', { type: 'button', title: 'It sees what you see, and thinks for a second', on: { click: () => this.askBot() } }, 'What would it play?');
    this.resign = el('button', { type: 'button', title: 'Leave the game: it is lost then', on: { click: () => this.leave() } }, 'Resign');
    this.rules = el('ol', { class: 'rules' });
    this.heading = el('h2', { id: 'todo-title' }, 'What to do');
    this.help = el('section', { class: 'card panel', 'aria-labelledby': 'hint-title' }, el('h2', { id: 'hint-title' }, 'Ask a bot'), el('div', { class: 'hint-bar' }, this.bots, this.ask));
    this.title = el('h1', { class: 'sr' });
    this.node = el('div', { class: 'viewer play' }, this.title,
      el('section', { class: 'stage card', 'aria-label': 'The game' }, this.top, this.frame, this.below),
      el('aside', { class: 'side' },
        el('section', { class: 'card panel todo', 'aria-labelledby': 'todo-title' }, this.heading, this.beside.asked, this.prompt, this.note, this.time, this.bar, this.picks, el('div', { class: 'offers' }, this.beside.buttons, this.resign, this.undo)),
        el('section', { class: 'card panel', 'aria-labelledby': 'rules-title' }, el('h2', { id: 'rules-title' }, 'The rules'), this.rules),
        this.help, this.beside.moves));
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    addEventListener('keydown', this.keys);
    showTop([{ words: 'play' }], [this.state]);
    showView(loading('Coming to the table').node);
    this.link = new SeatLink(token, {
      about: (about) => this.sit(about),
      desk: (desk) => this.show(desk),
      refused: (why) => this.tell(why, 'bad'),
      hint: (words) => this.tell(words, ''),
      over: (words, match) => this.ended(words, match),
      state: (connected) => this.connected(connected),
      gone: () => this.gone(),
    });
  }

  close() {
    removeEventListener('keydown', this.keys);
    clearInterval(this.clock);
    this.link.close();
    this.table?.board.close();
    this.table?.seats.close();
    this.table?.legend.close();
  }

  /** @param {DeskAbout} about */
  sit(about) {
    this.about = about;
    this.table = null;
    fill(this.bots, about.hints.map((name) => el('option', { value: name }, name)));
    this.bots.value = about.hints.at(-1) ?? '';
    this.help.hidden = about.hints.length === 0;
    this.resign.hidden = false;
    this.beside.open();
    say(this.heading, 'What to do');
    say(this.title, about.names.join(' – '));
    showTop([{ words: about.names.join(' – ') }], [this.state]);
  }

  /** The picture, when the first desk is there. @param {Desk} desk */
  open(desk) {
    const { names, sprites, seat, game } = /** @type {DeskAbout} */ (this.about);
    const film = new Film({ film: 1, game, players: names.map((name) => ({ name })), eyes: seat, sprites, scene: desk.scene });
    const board = new Board(film, 'large');
    const spots = new Spots(board, (offer) => this.pick(offer), () => this.tell('The places are larger now: touch the one that you mean.', ''));
    const zoom = new ZoomBar(board);
    board.canvas.addEventListener('click', () => this.tell(`There is nothing to pick. ${this.desk?.prompt ?? ''}`, 'bad'));
    const [seats, legend] = [new Seats(film, seat), new Legend(film)];
    fill(this.frame, board.node);
    fill(this.top, seats.node);
    fill(this.below, this.caption, legend.node, zoom.node);
    showView(this.node);
    board.layout();
    return { board, spots, seats, legend, zoom };
  }

  /** @param {Desk} desk */
  show(desk) {
    if (!this.about) return;
    const before = this.desk;
    this.desk = desk;
    const table = this.table ?? this.open(desk);
    this.table = table;
    const another = before?.step !== desk.step;
    if (another) table.spots.shrink();
    if (another && desk.due) this.calmResign();
    const still = firstStill(desk.scene);
    table.board.show(still, before && another ? 220 : 0);
    table.seats.show(still);
    const words = (/** @type {string} */ text) => table.board.film.named(text);
    say(this.caption, words(desk.scene.caption));
    const { paused, waits } = desk.table;
    say(this.prompt, waits ? 'Waiting for the others to agree' : paused ? 'The clocks are stopped' : this.sentence(words(desk.prompt)));
    this.beside.show(desk, words, still.seats);
    this.prompt.classList.toggle('waits', !desk.due);
    if (another || before.picks.length !== desk.picks.length) this.tell('', '');
    fill(this.rules, desk.rules.map((rule) => el('li', {}, rule)));
    table.spots.show(desk.offers);
    this.offer(desk.offers.filter((offer) => !offer.at || offer.key));
    say(this.picks, desk.picks.length ? `Picked: ${desk.picks.join(', ')}` : '');
    this.undo.hidden = desk.picks.length === 0;
    this.ask.disabled = !desk.due;
    document.title = `${desk.due ? '● your turn' : 'waiting'} · ${this.about.names.join(' – ')} · Lanista`;
    this.count(desk.due ? desk.left_ms : null, paused);
  }

  /** Buttons beside the board. @param {Offer[]} offers */
  offer(offers) {
    const held = document.activeElement instanceof HTMLElement && this.bar.contains(document.activeElement) ? document.activeElement.dataset.pick : undefined;
    fill(this.bar, offers.map((offer) => el('button', { type: 'button', class: offer.unwise ? 'unwise' : '', 'aria-disabled': offer.barred ? 'true' : null, title: spoken(offer), data: { pick: offer.pick }, on: { click: () => this.pick(offer) } },
      offer.label, offer.unwise && el('span', { class: 'dim' }, ` (${offer.unwise})`), offer.key && el('kbd', {}, SHOWN[/** @type {keyof SHOWN} */ (offer.key)] ?? offer.key))));
    const again = [...this.bar.querySelectorAll('button')].find((button) => button.dataset.pick === held);
    if (held !== undefined) (again ?? this.bar.querySelector('button'))?.focus();
  }

  /** The time that is left. @param {number | null} ms @param {boolean} paused */
  count(ms, paused) {
    clearInterval(this.clock);
    this.time.hidden = ms === null;
    if (ms === null) return;
    const until = performance.now() + ms;
    const tell = () => say(this.time, `${clockTime(Math.max(0, Math.ceil((until - performance.now()) / 1000)))} left`);
    tell();
    if (!paused) this.clock = setInterval(tell, 500);
  }

  /** @param {Offer} offer */
  pick(offer) {
    if (offer.barred) this.tell(offer.barred, 'bad');
    else if (this.desk) this.link.send({ pick: offer.pick, step: this.desk.step });
  }

  back() {
    if (this.desk) this.link.send({ undo: this.desk.step });
  }

  askBot() {
    this.tell(`${this.bots.value} is thinking …`, '');
    this.link.send({ hint: this.bots.value });
  }

  leave() {
    const sure = this.resign.dataset.sure === 'yes';
    this.resign.dataset.sure = sure ? '' : 'yes';
    this.resign.textContent = sure ? 'Resign' : 'Resign: really?';
    if (!sure || !this.desk) return;
    this.resign.hidden = true;
    this.link.send({ resign: this.desk.step });
  }

  /** Whoever plays on does not resign. */
  calmResign() {
    this.resign.dataset.sure = '';
    this.resign.textContent = 'Resign';
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.desk || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.matches('select, input, textarea')) return;
    if ((event.key === 'Enter' || event.key === ' ') && target?.closest('button, a')) return;
    if (event.key === 'Escape' || event.key === 'Backspace') {
      event.preventDefault();
      this.back();
      return;
    }
    const offer = this.desk.offers.find(({ key }) => key !== undefined && (key === event.key || key === event.key.toLowerCase()));
    const zoom = ZOOM[/** @type {keyof ZOOM} */ (event.key)];
    if (!offer && zoom === undefined) return;
    event.preventDefault();
    if (offer) this.pick(offer);
    else if (zoom === 0) this.table?.board.fit();
    else this.table?.board.zoom(zoom);
  }

  /** With a capital letter, unless a name begins it. @param {string} words */
  sentence(words) {
    const names = [...(this.about?.names ?? []), ...(this.about?.hints ?? [])];
    return names.some((name) => words.startsWith(name)) ? words : words.charAt(0).toUpperCase() + words.slice(1);
  }

  /** @param {string} words @param {'' | 'bad'} kind */
  tell(words, kind) {
    this.note.className = `note-line ${kind}`;
    say(this.note, this.sentence(words));
  }

  /** @param {string} words @param {string} match */
  ended(words, match) {
    clearInterval(this.clock);
    this.time.hidden = true;
    this.say('over', '');
    say(this.heading, 'The game is over');
    this.prompt.classList.remove('waits');
    say(this.prompt, this.sentence(words));
    // Whoever came by the link of a seat sees nothing else of the server.
    const guest = location.pathname.startsWith('/seat/');
    fill(this.bar, guest ? null : el('a', { class: 'button', href: to.live('over', { match }) }, 'Look at the replay'), guest ? null : el('a', { class: 'button', href: to.play() }, 'Play again'));
    this.undo.hidden = this.resign.hidden = this.help.hidden = true;
    say(this.picks, '');
    this.table?.spots.show([]);
    this.tell('', '');
    this.beside.close();
    document.title = `over · ${this.about?.names.join(' – ') ?? ''} · Lanista`;
  }

  /** @param {boolean} connected */
  connected(connected) {
    if (connected) this.say('connected', 'live');
    else this.say('connecting again', 'warn');
  }

  gone() {
    const words = 'The game is over, or the address is not whole.';
    this.say('gone', '');
    if (this.table) this.tell(words, 'bad');
    else showView(failure('Nobody plays at this seat', words));
  }

  /** @param {string} words @param {'live' | 'warn' | ''} kind */
  say(words, kind) {
    this.state.className = `pill ${kind}`;
    this.state.textContent = words;
  }
}
