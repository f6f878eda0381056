// The page of a store: its runs as a table that is sorted, filtered and pinned; chosen ones side by side.

import { button, element } from "./dom";
import { mostOf, picture, type Lines } from "./lines";
import { order, varying, WrongWords, type Chosen, type Runs } from "./runs";

interface Data extends Runs {
  problem: string;
  colours: string[];
  compared_most: number;
}

const SMALL: [number, number] = [120, 28];
const LARGE: [number, number] = [420, 130];
// Pictures that are asked for at once: the server reads one run after the other.
const ASKED_MOST = 2;

type Child = Node | string;

class StorePage {
  private readonly chosen: Chosen = { name: "", where: "", sort: "", pins: [] };
  private readonly marked = new Set<string>();
  private readonly lines = new Map<string, Lines>();
  private readonly waiting: string[] = [];
  private asking = 0;
  private label = "";
  private drawing = false;
  private readonly head = element("thead");
  private readonly body = element("tbody");
  private readonly count = element("output", { "aria-live": "polite" });
  private readonly wrong = element("p", { class: "wrong", role: "alert" });
  private readonly compared = element("section", { class: "compared", "aria-label": "Comparison" });
  private readonly labels = element("select", { "aria-label": "What small pictures show" });
  private readonly compareButton: HTMLButtonElement;
  private readonly seen: IntersectionObserver;

  constructor(root: HTMLElement, private readonly data: Data) {
    this.compareButton = button("Compare", "Compare the chosen runs", () => void this.compare());
    this.read();
    const values = element("input", { type: "search", value: data.values.join(","), autocomplete: "off", spellcheck: "false" });
    values.addEventListener("keydown", (event) => event.key === "Enter" && this.askFor(values.value));
    this.labels.addEventListener("change", () => {
      this.label = this.labels.value;
      this.draw();
    });
    this.seen = new IntersectionObserver((entries) => this.appeared(entries), { rootMargin: "200px" });
    root.replaceChildren(
      element(
        "div",
        { class: "controls" },
        this.field("Name", "name", "cubic-*"),
        this.field("Where", "where", "cca=bbr,seed=1"),
        element("label", {}, "Numbers ", values),
        button("Show", "Show these quantities", () => this.askFor(values.value)),
        this.compareButton,
        button("Unpin all", "Unpin all runs", () => this.change(() => (this.chosen.pins = []))),
        this.count,
      ),
      this.wrong,
      this.compared,
      element("div", { class: "scroll" }, element("table", { class: "runs sortable" }, this.head, this.body)),
    );
    this.show();
    if (data.problem) this.wrong.textContent = data.problem;
    root.dataset.ready = "yes";
  }

  private field(label: string, of: "name" | "where", example: string): HTMLLabelElement {
    const input = element("input", { type: "search", placeholder: example, autocomplete: "off", spellcheck: "false" });
    input.value = this.chosen[of];
    input.addEventListener("input", () => this.change(() => (this.chosen[of] = input.value)));
    return element("label", {}, `${label} `, input);
  }

  private change(act: () => void): void {
    act();
    this.show();
    // In the address, so that loading the page again shows the same.
    const kept = new URLSearchParams({ name: this.chosen.name, where: this.chosen.where, sort: this.chosen.sort, pins: this.chosen.pins.join(",") });
    history.replaceState(null, "", `#${kept}`);
  }

  private read(): void {
    const kept = new URLSearchParams(location.hash.slice(1));
    for (const name of ["name", "where", "sort"] as const) this.chosen[name] = kept.get(name) ?? "";
    this.chosen.pins = (kept.get("pins") ?? "").split(",").filter(Boolean);
  }

  private askFor(values: string): void {
    location.assign(`?${new URLSearchParams({ values })}${location.hash}`);
  }

  private show(): void {
    let shown: number[];
    try {
      shown = order(this.data, this.chosen);
      this.wrong.textContent = "";
    } catch (error) {
      if (!(error instanceof WrongWords)) throw error;
      this.wrong.textContent = error.message;
      return;
    }
    const places = varying(this.data, shown, this.chosen);
    this.head.replaceChildren(this.headRow(places));
    this.seen.disconnect();
    this.body.replaceChildren(...shown.map((n) => this.row(n, places)));
    this.count.textContent = `${shown.length} of ${this.data.rows.length} runs`;
    this.marks();
    this.draw();
  }

