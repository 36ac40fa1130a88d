// Starts the page: finds its data, then shows the view that its address names.

import { findSource } from './source.js';
import { arrived, parseRoute } from './router.js';
import { failure, mountShell, showTop, showView } from './shell.js';
import { homeView } from './home.js';
import { gameView } from './game.js';
import { liveView } from './live.js';
import { runView } from './run.js';
import { gamesView } from './games.js';
import { botView } from './bot.js';
import { testView } from './test.js';
import { compareView } from './compare.js';
import { playView } from './play.js';
import { seatView } from './seat.js';
/** @import {Route, Page} from './router.js' */
/** @import {Source} from './source.js' */

/**
 * Something that fills the page.
 * @typedef {object} View
 * @property {(route: Route) => boolean} update whether it can show this itself; otherwise another takes its place
 * @property {() => void} close
 */

/** @type {Record<Exclude<Page, 'nowhere'>, (route: Route, source: Source) => View>} */
const VIEWS = { home: homeView, game: gameView, live: liveView, run: runView, games: gamesView, bot: botView, test: testView, compare: compareView, play: playView, seat: seatView };

const source = findSource();
/** @type {View | null} */
let view = null;

function show() {
  arrived();
  // Whoever was sent the link of a seat has nothing but that seat. A file without a list begins with what it has.
  const [, seat] = /^\/(seat\/[0-9a-f]{32})$/.exec(location.pathname) ?? [];
  const route = parseRoute(seat ? `#/${seat}` : /^#?\/?$/.test(location.hash) ? source.start : location.hash);
  if (view?.update(route)) return;
  view?.close();
  view = null;
  if (route.page === 'nowhere') {
    showTop([{ words: 'not found' }]);
    showView(failure('There is no such page', `nothing is at ${location.hash}`));
    return;
  }
  scrollTo(0, 0);
  view = VIEWS[route.page](route, source);
}

mountShell();
addEventListener('hashchange', show);
show();
