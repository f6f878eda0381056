// The span of time that is shown, and the rows of tracks from the top.

import type { Model, Track } from "./model";

// The least that is shown: a slot of 9 us takes the whole screen then.
const LEAST_NS = 5_000;

export class Span {
  from: number;
  to: number;

  constructor(private readonly model: Model, public left: number, public right: number) {
    [this.from, this.to] = [model.startNs, model.endNs];
  }

  get perPixel(): number {
    return (this.to - this.from) / Math.max(1, this.right - this.left);
  }

  x(time: number): number {
    return this.left + (time - this.from) / this.perPixel;
  }

  time(x: number): number {
    return this.from + (x - this.left) * this.perPixel;
  }

  all(): void {
    this.show(this.model.startNs, this.model.endNs);
  }

  show(from: number, to: number): void {
    const whole = this.model.endNs - this.model.startNs;
    const length = Math.min(whole, Math.max(LEAST_NS, to - from));
    const middle = (from + to) / 2;
    this.from = Math.min(this.model.endNs - length, Math.max(this.model.startNs, middle - length / 2));
    this.to = this.from + length;
  }

  // Around an instant that stays where it is; factors over 1 show less.
  zoom(factor: number, at: number): void {
    const share = (at - this.from) / (this.to - this.from);
    const whole = this.model.endNs - this.model.startNs;
    const length = Math.min(whole, Math.max(LEAST_NS, (this.to - this.from) / factor));
    this.show(at - share * length, at + (1 - share) * length);
  }

  pan(ns: number): void {
    this.show(this.from + ns, this.to + ns);
  }
}

export interface Row {
  top: number;
  height: number;
  // A heading has no track.
  track?: Track;
  text: string;
}

const HEIGHTS = { ppdus: 38, txops: 16, packets: 48, marks: 16, counter: 30 };

// Rows from the top: a heading for flows, for each node with radios, for links and for queues; below it what is there.
export function rowsOf(tracks: Track[], filter: string): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: Row[] = [];
  let top = 0;
  let group: string | undefined;
  for (const track of tracks) {
    const text = `${track.place} ${track.name}`;
    if (!words.every((word) => `${track.group} ${text}`.toLowerCase().includes(word))) continue;
    if (track.group !== group) {
      rows.push({ top, height: 22, text: track.group });
      top += 22;
      group = track.group;
    }
    const height = HEIGHTS[track.kind];
    rows.push({ top, height, track, text });
    top += height + 3;
  }
  return rows;
}

const STEPS = [1, 2, 5];

// A round time for about this many steps.
export function roundStep(ns: number): number {
  const power = 10 ** Math.floor(Math.log10(ns));
  return (STEPS.find((step) => step * power >= ns) ?? 10) * power;
}

// A time with as many decimals as a step needs.
export function timeText(ns: number, stepNs = 1): string {
  const decimals = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(stepNs))));
  return `${(ns / 1e9).toFixed(decimals)} s`;
}

export function lengthText(ns: number): string {
  const [unit, size] = ([["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]] as const).find(([, size]) => ns >= size) ?? ["ns", 1];
  return `${Number((ns / size).toPrecision(4))} ${unit}`;
}
