/** Sliders for the coordinates of a machine or the inputs of a run. */

import { button, h } from "../panels/dom";
import { Sliders } from "../panels/sliders";
import type { Transport } from "../transport/transport";
import type { Scene } from "../transport/types";

const PAUSE = 25; // ms between two messages

export function inputsPage(scene: Scene, transport: Transport): { sliders: Sliders; page: HTMLElement; title: string } {
  const machine = scene.mode === "machine";
  let waiting: [string, number] | null = null;
  let busy = false;
  // one message at a time, and the latest value of all that a hand went through
  const send = () => {
    if (!waiting || busy) return;
    const [name, value] = waiting;
    waiting = null;
    busy = true;
    transport.send(machine ? { set: "q", joint: name, value: [value] } : { set: "input", name, value });
    window.setTimeout(() => { busy = false; send(); }, PAUSE);
  };
  const sliders = new Sliders(scene.inputs, (name, value) => { waiting = [name, value]; send(); });
  const reset = machine ? h("div", { class: "actions" }, button("reset", "Back to the start", () => transport.send({ do: "reset" }), "Reset")) : null;
  return { sliders, page: h("div", {}, sliders.element, reset), title: machine ? "Coordinates" : "Inputs" };
}
