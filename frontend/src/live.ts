// The page of a running session: the timeline is mounted again after each stop, and buttons ask the prompt for lines.

import { button, element, select } from "./dom";

interface Data {
  client: string;
  mayDrive: boolean;
  commands: string[];
}

interface Told {
  version: number;
  now_s: number;
  log: string;
  pages: number;
  drives: boolean;
  driven: boolean;
  waiting: number;
  over: boolean;
}

type Mounted = Awaited<ReturnType<(typeof globalThis.airtcpTimeline)["mount"]>>;

const LENGTHS = ["10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s"];

class LivePage {
  private told?: Told;
  private version = 0;
  private fetching = false;
  private mounted?: Mounted;
  private end = 0;
  private givenUp = new AbortController();
  private readonly state = element("output", { class: "state", "aria-live": "polite" });
  private readonly wrong = element("p", { class: "wrong", role: "alert" });
  private readonly log = element("pre", { class: "log", tabindex: "0", "aria-label": "What was said at the prompt" });
  private readonly drivers: HTMLElement;
  private readonly wheel: HTMLButtonElement;
  private readonly follow = element("input", { type: "checkbox" });

  constructor(box: HTMLElement, private readonly root: HTMLElement, private readonly data: Data) {
    this.wheel = button("Take the wheel", "Drive from this page", () => void this.post("wheel"));
    this.drivers = this.controls();
    this.follow.checked = true;
    box.replaceChildren(
      element("div", { class: "controls" }, this.state, element("label", {}, this.follow, " Follow"), this.wheel),
      this.drivers,
      this.wrong,
      element("details", { open: "" }, element("summary", {}, "At the prompt"), this.log),
    );
    const source = new EventSource(`events?client=${data.client}`);
    source.addEventListener("message", (message) => {
      this.hear(JSON.parse(message.data as string) as Told);
      if (this.told!.over) source.close();
    });
    source.addEventListener("error", () => {
      if (!this.told?.over) this.state.textContent = "No connection to the session";
    });
  }

  private controls(): HTMLElement {
    const [lengthLabel, length] = select("Length", LENGTHS, "100 ms");
    const condition = element("input", { type: "text", class: "words", placeholder: "loss, cwnd < 10, 12 s", "aria-label": "Until what", autocomplete: "off", spellcheck: "false" });
    const line = element("input", { type: "text", class: "words", placeholder: "move sta1 3,4", "aria-label": "A line for the prompt", autocomplete: "off", spellcheck: "false" });
    const until = () => void (condition.value.trim() && this.ask(`until ${condition.value.trim()}`));
    const send = () => {
      if (line.value.trim()) void this.ask(line.value.trim());
      line.value = "";
    };
    condition.addEventListener("keydown", (event) => event.key === "Enter" && until());
    line.addEventListener("keydown", (event) => event.key === "Enter" && send());
    return element(
      "div",
      { class: "controls drivers" },
      button("Back", "Take the network back by this length", () => void this.ask(`back ${length.value}`)),
      button("Run", "Let this length of time pass", () => void this.ask(`run ${length.value}`)),
      lengthLabel,
      button("Step", "Let time pass until the next PPDU has ended", () => void this.ask("step")),
      button("Until", "Let time pass until this is so", until),
      condition,
      button("Stop", "Stop the clock", () => void this.post("stop")),
      line,
      button("Send", `Ask the prompt for this line: ${this.data.commands.join(", ")}`, send),
    );
  }

  private ask(line: string): Promise<void> {
    return this.post("line", { line });
  }

  private async post(what: string, content: Record<string, string> = {}): Promise<void> {
    this.wrong.textContent = "";
    const body = JSON.stringify({ client: this.data.client, ...content });
    try {
      const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      if (!answer.ok) this.wrong.textContent = await answer.text();
    } catch {
      this.wrong.textContent = "No connection to the session";
    }
  }

  private hear(told: Told): void {
    this.told = told;
    const who = told.drives ? "this page drives" : this.data.mayDrive ? (told.driven ? "another page drives" : "no page drives") : "looking";
    const pages = told.pages === 1 ? "1 page" : `${told.pages} pages`;
    this.state.textContent = told.over ? "The session is over" : `${told.now_s.toFixed(6)} s; ${who}; ${pages} open`;
    this.wheel.hidden = !this.data.mayDrive || told.drives || told.over;
    this.drivers.hidden = !told.drives || told.over;
    if (this.log.textContent !== told.log) {
      this.log.textContent = told.log;
      this.log.scrollTop = this.log.scrollHeight;
    }
    document.body.dataset.version = String(told.version);
    void this.fetchPicture();
  }

  private async fetchPicture(): Promise<void> {
    if (this.fetching || !this.told || this.told.version <= this.version) return;
    this.fetching = true;
    const version = this.told.version;
    try {
      const answer = await fetch("timeline");
      if (answer.ok) await this.show(await answer.text());
      this.version = version;
      this.root.dataset.version = String(version);
    } finally {
      this.fetching = false;
    }
    void this.fetchPicture();
  }

  // The new picture in place of the old one, with what was chosen there.
  private async show(packed: string): Promise<void> {
    const before = this.mounted;
    const kept = [...this.root.querySelectorAll<HTMLInputElement | HTMLSelectElement>(".controls select, .controls input")].map((one) => one.value);
    const span = before && { from: before.shown.span.from, to: before.shown.span.to, top: before.shown.top, cursor: before.shown.cursor };
    const top = scrollY;
    this.givenUp.abort();
    this.givenUp = new AbortController();
    const page = await globalThis.airtcpTimeline.mount(this.root, packed, this.givenUp.signal);
    globalThis.airtcpTimeline.pages.splice(0, 1, page);
    this.mounted = page;
    const fields = [...this.root.querySelectorAll<HTMLInputElement | HTMLSelectElement>(".controls select, .controls input")];
    kept.forEach((value, n) => {
      if (!fields[n] || fields[n].value === value) return;
      fields[n].value = value;
      fields[n].dispatchEvent(new Event("input"));
    });
    const { endNs } = page.model;
    if (span) {
      const whole = span.to - span.from >= this.end - page.model.startNs;
      if (!whole) page.shown.span.show(...this.spanNow(span, endNs));
      page.shown.top = span.top;
    }
    page.select(undefined, this.follow.checked || !span ? endNs : Math.min(span.cursor, endNs));
    this.end = endNs;
    scrollTo({ top });
  }

  // The part that is shown stays, or goes on with the end if that was in view.
  private spanNow({ from, to }: { from: number; to: number }, endNs: number): [number, number] {
    return this.follow.checked && to >= this.end ? [endNs - (to - from), endNs] : [from, to];
  }
}

new LivePage(document.querySelector<HTMLElement>(".drive")!, document.querySelector<HTMLElement>("main.live")!, JSON.parse(document.getElementById("data")!.textContent!) as Data);
