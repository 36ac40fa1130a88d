// Every game of the program in the viewer: real replays as films, drawn in Chromium.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test, { after, before } from 'node:test';
import { axe, LANISTA, LOOKS, openPage, overflow, picture, scratch, startBrowser } from './harness.mjs';

const folder = scratch();
const run = (...args) => execFileSync(LANISTA, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });

/** The built-in bots of every game, as the program lists them. @type {Map<string, string[]>} */
const games = new Map();
for (const [, game, bot] of run('bots').matchAll(/^(\S+) +(builtin:\S+)/gm)) games.set(game, [...(games.get(game) ?? []), bot]);

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.close());

for (const [game, [first, second]] of games) {
  test(`${game}: drawn, stepped through, seen by everybody and by one player, large and on a phone`, async () => {
    const { replay } = JSON.parse(run('play', game, first, second, '--seed', '5', '--timeout-ms', '300', '--json'));
    const film = run('replay', replay, '--film');
    const { hidden } = JSON.parse(film.slice(0, film.indexOf('\n')));
    const api = { 'f/x/film': film, 'f/x/film?eyes=0': hidden ? run('replay', replay, '--film', '--eyes', '1') : film, 'f/x/talk': { steps: [], more: false }, 'f/x/about': { downloads: ['lrz'], verified: { state: 'yes' } } };
    for (const look of ['light', 'phone']) {
      const { page, context, problems } = await openPage(browser, { look, hash: '#/game/f/x', api });
      await page.locator('.viewer[data-step="0"]').waitFor();
      const start = await picture(page, '.board canvas');
      await page.keyboard.press('ArrowRight');
      await page.locator('.viewer[data-step="1"]').waitFor();
      await page.keyboard.press('End');
      await page.waitForFunction(() => Number(document.querySelector('.viewer').dataset.step) > 1);
      assert.ok((await picture(page, '.board canvas')) !== start, 'the end looks like the start');
      assert.notEqual(await page.locator('.caption').textContent(), '');
      assert.equal(await page.locator('.eyes').isVisible(), hidden);
      if (hidden) {
        // At the start, when everybody still has something to hide.
        await page.keyboard.press('Home');
        await page.locator('.viewer[data-step="0"]').waitFor();
        const all = await picture(page, '.board canvas');
        await page.locator('.viewer').evaluate((viewer) => (viewer.dataset.old = 'yes'));
        await page.getByLabel('Seen by').selectOption('0');
        await page.locator('.viewer[data-step]:not([data-old])').waitFor();
        assert.ok((await picture(page, '.board canvas')) !== all, 'one player sees everything');
      }
      assert.ok((await overflow(page, LOOKS[look].viewport.width)) <= 0, `too wide in ${look}`);
      assert.deepEqual(await axe(page), [], look);
      assert.deepEqual(problems, [], look);
      await context.close();
    }
  });
}

test('all games of the program were looked at', () => assert.ok(games.size >= 5, [...games.keys()].join()));
