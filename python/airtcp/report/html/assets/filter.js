// The list of runs: rows with all words that are asked for; only those to doubt; only those that something is about.
const runRows = [...document.querySelectorAll("#run-list tbody tr")];
const rowTexts = new Map(runRows.map((row) => [row, row.textContent.toLowerCase()]));
const find = document.getElementById("find");
const doubtful = document.getElementById("doubtful");
const chosen = document.getElementById("chosen");
let chosenRuns = null;

function filterRuns() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of runRows) {
    const text = rowTexts.get(row);
    row.hidden =
      !words.every((word) => text.includes(word)) ||
      (doubtful !== null && doubtful.checked && !row.classList.contains("doubtful")) ||
      (chosenRuns !== null && !chosenRuns.has(row.dataset.run));
    shown += row.hidden ? 0 : 1;
  }
  document.getElementById("count").value = `${shown} of ${runRows.length} shown`;
}

function chooseRuns(names, what) {
  chosenRuns = names;
  chosen.hidden = names === null;
  chosen.textContent = names === null ? "" : `Runs of: ${what.length > 60 ? what.slice(0, 60) + "..." : what} \u00d7`;
  filterRuns();
}

find.addEventListener("input", filterRuns);
doubtful?.addEventListener("change", filterRuns);
chosen.addEventListener("click", () => chooseRuns(null, ""));
for (const button of document.querySelectorAll(".show-runs")) {
  button.addEventListener("click", () => {
    chooseRuns(new Set(button.dataset.runs.split(" ")), button.dataset.what);
    document.getElementById("runs").scrollIntoView();
    chosen.focus({ preventScroll: true });
  });
}
filterRuns();
