/** A machine as three.js objects: one group for each body, with its shapes or links, and the symbols of its joints. */

import { Box3, Color, Group, Mesh, MeshBasicMaterial, Object3D } from "three";
import { POSE, type Moment } from "../playback/film";
import type { Joint, Scene } from "../transport/types";
import { Bodies } from "./bodies";
import type { Theme } from "./colours";
import { surface, type Surface } from "./materials";
import { machineSize, restPoses } from "./size";
import { Springs } from "./springs";
import { axisArrow, comMark, jointSymbol, triad, turnTo } from "./symbols";
import { Wheels } from "./wheels";

/** What can be shown and hidden. */
export interface Shown {
  shapes: boolean;
  joints: boolean;
  cuts: boolean;
  frames: boolean;
  springs: boolean;
  com: boolean;
  /** shapes that collide, where visual ones stand for them */
  collision: boolean;
  /** arrows along the axes of joints, seen through the bodies */
  axes: boolean;
}

/** What a layer consists of can be hidden, each by itself. */
export type Layer = "joints" | "cuts" | "frames" | "com" | "collision" | "axes";

export class Machine {
  readonly root = new Group();
  /** size of the machine [m], by which symbols are drawn */
  readonly size: number;
  readonly moment: Moment;
  private readonly joints = new Group();
  private readonly layers: Record<Layer, Object3D[]> = { joints: [], cuts: [], frames: [], com: [], collision: [], axes: [] };
  private readonly made: Bodies;
  private readonly neutral: Surface;
  private readonly axisMaterial: MeshBasicMaterial;
  private readonly springs: Springs;
  private readonly wheels: Wheels;

  constructor(
    readonly scene: Scene,
    private theme: Theme,
    first: Float32Array | null,
    private readonly ghost = false,
  ) {
    this.moment = { poses: restPoses(scene, first), spin: new Float32Array(scene.wheels.length) };
    this.size = machineSize(scene, this.moment.poses);
    const opacity = Bodies.opacity(ghost);
    this.neutral = surface({ colour: new Color(theme.joint), metal: true, opacity });
    this.axisMaterial = new MeshBasicMaterial({ color: theme.accent, depthTest: false, transparent: true, opacity: 0.9 });
    this.made = new Bodies(scene.bodies, this.size, ghost);
    // symbols tell how a linkage moves; on a vehicle or in a heap they only stand in the way
    const bare = !scene.terrain && !scene.particles && scene.wheels.length === 0 && scene.joints.length < 60;
    for (const joint of scene.joints) this.addJoint(joint, "joints");
    for (const cut of scene.cuts) this.addJoint(cut, "cuts");
    if (!ghost) this.addFrames();
    this.place(); // springs are as long as they are at first
    this.springs = new Springs(scene.springs, this.bodies, this.neutral, this.size);
    this.wheels = new Wheels(scene.wheels, this.bodies, opacity);
    this.root.add(...this.bodies, this.joints, this.springs.root);
    this.show({ shapes: true, joints: bare, cuts: bare, frames: false, springs: true, com: false, collision: false, axes: false });
    this.root.traverse((object) => {
      const lit = object instanceof Mesh && !(object.material instanceof MeshBasicMaterial);
      if (lit && !ghost) [object.castShadow, object.receiveShadow] = [!(object.material as Surface).transparent, true];
    });
    this.update();
  }

  get bodies(): Group[] {
    return this.made.groups;
  }

  private addJoint(joint: Joint, layer: "joints" | "cuts"): void {
    const geometry = jointSymbol(joint.type, 0.0155 * this.size);
    const parent = this.bodies[joint.parent];
    if (!geometry || !parent) return;
    const material = layer === "cuts" && !this.ghost ? surface({ colour: new Color(this.theme.accent), metal: true }) : this.neutral;
    const symbol = new Mesh(geometry, material);
    symbol.position.set(...(joint.at ?? [0, 0, 0]));
    symbol.quaternion.copy(turnTo(joint.axis));
    symbol.userData.joint = joint;
    parent.add(symbol);
    this.layers[layer].push(symbol);
    const arrow = this.ghost ? null : axisArrow(joint.type, 0.07 * this.size);
    if (!arrow) return;
    const axis = new Mesh(arrow, this.axisMaterial);
    axis.position.copy(symbol.position);
    axis.quaternion.copy(symbol.quaternion);
    axis.renderOrder = 4;
    axis.raycast = () => {};
    parent.add(axis);
    this.layers.axes.push(axis);
  }

