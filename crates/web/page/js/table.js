// Tables of figures, from columns that say what they show.

import { el } from './dom.js';
/** @import {Child} from './dom.js' */

/**
 * @template T
 * @typedef {object} Column
 * @property {string} head
 * @property {string} [title] what it means
 * @property {boolean} [text] words, not figures: set to the left
 * @property {string} [class]
 * @property {(row: T, index: number) => Child | Child[]} cell
 */

/**
 * @template T
 * @param {string} caption for screen readers
 * @param {Column<T>[]} columns the first names the row
 * @param {T[]} rows
 */
export function table(caption, columns, rows) {
  const kind = (/** @type {Column<T>} */ column) => `${column.text ? 'text' : 'num'} ${column.class ?? ''}`.trim();
  const heads = columns.map((column) => (column.head ? el('th', { scope: 'col', class: kind(column), title: column.title }, column.head) : el('td', { class: kind(column) })));
  const body = rows.map((row, index) => el('tr', {}, columns.map((column, place) => (place === 0 ? el('th', { scope: 'row', class: kind(column) }, column.cell(row, index)) : el('td', { class: kind(column) }, column.cell(row, index))))));
  return el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption },
    el('table', { class: 'figures' }, el('caption', { class: 'sr' }, caption), el('thead', {}, el('tr', {}, heads)), el('tbody', {}, body)));
}

/** A part of a page with a title. @param {string} title @param {(Child | Child[])[]} content */
export function section(title, ...content) {
  const id = `s-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return el('section', { class: 'card part', 'aria-labelledby': id }, el('h2', { id }, title), content.flat());
}

/** A bar whose length is a share of the largest. @param {number} share from 0 to 1 @param {string} [kind] */
export function bar(share, kind = '') {
  const inner = el('i');
  inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el('span', { class: `bar-track ${kind}`, 'aria-hidden': 'true' }, inner);
}

/** Where a figure is and how sure that is, on a common scale. @param {number} value @param {number} error @param {{low: number, high: number}} scale */
export function interval(value, error, { low, high }) {
  const at = (/** @type {number} */ x) => `${Math.max(0, Math.min(1, (x - low) / (high - low || 1))) * 100}%`;
  const [line, point] = [el('i'), el('b')];
  line.style.left = at(value - error);
  line.style.right = `calc(100% - ${at(value + error)})`;
  point.style.left = at(value);
  return el('span', { class: 'interval', 'aria-hidden': 'true' }, line, point);
}

/** Replaces what a node holds, and keeps the focus on the same link and every table where it was scrolled to. @param {Element} node @param {Node[]} content */
export function renew(node, content) {
  const focused = document.activeElement;
  const href = focused instanceof HTMLAnchorElement && node.contains(focused) ? focused.getAttribute('href') : null;
  const group = focused?.classList.contains('scroll') && node.contains(focused) ? focused.getAttribute('aria-label') : null;
  const scrolled = new Map([...node.querySelectorAll('.scroll')].map((part) => [part.getAttribute('aria-label'), part.scrollLeft]));
  node.replaceChildren(...content);
  for (const part of node.querySelectorAll('.scroll')) {
    const label = part.getAttribute('aria-label');
    part.scrollLeft = scrolled.get(label) ?? 0;
    if (group !== null && label === group && part instanceof HTMLElement) part.focus({ preventScroll: true });
  }
  if (href) for (const link of node.querySelectorAll('a')) if (link.getAttribute('href') === href) {
    link.focus({ preventScroll: true });
    return;
  }
}
