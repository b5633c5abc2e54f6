/** Arrows of forces, reactions and contacts: two instanced meshes, shafts and tips. */

import { ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3, type ColorRepresentation } from "three";
import { before } from "../playback/film";
import type { Arrows as Data } from "../transport/types";

const Y = new Vector3(0, 1, 0);
const NONE = new Matrix4().makeScale(0, 0, 0);

export class Arrows {
  readonly root = new Group();
  private shafts: InstancedMesh | null = null;
  private tips: InstancedMesh | null = null;
  private readonly material: MeshStandardMaterial;
  private readonly tail = new Vector3();
  private readonly way = new Vector3();
  private readonly turn = new Quaternion();
  private readonly matrix = new Matrix4();
  private readonly scale = new Vector3();

  /** thickness: of the shafts [m] */
  constructor(colour: ColorRepresentation, private readonly thickness: number) {
    this.material = new MeshStandardMaterial({ color: colour, roughness: 0.6 });
  }

  private reserve(count: number): void {
    if (this.shafts && this.shafts.instanceMatrix.count >= count) return;
    this.root.clear();
    this.shafts?.dispose();
    this.tips?.dispose();
    const room = Math.max(16, 2 * count);
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), this.material, room);
    this.tips = new InstancedMesh(new ConeGeometry(1, 1, 14).translate(0, 0.5, 0), this.material, room);
    for (const mesh of [this.shafts, this.tips]) {
      mesh.frustumCulled = false;
      mesh.raycast = () => {};
      this.root.add(mesh);
    }
  }

  /** Arrows of a film at a time (the sample before it), or those of one frame. */
  show(data: Data, time = 0): void {
    const row = data.times && data.times.length > 1 ? before(data.times, time) : 0;
    this.draw(data.tails, data.heads, row * data.count * 3, data.count);
  }

  draw(tails: ArrayLike<number>, heads: ArrayLike<number>, first: number, count: number): void {
    this.reserve(count);
    const { tail, way, turn, matrix, scale, thickness } = this;
    for (let k = 0; k < count; k++) {
      const at = first + 3 * k;
      tail.set(tails[at], tails[at + 1], tails[at + 2]);
      way.set(heads[at], heads[at + 1], heads[at + 2]).sub(tail);
      const length = way.length();
      if (!(length > 1e-3 * thickness)) {
        this.shafts!.setMatrixAt(k, NONE);
        this.tips!.setMatrixAt(k, NONE);
        continue;
      }
      turn.setFromUnitVectors(Y, way.divideScalar(length));
      const tip = Math.min(5 * thickness, 0.6 * length);
      this.shafts!.setMatrixAt(k, matrix.compose(tail, turn, scale.set(thickness, length - tip, thickness)));
      tail.addScaledVector(way, length - tip);
      this.tips!.setMatrixAt(k, matrix.compose(tail, turn, scale.set(0.42 * tip, tip, 0.42 * tip)));
    }
    for (const mesh of [this.shafts!, this.tips!]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
