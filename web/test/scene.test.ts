import { Box3, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { figure, length, unitText } from "../src/panels/numbers";
import { eulerDegrees } from "../src/panels/values";
import { Camera } from "../src/scene/camera";
import { scaleColour } from "../src/scene/colours";
import { roundLength } from "../src/scene/ground";
import { LIGHT } from "../src/scene/colours";
import { Machine } from "../src/scene/machine";
import { LEVELS, Quality } from "../src/scene/quality";
import { geometryOf } from "../src/scene/shapes";
import { Terrain } from "../src/scene/terrain";
import { decode } from "../src/transport/packet";
import { readScene } from "../src/transport/read";
import type { Shape } from "../src/transport/types";
import { fourBar, scenePacket } from "./fixture";

describe("shapes", () => {
  const box = (shape: Shape) => {
    const geometry = geometryOf(shape, 10)!;
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox!;
    return [...min.toArray(), ...max.toArray()].map((value) => Math.round(1e4 * value) / 1e4 + 0);
  };

  it("have the size that they should have, bars along +z from their origin", () => {
    expect(box({ type: "box", size: [1, 2, 3] })).toEqual([-0.5, -1, -1.5, 0.5, 1, 1.5]);
    expect(box({ type: "cylinder", radius: 0.5, length: 2 })).toEqual([-0.5, -0.5, 0, 0.5, 0.5, 2]);
    expect(box({ type: "capsule", radius: 0.5, length: 2 })).toEqual([-0.5, -0.5, -0.5, 0.5, 0.5, 2.5]);
    expect(box({ type: "cone", radius: 1, top_radius: 0, length: 2 })).toEqual([-1, -1, 0, 1, 1, 2]);
    expect(box({ type: "ellipsoid", radii: [1, 2, 3] })).toEqual([-1, -2, -3, 1, 2, 3]);
  });

  it("that are hollow have no open faces", () => {
    const walls = (open: string[]) => geometryOf({ type: "box", size: [1, 1, 1], hollow: true, open }, 1)!.getIndex()!.count / 6;
    expect([walls([]), walls(["z+"]), walls(["z+", "x-"])]).toEqual([6, 5, 4]);
  });

  it("meshes have smooth normals over flat edges and sharp ones elsewhere", () => {
    const vertices = { data: Float32Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]), shape: [5, 3] };
    const geometry = geometryOf({ type: "mesh", vertices, triangles: { data: Uint32Array.from([0, 1, 2, 0, 2, 3, 0, 4, 1]), shape: [3, 3] } }, 1)!;
    const normal = geometry.getAttribute("normal");
    expect([normal.getZ(0), normal.getZ(3)]).toEqual([1, 1]);
    expect(normal.getZ(6)).toBeCloseTo(0, 6);
  });
});

it("a machine stands where its poses say", () => {
  const scene = readScene(decode(scenePacket()));
  const machine = new Machine(scene, LIGHT, Float32Array.from(fourBar(0.5)));
  expect(machine.bodies[2].position.x).toBeCloseTo(0.2 * Math.cos(0.5), 6);
  const end = machine.bodies[1].localToWorld(new Vector3(0.2, 0, 0));
  expect(end.distanceTo(machine.bodies[2].position)).toBeLessThan(1e-6);
  expect(machine.box().max.x).toBeGreaterThan(0.6);
});

it("shapes that collide are made when they are asked for", () => {
  const scene = readScene(decode(scenePacket()));
  expect(new Machine(scene, LIGHT, null).has("collision")).toBe(false);
  scene.bodies[1].sticks = [];
  scene.bodies[1].shapes = [{ type: "sphere", radius: 0.1, name: "skin", colour: "#ff8000" }, { type: "sphere", radius: 5, name: "hull", collision: true }];
  const machine = new Machine(scene, LIGHT, Float32Array.from(fourBar(0.5)));
  const balls = () => machine.bodies[1].children.filter((child) => ["skin", "hull"].includes(child.userData.shape as string));
  expect([balls().length, machine.has("collision"), machine.shownNow("collision")]).toEqual([1, true, false]);
  const reach = machine.box().max.x;
  machine.show({ collision: true });
  expect([balls().length, machine.shownNow("collision"), machine.box().max.x]).toEqual([2, true, reach]);
  machine.show({ collision: false });
  machine.show({ collision: true });
  expect([balls().length, balls()[1].visible]).toEqual([2, true]);
});

it("ruts lie below the ground, in patches that take its place", () => {
  const data = { low: [0, 0] as [number, number], cell: [1, 1] as [number, number], shape: [3, 3] as [number, number], height: { data: Float32Array.from([0, 0, 0, 1, 1, 1, 2, 2, 2]), shape: [3, 3] }, soft: { at: [0, 0] as [number, number], cell: [0.1, 0.1] as [number, number], shape: [20, 20] as [number, number] } };
  const terrain = new Terrain(data, LIGHT);
  expect(terrain.height(0.5, 1.25)).toBeCloseTo(1.25, 6);
  terrain.setTimed({ cells: Uint32Array.from([205, 206, 225, 226]), depth: new Float32Array(4).fill(0.1), since: new Float32Array(4).fill(1) });
  terrain.at(0.5);
  const patches = terrain.root.children[1].children;
  expect(patches.length).toBe(0);
  terrain.at(2);
  expect(patches.length).toBe(1);
  const patch = patches[0] as unknown as { geometry: { getAttribute(name: string): { getX(k: number): number; getY(k: number): number; getZ(k: number): number; count: number } } };
  const position = patch.geometry.getAttribute("position");
  const deepest = () => Math.max(...Array.from({ length: position.count }, (_, k) => terrain.height(position.getX(k), position.getY(k)) - position.getZ(k)));
  expect(deepest()).toBeCloseTo(0.1, 5);
  terrain.at(0);
  expect(deepest()).toBeCloseTo(0, 6);
});

