/** Tyres with tread on a rim, turned by the spin of their wheel. */

import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, Group, Mesh } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Wheel } from "../transport/types";
import { isPlain, surface } from "./materials";
import { turnTo } from "./symbols";

const LUGS = { fine: 26, plain: 14 };
const ROUND = { fine: 36, plain: 20 };

export class Wheels {
  private readonly turning: Group[] = [];

  constructor(wheels: Wheel[], bodies: Group[], opacity: number) {
    const rubber = surface({ colour: new Color("#26282c"), opacity });
    const steel = surface({ colour: new Color("#aeb5bd"), metal: true, opacity });
    for (const { body, at, axis, radius, width } of wheels) {
      const turning = new Group();
      const placed = new Group();
      placed.position.set(...at);
      placed.quaternion.copy(turnTo(axis));
      turning.add(new Mesh(tyre(radius, width), rubber), new Mesh(rim(0.625 * radius, width), steel));
      placed.add(turning);
      bodies[body]?.add(placed);
      this.turning.push(turning);
    }
  }

  spin(angles: Float32Array): void {
    this.turning.forEach((wheel, k) => (wheel.rotation.z = angles[k] ?? 0));
  }
}

/** A ring about z whose outer faces carry lugs, staggered between the two sides. */
function tyre(radius: number, width: number): BufferGeometry {
  const lug = (isPlain() ? 0.02 : 0.035) * radius;
  // share of the half width, radius, how much of a lug; where the processor draws, each triangle costs
  const profile = isPlain() ? [[-0.9, 0.57 * radius, 0], [-0.94, radius - lug, 1], [0, radius - lug, 0], [0.94, radius - lug, -1], [0.9, 0.57 * radius, 0]] : [
    [-0.8, 0.6 * radius, 0], [-0.98, 0.72 * radius, 0], [-1, 0.86 * radius, 0], [-0.86, radius - lug, 1], [-0.06, radius - lug, 1],
    [0.06, radius - lug, -1], [0.86, radius - lug, -1], [1, 0.86 * radius, 0], [0.98, 0.72 * radius, 0], [0.8, 0.6 * radius, 0],
  ];
  const rows = 4 * (isPlain() ? LUGS.plain : LUGS.fine);
  const positions: number[] = [];
  const corner = (row: number, k: number) => {
    const [across, base, side] = profile[k];
    const raised = side !== 0 && (row + (side > 0 ? 2 : 0)) % 4 < 2 ? lug : 0;
    const angle = (2 * Math.PI * (row + 0.5 * Math.sign(side) * Math.abs(across))) / rows;
    return [(base + raised) * Math.cos(angle), (base + raised) * Math.sin(angle), (across * width) / 2];
  };
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k + 1 < profile.length; k++) {
      const [a, b, c, d] = [corner(row, k), corner(row + 1, k), corner(row + 1, k + 1), corner(row, k + 1)];
      positions.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  geometry.computeVertexNormals();
  return geometry;
}

function rim(radius: number, width: number): BufferGeometry {
  const flat = (r: number, h: number, n: number, open = false) => new CylinderGeometry(r, r, h, n, 1, open).rotateX(Math.PI / 2);
  const round = isPlain() ? ROUND.plain : ROUND.fine;
  const parts = [flat(radius, 0.7 * width, round), flat(0.3 * radius, 0.86 * width, round / 2)];
  for (let k = 0; k < 6; k++) {
    const angle = (2 * Math.PI * k) / 6;
    parts.push(flat(0.07 * radius, 0.78 * width, isPlain() ? 5 : 10).translate(0.5 * radius * Math.cos(angle), 0.5 * radius * Math.sin(angle), 0));
  }
  return mergeGeometries(parts);
}
