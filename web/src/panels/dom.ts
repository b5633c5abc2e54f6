/** Elements in one line: h("button", {class: "x", onclick: ...}, "text"). */

type Child = Node | string | null | false | undefined;
type Props = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") element.className = String(value);
    else if (key.startsWith("on") || key in element) (element as unknown as Props)[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

const ICONS: Record<string, string> = {
  play: '<path d="M7 4.5v15l12-7.5z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M7 5h3.4v14H7zM13.6 5H17v14h-3.4z" fill="currentColor" stroke="none"/>',
  back: '<path d="M17 6l-7 6 7 6z" fill="currentColor" stroke="none"/><path d="M7 6v12"/>',
  forward: '<path d="M7 6l7 6-7 6z" fill="currentColor" stroke="none"/><path d="M17 6v12"/>',
  loop: '<path d="M17 3l3 3-3 3"/><path d="M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3"/><path d="M20 13v2a3 3 0 0 1-3 3H4"/>',
  eye: '<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>',
  hidden: '<path d="M4 4l16 16M9.5 5.8A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-2.9 3.6M6 7.6A16.500 16.500 0 0 0 2.500 12S6 18.500 12 18.500c1.400 0 2.700-.4 3.800-.9"/>',
  trail: '<path d="M3 17c4 0 4-10 9-10 4 0 4 6 8 6"/><circle cx="20" cy="13" r="1.600" fill="currentColor"/>',
  chart: '<path d="M4 4v16h16"/><path d="M7 15l4-5 3 3 5-7"/>',
  tree: '<path d="M5 4v14h5M5 10h5"/><path d="M13 8h7v4h-7zM13 16h7v4h-7z"/>',
  camera: '<path d="M4 8h3l1.500-2.500h7L17 8h3v11H4z"/><circle cx="12" cy="13" r="3.200"/>',
  video: '<path d="M3 7h12v10H3zM15 11l6-3.500v9L15 13z"/>',
  cube: '<path d="M12 3l8 4.500v9L12 21l-8-4.500v-9z"/><path d="M4 7.500l8 4.500 8-4.500M12 12v9"/>',
  fit: '<path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400"/>',
  moon: '<path d="M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z"/>',
  help: '<circle cx="12" cy="12" r="9"/><path d="M9.500 9.500a2.500 2.500 0 1 1 3.600 2.200c-.8.4-1.100.9-1.100 1.800M12 16.800v.2"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  sliders: '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
  layers: '<path d="M12 4l9 5-9 5-9-5z"/><path d="M4 14l8 4.500 8-4.500"/>',
  follow: '<circle cx="12" cy="12" r="3"/><path d="M12 2.500v4M12 17.500v4M2.500 12h4M17.500 12h4"/>',
  pull: '<circle cx="6" cy="18" r="2.500"/><path d="M8 16l3-1-1-3 3-1-1-3 3-1"/><path d="M15 3h6v6M21 3l-5 5"/>',
  reset: '<path d="M4 4v5h5"/><path d="M4.600 9A8 8 0 1 1 4 13"/>',
  down: '<path d="M12 4v11M7 11l5 5 5-5M5 20h14"/>',
  record: '<circle cx="12" cy="12" r="6" fill="currentColor" stroke="none"/>',
};

export function icon(name: string): SVGElement {
  const holder = document.createElement("template");
  holder.innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${ICONS[name] ?? ""}</svg>`;
  return holder.content.firstElementChild as SVGElement;
}

export function button(name: string, title: string, onclick: (event: MouseEvent) => void, text = ""): HTMLButtonElement {
  return h("button", { class: text ? "button" : "button bare", type: "button", title, "aria-label": title, onclick }, icon(name), text);
}

export function setIcon(element: Element, name: string): void {
  element.querySelector("svg")?.replaceWith(icon(name));
}

export function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const box = h("input", { type: "checkbox", checked: on, onchange: () => change(box.checked) });
  return h("label", { class: "toggle" }, box, h("span", { class: "switch" }), label);
}
