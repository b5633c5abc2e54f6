/** Where bodies stand at first, and how large a machine is. */

import { Box3, Vector3 } from "three";
import { POSE } from "../playback/film";
import type { Scene } from "../transport/types";

/** Poses as they are given, else at the origin. */
export function restPoses(scene: Scene, first: Float32Array | null): Float32Array {
  const poses = new Float32Array(POSE * scene.bodies.length);
  for (let k = 0; k < scene.bodies.length; k++) poses[POSE * k + 3] = 1;
  if (first) poses.set(first.subarray(0, poses.length));
  return poses;
}

/** Median reach of what the bodies are made of, and how far they lie apart: the scale of symbols. */
export function machineSize(scene: Scene, poses: Float32Array): number {
  const box = new Box3();
  const point = new Vector3();
  scene.bodies.forEach((body, k) => {
    const [x, y, z] = poses.subarray(POSE * k, POSE * k + 3);
    const grow = (at: readonly number[], reach: number) => {
      box.expandByPoint(point.set(x + at[0] - reach, y + at[1] - reach, z + at[2] - reach));
      box.expandByPoint(point.set(x + at[0] + reach, y + at[1] + reach, z + at[2] + reach));
    };
    if (k > 0) grow([0, 0, 0], 0);
    for (const points of body.sticks) for (const at of points) if (k > 0) grow(at, 0);
    for (const shape of body.shapes) {
      if (shape.type === "plane" || (k === 0 && scene.bodies.length > 1)) continue;
      const reach = Math.max(shape.radius ?? 0, shape.length ?? 0, ...(shape.size ?? []).map((edge) => edge / 2), ...(shape.radii ?? []));
      grow(shape.at ?? [0, 0, 0], reach);
    }
  });
  const size = box.isEmpty() ? 0 : box.getSize(point).length();
  return size > 0 ? size : 1;
}
