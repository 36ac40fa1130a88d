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

/** Markup that would run if anybody took it for more than text. */
const HOSTILE = `<img src=x onerror='window.hit=1'>`;
/** A bot that says nothing but markup, and cannot play. */
const HOSTILE_BOT = `import sys
for line in sys.stdin:
    print("<script>window.hit=1</script>", file=sys.stderr, flush=True)
    word = line.split()[0] if line.split() else ""
    if word == "START":
        print("OK", flush=True)
    elif word == "ABOUT":
        print('name="<img src=x onerror=window.hit=1>", version="<b>2</b>", author="<script>window.hit=1</script>", country="<i>"', flush=True)
    else:
        print("<img src=x onerror='window.hit=1'>", flush=True)
`;
/** Every format that is played in rounds. */
const roundsFile = (game, first, second) => {
  const bots = (names) => names.map(([name, bot]) => `[[events.bots]]\nname = "${name}"\nbot = "${bot}"\n`).join('');
  const four = [['one', first], ['two', second], ['three', first], ['four', second]];
  const event = (name, more, who) => `[[events]]\nname = "${name}"\ngame = "${game}"\n${more}\n${bots(who)}`;
  return `name = "all rounds"\nseed = 3\n[clock]\nmove_ms = 300\n${event('knockout', 'format = "knockout"\ngames = 1\nthird_place = true', [...four, [HOSTILE, 'python3 hostile.py']])}${event('double', 'format = "double-elimination"\ngames = 1', four.slice(0, 3))}${event('groups', 'format = "groups"\ngroups = 2\nthrough = 1\nrounds = 1\ngames = 1', four)}${event('swiss', 'format = "swiss"\nrounds = 2\ngames = 1', four.slice(0, 3))}`;
};

/** The built-in bots of every game, as the program lists them. @type {Map<string, string[]>} */
const games = new Map();
let browser;
let server;
let address;

before(async () => {
  for (const [, game, bot] of run('bots').matchAll(/^(\S+) +(builtin:\S+)/gm)) games.set(game, [...(games.get(game) ?? []), bot]);
  for (const [game, [first, second]] of games) run('play', game, first, second, '--seed', '5', '--timeout-ms', '300', '--quiet');
  const [[game, [first, second]]] = games;
  fs.writeFileSync(path.join(folder, 'cup.toml'), `name = "small cup"\ngame = "${game}"\nformat = "round-robin"\nrounds = 2\n[clock]\nmove_ms = 300\n[[bots]]\nbot = "${first}"\n[[bots]]\nbot = "${second}"\nname = "${HOSTILE}"\n`);
  run('run', 'cup.toml', '--quiet');
  fs.writeFileSync(path.join(folder, 'hostile.py'), HOSTILE_BOT);
  fs.writeFileSync(path.join(folder, 'rounds.toml'), roundsFile(game, first, second));
  run('run', 'rounds.toml', '--quiet');
  fs.appendFileSync(path.join(folder, 'hostile.py'), '# changed\n');
  run('run', 'rounds.toml', '--quiet', '--accept-changes');
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
  const { page, context, problems } = await enter();
  for (const game of games.keys()) {
    await page.evaluate(() => (location.hash = '#/'));
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
  }
  await context.close();
});

test('a replay fits on a phone', async () => {
  const { page, context } = await enter('', 'phone');
  for (const game of games.keys()) {
    await page.evaluate(() => (location.hash = '#/'));
    await page.locator('.entry').filter({ has: page.locator('.pill', { hasText: game }) }).first().click();
    await page.locator('.viewer[data-step="0"]').waitFor();
    assert.ok((await overflow(page, LOOKS.phone.viewport.width)) <= 0, game);
  }
  await context.close();
});

