// One picture of the tracks: boxes as pixels, then texts.

import { lowerBound, lowerBoundNear } from "./columns";
import { counterAt, field, hitOf, shortNumber, titleOf, valueText, type Counter, type Hit, type Marks, type Model, type Slices } from "./model";
import { colourOf, mixed, Raster, type Colour } from "./raster";
import { roundStep, timeText, type Row, type Span } from "./view";

export const RULER = 24;
// More boxes than this many for a pixel are drawn as the share of time that they take, packets as how many are under way.
const BOXES_PER_PIXEL = 2;
const TEXT_FROM = 34;
const ARROWS_MOST = 40;

export interface Palette {
  paper: string;
  ink: string;
  quiet: string;
  line: string;
  shade: string;
  kinds: Record<string, { colour: string; height: number }>;
  lost: string;
  noise: string;
  value: string;
}

// The same as numbers of pixels.
interface Colours {
  paper: Colour;
  ink: Colour;
  shade: Colour;
  lost: Colour;
  noise: Colour;
  value: Colour;
  area: Colour;
  data: Colour;
  control: Colour;
  kinds: { colour: Colour; height: number }[];
}

export interface Shown {
  model: Model;
  rows: Row[];
  span: Span;
  top: number;
  cursor: number;
  hit?: Hit;
  chosen?: [number, number];
}

interface Place {
  y: number;
  height: number;
}

export class Picture {
  private raster = new Raster(1, 1);
  private readonly context: CanvasRenderingContext2D;
  private readonly colours: Colours;
  private readonly fitting = new Map<string, string>();
  private texts: { text: string; x: number; y: number; most: number }[] = [];

