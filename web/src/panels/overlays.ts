/** What lies over the picture: the scale bar, the legend of colours, messages, the state of the connection. */

import { SCALE_CSS } from "../scene/colours";
import { roundLength } from "../scene/ground";
import type { Link } from "../transport/transport";
import { h } from "./dom";
import { figure, length, unitText } from "./numbers";

export class ScaleBar {
  readonly element = h("div", { class: "scale" });
  private readonly bar = h("i");
  private readonly text = h("span");

  constructor() {
    this.element.append(this.bar, this.text);
  }

  /** metres: width of a pixel at the target */
  update(metres: number): void {
    const rounded = roundLength(metres * 130);
    const width = `${(rounded / metres).toFixed(0)}px`;
    if (this.bar.style.width !== width) this.bar.style.width = width;
    const text = length(rounded);
    if (this.text.textContent !== text) this.text.textContent = text;
  }
}

/** What a page leaves out, and other remarks that stay: one faint line, all of them when it is clicked. */
export class Remarks {
  readonly element = h("button", { class: "remarks", type: "button", hidden: true, onclick: () => { this.open = !this.open; this.draw(); } });
  private readonly texts = new Map<string, string[]>();
  private open = false;

  /** kind: those of one kind take the place of those before */
  set(kind: string, texts: string[]): void {
    this.texts.set(kind, texts);
    this.draw();
  }

  private draw(): void {
    const all = [...this.texts.values()].flat();
    this.element.hidden = all.length === 0;
    this.element.classList.toggle("open", this.open);
    this.element.title = all.join("\n");
    this.element.setAttribute("aria-expanded", String(this.open));
    if (this.open) this.element.replaceChildren(...all.map((text) => h("span", {}, text)));
    else this.element.replaceChildren(h("span", {}, all[0] ?? ""), all.length > 1 ? h("b", {}, `+ ${all.length - 1}`) : "");
  }
}

/** Which of two runs is which: the run itself as it is, the other one transparent. */
export class RunKey {
  readonly element = h("div", { class: "runs", hidden: true });
  private readonly end = h("small");

  show(names: [string, string]): void {
    this.element.hidden = false;
    this.element.replaceChildren(h("span", {}, h("i"), h("span", {}, names[0])), h("span", {}, h("i", { class: "clear" }), h("span", {}, names[1]), this.end));
  }

  /** time from which on the other one stands still; null: it moves */
  ended(time: number | null): void {
    const text = time === null ? "" : `ends at ${figure(time)} s`;
    if (this.end.textContent !== text) this.end.textContent = text;
  }
}

export class Legend {
  readonly element = h("div", { class: "legend", hidden: true });
  private key = "";

  show(name: string, unit: string, low: number, high: number): void {
    const key = `${name} ${unit} ${low} ${high}`;
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = false;
    this.element.replaceChildren(h("span", { class: "title" }, unit ? `${name} [${unitText(unit)}]` : name),
      h("i", { style: `background:${SCALE_CSS}` }), h("span", { class: "ends" }, h("span", {}, figure(low, 3)), h("span", {}, figure((low + high) / 2, 3)), h("span", {}, figure(high, 3))));
  }

  hide(): void {
    this.element.hidden = true;
    this.key = "";
  }
}

export class Messages {
  readonly element = h("div", { class: "messages", role: "status" });

  show(text: string, kind: "notice" | "error" = "notice", seconds = 7): void {
    for (const other of this.element.children) if (other.textContent === text) return;
    const line = h("div", { class: `message ${kind}`, onclick: () => line.remove() }, text);
    this.element.append(line);
    while (this.element.children.length > 4) this.element.firstElementChild!.remove();
    window.setTimeout(() => line.remove(), seconds * 1000);
  }
}

const WORDS: Record<Link, string> = { connecting: "Connecting …", open: "", lost: "The server has gone. Trying again …", file: "" };

export class Connection {
  readonly element = h("div", { class: "connection", hidden: true, role: "status" });
  private was: Link = "connecting";

  set(link: Link): void {
    // while it is tried again and again the page says that the server has gone, not that it connects
    const shown = link === "connecting" && this.was === "lost" ? "lost" : link;
    if (link !== "connecting") this.was = link;
    this.element.textContent = WORDS[shown];
    this.element.hidden = WORDS[shown] === "";
    this.element.classList.toggle("lost", shown === "lost");
  }
}
