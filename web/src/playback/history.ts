/** What a live run has sent of late: a ring of frames, so that one can scrub back while the run goes on. */

import { before, blend, placed, POSE, type Moment } from "./film";

const MOST_BYTES = 32e6;
const MOST_FRAMES = 20_000;

export class History {
  readonly times: number[] = [];
  private frames: Moment[] = [];
  private readonly most: number;

  constructor(readonly bodies: number) {
    this.most = Math.max(100, Math.min(MOST_FRAMES, Math.floor(MOST_BYTES / (4 * POSE * Math.max(1, bodies)))));
  }

  get first(): number {
    return this.times[0] ?? 0;
  }

  get last(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  get count(): number {
    return this.times.length;
  }

  push(time: number, moment: Moment): void {
    if (this.times.length && time < this.last) this.clear(); // the run was reset
    if (this.times.length && time === this.last) {
      this.frames[this.frames.length - 1] = moment;
      return;
    }
    this.times.push(time);
    this.frames.push(moment);
    if (this.times.length > this.most) {
      const surplus = Math.ceil(this.most / 10);
      this.times.splice(0, surplus);
      this.frames.splice(0, surplus);
    }
  }

  clear(): void {
    this.times.length = 0;
    this.frames = [];
  }

  frame(time: number): number {
    return before(this.times, time);
  }

  sample(time: number, out: Moment): void {
    if (this.times.length === 0) return;
    const k = before(this.times, time);
    const next = Math.min(k + 1, this.times.length - 1);
    const gap = this.times[next] - this.times[k];
    const s = gap > 0 ? Math.min(1, Math.max(0, (time - this.times[k]) / gap)) : 0;
    const [a, b] = [this.frames[k], this.frames[next]];
    for (let at = 0; at < out.poses.length && at < a.poses.length; at += POSE) blend(a.poses, at, b.poses, at, s, out.poses, at);
    for (let wheel = 0; wheel < a.spin.length; wheel++) {
      out.spin[wheel] = a.spin[wheel] + (b.spin[wheel] - a.spin[wheel]) * s;
    }
  }

  path(body: number, point: readonly number[], from: number, to: number, most: number): Float32Array {
    const [first, last] = [before(this.times, from), before(this.times, to)];
    const stride = Math.max(1, Math.ceil((last - first + 1) / most));
    const points: number[] = [];
    for (let k = first; k <= last && k < this.frames.length; k += stride) {
      points.push(...placed(this.frames[k].poses, body * POSE, point));
    }
    return Float32Array.from(points);
  }
}
