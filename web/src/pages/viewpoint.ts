/** From where a scene is looked at. */

import { Vector3 } from "three";
import type { World } from "../scene/world";
import type { Scene } from "../transport/types";

/** From where the scene says; a vehicle that goes far is followed. */
export function firstLook(world: World, scene: Scene): void {
  const { camera } = world.stage;
  camera.view(scene.camera?.view ?? "iso", undefined, undefined, true);
  camera.fit(world.room, true);
  const follow = scene.camera?.follow;
  if (typeof follow !== "number" || !world.machine.bodies[follow]) return;
  camera.follow(world.machine.bodies[follow]);
  camera.fit(world.machine.moving, true);
}

/** A standard view, "follow", "chase" or "fit", or a place; body: which one to follow. Whether there is such a view. */
export function lookFrom(world: World, scene: Scene | null, to: string | { position: number[]; target: number[] }, body?: number): boolean {
  const { camera } = world.stage;
  const fit = () => camera.fit(camera.followed ? world.machine.moving : world.terrain ? world.machine.box() : world.room);
  world.stage.invalidate();
  if (typeof to !== "string") {
    camera.look(new Vector3(...to.position), new Vector3(...to.target));
    return true;
  }
  if (to === "fit") {
    fit();
    return true;
  }
  if (to === "follow" || to === "chase") {
    const wanted = body ?? scene?.camera?.follow ?? Math.min(1, world.machine.bodies.length - 1);
    camera.follow(world.machine.bodies[wanted] ?? null, to === "chase");
    return true;
  }
  const known = camera.view(to);
  if (known && !camera.followed) fit();
  return known;
}
