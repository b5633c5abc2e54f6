/** What keys and the mouse do. */

import { button, h } from "./dom";

const KEYS: [string, string][] = [
  ["Space", "play or pause"], [", .", "one sample back or on"], ["← →", "a second back or on"], ["Home End", "first or last sample"],
  ["+ −", "faster or slower"], ["L", "repeat"], ["F", "fit all into the picture"], ["1 2 3 0", "views along x, y, z; oblique"],
  ["O", "with or without perspective"], ["C", "follow the picked body"], ["V", "chase the picked body"], ["J", "joints"], ["A", "frames"],
  ["N", "names"], ["T", "light or dark"], ["P", "picture (PNG)"], ["B", "panels"], ["?", "this help"],
];

const MOUSE: [string, string][] = [
  ["Drag", "turn"], ["Right drag, Shift", "move"], ["Wheel, pinch", "nearer or farther"], ["Click", "pick a body, a joint or a grain"],
  ["Double click", "look at that point"], ["Ctrl drag (live)", "pull a body by a spring"], ["In a chart", "drag: time; wheel: zoom; double click: all"],
];

export function helpOverlay(live: boolean): HTMLElement {
  const table = (rows: [string, string][], between: RegExp) =>
    h("dl", {}, ...rows.flatMap(([keys, text]) => [h("dt", {}, ...keys.split(between).map((key) => h("kbd", {}, key))), h("dd", {}, text)]));
  const overlay: HTMLElement = h("div", { class: "overlay", hidden: true, role: "dialog", "aria-label": "Help", onclick: (event: Event) => {
    if (event.target === overlay) overlay.hidden = true;
  } },
    h("div", { class: "sheet" },
      h("header", {}, h("h2", {}, "Keys and mouse"), button("close", "Close", () => (overlay.hidden = true))),
      h("div", { class: "columns" }, table(KEYS, / /), table(live ? MOUSE : MOUSE.filter(([keys]) => !keys.includes("live")), /, /))));
  return overlay;
}
