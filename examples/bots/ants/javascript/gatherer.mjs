// Sends each ant to the nearest food that no other ant is after, or to where it sees something
// new. Speaks both versions of the protocol: the length of the header tells them apart.
import { createInterface } from "node:readline";

const ROCK = 2, WATER = 4, DEAD = 3;
const FOOD = new Set([1, 3, 5]);
const key = (x, y) => y * 1000 + x;

// ---- reading: a generator that is given one line of numbers at a time ----

function* messages() {
  for (;;) {
    const header = yield;
    const [turn, count, , status] = header;
    const message = { turn, ants: [], mine: [], foreign: [], cells: new Map() };
    const seed = header.length === 5;
    const ids = seed ? yield : [];
    for (let i = 0; i < count; i++) {
      const row = yield;
      const [id, x, y, dx, dy, energy, acid, brain] = seed ? [i, ...row] : row;
      const ant = { id, x, y, dx, dy, energy, acid, brain };
      message.ants.push(ant);
      if (brain === 1 && (!seed || ids.includes(id))) message.mine.push(ant);
    }
    if (!seed) {
      const [foreign] = yield;
      for (let i = 0; i < foreign; i++) {
        const [x, y] = yield;
        message.foreign.push(key(x, y));
      }
    }
    const [, , points] = yield;
    for (let i = 0; i < points; i++) {
      const [x, y, content] = yield;
      message.cells.set(key(x, y), content);
    }
    if (status !== 1) process.exit(0);
    process.stdout.write(think(message) + "\n");
  }
}

// ---- thinking ----

const visited = new Set(); // what lies round these cells has been seen: a blank there is the edge

function news(cells, x, y) {
  for (let i = -1; i <= 1; i++)
    for (let j = -1; j <= 1; j++)
      if (x + i >= 0 && y + j >= 0 && !cells.has(key(x + i, y + j))) return true;
  return false;
}

// The first order on the way to a goal, nearest first: { goal, order }, or nothing.
function errand(message, ant, taken, goals) {
  const id = (s) => `${s.x},${s.y},${s.dx},${s.dy}`;
  const start = { x: ant.x, y: ant.y, dx: ant.dx, dy: ant.dy, first: null };
  const queue = [start], seen = new Set([id(start)]);
  let explore = null;
  for (const state of queue) {
    const { x, y, dx, dy, first } = state, here = key(x, y);
    if (first && !goals.has(here)) {
      if (FOOD.has(message.cells.get(here))) return { goal: here, order: first };
      if (!explore && !visited.has(here) && news(message.cells, x, y))
        explore = { goal: here, order: first };
    }
    const steps = [["left", { x, y, dx: dy, dy: -dx }], ["right", { x, y, dx: -dy, dy: dx }]];
    const ahead = x + dx < 0 || y + dy < 0 ? -1 : key(x + dx, y + dy);
    const content = message.cells.get(ahead) ?? ROCK;
    // Other ants are in the way of the next step only: they move on.
    if (content !== ROCK && content !== WATER && (first || !taken.has(ahead)))
      steps.unshift(["forward", { x: x + dx, y: y + dy, dx, dy }]);
    for (const [order, next] of steps) {
      if (seen.has(id(next))) continue;
      seen.add(id(next));
      queue.push({ ...next, first: first ?? order });
    }
  }
  return explore;
}

function think(message) {
  const alive = message.ants.filter((ant) => ant.brain !== DEAD);
  const taken = new Set([...alive.map((ant) => key(ant.x, ant.y)), ...message.foreign]);
  alive.forEach((ant) => visited.add(key(ant.x, ant.y)));
  const goals = new Set(), orders = [];
  for (const ant of message.mine) {
    if (ant.acid > 0 && message.foreign.includes(key(ant.x + ant.dx, ant.y + ant.dy))) {
      orders.push(`${ant.id}:attack@${Math.min(ant.acid, 1000)}`);
      continue;
    }
    const found = errand(message, ant, taken, goals);
    if (!found) continue; // an ant that is not named rests
    goals.add(found.goal);
    orders.push(`${ant.id}:${found.order}`);
  }
  return orders.join(",");
}

const reader = messages();
reader.next();
createInterface({ input: process.stdin }).on("line", (line) => {
  reader.next(line.trim().split(/\s+/).map(Number));
});
