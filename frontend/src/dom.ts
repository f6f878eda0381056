// Elements without HTML text: whatever a name holds stays text.

type Child = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(text: string, title: string, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title, "aria-label": title }, text);
  made.addEventListener("click", act);
  return made;
}

export function select(label: string, values: string[], chosen: string): [HTMLLabelElement, HTMLSelectElement] {
  const made = element("select", {}, ...values.map((value) => element("option", { value }, value)));
  made.value = chosen;
  return [element("label", {}, label, " ", made), made];
}

export function table(columns: string[], rows: Child[][], caption: string): HTMLTableElement {
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...columns.map((name) => element("th", { scope: "col", class: "left" }, name)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", { class: "left" }, cell))))),
  );
}

// Offers a file to save; the address holds for as long as the page does.
export function save(name: string, content: Blob): void {
  const link = element("a", { download: name, href: URL.createObjectURL(content) });
  link.click();
}
