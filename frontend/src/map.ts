// The floor from above at an instant: walls, radios on their ways, and who sends to whom.

import { lowerBound } from "./columns";
import { counterAt, field, type Model, type Slices } from "./model";
import type { Palette } from "./draw";

interface Radio {
  name: string;
  cell: number;
  role: string;
  way: [ns: number, x: number, y: number][];
}

interface Floor {
  radios: Radio[];
  walls: { from: [number, number]; to: [number, number]; text: string }[];
  cells: string[];
  schematic: boolean;
}

const MARGIN = 46;
// So long after its end a PPDU is drawn, paler and paler, if the clock runs faster than the eye.
const AFTER_GLOW = 0.4;

export class FloorMap {
  readonly floor: Floor;
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly model: Model, private readonly palette: Palette, private readonly cellColours: string[]) {
    this.floor = model.header.floor;
    this.context = canvas.getContext("2d")!;
  }

  // `glow` is how many nanoseconds of the run the eye sees at once.
  draw(time: number, glow: number): void {
    const { context, canvas } = this;
    const scale = devicePixelRatio;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(w * scale)) [canvas.width, canvas.height] = [Math.round(w * scale), Math.round(h * scale)];
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.palette.paper;
    context.fillRect(0, 0, w, h);
    const places = this.floor.radios.map((radio) => placeAt(radio, time));
    const to = this.scale(w, h);
    this.walls(to);
    this.ways(to);
    this.links(places.map(to), time);
    this.onAir(places.map(to), time, glow);
    places.forEach((place, n) => this.radio(n, to(place), time));
    this.key(w, h);
  }

  private scale(w: number, h: number): (place: [number, number]) => [number, number] {
    const all = [...this.floor.radios.flatMap((radio) => radio.way.map(([, x, y]) => [x, y])), ...this.floor.walls.flatMap((wall) => [wall.from, wall.to])];
    const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const size = Math.min((w - 2 * MARGIN) / Math.max(1e-6, right - left), (h - 2 * MARGIN) / Math.max(1e-6, high - low), 200);
    return ([x, y]) => [w / 2 + (x - (left + right) / 2) * size, h / 2 - (y - (low + high) / 2) * size];
  }

  private line(a: [number, number], b: [number, number], colour: string, width: number, dash: number[] = []): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(...a);
    context.lineTo(...b);
    context.stroke();
    context.setLineDash([]);
  }

  private label(text: string, x: number, y: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.font = "12px system-ui, sans-serif";
    this.context.textAlign = "center";
    this.context.fillText(text, x, y);
  }

  private walls(to: (place: [number, number]) => [number, number]): void {
    for (const wall of this.floor.walls) {
      const [a, b] = [to(wall.from), to(wall.to)];
      this.line(a, b, this.palette.quiet, 3);
      this.label(wall.text, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 5, this.palette.quiet);
    }
  }

  private ways(to: (place: [number, number]) => [number, number]): void {
    for (const { way } of this.floor.radios) {
      for (let n = 1; n < way.length; n++) {
        this.line(to([way[n - 1][1], way[n - 1][2]]), to([way[n][1], way[n][2]]), this.palette.line, 1.5, [5, 4]);
      }
    }
  }

  // Signal of links at this time, where the run sampled it.
  private links(places: [number, number][], time: number): void {
    for (const track of this.model.tracks) {
      if (track.kind !== "counter" || track.name !== "signal") continue;
      const [a, b] = track.ends!;
      const signal = counterAt(track, time);
      // Both ways have the same mean signal, unless their powers differ: one label for both.
      if (signal === undefined || a > b) continue;
      this.line(places[a], places[b], this.palette.line, 1);
      this.label(`${signal.toFixed(0)} dBm`, (places[a][0] + places[b][0]) / 2, (places[a][1] + places[b][1]) / 2 - 4, this.palette.quiet);
    }
  }

  private onAir(places: [number, number][], time: number, glow: number): void {
    for (const track of this.model.tracks) {
      if (track.kind !== "ppdus") continue;
      const from = this.floor.radios.findIndex((radio) => radio.name === track.place);
      const last = lowerBound(track.start, time + 0.5);
      for (let n = last - 1; n >= Math.max(0, last - 24) && track.end[n] > time - glow; n--) this.ppdu(track, n, from, places, time, glow);
    }
  }

  private ppdu(track: Slices, row: number, from: number, places: [number, number][], time: number, glow: number): void {
    const { context } = this;
    const kind = field(track, "kind")!;
    const to = field(track, "to")!.column[row];
    const outcome = field(track, "outcome")!.column[row];
    const now = track.end[row] > time;
    context.globalAlpha = now ? 1 : AFTER_GLOW * (1 - (time - track.end[row]) / glow);
    const colour = outcome === 0 ? this.palette.kinds[kind.texts![kind.column[row]]].colour : this.palette.lost;
    const [x, y] = places[from];
    if (to < places.length) {
      this.line([x, y], places[to], colour, kind.column[row] === 0 ? 5 : 2.5, outcome === 0 ? [] : [4, 4]);
      if (now) this.label(`${kind.texts![kind.column[row]]}${outcome ? `, ${field(track, "outcome")!.texts![outcome]}` : ""}`, (x + places[to][0]) / 2, (y + places[to][1]) / 2 + 14, this.palette.ink);
    } else {
      context.strokeStyle = colour;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x, y, 26, 0, 7);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  private radio(number: number, [x, y]: [number, number], time: number): void {
    const { context } = this;
    const radio = this.floor.radios[number];
    context.fillStyle = this.cellColours[radio.cell % this.cellColours.length];
    context.strokeStyle = this.palette.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    if (radio.role === "access_point") context.rect(x - 8, y - 8, 16, 16);
    else context.arc(x, y, 8, 0, 7);
    context.fill();
    context.stroke();
    this.label(radio.name, x, y + 24, this.palette.ink);
    const queue = this.model.tracks.find((track) => track.kind === "counter" && track.place === radio.name && track.name === "queue");
    const waiting = queue?.kind === "counter" ? counterAt(queue, time) : undefined;
    if (waiting) this.label(`${waiting} queued`, x, y - 14, this.palette.quiet);
  }

  private key(w: number, h: number): void {
    if (this.floor.schematic) this.label("The scenario gives no positions: the places are made up", w / 2, h - 8, this.palette.quiet);
    this.floor.cells.forEach((cell, n) => {
      this.context.fillStyle = this.cellColours[n % this.cellColours.length];
      this.context.fillRect(8, 8 + 18 * n, 11, 11);
      this.context.textAlign = "left";
      this.context.fillStyle = this.palette.quiet;
      this.context.fillText(cell, 25, 18 + 18 * n);
    });
  }
}

// Between its waypoints a radio moves in straight lines.
function placeAt({ way }: Radio, time: number): [number, number] {
  const next = way.findIndex(([at]) => at > time);
  if (next < 0) return [way[way.length - 1][1], way[way.length - 1][2]];
  if (next === 0) return [way[0][1], way[0][2]];
  const [[t0, x0, y0], [t1, x1, y1]] = [way[next - 1], way[next]];
  const share = (time - t0) / (t1 - t0);
  return [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];
}
