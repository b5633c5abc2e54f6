/** Ruts in soft soil: fine patches of its own grid where something has rolled, and a mask that says where they lie. */

import { BufferAttribute, BufferGeometry, Color, DataTexture, Group, Mesh, NearestFilter, RedFormat, Vector3, type Material } from "three";
import type { Terrain as Data } from "../transport/types";
import type { Theme } from "./colours";
import type { Heights } from "./heights";

export const PATCH = 32; // cells along a side
const BLOCK = 4; // cells along a side of what is a fan of a few triangles where nothing has rolled
const DEEP = 0.08; // m, at which soil has the colour of a rut
const OVER = 0.25; // cells
const FAR = [14, 28]; // m from the eye, from where every second and every fourth cell are drawn

const over = (at: number, last: number) => (at === 0 ? -OVER : at === last ? OVER : 0);

export class Patches {
  readonly root = new Group();
  readonly mask: DataTexture;
  private readonly depth: Float32Array;
  private readonly patches = new Map<number, Mesh<BufferGeometry>>();
  /** triangles of a patch with all that it has to show, and how many corners they have */
  private readonly fine = new Map<number, { index: BufferAttribute; count: number }>();
  private readonly coarse = new Map<string, BufferAttribute>();
  private readonly depths = new Float32Array((PATCH + 3) ** 2);
  private readonly levels = new Float32Array((PATCH + 3) ** 2);
  private readonly stale = new Set<number>();
  private readonly across: number;
  private readonly soil = new Color();
  private readonly rut = new Color();
  material!: Material;

  constructor(private readonly data: Data, private readonly heights: Heights) {
    const [ny, nx] = data.soft?.shape ?? [1, 1];
    this.depth = new Float32Array(nx * ny);
    this.across = Math.ceil(nx / PATCH);
    this.mask = new DataTexture(new Uint8Array(this.across * Math.ceil(ny / PATCH)), this.across, Math.ceil(ny / PATCH), RedFormat);
    this.mask.minFilter = this.mask.magFilter = NearestFilter;
    this.mask.unpackAlignment = 1;
    this.mask.needsUpdate = true;
  }

  set(cell: number, depth: number): void {
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

  /** Soil that nothing has touched. */
  clear(): void {
    this.depth.fill(0);
    for (const patch of this.patches.values()) {
      patch.removeFromParent();
      patch.geometry.dispose();
    }
    this.patches.clear();
    this.fine.clear();
    this.stale.clear();
    (this.mask.image.data as Uint8Array).fill(0);
    this.mask.needsUpdate = true;
  }

  rebuild(): void {
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

  /** Fewer triangles where the eye is far: they cost where the processor draws. */
  thin(eye: Vector3): void {
    for (const [key, { geometry }] of this.patches) {
      const { center, radius } = geometry.boundingSphere!;
      const far = center.distanceTo(eye) - radius;
      const { index, count } = this.fine.get(key)!;
      const near = far < FAR[0];
      const wanted = near ? index : this.coarser(key, far < FAR[1] ? 2 : 4);
      if (geometry.index !== wanted) geometry.setIndex(wanted);
      geometry.setDrawRange(0, near ? count : wanted.count);
    }
  }

  setTheme(theme: Theme): void {
    this.soil.set(theme.soil);
    this.rut.set(theme.rut);
    for (const key of this.patches.keys()) this.stale.add(key);
    this.rebuild();
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
    const index = new BufferAttribute(new Uint16Array(6 * w * h), 1);
    this.fine.set(key, { index, count: 0 });
    geometry.setIndex(index);
    return geometry;
  }

  /** Every n-th cell of a patch; those of the same size share the triangles. */
  private coarser(key: number, n: number): BufferAttribute {
    const [, , w, h] = this.extent(key);
    const name = `${w} ${h} ${n}`;
    let made = this.coarse.get(name);
    if (!made) {
      const index: number[] = [];
      for (let j = 0; j < h; j += n) for (let i = 0; i < w; i += n) quad(index, i, j, Math.min(n, w - i), Math.min(n, h - j), w + 1);
      this.coarse.set(name, (made = new BufferAttribute(Uint16Array.from(index), 1)));
    }
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
        levels[k] = this.heights.at(at[0] + i * cell[0], at[1] + j * cell[1]) - depths[k];
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
    this.weave(key, w, h);
    if (geometry.index === this.fine.get(key)!.index) geometry.setDrawRange(0, this.fine.get(key)!.count);
    for (const name of ["position", "normal", "color"]) geometry.getAttribute(name).needsUpdate = true;
    if (!geometry.boundingSphere) geometry.computeBoundingSphere(); // ruts are less deep than it is large
  }

  /** Triangles of what was filled last: few for a block of cells that nothing has touched. */
  private weave(key: number, w: number, h: number): void {
    const fine = this.fine.get(key)!;
    const found: number[] = [];
    const [across, along] = [Math.ceil(w / BLOCK), Math.ceil(h / BLOCK)];
    const whole = (a: number, b: number) => (a + 1) * BLOCK <= w && (b + 1) * BLOCK <= h;
    const quiet = Array.from({ length: across * along }, (_, k) => {
      const [a, b] = [k % across, Math.floor(k / across)];
      return whole(a, b) && this.untouched(a * BLOCK, b * BLOCK, w + 3);
    });
    const isFine = (a: number, b: number) => a >= 0 && b >= 0 && a < across && b < along && !quiet[b * across + a];
    for (let b = 0; b < along; b++) {
      for (let a = 0; a < across; a++) {
        const [i, j] = [a * BLOCK, b * BLOCK];
        if (quiet[b * across + a]) {
          // with all corners of a finer neighbour's edge, so that no gap opens
          fan(found, i, j, w + 1, [isFine(a, b - 1), isFine(a + 1, b), isFine(a, b + 1), isFine(a - 1, b)]);
        } else {
          for (let n = j; n < Math.min(j + BLOCK, h); n++) for (let m = i; m < Math.min(i + BLOCK, w); m++) quad(found, m, n, 1, 1, w + 1);
        }
      }
    }
    (fine.index.array as Uint16Array).set(found);
    fine.index.needsUpdate = true;
    fine.count = found.length;
  }

  private untouched(i: number, j: number, wide: number): boolean {
    for (let n = 1; n <= BLOCK + 1; n++) for (let m = 1; m <= BLOCK + 1; m++) if (this.depths[(j + n) * wide + i + m] !== 0) return false;
    return true;
  }
}

/** Triangles around the middle of a block; `fine`: which of its edges (low, right, high, left) have all their corners. */
function fan(index: number[], i: number, j: number, row: number, fine: boolean[]): void {
  const half = BLOCK / 2;
  const middle = (j + half) * row + i + half;
  const corners = [[0, 0], [BLOCK, 0], [BLOCK, BLOCK], [0, BLOCK]];
  corners.forEach(([a, b], side) => {
    const [c, d] = corners[(side + 1) % 4];
    const steps = fine[side] ? BLOCK : 1;
    for (let k = 0; k < steps; k++) {
      const at = (s: number) => (j + b + ((d - b) * s) / steps) * row + i + a + ((c - a) * s) / steps;
      index.push(middle, at(k), at(k + 1));
    }
  });
}

/** Two triangles over w times h cells of a grid with so many corners in a row. */
function quad(index: number[], i: number, j: number, w: number, h: number, row: number): void {
  const k = j * row + i;
  index.push(k, k + w, k + w + h * row, k, k + w + h * row, k + h * row);
}
