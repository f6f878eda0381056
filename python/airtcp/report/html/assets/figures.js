// A figure fills the window: the wheel zooms at the pointer, dragging moves, Escape closes. Only its view box changes.
const figureDialog = document.getElementById("figure");
const stage = figureDialog.querySelector(".stage");
let enlarged = null;

function viewBox() {
  const [x, y, width, height] = enlarged.svg.getAttribute("viewBox").split(" ").map(Number);
  return { x, y, width, height };
}

function show(box) {
  enlarged.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
}

// Where a point of the screen lies in the figure.
function inFigure(clientX, clientY) {
  return new DOMPoint(clientX, clientY).matrixTransform(enlarged.svg.getScreenCTM().inverse());
}

function zoom(factor, at) {
  const box = viewBox();
  const width = Math.min(enlarged.all.width, Math.max(enlarged.all.width / 50, box.width / factor));
  const scale = width / box.width;
  show({ x: at.x - (at.x - box.x) * scale, y: at.y - (at.y - box.y) * scale, width, height: box.height * scale });
}

function zoomAtCentre(factor) {
  const box = viewBox();
  if (factor === 0) show(enlarged.all);
  else zoom(factor, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
}

function enlarge(button) {
  const svg = button.querySelector("svg");
  enlarged = { svg, button };
  enlarged.all = viewBox();
  stage.replaceChildren(svg);
  figureDialog.showModal();
}

stage.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.25 : 0.8, inFigure(event.clientX, event.clientY));
}, { passive: false });
stage.addEventListener("pointermove", (event) => {
  if (!(event.buttons & 1)) return;
  const before = inFigure(event.clientX - event.movementX, event.clientY - event.movementY);
  const now = inFigure(event.clientX, event.clientY);
  const box = viewBox();
  show({ ...box, x: box.x + before.x - now.x, y: box.y + before.y - now.y });
});
stage.addEventListener("pointerdown", (event) => stage.setPointerCapture(event.pointerId));
figureDialog.addEventListener("keydown", (event) => {
  const factor = { "+": 1.25, "=": 1.25, "-": 0.8, "0": 0 }[event.key];
  if (factor !== undefined) zoomAtCentre(factor);
});
figureDialog.addEventListener("close", () => {
  show(enlarged.all);
  enlarged.button.append(enlarged.svg);
  enlarged.button.focus({ preventScroll: true });
});
for (const button of figureDialog.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => zoomAtCentre(Number(button.dataset.zoom)));
}
for (const button of document.querySelectorAll(".enlarge")) {
  button.addEventListener("click", () => enlarge(button));
}
for (const button of document.querySelectorAll("dialog .close")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
