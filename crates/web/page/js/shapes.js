// How each form of a shape looks. Lengths are hundredths of a cell; the canvas is already scaled to them.

/** @import {Theme} from './theme.js' */
/** @import {Drawn} from './tween.js' */
/** @import {Sprites} from './sprites.js' */

/** @typedef {CanvasRenderingContext2D} Context */
/** What drawing needs to know. @typedef {{c: Context, theme: Theme, sprites: Sprites, scale: number, dpr: number, names: string[]}} Brush */

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const ROUND = Math.PI * 2;

/** A disc is never smaller than this many pixels across, as long as it stays inside its cell. */
const SMALLEST_DOT = 4.4;

/** Browsers have a smallest size of letters: they are drawn large and scaled. @param {Brush} brush @param {string} text @param {number} x @param {number} y @param {number} height @param {string} colour @param {number} weight @param {CanvasTextAlign} [align] */
export function letters({ c }, text, x, y, height, colour, weight, align = 'center') {
  c.save();
  c.translate(x, y);
  c.scale(height / 100, height / 100);
  c.font = `${weight} 100px ${FONT}`;
  c.textAlign = align;
  c.textBaseline = 'middle';
  c.fillStyle = colour;
  c.fillText(text, 0, 5);
  c.restore();
}

/** @param {Brush} brush @param {string} text @param {number} height @param {number} weight */
function widthOf({ c }, text, height, weight) {
  c.save();
  c.font = `${weight} 100px ${FONT}`;
  const { width } = c.measureText(text);
  c.restore();
  return (width * height) / 100;
}

/** @param {Context} c @param {number} x @param {number} y @param {number} r */
function circle(c, x, y, r) {
  c.beginPath();
  c.arc(x, y, Math.max(0, r), 0, ROUND);
}

/** @param {Context} c @param {number} x @param {number} y @param {number} w @param {number} h @param {number} r */
function rounded(c, x, y, w, h, r) {
  c.beginPath();
  c.roundRect(x - w / 2, y - h / 2, w, h, Math.max(0, r));
}

/** @param {Brush} brush @param {Drawn} shape @param {number} r */
export function disc(brush, shape, r) {
  const { c, theme, scale, dpr } = brush;
  const [x, y] = shape.p;
  const radius = Math.max(r, Math.min(48, (SMALLEST_DOT * dpr) / 2 / scale)) * (shape.scale ?? 1);
  const colour = theme.of(shape.c);
  if ((shape.c === 'black' || shape.c === 'white') && radius * scale > 3) {
    c.fillStyle = '#00000038';
    circle(c, x + radius * 0.06, y + radius * 0.14, radius);
    c.fill();
    const shade = c.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.08, x, y, radius);
    const [light, deep] = shape.c === 'black' ? ['#62676e', '#0c0d0f'] : ['#ffffff', '#d6d3c8'];
    shade.addColorStop(0, light);
    shade.addColorStop(1, deep);
    c.fillStyle = shade;
  } else c.fillStyle = colour;
  circle(c, x, y, radius);
  c.fill();
  if (shape.e !== undefined) {
    c.strokeStyle = theme.of(shape.e);
    c.lineWidth = Math.max(7, (1.5 * dpr) / scale);
    c.stroke();
  }
  if (shape.t && radius * scale > 7 * dpr) letters(brush, named(brush, shape.t), x, y, radius * (shape.t.length > 2 ? 0.78 : 1.02), theme.over(colour), 600);
  mark(brush, shape, radius);
}

/** @param {Brush} brush @param {Drawn} shape @param {[number, number, number]} size */
export function box(brush, shape, [w, h, round]) {
  const { c, theme, scale, dpr } = brush;
  const [x, y] = shape.p;
  const colour = theme.of(shape.c);
  c.save();
  c.translate(x, y);
  if (shape.r) c.rotate((shape.r * Math.PI) / 180);
  rounded(c, 0, 0, w, h, round);
  c.fillStyle = colour;
  if (shape.c !== undefined) c.fill();
  if (shape.e !== undefined) {
    c.strokeStyle = theme.of(shape.e);
    c.lineWidth = Math.max(5, dpr / scale);
    c.stroke();
  }
  if (shape.t && Math.min(w, h) * scale > 8 * dpr) letters(brush, named(brush, shape.t), 0, 0, Math.min(Math.min(w, h) * 0.72, 60), theme.over(colour), 600);
  if (shape.m) {
    c.strokeStyle = theme.of(shape.m === 'held' ? 'ink' : 'mark');
    c.lineWidth = Math.max(6, (2 * dpr) / scale);
    rounded(c, 0, 0, w, h, round);
    c.stroke();
  }
  c.restore();
}

/** @param {Brush} brush @param {Drawn} shape @param {[[number, number], number]} line */
export function line({ c, theme, scale, dpr }, shape, [to, width]) {
  c.strokeStyle = theme.of(shape.e ?? shape.c ?? 'ink');
  c.lineWidth = Math.max(width, dpr / scale);
  c.lineCap = 'round';
  c.beginPath();
  c.moveTo(shape.p[0], shape.p[1]);
  c.lineTo(to[0], to[1]);
  c.stroke();
}

