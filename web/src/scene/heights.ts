/** Ground of heights on a grid: as meshes that can be left out one by one, and as a function of the place. */

import { BufferAttribute, BufferGeometry, Sphere, Vector3 } from "three";
import type { Terrain as Data } from "../transport/types";

const TILE = 48; // samples along a side of the largest tiles
const FLAT = 5e-4; // m
const SAME = 8e-3; // m, by which a coarser grid may differ where the processor draws
const COARSER = [4, 2];

export class Heights {
  constructor(readonly data: Data) {}

  /** Height [m] of the undisturbed ground, bilinear between its samples; outside, its edge goes on. */
  at(x: number, y: number): number {
    const { low, cell, shape: [ny, nx], height } = this.data;
    const u = Math.min(Math.max((x - low[0]) / cell[0], 0), nx - 1);
    const v = Math.min(Math.max((y - low[1]) / cell[1], 0), ny - 1);
    const [i, j] = [Math.min(Math.floor(u), Math.max(nx - 2, 0)), Math.min(Math.floor(v), Math.max(ny - 2, 0))];
    const [s, t] = [u - i, v - j];
    const h = (a: number, b: number) => height.data[Math.min(b, ny - 1) * nx + Math.min(a, nx - 1)];
    return (1 - t) * ((1 - s) * h(i, j) + s * h(i + 1, j)) + t * ((1 - s) * h(i, j + 1) + s * h(i + 1, j + 1));
  }

  /** One geometry for each tile, so that those behind the camera are not drawn. Tiles that are flat, as most are, become
   * a fan, others are quartered. quick: with as few samples as show the same within a centimetre. */
  tiles(quick: boolean): BufferGeometry[] {
    const grid = quick ? this.coarser() : this.data;
    const { low, cell, shape: [ny, nx], height } = grid;
    const positions = new Float32Array(3 * nx * ny);
    for (let k = 0; k < nx * ny; k++) positions.set([low[0] + (k % nx) * cell[0], low[1] + Math.floor(k / nx) * cell[1], height.data[k]], 3 * k);
    const position = new BufferAttribute(positions, 3);
    const all: number[] = [];
    const found: [number[], number, number, number, number][] = [];
    for (let j = 0; j < ny - 1; j += TILE) {
      for (let i = 0; i < nx - 1; i += TILE) {
        const [w, h] = [Math.min(TILE, nx - 1 - i), Math.min(TILE, ny - 1 - j)];
        const index = triangles(grid, i, j, w, h);
        for (const corner of index) all.push(corner);
        found.push([index, i, j, w, h]);
      }
    }
    // normals of all tiles at once, so that none shows its edges
    const whole = new BufferGeometry().setAttribute("position", position);
    whole.setIndex(new BufferAttribute(Uint32Array.from(all), 1));
    whole.computeVertexNormals();
    const normal = whole.getAttribute("normal");
    return found.map(([index, i, j, w, h]) => {
      const tile = new BufferGeometry().setAttribute("position", position).setAttribute("normal", normal);
      tile.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
      tile.boundingSphere = sphere(grid, i, j, w, h);
      return tile;
    });
  }

  /** Strips from the edge of the grid outwards, level across it, over a distance [m]. */
  around(reach: number): BufferGeometry {
    const { low, cell, shape: [ny, nx], height: { data } } = this.data;
    const [last, top] = [nx - 1, ny - 1];
    const positions: number[] = [];
    const index: number[] = [];
    const corner = (i: number, j: number, dx: number, dy: number) => {
      positions.push(low[0] + i * cell[0] + dx * reach, low[1] + j * cell[1] + dy * reach, data[j * nx + i]);
      return positions.length / 3 - 1;
    };
    const quad = (a: number, b: number, c: number, d: number) => index.push(a, b, c, a, c, d);
    const step = (n: number, flat: (k: number) => boolean, make: (from: number, to: number) => void) => {
      for (let from = 0, to = 1; to <= n; to++) if (to === n || !flat(to)) [make(from, to), (from = to)];
    };
    for (const [j, dy] of [[0, -1], [top, 1]]) {
      const level = (k: number) => Math.abs(data[j * nx + k] - data[j * nx + k - 1]) + Math.abs(data[j * nx + k + 1] - data[j * nx + k]) < FLAT / 10;
      step(last, level, (a, b) => {
        const [p, q, r, s] = [corner(a, j, 0, 0), corner(b, j, 0, 0), corner(b, j, 0, dy), corner(a, j, 0, dy)];
        if (dy > 0) quad(p, q, r, s);
        else quad(s, r, q, p);
      });
    }
    for (const [i, dx] of [[0, -1], [last, 1]]) {
      const level = (k: number) => Math.abs(data[k * nx + i] - data[(k - 1) * nx + i]) + Math.abs(data[(k + 1) * nx + i] - data[k * nx + i]) < FLAT / 10;
      step(top, level, (a, b) => {
        const [p, q, r, s] = [corner(i, a, 0, 0), corner(i, b, 0, 0), corner(i, b, dx, 0), corner(i, a, dx, 0)];
        if (dx > 0) quad(s, r, q, p);
        else quad(p, q, r, s);
      });
      for (const [j, dy] of [[0, -1], [top, 1]]) {
        const [p, q, r, s] = [corner(i, j, 0, 0), corner(i, j, dx, 0), corner(i, j, dx, dy), corner(i, j, 0, dy)];
        if (dx * dy > 0) quad(p, q, r, s);
        else quad(s, r, q, p);
      }
    }
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
    geometry.computeVertexNormals();
    return geometry;
  }

