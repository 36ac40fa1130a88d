// Sends each ant to the nearest food that no other ant is after, or to where it sees something
// new. Speaks both versions of the protocol: the length of the header tells them apart.
import { createInterface } from "node:readline";

const ROCK = 2, WATER = 4, DEAD = 3;
const FOOD = new Set([1, 3, 5]);
const UNKNOWN = 255;
const SIDE = 1000; // no map is larger
const key = (x, y) => y * SIDE + x;

// ---- reading: a generator that is given one line of numbers at a time ----

function* messages() {
  for (;;) {
    const header = yield;
    const [turn, count, , status] = header;
    const message = { turn, ants: [], mine: [], foreign: [], cells: new Uint8Array(SIDE * SIDE) };
    message.cells.fill(UNKNOWN);
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
      message.cells[key(x, y)] = content;
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
      if (x + i >= 0 && y + j >= 0 && cells[key(x + i, y + j)] === UNKNOWN) return true;
  return false;
}

const WAYS = [[1, 0], [0, 1], [-1, 0], [0, -1]]; // each is to the right of the one before
const FORWARD = 1, LEFT = 2, RIGHT = 3, NONE = 4;
const NAMES = { [FORWARD]: "forward", [LEFT]: "left", [RIGHT]: "right" };
// By cell and way: the first order that leads there, or 0. Numbers in one array, because a large map
// has hundreds of thousands of places to be in.
const orderTo = new Uint8Array(4 * SIDE * SIDE);

// The first order on the way to a goal, nearest first: { goal, order }, or nothing.
function errand(message, ant, taken, goals) {
  const { cells } = message;
  const facing = WAYS.findIndex(([dx, dy]) => dx === ant.dx && dy === ant.dy);
  const queue = [4 * key(ant.x, ant.y) + facing];
  orderTo[queue[0]] = NONE;
  let food = null, explore = null;
  for (const place of queue) {
    const here = place >> 2, way = place & 3, first = orderTo[place];
    const x = here % SIDE, y = (here - x) / SIDE;
    if (first !== NONE && !goals.has(here)) {
      const found = { goal: here, order: NAMES[first] };
      if (FOOD.has(cells[here])) {
        food = found;
        break;
      }
      if (!explore && !visited.has(here) && news(cells, x, y)) explore = found;
    }
    const come = (to, order) => {
      if (orderTo[to]) return;
      orderTo[to] = first === NONE ? order : first;
      queue.push(to);
    };
    const [dx, dy] = WAYS[way];
    const ahead = key(x + dx, y + dy);
    const content = x + dx < 0 || y + dy < 0 ? UNKNOWN : cells[ahead];
    // Other ants are in the way of the next step only: they move on.
    const open = content !== ROCK && content !== WATER && content !== UNKNOWN;
    if (open && (first !== NONE || !taken.has(ahead))) come(4 * ahead + way, FORWARD);
    come(4 * here + ((way + 3) & 3), LEFT);
    come(4 * here + ((way + 1) & 3), RIGHT);
  }
  for (const place of queue) orderTo[place] = 0;
  return food ?? explore;
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
