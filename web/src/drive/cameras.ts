/** Where the driver looks from: behind the vehicle, out of the cab, or freely about it. */

import { MathUtils, Quaternion, Vector3, type Object3D } from "three";
import type { Stage } from "../scene/stage";
import { Cab, type CabData } from "./cab";

export type View = "chase" | "cockpit" | "free";
export const VIEWS: View[] = ["chase", "cockpit", "free"];

const BEHIND = 11.5; // m
const ABOVE = 17 * MathUtils.DEG2RAD;
const DOWN = 6 * MathUtils.DEG2RAD; // of a driver's look
const FOV = 58; // deg, of the shorter side of the picture
const WIDEST = 80; // deg, upwards
const NEAR = 0.06; // m
const FURTHEST = [150 * MathUtils.DEG2RAD, 45 * MathUtils.DEG2RAD]; // how far a driver turns the head, to the sides and up
const Y = new Vector3(0, 1, 0);
const Z = new Vector3(0, 0, 1);

export class Cameras {
  view: View = "chase";
  readonly cab: Cab;
  private readonly at: Vector3;
  private readonly eye = new Vector3();
  private readonly ahead = new Vector3();
  private readonly turn = new Quaternion();
  private readonly tilt = new Quaternion();

  /** hides: what the driver would see the inside of */
  constructor(private readonly stage: Stage, private readonly chassis: Object3D, data: CabData, private readonly hides: Object3D[]) {
    this.at = new Vector3(...data.eye);
    this.cab = new Cab(data);
    chassis.add(this.cab.root);
  }

  set(view: View): void {
    const { camera } = this.stage;
    this.view = view;
    const inside = view === "cockpit";
    this.cab.root.visible = inside;
    for (const part of this.hides) part.visible = !inside;
    camera.follow(this.chassis, view === "chase");
    if (view === "chase") {
      const [width, height] = this.stage.size;
      camera.distance = BEHIND / Math.min(1, (1.25 * width) / height);
      camera.elevation = ABOVE;
    } else if (view === "free") {
      camera.distance = Math.max(camera.distance, BEHIND);
      camera.azimuth = -2.3;
      camera.elevation = 20 * MathUtils.DEG2RAD;
    } else {
      // the mouse turns the head from here
      camera.azimuth = Math.PI;
      camera.elevation = DOWN;
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
    const { camera } = this.stage;
    const { eye } = camera;
    const { position, quaternion } = this.chassis;
    camera.azimuth = Math.PI + MathUtils.clamp(camera.azimuth - Math.PI, -FURTHEST[0], FURTHEST[0]);
    camera.elevation = MathUtils.clamp(camera.elevation, -FURTHEST[1], FURTHEST[1]);
    // the head turns in the cab, and the cab rolls and pitches with the vehicle
    this.turn.setFromAxisAngle(Z, camera.azimuth - Math.PI).multiply(this.tilt.setFromAxisAngle(Y, camera.elevation));
    this.turn.premultiply(quaternion);
    this.eye.copy(this.at).applyQuaternion(quaternion).add(position);
    this.ahead.set(1, 0, 0).applyQuaternion(this.turn).add(this.eye);
    eye.position.copy(this.eye);
    eye.up.set(0, 0, 1).applyQuaternion(this.turn);
    // of a narrow picture the width counts, so that the road is in it
    const wide = 2 * Math.atan(Math.tan((FOV * MathUtils.DEG2RAD) / 2) / Math.min(1, eye.aspect)) * MathUtils.RAD2DEG;
    eye.fov = Math.min(WIDEST, wide);
    eye.near = NEAR;
    eye.lookAt(this.ahead);
    eye.updateProjectionMatrix();
    eye.updateMatrixWorld();
  }
}
