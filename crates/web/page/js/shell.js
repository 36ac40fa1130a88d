// What is around every view: the bar at the top, messages, and short notices.

import { copy, el, fill } from './dom.js';
import { icon } from './icons.js';
import { look } from './theme.js';
import { to } from './router.js';

/** @typedef {{words: string, href?: string}} Crumb */

/** The mark: two who face each other in a ring. */
function brandMark() {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const part = (/** @type {string} */ tag, /** @type {Record<string, string>} */ props) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
    svg.append(node);
  };
  part('circle', { cx: '12', cy: '12', r: '10', fill: 'none', stroke: 'currentColor', 'stroke-width': '2' });
  part('circle', { cx: '8.2', cy: '12', r: '2.7', fill: '#0072b2' });
  part('circle', { cx: '15.8', cy: '12', r: '2.7', fill: '#d55e00' });
  return svg;
}

const crumbs = el('ol');
const tools = el('div', { class: 'tools' });
const view = el('main', { class: 'view', id: 'view', tabindex: '-1' });
const themeButton = el('button', { type: 'button', class: 'only quiet', on: { click: () => look.turn() } });

function showTheme() {
  const words = { auto: 'as the system', light: 'light', dark: 'dark' }[look.choice];
  themeButton.setAttribute('aria-label', `Colours: ${words}`);
  themeButton.title = `Colours: ${words} (t)`;
  fill(themeButton, icon(look.choice === 'auto' ? 'auto' : look.choice === 'light' ? 'sun' : 'moon'));
}

export function mountShell() {
  look.watch(showTheme);
  showTheme();
  document.body.append(
    el('a', { class: 'skip', href: '#view', on: { click: (/** @type {Event} */ event) => { event.preventDefault(); view.focus(); } } }, 'To the content'),
    el('header', { class: 'top' }, el('a', { class: 'brand', href: to.home(), 'aria-label': 'Lanista: to the list' }, brandMark(), el('span', {}, 'Lanista')), el('nav', { class: 'crumbs', 'aria-label': 'Where you are' }, crumbs), tools),
    view);
}

/** @param {Crumb[]} path @param {Node[]} [buttons] */
export function showTop(path, buttons = []) {
  const last = path.length - 1;
  fill(crumbs, path.map(({ words, href }, index) => el('li', {}, icon('chevron'), href && index < last ? el('a', { href }, words) : el('span', { 'aria-current': index === last ? 'page' : null }, words))));
  fill(tools, buttons, themeButton);
  document.title = path.length ? `${path.map(({ words }) => words).reverse().join(' · ')} · Lanista` : 'Lanista';
}

/** @param {Node} node */
export function showView(node) {
  fill(view, node);
}

/** Loading, with words on how far it is. @param {string} words */
export function loading(words) {
  const detail = el('p', { class: 'num' }, '\u00a0');
  const node = el('div', { class: 'message', role: 'status' }, el('h1', {}, words), el('div', { class: 'progress' }, el('i')), detail);
  return { node, tell: (/** @type {string} */ text) => (detail.textContent = text) };
}

/** Something is not there, and why. @param {string} title @param {unknown} error @param {() => void} [again] */
export function failure(title, error, again) {
  const words = error instanceof Error ? error.message : String(error);
  return el('div', { class: 'message', role: 'alert' }, el('h1', {}, title), el('p', {}, words.charAt(0).toUpperCase() + words.slice(1)),
    el('div', { class: 'bar' }, again && el('button', { type: 'button', class: 'main', on: { click: again } }, 'Try again'), el('a', { class: 'button', href: to.home() }, 'To the list')));
}

/** A command that can be copied. @param {string} text */
export function command(text) {
  return el('div', { class: 'command' }, el('code', { tabindex: '0' }, text), el('button', { type: 'button', class: 'quiet', on: { click: async () => toast((await copy(text)) ? 'Copied' : 'It cannot be copied here') } }, 'Copy', el('span', { class: 'sr' }, ` ${text}`)));
}

let notice = el('div');
let noticeTimer = 0;
/** @param {string} words */
export function toast(words) {
  notice.remove();
  notice = el('div', { class: 'toast', role: 'status' }, words);
  document.body.append(notice);
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => notice.remove(), 2600);
}
