/** The vehicle on its ground, as frames tell it: what is drawn of a drive. */

import { Raycaster, Vector3, type Object3D } from "three";
import { DARK, LIGHT, type Theme } from "../scene/colours";
import { Stage } from "../scene/stage";
import { World } from "../scene/world";
import type { Json, Packet } from "../transport/packet";
import { readScene } from "../transport/read";
import type { LiveFrame, Ruts, Scene } from "../transport/types";
import type { CabData } from "./cab";
import { Cameras } from "./cameras";

const PRESS = 60; // ms between two changes of the ground
const SOFTWARE_LEVEL = 3; // of the quality with which a machine without a graphics card begins
const SKY = { light: ["#86aede", "#eef1f3"], dark: ["#0d1420", "#27303c"] };
const ASPHALT = { light: "#b7babf", dark: "#4d5259" };

export class DriveView {
  readonly stage: Stage;
  readonly world: World;
  cameras: Cameras | null = null;
  scene: Scene | null = null;
  /** times of the pictures of the last second [ms] */
  readonly pictures: number[] = [];
  private ruts: Ruts[] = [];
  private last = 0;
  private pressedAt = 0;
  private looked = false;

  constructor(canvas: HTMLCanvasElement) {
    this.stage = new Stage(canvas);
    if (this.stage.software) this.stage.quality.level = SOFTWARE_LEVEL;
    this.world = new World(this.stage);
  }

  /** The camera was moved, or something else has changed than what frames tell. */
  look(): void {
    this.looked = true;
    this.stage.invalidate();
  }

  resize(width: number, height: number): void {
    this.stage.resize(width, height);
    if (this.cameras?.view === "chase") this.cameras.set("chase"); // as far off as fits a narrow picture
    this.look();
  }

  setTheme(dark: boolean): void {
    const base = dark ? DARK : LIGHT;
    const [top, bottom] = dark ? SKY.dark : SKY.light;
    const soil = this.scene?.terrain?.soft ? base.soil : dark ? ASPHALT.dark : ASPHALT.light;
    const theme: Theme = { ...base, top, bottom, soil };
    if (this.scene) this.world.setTheme(theme);
    else this.stage.setTheme(theme);
    this.look();
  }

  build(packet: Packet): Scene {
    const scene = (this.scene = readScene(packet));
    const drive = (packet.head.drive ?? {}) as Json;
    const poses = packet.field("poses");
    this.world.build(scene, poses ? Float32Array.from(poses.data) : null);
    const { camera } = this.stage;
    // the course may be large: what counts is the vehicle
    const size = Number(drive.wheelbase ?? 3);
    [camera.reach, this.stage.shadowReach] = [size, 1.4 * size];
    const chassis = this.world.machine.bodies[Number(drive.chassis ?? 1)];
    const hides = chassis.children.filter((part) => (drive.hides as string[]).includes(String(part.userData.shape)));
    const cameras = (this.cameras = new Cameras(this.stage, chassis, drive.cab as unknown as CabData, hides));
    camera.update = (passed: number) => {
      Object.getPrototypeOf(camera).update.call(camera, passed);
      cameras.place();
    };
    cameras.set("chase");
    return scene;
  }

  /** Ruts of a frame; fresh: none that were before are there still. */
  press(ruts: Ruts | null, fresh: boolean): void {
    if (fresh) {
      this.ruts = [];
      this.world.terrain?.smooth();
    }
    if (ruts) this.ruts.push(ruts);
  }

  /** Draws a frame, if there is one, or what has changed else; whether there is a new picture. A finer picture of what stands
   * still would delay the next one. */
  draw(frame: LiveFrame | null, now: number): boolean {
    const { world, stage } = this;
    if (this.ruts.length && now - this.pressedAt > PRESS) {
      this.pressedAt = now;
      for (const ruts of this.ruts.splice(0)) world.setRuts(ruts);
    }
    if (!frame && !this.looked && !stage.camera.moving) return false;
    this.looked = false;
    if (frame && this.scene) this.move(frame);
    const passed = this.last ? Math.min(0.2, Math.max(0, now - this.last) / 1000) : 0;
    this.last = now;
    stage.invalidate();
    world.terrain?.look(stage.camera.eye.position);
    stage.frame(now, passed);
    this.pictures.push(now);
    while (this.pictures.length && this.pictures[0] < now - 1000) this.pictures.shift();
    return true;
  }

  /** Distance to what stands in the middle of the picture [m]; null: the sky. */
  ahead(): number | null {
    const { eye } = this.stage.camera;
    const ray = new Raycaster(eye.position.clone(), eye.getWorldDirection(new Vector3()));
    return ray.intersectObjects([this.world.machine.root], true).filter(({ object }) => shown(object))[0]?.distance ?? null;
  }

  private move(frame: LiveFrame): void {
    const { world } = this;
    if (frame.poses) world.moment.poses.set(frame.poses);
    if (frame.spin) world.moment.spin.set(frame.spin);
    world.grains.show(frame.grains);
    world.update(frame.time, null);
    const { target } = this.stage.camera;
    world.terrain?.goOn(target.x, target.y);
    this.cameras?.cab.steer(Number(frame.values.steer ?? 0));
  }
}

function shown(object: Object3D | null): boolean {
  return object === null || (object.visible && shown(object.parent));
}
