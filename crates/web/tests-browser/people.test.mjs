// People who play in the browser: every game to its end, by keyboard alone and by mouse, and those who have no business at a seat.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import test, { after, before } from 'node:test';
import { axe, LANISTA, LOOKS, overflow, scratch, startBrowser, watchProblems } from './harness.mjs';

/** Short games of every kind. */
const QUICK = {
  gomoku: ['size=6', 'max_moves=9'],
  jedna: ['max_turns=12'],
  pyrat: ['preset="tiny"', 'max_turns=6'],
  petri: ['width=6', 'height=5', 'max_ticks=2', 'initial_agents=2'],
  ants: ['width=12', 'height=10', 'ants=2', 'max_turns=3'],
};

const folder = scratch();
let browser;
let server;
let address;

before(async () => {
  fs.mkdirSync(path.join(folder, 'mine'));
  fs.writeFileSync(path.join(folder, 'mine', 'bot.toml'), 'name = "mine"\ngame = "gomoku"\ncommand = ["python3", "bot.py"]\n');
  fs.writeFileSync(path.join(folder, 'mine', 'bot.py'), 'print("OK")\n');
  server = spawn(LANISTA, ['serve', folder, '--no-open', '--beside', ...(process.env.PAGE ? ['--page', process.env.PAGE] : [])], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of readline.createInterface({ input: server.stdout })) {
    address = new URL(line);
    break;
  }
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  server?.stdin.end();
});

/** A page of somebody who has the token of the server. */
async function open(look = 'light') {
  const context = await browser.newContext({ ...LOOKS[look], reducedMotion: 'reduce' });
  const page = await context.newPage();
  const problems = watchProblems(page);
  await page.goto(address.href);
  return { page, context, problems };
}

const weakest = async (page, game) => page.evaluate(async (id) => (await (await fetch('/api/play')).json()).games.find((one) => one.id === id).bots[0].name, game);

