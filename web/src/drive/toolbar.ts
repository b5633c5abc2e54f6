/** Buttons of the drive page, and what they say of the drive. */

import { button, h, setIcon } from "../panels/dom";
import type { Deed } from "./pedals";

/** What buttons do that keys do not. */
export type Press = Deed | "lever" | "replay" | "download" | "theme";

export class Toolbar {
  readonly root: HTMLElement;
  private readonly buttons: Record<string, HTMLButtonElement> = {};
  private icon = "pause";

  constructor(act: (what: Press) => void) {
    const make = (key: Press, icon: string, title: string, word = "") => {
      const element = button(icon, title, () => act(key));
      if (word) element.append(h("span", { class: "word" }, word));
      element.onmousedown = (event) => event.preventDefault(); // keys stay with the vehicle
      return (this.buttons[key] = element);
    };
    this.root = h("div", { class: "tools card" },
      make("reset", "reset", "start again on fresh ground (R)", "reset"),
      make("camera", "camera", "chase, cockpit or free camera (C)", "chase"),
      make("low", "layers", "low range (G)", "high"),
      make("lever", "sliders", "gear lever", "auto"),
      make("record", "record", "record (V)", "record"),
      make("replay", "play", "show the recording again", "replay"),
      make("download", "down", "download the recording"),
      make("pause", "pause", "pause (P)"),
      make("theme", "moon", "light or dark"));
  }

  word(key: Press, text: string): void {
    const element = this.buttons[key].querySelector(".word");
    if (element && element.textContent !== text) element.textContent = text;
  }

  setTheme(dark: boolean): void {
    setIcon(this.buttons.theme, dark ? "sun" : "moon");
  }

  /** The `state` of a frame. */
  show(state: Record<string, unknown>): void {
    const { record, low, download, replay, pause } = this.buttons;
    const recording = state.recording === true;
    record.classList.toggle("on", recording);
    record.disabled = state.replay === true;
    this.word("record", recording ? `${Number(state.recorded ?? 0).toFixed(0)} s` : "record");
    this.word("low", state.low === true ? "low" : "high");
    low.classList.toggle("on", state.low === true);
    download.disabled = state.file !== true;
    replay.disabled = state.file !== true || recording;
    this.word("replay", state.replay === true ? "replaying" : "replay");
    replay.classList.toggle("on", state.replay === true);
    const icon = state.paused === true ? "play" : "pause";
    if (icon !== this.icon) setIcon(pause, (this.icon = icon));
  }
}

/** What keys do, in a corner. */
export function keyCard(): HTMLElement {
  const rows: [string[], string][] = [
    [["↑", "↓"], "go, brake and back"], [["←", "→"], "steer"], [["space"], "brake"], [["C"], "camera"], [["G"], "low range"],
    [["R"], "reset"], [["V"], "record"],
  ];
  return h("div", { class: "keys card" },
    ...rows.flatMap(([keys, words]) => [h("span", {}, ...keys.map((key) => h("kbd", {}, key))), h("span", {}, words)]));
}
