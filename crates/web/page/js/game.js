// The view of a game that is kept: loads its film, shows it as soon as there is something to see, and keeps the address up to date.

import { el } from './dom.js';
import { icon } from './icons.js';
import { Viewer } from './viewer.js';
import { failure, loading, showTop, showView } from './shell.js';
import { number } from './format.js';
import { replaceHash, to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {Film} from './film.js' */

/** Seats in addresses count from 1, as people do. @param {Route} route @returns {number | null} */
export function eyesOf(route) {
  const eyes = Number(route.query.get('eyes'));
  return Number.isInteger(eyes) && eyes > 0 ? eyes - 1 : null;
}

/** @param {Route} route */
export const stepOf = (route) => Math.max(0, Math.floor(Number(route.query.get('step')) || 0));

/** @param {Viewer} viewer */
export function helpButton(viewer) {
  return el('button', { type: 'button', class: 'only quiet', 'aria-label': 'Keyboard', title: 'Keyboard (?)', on: { click: () => viewer.help() } }, icon('keys'));
}

/** The line of a game in the list of its tournament, and whether its event is the only one. @param {Source} source @param {string} run @param {number} n */
export async function gameInList(source, run, n) {
  const list = await source.games(run, new URLSearchParams({ after: String(n - 1), limit: '1' })).catch(() => null);
  const row = list?.games.find((game) => game.n === n);
  return row ? { ...row, alone: (list?.events ?? 1) === 1 } : null;
}

/** @param {Route} route @param {Source} source @returns {View} */
export function gameView(route, source) {
  const { game, run } = route;
  const eyes = eyesOf(route);
  const stop = new AbortController();
  /** @type {Viewer | null} */
  let viewer = null;
  let title = run ? 'game' : 'replay';
  let runName = '';
  const path = (/** @type {string} */ last) => [...(run ? [{ words: runName || 'tournament', href: to.run(run) }, { words: 'games', href: to.games(run) }] : []), { words: last }];
  const open = (/** @type {Film} */ film) => {
    const eyesOffered = film.names.some((_, seat) => source.canSee(game, seat));
    viewer = new Viewer({
      film, source, game, eyes,
      onStep: (step) => replaceHash(to.game(game, { step: step || undefined, eyes: eyes === null ? undefined : eyes + 1 })),
      onEyes: eyesOffered ? (seat) => (location.hash = to.game(game, { step: viewer?.playback.at || undefined, eyes: seat === null ? undefined : seat + 1 })) : null,
    });
    showTop(path(run ? title : film.names.join(' – ')), [helpButton(viewer)]);
    showView(viewer.node);
    viewer.open(stepOf(route));
  };
  const load = async () => {
    const wait = loading('Loading the game');
    showTop(path(title));
    showView(wait.node);
    try {
      if (run) {
        const n = Number(game.split('/').at(-1));
        const [name, row] = await Promise.all([source.nameOfRun(run), gameInList(source, run, n)]);
        runName = name;
        // Its number in the schedule of its event is the one that people use, as in the list of games.
        title = row ? `${row.alone ? '' : `${row.event}, `}game ${row.number ?? n}` : `game ${n}`;
        showTop(path(title));
      }
      const film = await source.film(game, eyes, (partial, bytes) => {
        wait.tell(`${number(partial?.length ?? 0)} steps, ${number(bytes / 1024)} kB`);
        if (!partial) return;
        if (viewer) viewer.grew();
        else if (partial.length > 64 && partial.length >= stepOf(route)) open(partial);
      }, stop.signal);
      if (viewer) viewer.grew();
      else open(film);
    } catch (error) {
      if (!stop.signal.aborted) showView(failure('This game cannot be shown', error, load));
    }
  };
  load();
  return {
    update(next) {
      if (next.page !== 'game' || next.game !== game || eyesOf(next) !== eyes || !viewer) return false;
      viewer.playback.seek(stepOf(next));
      return true;
    },
    close() {
      stop.abort();
      viewer?.close();
    },
  };
}
