/** What the user draws from Python, by name: points, lines, arrows, frames, texts, meshes, in the world or on a body. */

import {
  BufferAttribute, BufferGeometry, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Object3D, SphereGeometry, Vector3,
} from "three";
import type { Drawing } from "../transport/types";
import { Arrows } from "./arrows";
import { colourOf, opacityOf } from "./colours";
import type { Labels } from "./labels";
import { Line } from "./lines";
import { surface } from "./materials";
import { triad } from "./symbols";

export class Drawings {
  readonly names = new Map<string, Object3D>();
  private readonly root = new Group();

  constructor(private readonly bodies: Group[], parent: Object3D, private readonly labels: Labels, private readonly size: number) {
    parent.add(this.root);
  }

  set(drawing: Drawing): void {
    this.remove(drawing.name);
    const object = this.make(drawing);
    const parent = drawing.body > 0 ? (this.bodies[drawing.body] ?? this.root) : this.root;
    parent.add(object);
    this.names.set(drawing.name, object);
  }

  remove(name: string): void {
    const object = this.names.get(name);
    object?.removeFromParent();
    object?.traverse((part) => (part as Mesh).geometry?.dispose());
    this.labels.remove(`drawing ${name}`);
    this.names.delete(name);
  }

  clear(): void {
    for (const name of [...this.names.keys()]) this.remove(name);
  }

  private make(drawing: Drawing): Object3D {
    const { type, points, size, quaternion } = drawing;
    const colour = colourOf(drawing.colour ?? "#e0662f");
    const opacity = opacityOf(drawing.colour);
    const at = new Vector3(points[0] ?? 0, points[1] ?? 0, points[2] ?? 0);
    if (type === "points") {
      const count = points.length / 3;
      const balls = new InstancedMesh(new SphereGeometry(size || 0.008 * this.size, 16, 10), surface({ colour, opacity }), count);
      const matrix = new Matrix4();
      for (let k = 0; k < count; k++) balls.setMatrixAt(k, matrix.makeTranslation(points[3 * k], points[3 * k + 1], points[3 * k + 2]));
      return unpicked(balls);
    }
    if (type === "line") {
      const line = new Line(colour, size > 0 ? size : 2, opacity);
      const closed = drawing.closed && points.length > 6;
      line.set(closed ? Float32Array.from([...points, ...points.subarray(0, 3)]) : points);
      return line.object;
    }
    if (type === "arrows") {
      const heads = drawing.heads ?? points.subarray(3, 6);
      const arrows = new Arrows(colour, size || 0.006 * this.size);
      arrows.draw(points, heads, 0, Math.min(points.length, heads.length) / 3);
      return arrows.root;
    }
    if (type === "frame") {
      const axes = new Mesh(triad(), new MeshBasicMaterial({ vertexColors: true }));
      axes.scale.setScalar(size || 0.12 * this.size);
      axes.position.copy(at);
      if (quaternion) axes.quaternion.set(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
      return unpicked(axes);
    }
    if (type === "text") {
      const holder = new Object3D();
      holder.position.copy(at);
      const css = drawing.colour ? `#${colour.getHexString()}` : undefined;
      this.labels.set(`drawing ${drawing.name}`, { text: drawing.text, parent: holder, at: new Vector3(), kind: "text", colour: css });
      return holder;
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    if (drawing.triangles) geometry.setIndex(new BufferAttribute(drawing.triangles, 1));
    geometry.computeVertexNormals();
    return unpicked(new Mesh(geometry, surface({ colour, opacity, wall: true })));
  }
}

function unpicked<T extends Object3D>(object: T): T {
  object.raycast = () => {};
  return object;
}
