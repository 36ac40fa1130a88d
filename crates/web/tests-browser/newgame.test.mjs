// A game that the page has never heard of: the example beside the program, watched without a line written for it.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import test, { after, before } from 'node:test';
import { axe, LANISTA, picture, scratch, startBrowser, watchProblems } from './harness.mjs';

const PROGRAM = path.join(path.dirname(LANISTA), 'examples', 'tictactoe');
const folder = scratch();
let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.close());

test('a game outside the program is listed, drawn and stepped through', async () => {
  const run = (...args) => execFileSync(PROGRAM, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [, game, first, second] = /^(\S+) +(builtin:\S+)[^]*?^\1 +(builtin:\S+)/m.exec(run('bots')) ?? [];
  run('play', game, first, second, '--seed', '5', '--quiet');
  const server = spawn(PROGRAM, ['serve', folder, '--no-open', '--beside'], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    let address;
    for await (const line of readline.createInterface({ input: server.stdout })) {
      address = line;
      break;
    }
    const page = await browser.newPage();
    const problems = watchProblems(page);
    await page.goto(address);
    await page.locator('.entry').filter({ has: page.locator('.pill', { hasText: game }) }).first().click();
    await page.locator('.viewer[data-step="0"]').waitFor();
    const start = await picture(page, '.board canvas');
    await page.keyboard.press('End');
    await page.waitForFunction(() => Number(document.querySelector('.viewer').dataset.step) > 4);
    assert.notEqual(await picture(page, '.board canvas'), start);
    await page.locator('.badge').getByText('verified', { exact: false }).waitFor();
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(problems, []);
    await page.close();
  } finally {
    server.stdin.end();
  }
});
