/**
 * Ground of heights with ruts. Heights make one mesh; where soft soil was driven on, fine patches of its own grid take the
 * place of that mesh, which leaves out its fragments there (a texel of `mask` for each patch).
 */

import { BufferAttribute, BufferGeometry, Color, DataTexture, Group, Mesh, MeshLambertMaterial, NearestFilter, RedFormat } from "three";
import type { Ruts, Terrain as Data } from "../transport/types";
import type { Theme } from "./colours";
import { groundMaterial } from "./groundMaterial";

const PATCH = 32; // cells along a side
const TILE = 48; // samples along a side of the largest tiles of heights
const FLAT = 5e-4; // m
const DEEP = 0.08; // m, at which soil has the colour of a rut
const OVER = 0.25; // cells

const over = (at: number, last: number) => (at === 0 ? -OVER : at === last ? OVER : 0);

export class Terrain {
  readonly root = new Group();
  private readonly depth: Float32Array;
  private readonly patches = new Map<number, Mesh>();
  private readonly indices = new Map<string, BufferAttribute>();
  private readonly depths = new Float32Array((PATCH + 3) ** 2);
  private readonly levels = new Float32Array((PATCH + 3) ** 2);
  private readonly stale = new Set<number>();
  private readonly across: number;
  private readonly mask: DataTexture;
  private readonly soil = new Color();
  private readonly rut = new Color();
  private readonly material: MeshLambertMaterial;
  private readonly base: Mesh<BufferGeometry, MeshLambertMaterial>;
  /** a film's ruts, their numbers in the order of the times from which they are there, how many are drawn, and up to when */
  private timed: Ruts | null = null;
  private order = new Uint32Array();
  private drawn = 0;
  private drawnTo = -Infinity;

  constructor(private readonly data: Data, theme: Theme) {
    const [ny, nx] = data.soft?.shape ?? [1, 1];
    this.depth = new Float32Array(nx * ny);
    this.across = Math.ceil(nx / PATCH);
    this.mask = new DataTexture(new Uint8Array(this.across * Math.ceil(ny / PATCH)), this.across, Math.ceil(ny / PATCH), RedFormat);
    this.mask.minFilter = this.mask.magFilter = NearestFilter;
    this.mask.unpackAlignment = 1;
    this.mask.needsUpdate = true;
    this.material = groundMaterial(data, null, PATCH);
    this.base = new Mesh(this.heights(), groundMaterial(data, this.mask, PATCH));
    this.base.receiveShadow = true;
    // where it is opaque, what hides it is drawn first; where it fades at its edges, it is drawn before all that is transparent
    this.base.renderOrder = this.base.material.transparent ? -1 : 1;
    this.root.add(this.base);
    this.setTheme(theme);
  }

  /** Height [m] of the undisturbed ground, bilinear between its samples. */
  height(x: number, y: number): number {
    const { low, cell, shape: [ny, nx], height } = this.data;
    const u = Math.min(Math.max((x - low[0]) / cell[0], 0), nx - 1);
    const v = Math.min(Math.max((y - low[1]) / cell[1], 0), ny - 1);
    const [i, j] = [Math.min(Math.floor(u), Math.max(nx - 2, 0)), Math.min(Math.floor(v), Math.max(ny - 2, 0))];
    const [s, t] = [u - i, v - j];
    const h = (a: number, b: number) => height.data[Math.min(b, ny - 1) * nx + Math.min(a, nx - 1)];
    return (1 - t) * ((1 - s) * h(i, j) + s * h(i + 1, j)) + t * ((1 - s) * h(i, j + 1) + s * h(i + 1, j + 1));
  }

