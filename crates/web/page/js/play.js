// The view in which a game with people is set up: what is played, who sits where, how much time people have.

import { copy, el, fill } from './dom.js';
import { failure, loading, showTop, showView, toast } from './shell.js';
import { to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {Playable, PlayChoices} from './types.js' */

const YOU = 'human';
const FRIEND = 'friend=human';

/** @param {Route} _route @param {Source} source @returns {View} */
export function playView(_route, source) {
  let closed = false;
  showTop([{ words: 'play' }]);
  showView(loading('Looking for games').node);
  source.choices().then(
    (choices) => closed || showView(choices ? form(source, choices) : failure('Nobody can play here', 'this page shows games that are over')),
    (error) => closed || showView(failure('Nobody can play here', error)));
  return { update: (next) => next.page === 'play', close: () => (closed = true) };
}

/** @param {Source} source @param {PlayChoices} choices */
function form(source, choices) {
  const game = el('select', { id: 'play-game' }, choices.games.map(({ id, about }) => el('option', { value: id }, `${id}: ${about}`)));
  const players = el('input', { type: 'number', id: 'play-players' });
  const chairs = el('div', { class: 'chairs' });
  const setup = el('textarea', { id: 'play-setup', spellcheck: 'false', placeholder: 'key=value, one on each line' });
  const keys = el('dl', { class: 'setup' });
  const clock = choice('play-clock', [['', 'as long as they like'], ['10000', '10 seconds for a move'], ['30000', '30 seconds for a move'], ['60000', 'a minute for a move'], ['300000', 'five minutes for a move']]);
  const bank = choice('play-bank', [['', 'no limit'], ['60000', 'a minute'], ['180000', 'three minutes'], ['600000', 'ten minutes'], ['1800000', 'half an hour'], ['3600000', 'an hour']]);
  const botClock = choice('play-bots-clock', [['', 'as usual in the game'], ['100', 'a tenth of a second'], ['500', 'half a second'], ['1000', 'a second'], ['5000', '5 seconds'], ['30000', '30 seconds'], ['0', 'no limit']]);
  const botBank = choice('play-bots-bank', [['', 'no limit'], ['10000', '10 seconds'], ['60000', 'a minute'], ['180000', 'three minutes'], ['600000', 'ten minutes']]);
  const seed = el('input', { type: 'text', id: 'play-seed', inputmode: 'numeric', pattern: '[0-9]{1,15}', title: 'a number of at most 15 digits', placeholder: 'another one every time' });
  const askable = el('fieldset', {});
  const error = el('p', { class: 'bad', role: 'alert' });
  const start = el('button', { type: 'submit', class: 'main' }, 'Sit down');
  const chosen = () => /** @type {Playable} */ (choices.games.find(({ id }) => id === game.value));

  const seats = () => {
    const { bots, id } = chosen();
    const found = choices.found.filter((bot) => bot.game === null || bot.game === id);
    const strongest = bots.at(-1)?.name;
    const before = [...chairs.querySelectorAll('select')].map((select) => select.value);
    fill(chairs, Array.from({ length: Number(players.value) }, (_, seat) => {
      const options = [el('option', { value: YOU }, 'you'), el('option', { value: FRIEND }, 'another person, by a link'),
        el('optgroup', { label: 'built-in bots' }, bots.map(({ name, about }) => el('option', { value: `builtin:${name}` }, `${name}: ${about}`))),
        found.length ? el('optgroup', { label: 'bots below the folder' }, found.map(({ path, name }) => el('option', { value: path }, `${name} (${path})`))) : null];
      const select = el('select', { 'aria-label': `Seat ${seat + 1}` }, options);
      select.value = before[seat] ?? (seat === 0 ? YOU : `builtin:${strongest}`);
      if (!select.value) select.value = `builtin:${strongest}`;
      return el('div', { class: 'chair' }, el('span', { class: 'dim' }, `seat ${seat + 1}`), select);
    }));
  };
  /** Begins a line of the set-up. @param {string} name */
  const add = (name) => {
    setup.value = `${setup.value.trimEnd()}\n${name}=`.trimStart();
    setup.focus();
  };
  const choose = () => {
    const { players: [least, most], usual, keys: all } = chosen();
    players.min = String(least);
    players.max = String(Math.min(most, 10));
    players.value = String(usual);
    players.disabled = least === most;
    fill(chairs);
    fill(keys, all.flatMap(({ name, about }) => [el('dt', {}, el('button', { type: 'button', title: 'Add it to the set-up', on: { click: () => add(name) } }, el('code', {}, name))), el('dd', {}, about)]));
    const programs = choices.found.filter((bot) => bot.game === null || bot.game === chosen().id);
    askable.hidden = programs.length === 0;
    fill(askable, el('legend', {}, 'Who may be asked for hints, beside those who play and the built-in bots'), programs.map(({ path, name }) => el('label', { class: 'tick' }, el('input', { type: 'checkbox', value: path }), ` ${name} (${path})`)));
    seats();
  };
  const number = (/** @type {{value: string}} */ { value }) => (value.trim() === '' ? null : Number(value));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    fill(error);
    start.disabled = true;
    try {
      const lines = setup.value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
      const { seats: links } = await source.play({ game: game.value, bots: [...chairs.querySelectorAll('select')].map((select) => select.value), set: lines, human_timeout_ms: number(clock), human_match_ms: number(bank), timeout_ms: number(botClock), match_ms: number(botBank), seed: number(seed), hints: [...askable.querySelectorAll('input')].filter((box) => box.checked).map((box) => box.value) });
      const others = links.slice(1);
      if (others.length === 0) location.hash = to.seat(links[0].token);
      else showView(invitations(links));
    } catch (failed) {
      fill(error, failed instanceof Error ? failed.message : String(failed));
    }
    start.disabled = false;
  };
  game.addEventListener('change', choose);
  players.addEventListener('change', seats);
  const node = el('form', { class: 'play-form card', on: { submit } },
    el('label', { for: 'play-game' }, el('span', { class: 'label' }, 'Game'), game),
    el('label', { for: 'play-players' }, el('span', { class: 'label' }, 'Players'), players),
    el('fieldset', {}, el('legend', {}, 'Who sits where'), chairs),
    el('div', { class: 'pair' }, field('Time for people, for a move', clock), field('and for the whole game', bank)),
    el('details', {}, el('summary', {}, 'Time of bots, chance, hints'), el('div', { class: 'more' },
      el('div', { class: 'pair' }, field('Time of bots, for a move', botClock), field('and for the whole game', botBank)),
      field('Seed: the same number, the same chance', seed), askable)),
    el('label', { for: 'play-setup' }, el('span', { class: 'label' }, 'Set-up'), setup),
    el('details', {}, el('summary', {}, 'What can be set'), keys), error, start);
  choose();
  return el('div', { class: 'sheet' }, el('header', { class: 'page-head' }, el('h1', {}, 'Play'), el('p', { class: 'dim' }, 'The game is recorded like any other.')), node);
}

/** @param {string} id @param {string[][]} options values and their words */
const choice = (id, options) => el('select', { id }, options.map(([value, words]) => el('option', { value }, words)));

/** @param {string} words @param {HTMLElement} control */
const field = (words, control) => el('label', { for: control.id }, el('span', { class: 'label' }, words), control);

/** Links for those who play elsewhere. @param {{name: string, token: string}[]} links */
function invitations(links) {
  const [own, ...others] = links;
  const row = (/** @type {{name: string, token: string}} */ { name, token }) => {
    const url = `${location.origin}/seat/${token}`;
    return el('li', {}, el('b', {}, name), ' ', el('code', {}, url), ' ', el('button', { type: 'button', on: { click: async () => toast((await copy(url)) ? 'Copied' : 'It cannot be copied here') } }, 'Copy'));
  };
  return el('div', { class: 'sheet' }, el('div', { class: 'card play-form' }, el('h1', {}, 'Links for the others'), el('p', { class: 'dim' }, 'Whoever has such a link plays at that seat, and sees nothing else.'), el('ul', {}, others.map(row)), el('a', { class: 'button', href: to.seat(own.token) }, 'Sit down')));
}
