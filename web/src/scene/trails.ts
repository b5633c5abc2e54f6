/** Where bodies, or points of them, have been of late. */

import { Group } from "three";
import { placed, POSE } from "../playback/film";
import type { Scene, Vec3 } from "../transport/types";
import { colourOf } from "./colours";
import { Line } from "./lines";

const MOST = 1500; // points of a trail

/** A film, or what a live run has sent of late. */
export interface Past {
  first: number;
  path(body: number, point: readonly number[], from: number, to: number, most: number): Float32Array;
}

export class Trails {
  readonly root = new Group();
  /** how long a trail is [s] */
  length = Infinity;
  private readonly lines = new Map<string, { line: Line; body: number; point: Vec3 }>();

  constructor(private readonly scene: Scene) {}

  /** Of bodies and frames that have a trail. */
  get names(): string[] {
    return [...this.lines.keys()];
  }

  has(name: string): boolean {
    return this.lines.has(name);
  }

  /** name: of a body or of a frame; whether there is one */
  toggle(name: string, on: boolean): boolean {
    const frame = this.scene.frames.find((other) => other.name === name);
    const body = frame ? frame.body : this.scene.bodies.findIndex((other) => other.name === name);
    if (body < 0) return false;
    if (on && !this.lines.has(name)) {
      const line = new Line(colourOf(this.scene.bodies[body].colour, body - 1), 2.5, 0.85);
      this.lines.set(name, { line, body, point: frame?.at ?? [0, 0, 0] });
      this.root.add(line.object);
    } else if (!on) {
      this.lines.get(name)?.line.dispose();
      this.lines.delete(name);
    }
    return true;
  }

  /** To a time; `now` are the poses drawn, so that a trail ends at its body. */
  update(past: Past, time: number, now: Float32Array): void {
    for (const { line, body, point } of this.lines.values()) {
      const path = past.path(body, point, Math.max(past.first, time - this.length), time, MOST);
      const points = new Float32Array(path.length + 3);
      points.set(path);
      points.set(placed(now, POSE * body, point), path.length);
      line.set(points);
    }
  }
}