  private headRow(places: number[]): HTMLTableRowElement {
    const { columns } = this.data;
    const heads = places.map((place) => {
      const name = columns[place];
      const by = this.chosen.sort.replace(/^-/, "") === name ? (this.chosen.sort.startsWith("-") ? "descending" : "ascending") : "none";
      const next = by === "ascending" ? `-${name}` : by === "descending" ? "" : name;
      const sorter = button(name, `Sort by ${name}`, () => this.change(() => (this.chosen.sort = next)));
      return element("th", { scope: "col", class: this.isText(place) ? "left" : "", "aria-sort": by }, sorter);
    });
    return element("tr", {}, element("th", { scope: "col", class: "left" }, "choose, pin"), ...heads, element("th", { scope: "col", class: "left" }, this.labels));
  }

  private isText(place: number): boolean {
    return this.data.rows.some((row) => typeof row[place] === "string");
  }

  private row(n: number, places: number[]): HTMLTableRowElement {
    const { texts } = this.data;
    const run = texts[n][0];
    const mark = element("input", { type: "checkbox", "aria-label": `Choose ${run}` });
    mark.checked = this.marked.has(run);
    mark.addEventListener("change", () => {
      if (mark.checked) this.marked.add(run);
      else this.marked.delete(run);
      this.marks();
    });
    const isPinned = this.chosen.pins.includes(run);
    const pin = button(isPinned ? "★" : "☆", `${isPinned ? "Unpin" : "Pin"} ${run}`, () => this.change(() => this.pin(run)));
    pin.setAttribute("aria-pressed", String(isPinned));
    const cells = places.map((place) => {
      const own = place === 0 ? this.links(run) : [texts[n][place]];
      return element("td", { class: this.isText(place) ? "left" : "" }, ...own);
    });
    const small = element("td", { class: "left small-picture", "data-run": run });
    this.seen.observe(small);
    return element("tr", { class: isPinned ? "pinned" : "", "data-run": run }, element("td", { class: "left" }, mark, " ", pin), ...cells, small);
  }

  private links(run: string): Child[] {
    const to = (what: string, text: string) => element("a", { href: `${what}?runs=${run}`, target: "_blank", rel: "noopener" }, text);
    return [element("span", { class: "run" }, run), " ", to("timeline", "timeline"), " ", to("report", "report")];
  }

  private pin(run: string): void {
    const { pins } = this.chosen;
    this.chosen.pins = pins.includes(run) ? pins.filter((one) => one !== run) : [...pins, run];
  }

  private marks(): void {
    this.compareButton.disabled = this.marked.size < 2 || this.marked.size > this.data.compared_most;
    this.compareButton.textContent = this.marked.size > 0 ? `Compare ${this.marked.size}` : "Compare";
  }

