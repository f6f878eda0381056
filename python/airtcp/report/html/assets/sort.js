// Tables of class "sortable": a click on a header sorts by its column, another one turns the order round.
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(?=$|[\s%*±])/i;

function cellText(row, column) {
  return row.cells[column].textContent.trim();
}

// Numbers where every cell that has something is one; "-" and nothing stand last in either order.
function sortRows(table, column, sign) {
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [cellText(row, column), row]);
  const filled = keyed.filter(([text]) => text !== "" && text !== "-");
  const empty = keyed.filter(([text]) => text === "" || text === "-");
  const numeric = filled.every(([text]) => NUMBER.test(text));
  const compare = numeric
    ? (a, b) => parseFloat(a[0]) - parseFloat(b[0])
    : (a, b) => a[0].localeCompare(b[0], "en", { numeric: true });
  filled.sort((a, b) => sign * compare(a, b));
  body.append(...[...filled, ...empty].map(([, row]) => row));
}

function makeSortable(table) {
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortRows(table, column, down ? -1 : 1);
    });
  });
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
