/** Lines of a width in pixels: trails of bodies, lines of the user, the pull of the mouse. */

import { type ColorRepresentation } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";

export class Line {
  readonly object: Line2;
  private room = 0;

  constructor(colour: ColorRepresentation, width: number, opacity = 1) {
    const material = new LineMaterial({ color: colour, linewidth: width, transparent: opacity < 1, opacity });
    this.object = new Line2(new LineGeometry(), material);
    this.object.frustumCulled = false;
    this.object.raycast = () => {};
    this.object.visible = false;
  }

  /** Points x y z after each other; fewer than two draw nothing. */
  set(points: Float32Array): void {
    const count = points.length / 3;
    this.object.visible = count > 1;
    if (count < 2) return;
    if (count !== this.room) {
      this.object.geometry.dispose();
      this.object.geometry = new LineGeometry();
      this.room = count;
    }
    this.object.geometry.setPositions(points);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.object.removeFromParent();
  }
}