/** Begins a game and gives the seats of its people. */
async function begin(page, game, { bots, set = QUICK[game], ...more } = {}) {
  const wish = { game, bots: bots ?? ['human', `builtin:${await weakest(page, game)}`], set, ...more };
  const answer = await page.evaluate(async (body) => {
    const response = await fetch('/api/play', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    return { status: response.status, ...(await response.json()) };
  }, wish);
  assert.equal(answer.status, 200, answer.error);
  return answer.seats;
}

/** Comes to a seat and waits until there is something to see. */
async function sit(page, token) {
  await page.goto(`${address.origin}/#/seat/${token}`);
  await page.locator('.prompt').waitFor();
}

/** Whether the person is asked, waits, or has played to the end. */
const state = (page) => page.evaluate(() => (document.title.startsWith('over') ? 'over' : document.title.includes('your turn') ? 'asked' : 'waiting'));
const settled = (page) => page.waitForFunction(() => document.title.startsWith('over') || document.title.includes('your turn'), null, { timeout: 60_000 });
/** What is on the page: another one after every pick. */
const shown = (page) => page.evaluate(() => `${document.title} ${document.querySelector('.prompt')?.textContent} ${[...document.querySelectorAll('[data-pick]')].map((node) => node.dataset.pick)} ${document.querySelector('.caption')?.textContent}`);
const changed = (page, before) => page.waitForFunction((was) => `${document.title} ${document.querySelector('.prompt')?.textContent} ${[...document.querySelectorAll('[data-pick]')].map((node) => node.dataset.pick)} ${document.querySelector('.caption')?.textContent}` !== was, before, { timeout: 60_000 });

/** Leaves a game, so that it is not under way any more. */
async function resign(page) {
  await page.getByRole('button', { name: 'Resign', exact: true }).click();
  await page.getByRole('button', { name: 'Resign: really?' }).click();
  await page.waitForFunction(() => document.title.startsWith('over'));
}

/** A number that is always the same, from 0 to 1. */
function dice(seed) {
  let value = seed;
  return () => (value = (value * 16807) % 2147483647) / 2147483647;
}

/** Plays to the end; `act` does one thing that is offered. */
async function play(page, act) {
  let acts = 0;
  for (;;) {
    await settled(page);
    if ((await state(page)) === 'over') return acts;
    const before = await shown(page);
    await act(acts);
    acts += 1;
    assert.ok(acts < 400, `it does not end: ${before}`);
    await changed(page, before);
  }
}

for (const game of Object.keys(QUICK)) {
  test(`a person plays ${game} to its end with the mouse, and looks at the replay`, async () => {
    const { page, problems } = await open();
    const roll = dice(7);
    await sit(page, (await begin(page, game))[0].token);
    assert.equal((await page.locator('.rules li').count()), 3);
    const acts = await play(page, async () => {
      const all = page.locator('.spot.open, .todo .offers button[data-pick]:not([aria-disabled])');
      const offers = await all.count();
      assert.ok(offers > 0, await shown(page));
      await all.nth(Math.floor(roll() * offers)).click();
    });
    assert.ok(acts > 1);
    await page.getByRole('link', { name: 'Look at the replay' }).click();
    await page.waitForFunction(() => location.hash.startsWith('#/game/f/'), null, { timeout: 60_000 });
    await page.locator('.row').first().waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`a person plays ${game} to its end with the keyboard alone`, async () => {
    const { page, problems } = await open();
    const roll = dice(11);
    await sit(page, (await begin(page, game))[0].token);
    await play(page, async () => {
      const keys = await page.locator('.todo .offers button[data-pick] kbd').allTextContents();
      const spots = await page.locator('.spot.open').count();
      const names = { '↑': 'ArrowUp', '↓': 'ArrowDown', '←': 'ArrowLeft', '→': 'ArrowRight', '⏎': 'Enter', Del: 'Delete' };
      await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
      const usable = keys.filter((key) => key !== 'Del');
      if (usable.length && (roll() < 0.7 || spots === 0)) {
        const key = usable[Math.floor(roll() * usable.length)];
        await page.keyboard.press(names[key] ?? key);
        return;
      }
      // Tab leads to the board, arrow keys from place to place where they mean nothing else.
      for (let tabs = 0; tabs < 80; tabs++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement?.matches('.spot, .todo .offers button[data-pick]'))) break;
      }
      for (let tries = 0; tries < 40; tries++) {
        await page.keyboard.press(usable.includes('↑') || spots < 2 ? 'Tab' : ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'][Math.floor(roll() * 4)]);
        if (await page.evaluate(() => document.activeElement?.matches('.spot.open, .todo .offers button[data-pick]:not([aria-disabled])'))) break;
      }
      await page.keyboard.press('Enter');
    });
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test('a wrong click is refused with the reason, and a reload goes on where it was', async () => {
  const { page } = await open();
  const [{ token }] = await begin(page, 'gomoku', { set: ['size=7', 'opening="swap2"'] });
  await sit(page, token);
  await page.locator('.spot[data-pick="3,3"]').click();
  await page.locator('.todo', { hasText: 'Picked: 3,3' }).waitFor();
  // Playwright would wait until it is possible.
  await page.locator('.spot[data-pick="3,3"]').click({ force: true });
  await page.locator('.note-line', { hasText: '3,3 twice' }).waitFor();
  await page.locator('.spot[data-pick="2,2"]').click();
  await page.locator('.todo', { hasText: 'Picked: 3,3, 2,2' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => [...document.querySelectorAll('.todo p')].some((node) => node.textContent === 'Picked: 3,3'));
  await page.reload();
  await page.locator('.todo', { hasText: 'Picked: 3,3' }).waitFor();
  await page.locator('.spot[data-pick="1,1"]').click();
  await page.locator('.spot[data-pick="4,4"]').click();
  await settled(page);
  await page.getByRole('button', { name: 'What would it play?' }).click();
  await page.locator('.note-line', { hasText: 'would play' }).waitFor();
  await resign(page);
  await page.context().close();
});

test('a connection that is lost comes back however long it takes, and the game goes on', async () => {
  const { page } = await open();
  const sockets = [];
  let blocked = false;
  let noticed = () => {};
  const tried = (times) => new Promise((resolve) => (noticed = () => sockets.length >= times && resolve()));
  await page.routeWebSocket(/\/api\/seat\//, (socket) => {
    sockets.push(socket);
    noticed();
    if (blocked) socket.close();
    else socket.connectToServer();
  });
  await page.route('**/seat/*', (route) => (blocked ? route.abort() : route.continue()));
  // Only pages that are loaded from now on are routed.
  await page.reload();
  await sit(page, (await begin(page, 'gomoku'))[0].token);
  await settled(page);
  blocked = true;
  await sockets[0].close();
  await page.locator('.pill', { hasText: 'connecting again' }).waitFor();
  await tried(3);
  assert.equal(await page.locator('.note-line').textContent(), '', 'nobody says that the seat is gone');
  blocked = false;
  await page.locator('.pill', { hasText: 'connected' }).waitFor();
  await page.locator('.spot[data-pick="3,3"]').click();
  await page.locator('.played li', { hasText: 'human: 3,3' }).waitFor();
  await settled(page);
  await resign(page);
  await page.context().close();
});

test('two people play by links, each sees its own cards, and a guest sees nothing else', async () => {
  const { page } = await open();
  const seats = await begin(page, 'jedna', { bots: ['ann=human', 'bob=human'], seed: 1 });
  const context = await browser.newContext(LOOKS.phone);
  const guest = await context.newPage();
  /** Everything that the guest is told. */
  const told = [];
  guest.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => told.push(String(payload))));
  await guest.goto(`${address.origin}/seat/${seats[1].token}`);
  await guest.locator('.prompt').waitFor();
  await sit(page, seats[0].token);
  await settled(page);
  assert.equal(await state(page), 'asked');
  assert.match((await page.locator('.caption').textContent()) ?? '', /ann to act/);
  const own = await page.locator('.spot').evaluateAll((nodes) => nodes.map((node) => node.dataset.pick).filter((pick) => pick !== 'draw'));
  assert.ok(own.length > 0);
  const [desk] = told.map((line) => JSON.parse(line)).filter((line) => line.desk);
  const backs = desk.desk.scene.shapes.filter((shape) => shape.f.back !== undefined && shape.k !== 'pile');
  assert.ok(backs.length >= 7, 'the hand of the other is seen from behind');
  assert.deepEqual(desk.desk.offers, []);
  for (const where of ['/api/index', '/api/play', '/api/live/x', '/']) {
    assert.equal((await guest.request.get(address.origin + where)).status(), 401, where);
  }
  for (const where of ['/api/play', '/api/analyse']) {
    assert.equal((await guest.request.post(address.origin + where, { data: {}, headers: { origin: address.origin } })).status(), 401, where);
  }
  assert.equal(await guest.evaluate(() => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${location.host}/api/live`);
    socket.onopen = () => resolve('it is let in');
    socket.onerror = () => resolve('refused');
  })), 'refused');
  // Whoever has the token of the server plays, too, and must not see the other's cards.
  const [live] = await page.evaluate(async () => (await (await fetch('/api/index')).json()).live.filter(({ bots }) => bots.join() === 'ann,bob'));
  const onlooker = await page.context().newPage();
  const shown = [];
  onlooker.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => shown.push(String(payload))));
  for (const eyes of ['', '&eyes=1', '&eyes=2']) {
    await onlooker.goto(`${address.origin}/#/live/${live.id}?match=${live.match}${eyes}`);
    await onlooker.getByText('it can be seen when it is over').waitFor();
  }
  assert.ok(shown.every((line) => !line.includes('"film"')), 'no film comes');
  assert.equal((await onlooker.request.get(`${address.origin}/api/live/${live.id}/talk?from=0&to=9`)).status(), 404);
  await onlooker.close();
  const wrong = '0'.repeat(32);
  assert.equal((await guest.request.get(`${address.origin}/seat/${wrong}`)).status(), 404);
  await guest.goto(`${address.origin}/seat/${wrong}`);
  assert.ok((await guest.content()).includes('nobody plays at this seat'));
  assert.ok(!(await guest.content()).includes('ann'));
  await page.goto(`${address.origin}/#/seat/${wrong}`);
  await page.getByText('Nobody plays at this seat').waitFor();
  // Whoever waits is told for whom, and may leave.
  await guest.goto(`${address.origin}/seat/${seats[1].token}`);
  await guest.locator('.prompt', { hasText: 'Waiting for ann' }).waitFor();
  await guest.locator('.seat', { hasText: 'bob' }).locator('.role', { hasText: 'you' }).waitFor();
  await sit(page, seats[0].token);
  await guest.getByRole('button', { name: 'Resign', exact: true }).click();
  await guest.getByRole('button', { name: 'Resign: really?' }).click();
  await guest.locator('.note-line', { hasText: 'You have resigned: it counts when your turn comes' }).waitFor();
  await page.locator('.note-line', { hasText: 'bob has resigned' }).waitFor();
  await play(page, () => page.locator('.spot.open, .todo .offers button[data-pick]:not([aria-disabled])').last().click());
  await guest.waitForFunction(() => document.title.startsWith('over'));
  assert.match((await guest.locator('.prompt').textContent()) ?? '', /^ann won/);
  assert.equal(await guest.getByRole('link', { name: 'Look at the replay' }).count(), 0);
  await context.close();
  await page.context().close();
});

test('a move is taken back if the other person agrees, and every game says why it cannot be', async () => {
  const { page } = await open();
  const seats = await begin(page, 'gomoku', { bots: ['ann=human', 'bob=human'], set: ['size=7'] });
  const context = await browser.newContext(LOOKS.phone);
  const guest = await context.newPage();
  await guest.goto(`${address.origin}/seat/${seats[1].token}`);
  await guest.locator('.prompt').waitFor();
  await sit(page, seats[0].token);
  const back = page.getByRole('button', { name: 'Take my last move back' });
  await back.click({ force: true });
  await page.locator('.note-line', { hasText: 'no stone of yours' }).waitFor();
  await page.locator('.spot[data-pick="3,3"]').click();
  await guest.locator('.spot[data-pick="2,2"].open').click();
  await settled(page);
  await back.click();
  await guest.getByText('ann asks to take the last move back').waitFor();
  await page.getByText('Waiting for the others to agree').waitFor();
  assert.deepEqual(await axe(guest), []);
  await guest.getByRole('button', { name: 'Refuse' }).click();
  await page.locator('.note-line', { hasText: 'bob does not take the last move back: refused' }).waitFor();
  assert.equal(await page.locator('.spot.open').count(), 47);
  await back.click();
  await guest.getByRole('button', { name: 'Agree' }).click();
  await page.locator('.played li', { hasText: 'take back 2' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.spot.open').length === 49);
  await page.locator('.spot[data-pick="3,3"]').click();
  await guest.locator('.spot[data-pick="2,2"].open').waitFor();
  await resign(guest);
  await context.close();
  for (const game of Object.keys(QUICK).filter((one) => one !== 'gomoku')) {
    await sit(page, (await begin(page, game))[0].token);
    await settled(page);
    await page.getByRole('button', { name: 'Take my last move back' }).click({ force: true });
    await page.locator('.note-line', { hasText: 'No move can be taken back in this game' }).waitFor();
    await resign(page);
  }
  await page.context().close();
});

test('the clocks of people stop and run again', async () => {
  const { page } = await open();
  await sit(page, (await begin(page, 'gomoku', { human_timeout_ms: 600_000 }))[0].token);
  await page.locator('.todo', { hasText: ' left' }).waitFor();
  await page.getByRole('button', { name: 'Stop the clocks' }).click();
  await page.getByText('The clocks are stopped').waitFor();
  await page.locator('.spot.open').first().click();
  await page.locator('.note-line', { hasText: 'go on first' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Let the clocks run again' }).click();
  await page.locator('.prompt', { hasText: 'put a stone' }).waitFor();
  await page.locator('.spot.open').first().click();
  await page.locator('.played li').first().waitFor();
  await settled(page);
  await resign(page);
  await page.context().close();
});

test('the form begins a game, offers bots below the folder, and says what is wrong', async () => {
  const { page, problems } = await open();
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  await page.locator('#play-game').selectOption('gomoku');
  assert.ok(await page.locator('option', { hasText: 'mine (./mine/bot.toml)' }).count());
  await page.locator('#play-setup').fill('size=99');
  await page.getByRole('button', { name: 'Sit down' }).click();
  await page.locator('.play-form .bad', { hasText: 'sides are 5 to 32' }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.locator('#play-setup').fill('size=7');
  await page.getByText('Time of bots, chance, hints').click();
  await page.locator('#play-seed').fill('42');
  await page.locator('#play-bank').selectOption('600000');
  await page.locator('#play-bots-clock').selectOption('500');
  await page.getByLabel('mine (./mine/bot.toml)').check();
  await page.getByLabel('Seat 2').selectOption('builtin:random');
  await page.getByRole('button', { name: 'Sit down' }).click();
  await page.locator('.spot.open').first().waitFor();
  await page.locator('.todo', { hasText: ' left' }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByLabel('Which bot is asked').selectOption('mine');
  await page.getByRole('button', { name: 'What would it play?' }).click();
  await page.locator('.note-line', { hasText: 'mine did not answer' }).waitFor();
  await resign(page);
  const refused = await page.evaluate(async () => (await fetch('/api/play', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ game: 'gomoku', bots: ['human', 'sh -c id'] }) })).status);
  assert.equal(refused, 400);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test('a bot looks at the position of a replay, and at all of them as a curve', async () => {
  const out = path.join(folder, 'analysed');
  execFileSync(LANISTA, ['play', 'gomoku', 'ann=builtin:greedy', 'bob=builtin:random', '--set', 'size=7', '--set', 'max_moves=5', '--seed', '3', '--quiet', '--out', out], { stdio: 'ignore' });
  const { page, problems } = await open();
  await page.locator('.entry', { hasText: 'ann' }).first().click();
  await page.locator('.analysis').waitFor();
  assert.equal(await page.getByLabel('Which bot is asked about the position').inputValue(), 'builtin:hunter');
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Ask about this position' }).click();
  await page.locator('.advice', { hasText: 'For ann: would play 3,3' }).waitFor();
  await page.locator('.advice .notes', { hasText: 'depth' }).waitFor();
  await page.getByRole('button', { name: 'Ask about the whole game' }).click();
  await page.getByRole('button', { name: 'Stop asking' }).waitFor();
  await page.getByRole('button', { name: 'Ask about the whole game' }).waitFor({ timeout: 60_000 });
  await page.locator('.analysis canvas, .analysis svg').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('.advice', { hasText: 'For bob: would play' }).waitFor();
  assert.deepEqual(await axe(page), []);
  const game = await page.evaluate(() => location.hash.split('/').slice(2, 4).join('/').split('?')[0]);
  const refused = (/** @type {object} */ wish) => page.evaluate(async (body) => {
    const response = await fetch('/api/analyse', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    return [response.status, (await response.json()).error];
  }, wish);
  assert.deepEqual(await refused({ game, bot: 'sh -c id', step: 0 }), [400, 'the bot "sh -c id" cannot be asked here']);
  const [status, why] = await refused({ game, bot: 'builtin:greedy', step: 5 });
  assert.equal(status, 400);
  assert.match(why, /nobody has to move there/);
  const stranger = await browser.newContext();
  const asked = await stranger.request.post(`${address.origin}/api/analyse`, { data: { game, bot: 'builtin:greedy', step: 0 }, headers: { origin: address.origin } });
  assert.equal(asked.status(), 401);
  await stranger.close();
  assert.deepEqual(problems.filter((problem) => !problem.includes('400')), []);
  await page.context().close();
});

test('a seat fits a phone and is sound in the dark', async () => {
  for (const look of ['phone', 'dark']) {
    const { page, problems } = await open(look);
    if (look === 'phone') {
      await page.getByRole('link', { name: 'Play', exact: true }).click();
      await page.locator('#play-game').waitFor();
      assert.ok((await overflow(page, LOOKS.phone.viewport.width)) <= 0, 'the form');
    }
    for (const game of Object.keys(QUICK)) {
      const [{ token }] = await begin(page, game);
      await sit(page, token);
      await settled(page);
      if (look === 'phone') {
        assert.ok((await overflow(page, LOOKS.phone.viewport.width)) <= 0, game);
        const small = await page.locator('button:visible:not(.spot), select:visible').evaluateAll((nodes) => nodes.filter((node) => node.getBoundingClientRect().height < 40).map((node) => node.textContent));
        assert.deepEqual(small, [], game);
      } else {
        assert.deepEqual(await axe(page), [], game);
      }
      if (process.env.PICTURES) await page.screenshot({ path: path.join(process.env.PICTURES, `seat-${game}-${look}.png`), fullPage: look === 'phone' });
      await resign(page);
    }
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

/** Touches a place until that is seen: on a busy machine a touch may last so long that it is no tap. */
async function tap(spot, seen) {
  for (let tries = 0; tries < 5; tries++) {
    await spot.tap();
    if (await seen.waitFor({ timeout: 6000 }).then(() => true, () => false)) return;
  }
  assert.fail('a finger reaches nothing');
}

test('a finger makes small places larger before it picks one of them', async () => {
  const { page } = await open('phone');
  await sit(page, (await begin(page, 'gomoku', { set: [] }))[0].token);
  await settled(page);
  const spot = page.locator('.spot[data-pick="9,9"]');
  assert.ok((await spot.boundingBox()).width < 25);
  await tap(spot, page.locator('.board.zoomed'));
  await page.locator('.note-line', { hasText: 'larger now' }).waitFor();
  assert.ok((await spot.boundingBox()).width >= 40);
  assert.equal(await page.locator('.played li').count(), 0);
  // A finger that moves the picture picks nothing.
  const { x, y } = await spot.boundingBox();
  const touch = await page.context().newCDPSession(page);
  const send = (type, points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await send('touchStart', [{ x: x + 20, y: y + 20 }]);
  for (const by of [10, 30, 60]) await send('touchMove', [{ x: x + 20 - by, y: y + 20 }]);
  await send('touchEnd', []);
  await page.waitForFunction((left) => document.querySelector('.spot[data-pick="9,9"]').getBoundingClientRect().left < left - 40, x);
  assert.equal(await page.locator('.played li').count(), 0);
  await tap(spot, page.locator('.played li', { hasText: 'human: 9,9' }));
  await page.locator('.board:not(.zoomed)').waitFor();
  await settled(page);
  await resign(page);
  await page.context().close();
});
