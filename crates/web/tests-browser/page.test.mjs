// The page in Chromium with made-up data: what each view does, for eyes, keyboards, screen readers and phones, and with hostile names.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { axe, gameApi, LOOKS, openPage, overflow, picture, slowDown, startBrowser } from './harness.mjs';
import { film, ndjson, HOSTILE } from './fixtures/films.mjs';
import { RUN, tournamentApi } from './fixtures/tournament.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser.close());

const everything = { ...tournamentApi, ...gameApi({ repeat: 3 }), diff: { first: 2, why: HOSTILE } };
const VIEWS = {
  home: ['#/', '.home .entries'], viewer: ['#/game/f/x?step=2', '.viewer[data-step="2"]'], overall: ['#/run/cup', '.run .figures'], event: ['#/run/cup?event=main', '.cross'], bracket: ['#/run/cup?event=cup', '.bracket'], double: ['#/run/cup?event=double', '.bracket'], swiss: ['#/run/cup?event=swiss', '.bracket'],
  games: ['#/run/cup/games', '.filters'], bot: ['#/run/cup/bot/alpha', '.histogram'], test: ['#/run/cup/test/new-old', '.plot'], compare: ['#/compare?a=f/x&b=f/x', '.compare'], choice: ['#/compare', '.filters'],
  nowhere: ['#/nowhere', '.message'], missing: ['#/game/f/gone', '.message[role=alert]'],
};

for (const [name, [hash, ready]] of Object.entries(VIEWS)) {
  test(`${name}: no findings of axe, nothing too wide, no markup from names, in dark and on a phone`, async () => {
    // Light and dark, large and small: each once.
    for (const look of ['dark', 'phone']) {
      const { page, context, problems } = await openPage(browser, { look, hash, api: everything });
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await axe(page), [], `${name} in ${look}`);
      assert.ok((await overflow(page, LOOKS[look].viewport.width)) <= 0, `${name} in ${look} is too wide`);
      assert.equal(await page.locator('img').count(), 0, 'a name became an element');
      assert.equal(await page.evaluate(() => globalThis.hit), undefined, 'a name ran');
      assert.deepEqual(problems, []);
      await context.close();
    }
  });
}

/** A viewer of the hand-made film. */
async function viewer(options = {}) {
  const opened = await openPage(browser, { hash: '#/game/f/x', api: gameApi({ repeat: 3 }), ...options });
  await opened.page.locator('.viewer[data-step]').waitFor();
  return { ...opened, at: async (step) => opened.page.locator(`.viewer[data-step="${step}"]`).waitFor() };
}

test('the keyboard alone plays, steps, finds faults and lists its keys', async () => {
  const { page, context, at, problems } = await viewer();
  const press = async (key, step) => {
    await page.keyboard.press(key);
    await at(step);
  };
  await press('ArrowRight', 1);
  await press('ArrowRight', 2);
  await press('ArrowLeft', 1);
  await press('End', 8);
  await press('Home', 0);
  await press('PageDown', 8);
  await press('PageUp', 0);
  await press('f', 2);
  await press('f', 5);
  await press('F', 2);
  await page.keyboard.press('>');
  assert.equal(await page.getByLabel('Speed').inputValue(), '2');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('next fault').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Home');
  await at(0);
  for (let i = 0; i < 3; i++) await page.keyboard.press('>');
  await page.keyboard.press(' ');
  await at(8);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('every control is reached by tabbing, and shows that it is', async () => {
  const { page, context } = await viewer();
  // What is about the game comes after its film.
  await page.getByText('Download', { exact: true }).waitFor();
  const seen = [];
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const node = document.activeElement;
      return node === document.body ? '' : `${node.getAttribute('aria-label') ?? node.textContent}|${getComputedStyle(node).outlineStyle}|${node.matches('input[type=range]')}`;
    });
    if (name === '') break;
    seen.push(name);
    const [, outline, range] = name.split('|').slice(-3);
    if (range !== 'true') assert.equal(outline, 'auto' === outline ? 'auto' : 'solid', `no focus ring: ${name}`);
  }
  for (const wanted of ['To the start', 'Step back', 'Play', 'Step forward', 'To the end', 'Next fault', 'Speed', 'Step', 'List of moves', 'Copy link', 'Download', 'Keyboard']) assert.ok(seen.some((name) => name.includes(wanted)), `${wanted} is not reached: ${seen.join(', ')}`);
  await context.close();
});