  /** One mesh of all heights; tiles that are flat, as most are, become two triangles, others are quartered. */
  private heights(): BufferGeometry {
    const { low, cell, shape: [ny, nx], height } = this.data;
    const position = new Float32Array(3 * nx * ny);
    for (let k = 0; k < nx * ny; k++) {
      position.set([low[0] + (k % nx) * cell[0], low[1] + Math.floor(k / nx) * cell[1], height.data[k]], 3 * k);
    }
    const index: number[] = [];
    const quad = (i: number, j: number, w: number, h: number) => {
      const [a, b, c, d] = [j * nx + i, j * nx + i + w, (j + h) * nx + i + w, (j + h) * nx + i];
      index.push(a, b, c, a, c, d);
    };
    const tile = (i: number, j: number, w: number, h: number) => {
      if ((w === 1 && h === 1) || this.flat(i, j, w, h)) return quad(i, j, w, h);
      const [a, b] = [Math.ceil(w / 2), Math.ceil(h / 2)];
      tile(i, j, a, b);
      if (w > a) tile(i + a, j, w - a, b);
      if (h > b) tile(i, j + b, a, h - b);
      if (w > a && h > b) tile(i + a, j + b, w - a, h - b);
    };
    for (let j = 0; j < ny - 1; j += TILE) {
      for (let i = 0; i < nx - 1; i += TILE) {
        tile(i, j, Math.min(TILE, nx - 1 - i), Math.min(TILE, ny - 1 - j));
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(position, 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  /** Whether a tile and the samples next to it lie in one plane, so that its corners have the normals of that plane. */
  private flat(i: number, j: number, w: number, h: number): boolean {
    const { shape: [ny, nx], height: { data } } = this.data;
    const start = data[j * nx + i];
    const [slopeX, slopeY] = [(data[j * nx + i + w] - start) / w, (data[(j + h) * nx + i] - start) / h];
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + h + 1); b++) {
      for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + w + 1); a++) {
        if (Math.abs(data[b * nx + a] - start - slopeX * (a - i) - slopeY * (b - j)) > FLAT) return false;
      }
    }
    return true;
  }

