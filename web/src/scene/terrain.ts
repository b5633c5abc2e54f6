/**
 * Ground of heights with ruts. Heights make one mesh; where soft soil was driven on, fine patches of its own grid take the
 * place of that mesh, which leaves out its fragments there (a texel of `mask` for each patch).
 */

import {
  BufferAttribute, BufferGeometry, Color, DataTexture, Group, Mesh, MeshLambertMaterial, NearestFilter, RedFormat, Vector2,
} from "three";
import type { Ruts, Terrain as Data } from "../transport/types";
import type { Theme } from "./colours";

const PATCH = 32; // cells along a side
const TILE = 12; // samples along a side
const FLAT = 5e-4; // m
const DEEP = 0.08; // m, at which soil has the colour of a rut

export class Terrain {
  readonly root = new Group();
  private readonly depth: Float32Array;
  private readonly patches = new Map<number, Mesh>();
  private readonly stale = new Set<number>();
  private readonly across: number;
  private readonly mask: DataTexture;
  private readonly soil = new Color();
  private readonly rut = new Color();
  private readonly material = new MeshLambertMaterial({ vertexColors: true });
  private readonly base: Mesh;
  /** a film's ruts with the times from which they are there, and the last time drawn */
  private timed: Ruts | null = null;
  private drawnTo = -Infinity;

  constructor(private readonly data: Data, theme: Theme) {
    const [ny, nx] = data.soft?.shape ?? [1, 1];
    this.depth = new Float32Array(nx * ny);
    this.across = Math.ceil(nx / PATCH);
    this.mask = new DataTexture(new Uint8Array(this.across * Math.ceil(ny / PATCH)), this.across, Math.ceil(ny / PATCH), RedFormat);
    this.mask.minFilter = this.mask.magFilter = NearestFilter;
    this.mask.unpackAlignment = 1;
    this.mask.needsUpdate = true;
    this.base = new Mesh(this.heights(), this.baseMaterial());
    this.base.receiveShadow = true;
    this.base.renderOrder = -1; // it fades at its edges, and is drawn before all that is transparent
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

  /** One mesh of all heights; tiles that are flat, as most are, become two triangles. */
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
    for (let j = 0; j < ny - 1; j += TILE) {
      for (let i = 0; i < nx - 1; i += TILE) {
        const [w, h] = [Math.min(TILE, nx - 1 - i), Math.min(TILE, ny - 1 - j)];
        if (this.flat(i, j, w, h)) quad(i, j, w, h);
        else for (let b = 0; b < h; b++) for (let a = 0; a < w; a++) quad(i + a, j + b, 1, 1);
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(position, 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  private flat(i: number, j: number, w: number, h: number): boolean {
    const nx = this.data.shape[1];
    const z = (a: number, b: number) => this.data.height.data[(j + b) * nx + i + a];
    for (let b = 0; b <= h; b++) {
      for (let a = 0; a <= w; a++) {
        const [s, t] = [a / w, b / h];
        const plane = (1 - t) * ((1 - s) * z(0, 0) + s * z(w, 0)) + t * ((1 - s) * z(0, h) + s * z(w, h));
        if (Math.abs(z(a, b) - plane) > FLAT) return false;
      }
    }
    return true;
  }

  /** Lines every metre, and holes where patches lie. */
  private baseMaterial(): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ transparent: true });
    const { low, cell, shape: [ny, nx] } = this.data;
    const high = new Vector2(low[0] + (nx - 1) * cell[0], low[1] + (ny - 1) * cell[1]);
    const fade = 0.12 * Math.min(high.x - low[0], high.y - low[1]);
    const soft = this.data.soft;
    const patch = soft ? new Vector2(soft.cell[0] * PATCH * this.mask.image.width!, soft.cell[1] * PATCH * this.mask.image.height!) : new Vector2(1, 1);
    const size = soft ? new Vector2(soft.cell[0] * soft.shape[1], soft.cell[1] * soft.shape[0]) : new Vector2(-1, -1);
    const uniforms = { mask: { value: this.mask }, corner: { value: new Vector2(...(soft?.at ?? [0, 0])) }, patches: { value: patch }, size: { value: size }, low: { value: new Vector2(...low) }, high: { value: high }, fade: { value: fade } };
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec2 vGround;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGround = position.xy;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying vec2 vGround;\nuniform sampler2D mask;\nuniform vec2 corner, patches, size, low, high;\nuniform float fade;")
        .replace("#include <color_fragment>", `#include <color_fragment>
          vec2 inside = vGround - corner;
          if (all(greaterThan(inside, vec2(0.0))) && all(lessThan(inside, size)) && texture2D(mask, inside / patches).r > 0.5) discard;
          vec2 wide = max(fwidth(vGround), vec2(1e-5));
          vec2 off = abs(fract(vGround - 0.5) - 0.5) / wide;
          vec2 lines = (1.0 - smoothstep(0.0, 1.3, off)) * clamp(0.2 / wide, 0.0, 1.0);
          diffuseColor.rgb *= 1.0 - 0.1 * max(lines.x, lines.y);
          vec2 edge = min(vGround - low, high - vGround) / fade;
          diffuseColor.a *= smoothstep(0.0, 1.0, min(edge.x, edge.y));`);
    };
    return material;
  }

