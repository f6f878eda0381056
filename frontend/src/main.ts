// The timeline of a run: tracks, keys and mouse as in Perfetto, search, the state at an instant, the map.

import { unpack } from "./columns";
import { commands, events, lacking, selection, stateAt, summary } from "./details";
import { button, element, save, select } from "./dom";
import { Picture, RULER, type Palette, type Shown } from "./draw";
import { FloorMap } from "./map";
import { field, modelOf, titleOf, type Hit, type Model } from "./model";
import { lowerBound } from "./columns";
import { find, SEARCHES } from "./search";
import { lengthText, rowsOf, Span, timeText, type Row } from "./view";

const NAMES = 230;
const SCROLL = 14;
// Parts of the span that a key moves, and how much it zooms.
const [PAN, ZOOM] = [0.12, 1.35];
const HELP =
  "W and S zoom at the pointer, A and D move; the wheel scrolls, with Ctrl it zooms, with Shift it moves; dragging chooses a span, with Shift it moves. " +
  "N and P: next and previous of what is looked for; [ and ]: the event before and after in its track; F shows the selection, 0 shows all, space plays.";
const SPEEDS: Record<string, number> = { "10 µs a second": 1e4, "100 µs a second": 1e5, "1 ms a second": 1e6, "10 ms a second": 1e7, "100 ms a second": 1e8, "as it was": 1e9, "10 times as fast": 1e10 };

function paletteOf(header: any, root: Element): Palette {
  const style = getComputedStyle(root);
  const own = (name: string) => long(style.getPropertyValue(name).trim());
  return { paper: own("--paper"), ink: own("--ink"), quiet: own("--quiet"), line: own("--line"), shade: own("--shade"), ...header.palette };
}

// "#abc" as "#aabbcc".
function long(colour: string): string {
  return colour.length === 4 ? `#${[...colour.slice(1)].map((digit) => digit + digit).join("")}` : colour;
}

class Page {
  readonly canvas = element("canvas", { class: "tracks", tabindex: "0", role: "application", "aria-label": "Tracks over time; below they stand as a table", "aria-describedby": "timeline-help" });
  private readonly status = element("output", { class: "quiet" });
  private readonly found = element("output", { class: "quiet", "aria-live": "polite" });
  private readonly side = element("div", { class: "selection" });
  private readonly table = element("details", { class: "as-table" }, element("summary", {}, "What is shown, as a table"));
  private readonly picture: Picture;
  private readonly map?: FloorMap;
  private readonly what: HTMLSelectElement;
  private readonly speed: HTMLSelectElement;
  private readonly playButton: HTMLButtonElement;
  private rows: Row[] = [];
  private pointer = -1;
  private asked = false;
  private playing = false;
  private last = 0;
  private settled = 0;
  readonly shown: Shown;

  constructor(readonly root: HTMLElement, readonly model: Model) {
    const palette = paletteOf(model.header, root);
    this.picture = new Picture(this.canvas, palette);
    const span = new Span(model, NAMES, NAMES + 1);
    this.shown = { model, rows: [], span, top: 0, cursor: Math.max(0, model.startNs) };
    const [whatLabel, what] = select("Look for", Object.keys(SEARCHES), Object.keys(SEARCHES)[0]);
    const [speedLabel, speed] = select("Clock", Object.keys(SPEEDS), "1 ms a second");
    [this.what, this.speed] = [what, speed];
    this.playButton = button("Play", "Let the clock run, or stop it (space)", () => this.play());
    const mapCanvas = element("canvas", { class: "floor", role: "img", "aria-label": "The floor at the instant of the cursor" });
    if (model.header.floor.radios.length > 0) this.map = new FloorMap(mapCanvas, model, palette, model.header.cell_colours);
    root.replaceChildren(
      this.toolbar(whatLabel),
      this.canvas,
      element("p", { class: "quiet", id: "timeline-help" }, HELP),
      lacking(model),
      element("div", { class: "below" }, this.side, ...(this.map ? [element("div", { class: "map-box" }, element("div", { class: "controls" }, this.playButton, speedLabel), mapCanvas)] : [])),
      this.table,
    );
    this.listen();
    this.filter("");
    this.resize();
    this.select(undefined, this.shown.cursor);
  }

