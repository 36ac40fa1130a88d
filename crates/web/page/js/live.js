// The view of a game that is being played: stays at its end, lets people look back, and says when the connection is lost.

import { el } from './dom.js';
import { icon } from './icons.js';
import { Viewer } from './viewer.js';
import { eyesOf, helpButton } from './game.js';
import { failure, loading, showTop, showView } from './shell.js';
import { liveSocket } from './socket.js';
import { replaceHash, to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */

/** @param {Route} route @param {Source} source @returns {View} */
export function liveView(route, source) {
  const { game: id } = route;
  const eyes = eyesOf(route);
  const state = el('span', { class: 'pill live' }, icon('live'), 'live');
  /** @type {Viewer | null} */
  let viewer = null;
  let frame = 0;
  showTop([{ words: 'live' }], [state]);
  showView(loading('Waiting for the game').node);
  const address = (/** @type {number | null} */ seat) => `${to.live(id)}${seat === null ? '' : `?eyes=${seat + 1}`}`;
  const socket = liveSocket();
  const forget = socket.watch(id, eyes, (film) => {
    if (!viewer) {
      viewer = new Viewer({ film, source, game: null, eyes, live: true, onStep: () => replaceHash(address(eyes)), onEyes: (seat) => (location.hash = address(seat)) });
      showTop([{ words: film.names.join(' – ') }], [state, helpButton(viewer)]);
      showView(viewer.node);
      viewer.open(0);
      viewer.playback.follow();
    }
    // Many steps may come at once: they are shown together, in the next frame.
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      viewer?.grew();
      if (film.end) state.replaceChildren('over');
      state.classList.toggle('live', !film.end);
    });
  }, (words) => {
    if (!viewer) showView(failure('This game cannot be watched', words));
  });
  const unwatch = socket.watchState((connected) => {
    state.classList.toggle('warn', !connected);
    state.classList.toggle('live', connected);
    state.replaceChildren(...(connected ? [icon('live'), 'live'] : [icon('clock'), 'connecting again']));
  });
  return {
    update: () => false,
    close() {
      cancelAnimationFrame(frame);
      forget();
      unwatch();
      viewer?.close();
    },
  };
}
