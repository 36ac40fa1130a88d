// What a state knows.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

import * as ants from "../ants.mjs";
import * as gomoku from "../gomoku.mjs";
import * as jedna from "../jedna.mjs";
import * as petri from "../petri.mjs";
import * as pyrat from "../pyrat.mjs";

const folder = new URL("..", import.meta.url);
const program = (game, move) => ["--input-type=module", "-e", `import { play } from "./${game}.mjs"; play(${move});`];

/** What a bot says to these lines, as a process. */
function run(game, move, lines) {
  const input = lines.map((line) => `${line}\n`).join("");
  return spawnSync(process.execPath, program(game, move), { cwd: folder, input, encoding: "utf8" });
}

test("gomoku: a row is counted through the cell in all directions", () => {
  const state = new gomoku.State(15, 15);
  for (const [x, y] of [[3, 3], [4, 4], [6, 6], [5, 9]]) state.put(x, y, gomoku.ME);
  assert.equal(state.row(5, 5, gomoku.ME), 4);
  assert.equal(state.row(5, 5, gomoku.THEM), 1);
});

test("gomoku: free cells are those without a stone", () => {
  const state = new gomoku.State(5, 6);
  state.put(0, 0, gomoku.THEM);
  state.put(4, 5, gomoku.FORBIDDEN);
  assert.equal(state.free().length, 28);
  state.takeBack(0, 0);
  assert.deepEqual(state.free()[0], { x: 0, y: 0 });
});

test("gomoku: the time of a move is the lower limit", () => {
  const state = new gomoku.State(5, 5);
  assert.equal(state.timeMs(), 2147483647);
  state.info.set("timeout_turn", "1000").set("time_left", "700");
  assert.equal(state.timeMs(), 700);
});

test("gomoku: a move that is not free is the bot's error", () => {
  const { status, stdout, stderr } = run("gomoku", "() => ({ x: 7, y: 7 })", ["START 15", "TURN 7,7"]);
  assert.equal(status, 1);
  assert.equal(stdout, "OK\n");
  assert.match(stderr, /not a free cell/);
});

function maze() {
  const state = new pyrat.State();
  state.makeMaze(3, 2);
  state.setCost(0, 1, 4); // mud of 3 between (0,0) and (1,0)
  state.setCost(1, 4, 0); // a wall between (1,0) and (1,1)
  return state;
}

test("pyrat: ways count mud and go round walls", () => {
  const { turns, first } = maze().ways(0);
  assert.deepEqual(turns, [0, 4, 4, 1, 2, 3]);
  assert.equal(first[2], "UP");
});

test("pyrat: mud takes its turns and shared cheese is halved", () => {
  const state = maze();
  state.cheese = [1, 5];
  state.python = new pyrat.Player(2);
  state.step({ rat: "RIGHT", python: "STAY" });
  assert.deepEqual([state.me.cell, state.me.mud, state.me.target], [0, 3, 1]);
  state.step({ rat: "UP", python: "STAY" });
  state.step({ rat: "UP", python: "STAY" });
  state.step({ rat: "UP", python: "LEFT" });
  assert.deepEqual([state.me.cell, state.me.score, state.other.score], [1, 0.5, 0.5]);
  assert.deepEqual(state.cheese, [5]);
});

test("pyrat: stop is heard while the bot thinks", async () => {
  const move = `async (state) => { while (!state.stopped()) await state.pause(); return "UP"; }`;
  const bot = spawn(process.execPath, program("pyrat", move), { cwd: folder });
  const lines = createInterface({ input: bot.stdout })[Symbol.asyncIterator]();
  bot.stdin.write("newgame\nmaze height:2 width:2\nyouare rat\ngo\nisready\n");
  assert.equal((await lines.next()).value, "readyok");
  bot.stdin.write("stop\n");
  assert.equal((await lines.next()).value, "move UP");
  bot.stdin.end();
});

test("jedna: points and colors", () => {
  const cards = ["r0", "b9", "ys", "g+2", "wd", "wd4"];
  assert.deepEqual(cards.map(jedna.points), [0, 9, 20, 20, 50, 50]);
  assert.equal(new jedna.State({ hand: ["y1", "g2", "g3", "wd"] }, []).favouriteColor(), "green");
  assert.equal(new jedna.State({}, []).favouriteColor(), "red");
});

test("ants: the nearest cell is found round rocks and ants", () => {
  const state = new ants.State();
  ["...1", ".#..", "...."].forEach((row, y) => {
    [...row].forEach((letter, x) => (state.cells[y * 300 + x] = { ".": 0, "#": 2, 1: 1 }[letter]));
  });
  const ant = new ants.Ant([0, 0, 1, 1, 0, 100, 100, ants.CONTROLLED]);
  const food = (x, y) => state.isFood(x, y);
  state.ants = [ant];
  assert.deepEqual(state.nearest(ant, food), { x: 3, y: 0, order: "left" });
  state.ants.push(new ants.Ant([1, 0, 0, 1, 0, 100, 100, ants.CONTROLLED]));
  assert.deepEqual(state.nearest(ant, food), { x: 3, y: 0, order: "right" });
  assert.equal(state.nearest(ant, () => false), null);
});

test("petri: what lies outside is no room", () => {
  const neighbors = { east: { agent_id: "abc123" } };
  const state = new petri.State({ position: [0, 0], world_size: [2, 1], neighbors });
  assert.deepEqual([state.free(), state.others()], [[], ["east"]]);
});

test("petri: memory lasts and is nothing at first", (context) => {
  const kept = mkdtempSync(join(tmpdir(), "lanista-bot-"));
  context.after(() => rmSync(kept, { recursive: true }));
  process.env.AGENT_MEMORY = join(kept, "abc123.json");
  assert.equal(petri.readMemory(), "");
  petri.writeMemory("é");
  assert.equal(petri.readMemory(), "é");
});

test("the types name everything that there is, and nothing else", () => {
  for (const [game, module] of Object.entries({ ants, gomoku, jedna, petri, pyrat })) {
    const types = readFileSync(new URL(`${game}.d.mts`, folder), "utf8");
    const named = [...types.matchAll(/^export (?:function|const|class) (\w+)/gm)].map((match) => match[1]);
    assert.deepEqual(named.sort(), Object.keys(module).sort(), game);
    const start = types.indexOf("export class State {");
    const state = types.slice(start, types.indexOf("\n}", start));
    for (const name of Object.getOwnPropertyNames(module.State.prototype).filter((it) => it !== "constructor")) {
      assert.match(state, new RegExp(`^  (get )?${name}\\(`, "m"), `${game}: ${name}`);
    }
  }
});
