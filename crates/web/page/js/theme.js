// Colours by what they stand for, in light and in dark. Pages of the theme's CSS and boards use the same two sets.

/** @import {Tint} from './types.js' */

// Colours that people tell apart who do not see all of them: the set of Okabe and Ito first, then further ones.
const SEATS_LIGHT = ['#0072b2', '#d55e00', '#008b66', '#b8558a', '#b57900', '#2c8fc9', '#7a52c7', '#a83a37', '#517d25', '#6b6f76'];
const SEATS_DARK = ['#4fa9e6', '#ff8d42', '#2ccb9b', '#f0a0ca', '#f7c14b', '#93d3f7', '#b79cf3', '#e8807c', '#9ccf63', '#b3b8bf'];

// The names that docs/film.md lists, then those that only this page uses.
/** @type {Record<string, string>} */
const LIGHT = {
  ink: '#1b1f24', 'faint-ink': '#626b76', black: '#17191c', white: '#fbfbf7',
  wood: '#e4bc7f', 'wood-line': '#7a5a30', 'wood-ink': '#5f3f17',
  floor: '#f4f0e8', 'floor-dark': '#ece6da', wall: '#4a4238', mud: '#a3744a',
  'cheese-light': '#ffe08a', cheese: '#f5c33b', 'cheese-dark': '#cf9420', eye: '#ffffff', nose: '#e58b9b', shade: '#00000040',
  felt: '#2f7a5a', 'felt-ink': '#d6eee2', red: '#d5323a', blue: '#1d6ccd', green: '#25883f', yellow: '#edb200', wild: '#24272d', danger: '#d11f3a',
  dish: '#f4f7fa', grass: '#d3e6b6', rock: '#8c8f95', water: '#7fb8e6',
  'sugar-light': '#ffffff', sugar: '#dbe6f0', 'sugar-dark': '#b5c8da', stalk: '#8f9d3f', 'grain-light': '#f1d071', grain: '#d9a93c', bone: '#f3e9dc', meat: '#c8553d', 'meat-light': '#e58f7b',
  unknown: '#d5d8dd', fog: '#b4bac280', veil: '#ffffff99', clear: '#00000000', stranger: '#3d434b',
  paper: '#ffffff', mark: '#e0204a', back: '#2b3a67', 'dish-line': '#e0e6ed',
};

/** @type {Record<string, string>} */
const DARK = {
  ...LIGHT, ink: '#e8ebef', 'faint-ink': '#98a2ae', black: '#0b0c0e', white: '#f4f4ee',
  wood: '#b88d51', 'wood-line': '#5a4220', 'wood-ink': '#2a1b06',
  floor: '#2a2a2f', 'floor-dark': '#303036', wall: '#c6beae', mud: '#80593a',
  felt: '#1d5740', 'felt-ink': '#a9d6c0', wild: '#2c3037', danger: '#ff5c74',
  dish: '#191e26', grass: '#34462c', rock: '#6b6e76', water: '#295a86', 'sugar-light': '#f2f5f8', sugar: '#cfdae4', 'sugar-dark': '#9fb2c4',
  unknown: '#20242b', fog: '#0a0c1080', veil: '#0a0c10a8', stranger: '#c9d0d8',
  paper: '#15181d', mark: '#ff5c7c', back: '#34467c', 'dish-line': '#242b35',
};

/** @typedef {{dark: boolean, of: (tint: Tint | undefined | null) => string, over: (colour: string) => string}} Theme */

/** A colour for a name that nobody has chosen one for: always the same, neither loud nor invisible. @param {string} name @param {boolean} dark */
function unknownColour(name, dark) {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return `hsl(${hash % 360} 32% ${dark ? 46 : 58}%)`;
}

/** @param {string} colour `#rrggbb` @returns {number} its luminance, from 0 to 1 */
function luminance(colour) {
  const part = (/** @type {number} */ at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

/** @param {boolean} dark @returns {Theme} */
export function makeTheme(dark) {
  const named = dark ? DARK : LIGHT;
  const seats = dark ? SEATS_DARK : SEATS_LIGHT;
  return {
    dark,
    of(tint) {
      if (tint === undefined || tint === null) return '#00000000';
      if (typeof tint === 'number') return seats[tint % seats.length];
      if (tint.startsWith('#')) return tint;
      return named[tint] ?? unknownColour(tint, dark);
    },
    /** Black or white, whichever can be read on it. */
    over(colour) {
      return colour.startsWith('#') && luminance(colour) > 0.32 ? '#14171b' : '#ffffff';
    },
  };
}

const CHOICES = /** @type {const} */ (['auto', 'light', 'dark']);
/** @typedef {typeof CHOICES[number]} Choice */
const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** What the page looks like now; tells those who asked when it changes. */
class Look {
  constructor() {
    /** @type {Choice} */
    this.choice = 'auto';
    try {
      const kept = localStorage.getItem('theme');
      if (kept === 'light' || kept === 'dark') this.choice = kept;
    } catch {
      // A page without storage follows the system.
    }
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    systemDark.addEventListener('change', () => this.apply());
    this.theme = makeTheme(false);
    this.apply();
  }

  apply() {
    const dark = this.choice === 'auto' ? systemDark.matches : this.choice === 'dark';
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.theme = makeTheme(dark);
    for (const listener of this.listeners) listener();
  }

  /** From the system's to light to dark and back. */
  turn() {
    this.choice = CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length];
    try {
      localStorage.setItem('theme', this.choice);
    } catch {
      // It lasts until the page is closed.
    }
    this.apply();
  }

  /** @param {() => void} listener @returns {() => void} ends it */
  watch(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export const look = new Look();

/** Whether people asked for little motion. */
export const calm = matchMedia('(prefers-reduced-motion: reduce)');

/** A colour of the style sheet. @param {string} name */
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
