/** Texts at points of the scene, as HTML over the picture; of those that would overlap, the nearer one is shown. */

import { Object3D, Vector3, type Camera } from "three";

export interface Label {
  text: string;
  /** moves with this object; else in the world */
  parent: Object3D | null;
  at: Vector3;
  kind: string;
  colour?: string;
}

interface Placed extends Label {
  element: HTMLElement;
  width: number;
}

export class Labels {
  readonly element = document.createElement("div");
  private readonly labels = new Map<string, Placed>();
  private readonly point = new Vector3();

  constructor() {
    this.element.className = "gori-labels";
  }

  set(key: string, label: Label): void {
    this.remove(key);
    const element = document.createElement("span");
    element.className = `gori-label ${label.kind}`;
    element.textContent = label.text;
    if (label.colour) element.style.setProperty("--tint", label.colour);
    this.element.append(element);
    this.labels.set(key, { ...label, element, width: 0 });
  }

  remove(key: string): void {
    this.labels.get(key)?.element.remove();
    this.labels.delete(key);
  }

  /** Removes all whose key begins so. */
  clear(prefix: string): void {
    for (const key of [...this.labels.keys()]) if (key.startsWith(prefix)) this.remove(key);
  }

  /** Places all in a picture of this size [pixels]. */
  update(camera: Camera, width: number, height: number): void {
    const seen: { label: Placed; x: number; y: number; z: number }[] = [];
    for (const label of this.labels.values()) {
      this.point.copy(label.at);
      if (label.parent) label.parent.localToWorld(this.point);
      this.point.project(camera);
      const [x, y, z] = [(0.5 + 0.5 * this.point.x) * width, (0.5 - 0.5 * this.point.y) * height, this.point.z];
      const hidden = z > 1 || z < -1 || x < 0 || y < 0 || x > width || y > height || label.parent?.visible === false;
      if (hidden) label.element.style.visibility = "hidden";
      else seen.push({ label, x, y, z });
    }
    seen.sort((a, b) => a.z - b.z);
    const taken: [number, number, number][] = [];
    for (const { label, x, y } of seen) {
      label.width ||= label.element.offsetWidth;
      const half = label.width / 2 + 3;
      const free = taken.every(([u, v, w]) => Math.abs(u - x) > half + w || Math.abs(v - y) > 19);
      label.element.style.visibility = free ? "visible" : "hidden";
      if (!free) continue;
      taken.push([x, y, half]);
      label.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -130%)`;
    }
  }

  /** The same texts on a canvas, for pictures. */
  paint(canvas: CanvasRenderingContext2D): void {
    const box = this.element.getBoundingClientRect();
    for (const { element, text } of this.labels.values()) {
      if (element.style.visibility === "hidden") continue;
      const at = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      canvas.fillStyle = style.backgroundColor;
      canvas.beginPath();
      canvas.roundRect(at.left - box.left, at.top - box.top, at.width, at.height, 4);
      canvas.fill();
      canvas.fillStyle = style.color;
      canvas.textBaseline = "middle";
      canvas.textAlign = "center";
      canvas.fillText(text, at.left - box.left + at.width / 2, at.top - box.top + at.height / 2 + 0.5);
    }
  }
}
