/** The camera: orbit by mouse, touch and keys about a target, z up; standard views, and a body to follow or to chase. */

import { Box3, MathUtils, PerspectiveCamera, Quaternion, Vector3 } from "three";

const FOV = 35;
const FLAT_FOV = 2;
const EASE = 0.25; // s, of a change of view
const FRONT = new Vector3();
const CORNERS = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => new Vector3(x, y, z))));

/** Azimuth and elevation [deg] from which a view looks. */
export const VIEWS: Record<string, [number, number]> = {
  iso: [-55, 25], "3d": [-55, 25], front: [-90, 0], xz: [-90, 0], y: [-90, 0], side: [0, 0], yz: [0, 0], x: [0, 0],
  back: [90, 0], right: [0, 0], left: [180, 0], bottom: [-90, -90], top: [-90, 90], xy: [-90, 90], z: [-90, 90], chase: [180, 18],
};

export interface Followed {
  position: Vector3;
  quaternion: Quaternion;
}

/** What panels leave of the picture, in pixels from its edges. */
export interface Margins {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

type Easing = { from: number[]; to: number[]; passed: number };

export class Camera {
  readonly eye = new PerspectiveCamera(FOV, 1, 0.01, 1000);
  readonly target = new Vector3();
  azimuth = -55 * MathUtils.DEG2RAD;
  elevation = 25 * MathUtils.DEG2RAD;
  /** at the ordinary angle of view; a flat view stands farther off and shows the same */
  distance = 5;
  flat = false;
  /** a body that the target stays at; when chased, the camera turns with its heading */
  followed: Followed | null = null;
  chasing = false;
  /** size of what is looked at [m] */
  reach = 1;
  private heading = 0;
  private readonly last = new Vector3();
  private easing: Easing | null = null;
  private width = 1;
  private height = 1;
  private margins: Margins = { left: 0, right: 0, top: 0, bottom: 0 };
  /** centre and half the size of what fills the picture, until a hand moves the camera */
  private fitted: { centre: Vector3; half: Vector3 } | null = null;

  constructor() {
    this.eye.up.set(0, 0, 1);
  }

  get moving(): boolean {
    return this.easing !== null;
  }

  /** Whether no hand has moved it since something was fitted. */
  get untouched(): boolean {
    return this.fitted !== null;
  }

  /** Look along a standard view, at the same target or at another one. */
  view(name: string, target?: Vector3, distance?: number, at_once = false): boolean {
    const angles = VIEWS[name];
    if (!angles) return false;
    this.chasing = false;
    this.heading = 0;
    this.ease([angles[0] * MathUtils.DEG2RAD, angles[1] * MathUtils.DEG2RAD, distance ?? this.distance, ...(target ?? this.target).toArray()], at_once);
    return true;
  }

  look(position: Vector3, target: Vector3): void {
    this.fitted = null;
    this.followed = null;
    this.easing = null;
    this.heading = 0;
    const away = position.clone().sub(target);
    this.target.copy(target);
    this.distance = away.length();
    this.azimuth = Math.atan2(away.y, away.x);
    this.elevation = Math.asin(MathUtils.clamp(away.z / Math.max(this.distance, 1e-12), -1, 1));
  }

  /** Size of the picture, and what of it is covered: what was fitted still is. */
  resize(width: number, height: number, margins: Margins = { left: 0, right: 0, top: 0, bottom: 0 }): void {
    [this.width, this.height] = [width, height];
    this.margins = margins;
    this.eye.aspect = width / height;
    if (this.fitted) this.refit(true);
  }

  /** All of a box into the free part of the picture, from where the camera looks (or will look, when its view is changing);
   * of a body that is followed the camera keeps to it. */
  fit(box: Box3, at_once = false): void {
    const centre = this.followed ? this.followed.position.clone() : box.getCenter(new Vector3());
    const half = box.max.clone().sub(centre).max(centre.clone().sub(box.min));
    this.reach = Math.max(half.length(), 1e-6);
    this.fitted = { centre, half };
    this.refit(at_once);
  }

  private refit(at_once: boolean): void {
    const { centre, half } = this.fitted!;
    const [azimuth, elevation] = this.easing ? this.easing.to : [this.azimuth, this.elevation];
    const seen = azimuth + (this.chasing ? this.heading : 0);
    const towards = new Vector3(Math.cos(seen) * Math.cos(elevation), Math.sin(seen) * Math.cos(elevation), Math.sin(elevation));
    const right = new Vector3(-Math.sin(seen), Math.cos(seen), 0);
    const up = new Vector3().crossVectors(towards, right);
    const [free, level] = [this.freeWidth, this.freeHeight];
    const tan = (Math.tan((FOV / 2) * MathUtils.DEG2RAD) * level) / this.height;
    let distance = 1e-6;
    for (const corner of CORNERS) {
      const at = corner.clone().multiply(half);
      const wide = Math.max((Math.abs(at.dot(right)) * level) / free, Math.abs(at.dot(up)));
      distance = Math.max(distance, at.dot(towards) + wide / tan);
    }
    this.ease([azimuth, elevation, 1.16 * distance, ...centre.toArray()], at_once);
  }

