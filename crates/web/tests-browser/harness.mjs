// What the browser tests share: Chromium, the page from its folder under the server's policy, and answers made up for it.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { film, ndjson } from './fixtures/films.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const PAGE = path.join(here, '..', 'page');
export const ROOT = path.join(here, '..', '..', '..');
/** The program that is tested. */
export const LANISTA = process.env.LANISTA ?? path.join(ROOT, 'target', 'debug', 'lanista');
const AXE = fs.readFileSync(path.join(here, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const ORIGIN = 'http://lanista.test';
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws://lanista.test; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html; charset=utf-8' };

export async function startBrowser() {
  const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => (process.env.PATH ?? '').split(':').map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
  if (!executablePath) throw new Error('there is no chromium on the PATH');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'] });
  const late = Number(process.env.PAGE_DELAY_MS ?? 0);
  if (late) {
    const newContext = browser.newContext.bind(browser);
    browser.newContext = async (options) => {
      const context = await newContext(options);
      await context.addInitScript(slowDown, late);
      return context;
    };
  }
  return browser;
}

/**
 * Makes a page slow in following addresses and reading answers: a test that takes what still stands there for what
 * is to come, and is lucky on most machines, fails then. Runs in the page. @param {number} ms
 */
export function slowDown(ms) {
  const pause = () => new Promise((done) => setTimeout(done, ms));
  const { fetch, Response, EventTarget } = globalThis;
  globalThis.fetch = async (...request) => (await pause(), fetch(...request));
  for (const read of ['text', 'json']) {
    const real = Response.prototype[read];
    Response.prototype[read] = async function () {
      await pause();
      return real.call(this);
    };
  }
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, listener, ...options) {
    const waits = type === 'hashchange' || (type === 'message' && this instanceof WebSocket);
    listen.call(this, type, waits ? (event) => setTimeout(() => listener.call(this, event), ms) : listener, ...options);
  };
}

/** Sizes and colours that every view is looked at in. */
export const LOOKS = {
  light: { viewport: { width: 1400, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 420, height: 860 }, colorScheme: 'light', hasTouch: true, isMobile: true },
};

/**
 * A page whose requests are answered here: files from the page's folder, data from `api`.
 * Whatever goes wrong in it (errors, refused requests, other hosts) is in `problems`.
 */
export async function openPage(browser, { look = 'light', api = {}, hash = '#/', reducedMotion = 'reduce', before = async () => {} } = {}) {
  const context = await browser.newContext({ ...LOOKS[look], reducedMotion });
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.route('**/*', (route) => {
    const url = new URL(route.request().url());
    if (url.origin !== ORIGIN) {
      problems.push(`a request to ${url.origin}`);
      return route.abort();
    }
    const send = (status, contentType, body) => route.fulfill({ status, contentType, body, headers: { 'content-security-policy': POLICY } });
    if (url.pathname === '/' || url.pathname.startsWith('/page/')) {
      const file = path.join(PAGE, url.pathname === '/' ? 'index.html' : url.pathname.slice('/page/'.length));
      return fs.existsSync(file) ? send(200, TYPES[path.extname(file)], fs.readFileSync(file)) : send(404, 'text/plain', 'no such file');
    }
    const name = decodeURI(url.pathname.slice('/api/'.length));
    const answer = api[name + url.search] ?? api[name];
    const value = typeof answer === 'function' ? answer(url) : answer;
    if (value === undefined) return send(404, 'application/json', JSON.stringify({ error: `nothing is at ${name}` }));
    if (value?.status) return send(value.status, 'application/json', JSON.stringify(value.body));
    return send(200, 'application/json', typeof value === 'string' ? value : JSON.stringify(value));
  });
  await before(page);
  await page.goto(`${ORIGIN}/${hash}`);
  return { page, context, problems };
}

/** Errors of a page, as they happen. */
export function watchProblems(page) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(`an error: ${error.stack}`));
  page.on('console', (message) => {
    // What the browser says of answers that are errors on purpose is no error of the page.
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text())) problems.push(`on the console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  return problems;
}

/** What axe-core finds. Evaluated from outside, so that no policy of the page has to allow it. */
export async function axe(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.target} (${node.any.map((check) => check.message).join('; ')})`).join(' | ')}`);
}

/** How far the page is wider than the window it should fit in. */
export const overflow = (page, width) => page.evaluate((wide) => document.documentElement.scrollWidth - wide, width);

/** The colours that a canvas shows, as a short text. */
export const picture = (page, selector) => page.locator(selector).first().evaluate((canvas) => canvas.toDataURL());

/** Answers for a game that is the hand-made film. */
export function gameApi(options = {}) {
  const lines = film(options);
  const eyes = film({ ...options, eyes: 0, names: options.names });
  eyes[0].scene = { ...eyes[0].scene, caption: 'only what the first one knows' };
  return {
    'f/x/film': ndjson(lines), 'f/x/film?eyes=0': ndjson(eyes),
    'f/x/about': { downloads: ['lrz', 'lines', 'text'], verified: { state: 'yes', why: null } },
    'f/x/talk': (url) => ({
      more: false,
      steps: Array.from({ length: Number(url.searchParams.get('to')) - Number(url.searchParams.get('from')) + 1 }, (_, index) => Number(url.searchParams.get('from')) + index)
        .filter((step) => step > 0 && step < lines.length - 1)
        .map((step) => ({ step, lines: [{ seat: 0, dir: 'to', text: `question ${step}`, us: 1 }, { seat: 0, dir: 'err', text: '<b>thinking</b>', us: 2 }, { seat: 0, dir: 'info', text: 'depth 7', us: 3 }, { seat: 0, dir: 'from', text: `answer ${step}`, us: 4 }] })),
    }),
  };
}

/** A folder that is gone when the tests are. */
export function scratch() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lanista-browser-'));
  // Bots that root starts run as somebody else, who has to read them.
  fs.chmodSync(folder, 0o755);
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
