// Numbers, times and dates as people read them.

/** @param {number | undefined} us microseconds */
export function duration(us) {
  if (us === undefined) return '–';
  const ms = us / 1000;
  if (ms < 0.95) return `${Math.round(us)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return span(ms / 1000);
}

/** @param {number} seconds */
export function span(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** @param {number | null | undefined} value @param {number} [digits] */
export function number(value, digits = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return digits === 0 ? whole.format(value) : value.toFixed(digits);
}

/** Points, with halves where there are any. @param {number} value */
export const points = (value) => (Number.isInteger(value) ? whole.format(value) : value.toFixed(value * 2 === Math.round(value * 2) ? 1 : 2));

/** @param {number | null | undefined} share from 0 to 1 @param {number} [digits] */
export const percent = (share, digits = 0) => (share === null || share === undefined ? '–' : `${(share * 100).toFixed(digits)} %`);

/** A probability. It is never certain, however near it is. @param {number | null | undefined} chance @param {number} [digits] */
export const probability = (chance, digits = 0) => {
  const least = 10 ** -digits;
  if (typeof chance === 'number' && chance * 100 >= 100 - least / 2) return `> ${(100 - least).toFixed(digits)} %`;
  if (typeof chance === 'number' && chance * 100 <= least / 2) return `< ${least.toFixed(digits)} %`;
  return percent(chance, digits);
};

/** Elo with its sign and what it may be off by. @param {number | null | undefined} value */
export const signed = (value) => (value === null || value === undefined ? '–' : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(Math.abs(value) < 10 ? 1 : 0)}`);

/** @param {number | string | undefined} moment seconds since 1970, or a date */
export function ago(moment) {
  if (moment === undefined) return '';
  const then = typeof moment === 'number' ? moment * 1000 : Date.parse(moment);
  if (!Number.isFinite(then)) return '';
  const seconds = (Date.now() - then) / 1000;
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  if (seconds < 86_400 * 14) return `${Math.round(seconds / 86_400)} days ago`;
  return new Date(then).toISOString().slice(0, 10);
}

/** A moment to the minute. @param {number} moment seconds since 1970 */
export const date = (moment) => `${new Date(moment * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** @param {number} count @param {string} one @param {string} [many] */
export const plural = (count, one, many = `${one}s`) => `${whole.format(count)} ${count === 1 ? one : many}`;

/** "a, b and c" @param {string[]} names */
export const list = (names) => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`);

/** Values as a set-up gives them, in one line. @param {any} value */
export function plain(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object') return String(value);
  return JSON.stringify(value).replace(/["{}]/g, '').replace(/([:,])/g, '$1 ');
}
