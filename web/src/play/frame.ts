/** When a machine that has changed is fitted anew: when it has left the frame, or has become small in it. */

import { Box3, Vector3 } from "three";
import type { Arrows } from "../transport/types";

const MOST = 1.12; // how much larger it may become
const LEAST = 0.75; // and how much smaller
const ASIDE = 0.1; // of its size, that it may move
const ARROWS = 0.5; // of the size of the machine, by which arrows may stand out of it and be in the frame

/** Whether a box does not fit a frame that was made for another one. */
export function outgrown(fitted: Box3 | null, box: Box3): boolean {
  if (!fitted) return true;
  const [old, size] = [fitted.getSize(new Vector3()), box.getSize(new Vector3())];
  const [before, now] = [old.length(), size.length()];
  const aside = box.getCenter(new Vector3()).distanceTo(fitted.getCenter(new Vector3()));
  const wider = [0, 1, 2].some((k) => size.getComponent(k) > MOST * old.getComponent(k) && size.getComponent(k) > 0.05 * now);
  return wider || now < LEAST * before || aside > ASIDE * before;
}

/** The box with what of its arrows belongs into the picture. */
export function withArrows(box: Box3, arrows: Arrows | null): Box3 {
  if (!arrows) return box;
  const room = box.clone().expandByScalar(ARROWS * 0.5 * box.getSize(new Vector3()).length());
  const [found, at] = [box.clone(), new Vector3()];
  for (let k = 0; k + 2 < arrows.heads.length; k += 3) {
    at.set(arrows.heads[k], arrows.heads[k + 1], arrows.heads[k + 2]);
    if (Number.isFinite(at.x + at.y + at.z)) found.expandByPoint(room.clampPoint(at, at));
  }
  return found;
}