  /** Ruts that are there from now on. */
  press({ cells, depth }: { cells: ArrayLike<number>; depth: ArrayLike<number> }): void {
    for (let k = 0; k < cells.length; k++) this.set(cells[k], depth[k]);
    this.rebuild();
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
      for (let k = 0; k < this.drawn; k++) this.set(cells[this.order[k]], 0);
      this.drawn = 0;
    }
    for (; this.drawn < this.order.length; this.drawn++) {
      const k = this.order[this.drawn];
      if (since && since[k] > time) break;
      this.set(cells[k], depth[k]);
    }
    this.drawnTo = time;
    this.rebuild();
  }

  private set(cell: number, depth: number): void {
    if (cell >= this.depth.length || this.depth[cell] === depth) return;
    this.depth[cell] = depth;
    const nx = this.data.soft!.shape[1];
    const [i, j] = [cell % nx, Math.floor(cell / nx)];
    // normals reach two cells far: a cell near the edge of its patch is drawn by the patch beside it, too
    const [a, b] = [Math.floor(i / PATCH), Math.floor(j / PATCH)];
    const beside = (at: number) => (at % PATCH < 2 ? -1 : at % PATCH >= PATCH - 2 ? 1 : 0);
    const [da, db] = [beside(i), beside(j)];
    this.touch(a, b);
    if (da) this.touch(a + da, b);
    if (db) this.touch(a, b + db);
    if (da && db) this.touch(a + da, b + db);
  }

  private touch(a: number, b: number): void {
    if (a >= 0 && b >= 0 && a < this.across && b < this.mask.image.height!) this.stale.add(b * this.across + a);
  }

  private rebuild(): void {
    const mask = this.mask.image.data as Uint8Array;
    for (const key of this.stale) {
      let mesh = this.patches.get(key);
      if (!mesh) {
        mesh = new Mesh(this.patch(key), this.material);
        mesh.receiveShadow = true;
        this.patches.set(key, mesh);
        this.root.add(mesh);
        mask[key] = 255;
        this.mask.needsUpdate = true;
      }
      this.fill(key, mesh.geometry);
    }
    this.stale.clear();
  }

  private extent(key: number): [number, number, number, number] {
    const [ny, nx] = this.data.soft!.shape;
    const [i, j] = [(key % this.across) * PATCH, Math.floor(key / this.across) * PATCH];
    return [i, j, Math.min(PATCH, nx - i), Math.min(PATCH, ny - j)];
  }

  private patch(key: number): BufferGeometry {
    const [, , w, h] = this.extent(key);
    const count = (w + 1) * (h + 1);
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * count), 3));
    geometry.setIndex(this.indexOf(w, h));
    return geometry;
  }

  /** Triangles of a patch; those of the same size share them. */
  private indexOf(w: number, h: number): BufferAttribute {
    const known = this.indices.get(`${w} ${h}`);
    if (known) return known;
    const index: number[] = [];
    for (let j = 0; j < h; j++) {
      for (let i = 0; i < w; i++) {
        const k = j * (w + 1) + i;
        index.push(k, k + 1, k + w + 2, k, k + w + 2, k + w + 1);
      }
    }
    const made = new BufferAttribute(Uint16Array.from(index), 1);
    this.indices.set(`${w} ${h}`, made);
    return made;
  }

  /** Corners of cells have the mean depth of the cells around them. */
  private fill(key: number, geometry: BufferGeometry): void {
    const { at, cell, shape: [ny, nx] } = this.data.soft!;
    const [i0, j0, w, h] = this.extent(key);
    const { depths, levels } = this;
    const wide = w + 3; // one corner more on each side, for the normals
    const cellDepth = (i: number, j: number) => (i < 0 || j < 0 || i >= nx || j >= ny ? 0 : this.depth[j * nx + i]);
    for (let b = 0; b < h + 3; b++) {
      for (let a = 0; a < wide; a++) {
        const [k, i, j] = [b * wide + a, i0 + a - 1, j0 + b - 1];
        depths[k] = 0.25 * (cellDepth(i, j) + cellDepth(i - 1, j) + cellDepth(i, j - 1) + cellDepth(i - 1, j - 1));
        levels[k] = this.height(at[0] + i * cell[0], at[1] + j * cell[1]) - depths[k];
      }
    }
    const [position, normal, colour] = ["position", "normal", "color"].map((name) => geometry.getAttribute(name).array as Float32Array);
    const { soil, rut } = this;
    for (let b = 0; b <= h; b++) {
      for (let a = 0; a <= w; a++) {
        const [k, m] = [3 * (b * (w + 1) + a), (b + 1) * wide + a + 1];
        // a little over its edges, so that nothing shines through between patches
        position[k] = at[0] + (i0 + a + over(a, w)) * cell[0];
        position[k + 1] = at[1] + (j0 + b + over(b, h)) * cell[1];
        position[k + 2] = levels[m];
        const dx = (levels[m + 1] - levels[m - 1]) / (2 * cell[0]);
        const dy = (levels[m + wide] - levels[m - wide]) / (2 * cell[1]);
        const length = Math.sqrt(dx * dx + dy * dy + 1);
        normal[k] = -dx / length;
        normal[k + 1] = -dy / length;
        normal[k + 2] = 1 / length;
        const deep = Math.min(1, Math.max(0, depths[m] / DEEP));
        colour[k] = soil.r + (rut.r - soil.r) * deep;
        colour[k + 1] = soil.g + (rut.g - soil.g) * deep;
        colour[k + 2] = soil.b + (rut.b - soil.b) * deep;
      }
    }
    for (const name of ["position", "normal", "color"]) geometry.getAttribute(name).needsUpdate = true;
    if (!geometry.boundingSphere) geometry.computeBoundingSphere(); // ruts are less deep than it is large
  }

  setTheme(theme: Theme): void {
    this.soil.set(theme.soil);
    this.rut.set(theme.rut);
    this.base.material.color.set(theme.soil);
    for (const key of this.patches.keys()) this.stale.add(key);
    this.rebuild();
  }
}