  private toolbar(whatLabel: HTMLLabelElement): HTMLElement {
    const words = element("input", { type: "search", placeholder: "names of tracks", autocomplete: "off" });
    words.addEventListener("input", () => this.filter(words.value));
    return element(
      "div",
      { class: "controls" },
      whatLabel,
      button("Previous", "Previous of it (P)", () => this.search(-1)),
      button("Next", "Next of it (N)", () => this.search(1)),
      this.found,
      element("label", {}, "Tracks ", words),
      button("All", "Show the whole run (0)", () => this.change(() => this.shown.span.all())),
      button("Save as PNG", "Save what is shown as a picture", () => this.savePicture()),
      this.status,
    );
  }

  private filter(words: string): void {
    this.rows = rowsOf(this.model.tracks, words);
    this.shown.rows = this.rows;
    this.shown.top = 0;
    this.draw();
  }

  private resize(): void {
    this.shown.span.right = Math.max(NAMES + 10, this.canvas.clientWidth - SCROLL);
    this.draw();
  }

  private get rowsHeight(): number {
    const last = this.rows[this.rows.length - 1];
    return last ? last.top + last.height + 4 : 0;
  }

  private change(act: () => void): void {
    act();
    const most = Math.max(0, this.rowsHeight - (this.canvas.clientHeight - RULER));
    this.shown.top = Math.min(most, Math.max(0, this.shown.top));
    this.draw();
  }

