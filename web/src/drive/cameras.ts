/** Where the driver looks from: behind the vehicle, out of the cab, or freely about it. */

import { MathUtils, Vector3, type Object3D } from "three";
import type { Stage } from "../scene/stage";

export type View = "chase" | "cockpit" | "free";
export const VIEWS: View[] = ["chase", "cockpit", "free"];

const BEHIND = 11.5; // m
const ABOVE = 17 * MathUtils.DEG2RAD;
const CAB = new Vector3(0.45, 0.36, 1.5); // of the driver's eyes, in the frame of the chassis [m]
const GLASS = /window|glass|screen|cab|roof/i; // what the driver looks through, or sits in

export class Cameras {
  view: View = "chase";
  private readonly eye = new Vector3();
  private readonly ahead = new Vector3();
  private readonly up = new Vector3();

  constructor(
    private readonly stage: Stage,
    private readonly chassis: Object3D,
  ) {}

  set(view: View): void {
    this.view = view;
    for (const part of this.chassis.children) if (GLASS.test(String(part.userData.shape))) part.visible = view !== "cockpit";
    const { camera } = this.stage;
    camera.follow(this.chassis, view === "chase");
    if (view === "chase") {
      const [width, height] = this.stage.size;
      camera.distance = BEHIND / Math.min(1, (1.25 * width) / height);
      camera.elevation = ABOVE;
    } else if (view === "free") {
      camera.distance = Math.max(camera.distance, BEHIND);
      camera.azimuth = -2.3;
      camera.elevation = 20 * MathUtils.DEG2RAD;
    }
    this.stage.invalidate();
  }

  next(): View {
    this.set(VIEWS[(VIEWS.indexOf(this.view) + 1) % VIEWS.length]);
    return this.view;
  }

  /** After the camera of the stage was placed. */
  place(): void {
    if (this.view !== "cockpit") return;
    const { eye } = this.stage.camera;
    const { position, quaternion } = this.chassis;
    this.eye.copy(CAB).applyQuaternion(quaternion).add(position);
    this.ahead.set(10, 0, -1.1).applyQuaternion(quaternion).add(this.eye);
    this.up.set(0, 0, 1).applyQuaternion(quaternion);
    eye.position.copy(this.eye);
    eye.up.copy(this.up);
    eye.fov = 62;
    eye.near = 0.08;
    eye.lookAt(this.ahead);
    eye.updateProjectionMatrix();
    eye.updateMatrixWorld();
  }
}
