/** The machine of the playground in motion: its film with reactions or grains, always wholly in the picture. */

import { Box3 } from "three";
import type { Clock } from "../playback/clock";
import { Film } from "../playback/film";
import type { Theme } from "../scene/colours";
import { Stage } from "../scene/stage";
import { World } from "../scene/world";
import type { Packet } from "../transport/packet";
import { readArrows, readFilm, readGrains, readScene } from "../transport/read";
import type { Arrows, Grains, Scene } from "../transport/types";
import { outgrown, withArrows } from "./frame";

const SLOWEST_SHOWN = 2; // s that one turn of a fast machine takes on the screen, at least
const BELOW = 34; // pixels of the legend under the machine

export class Showing {
  readonly stage: Stage;
  readonly world: World;
  scene: Scene | null = null;
  film: Film | null = null;
  /** times of the pictures of the last second [ms] */
  readonly pictures: number[] = [];
  /** whether a hand has brought the machine nearer or aside */
  moved = false;
  private arrows: Arrows | null = null;
  private grains: Grains[] = [];
  private fitted: Box3 | null = null;
  private last = 0;

  constructor(canvas: HTMLCanvasElement, private readonly clock: Clock) {
    this.stage = new Stage(canvas);
    this.world = new World(this.stage);
  }

  resize(width: number, height: number): void {
    this.stage.resize(width, height, { left: 0, right: 0, top: 0, bottom: BELOW });
  }

  setTheme(theme: Theme): void {
    if (this.scene) this.world.setTheme(theme);
    else this.stage.setTheme(theme);
  }

  /** another: not the machine of before with other lengths. */
  build(packet: Packet, another: boolean, trails: string[]): Scene {
    this.scene = readScene(packet);
    this.grains = [];
    this.arrows = null;
    this.world.grains.show(null);
    const poses = packet.field("poses");
    this.world.build(this.scene, poses ? Float32Array.from(poses.data) : null);
    for (const name of trails) this.world.trails.toggle(name, true);
    if (another) {
      this.fitted = null;
      this.moved = false;
    }
    return this.scene;
  }

  setFilm(packet: Packet): void {
    const { clock } = this;
    const old = clock.last - clock.first;
    const share = old > 0 ? (clock.time - clock.first) / old : 0;
    const film = (this.film = new Film(readFilm(packet)));
    clock.setRange(film.first, film.last);
    const span = film.last - film.first;
    clock.seek(film.first + share * span);
    this.world.measure(film);
    if (!this.fitted) {
      this.stage.camera.view(this.scene?.camera?.view ?? "iso", undefined, undefined, true);
      clock.setSpeed(Math.min(1, span / SLOWEST_SHOWN));
      clock.play();
    }
    this.fit();
  }

  setArrows(packet: Packet): void {
    this.arrows = readArrows(packet);
    this.world.setArrows(this.arrows);
    this.world.showArrows(this.arrows.kind, true);
    this.fit();
  }

  setGrains(packet: Packet): void {
    const grains = readGrains(packet);
    this.grains[grains.frame] = grains;
  }

  /** All of the motion into the picture, if it is no longer; always: also where a hand has changed it. */
  fit(always = false): void {
    const box = withArrows(this.world.room, this.arrows);
    if (always) this.moved = false;
    if (!always && (this.moved || !outgrown(this.fitted, box))) return;
    this.stage.camera.fit(box, this.fitted === null);
    this.fitted = box.clone();
    this.stage.invalidate();
  }

  tick(now: number): void {
    const passed = this.last ? Math.min(0.2, (now - this.last) / 1000) : 0;
    this.last = now;
    this.clock.tick(passed);
    const { film, world, clock } = this;
    if (film && this.scene) {
      film.sample(clock.time, world.moment);
      world.update(clock.time, film);
      const times = film.data.grainTimes;
      let k = 0;
      while (k + 1 < times.length && times[k + 1] <= clock.time) k++;
      if (this.grains[k]) world.grains.show(this.grains[k]);
    }
    world.prepare();
    if (!this.stage.frame(now, passed)) return;
    this.pictures.push(now);
    while (this.pictures.length && this.pictures[0] < now - 1000) this.pictures.shift();
  }

  /** Whether all corners of the motion are in the free part of the picture. */
  get inside(): boolean {
    if (!this.fitted) return false;
    const { eye } = this.stage.camera;
    const { min, max } = this.world.room;
    const low = -1 + (2 * BELOW) / this.stage.size[1];
    return [min.x, max.x].every((x) => [min.y, max.y].every((y) => [min.z, max.z].every((z) => {
      const at = min.clone().set(x, y, z).project(eye);
      return Math.abs(at.x) <= 1 && at.y <= 1 && at.y >= low;
    })));
  }
}