  draw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.asked = false;
    if (this.playing) this.advance(now);
    this.picture.draw(this.shown);
    const { span } = this.shown;
    this.status.textContent = `${lengthText(span.to - span.from)} shown; cursor at ${timeText(this.shown.cursor)}`;
    const perSecond = SPEEDS[this.speed.value];
    this.map?.draw(this.shown.cursor, this.playing ? perSecond / 10 : 0);
    if (this.playing) return this.draw();
    // Text of the page is written when nothing moves any more.
    clearTimeout(this.settled);
    this.settled = setTimeout(() => this.settle(), 120);
  }

  private settle(): void {
    this.root.dataset.from = String(this.shown.span.from);
    this.root.dataset.to = String(this.shown.span.to);
    const own = this.table.open ? [events(this.rows, this.shown.span)] : [];
    this.table.replaceChildren(this.table.firstElementChild!, ...own);
    this.side.querySelector("pre")?.replaceWith(commands(this.model, this.shown.span, this.shown.cursor));
  }

  private advance(now: number): void {
    const { span } = this.shown;
    this.shown.cursor += Math.min(100, now - this.last) * (SPEEDS[this.speed.value] / 1000);
    this.last = now;
    if (this.shown.cursor >= this.model.endNs) this.play();
    this.shown.cursor = Math.min(this.shown.cursor, this.model.endNs);
    if (this.shown.cursor > span.to || this.shown.cursor < span.from) span.pan(this.shown.cursor - span.from - (span.to - span.from) * 0.1);
  }

  private play(): void {
    this.playing = !this.playing;
    this.playButton.textContent = this.playing ? "Stop" : "Play";
    this.last = performance.now();
    if (!this.playing) this.select(undefined, this.shown.cursor);
    this.draw();
  }

  select(hit: Hit | undefined, time: number): void {
    this.shown.hit = hit;
    this.shown.cursor = time;
    const { chosen } = this.shown;
    this.side.replaceChildren(
      ...(hit ? [selection(this.model, hit)] : []),
      ...(chosen ? [summary(this.model, chosen[0], chosen[1])] : []),
      element("h3", {}, "From here"),
      commands(this.model, this.shown.span, time),
      stateAt(this.model, time),
    );
    this.draw();
  }

  search(by: 1 | -1): void {
    const tracks = this.rows.flatMap((row) => (row.track ? [row.track] : []));
    const { span, cursor } = this.shown;
    // From the cursor, or from the edge if that is not shown.
    const begin = cursor >= span.from && cursor <= span.to ? cursor : by > 0 ? span.from - 1 : span.to + 1;
    const hit = find(tracks, this.what.value, begin, by);
    if (!hit) {
      this.found.textContent = `No ${by > 0 ? "further" : "earlier"} one`;
      return;
    }
    this.found.textContent = `${titleOf(hit)} at ${timeText(hit.track.start[hit.row])}`;
    this.goTo(hit);
  }

  // Selects an event and shows it; the span stays as long as it is.
  private goTo(hit: Hit): void {
    const at = hit.track.start[hit.row];
    const { span } = this.shown;
    if (at < span.from || at > span.to) span.pan(at - (span.from + span.to) / 2);
    const row = this.rows.find((one) => one.track === hit.track);
    const inside = row && row.top >= this.shown.top && row.top + row.height < this.shown.top + this.canvas.clientHeight - RULER;
    this.change(() => (this.shown.top = inside || !row ? this.shown.top : row.top - 60));
    this.select(hit, at);
  }

  private step(by: 1 | -1): void {
    const { hit } = this.shown;
    const row = hit ? hit.row + by : -1;
    if (hit && row >= 0 && row < hit.track.start.length) this.goTo({ track: hit.track, row });
  }

  private focusSelection(): void {
    const { hit, chosen, span } = this.shown;
    if (chosen) span.show(chosen[0], chosen[1]);
    else if (hit && "end" in hit.track) {
      const [start, end] = [hit.track.start[hit.row], hit.track.end[hit.row]];
      span.show(start - 2 * (end - start), end + 2 * (end - start));
    } else if (hit) span.show(hit.track.start[hit.row] - 5e5, hit.track.start[hit.row] + 5e5);
  }

  private hitAt(x: number, y: number): Hit | undefined {
    const row = this.rows.find((one) => y >= RULER + one.top - this.shown.top && y < RULER + one.top - this.shown.top + one.height);
    const track = row?.track;
    if (!row || !track || track.start.length === 0 || x < NAMES) return undefined;
    const { span } = this.shown;
    const time = span.time(x);
    const slack = 4 * span.perPixel;
    if (track.kind === "packets") {
      const lane = Math.floor(((y - RULER - row.top + this.shown.top) / row.height) * track.lanes);
      const last = lowerBound(track.start, time + slack);
      for (let n = last - 1; n >= Math.max(0, last - 4 * track.lanes); n--) {
        if (Math.abs(track.lane![n] - lane) <= (track.lanes > 20 ? 1 : 0) && track.end[n] >= time - slack) return { track, row: n };
      }
      return undefined;
    }
    const near = Math.max(0, lowerBound(track.start, time + 1) - 1);
    if (track.kind === "counter") return { track, row: near };
    const candidates = [near, near + 1].filter((n) => n < track.start.length);
    const gap = (n: number) => Math.max(0, track.start[n] - time, "end" in track ? time - track.end[n] : time - track.start[n]);
    const best = candidates.reduce((a, b) => (gap(b) < gap(a) ? b : a));
    if (gap(best) > slack) return undefined;
    return { track, row: userAt(track, best, (y - RULER - row.top + this.shown.top) / row.height) };
  }

  private listen(): void {
    const { canvas } = this;
    let down: { x: number; y: number; moving: boolean; from: number } | undefined;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      down = { x: event.offsetX, y: event.offsetY, moving: event.shiftKey || event.button === 1, from: this.shown.span.time(event.offsetX) };
    });
    canvas.addEventListener("pointermove", (event) => {
      this.pointer = event.offsetX;
      if (!down) return;
      if (down.moving) {
        this.change(() => {
          this.shown.span.pan(-event.movementX * this.shown.span.perPixel);
          this.shown.top -= event.movementY;
        });
      } else if (Math.abs(event.offsetX - down.x) > 4) {
        const to = this.shown.span.time(event.offsetX);
        this.shown.chosen = [Math.min(down.from, to), Math.max(down.from, to)];
        this.draw();
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      const began = down;
      down = undefined;
      if (!began || began.moving) return;
      const isClick = Math.abs(event.offsetX - began.x) <= 4;
      if (isClick) this.shown.chosen = undefined;
      const hit = isClick ? this.hitAt(event.offsetX, event.offsetY) : undefined;
      this.select(hit, hit ? hit.track.start[hit.row] : Math.max(this.model.startNs, began.from));
    });
    canvas.addEventListener("pointerleave", () => (this.pointer = -1));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.table.addEventListener("toggle", () => this.settle());
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  private wheel(event: WheelEvent): void {
    const { span } = this.shown;
    const scrolls = this.rowsHeight > this.canvas.clientHeight - RULER;
    if (event.ctrlKey || event.metaKey) {
      this.change(() => span.zoom(Math.exp(-event.deltaY * 0.004), span.time(event.offsetX)));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.change(() => span.pan((event.deltaX || event.deltaY) * span.perPixel));
    } else if (scrolls) {
      this.change(() => (this.shown.top += event.deltaY));
    } else return;
    event.preventDefault();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { span } = this.shown;
    const at = this.pointer >= NAMES ? span.time(this.pointer) : Math.min(span.to, Math.max(span.from, this.shown.cursor));
    const length = span.to - span.from;
    const acts: Record<string, () => void> = {
      w: () => span.zoom(ZOOM, at),
      s: () => span.zoom(1 / ZOOM, at),
      a: () => span.pan(-length * PAN),
      d: () => span.pan(length * PAN),
      arrowleft: () => span.pan(-length * PAN),
      arrowright: () => span.pan(length * PAN),
      arrowup: () => (this.shown.top -= 40),
      arrowdown: () => (this.shown.top += 40),
      "0": () => span.all(),
      f: () => this.focusSelection(),
      n: () => this.search(1),
      p: () => this.search(-1),
      "[": () => this.step(-1),
      "]": () => this.step(1),
      " ": () => this.play(),
      escape: () => {
        this.shown.chosen = undefined;
        this.select(undefined, this.shown.cursor);
      },
    };
    const act = acts[event.key.toLowerCase()];
    // Without a selection, Escape closes the dialog in which the timeline may stand.
    if (!act || (event.key === "Escape" && !this.shown.hit && !this.shown.chosen)) return;
    event.preventDefault();
    this.change(act);
  }

  private savePicture(): void {
    this.picture.draw(this.shown);
    const { span } = this.shown;
    const name = `${this.model.header.run}-${(span.from / 1e9).toFixed(6)}-${(span.to / 1e9).toFixed(6)}.png`;
    this.canvas.toBlob((content) => content && save(name, content));
  }
}