test('an address leads to a step, and steps change the address', async () => {
  const { page, context, at } = await viewer({ hash: '#/game/f/x?step=5' });
  await at(5);
  await page.keyboard.press('ArrowRight');
  await at(6);
  await page.waitForFunction(() => location.hash === '#/game/f/x?step=6');
  await page.evaluate(() => (location.hash = '#/game/f/x?step=2'));
  await at(2);
  await context.close();
});

test('a step that is just shown does not call back whoever leaves the game', async () => {
  // The step is in the address after 150 ms; the browser tells of the new address after that.
  const { page, context, at } = await viewer({ api: everything, before: (opened) => opened.addInitScript(slowDown, 400) });
  await page.keyboard.press('ArrowRight');
  await at(1);
  await page.evaluate(() => (location.hash = '#/'));
  await page.locator('.home').waitFor();
  await context.close();
});

test('what is heard follows a person, not the playing', async () => {
  const { page, context, at } = await viewer();
  const spoken = page.locator('[aria-live=polite]');
  await page.keyboard.press('ArrowRight');
  await at(1);
  assert.match(await spoken.textContent(), /^Step 1 of 8: turn 2, <img/);
  await page.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver(() => globalThis.heard.push(document.querySelector('[aria-live=polite]').textContent)).observe(document.querySelector('[aria-live=polite]'), { childList: true, characterData: true, subtree: true });
  });
  for (let i = 0; i < 3; i++) await page.keyboard.press('>');
  await page.keyboard.press(' ');
  await at(8);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.heard.length), 1, 'only where it stopped');
  await context.close();
});

test('a time-out looks like one', async () => {
  const { page, context, at } = await viewer({ hash: '#/game/f/x?step=2' });
  await at(2);
  await page.locator('.row[data-step="2"]').getByText('time-out').waitFor();
  assert.equal(await page.locator('.row[data-step="1"] .time').textContent(), '81 ms');
  await page.locator('.times').getByText('time-out').waitFor();
  await page.locator('.fault').getByText('no answer within 1000 ms').waitFor();
  await context.close();
});

test('a step shows what the bots were told and said, and their notes', async () => {
  const { page, context, at } = await viewer({ hash: '#/game/f/x?step=2' });
  await at(2);
  for (const [kind, words] of [['to', 'question 2'], ['from', 'answer 2'], ['err', '<b>thinking</b>'], ['info', 'depth 7']]) assert.equal(await page.locator(`.talk .${kind} .text`).textContent(), words);
  await page.locator('.note').getByText('heard').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('.talk .to').getByText('question 3').waitFor();
  await context.close();
});

test('what was said comes in pages, and a page that is full is followed by the next', async () => {
  const asked = [];
  const said = (step) => ({ step, lines: [{ seat: 1, dir: 'from', text: `page for ${step}`, actor: 'a7' }], left_out: step === 7 ? 3 : undefined });
  const { page, context } = await viewer({ hash: '#/game/f/x?step=7', api: { ...gameApi({ repeat: 3 }), 'f/x/talk': (url) => {
    const from = Number(url.searchParams.get('from'));
    asked.push(from);
    return from === 0 ? { steps: [said(1), said(2)], more: true, last: 5 } : { steps: [said(6), said(7)], more: false, last: 8 };
  } } });
  await page.locator('.talk .from').getByText('a7 page for 7').waitFor();
  await page.getByText('and 3 more lines').waitFor();
  assert.deepEqual(asked, [0, 6]);
  await context.close();
});

test('what is said of a step is that of the step shown, however late it comes', async () => {
  const { page, context, at } = await viewer({ before: (page) => page.route('**/api/f/x/talk*', async (route) => {
    if (new URL(route.request().url()).searchParams.get('from') === '0') await new Promise((go) => setTimeout(go, 400));
    await route.fallback();
  }), api: gameApi({ repeat: 12 }) });
  await page.keyboard.press('ArrowRight');
  await at(1);
  await page.keyboard.press('End');
  await page.locator('.talk .to').getByText('question 35').waitFor();
  await context.close();
});

