// Goes for the nearest cheese, looking a few cheese ahead for as long as it may. Thinking is cut
// into slices, so that `isready`, `ready?` and `stop` are answered in between.
import { createInterface } from "node:readline";

const STEP = { UP: [0, 1], DOWN: [0, -1], LEFT: [-1, 0], RIGHT: [1, 0], STAY: [0, 0] };
const say = (line) => process.stdout.write(line + "\n");
const key = (x, y) => `${x},${y}`;
const cells = (text) => [...text.matchAll(/\((\d+),(\d+)\)/g)].map((m) => key(m[1], m[2]));
const both = (text) => Object.fromEntries(text.split(/\s+/).map((part) => part.split(":")));

let game;
let thinking = null; // the current thought, if any: { stopped }

function newGame() {
  return { walls: new Set(), mud: new Map(), cheese: new Set(), players: {}, me: null,
           limit: 1000, started: false, history: [],
           routes: new Map() }; // ways() from cells: a maze does not change
}

const player = (at) => ({ at, to: at, mud: 0, score: 0 });

function exit(at, move) {
  const [x, y] = at.split(",").map(Number);
  const [nx, ny] = [x + STEP[move][0], y + STEP[move][1]];
  const to = key(nx, ny);
  const inside = nx >= 0 && ny >= 0 && nx < game.width && ny < game.height;
  if (!inside || game.walls.has(at + "-" + to)) return [at, 0];
  return [to, game.mud.get(at + "-" + to) ?? 0];
}

// A player moves, or struggles on in the mud without regard to the move.
function advance(p, move) {
  if (p.mud > 0) p.mud -= 1;
  else [p.to, p.mud] = exit(p.at, move);
  if (p.mud === 0) p.at = p.to;
}

function step(moves) {
  for (const side in game.players) advance(game.players[side], moves[side]);
  const finders = Object.values(game.players).filter((p) => !p.mud && game.cheese.has(p.at));
  const shared = finders.length === 2 && finders[0].at === finders[1].at;
  for (const p of finders) p.score += shared ? 0.5 : 1;
  for (const p of finders) game.cheese.delete(p.at);
}

// After a restart the history tells how deep in mud everybody is: whoever walks it from the right
// start ends where the player is now. Usually that is the player's corner.
function recoverMud() {
  const corners = { rat: key(0, 0), python: key(game.width - 1, game.height - 1) };
  for (const side in game.players) {
    const starts = [corners[side]];
    for (let x = 0; x < game.width; x++) {
      for (let y = 0; y < game.height; y++) starts.push(key(x, y));
    }
    for (const start of starts) {
      const walker = player(start), p = game.players[side];
      for (const moves of game.history) advance(walker, moves[side]);
      if (walker.at !== p.at) continue;
      [p.to, p.mud] = [walker.to, walker.mud];
      break;
    }
  }
}

// Turns from a cell to every other, and the first move on the way.
function ways(from) {
  const turns = new Map([[from, 0]]), first = new Map([[from, "STAY"]]);
  const rings = [[from]];
  for (let now = 0; now < rings.length; now++) for (const at of rings[now] ?? []) {
    if (turns.get(at) !== now) continue;
    for (const move of ["UP", "DOWN", "LEFT", "RIGHT"]) {
      const [to, mud] = exit(at, move);
      const then = now + 1 + mud;
      if (to === at || then >= (turns.get(to) ?? Infinity)) continue;
      turns.set(to, then);
      first.set(to, at === from ? move : first.get(at));
      (rings[then] ??= []).push(to);
    }
  }
  return { turns, first };
}

// The best tour of `depth` cheese from a cell: as short as possible.
function tour(routes, from, left, depth) {
  if (depth === 0 || left.length === 0) return 0;
  const near = left.filter((c) => routes.get(from).turns.has(c))
    .sort((a, b) => routes.get(from).turns.get(a) - routes.get(from).turns.get(b)).slice(0, 4);
  return Math.min(...near.map((c) => routes.get(from).turns.get(c)
    + tour(routes, c, left.filter((d) => d !== c), depth - 1)));
}

const breath = () => new Promise((resolve) => setImmediate(resolve));

