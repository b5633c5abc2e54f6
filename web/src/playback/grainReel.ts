/** Grains of a film, frame by frame: asked for as they are needed and a little ahead, kept as long as memory allows. */

import { readGrains } from "../transport/read";
import type { Transport } from "../transport/transport";
import type { Grains } from "../transport/types";
import { before } from "./film";

const MOST_BYTES = 192e6;
const AT_ONCE = 3;
const AHEAD = 6;
const SHOWN = 25; // frames a second

export class GrainReel {
  private readonly cache = new Map<number, Grains>();
  private readonly asked = new Set<number>();
  /** frames that the other side does not have */
  private readonly missing = new Set<number>();
  private bytes = 0;

  constructor(
    private readonly transport: Transport,
    readonly times: Float64Array,
    public most: number,
    private readonly arrived: () => void,
  ) {}

  frame(time: number): number {
    return before(this.times, time);
  }

  /** Grains of the frame at `time`, or of the nearest one that is here; `exact` tells which. Asks for what is missing. */
  at(time: number, playing: boolean, speed: number): { grains: Grains | null; next: Grains | null; exact: boolean } {
    // playing shows some 25 frames a second: others are jumped over, the same ones each time that a film is played
    const stride = playing ? Math.max(1, Math.round((speed * this.rate) / SHOWN)) : 1;
    const wanted = stride * Math.floor(this.frame(time) / stride);
    this.ask(wanted);
    if (playing) {
      for (let k = 1; k <= AHEAD; k++) this.ask(Math.min(wanted + k * stride, this.times.length - 1));
    } else this.ask(Math.min(wanted + 1, this.times.length - 1));
    const here = this.cache.get(wanted);
    if (here) {
      this.cache.delete(wanted); // the latest one used is the last one to go
      this.cache.set(wanted, here);
      return { grains: here, next: this.cache.get(wanted + 1) ?? null, exact: true };
    }
    let best: Grains | null = null;
    for (const [frame, grains] of this.cache) {
      if (best === null || Math.abs(frame - wanted) < Math.abs(best.frame - wanted)) best = grains;
    }
    return { grains: best, next: null, exact: false };
  }

  private get rate(): number {
    const n = this.times.length;
    return n > 1 ? (n - 1) / Math.max(1e-9, this.times[n - 1] - this.times[0]) : 1;
  }

  /** Fewer or more grains from now on; what is here stays until it is asked for again. */
  setMost(most: number): void {
    this.most = most;
    this.cache.clear();
    this.missing.clear();
    this.bytes = 0;
  }

  private ask(frame: number): void {
    const known = this.cache.has(frame) || this.asked.has(frame) || this.missing.has(frame);
    if (frame < 0 || known || this.asked.size >= AT_ONCE) return;
    this.asked.add(frame);
    const most = this.most;
    void this.transport.grains(frame, most).then((packet) => {
      this.asked.delete(frame);
      if (!packet) this.missing.add(frame);
      if (!packet || most !== this.most) return;
      const grains = thinned(readGrains(packet), most);
      grains.frame = frame;
      this.cache.set(frame, grains);
      this.bytes += size(grains);
      for (const [old, entry] of this.cache) {
        if (this.bytes <= MOST_BYTES || this.cache.size <= 2) break;
        this.cache.delete(old);
        this.bytes -= size(entry);
      }
      this.arrived();
    });
  }
}

function size(grains: Grains): number {
  return grains.position.byteLength + (typeof grains.radius === "number" ? 0 : grains.radius.byteLength) + grains.drawn;
}

/** At most so many, spread evenly: a file gives all that it has. */
export function thinned(grains: Grains, most: number): Grains {
  if (grains.drawn <= most) return grains;
  const row = (k: number) => Math.floor((k * grains.drawn) / most);
  const { radius, value, position } = grains;
  return {
    ...grains,
    drawn: most,
    position: Uint16Array.from({ length: 3 * most }, (_, k) => position[3 * row(Math.floor(k / 3)) + (k % 3)]),
    radius: typeof radius === "number" ? radius : Float32Array.from({ length: most }, (_, k) => radius[row(k)]),
    value: value && Uint8Array.from({ length: most }, (_, k) => value[row(k)]),
  };
}
