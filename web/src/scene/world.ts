/** Everything that a scene packet and what follows it put on the stage. */

import { Box3, Color, Sphere, Vector3 } from "three";
import type { Film, Moment } from "../playback/film";
import type { Arrows as ArrowData, Drawing, Grains as GrainData, Ruts, Scene } from "../transport/types";
import { Arrows } from "./arrows";
import { KINDS, type Theme } from "./colours";
import { Drawings } from "./drawings";
import { Grains } from "./grains";
import { Ground } from "./ground";
import { Labels } from "./labels";
import { Line } from "./lines";
import { Machine, type Shown } from "./machine";
import type { Stage } from "./stage";
import { Terrain } from "./terrain";
import { Trails, type Past } from "./trails";

/** a machine on ground that is so many times larger fills the picture without it */
const FLOOR = 2.2;
const SAMPLES = 12; // of a film, for the room that it takes
const diagonal = (box: Box3) => box.getSize(new Vector3()).length();
const SUN = new Vector3(-0.45, -0.7, 1.15).normalize();

export class World {
  readonly labels = new Labels();
  readonly grains: Grains;
  readonly ground: Ground;
  readonly pull = new Line("#e0662f", 3);
  machine!: Machine;
  ghost: Machine | null = null;
  terrain: Terrain | null = null;
  trails!: Trails;
  drawings!: Drawings;
  /** sphere around the machine and what it does */
  readonly extent = new Sphere(new Vector3(), 1);
  readonly room = new Box3();
  private readonly ghostRoom = new Box3();
  shown: Shown = { shapes: true, joints: false, cuts: false, frames: false, springs: true, com: false, collision: false, axes: false };
  private readonly arrows = new Map<string, { object: Arrows; data: ArrowData | null }>();
  private names = false;
  private low = 0;

  constructor(readonly stage: Stage) {
    this.grains = new Grains(stage.theme);
    this.ground = new Ground(stage.theme);
    stage.before = () => this.prepare();
    stage.scene.add(this.grains.points, this.ground.mesh, this.pull.object);
  }

  /** A new machine in place of the old one; layers, trails and colours stay as they were where they still fit. */
  build(scene: Scene, first: Float32Array | null): void {
    const old = this.machine as Machine | undefined;
    const trailed = old ? this.trails.names : [];
    const kept = old ? new Map(old.bodies.map((body) => [body.name, body.visible])) : null;
    old?.root.removeFromParent();
    this.drawings?.clear();
    this.labels.clear("");
    this.trails?.root.removeFromParent();
    this.terrain?.root.removeFromParent();
    for (const { object } of this.arrows.values()) object.root.removeFromParent();
    this.arrows.clear();
    this.machine = new Machine(scene, this.stage.theme, first);
    if (old) this.machine.show(this.shown);
    else for (const layer of ["joints", "cuts"] as const) this.shown[layer] = this.machine.shownNow(layer);
    this.trails = new Trails(scene);
    this.drawings = new Drawings(this.machine.bodies, this.stage.scene, this.labels, this.machine.size);
    // whoever drives on hard ground comes to no end of it
    this.terrain = scene.terrain ? new Terrain(scene.terrain, this.stage.theme, scene.mode === "drive" && !scene.terrain.soft) : null;
    this.stage.scene.add(this.machine.root, this.trails.root);
    if (this.terrain) this.stage.scene.add(this.terrain.root);
    this.ground.mesh.visible = !this.terrain;
    scene.bodies.forEach((body, k) => {
      if (kept?.get(body.name) === false) this.machine.setVisible(k, false);
    });
    for (const name of trailed) this.trails.toggle(name, true);
    this.showNames(this.names);
    this.measure(null);
  }

  setGhost(scene: Scene, film: Film): void {
    this.ghost?.root.removeFromParent();
    this.ghost = new Machine(scene, this.stage.theme, null, true);
    this.ghostRoom.makeEmpty();
    for (let k = 0; k < SAMPLES; k++) {
      film.sample(film.first + ((film.last - film.first) * k) / (SAMPLES - 1), this.ghost.moment);
      this.ghost.update();
      this.ghostRoom.union(this.ghost.moving);
    }
    film.sample(film.first, this.ghost.moment);
    this.ghost.update();
    this.stage.scene.add(this.ghost.root);
    if (typeof scene.camera?.follow !== "number") this.room.union(this.ghostRoom);
  }

