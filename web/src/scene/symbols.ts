/** Symbols of joints, by type, in a frame whose z is the joint's axis; and links that join them where bodies have no shapes. */

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Mesh, Object3D, Quaternion, SphereGeometry, TorusGeometry,
  Vector3, type Material,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Vec3 } from "../transport/types";

const Z = new Vector3(0, 0, 1);

export function turnTo(axis: Vec3 | undefined): Quaternion {
  const to = new Vector3(...(axis ?? [0, 0, 1]));
  return new Quaternion().setFromUnitVectors(Z, to.lengthSq() > 0 ? to.normalize() : Z);
}

/** size: radius of the symbol [m] */
export function jointSymbol(type: string, size: number): BufferGeometry | null {
  const along = (geometry: BufferGeometry) => geometry.rotateX(Math.PI / 2);
  const pin = (radius: number, length: number) => along(new CylinderGeometry(radius, radius, length, 24));
  switch (type) {
    case "revolute":
      return mergeGeometries([new TorusGeometry(size, 0.3 * size, 12, 32), pin(0.45 * size, 2 * size)]);
    case "prismatic":
      return mergeGeometries([new BoxGeometry(1.7 * size, 1.7 * size, 2.2 * size), pin(0.4 * size, 5.2 * size)]);
    case "helical":
    case "cylindrical":
      return mergeGeometries([pin(size, 2.2 * size), pin(0.4 * size, 5.2 * size), new TorusGeometry(size, 0.28 * size, 12, 32)]);
    case "universal":
      return mergeGeometries([pin(0.4 * size, 3 * size), new CylinderGeometry(0.4 * size, 0.4 * size, 3 * size, 20), new SphereGeometry(0.7 * size, 20, 14)]);
    case "spherical":
      return mergeGeometries([new SphereGeometry(1.05 * size, 24, 16), new TorusGeometry(1.05 * size, 0.22 * size, 12, 32)]);
    case "planar":
      return new BoxGeometry(4 * size, 4 * size, 0.3 * size);
    case "fixed":
      return new BoxGeometry(1.2 * size, 1.2 * size, 1.2 * size);
    default:
      return null;
  }
}

const TURNING = ["revolute", "helical", "cylindrical", "universal"];

/** An arrow along the axis of a joint, with a ring about it where it turns; null where a joint has no axis. */
export function axisArrow(type: string, length: number): BufferGeometry | null {
  if (type !== "prismatic" && type !== "planar" && !TURNING.includes(type)) return null;
  const [thin, tip] = [0.012 * length, 0.14 * length];
  const up = (geometry: BufferGeometry, z: number) => geometry.rotateX(Math.PI / 2).translate(0, 0, z);
  const parts = [up(new CylinderGeometry(thin, thin, 2 * length - tip, 12), -tip / 2), up(new CylinderGeometry(0, 0.35 * tip, tip, 16), length - tip / 2)];
  if (TURNING.includes(type)) parts.push(new TorusGeometry(0.16 * length, thin, 8, 32, 1.6 * Math.PI).translate(0, 0, 0.72 * length));
  return mergeGeometries(parts);
}

/** Rounded links, each through points, as one mesh. */
export function links(sticks: Vec3[][], radius: number, material: Material): Object3D {
  const parts: BufferGeometry[] = [];
  for (const points of sticks) {
    for (let k = 0; k + 1 < points.length; k++) {
      const [a, b] = [new Vector3(...points[k]), new Vector3(...points[k + 1])];
      const length = a.distanceTo(b);
      if (length < 1e-9) continue;
      const geometry = new CapsuleGeometry(radius, length, 4, 14).rotateX(Math.PI / 2).translate(0, 0, length / 2);
      geometry.applyQuaternion(new Quaternion().setFromUnitVectors(Z, b.clone().sub(a).normalize())).translate(a.x, a.y, a.z);
      parts.push(geometry);
    }
  }
  return parts.length ? new Mesh(mergeGeometries(parts), material) : new Object3D();
}

/** Three axes of unit length in red, green and blue. */
export function triad(): BufferGeometry {
  const colours = [[0.78, 0.11, 0.09], [0.13, 0.5, 0.14], [0.1, 0.25, 0.8]];
  const turns: ((g: BufferGeometry) => BufferGeometry)[] = [(g) => g.rotateZ(-Math.PI / 2), (g) => g, (g) => g.rotateX(Math.PI / 2)];
  return mergeGeometries(turns.map((turn, k) => {
    const shaft = new CylinderGeometry(0.025, 0.025, 0.8, 10).translate(0, 0.4, 0);
    const tip = new CylinderGeometry(0, 0.075, 0.2, 14).translate(0, 0.9, 0);
    const axis = turn(mergeGeometries([shaft, tip]));
    return paint(axis, colours[k]);
  }));
}

export function paint(geometry: BufferGeometry, colour: number[]): BufferGeometry {
  const count = geometry.getAttribute("position").count;
  const colours = new Float32Array(3 * count);
  for (let k = 0; k < count; k++) colours.set(colour, 3 * k);
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  return geometry;
}

/** The mark of a centre of mass: a ball of black and white quarters. */
export function comMark(radius: number): BufferGeometry {
  const ball = new SphereGeometry(radius, 24, 16).toNonIndexed();
  const position = ball.getAttribute("position");
  const colours = new Float32Array(3 * position.count);
  for (let k = 0; k < position.count; k += 3) {
    let [x, z] = [0, 0];
    for (let c = 0; c < 3; c++) [x, z] = [x + position.getX(k + c), z + position.getZ(k + c)];
    colours.fill(x * z > 0 ? 0.02 : 0.95, 3 * k, 3 * k + 9);
  }
  ball.setAttribute("color", new BufferAttribute(colours, 3));
  return ball;
}