  private addFrames(): void {
    const geometry = triad();
    const material = new MeshBasicMaterial({ vertexColors: true });
    const add = (parent: Group, at: number[], size: number, quaternion?: number[] | null) => {
      const axes = new Mesh(geometry, material);
      axes.scale.setScalar(size);
      axes.position.set(at[0], at[1], at[2]);
      if (quaternion) axes.quaternion.set(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
      axes.raycast = () => {};
      parent.add(axes);
      this.layers.frames.push(axes);
    };
    this.bodies.forEach((body, k) => add(body, [0, 0, 0], (k === 0 ? 0.12 : 0.08) * this.size));
    for (const frame of this.scene.frames) if (this.bodies[frame.body]) add(this.bodies[frame.body], frame.at, 0.06 * this.size, frame.quaternion);
    this.scene.masses?.forEach(({ mass, com }, k) => {
      if (!this.bodies[k] || !(mass > 0)) return;
      const mark = new Mesh(comMark(0.022 * this.size), new MeshBasicMaterial({ vertexColors: true, depthTest: false }));
      mark.renderOrder = 5;
      mark.position.set(...com);
      this.bodies[k].add(mark);
      this.layers.com.push(mark);
    });
  }

  show(shown: Partial<Shown>): void {
    if (shown.collision) this.layers.collision.push(...this.made.collisions(new Color(this.theme.accent)));
    for (const layer of Object.keys(this.layers) as Layer[]) {
      const on = shown[layer];
      if (on !== undefined) for (const object of this.layers[layer]) object.visible = on;
    }
    if (shown.springs !== undefined) this.springs.root.visible = shown.springs;
  }

  shownNow(layer: Layer): boolean {
    return this.layers[layer][0]?.visible ?? false;
  }

  has(layer: Layer): boolean {
    return this.layers[layer].length > 0 || (layer === "collision" && this.made.collides);
  }

  private place(): void {
    const { poses } = this.moment;
    for (let k = 0; k < this.bodies.length; k++) {
      const at = POSE * k;
      this.bodies[k].position.set(poses[at], poses[at + 1], poses[at + 2]);
      this.bodies[k].quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
      this.bodies[k].updateMatrixWorld();
    }
  }

  /** Moves everything to `moment`. */
  update(time = 0): void {
    this.place();
    for (const { object, until } of this.made.timed) object.visible = time < until;
    this.springs.update();
    this.wheels.spin(this.moment.spin);
  }

  /** Tints the picked body. */
  highlight(picked: number | null): void {
    this.made.materials.forEach((materials, body) => {
      for (const material of materials) material.emissive.set(body === picked ? this.theme.accent : 0).multiplyScalar(body === picked ? 0.45 : 1);
    });
  }

  /** Colours of a scale, one for each body, or null for their own. */
  paint(colours: (Color | null)[] | null): void {
    this.made.materials.forEach((materials, body) => {
      materials.forEach((material, k) => material.color.copy(colours?.[body] ?? this.made.own[body][k]));
    });
  }

  setVisible(body: number, on: boolean): void {
    this.bodies[body].visible = on;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.neutral.color.set(theme.joint);
  }

  /** Box around all bodies but the ground. */
  get moving(): Box3 {
    const box = new Box3();
    for (let k = 1; k < this.bodies.length; k++) box.union(this.ownBox(k));
    return box.isEmpty() ? this.box() : box;
  }

  /** Box around the bodies at the present moment, without infinite planes. */
  box(only?: number): Box3 {
    const box = new Box3();
    this.bodies.forEach((_, k) => {
      if (only === undefined || k === only) box.union(this.ownBox(k));
    });
    if (box.isEmpty()) {
      for (const body of this.bodies) box.expandByPoint(body.position);
      box.expandByScalar(0.5 * this.size);
    }
    return box;
  }

  private ownBox(body: number): Box3 {
    const box = new Box3();
    for (const child of this.bodies[body].children) {
      const symbol = [this.layers.frames, this.layers.collision, this.layers.axes].some((layer) => layer.includes(child));
      if (child instanceof Mesh && child.userData.shape !== "plane" && child.geometry.type !== "PlaneGeometry" && !symbol) box.expandByObject(child);
    }
    return box;
  }
}
