// Pixels as a column of numbers: a hundred thousand boxes take less time than as calls of a canvas.

export type Colour = number;

// From "#rrggbb" to a number as ImageData has it in memory of little-endian machines.
export function colourOf(text: string): Colour {
  const value = parseInt(text.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

// One colour over another one.
export function mixed(below: Colour, above: Colour, share: number): Colour {
  let made = 0xff;
  for (const shift of [16, 8, 0]) {
    const [from, to] = [(below >> shift) & 0xff, (above >> shift) & 0xff];
    made = (made << 8) | Math.round(from + (to - from) * share);
  }
  return made >>> 0;
}

export class Raster {
  readonly image: ImageData;
  private readonly pixels: Uint32Array;

  constructor(readonly width: number, readonly height: number) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  clear(colour: Colour): void {
    this.pixels.fill(colour);
  }

  // Whole pixels from (x0, y0) up to (x1, y1), which is outside.
  box(x0: number, y0: number, x1: number, y1: number, colour: Colour): void {
    const { width, pixels } = this;
    const [left, right] = [Math.max(0, x0 | 0), Math.min(width, x1 | 0)];
    const [top, bottom] = [Math.max(0, y0 | 0), Math.min(this.height, y1 | 0)];
    for (let y = top; y < bottom; y++) {
      const [from, to] = [y * width + left, y * width + right];
      // A call of `fill` takes as long as some pixels.
      if (to - from > 16) pixels.fill(colour, from, to);
      else for (let at = from; at < to; at++) pixels[at] = colour;
    }
  }

  // One pixel wide, which most boxes are.
  column(x: number, y0: number, y1: number, colour: Colour): void {
    const { width, pixels } = this;
    const [top, bottom] = [Math.max(0, y0 | 0), Math.min(this.height, y1 | 0)];
    for (let at = top * width + x, end = bottom * width + x; at < end; at += width) pixels[at] = colour;
  }

  // Stripes, which tell what is lost also without colours.
  stripes(x0: number, y0: number, x1: number, y1: number, colour: Colour): void {
    const [left, right] = [Math.max(0, x0 | 0), Math.min(this.width, x1 | 0)];
    for (let y = Math.max(0, y0 | 0), bottom = Math.min(this.height, y1 | 0); y < bottom; y++) {
      for (let x = left; x < right; x++) if ((x + y) % 5 < 2) this.pixels[y * this.width + x] = colour;
    }
  }
}