const CORNERS = [-1, 3].flatMap((x) => [0, 1].flatMap((y) => [0, 0.5].map((z) => new Vector3(x, y, z))));
const BOX = new Box3(new Vector3(-1, 0, 0), new Vector3(3, 1, 0.5));

describe("a camera", () => {
  /** Least and greatest places of the corners of the box in the picture, in pixels. */
  const seen = (camera: Camera, width: number, height: number, corners = CORNERS) => {
    const at = corners.map((corner) => corner.clone().project(camera.eye)).map(({ x, y }) => [(x + 1) * 0.5 * width, (1 - y) * 0.5 * height]);
    return [Math.min(...at.map(([x]) => x)), Math.max(...at.map(([x]) => x)), Math.min(...at.map(([, y]) => y)), Math.max(...at.map(([, y]) => y))];
  };

  it("fits a box into its picture, from every side", () => {
    const camera = new Camera();
    camera.resize(1600, 900);
    for (const view of ["iso", "x", "y", "z", "bottom"]) {
      camera.view(view, undefined, undefined, true);
      camera.fit(BOX, true);
      camera.update(0);
      const [left, right, top, bottom] = seen(camera, 1600, 900);
      expect(left > 0 && right < 1600 && top > 0 && bottom < 900).toBe(true);
    }
  });

  it("keeps what it fitted in the part of the picture that panels leave, until a hand moves it", () => {
    const camera = new Camera();
    camera.resize(1600, 900);
    camera.fit(BOX, true);
    for (const [width, height, covered] of [[600, 900, 0], [390, 800, 380], [1600, 300, 0]]) {
      camera.resize(width, height, { left: 0, right: 0, top: 0, bottom: covered });
      camera.update(0);
      const [left, right, top, bottom] = seen(camera, width, height);
      expect(left > 0 && right < width && top > 0 && bottom < height - covered).toBe(true);
      expect(Math.max((right - left) / width, (bottom - top) / (height - covered))).toBeGreaterThan(0.6);
    }
    camera.zoom(0.5);
    const { distance } = camera;
    camera.resize(500, 900);
    expect(camera.distance).toBe(distance);
  });

  it("keeps to the body that it follows when it fits", () => {
    const camera = new Camera();
    camera.resize(1600, 900);
    const body = { position: new Vector3(10, 0, 0), quaternion: new Quaternion() };
    camera.follow(body);
    const around = new Box3(new Vector3(9, -1, 0), new Vector3(14, 1, 1));
    camera.fit(around);
    for (let k = 0; k < 20; k++) camera.update(0.05);
    expect(camera.followed).toBe(body);
    expect(camera.target.toArray()).toEqual([10, 0, 0]);
    const corners = [9, 14].flatMap((x) => [-1, 1].flatMap((y) => [0, 1].map((z) => new Vector3(x, y, z))));
    const [left, right, top, bottom] = seen(camera, 1600, 900, corners);
    expect(left > 0 && right < 1600 && top > 0 && bottom < 900).toBe(true);
    body.position.x = 20;
    camera.update(0.05);
    expect(camera.target.x).toBe(20);
  });
});

it("quality goes down when pictures are slow, and up again slowly", () => {
  const quality = new Quality(0);
  for (let k = 0; k < 100; k++) quality.mark(200);
  expect(quality.level).toBe(LEVELS.length - 1);
  for (let k = 0; k < 60; k++) quality.mark(10);
  expect(quality.level).toBe(LEVELS.length - 1);
  for (let k = 0; k < 20_000; k++) quality.mark(10);
  expect(quality.level).toBe(0);
});

it("numbers read well", () => {
  expect([figure(0.123456), figure(1234.5), figure(-2), figure(1.5e9), figure(NaN), figure(100), figure(-1.5e-8)]).toEqual(["0.1235", "1235", "−2", "1.5e9", "–", "100", "−1.5e−8"]);
  expect(["rad/s2", "kg m2/s", "N m", "m3"].map(unitText)).toEqual(["rad/s²", "kg m²/s", "N m", "m³"]);
  expect([length(0.0123), length(2), length(1500)]).toEqual(["12.3 mm", "2 m", "1.5 km"]);
  expect([roundLength(0.07), roundLength(3), roundLength(1)].map((x) => Number(x.toPrecision(3)))).toEqual([0.05, 2, 1]);
  expect(eulerDegrees([0, 0, 0, Math.SQRT1_2, 0, 0, Math.SQRT1_2]).map(Math.round)).toEqual([0, 0, 90]);
  expect(scaleColour(0).getHexString()).toBe("440154");
});