// Of the users of one PPDU the one whose part of the box is there.
function userAt(track: { kind: string } & Hit["track"], row: number, share: number): number {
  if (track.kind !== "ppdus") return row;
  let first = row;
  while (first > 0 && track.start[first - 1] === track.start[row]) first--;
  const users = field(track, "users")!.column[row];
  return Math.min(track.start.length - 1, first + Math.min(users - 1, Math.max(0, Math.floor(share * users))));
}

// `signal` says that the page is given up, for another one takes its place.
export async function mount(root: HTMLElement, packed: string, signal?: AbortSignal): Promise<Page> {
  const page = new Page(root, modelOf(await unpack(packed)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => void mount(root, packed, signal), { once: true, signal });
  root.dataset.ready = "yes";
  return page;
}

declare global {
  // For the page of runs, which mounts timelines when a run is opened, and for tests.
  // eslint-disable-next-line no-var
  var airtcpTimeline: { mount: typeof mount; pages: Page[] };
}
globalThis.airtcpTimeline = { mount, pages: [] };

for (const root of document.querySelectorAll<HTMLElement>("[data-timeline]")) {
  const source = document.getElementById(root.dataset.timeline!);
  if (source) void mount(root, source.textContent!).then((page) => globalThis.airtcpTimeline.pages.push(page));
}