  // Small pictures are asked for when their rows come into view.
  private appeared(entries: IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      const run = (target as HTMLElement).dataset.run!;
      if (isIntersecting) this.want(run);
      else this.waiting.splice(0, this.waiting.length, ...this.waiting.filter((one) => one !== run));
    }
    this.ask();
  }

  private want(run: string): void {
    if (!this.lines.has(run) && !this.waiting.includes(run)) this.waiting.push(run);
  }

  private ask(): void {
    while (this.asking < ASKED_MOST && this.waiting.length > 0) {
      this.asking++;
      void this.fetchLines(this.waiting.shift()!);
    }
  }

  private async fetchLines(run: string): Promise<void> {
    const answer = await fetch(`lines?runs=${run}`);
    const none: Lines = { end_s: 1, times: [], panels: [] };
    this.lines.set(run, answer.ok ? ((await answer.json()) as Lines) : none);
    this.asking--;
    this.ask();
    this.draw();
  }

  private draw(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      const labels = new Set([...this.lines.values()].flatMap((lines) => lines.panels.map((panel) => panel.label)));
      if (labels.size !== this.labels.options.length) this.labels.replaceChildren(...[...labels].map((label) => element("option", { value: label }, label)));
      this.label = labels.has(this.label) ? this.label : ([...labels][0] ?? "");
      this.labels.value = this.label;
      const most = this.most([...this.lines.keys()]);
      for (const cell of this.body.querySelectorAll<HTMLElement>(".small-picture")) {
        const lines = this.lines.get(cell.dataset.run!);
        if (lines) cell.replaceChildren(picture(lines, this.label, most, SMALL, this.data.colours));
      }
    });
  }

  private most(runs: string[]): number {
    return Math.max(0, ...runs.map((run) => mostOf(this.lines.get(run)!, this.label)));
  }

  private async compare(): Promise<void> {
    const runs = this.data.texts.map((row) => row[0]).filter((run) => this.marked.has(run));
    const asked = runs.join(",");
    this.compared.replaceChildren(element("p", { class: "quiet" }, "Reading ..."));
    const [answer] = await Promise.all([fetch(`plans?runs=${asked}`), ...runs.filter((run) => !this.lines.has(run)).map((run) => this.linesNow(run))]);
    if (!answer.ok) {
      this.compared.replaceChildren(element("p", { class: "wrong" }, await answer.text()));
      return;
    }
    const { differences } = (await answer.json()) as { differences: [string, string[]][] };
    const open = (what: string, text: string) => element("a", { href: `${what}?runs=${asked}`, target: "_blank", rel: "noopener" }, text);
    const links = [open("report", "Report of these runs"), ...(runs.length === 2 ? [open("comparison", "Ratios of the first to the second")] : [])];
    this.compared.replaceChildren(
      element("div", { class: "controls" }, element("h2", {}, `${runs.length} runs side by side`), ...links, button("Close", "Close the comparison", () => this.compared.replaceChildren())),
      this.sideBySide(runs),
      this.pictures(runs),
      differences.length > 0
        ? columnsOf("Differences of the plans", "key", runs, differences)
        : element("p", {}, "The plans are the same: another version of airtcp or of the kernel made the runs."),
    );
    this.compared.scrollIntoView({ block: "nearest" });
  }

  private async linesNow(run: string): Promise<void> {
    this.asking++;
    await this.fetchLines(run);
  }

  private sideBySide(runs: string[]): HTMLElement {
    const { columns, texts } = this.data;
    const rows = runs.map((run) => texts.find((row) => row[0] === run)!);
    const lines = columns.map((name, place): [string, string[]] => [name, rows.map((row) => row[place])]);
    return columnsOf("Values", "column", runs, lines.slice(1));
  }

  private pictures(runs: string[]): HTMLElement {
    const labels = [...new Set(runs.flatMap((run) => this.lines.get(run)!.panels.map((panel) => panel.label)))];
    const chosen = element("select", {}, ...labels.map((label) => element("option", { value: label }, label)));
    chosen.value = labels.includes(this.label) ? this.label : (labels[0] ?? "");
    const box = element("div", { class: "pictures" });
    const draw = () => {
      const most = Math.max(0, ...runs.map((run) => mostOf(this.lines.get(run)!, chosen.value)));
      box.replaceChildren(
        ...runs.map((run) => {
          const lines = this.lines.get(run)!;
          const caption = `${run}, 0 to ${Number(lines.end_s.toPrecision(4))} s, up to ${Number(most.toPrecision(4))}`;
          return element("figure", {}, picture(lines, chosen.value, most, LARGE, this.data.colours), element("figcaption", {}, caption));
        }),
      );
    };
    chosen.addEventListener("change", draw);
    draw();
    return element("div", {}, element("label", {}, "Over time ", chosen), box);
  }
}

// A table with a column for each run; what differs is marked.
function columnsOf(caption: string, first: string, runs: string[], lines: [string, string[]][]): HTMLElement {
  const head = element("tr", {}, ...[first, ...runs].map((name) => element("th", { scope: "col", class: "left" }, name)));
  const body = lines.map(([name, values]) => {
    const differs = new Set(values).size > 1;
    return element("tr", { class: differs ? "differs" : "" }, element("th", { scope: "row", class: "left" }, name), ...values.map((value) => element("td", { class: "left" }, value)));
  });
  return element("div", { class: "scroll" }, element("table", { class: "side" }, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body)));
}

new StorePage(document.querySelector<HTMLElement>("main.store")!, JSON.parse(document.getElementById("data")!.textContent!) as Data);
