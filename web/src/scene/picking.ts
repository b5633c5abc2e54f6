/** What lies under the mouse: a body, a joint's symbol, or a grain. */

import { Raycaster, Vector2, Vector3, type Camera, type Object3D } from "three";
import type { Joint } from "../transport/types";
import type { Grains } from "./grains";
import type { Machine } from "./machine";

export interface Picked {
  body: number | null;
  joint: Joint | null;
  grain: number | null;
  point: Vector3;
  distance: number;
}

const ray = new Raycaster();

/** x, y: from -1 to 1 across the picture, y up. */
export function pick(machine: Machine, grains: Grains | null, camera: Camera, x: number, y: number): Picked | null {
  ray.setFromCamera(new Vector2(x, y), camera);
  let found: Picked | null = null;
  for (const hit of ray.intersectObjects(machine.bodies, true)) {
    if (!visible(hit.object)) continue;
    const body = ownerOf(hit.object);
    const joint = (hit.object.userData.joint as Joint | undefined) ?? null;
    found = { body, joint, grain: null, point: hit.point, distance: hit.distance };
    break;
  }
  const grain = grains?.pick(ray.ray.origin, ray.ray.direction);
  if (grain && (!found || grain.distance < found.distance)) {
    return { body: null, joint: null, grain: grain.index, point: grain.at, distance: grain.distance };
  }
  return found;
}

/** Where the mouse is, in the plane through a point that faces the camera. */
export function unproject(camera: Camera, x: number, y: number, through: Vector3): Vector3 {
  ray.setFromCamera(new Vector2(x, y), camera);
  const normal = camera.getWorldDirection(new Vector3());
  const along = through.clone().sub(ray.ray.origin).dot(normal) / ray.ray.direction.dot(normal);
  return ray.ray.at(along, new Vector3());
}

function ownerOf(object: Object3D): number | null {
  for (let up: Object3D | null = object; up; up = up.parent) if (up.userData.body !== undefined) return up.userData.body as number;
  return null;
}

function visible(object: Object3D): boolean {
  for (let up: Object3D | null = object; up; up = up.parent) if (!up.visible) return false;
  return true;
}