  /** The coarsest grid of every second or fourth sample that shows the same; this one if there is none. */
  private coarser(): Data {
    const { low, cell, shape: [ny, nx], height } = this.data;
    for (const by of COARSER) {
      const [mx, my] = [Math.floor((nx - 1) / by) + 1, Math.floor((ny - 1) / by) + 1];
      if (mx < 2 || my < 2 || (mx - 1) * by !== nx - 1 || (my - 1) * by !== ny - 1) continue;
      const few = new Float32Array(mx * my);
      for (let k = 0; k < mx * my; k++) few[k] = height.data[Math.floor(k / mx) * by * nx + (k % mx) * by];
      const grid: Data = { ...this.data, low, cell: [cell[0] * by, cell[1] * by], shape: [my, mx], height: { ...height, data: few, shape: [my, mx] } };
      const rough = new Heights(grid);
      let worst = 0;
      for (let k = 0; k < nx * ny && worst < SAME; k++) {
        worst = Math.max(worst, Math.abs(rough.at(low[0] + (k % nx) * cell[0], low[1] + Math.floor(k / nx) * cell[1]) - height.data[k]));
      }
      if (worst < SAME) return grid;
    }
    return this.data;
  }
}

function triangles(grid: Data, i: number, j: number, w: number, h: number, index: number[] = []): number[] {
  const nx = grid.shape[1];
  const at = (a: number, b: number) => (j + b) * nx + i + a;
  if (w === 1 && h === 1) {
    index.push(at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1));
    return index;
  }
  if (w > 1 && h > 1 && isFlat(grid, i, j, w, h)) {
    // with all samples of its edges, so that no gap opens to a finer tile
    const rim: number[] = [];
    for (let a = 0; a < w; a++) rim.push(at(a, 0));
    for (let b = 0; b < h; b++) rim.push(at(w, b));
    for (let a = w; a > 0; a--) rim.push(at(a, h));
    for (let b = h; b > 0; b--) rim.push(at(0, b));
    const middle = at(w >> 1, h >> 1);
    rim.forEach((from, k) => index.push(middle, from, rim[(k + 1) % rim.length]));
    return index;
  }
  const [a, b] = [Math.ceil(w / 2), Math.ceil(h / 2)];
  triangles(grid, i, j, a, b, index);
  if (w > a) triangles(grid, i + a, j, w - a, b, index);
  if (h > b) triangles(grid, i, j + b, a, h - b, index);
  if (w > a && h > b) triangles(grid, i + a, j + b, w - a, h - b, index);
  return index;
}

/** Whether a tile and the samples next to it lie in one plane, so that its corners have the normals of that plane. */
function isFlat({ shape: [ny, nx], height: { data } }: Data, i: number, j: number, w: number, h: number): boolean {
  const start = data[j * nx + i];
  const [slopeX, slopeY] = [(data[j * nx + i + w] - start) / w, (data[(j + h) * nx + i] - start) / h];
  for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + h + 1); b++) {
    for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + w + 1); a++) {
      if (Math.abs(data[b * nx + a] - start - slopeX * (a - i) - slopeY * (b - j)) > FLAT) return false;
    }
  }
  return true;
}

function sphere({ low, cell, shape: [, nx], height: { data } }: Data, i: number, j: number, w: number, h: number): Sphere {
  let [least, most] = [Infinity, -Infinity];
  for (let b = j; b <= j + h; b++) {
    for (let a = i; a <= i + w; a++) [least, most] = [Math.min(least, data[b * nx + a]), Math.max(most, data[b * nx + a])];
  }
  const centre = new Vector3(low[0] + (i + w / 2) * cell[0], low[1] + (j + h / 2) * cell[1], (least + most) / 2);
  return new Sphere(centre, Math.hypot((w / 2) * cell[0], (h / 2) * cell[1], (most - least) / 2));
}
