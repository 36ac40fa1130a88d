// Games that are watched while they are played: the real program, with bots that move when the test says so.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import test, { after, before } from 'node:test';
import { axe, LANISTA, LOOKS, overflow, picture, ROOT, scratch, startBrowser, watchProblems } from './harness.mjs';

const folder = scratch();
const GATE = path.join(ROOT, 'crates/web/tests-browser/fixtures/gate.py');
const example = (name) => path.join(ROOT, 'examples/bots', name);
// No other game of this user is seen, and none of these by others.
const env = { ...process.env, XDG_RUNTIME_DIR: path.join(folder, 'runtime') };
fs.mkdirSync(env.XDG_RUNTIME_DIR);

/** A named pipe, and what writes so many bytes to it. @param {string} name */
function gate(name) {
  const pipe = path.join(folder, `${name}.pipe`);
  execFileSync('mkfifo', [pipe]);
  const file = fs.openSync(pipe, 'r+');
  return { pipe, open: (/** @type {number} */ count) => fs.writeSync(file, 'x'.repeat(count)) };
}

/** A bot that makes a move for every byte. @param {string} name */
function gatedBrain(name) {
  const { pipe, open } = gate(name);
  return { bot: `python3 ${path.join(ROOT, 'crates/lanista/tests/bots/gated.py')} ${pipe}`, moves: open };
}

