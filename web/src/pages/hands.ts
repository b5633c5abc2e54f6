/** What a person does with the mouse in the scene: pick and look at a body, follow it, pull it in a run that is live. */

import type { Vector3 } from "three";
import { partsOf, valueAt } from "../charts/series";
import { figure, unitText } from "../panels/numbers";
import type { Card } from "../panels/values";
import { pick, unproject, type Picked } from "../scene/picking";
import { speedOf } from "./painting";
import type { Viewer } from "./viewer";

const MOST_CHANNELS = 12; // in the card of a body

export class Hands {
  private picked: Picked | null = null;
  private pulled: { body: number; point: Vector3; x: number; y: number } | null = null;
  /** whether a drag over a body pulls it, without a key */
  private pulling = false;

  /** picks: told which body is picked */
  constructor(private readonly viewer: Viewer, private readonly card: Card, private readonly picks: (body: number | null) => void) {}

  showCard(): void {
    const { viewer, picked } = this;
    const { scene, film, clock } = viewer;
    if (!picked || !scene) return;
    if (picked.grain !== null) {
      const radius = viewer.world.grains.shown?.radius ?? 0;
      return this.card.grain(picked.grain, picked.point.toArray(), typeof radius === "number" ? radius : radius[picked.grain]);
    }
    if (picked.body === null) return;
    const prefix = `${scene.bodies[picked.body].name}.`;
    const joint = picked.joint ?? scene.joints.find(({ child }) => child === picked.body) ?? null;
    const own = scene.channels.filter(({ name }) => name.startsWith(prefix) || (joint && name.startsWith(`${joint.name}.`)));
    const rows: [string, string][] = [];
    for (const { name } of own) {
      const series = viewer.store.get(name);
      for (const { unit, columns, label } of series ? partsOf(series) : []) {
        if (columns.length > 3 || rows.length >= MOST_CHANNELS) continue;
        rows.push([label ? `${name} ${label}` : name, `${columns.map((c) => figure(valueAt(series!, c, clock.time))).join("  ")} ${unitText(unit)}`]);
      }
    }
    const pose = viewer.world.moment.poses.subarray(7 * picked.body, 7 * picked.body + 7);
    this.card.body(scene, picked.body, picked.joint ? `${picked.joint.type} joint ${picked.joint.name}` : null, { pose, speed: film && film.count > 1 ? speedOf(film, picked.body, clock.time) : null, channels: rows });
  }

  under(x: number, y: number, grains = true): Picked | null {
    const { world, stage } = this.viewer;
    return this.viewer.scene ? pick(world.machine, grains ? world.grains : null, stage.camera.eye, x, y) : null;
  }

  select(picked: Picked | null): void {
    this.picked = picked;
    this.viewer.world.machine?.highlight(picked?.body || null);
    this.picks(picked?.body ?? null);
    if (picked) this.showCard();
    else this.card.hide();
    this.viewer.stage.invalidate();
  }

  lookAt(x: number, y: number): void {
    const found = this.under(x, y);
    if (!found) return;
    const { camera } = this.viewer.stage;
    camera.follow(null);
    camera.target.copy(found.point);
    this.viewer.stage.invalidate();
  }

  follow(chase: boolean): void {
    if (this.viewer.stage.camera.followed && !chase && !this.viewer.stage.camera.chasing) this.viewer.stage.camera.follow(null);
    else this.viewer.camera(chase ? "chase" : "follow", this.picked?.body || undefined);
  }

  /** Null: nothing runs that could be pulled. */
  get pulls(): boolean | null {
    return this.viewer.live ? this.pulling : null;
  }

  setPulling(on: boolean): void {
    this.pulling = on;
  }

  /** asked: by a key, whatever the mode. */
  grab(x: number, y: number, asked: boolean): boolean {
    const { viewer } = this;
    if (!viewer.live || !(asked || this.pulling)) return false;
    const found = this.under(x, y, false);
    if (!found?.body) return false;
    const body = viewer.world.machine.bodies[found.body];
    this.pulled = { body: found.body, point: body.worldToLocal(found.point.clone()), x, y };
    this.select(found);
    this.pull(x, y);
    return true;
  }

  pull(x: number, y: number): void {
    if (!this.pulled) return;
    Object.assign(this.pulled, { x, y });
    const { body, point } = this.pulled;
    const target = this.stretch()!;
    this.viewer.transport.send({ drag: { body, point: point.toArray(), target: target.toArray() } });
    this.viewer.stage.invalidate();
  }

  /** Draws the spring from the body, which moves, to the mouse; where that is. */
  stretch(): Vector3 | null {
    if (!this.pulled) return null;
    const { world, stage } = this.viewer;
    const { body, point, x, y } = this.pulled;
    const at = world.machine.bodies[body].localToWorld(point.clone());
    const target = unproject(stage.camera.eye, x, y, at);
    world.pull.set(Float32Array.from([...at.toArray(), ...target.toArray()]));
    return target;
  }

  release(): void {
    this.pulled = null;
    this.viewer.world.pull.set(new Float32Array());
    this.viewer.transport.send({ drag: null });
    this.viewer.stage.invalidate();
  }
}
