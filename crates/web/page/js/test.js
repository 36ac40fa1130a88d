// The view of a sequential test: how the evidence grew, with the bounds at which it ends, and the difference in Elo.

import { el } from './dom.js';
import { failure, loading, showTop, showView } from './shell.js';
import { section } from './table.js';
import { number, probability, signed } from './format.js';
import { Plot } from './plot.js';
import { css, look } from './theme.js';
import { to } from './router.js';
/** @import {Route} from './router.js' */
/** @import {Source} from './source.js' */
/** @import {View} from './app.js' */
/** @import {TestPoint} from './types.js' */

/** Without figures of its own, a test has the usual error rates. */
const USUAL_BOUND = Math.log(0.95 / 0.05);
const REFRESH_MS = 3000;

/** @param {Route} route @param {Source} source @returns {View} */
export function testView(route, source) {
  const { run, name } = route;
  let closed = false;
  let timer = 0;
  /** @type {Plot[]} */
  let plots = [];
  const stop = () => {
    clearTimeout(timer);
    for (const plot of plots) plot.close();
  };
  source.nameOfRun(run).then((words) => closed || showTop([{ words, href: to.run(run) }, { words: name }]));
  showView(loading('Loading the test').node);
  let shown = '';
  const load = async () => {
    try {
      const { points, about } = await source.test(run, name);
      if (closed) return;
      const text = JSON.stringify([points, about]);
      if (text !== shown) {
        stop();
        plots = [new Plot('Log-likelihood ratio over games'), new Plot('Difference in Elo over games')];
        showView(page(run, name, points, about, plots));
        shown = text;
      }
      if (source.kind === 'server' && (about.verdict ?? 'continue') === 'continue') timer = setTimeout(load, REFRESH_MS);
    } catch (error) {
      if (!closed && !shown) showView(failure('This test cannot be shown', error, load));
    }
  };
  load();
  return {
    update: () => false,
    close() {
      closed = true;
      stop();
    },
  };
}

/** @param {string} run @param {string} name @param {TestPoint[]} points @param {any} about @param {Plot[]} plots */
function page(run, name, points, about, [llr, elo]) {
  const last = points[points.length - 1];
  const [lower, upper] = [about.lower ?? -USUAL_BOUND, about.upper ?? USUAL_BOUND];
  /** @type {import('./plot.js').Bound[]} */
  const ends = [{ y: upper, words: 'the new one is better', colour: css('good'), side: 'below' }, { y: lower, words: 'it is not', colour: css('bad') }];
  /** @type {import('./plot.js').Bound[]} */
  const hypotheses = [];
  if (typeof about.elo1 === 'number') hypotheses.push({ y: about.elo1, words: `H1: ${signed(about.elo1)}`, colour: css('dim'), align: 'right' });
  if (typeof about.elo0 === 'number') hypotheses.push({ y: about.elo0, words: `H0: ${signed(about.elo0)}`, colour: css('dim'), side: 'below', align: 'right' });
  const sure = points.filter((point) => point.low !== null && point.high !== null);
  llr.show({ x: 'game', format: (value) => value.toFixed(2), series: [{ name: 'LLR', colour: look.theme.of(0), points: points.map((point) => [point.games, point.llr]) }], bounds: ends });
  elo.show({ x: 'game', format: (value) => value.toFixed(0), series: [{ name: 'Elo', colour: look.theme.of(1), points: points.map((point) => [point.games, point.elo]), band: sure.map((point) => [point.games, point.low ?? 0, point.high ?? 0]) }], bounds: hypotheses });
  const verdict = { H1: ['good', 'The new one is better'], H0: ['bad', 'The new one is not better'], continue: ['', 'Undecided'] }[/** @type {'H1' | 'H0' | 'continue'} */ (about.verdict ?? 'continue')] ?? ['', about.verdict];
  const figure = (/** @type {string} */ what, /** @type {string} */ value, /** @type {string} */ note = '') => el('div', {}, el('dt', {}, what), el('dd', { class: 'num' }, value, note && el('small', { class: 'dim' }, ` ${note}`)));
  return el('div', { class: 'sheet' },
    el('header', { class: 'run-head' }, el('div', { class: 'title-line' }, el('h1', {}, about.new && about.old ? `${about.new} against ${about.old}` : name), el('span', { class: `pill ${verdict[0]}` }, verdict[1]), el('span', { class: 'grow' }), el('a', { class: 'button', href: to.games(run, { event: name }) }, 'Its games'))),
    el('dl', { class: 'figures-row card' }, figure('Games', number(last?.games ?? 0)), figure('LLR', last ? last.llr.toFixed(2) : '–', `of ${lower.toFixed(2)} to ${upper.toFixed(2)}`), figure('Elo', signed(last?.elo), last && last.low !== null ? `${signed(last.low)} to ${signed(last.high)}` : ''),
      typeof about.los === 'number' && figure('Superiority', probability(about.los, 1)), Array.isArray(about.counts) && figure('Lost, drawn, won', about.counts.join(' · ')), Array.isArray(about.pairs) && figure('Pairs', about.pairs.join(' · '), 'LL LD M WD WW')),
    el('div', { class: 'parts one' }, section('Evidence', points.length ? llr.node : el('p', { class: 'remark dim' }, 'No game has been finished yet.')), section('Elo, with its 95 % interval', elo.node)));
}
