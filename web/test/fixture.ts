/** Packets as a server sends them, made here: a four-bar linkage, a film of it, grains in a tray, ground with ruts. */

import { encode } from "../src/transport/packet";

const LENGTHS = { crank: 0.2, coupler: 0.5, rocker: 0.4, base: 0.6 };

/** Poses of ground, crank, coupler and rocker at an angle of the crank. */
export function fourBar(angle: number): number[] {
  const { crank, coupler, rocker, base } = LENGTHS;
  const [bx, by] = [crank * Math.cos(angle), crank * Math.sin(angle)];
  const gap = Math.hypot(base - bx, by);
  const inner = Math.acos((coupler ** 2 + gap ** 2 - rocker ** 2) / (2 * coupler * gap));
  const first = Math.atan2(-by, base - bx) + inner;
  const [cx, cy] = [bx + coupler * Math.cos(first), by + coupler * Math.sin(first)];
  const pose = (x: number, y: number, turn: number) => [x, y, 0, Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)];
  return [...pose(0, 0, 0), ...pose(0, 0, angle), ...pose(bx, by, first), ...pose(base, 0, Math.atan2(cy, cx - base))];
}

export function scenePacket(mode = "film"): Uint8Array<ArrayBuffer> {
  const hinge = (name: string, parent: number, child: number, x: number) => ({ name, type: "revolute", parent, child, at: [x, 0, 0], child_at: [0, 0, 0], axis: [0, 0, 1], limits: null, q: [0, 1] });
  return encode({
    type: "scene", name: "four_bar", title: "Four-bar linkage", mode,
    bodies: [
      { name: "ground", shapes: [], sticks: [] },
      ...(["crank", "coupler", "rocker"] as const).map((name) => ({ name, group: name, colour: null, shapes: [], sticks: [[LENGTHS[name], 0, 0]] })),
    ],
    joints: [hinge("A", 0, 1, 0), hinge("B", 1, 2, LENGTHS.crank), hinge("D", 0, 3, LENGTHS.base)],
    cuts: [hinge("C", 2, 3, LENGTHS.coupler)],
    channels: [{ name: "A.q", unit: "rad", columns: [] }],
    inputs: [{ name: "A", low: -3.14, high: 3.14, value: 1, unit: "rad" }],
    camera: { target: [0.3, 0, 0], distance: 2, view: "xy", follow: null }, time: [0, 1], poses: "poses",
  }, { poses: { data: Float32Array.from(fourBar(1)), shape: [4, 7] } });
}

export function filmPacket(count = 50): Uint8Array<ArrayBuffer> {
  const times = Float64Array.from({ length: count }, (_, k) => k / (count - 1));
  const poses = Float32Array.from([...times].flatMap((time) => fourBar(1 + 2 * Math.PI * time)));
  return encode({ type: "film", times: "times", poses: "poses", grain_times: [], series: [], thinned: null }, {
    times: { data: times, shape: [count] }, poses: { data: poses, shape: [count, 4, 7] },
  });
}

export function grainsPacket(frame: number, count: number): Uint8Array<ArrayBuffer> {
  const position = Uint16Array.from({ length: 3 * count }, (_, k) => (k * 7919 + frame * 131) % 65536);
  return encode({ type: "grains", frame, time: frame / 10, low: [0, 0, 0], high: [1, 2, 3], position: "position", radius: 0.01, value: "value", drawn: count, count }, {
    position: { data: position, shape: [count, 3] }, value: { data: new Uint8Array(count).fill(128), shape: [count] },
  });
}

export function rutsPacket(): Uint8Array<ArrayBuffer> {
  return encode({ type: "ruts", cells: "cells", depth: "depth", since: "since" }, {
    cells: { data: Uint32Array.from([0, 5, 37]), shape: [3] }, depth: { data: Float32Array.from([0.01, 0.02, 0.03]), shape: [3] },
    since: { data: Float32Array.from([0, 0.5, 1]), shape: [3] },
  });
}
