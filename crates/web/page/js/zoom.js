// The buttons that make a board larger and smaller. They stand beside the board, so that they never cover a part of it.

import { el } from './dom.js';
import { icon } from './icons.js';
/** @import {Board} from './board.js' */
/** @import {IconName} from './icons.js' */

/** Pixels; cells of this size need no buttons for zooming. */
const LARGE_CELL = 22;

export class ZoomBar {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    const button = (/** @type {IconName} */ name, /** @type {string} */ label, /** @type {string} */ key, /** @type {() => void} */ click) =>
      el('button', { type: 'button', class: 'only', 'aria-label': label, title: `${label} (${key})`, on: { click } }, icon(name));
    this.less = button('minus', 'Zoom out', '−', () => board.zoom(1 / 1.5));
    this.all = button('fit', 'Show all', '0', () => board.fit());
    this.node = el('div', { class: 'zoom', role: 'group', 'aria-label': 'Zoom' }, button('plus', 'Zoom in', '+', () => board.zoom(1.5)), this.less, this.all);
    const before = board.onCamera;
    board.onCamera = () => {
      before();
      this.show();
    };
    this.show();
  }

  show() {
    const { camera, node } = this.board;
    node.classList.toggle('zoomed', camera.zoom > 1);
    // Where cells are large, there is nothing to look at more closely.
    this.node.hidden = camera.zoom === 1 && camera.unit * 100 > LARGE_CELL;
    this.less.disabled = this.all.disabled = camera.zoom === 1;
  }
}
