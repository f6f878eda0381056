// The panels of a run on one clock: dragging chooses a span of time in all of them, a double click shows everything.
const settings = JSON.parse(document.getElementById("settings").textContent);
let drawn = [];

// What holds between two values: the later one ("since" the earlier), the earlier one ("until" the later), or neither.
const PATHS = { since: uPlot.paths.stepped({ align: -1 }), until: uPlot.paths.stepped({ align: 1 }) };
// When colours begin anew, lines are told apart by these.
const DASHES = [undefined, [2, 3], [10, 3], [10, 3, 2, 3]];
const COMPANION = [6, 4];
// With more lines than these there is a field that filters them.
const FILTERED_FROM = 6;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function shortest(y) {
  return y === null || y === undefined ? "-" : String(Number(y.toPrecision(4)));
}

function lookOf(line, number) {
  const own = settings.colours[number % settings.colours.length];
  // Black is the text's colour, also where the page is dark.
  const stroke = own === "#000000" ? colour("--ink") : own;
  const dash = line.dashed ? COMPANION : DASHES[Math.floor(number / settings.colours.length) % DASHES.length];
  return line.points
    ? { stroke, paths: () => null, points: { show: true, size: 4, fill: stroke } }
    : { stroke, paths: PATHS[line.join], points: { show: false }, dash };
}

function seriesOf(lines) {
  const value = (plot, y) => shortest(y);
  return lines.map((line) => ({ label: line.label, width: 1.3, value, spanGaps: false, ...lookOf(line, line.look) }));
}

// Areas from the bottom up: the line of each is the sum of those below it and its own, the legend has its own value.
function stackedSeriesOf(lines, own) {
  return lines.map((line, n) => {
    const last = n === lines.length - 1;
    const stroke = last ? colour("--line") : settings.areas[n % settings.areas.length];
    const value = (plot, y, series, index) => (index === null ? "-" : shortest(own[n][index]));
    return { label: line.label, width: 0.5, value, stroke, fill: last ? colour("--shade") : stroke, paths: PATHS[line.join], points: { show: false } };
  });
}

function sums(columns) {
  let below = columns[0].map(() => 0);
  return columns.map((column) => (below = column.map((value, n) => below[n] + (value ?? 0))));
}

// The name of the line nearest to the pointer, beside it.
function nameAtPointer() {
  const label = document.createElement("div");
  label.className = "line-name";
  return {
    hooks: {
      init: [(plot) => plot.over.append(label)],
      setSeries: [
        (plot, number) => {
          label.textContent = number === null || number === 0 ? "" : plot.series[number].label;
        },
      ],
      setCursor: [
        (plot) => {
          const { left, top } = plot.cursor;
          label.hidden = left < 0 || label.textContent === "";
          const right = left > plot.over.clientWidth / 2;
          label.style.transform = `translate(${left}px, ${top}px) translate(${right ? "calc(-100% - 10px)" : "10px"}, -50%)`;
        },
      ],
    },
  };
}

function filterOf(plot, panel) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = `Filter ${panel.lines.length} lines`;
  field.setAttribute("aria-label", `Lines of ${panel.label} whose names have these words`);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    plot.batch(() => {
      panel.lines.forEach((line, n) => {
        const name = line.label.toLowerCase();
        plot.setSeries(n + 1, { show: words.every((word) => name.includes(word)) });
      });
    });
  });
  return field;
}

function optionsOf(panel, endS, width, series) {
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  const font = "12px system-ui, sans-serif";
  return {
    width,
    height: 180,
    cursor: { sync: { key: "run" }, drag: { x: true, y: false }, points: { size: 6 }, focus: { prox: 24 } },
    focus: { alpha: panel.lines.length > 1 && !panel.stacked ? 0.35 : 1 },
    legend: { markers: { width: 3 } },
    scales: { x: { time: false, range: (plot, from, to) => [from, to] }, y: { range: (plot, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, font, size: 28, space: 70, values: (plot, ticks) => ticks.map((tick) => `${Number(tick.toFixed(6))} s`) },
      { ...axis, font, label: panel.label, labelFont: font, labelSize: 22, labelGap: 2, size: 56 },
    ],
    series: [{ label: "at", value: (plot, x) => (x === null ? "-" : `${x.toFixed(3)} s`) }, ...series],
    plugins: [nameAtPointer()],
    hooks: {
      setScale: [
        (plot, key) => {
          if (key !== "x") return;
          const { min, max } = plot.scales.x;
          for (const other of drawn) {
            if (other !== plot && (other.scales.x.min !== min || other.scales.x.max !== max)) other.setScale("x", { min, max });
          }
        },
      ],
    },
  };
}

function drawPanel(box, panel, times, endS, width) {
  // Where another line has a sample and this has none stands undefined, which is drawn over; null makes a gap.
  const data = uPlot.join(linesOf(panel, times));
  if (!panel.stacked) return new uPlot(optionsOf(panel, endS, width, seriesOf(panel.lines)), data, box);
  const own = data.slice(1);
  const order = stackedSeriesOf(panel.lines, own).reverse();
  // From the top down, so that each area covers what is above it.
  const turned = { ...panel, lines: [...panel.lines].reverse() };
  const options = optionsOf(turned, endS, width, order);
  options.scales.y = { range: () => [0, 105] };
  return new uPlot(options, [data[0], ...sums(own).reverse()], box);
}

function drawCharts(place, series) {
  drawn.forEach((plot) => plot.destroy());
  drawn = [];
  const times = series.times.map((column) => fromDifferences(column, 1e-6));
  for (const panel of series.panels) {
    const box = place.appendChild(document.createElement("div"));
    const plot = drawPanel(box, panel, times, series.end_s, place.clientWidth);
    plot.over.addEventListener("dblclick", () => plot.setScale("x", { min: 0, max: series.end_s }));
    if (!panel.stacked && panel.lines.length > FILTERED_FROM) box.append(filterOf(plot, panel));
    drawn.push(plot);
  }
  if (drawn.length > 0) drawn[0].setScale("x", { min: 0, max: series.end_s });
}

addEventListener("resize", () => {
  for (const plot of drawn) plot.setSize({ width: plot.root.parentElement.clientWidth, height: plot.height });
});