test('a tournament is shown, and its figures lead to games that open', async () => {
  const { page, context, problems } = await enter();
  await page.locator('.entry').filter({ hasText: 'small cup' }).click();
  await page.locator('.run .figures').first().waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('link', { name: 'All games' }).click();
  await page.getByRole('table', { name: 'Games', exact: true }).getByRole('link', { name: '1', exact: true }).click();
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

/** Nothing of what bots said has become more than text. */
async function unharmed(page, problems, where) {
  assert.equal(await page.locator('img, script:not([type=module]):not([src])').count(), 0, where);
  assert.equal(await page.evaluate(() => globalThis.hit), undefined, where);
  assert.deepEqual(problems, [], where);
}

test('brackets, groups and rounds of real tournaments are drawn whole, and lead to their games', async () => {
  const { page, context, problems } = await enter();
  await page.locator('.entry').filter({ hasText: 'all rounds' }).click();
  for (const [event, titles, columns] of [
    ['knockout', ['Bracket'], ['Quarter-finals', 'Semi-finals', 'Final', 'Third place']],
    ['double', ['Upper bracket: not beaten yet', 'Lower bracket: beaten once', 'Final'], null],
    ['groups', ['Groups', 'Bracket'], ['Group A', 'Group B', 'Final']],
    ['swiss', ['Rounds'], ['Round 1', 'Round 2']],
  ]) {
    await page.getByRole('navigation', { name: 'Events' }).getByRole('link', { name: event }).click();
    for (const title of titles) await page.getByRole('heading', { name: title, exact: true, level: 2 }).waitFor();
    if (columns) assert.deepEqual(await page.locator('.round h3').allTextContents(), columns);
    assert.equal(await page.getByText('open', { exact: true }).count(), 0, 'all is played');
    assert.deepEqual(await axe(page), [], event);
    await unharmed(page, problems, event);
  }
  await page.locator('a.meeting').first().click();
  await page.locator('.viewer[data-step="0"]').waitFor();
  assert.match(await page.locator('.crumbs [aria-current]').textContent(), /^swiss, game 1$/);
  await context.close();
});

test('a fault of a tournament leads to its step', async () => {
  const { page, context, problems } = await enter();
  await page.locator('.entry').filter({ hasText: 'all rounds' }).click();
  const fault = page.getByRole('region', { name: 'Last faults' }).getByRole('link').first();
  const [, step] = /step (\d+)/.exec(await fault.textContent());
  await fault.click();
  await page.locator(`.viewer[data-step="${step}"]`).waitFor();
  await page.locator('.fault').first().waitFor();
  await unharmed(page, problems, 'a fault');
  await context.close();
});

test('what a hostile bot says is only text, on every page on which it can be seen', async () => {
  const { page, context, problems } = await enter();
  const { runs } = await page.evaluate(() => fetch('/api/index').then((answer) => answer.json()));
  const { id } = runs.find(({ name }) => name === 'all rounds');
  const name = encodeURIComponent(HOSTILE);
  const { games } = await page.evaluate((address) => fetch(address).then((answer) => answer.json()), `/api/run/${id}/games?bot=${name}`);
  for (const [hash, ready] of [[`#/run/${id}`, '.figures'], [`#/run/${id}/games?bot=${name}`, '.figures'], [`#/run/${id}/games?fault=any`, '.figures'], [`#/run/${id}/bot/${name}`, '.figures-row'], [`#/run/${id}/bot/${name}x`, '.message'], [`#/game/r/${id}/${games[0].n}?step=1`, '.talk .line, .talk .none'], [`#/compare?a=r/${id}/${games[0].n}&b=r/${id}/${games[0].n}`, '.compare'], [`#/compare?a=r/${id}/${games[0].n}`, '.filters'], [`#/run/${name}`, '.message'], [`#/${name}`, '.message']]) {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.locator(ready).first().waitFor();
    assert.deepEqual(await axe(page), [], hash);
    await unharmed(page, problems, hash);
  }
  await page.evaluate((to) => (location.hash = to), `#/run/${id}/bot/${name}`);
  await page.getByRole('region', { name: 'Versions' }).getByText('it was entered').waitFor();
  await context.close();
});

test('an error of the server is a page with the reason', async () => {
  const { page, context, problems } = await enter();
  for (const [path_, words] of [['/nowhere', /no such page/], ['/%3Cscript%3Ewindow.hit=1%3C/script%3E', /no such page/], ['/page/x.js', /no file/], ['/api/f/0000/about', /no such replay/]]) {
    const answer = await page.goto(`${address.origin}${path_}`);
    assert.equal(answer.status(), 404, path_);
    assert.match(await page.locator('main').textContent(), words);
    assert.deepEqual(await axe(page), [], path_);
    await unharmed(page, problems, path_);
  }
  await context.close();
});

test('another site learns nothing from a visitor who has the page open', async () => {
  const { context } = await enter();
  // A page of another origin in the same browser, as if somebody had followed a link.
  const stranger = http.createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>'));
  await new Promise((ready) => stranger.listen(0, '127.0.0.1', ready));
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${stranger.address().port}/`);
  const read = (how) => page.evaluate(([to, options]) => fetch(to, options).then((answer) => `${answer.type} ${answer.status}`, (error) => error.name), [`${address.origin}/api/index`, how]);
  assert.equal(await read({ credentials: 'include' }), 'TypeError');
  assert.equal(await read({ credentials: 'include', mode: 'no-cors' }), 'TypeError', 'not even that it is there');
  const framed = await page.evaluate((to) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.onload = () => { try { done(frame.contentDocument?.body?.textContent ?? 'refused'); } catch { done('refused'); } };
    frame.src = to;
    document.body.append(frame);
  }), `${address.origin}/`);
  assert.equal(framed, 'refused');
  const script = await page.evaluate((to) => new Promise((done) => {
    const node = document.createElement('script');
    node.onload = () => done('loaded');
    node.onerror = () => done('refused');
    node.src = to;
    document.head.append(node);
  }), `${address.origin}/page/js/app.js`);
  assert.equal(script, 'refused');
  const socket = await page.evaluate((to) => new Promise((done) => {
    const line = new WebSocket(to);
    line.onopen = () => done('open');
    line.onerror = () => done('refused');
  }), `ws://${address.host}/api/live`);
  assert.equal(socket, 'refused');
  stranger.close();
  await context.close();
});
