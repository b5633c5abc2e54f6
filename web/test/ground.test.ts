import { Group, Mesh, Raycaster, Vector3, type BufferGeometry } from "three";
import { describe, expect, it } from "vitest";
import { LIGHT } from "../src/scene/colours";
import { Heights } from "../src/scene/heights";
import { Patches } from "../src/scene/patches";
import { Terrain } from "../src/scene/terrain";
import type { Terrain as Data } from "../src/transport/types";

function ground(shape: [number, number], cell: number, height: (x: number, y: number) => number, soft: Data["soft"] = null): Data {
  const [ny, nx] = shape;
  const data = Float32Array.from({ length: nx * ny }, (_, k) => height((k % nx) * cell, Math.floor(k / nx) * cell));
  return { low: [0, 0], cell: [cell, cell], shape, height: { data, shape }, soft };
}

const triangles = (tiles: BufferGeometry[]) => tiles.reduce((sum, tile) => sum + tile.getIndex()!.count / 3, 0);

describe("ground that goes on", () => {
  const data = ground([41, 61], 1, (x, y) => (x === 60 ? 0.02 * y : 0));
  const under = (terrain: Terrain, x: number, y: number) => {
    terrain.root.updateMatrixWorld();
    return new Raycaster(new Vector3(x, y, 100), new Vector3(0, 0, -1)).intersectObject(terrain.root, true)[0]?.point.z ?? null;
  };

  it("has no end, and its edge goes on as the physics has it", () => {
    const terrain = new Terrain(data, LIGHT, true);
    for (const [x, y] of [[30, 20], [-700, 20], [900, 1200], [30, -1500], [-900, -900]]) expect(under(terrain, x, y)).not.toBeNull();
    expect(under(terrain, 1500, 10.5)).toBeCloseTo(0.21, 4); // a slope along the edge
    expect(under(terrain, 1500, 500)).toBeCloseTo(0.8, 4);
    expect(under(terrain, 9000, 20)).toBeNull();
    terrain.goOn(8500, 20); // the vehicle has come that far
    expect(under(terrain, 9000, 20)).toBeCloseTo(0.4, 3);
  });

  it("ends where soft soil does", () => {
    expect(under(new Terrain(data, LIGHT), -5, 20)).toBeNull();
  });
});

describe("tiles of heights", () => {
  it("lie where they are, so that those behind the eye are left out", () => {
    const tiles = new Heights(ground([101, 101], 1, (x, y) => Math.sin(x) * Math.cos(y))).tiles(false);
    expect(tiles.length).toBe(9);
    expect(triangles(tiles)).toBe(20000);
    for (const tile of tiles) {
      const { center, radius } = tile.boundingSphere!;
      const [index, position] = [tile.getIndex()!, tile.getAttribute("position")];
      for (let k = 0; k < index.count; k += 7) expect(center.distanceTo(new Vector3().fromBufferAttribute(position, index.getX(k)))).toBeLessThan(radius + 1e-6);
    }
  });

  it("have fewer triangles where that shows the same, and all of them where it does not", () => {
    const smooth = new Heights(ground([101, 101], 0.5, (x) => 0.4 * Math.sin(0.25 * x)));
    expect(triangles(smooth.tiles(true))).toBe(triangles(smooth.tiles(false)) / 4);
    const rough = new Heights(ground([101, 101], 0.5, (x) => 0.1 * Math.sin(3 * x)));
    expect(triangles(rough.tiles(true))).toBe(triangles(rough.tiles(false)));
  });
});

describe("patches of ruts", () => {
  const data = ground([11, 11], 1, () => 0, { at: [0, 0], cell: [0.1, 0.1], shape: [64, 64] });

  it("are fine where something has rolled, coarse from afar, and gone from fresh soil", () => {
    const patches = new Patches(data, new Heights(data));
    patches.material = new Mesh().material as never;
    for (let j = 4; j < 28; j++) patches.set(j * 64 + 15, 0.1); // one rut, away from the edges
    patches.rebuild();
    const drawn = () => (patches.root as Group).children.map((mesh) => (mesh as Mesh).geometry.drawRange.count);
    expect(drawn().length).toBe(1);
    const near = drawn()[0];
    expect(near).toBeLessThan(0.6 * 6 * 32 * 32);
    const { index } = ((patches.root as Group).children[0] as Mesh).geometry;
    const across = new Set<number>();
    for (let k = 0; k < near; k++) across.add(index!.getX(k) % 33);
    expect([14, 15, 16, 17].every((column) => across.has(column))).toBe(true);
    patches.thin(new Vector3(0, 0, 20));
    expect(drawn()[0]).toBe(6 * 16 * 16);
    patches.thin(new Vector3(0, 0, 200));
    expect(drawn()[0]).toBe(6 * 8 * 8);
    patches.thin(new Vector3(0, 0, 2));
    expect(drawn()[0]).toBe(near);
    patches.clear();
    expect(drawn()).toEqual([]);
    patches.set(15 * 64 + 15, 0.1);
    patches.rebuild();
    expect(drawn().length).toBe(1);
  });
});
