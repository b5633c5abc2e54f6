/** Sliders: coordinates of a machine, inputs of a live run, parameters of an example. Angles are shown in degrees. */

import type { Input } from "../transport/types";
import { h } from "./dom";
import { DEGREES, figure } from "./numbers";

interface Row {
  input: Input;
  range: HTMLInputElement;
  number: HTMLInputElement;
  held: boolean;
}

export class Sliders {
  readonly element = h("div", { class: "sliders" });
  private readonly rows = new Map<string, Row>();

  constructor(inputs: Input[], change: (name: string, value: number) => void) {
    for (const input of inputs) {
      const scale = input.unit === "rad" ? DEGREES : 1;
      const unit = input.unit === "rad" ? "°" : (input.unit ?? "");
      const step = input.step ?? "any";
      const range = h("input", { type: "range", min: String(input.low), max: String(input.high), step: String(step), "aria-label": input.name });
      const number = h("input", { type: "text", inputMode: "decimal", class: "number", "aria-label": `${input.name}, value` });
      const row: Row = { input, range, number, held: false };
      const send = (value: number) => {
        const bounded = Math.min(Math.max(value, input.low), input.high);
        this.put(row, bounded);
        change(input.name, bounded);
      };
      range.oninput = () => send(Number(range.value));
      range.onpointerdown = () => (row.held = true);
      range.onpointerup = range.onpointercancel = () => (row.held = false);
      range.ondblclick = () => send(input.value);
      number.onfocus = () => (row.held = true);
      number.onblur = () => (row.held = false);
      number.onchange = () => {
        const value = Number(number.value.replace("−", "-").replace(",", ".")) / scale;
        if (Number.isFinite(value)) send(value);
      };
      this.rows.set(input.name, row);
      this.element.append(h("div", { class: "slider" },
        h("span", { class: "name", title: input.name }, input.label ?? input.name),
        h("span", { class: "value" }, number, h("span", { class: "unit" }, unit)), range));
      this.put(row, input.value);
    }
  }

  /** Values that came from the other side; a slider that is held stays under the hand. */
  update(values: Record<string, number | number[]>): void {
    for (const [name, row] of this.rows) {
      const value = values[name];
      if (typeof value === "number" && !row.held) this.put(row, value);
    }
  }

  private put(row: Row, value: number): void {
    const { low, high, unit } = row.input;
    row.range.value = String(value);
    row.range.style.setProperty("--share", `${(100 * (value - low)) / Math.max(high - low, 1e-12)}%`);
    row.number.value = unit === "rad" ? (value * DEGREES).toFixed(1).replace("-", "−") : figure(value, 3);
  }
}
