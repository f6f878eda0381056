// The details of a run, at the address #run-NUMBER.
const runDialog = document.getElementById("run");
const runContent = runDialog.querySelector(".content");
const runHeaders = [...document.querySelectorAll("#run-list thead th")].map((header) => header.textContent);

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text !== "") made.textContent = text;
  made.append(...children);
  return made;
}

function pairs(list) {
  return element("dl", "", ...list.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
}

function facts(list) {
  const made = element("dl", "", ...list.map(([name, value]) => element("div", "", element("dt", name), element("dd", value))));
  made.className = "facts";
  return made;
}

function tableElement(table) {
  const made = document.createElement("table");
  made.className = "sortable";
  const isLeft = table.columns.map((column, n) => n === 0 || table.left.includes(column));
  const cells = (name, row) => row.map((text, n) => {
    const cell = element(name, text);
    cell.classList.toggle("left", isLeft[n]);
    cell.classList.toggle("wrap", isLeft[n] && text.length > settings.wrapFrom);
    cell.classList.toggle("doubt", name === "td" && /^no:/i.test(text));
    return cell;
  });
  made.createTHead().append(element("tr", "", ...cells("th", table.columns)));
  made.createTBody().append(...table.rows.map((row) => element("tr", "", ...cells("td", row))));
  makeSortable(made);
  const scroll = element("div", "", made);
  scroll.className = "scroll";
  return [element("h3", table.title), scroll];
}

function warningsElement(warnings) {
  const box = element("div", "", element("ul", "", ...warnings.map((text) => element("li", text))));
  box.className = "warnings";
  return box;
}

// An SVG that airtcp drew; text of scenarios in it is escaped.
function mapElement(svg) {
  const made = element("div", "");
  made.className = "map";
  made.append(document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  return made;
}

// Kept until the next one: whoever saves may read it late.
let saved = "";

function savePlan(name, text) {
  URL.revokeObjectURL(saved);
  saved = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = saved;
  link.download = name;
  link.click();
}

// JSON with a line for each value; only the white space changes, so numbers of any length stay as they are.
function indented(text) {
  let depth = 0;
  const line = () => `\n${" ".repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+/g, (token) => {
    if (token === "{" || token === "[") return (depth += 1), token + line();
    if (token === "}" || token === "]") return (depth -= 1), line() + token;
    if (token === ",") return token + line();
    if (token === ":") return ": ";
    return /^\s/.test(token) ? "" : token;
  });
}

function repeatElements(run) {
  const save = element("button", "Save the plan");
  save.type = "button";
  save.addEventListener("click", () => savePlan(`${run.name}.json`, run.plan));
  const plan = element("details", "", element("summary", "The plan: every value of the scenario"), element("pre", indented(run.plan)));
  return [element("h3", "Repeat this run"), element("pre", run.commands.join("\n")), element("p", run.same), save, plan];
}

function timelineElements(run) {
  if (!run.timeline) return [];
  const place = element("div", "");
  place.className = "timeline";
  return [element("h3", "Timeline"), place];
}

function fillRun(row, run) {
  document.getElementById("run-title").textContent = `${run.title}`;
  const cells = [...row.cells].map((cell, n) => [runHeaders[n], cell.textContent]);
  const charts = document.createElement("div");
  charts.className = "charts";
  const hint = element("p", run.hint);
  hint.className = "quiet";
  const doubts = [...run.doubts, ...run.warnings];
  runContent.replaceChildren(
    ...(doubts.length > 0 ? [warningsElement(doubts)] : []),
    facts(cells),
    ...(run.map ? [element("h3", "Floor plan"), mapElement(run.map)] : []),
    ...(run.series.panels.length > 0 ? [element("h3", "Over time"), hint, charts] : []),
    ...timelineElements(run),
    ...run.tables.flatMap(tableElement),
    ...repeatElements(run),
    element("h3", "Provenance"),
    pairs(run.manifest),
  );
  drawCharts(charts, run.series);
  for (const place of runContent.querySelectorAll(".timeline")) airtcpTimeline.mount(place, run.timeline);
  runContent.scrollTop = runDialog.scrollTop = 0;
}

async function openRun() {
  const number = /^#run-(\d+)$/.exec(location.hash)?.[1];
  const row = number && document.querySelector(`#run-list tr[data-run="${number}"]`);
  if (!row) {
    if (runDialog.open) runDialog.close();
    return;
  }
  const run = await unpack(document.getElementById(`details-${number}`).textContent);
  if (!runDialog.open) runDialog.showModal();
  fillRun(row, run);
  runDialog.dataset.shown = number;
}

// The run before or after this one in the list as it is sorted and filtered now.
function step(by) {
  const rows = [...document.querySelectorAll("#run-list tbody tr")].filter((row) => !row.hidden);
  const at = rows.findIndex((row) => row.dataset.run === runDialog.dataset.shown);
  const next = rows[at + by];
  if (next) location.replace(`#run-${next.dataset.run}`);
}

document.getElementById("before").addEventListener("click", () => step(-1));
document.getElementById("next").addEventListener("click", () => step(1));
runDialog.addEventListener("close", () => {
  history.replaceState(null, "", "#runs");
  const row = document.querySelector(`#run-list tr[data-run="${runDialog.dataset.shown}"]`);
  row?.querySelector("a").focus();
});
addEventListener("hashchange", openRun);
openRun();
