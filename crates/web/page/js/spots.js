// What can be picked on a board: real buttons over the picture, so that keyboard, touch and screen readers reach them.

import { el, fill } from './dom.js';
/** @import {Board} from './board.js' */
/** @import {Offer} from './types.js' */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** So many places are framed; more are dotted. */
const FEW = 40;

/** Pixels: a finger finds a place of this size. */
const FINGER = 44;
/** Places smaller than this are made larger before one of them is picked. */
const SMALL = 30;

/** Whether a place was pressed with a finger. @param {MouseEvent} event */
const byFinger = (event) => event instanceof PointerEvent && event.pointerType === 'touch';

/** What is said of an offer. @param {Offer} offer */
export const spoken = (offer) => offer.label + (offer.barred ? `, not possible: ${offer.barred}` : offer.unwise ? `, but: ${offer.unwise}` : '');

export class Spots {
  /** @param {Board} board @param {(offer: Offer) => void} pick @param {() => void} enlarged called when places were made larger for a finger */
  constructor(board, pick, enlarged) {
    this.board = board;
    this.pick = pick;
    this.enlarged = enlarged;
    /** The picture is larger for a finger, until something else is to be done. */
    this.larger = false;
    this.node = el('div', { class: 'spots', role: 'group', 'aria-label': 'What can be picked on the board' });
    board.node.append(this.node);
    /** @type {{offer: Offer, node: HTMLButtonElement}[]} */
    this.spots = [];
    const before = board.onCamera;
    board.onCamera = () => {
      before();
      this.place();
    };
    this.node.addEventListener('keydown', (event) => this.move(event));
  }

  /** @param {Offer[]} offers all that is offered; only those with a place are shown here */
  show(offers) {
    const held = this.spots.find(({ node }) => node === document.activeElement)?.offer;
    // Where arrow keys mean moves, they cannot lead from place to place.
    this.arrows = !offers.some((offer) => offer.key && offer.key in ARROWS);
    this.spots = offers.filter((offer) => offer.at).map((offer) => {
      const kind = offer.barred ? 'barred' : offer.unwise ? 'unwise' : 'open';
      const node = el('button', { type: 'button', class: `spot ${kind}`, 'aria-label': spoken(offer), title: spoken(offer), 'aria-disabled': offer.barred ? 'true' : null, tabindex: this.arrows ? '-1' : '0', data: { pick: offer.pick }, on: { click: (/** @type {MouseEvent} */ event) => this.press(offer, event) } });
      return { offer, node };
    });
    // Frames around a few places can be seen on anything; around hundreds they would hide the board.
    this.node.classList.toggle('few', this.spots.length <= FEW);
    fill(this.node, this.spots.map(({ node }) => node));
    this.place();
    const again = this.spots.find(({ offer }) => offer.pick === held?.pick) ?? (held && this.nearest(held));
    if (again) again.node.focus({ preventScroll: true });
    this.enter(again ?? this.middle());
  }

  /** A finger covers several small places: the first touch makes them larger. @param {Offer} offer @param {MouseEvent} event */
  press(offer, event) {
    const { camera } = this.board;
    const size = Math.min(...(offer.size ?? [0, 0])) * camera.unit;
    if (!byFinger(event) || size >= SMALL || camera.zoom >= camera.most || !this.crowded(offer)) {
      this.pick(offer);
      return;
    }
    this.larger = true;
    this.board.zoom(FINGER / size, camera.toWindow(offer.at ?? [0, 0]));
    this.enlarged();
  }

  /** Whether a finger on a place might mean another one. @param {Offer} offer */
  crowded({ pick, at: [x, y] = [0, 0] }) {
    const near = FINGER / this.board.camera.unit;
    return this.spots.some(({ offer }) => offer.pick !== pick && offer.at && Math.hypot(offer.at[0] - x, offer.at[1] - y) < near);
  }

  /** Another question: all of the board is shown again. */
  shrink() {
    if (this.larger) this.board.fit();
    this.larger = false;
  }

  /** The one that Tab leads to. @param {{node: HTMLButtonElement} | undefined} spot */
  enter(spot) {
    if (!this.arrows) return;
    for (const { node } of this.spots) node.tabIndex = -1;
    if (spot) spot.node.tabIndex = 0;
  }

  middle() {
    const [width, height] = this.board.still.size;
    return this.closest([width / 2, height / 2], this.spots.filter(({ offer }) => !offer.barred));
  }

  /** @param {Offer} to */
  nearest(to) {
    return to.at && this.closest(to.at, this.spots);
  }

  /** @param {number[]} at @param {{offer: Offer, node: HTMLButtonElement}[]} among */
  closest([x, y], among) {
    const far = (/** @type {{offer: Offer}} */ { offer }) => Math.hypot((offer.at?.[0] ?? 0) - x, (offer.at?.[1] ?? 0) - y);
    return among.length ? among.reduce((best, spot) => (far(spot) < far(best) ? spot : best)) : undefined;
  }

  /** Puts the buttons where the picture shows their places. */
  place() {
    const { canvas, camera } = this.board;
    const { style } = this.node;
    style.left = `${canvas.offsetLeft}px`;
    style.top = `${canvas.offsetTop}px`;
    style.width = canvas.style.width;
    style.height = canvas.style.height;
    for (const { offer, node } of this.spots) {
      const [[x, y], [wide, high]] = [offer.at ?? [0, 0], offer.size ?? [0, 0]];
      const [left, top] = camera.toWindow([x - wide / 2, y - high / 2]);
      node.style.left = `${left}px`;
      node.style.top = `${top}px`;
      node.style.width = `${wide * camera.unit}px`;
      node.style.height = `${high * camera.unit}px`;
    }
  }

  /** Arrow keys lead to the next place in their direction. @param {KeyboardEvent} event */
  move(event) {
    const way = ARROWS[/** @type {keyof ARROWS} */ (event.key)];
    const from = this.spots.find(({ node }) => node === event.target)?.offer.at;
    if (!way || !from || !this.arrows || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [dx, dy] = way;
    const ahead = this.spots.filter(({ offer }) => {
      const [x, y] = [(offer.at?.[0] ?? 0) - from[0], (offer.at?.[1] ?? 0) - from[1]];
      return x * dx + y * dy > 0 && Math.abs(x * dy - y * dx) <= Math.abs(x * dx + y * dy);
    });
    const next = this.closest(from, ahead);
    if (!next) return;
    this.enter(next);
    next.node.focus();
  }
}
