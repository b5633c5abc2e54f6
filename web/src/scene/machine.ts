/** A machine as three.js objects: one group for each body, with its shapes or links, and the symbols of its joints. */

import {
  Box3, BufferAttribute, Color, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial,
  Object3D, SphereGeometry, Vector3, type BufferGeometry,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { POSE, type Moment } from "../playback/film";
import type { Body, Joint, Scene, Shape } from "../transport/types";
import { colourOf, opacityOf, type Theme } from "./colours";
import { surface, type Surface } from "./materials";
import { geometryOf } from "./shapes";
import { Springs } from "./springs";
import { axisArrow, jointSymbol, links, triad, turnTo } from "./symbols";
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

const GHOST = 0.22;
const WALL = 0.3;
const COLLISION = 0.4;

export class Machine {
  readonly root = new Group();
  readonly bodies: Group[] = [];
  /** size of the machine [m], by which symbols are drawn */
  readonly size: number;
  readonly moment: Moment;
  private readonly joints = new Group();
  private readonly byBody: Surface[][] = [];
  private readonly own: Color[][] = [];
  private readonly layers: Record<Layer, Object3D[]> = { joints: [], cuts: [], frames: [], com: [], collision: [], axes: [] };
  /** shapes that collide, made when they are first shown */
  private hidden: { group: Group; shape: Shape }[] = [];
  private readonly timed: { object: Object3D; until: number }[] = [];
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
    this.neutral = surface({ colour: new Color(theme.joint), metal: true, opacity: ghost ? GHOST : 1 });
    this.axisMaterial = new MeshBasicMaterial({ color: theme.accent, depthTest: false, transparent: true, opacity: 0.9 });
    scene.bodies.forEach((body, k) => this.addBody(body, k));
    // symbols tell how a linkage moves; on a vehicle or in a heap they only stand in the way
    const bare = !scene.terrain && !scene.particles && scene.wheels.length === 0 && scene.joints.length < 60;
    for (const joint of scene.joints) this.addJoint(joint, "joints");
    for (const cut of scene.cuts) this.addJoint(cut, "cuts");
    if (!ghost) this.addFrames();
    this.place(); // springs are as long as they are at first
    this.springs = new Springs(scene.springs, this.bodies, this.neutral, this.size);
    this.wheels = new Wheels(scene.wheels, this.bodies, ghost ? GHOST : 1);
    this.root.add(...this.bodies, this.joints, this.springs.root);
    this.show({ shapes: true, joints: bare, cuts: bare, frames: false, springs: true, com: false, collision: false, axes: false });
    this.root.traverse((object) => {
      const lit = object instanceof Mesh && !(object.material instanceof MeshBasicMaterial);
      if (lit && !ghost) [object.castShadow, object.receiveShadow] = [!(object.material as Surface).transparent, true];
    });
    this.update();
  }

  private addBody(body: Body, index: number): void {
    const group = new Group();
    group.name = body.name;
    group.userData.body = index;
    const colour = colourOf(body.colour, index - 1);
    const materials: Surface[] = [];
    // shapes that look alike are one mesh: each mesh costs a call, and software rendering bears few
    const alike = new Map<string, Mesh[]>();
    for (const shape of body.shapes) {
      if (shape.collision) {
        if (!this.ghost) this.hidden.push({ group, shape });
        continue;
      }
      const mesh = this.shape(shape, colour, opacityOf(body.colour));
      if (!mesh) continue;
      const { color, opacity, vertexColors, side } = mesh.material as Surface;
      const single = shape.hollow || shape.type === "plane" || this.timed.some(({ object }) => object === mesh);
      const key = single ? `one ${alike.size}` : [color.getHex(), opacity, vertexColors, side, Boolean(mesh.geometry.index)].join();
      alike.set(key, [...(alike.get(key) ?? []), mesh]);
    }
    for (const meshes of alike.values()) {
      const mesh = merged(meshes);
      group.add(mesh);
      materials.push(mesh.material as Surface);
    }
    if (body.sticks.length) {
      const material = surface({ colour, opacity: this.ghost ? GHOST : 1 });
      materials.push(material);
      group.add(links(body.sticks, 0.013 * this.size, material));
    }
    this.byBody.push(materials);
    this.own.push(materials.map((material) => material.color.clone()));
    this.bodies.push(group);
  }

  private shape(shape: Shape, colour: Color, opacity: number): Mesh | null {
    const level = shape.type === "plane";
    const geometry = geometryOf(shape, 3 * this.size);
    if (!geometry) return null;
    const wall = Boolean(shape.hollow) || level;
    const own = shape.collision ? new Color(this.theme.accent) : shape.colour ? colourOf(shape.colour) : colour;
    const clear = this.ghost ? GHOST : shape.collision ? COLLISION : wall ? WALL : shape.colour ? opacityOf(shape.colour) : opacity;
    const material = surface({ colour: own, opacity: clear, wall: wall || shape.type === "mesh", vertexColours: geometry.hasAttribute("color") });
    const mesh = new Mesh(geometry, material);
    if (shape.at) mesh.position.set(...shape.at);
    if (shape.quaternion) mesh.quaternion.set(shape.quaternion[1], shape.quaternion[2], shape.quaternion[3], shape.quaternion[0]);
    if (wall && !level && !this.ghost) {
      const edges = new LineSegments(new EdgesGeometry(geometry, 30), new LineBasicMaterial({ color: own, transparent: true, opacity: 0.9 }));
      edges.raycast = () => {};
      mesh.add(edges);
    }
    const until = (shape as { until?: number | null }).until;
    if (until !== undefined && until !== null && !shape.collision) this.timed.push({ object: mesh, until });
    mesh.userData.shape = shape.name ?? shape.type;
    return mesh;
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

  private addHidden(): void {
    for (const { group, shape } of this.hidden) {
      const mesh = this.shape(shape, new Color(), 1);
      if (!mesh) continue;
      group.add(mesh);
      this.layers.collision.push(mesh);
    }
    this.hidden = [];
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
    if (shown.collision) this.addHidden();
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
    return this.layers[layer].length > 0 || (layer === "collision" && this.hidden.length > 0);
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
    for (const { object, until } of this.timed) object.visible = time < until;
    this.springs.update();
    this.wheels.spin(this.moment.spin);
  }

  /** Tints the picked body. */
  highlight(picked: number | null): void {
    this.byBody.forEach((materials, body) => {
      for (const material of materials) material.emissive.set(body === picked ? this.theme.accent : 0).multiplyScalar(body === picked ? 0.45 : 1);
    });
  }

  /** Colours of a scale, one for each body, or null for their own. */
  paint(colours: (Color | null)[] | null): void {
    this.byBody.forEach((materials, body) => {
      materials.forEach((material, k) => material.color.copy(colours?.[body] ?? this.own[body][k]));
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

/** Several meshes of one look as one. */
function merged(meshes: Mesh[]): Mesh {
  if (meshes.length === 1) return meshes[0];
  const parts = meshes.map((mesh) => {
    mesh.updateMatrix();
    return mesh.geometry.applyMatrix4(mesh.matrix).deleteAttribute("uv");
  });
  return new Mesh(mergeGeometries(parts), meshes[0].material);
}

/** The mark of a centre of mass: a ball of black and white quarters. */
function comMark(radius: number): BufferGeometry {
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

function restPoses(scene: Scene, first: Float32Array | null): Float32Array {
  const poses = new Float32Array(POSE * scene.bodies.length);
  for (let k = 0; k < scene.bodies.length; k++) poses[POSE * k + 3] = 1;
  if (first) poses.set(first.subarray(0, poses.length));
  return poses;
}

/** Median reach of what the bodies are made of, and how far they lie apart: the scale of symbols. */
function machineSize(scene: Scene, poses: Float32Array): number {
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
