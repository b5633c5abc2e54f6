/** How many grains a page draws: as many as the machine bears, or as many as a person asks for. */

import { Thinning } from "../playback/thinning";

const MOST = { software: 100_000, hardware: 1_000_000 };

export class GrainAmount {
  /** at most so many, whatever it costs; null: as many as the machine bears */
  asked: number | null = null;
  private readonly thinning = new Thinning();

  constructor(private readonly software: boolean) {}

  get most(): number {
    return this.asked ?? (this.software ? MOST.software : MOST.hardware);
  }

  /** How many there are to be from now on. */
  ask(most: number | null): number {
    this.asked = most;
    return this.most;
  }

  /** Fewer than so many where pictures come too slowly, else null; as `Thinning.most`. */
  fewer(now: number, fps: number, drawn: number): number | null {
    return this.asked === null ? this.thinning.most(now, fps, drawn) : null;
  }
}
