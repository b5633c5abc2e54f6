/**
 * Ground of heights with ruts. Heights make a few meshes; where soft soil was driven on, fine patches of its own grid take
 * the place of those meshes, which leave out their fragments there (a texel of `mask` for each patch).
 */

import { Group, Mesh, type BufferGeometry, type MeshLambertMaterial, type Vector3 } from "three";
import type { Ruts, Terrain as Data } from "../transport/types";
import type { Theme } from "./colours";
import { groundMaterial } from "./groundMaterial";
import { Heights } from "./heights";
import { isPlain } from "./materials";
import { PATCH, Patches } from "./patches";

const BEYOND = 3000; // m, of ground that goes on, around where it was drawn last
const SOON = 1000; // m from its end, where it is drawn anew

export class Terrain {
  readonly root = new Group();
  private readonly heights: Heights;
  private readonly patches: Patches;
  private readonly material: MeshLambertMaterial;
  private readonly around: Mesh<BufferGeometry, MeshLambertMaterial> | null;
  private reach = 0;
  /** a film's ruts, their numbers in the order of the times from which they are there, how many are drawn, and up to when */
  private timed: Ruts | null = null;
  private order = new Uint32Array();
  private drawn = 0;
  private drawnTo = -Infinity;

  /** endless: it goes on beyond its edges, and fades far from the eye instead of there. */
  constructor(private readonly data: Data, theme: Theme, endless = false) {
    this.heights = new Heights(data);
    this.patches = new Patches(data, this.heights);
    this.patches.material = groundMaterial(data, null, PATCH, endless);
    this.material = groundMaterial(data, this.patches.mask, PATCH, endless);
    const base = new Group();
    for (const tile of this.heights.tiles(isPlain())) base.add(this.ground(tile));
    this.around = endless ? this.ground(this.heights.around(0)) : null;
    if (this.around) {
      base.add(this.around);
      this.goOn(0, 0);
    }
    this.root.add(base, this.patches.root);
    this.setTheme(theme);
  }

  private ground(geometry: BufferGeometry): Mesh<BufferGeometry, MeshLambertMaterial> {
    const mesh = new Mesh(geometry, this.material);
    mesh.receiveShadow = true;
    // where it is opaque, what hides it is drawn first; where it fades at its edges, it is drawn before all that is transparent
    mesh.renderOrder = this.material.transparent ? -1 : 1;
    return mesh;
  }

  /** Height [m] of the undisturbed ground. */
  height(x: number, y: number): number {
    return this.heights.at(x, y);
  }

  /** Endless ground is drawn as far as is needed to see no end from here. */
  goOn(x: number, y: number): void {
    const { low, cell, shape: [ny, nx] } = this.data;
    const outside = Math.max(low[0] - x, x - low[0] - (nx - 1) * cell[0], low[1] - y, y - low[1] - (ny - 1) * cell[1], 0);
    if (!this.around || outside + SOON < this.reach) return;
    this.reach = outside + BEYOND;
    this.around.geometry.dispose();
    this.around.geometry = this.heights.around(this.reach);
  }

  /** Called before a picture: what the eye sees from far has fewer triangles where the processor draws. */
  look(eye: Vector3): void {
    if (isPlain()) this.patches.thin(eye);
  }

  /** Ruts that are there from now on. */
  press({ cells, depth }: { cells: ArrayLike<number>; depth: ArrayLike<number> }): void {
    for (let k = 0; k < cells.length; k++) this.patches.set(cells[k], depth[k]);
    this.patches.rebuild();
  }

  /** Soil that nothing has touched. */
  smooth(): void {
    this.patches.clear();
  }

  /** Ruts of a film: each cell has its depth from a time on. */
  setTimed(ruts: Ruts): void {
    this.timed = ruts;
    const { since, cells } = ruts;
    this.order = Uint32Array.from(cells, (_, k) => k);
    if (since) this.order.sort((a, b) => since[a] - since[b]);
    this.drawn = 0;
    this.drawnTo = -Infinity;
  }

  /** Shows timed ruts as they are at a time. */
  at(time: number): void {
    if (!this.timed) return;
    const { cells, depth, since } = this.timed;
    if (time < this.drawnTo) {
      for (let k = 0; k < this.drawn; k++) this.patches.set(cells[this.order[k]], 0);
      this.drawn = 0;
    }
    for (; this.drawn < this.order.length; this.drawn++) {
      const k = this.order[this.drawn];
      if (since && since[k] > time) break;
      this.patches.set(cells[k], depth[k]);
    }
    this.drawnTo = time;
    this.patches.rebuild();
  }

  setTheme(theme: Theme): void {
    this.material.color.set(theme.soil);
    this.patches.setTheme(theme);
  }
}
