// The page's film, playback, camera and addresses, without a browser.

import assert from 'node:assert/strict';
import test from 'node:test';
import { parseFilm, FilmReader, Film } from '../page/js/film.js';
import { nextStill, firstStill } from '../page/js/still.js';
import { Playback } from '../page/js/playback.js';
import { Camera } from '../page/js/camera.js';
import { plan, between } from '../page/js/tween.js';
import { parseRoute, to, address } from '../page/js/router.js';
import { firstDifference } from '../page/js/difference.js';
import { labelAt } from '../page/js/hit.js';
import { film, ndjson, SCENES, difference } from './fixtures/films.mjs';

/** A still as plain values, to be compared. */
function plain(still) {
  const letters = (shape) => (shape.f.grid ? { ...shape, f: { grid: { ...shape.f.grid, cells: String.fromCharCode(...[...shape.f.grid.cells].map((kind) => 97 + kind)) } } } : shape);
  return { caption: still.caption, seats: still.seats, shapes: Object.fromEntries([...still.shapes].map(([key, shape]) => [key, letters(shape)])) };
}
const scene = ({ caption, seats, shapes }) => ({ caption, seats, shapes: Object.fromEntries(shapes.map((shape) => [shape.k, shape])) });

test('a difference that is applied makes the next scene', () => {
  const shown = parseFilm(ndjson(film()));
  SCENES.forEach((expected, at) => assert.deepEqual(plain(shown.still(at)), scene(expected), `step ${at}`));
});

test('a difference changes nothing of the scene before it', () => {
  const before = firstStill(SCENES[0]);
  nextStill(before, [difference(SCENES[0], SCENES[1])]);
  assert.deepEqual(plain(before), scene(SCENES[0]));
});

test('any order of jumps shows the same as walking through', () => {
  const lines = film({ repeat: 40 });
  const walked = parseFilm(ndjson(lines));
  const stills = Array.from({ length: walked.length + 1 }, (_, at) => JSON.stringify(plain(walked.still(at))));
  const jumped = parseFilm(ndjson(lines));
  let at = 7;
  for (let i = 0; i < 300; i++) {
    at = (at * 31 + 17) % (jumped.length + 1);
    assert.equal(JSON.stringify(plain(jumped.still(at))), stills[at], `step ${at}`);
  }
});

test('a film may come in pieces that are cut anywhere', () => {
  const text = ndjson(film());
  for (const size of [1, 7, 100]) {
    const reader = new FilmReader();
    for (let i = 0; i < text.length; i += size) reader.feed(text.slice(i, i + size));
    const whole = reader.finish();
    assert.equal(whole.length, 2);
    assert.equal(whole.end.over.result, 'win');
  }
});

test('a film of another version is refused in words', () => {
  assert.throws(() => new Film({ ...film()[0], film: 2 }), /version 1, not 2/);
  assert.throws(() => parseFilm(''), /empty/);
  assert.throws(() => nextStill(firstStill(SCENES[0]), [{ mod: [{ k: 'nobody', p: [1, 1] }] }]), /"nobody"/);
});

test('faults are found in both directions', () => {
  const playback = new Playback(parseFilm(ndjson(film({ repeat: 3 }))));
  assert.deepEqual(playback.film.faults, [2, 5, 8]);
  assert.equal(playback.fault(1), 2);
  assert.equal(playback.fault(1), 5);
  assert.equal(playback.fault(-1), 2);
  assert.equal(playback.fault(-1), undefined);
  assert.equal(playback.at, 2);
  playback.close();
});

test('a viewer that follows stays at the end, and does not when somebody looks back', () => {
  const lines = film({ repeat: 2 }).map((line) => JSON.stringify(line));
  const reader = new FilmReader();
  reader.line(lines[0]);
  const playback = new Playback(reader.film);
  playback.follow();
  reader.line(lines[1]);
  playback.grew();
  assert.deepEqual([playback.at, playback.following], [1, true]);
  playback.step(-1);
  reader.line(lines[2]);
  playback.grew();
  assert.deepEqual([playback.at, playback.following], [0, false]);
  playback.follow();
  assert.deepEqual([playback.at, playback.following], [2, true]);
  for (const line of lines.slice(3)) reader.line(line);
  playback.grew();
  assert.deepEqual([playback.at, playback.following], [5, false], 'nobody follows what is over');
  playback.close();
});

