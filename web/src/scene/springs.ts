/** Springs as helices, and struts and dampers as a tube with a rod, between points of two bodies. */

import { Curve, CylinderGeometry, Group, Mesh, TubeGeometry, Vector3, type Material } from "three";
import type { Anchor, Spring } from "../transport/types";
import { isPlain } from "./materials";

const Z = new Vector3(0, 0, 1);
const COILS = 9;
const ROD = 0.7; // length of a rod, by that of its strut

class Helix extends Curve<Vector3> {
  constructor(
    private readonly radius: number,
    private readonly rest: number,
  ) {
    super();
  }

  /** From z = 0 to the rest length, where the wire is round; the ends run into the axis. */
  override getPoint(t: number, out = new Vector3()): Vector3 {
    const end = 0.08;
    const s = Math.min(1, Math.max(0, (t - end) / (1 - 2 * end)));
    const fade = Math.min(1, t / end, (1 - t) / end);
    const angle = 2 * Math.PI * COILS * s;
    return out.set(this.radius * fade * Math.cos(angle), this.radius * fade * Math.sin(angle), t * this.rest);
  }
}

interface Part {
  a: Anchor;
  b: Anchor;
  group: Group;
  /** scaled to the length */
  coil: Mesh | null;
  /** kept at the far end */
  rod: Mesh | null;
  rest: number;
}

export class Springs {
  readonly root = new Group();
  private readonly parts: Part[] = [];
  private readonly p = new Vector3();
  private readonly q = new Vector3();

  constructor(springs: Spring[], private readonly bodies: Group[], material: Material, size: number) {
    const radius = 0.022 * size;
    const pieces = isPlain() ? 8 : 14; // of a coil; where the processor draws, each triangle costs
    for (const { type, a, b, name } of springs) {
      if (!a || !b || !bodies[a.body] || !bodies[b.body]) continue;
      const group = new Group();
      group.name = name;
      const rest = this.ends(a, b);
      const damped = /strut|damper|actuator|cylinder/.test(type);
      const coiled = !/damper|actuator|cylinder/.test(type);
      const around = damped ? 1.25 * radius : radius;
      const coil = coiled ? new Mesh(new TubeGeometry(new Helix(around, rest), pieces * COILS, 0.16 * radius, isPlain() ? 3 : 5), material) : null;
      const tube = (r: number, length: number) => new CylinderGeometry(r, r, length, isPlain() ? 10 : 20).rotateX(Math.PI / 2).translate(0, 0, length / 2);
      const rod = damped ? new Mesh(tube(0.3 * radius, ROD * rest).translate(0, 0, -ROD * rest), material) : null;
      if (coil) group.add(coil);
      if (rod) group.add(new Mesh(tube(0.75 * radius, 0.5 * rest), material), rod);
      this.root.add(group);
      this.parts.push({ a, b, group, coil, rod, rest });
    }
  }

  private ends(a: Anchor, b: Anchor): number {
    this.bodies[a.body].localToWorld(this.p.set(...a.at));
    this.bodies[b.body].localToWorld(this.q.set(...b.at));
    return Math.max(this.p.distanceTo(this.q), 1e-6);
  }

  update(): void {
    for (const { a, b, group, coil, rod, rest } of this.parts) {
      const length = this.ends(a, b);
      group.position.copy(this.p);
      group.quaternion.setFromUnitVectors(Z, this.q.sub(this.p).divideScalar(length));
      if (coil) coil.scale.z = length / rest;
      if (!rod) continue;
      rod.position.z = length;
      rod.scale.z = Math.min(1, length / (ROD * rest)); // it does not come out at the other end
    }
  }
}
