// Makes elements. Text from outside becomes text nodes, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props] `class`, `on` (an object of listeners), `data` (an object), attributes; null and false leave one out
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') node.className = value;
    else if (name === 'on') for (const [event, listener] of Object.entries(value)) node.addEventListener(event, /** @type {any} */ (listener));
    else if (name === 'data') Object.assign(node.dataset, value);
    else if (name === 'style') Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? '' : name === 'title' || name === 'aria-label' ? visible(String(value)) : String(value));
  }
  append(node, children);
  return node;
}

/** Characters that cannot be seen and turn others around or hide them: names and lines of bots may hold them. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text with what cannot be seen written out. @param {string} text */
const visible = (text) => text.replace(UNSEEN, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @param {Node} node @param {(Child | Child[])[]} children */
export function append(node, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.appendChild(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
}

/** @param {Element} node @param {...(Child | Child[])} children */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/** Sets text only where it differs, so that nothing is laid out again. @param {Element} node @param {string} text */
export function say(node, text) {
  const seen = visible(text);
  if (node.textContent !== seen) node.textContent = seen;
}

/** Words that only screen readers read. @param {string} text */
export const hidden = (text) => el('span', { class: 'sr' }, text);

/** Puts text on the clipboard, also where the page is not served safely. @param {string} text @returns {Promise<boolean>} */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = el('textarea', { class: 'sr', 'aria-hidden': 'true' });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand('copy');
    box.remove();
    return done;
  }
}
