/** Channels that charts can show: grouped by what they belong to, with a search. */

import type { Channel } from "../transport/types";
import { partsOf } from "../charts/series";
import { h } from "./dom";
import { unitText } from "./numbers";

const MOST_FOUND = 200;

export class ChannelList {
  readonly element = h("div", { class: "channels" });
  private readonly body = h("div", { class: "list" });
  private readonly search: HTMLInputElement;

  constructor(private readonly channels: Channel[], private readonly charted: (name: string, unit: string) => boolean,
    private readonly toggle: (name: string, unit: string) => void) {
    this.search = h("input", { type: "search", class: "search", placeholder: `Search ${channels.length} channels`, oninput: () => this.update() });
    this.element.append(this.search, this.body);
    this.update();
  }

  update(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const open = new Set([...this.body.querySelectorAll<HTMLDetailsElement>("details[open]")].map((group) => group.dataset.name));
    this.body.replaceChildren();
    if (words.length) {
      const found = this.channels.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
      this.body.append(...found.slice(0, MOST_FOUND).flatMap((channel) => this.rows(channel, channel.name)));
      if (found.length > MOST_FOUND) this.body.append(h("p", { class: "note" }, `${found.length - MOST_FOUND} more: search for more of the name.`));
      if (!found.length) this.body.append(h("p", { class: "note" }, "No channel has such a name."));
      return;
    }
    const groups = new Map<string, Channel[]>();
    for (const channel of this.channels) {
      const at = channel.name.indexOf(".");
      const key = at > 0 ? channel.name.slice(0, at) : "";
      groups.set(key, [...(groups.get(key) ?? []), channel]);
    }
    for (const [name, channels] of groups) {
      if (name === "") {
        this.body.prepend(...channels.flatMap((channel) => this.rows(channel, channel.name)));
        continue;
      }
      const rows = h("div", {});
      const group = h("details", { "data-name": name }, h("summary", {}, h("span", { class: "name" }, name), h("span", { class: "count" }, String(channels.length))), rows);
      const fill = () => rows.childElementCount || rows.append(...channels.flatMap((channel) => this.rows(channel, channel.name.slice(name.length + 1))));
      group.ontoggle = fill;
      if (open.has(name) || groups.size === 1) {
        group.open = true;
        fill();
      }
      this.body.append(group);
    }
  }

  /** One row for each unit: moments and forces of a reaction are charted apart. */
  private rows(channel: Channel, label: string): HTMLElement[] {
    return partsOf(channel).map(({ unit, label: part }) => {
      const on = this.charted(channel.name, unit);
      const name = part ? `${channel.name} ${part}` : channel.name;
      return h("button", { class: `channel${on ? " on" : ""}`, type: "button", title: `${on ? "Remove" : "Chart"} ${name}${unit ? ` [${unit}]` : ""}`, onclick: () => this.toggle(channel.name, unit) },
        h("span", { class: "mark" }), h("span", { class: "name" }, label, part && h("small", {}, part)), h("span", { class: "unit" }, unitText(unit)));
    });
  }
}