  /** Ruts that are there from now on. */
  press({ cells, depth }: { cells: ArrayLike<number>; depth: ArrayLike<number> }): void {
    for (let k = 0; k < cells.length; k++) this.set(cells[k], depth[k]);
    this.rebuild();
  }

  /** Ruts of a film: each cell has its depth from a time on. */
  setTimed(ruts: Ruts): void {
    this.timed = ruts;
    this.drawnTo = -Infinity;
  }

  /** Shows timed ruts as they are at a time. */
  at(time: number): void {
    if (!this.timed) return;
    const { cells, depth, since } = this.timed;
    const back = time < this.drawnTo;
    if (back) {
      for (let k = 0; k < cells.length; k++) if (this.depth[cells[k]] !== 0) this.set(cells[k], 0);
    }
    for (let k = 0; k < cells.length; k++) {
      const start = since ? since[k] : -Infinity;
      if (start <= time && (back || start > this.drawnTo || this.drawnTo === -Infinity)) this.set(cells[k], depth[k]);
    }
    this.drawnTo = time;
    this.rebuild();
  }

  private set(cell: number, depth: number): void {
    if (cell >= this.depth.length || this.depth[cell] === depth) return;
    this.depth[cell] = depth;
    const nx = this.data.soft!.shape[1];
    const [i, j] = [cell % nx, Math.floor(cell / nx)];
    // a cell at the edge of its patch is drawn by the patch beside it, too
    for (const di of [-1, 0, 1]) {
      for (const dj of [-1, 0, 1]) {
        const [a, b] = [Math.floor((i + di) / PATCH), Math.floor((j + dj) / PATCH)];
        if (a >= 0 && b >= 0 && a < this.across && b < this.mask.image.height!) this.stale.add(b * this.across + a);
      }
    }
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
    const index: number[] = [];
    for (let j = 0; j < h; j++) {
      for (let i = 0; i < w; i++) {
        const k = j * (w + 1) + i;
        index.push(k, k + 1, k + w + 2, k, k + w + 2, k + w + 1);
      }
    }
    geometry.setIndex(index);
    return geometry;
  }

  /** Corners of cells have the mean depth of the cells around them. */
  private fill(key: number, geometry: BufferGeometry): void {
    const { at, cell, shape: [ny, nx] } = this.data.soft!;
    const [i0, j0, w, h] = this.extent(key);
    const cellDepth = (i: number, j: number) => (i < 0 || j < 0 || i >= nx || j >= ny ? 0 : this.depth[j * nx + i]);
    const corner = (i: number, j: number) => 0.25 * (cellDepth(i, j) + cellDepth(i - 1, j) + cellDepth(i, j - 1) + cellDepth(i - 1, j - 1));
    const level = (i: number, j: number) => this.height(at[0] + i * cell[0], at[1] + j * cell[1]) - corner(i, j);
    const [position, normal, colour] = ["position", "normal", "color"].map((name) => geometry.getAttribute(name) as BufferAttribute);
    const mixed = new Color();
    for (let b = 0; b <= h; b++) {
      for (let a = 0; a <= w; a++) {
        const [k, i, j] = [b * (w + 1) + a, i0 + a, j0 + b];
        position.setXYZ(k, at[0] + i * cell[0], at[1] + j * cell[1], level(i, j));
        const dx = (level(i + 1, j) - level(i - 1, j)) / (2 * cell[0]);
        const dy = (level(i, j + 1) - level(i, j - 1)) / (2 * cell[1]);
        const length = Math.hypot(dx, dy, 1);
        normal.setXYZ(k, -dx / length, -dy / length, 1 / length);
        mixed.copy(this.soil).lerp(this.rut, Math.min(1, Math.max(0, corner(i, j) / DEEP)));
        colour.setXYZ(k, mixed.r, mixed.g, mixed.b);
      }
    }
    for (const attribute of [position, normal, colour]) attribute.needsUpdate = true;
    geometry.computeBoundingSphere();
  }

  setTheme(theme: Theme): void {
    this.soil.set(theme.soil);
    this.rut.set(theme.rut);
    (this.base.material as MeshLambertMaterial).color.set(theme.soil);
    for (const key of this.patches.keys()) this.stale.add(key);
    this.rebuild();
  }
}
