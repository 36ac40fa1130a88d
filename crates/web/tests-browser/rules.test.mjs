// What holds for the page's files, whatever they do: types, sizes, no markup from text, no game's name.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';
import { PAGE, ROOT } from './harness.mjs';

const files = fs.readdirSync(PAGE, { recursive: true }).map(String).filter((name) => fs.statSync(path.join(PAGE, name)).isFile());
const read = (name) => fs.readFileSync(path.join(PAGE, name), 'utf8');
const modules = files.filter((name) => name.endsWith('.js'));

test('types are sound under tsc --checkJs --strict', () => {
  const tsc = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', path.dirname(new URL(import.meta.url).pathname)], { encoding: 'utf8' });
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test('all files together are under 200 kB gzipped', () => {
  const size = files.reduce((sum, name) => sum + zlib.gzipSync(fs.readFileSync(path.join(PAGE, name))).length, 0);
  assert.ok(size < 200_000, `${size} bytes`);
});

test('no module has more than 300 lines, and each begins by saying what it is for', () => {
  for (const name of modules) {
    assert.ok(read(name).split('\n').length <= 301, name);
    assert.match(read(name), /^\/\/ [A-Z].*\.\n/, name);
  }
});

test('text never becomes markup or code', () => {
  for (const name of modules) assert.doesNotMatch(read(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|setAttribute\('style'|setAttribute\('on/, name);
});

test('no file names a game', () => {
  const games = path.join(ROOT, 'crates', 'games', 'src');
  const names = fs.readdirSync(games, { withFileTypes: true }).filter((entry) => entry.isDirectory() && fs.existsSync(path.join(games, entry.name, 'mod.rs'))).map((entry) => entry.name);
  assert.ok(names.length >= 5, names.join());
  for (const name of files) assert.doesNotMatch(read(name), new RegExp(`\\b(${names.join('|')})\\b`, 'i'), name);
});

test('every import names a file beside it, so that a shared page can carry all of them', () => {
  const known = new Set(modules.map((name) => path.basename(name)));
  for (const name of modules) {
    for (const [, from] of read(name).matchAll(/^(?:import|export) [^;]*? from ('[^']*'|"[^"]*");$/gm)) {
      assert.match(from, /^'\.\/[\w-]+\.js'$/, name);
      assert.ok(known.has(from.slice(3, -1)), `${name} imports ${from}`);
    }
    assert.doesNotMatch(read(name), /\bimport\(['"`](?!\.\/types|\.\/)|await import\(/, name);
  }
});

test('letters can be read on what they stand on: at least 4.5 to 1', () => {
  const css = read('css/base.css');
  const colours = (block) => Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
  const light = colours(css.slice(css.indexOf(':root {'), css.indexOf(":root[data-theme='dark']")));
  const dark = colours(css.slice(css.indexOf(":root[data-theme='dark']")));
  const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => [1, 3, 5].map((at) => part(parseInt(colour.slice(at, at + 2), 16) / 255)).reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  for (const set of [light, { ...light, ...dark }]) {
    for (const [ink, grounds] of Object.entries({ ink: ['bg', 'card', 'sunk', 'tint'], dim: ['bg', 'card', 'sunk', 'tint'], accent: ['bg', 'card', 'sunk', 'tint'], bad: ['card', 'bad-tint', 'sunk'], good: ['card', 'good-tint'], warn: ['card', 'warn-tint'], 'on-accent': ['accent'] })) {
      for (const ground of grounds) assert.ok(contrast(set[ink], set[ground]) >= 4.5, `${ink} on ${ground}: ${contrast(set[ink], set[ground]).toFixed(2)}`);
    }
  }
});
