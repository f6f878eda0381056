// What Python packed (`python/airtcp/report/html/timeline_columns.py`): a header in JSON, and columns of numbers behind it.

export type Column = Float64Array | Uint8Array | Uint16Array | Uint32Array;

// Where a column is: type, place in bytes, number of values; of sorted numbers (`d32`) also the first one.
type Place = [type: string, at: number, count: number, first?: number];

export interface Packed {
  header: any;
  column(place: Place | null | undefined): Column;
}

const TYPES: Record<string, { new (buffer: ArrayBuffer, at: number, count: number): Column }> = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f64: Float64Array,
};

export async function unpack(text: string): Promise<Packed> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let n = 0; n < bytes.length; n++) bytes[n] = binary.charCodeAt(n);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const base = 8 + Math.ceil(length / 8) * 8;
  return { header, column: (place) => (place ? columnAt(buffer, base, place) : new Float64Array(0)) };
}

function columnAt(buffer: ArrayBuffer, base: number, [type, at, count, first]: Place): Column {
  if (type !== "d32") return new TYPES[type](buffer, base + at, count);
  const steps = new Uint32Array(buffer, base + at, count);
  const values = new Float64Array(count);
  let sum = first ?? 0;
  for (let n = 0; n < count; n++) values[n] = sum += steps[n];
  return values;
}

// The first place in a sorted column, from one place on, whose value is at least this.
export function lowerBound(column: Column, value: number, from = 0, to = column.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The same, where the place is not far behind `from`: it is looked for in steps that double.
export function lowerBoundNear(column: Column, value: number, from: number, to: number): number {
  let step = 1;
  let low = from;
  while (low + step < to && column[low + step] < value) {
    low += step;
    step *= 2;
  }
  return lowerBound(column, value, low, Math.min(to, low + step + 1));
}