test('the eyes of a player change the whole page and the address', async () => {
  const { page, context } = await viewer();
  await page.getByLabel('Seen by').selectOption('0');
  await page.locator('.caption').getByText('only what the first one knows').waitFor();
  assert.match(page.url(), /eyes=1/);
  await context.close();
  const open = await viewer({ api: gameApi({ hidden: false }) });
  assert.equal(await open.page.getByLabel('Seen by').isVisible(), false, 'a game that hides nothing has no eyes');
  await open.context.close();
});

test('moves can be animated, and are not for people who want little motion', async () => {
  for (const reducedMotion of ['reduce', 'no-preference']) {
    const { page, context } = await viewer({ reducedMotion });
    const pictures = await page.evaluate(async () => {
      const canvas = document.querySelector('.board canvas');
      dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
      await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
      const early = canvas.toDataURL();
      await new Promise((go) => setTimeout(go, 600));
      return early === canvas.toDataURL();
    });
    assert.equal(pictures, reducedMotion === 'reduce');
    await context.close();
  }
});

test('a large world can be zoomed and panned by keys and wheel, and shown whole again', async () => {
  const { page, context } = await viewer({ look: 'light' });
  const whole = await picture(page, '.board canvas');
  await page.keyboard.press('+');
  const larger = await picture(page, '.board canvas');
  assert.notEqual(larger, whole);
  await page.keyboard.press('Shift+ArrowRight');
  assert.notEqual(await picture(page, '.board canvas'), larger);
  await page.keyboard.press('0');
  assert.equal(await picture(page, '.board canvas'), whole);
  await page.locator('.board canvas').hover();
  await page.mouse.wheel(0, -300);
  await page.locator('.board.zoomed').waitFor();
  await page.locator('.zoom').getByRole('button', { name: 'Show all' }).click();
  assert.equal(await picture(page, '.board canvas'), whole);
  await context.close();
});

/** Longer than any page waits before it asks again. */
const MINUTE = 60_000;

test('a refresh that brings something new moves nothing and keeps the focus', async () => {
  let answers = 0;
  const api = { ...everything, 'run/cup': () => ({ ...RUN, schedule: { ...RUN.schedule, played: 40 + answers++ } }) };
  const { page, context } = await openPage(browser, { hash: '#/run/cup?event=main', api, before: (opened) => opened.clock.install() });
  await page.locator('.cross').waitFor();
  const link = page.locator('.figures a').first();
  await link.focus();
  const places = () => page.evaluate(() => [...document.querySelectorAll('h1, h2, tr')].map((node) => Math.round(node.getBoundingClientRect().top)).join());
  const beforehand = await places();
  await page.clock.fastForward(MINUTE);
  await page.getByText('41 of 49 games').waitFor();
  assert.equal(await places(), beforehand);
  assert.equal(await link.evaluate((node) => node === document.activeElement), true);
  await context.close();
});

test('filters are in the address, and an address fills the filters', async () => {
  const { page, context } = await openPage(browser, { hash: '#/run/cup/games?bot=gamma', api: everything });
  await page.getByText('20 games').waitFor();
  assert.equal(await page.getByLabel('Bot').inputValue(), 'gamma');
  await page.getByLabel('Result').selectOption('win');
  await page.waitForFunction(() => location.hash.includes('result=win') && location.hash.includes('bot=gamma'));
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('40 games').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('link', { name: '40', exact: true }).waitFor();
  await context.close();
});

test('meetings of a bracket lead to their games, and places that are not taken yet are open', async () => {
  const { page, context } = await openPage(browser, { hash: '#/run/cup?event=cup', api: everything });
  await page.locator('.bracket').first().waitFor();
  assert.deepEqual(await page.locator('.bracket h3').allTextContents(), ['Quarter-finals', 'Semi-finals', 'Final', 'Third place']);
  assert.equal(await page.locator('.bye').count(), 2);
  assert.ok((await page.getByText('open', { exact: true }).count()) > 2);
  // Meetings that stand together lead to one: it is drawn between them.
  const middle = (part) => part.evaluate((node) => { const { top, height } = node.getBoundingClientRect(); return top + height / 2; });
  const [first, second] = await page.locator('.round').nth(0).locator('.meeting').all();
  const next = await middle(page.locator('.round').nth(1).locator('.meeting').first());
  assert.ok(Math.abs((await middle(first)) + (await middle(second)) - 2 * next) < 4);
  await page.locator('a.meeting').first().click();
  await page.waitForFunction(() => /games\?event=cup&bot=/.test(location.hash));
  await page.goBack();
  await page.locator('a.meeting').nth(1).click();
  await page.waitForFunction(() => location.hash === '#/game/r/cup/41');
  await context.close();
});

