// A page with its data in one file: opened from a disk, under a strict policy, without a single request.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import http from 'node:http';
import test, { after, before } from 'node:test';
import zlib from 'node:zlib';
import { axe, LANISTA, PAGE, scratch, startBrowser, watchProblems } from './harness.mjs';
import { film, ndjson } from './fixtures/films.mjs';
import { BOT, GAMES, RUN, TEST } from './fixtures/tournament.mjs';

let browser;
const folder = scratch();
before(async () => (browser = await startBrowser()));
after(() => browser.close());

const read = (name) => fs.readFileSync(path.join(PAGE, name), 'utf8');
const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;

/** Puts modules, styles and data into one file, as the format of shared pages has it. */
function bundle(name, data) {
  const bare = (text) => text.replace(/from '\.\/([\w-]+)\.js';/g, "from 'lanista/$1';");
  const modules = fs.readdirSync(path.join(PAGE, 'js')).filter((file) => file !== 'app.js');
  const map = JSON.stringify({ imports: Object.fromEntries(modules.map((file) => [`lanista/${file.slice(0, -3)}`, `data:text/javascript;base64,${Buffer.from(bare(read(`js/${file}`))).toString('base64')}`])) });
  const app = bare(read('js/app.js'));
  const index = read('index.html');
  const css = [...index.matchAll(/<link rel="stylesheet" href="\/page\/([^"]+)">/g)].map(([, file]) => read(file)).join('\n');
  const parts = Object.entries(data).map(([key, text]) => `<script type="application/octet-stream" id="data:${key.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}">${zlib.gzipSync(text).toString('base64')}</script>`).join('\n');
  const html = index.replace(/<link rel="stylesheet"[^>]*>\n/g, '')
    .replace('<script type="module" src="/page/js/app.js"></script>', () => `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(map)} ${hash(app)} data:; style-src ${hash(css)}; img-src data:">\n<style>${css}</style>\n<script type="importmap">${map}</script>`)
    .replace('</body>', () => `${parts}\n<script type="module">${app}</script>\n</body>`);
  const file = path.join(folder, name);
  fs.writeFileSync(file, html);
  return `file://${file}`;
}

