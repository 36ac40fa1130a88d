// Addresses of the page's views: everything after the `#`, so that the same files work from a disk.

/**
 * @typedef {'home' | 'run' | 'games' | 'bot' | 'test' | 'game' | 'live' | 'compare' | 'play' | 'seat' | 'nowhere'} Page
 * @typedef {object} Route
 * @property {Page} page
 * @property {string} run
 * @property {string} name a bot's, a sequential test's, or the token of a seat
 * @property {string} game `r/RUN/N` or `f/FILE`, or the id of a live game
 * @property {URLSearchParams} query
 */

/** @param {string} hash @returns {Route} */
export function parseRoute(hash) {
  const [path, search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const parts = path.split('/').filter((part) => part !== '').map(decode);
  /** @type {Route} */
  const route = { page: 'nowhere', run: '', name: '', game: '', query: new URLSearchParams(search) };
  const [kind, id = '', sub, name = ''] = parts;
  if (kind === undefined) route.page = 'home';
  else if (kind === 'run' && id) {
    route.run = id;
    if (sub === undefined) route.page = 'run';
    else if (sub === 'games') route.page = 'games';
    else if ((sub === 'bot' || sub === 'test') && name) Object.assign(route, { page: sub, name });
  } else if (kind === 'game' && (id === 'r' || id === 'f') && parts.length === (id === 'r' ? 4 : 3)) {
    Object.assign(route, { page: 'game', run: id === 'r' ? parts[2] : '', game: address(...parts.slice(1)) });
  } else if (kind === 'live' && id) Object.assign(route, { page: 'live', game: id });
  else if (kind === 'compare') route.page = 'compare';
  else if (kind === 'play') route.page = 'play';
  else if (kind === 'seat' && /^[0-9a-f]{32}$/.test(id)) Object.assign(route, { page: 'seat', name: id });
  return route;
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Parts of an address, whatever they hold. @param {...(string | number)} parts */
export const address = (...parts) => parts.map((part) => encodeURIComponent(String(part))).join('/');

/** @param {Record<string, string | number | null | undefined>} query */
function search(query) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null && value !== undefined && value !== '') params.set(name, String(value));
  const text = params.toString();
  return text && `?${text}`;
}

export const to = {
  home: () => '#/',
  run: (/** @type {string} */ run) => `#/${address('run', run)}`,
  games: (/** @type {string} */ run, /** @type {Record<string, string | number | null | undefined>} */ filter = {}) => `#/${address('run', run)}/games${search(filter)}`,
  bot: (/** @type {string} */ run, /** @type {string} */ name, /** @type {string} */ event = '') => `#/${address('run', run, 'bot', name)}${search({ event })}`,
  test: (/** @type {string} */ run, /** @type {string} */ name) => `#/${address('run', run, 'test', name)}`,
  /** `game` is an address already. */
  game: (/** @type {string} */ game, /** @type {{step?: number, eyes?: number}} */ query = {}) => `#/game/${game}${search(query)}`,
  gameOfRun: (/** @type {string} */ run, /** @type {number} */ n) => `#/game/${address('r', run, n)}`,
  file: (/** @type {string} */ id) => `#/game/${address('f', id)}`,
  live: (/** @type {string} */ id, /** @type {{step?: number, eyes?: number, match?: string | null}} */ query = {}) => `#/live/${address(id)}${search(query)}`,
  play: () => '#/play',
  seat: (/** @type {string} */ token) => `#/seat/${address(token)}`,
  compare: (/** @type {string} */ a, /** @type {string} */ b) => `#/compare${search({ a, b })}`,
};

/** The address of the view that is shown. */
let shown = '';

/** The address has been followed: what it names is shown. */
export const arrived = () => (shown = location.hash);

/** Changes the address without leaving the view; the way back stays as it was. @param {string} hash */
export function replaceHash(hash) {
  // Somebody is on the way to another view: a step of this one must not call them back.
  if (location.hash !== shown) return;
  try {
    history.replaceState(history.state, '', hash);
  } catch {
    // Browsers refuse when it happens too often; the next change brings it up to date.
  }
  shown = location.hash;
}
