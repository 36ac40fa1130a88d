// A game's own pictures, drawn once for each colour and size.

/** @import {Sprite, Tint} from './types.js' */
/** @import {Theme} from './theme.js' */

/** Sizes in between are taken from the next larger picture. */
const SIZES = [6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256];

export class Sprites {
  /** @param {Sprite[]} sprites @param {Theme} theme */
  constructor(sprites, theme) {
    this.theme = theme;
    this.sprites = new Map(sprites.map((sprite) => [sprite.name, { side: sprite.side, paths: sprite.paths.map(([d, colour]) => ({ path: new Path2D(d), colour })) }]));
    /** @type {Map<string, HTMLCanvasElement>} */
    this.drawn = new Map();
  }

  /** @param {string} name @param {Tint | undefined} tint @param {number} pixels @returns {HTMLCanvasElement | null} */
  picture(name, tint, pixels) {
    const sprite = this.sprites.get(name);
    if (!sprite) return null;
    const size = SIZES.find((known) => known >= pixels) ?? 256;
    const key = `${name}|${tint}|${size}`;
    let picture = this.drawn.get(key);
    if (!picture) {
      picture = document.createElement('canvas');
      picture.width = picture.height = size;
      const c = /** @type {CanvasRenderingContext2D} */ (picture.getContext('2d'));
      c.scale(size / sprite.side, size / sprite.side);
      c.lineCap = c.lineJoin = 'round';
      const own = this.theme.of(tint ?? 'ink');
      for (const { path, colour } of sprite.paths) this.paint(c, path, colour, own, sprite.side);
      this.drawn.set(key, picture);
    }
    return picture;
  }

  /** @param {CanvasRenderingContext2D} c @param {Path2D} path @param {string | null} colour @param {string} own @param {number} side */
  paint(c, path, colour, own, side) {
    c.fillStyle = colour === null ? own : this.theme.of(colour);
    c.fill(path);
    if (colour === null) {
      c.strokeStyle = '#00000038';
      c.lineWidth = side * 0.025;
      c.stroke(path);
    }
  }
}