  constructor(private readonly canvas: HTMLCanvasElement, private readonly palette: Palette) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    const [paper, ink, shade, lost, noise, value] = [palette.paper, palette.ink, palette.shade, palette.lost, palette.noise, palette.value].map(colourOf);
    const kinds = Object.values(palette.kinds).map((look) => ({ colour: colourOf(look.colour), height: look.height }));
    const [data, control] = [palette.kinds["data"].colour, palette.kinds["Ack"].colour].map(colourOf);
    this.colours = { paper, ink, shade, lost, noise, value, area: mixed(paper, value, 0.3), data, control, kinds };
  }

  draw(shown: Shown): void {
    const scale = devicePixelRatio;
    const [width, height] = [this.canvas.clientWidth * scale, this.canvas.clientHeight * scale].map(Math.round);
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
    // One pixel of the raster is one of the page, whatever the screen's resolution: so the cost is the same.
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (this.raster.width !== w || this.raster.height !== h) this.raster = new Raster(Math.max(1, w), Math.max(1, h));
    this.raster.clear(this.colours.paper);
    this.texts = [];
    for (const row of shown.rows) {
      const y = RULER + row.top - shown.top;
      if (y + row.height > RULER && y < h) this.row(shown, row, { y, height: row.height });
    }
    this.put(w, h, scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.words(shown);
    this.labels(shown, h);
    this.ruler(shown, h);
    this.arrows(shown);
  }

  private put(w: number, h: number, scale: number): void {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    if (scale === 1) return this.context.putImageData(this.raster.image, 0, 0);
    const aside = new OffscreenCanvas(w, h);
    aside.getContext("2d")!.putImageData(this.raster.image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(aside, 0, 0, this.canvas.width, this.canvas.height);
  }

  private row(shown: Shown, row: Row, place: Place): void {
    const { track } = row;
    if (!track) return this.raster.box(0, place.y, this.raster.width, place.y + place.height, this.colours.shade);
    if (track.kind === "counter") this.counter(shown.span, track, place);
    else if (track.kind === "marks") this.marks(shown, track, place);
    else if (track.kind === "packets") this.packets(shown, track, place);
    else this.slices(shown, track, place);
  }

  private slices(shown: Shown, track: Slices, place: Place): void {
    const { span } = shown;
    const first = Math.max(0, lowerBound(track.end, span.from));
    const last = lowerBound(track.start, span.to);
    const pixels = span.right - span.left;
    if (last - first > BOXES_PER_PIXEL * pixels) this.shares(span, track, place, first, last);
    else this.boxes(shown, track, place, first, last);
  }

  private boxes(shown: Shown, track: Slices, place: Place, first: number, last: number): void {
    const { span } = shown;
    const [kind, outcome, users, to, attempt] = ["kind", "outcome", "users", "to", "attempt"].map((name) => field(track, name));
    let user = 0;
    for (let n = first; n < last; n++) {
      user = n > first && track.start[n] === track.start[n - 1] ? user + 1 : 0;
      const look = kind ? this.colours.kinds[kind.column[n]] : undefined;
      const count = users ? users.column[n] : 1;
      const height = place.height * (look?.height ?? 1);
      const y0 = place.y + (place.height - height) / 2 + (height * user) / count;
      const y1 = y0 + height / count - (count > 1 && height / count > 3 ? 1 : 0);
      const x0 = Math.floor(span.x(track.start[n]));
      const x1 = Math.max(x0 + 1, Math.round(span.x(track.end[n])));
      const from = Math.max(span.left, x0);
      const lost = outcome ? outcome.column[n] : 0;
      this.box([from, Math.round(y0), x1, Math.round(y1)], look?.colour ?? this.colours.value, lost);
      const is = shown.hit?.track === track && shown.hit.row === n;
      if (is) this.frame(from, Math.round(y0), x1, Math.round(y1));
      if (x1 - from > TEXT_FROM && to && y1 - y0 > 11) {
        const tried = attempt && attempt.column[n] > 1 ? `, attempt ${attempt.column[n]}` : "";
        this.text(`${titleOf({ track, row: n })} to ${valueText(to, n)}${tried}`, from + 3, (y0 + y1) / 2, Math.min(x1, span.right) - from - 6);
      }
    }
  }

  // What was lost has another colour, with stripes of that of its kind.
  private box([x0, y0, x1, y1]: [number, number, number, number], colour: Colour, lost: number): void {
    if (!lost) return this.raster.box(x0, y0, x1, y1, colour);
    this.raster.box(x0, y0, x1, y1, lost === 1 ? this.colours.lost : this.colours.noise);
    if (x1 - x0 >= 4) this.raster.stripes(x0, y0, x1, y1, colour);
  }

  private frame(x0: number, y0: number, x1: number, y1: number): void {
    const { ink } = this.colours;
    this.raster.box(x0 - 2, y0 - 2, x1 + 2, y0, ink);
    this.raster.box(x0 - 2, y1, x1 + 2, y1 + 2, ink);
    this.raster.box(x0 - 2, y0, x0, y1, ink);
    this.raster.box(x1, y0, x1 + 2, y1, ink);
  }

  // For each pixel the share of time that data and everything took, from the bottom up, and whether something was lost.
  private shares(span: Span, track: Slices, place: Place, first: number, last: number): void {
    const { data, lost } = this.colours;
    const other = track.kind === "ppdus" ? this.colours.control : this.colours.value;
    const bottom = place.y + place.height;
    let row = first;
    for (let x = span.left; x < span.right; x++) {
      const next = lowerBoundNear(track.start, span.time(x + 1), row, last);
      if (next > row) {
        const own = Math.min(1, (track.data[next] - track.data[row]) / span.perPixel);
        const all = Math.min(1, (track.all[next] - track.all[row]) / span.perPixel);
        this.raster.column(x, Math.round(bottom - all * place.height), bottom, other);
        this.raster.column(x, Math.round(bottom - own * place.height), bottom, data);
        if (track.lost[next] > track.lost[row]) this.raster.column(x, place.y, place.y + 5, lost);
      }
      row = next;
    }
  }

  private packets(shown: Shown, track: Slices, place: Place): void {
    const { span } = shown;
    const last = lowerBound(track.start, span.to);
    const ended = lowerBound(track.ends!, span.from);
    const colour = this.colours.value;
    // So many are under way at the left edge at most, and began before it.
    const first = Math.max(0, Math.min(lowerBound(track.start, span.from), ended) - track.lanes);
    if (last - first > BOXES_PER_PIXEL * (span.right - span.left)) return this.underWay(span, track, place, colour);
    const [again, height] = [this.colours.lost, place.height / track.lanes];
    const sentAgain = field(track, "sent again");
    for (let n = first; n < last; n++) {
      if (track.end[n] < span.from) continue;
      const x0 = Math.max(span.left, Math.floor(span.x(track.start[n])));
      const y = place.y + track.lane![n] * height;
      const is = shown.hit?.track === track && shown.hit.row === n;
      const own = is ? this.colours.ink : sentAgain?.column[n] ? again : colour;
      this.raster.box(x0, y, Math.max(x0 + 1, span.x(track.end[n])), Math.max(y + 1, y + height - (height > 3 ? 1 : 0)), own);
    }
  }

  // How many packets are under way at each pixel: begun less arrived.
  private underWay(span: Span, track: Slices, place: Place, colour: Colour): void {
    const count = track.start.length;
    let [begun, arrived] = [lowerBound(track.start, span.from), lowerBound(track.ends!, span.from)];
    for (let x = span.left; x < span.right; x++) {
      const time = span.time(x);
      begun = lowerBoundNear(track.start, time, begun, count);
      arrived = lowerBoundNear(track.ends!, time, arrived, count);
      this.raster.column(x, place.y + place.height * (1 - (begun - arrived) / track.lanes), place.y + place.height, colour);
    }
  }

  private marks(shown: Shown, track: Marks, place: Place): void {
    const { span } = shown;
    const colour = track.bad ? this.colours.lost : this.colours.value;
    const last = lowerBound(track.start, span.to);
    for (let n = lowerBound(track.start, span.from); n < last; ) {
      const x = Math.floor(span.x(track.start[n]));
      const is = shown.hit?.track === track && shown.hit.row === n;
      this.raster.box(x - (is ? 2 : 1), place.y, x + (is ? 3 : 1), place.y + place.height, is ? this.colours.ink : colour);
      const next = lowerBound(track.start, span.time(x + 1), n + 1, last);
      if (next < last ? span.x(track.start[next]) - x > 60 : next === n + 1) {
        this.text(titleOf({ track, row: n }), x + 4, place.y + place.height / 2, 110);
      }
      n = next;
    }
  }

  private counter(span: Span, track: Counter, place: Place): void {
    const { value: line, area } = this.colours;
    const range = track.most - track.least || 1;
    const y = (value: number) => place.y + place.height - 1 - ((value - track.least) / range) * (place.height - 1);
    let place0 = lowerBound(track.start, span.from + 0.5) - 1;
    for (let x = span.left; x < span.right; x++) {
      const next = lowerBoundNear(track.start, span.time(x + 1), Math.max(0, place0), track.start.length);
      if (next === 0) continue;
      let [low, high] = [Infinity, -Infinity];
      for (let n = Math.max(0, place0); n < next; n++) {
        if (track.values[n] < low) low = track.values[n];
        if (track.values[n] > high) high = track.values[n];
      }
      place0 = next - 1;
      this.raster.column(x, y(high), y(0) + 1, area);
      this.raster.column(x, y(high), Math.max(y(low), y(high)) + 1, line);
    }
  }

  private text(text: string, x: number, y: number, most: number): void {
    if (this.texts.length < 400) this.texts.push({ text, x, y, most });
  }

  private words({ span }: Shown): void {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(span.left, RULER, span.right - span.left, this.canvas.clientHeight);
    context.clip();
    context.textBaseline = "middle";
    context.font = "11px system-ui, sans-serif";
    for (const { text, x, y, most } of this.texts) {
      const letters = Math.floor(most / 5.6);
      const shown = text.length <= letters ? text : `${text.slice(0, Math.max(0, letters - 1))}…`;
      if (letters < 4) continue;
      context.fillStyle = this.palette.paper;
      context.globalAlpha = 0.75;
      context.fillRect(x - 2, y - 7, context.measureText(shown).width + 4, 14);
      context.globalAlpha = 1;
      context.fillStyle = this.palette.ink;
      context.fillText(shown, x, y + 0.5);
    }
    context.restore();
  }

  private labels(shown: Shown, height: number): void {
    const { context, palette } = this;
    context.textBaseline = "middle";
    context.fillStyle = palette.paper;
    context.fillRect(0, RULER, shown.span.left - 4, height);
    for (const row of shown.rows) {
      const y = RULER + row.top - shown.top;
      if (y + row.height < RULER || y > height) continue;
      if (!row.track) {
        context.fillStyle = palette.shade;
        context.fillRect(0, y, shown.span.left - 4, row.height);
      }
      context.font = row.track ? "12px system-ui, sans-serif" : "600 12px system-ui, sans-serif";
      context.fillStyle = row.track ? palette.quiet : palette.ink;
      this.fitted(labelOf(row, shown.cursor), 8, y + row.height / 2, shown.span.left - 16);
    }
  }

  private fitted(text: string, x: number, y: number, most: number): void {
    let shown = this.fitting.get(text) ?? text;
    while (shown.length > 4 && this.context.measureText(shown).width > most) shown = `${shown.slice(0, -2)}…`;
    if (this.fitting.size > 1000) this.fitting.clear();
    this.fitting.set(text, shown);
    this.context.fillText(shown, x, y);
  }

  private ruler({ span, cursor, chosen }: Shown, height: number): void {
    const { context, palette } = this;
    context.fillStyle = palette.shade;
    context.fillRect(0, 0, this.canvas.clientWidth, RULER);
    const step = roundStep(span.perPixel * 110);
    context.font = "11px system-ui, sans-serif";
    for (let time = Math.ceil(span.from / step) * step; time <= span.to; time += step) {
      const x = Math.round(span.x(time));
      context.fillStyle = palette.line;
      context.fillRect(x, 0, 1, height);
      context.fillStyle = palette.quiet;
      context.fillText(timeText(time, step), x + 4, RULER / 2);
    }
    if (chosen) {
      const [x0, x1] = chosen.map((time) => Math.min(span.right, Math.max(span.left, span.x(time))));
      context.globalAlpha = 0.15;
      context.fillStyle = palette.ink;
      context.fillRect(x0, 0, Math.max(1, x1 - x0), height);
      context.globalAlpha = 1;
    }
    const at = span.x(cursor);
    if (at < span.left || at > span.right) return;
    context.fillStyle = palette.ink;
    context.fillRect(Math.round(at), 0, 1, height);
  }

  // From the chosen packet or PPDU along its segments: packet, PPDUs, acknowledgement.
  private arrows(shown: Shown): void {
    const { model, hit } = shown;
    if (!hit || (hit.track.kind !== "ppdus" && hit.track.kind !== "packets")) return;
    for (const segment of model.segments.of(hit.track.kind, hit.track.first + hit.row).slice(0, ARROWS_MOST)) {
      const { packets, ppdus, acked } = model.segments.path(segment);
      const path = [
        ...packets.map((row) => hitOf(model, "packets", row)),
        ...ppdus.map((row) => hitOf(model, "ppdus", row)),
        acked >= 0 ? hitOf(model, "ppdus", acked) : undefined,
      ].filter((one) => one !== undefined);
      for (let n = 1; n < path.length; n++) this.arrow(shown, path[n - 1], path[n]);
    }
  }

  private arrow(shown: Shown, from: Hit, to: Hit): void {
    const points = [from, to].map(({ track, row }) => {
      const own = shown.rows.find((one) => one.track === track);
      return own && { x: shown.span.x(track.start[row]), y: RULER + own.top - shown.top + own.height / 2 };
    });
    const [a, b] = points;
    if (!a || !b) return;
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(shown.span.left, RULER, shown.span.right - shown.span.left, this.canvas.clientHeight);
    context.clip();
    context.strokeStyle = context.fillStyle = this.palette.ink;
    context.beginPath();
    context.moveTo(a.x, a.y);
    context.bezierCurveTo((a.x + b.x) / 2, a.y, (a.x + b.x) / 2, b.y, b.x, b.y);
    context.stroke();
    context.beginPath();
    context.moveTo(b.x, b.y);
    context.lineTo(b.x - 7, b.y - 4);
    context.lineTo(b.x - 7, b.y + 4);
    context.fill();
    context.restore();
  }
}

function labelOf({ track, text }: Row, cursor: number): string {
  if (track?.kind !== "counter") return text;
  const value = counterAt(track, cursor);
  return `${text}: ${value === undefined ? "-" : shortNumber(value)} ${track.unit}`;
}
