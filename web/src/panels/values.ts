/** The card of what was picked: name, position, orientation, speed, and its channels at the present time. */

import type { Scene } from "../transport/types";
import { button, h } from "./dom";
import { DEGREES, figure, length } from "./numbers";

export interface CardActions {
  follow(chase: boolean): void;
  /** whether the mouse pulls bodies from now on; null: it cannot, as nothing runs */
  pulls(): boolean | null;
  pull(on: boolean): void;
  close(): void;
}

export interface PickedValues {
  pose: ArrayLike<number>;
  /** m/s; null where it is not known */
  speed: number | null;
  channels: [string, string][];
}

export class Card {
  readonly element = h("aside", { class: "card", hidden: true });
  private readonly rows = new Map<string, HTMLElement>();
  private key = "";

  constructor(private readonly actions: CardActions) {}

  hide(): void {
    this.element.hidden = true;
    this.key = "";
  }

  private open(key: string, title: string, sub: string, follow: boolean): void {
    if (this.key === key) return;
    this.key = key;
    this.rows.clear();
    this.element.hidden = false;
    this.element.replaceChildren(
      h("header", {}, h("div", {}, h("h3", {}, title), sub ? h("small", {}, sub) : null), button("close", "Close (Esc)", () => this.actions.close())),
      h("dl", {}),
      follow ? h("div", { class: "actions" }, button("follow", "Follow (C)", () => this.actions.follow(false), "Follow"), button("camera", "Chase (V)", () => this.actions.follow(true), "Chase"), this.pull()) : h("span"));
  }

  private pull(): HTMLElement | null {
    const on = this.actions.pulls();
    if (on === null) return null;
    const element: HTMLButtonElement = button("pull", "The mouse pulls bodies (Ctrl and drag does so always)", () => {
      const now = !this.actions.pulls();
      this.actions.pull(now);
      element.classList.toggle("on", now);
    }, "Pull");
    element.classList.toggle("on", on);
    return element;
  }

  private row(name: string, text: string): void {
    let value = this.rows.get(name);
    if (!value) {
      value = h("dd", {});
      this.rows.set(name, value);
      this.element.querySelector("dl")!.append(h("dt", {}, name), value);
    }
    if (value.textContent !== text) value.textContent = text;
  }

  body(scene: Scene, body: number, joint: string | null, values: PickedValues): void {
    const { name } = scene.bodies[body];
    const inner = scene.joints.find(({ child }) => child === body);
    const sub = joint ?? (body === 0 ? "at rest" : inner ? `${inner.type} joint ${inner.name}` : "free");
    this.open(`body ${body} ${joint ?? ""}`, name, sub, body > 0);
    const { pose } = values;
    this.row("position", [pose[0], pose[1], pose[2]].map((x) => figure(x)).join("  ") + " m");
    this.row("roll pitch yaw", eulerDegrees(pose).map((x) => figure(x, 3)).join("  ") + " °");
    if (values.speed !== null) this.row("speed", `${figure(values.speed)} m/s`);
    const mass = scene.masses?.[body]?.mass;
    if (mass) this.row("mass", `${figure(mass)} kg`);
    for (const [channel, text] of values.channels) this.row(channel, text);
  }

  grain(index: number, at: ArrayLike<number>, radius: number): void {
    this.open(`grain ${index}`, `Grain ${index}`, "as drawn", false);
    this.row("position", [at[0], at[1], at[2]].map((x) => figure(x)).join("  ") + " m");
    this.row("radius", length(radius));
  }
}

/** Angles about x, y, z [deg] of a pose x y z w x y z: yaw, then pitch, then roll. */
export function eulerDegrees(pose: ArrayLike<number>): [number, number, number] {
  const [w, x, y, z] = [pose[3], pose[4], pose[5], pose[6]];
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  const pitch = Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - z * x))));
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  return [roll * DEGREES, pitch * DEGREES, yaw * DEGREES];
}
