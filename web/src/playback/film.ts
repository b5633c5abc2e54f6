/** Poses of all bodies at any time of a film: straight lines between samples, and great arcs between quaternions. */

import type { FilmData } from "../transport/types";

export const POSE = 7;

/** What is drawn at one time. */
export interface Moment {
  poses: Float32Array;
  spin: Float32Array;
}

/** Index k of the last time that is not after `time`, within the array. */
export function before(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** One pose between two: out[at..at+7] = a + (b - a) s, quaternions along the shorter arc. */
export function blend(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number, s: number, out: Float32Array, at: number): void {
  for (let k = 0; k < 3; k++) out[at + k] = a[i + k] + (b[j + k] - a[i + k]) * s;
  let dot = 0;
  for (let k = 3; k < POSE; k++) dot += a[i + k] * b[j + k];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  let left = 1 - s;
  let right = s * sign;
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    left = Math.sin((1 - s) * angle) / Math.sin(angle);
    right = (Math.sin(s * angle) / Math.sin(angle)) * sign;
  }
  let norm = 0;
  for (let k = 3; k < POSE; k++) {
    out[at + k] = left * a[i + k] + right * b[j + k];
    norm += out[at + k] * out[at + k];
  }
  norm = Math.sqrt(norm) || 1;
  for (let k = 3; k < POSE; k++) out[at + k] /= norm;
}

/** A point of a body in the world; its pose lies at poses[at..at+7]. */
export function placed(poses: ArrayLike<number>, at: number, [x, y, z]: readonly number[]): [number, number, number] {
  const [w, a, b, c] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
  // p + v + 2 u x (u x v + w v), with the vector part u of the quaternion
  const [i, j, k] = [b * z - c * y + w * x, c * x - a * z + w * y, a * y - b * x + w * z];
  return [poses[at] + x + 2 * (b * k - c * j), poses[at + 1] + y + 2 * (c * i - a * k), poses[at + 2] + z + 2 * (a * j - b * i)];
}

export class Film {
  constructor(readonly data: FilmData) {}

  get first(): number {
    return this.data.times.length ? this.data.times[0] : 0;
  }

  get last(): number {
    return this.data.times.length ? this.data.times[this.data.times.length - 1] : 0;
  }

  get count(): number {
    return this.data.times.length;
  }

  /** Samples per second of the film's own time. */
  get rate(): number {
    return this.count > 1 ? (this.count - 1) / Math.max(this.last - this.first, 1e-9) : 1;
  }

  frame(time: number): number {
    return before(this.data.times, time);
  }

  sample(time: number, out: Moment): void {
    const { times, poses, bodies, spin, wheels } = this.data;
    if (times.length === 0) return;
    const k = before(times, time);
    const next = Math.min(k + 1, times.length - 1);
    const gap = times[next] - times[k];
    const s = gap > 0 ? Math.min(1, Math.max(0, (time - times[k]) / gap)) : 0;
    const size = bodies * POSE;
    for (let body = 0; body < bodies; body++) {
      blend(poses, k * size + body * POSE, poses, next * size + body * POSE, s, out.poses, body * POSE);
    }
    if (!spin) return;
    for (let wheel = 0; wheel < wheels; wheel++) {
      const a = spin[k * wheels + wheel];
      out.spin[wheel] = a + (spin[next * wheels + wheel] - a) * s;
    }
  }

  /** Positions of a point of a body at all samples between two times, at most `most` of them. */
  path(body: number, point: readonly number[], from: number, to: number, most: number): Float32Array {
    const { times, poses, bodies } = this.data;
    const first = before(times, from);
    const last = before(times, to);
    const stride = Math.max(1, Math.ceil((last - first + 1) / most));
    const points: number[] = [];
    for (let k = first; k <= last; k += stride) {
      points.push(...placed(poses, (k * bodies + body) * POSE, point));
    }
    return Float32Array.from(points);
  }
}
