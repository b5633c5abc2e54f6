/** Grains of a film at a time, on their way from one frame to the next. */

import type { GrainReel } from "../playback/grainReel";
import type { Grains } from "../scene/grains";
import type { Grains as Data } from "../transport/types";

const CLOSE = 0.03; // s between two pictures

/** What is shown now, and whether it is the frame that belongs to the time. */
export function showGrains(reel: GrainReel, shown: Grains, time: number, playing: boolean, speed: number): { grains: Data | null; exact: boolean } {
  const { grains, next, exact } = reel.at(time, playing, speed);
  const gap = next && grains ? next.time - grains.time : 0;
  // frames that follow each other faster than pictures need nothing between them
  const close = playing && gap < CLOSE * speed;
  if (grains) shown.show(grains, close ? null : next, gap > 0 ? Math.min(1, Math.max(0, (time - grains.time) / gap)) : 0);
  return { grains, exact };
}
