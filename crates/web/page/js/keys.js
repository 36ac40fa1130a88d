// Keys of the keyboard, what they do, and the dialog that lists them.

import { el } from './dom.js';
import { icon } from './icons.js';

/** @typedef {{keys: string[], shown: string[], words: string, run: (event: KeyboardEvent) => void}} KeyBinding */

const FIELDS = /^(SELECT|TEXTAREA)$/;

/** Keys of fields and buttons stay theirs. @param {KeyboardEvent} event */
function isTaken(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (!target || document.querySelector('dialog[open]')) return Boolean(target?.closest('dialog'));
  if (FIELDS.test(target.tagName)) return true;
  if (target instanceof HTMLInputElement && target.type !== 'range') return true;
  const presses = event.key === ' ' || event.key === 'Enter';
  return presses && Boolean(target.closest('button, a, summary'));
}

/** @param {KeyBinding[]} bindings @returns {() => void} ends it */
export function listenToKeys(bindings) {
  const listener = (/** @type {KeyboardEvent} */ event) => {
    if (isTaken(event)) return;
    const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
    const binding = bindings.find(({ keys }) => keys.includes(name));
    if (!binding) return;
    event.preventDefault();
    binding.run(event);
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

/** @param {KeyBinding[]} bindings */
export function showKeys(bindings) {
  const rows = bindings.flatMap(({ shown, words }) => [el('dt', {}, shown.map((key) => el('kbd', {}, key))), el('dd', {}, words)]);
  const dialog = el('dialog', { 'aria-labelledby': 'keys-title' },
    el('header', {}, el('h2', { id: 'keys-title' }, 'Keyboard'), el('button', { type: 'button', class: 'only quiet', 'aria-label': 'Close', on: { click: () => dialog.close() } }, icon('no'))),
    el('div', { class: 'body' }, el('dl', { class: 'keys' }, rows)));
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
