/** Sentences for the driver: some for a few seconds, one that stays as long as it is true. */

import { h } from "../panels/dom";

const READ = 6000; // ms
const MOST = 3;

export class Said {
  readonly root = h("div", { class: "say", "aria-live": "polite" });
  private readonly lines = h("div", { class: "lines" });
  private readonly trouble = h("div", { class: "error trouble", role: "alert", hidden: true });

  constructor() {
    this.root.append(this.trouble, this.lines);
  }

  say(words: string, error = false): void {
    if ([...this.lines.children].some((child) => child.textContent === words)) return;
    const line = h("div", { class: error ? "error" : "" }, words);
    this.lines.append(line);
    while (this.lines.children.length > MOST) this.lines.firstElementChild?.remove();
    window.setTimeout(() => line.remove(), READ);
  }

  /** What is wrong now; null: nothing. */
  stands(words: string | null): void {
    if (words === null) this.trouble.hidden = true;
    else if (this.trouble.hidden || this.trouble.textContent !== words) {
      this.trouble.textContent = words;
      this.trouble.hidden = false;
    }
  }
}
