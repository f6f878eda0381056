// The tracks of a run: slices (PPDUs, TXOPs, packets), marks and counters, each a few columns.

import { lowerBound, type Column, type Packed } from "./columns";

export interface Field {
  name: string;
  column: Column;
  texts?: string[];
  unit?: string;
}

interface Of {
  place: string;
  group: string;
  name: string;
}

export interface Slices extends Of {
  kind: "ppdus" | "txops" | "packets";
  start: Column;
  end: Float64Array;
  fields: Field[];
  // Number of the first row among all rows of PPDUs or packets, by which segments name them.
  first: number;
  // Sums before each row: time of data, time of all, number of lost ones.
  data: Float64Array;
  all: Float64Array;
  lost: Uint32Array;
  // Of packets: the ends in their order, and the lane of each.
  ends?: Float64Array;
  lane?: Column;
  lanes: number;
}

export interface Marks extends Of {
  kind: "marks";
  start: Column;
  values: Column;
  texts: string[];
  sampled: boolean;
  bad: boolean;
}

export interface Counter extends Of {
  kind: "counter";
  unit: string;
  // Of a link its radios, by their numbers.
  ends?: [number, number];
  start: Column;
  values: Float64Array;
  least: number;
  most: number;
}

export type Track = Slices | Marks | Counter;

export interface Hit {
  track: Track;
  row: number;
}

export interface Model {
  header: any;
  tracks: Track[];
  startNs: number;
  endNs: number;
  segments: Segments;
}

export function modelOf(packed: Packed): Model {
  const { header } = packed;
  const tracks = (header.tracks as any[]).map((track) => trackOf(track, packed));
  return { header, tracks, startNs: header.start_ns, endNs: header.end_ns, segments: new Segments(packed) };
}

function trackOf(track: any, packed: Packed): Track {
  const start = packed.column(track.start);
  if (track.kind === "counter") {
    // Of one type, whatever it is packed as: so the loop over all of them is fast.
    const values = Float64Array.from(packed.column(track.values));
    let [least, most] = [0, 0];
    for (const value of values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return { ...track, start, values, least, most };
  }
  if (track.kind === "marks") return { ...track, start, values: packed.column(track.values) };
  const fields: Field[] = track.fields.map((one: any) => ({ ...one, column: packed.column(one.column) }));
  const length = packed.column(track.length);
  const end = new Float64Array(start.length);
  for (let n = 0; n < end.length; n++) end[n] = start[n] + length[n];
  const slices: Slices = { ...track, start, end, fields, ...sums(fields, length, start.length), lanes: track.lanes ?? 1 };
  if (track.kind === "packets") {
    slices.ends = Float64Array.from(end).sort();
    slices.lane = packed.column(track.lane);
  }
  return slices;
}

function sums(fields: Field[], length: Column, count: number) {
  const kind = fields.find((one) => one.name === "kind")?.column;
  const outcome = fields.find((one) => one.name === "outcome")?.column;
  const users = fields.find((one) => one.name === "users")?.column;
  const [data, all, lost] = [new Float64Array(count + 1), new Float64Array(count + 1), new Uint32Array(count + 1)];
  for (let n = 0; n < count; n++) {
    // Users of one PPDU are on the air together.
    const time = length[n] / (users ? users[n] : 1);
    data[n + 1] = data[n] + (kind && kind[n] !== 0 ? 0 : time);
    all[n + 1] = all[n] + time;
    lost[n + 1] = lost[n] + (outcome && outcome[n] !== 0 ? 1 : 0);
  }
  return { data, all, lost };
}

export function field(track: Slices, name: string): Field | undefined {
  return track.fields.find((one) => one.name === name);
}

export function valueText(one: Field, row: number): string {
  const value = one.column[row];
  if (one.texts) return one.texts[value] || "-";
  return `${value.toLocaleString("en")}${one.unit ? ` ${one.unit}` : ""}`;
}

// What a row is called.
export function titleOf({ track, row }: Hit): string {
  if (track.kind === "counter") return `${track.name} ${shortNumber(track.values[row])} ${track.unit}`;
  if (track.kind === "marks") return track.texts.length > 0 ? `${track.name}: ${track.texts[track.values[row]]}` : track.name;
  const [kind, outcome] = [field(track, "kind"), field(track, "outcome")];
  const lost = outcome && outcome.column[row] !== 0 ? `, ${valueText(outcome, row)}` : "";
  return `${kind ? valueText(kind, row) : track.name}${lost}`;
}

export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}

// The value of a counter at an instant; `undefined` before its first one.
export function counterAt(track: Counter, time: number): number | undefined {
  const place = lowerBound(track.start, time + 0.5) - 1;
  return place < 0 ? undefined : track.values[place];
}

// Which PPDUs carried a segment, which packet it is, and which PPDU acknowledged it, by rows of all tracks.
export class Segments {
  private readonly segment: Column;
  private readonly ppdu: Column;
  private readonly packet: Column;
  private readonly acked: Column;

  constructor(packed: Packed) {
    const of = packed.header.segments ?? {};
    this.segment = packed.column(of.segment);
    this.ppdu = packed.column(of.ppdu);
    this.packet = packed.column(of.packet);
    this.acked = packed.column(of.acked_by);
  }

  get count(): number {
    return this.acked.length;
  }

  // Segments of a PPDU or a packet; 0 in a column is none, so rows count from 1 there.
  of(kind: "ppdus" | "packets", row: number): number[] {
    const found = new Set<number>();
    const column = kind === "ppdus" ? this.ppdu : this.packet;
    for (let n = 0; n < column.length; n++) if (column[n] === row + 1) found.add(this.segment[n]);
    if (kind === "ppdus") for (let n = 0; n < this.acked.length; n++) if (this.acked[n] === row + 1) found.add(n);
    return [...found];
  }

  path(segment: number): { packets: number[]; ppdus: number[]; acked: number } {
    const packets = new Set<number>();
    const ppdus: number[] = [];
    for (let n = 0; n < this.segment.length; n++) {
      if (this.segment[n] !== segment) continue;
      ppdus.push(this.ppdu[n] - 1);
      if (this.packet[n] > 0) packets.add(this.packet[n] - 1);
    }
    return { packets: [...packets], ppdus, acked: this.acked[segment] - 1 };
  }
}

// The row of a track for its number among all rows of its kind.
export function hitOf(model: Model, kind: "ppdus" | "packets", number: number): Hit | undefined {
  for (const track of model.tracks) {
    if (track.kind === kind && number >= track.first && number < track.first + track.start.length) {
      return { track, row: number - track.first };
    }
  }
  return undefined;
}
