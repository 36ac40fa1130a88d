// The real `lanista serve` with real games of every kind, and those who try to get in.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import readline from 'node:readline';
import test, { after, before } from 'node:test';
import { axe, LANISTA, LOOKS, overflow, picture, scratch, startBrowser, watchProblems } from './harness.mjs';

const folder = scratch();
const run = (...args) => execFileSync(LANISTA, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The built-in bots of every game, as the program lists them. @type {Map<string, string[]>} */
const games = new Map();
let browser;
let server;
let address;

before(async () => {
  for (const [, game, bot] of run('bots').matchAll(/^(\S+) +(builtin:\S+)/gm)) games.set(game, [...(games.get(game) ?? []), bot]);
  for (const [game, [first, second]] of games) run('play', game, first, second, '--seed', '5', '--timeout-ms', '300', '--quiet');
  const [[game, [first, second]]] = games;
  fs.writeFileSync(path.join(folder, 'cup.toml'), `name = "small cup"\ngame = "${game}"\nformat = "round-robin"\nrounds = 2\n[clock]\nmove_ms = 300\n[[bots]]\nbot = "${first}"\n[[bots]]\nbot = "${second}"\nname = "<img src=x onerror='window.hit=1'>"\n`);
  run('run', 'cup.toml', '--quiet');
  server = spawn(LANISTA, ['serve', folder, '--no-open', '--beside'], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of readline.createInterface({ input: server.stdout })) {
    address = new URL(line);
    break;
  }
  browser = await startBrowser();
});
after(async () => {
  server?.stdin.end();
  await browser?.close();
});

/** A page that has come in with the token. */
async function enter(hash = '', look = 'light') {
  const context = await browser.newContext({ ...LOOKS[look], reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems = watchProblems(page);
  page.on('request', (request) => new URL(request.url()).host !== address.host && !request.url().startsWith('data:') && problems.push(`a request to ${request.url()}`));
  await page.goto(address.href);
  await page.locator('.home .entries').first().waitFor();
  assert.ok(!page.url().includes('token'), 'the token stays in the address');
  if (hash) await page.evaluate((to) => (location.hash = to), hash);
  return { page, context, problems };
}

test('the first page lists every game, with names as text', async () => {
  const { page, context, problems } = await enter();
  for (const game of games.keys()) await page.locator('.entry').filter({ hasText: game }).first().waitFor();
  await page.locator('.entry').filter({ hasText: 'small cup' }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.evaluate(() => globalThis.hit), undefined);
  assert.deepEqual(problems, []);
  await context.close();
});

/** A request as any program could send it. */
const ask = (path_, headers = {}) => new Promise((done, fail) => {
  http.get({ host: address.hostname, port: address.port, path: path_, headers: { accept: 'application/json', ...headers } }, (response) => {
    let text = '';
    response.on('data', (piece) => (text += piece)).on('end', () => done({ status: response.statusCode, text, headers: response.headers }));
  }).on('error', fail);
});

test('nothing is told without the token, and the reason is said', async () => {
  for (const path_ of ['/', '/api/index', '/page/js/app.js', '/api/live']) {
    const { status, text } = await ask(path_, { origin: address.origin });
    assert.ok([401, 403].includes(status), `${path_}: ${status}`);
    assert.match(JSON.parse(text).error, /token/i);
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(`${address.origin}/`);
  assert.ok([401, 403].includes(answer.status()));
  assert.match(await page.locator('body').textContent(), /token/i);
  await context.close();
});

test('strangers are refused: other names of this host, other origins, other folders', async () => {
  const { headers } = await ask(`/${address.search}`);
  const cookie = String(headers['set-cookie']).split(';')[0];
  assert.equal((await ask('/api/index', { cookie })).status, 200);
  for (const wrong of [{ host: 'evil.example' }, { origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) assert.ok((await ask('/api/index', { cookie, ...wrong })).status >= 400, JSON.stringify(wrong));
  for (const path_ of ['/page/../../etc/passwd', '/page/%2e%2e/%2e%2e/etc/passwd', '/page//etc/passwd', '/api/f/%2e%2e%2fcup.toml/about', '/api/f/../../x/film']) assert.ok((await ask(path_, { cookie })).status >= 400, path_);
  const socket = await ask('/api/live', { cookie, origin: 'http://evil.example', upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' });
  assert.ok(socket.status >= 400);
});

test('a replay of every game is drawn, stepped through and told apart from its start', async () => {
  for (const game of games.keys()) {
    const { page, context, problems } = await enter();
    await page.locator('.entry').filter({ has: page.locator('.pill', { hasText: game }) }).first().click();
    await page.locator('.viewer[data-step="0"]').waitFor();
    const first = await picture(page, '.board canvas');
    await page.keyboard.press('End');
    await page.waitForFunction(() => Number(document.querySelector('.viewer').dataset.step) > 0);
    assert.notEqual(await picture(page, '.board canvas'), first, game);
    await page.locator('.badge').getByText('verified', { exact: false }).waitFor();
    await page.locator('.talk').locator('.line, .none').first().waitFor();
    assert.deepEqual(await axe(page), [], game);
    assert.deepEqual(problems, [], game);
    await context.close();
  }
});

test('a replay fits on a phone', async () => {
  for (const game of games.keys()) {
    const { page, context } = await enter('', 'phone');
    await page.locator('.entry').filter({ has: page.locator('.pill', { hasText: game }) }).first().click();
    await page.locator('.viewer[data-step="0"]').waitFor();
    assert.ok((await overflow(page, LOOKS.phone.viewport.width)) <= 0, game);
    await context.close();
  }
});

test('a tournament is shown, and its figures lead to games that open', async () => {
  const { page, context, problems } = await enter();
  await page.locator('.entry').filter({ hasText: 'small cup' }).click();
  await page.locator('.run .figures').first().waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('link', { name: 'All games' }).click();
  await page.getByRole('link', { name: '1', exact: true }).click();
  await page.locator('.viewer[data-step="0"]').waitFor();
  assert.equal(await page.evaluate(() => globalThis.hit), undefined);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a bot of a tournament has a page of its own', async () => {
  const { page, context, problems } = await enter();
  await page.locator('.entry').filter({ hasText: 'small cup' }).click();
  await page.locator('.who a').first().click();
  await page.getByRole('heading', { name: 'Against' }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(problems, []);
  await context.close();
});
