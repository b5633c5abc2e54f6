/** What is drawn: layers, arrows, colours. */

import { h, toggle } from "./dom";

export interface SettingsModel {
  layers: { label: string; on: boolean; change(on: boolean): void }[];
  arrows: { label: string; on: boolean; change(on: boolean): void }[];
  colours: { name: string; label: string }[];
  colour: string;
  setColour(name: string): void;
  look: { label: string; on: boolean; change(on: boolean): void }[];
}

export function settingsPanel(model: SettingsModel): HTMLElement {
  const group = (title: string, ...rows: HTMLElement[]) => (rows.length ? h("section", {}, h("h4", {}, title), ...rows) : null);
  const toggles = (rows: SettingsModel["layers"]) => rows.map(({ label, on, change }) => toggle(label, on, change));
  const select = h("select", { "aria-label": "Colour by", onchange: () => model.setColour(select.value) },
    ...model.colours.map(({ name, label }) => h("option", { value: name, selected: name === model.colour }, label)));
  return h("div", { class: "settings" },
    group("Layers", ...toggles(model.layers)),
    group("Arrows", ...toggles(model.arrows)),
    model.colours.length > 1 ? group("Colour of bodies", select) : null,
    group("Look", ...toggles(model.look)));
}
