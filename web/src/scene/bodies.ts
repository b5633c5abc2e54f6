/** A body as three.js objects: its shapes, those that look alike as one mesh, or the lines that join its joints. */

import { Color, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, type Object3D } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Body, Shape } from "../transport/types";
import { colourOf, opacityOf } from "./colours";
import { surface, type Surface } from "./materials";
import { geometryOf } from "./shapes";
import { links } from "./symbols";

const GHOST = 0.22;
const WALL = 0.3;
const COLLISION = 0.4;

/** Something that is there until a time [s]. */
export interface Timed {
  object: Object3D;
  until: number;
}

export class Bodies {
  readonly groups: Group[] = [];
  readonly timed: Timed[] = [];
  /** of each body: what can be tinted, and its own colours */
  readonly materials: Surface[][] = [];
  readonly own: Color[][] = [];
  /** shapes that collide, made when they are first shown */
  private hidden: { group: Group; shape: Shape }[] = [];

  /** size: of the machine [m]; ghost: drawn transparent */
  constructor(bodies: Body[], private readonly size: number, private readonly ghost: boolean) {
    bodies.forEach((body, k) => this.add(body, k));
  }

  static opacity(ghost: boolean): number {
    return ghost ? GHOST : 1;
  }

  private add(body: Body, index: number): void {
    const group = new Group();
    group.name = body.name;
    group.userData.body = index;
    const colour = colourOf(body.colour, index - 1);
    const materials: Surface[] = [];
    // shapes that look alike are one mesh: each mesh costs a call, and software rendering bears few
    const alike = new Map<string, Mesh[]>();
    for (const shape of body.shapes) {
      if (shape.collision) {
        if (!this.ghost) this.hidden.push({ group, shape });
        continue;
      }
      const mesh = this.shape(shape, colour, opacityOf(body.colour));
      if (!mesh) continue;
      const { color, opacity, vertexColors, side } = mesh.material as Surface;
      const single = shape.hollow || shape.type === "plane" || this.timed.some(({ object }) => object === mesh);
      const key = single ? `one ${alike.size}` : [color.getHex(), opacity, vertexColors, side, Boolean(mesh.geometry.index)].join();
      alike.set(key, [...(alike.get(key) ?? []), mesh]);
    }
    for (const meshes of alike.values()) {
      const mesh = merged(meshes);
      group.add(mesh);
      materials.push(mesh.material as Surface);
    }
    if (body.sticks.length) {
      const material = surface({ colour, opacity: Bodies.opacity(this.ghost) });
      materials.push(material);
      group.add(links(body.sticks, 0.013 * this.size, material));
    }
    this.materials.push(materials);
    this.own.push(materials.map((material) => material.color.clone()));
    this.groups.push(group);
  }

  /** Whether there are shapes that collide and are not drawn. */
  get collides(): boolean {
    return this.hidden.length > 0;
  }

  /** Makes these shapes in a colour; those that were made before are not among them. */
  collisions(colour: Color): Mesh[] {
    const made: Mesh[] = [];
    for (const { group, shape } of this.hidden.splice(0)) {
      const mesh = this.shape(shape, colour, 1);
      if (!mesh) continue;
      group.add(mesh);
      made.push(mesh);
    }
    return made;
  }

  private shape(shape: Shape, colour: Color, opacity: number): Mesh | null {
    const level = shape.type === "plane";
    const geometry = geometryOf(shape, 3 * this.size);
    if (!geometry) return null;
    const wall = Boolean(shape.hollow) || level;
    const own = shape.collision ? colour : shape.colour ? colourOf(shape.colour) : colour;
    const clear = this.ghost ? GHOST : shape.collision ? COLLISION : wall ? WALL : shape.colour ? opacityOf(shape.colour) : opacity;
    const material = surface({ colour: own, opacity: clear, wall: wall || shape.type === "mesh", vertexColours: geometry.hasAttribute("color") });
    const mesh = new Mesh(geometry, material);
    if (shape.at) mesh.position.set(...shape.at);
    if (shape.quaternion) mesh.quaternion.set(shape.quaternion[1], shape.quaternion[2], shape.quaternion[3], shape.quaternion[0]);
    if (wall && !level && !this.ghost) {
      const edges = new LineSegments(new EdgesGeometry(geometry, 30), new LineBasicMaterial({ color: own, transparent: true, opacity: 0.9 }));
      edges.raycast = () => {};
      mesh.add(edges);
    }
    const until = (shape as { until?: number | null }).until;
    if (until !== undefined && until !== null && !shape.collision) this.timed.push({ object: mesh, until });
    mesh.userData.shape = shape.name ?? shape.type;
    return mesh;
  }
}

/** Several meshes of one look as one. */
function merged(meshes: Mesh[]): Mesh {
  if (meshes.length === 1) return meshes[0];
  const parts = meshes.map((mesh) => {
    mesh.updateMatrix();
    return mesh.geometry.applyMatrix4(mesh.matrix).deleteAttribute("uv");
  });
  return new Mesh(mergeGeometries(parts), meshes[0].material);
}