test('a table stays where it was scrolled to when the page is brought up to date', async () => {
  let answers = 0;
  const api = { ...everything, 'run/cup': () => ({ ...RUN, schedule: { ...RUN.schedule, played: 40 + answers++ } }) };
  const { page, context } = await openPage(browser, { look: 'phone', hash: '#/run/cup?event=main', api, before: (opened) => opened.clock.install() });
  const cross = page.getByRole('group', { name: 'Cross table' });
  await cross.evaluate((node) => (node.scrollLeft = 60));
  for (const played of ['41 of 49 games', '42 of 50 games']) {
    await page.clock.fastForward(MINUTE);
    await page.getByText(played).waitFor();
  }
  assert.equal(await cross.evaluate((node) => node.scrollLeft), 60);
  await context.close();
});

test('a game of a tournament is called by its number in the schedule of its event', async () => {
  const games = (url) => ({ games: [{ n: Number(url.searchParams.get('after')) + 1, number: 3, event: 'main', bots: [], turns: 1, result: 'win' }], next: null, total: 1, events: 2 });
  const api = { ...everything, 'run/cup/games': games, 'r/cup/41/film': ndjson(film()), 'r/cup/41/about': {} };
  const { page, context } = await openPage(browser, { hash: '#/game/r/cup/41', api });
  await page.locator('.crumbs [aria-current]').getByText('main, game 3').waitFor();
  await context.close();
});

test('filters about a bot need one, and say so by what they offer', async () => {
  const { page, context } = await openPage(browser, { hash: '#/run/cup/games', api: everything });
  await page.getByText('40 games').waitFor();
  assert.equal(await page.getByLabel('Seat').isDisabled(), true);
  assert.deepEqual(await page.getByLabel('Result').locator('option:not([hidden])').allTextContents(), ['any', 'somebody won', 'a draw']);
  await page.getByLabel('Bot').selectOption('gamma');
  await page.getByText('20 games').waitFor();
  assert.equal(await page.getByLabel('Seat').isDisabled(), false);
  assert.deepEqual(await page.getByLabel('Result').locator('option:not([hidden])').allTextContents(), ['any', 'win', 'draw', 'loss']);
  await context.close();
});

test('figures of a tournament lead to the games behind them', async () => {
  const { page, context } = await openPage(browser, { hash: '#/run/cup?event=main', api: everything });
  await page.locator('.cross a').first().click();
  await page.waitForFunction(() => /games\?event=main&bot=alpha&opponent=/.test(location.hash));
  await context.close();
});

test('empty folders say what to do, and errors why', async () => {
  const empty = await openPage(browser, { api: { index: { folder: '/x', version: '0', runs: [], replays: [], live: [] } } });
  await empty.page.getByText('lanista run cup.toml').first().waitFor();
  await empty.page.getByText('lanista play --help').first().waitFor();
  await empty.context.close();
  const broken = await openPage(browser, { hash: '#/game/f/x', api: { 'f/x/film': { status: 500, body: { error: 'the replay is cut short after 17 bytes' } } } });
  await broken.page.getByText('The replay is cut short after 17 bytes').waitFor();
  await broken.page.getByRole('button', { name: 'Try again' }).waitFor();
  await broken.context.close();
});

