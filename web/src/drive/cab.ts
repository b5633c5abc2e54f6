/** What the driver sees of the cab: windscreen pillars, the dashboard and the steering wheel. Seen from inside alone. */

import { BoxGeometry, Color, CylinderGeometry, Group, Mesh, Quaternion, TorusGeometry, Vector3, type BufferGeometry } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { surface } from "../scene/materials";

/** Where the driver sits, in the frame of the chassis [m]: x to the front, y to the left. */
export interface CabData {
  eye: [number, number, number];
  /** lower edge of the windscreen, height and place of the upper one, and half its width; of a drawn body alone */
  screen: { x: number; z: number; top_x: number; top_z: number; half: number; top_half: number } | null;
}

const TURNS = 1.25; // of the steering wheel to each side
const TRIM = "#24292d";
const RIM = "#15181a";
const X = new Vector3(1, 0, 0);
const Z = new Vector3(0, 0, 1);

export class Cab {
  readonly root = new Group();
  private readonly wheel = new Group();

  constructor({ eye, screen }: CabData) {
    this.root.visible = false;
    if (!screen) return;
    const trim = surface({ colour: new Color(TRIM) });
    const { x, z, top_x, top_z, half, top_half } = screen;
    const bar = (from: Vector3, to: Vector3, thick: number): BufferGeometry => {
      const along = to.clone().sub(from);
      const turn = new Quaternion().setFromUnitVectors(X, along.clone().normalize());
      return new BoxGeometry(along.length(), thick, thick).applyQuaternion(turn).translate(...from.clone().add(to).multiplyScalar(0.5).toArray());
    };
    const parts: BufferGeometry[] = [];
    for (const side of [-1, 1]) parts.push(bar(new Vector3(x, side * half, z), new Vector3(top_x, side * top_half, top_z), 0.045));
    parts.push(bar(new Vector3(top_x, -top_half, top_z), new Vector3(top_x, top_half, top_z), 0.07));
    const depth = 0.42 * (x - eye[0]);
    parts.push(new BoxGeometry(x - eye[0] + 0.6, 2 * half, 0.01).translate(0.5 * (x + eye[0]) - 0.3, 0, z + 0.006)); // over the seats
    parts.push(new BoxGeometry(depth, 2 * half, 0.1).translate(x - 0.5 * depth, 0, z - 0.02));
    parts.push(new BoxGeometry(0.4 * depth, 0.5, 0.07).translate(x - 0.7 * depth, eye[1], z + 0.06)); // above the dials
    this.root.add(new Mesh(mergeGeometries(parts), trim));
    // the rim stands before the driver, tilted back
    const [radius, thick] = [0.19, 0.016];
    const spoke = (angle: number) => new BoxGeometry(radius, 0.03, 0.012).translate(radius / 2, 0, 0).rotateZ(angle);
    const hub = new CylinderGeometry(0.045, 0.045, 0.03, 12).rotateX(Math.PI / 2);
    const rim = mergeGeometries([new TorusGeometry(radius, thick, 6, 28), spoke(0), spoke(Math.PI), spoke(-Math.PI / 2), hub]);
    this.wheel.add(new Mesh(rim, surface({ colour: new Color(RIM) })));
    const placed = new Group();
    placed.position.set(x - 1.25 * depth, eye[1], z - 0.06);
    placed.quaternion.setFromUnitVectors(Z, new Vector3(-0.9, 0, 0.44).normalize()).multiply(new Quaternion().setFromAxisAngle(Z, Math.PI / 2));
    placed.add(this.wheel);
    this.root.add(placed);
  }

  /** steering: from -1 to 1, to the left. */
  steer(steering: number): void {
    this.wheel.rotation.z = steering * TURNS * 2 * Math.PI;
  }
}
