// Small pictures of lines over time, from the columns that Python packed (`python/airtcp/report/html/columns.py`).

export interface Line {
  label: string;
  x: number;
  y: (number | null)[];
  decimals: number;
  look?: number;
  join?: string;
  points?: boolean;
}

export interface Lines {
  end_s: number;
  times: number[][];
  panels: { label: string; stacked: boolean; lines: Line[] }[];
}

const SVG = "http://www.w3.org/2000/svg";

// Differences from the value before, back to values; `null` stays.
function whole(column: (number | null)[], unit: number): (number | null)[] {
  let value = 0;
  return column.map((difference) => (difference === null ? null : (value += difference) * unit));
}

export function panelOf(lines: Lines, label: string): Lines["panels"][number] | undefined {
  return lines.panels.find((panel) => panel.label === label);
}

// The largest value of a panel.
export function mostOf(lines: Lines, label: string): number {
  let most = 0;
  for (const line of panelOf(lines, label)?.lines ?? []) {
    for (const value of whole(line.y, 10 ** -line.decimals)) most = Math.max(most, value ?? 0);
  }
  return most;
}

function svg(name: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A panel as a picture of this size; from 0 to `most`, so that pictures can be compared.
export function picture(lines: Lines, label: string, most: number, size: [number, number], colours: string[]): SVGElement {
  const [width, height] = size;
  const box = svg("svg", { viewBox: `0 0 ${width} ${height}`, width: String(width), height: String(height), role: "img", "aria-label": label });
  const panel = panelOf(lines, label);
  panel?.lines.forEach((line, n) => {
    const times = whole(lines.times[line.x], 1e-6 / (lines.end_s || 1));
    const values = whole(line.y, 10 ** -line.decimals);
    const path = pathOf(times as number[], values, [width, height], most || 1, line.points ? "points" : line.join);
    const colour = colours[(line.look ?? n) % colours.length];
    const strokeWidth = line.points ? "2" : "1.2";
    box.append(svg("path", { d: path, fill: "none", stroke: colour, "stroke-width": strokeWidth, "stroke-linejoin": "round", "stroke-linecap": "round" }));
  });
  return box;
}

function pathOf(times: number[], values: (number | null)[], [width, height]: [number, number], most: number, join?: string): string {
  let path = "";
  let open = false;
  times.forEach((time, n) => {
    const value = values[n];
    if (value === null) {
      open = false;
      return;
    }
    const x = (time * width).toFixed(1);
    const y = (height - 1 - (Math.max(0, value) / most) * (height - 2)).toFixed(1);
    // What holds between two values (`Join` of python/airtcp/quantities/line.py).
    if (join === "points") path += `M${x} ${y}h0`;
    else if (!open) path += `M${x} ${y}`;
    else if (join === "since") path += `V${y}H${x}`;
    else path += join === "until" ? `H${x}V${y}` : `L${x} ${y}`;
    open = true;
  });
  return path;
}
