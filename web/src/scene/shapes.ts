/** Geometry of shapes. Bars extend from their origin along +z; hollow shapes are thin walls without their open faces. */

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, PlaneGeometry, SphereGeometry,
} from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Shape } from "../transport/types";

/** Around a bar; a thin rod needs few. */
const AROUND = 32;

/** reach: half the width of an infinite plane as it is drawn [m] */
export function geometryOf(shape: Shape, reach: number): BufferGeometry | null {
  const { radius = 0.1, length = 0.1 } = shape;
  switch (shape.type) {
    case "sphere":
      return new SphereGeometry(radius, 32, 20);
    case "ellipsoid": {
      const [a, b, c] = shape.radii ?? [radius, radius, radius];
      return new SphereGeometry(1, 32, 20).scale(a, b, c);
    }
    case "box":
      return shape.hollow ? hollowBox(shape) : solidBox(shape);
    case "capsule":
      return upright(new CapsuleGeometry(radius, length, 8, AROUND), length);
    case "cylinder":
      return shape.hollow ? hollowBar(shape, radius) : upright(new CylinderGeometry(radius, radius, length, AROUND), length);
    case "cone": {
      const top = shape.top_radius ?? 0;
      return shape.hollow ? hollowBar(shape, top) : upright(new CylinderGeometry(top, radius, length, AROUND), length);
    }
    case "plane":
      return new PlaneGeometry(2 * reach, 2 * reach);
    case "mesh":
      return mesh(shape);
    default:
      return null;
  }
}

/** three's bars stand along y about their middle. */
function upright(geometry: BufferGeometry, length: number): BufferGeometry {
  return geometry.rotateX(Math.PI / 2).translate(0, 0, length / 2);
}

function solidBox(shape: Shape): BufferGeometry {
  const [x, y, z] = shape.size ?? [0.1, 0.1, 0.1];
  const least = Math.min(x, y, z);
  // edges catch the light when they are a little round; a plate that thin has none to see
  if (least < 0.02 * Math.max(x, y, z)) return new BoxGeometry(x, y, z);
  return new RoundedBoxGeometry(x, y, z, 2, 0.08 * least);
}

function hollowBox(shape: Shape): BufferGeometry {
  const [x, y, z] = shape.size ?? [0.1, 0.1, 0.1];
  const closed = (face: string) => !shape.open?.includes(face);
  const faces: BufferGeometry[] = [];
  const half = Math.PI / 2;
  if (closed("z+")) faces.push(new PlaneGeometry(x, y).translate(0, 0, z / 2));
  if (closed("z-")) faces.push(new PlaneGeometry(x, y).rotateX(2 * half).translate(0, 0, -z / 2));
  if (closed("y+")) faces.push(new PlaneGeometry(x, z).rotateX(-half).translate(0, y / 2, 0));
  if (closed("y-")) faces.push(new PlaneGeometry(x, z).rotateX(half).translate(0, -y / 2, 0));
  if (closed("x+")) faces.push(new PlaneGeometry(z, y).rotateY(half).translate(x / 2, 0, 0));
  if (closed("x-")) faces.push(new PlaneGeometry(z, y).rotateY(-half).translate(-x / 2, 0, 0));
  return faces.length ? mergeGeometries(faces) : new BufferGeometry();
}

function hollowBar(shape: Shape, top: number): BufferGeometry {
  const { radius = 0.1, length = 0.1 } = shape;
  const parts: BufferGeometry[] = [upright(new CylinderGeometry(top, radius, length, AROUND, 1, true), length)];
  const disc = (r: number, z: number) => upright(new CylinderGeometry(r, r, 1e-6, AROUND), 1e-6).translate(0, 0, z);
  if (!shape.open?.includes("base")) parts.push(disc(radius, 0));
  if (!shape.open?.includes("top") && top > 0) parts.push(disc(top, length));
  return mergeGeometries(parts);
}

function mesh(shape: Shape): BufferGeometry | null {
  if (!shape.vertices || !shape.triangles) return null;
  const plain = new BufferGeometry();
  plain.setAttribute("position", new BufferAttribute(Float32Array.from(shape.vertices.data), 3));
  plain.setIndex(new BufferAttribute(Uint32Array.from(shape.triangles.data), 1));
  if (shape.colours) {
    const width = shape.colours.shape[1] ?? 3;
    const count = shape.colours.data.length / width;
    const scale = shape.colours.data instanceof Uint8Array ? 1 / 255 : 1;
    const linear = new Float32Array(count * 3);
    for (let k = 0; k < count; k++) {
      for (let c = 0; c < 3; c++) linear[3 * k + c] = (shape.colours.data[width * k + c] * scale) ** 2.2;
    }
    plain.setAttribute("color", new BufferAttribute(linear, 3));
  }
  return creased(plain);
}

/** Normals that are smooth where faces meet at less than 30 degrees, and sharp elsewhere. */
function creased(geometry: BufferGeometry): BufferGeometry {
  const flat = geometry.toNonIndexed();
  const position = flat.getAttribute("position");
  const count = position.count;
  const faceNormals = new Float32Array(count);
  const byPoint = new Map<string, number[]>();
  const p = position.array;
  for (let face = 0; face < count / 3; face++) {
    const a = 9 * face;
    const [ux, uy, uz] = [p[a + 3] - p[a], p[a + 4] - p[a + 1], p[a + 5] - p[a + 2]];
    const [vx, vy, vz] = [p[a + 6] - p[a], p[a + 7] - p[a + 1], p[a + 8] - p[a + 2]];
    faceNormals.set([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], 3 * face); // length: twice the area
    for (let corner = 0; corner < 3; corner++) {
      const at = a + 3 * corner;
      const key = `${p[at].toPrecision(6)},${p[at + 1].toPrecision(6)},${p[at + 2].toPrecision(6)}`;
      const faces = byPoint.get(key);
      if (faces) faces.push(face);
      else byPoint.set(key, [face]);
    }
  }
  const normals = new Float32Array(3 * count);
  const unit = (face: number) => Math.hypot(faceNormals[3 * face], faceNormals[3 * face + 1], faceNormals[3 * face + 2]) || 1;
  for (let corner = 0; corner < count; corner++) {
    const at = 3 * corner;
    const face = Math.floor(corner / 3);
    const key = `${p[at].toPrecision(6)},${p[at + 1].toPrecision(6)},${p[at + 2].toPrecision(6)}`;
    const sum = [0, 0, 0];
    for (const other of byPoint.get(key)!) {
      let dot = 0;
      for (let c = 0; c < 3; c++) dot += faceNormals[3 * face + c] * faceNormals[3 * other + c];
      if (dot / (unit(face) * unit(other)) < 0.866) continue;
      for (let c = 0; c < 3; c++) sum[c] += faceNormals[3 * other + c];
    }
    const length = Math.hypot(...sum) || 1;
    normals.set(sum.map((part) => part / length), at);
  }
  flat.setAttribute("normal", new BufferAttribute(normals, 3));
  return flat;
}
