// Colours by what they stand for, in light and in dark. Pages of the theme's CSS and boards use the same two sets.

/** @import {Tint} from './types.js' */

// Colours that people tell apart who do not see all of them: the set of Okabe and Ito first, then further ones.
const SEATS_LIGHT = ['#0072b2', '#d55e00', '#008b66', '#b8558a', '#b57900', '#2c8fc9', '#7a52c7', '#a83a37', '#517d25', '#6b6f76'];
const SEATS_DARK = ['#4fa9e6', '#ff8d42', '#2ccb9b', '#f0a0ca', '#f7c14b', '#93d3f7', '#b79cf3', '#e8807c', '#9ccf63', '#b3b8bf'];

/** @type {Record<string, string>} */
const LIGHT = {
  ink: '#1b1f24', paper: '#ffffff', dim: '#626b76', line: '#cfd5dc', clear: '#00000000', veil: '#ffffff99', mark: '#e0204a', danger: '#d11f3a', good: '#1a7f4b',
  black: '#17191c', white: '#fbfbf7', gray: '#8d9197', grey: '#8d9197', red: '#d5323a', blue: '#1d6ccd', green: '#25883f', yellow: '#edb200', orange: '#e0741a', purple: '#7b4fc9',
  pink: '#d2689f', brown: '#8a5a33', cyan: '#1f9cb3', wild: '#24272d', back: '#2b3a67', gold: '#d9a520',
  wood: '#e4bc7f', 'wood-ink': '#5f3f17', 'wood-line': '#7a5a30', grid: '#7a5a30', board: '#e4bc7f', felt: '#2f7a5a', feltink: '#d6eee2', table: '#2f7a5a',
  floor: '#f3eee5', floor2: '#ece5d8', wall: '#4a4238', mud: '#a3744a', dish: '#f4f7fa', dishline: '#e0e6ed',
  grass: '#d3e6b6', earth: '#d9c6a5', sand: '#ead9b0', rock: '#8c8f95', stone: '#8c8f95', water: '#7fb8e6', sea: '#7fb8e6', ice: '#d9edf7', snow: '#f4f8fb', fire: '#e2582b', lava: '#d8471f',
  unknown: '#d5d8dd', fog: '#d5d8dd', shadow: '#00000033', food: '#d9a520', sugar: '#ffffff', cheese: '#f2c230', meat: '#c8553d',
};

/** @type {Record<string, string>} */
const DARK = {
  ...LIGHT, ink: '#e8ebef', paper: '#15181d', dim: '#98a2ae', line: '#343c47', veil: '#0a0c10a8', mark: '#ff5c7c', danger: '#ff5c74', good: '#4cc38a',
  black: '#0b0c0e', white: '#f4f4ee', wood: '#b88d51', 'wood-ink': '#2a1b06', 'wood-line': '#5a4220', grid: '#5a4220', board: '#b88d51', felt: '#1d5740', feltink: '#a9d6c0', table: '#1d5740', back: '#34467c',
  floor: '#2a2a2f', floor2: '#303036', wall: '#c6beae', mud: '#80593a', dish: '#191e26', dishline: '#242b35',
  grass: '#34462c', earth: '#4a3d2a', sand: '#574b33', rock: '#6b6e76', stone: '#6b6e76', water: '#295a86', sea: '#295a86', ice: '#3c5767', snow: '#525c66', unknown: '#20242b', fog: '#20242b', shadow: '#00000066',
  sugar: '#f2f5f8', wild: '#2c3037',
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
