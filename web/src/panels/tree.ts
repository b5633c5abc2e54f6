/** The bodies as the tree that the joints make of them: pick, hide, draw a trail. */

import { colourOf } from "../scene/colours";
import type { Scene } from "../transport/types";
import { h, icon, setIcon } from "./dom";

export interface TreeActions {
  pick(body: number): void;
  follow(body: number): void;
  show(body: number, on: boolean): void;
  trail(body: number, on: boolean): void;
}

export class BodyTree {
  readonly element = h("div", { class: "tree", role: "tree" });
  private readonly rows: HTMLElement[] = [];

  constructor(scene: Scene, private readonly actions: TreeActions, trailed: (body: number) => boolean) {
    const children = new Map<number, number[]>();
    const parents = new Map<number, number>();
    for (const { parent, child } of scene.joints) {
      if (parents.has(child)) continue;
      parents.set(child, parent);
      children.set(parent, [...(children.get(parent) ?? []), child]);
    }
    const seen = new Set<number>();
    const visit = (body: number, depth: number) => {
      if (seen.has(body) || !scene.bodies[body]) return;
      seen.add(body);
      this.add(scene, body, depth, trailed(body));
      for (const child of children.get(body) ?? []) visit(child, Math.min(depth + 1, 6));
    };
    visit(0, 0);
    scene.bodies.forEach((_, body) => visit(body, parents.has(body) ? 1 : 0));
  }

  private add(scene: Scene, body: number, depth: number, trailed: boolean): void {
    const { name, colour } = scene.bodies[body];
    const eye = h("button", { class: "tiny", type: "button", title: "Show or hide", onclick: (event: Event) => {
      event.stopPropagation();
      const on = row.classList.toggle("off") === false;
      setIcon(eye, on ? "eye" : "hidden");
      this.actions.show(body, on);
    } }, icon("eye"));
    const trail = h("button", { class: `tiny trail${trailed ? " on" : ""}`, type: "button", title: "Draw its trail", onclick: (event: Event) => {
      event.stopPropagation();
      this.actions.trail(body, trail.classList.toggle("on"));
    } }, icon("trail"));
    const row = h("div", { class: "row", role: "treeitem", tabIndex: 0, style: `--depth:${depth}`, title: `${name} (click: pick; double click: follow)`,
      onclick: () => this.actions.pick(body), ondblclick: () => this.actions.follow(body),
      onkeydown: (event: KeyboardEvent) => event.key === "Enter" && this.actions.pick(body) },
      h("span", { class: "swatch", style: `background:#${colourOf(colour, body - 1).getHexString()}` }),
      h("span", { class: "name" }, name), body > 0 ? trail : null, eye);
    this.rows[body] = row;
    this.element.append(row);
  }

  select(body: number | null): void {
    this.rows.forEach((row, k) => row?.classList.toggle("picked", k === body));
    if (body !== null) this.rows[body]?.scrollIntoView({ block: "nearest" });
  }
}
