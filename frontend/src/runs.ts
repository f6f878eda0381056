// The rows of a table of runs: which are shown, in which order, and with which columns; as `airtcp store ls` does it.

export type Cell = string | number | boolean | null;

export interface Runs {
  columns: string[];
  rows: Cell[][];
  texts: string[][];
  values: string[];
}

export interface Chosen {
  // A pattern with * and ?, for the whole name.
  name: string;
  // NAME=VALUE,NAME=VALUE
  where: string;
  // A column; with "-" before it the largest first.
  sort: string;
  pins: string[];
}

// What identifies a run, whether it varies or not.
const FIRST = ["run", "name", "seed"];

// `fnmatch` of Python: * is anything, ? one character, [abc] and [!abc] one of these or none of these.
export function pattern(words: string): RegExp {
  const parts = words.match(/\[!?\]?[^\]]*\]|[\s\S]/gu) ?? [];
  const made = parts.map((part) => {
    if (part === "*") return "[\\s\\S]*";
    if (part === "?") return "[\\s\\S]";
    if (part.length > 2 && part.startsWith("[") && part.endsWith("]")) {
      const none = part[1] === "!";
      const inner = part.slice(none ? 2 : 1, -1).replace(/[\\\]\[^]/g, "\\$&");
      return `[${none ? "^" : ""}${inner}]`;
    }
    return part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
  return new RegExp(`^(?:${made.join("")})$`, "u");
}

export class WrongWords extends Error {}

function levels(words: string, columns: string[]): [number, string][] {
  return words
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean)
    .map((word) => {
      const [name, ...rest] = word.split("=").map((part) => part.trim());
      const value = rest.join("=");
      if (!name || !value) throw new WrongWords(`"${word}" is not NAME=VALUE`);
      return [placeOf(name, columns), value];
    });
}

function placeOf(name: string, columns: string[]): number {
  const place = columns.indexOf(name);
  if (place < 0) throw new WrongWords(`there is no column "${name}"`);
  return place;
}

// Numbers of the rows from the top: pinned ones first, both in the order asked for.
export function order(runs: Runs, chosen: Chosen): number[] {
  const { columns, rows, texts } = runs;
  const wanted = levels(chosen.where, columns);
  const named = pattern(chosen.name || "*");
  const name = columns.indexOf("name");
  let shown = rows.map((_, n) => n).filter((n) => named.test(String(rows[n][name])) && wanted.every(([place, value]) => texts[n][place] === value));
  if (chosen.sort) shown = sorted(runs, shown, placeOf(chosen.sort.replace(/^-/, ""), columns), chosen.sort.startsWith("-"));
  const isPinned = (n: number) => chosen.pins.includes(texts[n][0]);
  // A pinned run stays in view, whatever is looked for.
  const pinned = rows.map((_, n) => n).filter(isPinned);
  const inOrder = [...shown.filter(isPinned), ...pinned.filter((n) => !shown.includes(n))];
  return [...inOrder, ...shown.filter((n) => !isPinned(n))];
}

// By one column; runs that lack it are last either way.
function sorted({ rows }: Runs, shown: number[], place: number, largestFirst: boolean): number[] {
  const known = shown.filter((n) => rows[n][place] !== null);
  const numeric = known.every((n) => typeof rows[n][place] !== "string");
  const key = (n: number) => (numeric ? Number(rows[n][place]) : String(rows[n][place]));
  const by = largestFirst ? -1 : 1;
  known.sort((a, b) => (key(a) < key(b) ? -by : key(a) > key(b) ? by : 0));
  return [...known, ...shown.filter((n) => rows[n][place] === null)];
}

// Places of the columns that are shown: what is the same in all these rows says nothing.
export function varying(runs: Runs, shown: number[], chosen: Chosen): number[] {
  const keep = new Set([...FIRST, ...runs.values, chosen.sort.replace(/^-/, ""), ...chosen.where.split(",").map((word) => word.split("=")[0].trim())]);
  return runs.columns.map((_, place) => place).filter((place) => keep.has(runs.columns[place]) || new Set(shown.map((n) => runs.texts[n][place])).size > 1);
}