test('real time is the time between two steps', () => {
  const playback = new Playback(parseFilm(ndjson(film())));
  playback.speed = 'real';
  assert.equal(playback.pause(), 90);
  playback.go(1);
  assert.equal(playback.pause(), 1110);
  playback.speed = '10';
  assert.equal(playback.pause(), 40);
});

test('what is under the pointer stays there while zooming, and nobody leaves the scene', () => {
  const camera = new Camera();
  camera.fit([10_000, 5000], [800, 600]);
  assert.equal(camera.unit, 0.08);
  const before = camera.toScene([200, 300]);
  camera.zoomBy(4, [200, 300]);
  camera.toScene([200, 300]).forEach((value, axis) => assert.ok(Math.abs(value - before[axis]) < 1e-6));
  camera.panBy(1e6, -1e6);
  const [left] = camera.toScene([0, 0]);
  const [, bottom] = camera.toScene([800, 600]);
  assert.ok(Math.abs(left) < 1e-6 && Math.abs(bottom - 5000) < 1e-6);
  camera.zoomBy(0.001);
  assert.equal(camera.zoom, 1);
});

test('new shapes come from where they say, twins from each other, and others appear', () => {
  const [a, b] = [firstStill(SCENES[0]), firstStill(SCENES[1])];
  const passages = plan(a, b);
  const of = (key) => passages.find(({ to: shape }) => shape?.k === key);
  assert.deepEqual(between(of(3), 0).p, [700, 100], 'from the stone');
  assert.deepEqual(between(of('top'), 0).p, [400, 600], 'from the card that was played');
  assert.deepEqual(between(of('top'), 1).p, [800, 600]);
  assert.ok(!passages.some(({ from, to: shape }) => from?.k === 'c1' && shape === null), 'the played card does not fade as well');
  assert.equal(between(of(2), 0.5).r, 135);
  const twin = plan(firstStill({ ...SCENES[0], shapes: [{ k: 'x', f: { card: 100 }, p: [0, 0], c: 'red', t: '7' }] }), firstStill({ ...SCENES[0], shapes: [{ k: 'y', f: { card: 100 }, p: [500, 0], c: 'red', t: '7' }] }));
  assert.deepEqual([twin.length, twin[0].from.p], [1, [0, 0]]);
});

test('addresses survive any name', () => {
  for (const name of ['a/b', '<b>', 'ä ö?&=#%', '%2e%2e', ' ']) {
    assert.deepEqual([parseRoute(to.bot(name, name)).run, parseRoute(to.bot(name, name)).name], [name, name]);
    const game = parseRoute(to.game(address('r', name, 17), { step: 3, eyes: 2 }));
    assert.deepEqual([game.page, game.game, game.run, game.query.get('step'), game.query.get('eyes')], ['game', address('r', name, 17), name, '3', '2']);
    assert.equal(parseRoute(to.games(name, { bot: name })).query.get('bot'), name);
    assert.equal(parseRoute(to.live(name)).game, name);
  }
  for (const hash of ['#/nothing', '#/run', '#/game/x/1', '#/game/r/1', '#/run/a/b/c']) assert.equal(parseRoute(hash).page, 'nowhere', hash);
  assert.equal(parseRoute('').page, 'home');
  assert.equal(parseRoute('#/run/%').page, 'run', 'a broken escape is only text');
});

test('two games part at the first move that differs', () => {
  const lines = film({ repeat: 2 });
  const other = JSON.parse(JSON.stringify(lines));
  other[4].moves[0].text = 'go west';
  const [a, b] = [parseFilm(ndjson(lines)), parseFilm(ndjson(other))];
  assert.equal(firstDifference(a, a).first, null);
  assert.deepEqual(firstDifference(a, b), { first: 4, why: 'the moves differ' });
  assert.equal(firstDifference(a, parseFilm(ndjson(film()))).first, 2);
});

test('what lies on top is named', () => {
  const still = firstStill(SCENES[0]);
  assert.equal(labelAt(still, [150, 450]), 'a cube of §0');
  assert.equal(labelAt(still, [705, 95]), 'a stone');
  assert.equal(labelAt(still, [250, 150]), 'rock (1, 0)');
  assert.equal(labelAt(still, [1190, 10]), null);
});