  private get freeWidth(): number {
    return Math.max(0.2 * this.width, this.width - this.margins.left - this.margins.right);
  }

  private get freeHeight(): number {
    return Math.max(0.2 * this.height, this.height - this.margins.top - this.margins.bottom);
  }

  follow(body: Followed | null, chase = false): void {
    if (body !== this.followed) this.fitted = null;
    this.followed = body;
    this.chasing = chase && body !== null;
    if (!body) return;
    this.last.copy(body.position);
    this.easing = null;
    this.target.copy(body.position);
    if (this.chasing) {
      this.azimuth = Math.PI;
      this.elevation = 16 * MathUtils.DEG2RAD;
      this.heading = headingOf(body.quaternion);
    }
  }

  orbit(dx: number, dy: number): void {
    this.easing = this.fitted = null;
    this.azimuth -= dx * 0.006;
    this.elevation = MathUtils.clamp(this.elevation + dy * 0.006, -Math.PI / 2, Math.PI / 2);
  }

  /** Move by pixels of a picture `height` pixels high. */
  pan(dx: number, dy: number, height: number): void {
    this.easing = this.fitted = null;
    if (this.followed) return;
    const scale = (2 * this.distance * Math.tan((FOV / 2) * MathUtils.DEG2RAD)) / height;
    const right = new Vector3().setFromMatrixColumn(this.eye.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.eye.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
  }

  zoom(factor: number): void {
    this.easing = this.fitted = null;
    this.distance = MathUtils.clamp(this.distance * factor, this.reach * 0.02, this.reach * 200);
  }

  private ease(to: number[], at_once: boolean): void {
    const turn = 2 * Math.PI;
    to[0] += Math.round((this.azimuth - to[0]) / turn) * turn;
    const from = [this.azimuth, this.elevation, this.distance, ...this.target.toArray()];
    this.easing = { from, to, passed: at_once ? EASE : 0 };
    if (at_once) this.update(0);
  }

  /** Place the eye; wall time has passed [s]. */
  update(passed: number): void {
    if (this.easing) {
      const { from, to } = this.easing;
      this.easing.passed += passed;
      const t = Math.min(1, this.easing.passed / EASE);
      const s = t * t * (3 - 2 * t);
      const [azimuth, elevation, distance, x, y, z] = from.map((a, k) => a + (to[k] - a) * s);
      Object.assign(this, { azimuth, elevation, distance });
      this.target.set(x, y, z);
      if (t === 1) this.easing = null;
    }
    if (this.followed) {
      this.target.copy(this.followed.position);
      if (this.chasing) {
        const wanted = headingOf(this.followed.quaternion);
        const gap = Math.atan2(Math.sin(wanted - this.heading), Math.cos(wanted - this.heading));
        this.heading += gap * (1 - Math.exp(-4 * passed));
      }
    }
    const fov = this.flat ? FLAT_FOV : FOV;
    const distance = (this.distance * Math.tan((FOV / 2) * MathUtils.DEG2RAD)) / Math.tan((fov / 2) * MathUtils.DEG2RAD);
    const azimuth = this.azimuth + (this.chasing ? this.heading : 0);
    const level = Math.cos(this.elevation);
    this.eye.position.set(Math.cos(azimuth) * level, Math.sin(azimuth) * level, Math.sin(this.elevation));
    this.eye.position.multiplyScalar(distance).add(this.target);
    // straight from above, the y axis of the world points up
    this.eye.up.set(-Math.cos(azimuth) * Math.sin(this.elevation), -Math.sin(azimuth) * Math.sin(this.elevation), level);
    this.eye.fov = fov;
    this.eye.near = Math.max(distance - this.reach * 60, distance * 0.01, this.reach * 0.002);
    this.eye.far = distance + this.reach * 120;
    this.eye.lookAt(this.target);
    const { left, right, top, bottom } = this.margins;
    // the target is in the middle of what is free
    if (left || right || top || bottom) this.eye.setViewOffset(this.width, this.height, (right - left) / 2, (bottom - top) / 2, this.width, this.height);
    else this.eye.clearViewOffset();
    this.eye.updateProjectionMatrix();
    this.eye.updateMatrixWorld();
  }
}

function headingOf(quaternion: Quaternion): number {
  FRONT.set(1, 0, 0).applyQuaternion(quaternion);
  return Math.atan2(FRONT.y, FRONT.x);
}