test('a live game is followed, looked back in while it goes on, and caught up with', async () => {
  let server;
  const lines = film({ repeat: 4 });
  const { page, context, problems } = await openPage(browser, { hash: '#/live/7', api: { ...gameApi({ repeat: 4 }), 'live/7': { under_way: false, replay: 'f/x' } }, before: (page) => page.routeWebSocket('**/api/live', (socket) => {
    server = socket;
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.watch === '7') for (const line of lines.slice(message.from ? message.from + 1 : 0, 3)) socket.send(JSON.stringify({ game: '7', film: line }));
    });
  }) });
  const send = (from, to) => lines.slice(from, to).forEach((line) => server.send(JSON.stringify({ game: '7', film: line })));
  const at = (step) => page.locator(`.viewer[data-step="${step}"]`).waitFor();
  await at(2);
  send(3, 5);
  await at(4);
  await page.keyboard.press('ArrowLeft');
  await at(3);
  send(5, 7);
  await page.getByText('3 / 6').waitFor();
  await page.getByRole('button', { name: 'back to now' }).click();
  await at(6);
  send(7, lines.length);
  await at(11);
  await page.locator('.pill').getByText('over').waitFor();
  // What comes twice is there once.
  server.send(JSON.stringify({ game: '7', at: 4, film: lines[4] }));
  server.send(JSON.stringify({ game: '7', eyes: 0, at: 12, film: lines[4] }));
  server.send(JSON.stringify({ game: '7', end: 'over' }));
  await page.waitForFunction(() => location.hash === '#/game/f/x?step=11');
  await page.getByText('11 / 11').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('after a lost connection a live game goes on where it was', async () => {
  const lines = film({ repeat: 3 });
  const asked = [];
  const { page, context } = await openPage(browser, { hash: '#/live/7', before: (page) => page.routeWebSocket('**/api/live', (socket) => {
    socket.onMessage((text) => {
      const { from } = JSON.parse(text);
      asked.push(from);
      const [first, last] = asked.length === 1 ? [0, 4] : [from + 1, lines.length];
      for (const line of lines.slice(first, last)) socket.send(JSON.stringify({ game: '7', film: line }));
      if (asked.length === 1) setTimeout(() => socket.close(), 100);
    });
  }) });
  await page.locator('.viewer[data-step="8"]').waitFor();
  assert.deepEqual(asked, [0, 3]);
  await context.close();
});

test('games under way are small boards on the first page', async () => {
  const lines = film();
  const { page, context, problems } = await openPage(browser, { api: { index: { ...tournamentApi.index, live: [{ id: '7', game: 'fixture', bots: ['alpha', HOSTILE] }] } }, before: (page) => page.routeWebSocket('**/api/live', (socket) => {
    socket.onMessage((text) => JSON.parse(text).watch === '7' && lines.slice(0, 2).forEach((line) => socket.send(JSON.stringify({ game: '7', film: line }))));
  }) });
  await page.locator('.small-card').getByText('turn 2').waitFor();
  assert.deepEqual(await axe(page), []);
  await page.locator('.small-card').click();
  await page.waitForFunction(() => location.hash === '#/live/7');
  assert.deepEqual(problems, []);
  await context.close();
});

test('colours can be chosen, and are remembered', async () => {
  const { page, context } = await viewer();
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), 'light');
  const light = await picture(page, '.board canvas');
  await page.keyboard.press('t');
  await page.keyboard.press('t');
  assert.equal(await theme(), 'dark');
  assert.notEqual(await picture(page, '.board canvas'), light);
  await page.reload();
  await page.locator('.viewer[data-step]').waitFor();
  assert.equal(await theme(), 'dark');
  await context.close();
});

test('a film that is still coming can be watched already', async () => {
  const text = ndjson(film({ repeat: 200 }));
  const { page, context } = await openPage(browser, { hash: '#/game/f/x', api: { 'f/x/film': text }, before: (page) => page.addInitScript(() => {
    const real = globalThis.fetch;
    globalThis.fetch = async (address, options) => {
      const response = await real(address, options);
      if (!String(address).endsWith('/film')) return response;
      const whole = new Uint8Array(await response.arrayBuffer());
      const half = Math.floor(whole.length / 2);
      return new Response(new ReadableStream({ start(stream) {
        stream.enqueue(whole.slice(0, half));
        globalThis.finishFilm = () => { stream.enqueue(whole.slice(half)); stream.close(); };
      } }));
    };
  }) });
  await page.locator('.viewer[data-step]').waitFor();
  assert.doesNotMatch(await page.locator('.where').textContent(), /599/);
  await page.evaluate(() => globalThis.finishFilm());
  await page.getByText('0 / 599').waitFor();
  await context.close();
});