const running = [];
/** @param {string[]} args */
function start(...args) {
  const child = spawn(LANISTA, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.ended = new Promise((done) => child.on('exit', done));
  running.push(child);
  return child;
}

let browser;
let address;
before(async () => {
  const server = start('serve', folder, '--no-open', '--beside');
  for await (const line of readline.createInterface({ input: server.stdout })) {
    address = new URL(line);
    break;
  }
  browser = await startBrowser();
});
after(async () => {
  for (const child of running) child.kill();
  await browser?.close();
});

async function enter(look = 'light') {
  const context = await browser.newContext({ ...LOOKS[look], reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.goto(address.href);
  await page.locator('.home').waitFor();
  return { page, context, problems };
}

const at = (page, step) => page.locator(`.viewer[data-step="${step}"]`).waitFor();

test('games of a tournament are watched from their beginning, looked back in, and become replays', async () => {
  const [one, two] = ['one', 'two'].map(gatedBrain);
  const event = (name, { bot }) => `[[events]]\nname = "${name}"\ngame = "gomoku"\nrounds = 1\n[events.setup]\nmax_moves = 12\n[events.clock]\nmove_ms = 600000\nstart_ms = 600000\n[[events.bots]]\nbot = "${bot}"\nname = "${name} <b>"\n[[events.bots]]\nbot = "builtin:random"\n`;
  fs.writeFileSync(path.join(folder, 'cup.toml'), `name = "live cup"\nseed = 1\n${event('first', one)}${event('second', two)}`);
  const played = start('run', 'cup.toml', '--dir', 'runs/cup', '--concurrency', '2', '--quiet', '--tier', 'e');
  const { page, context, problems } = await enter();
  // Several games at once, as small boards.
  await page.locator('.small-card').nth(1).waitFor();
  assert.equal(await page.locator('.small-card').count(), 2);
  one.moves(3);
  const card = page.locator('.small-card').filter({ hasText: 'first <b>' });
  await card.locator('canvas').waitFor();
  await card.getByText('move 7').waitFor();
  assert.deepEqual(await axe(page), []);
  await card.click();
  await at(page, 6);
  await page.locator('.pill.live').getByText('live').waitFor();
  // No bot is asked while others play, and the page says why.
  await page.locator('.analysis', { hasText: 'when the game is over' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Ask about this position' }).isVisible(), false);
  assert.deepEqual(await axe(page), []);
  // From its beginning, though nobody watched then.
  await page.keyboard.press('Home');
  await at(page, 0);
  await page.keyboard.press('ArrowRight');
  await at(page, 1);
  await page.locator('.talk .line.from').first().waitFor();
  // It goes on meanwhile.
  one.moves(1);
  await page.getByText('1 / 8').waitFor();
  await page.getByRole('button', { name: 'back to now' }).click();
  await at(page, 8);
  one.moves(1);
  await at(page, 10);
  // Whoever looks back stays there when the game ends, and the game has become a replay.
  await page.keyboard.press('PageUp');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
  await at(page, 3);
  one.moves(10);
  await page.waitForFunction(() => /^#\/game\/r\/[^/]+\/1\?step=3$/.test(location.hash));
  await at(page, 3);
  await page.getByText('3 / 12').waitFor();
  await page.locator('.badge').getByText('verified').waitFor();
  await page.locator('.downloads').getByText('Download').waitFor();
  await page.getByRole('button', { name: 'Ask about this position' }).waitFor();
  await page.locator('.talk .line.from').first().waitFor();
  await page.reload();
  await at(page, 3);
  // The tournament shows what is still under way.
  await page.evaluate(() => (location.hash = `#/run/${location.hash.split('/')[3]}`));
  await page.locator('.run .small-card').filter({ hasText: 'second <b>' }).waitFor();
  await page.getByRole('heading', { name: 'Under way' }).waitFor();
  assert.equal(await page.locator('.links a').filter({ hasText: 'second <b>' }).count(), 1);
  assert.deepEqual(await axe(page), []);
  two.moves(20);
  assert.equal(await played.ended, 0);
  await page.locator('.pill').getByText('finished').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a hidden game is watched through the eyes of one player, also where it is not kept in a run', async () => {
  const { pipe, open: lines } = gate('cards');
  const bot = `python3 ${GATE} ${pipe} python3 ${example('jedna/tidy-python/bot.py')}`;
  const args = ['play', 'jedna', `careful=${bot}`, 'builtin:simple', '--seed', '3', '--timeout-ms', '600000', '--start-ms', '600000', '--tier', 'e', '--quiet'];
  const played = start(...args);
  const { page, context, problems } = await enter();
  await page.locator('.small-card').filter({ hasText: 'careful' }).click();
  await page.locator('.viewer').waitFor();
  lines(4);
  await page.waitForFunction(() => Number(document.querySelector('.viewer').dataset.step) > 2);
  const seenByAll = await picture(page, '.board canvas');
  const select = page.getByLabel('Seen by');
  const others = await page.locator('.viewer').elementHandle();
  await select.selectOption({ label: 'careful' });
  await page.waitForFunction(() => location.hash.includes('eyes='));
  await others.waitForElementState('hidden');
  await page.waitForFunction(() => Number(document.querySelector('.viewer')?.dataset.step) > 2);
  assert.notEqual(await picture(page, '.board canvas'), seenByAll, 'hands of others are hidden');
  assert.deepEqual(await axe(page), []);
  const step = await page.locator('.viewer').getAttribute('data-step');
  lines(1);
  await page.waitForFunction((before) => Number(document.querySelector('.viewer').dataset.step) > Number(before), step);
  lines(2000);
  assert.equal(await played.ended, 0);
  await page.waitForFunction(() => /^#\/game\/f\/[0-9a-f]+\?.*eyes=/.test(location.hash));
  await page.locator('.badge').getByText('verified').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a game that shows itself is its replay for whoever comes when it is over', async () => {
  const played = spawn(LANISTA, ['play', 'gomoku', 'builtin:random', 'builtin:random', '--set', 'max_moves=8', '--quiet', '--web', '--no-open'], { cwd: folder, env, stdio: ['pipe', 'ignore', 'pipe'] });
  running.push(played);
  const ended = new Promise((done) => played.on('exit', done));
  let url = '';
  for await (const line of readline.createInterface({ input: played.stderr })) {
    url = line.match(/watch at (\S+)/)?.[1] ?? url;
    if (line.includes('Enter or Ctrl-C')) break;
  }
  assert.match(url, /#\/live\/\d+-0\?match=/);
  const context = await browser.newContext({ ...LOOKS.light, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.goto(url);
  await page.waitForFunction(() => location.hash.startsWith('#/game/f/'));
  await page.getByText('/ 8').waitFor();
  assert.deepEqual(problems, []);
  played.stdin.end('\n');
  assert.equal(await ended, 0);
  await context.close();
});

test('a live game fits on a phone', async () => {
  const { bot, moves } = gatedBrain('phone');
  const played = start('play', 'gomoku', `small=${bot}`, 'builtin:random', '--timeout-ms', '600000', '--start-ms', '600000', '--set', 'max_moves=8', '--tier', 'e', '--quiet');
  const { page, context, problems } = await enter('phone');
  const card = page.locator('.small-card').filter({ hasText: 'small' });
  await card.waitFor();
  assert.ok((await overflow(page, LOOKS.phone.viewport.width)) <= 0);
  await card.click();
  moves(1);
  await at(page, 2);
  assert.ok((await overflow(page, LOOKS.phone.viewport.width)) <= 0);
  moves(20);
  assert.equal(await played.ended, 0);
  await page.waitForFunction(() => location.hash.startsWith('#/game/f/'));
  assert.deepEqual(problems, []);
  await context.close();
});
