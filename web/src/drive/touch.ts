/** Fingers on glass: a steering slider on the left, pedals on the right. Shown where there is touch. */

import { h } from "../panels/dom";
import type { Pedals } from "./pedals";

export function touchControls(pedals: Pedals, changed: () => void): HTMLElement {
  const knob = h("i");
  const wheel = h("div", { class: "steer", "aria-label": "steering" }, knob);
  const turn = (event: PointerEvent) => {
    const box = wheel.getBoundingClientRect();
    const x = Math.max(-1, Math.min(1, (2 * (event.clientX - box.left)) / box.width - 1));
    knob.style.left = `${50 + 50 * x}%`;
    pedals.finger("steering", -x);
    changed();
  };
  wheel.onpointerdown = (event) => {
    wheel.setPointerCapture(event.pointerId);
    turn(event);
  };
  wheel.onpointermove = (event) => {
    if (event.buttons) turn(event);
  };
  wheel.onpointerup = wheel.onpointercancel = () => {
    knob.style.left = "50%";
    pedals.finger("steering", 0);
    changed();
  };
  const pedal = (part: "throttle" | "brake", label: string) => {
    const element = h("button", { class: `pedal ${part}`, type: "button" }, label);
    const press = (value: number) => () => {
      pedals.finger(part, value);
      element.classList.toggle("down", value > 0);
      changed();
    };
    element.onpointerdown = (event) => {
      element.setPointerCapture(event.pointerId);
      press(1)();
    };
    element.onpointerup = element.onpointercancel = press(0);
    element.oncontextmenu = (event) => event.preventDefault();
    return element;
  };
  return h("div", { class: "touch" }, wheel, h("div", { class: "feet" }, pedal("brake", "brake / back"), pedal("throttle", "go")));
}