/** Opens a file; every request but that for the file itself is a problem. */
async function open(address) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems = watchProblems(page);
  page.on('request', (request) => {
    if (!request.url().startsWith('file://') && !request.url().startsWith('data:')) problems.push(`a request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, context, problems };
}

test('a game is watched from one file, with what was said and with eyes', async () => {
  const lines = film();
  const mine = film({ eyes: 0 });
  mine[0].scene = { ...mine[0].scene, caption: 'only what the first one knows' };
  const address = bundle('game.html', { 'f/x/film': ndjson(lines), 'f/x/film?eyes=0': ndjson(mine), 'f/x/talk': JSON.stringify({ steps: [{ step: 1, lines: [{ seat: 0, dir: 'from', text: 'answer 1' }] }], more: false }) });
  const { page, context, problems } = await open(address);
  await page.locator('.viewer[data-step="0"]').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('.talk .from').getByText('answer 1').waitFor();
  assert.equal(await page.getByText('Download').count(), 0);
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.locator('.viewer[data-step="0"]').waitFor();
  await page.getByLabel('Seen by').selectOption('0');
  await page.locator('.caption').getByText('only what the first one knows').waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(problems, []);
  await context.close();
});

test('an address of a file leads to a step, and a game without talk says so', async () => {
  const { page, context, problems } = await open(`${bundle('plain.html', { 'f/x/film': ndjson(film()) })}#/game/f/x?step=2`);
  await page.locator('.viewer[data-step="2"]').waitFor();
  await page.getByText('What was said is not in this file.').waitFor();
  assert.equal(await page.getByLabel('Seen by').isVisible(), false);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a tournament is looked through from one file', async () => {
  const games = { ...GAMES(new URL('http://x/')), games: GAMES(new URL('http://x/')).games };
  const address = bundle('cup.html', { 'run/cup': JSON.stringify(RUN), 'run/cup/games': JSON.stringify(games), 'run/cup/bot/alpha': JSON.stringify(BOT), 'run/cup/test/new-old': JSON.stringify(TEST), 'r/cup/3/film': ndjson(film()) });
  const { page, context, problems } = await open(address);
  await page.getByRole('link', { name: 'main' }).click();
  await page.locator('.cross').waitFor();
  await page.locator('.who').getByRole('link', { name: 'alpha' }).click();
  await page.locator('.histogram').waitFor();
  await page.getByRole('link', { name: 'Its games' }).click();
  // The page of the bot has figures that are links with such names as well.
  const listed = page.getByRole('table', { name: 'Games', exact: true });
  await listed.getByRole('link', { name: '3', exact: true }).click();
  await page.locator('.viewer[data-step="0"]').waitFor();
  await page.goBack();
  await listed.getByRole('rowheader', { name: '4', exact: true }).waitFor();
  assert.equal(await listed.getByRole('link', { name: '4', exact: true }).count(), 0, 'what is not in the file is no link');
  await page.evaluate(() => (location.hash = '#/game/r/cup/4'));
  await page.getByText('This is not in the file').waitFor();
  await page.getByRole('link', { name: 'Lanista: to the list' }).click();
  await page.locator('.run .figures').first().waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('every game of the program as a file of its own', async () => {
  const run = (...args) => execFileSync(LANISTA, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  const games = new Map();
  for (const [, game, bot] of run('bots').matchAll(/^(\S+) +(builtin:\S+)/gm)) games.set(game, [...(games.get(game) ?? []), bot]);
  for (const [game, [first, second]] of games) {
    const { replay } = JSON.parse(run('play', game, first, second, '--seed', '5', '--timeout-ms', '300', '--json'));
    run('replay', replay, '--html', '--out', `${game}.html`);
    const { page, context, problems } = await open(`file://${path.join(folder, `${game}.html`)}`);
    await page.locator('.viewer[data-step="0"]').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.viewer[data-step="1"]').waitFor();
    await page.getByText('verified').first().waitFor();
    assert.deepEqual(problems, [], game);
    await context.close();
  }
});

test('a tournament of the program as one file, from a disk and from a server, with hostile names', async () => {
  const run = (...args) => execFileSync(LANISTA, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [, game, first, second] = /^(\S+) +(builtin:\S+)[^]*?^\1 +(builtin:\S+)/m.exec(run('bots'));
  const names = [`<img src=x onerror='window.hit=1'>`, '</script><script>window.hit=1</script>', 'plain & "quoted" \u202eturned'];
  const bots = names.map((name, index) => `[[events.bots]]\nname = ${JSON.stringify(name)}\nbot = "${index ? second : first}"\n`).join('');
  const event = (name, more) => `[[events]]\nname = ${JSON.stringify(name)}\ngame = "${game}"\n${more}\n${bots}`;
  fs.writeFileSync(path.join(folder, 'cup.toml'), `name = "</title><b>cup"\nseed = 1\n${event('all <b>', 'rounds = 2')}${event('knockout', 'format = "knockout"\ngames = 2')}`);
  run('run', 'cup.toml', '--dir', 'cup', '--quiet');
  const said = run('standings', 'cup', '--html', '--with-games', '3', '--out', 'cup.html');
  assert.match(said, /\d+ kB; 3 games can be watched/);
  const file = path.join(folder, 'cup.html');
  const server = http.createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(fs.readFileSync(file)));
  after(() => server.close());
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  for (const address of [`file://${file}`, `http://127.0.0.1:${server.address().port}/`]) {
    const { page, context, problems } = await open(address);
    const fine = async (where) => {
      assert.deepEqual(await axe(page), [], where);
      assert.equal(await page.locator('img').count(), 0, where);
      assert.equal(await page.evaluate(() => globalThis.hit), undefined, where);
      assert.deepEqual(problems.filter((problem) => problem !== `a request: ${address}`), [], where);
    };
    await page.locator('.run .figures').first().waitFor();
    await fine('overall');
    await page.getByRole('link', { name: 'knockout' }).click();
    await page.locator('.bracket').first().waitFor();
    await fine('bracket');
    await page.locator('.who a').first().click();
    await page.getByRole('heading', { name: 'Against' }).waitFor();
    await fine('bot');
    await page.getByRole('link', { name: 'Its games' }).click();
    const listed = page.getByRole('table', { name: 'Games', exact: true });
    const ofOneBot = await listed.elementHandle();
    await fine('games');
    await page.evaluate(() => (location.hash = '#/run/run/games'));
    await ofOneBot.waitForElementState('hidden');
    await page.locator('.figures th a').nth(2).waitFor();
    assert.equal(await page.locator('.figures th a').count(), 3, 'the games that can be watched');
    assert.ok((await page.locator('.figures tbody tr').count()) >= 10);
    await page.locator('.figures th a').first().click();
    await page.locator('.viewer[data-step="0"]').waitFor();
    await page.keyboard.press('End');
    await page.getByText('What was said is not in this file.').waitFor();
    await fine('game');
    await context.close();
  }
});