async function think(thought) {
  const me = game.players[game.me];
  const until = Date.now() + 0.5 * game.limit;
  const cheese = [...game.cheese];
  let best = "STAY";
  if (me.mud === 0 && cheese.length > 0) {
    const { routes } = game;
    if (!routes.has(me.at)) routes.set(me.at, ways(me.at));
    const here = routes.get(me.at);
    const reached = cheese.filter((c) => here.turns.has(c))
      .sort((a, b) => here.turns.get(a) - here.turns.get(b));
    if (reached.length > 0) best = here.first.get(reached[0]);
    // The nearest first: on a large board there is time for the others in later turns.
    for (const c of reached.filter((c) => !routes.has(c))) {
      if (thought.stopped || Date.now() >= until) break;
      routes.set(c, ways(c));
      await breath();
    }
    const known = reached.filter((c) => routes.has(c)), near = known.slice(0, 6);
    for (let depth = 1; depth <= 4 && near.length > 0; depth++) {
      if (thought.stopped || Date.now() >= until) break;
      let shortest = Infinity;
      for (const c of near) {
        const rest = tour(routes, c, known.filter((d) => d !== c), depth - 1);
        const length = here.turns.get(c) + rest;
        if (length < shortest) [shortest, best] = [length, here.first.get(c)];
        await breath();
        if (thought.stopped) break;
      }
      if (!thought.stopped) say(`info depth ${depth} score ${-shortest} pv ${best}`);
    }
  }
  // After a time-out the engine has played STAY for us; it does not want this move any more.
  if (!thought.late) say("move " + best);
}

const words = {
  pyrat() { say("id name hunter (JavaScript)"); say("pyratready"); },
  isready() { say("readyok"); },
  "ready?"() { say("ready"); },
  newgame() { game = newGame(); },
  recover() { game = newGame(); },
  maze(rest) { const s = both(rest); game.width = +s.width; game.height = +s.height; },
  walls(rest) {
    const ends = cells(rest);
    for (let i = 0; i < ends.length; i += 2) {
      game.walls.add(ends[i] + "-" + ends[i + 1]).add(ends[i + 1] + "-" + ends[i]);
    }
  },
  mud(rest) {
    for (const part of rest.split(" ").filter(Boolean)) {
      const [a, b] = cells(part), turns = +part.split(":")[1];
      game.mud.set(a + "-" + b, turns).set(b + "-" + a, turns);
    }
  },
  cheese(rest) { game.cheese = new Set(cells(rest)); },
  player1(rest) { game.players.rat = { ...player(cells(rest)[0]), score: game.score?.rat ?? 0 }; },
  player2(rest) {
    game.players.python = { ...player(cells(rest)[0]), score: game.score?.python ?? 0 };
  },
  timecontrol(rest) { game.limit = +(both(rest).move ?? 1000); },
  moves_history(rest) {
    const list = rest.split(/\s+/).filter(Boolean);
    for (let i = 0; i < list.length; i += 2) {
      game.history.push({ rat: list[i], python: list[i + 1] });
    }
  },
  score(rest) {
    const s = both(rest);
    game.score = { rat: +s.rat, python: +s.python };
  },
  youare(rest) {
    game.me = rest;
    if (game.history.length > 0) { recoverMud(); game.started = true; }
  },
  startpreprocessing() { say("preprocessingdone"); },
  // The first one comes before the first turn and is none.
  moves(rest) { if (game.started) step(both(rest)); game.started = true; },
  go() { thinking = { stopped: false, late: false }; think(thinking); },
  stop() { if (thinking) thinking.stopped = true; },
  timeout() { if (thinking) thinking.stopped = thinking.late = true; },
  gameover(rest) {
    const [, rat, python] = rest.match(/score:([\d.]+)-([\d.]+)/);
    const { rat: r, python: p } = game.players;
    if (+rat !== r.score || +python !== p.score) {
      console.error(`out of step: the engine says ${rest}, I counted ${r.score}-${p.score}`);
      process.exit(1);
    }
  },
  startpostprocessing() { say("postprocessingdone"); },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, ...rest] = line.trim().split(" ");
  if (Object.hasOwn(words, word)) words[word](rest.join(" "));
}).on("close", () => process.exit(0));
