/** What lies over the picture: the scale bar, the legend of colours, messages, the state of the connection. */

import { SCALE_CSS } from "../scene/colours";
import { roundLength } from "../scene/ground";
import type { Link } from "../transport/transport";
import { h } from "./dom";
import { figure, length } from "./numbers";

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

export class Legend {
  readonly element = h("div", { class: "legend", hidden: true });
  private key = "";

  show(name: string, unit: string, low: number, high: number): void {
    const key = `${name} ${unit} ${low} ${high}`;
    if (key === this.key) return;
    this.key = key;
    this.element.hidden = false;
    this.element.replaceChildren(h("span", { class: "title" }, unit ? `${name} [${unit}]` : name),
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