  /** How much room the machine takes, over a film where there is one. */
  measure(film: Film | null): void {
    const [box, moving] = [this.machine.box(), this.machine.moving];
    if (film && film.count > 1) {
      const saved = this.machine.moment.poses.slice();
      const samples = Math.min(SAMPLES, film.count);
      for (let k = 0; k < samples; k++) {
        film.sample(film.first + ((film.last - film.first) * k) / (samples - 1), this.machine.moment);
        this.machine.update();
        if (typeof this.machine.scene.camera?.follow === "number") continue; // its own size counts, not its way
        box.union(this.machine.box());
        moving.union(this.machine.moving);
      }
      this.machine.moment.poses.set(saved);
      this.machine.update();
    }
    this.setExtent(box);
    // a wide floor is no reason to look from afar at what moves on it
    if (diagonal(box) > FLOOR * diagonal(moving)) this.room.copy(moving);
    if (typeof this.machine.scene.camera?.follow !== "number") this.room.union(this.ghostRoom);
  }

  private setExtent(box: Box3): void {
    this.room.copy(box);
    box.getBoundingSphere(this.extent);
    const size = box.getSize(new Vector3());
    const level = this.machine.scene.bodies[0]?.shapes.find((shape) => shape.type === "plane");
    const above = box.min.z > -0.02 * size.length();
    this.low = level?.at ? level.at[2] : above ? 0 : box.min.z - 0.08 * this.extent.radius;
    if (above && box.min.z > 2 * this.extent.radius) this.low = box.min.z - 0.08 * this.extent.radius;
    // a mechanism that lies in the ground plane stands a little above it
    if (!level && above && box.min.z < 0.02 * size.length()) this.low = box.min.z - 0.02 * this.extent.radius;
    this.ground.place(this.extent.center.x, this.extent.center.y, this.low, this.extent.radius);
    this.stage.camera.reach = this.extent.radius;
    this.stage.shadowAt.copy(this.extent.center);
    this.stage.shadowReach = 1.35 * this.extent.radius;
    this.stage.invalidate();
  }

  /** Extends what is fitted by the box of the grains. */
  includeGrains(grains: GrainData): void {
    const box = new Box3(new Vector3(...grains.low), new Vector3(...grains.high)).union(this.machine.box());
    if (this.terrain) return;
    this.setExtent(box);
  }

  get moment(): Moment {
    return this.machine.moment;
  }

  /** After `moment` was set. */
  update(time: number, past: Past | null): void {
    this.machine.update(time);
    this.terrain?.at(time);
    if (past) this.trails.update(past, time, this.moment.poses);
    for (const { object, data } of this.arrows.values()) if (data && object.root.visible) object.show(data, time);
    const { followed } = this.stage.camera;
    if (followed && this.terrain) this.stage.shadowAt.copy(followed.position);
    this.stage.invalidate();
  }

  /** Before each picture; the stage calls it. */
  prepare(): void {
    const { camera, renderer } = this.stage;
    this.grains.prepare(camera.eye, renderer.domElement.height, SUN);
  }

  setArrows(data: ArrowData): void {
    let entry = this.arrows.get(data.kind);
    if (!entry) {
      entry = { object: new Arrows(KINDS[data.kind] ?? KINDS.force, 0.006 * this.machine.size), data: null };
      this.arrows.set(data.kind, entry);
      this.stage.scene.add(entry.object.root);
    }
    entry.data = data;
  }

  showArrows(kind: string, on: boolean): boolean {
    const entry = this.arrows.get(kind);
    if (entry) entry.object.root.visible = on;
    return entry !== undefined;
  }

  setRuts(ruts: Ruts): void {
    if (ruts.since) this.terrain?.setTimed(ruts);
    else this.terrain?.press(ruts);
  }

  draw(drawings: Drawing[], removed: string[], cleared: boolean): void {
    if (cleared) this.drawings.clear();
    for (const name of removed) this.drawings.remove(name);
    for (const drawing of drawings) this.drawings.set(drawing);
    this.stage.invalidate();
  }

  show(layers: Partial<Shown>): void {
    Object.assign(this.shown, layers);
    this.machine.show(layers);
    this.stage.invalidate();
  }

  showNames(on: boolean): void {
    this.names = on;
    this.labels.clear("body ");
    if (!on) return;
    this.machine.bodies.forEach((body, k) => {
      if (k === 0) return;
      const centre = this.machine.box(k).getCenter(new Vector3());
      this.labels.set(`body ${k}`, { text: body.name, parent: body, at: body.worldToLocal(centre), kind: "name" });
    });
    this.stage.invalidate();
  }

  paint(colours: (Color | null)[] | null): void {
    this.machine.paint(colours);
    this.stage.invalidate();
  }

  setTheme(theme: Theme): void {
    this.stage.setTheme(theme);
    this.ground.setTheme(theme);
    this.grains.setTheme(theme);
    this.machine?.setTheme(theme);
    this.terrain?.setTheme(theme);
  }
}
