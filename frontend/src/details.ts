// What stands below the tracks: the selection, the state at an instant, commands, and the same as tables.

import { lowerBound } from "./columns";
import { element, table } from "./dom";
import { counterAt, field, shortNumber, titleOf, valueText, type Hit, type Model, type Slices } from "./model";
import { lengthText, timeText, type Row, type Span } from "./view";

// Rows of the table of events; more are said to be there.
const ROWS_MOST = 200;
// More boxes than this no Gantt chart takes (`PPDUS_MOST` of python/airtcp/plots/gantt.py).
const GANTT_MOST = 1500;

export function selection(model: Model, hit: Hit): HTMLElement {
  const { track, row } = hit;
  const at = track.start[row];
  const facts: [string, string][] = [["track", `${track.place} ${track.name}`], ["at", timeText(at)]];
  if (track.kind === "marks") {
    facts.push([track.sampled ? "when" : "time", track.sampled ? "in the sampling interval that ends here" : "exact"]);
    if (track.texts.length === 0) facts.push([track.sampled ? "how many" : "sequence number", String(track.values[row])]);
  } else if (track.kind !== "counter") {
    facts.push(["until", timeText(track.end[row])], ["length", lengthText(track.end[row] - at)]);
    for (const one of track.fields) facts.push([one.name, valueText(one, row)]);
    facts.push(...idleBefore(model, track, row), ...segmentsOf(model, track, row));
  }
  const list = element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  return element("div", {}, element("h3", {}, titleOf(hit)), list);
}

// Of a TXOP how long no radio of the run was on the air before it: what the interframe space and the backoff took at most.
function idleBefore(model: Model, track: Slices, row: number): [string, string][] {
  if (track.kind !== "txops") return [];
  const start = track.start[row];
  let busyUntil = model.startNs;
  for (const other of model.tracks) {
    if (other.kind !== "ppdus") continue;
    const before = lowerBound(other.start, start) - 1;
    if (before >= 0) busyUntil = Math.max(busyUntil, other.end[before]);
  }
  return busyUntil <= start ? [["no radio on the air before it for", lengthText(start - busyUntil)]] : [];
}

function segmentsOf(model: Model, track: Slices, row: number): [string, string][] {
  if (track.kind === "txops" || model.segments.count === 0) return [];
  const own = model.segments.of(track.kind, track.first + row);
  return own.length > 0 ? [["TCP segments with data, that it carries or acknowledges", String(own.length)]] : [];
}

// The values of all counters and the states of congestion control that hold at an instant.
export function stateAt(model: Model, time: number): HTMLElement {
  const rows: string[][] = [];
  for (const track of model.tracks) {
    if (track.kind === "counter") {
      const value = counterAt(track, time);
      if (value !== undefined) rows.push([track.place, track.name, `${shortNumber(value)} ${track.unit}`]);
    } else if (track.kind === "marks" && track.texts.length > 0) {
      const place = lowerBound(track.start, time + 0.5) - 1;
      rows.push([track.place, track.name, place < 0 ? track.texts[0] : track.texts[track.values[place]]]);
    }
  }
  return element("div", { class: "scroll" }, table(["where", "what", "value"], rows, `State at ${timeText(time)}`));
}

// Commands that lead from what is shown to a shell at that instant and to a figure for a paper.
export function commands(model: Model, span: Span, time: number): HTMLElement {
  const folder = model.header.folder;
  const [from, to] = [span.from, span.to].map((ns) => `"${(Math.max(0, ns) / 1e9).toFixed(9).replace(/\.?0+$/, "")} s"`);
  const gantt = boxesIn(model, span) <= GANTT_MOST && model.tracks.some((track) => track.kind === "ppdus");
  const lines = [
    `airtcp shell ${folder} --at ${`"${(Math.max(0, time) / 1e9).toFixed(9).replace(/\.?0+$/, "")} s"`}`,
    `airtcp plot ${folder} ${gantt ? "--kind gantt" : "--what throughput,cwnd,srtt,backlog"} --from ${from} --to ${to}`,
  ];
  return element("pre", { class: "command" }, lines.join("\n"));
}

function boxesIn(model: Model, span: Span): number {
  let count = 0;
  for (const track of model.tracks) {
    if (track.kind === "ppdus") count += lowerBound(track.start, span.to) - lowerBound(track.end, span.from);
  }
  return count;
}

// Of a span of time what was on the air: numbers that are those of the run's tables, if it is the whole run.
export function summary(model: Model, from: number, to: number): HTMLElement {
  const rows: string[][] = [];
  for (const track of model.tracks) {
    if (track.kind !== "ppdus") continue;
    const [first, last] = [lowerBound(track.start, from), lowerBound(track.start, to)];
    const kinds = field(track, "kind")!.column;
    let [data, lost, airtime] = [0, 0, 0];
    const outcome = field(track, "outcome")!.column;
    const users = field(track, "users")!.column;
    for (let n = first; n < last; n++) {
      airtime += (track.end[n] - track.start[n]) / users[n];
      if (kinds[n] === 0) data++;
      if (outcome[n] !== 0) lost++;
    }
    const share = `${((airtime / (to - from)) * 100).toFixed(1)} %`;
    rows.push([track.place, String(last - first), String(data), String(lost), lengthText(airtime), share]);
  }
  const caption = `Begun from ${timeText(from)} to ${timeText(to)} (${lengthText(to - from)})`;
  return element("div", { class: "scroll" }, table(["radio", "PPDUs", "with data", "lost", "airtime", "of the time"], rows, caption));
}

// The events that are shown, as a table: the picture in words.
export function events(rows: Row[], span: Span): HTMLElement {
  const found: Hit[] = [];
  let count = 0;
  for (const { track } of rows) {
    if (!track || track.kind === "counter") continue;
    const [first, last] = [lowerBound(track.start, span.from), lowerBound(track.start, span.to)];
    count += last - first;
    for (let row = first; row < Math.min(last, first + ROWS_MOST); row++) found.push({ track, row });
  }
  found.sort((a, b) => a.track.start[a.row] - b.track.start[b.row]);
  const shown = found.slice(0, ROWS_MOST).map((hit) => [timeText(hit.track.start[hit.row]), hit.track.place, titleOf(hit), fieldsText(hit)]);
  const caption = count > shown.length ? `The first ${shown.length} of ${count} events that are shown; zoom in for the others` : `${count} events`;
  return element("div", { class: "scroll events" }, table(["at", "where", "what", "with"], shown, caption));
}

function fieldsText({ track, row }: Hit): string {
  if (track.kind === "marks" || track.kind === "counter") return "";
  return track.fields.map((one) => `${one.name} ${valueText(one, row)}`).join(", ");
}

// What the run did not record, and what a scenario says to have it.
export function lacking(model: Model): HTMLElement | "" {
  const list = model.header.lacking as { what: string; setting: string }[];
  if (list.length === 0) return "";
  const items = list.map(({ what, setting }) => element("li", {}, what, ...(setting ? [": ", element("code", {}, setting)] : [])));
  return element("details", { class: "lacking" }, element("summary", {}, `Not recorded: ${list.length}`), element("ul", {}, ...items));
}