/** @param {Brush} brush @param {Drawn} shape @param {[string, number]} sprite */
export function sprite(brush, shape, [name, side]) {
  const { c, theme, sprites, scale, dpr } = brush;
  const [x, y] = shape.p;
  // Too small to be a picture: a dot in its colour is seen, legs are not.
  if (side * scale < 7 * dpr && shape.c !== undefined) {
    disc(brush, { ...shape, t: undefined }, side * 0.42);
    return;
  }
  const size = side * (shape.scale ?? 1);
  const picture = sprites.picture(name, shape.c, side * scale);
  if (picture) {
    c.save();
    c.translate(x, y);
    if (shape.r) c.rotate((shape.r * Math.PI) / 180);
    c.drawImage(picture, -size / 2, -size / 2, size, size);
    c.restore();
  } else {
    c.fillStyle = theme.of(shape.c ?? 'ink');
    rounded(c, x, y, size * 0.8, size * 0.8, size * 0.2);
    c.fill();
  }
  mark(brush, shape, side * 0.52);
  if (shape.t && side * scale > 16 * dpr) badge(brush, shape.t, x + side * 0.34, y - side * 0.34, side * 0.4);
}

/** A small number at the corner of something. @param {Brush} brush @param {string} text @param {number} x @param {number} y @param {number} height */
function badge(brush, text, x, y, height) {
  const { c, theme } = brush;
  const width = Math.max(height * 1.4, widthOf(brush, text, height, 700) + height * 0.7);
  c.fillStyle = theme.of('ink');
  rounded(c, x, y, width, height * 1.4, height * 0.7);
  c.fill();
  letters(brush, text, x, y, height, theme.of('paper'), 700);
}

/** @param {Brush} brush @param {Drawn} shape @param {number} height */
export function text(brush, shape, height) {
  const { c, theme } = brush;
  const [x, y] = shape.p;
  const words = named(brush, shape.t ?? '');
  if (typeof shape.c !== 'number' || !(shape.t ?? '').includes('§')) {
    letters(brush, words, x, y, height, theme.of(shape.c ?? 'ink'), typeof shape.c === 'number' ? 700 : 500);
    mark(brush, shape, height * 0.6);
    return;
  }
  // The name of a player: a plate, in the player's colour when it is this one's turn.
  const held = shape.m === 'held';
  const plate = held ? theme.of(shape.c) : '#0000006b';
  const width = widthOf(brush, words, height, 600) + height * 1.9;
  c.fillStyle = plate;
  rounded(c, x, y, width, height * 1.6, height * 0.8);
  c.fill();
  if (!held) {
    c.fillStyle = theme.of(shape.c);
    circle(c, x - width / 2 + height * 0.75, y, height * 0.26);
    c.fill();
  }
  letters(brush, words, held ? x : x + height * 0.25, y, height, held ? theme.over(plate) : '#ffffff', 600);
}

/** §0, §1 … stand for the names of players. @param {Brush} brush @param {string} words */
export function named({ names }, words) {
  return words.includes('§') ? words.replace(/§(\d+)/g, (all, seat) => names[Number(seat)] ?? all) : words;
}

/** Columns and rows of crossings. @param {Brush} brush @param {Drawn} shape @param {[number, number, [number, number][]]} lattice */
export function lattice({ c, theme, scale, dpr }, shape, [columns, rows, dots]) {
  const [x, y] = shape.p;
  c.strokeStyle = c.fillStyle = theme.of(shape.e ?? shape.c ?? 'wood-line');
  c.lineWidth = Math.max(2.6, dpr / scale);
  c.lineCap = 'square';
  c.beginPath();
  for (let i = 0; i < columns; i++) {
    c.moveTo(x + i * 100, y);
    c.lineTo(x + i * 100, y + (rows - 1) * 100);
  }
  for (let i = 0; i < rows; i++) {
    c.moveTo(x, y + i * 100);
    c.lineTo(x + (columns - 1) * 100, y + i * 100);
  }
  c.stroke();
  for (const [i, j] of dots) {
    circle(c, x + i * 100, y + j * 100, 9);
    c.fill();
  }
}

/** @param {Brush} brush @param {Drawn} shape @param {number} r */
export function mark({ c, theme, scale, dpr }, shape, r) {
  if (!shape.m) return;
  const [x, y] = shape.p;
  const thin = (/** @type {number} */ least) => Math.max(least, (1.6 * dpr) / scale);
  if (shape.m === 'last' && shape.f.disc !== undefined) {
    c.fillStyle = theme.of('mark');
    circle(c, x, y, Math.max(r * 0.24, (1.5 * dpr) / scale));
    c.fill();
    return;
  }
  c.strokeStyle = theme.of(shape.m === 'held' ? 'ink' : shape.m === 'hurt' ? 'danger' : 'mark');
  c.lineWidth = thin(shape.m === 'last' ? 5 : 8);
  if (shape.m === 'hurt') c.setLineDash([r * 0.6, r * 0.35]);
  circle(c, x, y, r + 3);
  c.stroke();
  c.setLineDash([]);
}
