// The panels of a run on one clock: dragging chooses a span of time in all of them, a double click shows everything.
const settings = JSON.parse(document.getElementById("settings").textContent);
let drawn = [];

// What holds between two values: the later one ("since" the earlier), the earlier one ("until" the later), or neither.
const PATHS = { since: uPlot.paths.stepped({ align: -1 }), until: uPlot.paths.stepped({ align: 1 }) };

function seriesOf(lines) {
  let colour = -1;
  return lines.map((line) => {
    colour += line.dashed ? 0 : 1;
    const stroke = settings.colours[Math.max(0, colour) % settings.colours.length];
    const value = (plot, y) => (y === null || y === undefined ? "-" : String(Number(y.toPrecision(4))));
    const look = line.points
      ? { paths: () => null, points: { show: true, size: 4, fill: stroke } }
      : { paths: PATHS[line.join], points: { show: false }, dash: line.dashed ? [6, 4] : undefined };
    return { label: line.label, stroke, width: 1.3, value, spanGaps: false, ...look };
  });
}

function optionsOf(panel, endS, width) {
  const axis = { stroke: "#5a6875", grid: { stroke: "#e6ebef", width: 1 }, ticks: { stroke: "#d9e0e6", width: 1 } };
  const font = "12px system-ui, sans-serif";
  return {
    width,
    height: 180,
    cursor: { sync: { key: "run" }, drag: { x: true, y: false }, points: { size: 6 } },
    legend: { show: panel.lines.length <= settings.legendMost },
    scales: { x: { time: false, range: (plot, from, to) => [from, to] }, y: { range: (plot, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, font, size: 28, values: (plot, ticks) => ticks.map((tick) => `${Number(tick.toFixed(6))} s`) },
      { ...axis, font, label: panel.label, labelFont: font, labelSize: 22, labelGap: 2, size: 56 },
    ],
    series: [{ label: "time", value: (plot, x) => (x === null ? "-" : `${x.toFixed(3)} s`) }, ...seriesOf(panel.lines)],
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

function drawCharts(place, series) {
  drawn.forEach((plot) => plot.destroy());
  drawn = [];
  const times = series.times.map((column) => fromDifferences(column, 1e-6));
  for (const panel of series.panels) {
    const box = place.appendChild(document.createElement("div"));
    const tables = linesOf(panel, times);
    // Where another line has a sample and this has none stands undefined, which is drawn over; null makes a gap.
    const data = uPlot.join(tables);
    const plot = new uPlot(optionsOf(panel, series.end_s, place.clientWidth), data, box);
    plot.over.addEventListener("dblclick", () => plot.setScale("x", { min: 0, max: series.end_s }));
    drawn.push(plot);
  }
  if (drawn.length > 0) drawn[0].setScale("x", { min: 0, max: series.end_s });
}

addEventListener("resize", () => {
  for (const plot of drawn) plot.setSize({ width: plot.root.parentElement.clientWidth, height: plot.height });
});
