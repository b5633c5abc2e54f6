/** What is drawn: layers, arrows, colours. */

import { h, toggle } from "./dom";

export interface SettingsModel {
  layers: { label: string; on: boolean; change(on: boolean): void }[];
  arrows: { label: string; on: boolean; change(on: boolean): void }[];
  colours: { name: string; label: string }[];
  colour: string;
  setColour(name: string): void;
  views: { label: string; title: string; choose(): void }[];
  /** how many grains are drawn; none where there are none */
  grains: { label: string; on: boolean; choose(): void }[];
  look: { label: string; on: boolean; change(on: boolean): void }[];
}

export function settingsPanel(model: SettingsModel): HTMLElement {
  const group = (title: string, ...rows: HTMLElement[]) => (rows.length ? h("section", {}, h("h4", {}, title), ...rows) : null);
  const toggles = (rows: SettingsModel["layers"]) => rows.map(({ label, on, change }) => toggle(label, on, change));
  const select = h("select", { "aria-label": "Colour by", onchange: () => model.setColour(select.value) },
    ...model.colours.map(({ name, label }) => h("option", { value: name, selected: name === model.colour }, label)));
  const grains = h("select", { "aria-label": "Grains drawn", onchange: () => model.grains[grains.selectedIndex].choose() },
    ...model.grains.map(({ label, on }) => h("option", { selected: on }, label)));
  return h("div", { class: "settings" },
    group("Views", h("div", { class: "choices" }, ...model.views.map(({ label, title, choose }) => h("button", { class: "button", type: "button", title, onclick: choose }, label)))),
    group("Layers", ...toggles(model.layers)),
    group("Arrows", ...toggles(model.arrows)),
    model.colours.length > 1 ? group("Colour of bodies", select) : null,
    model.grains.length ? group("Grains drawn", grains) : null,
    group("Look", ...toggles(model.look)));
}
